#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the recordings that the demonstration replays as a Swift source.

    Scripts/generate-recordings.py [--output DIRECTORY]

Reads data/bitalino. The same input gives the same output, octet for octet. A reading of 10 bits is two letters of an
alphabet of 64; the program decodes them when it needs them.
"""
import argparse
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "data" / "bitalino"
TARGET = ROOT / "Sources" / "CeruleanCommand" / "Room"
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

RECORDINGS = [
    ("bvpMotionArtifact", "bvp_motion_artifact.txt", "Blood volume pulse at A2, 1000 Hz."),
    ("edaHotSurface", "eda_hot_surface.txt", "Electrodermal activity at A3, 1000 Hz."),
]


def readings(path):
    """The last column; the digital columns must all be 0, or they would have to be kept too."""
    values = []
    for line in path.read_text(encoding="ascii").splitlines():
        if not line or line.startswith("#"):
            continue
        row = [int(cell) for cell in line.split()]
        if any(row[1:5]) or not 0 <= row[5] < 1024:
            raise SystemExit(f"{path.name}: a row that does not fit: {line}")
        values.append(row[5])
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=TARGET, help="where the Swift file goes")
    output = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    parts = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// swift-format-ignore-file",
        "// Written by Scripts/generate-recordings.py from data/bitalino; do not edit.",
        "// The recordings are (c) 2018 opensignalstool developers and PLUX Wireless Biosignals; see data/bitalino/LICENSE-biosignalsnotebooks.txt.",
        "",
        "extension EmbeddedRecording {",
    ]
    for name, file, comment in RECORDINGS:
        text = "".join(ALPHABET[value >> 6] + ALPHABET[value & 63] for value in readings(DATA / file))
        lines = [text[start : start + 116] for start in range(0, len(text), 116)]
        parts += [f"    /// {comment}", f'    static let {name} = EmbeddedRecording("""', *lines, '""")']
    parts += ["}", ""]
    path = output / "EmbeddedRecording+Generated.swift"
    path.write_text("\n".join(parts), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
