// SPDX-License-Identifier: Apache-2.0

/// The UART transport layer. Core 5.4, Vol 4, Part A.
public enum H4 {
    /// The octet in front of each packet. Core 5.4, Vol 4, Part A, 2.
    public struct PacketType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The octet.
        public let rawValue: UInt8
        /// Wraps an octet.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// HCI command, host to controller (0x01).
        public static let command = Self(rawValue: 1)
        /// ACL data, both ways (0x02).
        public static let acl = Self(rawValue: 2)
        /// Synchronous data, both ways (0x03).
        public static let synchronous = Self(rawValue: 3)
        /// HCI event, controller to host (0x04).
        public static let event = Self(rawValue: 4)
        /// Isochronous data, both ways (0x05).
        public static let isochronous = Self(rawValue: 5)

        /// An English name, or the number.
        public var description: String {
            switch self {
            case .command: "command"
            case .acl: "ACL data"
            case .synchronous: "synchronous data"
            case .event: "event"
            case .isochronous: "isochronous data"
            default: "packet type \(rawValue)"
            }
        }

        /// Octets from behind the type octet to the end of the length field; nil for an unknown type.
        @inlinable
        public var headerSize: Int? {
            switch rawValue {
            case 1, 3: 3
            case 2, 5: 4
            case 4: 2
            default: nil
            }
        }

        /// Octets of the body (header included) as the header at `offset` of `span` announces them.
        ///
        /// Nil when the type is unknown or fewer than ``headerSize`` octets are there.
        @inlinable
        public func bodySize(of span: RawSpan, at offset: Int) -> Int? {
            guard let header = headerSize, offset >= 0, span.byteCount - offset >= header else { return nil }
            switch rawValue {
            case 4: return header + Int(span[offset + 1])
            case 2: return header + Int(span.uint16(at: offset + 2))
            case 5: return header + Int(span.uint16(at: offset + 2) & 0x3FFF)
            default: return header + Int(span[offset + 2])
            }
        }
    }
}

/// Cuts a stream of H4 octets into packets, however the stream was split.
///
/// A packet that lies whole in the input is delivered without a copy. What is left over is kept, at most
/// ``maximumPacketSize`` octets. After an error the stream has lost its frame: every further call throws the same error
/// until ``reset()``; lengths are never guessed.
/// ```swift
/// var framer = H4Framer()
/// try framer.feed(received) { type, body in handle(type, body) }
/// ```
public struct H4Framer: Sendable {
    /// Largest packet taken, type octet included: 64 KiB.
    public static let maximumPacketSize = 65_536

    @usableFromInline var carry: [UInt8] = []
    @usableFromInline var consumed = 0
    /// Why the stream cannot be read any more; nil while it can.
    public private(set) var failure: WireError?

    /// Starts at a packet's first octet.
    public init() {}

    /// Octets of an unfinished packet that wait for their rest.
    public var pendingCount: Int { carry.count }

    /// Forgets what was received, also an error.
    public mutating func reset() {
        carry.removeAll(keepingCapacity: true)
        consumed = 0
        failure = nil
    }

    /// Takes the next octets of the stream and delivers each packet that is whole now: its type and its octets behind the
    /// type octet.
    ///
    /// `deliver` must not feed the same framer. The span it is given is valid during the call only.
    /// - Throws: ``WireError`` with the offset in the stream since the start: `.invalid("packet type")` for an unknown
    ///   type octet, `.tooLong` for a packet above ``maximumPacketSize``. Packets in front of it were delivered.
    @inlinable
    public mutating func feed(
        _ input: RawSpan, _ deliver: (_ type: H4.PacketType, _ body: RawSpan) -> Void
    ) throws(WireError) {
        if let failure { throw failure }
        var position = 0
        if !carry.isEmpty { try completeCarried(input, &position, deliver) }
        while carry.isEmpty, position < input.byteCount {
            let type = H4.PacketType(rawValue: input[position])
            guard let header = type.headerSize else { throw fail(.invalid("packet type", at: consumed + position)) }
            guard let size = type.bodySize(of: input, at: position + 1) else {
                keep(input, from: position, expecting: header + 1)
                position = input.byteCount
                break
            }
            guard size < Self.maximumPacketSize else {
                throw fail(WireError(offset: consumed + position, reason: .tooLong))
            }
            guard input.byteCount - position > size else {
                keep(input, from: position, expecting: size + 1)
                position = input.byteCount
                break
            }
            deliver(type, input.extracting(position + 1..<position + 1 + size))
            position += 1 + size
        }
        consumed &+= position
    }

    /// Fills up the packet that began in earlier input.
    @usableFromInline
    mutating func completeCarried(
        _ input: RawSpan, _ position: inout Int, _ deliver: (_ type: H4.PacketType, _ body: RawSpan) -> Void
    ) throws(WireError) {
        let start = consumed &- carry.count
        let type = H4.PacketType(rawValue: carry[0])
        guard let header = type.headerSize else { throw fail(.invalid("packet type", at: start)) }
        move(input, &position, upTo: header + 1)
        guard let size = type.bodySize(of: carry.span.bytes, at: 1) else { return }
        guard size < Self.maximumPacketSize else { throw fail(WireError(offset: start, reason: .tooLong)) }
        move(input, &position, upTo: size + 1)
        guard carry.count == size + 1 else { return }
        deliver(type, carry.span.bytes.extracting(1..<size + 1))
        carry.removeAll(keepingCapacity: true)
    }

    @usableFromInline
    mutating func keep(_ input: RawSpan, from start: Int, expecting size: Int) {
        carry.reserveCapacity(size)
        input.extracting(start..<input.byteCount).withUnsafeBytes { unsafe carry.append(contentsOf: $0) }
    }

    @usableFromInline
    mutating func fail(_ error: WireError) -> WireError {
        carry.removeAll()
        failure = error
        return error
    }

    // MARK: - private

    private mutating func move(_ input: RawSpan, _ position: inout Int, upTo count: Int) {
        let wanted = min(count - carry.count, input.byteCount - position)
        guard wanted > 0 else { return }
        input.extracting(position..<position + wanted).withUnsafeBytes { unsafe carry.append(contentsOf: $0) }
        position += wanted
    }
}
