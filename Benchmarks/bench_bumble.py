# SPDX-License-Identifier: Apache-2.0
"""Bumble measured through its own H4 PacketParser against an in-process fake controller.

usage: bench_bumble.py WORKLOAD N [CONNS]      (python with the `bumble` package)
"""
import asyncio
import logging
import struct
import sys
import time

from bumble import att
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import Characteristic, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.transport.common import PacketParser

logging.disable(logging.CRITICAL)
EXTRA = {0x1001: 8, 0x1002: 64, 0x1003: 8, 0x1005: 7, 0x1009: 6, 0x2002: 3, 0x2003: 8, 0x2007: 1, 0x200F: 1,
         0x2018: 8, 0x201C: 8, 0x2022: 2, 0x2023: 4, 0x202A: 1, 0x202F: 8, 0x0C14: 248, 0x1405: 3, 0x2030: 4}


class FakeController:
    def __init__(self, parser):
        self.feed = parser.feed_data
        self.conns = 0
        self.acls = 0
        self.read_len = 20
        self.later = None

    def event(self, code, par):
        self.feed(bytes([4, code, len(par)]) + par)

    def on_packet(self, p):
        if p[0] == 1:
            self.command(p)
        elif p[0] == 2:  # answered from the event loop: a controller never completes a packet inside the send call
            asyncio.get_running_loop().call_soon(self.acl, p)

    def command(self, p):
        op, par = struct.unpack_from("<H", p, 1)[0], p[4:]
        ret = bytearray(1 + EXTRA.get(op, 0))
        if op == 0x1002:
            ret[1 + 25] = 0x07
        elif op == 0x1001:
            ret[1] = ret[4] = 0x0C
        elif op == 0x2002:
            ret[1:4] = struct.pack("<HB", 251, 16)
        elif op == 0x1009:
            ret[1:7] = bytes.fromhex("0100003322c1")
        elif op == 0x2022:
            ret[1:3] = par[:2]
        elif op in (0x200D, 0x2043):
            self.event(0x0F, struct.pack("<BBH", 0, 1, op))
            addr, kind = (par[6:12], par[5]) if op == 0x200D else (par[3:9], par[2])
            self.conns += 1
            ev = struct.pack("<BBHBB", 1, 0, self.conns, 0, kind) + addr + struct.pack("<HHHB", 24, 0, 500, 0)
            asyncio.get_running_loop().call_soon(self.event, 0x3E, ev)
            return
        elif op == 0x2016:
            self.event(0x0F, struct.pack("<BBH", 0, 1, op))
            self.event(0x3E, bytes([4, 0]) + par[:2] + bytes(8))
            return
        self.event(0x0E, struct.pack("<BH", 1, op) + bytes(ret))

    def acl(self, p):
        conn = struct.unpack_from("<H", p, 1)[0] & 0xFFF
        self.acls += 1
        self.event(0x13, struct.pack("<BHH", 1, conn, 1))
        if struct.unpack_from("<H", p, 7)[0] != 4:
            return
        q = p[9:]
        if q[0] == 2:
            r = struct.pack("<BH", 3, 517)
        elif q[0] == 0x0A:
            r = b"\x0b" + b"\x5a" * self.read_len
        elif q[0] == 0x12:
            r = b"\x13"
        elif q[0] in (4, 6, 8, 0x10):
            r = bytes([1, q[0], q[1], q[2], 0x0A])
        else:
            return
        self.feed(struct.pack("<BHHHH", 2, conn | 0x2000, len(r) + 4, len(r), 4) + r)


def notify(conn, handle, n, frag=0):
    body = struct.pack("<HHBH", n + 3, 4, 0x1B, handle) + b"\xa5" * n
    step, out, first = frag or len(body), b"", True
    while body:
        part, body = body[:step], body[step:]
        out += struct.pack("<BHH", 2, conn | (0x2000 if first else 0x1000), len(part)) + part
        first = False
    return out


