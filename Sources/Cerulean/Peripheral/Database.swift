// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// A service found on a peripheral. Two services with one UUID are two values with two identifiers.
public struct Service: Hashable, Sendable, Identifiable {
    /// The service, on this connection.
    public var id: AttributeID
    /// Its type.
    public var uuid: BluetoothUUID
    /// Primary, or only included by others.
    public var isPrimary: Bool
    /// The last handle that belongs to it, where the engine knows handles.
    public var endHandle: UInt16?
    /// The services it includes.
    public var includedServices: [AttributeID]
    /// Its characteristics, in the order of the peer's database.
    public var characteristics: [Characteristic]

    /// Describes a service.
    public init(
        id: AttributeID, uuid: BluetoothUUID, isPrimary: Bool = true, endHandle: UInt16? = nil,
        includedServices: [AttributeID] = [], characteristics: [Characteristic] = []
    ) {
        self.id = id
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.endHandle = endHandle
        self.includedServices = includedServices
        self.characteristics = characteristics
    }

    /// Its first handle, where the engine knows handles.
    public var handle: UInt16? { id.handle }
    /// Its assigned name; nil for a type that has none.
    public var name: String? { AssignedNumbers.service(uuid)?.name }
    /// All characteristics of a type, in the order of the peer's database.
    public func characteristics(_ uuid: BluetoothUUID) -> [Characteristic] {
        characteristics.filter { $0.uuid == uuid }
    }

    /// The first characteristic of a type.
    public func characteristic(_ uuid: BluetoothUUID) -> Characteristic? {
        characteristics.first { $0.uuid == uuid }
    }
}

/// A characteristic found on a peripheral. Two characteristics with one UUID are two values with two identifiers.
public struct Characteristic: Hashable, Sendable, Identifiable {
    /// The attribute that holds the value, on this connection.
    public var id: AttributeID
    /// Its type.
    public var uuid: BluetoothUUID
    /// What it can do.
    public var properties: CharacteristicProperties
    /// The last handle that belongs to it, where the engine knows handles.
    public var endHandle: UInt16?
    /// The service it belongs to.
    public var service: AttributeID
    /// The type of that service.
    public var serviceUUID: BluetoothUUID
    /// Its descriptors, in the order of the peer's database.
    public var descriptors: [Descriptor]

    /// Describes a characteristic.
    public init(
        id: AttributeID, uuid: BluetoothUUID, properties: CharacteristicProperties, endHandle: UInt16? = nil,
        service: AttributeID, serviceUUID: BluetoothUUID, descriptors: [Descriptor] = []
    ) {
        self.id = id
        self.uuid = uuid
        self.properties = properties
        self.endHandle = endHandle
        self.service = service
        self.serviceUUID = serviceUUID
        self.descriptors = descriptors
    }

    /// The handle of its value, where the engine knows handles.
    public var handle: UInt16? { id.handle }
    /// True when it can be read.
    public var canRead: Bool { properties.contains(.read) }
    /// True when it can be written, with a response or without.
    public var canWrite: Bool { !properties.isDisjoint(with: [.write, .writeWithoutResponse]) }
    /// True when it notifies or indicates.
    public var canNotify: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }

    /// Its assigned name; nil for a type that has none.
    public var name: String? { AssignedNumbers.characteristic(uuid)?.name }
    /// The first descriptor of a type.
    public func descriptor(_ uuid: BluetoothUUID) -> Descriptor? { descriptors.first { $0.uuid == uuid } }
}

/// A descriptor found on a peripheral.
public struct Descriptor: Hashable, Sendable, Identifiable {
    /// The attribute, on this connection.
    public var id: AttributeID
    /// Its type.
    public var uuid: BluetoothUUID
    /// The characteristic it belongs to.
    public var characteristic: AttributeID

    /// Describes a descriptor.
    public init(id: AttributeID, uuid: BluetoothUUID, characteristic: AttributeID) {
        self.id = id
        self.uuid = uuid
        self.characteristic = characteristic
    }

    /// Its handle, where the engine knows handles.
    public var handle: UInt16? { id.handle }
}
