// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

extension FirmwareCatalog {
    /// A value as the catalogue describes it: of a notification (`format_notify`), or of a connectionless payload.
    public struct Field: Hashable, Sendable {
        /// The name.
        public var name: String
        /// `UInt8`, `Int16`, `Float` … as the catalogue writes it; nil for octets without a meaning.
        public var type: String?
        /// Octets; nil for what the type has, or for all that are left.
        public var length: Int?
        /// The unit.
        public var unit: String?
        /// Added to the number times ``scale``.
        public var offset: Double
        /// The number on the air is multiplied with it.
        public var scale: Double
        /// The least value that a display should expect.
        public var least: Double?
        /// The greatest value that a display should expect.
        public var greatest: Double?
        /// Names of the values.
        public var labels: [UInt8: String]
        /// Whether notifications may end before it.
        public var isOptional: Bool

        /// Whether it is the board's clock, which stands in front of most notifications.
        var isTimestamp: Bool { name.lowercased() == "timestamp" && (length == 2 || type == "UInt16") }

        /// How it stands on the air; nil for octets.
        var form: FeatureField.Form? {
            let forms: [String: FeatureField.Form] = [
                "uint8": .uint8, "int8": .int8, "uint16": .uint16, "unit16": .uint16, "int16": .int16,
                "uint32": .uint32, "int32": .int32, "float": .float32,
            ]
            guard let form = type.flatMap({ forms[$0.lowercased()] }) else { return nil }
            return length == nil || length == form.size ? form : nil
        }

        var field: FeatureField {
            guard let form else { return FeatureField(name, .bytes, unit: unit, presence: .optional) }
            var range: ClosedRange<Double>?
            if let least, let greatest, least <= greatest { range = least...greatest }
            return FeatureField(
                name, form, unit: unit, divisor: scale == 0 ? 1 : 1 / scale, range: range,
                labels: labels.isEmpty ? nil : FeatureLabels(labels, other: "unknown"),
                presence: isOptional ? .optional : .required)
        }
    }

    /// What a connectionless board's payload of one protocol number holds. bluest.md §1.5.
    public struct Payload: Hashable, Sendable {
        /// The protocol's number.
        public var number: UInt16
        /// The name.
        public var name: String
        /// The values in order.
        public var fields: [Field]
    }

    /// The values of a connectionless board's payload, by name; nil if the catalogue does not describe it.
    ///
    /// - Throws: ``FeatureError`` when the payload is shorter than described.
    public func payload(of advertisement: BlueSTAdvertisement) throws(FeatureError) -> [FieldValue.Member]? {
        guard case .payload(_, let number, let octets) = advertisement.content,
            let described = entry(for: advertisement)?.payloads.first(where: { $0.number == number }),
            let feature = Self.feature(described.name, described.fields)
        else { return nil }
        var decoder = CharacteristicDecoder("FFFF", slots: [.init(feature: feature)])
        var members: [FieldValue.Member] = []
        let outcome = decoder.decode(octets) { members = $0.members }
        if let error = outcome.error { throw error }
        return members
    }

    /// The feature that the catalogue alone describes under this identifier, on whatever board; nil if there is none.
    public func feature(id: String) -> Feature? {
        let wanted = id.lowercased()
        for entry in entries {
            for characteristic in entry.characteristics
            where Self.identifier(characteristic.name).lowercased() == wanted {
                if let feature = characteristic.feature { return feature }
            }
        }
        return nil
    }

    /// A feature of described values; nil if there are none.
    ///
    /// A timestamp in front is the board's clock; without one the host's is used. Octets without a meaning are shown
    /// as they are, the first of them.
    static func feature(_ name: String, _ described: [Field]) -> Feature? {
        let hasClock = described.first?.isTimestamp == true
        let fields = Array((hasClock ? described[1...] : described[...]).prefix(FeatureValues.capacity))
        guard !fields.isEmpty else { return nil }
        return Feature(
            identifier(name), name: name, fields: fields.map(\.field), timing: hasClock ? .device : .host
        ) { input, values throws(FeatureError) in
            try read(fields, &input, &values)
        }
    }

    private static func read(
        _ fields: [Field], _ input: inout FeatureInput, _ values: inout FeatureValues
    ) throws(FeatureError) {
        for (index, field) in fields.enumerated() {
            guard let form = field.form else {
                let count = min(max(0, field.length ?? input.remaining), input.remaining)
                let octets = Array(input.bytes[input.position..<(input.position + count)])
                try input.skip(count)
                if values.bytes.isEmpty { values.bytes = octets }
                continue
            }
            if field.isOptional, input.remaining < form.size ?? 0 { return }
            values[index] = field.offset + (try input.number(form)) * field.scale
        }
    }

    /// `Gas Sensor` becomes `gasSensor`.
    static func identifier(_ name: String) -> String {
        let words = name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let joined = words.enumerated().map { index, word in
            index == 0 ? word.prefix(1).lowercased() + word.dropFirst() : word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
        return joined.isEmpty ? "unnamed" : joined
    }
}

extension FirmwareCatalog.Characteristic {
    /// What its notifications hold as a feature; nil if the catalogue does not say it.
    public var feature: Feature? { FirmwareCatalog.feature(name, format) }
}

extension FirmwareCatalog.Entry {
    /// Adds what the catalogue says about characteristics that are not known otherwise.
    func describe(in registry: inout FeatureRegistry, protocolVersion: UInt8) {
        for characteristic in characteristics {
            let known = registry.slots(
                of: characteristic.uuid, device: device, protocolVersion: protocolVersion, advertised: nil)
            guard known.isEmpty, let feature = characteristic.feature else { continue }
            registry.register([feature], characteristic: characteristic.uuid)
        }
    }
}
