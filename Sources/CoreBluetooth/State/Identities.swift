// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Foundation

/// Turns peers into the identifiers that applications see, and back.
///
/// An identifier is the peer's address encrypted with a secret of this host: stable here for good, another one
/// elsewhere, and no table has to be kept. Four rounds of Luby and Rackoff's construction over AES make a block cipher
/// of 128 bits that is run in both directions with encryption alone.
struct Identities: Sendable {
    private let key: Value128
    private let crypto = SystemCrypto()

    /// The identities of this host.
    static let host = Self(secret: secret)

    init(secret: UInt128) { key = Value128(secret) }

    func identifier(of peer: PeerID) -> UUID {
        var (left, right) = (peer.uuid.high, peer.uuid.low)
        for round in UInt64(0)..<4 { (left, right) = (right, left ^ scrambled(right, round)) }
        return UUID(BluetoothUUID(high: left, low: right))
    }

    /// The peer behind an identifier of this host; nil for one that was never given out.
    func peer(of identifier: UUID) -> PeerID? {
        let value = BluetoothUUID(identifier)
        var (left, right) = (value.high, value.low)
        for round in (UInt64(0)..<4).reversed() { (left, right) = (right ^ scrambled(left, round), left) }
        let peer = PeerID(BluetoothUUID(high: left, low: right))
        // The identifier of an address says so in fixed bits: a foreign UUID does not come out like that.
        for kind in [DeviceAddress.Kind.public, .random] {
            let address = DeviceAddress(BluetoothAddress(rawValue: right & 0xFFFF_FFFF_FFFF), kind)
            if PeerID(address) == peer { return peer }
        }
        return nil
    }

    private func scrambled(_ half: UInt64, _ round: UInt64) -> UInt64 {
        do throws(CryptoError) {
            let block = Value128(UInt128(round) << 64 | UInt128(half))
            return UInt64(truncatingIfNeeded: try crypto.encrypt(block, key: key).number)
        } catch {
            // Without cryptography identifiers are still stable, but not secret.
            return 0
        }
    }

    /// Made once for each user of a machine.
    private static let secret: UInt128 = {
        let file = "host-secret"
        if let data = StateDirectory.read(file), let text = String(data: data, encoding: .utf8),
            let number = UInt128(text.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16)
        {
            return number
        }
        let made = UInt128.random(in: 0 ... .max)
        StateDirectory.write(Data((String(made, radix: 16) + "\n").utf8), to: file)
        return made
    }()
}

extension UUID {
    init(_ value: BluetoothUUID) {
        func octet(_ half: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: half >> (56 - 8 * index)) }
        let (a, b) = (value.high, value.low)
        self.init(
            uuid: (
                octet(a, 0), octet(a, 1), octet(a, 2), octet(a, 3), octet(a, 4), octet(a, 5), octet(a, 6), octet(a, 7),
                octet(b, 0), octet(b, 1), octet(b, 2), octet(b, 3), octet(b, 4), octet(b, 5), octet(b, 6), octet(b, 7)
            ))
    }
}

extension BluetoothUUID {
    init(_ uuid: UUID) {
        let octets = withUnsafeBytes(of: uuid.uuid) { Array($0) }
        self = BluetoothUUID(littleEndian: octets.reversed()) ?? BluetoothUUID()
    }
}
