// SPDX-License-Identifier: Apache-2.0

#if canImport(CCeruleanJS)

import Cerulean
import CeruleanHost
import CeruleanWire
import CoreBluetooth
import Foundation

/// Monitors and ranges the regions of a script, with a central manager of its own that listens beside the script's.
final class ScriptBeacons: NSObject {
    private static let cycle: Duration = .seconds(1)

    private unowned let radio: ScriptRadio
    private var manager: CBCentralManager?
    private var monitors: [(region: BeaconRegion, monitor: RegionMonitor)] = []
    private var rangers: [BeaconRanger] = []
    private var deadline: LoopTimer?
    private var tick: LoopTimer?
    private var nextTick = MonotonicTime.zero

    private var loop: any EventLoop { radio.runtime.loop }
    private var engine: ScriptEngine { radio.engine }

    init(_ radio: ScriptRadio) { self.radio = radio }

    var isIdle: Bool { monitors.isEmpty && rangers.isEmpty }

    func close() {
        monitors = []
        rangers = []
        settle()
    }

    func addNatives(_ add: (String, @escaping ScriptEngine.Body) -> Void) {
        add("monitor") { [unowned self] engine, arguments in
            let region = try region(arguments)
            monitors.removeAll { $0.region.identifier == region.identifier }
            monitors.append((region, RegionMonitor(now: loop.now)))
            settle()
            return nil
        }
        add("stopMonitoring") { [unowned self] engine, arguments in
            let identifier = arguments.at(0, engine).text
            monitors.removeAll { $0.region.identifier == identifier }
            settle()
            return nil
        }
        add("range") { [unowned self] engine, arguments in
            let region = try region(arguments)
            rangers.removeAll { $0.region.identifier == region.identifier }
            rangers.append(BeaconRanger(region))
            settle()
            return nil
        }
        add("stopRanging") { [unowned self] engine, arguments in
            let identifier = arguments.at(0, engine).text
            rangers.removeAll { $0.region.identifier == identifier }
            settle()
            return nil
        }
        add("regionState") { [unowned self] engine, arguments in
            let identifier = arguments.at(0, engine).text
            let state = monitors.first { $0.region.identifier == identifier }?.monitor.state ?? .unknown
            return engine.number(Self.number(state))
        }
    }

    private func region(_ arguments: [ScriptValue]) throws(ScriptFault) -> BeaconRegion {
        guard let uuid = BluetoothUUID(arguments.at(1, engine).text) else { throw ScriptFault("a region needs a UUID") }
        let identifier = arguments.at(0, engine).text
        let major = arguments.at(2, engine).ifInteger.flatMap { UInt16(exactly: $0) }
        guard let minor = arguments.at(3, engine).ifInteger.flatMap({ UInt16(exactly: $0) }) else {
            return BeaconRegion(identifier, uuid: uuid, major: major)
        }
        guard let major else { throw ScriptFault("a minor needs a major") }
        return BeaconRegion(identifier, uuid: uuid, major: major, minor: minor)
    }

    private static func number(_ state: BeaconRegionState) -> Int {
        switch state {
        case .unknown: 0
        case .inside: 1
        case .outside: 2
        }
    }

    // MARK: Listening

    /// Listens while there is a region, and has timers for what is due.
    private func settle() {
        if isIdle {
            if manager?.state == .poweredOn { manager?.stopScan() }
            manager?.delegate = nil
            manager = nil
        } else if manager == nil {
            manager = radio.makeCentral(delegate: self, [:])
        }
        arm()
        if rangers.isEmpty {
            if let tick { loop.cancel(tick) }
            tick = nil
        } else if tick == nil {
            nextTick = loop.now + Self.cycle
            armTick()
        }
    }

    private func heard(_ beacon: BeaconIdentity, power: Int, rssi: Int?) {
        let now = loop.now
        for index in rangers.indices { rangers[index].heard(beacon, measuredPower: power, rssi: rssi, at: now) }
        var events: [(String, RegionMonitor.Event)] = []
        for index in monitors.indices where monitors[index].region.contains(beacon) {
            let identifier = monitors[index].region.identifier
            events += monitors[index].monitor.heard(at: now).map { (identifier, $0) }
        }
        tell(events)
        arm()
    }

    private func arm() {
        if let deadline { loop.cancel(deadline) }
        deadline = nil
        guard let next = monitors.compactMap(\.monitor.deadline).min() else { return }
        // What is heard at the very deadline is in time.
        let me = radio.runtime.me
        deadline = loop.schedule(at: next + .nanoseconds(1)) { me.value?.radio.beacons.passed() }
    }

    private func passed() {
        deadline = nil
        let now = loop.now
        var events: [(String, RegionMonitor.Event)] = []
        for index in monitors.indices {
            guard let due = monitors[index].monitor.deadline, due < now else { continue }
            let identifier = monitors[index].region.identifier
            events += monitors[index].monitor.advance(to: now).map { (identifier, $0) }
        }
        tell(events)
        arm()
    }

    /// A listener may change the regions: nothing of them is looked at behind this.
    private func tell(_ events: [(String, RegionMonitor.Event)]) {
        for (identifier, event) in events {
            let name = engine.string(identifier)
            switch event {
            case .entered: radio.emit("region", name, engine.string("entered"))
            case .exited: radio.emit("region", name, engine.string("exited"))
            case .state(let state):
                radio.emit("region", name, engine.string("state"), engine.number(Self.number(state)))
            }
        }
    }

    // MARK: Ranging

    private func armTick() {
        let me = radio.runtime.me
        tick = loop.schedule(at: nextTick) { me.value?.radio.beacons.report() }
    }

    private func report() {
        tick = nil
        let now = loop.now
        var reports: [RangedBeacons] = []
        for index in rangers.indices { reports.append(rangers[index].report(at: now)) }
        // Cycles that were missed are left out, not made up for.
        repeat { nextTick = nextTick + Self.cycle } while nextTick <= now
        armTick()
        for report in reports {
            radio.emit(
                "ranged", engine.string(report.region.identifier), engine.array(report.beacons.compactMap(value)),
                engine.array(report.proximityChanges.compactMap(value)))
        }
    }

    private func value(_ beacon: RangedBeacon) -> ScriptValue? {
        guard case .proximity(let uuid, let major, let minor) = beacon.identity else { return nil }
        let proximity =
            switch beacon.proximity {
            case .unknown: 0
            case .immediate: 1
            case .near: 2
            case .far: 3
            }
        return engine.array([
            engine.string(CBUUID(string: "\(uuid)").uuidString), engine.number(Int(major)), engine.number(Int(minor)),
            engine.number(beacon.rssi), engine.number(beacon.accuracy), engine.number(proximity),
        ])
    }
}

extension ScriptBeacons: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ manager: CBCentralManager) {
        guard manager === self.manager, manager.state == .poweredOn else { return }
        manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    func centralManager(
        _ manager: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        guard let data = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data, data.count >= 2 else {
            return
        }
        let octets = Array(data)
        let company = UInt16(octets[0]) | UInt16(octets[1]) << 8
        guard let beacon = Beacon(company: company, data: Array(octets.dropFirst(2))), let identity = beacon.identity,
            let power = beacon.measuredPower
        else { return }
        heard(identity, power: power, rssi: rssi.intValue == 127 ? nil : rssi.intValue)
    }
}

#endif
