#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""BlueZ as a test peer, over its D-Bus API (Debian packages python3-dbus and python3-gi).

  bluez_peer.py central [--adapter hci0] [--name NAME | --uuid UUID] [--pair] [--seconds 20]
      scan, connect, list the GATT database, read the battery level, subscribe to heart rate, wait for 3 notifications, optionally
      pair and read the protected characteristic. Prints one line per fact; exit 0 only if everything asked for happened.
  bluez_peer.py peripheral [--adapter hci0] [--name NAME] [--seconds 30] [--until-disconnect]
      heart rate (notifies twice a second) + battery + a service with one open and one encryption-only characteristic, advertised.
"""
import argparse, sys, time
import dbus, dbus.service, dbus.mainloop.glib
from gi.repository import GLib
HRS, HRM, BAS, BAT = (f'0000{x}-0000-1000-8000-00805f9b34fb' for x in ('180d', '2a37', '180f', '2a19'))
TEST, OPEN, SEC = (f'c0de000{i}-0000-4000-8000-000000000001' for i in (1, 4, 3))
B = 'org.bluez'; P = 'org.freedesktop.DBus.Properties'; OM = 'org.freedesktop.DBus.ObjectManager'
t0 = time.monotonic()
def say(*a): print(f'[{time.monotonic()-t0:6.2f}]', *a, flush=True)
def iface(path, name): return dbus.Interface(bus.get_object(B, path), name)
def objects(): return iface('/', OM).GetManagedObjects()
def wait(what, cond, seconds):
    """run the main loop until cond() is true"""
    ctx, end = GLib.MainContext.default(), time.monotonic() + seconds
    GLib.timeout_add(50, lambda: True)
    while not (r := cond()):
        if time.monotonic() > end: say('TIMEOUT waiting for', what); sys.exit(1)
        ctx.iteration(True)
    return r
def call(what, fn, *a, seconds=20, **k):
    """one asynchronous D-Bus call, so that our own objects stay reachable meanwhile"""
    box = []
    fn(*a, reply_handler=lambda *r: box.append((True, r)), error_handler=lambda e: box.append((False, e)), timeout=seconds, **k)
    ok, r = wait(what, lambda: box and box[0], seconds + 1)
    if not ok: say('FAILED', what, r.get_dbus_name(), r.get_dbus_message()); raise r
    return r[0] if r else None

class Agent(dbus.service.Object):
    IF = 'org.bluez.Agent1'
    @dbus.service.method(IF, in_signature='', out_signature='')
    def Release(self): pass
    @dbus.service.method(IF, in_signature='o', out_signature='')
    def RequestAuthorization(self, d): say('agent: authorize', d)
    @dbus.service.method(IF, in_signature='os', out_signature='')
    def AuthorizeService(self, d, u): say('agent: service', u)
    @dbus.service.method(IF, in_signature='ou', out_signature='')
    def RequestConfirmation(self, d, k): say('agent: confirm', int(k))
    @dbus.service.method(IF, in_signature='ouq', out_signature='')
    def DisplayPasskey(self, d, k, n): say('agent: passkey %06d' % k)
    @dbus.service.method(IF, in_signature='o', out_signature='u')
    def RequestPasskey(self, d): return dbus.UInt32(a.passkey)
    @dbus.service.method(IF, in_signature='', out_signature='')
    def Cancel(self): say('agent: cancelled')

def central():
    ad = f'/org/bluez/{a.adapter}'; adapter = iface(ad, B + '.Adapter1')
    adapter.SetDiscoveryFilter({'Transport': 'le', 'DuplicateData': False})
    adapter.StartDiscovery(); say('scanning')
    def found():
        for p, i in objects().items():
            d = i.get(B + '.Device1')
            if d and p.startswith(ad) and 'RSSI' in d and ((a.name and d.get('Name') == a.name) or (not a.name and a.uuid in [str(u) for u in d.get('UUIDs', [])])): return p, d
    path, d = wait('advertisement', found, a.seconds)
    say('found', d.get('Name'), d['Address'], d['AddressType'], 'rssi', int(d['RSSI']), 'uuids', [str(u)[4:8] for u in d.get('UUIDs', [])])
    adapter.StopDiscovery()
    dev = iface(path, B + '.Device1'); prop = iface(path, P)
    call('Connect', dev.Connect, seconds=a.seconds); say('connected')
    wait('ServicesResolved', lambda: prop.Get(B + '.Device1', 'ServicesResolved'), a.seconds); say('services resolved')
    if a.pair:      # not before ServicesResolved: BlueZ 5.66 then pairs but never answers the Pair call
        call('Pair', dev.Pair, seconds=a.seconds); say('paired', bool(prop.Get(B + '.Device1', 'Paired')), 'bonded', prop.GetAll(B + '.Device1').get('Bonded', '?') == 1)
    ch = {}
    for p, i in sorted(objects().items()):
        if not p.startswith(path): continue
        if B + '.GattService1' in i: say('  service', i[B + '.GattService1']['UUID'])
        c = i.get(B + '.GattCharacteristic1')
        if c: ch[str(c['UUID'])] = p; say('    characteristic', c['UUID'], [str(f) for f in c['Flags']], 'mtu', int(c.get('MTU', 0)))
    G = B + '.GattCharacteristic1'; hexs = lambda v: bytes(v).hex()
    if BAT in ch: say('battery', hexs(call('read battery', iface(ch[BAT], G).ReadValue, {})))
    if OPEN in ch:
        call('write', iface(ch[OPEN], G).WriteValue, dbus.ByteArray(b'hello from BlueZ'), {}); say('read back', bytes(call('read', iface(ch[OPEN], G).ReadValue, {})))
    if a.pair and SEC in ch: say('protected', bytes(call('read protected', iface(ch[SEC], G).ReadValue, {})))
    if HRM in ch:
        got = []
        bus.add_signal_receiver(lambda i, c, v: 'Value' in c and got.append(hexs(c['Value'])), 'PropertiesChanged', P, B, ch[HRM])
        call('StartNotify', iface(ch[HRM], G).StartNotify); wait('3 notifications', lambda: len(got) >= 3, a.seconds); say('notifications', got)
        call('StopNotify', iface(ch[HRM], G).StopNotify)
    call('Disconnect', dev.Disconnect); say('disconnected, OK')

class Props(dbus.service.Object):
    def __init__(self, path, iface_name, props):
        self.path, self.name, self.props = path, iface_name, props; dbus.service.Object.__init__(self, bus, path)
    @dbus.service.method(P, in_signature='s', out_signature='a{sv}')
    def GetAll(self, i): return dbus.Dictionary(self.props, signature='sv')
    @dbus.service.signal(P, signature='sa{sv}as')
    def PropertiesChanged(self, i, changed, inv): pass
class Adv(Props):
    @dbus.service.method('org.bluez.LEAdvertisement1', in_signature='', out_signature='')
    def Release(self): say('advertisement released')
class Char(Props):
    value = b''
    G = B + '.GattCharacteristic1'
    @dbus.service.method(G, in_signature='a{sv}', out_signature='ay')
    def ReadValue(self, o):
        say('read', self.props['UUID'][:8], 'from', str(o.get('device', '?'))[-17:], 'mtu', int(o.get('mtu', 0))); return dbus.ByteArray(self.value[int(o.get('offset', 0)):])
    @dbus.service.method(G, in_signature='aya{sv}', out_signature='')
    def WriteValue(self, v, o): self.value = bytes(v); say('written', self.props['UUID'][:8], self.value, str(o.get('type', '?')))
    @dbus.service.method(G, in_signature='', out_signature='')
    def StartNotify(self): say('subscribed', self.props['UUID'][:8]); self.on = True
    @dbus.service.method(G, in_signature='', out_signature='')
    def StopNotify(self): say('unsubscribed', self.props['UUID'][:8]); self.on = False
    on = False
class App(dbus.service.Object):
    def __init__(self, kids): self.kids = kids; dbus.service.Object.__init__(self, bus, '/app')
    @dbus.service.method(OM, in_signature='', out_signature='a{oa{sa{sv}}}')
    def GetManagedObjects(self): return dbus.Dictionary({dbus.ObjectPath(k.path): {k.name: dbus.Dictionary(k.props, signature='sv')} for k in self.kids}, signature='oa{sa{sv}}')

def peripheral():
    ad = f'/org/bluez/{a.adapter}'; ap = iface(ad, P)
    ap.Set(B + '.Adapter1', 'Alias', a.name); ap.Set(B + '.Adapter1', 'Pairable', True)
    kids, chars = [], {}
    for s, (u, cs) in enumerate([(HRS, [(HRM, ['notify'], bytes([0, 70]))]), (BAS, [(BAT, ['read'], bytes([64]))]),
                                 (TEST, [(OPEN, ['read', 'write', 'write-without-response', 'notify'], b'open'), (SEC, ['encrypt-read', 'encrypt-write'], b'secret')])]):
        kids.append(Props(f'/app/s{s}', B + '.GattService1', {'UUID': u, 'Primary': dbus.Boolean(True)}))
        for c, (cu, fl, v) in enumerate(cs):
            k = Char(f'/app/s{s}/c{c}', B + '.GattCharacteristic1', {'UUID': cu, 'Service': dbus.ObjectPath(f'/app/s{s}'), 'Flags': dbus.Array(fl, signature='s')}); k.value = v
            kids.append(k); chars[cu] = k
    app = App(kids)
    call('RegisterApplication', iface(ad, B + '.GattManager1').RegisterApplication, dbus.ObjectPath('/app'), {})
    adv = Adv('/adv', 'org.bluez.LEAdvertisement1', {'Type': 'peripheral', 'ServiceUUIDs': dbus.Array([HRS, BAS], signature='s'), 'LocalName': a.name, 'Discoverable': dbus.Boolean(True)})
    call('RegisterAdvertisement', iface(ad, B + '.LEAdvertisingManager1').RegisterAdvertisement, dbus.ObjectPath('/adv'), {}); say('advertising', a.name, ap.Get(B + '.Adapter1', 'Address'))
    n = [0]; left = []
    def tick():
        n[0] += 1
        if chars[HRM].on: chars[HRM].PropertiesChanged(B + '.GattCharacteristic1', {'Value': dbus.ByteArray(bytes([0, 60 + n[0] % 40]))}, [])
        return True
    GLib.timeout_add(500, tick)
    def changed(i, c, v, path=None):
        for k in ('Connected', 'Paired', 'Bonded'):
            if i == B + '.Device1' and k in c: say(k, bool(c[k]), path); k == 'Connected' and not c[k] and left.append(1)
    bus.add_signal_receiver(changed, 'PropertiesChanged', P, B, path_keyword='path')
    if a.until_disconnect: wait('a disconnection', lambda: left, a.seconds); say('OK')
    else:
        end = time.monotonic() + a.seconds; wait('the end', lambda: time.monotonic() > end, a.seconds + 5); say('OK')

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument('role', choices=['central', 'peripheral']); ap.add_argument('--adapter', default='hci0'); ap.add_argument('--name'); ap.add_argument('--uuid', default=HRS)
ap.add_argument('--pair', action='store_true'); ap.add_argument('--seconds', type=float, default=20); ap.add_argument('--until-disconnect', action='store_true'); ap.add_argument('--passkey', type=int, default=123456)
a = ap.parse_args()
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True); bus = dbus.SystemBus()
agent = Agent(bus, '/agent'); am = iface('/org/bluez', B + '.AgentManager1'); am.RegisterAgent('/agent', 'NoInputNoOutput'); am.RequestDefaultAgent('/agent')
if a.role == 'peripheral': a.name = a.name or 'BlueZ Rig'; peripheral()
else: central()
