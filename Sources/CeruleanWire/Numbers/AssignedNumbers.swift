// SPDX-License-Identifier: Apache-2.0

/// Names of numbers that the Bluetooth SIG and vendors assigned.
///
/// Tables lie in the program's read-only data: nothing is read at start-up, a lookup by number takes about a microsecond.
/// ```swift
/// AssignedNumbers.characteristic(0x2A37)?.name            // "Heart Rate Measurement"
/// AssignedNumbers.characteristic(named: "battery_level")  // 2A19
/// AssignedNumbers.company(0x004C)                         // "Apple, Inc."
/// ```
public enum AssignedNumbers {
    /// A service, characteristic or descriptor with its names.
    public struct Attribute: Hashable, Sendable {
        /// The number.
        public let uuid: BluetoothUUID
        /// The name for people, "Heart Rate Measurement". Not unique.
        public let name: String
        /// The name for programs, "org.bluetooth.characteristic.heart_rate_measurement". Unique.
        public let identifier: String

        /// The last part of the identifier: "heart_rate_measurement".
        public var shortIdentifier: String {
            identifier.lastIndex(of: ".").map { String(identifier[identifier.index(after: $0)...]) } ?? identifier
        }
    }

    /// What a device looks like. Assigned Numbers, 2.6.
    public struct Appearance: Hashable, Sendable {
        /// The kind of device, "Heart Rate Sensor".
        public let category: String
        /// More exactly, "Heart Rate Belt"; nil for the category at large or an unknown one.
        public let subcategory: String?

        /// The most exact name.
        public var name: String { subcategory ?? category }
    }

    /// A unit of measurement. Assigned Numbers, 3.5.
    public struct Unit: Hashable, Sendable {
        /// The number.
        public let uuid: BluetoothUUID
        /// What is measured, "temperature".
        public let quantity: String
        /// The sign, "°C"; empty for a plain number.
        public let symbol: String
        /// Multiplies a value into the SI unit; nil where one factor is not enough.
        public let toSI: Double?
    }

    /// A format of the presentation format descriptor. Assigned Numbers, 2.4.
    public struct Format: Hashable, Sendable {
        /// The number.
        public let code: UInt8
        /// The name, "sint16".
        public let name: String
        /// Size in bits; 0 for formats of variable length.
        public let bits: Int
    }

    /// The service with this UUID.
    public static func service(_ uuid: BluetoothUUID) -> Attribute? { attribute(uuid, .services) }

    /// The characteristic with this UUID.
    public static func characteristic(_ uuid: BluetoothUUID) -> Attribute? { attribute(uuid, .characteristics) }

    /// The descriptor with this UUID.
    public static func descriptor(_ uuid: BluetoothUUID) -> Attribute? { attribute(uuid, .descriptors) }

    /// The service with this identifier, end of an identifier, or name; see ``characteristic(named:)``.
    public static func service(named name: String) -> Attribute? { attribute(named: name, .services) }

    /// The characteristic with this identifier, end of an identifier (`heart_rate_measurement`), or name.
    ///
    /// Case, and the difference between blanks, dashes and underscores, do not count. Of several the one with the smallest
    /// number is taken, assigned ones before those of vendors. Looks at the whole table: not for hot paths.
    public static func characteristic(named name: String) -> Attribute? { attribute(named: name, .characteristics) }

    /// The descriptor with this identifier, end of an identifier, or name; see ``characteristic(named:)``.
    public static func descriptor(named name: String) -> Attribute? { attribute(named: name, .descriptors) }

    /// The company with this identifier.
    public static func company(_ code: UInt16) -> String? { NumberTable.companies.columns(.init(code))?.first }

    /// What this appearance means; for an unknown subcategory the category alone.
    public static func appearance(_ value: UInt16) -> Appearance? {
        let table = NumberTable.appearances
        guard let columns = table.columns(.init(value)) ?? table.columns(.init(value & ~0x3F)) else { return nil }
        return Appearance(category: columns[0], subcategory: columns[1].isEmpty ? nil : columns[1])
    }

    /// The unit with this UUID.
    public static func unit(_ uuid: BluetoothUUID) -> Unit? {
        guard let columns = NumberTable.units.columns(.init(uuid)) else { return nil }
        return Unit(uuid: uuid, quantity: columns[0], symbol: columns[1], toSI: Double(columns[2]))
    }

    /// The presentation format with this number.
    public static func format(_ code: UInt8) -> Format? {
        guard let columns = NumberTable.formats.columns(.init(UInt16(code))) else { return nil }
        return Format(code: code, name: columns[0], bits: Int(columns[1]) ?? 0)
    }

    // MARK: - private

    private static func attribute(_ uuid: BluetoothUUID, _ table: NumberTable) -> Attribute? {
        table.columns(.init(uuid)).map { Attribute(uuid: uuid, name: $0[1], identifier: $0[0]) }
    }

    private static func attribute(named name: String, _ table: NumberTable) -> Attribute? {
        let wanted = normalized(name)
        guard !wanted.isEmpty else { return nil }
        let row = table.first { columns in
            let identifier = normalized(columns[0])
            return identifier == wanted || identifier.hasSuffix("." + wanted) || normalized(columns[1]) == wanted
        }
        return row.map { Attribute(uuid: $0.key.uuid, name: $0.columns[1], identifier: $0.columns[0]) }
    }

    private static func normalized(_ name: String) -> String {
        String(name.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
    }
}