def adv(who, n=31):
    data = (bytes([2, 1, 6, n - 4, 0xFF, 0x4C]) + bytes(n))[:n]
    return bytes([4, 0x3E, 12 + n, 2, 1, 0, 1]) + who.to_bytes(3, "little") + b"\x01\x02\xc3" + bytes([n]) + data + b"\xc4"


def adv_extended(who, n=31):
    data = (bytes([2, 1, 6, n - 4, 0xFF, 0x4C]) + bytes(n))[:n]
    traits = bytes([1, 2, 1, 7, 0xC8, 0, 0, 0]) + bytes(6) + bytes([n])
    return bytes([4, 0x3E, 26 + n, 0x0D, 1, 1, 0, 1]) + who.to_bytes(3, "little") + b"\x01\x02\xc3" + traits + data


async def main(w, n, conns):
    parser = PacketParser()
    host = Host()
    ctl = FakeController(parser)
    parser.set_packet_sink(host)
    host.set_packet_sink(ctl)
    device = Device(config=DeviceConfiguration(address=Address("C1:22:33:00:00:01"), le_enabled=True), host=host)
    ch = Characteristic("2A37", Characteristic.Properties.READ, Characteristic.READABLE, bytes(20))
    device.add_service(Service("180D", [ch]))
    await device.power_on()
    count = [0, 0]

    def got(v):
        count[0] += 1
        count[1] += len(v)

    clients = []
    if not w.startswith("adv"):
        for c in range(conns):
            k = await device.connect(Address(f"C0:44:55:00:{c >> 8:02X}:{c & 255:02X}"))
            await k.gatt_client.request_mtu(517)
            k.gatt_client.notification_subscribers[0x10] = {got}
            clients.append(k)
    else:
        device.on("advertisement", lambda a: got(b""))
        await device.start_scanning(active=False, filter_duplicates=False)
    handles = [k.handle for k in clients]
    if w.startswith("notify"):
        vl = 20 if w == "notify20" else 244
        pk = [notify(h, 0x10, vl, 27 if w.endswith("f27") else 0) for h in handles]
        t0 = time.perf_counter_ns()
        for i in range(n):
            parser.feed_data(pk[i % conns])
        t1 = time.perf_counter_ns()
        ok = count == [n, vl * n]
    elif w in ("read20", "read244"):
        ctl.read_len = 20 if w == "read20" else 244
        t0 = time.perf_counter_ns()
        for i in range(n):
            v = await clients[i % conns].gatt_client.read_value(0x10, no_long_read=True)
            count[0] += 1
        t1 = time.perf_counter_ns()
        ok = count[0] == n and len(v) == ctl.read_len
    elif w == "srvread20":
        rq = [struct.pack("<BHHHHBH", 2, h | 0x2000, 7, 3, 4, 0x0A, ch.handle) for h in handles]
        a0 = ctl.acls
        t0 = time.perf_counter_ns()
        for i in range(n):
            parser.feed_data(rq[i % conns])
            want = a0 + i + 1
            while ctl.acls < want:
                await asyncio.sleep(0)
        t1 = time.perf_counter_ns()
        ok = ctl.acls - a0 == n
    elif w in ("advlegacy", "advext"):
        pk = [adv(i) if w == "advlegacy" else adv_extended(i) for i in range(conns)]
        t0 = time.perf_counter_ns()
        for i in range(n):
            parser.feed_data(pk[i % conns])
        t1 = time.perf_counter_ns()
        ok = count[0] == n
    else:
        raise SystemExit(5)
    print(f"bumble {w} n={n} conns={conns} ns_per_op={(t1 - t0) / n:.1f} ok={int(ok)}" + ("" if ok else f" {count}"))


if __name__ == "__main__":
    a = sys.argv[1:] + ["notify20", "2000", "1"][len(sys.argv) - 1:]
    asyncio.run(main(a[0], int(a[1], 0), int(a[2])))
