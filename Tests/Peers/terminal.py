#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program on a terminal of its own and tells what it shows; keys come as lines of JSON.

usage: terminal.py PROGRAM [ARGUMENT ...]

stdin: {"keys": "text"} types, {"signal": N} sends a signal. stdout: one JSON object for each piece of output,
{"event": "output", "text": ...}, and at the end (after a minute at the latest)
{"event": "exit", "status": N, "same": true if the terminal is set as before}.
"""
import fcntl
import json
import os
import pty
import select
import sys
import termios
import time


def say(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


def main():
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    child = os.fork()
    if child == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for descriptor in (0, 1, 2):
            os.dup2(slave, descriptor)
        os.environ["TERM"] = "xterm"
        os.execv(sys.argv[1], sys.argv[1:])
    pending = b""
    start = time.monotonic()
    waiting = [master, 0]
    while True:
        ready, _, _ = select.select(waiting, [], [], 0.05)
        if master in ready:
            data = os.read(master, 4096)
            say("output", text=data.decode("utf-8", "replace"))
        if 0 in ready:
            data = os.read(0, 4096)
            if not data:
                waiting = [master]
            pending += data
            while b"\n" in pending:
                line, pending = pending.split(b"\n", 1)
                order = json.loads(line)
                if "keys" in order:
                    os.write(master, order["keys"].encode())
                else:
                    os.kill(child, order["signal"])
        if time.monotonic() > start + 60:
            os.kill(child, 9)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            while select.select([master], [], [], 0)[0]:
                say("output", text=os.read(master, 4096).decode("utf-8", "replace"))
            after = termios.tcgetattr(slave)
            say("exit", status=os.waitstatus_to_exitcode(status), same=after[:4] == before[:4])
            return


main()
