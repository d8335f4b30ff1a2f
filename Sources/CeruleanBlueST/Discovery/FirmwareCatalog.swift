// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Tells firmware of version 2 boards by number: a file that the user supplies, in the format in which ST publishes it.
/// bluest.md §1.4.
///
/// ```swift
/// let catalog = try FirmwareCatalog(json: text)
/// print(catalog.entry(device: 0x0D, firmware: 14)?.name ?? "unknown firmware")
/// ```
public struct FirmwareCatalog: Hashable, Sendable {
    /// One firmware of one board.
    public struct Entry: Hashable, Sendable {
        /// The board's number.
        public var device: UInt8
        /// The firmware's number: 1 to 254, or 256 and more.
        public var firmware: Int
        /// The name.
        public var name: String
        /// The version as text.
        public var version: String
        /// The board's name.
        public var board: String
        /// How firmware is upgraded: type, longest chunk, and what a chunk's length must be a multiple of.
        public var upgrade: Upgrade?
        /// The characteristics.
        public var characteristics: [Characteristic]
        /// What the option octets mean, from the firmware's first one on.
        public var options: [Option]
        /// What connectionless payloads hold.
        public var payloads: [Payload] = []

        /// Name and version.
        public var title: String { version.isEmpty ? name : "\(name) \(version)" }
    }

    /// How firmware is upgraded.
    public struct Upgrade: Hashable, Sendable {
        /// `no`, `yes`, `wb_ready` or `wb_mode`, as the catalogue says.
        public var type: String
        /// Octets in a packet at most.
        public var maximumChunk: Int?
        /// What a packet's length must be a multiple of.
        public var divisor: Int?
    }

