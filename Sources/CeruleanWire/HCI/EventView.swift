// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// An event as it lies in the receive buffer: its code, its parameters, nothing copied.
    public struct EventView: ~Escapable {
        /// Which event.
        public let code: EventCode
        /// The parameters; for an LE Meta event those behind the subevent code.
        public let parameters: RawSpan
        /// The subevent of an LE Meta event, else nil.
        public let subevent: LESubevent?

        /// Reads the body of an H4 event packet: code, length, parameters.
        ///
        /// - Throws: `.truncated` when octets are missing, an LE Meta event without a subevent included. Octets behind the
        ///   announced length are ignored.
        @inlinable
        @_lifetime(copy body)
        public init(_ body: RawSpan) throws(WireError) {
            guard body.byteCount >= 2 else { throw WireError(offset: body.byteCount, reason: .truncated) }
            let end = 2 + Int(body[1])
            guard body.byteCount >= end else { throw WireError(offset: body.byteCount, reason: .truncated) }
            let code = EventCode(rawValue: body[0])
            if code.rawValue == 0x3E {
                guard end >= 3 else { throw WireError(offset: 2, reason: .truncated) }
                subevent = LESubevent(rawValue: body[2])
                parameters = body.extracting(3..<end)
            } else {
                subevent = nil
                parameters = body.extracting(2..<end)
            }
            self.code = code
        }
    }

    /// A command as it lies in the receive buffer of a controller.
    public struct CommandView: ~Escapable {
        /// Which command.
        public let opcode: Opcode
        /// Its parameters.
        public let parameters: RawSpan

        /// Reads the body of an H4 command packet: opcode, length, parameters.
        ///
        /// - Throws: `.truncated` when octets are missing. Octets behind the announced length are ignored.
        @inlinable
        @_lifetime(copy body)
        public init(_ body: RawSpan) throws(WireError) {
            guard body.byteCount >= 3 else { throw WireError(offset: body.byteCount, reason: .truncated) }
            let end = 3 + Int(body[2])
            guard body.byteCount >= end else { throw WireError(offset: body.byteCount, reason: .truncated) }
            opcode = Opcode(rawValue: body.uint16(at: 0))
            parameters = body.extracting(3..<end)
        }
    }

    /// The entries of a Number Of Completed Packets event, read in place. Core 5.4, Vol 4, Part E, 7.7.19.
    ///
    /// Entries that do not fit wholly into the event are dropped (security H10).
    public struct CompletedPackets: ~Escapable {
        @usableFromInline let parameters: RawSpan
        @usableFromInline var position = 1
        @usableFromInline var left: Int

        /// Reads the parameters of the event.
        @inlinable
        @_lifetime(copy parameters)
        public init(_ parameters: RawSpan) {
            self.parameters = parameters
            left = parameters.byteCount > 0 ? Int(parameters[0]) : 0
        }

        /// The next entry; nil at the end.
        @inlinable
        public mutating func next() -> (handle: UInt16, count: UInt16)? {
            guard left > 0, parameters.byteCount - position >= 4 else { return nil }
            defer {
                left -= 1
                position += 4
            }
            return (parameters.uint16(at: position) & 0x0FFF, parameters.uint16(at: position + 2))
        }
    }
}
