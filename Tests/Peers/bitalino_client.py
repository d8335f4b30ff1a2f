#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The official Python API for BITalino, unchanged, on a board behind Bluetooth Low Energy.

usage: bitalino_client.py TRANSPORT --target NAME --channels 0,1,2 --rate 1000 --samples 1000

Bumble is the central: it connects to the board and bridges its two characteristics to a TCP port of this machine; the API, which
can talk to a board over TCP, is pointed at that port. Prints one JSON object: version, state and the rows that were read.
"""
import argparse
import asyncio
import json
import threading

import bitalino
from bumble import hci
from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.transport import open_transport

SERVICE = UUID("C566488A-0882-4E1B-A6D0-0B717E652234")
COMMANDS = UUID("4051EB11-BF0A-4C74-8730-A48F4193FCEA")
FRAMES = UUID("40FDBA6B-672E-47C4-808A-E529ADFF3633")


def use_board(port, args, result):
    try:
        board = bitalino.BITalino(f"127.0.0.1:{port}")
        result["version"] = board.version()
        result["state"] = {k: [int(x) for x in v] if hasattr(v, "__len__") else int(v) for k, v in board.state().items()}
        board.start(args.rate, [int(c) for c in args.channels.split(",")])
        rows = board.read(args.samples)
        result["rows"] = [[int(v) for v in row] for row in rows]
        board.stop()
        board.close()
    except BaseException as error:  # whatever the API throws is the result
        result["error"] = repr(error)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("transport")
    parser.add_argument("--target", required=True)
    parser.add_argument("--channels", default="0,1,2,3,4,5")
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=1000)
    args = parser.parse_args()
    async with await open_transport(args.transport) as (source, sink):
        device = Device.with_hci("client", hci.Address("F0:F1:F2:F3:F4:F5"), source, sink)
        await device.power_on()
        found = asyncio.get_running_loop().create_future()

        def heard(advertisement):
            name = advertisement.data.get(0x09) or advertisement.data.get(0x08) or b""
            if isinstance(name, bytes):
                name = name.decode(errors="replace")
            if name == args.target and not found.done():
                found.set_result(advertisement.address)

        device.on("advertisement", heard)
        await device.start_scanning(active=True)
        address = await asyncio.wait_for(found, 20)
        await device.stop_scanning()
        connection = await device.connect(address)
        peer = Peer(connection)
        await peer.request_mtu(185)
        await peer.discover_services()
        service = peer.get_services_by_uuid(SERVICE)[0]
        await service.discover_characteristics()
        commands = service.get_characteristics_by_uuid(COMMANDS)[0]
        frames = service.get_characteristics_by_uuid(FRAMES)[0]
        writers = []
        await peer.subscribe(frames, lambda value: [w.write(bytes(value)) for w in writers])

        async def serve(reader, writer):
            writers.append(writer)
            while data := await reader.read(20):
                await peer.write_value(commands, data, with_response=True)
            writers.remove(writer)

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        result = {}
        thread = threading.Thread(target=use_board, args=(port, args, result), daemon=True)
        thread.start()
        while thread.is_alive():
            await asyncio.sleep(0.05)
        print(json.dumps({"event": "done", **result}), flush=True)


asyncio.run(main())
