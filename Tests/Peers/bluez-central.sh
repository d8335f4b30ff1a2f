#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs inside the BlueZ machine: bluetoothd as central, first pairing, then once more with the keys of the first time.
# usage: bluez-central.sh DIRECTORY NAME
peer=$1/bluez_peer.py
"$peer" central --name "$2" --pair --seconds 40
echo "status first: $?"
"$peer" central --name "$2" --seconds 40
echo "status again: $?"
