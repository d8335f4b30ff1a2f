#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ST's Python SDK behind a Bumble central: decodes what a simulated BlueST board sends.

usage: bluest_sdk.py TRANSPORT --target NAME [--count N]

The SDK's advertisement parser and feature classes run as they are. Only its Bluetooth library is left out (Bumble takes its
place), and a name that Python 3.10 removed is put back. Every line on stdout is one JSON object with "event".
"""
import argparse
import asyncio
import collections
import collections.abc
import json
import logging
import struct
import sys
import types

from bumble import core
from bumble.device import Device, Peer
from bumble.transport import open_transport

collections.MutableMapping = collections.abc.MutableMapping
bluepy = types.ModuleType("bluepy")
btle = types.ModuleType("bluepy.btle")
for name in ("Peripheral", "DefaultDelegate", "Scanner", "ScanEntry", "BTLEException"):
    setattr(btle, name, type(name, (Exception if name == "BTLEException" else object,), {}))
bluepy.btle = btle
sys.modules.update({"bluepy": bluepy, "bluepy.btle": btle})

import blue_st_sdk.manager  # noqa: E402, F401  first, since it and the node import each other
from blue_st_sdk.advertising_data.blue_st_advertising_data_parser import BlueSTAdvertisingDataParser  # noqa: E402
from blue_st_sdk.utils.ble_node_definitions import FeatureCharacteristic  # noqa: E402
from blue_st_sdk.utils.unwrap_timestamp import UnwrapTimestamp  # noqa: E402


def say(event, **values):
    print(json.dumps({"event": event, **values}, default=str), flush=True)


def numbers(sample):
    """The values that are numbers; the SDK puts its own clock among those of some features."""
    values = [getattr(value, "value", value) for value in sample.get_data()]
    return [float(value) for value in values if isinstance(value, (int, float))]


def parse(data):
    """The advertisement, as the SDK's library hands it over: type, text, value."""
    fields = []
    for kind, value in data.ad_structures:
        value = bytes(value)
        if kind == 9:
            fields.append((9, "Complete Local Name", value.decode()))
        elif kind == 0xFF:
            fields.append((0xFF, "Manufacturer", value.hex()))
    return BlueSTAdvertisingDataParser.parse(fields)


async def run(args):
    async with await open_transport(args.transport) as hci:
        device = Device.with_hci("sdk", "F0:F1:F2:F3:F4:F5", hci.source, hci.sink)
        await device.power_on()
        found = asyncio.get_running_loop().create_future()

        def seen(advertisement):
            data = advertisement.data
            if data.get(core.AdvertisingData.COMPLETE_LOCAL_NAME) == args.target and not found.done():
                found.set_result(advertisement)

        device.on("advertisement", seen)
        await device.start_scanning(filter_duplicates=False)
        advertisement = await asyncio.wait_for(found, 20)
        await device.stop_scanning()
        parsed = parse(advertisement.data)
        say(
            "advertisement", name=parsed.get_name(), protocol=parsed.get_protocol_version(), device=parsed.get_device_id(),
            mask=parsed.get_feature_mask(), address=parsed.get_address())

        connection = await device.connect(advertisement.address)
        peer = Peer(connection)
        await peer.request_mtu(100)
        await peer.discover_services()
        unwrapper = UnwrapTimestamp()
        features = {}
        total = asyncio.Event()
        missing = {}
        subscribed = False

        def end_if_complete():
            # The first characteristic may have sent all of its values before the last is subscribed.
            if subscribed and not any(missing.values()):
                total.set()

        def listen(characteristic, classes):
            uuid = str(characteristic.uuid).upper()
            features[uuid] = [one(None) for one in classes]
            missing[uuid] = args.count

            def value(data):
                if not missing.get(uuid):
                    return
                timestamp = unwrapper.unwrap(struct.unpack("<H", data[:2])[0])
                offset = 2
                results = []
                for feature in features[uuid]:
                    offset += feature.update(timestamp, data, offset)
                    sample = feature._get_sample()
                    results.append({"name": feature.get_name(), "data": numbers(sample)})
                say("sample", uuid=uuid, raw=data.hex(), timestamp=timestamp, features=results)
                missing[uuid] -= 1
                end_if_complete()

            return value

        for service in peer.services:
            await service.discover_characteristics()
            for characteristic in service.characteristics:
                uuid = str(characteristic.uuid).lower()
                if not uuid.endswith("-0001-11e1-ac36-0002a5d5c51b"):
                    continue
                mask = int(uuid[:8], 16)
                bits = [1 << bit for bit in reversed(range(32)) if mask & 1 << bit]
                known = FeatureCharacteristic.BASE_MASK_TO_FEATURE_DIC
                if not all(bit in known for bit in bits):
                    continue
                await peer.discover_descriptors(characteristic)
                await peer.subscribe(characteristic, listen(characteristic, [known[bit] for bit in bits]))
        subscribed = True
        end_if_complete()
        await asyncio.wait_for(total.wait(), 40)
        say("done", characteristics=len(features))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("transport")
    parser.add_argument("--target", required=True)
    parser.add_argument("--count", type=int, default=5)
    logging.basicConfig(level="ERROR")
    try:
        asyncio.run(run(parser.parse_args()))
    except Exception as error:  # the test wants to see it, whatever it is
        say("error", message=repr(error))
        raise


main()
