// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Why a cryptographic operation failed. Whoever gets one refuses; nothing is ever skipped because of it.
public enum CryptoError: Error, Hashable, Sendable {
    /// The library lacks the algorithm, or failed inside.
    case unavailable
    /// A public key that is no point of the curve, or a private key out of range.
    case invalidKey
}

/// A key pair on P-256.
public struct P256KeyPair: Hashable, Sendable {
    /// The private half: a number from 1 to the order of the curve less one.
    public var privateKey: Value256
    /// The public half.
    public var publicKey: P256PublicKey

    /// Pairs the two halves; whether they belong together is not checked.
    public init(privateKey: Value256, publicKey: P256PublicKey) {
        self.privateKey = privateKey
        self.publicKey = publicKey
    }
}

extension P256KeyPair: CustomStringConvertible, CustomDebugStringConvertible {
    /// The public half alone.
    public var description: String { publicKey.x.description }
    /// The public half alone.
    public var debugDescription: String { description }
}

/// A public key on P-256, as it came: not validated.
public struct P256PublicKey: Hashable, Sendable {
    /// The x coordinate.
    public var x: Value256
    /// The y coordinate.
    public var y: Value256

    /// Pairs two coordinates.
    public init(x: Value256, y: Value256) {
        self.x = x
        self.y = y
    }

    /// The key whose private half the specification prints, for sniffers. Core 5.4, Vol 3, Part H, 2.3.5.6.1.
    public static let debug = Self(
        x: Value256(
            high: 0x20B0_03D2_F297_BE2C_5E2C_83A7_E9F9_A5B9, low: 0xEFF4_9111_ACF4_FDDB_CC03_0148_0E35_9DE6),
        y: Value256(
            high: 0xDC80_9C49_652A_EB6D_6332_9ABF_5A52_155C, low: 0x7663_45C2_8FED_3024_741C_8ED0_1589_D28B))

    /// True if anybody can know the private half: the debug key, with either sign of y.
    public var isDebug: Bool { x == Self.debug.x }
}

/// The cryptography that security needs, and randomness. All may be called from any thread.
///
/// ``SystemCrypto`` is OpenSSL's; tests give another source of randomness on top of it. The functions of the specification are
/// extensions (`f4`, `f5`, …), built on these alone.
public protocol CryptoProvider: Sendable {
    /// AES-128 of one block. Core 5.4, Vol 3, Part H, 2.2.1.
    func encrypt(_ block: Value128, key: Value128) throws(CryptoError) -> Value128
    /// AES-CMAC of a message, most significant octet first. RFC 4493.
    func authenticate(_ message: [UInt8], key: Value128) throws(CryptoError) -> Value128
    /// Octets that nobody can predict.
    func random(_ count: Int) throws(CryptoError) -> [UInt8]
    /// A fresh key pair.
    func makeKeyPair() throws(CryptoError) -> P256KeyPair
    /// The pair of a given private key.
    func keyPair(of privateKey: Value256) throws(CryptoError) -> P256KeyPair
    /// Checks a peer's key in full: both coordinates below the prime, on the curve, not the point at infinity.
    func validate(_ key: P256PublicKey) throws(CryptoError)
    /// The Diffie-Hellman key; validates the peer's key first.
    func sharedSecret(_ own: Value256, with peer: P256PublicKey) throws(CryptoError) -> Value256
}

extension CryptoProvider {
    /// A random number of 128 bits.
    public func randomValue() throws(CryptoError) -> Value128 {
        guard let value = Value128(littleEndian: try random(16)) else { throw .unavailable }
        return value
    }

    /// A random number of the width of `T`.
    public func randomInteger<T: FixedWidthInteger>(_ type: T.Type) throws(CryptoError) -> T {
        try random(T.bitWidth / 8).reduce(T(0)) { $0 << 8 | T(truncatingIfNeeded: $1) }
    }

    /// A random number from 0 to `bound` less one, all equally likely.
    public func random(below bound: UInt32) throws(CryptoError) -> UInt32 {
        precondition(bound > 0)
        let limit = UInt32.max - UInt32.max % bound
        for _ in 0..<64 {
            let number = try randomInteger(UInt32.self)
            if number < limit { return number % bound }
        }
        throw .unavailable
    }
}
