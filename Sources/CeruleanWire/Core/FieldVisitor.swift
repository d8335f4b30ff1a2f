// SPDX-License-Identifier: Apache-2.0

/// Walks over the fields of a packet in wire order: a decoder, an encoder or a dissector.
///
/// Integers are little-endian unless the word says otherwise (Core 5.4, Vol 1, Part E, 2.9 and Vol 4, Part E, 5.2).
/// Every word throws ``WireError`` with the offset of the field; none traps on outside bytes.
public protocol FieldVisitor: ~Escapable {
    /// A little-endian integer of `T`'s own width.
    mutating func field<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
        _ name: StaticString, _ value: inout T
    ) throws(WireError)

    /// A big-endian integer of `T`'s own width.
    mutating func bigEndian<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
        _ name: StaticString, _ value: inout T
    ) throws(WireError)

    /// A little-endian unsigned integer of `bytes` octets, 1 to 8, for widths Swift has no type for.
    mutating func field(_ name: StaticString, _ value: inout UInt64, bytes: Int) throws(WireError)

    /// Part of a little-endian integer of `unit` bits (8, 16 or 32), least significant part first.
    ///
    /// Consecutive calls share the unit until its bits are used up; the widths must add up to `unit`.
    mutating func bits<T: FixedWidthInteger & Sendable>(
        _ name: StaticString, _ value: inout T, width: Int, unit: Int
    ) throws(WireError)

    /// A number from an open set (an error code, a reason, a type).
    mutating func code<C: RawRepresentable & Sendable>(
        _ name: StaticString, _ value: inout C
    ) throws(WireError) where C.RawValue: FixedWidthInteger & BitwiseCopyable & Sendable

    /// A device address of 6 octets.
    mutating func address(_ name: StaticString, _ value: inout BluetoothAddress) throws(WireError)

    /// A UUID of `size` octets: 2 or 16. Other sizes throw `.invalid`.
    mutating func uuid(_ name: StaticString, _ value: inout BluetoothUUID, size: Int) throws(WireError)

    /// Exactly `count` octets, copied.
    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int) throws(WireError)

    /// All octets up to the end, copied.
    mutating func rest(_ name: StaticString, _ value: inout [UInt8]) throws(WireError)

    /// All octets up to the end, as a range into the buffer: no copy. For the hot list only.
    mutating func rest(_ name: StaticString, _ value: inout Range<Int>) throws(WireError)

    /// `count` octets as a range into the buffer: no copy. For the hot list only.
    mutating func bytes(_ name: StaticString, _ value: inout Range<Int>, count: Int) throws(WireError)

    /// A packet inside the packet.
    mutating func nested<P: WirePacket>(_ name: StaticString, _ value: inout P) throws(WireError)

    /// `count` packets one behind the other, or as many as there are octets when `count` is nil.
    mutating func repeated<P: WirePacket>(
        _ name: StaticString, _ value: inout [P], count: Int?
    ) throws(WireError)

    /// Octets that are left to be read, for packets whose layout depends on it. Nil while encoding.
    var remaining: Int? { get }

    /// Octets visited so far.
    var offset: Int { get }
}

/// A packet whose fields are listed once, in wire order.
public protocol WirePacket: Sendable {
    /// A packet of zeros.
    init()

    /// Shows every field to `visitor` in wire order.
    mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError)
}

extension WirePacket {
    /// Decodes a packet that fills `span` exactly; surplus octets throw `.trailing`.
    @inlinable
    public init(decoding span: RawSpan) throws(WireError) {
        self.init()
        var decoder = FieldDecoder(span)
        try visit(&decoder)
        if decoder.offset != span.byteCount { throw WireError(offset: decoder.offset, reason: .trailing) }
    }

    /// Decodes a packet at the start of `span`; surplus octets are ignored, as for HCI events.
    @inlinable
    public init(decodingPrefixOf span: RawSpan) throws(WireError) {
        self.init()
        var decoder = FieldDecoder(span)
        try visit(&decoder)
    }

    /// Decodes a packet that fills `bytes` exactly.
    @inlinable
    public init(decoding bytes: [UInt8]) throws(WireError) {
        try self.init(decoding: bytes.span.bytes)
    }

    /// The octets of the packet.
    @inlinable
    public func encoded() throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        try encode(into: &bytes)
        return bytes
    }

    /// Appends the octets of the packet to `bytes`. On an error `bytes` is as it was before.
    @inlinable
    public func encode(into bytes: inout [UInt8]) throws(WireError) {
        let start = bytes.count
        var encoder = FieldEncoder(appendingTo: bytes)
        bytes = []
        var copy = self
        do {
            try copy.visit(&encoder)
        } catch {
            bytes = encoder.bytes
            bytes.removeSubrange(start...)
            throw error
        }
        bytes = encoder.bytes
    }

    /// The fields with their names and values, for people.
    public func dissected() -> FieldValue {
        var dissector = FieldDissector()
        var copy = self
        do { try copy.visit(&dissector) } catch { dissector.append("error", .text(error.description)) }
        return .object(dissector.fields)
    }
}
