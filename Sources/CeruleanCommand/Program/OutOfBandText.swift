// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// Out of band data as text: what `--oob` takes and `--show-oob` prints.
///
/// Octets stand in the order in which they are transmitted. A block is a row of AD structures as NFC tags carry it (media type
/// `application/vnd.bluetooth.le.oob`); Supplement to the Core Specification, Part A, 1.6 to 1.18.
struct OutOfBandText: Sendable {
    /// For LE Secure Connections.
    var data: OutOfBandData?
    /// For legacy pairing.
    var temporaryKey: Value128?

    private enum Kind {
        static let temporaryKey: UInt8 = 0x10
        static let address: UInt8 = 0x1B
        static let role: UInt8 = 0x1C
        static let confirm: UInt8 = 0x22
        static let random: UInt8 = 0x23
    }

    /// Reads 32 octets (commitment, then random value), 16 octets (a temporary key), or a block.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ text: String) throws(CommandError) {
        guard let octets = try? Hex.decode(text) else { throw .usage("--oob takes hex, not '\(text)'") }
        if octets.count == 16 {
            temporaryKey = Value128(littleEndian: octets[...])
        } else if octets.count == 32, let confirm = Value128(littleEndian: octets[..<16]),
            let random = Value128(littleEndian: octets[16...])
        {
            data = OutOfBandData(confirm: confirm, random: random)
        } else {
            read(block: octets)
        }
        guard data != nil || temporaryKey != nil else {
            throw .usage(
                "--oob takes 32 octets (commitment and random value), 16 octets (a temporary key) or a block with these "
                    + "in it, in hex; this has \(octets.count) octets and neither")
        }
    }

    /// Structures that are cut, or of another length than theirs, do not count.
    private mutating func read(block: [UInt8]) {
        var confirm: Value128?
        var random: Value128?
        var index = 0
        while index < block.count {
            let length = Int(block[index])
            guard length > 0, index + length < block.count else { break }
            let value = block[index + 2..<index + 1 + length]
            switch block[index + 1] {
            case Kind.temporaryKey: temporaryKey = value.count == 16 ? Value128(littleEndian: value) : nil
            case Kind.confirm: confirm = value.count == 16 ? Value128(littleEndian: value) : nil
            case Kind.random: random = value.count == 16 ? Value128(littleEndian: value) : nil
            default: break
            }
            index += 1 + length
        }
        if let confirm, let random { data = OutOfBandData(confirm: confirm, random: random) }
    }

    /// Our data as a block: who we are, that we are a central, commitment and random value.
    static func block(_ data: OutOfBandData, address: DeviceAddress?) -> [UInt8] {
        var block: [UInt8] = []
        func append(_ kind: UInt8, _ value: [UInt8]) { block += [UInt8(value.count + 1), kind] + value }
        if let address {
            let octets = (0..<6).map { UInt8(truncatingIfNeeded: address.address.rawValue >> (8 * UInt64($0))) }
            append(Kind.address, octets + [address.peerKind == .public ? 0 : 1])
            append(Kind.role, [0x01])
        }
        append(Kind.confirm, data.confirm.littleEndian)
        append(Kind.random, data.random.littleEndian)
        return block
    }
}
