#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens recordings in the programs of others and prints what they see, one JSON object.

usage: read_recordings.py READER FILE, READER one of opensignalsreader, biosignalsnotebooks, pyedflib, mne, sqlite3
"""
import importlib
import json
import os
import site
import sys
import types
import unittest.mock


def opensignalsreader(path):
    from opensignalsreader import OpenSignalsReader
    reader = OpenSignalsReader(path, raw=True)
    return {"rate": reader.sampling_rate, "channels": {str(k): list(map(float, v)) for k, v in reader._raw_signals.items()}}


def biosignalsnotebooks(path):
    # The package as a whole wants versions of 2022 of all that draws; the reader is a module of its own, and draws nothing.
    for name in ("bokeh", "bokeh.plotting", "IPython", "IPython.display", "pandas"):
        sys.modules[name] = unittest.mock.MagicMock()
    base = next(p for p in site.getsitepackages() if os.path.isdir(os.path.join(p, "biosignalsnotebooks")))
    package = types.ModuleType("biosignalsnotebooks")
    package.__path__ = [os.path.join(base, "biosignalsnotebooks")]
    sys.modules["biosignalsnotebooks"] = package
    load = importlib.import_module("biosignalsnotebooks.load")
    data, header = load.load(path, get_header=True)
    if "sampling rate" not in header:
        return {"devices": {k: {c: list(map(float, v)) for c, v in d.items()} for k, d in data.items()}}
    return {"rate": header["sampling rate"], "device": header["device"],
            "channels": {k: list(map(float, v)) for k, v in data.items()}}


def pyedflib(path):
    import pyedflib as library
    with library.EdfReader(path) as reader:
        onsets, durations, texts = reader.readAnnotations()
        count = reader.signals_in_file
        return {
            "rate": reader.getSampleFrequency(0), "labels": reader.getSignalLabels(),
            "units": [reader.getPhysicalDimension(i) for i in range(count)],
            "digital": [list(map(int, reader.readSignal(i, digital=True))) for i in range(count)],
            "physical": [list(map(float, reader.readSignal(i))) for i in range(count)],
            "annotations": [[float(a), float(b), str(c)] for a, b, c in zip(onsets, durations, texts)],
        }


def mne(path):
    import mne as library
    raw = library.io.read_raw_edf(path, verbose="error")
    return {
        "rate": float(raw.info["sfreq"]), "labels": raw.ch_names, "samples": int(raw.n_times),
        "annotations": [[float(a["onset"]), float(a["duration"]), str(a["description"])] for a in raw.annotations],
        "first": [float(v) for v in raw.get_data()[:, 0]],
    }


def sqlite3(path):
    import sqlite3 as library
    database = library.connect(path)
    assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    ids = [row[0] for row in database.execute("SELECT id FROM session ORDER BY id")]
    sessions = []
    for number in ids:
        row = database.execute("SELECT name,rate,samples,lost,reason FROM session WHERE id=?", (number,)).fetchone()
        names = [r[0] for r in database.execute("SELECT name FROM channel WHERE session=? ORDER BY position", (number,))]
        quoted = ",".join('"' + n.replace('"', '""') + '"' for n in names)
        rows = database.execute(f'SELECT "index",{quoted} FROM samples_{number} ORDER BY "index"').fetchall()
        sessions.append({
            "name": row[0], "rate": row[1], "samples": row[2], "lost": row[3], "reason": row[4], "channels": names,
            "indices": [r[0] for r in rows], "columns": [[r[c + 1] for r in rows] for c in range(len(names))],
            "gaps": database.execute('SELECT "index",lost FROM gap WHERE session=?', (number,)).fetchall(),
            "markers": database.execute('SELECT "index",text FROM marker WHERE session=?', (number,)).fetchall(),
        })
    return {"sessions": sessions}


READERS = {f.__name__: f for f in (opensignalsreader, biosignalsnotebooks, pyedflib, mne, sqlite3)}
print(json.dumps(READERS[sys.argv[1]](sys.argv[2]), allow_nan=True))
