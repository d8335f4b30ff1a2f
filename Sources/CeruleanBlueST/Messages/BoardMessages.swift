// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Requests in JSON that boards understand. bluest.md §10.
///
/// ```swift
/// let answer = try await node.ask(BoardMessage.extended("VersionFw"), of: .extendedConfiguration)
/// print(answer["VersionFw"] ?? .null)
/// ```
public enum BoardMessage {
    /// Extended configuration: a command, with one argument at most.
    public static func extended(_ command: String, text: String? = nil, number: Int? = nil, element: FieldValue? = nil)
        -> FieldValue
    {
        var members: [FieldValue.Member] = [.init("command", .text(command))]
        if let text {
            members.append(.init("argString", .text(text)))
        } else if let number {
            members.append(.init("argNumber", FieldValue(integer: number)))
        } else if let element {
            members.append(.init("argJsonElement", element))
        }
        return .object(members)
    }

    /// Extended configuration: the network that the board shall join.
    public static func setWiFi(ssid: String, password: String, security: String) -> FieldValue {
        extended(
            "SetWiFi",
            element: ["ssid": .text(ssid), "password": .text(password), "securityType": .text(security)])
    }

    /// Extended configuration: the commands in the answer to `ReadCommand`.
    public static func commands(in answer: FieldValue) -> [String] {
        guard case .text(let list)? = answer["Commands"] else { return [] }
        return list.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }

    /// PnPL: the state of everything, or of one component.
    public static func pnplStatus(_ component: String = "all") -> FieldValue { ["get_status": .text(component)] }

    /// PnPL: sets a property.
    public static func pnplSet(_ component: String, _ property: String, _ value: FieldValue) -> FieldValue {
        .object([.init(component, .object([.init(property, value)]))])
    }

    /// PnPL: runs a command.
    public static func pnplRun(_ component: String, _ command: String, _ arguments: FieldValue? = nil) -> FieldValue {
        .object([.init("\(component)*\(command)", arguments ?? .object([]))])
    }

    /// PnPL: the components in a state, by name.
    public static func components(in status: FieldValue) -> [(name: String, content: FieldValue)] {
        guard case .list(let devices)? = status["devices"] else { return [] }
        return devices.flatMap { device -> [(String, FieldValue)] in
            guard case .list(let components)? = device["components"] else { return [] }
            return components.flatMap { component -> [(String, FieldValue)] in
                guard case .object(let members) = component else { return [] }
                return members.map { ($0.name, $0.value) }
            }
        }
    }

    /// The data logger: START, STOP, SAVE, GET or SET, with a request behind the last two.
    public static func dataLog(_ command: String, request: String? = nil, parameters: [FieldValue.Member] = [])
        -> FieldValue
    {
        var members: [FieldValue.Member] = [.init("command", .text(command))]
        if let request { members.append(.init("request", .text(request))) }
        return .object(members + parameters)
    }

    /// NFC: what the tag can hold.
    public static let readNFCModes: FieldValue = ["Command": "ReadModes"]

    /// NFC: writes an address into the tag.
    public static func nfcURL(_ url: String) -> FieldValue { ["NFCURL": .text(url)] }

    /// NFC: writes a text into the tag.
    public static func nfcText(_ text: String) -> FieldValue { ["GenericText": .text(text)] }

    /// The grid of a scene description; nil if the message holds none.
    public static func zones(in message: FieldValue) -> [[Double]]? {
        guard case .list(let rows)? = message["tof_zones"] else { return nil }
        return rows.map { row in
            guard case .list(let values) = row else { return [] }
            return values.map { value in
                switch value {
                case .integer(let number): Double(number)
                case .number(let number): number
                default: .nan
                }
            }
        }
    }
}

/// What the values of a raw stream mean, by the board's PnPL state: the component's `st_ble_stream`. bluest.md §8,
/// number 23.
public struct RawStreamLayout: Hashable, Sendable {
    /// A value of the stream.
    public struct Entry: Hashable, Sendable {
        /// The name.
        public var name: String
        /// How it stands on the air; `float` is `float32`, `enum` an octet.
        public var form: FeatureField.Form
        /// Values in a row.
        public var count: Int
        /// Multiplies the number.
        public var factor: Double
        /// The unit.
        public var unit: String
        /// Names of the values of an `enum`.
        public var labels: [String]
    }

    /// The stream's number.
    public var id: UInt8
    /// Its entries, in order.
    public var entries: [Entry]

    /// Values beyond this are no sensor's.
    private static let countLimit = 4096

    /// The streams that a state describes.
    public static func layouts(in status: FieldValue) -> [RawStreamLayout] {
        BoardMessage.components(in: status).compactMap { layout($0.content) }
    }

    private static func layout(_ component: FieldValue) -> RawStreamLayout? {
        guard case .object(let members)? = component["st_ble_stream"],
            case .integer(let number)? = component["st_ble_stream"]?["id"], let id = UInt8(exactly: number)
        else { return nil }
        return RawStreamLayout(id: id, entries: members.compactMap { entry($0.name, $0.value) })
    }

    private static func entry(_ name: String, _ value: FieldValue) -> Entry? {
        guard case .text(let format)? = value["format"] else { return nil }
        let forms: [String: FeatureField.Form] = [
            "uint8_t": .uint8, "int8_t": .int8, "uint16_t": .uint16, "int16_t": .int16, "uint32_t": .uint32,
            "int32_t": .int32, "float": .float32, "enum": .uint8,
        ]
        guard let form = forms[format] else { return nil }
        func number(_ key: String) -> Double? {
            switch value[key] {
            case .integer(let number)?: Double(number)
            case .number(let number)?: number
            default: nil
            }
        }
        let count = (number("elements") ?? 1) * (number("channels") ?? 1)
        guard count >= 1, count <= Double(countLimit) else { return nil }
        var labels: [String] = []
        if case .list(let names)? = value["labels"] {
            labels = names.map { if case .text(let text) = $0 { text } else { "" } }
        }
        var unit = ""
        if case .text(let text)? = value["unit"] { unit = text }
        return Entry(
            name: name, form: form, count: Int(count), factor: number("multiply_factor") ?? 1, unit: unit,
            labels: labels)
    }

    /// The values of a notification of this stream, by the names of the entries.
    ///
    /// - Throws: ``FeatureError`` with `truncated`.
    public func decode(_ data: [UInt8]) throws(FeatureError) -> [(name: String, values: [Double])] {
        var input = FeatureInput(data, feature: "rawPnPL")
        var found: [(name: String, values: [Double])] = []
        for entry in entries {
            var values: [Double] = []
            for _ in 0..<entry.count { values.append(try input.number(entry.form) * entry.factor) }
            found.append((entry.name, values))
        }
        return found
    }
}
