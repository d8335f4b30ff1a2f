# SPDX-License-Identifier: Apache-2.0
"""Two Bumble hosts on two controllers of one air: sets, LE Coded, periodic advertising, a link on LE 2M, pairing.

usage: bumble_on_controllers.py TRANSPORT      (two connections of it are two controllers of one air)
Prints one JSON object for each thing that happened; exits with 1 and `{"event":"error"}` when one did not.
"""
import asyncio
import json
import sys

from bumble.device import (
    AdvertisingEventProperties, AdvertisingParameters, Device, Peer, PeriodicAdvertisingParameters)
from bumble.hci import Address, OwnAddressType
from bumble.transport import open_transport

DATA = bytes([219, 0xFF, 0xFF, 0xFF]) + bytes(range(216))


def tell(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


async def host(name, address):
    transport = await open_transport(sys.argv[1])
    device = Device.with_hci(name, Address(address), transport.source, transport.sink)
    await device.power_on()
    return device


async def main():
    central = await host("central", "F0:F1:F2:F3:F4:01")
    peripheral = await host("peripheral", "F0:F1:F2:F3:F4:02")
    tell("features", bits=int(central.host.local_le_features))

    connectable = await peripheral.create_advertising_set(
        advertising_parameters=AdvertisingParameters(
            advertising_event_properties=AdvertisingEventProperties(is_connectable=True),
            own_address_type=OwnAddressType.RANDOM, secondary_advertising_phy=2,
            primary_advertising_interval_min=50, primary_advertising_interval_max=50),
        random_address=Address("F0:F1:F2:F3:F4:0A"), advertising_data=DATA[:60])
    coded = await peripheral.create_advertising_set(
        advertising_parameters=AdvertisingParameters(
            advertising_event_properties=AdvertisingEventProperties(is_connectable=False, is_scannable=False),
            primary_advertising_phy=3, secondary_advertising_phy=3, advertising_sid=4,
            primary_advertising_interval_min=150, primary_advertising_interval_max=150),
        random_address=Address("F0:F1:F2:F3:F4:0B"), advertising_data=DATA,
        periodic_advertising_parameters=PeriodicAdvertisingParameters(
            periodic_advertising_interval_min=100, periodic_advertising_interval_max=100),
        periodic_advertising_data=DATA[:200])
    await coded.start_periodic()
    seen = {}
    central.on("advertisement", lambda report: seen.setdefault(report.address, report))
    await central.start_scanning(legacy=False, active=True, scanning_phys=(1, 3))
    for advertising_set in (connectable, coded):
        while advertising_set.random_address not in seen:
            await asyncio.sleep(0.1)
        report = seen[advertising_set.random_address]
        tell(
            "report", octets=len(report.data_bytes), connectable=report.is_connectable, truncated=report.is_truncated,
            primary=int(report.primary_phy), secondary=int(report.secondary_phy), sid=report.sid)

    sync = await central.create_periodic_advertising_sync(coded.random_address, 4)
    data = asyncio.get_running_loop().create_future()
    sync.on("periodic_advertisement", lambda report: data.done() or data.set_result(report))
    report = await asyncio.wait_for(data, 10)
    tell("periodic", octets=len(report.data_bytes), truncated=report.is_truncated)
    await sync.terminate()
    await central.stop_scanning()

    accepted = asyncio.get_running_loop().create_future()
    peripheral.on("connection", lambda link: accepted.done() or accepted.set_result(link))
    link = await asyncio.wait_for(central.connect(connectable.random_address), 10)
    other = await asyncio.wait_for(accepted, 10)
    phy = await link.get_phy()
    mtu = await Peer(link).request_mtu(247)
    tell("connected", tx=int(phy.tx_phy), rx=int(phy.rx_phy), mtu=mtu)
    await link.pair()
    tell("paired", encrypted=[bool(link.is_encrypted), bool(other.is_encrypted)])
    await link.disconnect()
    tell("done")


try:
    asyncio.run(asyncio.wait_for(main(), 60))
except Exception as error:  # Whatever it is, the test shows it.
    tell("error", error=repr(error))
    sys.exit(1)
