#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble device that advertises and scans in the extended way, for Cerulean's tests.

usage: bumble_advertising_peer.py advertise TRANSPORT [--address A] [--periodic]
       bumble_advertising_peer.py scan TRANSPORT --target ADDRESS [--address A] [--periodic]

Every line on stdout is one JSON object with "event". "advertise" says "ready" when its set runs: 200 octets 00 01 02 … on LE 2M
with number 5, and with --periodic the octets 05 04 03 02 01 each 100 ms. "scan" says "found" with "sid", "legacy", "data" and "phy" for
the first whole advertisement of each set of the target, and with --periodic follows set 3 and says "synced" and "periodic" with its data.
End of input ends the program.
"""
import argparse
import asyncio
import sys

from bumble import hci
from bumble.device import AdvertisingEventProperties, AdvertisingParameters, Device, PeriodicAdvertisingParameters
from bumble.transport import open_transport

from bumble_peer import lines, say


async def advertise(device, args):
    periodic = PeriodicAdvertisingParameters(
        periodic_advertising_interval_min=100, periodic_advertising_interval_max=100) if args.periodic else None
    advertising_set = await device.create_advertising_set(
        advertising_parameters=AdvertisingParameters(
            advertising_event_properties=AdvertisingEventProperties(is_connectable=False),
            primary_advertising_interval_min=50, primary_advertising_interval_max=50,
            own_address_type=hci.OwnAddressType.RANDOM, secondary_advertising_phy=hci.Phy.LE_2M, advertising_sid=5),
        random_address=device.random_address, advertising_data=bytes(range(200)),
        periodic_advertising_parameters=periodic,
        periodic_advertising_data=bytes([5, 4, 3, 2, 1]) if args.periodic else b"")
    if args.periodic:
        await advertising_set.start_periodic()
    say("ready", address=str(device.random_address).split("/")[0])
    async for _ in lines():
        pass


async def scan(device, args):
    parts, told = {}, set()
    advertiser = asyncio.get_running_loop().create_future()

    def seen(report):
        if str(report.address).split("/")[0] != args.target:
            return
        if report.sid == 3 and not advertiser.done():
            advertiser.set_result(report.address)
        key = (report.sid, report.is_legacy, report.is_scan_response)
        parts[key] = parts.get(key, b"") + report.data_bytes
        if not report.is_complete:
            return
        data = parts.pop(key)
        if key not in told:
            told.add(key)
            say("found", sid=report.sid, legacy=report.is_legacy, data=data.hex(), phy=int(report.secondary_phy),
                connectable=report.is_connectable)

    device.on("advertisement", seen)
    await device.start_scanning(active=False, filter_duplicates=False, scanning_phys=[hci.HCI_LE_1M_PHY])
    say("ready")
    if args.periodic:
        # With the kind of address that the advertiser has.
        address = await asyncio.wait_for(advertiser, 20)
        sync = await device.create_periodic_advertising_sync(address, sid=3, sync_timeout=5)
        first = []

        def report(advertisement):
            if not first:
                first.append(advertisement)
                say("periodic", data=advertisement.data_bytes.hex())

        sync.on("establishment", lambda *_: say("synced"))
        sync.on("periodic_advertisement", report)
    async for _ in lines():
        pass


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["advertise", "scan"])
    parser.add_argument("transport")
    parser.add_argument("--address", default="F0:F1:F2:F3:F4:F5")
    parser.add_argument("--target")
    parser.add_argument("--periodic", action="store_true")
    args = parser.parse_args()
    async with await open_transport(args.transport) as transport:
        device = Device.with_hci("Cerulean peer", hci.Address(args.address), transport.source, transport.sink)
        await device.power_on()
        await (advertise if args.mode == "advertise" else scan)(device, args)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except Exception as error:  # the test wants to see it, whatever it is
        say("error", message=repr(error))
        sys.exit(1)
