// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth.CBPeripheral
import CoreBluetooth.CBUUID
import Foundation

/// Protocols of the application's own, to which Apple's classes conform by extensions, so that tests can bring others.
protocol PeripheralType: AnyObject {
    var identifier: UUID { get }
    var name: String? { get }
    var state: CBPeripheralState { get }
    var services: [CBService]? { get }
    var delegate: CBPeripheralDelegate? { get set }
    var canSendWriteWithoutResponse: Bool { get }
    func discoverServices(_ serviceUUIDs: [CBUUID]?)
    func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService)
    func readValue(for characteristic: CBCharacteristic)
    func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType)
    func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic)
    func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int
    func readRSSI()
}

protocol CentralType: AnyObject {
    var isScanning: Bool { get }
    func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]?)
    func stopScan()
    func connect(_ peripheral: CBPeripheral, options: [String: Any]?)
    func cancelPeripheralConnection(_ peripheral: CBPeripheral)
    func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral]
}

extension CBPeripheral: PeripheralType {}
extension CBCentralManager: CentralType {}

enum SessionError: Error { case missing(String), bluetooth(Error), timeout }

/// A request at a time, each with a completion, as many libraries do it.
final class Session: NSObject, CBPeripheralDelegate {
    typealias Completion = (Result<Data, SessionError>) -> Void
    private let peripheral: PeripheralType
    private var pending: [CBUUID: [Completion]] = [:]

    init(_ peripheral: PeripheralType) {
        self.peripheral = peripheral
        super.init()
        peripheral.delegate = self
    }

    func read(_ uuid: CBUUID, _ completion: @escaping Completion) {
        guard
            let characteristic = peripheral.services?.lazy.compactMap({ $0.characteristics }).joined().first(where: {
                $0.uuid == uuid
            })
        else { return completion(.failure(.missing(uuid.uuidString))) }
        pending[uuid, default: []].append(completion)
        peripheral.readValue(for: characteristic)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        peripheral.services?.forEach { peripheral.discoverCharacteristics(nil, for: $0) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard var completions = pending[characteristic.uuid], !completions.isEmpty else { return }
        let completion = completions.removeFirst()
        pending[characteristic.uuid] = completions
        if let error = error {
            if let error = error as? CBATTError, case .insufficientAuthentication = error.code {
                return completion(.failure(.timeout))
            }
            completion(.failure(.bluetooth(error)))
        } else {
            completion(.success(characteristic.value ?? Data()))
        }
    }
}

/// Subclasses of Apple's classes, against Apple's advice.
class LoggingCentral: CBCentralManager {
    private(set) var log: [String] = []

    override func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        log.append("scan")
        super.scanForPeripherals(withServices: serviceUUIDs, options: options)
    }

    override func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        log.append("connect")
        super.connect(peripheral, options: options)
    }
}

class TaggedCharacteristic: CBMutableCharacteristic {
    var tag = 0
}
