// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Foundation

/// What the process before had, as objects, until the delegate is told.
struct RestoredObjects {
    var peripherals: [CBPeripheral]
    var scanServices: [CBUUID]?
    var scanOptions: [String: Any]?
    var isScanning: Bool
}

// All of it is called on the manager's queue, unless said otherwise.
extension CBCentralManager {
    // MARK: Beginning and end

    /// Called in `init`.
    func start(showsSystemServices: Bool) {
        let saved = restoration?.load(SavedCentral.self)
        if let saved, !saved.isEmpty {
            let objects = restored(saved)
            central { $0.restored = objects }
        }
        let core = core
        core.source.add(core) { $0.addCentral(core, showsSystemServices: showsSystemServices, restoring: saved) }
    }

    /// Called in `deinit`.
    func end() {
        let number = core.number
        core.onRadio { $0.removeCentral(number) }
        restoration?.remove()
    }

    func stateChanged(_ state: CBManagerState) {
        guard state != self.state else { return }
        if state != .poweredOn { reset(isInvalid: state.rawValue < CBManagerState.poweredOff.rawValue) }
        let restored = central { storage in
            defer { storage.restored = nil }
            return storage.restored
        }
        if let restored { restore(restored, isOn: state == .poweredOn) }
        setState(state)
        if let restored, restored.isScanning, state == .poweredOn {
            startScan(restored.scanServices, restored.scanOptions)
        }
        delegate?.centralManagerDidUpdateState(self)
    }

    /// The adapter is not on: nothing is connected, and nobody is told of each link.
    private func reset(isInvalid: Bool) {
        let peripherals = central { storage in
            storage.isScanning = false
            defer {
                storage.held = [:]
                if isInvalid { storage.known = [:] }
            }
            return storage.known.values.compactMap(\.object)
        }
        for peripheral in peripherals { peripheral.reset() }
    }

    // MARK: Peripherals

    /// The one object for a peer. From any thread.
    func peripheral(for peer: PeerID) -> CBPeripheral {
        central { storage in
            if let known = storage.known[peer]?.object { return known }
            if storage.known.count >= storage.purgeAt {
                storage.known = storage.known.filter { $0.value.object != nil }
                storage.purgeAt = max(256, 2 * storage.known.count)
            }
            let made = CBPeripheral(peer, core)
            storage.known[peer] = Weak(made)
            return made
        }
    }

    /// The object for a peer, if the application has it. From any thread.
    func existing(_ peer: PeerID) -> CBPeripheral? { central { $0.known[peer]?.object } }

    /// False, and a line in the log, for a peripheral of another manager.
    func owns(_ peripheral: CBPeripheral, _ call: String) -> Bool {
        if peripheral.core === core, existing(peripheral.peer) === peripheral { return true }
        misuse("\(call): \(peripheral) does not belong to \(self)")
        return false
    }

    func hold(_ peripheral: CBPeripheral) { central { $0.held[peripheral.peer] = peripheral } }
    func release(_ peripheral: CBPeripheral) { central { $0.held[peripheral.peer] = nil } }

    // MARK: Scanning

