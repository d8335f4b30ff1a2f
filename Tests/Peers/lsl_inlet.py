#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Listens to a stream of the Lab Streaming Layer. usage: lsl_inlet.py NAME COUNT

Prints {"event":"stream",…} when the stream is found and {"event":"samples",…} with the last COUNT rows when it has them.
"""
import json
import sys
import time

import pylsl

name, count = sys.argv[1], int(sys.argv[2])
found = pylsl.resolve_byprop("name", name, timeout=20)
if not found:
    print(json.dumps({"event": "error", "text": f"no stream {name}"}))
    sys.exit(1)
inlet = pylsl.StreamInlet(found[0])
info = inlet.info()
channel = info.desc().child("channels").child("channel")
labels, units = [], []
while not channel.empty():
    labels.append(channel.child_value("label"))
    units.append(channel.child_value("unit"))
    channel = channel.next_sibling()
print(json.dumps({"event": "stream", "type": info.type(), "rate": info.nominal_srate(), "labels": labels, "units": units}), flush=True)
rows, times = [], []
deadline = time.monotonic() + 30
while len(rows) < count and time.monotonic() < deadline:
    chunk, stamps = inlet.pull_chunk(timeout=1.0)
    rows += chunk
    times += stamps
print(json.dumps({"event": "samples", "rows": rows[:count], "times": times[:count]}), flush=True)
