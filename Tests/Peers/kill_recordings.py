#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `cerulean record` with SIGKILL at random moments and looks at what it left.

usage: kill_recordings.py CERULEAN COUNT [SEED]

Each file must open in a program of others, agree with the CSV file row by row, and hold all but the last second before the kill.
Prints one line for each kill and ends with 1 at the first that fails.
"""
import csv
import glob
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

import pyedflib

program, count = sys.argv[1], int(sys.argv[2])
chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)


def same(found, expected):
    """Equal as far as both go: the kill may have come between two files."""
    shorter = min(len(found), len(expected))
    return found[:shorter] == expected[:shorter]


def check(folder, killed):
    path = glob.glob(f"{folder}/*.csv")[0][:-4]
    with open(path + ".csv") as file:
        text = file.read()
    rows = list(csv.reader(text[: text.rfind("\n") + 1].splitlines()))[1:]
    assert rows, "no sample"
    names = ["index", "A1", "A2"]
    last = float(rows[-1][2])
    assert killed - last <= 1.0, f"CSV ends {killed - last:.2f} s before the kill"
    wanted = int(rows[-1][0]) + 1 - 1000
    columns = [[int(r[8]) for r in rows], [int(r[9]) for r in rows]]
    lines = [json.loads(l) for l in open(path + ".jsonl") if l.endswith("\n")]
    samples = [l for l in lines if l["type"] == "sample"]
    assert len(samples) >= wanted and same([s["values"]["A1"] for s in samples], columns[0]), "JSON Lines"
    with open(path + ".txt") as file:
        body = [l.split("\t") for l in file if l.endswith("\n") and not l.startswith("#")]
    assert len(body) >= wanted and same([int(l[5]) for l in body], columns[0]), "OpenSignals"
    signal = []
    # A file without a record would not open; until there is one it has another name.
    if os.path.exists(path + ".edf"):
        with pyedflib.EdfReader(path + ".edf") as edf:
            signal = [int(v) for v in edf.readSignal(4, digital=True)]
    assert len(signal) >= wanted and same(signal, columns[0]), f"EDF: {len(signal)} of {wanted}"
    database = sqlite3.connect(path + ".sqlite")
    assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "SQLite is damaged"
    found = [r[0] for r in database.execute('SELECT "A1" FROM samples_1 ORDER BY "index"')]
    assert len(found) >= wanted and same(found, columns[0]), f"SQLite: {len(found)} of {wanted}"
    assert database.execute("SELECT reason FROM session").fetchone()[0] is None, "a reason"
    return f"csv {len(rows)}, jsonl {len(samples)}, opensignals {len(body)}, edf {len(signal)}, sqlite {len(found)}"


for number in range(count):
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [program, "record", "--adapter", "virtual", "--name", "bitalino", "--channels", "1,2", "--format",
             "opensignals,csv,jsonl,edf,sqlite", "--output", folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.time() + 60
        while not any(os.path.getsize(p) > 2000 for p in glob.glob(f"{folder}/*.csv")) and time.time() < deadline:
            time.sleep(0.02)
        time.sleep(chance.uniform(0.0, 2.5))
        killed = time.time()
        process.kill()
        process.wait()
        print(f"kill {number + 1}: {check(folder, killed)}", flush=True)
