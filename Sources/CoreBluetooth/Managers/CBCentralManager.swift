// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
public import Dispatch
public import Foundation

/// Scans for peripherals and connects to them.
///
/// All calls may come from any thread; the delegate is called on the queue that was named, the main queue when that is
/// nil. A program without a run loop has to call `dispatchMain()` or `RunLoop.main.run()` for the main queue to be
/// served.
/// ```swift
/// final class Scanner: NSObject, CBCentralManagerDelegate {
///     func centralManagerDidUpdateState(_ central: CBCentralManager) {
///         if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "180D")]) }
///     }
/// }
/// let scanner = Scanner()
/// let manager = CBCentralManager(delegate: scanner, queue: DispatchQueue(label: "bluetooth"))
/// ```
open class CBCentralManager: CBManager {
    /// What an adapter can do beyond the usual.
    public struct Feature: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Wraps the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Scanning for extended advertisements, and connecting to their senders.
        public static let extendedScanAndConnect = Self(rawValue: 1 << 0)
        /// Measuring distances. Never on Linux.
        public static let channelSounding = Self(rawValue: 1 << 10)
    }

    struct Storage {
        weak var delegate: (any CBCentralManagerDelegate)?
        var isScanning = false
        var scanNumber: UInt64 = 0
        var scanServices: [CBUUID]?
        var scanOptions: [String: Any]?
        /// All peripherals that the application may hold.
        var known: [PeerID: Weak<CBPeripheral>] = [:]
        var purgeAt = 256
        /// Those that the manager itself holds: the connected ones.
        var held: [PeerID: CBPeripheral] = [:]
        var restored: RestoredObjects?
    }

    let central = Guarded(Storage())
    package let restoration: RestorationFile?

    /// Who hears of events. Not kept.
    open var delegate: (any CBCentralManagerDelegate)? {
        get { central { $0.delegate } }
        set { central { $0.delegate = newValue } }
    }

    /// Whether a scan is running.
    open var isScanning: Bool { central { $0.isScanning } }

    /// Whether the adapter has all of these features.
    open class func supports(_ features: CBCentralManager.Feature) -> Bool {
        guard features.subtracting(.extendedScanAndConnect).isEmpty else { return false }
        if features.isEmpty { return true }
        return CBLinuxAdapter.system.central.radio?.capabilities.contains(.extendedAdvertising) ?? false
    }

    /// A manager without a delegate, on the main queue.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager without options.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: dispatch_queue_t?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager on the system's adapter.
    ///
    /// - Parameters:
    ///   - delegate: hears of events; not kept.
    ///   - queue: a serial queue for the delegate; nil is the main queue.
    ///   - options: keys that begin with `CBCentralManagerOption`.
    public init(
        delegate: (any CBCentralManagerDelegate)?, queue: dispatch_queue_t?, options: [String: Any]? = nil
    ) {
        restoration = RestorationFile(
            .central, identifier: options?[CBCentralManagerOptionRestoreIdentifierKey] as? String)
        let adapter = options?[CBCentralManagerOptionLinuxAdapter] as? CBLinuxAdapter ?? .system
        super.init(ManagerCore(queue: queue, source: adapter.central))
        self.delegate = delegate
        start(showsSystemServices: options?[CBCentralManagerOptionLinuxShowSystemServices] as? Bool ?? false)
    }

    deinit { end() }

    /// The peripherals behind identifiers, those that this host has met: in the order asked, without the unknown ones.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        guard isReady(for: "retrievePeripherals(withIdentifiers:)") else { return [] }
        return identifiers.compactMap { identifier in
            Identities.host.peer(of: identifier).map { peripheral(for: $0) }
        }
    }

    /// The peripherals with one of these services that are connected by any manager.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard isReady(for: "retrieveConnectedPeripherals(withServices:)"), let radio = core.source.radio else {
            return []
        }
        let wanted = Set(serviceUUIDs.map(\.value))
        return radio.connected { $0 }.filter { !$0.services.isDisjoint(with: wanted) }.map { peripheral(for: $0.peer) }
    }

    /// Scans for peripherals that advertise one of the services; nil or an empty array is all. Replaces the scan that
    /// is running.
    open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        guard isReady(for: "scanForPeripherals(withServices:options:)") else { return }
        startScan(serviceUUIDs, options)
    }

    /// Ends the scan.
    open func stopScan() {
        guard isReady(for: "stopScan()") else { return }
        endScan()
    }

    /// Connects, as soon as the peripheral can be reached. Never gives up by itself.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard isReady(for: "connect(_:options:)"), owns(peripheral, "connect(_:options:)") else { return }
        peripheral.connect(options ?? [:])
        saveState()
    }

    /// Ends this manager's connection, or the wish for one. The link stays while other managers hold it.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard isReady(for: "cancelPeripheralConnection(_:)"), owns(peripheral, "cancelPeripheralConnection(_:)") else {
            return
        }
        peripheral.cancelConnection()
        saveState()
    }

    /// Asks to hear when peers connect to this system or leave it, whoever connected them. Nil ends it.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        guard isReady(for: "registerForConnectionEvents(options:)") else { return }
        let services = options?[.serviceUUIDs] as? [CBUUID] ?? []
        if services.count > 4 { misuse("registerForConnectionEvents(options:): only four services are looked at") }
        let identifiers = options?[.peripheralUUIDs] as? [UUID] ?? []
        let matching = ConnectionMatching(
            services: Set(services.prefix(4).map(\.value)),
            peers: Set(identifiers.compactMap(Identities.host.peer(of:))))
        let (number, wanted) = (core.number, options == nil ? nil : matching)
        core.onRadio { $0.match(number, wanted) }
    }

    override func radioChanged(_ state: CBManagerState) { stateChanged(state) }
}

extension Radio {
    /// What the host can do. May be called from any thread but only counts when the radio is on.
    nonisolated var capabilities: HostCapabilities { knownCapabilities { $0 } }
}
