// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Describes a feature: what it is called, which fields it has and how they are read.
///
/// A feature whose fields stand one behind the other needs nothing but their list. One of your own has every ability of
/// the built-in ones:
/// ```swift
/// let weight = Feature("weight", name: "Weight", fields: [.init("weight", .uint16, unit: "kg", divisor: 100)])
/// var features = FeatureRegistry()
/// try features.register(weight, mask: 0x8000_0000, device: 0x80)
/// ```
/// Two features are equal when they are the same object.
public final class Feature: Sendable {
    /// How time is told by the notifications of a feature.
    public enum Timing: Sendable {
        /// The board's time stands in front.
        case device
        /// The number of another board stands in front, then that board's time. bluest.md §5.3.
        case remote
        /// No time is sent; the host's is used.
        case host
    }

    /// Turns values into the object that `decode`, `notify --json` and the vectors show, for features whose fields do
    /// not say it all.
    public typealias Describe = @Sendable (_ values: FeatureValues, _ fields: [FeatureField]) -> [FieldValue.Member]

    /// The identifier in lower camel case, `sensorFusionCompact`.
    public let id: String
    /// The name in ST's programs and logs, `MemsSensorFusion (Compact)`.
    public let name: String
    /// The fields in order.
    public let fields: [FeatureField]
    /// How time is told.
    public let timing: Timing
    /// If greater than 0, ``FeatureValues/list`` is a table with so many columns, and each row is one sample of the
    /// first fields.
    public let columns: Int
    /// Time that the rows of one notification cover together; nil if they are one moment.
    public let rowsCover: Duration?
    /// Identifiers of features whose samples the decoder must see, on whatever characteristic they come.
    public let observes: [String]

    let makeDecoder: (@Sendable () -> any FeatureDecoding)?
    let describe: Describe?
    /// Octets of the required fields, where the fields are the layout.
    let layoutSize: Int
    private let layout: [LayoutStep]

    /// What is needed to read a field: nothing that is counted, so that reading costs no retains.
    private struct LayoutStep {
        var form: FeatureField.Form
        var isRequired: Bool
        var divisor: Double
    }

    /// Describes a feature.
    ///
    /// - Parameters:
    ///   - id: The identifier in lower camel case.
    ///   - name: The name for people, and in logs.
    ///   - fields: The fields in order.
    ///   - timing: How time is told by the notifications.
    ///   - columns: If greater than 0, the list of values is a table with so many columns, a sample each row.
    ///   - rowsCover: Time that the rows of one notification cover together; nil if they are one moment.
    ///   - observes: Identifiers of features whose samples the decoder must see.
    ///   - decoder: makes the reader of the octets, one for each characteristic; nil if they are the fields, one behind
    ///     the other.
    ///   - describe: shows values; nil if each field is shown by itself.
    public init(
        _ id: String, name: String, fields: [FeatureField], timing: Timing = .device, columns: Int = 0,
        rowsCover: Duration? = nil, observes: [String] = [], decoder: (@Sendable () -> any FeatureDecoding)? = nil,
        describe: Describe? = nil
    ) {
        self.id = id
        self.name = name
        self.fields = fields
        self.timing = timing
        self.columns = columns
        self.rowsCover = rowsCover
        self.observes = observes
        self.makeDecoder = decoder
        self.describe = describe
        self.layout = fields.map {
            LayoutStep(form: $0.form, isRequired: $0.presence == .required, divisor: $0.divisor)
        }
        self.layoutSize = fields.reduce(0) { $0 + ($1.presence == .required ? $1.form.size ?? 0 : 0) }
    }

    /// Describes a feature whose octets are read by a function that keeps nothing between notifications.
    public convenience init(
        _ id: String, name: String, fields: [FeatureField], timing: Timing = .device, columns: Int = 0,
        rowsCover: Duration? = nil, describe: Describe? = nil,
        read: @escaping @Sendable (inout FeatureInput, inout FeatureValues) throws(FeatureError) -> Void
    ) {
        self.init(
            id, name: name, fields: fields, timing: timing, columns: columns, rowsCover: rowsCover,
            decoder: { FunctionDecoder(read: read) }, describe: describe)
    }

    /// The index of the field called `name`.
    public func index(of name: String) -> Int? { fields.firstIndex { $0.name == name } }

