// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A service of a peripheral, or one that is published.
open class CBService: CBAttribute {
    struct Storage {
        weak var peripheral: CBPeripheral?
        var isPrimary: Bool
        var includedServices: [CBService]?
        var characteristics: [CBCharacteristic]?
        /// The last handle that belongs to it, where the engine knows handles.
        var endHandle: UInt16?
    }

    let service: Guarded<Storage>

    /// The peripheral that it was found on; nil for a local one.
    open var peripheral: CBPeripheral? { service { $0.peripheral } }
    /// Primary, or only there to be included.
    open var isPrimary: Bool { service { $0.isPrimary } }
    /// The services that it includes, as far as they were found.
    open var includedServices: [CBService]? { service { $0.includedServices } }
    /// Its characteristics, as far as they were found.
    open var characteristics: [CBCharacteristic]? { service { $0.characteristics } }

    init(uuid: CBUUID, isPrimary: Bool, peripheral: CBPeripheral? = nil) {
        service = Guarded(Storage(peripheral: peripheral, isPrimary: isPrimary))
        super.init(uuid: uuid)
    }

    /// The class, the type and the rest, for people.
    open override var description: String {
        "<\(type(of: self)): isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>"
    }
}

/// A service to be published with ``CBPeripheralManager/add(_:)``.
open class CBMutableService: CBService {
    /// The services that it includes. They have to be published before it.
    open override var includedServices: [CBService]? {
        get { service { $0.includedServices } }
        set { service { $0.includedServices = newValue } }
    }
    /// Its characteristics.
    open override var characteristics: [CBCharacteristic]? {
        get { service { $0.characteristics } }
        set {
            service { $0.characteristics = newValue }
            for characteristic in newValue ?? [] { characteristic.characteristic { $0.service = self } }
        }
    }

    /// A service without characteristics.
    public init(type UUID: CBUUID, primary isPrimary: Bool) {
        super.init(uuid: UUID, isPrimary: isPrimary)
    }
}
