// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Walks over the fields of a characteristic value: reads them, writes them, or lists them with their names.
///
/// Numbers are little-endian unless ``byteOrder`` says otherwise. A group of fields may hang on a bit of flags that
/// stand in front: ``has(_:_:)``.
public struct ValueCoder: Sendable {
    enum Direction: Sendable { case reading, writing, listing, texts }

    /// Which octet of a number comes first.
    public enum ByteOrder: Hashable, Sendable {
        /// The least significant, as everywhere in Bluetooth.
        case little
        /// The most significant, as some vendors do.
        case big
    }

    /// The order of the octets of the numbers that follow.
    public var byteOrder = ByteOrder.little

    let direction: Direction
    /// What is read, or what was written so far.
    public internal(set) var bytes: [UInt8]
    /// Octets visited so far.
    public internal(set) var position = 0
    /// Names and values of the fields visited so far; empty while writing.
    public private(set) var members: [FieldValue.Member] = []
    /// The name of the field that was visited last: after an error, the one that does not fit.
    public internal(set) var field = ""

    /// The texts that are given for fields, by their names.
    var givenTexts: [String: String] = [:]
    /// The fields as texts.
    var textFields: [TextField] = []
    /// What is wrong with a text.
    var textFault: TextError?
    /// Stands in front of the names of fields.
    var prefix = ""

    private var flagBits: UInt32 = 0
    private var flagsOffset = 0
    private var flagsOctets = 0
    private var flagsOrder = ByteOrder.little

    private init(_ direction: Direction, _ bytes: [UInt8]) {
        self.direction = direction
        self.bytes = bytes
    }

    /// Reads `bytes`.
    public init(reading bytes: [UInt8]) { self.init(.reading, bytes) }

    /// Writes.
    public static func writing() -> Self { Self(.writing, []) }

    /// Lists names and values.
    public static func listing() -> Self { Self(.listing, []) }

    /// Takes texts for fields, and gives all fields as texts.
    static func texts(_ given: [String: String]) -> Self {
        var coder = Self(.texts, [])
        coder.givenTexts = given
        return coder
    }

    /// Octets left to be read; 0 while writing or listing.
    public var remaining: Int { direction == .reading ? bytes.count - position : 0 }

    /// True while octets are read.
    public var isReading: Bool { direction == .reading }

    /// True while octets are written.
    public var isWriting: Bool { direction == .writing }

    /// Octets behind the last field that was read.
    public var rest: [UInt8] { direction == .reading ? Array(bytes[position...]) : [] }

    // MARK: - flags

    /// The flags that later fields hang on: 1 to 4 octets.
    public mutating func flags(_ octets: Int) throws(WireError) {
        field = "flags"
        flagsOffset = position
        flagsOctets = octets
        flagsOrder = byteOrder
        var value: UInt64 = 0
        try raw(&value, octets)
        flagBits = UInt32(truncatingIfNeeded: value)
    }

    /// True when the fields behind `bit` are there.
    ///
    /// While reading the flags decide; otherwise `present` does, and the bit is set accordingly.
    public mutating func has(_ bit: Int, _ present: Bool) -> Bool {
        if direction == .reading { return flagBits >> UInt32(bit) & 1 == 1 }
        if present { set(1 << UInt32(bit)) }
        return present
    }

    /// A flag that is a value of its own. Listed when it has a name.
    public mutating func flag(_ bit: Int, _ value: inout Bool, name: String? = nil) {
        if direction == .texts, let name {
            // A text that does not fit is told at the end of the visit.
            do { try flagText(name, &value) } catch { return }
        }
        value = has(bit, value)
        if let name { list(name, .bool(value)) }
    }

    /// Flags that together are a number; not listed.
    public mutating func flags(_ range: ClosedRange<Int>, _ value: inout UInt8) {
        let mask = (UInt32(1) << UInt32(range.count)) &- 1
        if direction == .reading {
            value = UInt8(truncatingIfNeeded: flagBits >> UInt32(range.lowerBound) & mask)
        } else {
            set((UInt32(value) & mask) << UInt32(range.lowerBound))
        }
    }

    private mutating func set(_ bits: UInt32) {
        guard direction == .writing else { return }
        flagBits |= bits
        for index in 0..<flagsOctets {
            let place = flagsOrder == .little ? index : flagsOctets - 1 - index
            bytes[flagsOffset + place] = UInt8(truncatingIfNeeded: flagBits >> (8 * UInt32(index)))
        }
    }

