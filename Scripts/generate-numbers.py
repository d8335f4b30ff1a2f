#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of assigned numbers as Swift sources.

    Scripts/generate-numbers.py [--output DIRECTORY]

Reads data/assigned-numbers and data/project-numbers. The same input gives the same output, octet for octet.
Each table is one string literal of lines sorted by key, which the library searches where it lies: nothing is parsed or
allocated at start-up, and the compiler has one literal to read instead of thousands of array elements.
"""
import argparse
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
ASSIGNED = ROOT / "data" / "assigned-numbers"
PROJECT = ROOT / "data" / "project-numbers"
TARGET = ROOT / "Sources" / "CeruleanWire" / "Numbers"

HEADER = """// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by Scripts/generate-numbers.py from {source}; do not edit.

extension NumberTable {{
    /// {comment}
    static let {name} = NumberTable(#\"\"\"
{lines}
\"\"\"#)
}}
"""


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def clean(text):
    if any(ord(character) < 32 for character in text) or '"""' in text:
        raise SystemExit(f"cannot be written as one line: {text!r}")
    return text.strip()


def attributes(kind):
    entries = load(ASSIGNED / f"{kind}_uuids.json")
    own = PROJECT / f"{kind}_uuids.json"
    if own.exists():
        entries += load(own)
    table = {}
    for entry in entries:
        key = entry["uuid"].replace("-", "").upper()
        if len(key) not in (4, 32):
            raise SystemExit(f"not a UUID: {entry['uuid']}")
        # A UUID may stand there twice: the first name stays.
        table.setdefault((len(key), key), [clean(entry["identifier"]), clean(entry["name"])])
    return [[key] + table[(size, key)] for size, key in sorted(table)]


def companies():
    table = {}
    for entry in load(ASSIGNED / "company_ids.json"):
        table.setdefault(entry["code"], clean(entry["name"]))
    return [[f"{code:04X}", table[code]] for code in sorted(table)]


def appearances():
    table = {}
    for category in load(ASSIGNED / "gap_appearance.json"):
        name = clean(category["name"])
        table.setdefault(category["category"] << 6, [name, ""])
        for entry in category.get("subcategory", []):
            table[category["category"] << 6 | entry["value"]] = [name, clean(entry["name"])]
    return [[f"{value:04X}"] + table[value] for value in sorted(table)]


def units():
    table = {}
    for entry in load(ASSIGNED / "units.json")["entries"]:
        factor = "" if entry["toSI"] is None else repr(entry["toSI"])
        table[entry["uuid"].upper()] = [clean(entry["quantity"]), clean(entry["symbol"]), factor]
    return [[key] + table[key] for key in sorted(table)]


def formats():
    entries = load(ASSIGNED / "formats.json")["entries"]
    return sorted([f"{int(entry['code'], 16):04X}", clean(entry["name"]), str(entry["bits"])] for entry in entries)


TABLES = [
    ("ServiceNumbers", "services", "UUID, identifier, name.", lambda: attributes("service")),
    ("CharacteristicNumbers", "characteristics", "UUID, identifier, name.", lambda: attributes("characteristic")),
    ("DescriptorNumbers", "descriptors", "UUID, identifier, name.", lambda: attributes("descriptor")),
    ("CompanyNumbers", "companies", "Company identifier, name.", companies),
    ("AppearanceNumbers", "appearances", "Appearance, category, subcategory.", appearances),
    ("UnitNumbers", "units", "UUID, quantity, symbol, factor to the SI unit.", units),
    ("FormatNumbers", "formats", "Presentation format, name, bits.", formats),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=TARGET, help="where the Swift files go")
    output = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    for file, name, comment, rows in TABLES:
        lines = "\n".join("\t".join(row) for row in rows())
        text = HEADER.format(source="data/", comment=comment, name=name, lines=lines)
        (output / f"{file}+Generated.swift").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