    /// From any thread.
    func startScan(_ services: [CBUUID]?, _ options: [String: Any]?) {
        let number = central { storage in
            storage.isScanning = true
            storage.scanNumber += 1
            storage.scanServices = services
            storage.scanOptions = options
            return storage.scanNumber
        }
        let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID] ?? []
        let duplicates = options?[CBCentralManagerScanOptionAllowDuplicatesKey]
        let scan = RunningScan(
            number: number, services: Set((services ?? []).map(\.value)), solicited: Set(solicited.map(\.value)),
            reportsDuplicates: (duplicates as? NSNumber)?.boolValue ?? (duplicates as? Bool) ?? false)
        let client = core.number
        core.onRadio { $0.startScan(client, scan) }
        saveState()
    }

    /// From any thread.
    func endScan() {
        central { storage in
            storage.isScanning = false
            storage.scanNumber += 1
        }
        let client = core.number
        core.onRadio { $0.stopScan(client) }
        saveState()
    }

    func saw(_ sighting: Sighting) {
        guard central({ $0.isScanning && $0.scanNumber == sighting.scan }) else { return }
        let peripheral = peripheral(for: sighting.peer)
        peripheral.saw(sighting)
        delegate?.centralManager(
            self, didDiscover: peripheral, advertisementData: sighting.dictionary,
            rssi: NSNumber(value: sighting.advertisement.rssi ?? 127))
    }

    // MARK: Connections

    func connected(
        _ peer: PeerID, _ info: LinkInfo, epoch: UInt64, name: String?, found: FoundTree?, isRestoring: Bool
    ) {
        guard let peripheral = existing(peer), peripheral.linkUp(info, epoch: epoch) else {
            // Given up meanwhile.
            let client = core.number
            return core.onRadio { $0.cancelConnection(client, peer, epoch: epoch) }
        }
        hold(peripheral)
        if let name { peripheral.peripheral { $0.name = name } }
        let gone = found.map { peripheral.refind($0) } ?? []
        saveState()
        if !isRestoring { delegate?.centralManager(self, didConnect: peripheral) }
        if !gone.isEmpty { peripheral.delegate?.peripheral(peripheral, didModifyServices: gone) }
    }

    func failedToConnect(_ peer: PeerID, epoch: UInt64, error: any Error) {
        guard let peripheral = existing(peer), peripheral.failed(epoch: epoch) else { return }
        release(peripheral)
        saveState()
        delegate?.centralManager(self, didFailToConnect: peripheral, error: error)
    }

    func disconnected(_ peer: PeerID, epoch: UInt64, error: (any Error)?, isReconnecting: Bool) {
        guard let peripheral = existing(peer) else { return }
        let client = core.number
        if isReconnecting {
            let tree = peripheral.keptTree
            core.onRadio { $0.reconnect(client, peer, tree) }
        }
        peripheral.linkDown(epoch: epoch, isReconnecting: isReconnecting)
        if peripheral.state == .disconnected { release(peripheral) }
        saveState()
        delegate?.centralManager(
            self, didDisconnectPeripheral: peripheral, timestamp: CFAbsoluteTimeGetCurrent(),
            isReconnecting: isReconnecting, error: error)
    }

    func linkChanged(_ peer: PeerID, maximumLength: Int) {
        existing(peer)?.peripheral { $0.maximumLength = maximumLength }
    }

    func named(_ peer: PeerID, _ name: String) { existing(peer)?.named(name) }

    func servicesChanged(_ peer: PeerID, _ range: ClosedRange<UInt16>?) {
        existing(peer)?.servicesChanged(range)
        saveState()
    }

    func received(_ peer: PeerID, _ key: UInt64, _ value: [UInt8]) { existing(peer)?.received(value, key) }

    func connectionEvent(_ event: CBConnectionEvent, _ peer: PeerID) {
        delegate?.centralManager(self, connectionEventDidOccur: event, for: peripheral(for: peer))
    }

    // MARK: Restoration

    /// Keeps what the process after this one has to restore. From any thread.
    func saveState() {
        guard let restoration else { return }
        let (scan, peripherals) = central { storage -> (SavedCentral.Scan?, [CBPeripheral]) in
            var scan: SavedCentral.Scan?
            if storage.isScanning {
                let solicited = storage.scanOptions?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
                let duplicates = storage.scanOptions?[CBCentralManagerScanOptionAllowDuplicatesKey]
                scan = SavedCentral.Scan(
                    services: storage.scanServices?.map(\.uuidString), solicited: solicited?.map(\.uuidString),
                    allowsDuplicates: (duplicates as? NSNumber)?.boolValue ?? (duplicates as? Bool))
            }
            return (scan, storage.known.values.compactMap(\.object))
        }
        let saved = SavedCentral(
            scan: scan,
            peripherals: peripherals.compactMap(\.saved).sorted { $0.identifier.uuidString < $1.identifier.uuidString })
        restoration.save(saved, isEmpty: saved.isEmpty)
    }

    private func restored(_ saved: SavedCentral) -> RestoredObjects {
        var objects = RestoredObjects(peripherals: [], isScanning: saved.scan != nil)
        for entry in saved.peripherals {
            guard let peer = Identities.host.peer(of: entry.identifier) else { continue }
            let peripheral = peripheral(for: peer)
            peripheral.restore(entry)
            objects.peripherals.append(peripheral)
        }
        if let scan = saved.scan {
            objects.scanServices = scan.services.map(CBUUID.all)
            var options: [String: Any] = [:]
            if let duplicates = scan.allowsDuplicates {
                options[CBCentralManagerScanOptionAllowDuplicatesKey] = NSNumber(value: duplicates)
            }
            if let solicited = scan.solicited {
                options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = CBUUID.all(solicited)
            }
            objects.scanOptions = options
        }
        return objects
    }

    private func restore(_ objects: RestoredObjects, isOn: Bool) {
        if !isOn { for peripheral in objects.peripherals { peripheral.reset() } }
        var dictionary: [String: Any] = [:]
        if !objects.peripherals.isEmpty {
            dictionary[CBCentralManagerRestoredStatePeripheralsKey] = objects.peripherals
        }
        if objects.isScanning {
            dictionary[CBCentralManagerRestoredStateScanServicesKey] = objects.scanServices
            dictionary[CBCentralManagerRestoredStateScanOptionsKey] = objects.scanOptions
        }
        delegate?.centralManager(self, willRestoreState: dictionary)
    }
}

extension CBUUID {
    /// The UUIDs of a file, without what is none.
    static func all(_ texts: [String]) -> [CBUUID] {
        texts.compactMap { BluetoothUUID($0) != nil ? CBUUID(string: $0) : nil }
    }
}

extension Sighting {
    /// As `didDiscover` hands it out: only what was sent, but for whether a connection is invited.
    var dictionary: [String: Any] {
        var all: [String: Any] = [
            CBAdvertisementDataIsConnectable: NSNumber(value: advertisement.isConnectable)
        ]
        if let name = fields.name { all[CBAdvertisementDataLocalNameKey] = name }
        if let power = fields.txPower { all[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: Int(power)) }
        if !fields.services.isEmpty { all[CBAdvertisementDataServiceUUIDsKey] = fields.services.map { CBUUID($0) } }
        if !fields.solicitedServices.isEmpty {
            all[CBAdvertisementDataSolicitedServiceUUIDsKey] = fields.solicitedServices.map { CBUUID($0) }
        }
        if !fields.serviceData.isEmpty {
            var data: [CBUUID: Data] = [:]
            for entry in fields.serviceData { data[CBUUID(entry.uuid)] = Data(entry.data) }
            all[CBAdvertisementDataServiceDataKey] = data
        }
        if let first = fields.manufacturerData.first {
            all[CBAdvertisementDataManufacturerDataKey] = Data(
                [UInt8(truncatingIfNeeded: first.company), UInt8(truncatingIfNeeded: first.company >> 8)] + first.data)
        }
        return all
    }
}
