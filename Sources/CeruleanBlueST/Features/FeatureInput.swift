// SPDX-License-Identifier: Apache-2.0

/// Why a notification, an answer or a text could not be read.
public struct FeatureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in terms a program can act on. New codes may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The octets end inside the feature.
        public static let truncated = Self(rawValue: "truncated")
        /// The feature has forms of some lengths, and this is none of them.
        public static let unsupportedLength = Self(rawValue: "unsupportedLength")
        /// A command that the feature does not have.
        public static let unknownCommand = Self(rawValue: "unknownCommand")
        /// A signal of 24 bits where 16 are sent, or the reverse.
        public static let precisionMismatch = Self(rawValue: "precisionMismatch")
        /// A signal of a kind that is not known.
        public static let unsupportedSignalType = Self(rawValue: "unsupportedSignalType")
        /// A text that names no version of a firmware.
        public static let unrecognisedVersion = Self(rawValue: "unrecognisedVersion")
        /// A message is longer than anything a board sends.
        public static let tooLong = Self(rawValue: "tooLong")
        /// A message that is no JSON.
        public static let malformedMessage = Self(rawValue: "malformedMessage")
    }

    /// What is wrong.
    public var code: Code
    /// The feature, `timestamp` for the time in front of all, nil if it is about none.
    public var feature: String?
    /// Octets that the feature needs.
    public var needed: Int?
    /// Octets that there are.
    public var available: Int?

    /// Describes an error.
    public init(_ code: Code, feature: String? = nil, needed: Int? = nil, available: Int? = nil) {
        self.code = code
        self.feature = feature
        self.needed = needed
        self.available = available
    }

    /// The code, the feature, and how many octets are missing.
    public var description: String {
        var text = code.rawValue
        if let feature { text += " in \(feature)" }
        if let needed, let available { text += ": needs \(needed) octets, has \(available)" }
        return text
    }
}

/// The octets of a notification from the place where a feature's data begin.
///
/// Reading past the end throws; nothing traps.
public struct FeatureInput: Sendable {
    /// The whole notification.
    public let bytes: [UInt8]
    /// Where the next read begins.
    public private(set) var position: Int
    let start: Int
    let feature: String

    /// Reads `bytes` from `position` on, for the feature called `feature` in errors.
    public init(_ bytes: [UInt8], at position: Int = 0, feature: String) {
        self.bytes = bytes
        self.position = min(max(0, position), bytes.count)
        self.start = self.position
        self.feature = feature
    }

    /// Octets left.
    public var remaining: Int { bytes.count - position }

    /// Fails unless the feature has at least `count` octets from its start.
    public func require(_ count: Int) throws(FeatureError) {
        guard bytes.count - start >= count else {
            throw FeatureError(.truncated, feature: feature, needed: count, available: bytes.count - start)
        }
    }

    /// An error of this feature.
    public func error(_ code: FeatureError.Code) -> FeatureError {
        FeatureError(code, feature: feature, available: bytes.count - start)
    }

    /// One octet.
    @inline(__always)
    public mutating func uint8() throws(FeatureError) -> UInt8 {
        try ensure(1)
        defer { position += 1 }
        return bytes[position]
    }

    /// Two octets.
    @inline(__always)
    public mutating func uint16() throws(FeatureError) -> UInt16 {
        try ensure(2)
        defer { position += 2 }
        return UInt16(bytes[position]) | UInt16(bytes[position + 1]) << 8
    }

    /// Two octets with sign.
    @inline(__always)
    public mutating func int16() throws(FeatureError) -> Int16 { Int16(bitPattern: try uint16()) }

    /// Three octets without sign.
    public mutating func uint24() throws(FeatureError) -> UInt32 {
        try ensure(3)
        defer { position += 3 }
        return UInt32(bytes[position]) | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2]) << 16
    }

    /// Four octets.
    @inline(__always)
    public mutating func uint32() throws(FeatureError) -> UInt32 {
        try ensure(4)
        defer { position += 4 }
        return UInt32(bytes[position]) | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2]) << 16
            | UInt32(bytes[position + 3]) << 24
    }

    /// Four octets with sign.
    @inline(__always)
    public mutating func int32() throws(FeatureError) -> Int32 { Int32(bitPattern: try uint32()) }

    /// A floating point number of four octets.
    @inline(__always)
    public mutating func float32() throws(FeatureError) -> Double { Double(Float(bitPattern: try uint32())) }

    /// Four octets, the most significant first.
    public mutating func bigUInt32() throws(FeatureError) -> UInt32 { try uint32().byteSwapped }

    /// All octets that are left.
    public mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[position...])
    }

    /// Passes over octets.
    public mutating func skip(_ count: Int) throws(FeatureError) {
        try ensure(count)
        position += count
    }

    /// A number of the given form, as it stands.
    @inline(__always)
    mutating func number(_ form: FeatureField.Form) throws(FeatureError) -> Double {
        switch form {
        case .uint8: return Double(try uint8())
        case .int8: return Double(Int8(bitPattern: try uint8()))
        case .uint16: return Double(try uint16())
        case .int16: return Double(try int16())
        case .uint32: return Double(try uint32())
        case .int32: return Double(try int32())
        case .float32: return try float32()
        case .list, .bytes, .text: return 0
        }
    }

    @inline(__always)
    private func ensure(_ count: Int) throws(FeatureError) {
        guard count >= 0, bytes.count - position >= count else { throw short(count) }
    }

    @inline(never)
    private func short(_ count: Int) -> FeatureError {
        FeatureError(
            .truncated, feature: feature, needed: position - start + max(0, count), available: bytes.count - start)
    }
}
