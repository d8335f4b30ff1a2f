#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares every field that 'cerulean trace' names with what tshark reads in the same packets.

usage: tshark_compare.py CERULEAN FOLDER [-v]

Makes a capture with one packet of each kind that ours describes (all HCI commands, events and LE events, all ATT, SMP and L2CAP signaling
PDUs), with octets that a seed decides: of each kind the shortest that ours takes, and one that is longer where there is such. Fields are
brought together by their names; ALIASES are those that differ. Prints one JSON object: kinds, fields (compared ones by layer), different (a
list, empty when all is well), unmatched (fields that nothing is known about), uncompared (see UNCOMPARED), unknown (PDUs that this
tshark does not know).
"""
import collections
import json
import random
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

cerulean, folder = sys.argv[1:3]
verbose = "-v" in sys.argv
rng = random.Random(5)

# Our name of a field -> the names that tshark has for it, where they differ.
ALIASES = {
    "length": ["Parameter Total Length"],
    "packet boundary flag": ["PB Flag"], "broadcast flag": ["BC Flag"],
    "pdu length": ["Length"], "channel id": ["CID", "Channel"],
    "code": ["Event Code", "Command Code", "Opcode"], "subevent": ["Sub Event"], "identifier": ["Command Identifier"],
    "attribute handle": ["Handle", "Handle in Error"], "found attribute handle": ["Handle"],
    "request opcode": ["Request Opcode in Error"],
    "client receive MTU": ["Client Rx MTU"], "server receive MTU": ["Server Rx MTU"], "format": ["UUID Format"],
    "attribute value": ["Value"], "part attribute value": ["Value"], "value offset": ["Offset"],
    "attribute type": ["UUID"], "attribute group type": ["UUID"],
    "peer address": ["BD_ADDR", "Peer Address", "Peer BD_ADDR"], "address": ["BD_ADDR", "BD ADDR"],
    "random address": ["BD_ADDR", "Random BD_ADDR"], "advertiser address": ["BD_ADDR"],
    "peer identity address": ["BD_ADDR", "Peer Identity Address"], "scanner address": ["BD_ADDR"],
    "peer address type": ["Direct Address Type"], "advertiser address type": ["Peer Address Type", "Address Type"],
    "scanner address type": ["Address Type"],
    "MITM": ["MITM Flag"], "SC": ["Secure Connection Flag"], "keypress": ["Keypress Flag"],
    "OOB data flag": ["OOB Data Flags"], "maximum encryption key size": ["Max Encryption Key Size"],
    "destination channel id": ["Destination CID"], "source channel id": ["Source CID"],
    "mtu": ["MTU", "Maximum Transmission Unit"], "mps": ["MPS", "Maximum PDU Payload Size"], "spsm": ["LE PSM", "SPSM"],
    "initial credits": ["Initial Credits"], "minimum interval": ["Min. Interval"], "maximum interval": ["Max. Interval"],
    "latency": ["Peripheral Latency"], "max latency": ["Max Connection Latency", "Connection Latency"],
    "peripheral latency": ["Connection Latency"], "result": ["Move Result"],
    "num HCI command packets": ["Number of Allowed Command Packets"],
    "type": ["Tx Power Level Type"],
    "host ACL data packet length": ["Host ACL Data Packet Length (bytes)"],
    "host synchronous data packet length": ["Host SCO Data Packet Length (bytes)"],
    "host total num synchronous data packets": ["Host Total Num SCO Data Packets"],
    "num completed packets": ["Number of Completed Packets"], "scanning filter policy": ["Scan Filter Policy"],
    "plaintext data": ["Plaintext"],
    "primary advertising interval min": ["Advertising Interval Min"],
    "primary advertising interval max": ["Advertising Interval Max"],
    "periodic advertising interval min": ["Advertising Interval Min"],
    "periodic advertising interval max": ["Advertising Interval Max"],
    "advertising TX power": ["Tx Power"], "operation": ["Data Operation"],
    "enable": ["Advertising Enable", "Enable", "Periodic Advertising Enable", "Scan Enable", "Reporting Enable"], "num sets": ["Number of Sets"],
    "sync timeout": ["Supervision Timeout"], "CTE type": ["Sync CTE Type"],
    "bit number": ["Feature Bit Number"], "bit value": ["Feature Bit Value"], "encryption enabled": ["Encryption Enable"],
    "version": ["LMP Version"], "company identifier": ["Manufacturer Name"], "subversion": ["LMP Subversion"],
    "central clock accuracy": ["Central Clock Accuracy"], "number of reports": ["Num Reports"],
    "connection interval min": ["Min Connection Interval"], "connection interval max": ["Min Connection Interval"],
    "num completed extended advertising events": ["Number Completed Extended Advertising Events"],
    "Rand": ["Random Value"],
}
# Where a name of tshark's is another thing.
INSTEAD = {
    ("att", "authentication signature"): ["Signature"],
    # Behind the parameters' own length, which is that of the packet and compared with every command and event.
    ("hci", "advertising TX power"): ["Power Level (dBm)"],
    ("hci", "length"): ["Parameter Total Length", "Data Length"],
}
# What cannot be compared, and why. Ours is in the capture's octets all the same.
UNCOMPARED = {
    "hci: event mask": "tshark shows its bits alone", "hci: event mask page 2": "tshark shows its bits alone",
    "hci: advertising channel map": "tshark shows its bits alone",
    "hci: primary advertising channel map": "tshark shows its bits alone", "hci: options": "tshark shows its bits alone",
    "hci: key X coordinate": "one field of both coordinates in tshark", "hci: key Y coordinate": "as its other half",
    "hci: advertising data": "a tree in tshark, and a list of structures beside it in ours",
    "hci: scan response data": "as advertising data", "hci: rest": "octets behind an early end, which tshark splits up",
    "l2cap: channel": "a name of ours for the channel id",
    "signaling: command": "a name of ours for the code", "signaling: reason data": "octets without a name in tshark",
    "smp: CT2": "tshark counts it as reserved", "smp: reserved": "tshark counts CT2 as reserved",
    "att: set of values": "octets without a name in tshark", "att: attribute data list": "a tree in tshark",
    "att: attribute value": "of some requests octets without a name in tshark",
    "att: part attribute value": "octets of an attribute whose type tshark does not know",
    "att: handle": "tshark takes no Read Multiple Request of one handle",
    "att: value": "octets of an attribute whose type tshark does not know",
}


def octets(count):
    small = [0, 1, 1, 2, 3, 1, 0, 4]
    return bytes(rng.choice(small) if rng.random() < 0.6 else rng.randrange(256) for _ in range(count))


def acl(channel, payload):
    return b"\x02" + struct.pack("<HHHH", 0x2001, len(payload) + 4, len(payload), channel) + payload


def capture(path, packets):
    with open(path, "wb") as file:
        file.write(b"btsnoop\0" + struct.pack(">II", 1, 1002))
        for index, (is_received, packet) in enumerate(packets):
            flags = is_received | (2 if packet[0] in (1, 4) else 0)
            time = 0x00E03AB44A676000 + index * 1000
            file.write(struct.pack(">IIIIq", len(packet), len(packet), flags, 0, time) + packet)


def trace(path):
    run = subprocess.run([cerulean, "trace", path, "--json"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def is_whole(row):
    text = json.dumps(row)
    return '"error"' not in text and "malformed" not in text


def choose(kinds, lengths):
    """Of each kind the shortest packet that ours takes, and the next that has other fields."""
    candidates = [(kind, direction, make(octets(n))) for kind, direction, make in kinds for n in lengths]
    path = f"{folder}/candidates.btsnoop"
    capture(path, [(direction, packet) for _, direction, packet in candidates])
    chosen = collections.OrderedDict()
    for (kind, direction, packet), row in zip(candidates, trace(path)):
        found = chosen.setdefault(kind, [])
        layer = row.get("att") or row.get("smp") or row.get("signaling") or row.get("hci") or {}
        known = row.get("signaling", {}).get("command") != "unknown" and "octets" not in layer and "event 0x" not in row["name"]
        size = len(json.dumps(layer))
        if not is_whole(row) or not known or len(found) > 1 or (found and found[0][2] == size):
            continue
        found.append((direction, packet, size))
    return [(direction, packet) for found in chosen.values() for direction, packet, _ in found]


def all_packets():
    def command(opcode):
        return lambda p: b"\x01" + struct.pack("<HB", opcode, len(p)) + p

    def event(code):
        return lambda p: bytes([4, code, len(p)]) + p

    def le_event(code):
        return lambda p: bytes([4, 0x3E, len(p) + 1, code]) + p

    def signal(code):
        return lambda p: acl(5, bytes([code, 7]) + struct.pack("<H", len(p)) + p)

    def pdu(channel, code):
        return lambda p: acl(channel, bytes([code]) + p)

    opcodes = [group << 10 | command for group in (1, 3, 4, 5, 8) for command in range(0x90)]
    known = trace_names([command(opcode)(b"") for opcode in opcodes])
    opcodes = [opcode for opcode, name in zip(opcodes, known) if "0x" not in name]
    packets = choose([(("c", o), 0, command(o)) for o in opcodes], range(0, 66))
    packets += choose([(("e", c), 1, event(c)) for c in range(1, 0x60) if c not in (0x0E, 0x3E)], range(0, 40))
    packets += choose([(("l", c), 1, le_event(c)) for c in range(1, 0x30)], range(0, 70))
    packets += choose([(("s", c), 0, pdu(6, c)) for c in range(1, 0x0F)], range(0, 66))
    packets += choose([(("g", c), 0, signal(c)) for c in range(1, 0x1B)], range(0, 20))
    requests = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20, 0x1E, 0x52, 0xD2]
    packets += choose([(("a", c), 0 if c in requests else 1, pdu(4, c)) for c in list(range(1, 0x60)) + [0xD2]], range(0, 30))
    return packets


def trace_names(packets):
    path = f"{folder}/names.btsnoop"
    capture(path, [(0, packet) for packet in packets])
    return [row["name"] for row in trace(path)]


def plain(text):
    return re.sub(r"[^a-z0-9]", "", text.lower())


def fields(value, name=""):
    """Names and values, without AD structures: their names are those of the data."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key != "structures":
                yield from fields(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from fields(item, name)
    else:
        yield name, value


def labels(packet):
    """What tshark has, by the name in its text and by the last part of its filter name."""
    found = collections.defaultdict(list)
    for field in packet.iter("field"):
        name = field.get("name") or ""
        if not name.startswith(("bthci", "btl2cap", "btatt", "btsmp", "btcommon")):
            continue
        text = (field.get("showname") or field.get("show") or "").split(" = ")[-1]
        # The words of the specification since 5.3.
        text = text.replace("Master", "Central").replace("Slave", "Peripheral")
        entry = (field.get("show") or "", field.get("value") or "", text)
        found[plain(text.split(":")[0])].append(entry)
        found[plain(name.split(".")[-1])].append(entry)
    return found


def is_unknown(found):
    """PDUs that came after this tshark."""
    texts = {entry[2].split(" (")[0] for entries in found.values() for entry in entries}
    return bool(texts & {"Event Code: Unknown", "Sub Event: Unknown", "Command Code: Unknown", "Opcode: Unknown"})


def number(text):
    try:
        return int(text, 0)
    except ValueError:
        return None


def is_equal(ours, entry):
    show, value, text = entry
    raw = bytes.fromhex(value) if len(value) % 2 == 0 and re.fullmatch("[0-9a-f]*", value) else b""
    if isinstance(ours, bool):
        return number(show) == int(ours) or show.lower() == str(ours).lower()
    if isinstance(ours, float):
        # Numbers above those that JSON readers take exactly.
        return raw != b"" and float(int.from_bytes(raw, "little")) == ours
    if isinstance(ours, int):
        sizes = [int.from_bytes(raw, "little"), int.from_bytes(raw, "little", signed=True)] if raw else []
        return ours == number(show) or ours in sizes or str(ours) == show
    lower = ours.lower()
    # A number without a name: "error 0xc2", "PHY 192".
    unknown = re.fullmatch(r"[A-Za-z]+ (0x[0-9a-f]+|\d+)", ours)
    if unknown and number(unknown.group(1)) == number(show):
        return True
    if re.fullmatch("[0-9a-f-]{36}", lower) and bytes.fromhex(lower.replace("-", ""))[::-1].hex() == show.replace(":", ""):
        return True
    if lower in (show.lower(), value) or lower == show.replace(":", "").lower() or lower == raw[::-1].hex():
        return True
    # Names of numbers: the same words, or one says more than the other.
    mine, theirs = plain(ours), plain(text.split(":", 1)[-1])
    if mine and (mine in theirs or (len(theirs) > 3 and re.sub(r"0x.*|\d+$", "", theirs) in mine)):
        return True
    return bool(re.fullmatch(r"(0x)?[0-9a-f]+", lower)) and number("0x" + lower.removeprefix("0x")) == number(show)


def main():
    packets = all_packets()
    path = f"{folder}/all.btsnoop"
    capture(path, packets)
    rows = trace(path)
    output = subprocess.run(["tshark", "-r", path, "-T", "pdml"], capture_output=True, text=True, check=True).stdout
    theirs = ElementTree.fromstring(output).findall("packet")
    compared, unmatched, uncompared = (collections.Counter() for _ in range(3))
    different, unknown = [], []
    for row, packet in zip(rows, theirs):
        found = labels(packet)
        if is_unknown(found):
            unknown.append(row["name"])
            continue
        for layer in ("hci", "l2cap", "signaling", "att", "smp"):
            for name, value in fields(row.get(layer, {})):
                if value == "":
                    continue
                keys = INSTEAD.get((layer, name)) or [name, "le " + name, *ALIASES.get(name, [])]
                entries = [entry for key in keys for entry in found.get(plain(key), [])]
                if any(is_equal(value, entry) for entry in entries):
                    compared[layer] += 1
                elif f"{layer}: {name}" in UNCOMPARED:
                    uncompared[f"{layer}: {name}"] += 1
                elif not entries:
                    unmatched[f"{layer}: {name}"] += 1
                else:
                    different.append({"packet": row["packet"], "name": row["name"], "field": name, "ours": value,
                                      "theirs": [entry[0] for entry in entries][:4], "text": entries[0][2]})
    print(json.dumps({"event": "compared", "kinds": len(packets), "rows": len(rows), "theirs": len(theirs), "fields": compared,
                      "different": different, "unmatched": unmatched, "uncompared": uncompared,
                      "unknown": sorted(set(unknown))}, indent=1 if verbose else None))


main()
