#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs inside the BlueZ machine: our program on the Linux HCI user channel, on both sides of BlueZ's emulated radio.
# usage: user-channel.sh CERULEAN
cerulean=$1
pipe=$(mktemp -u)
mkfifo "$pipe"
$cerulean --adapter hci:0 simulate heartrate --json >"$pipe" 2>&1 &
server=$!
exec 3<"$pipe"
read -r ready <&3
echo "$ready"
cat <&3 >/dev/null &
echo "status busy: $($cerulean --adapter hci:0 scan --timeout 1 >/dev/null 2>&1; echo $?)"
$cerulean --adapter hci:1 info --name "Cerulean Strap" --json --timeout 30 2>/dev/null
echo "status info: $?"
$cerulean --adapter hci:1 notify 2A37 --name "Cerulean Strap" --count 2 --json --timeout 30 2>/dev/null
echo "status notify: $?"
$cerulean --adapter hci:7 scan --timeout 1 >/dev/null 2>&1
echo "status absent: $?"
setpriv --reuid=65534 --clear-groups $cerulean --adapter hci:1 scan --timeout 1 >/dev/null 2>&1
echo "status forbidden: $?"
kill -INT $server
wait $server
echo "status server: $?"
