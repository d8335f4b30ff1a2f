// SPDX-License-Identifier: Apache-2.0

/// One value of a feature: its name, unit, form on the air and range.
///
/// ```swift
/// let x = FeatureField("X", .int16, unit: "mg", range: -2000...2000)
/// let level = FeatureField("level", .uint16, unit: "%", divisor: 10, range: 0...100)
/// ```
public struct FeatureField: Hashable, Sendable {
    /// How a value stands in the notification; little-endian.
    public enum Form: String, Hashable, Sendable {
        /// One octet without sign.
        case uint8
        /// One octet with sign.
        case int8
        /// Two octets without sign.
        case uint16
        /// Two octets with sign.
        case int16
        /// Four octets without sign.
        case uint32
        /// Four octets with sign.
        case int32
        /// IEEE 754, four octets.
        case float32
        /// As many numbers as there are: ``FeatureValues/list``.
        case list
        /// Octets as they are: ``FeatureValues/bytes``.
        case bytes
        /// Text: ``FeatureValues/bytes`` in UTF-8.
        case text

        /// Octets on the air; nil for what has no fixed size.
        public var size: Int? {
            switch self {
            case .uint8, .int8: 1
            case .uint16, .int16: 2
            case .uint32, .int32, .float32: 4
            case .list, .bytes, .text: nil
            }
        }
    }

    /// What becomes of a field when the notification ends before it.
    public enum Presence: Hashable, Sendable {
        /// The notification is truncated.
        case required
        /// The field is left out.
        case optional
        /// The field is there without a value.
        case nullable
    }

    /// How a value is shown.
    public enum Style: Hashable, Sendable {
        /// A number; with labels, the label beside it under the name with `Label` behind.
        case number
        /// True or false.
        case flag
        /// The label alone.
        case label
        /// `0x00E00000`, eight digits.
        case mask
    }

    /// The name, unique in the feature.
    public var name: String
    /// How it stands in the notification.
    public var form: Form
    /// The unit, `mg`; nil for plain numbers.
    public var unit: String?
    /// The number on the air is this many times the value.
    public var divisor: Double
    /// The values that a display should expect.
    public var range: ClosedRange<Double>?
    /// The names of the values, if they stand for something.
    public var labels: FeatureLabels?
    /// What becomes of it when it is missing.
    public var presence: Presence
    /// How it is shown.
    public var style: Style

    /// Describes a field.
    public init(
        _ name: String, _ form: Form, unit: String? = nil, divisor: Double = 1, range: ClosedRange<Double>? = nil,
        labels: FeatureLabels? = nil, presence: Presence = .required, style: Style = .number
    ) {
        self.name = name
        self.form = form
        self.unit = unit
        self.divisor = divisor
        self.range = range
        self.labels = labels
        self.presence = presence
        self.style = style
    }

    /// The title of a column: the name, and the unit in parentheses if there is one.
    public var title: String { unit.map { "\(name) (\($0))" } ?? name }

    /// True if all values are whole numbers.
    var isWhole: Bool { divisor == 1 && form != .float32 }
}

/// The names of the values of a field.
public struct FeatureLabels: Hashable, Sendable {
    /// Names by value.
    public var names: [UInt8: String]
    /// The name of all other values.
    public var other: String

    /// Names by value, and one for all others.
    public init(_ names: [UInt8: String], other: String) {
        self.names = names
        self.other = other
    }

    /// Names of 0, 1, 2…, and one for all others.
    public init(_ names: [String], other: String) {
        self.names = Dictionary(
            uniqueKeysWithValues: names.prefix(256).enumerated().map { (UInt8($0.offset), $0.element) })
        self.other = other
    }

    /// The name of a value.
    public subscript(_ value: Double) -> String { UInt8(exactly: value).flatMap { names[$0] } ?? other }
}