    /// Shows values as an object in the names of the shared vectors.
    public func members(of values: FeatureValues) -> [FieldValue.Member] {
        if let describe { return describe(values, fields) }
        return fields.enumerated().flatMap { index, field in Self.members(of: field, at: index, in: values) }
    }

    /// Shows one field.
    public static func members(of field: FeatureField, at index: Int, in values: FeatureValues) -> [FieldValue.Member] {
        switch field.form {
        case .list: return [.init(field.name, .list(values.list.map { number($0, of: field) }))]
        case .bytes: return [.init(field.name, .bytes(values.bytes))]
        case .text: return [.init(field.name, .text(String(decoding: values.bytes, as: UTF8.self)))]
        default: break
        }
        guard let value = values[index] else {
            return field.presence == .optional ? [] : [.init(field.name, .null)]
        }
        switch field.style {
        case .flag: return [.init(field.name, .bool(value != 0))]
        case .mask: return [.init(field.name, .text(BlueSTAdvertisement.hex(UInt32(exactly: value) ?? 0, 8)))]
        case .label: return [.init(field.name, .text(field.labels?[value] ?? "\(value)"))]
        case .number:
            let plain = FieldValue.Member(field.name, number(value, of: field))
            guard let labels = field.labels else { return [plain] }
            return [plain, .init(field.name + "Label", .text(labels[value]))]
        }
    }

    /// A number as JSON has it: whole where the field is, `"NaN"` where there is none.
    public static func number(_ value: Double, of field: FeatureField) -> FieldValue {
        if value.isNaN { return .text("NaN") }
        if field.isWhole, let whole = Int64(exactly: value) { return .integer(whole) }
        return .number(value)
    }

    /// Reads the fields as they stand, one behind the other.
    func decodeLayout(_ input: inout FeatureInput, into values: inout FeatureValues) throws(FeatureError) {
        try input.require(layoutSize)
        for index in layout.indices {
            let step = layout[index]
            switch step.form {
            case .list:
                while input.remaining > 0 { values.list.append(Double(try input.uint8())) }
            case .bytes, .text: values.bytes = input.rest()
            default:
                if !step.isRequired, input.remaining < step.form.size ?? 0 { continue }
                let raw = try input.number(step.form)
                values.set(index, step.divisor == 1 ? raw : raw / step.divisor)
            }
        }
    }
}

extension Feature: Hashable, CustomStringConvertible {
    /// Whether both are the same object.
    public static func == (a: Feature, b: Feature) -> Bool { a === b }
    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    /// The identifier.
    public var description: String { id }
}

/// Reads the octets of a feature, and may remember something between notifications. One for each characteristic.
public protocol FeatureDecoding: Sendable {
    /// Reads a feature's octets.
    ///
    /// - Returns: false if there is no sample yet, since more notifications must come first.
    /// - Throws: ``FeatureError``; the caller keeps what other features gave.
    mutating func decode(_ input: inout FeatureInput, into values: inout FeatureValues) throws(FeatureError) -> Bool
    /// A command was sent to the feature.
    mutating func commandSent(_ id: UInt8, _ payload: [UInt8])
    /// How much of a sample that spans notifications is there; nil while none has begun.
    var progress: FeatureProgress? { get }
    /// Another feature that this one ``Feature/observes`` has a sample.
    mutating func observed(_ values: FeatureValues, of feature: Feature)
}

extension FeatureDecoding {
    /// Nothing spans notifications.
    public var progress: FeatureProgress? { nil }
    /// Takes no notice.
    public mutating func commandSent(_ id: UInt8, _ payload: [UInt8]) {}
    /// Takes no notice.
    public mutating func observed(_ values: FeatureValues, of feature: Feature) {}
}

/// How much of a sample that spans notifications is there.
public struct FeatureProgress: Hashable, Sendable {
    /// Values, or octets, that came.
    public var received: Int
    /// All of them; nil if that is not known beforehand.
    public var total: Int?

    /// Describes a progress.
    public init(received: Int, total: Int?) {
        self.received = received
        self.total = total
    }
}

/// A decoder without memory.
struct FunctionDecoder: FeatureDecoding {
    let read: @Sendable (inout FeatureInput, inout FeatureValues) throws(FeatureError) -> Void

    mutating func decode(_ input: inout FeatureInput, into values: inout FeatureValues) throws(FeatureError) -> Bool {
        try read(&input, &values)
        return true
    }
}
