#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble device with L2CAP channels, for Cerulean's tests.

usage: bumble_channel_peer.py TRANSPORT [--name N] [--address A] [--psm P] [--target NAME]

It advertises, or connects to the target, and takes credit based channels of both kinds on the PSM, and bearers of enhanced ATT. Every
line on stdout is one JSON object with "event": ready, connected, opened, closed, received (total, equal: the octets are those of the
pattern, channel), and one of the name of each "op" on stdin: open (psm), openMany (psm, count), send (count, channel; the last one
without), expect (count, channel), close (channel), pair, bearers (count), read (handles; over the bearers, all at once), quit.
"""
import argparse
import asyncio
import logging
import os

from bumble import core, hci, l2cap
from bumble import gatt
from bumble.device import Device, DeviceConfiguration
from bumble.gatt_client import Client
from bumble.host import Host
from bumble.transport import open_transport

from bumble_peer import find, lines, say

# What both sides send, again and again.
PATTERN = bytes((i * 7 + (i >> 8)) & 255 for i in range(65536))


def pattern(start, count):
    start %= len(PATTERN)
    repeated = PATTERN[start:] + PATTERN * (count // len(PATTERN) + 1)
    return repeated[:count]


class Channel:
    def __init__(self, channel, number):
        self.channel = channel
        self.number = number
        self.total = 0
        self.equal = True
        self.wanted = None
        channel.sink = self.received
        channel.on("close", lambda: say("closed", channel=number))

    def received(self, data):
        self.equal = self.equal and data == pattern(self.total, len(data))
        self.total += len(data)
        self.check()

    def check(self):
        if self.wanted is not None and self.total >= self.wanted:
            self.wanted = None
            say("received", total=self.total, equal=self.equal, channel=self.number)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("transport")
    parser.add_argument("--name", default="Bumble")
    parser.add_argument("--address", default="F0:F1:F2:F3:F4:F6")
    parser.add_argument("--psm", type=int, default=0x80)
    parser.add_argument("--target")
    args = parser.parse_args()
    logging.basicConfig(level=os.environ.get("BUMBLE_LOGLEVEL", "ERROR").upper())
    async with await open_transport(args.transport) as (source, sink):
        device = Device(config=DeviceConfiguration(
            name=args.name, address=hci.Address(args.address, hci.Address.RANDOM_DEVICE_ADDRESS), eatt_enabled=True,
        ), host=Host(source, sink))
        device.add_service(gatt.Service("FFF0", [
            gatt.Characteristic(f"FFF{i}", gatt.Characteristic.READ, gatt.Characteristic.READABLE, bytes([i] * 20))
            for i in range(1, 9)]))
        links, channels, bearers = [], [], []

        def connected(connection):
            links.append(connection)
            say("connected")

        def opened(channel):
            channels.append(Channel(channel, len(channels)))
            say("opened", mtu=channel.peer_mtu, mps=channel.peer_mps)

        device.on("connection", connected)
        spec = l2cap.LeCreditBasedChannelSpec
        device.create_l2cap_server(spec(psm=args.psm, mtu=2048, mps=247, max_credits=64), handler=opened)
        await device.power_on()
        if args.target is None:
            device.advertising_data = bytes(core.AdvertisingData([
                (core.AdvertisingData.FLAGS, bytes([6])),
                (core.AdvertisingData.COMPLETE_LOCAL_NAME, args.name.encode()),
            ]))
            await device.start_advertising(auto_restart=True, advertising_interval_min=50, advertising_interval_max=50)
        say("ready", address=str(device.random_address))
        if args.target is not None:
            await device.connect(await find(device, args.target))

        async def run(command):
            op = command["op"]
            values = {}
            try:
                if op == "pair":
                    await links[-1].pair()
                elif op == "openMany":
                    for channel in await device.l2cap_channel_manager.create_enhanced_credit_based_channels(
                            links[-1], spec(psm=command["psm"], mtu=2048, mps=247, max_credits=64), command["count"]):
                        opened(channel)
                elif op == "bearers":
                    bearers.extend(await Client.connect_eatt(links[-1], count=command["count"]))
                elif op == "read":
                    read = [bearers[i % len(bearers)].read_value(handle) for i, handle in enumerate(command["handles"])]
                    values["values"] = [bytes(value).hex() for value in await asyncio.gather(*read)]
                elif op == "open":
                    opened(await links[-1].create_l2cap_channel(
                        spec(psm=command["psm"], mtu=2048, mps=247, max_credits=64)))
                elif op == "send":
                    channel, sent, count = channels[command.get("channel", -1)].channel, 0, command["count"]
                    while sent < count:
                        size = min(channel.peer_mtu, count - sent)
                        channel.write(pattern(sent, size))
                        sent += size
                        if len(channel.out_queue) > 32:
                            await channel.drain()
                    await channel.drain()
                elif op == "close":
                    await channels[command.get("channel", -1)].channel.disconnect()
                say(op, **values)
            except Exception as error:  # the test wants to see it, whatever it is
                say("error", op=op, message=repr(error))

        tasks = set()
        async for command in lines():
            if command["op"] == "quit":
                return
            if command["op"] == "expect":
                wanted = channels[command.get("channel", -1)]
                wanted.wanted = command["count"]
                wanted.check()
                continue
            task = asyncio.create_task(run(command))
            tasks.add(task)
            task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    asyncio.run(main())
