// SPDX-License-Identifier: Apache-2.0

/// A register of a board: its place, size and what may be done with it. bluest.md §11.
public struct Register: Hashable, Sendable {
    /// Where a value is kept.
    public enum Target: String, Hashable, Sendable, CaseIterable {
        /// In memory, until the board restarts.
        case session
        /// In the EEPROM.
        case persistent
    }

    /// What may be done with a register.
    public struct Access: OptionSet, Hashable, Sendable {
        /// One bit for each.
        public let rawValue: UInt8
        /// The operations with these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Reading.
        public static let read = Self(rawValue: 1)
        /// Writing.
        public static let write = Self(rawValue: 2)
    }

    /// The name, `LED_CONFIG`.
    public var name: String
    /// The address.
    public var address: UInt8
    /// The size in 16-bit words.
    public var words: UInt8
    /// What may be done.
    public var access: Access
    /// Where it exists.
    public var targets: Set<Target>
    /// What it is for.
    public var summary: String

    /// Describes a register.
    public init(
        _ name: String, address: UInt8, words: UInt8 = 1, access: Access = [.read, .write],
        targets: Set<Target> = [.session, .persistent], summary: String = ""
    ) {
        self.name = name
        self.address = address
        self.words = words
        self.access = access
        self.targets = targets
        self.summary = summary
    }
}

/// Why a register operation is not done.
public enum RegisterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The register cannot be read, or written.
    case accessNotAllowed(String)
    /// The register does not exist there.
    case targetNotAllowed(String, Register.Target)
    /// More octets than the register has.
    case valueTooLong(String, octets: Int, limit: Int)
    /// The board refuses; the meanings of its numbers are not published.
    case refused(UInt8)

    /// The error in words.
    public var description: String {
        switch self {
        case .accessNotAllowed(let name): "register \(name) does not allow that operation"
        case .targetNotAllowed(let name, let target): "register \(name) has no \(target.rawValue) value"
        case .valueTooLong(let name, let octets, let limit):
            "value of \(octets) octets for register \(name), which has \(limit)"
        case .refused(let code): "the board refused (error \(BlueSTAdvertisement.hex(UInt32(code), 2)))"
        }
    }
}

/// What is written to and read from the register characteristic: four octets of head, then the value. bluest.md §11.
public struct RegisterMessage: Hashable, Sendable {
    /// Reading or writing.
    public enum Operation: String, Hashable, Sendable {
        /// The value is asked for.
        case read
        /// The value is set.
        case write
    }

    /// What is done.
    public var operation: Operation
    /// Where the value is kept.
    public var target: Register.Target
    /// The register's address.
    public var address: UInt8
    /// 0 in requests; anything else in an answer means that the board refused.
    public var error: UInt8
    /// The register's size in 16-bit words.
    public var words: UInt8
    /// True if the board should do it at once and acknowledge.
    public var wantsAcknowledgement: Bool
    /// The value.
    public var payload: [UInt8]

    /// A message.
    public init(
        _ operation: Operation, target: Register.Target, address: UInt8, words: UInt8, payload: [UInt8] = [],
        error: UInt8 = 0, wantsAcknowledgement: Bool = true
    ) {
        self.operation = operation
        self.target = target
        self.address = address
        self.words = words
        self.payload = payload
        self.error = error
        self.wantsAcknowledgement = wantsAcknowledgement
    }

    /// The octets.
    public var encoded: [UInt8] {
        let control: UInt8 =
            0x80 | (target == .persistent ? 0x40 : 0) | (operation == .write ? 0x20 : 0)
            | (wantsAcknowledgement ? 0x08 : 0)
        return [control, address, error, words] + payload
    }

    /// Reads the octets.
    ///
    /// - Throws: ``FeatureError`` with `truncated` for less than four octets.
    public init(decoding bytes: [UInt8]) throws(FeatureError) {
        guard bytes.count >= 4 else { throw FeatureError(.truncated, needed: 4, available: bytes.count) }
        self.init(
            bytes[0] & 0x20 != 0 ? .write : .read, target: bytes[0] & 0x40 != 0 ? .persistent : .session,
            address: bytes[1], words: bytes[3], payload: Array(bytes[4...]), error: bytes[2],
            wantsAcknowledgement: bytes[0] & 0x08 != 0)
    }
}

extension Register {
    /// The request that reads the register.
    ///
    /// - Throws: ``RegisterError`` if that is not allowed; nothing should be sent then.
    public func readRequest(_ target: Target) throws(RegisterError) -> RegisterMessage {
        guard access.contains(.read) else { throw .accessNotAllowed(name) }
        guard targets.contains(target) else { throw .targetNotAllowed(name, target) }
        return RegisterMessage(.read, target: target, address: address, words: words)
    }

    /// The request that writes the register. A shorter value than the register's leaves the rest as it is.
    ///
    /// - Throws: ``RegisterError`` if that is not allowed, or the value is too long; nothing should be sent then.
    public func writeRequest(_ value: [UInt8], _ target: Target) throws(RegisterError) -> RegisterMessage {
        guard access.contains(.write) else { throw .accessNotAllowed(name) }
        guard targets.contains(target) else { throw .targetNotAllowed(name, target) }
        guard value.count <= 2 * Int(words) else {
            throw .valueTooLong(name, octets: value.count, limit: 2 * Int(words))
        }
        return RegisterMessage(.write, target: target, address: address, words: words, payload: value)
    }

    /// The firmware version in the value of register 00: minor and major in the second octet, patch in the first.
    public static func firmwareVersion(_ value: [UInt8]) -> String? {
        guard value.count >= 2 else { return nil }
        return "\(value[1] >> 4).\(value[1] & 15).\(value[0])"
    }
}
