#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble device for Cerulean's tests: a peripheral or a central on any H4 transport.

usage: bumble_peer.py peripheral TRANSPORT [--name N] [--address A] [--more]
       bumble_peer.py central TRANSPORT --target NAME_OR_ADDRESS [--address A]
       bumble_peer.py beacon TRANSPORT --data HEX [--address A]
       bumble_peer.py listener TRANSPORT [--address A]

Every line on stdout is one JSON object with "event". Every line on stdin is one JSON object with "op"; the answer is an
event of the same name with the results, or {"event": "error", "op", "message", "att"}. End of input ends the program.
"""
import argparse
import asyncio
import json
import logging
import os
import sys

from bumble import att, core, gatt, hci
from bumble.device import AdvertisingType, Device, Peer
from bumble.transport import open_transport


def say(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


async def lines():
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        if line.strip():
            yield json.loads(line)


def make_services(state):
    """The reference database: one characteristic for each way of access."""
    C, P = gatt.Characteristic, gatt.Characteristic.Properties
    R, W = att.Attribute.READABLE, att.Attribute.WRITEABLE

    def refuse(connection, value):
        raise att.ATT_Error(0x80)

    def remember(connection, value):
        state["written"].append(value.hex())

    state["notify"] = C("FFF3", P.READ | P.NOTIFY | P.INDICATE, R, bytes([0xAA]))
    state["long"] = C("FFF4", P.READ | P.WRITE, R | W, bytes(i & 0xFF for i in range(300)))
    state["twins"] = [C("FFF7", P.READ | P.NOTIFY, R, bytes([n])) for n in (1, 2)]
    return [
        gatt.Service("FFF0", [
            C("FFF1", P.READ | P.WRITE, R | W, bytes([1, 2, 3, 4])),
            C("FFF2", P.WRITE, W, gatt.CharacteristicValue(write=refuse)),
            state["notify"],
            state["long"],
            C("FFF5", P.READ, R | att.Attribute.READ_REQUIRES_ENCRYPTION, bytes([0x55])),
            C("FFF6", P.READ | P.WRITE_WITHOUT_RESPONSE, R | W, gatt.CharacteristicValue(read=lambda c: b"\0", write=remember)),
            *state["twins"],
        ]),
        gatt.Service("12345678-1234-5678-1234-56789ABCDEF0", [
            C("12345678-1234-5678-1234-56789ABCDEF1", P.READ, R, bytes([0x77])),
        ]),
    ]


def more_services(reference):
    """A service that includes the reference service, with descriptors and two values for reliable writes."""
    C, P = gatt.Characteristic, gatt.Characteristic.Properties
    R, W = att.Attribute.READABLE, att.Attribute.WRITEABLE
    described = C("FFE1", P.READ | P.WRITE, R | W, bytes([0x10, 0x27]), [
        gatt.Descriptor("2901", R, "Altitude".encode()),
        gatt.Descriptor("2904", R, bytes([0x0E, 0xFE, 0x01, 0x27, 0x01, 0x00, 0x00])),
    ])
    return [gatt.Service("FFE0", [described, C("FFE2", P.READ | P.WRITE, R | W, b"second")], included_services=[reference])]


async def peripheral(device, args):
    state = {"written": []}
    services = make_services(state)
    device.add_services(services + (more_services(services[0]) if args.more else []))
    links = []

    def connected(connection):
        links.append(connection)
        say("connected", peer=str(connection.peer_address))
        connection.on("disconnection", lambda reason: (links.remove(connection), say("disconnected", reason=reason)))

    device.on("connection", connected)
    for index, characteristic in enumerate([state["notify"], *state["twins"]]):
        characteristic.on(
            "subscription",
            lambda *a, index=index: say("subscription", characteristic=index, notify=bool(a[-2]), indicate=bool(a[-1])))
    await device.power_on()
    data = bytes(core.AdvertisingData([
        (core.AdvertisingData.FLAGS, bytes([6])),
        (core.AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes([0xF0, 0xFF])),
        (core.AdvertisingData.COMPLETE_LOCAL_NAME, args.name.encode()),
    ]))
    device.advertising_data = data
    device.scan_response_data = bytes(core.AdvertisingData([(core.AdvertisingData.TX_POWER_LEVEL, bytes([4]))]))
    await device.start_advertising(auto_restart=True, advertising_interval_min=50, advertising_interval_max=50)
    say("ready", address=str(device.random_address))
    async for command in lines():
        op = command["op"]
        try:
            if op == "notify":
                target = state["notify"] if command.get("twin") is None else state["twins"][command["twin"]]
                for number in range(command["count"]):
                    value = number.to_bytes(4, "little") + bytes(command.get("length", 20) - 4)
                    if command.get("indicate"):
                        await device.indicate_subscribers(target, value)
                    else:
                        await device.notify_subscribers(target, value)
                say("notify", count=command["count"])
            elif op == "written":
                say("written", values=state["written"])
            elif op == "long":
                value = await state["long"].read_value(links[0] if links else None)
                say("long", value=value.hex())
            elif op == "disconnect":
                await links[0].disconnect()
            elif op == "die":
                os._exit(9)
            elif op == "quit":
                return
        except Exception as error:  # the test wants to see it, whatever it is
            say("error", op=op, message=repr(error), att=getattr(error, "error_code", None))


async def find(device, target):
    found = asyncio.get_running_loop().create_future()

    def seen(advertisement):
        name = advertisement.data.get(core.AdvertisingData.COMPLETE_LOCAL_NAME) or ""
        if target in (name, str(advertisement.address).split("/")[0]) and not found.done():
            found.set_result(advertisement)

    device.on("advertisement", seen)
    await device.start_scanning(active=True, filter_duplicates=False)
    advertisement = await asyncio.wait_for(found, 20)
    await device.stop_scanning()
    say("found", address=str(advertisement.address), rssi=advertisement.rssi)
    return advertisement.address


async def beacon(device, args):
    """Sends octets as they are, to be heard and nothing else."""
    await device.power_on()
    device.advertising_data = bytes.fromhex(args.data)
    await device.start_advertising(
        advertising_type=AdvertisingType.UNDIRECTED, advertising_interval_min=100, advertising_interval_max=100)
    say("ready", address=str(device.random_address))
    async for command in lines():
        if command["op"] == "quit":
            return


async def listener(device, args):
    """Tells what is heard, each payload of an address once."""
    heard = set()

    def seen(advertisement):
        entry = (str(advertisement.address).split("/")[0], bytes(advertisement.data).hex())
        if entry not in heard:
            heard.add(entry)
            say("heard", address=entry[0], data=entry[1], connectable=advertisement.is_connectable, rssi=advertisement.rssi)

    await device.power_on()
    device.on("advertisement", seen)
    await device.start_scanning(active=False, filter_duplicates=False)
    say("ready", address=str(device.random_address))
    async for command in lines():
        if command["op"] == "quit":
            return


async def central(device, args):
    await device.power_on()
    say("ready", address=str(device.random_address))
    address = await find(device, args.target)
    connection = await device.connect(address)
    connection.on("disconnection", lambda reason: say("disconnected", reason=reason))
    say("connected", peer=str(connection.peer_address))
    peer = Peer(connection)
    values = {}

    def attribute(handle):
        return next(c for s in peer.services for c in s.characteristics if c.handle == handle)

    async for command in lines():
        op = command["op"]
        try:
            if op == "mtu":
                say("mtu", mtu=await peer.request_mtu(command["mtu"]))
            elif op == "discover":
                await peer.discover_services()
                tree = []
                for service in peer.services:
                    await service.discover_characteristics()
                    for characteristic in service.characteristics:
                        await characteristic.discover_descriptors()
                    tree.append({
                        "uuid": service.uuid.to_hex_str("-"), "handle": service.handle, "end": service.end_group_handle,
                        "characteristics": [{
                            "uuid": c.uuid.to_hex_str("-"), "handle": c.handle, "properties": int(c.properties),
                            "descriptors": [d.type.to_hex_str("-") for d in c.descriptors],
                        } for c in service.characteristics],
                    })
                say("discover", services=tree)
            elif op == "read":
                say("read", value=(await peer.gatt_client.read_value(command["handle"])).hex())
            elif op == "write":
                await peer.gatt_client.write_value(
                    command["handle"], bytes.fromhex(command["value"]), with_response=command.get("response", True))
                say("write")
            elif op == "writeLong":
                await write_long(peer, command["handle"], bytes.fromhex(command["value"]))
                say("writeLong")
            elif op == "writeBatch":
                await write_batch(peer, [(handle, bytes.fromhex(value)) for handle, value in command["writes"]])
                say("writeBatch")
            elif op == "connect":
                connection = await asyncio.wait_for(device.connect(address), 20)
                connection.on("disconnection", lambda reason: say("disconnected", reason=reason))
                peer = Peer(connection)
                say("connect")
            elif op == "subscribe":
                handle = command["handle"]
                values[handle] = []

                def received(value, handle=handle):
                    values[handle].append(value.hex())
                    if len(values[handle]) == command["count"]:
                        say("values", handle=handle, values=values[handle])

                await attribute(handle).subscribe(received, prefer_notify=not command.get("indicate", False))
                say("subscribe")
            elif op == "unsubscribe":
                await attribute(command["handle"]).unsubscribe()
                say("unsubscribe")
            elif op == "disconnect":
                await connection.disconnect()
            elif op == "die":
                os._exit(9)
            elif op == "quit":
                return
        except Exception as error:  # the test wants to see it, whatever it is
            say("error", op=op, message=repr(error), att=getattr(error, "error_code", None))


async def write_long(peer, handle, value):
    client = peer.gatt_client
    part = client.mtu - 5
    for offset in range(0, len(value), part):
        chunk = value[offset : offset + part]
        answer = await client.send_request(
            att.ATT_Prepare_Write_Request(attribute_handle=handle, value_offset=offset, part_attribute_value=chunk))
        if answer.op_code == att.Opcode.ATT_ERROR_RESPONSE:
            raise att.ATT_Error(answer.error_code)
        assert answer.part_attribute_value == chunk and answer.value_offset == offset
    answer = await client.send_request(att.ATT_Execute_Write_Request(flags=1))
    if answer.op_code == att.Opcode.ATT_ERROR_RESPONSE:
        raise att.ATT_Error(answer.error_code)


async def write_batch(peer, writes):
    """Writes several values with one execution."""
    client = peer.gatt_client
    for handle, value in writes:
        answer = await client.send_request(
            att.ATT_Prepare_Write_Request(attribute_handle=handle, value_offset=0, part_attribute_value=value))
        if answer.op_code == att.Opcode.ATT_ERROR_RESPONSE:
            raise att.ATT_Error(answer.error_code)
    answer = await client.send_request(att.ATT_Execute_Write_Request(flags=1))
    if answer.op_code == att.Opcode.ATT_ERROR_RESPONSE:
        raise att.ATT_Error(answer.error_code)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=["peripheral", "central", "beacon", "listener"])
    parser.add_argument("transport")
    parser.add_argument("--name", default="Bumble")
    parser.add_argument("--address", default="F0:F1:F2:F3:F4:F5")
    parser.add_argument("--target")
    parser.add_argument("--data")
    parser.add_argument("--more", action="store_true")
    args = parser.parse_args()
    logging.basicConfig(level=os.environ.get("BUMBLE_LOGLEVEL", "ERROR").upper())
    async with await open_transport(args.transport) as (source, sink):
        address = hci.Address(args.address, hci.Address.RANDOM_DEVICE_ADDRESS)
        device = Device.with_hci(args.name, address, source, sink)
        roles = {"peripheral": peripheral, "central": central, "beacon": beacon, "listener": listener}
        await roles[args.role](device, args)
    say("bye")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (asyncio.TimeoutError, TimeoutError):
        say("error", op="find", message="not found in 20 s", att=None)
        sys.exit(4)
