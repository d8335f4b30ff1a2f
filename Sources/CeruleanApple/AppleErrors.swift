// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreBluetooth)
import CeruleanHost
import CeruleanWire
import CoreBluetooth
import Foundation

extension HostError {
    /// What Apple's framework says of an operation that failed.
    init(apple error: (any Error)?, or other: Code) {
        guard let error else {
            self.init(other)
            return
        }
        let number = (error as NSError).code
        let detail = (error as NSError).localizedDescription
        if (error as NSError).domain == CBATTErrorDomain {
            let code = UInt8(truncatingIfNeeded: number)
            let isSecurity = [0x05, 0x08, 0x0C, 0x0F].contains(code)
            self.init(isSecurity ? .insufficientSecurity : .refused, attribute: code, detail: detail)
            return
        }
        let code: Code =
            switch CBError.Code(rawValue: number) {
            case .connectionTimeout, .peripheralDisconnected, .notConnected: .disconnected
            case .invalidParameters: .invalidArgument
            case .invalidHandle: .staleAttribute
            case .operationCancelled: .cancelled
            case .outOfSpace, .connectionLimitReached: .queueFull
            case .unknownDevice: .notFound
            case .uuidNotAllowed, .operationNotSupported: .unsupported
            case .alreadyAdvertising: .wrongState
            case .peerRemovedPairingInformation, .encryptionTimedOut: .insufficientSecurity
            default: other
            }
        self.init(code, detail: detail)
    }

    /// Why a link went down; nil is that we closed it.
    init(disconnection error: (any Error)?) {
        guard let error else {
            self.init(.disconnected, controller: 0x16, detail: "we closed the link")
            return
        }
        let controller: UInt8? =
            switch CBError.Code(rawValue: (error as NSError).code) {
            case .connectionTimeout: 0x08
            case .peripheralDisconnected: 0x13
            default: nil
            }
        self.init(.disconnected, controller: controller, detail: (error as NSError).localizedDescription)
    }

    /// What a state that is not `poweredOn` means to somebody who starts the adapter.
    init(state: CBManagerState) {
        let code: Code =
            switch state {
            case .unsupported: .noAdapter
            case .unauthorized: .unauthorized
            default: .poweredOff
            }
        self.init(code, "start")
    }
}

extension AdapterState {
    init(_ state: CBManagerState) {
        self =
            switch state {
            case .unknown: .unknown
            case .resetting: .resetting
            case .unsupported: .unsupported
            case .unauthorized: .unauthorized
            case .poweredOff: .poweredOff
            case .poweredOn: .poweredOn
            @unknown default: .unknown
            }
    }
}

extension PeerID {
    init(_ identifier: UUID) {
        let octets = withUnsafeBytes(of: identifier.uuid) { Array($0) }
        self.init(BluetoothUUID(littleEndian: octets.reversed()) ?? BluetoothUUID())
    }
}

extension BluetoothUUID {
    init(_ uuid: CBUUID) { self = BluetoothUUID(littleEndian: uuid.data.reversed()) ?? BluetoothUUID() }
    var apple: CBUUID {
        if let short { return CBUUID(data: Data([UInt8(short >> 8), UInt8(truncatingIfNeeded: short)])) }
        return CBUUID(data: Data(littleEndian128.reversed()))
    }
}

/// What an advertisement's dictionary says.
struct AdvertisementFacts: Sendable {
    var fields = AdvertisementFields()
    var isConnectable: Bool
    var rssi: Int?

    init(_ data: [String: Any], rssi: NSNumber) {
        fields.name = data[CBAdvertisementDataLocalNameKey] as? String
        fields.isNameComplete = fields.name != nil
        fields.services = (data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []).map { BluetoothUUID($0) }
        fields.solicitedServices =
            (data[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID] ?? []).map { BluetoothUUID($0) }
        if let power = data[CBAdvertisementDataTxPowerLevelKey] as? NSNumber {
            fields.txPower = Int8(truncatingIfNeeded: power.intValue)
        }
        if let company = data[CBAdvertisementDataManufacturerDataKey] as? Data, company.count >= 2 {
            let octets = Array(company)
            fields.manufacturerData = [
                AdvertisementFields.ManufacturerData(
                    company: UInt16(octets[0]) | UInt16(octets[1]) << 8, data: Array(octets.dropFirst(2)))
            ]
        }
        for (uuid, octets) in data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:] {
            fields.serviceData.append(
                AdvertisementFields.ServiceData(uuid: BluetoothUUID(uuid), data: Array(octets)))
        }
        fields.serviceData.sort { $0.uuid < $1.uuid }
        isConnectable = (data[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? false
        self.rssi = rssi.intValue == 127 ? nil : rssi.intValue
    }
}
#endif
