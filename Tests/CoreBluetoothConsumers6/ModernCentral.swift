// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

@preconcurrency import CoreBluetooth

extension CBPeripheral: @unchecked Sendable {}
extension CBUUID: @unchecked Sendable {}
extension CBCharacteristic: @unchecked Sendable {}

/// An actor on top of a delegate, as libraries in language mode 6 have it.
actor ModernCentral {
    enum Event: Sendable {
        case state(CBManagerState)
        case found(CBPeripheral, name: String?, rssi: Int)
        case connected(CBPeripheral)
        case disconnected(CBPeripheral, CBError.Code?)
    }

    private final class Delegate: NSObject, CBCentralManagerDelegate, Sendable {
        let continuation: AsyncStream<Event>.Continuation

        init(_ continuation: AsyncStream<Event>.Continuation) { self.continuation = continuation }

        func centralManagerDidUpdateState(_ central: CBCentralManager) { continuation.yield(.state(central.state)) }

        func centralManager(
            _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
            continuation.yield(.found(peripheral, name: name, rssi: RSSI.intValue))
        }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            continuation.yield(.connected(peripheral))
        }

        func centralManager(
            _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
        ) {
            continuation.yield(.disconnected(peripheral, (error as? CBError)?.code))
        }
    }

    nonisolated let events: AsyncStream<Event>
    private let delegate: Delegate
    private let manager: CBCentralManager

    init() {
        let (stream, continuation) = AsyncStream<Event>.makeStream()
        events = stream
        delegate = Delegate(continuation)
        manager = CBCentralManager(delegate: delegate, queue: DispatchQueue(label: "modern"))
    }

    func scan(_ services: [CBUUID]) { manager.scanForPeripherals(withServices: services) }
    func connect(_ peripheral: CBPeripheral) { manager.connect(peripheral) }
    func stop() { manager.stopScan() }
}

/// A view model: isolated to the main actor, its delegate methods not.
@MainActor final class ViewModel: NSObject {
    private(set) var state = CBManagerState.unknown
    private(set) var peripherals: [CBPeripheral] = []
    private var manager: CBCentralManager?

    func start() { manager = CBCentralManager(delegate: self, queue: .main) }
}

extension ViewModel: CBCentralManagerDelegate {
    nonisolated func centralManagerDidUpdateState(_ central: CBCentralManager) {
        let state = central.state
        MainActor.assumeIsolated { self.state = state }
    }

    nonisolated func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        Task { @MainActor [weak self] in self?.peripherals.append(peripheral) }
    }
}

/// A conformance that promises to be called on the main actor.
@MainActor final class Isolated: NSObject, @preconcurrency CBPeripheralManagerDelegate {
    private(set) var states: [CBManagerState] = []
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { states.append(peripheral.state) }
}
