// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
public import Foundation

/// A UUID of 16, 32 or 128 bits. Two are equal when their 128-bit forms are.
///
/// ```swift
/// let heartRate = CBUUID(string: "180D")
/// ```
open class CBUUID: NSObject, NSCopying {
    /// Most significant first; 2, 4 or 16 as given.
    private let octets: [UInt8]
    private let full: BluetoothUUID

    /// The octets, most significant first, in the length that it was made with.
    open var data: Data { Data(octets) }

    /// Upper case: 4 or 8 digits, or the 36-character form.
    open var uuidString: String {
        switch octets.count {
        case 2, 4: Self.hex(octets[...])
        default:
            [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Self.hex(octets[$0]) }.joined(separator: "-")
        }
    }

    /// Reads 4 or 8 hexadecimal digits, or the 36-character form. Anything else is a mistake of the programmer and
    /// ends the program.
    public init(string theString: String) {
        guard let full = BluetoothUUID(theString), let octets = Self.octets(theString) else {
            preconditionFailure(
                "\"\(theString)\" is no Bluetooth UUID: write 4 or 8 hexadecimal digits, or the 36-character form")
        }
        self.octets = octets
        self.full = full
    }

    /// Reads 2, 4 or 16 octets, most significant first. Other lengths are a mistake of the programmer and end the
    /// program.
    public init(data theData: Data) {
        guard let full = BluetoothUUID(littleEndian: theData.reversed()) else {
            preconditionFailure("\(theData.count) octets are no Bluetooth UUID: 2, 4 or 16 are")
        }
        octets = Array(theData)
        self.full = full
    }

    /// The UUID of 128 bits.
    public init(nsuuid theUUID: UUID) {
        let octets = withUnsafeBytes(of: theUUID.uuid) { Array($0) }
        self.octets = octets
        full = BluetoothUUID(littleEndian: octets.reversed()) ?? BluetoothUUID()
    }

    /// All zeros, of 16 bits.
    public override init() {
        octets = [0, 0]
        full = BluetoothUUID(UInt16(0))
        super.init()
    }

    /// The shortest form of a UUID from the air.
    init(_ uuid: BluetoothUUID) {
        if let medium = uuid.medium {
            let size = uuid.short == nil ? 4 : 2
            octets = (0..<size).reversed().map { UInt8(truncatingIfNeeded: medium >> (8 * UInt32($0))) }
        } else {
            octets = uuid.littleEndian128.reversed()
        }
        full = uuid
        super.init()
    }

    /// True for the same 128 bits.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.full == full }
    /// Of the 128 bits.
    open override var hash: Int { full.hashValue }
    /// The name of a well-known UUID of 16 bits, else ``uuidString``.
    open override var description: String {
        guard full.short != nil else { return uuidString }
        let known =
            AssignedNumbers.service(full) ?? AssignedNumbers.characteristic(full) ?? AssignedNumbers.descriptor(full)
        return known?.name ?? uuidString
    }
    /// Itself: it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The 128 bits.
    var value: BluetoothUUID { full }
    /// How many octets it was made with: 2, 4 or 16.
    var size: Int { octets.count }

    private static func hex(_ part: ArraySlice<UInt8>) -> String {
        Hex.encode(Array(part)).uppercased()
    }

    private static func octets(_ text: String) -> [UInt8]? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard [4, 8, 32].contains(digits.count), text.utf8.count == (digits.count == 32 ? 36 : digits.count) else {
            return nil
        }
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }
}
