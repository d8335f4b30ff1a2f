#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble device that pairs, for Cerulean's tests.

usage: bumble_pairing_peer.py peripheral TRANSPORT [--address A] [--name N] OPTIONS
       bumble_pairing_peer.py central TRANSPORT --target NAME [--address A] OPTIONS
OPTIONS: --io none|keyboard|display|yesno|both  --legacy  --mitm  --no-bonding
         --oob  --tk HEX  (out of band, Secure Connections or legacy)

Every line on stdout is one JSON object with "event": ready (with "c" and "r" for --oob), connected, disconnected, display,
compare, enter, paired, pairingFailed, encrypted, and one of the name of each "op" on stdin:
oob (c, r of the other side), pair, passkey (number), encrypt, request, read (uuid), forget, connect, disconnect, quit.
"""
import argparse
import asyncio
import json
import logging
import os
import sys

from bumble import core, hci, pairing, smp
from bumble.device import Device, Peer
from bumble.keys import MemoryKeyStore
from bumble.transport import open_transport

from bumble_peer import find, lines, make_services, say

IO = {
    "none": pairing.PairingDelegate.NO_OUTPUT_NO_INPUT,
    "keyboard": pairing.PairingDelegate.KEYBOARD_INPUT_ONLY,
    "display": pairing.PairingDelegate.DISPLAY_OUTPUT_ONLY,
    "yesno": pairing.PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "both": pairing.PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}


class User(pairing.PairingDelegate):
    def __init__(self, io):
        D = pairing.PairingDelegate.KeyDistribution
        keys = D.DISTRIBUTE_ENCRYPTION_KEY | D.DISTRIBUTE_IDENTITY_KEY | D.DISTRIBUTE_SIGNING_KEY
        super().__init__(io, keys, keys)
        self.passkey = asyncio.get_running_loop().create_future()

    async def compare_numbers(self, number, digits):
        say("compare", number=number)
        return True

    async def display_number(self, number, digits):
        say("display", number=number)

    async def get_number(self):
        say("enter")
        return await self.passkey


class Keys(MemoryKeyStore):
    """Bumble 0.0.236 looks for the key of a legacy bond under the wrong name when it is peripheral: it stores the key that it
    made as ltk_central and answers with ltk_peripheral, the one that the central made."""

    def __init__(self, swaps):
        super().__init__()
        self.swaps = swaps

    async def update(self, name, keys):
        if self.swaps:
            keys.ltk_central, keys.ltk_peripheral = keys.ltk_peripheral, keys.ltk_central
        await super().update(name, keys)


def watch(connection):
    say("connected", peer=str(connection.peer_address))
    connection.on("disconnection", lambda reason: say("disconnected", reason=reason))
    connection.on("pairing", lambda keys: say(
        "paired", sc=keys.ltk is not None, irk=keys.irk is not None, csrk=keys.csrk is not None,
        authenticated=bool((keys.ltk or keys.ltk_central or keys.ltk_peripheral or keys.irk).authenticated)))
    connection.on("pairing_failure", lambda reason: say("pairingFailed", reason=int(reason)))
    connection.on("connection_encryption_change", lambda: say("encrypted", on=bool(connection.is_encrypted)))
    connection.on("security_request", lambda request: say("securityRequest"))


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=["peripheral", "central"])
    parser.add_argument("transport")
    parser.add_argument("--name", default="Bumble")
    parser.add_argument("--address", default="F0:F1:F2:F3:F4:F5")
    parser.add_argument("--target")
    parser.add_argument("--io", default="none", choices=list(IO))
    parser.add_argument("--legacy", action="store_true")
    parser.add_argument("--mitm", action="store_true")
    parser.add_argument("--no-bonding", action="store_true")
    parser.add_argument("--oob", action="store_true")
    parser.add_argument("--tk")
    args = parser.parse_args()
    logging.basicConfig(level=os.environ.get("BUMBLE_LOGLEVEL", "ERROR").upper())
    async with await open_transport(args.transport) as (source, sink):
        address = hci.Address(args.address, hci.Address.RANDOM_DEVICE_ADDRESS)
        device = Device.with_hci(args.name, address, source, sink)
        device.keystore = Keys(args.role == "peripheral")
        user = User(IO[args.io])
        oob = None
        if args.oob:
            oob = pairing.PairingConfig.OobConfig(smp.OobContext(), None, None)
        if args.tk:
            oob = pairing.PairingConfig.OobConfig(None, None, smp.OobLegacyContext(bytes.fromhex(args.tk)))
        device.pairing_config_factory = lambda connection: pairing.PairingConfig(
            sc=not args.legacy, mitm=args.mitm, bonding=not args.no_bonding, delegate=user,
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM, oob=oob)
        links = []

        def connected(connection):
            links.append(connection)
            watch(connection)
            connection.on("disconnection", lambda reason: links.remove(connection))

        if args.role == "peripheral":
            device.add_services(make_services({"written": []}))
            device.on("connection", connected)
        await device.power_on()
        if args.role == "peripheral":
            device.advertising_data = bytes(core.AdvertisingData([
                (core.AdvertisingData.FLAGS, bytes([6])),
                (core.AdvertisingData.COMPLETE_LOCAL_NAME, args.name.encode()),
            ]))
            await device.start_advertising(auto_restart=True, advertising_interval_min=50, advertising_interval_max=50)
        shared = oob.our_context.share() if args.oob else None
        say("ready", address=str(device.random_address), c=shared.c.hex() if shared else "", r=shared.r.hex() if shared else "")
        target = None
        if args.role == "central":
            target = await find(device, args.target)
            connected(await device.connect(target))

        async def run(command):
            op = command["op"]
            try:
                values = {}
                if op == "pair":
                    await links[0].pair()
                elif op == "encrypt":
                    await links[0].encrypt()
                elif op == "request":
                    links[0].request_pairing()
                elif op == "read":
                    peer = Peer(links[0])
                    await peer.discover_services()
                    await peer.discover_characteristics()
                    found = peer.get_characteristics_by_uuid(core.UUID(command["uuid"]))
                    values["value"] = (await found[0].read_value()).hex()
                elif op == "connect":
                    connected(await device.connect(target))
                elif op == "disconnect":
                    await links[0].disconnect()
                say(op, **values)
            except Exception as error:  # the test wants to see it, whatever it is
                say("error" if op != "pair" else "pair", op=op, message=repr(error), failed=True)

        tasks = set()
        async for command in lines():
            op = command["op"]
            if op == "quit":
                return
            if op == "passkey":
                user.passkey.set_result(command["number"])
            elif op == "oob":
                oob.peer_data = smp.OobSharedData(bytes.fromhex(command["c"]), bytes.fromhex(command["r"]))
                say("oob")
            elif op == "forget":
                device.keystore = Keys(args.role == "peripheral")
                say("forget")
            else:
                task = asyncio.create_task(run(command))
                tasks.add(task)
                task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (asyncio.TimeoutError, TimeoutError):
        say("error", op="find", message="not found in 20 s")
        sys.exit(4)
