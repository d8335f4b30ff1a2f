// SPDX-License-Identifier: Apache-2.0

/// Host Controller Interface. Core 5.4, Vol 4, Part E.
///
/// Commands conform to ``HCICommand`` (answered with Command Complete) or ``HCICommandWithStatus`` (answered with Command
/// Status and, later, an event). Events conform to ``HCIEvent`` or ``HCILEEvent``. All of them can be decoded, encoded and
/// dissected, so that hosts and controllers share one description.
/// ```swift
/// let packet = try HCI.LESetRandomAddress(address: address).h4Packet()
/// let size = try HCI.LEReadBufferSize.ReturnParameters(decodingPrefixOf: parameters)
/// ```
public enum HCI {
    /// The largest connection handle, 0x0EFF. Core 5.4, Vol 4, Part E, 5.3.
    public static let maximumHandle: UInt16 = 0x0EFF
}

/// A command of any kind. Core 5.4, Vol 4, Part E, 5.4.1.
public protocol HCICommandPacket: WirePacket {
    /// The command's number.
    static var opcode: HCI.Opcode { get }
}

/// A command that is answered with a Command Complete event.
public protocol HCICommand: HCICommandPacket {
    /// What Command Complete carries **behind** the status octet; only present when the status is 0x00.
    associatedtype ReturnParameters: WirePacket
}

/// A command that is answered with a Command Status event, and completed by another event.
public protocol HCICommandWithStatus: HCICommandPacket {}

/// An event with its own code. Core 5.4, Vol 4, Part E, 7.7.
public protocol HCIEvent: WirePacket {
    /// The event's number.
    static var code: HCI.EventCode { get }
}

/// An event inside an LE Meta event; its fields start behind the subevent code. Core 5.4, Vol 4, Part E, 7.7.65.
public protocol HCILEEvent: WirePacket {
    /// The subevent's number.
    static var subevent: HCI.LESubevent { get }
}

/// Return parameters of a command that returns nothing but its status.
public struct HCIEmpty: WirePacket, Hashable {
    /// Nothing.
    @inlinable
    public init() {}

    /// Shows every field in wire order.
    @inlinable
    public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
}

extension HCICommandPacket {
    /// The whole command as an H4 packet: type octet, opcode, length, parameters.
    ///
    /// - Throws: ``WireError`` when a field does not fit, `.tooLong` when the parameters exceed 255 octets.
    public func h4Packet() throws(WireError) -> [UInt8] {
        let opcode = Self.opcode.rawValue
        var packet = [
            H4.PacketType.command.rawValue, UInt8(truncatingIfNeeded: opcode), UInt8(truncatingIfNeeded: opcode >> 8),
            0,
        ]
        try encode(into: &packet)
        guard packet.count - 4 <= 255 else { throw WireError(offset: 255, reason: .tooLong) }
        packet[3] = UInt8(truncatingIfNeeded: packet.count - 4)
        return packet
    }
}

extension HCIEvent {
    /// The whole event as an H4 packet: type octet, code, length, parameters.
    ///
    /// - Throws: ``WireError`` when a field does not fit, `.tooLong` when the parameters exceed 255 octets.
    public func h4Packet() throws(WireError) -> [UInt8] {
        var packet = [H4.PacketType.event.rawValue, Self.code.rawValue, 0]
        try encode(into: &packet)
        guard packet.count - 3 <= 255 else { throw WireError(offset: 255, reason: .tooLong) }
        packet[2] = UInt8(truncatingIfNeeded: packet.count - 3)
        return packet
    }
}

extension HCILEEvent {
    /// The whole LE Meta event as an H4 packet: type octet, code, length, subevent, parameters.
    ///
    /// - Throws: ``WireError`` when a field does not fit, `.tooLong` when the parameters exceed 255 octets.
    public func h4Packet() throws(WireError) -> [UInt8] {
        var packet = [H4.PacketType.event.rawValue, HCI.EventCode.leMeta.rawValue, 0, Self.subevent.rawValue]
        try encode(into: &packet)
        guard packet.count - 3 <= 255 else { throw WireError(offset: 255, reason: .tooLong) }
        packet[2] = UInt8(truncatingIfNeeded: packet.count - 3)
        return packet
    }
}

extension FieldVisitor where Self: ~Escapable {
    /// An octet that is 0 or 1; anything else throws `.invalid`.
    @inlinable
    mutating func flag(_ name: StaticString, _ value: inout Bool) throws(WireError) {
        let start = offset
        var raw: UInt8 = value ? 1 : 0
        try field(name, &raw)
        guard raw <= 1 else { throw .invalid(name, at: start) }
        value = raw == 1
    }

    /// A little-endian number of three octets; the upper octet of `value` is not sent.
    @inlinable
    mutating func uint24(_ name: StaticString, _ value: inout UInt32) throws(WireError) {
        var wide = UInt64(value & 0xFF_FFFF)
        try field(name, &wide, bytes: 3)
        value = UInt32(truncatingIfNeeded: wide)
    }

    /// A length octet and 31 octets of which the first `length` count, as legacy advertising data is sent.
    @inlinable
    mutating func legacyAdvertisingData(_ name: StaticString, _ value: inout [UInt8]) throws(WireError) {
        let start = offset
        guard value.count <= 31 else { throw WireError(offset: start, reason: .tooLong) }
        var length = UInt8(truncatingIfNeeded: value.count)
        try field("length", &length)
        guard length <= 31 else { throw .invalid("length", at: start) }
        var padded = value + [UInt8](repeating: 0, count: 31 - value.count)
        try bytes(name, &padded, count: 31)
        value = Array(padded.prefix(Int(length)))
    }

    /// A length octet and as many octets.
    @inlinable
    mutating func counted(_ name: StaticString, _ value: inout [UInt8]) throws(WireError) {
        guard value.count <= 255 else { throw WireError(offset: offset, reason: .tooLong) }
        var length = UInt8(truncatingIfNeeded: value.count)
        try field("length", &length)
        try bytes(name, &value, count: remaining == nil ? value.count : Int(length))
    }
}
