#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble peripheral with the Nordic UART service: what is written to it comes back in upper case.

usage: uart_peer.py TRANSPORT [--name N]. Prints {"event": "ready"} when it advertises.
"""
import argparse
import asyncio
import json

from bumble import att, core, gatt, hci
from bumble.device import Device
from bumble.transport import open_transport

BASE = "6E40000{}-B5A3-F393-E0A9-E50E24DCCA9E"


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("transport")
    parser.add_argument("--name", default="Nordic_UART")
    args = parser.parse_args()
    P = gatt.Characteristic.Properties
    async with await open_transport(args.transport) as (source, sink):
        device = Device.with_hci(args.name, hci.Address("F0:F1:F2:F3:F4:F6", hci.Address.RANDOM_DEVICE_ADDRESS), source, sink)
        output = gatt.Characteristic(BASE.format(3), P.NOTIFY, att.Attribute.READABLE, b"")

        def written(connection, value):
            asyncio.ensure_future(device.notify_subscribers(output, bytes(value).upper()))

        entry = gatt.Characteristic(
            BASE.format(2), P.WRITE | P.WRITE_WITHOUT_RESPONSE, att.Attribute.WRITEABLE, gatt.CharacteristicValue(write=written))
        device.add_services([gatt.Service(BASE.format(1), [entry, output])])
        await device.power_on()
        device.advertising_data = bytes(core.AdvertisingData([
            (core.AdvertisingData.FLAGS, bytes([6])), (core.AdvertisingData.COMPLETE_LOCAL_NAME, args.name.encode())]))
        await device.start_advertising(auto_restart=True, advertising_interval_min=50, advertising_interval_max=50)
        print(json.dumps({"event": "ready"}), flush=True)
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
