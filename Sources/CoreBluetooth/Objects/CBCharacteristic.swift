// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A characteristic of a peripheral, or one that is published.
open class CBCharacteristic: CBAttribute {
    struct Storage {
        weak var service: CBService?
        var properties: CBCharacteristicProperties
        var value: Data?
        var descriptors: [CBDescriptor]?
        var isNotifying = false
        /// Local ones only.
        var permissions: CBAttributePermissions = []
        var subscribers: [CBCentral] = []
        /// The manager that published it, and the number that it gave it.
        var publication: (manager: Weak<CBPeripheralManager>, number: Int)?
    }

    let characteristic: Guarded<Storage>

    /// The service that it belongs to.
    open var service: CBService? { characteristic { $0.service } }
    /// What it can do.
    open var properties: CBCharacteristicProperties { characteristic { $0.properties } }
    /// The value of the last read, notification or indication.
    open var value: Data? { characteristic { $0.value } }
    /// Its descriptors, as far as they were found.
    open var descriptors: [CBDescriptor]? { characteristic { $0.descriptors } }
    /// Never true: broadcasting was given up.
    @available(*, deprecated)
    open var isBroadcasted: Bool { false }
    /// Whether this manager is subscribed.
    open var isNotifying: Bool { characteristic { $0.isNotifying } }

    init(uuid: CBUUID, properties: CBCharacteristicProperties, service: CBService? = nil) {
        characteristic = Guarded(Storage(service: service, properties: properties))
        super.init(uuid: uuid)
    }

    /// The class, the type and the rest, for people.
    open override var description: String {
        let properties = String(properties.rawValue, radix: 16, uppercase: true)
        let value = value.map { "{length = \($0.count)}" } ?? "(null)"
        return "<\(type(of: self)): UUID = \(uuid), properties = 0x\(properties), value = \(value), "
            + "notifying = \(isNotifying ? "YES" : "NO")>"
    }
}

/// A characteristic to be published.
open class CBMutableCharacteristic: CBCharacteristic {
    /// What centrals may do.
    open var permissions: CBAttributePermissions {
        get { characteristic { $0.permissions } }
        set { characteristic { $0.permissions = newValue } }
    }
    /// The centrals that are subscribed.
    open var subscribedCentrals: [CBCentral]? { characteristic { $0.subscribers } }
    /// What it can do. Changes after it was published have no effect.
    open override var properties: CBCharacteristicProperties {
        get { characteristic { $0.properties } }
        set { characteristic { $0.properties = newValue } }
    }
    /// The value that never changes, or nil when the delegate answers each request. Changes after it was published
    /// have no effect.
    open override var value: Data? {
        get { characteristic { $0.value } }
        set { characteristic { $0.value = newValue } }
    }
    /// Its descriptors. The Client Characteristic Configuration is made by itself.
    open override var descriptors: [CBDescriptor]? {
        get { characteristic { $0.descriptors } }
        set {
            characteristic { $0.descriptors = newValue }
            for descriptor in newValue ?? [] { descriptor.descriptor { $0.characteristic = self } }
        }
    }

    /// A characteristic without descriptors. One with a value can only be read.
    public init(
        type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
    ) {
        super.init(uuid: UUID, properties: properties)
        characteristic { state in
            state.value = value
            state.permissions = permissions
        }
    }
}