    /// A characteristic of a firmware.
    public struct Characteristic: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The UUID.
        public var uuid: BluetoothUUID
        /// Octets of a write at most.
        public var maximumWriteLength: Int?
        /// The values of its notifications in order; empty where the catalogue does not say them.
        public var format: [Field] = []
    }

    /// What an option octet means.
    public struct Option: Hashable, Sendable {
        /// How it is read.
        public enum Format: String, Sendable {
            /// A number.
            case int
            /// A text of a table.
            case enumString = "enum_string"
            /// A picture of a table.
            case enumIcon = "enum_icon"
            /// It means nothing.
            case none
        }

        /// The name.
        public var name: String
        /// How it is read.
        public var format: Format
        /// Taken from the number.
        public var negativeOffset: Double
        /// The number is multiplied with it.
        public var scale: Double
        /// The unit.
        public var unit: String
        /// The octet that stands for ``escapeMessage``.
        public var escapeValue: Int?
        /// The text for it.
        public var escapeMessage: String?
        /// Texts by octet.
        public var texts: [Int: String]

        /// What an octet says; nil if it says nothing.
        public func text(of octet: UInt8) -> String? {
            if Int(octet) == escapeValue { return escapeMessage }
            switch format {
            case .int:
                let value = (Double(octet) - negativeOffset) * scale
                let number = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
                return unit.isEmpty ? number : "\(number) \(unit)"
            case .enumString, .enumIcon: return octet == 0xFF ? nil : texts[Int(octet)]
            case .none: return nil
            }
        }
    }

    /// The entries.
    public private(set) var entries: [Entry] = []

    /// An empty catalogue.
    public init() {}

    /// A catalogue of entries.
    public init(_ entries: [Entry]) { self.entries = entries }

    /// Reads the JSON in which ST publishes the catalogue. Entries that lack a number are left out.
    ///
    /// - Throws: ``FeatureError`` with `malformedMessage` if it is no such JSON.
    public init(json text: String) throws(FeatureError) {
        guard let document = MessageJSON.parse(text) else { throw FeatureError(.malformedMessage) }
        let lists = ["bluestsdk_v2", "bluestsdk_v1", "characteristics"].compactMap { document[$0] }
        if case .list(let values) = document {
            entries = values.compactMap(Self.entry)
        } else if !lists.isEmpty {
            entries = lists.flatMap { list -> [Entry] in
                guard case .list(let values) = list else { return [] }
                return values.compactMap(Self.entry)
            }
        } else {
            throw FeatureError(.malformedMessage)
        }
    }

    /// The firmware of a board by its number.
    public func entry(device: UInt8, firmware: Int) -> Entry? {
        entries.first { $0.device == device && $0.firmware == firmware }
    }

    /// The firmware that an advertisement tells.
    public func entry(for advertisement: BlueSTAdvertisement) -> Entry? {
        advertisement.firmwareID.flatMap { entry(device: advertisement.deviceID, firmware: $0) }
    }

    /// Newer firmware of the same name for a board, oldest first.
    public func updates(for running: FirmwareVersion, device: UInt8) -> [Entry] {
        func numbers(_ entry: Entry) -> [Int] { entry.version.split(separator: ".").compactMap { Int($0) } }
        let own = [running.major, running.minor, running.patch]
        return entries.filter { entry in
            entry.device == device && entry.name.lowercased() == running.name.lowercased()
                && own.lexicographicallyPrecedes(numbers(entry))
        }.sorted { numbers($0).lexicographicallyPrecedes(numbers($1)) }
    }

    /// Adds an entry; it replaces one of the same numbers.
    public mutating func add(_ entry: Entry) {
        entries.removeAll { $0.device == entry.device && $0.firmware == entry.firmware }
        entries.append(entry)
    }

    /// Takes an entry away. Harmless if there is none.
    public mutating func remove(device: UInt8, firmware: Int) {
        entries.removeAll { $0.device == device && $0.firmware == firmware }
    }

    /// The texts of an advertisement's option octets, as the catalogue reads them.
    public func optionTexts(of advertisement: BlueSTAdvertisement) -> [(name: String, text: String)] {
        guard case .options(let octets) = advertisement.content, let first = advertisement.firstOptionByteIndex,
            let entry = entry(for: advertisement)
        else { return [] }
        return zip(entry.options, octets.dropFirst(first)).compactMap { option, octet in
            option.text(of: octet).map { (option.name, $0) }
        }
    }

    // MARK: - Reading

    private static func entry(_ value: FieldValue) -> Entry? {
        guard let device = number(value["ble_dev_id"]).flatMap({ UInt8(exactly: $0) }),
            let firmware = number(value["ble_fw_id"])
        else { return nil }
        var upgrade: Upgrade?
        if let fota = value["fota"] {
            upgrade = Upgrade(
                type: text(fota["type"]) ?? text(fota["fota_type"]) ?? "",
                maximumChunk: number(fota["max_chunk_length"]),
                divisor: number(fota["max_divisor_constraint"]))
        }
        return Entry(
            device: device, firmware: firmware, name: text(value["fw_name"]) ?? text(value["name"]) ?? "",
            version: text(value["fw_version"]) ?? text(value["version"]) ?? "", board: text(value["brd_name"]) ?? "",
            upgrade: upgrade, characteristics: list(value["characteristics"]).compactMap(characteristic),
            options: list(value["option_bytes"]).map(option), payloads: list(value["protocols"]).compactMap(payload))
    }

    private static func payload(_ value: FieldValue) -> Payload? {
        guard let number = (number(value["protocol_id"]) ?? number(value["id"])).flatMap({ UInt16(exactly: $0) }) else {
            return nil
        }
        let fields = list(value["formats"]) + list(value["format"]) + list(value["format_notify"])
        return Payload(number: number, name: text(value["name"]) ?? "payload", fields: fields.compactMap(field))
    }

    private static func field(_ value: FieldValue) -> Field? {
        guard let name = text(value["name"]) else { return nil }
        var labels: [UInt8: String] = [:]
        for row in list(value["string_values"]) {
            guard let key = number(row["value"]).flatMap({ UInt8(exactly: $0) }), let label = text(row["display_name"])
            else { continue }
            labels[key] = label
        }
        return Field(
            name: name, type: text(value["type"]), length: number(value["length"]),
            unit: text(value["unit"]).flatMap { $0.isEmpty ? nil : $0 }, offset: real(value["offset"]) ?? 0,
            scale: real(value["scalefactor"]) ?? real(value["scale_factor"]) ?? 1, least: real(value["min"]),
            greatest: real(value["max"]), labels: labels, isOptional: value["optional"] == .bool(true))
    }

    private static func characteristic(_ value: FieldValue) -> Characteristic? {
        guard let uuid = text(value["uuid"]).flatMap({ BluetoothUUID($0) }) else { return nil }
        return Characteristic(
            name: text(value["name"]) ?? "", uuid: uuid, maximumWriteLength: number(value["max_write_length"]),
            format: list(value["format_notify"]).compactMap(field))
    }

    private static func option(_ value: FieldValue) -> Option {
        var texts: [Int: String] = [:]
        for (index, row) in (list(value["string_values"]) + list(value["icon_values"])).enumerated() {
            let key = number(row["value"]) ?? number(row["code"]) ?? index
            if let name = text(row["display_name"]) ?? text(row["comment"]) ?? text(row) { texts[key] = name }
        }
        return Option(
            name: text(value["name"]) ?? "",
            format: text(value["format"]).flatMap { Option.Format(rawValue: $0) } ?? .none,
            negativeOffset: real(value["negative_offset"]) ?? 0, scale: real(value["scale_factor"]) ?? 1,
            unit: text(value["type"]) ?? "", escapeValue: number(value["escape_value"]),
            escapeMessage: text(value["escape_message"]), texts: texts)
    }

    private static func list(_ value: FieldValue?) -> [FieldValue] {
        if case .list(let values)? = value { return values }
        return []
    }

    private static func text(_ value: FieldValue?) -> String? {
        if case .text(let text)? = value { return text }
        return nil
    }

    /// A whole number, or one written as `0x0D`.
    private static func number(_ value: FieldValue?) -> Int? {
        switch value {
        case .integer(let number)?: return Int(number)
        case .text(let text)?:
            return text.lowercased().hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
        default: return nil
        }
    }

    private static func real(_ value: FieldValue?) -> Double? {
        switch value {
        case .integer(let number)?: return Double(number)
        case .number(let number)?: return number
        default: return nil
        }
    }
}

extension FirmwareCatalog {
    /// The firmware of the simulated boards: number FE on every board.
    static func simulated(_ advertisement: BlueSTAdvertisement) -> Entry? {
        guard advertisement.firmwareID == 0xFE,
            let configuration = try? SimulatedNode.Configuration(
                board: advertisement.board, protocolVersion: advertisement.protocolVersion)
        else { return nil }
        return Entry(
            device: advertisement.deviceID, firmware: 0xFE, name: configuration.version.name,
            version: "\(configuration.version.major).\(configuration.version.minor).\(configuration.version.patch)",
            board: advertisement.board.token, upgrade: Upgrade(type: "yes", maximumChunk: 240, divisor: 16),
            characteristics: configuration.groups.map {
                .init(name: "", uuid: $0.characteristic, maximumWriteLength: nil)
            },
            options: [])
    }
}
