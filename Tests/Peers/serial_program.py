#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that talks through `cerulean serial`. usage: serial_program.py PATH|HOST:PORT [--times N]

Opens the terminal or port N times (default 1), each time sends 600 octets in pieces and reads as many back; prints one JSON object
for each time, {"event": "echo", "sent": HEX, "received": HEX}.
"""
import argparse
import json
import os
import select
import socket
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("where")
parser.add_argument("--times", type=int, default=1)
args = parser.parse_args()
# All octets but those a terminal might swallow are among them twice, and those it might as well.
sent = bytes(i & 0xFF for i in range(600))
for _ in range(args.times):
    if args.where.startswith("/"):
        descriptor = os.open(args.where, os.O_RDWR | os.O_NOCTTY)
    else:
        host, port = args.where.split(":")
        connection = socket.create_connection((host, int(port)))
        descriptor = connection.detach()
    for start in range(0, len(sent), 37):
        os.write(descriptor, sent[start:start + 37])
    received = b""
    deadline = time.monotonic() + 20
    while len(received) < len(sent) and time.monotonic() < deadline:
        if select.select([descriptor], [], [], 0.5)[0]:
            data = os.read(descriptor, 4096)
            if not data:
                break
            received += data
    os.close(descriptor)
    print(json.dumps({"event": "echo", "sent": sent.hex(), "received": received.hex()}), flush=True)
    # The bridge serves one program at a time.
    time.sleep(0.2)