    // MARK: - fields

    /// A whole number of `octets` octets, by default its own width; fewer are sign-extended for signed types.
    public mutating func integer<T: FixedWidthInteger>(
        _ name: String, _ value: inout T, octets: Int = T.bitWidth / 8
    ) throws(WireError) {
        field = name
        if direction == .texts {
            let range = Self.range(of: T.self, octets)
            return try text(name, &value, show: { "\($0)" }, parse: { TextParser.integer($0, in: range) })
        }
        var number = UInt64(truncatingIfNeeded: value)
        if direction == .writing { try check(value, octets) }
        try raw(&number, octets)
        if direction == .reading { value = T(truncatingIfNeeded: Self.extended(number, octets, signed: T.isSigned)) }
        list(name, FieldValue(integer: value))
    }

    /// A whole number that is there when `bit` is set, and null when it equals `unknown`.
    public mutating func integer<T: FixedWidthInteger>(
        _ name: String, _ value: inout T?, bit: Int? = nil, unknown: T? = nil, octets: Int = T.bitWidth / 8
    ) throws(WireError) {
        field = name
        if direction == .texts {
            let range = Self.range(of: T.self, octets)
            return try optionalText(name, &value, show: { "\($0)" }, parse: { TextParser.integer($0, in: range) })
        }
        if let bit, !has(bit, value != nil) { return absent(name, &value) }
        var number = value ?? unknown ?? 0
        if direction == .writing { try check(number, octets) }
        var raw = UInt64(truncatingIfNeeded: number)
        try self.raw(&raw, octets)
        if direction == .reading {
            number = T(truncatingIfNeeded: Self.extended(raw, octets, signed: T.isSigned))
            value = number == unknown ? nil : number
        }
        list(name, value.map { FieldValue(integer: $0) } ?? .null)
    }

    /// Whole numbers one behind the other; `count` tells how many to read.
    public mutating func integers<T: FixedWidthInteger>(
        _ name: String, _ values: inout [T], count: Int
    ) throws(WireError) {
        let before = members
        if direction == .texts {
            return try text(
                name, &values, isOptional: true, show: { $0.map { "\($0)" }.joined(separator: ", ") },
                parse: { TextParser.list($0) { TextParser.integer($0) } })
        }
        if direction == .reading {
            guard count >= 0, remaining / (T.bitWidth / 8) >= count else {
                throw WireError(offset: position, reason: .truncated)
            }
            values = [T](repeating: 0, count: count)
        }
        for index in values.indices { try integer(name, &values[index]) }
        members = before
        list(name, .list(values.map { FieldValue(integer: $0) }))
    }

    /// A number with a fraction, sent as a whole number divided by `scale`.
    public mutating func scaled(
        _ name: String, _ value: inout Double, octets: Int, signed: Bool, scale: ValueScale
    ) throws(WireError) {
        if direction == .texts {
            field = name
            return try text(name, &value, show: { "\($0)" }, parse: { TextParser.number($0) })
        }
        var optional: Double? = value
        try scaled(name, &optional, octets: octets, signed: signed, scale: scale, unknown: nil)
        value = optional ?? 0
    }

    /// A number with a fraction that is there when `bit` is set, and null when the number sent equals `unknown`.
    public mutating func scaled(
        _ name: String, _ value: inout Double?, bit: Int? = nil, octets: Int, signed: Bool, scale: ValueScale,
        unknown: Int64? = nil
    ) throws(WireError) {
        field = name
        if direction == .texts {
            return try optionalText(name, &value, show: { "\($0)" }, parse: { TextParser.number($0) })
        }
        if let bit, !has(bit, value != nil) { return absent(name, &value) }
        var number: Int64 = unknown ?? 0
        if let value, direction == .writing {
            guard let exact = scale.raw(value) else { throw .invalid("number", at: position) }
            number = exact
            let bits = UInt64(8 * octets)
            let fits = signed ? exact >> Int64(bits - 1) == exact >> 63 : exact >= 0 && exact >> Int64(bits) == 0
            guard fits else { throw WireError(offset: position, reason: .tooLong) }
        }
        var raw = UInt64(bitPattern: number)
        try self.raw(&raw, octets)
        if direction == .reading {
            number = Self.extended(raw, octets, signed: signed)
            value = number == unknown ? nil : scale.value(number)
        }
        list(name, value.map { .number($0) } ?? .null)
    }

