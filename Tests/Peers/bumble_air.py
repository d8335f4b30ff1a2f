#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bumble's simulated air over TCP: every connection to the port is a controller of its own.

usage: bumble_air.py
Prints one JSON object {"event": "listening", "port": N} and serves until it is killed.
"""
import asyncio
import json

from bumble.controller import Controller
from bumble.core import PhysicalTransport
from bumble.hci import LeFeatureMask
from bumble.link import LocalLink
from bumble.transport.common import StreamPacketSource


class Air(LocalLink):
    """Hands data over under the address that the connection was made with."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        receiver = self.find_le_controller(destination_address)
        connection = sender_controller.le_connections.get(destination_address)
        if transport != PhysicalTransport.LE or receiver is None or connection is None:
            return
        address = connection.self_address
        asyncio.get_running_loop().call_soon(lambda: receiver.on_link_acl_data(address, transport, data))


class Socket(StreamPacketSource):
    """One TCP connection: H4 packets of one host."""

    def __init__(self, air, number):
        super().__init__()
        self.air = air
        self.number = number

    def connection_made(self, transport):
        self.transport = transport
        self.controller = Controller(
            f"C{self.number}", host_source=self, host_sink=self, link=self.air,
            public_address=f"C0:00:00:00:00:{self.number % 256:02X}")
        self.controller.le_acl_data_packet_length = 251
        self.controller.acl_data_packet_length = 251
        # With this feature it sends extended reports even where legacy scanning was asked for.
        self.controller.le_features &= ~LeFeatureMask.LE_EXTENDED_ADVERTISING

    def on_packet(self, packet):
        self.transport.write(packet)

    def connection_lost(self, error):
        controller = self.controller
        controller.le_legacy_advertiser.stop()
        for advertising_set in list(controller.advertising_sets.values()):
            advertising_set.stop()
        self.air.controllers.discard(controller)
        for other in list(self.air.controllers):
            for connection in list(other.le_connections.values()):
                mine = controller.le_connections.get(connection.self_address)
                if mine is not None and mine.self_address == connection.peer_address:
                    # As when supervision runs out.
                    other.on_le_disconnected(connection, 0x08)


async def main():
    air = Air()
    count = 0

    def accept():
        nonlocal count
        count += 1
        return Socket(air, count)

    server = await asyncio.get_running_loop().create_server(accept, "127.0.0.1", 0)
    print(json.dumps({"event": "listening", "port": server.sockets[0].getsockname()[1]}), flush=True)
    await server.serve_forever()


asyncio.run(main())
