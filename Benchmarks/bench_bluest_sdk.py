#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decoding of BlueST notifications by ST's Python SDK: the workloads of bench-cerulean that it can do.

usage: bench_bluest_sdk.py WORKLOAD N CONNS
"""
import collections
import collections.abc
import struct
import sys
import time
import types

collections.MutableMapping = collections.abc.MutableMapping
btle = types.ModuleType("bluepy.btle")
for name in ("Peripheral", "DefaultDelegate", "Scanner", "ScanEntry", "BTLEException"):
    setattr(btle, name, type(name, (Exception if name == "BTLEException" else object,), {}))
bluepy = types.ModuleType("bluepy")
bluepy.btle = btle
sys.modules.update({"bluepy": bluepy, "bluepy.btle": btle})

import blue_st_sdk.manager  # noqa: E402, F401  first, since it and the node import each other
from blue_st_sdk.utils.ble_node_definitions import FeatureCharacteristic  # noqa: E402
from blue_st_sdk.utils.number_conversion import LittleEndian  # noqa: E402
from blue_st_sdk.utils.unwrap_timestamp import UnwrapTimestamp  # noqa: E402

WORKLOADS = {
    "bluest-inertial": ([0x00800000, 0x00400000, 0x00200000], bytes(i * 7 for i in range(18))),
    "bluest-environment": (
        [0x00100000, 0x00080000, 0x00040000, 0x00010000], bytes.fromhex("cd8b0100c701cbffe700")),
}


def main():
    workload, operations = sys.argv[1], int(sys.argv[2])
    bits, payload = WORKLOADS[workload]
    features = [FeatureCharacteristic.BASE_MASK_TO_FEATURE_DIC[bit](None) for bit in bits]
    unwrapper = UnwrapTimestamp()
    values = [struct.pack("<H", i) + payload for i in range(256)]
    notifications = (operations + len(bits) - 1) // len(bits)
    start = time.thread_time_ns()
    for index in range(notifications):
        data = values[index & 0xFF]
        timestamp = unwrapper.unwrap(LittleEndian.bytes_to_uint16(data))
        offset = 2
        for feature in features:
            offset += feature.update(timestamp, data, offset)
    elapsed = time.thread_time_ns() - start
    each = elapsed / operations
    print(f"bluest-sdk {workload} n={operations} conns=1 ns_per_op={each:.1f} ok={1 if offset == len(data) else 0}")


main()