    /// A date and time of seven octets that is there when `bit` is set.
    public mutating func dateTime(_ name: String, _ value: inout DateTime?, bit: Int) throws(WireError) {
        field = name
        if direction == .texts {
            return try optionalText(name, &value, show: { $0.text }, parse: { TextParser.dateTime($0) })
        }
        if !has(bit, value != nil) { return absent(name, &value) }
        var time = value ?? DateTime()
        try dateTime(name, &time)
        value = time
    }

    /// A date and time of seven octets.
    public mutating func dateTime(_ name: String, _ value: inout DateTime) throws(WireError) {
        field = name
        if direction == .texts {
            return try text(name, &value, show: { $0.text }, parse: { TextParser.dateTime($0) })
        }
        let before = members
        try integer(name, &value.year)
        try integer(name, &value.month)
        try integer(name, &value.day)
        try integer(name, &value.hours)
        try integer(name, &value.minutes)
        try integer(name, &value.seconds)
        members = before
        list(name, value.fields)
    }

    /// `count` octets.
    public mutating func octets(_ name: String, _ value: inout [UInt8], count: Int) throws(WireError) {
        field = name
        switch direction {
        case .reading:
            guard count >= 0, remaining >= count else { throw WireError(offset: position, reason: .truncated) }
            value = Array(bytes[position..<position + count])
        case .writing:
            guard value.count == count else { throw .invalid("length", at: position) }
            bytes += value
        case .listing: break
        case .texts:
            return try text(
                name, &value, show: { Hex.encode($0) }, parse: { TextParser.octets($0, count: count) })
        }
        position += count
        list(name, .bytes(value))
    }

    /// All octets that are left.
    public mutating func rest(_ name: String, _ value: inout [UInt8]) throws(WireError) {
        if direction == .texts {
            field = name
            return try text(
                name, &value, isOptional: true, show: { Hex.encode($0) }, parse: { TextParser.octets($0, count: nil) })
        }
        try octets(name, &value, count: direction == .reading ? remaining : value.count)
    }

    // MARK: - listing

    /// Adds a name and a value to the list, unless octets are being written.
    public mutating func list(_ name: String, _ value: FieldValue) {
        if direction == .reading || direction == .listing { members.append(.init(prefix + name, value)) }
    }

    /// Replaces the value that was listed last, for fields that are shown by a word or a combination.
    public mutating func relist(_ name: String, _ value: FieldValue) {
        guard direction == .reading || direction == .listing else { return }
        if !members.isEmpty { members.removeLast() }
        members.append(.init(prefix + name, value))
    }

    /// Forgets what was listed, for values that are shown in another form.
    public mutating func removeMembers() { members = [] }

    // MARK: - private

    private mutating func absent<T>(_ name: String, _ value: inout T?) {
        if direction == .reading { value = nil }
        list(name, .null)
    }

    private func check<T: FixedWidthInteger>(_ value: T, _ octets: Int) throws(WireError) {
        guard octets * 8 < T.bitWidth else { return }
        let bits = octets * 8
        let fits = T.isSigned ? value >> (bits - 1) == value >> (T.bitWidth - 1) : value >> bits == 0
        guard fits else { throw WireError(offset: position, reason: .tooLong) }
    }

    mutating func raw(_ value: inout UInt64, _ octets: Int) throws(WireError) {
        switch direction {
        case .reading:
            guard remaining >= octets else { throw WireError(offset: position, reason: .truncated) }
            value = 0
            for index in 0..<octets {
                let place = byteOrder == .little ? index : octets - 1 - index
                value |= UInt64(bytes[position + index]) << (8 * UInt64(place))
            }
        case .writing:
            for index in 0..<octets {
                let place = byteOrder == .little ? index : octets - 1 - index
                bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(place))))
            }
        case .listing, .texts: break
        }
        position += octets
    }

    private static func extended(_ value: UInt64, _ octets: Int, signed: Bool) -> Int64 {
        let unused = 64 - 8 * Int64(octets)
        guard signed, unused > 0 else { return Int64(bitPattern: value) }
        return Int64(bitPattern: value << UInt64(unused)) >> unused
    }
}
