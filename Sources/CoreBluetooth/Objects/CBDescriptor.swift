// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Foundation

/// A descriptor of a characteristic.
open class CBDescriptor: CBAttribute {
    struct Storage {
        weak var characteristic: CBCharacteristic?
        var value: Any?
    }

    let descriptor: Guarded<Storage>

    /// The characteristic that it describes.
    open var characteristic: CBCharacteristic? { descriptor { $0.characteristic } }
    /// The value that was read last: an `NSNumber` for 2900, 2902 and 2903, a `String` for 2901, else `Data`.
    open var value: Any? { descriptor { $0.value } }

    init(uuid: CBUUID, characteristic: CBCharacteristic? = nil, value: Any? = nil) {
        descriptor = Guarded(Storage(characteristic: characteristic, value: value))
        super.init(uuid: uuid)
    }

    /// The class, the type and the value, for people.
    open override var description: String {
        "<\(type(of: self)): UUID = \(uuid), value = \(value.map { "\($0)" } ?? "(null)")>"
    }
}

/// A descriptor to be published. Its value does not change: a `String` for 2901, `Data` for 2904.
open class CBMutableDescriptor: CBDescriptor {
    /// A descriptor with a value.
    public init(type UUID: CBUUID, value: Any?) {
        super.init(uuid: UUID, value: value)
    }
}

extension CBDescriptor {
    /// What ``value`` is for octets from the air.
    static func value(of uuid: CBUUID, octets: [UInt8]) -> Any {
        switch uuid.value {
        case 0x2900, 0x2902, 0x2903:
            var number: UInt16 = 0
            for (index, octet) in octets.prefix(2).enumerated() { number |= UInt16(octet) << (8 * UInt16(index)) }
            return NSNumber(value: number)
        case 0x2901: return String(decoding: octets, as: UTF8.self)
        default: return Data(octets)
        }
    }

    /// The octets of a value that an application set; nil for a type that has none.
    static func octets(of value: Any?) -> [UInt8]? {
        switch value {
        case let data as Data: Array(data)
        case let text as String: Array(text.utf8)
        case let number as NSNumber:
            [UInt8(truncatingIfNeeded: number.intValue), UInt8(truncatingIfNeeded: number.intValue >> 8)]
        default: nil
        }
    }
}
