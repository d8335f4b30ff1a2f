#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A serial port with a controller behind it, for Cerulean's tests.

usage: serial_bridge.py PATH HOST PORT

PATH becomes a serial port (a pseudo terminal) whose other end is a connection to HOST:PORT. Every line on stdout is one JSON object with
"event": ready, unplugged, plugged. Ops on stdin: unplug (the port is gone, as when its cable is pulled), plug, quit.
"""
import asyncio
import json
import os
import pty
import sys
import termios


def say(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


class Port:
    def __init__(self, path, host, port):
        self.path, self.host, self.port = path, host, port

    async def plug(self):
        self.master, slave = pty.openpty()
        # Octets pass as they are until somebody sets the port up.
        mode = termios.tcgetattr(slave)
        mode[0] = mode[1] = mode[3] = 0
        termios.tcsetattr(slave, termios.TCSANOW, mode)
        self.slave = slave
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        os.set_blocking(self.master, False)
        asyncio.get_running_loop().add_reader(self.master, self.from_host)
        self.task = asyncio.create_task(self.to_host())
        temporary = self.path + ".new"
        os.symlink(os.ttyname(slave), temporary)
        os.replace(temporary, self.path)

    def from_host(self):
        try:
            data = os.read(self.master, 4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.writer.write(data)

    async def to_host(self):
        while data := await self.reader.read(4096):
            while data:
                try:
                    data = data[os.write(self.master, data):]
                except BlockingIOError:
                    await asyncio.sleep(0.001)

    def unplug(self):
        os.unlink(self.path)
        asyncio.get_running_loop().remove_reader(self.master)
        self.task.cancel()
        self.writer.close()
        os.close(self.slave)
        os.close(self.master)


async def main():
    port = Port(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    await port.plug()
    say("ready")
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := await commands.readline():
        op = json.loads(line)["op"]
        if op == "quit":
            return
        if op == "unplug":
            port.unplug()
            say("unplug")
        elif op == "plug":
            await port.plug()
            say("plug")


asyncio.run(main())
