// SPDX-License-Identifier: Apache-2.0

import CCeruleanCrypto
public import CeruleanWire

/// Cryptography of OpenSSL's libcrypto 3.
public struct SystemCrypto: CryptoProvider {
    /// The provider; it has no state.
    public init() {}

    /// AES-128 of one block.
    public func encrypt(_ block: Value128, key: Value128) throws(CryptoError) -> Value128 {
        let key = key.bigEndian
        let block = block.bigEndian
        var result = [UInt8](repeating: 0, count: 16)
        try Self.check(unsafe cerulean_aes128_encrypt(key, block, &result))
        return try Self.value(result)
    }

    /// AES-CMAC of a message.
    public func authenticate(_ message: [UInt8], key: Value128) throws(CryptoError) -> Value128 {
        let key = key.bigEndian
        var result = [UInt8](repeating: 0, count: 16)
        try Self.check(unsafe cerulean_aes_cmac(key, message, message.count, &result))
        return try Self.value(result)
    }

    /// Octets from the generator of the library, seeded by the system.
    public func random(_ count: Int) throws(CryptoError) -> [UInt8] {
        guard count > 0 else { return [] }
        var result = [UInt8](repeating: 0, count: count)
        try Self.check(unsafe cerulean_random(&result, count))
        return result
    }

    /// A fresh key pair.
    public func makeKeyPair() throws(CryptoError) -> P256KeyPair {
        var secret = [UInt8](repeating: 0, count: 32)
        var x = secret
        var y = secret
        try Self.check(unsafe cerulean_p256_generate(&secret, &x, &y))
        return P256KeyPair(
            privateKey: try Self.wide(secret), publicKey: P256PublicKey(x: try Self.wide(x), y: try Self.wide(y)))
    }

    /// The pair of a given private key.
    public func keyPair(of privateKey: Value256) throws(CryptoError) -> P256KeyPair {
        var x = [UInt8](repeating: 0, count: 32)
        var y = x
        try Self.check(unsafe cerulean_p256_public(privateKey.bigEndian, &x, &y))
        return P256KeyPair(
            privateKey: privateKey, publicKey: P256PublicKey(x: try Self.wide(x), y: try Self.wide(y)))
    }

    /// Full validation of a peer's key.
    public func validate(_ key: P256PublicKey) throws(CryptoError) {
        try Self.check(unsafe cerulean_p256_validate(key.x.bigEndian, key.y.bigEndian))
    }

    /// The Diffie-Hellman key; validates the peer's key first.
    public func sharedSecret(_ own: Value256, with peer: P256PublicKey) throws(CryptoError) -> Value256 {
        var result = [UInt8](repeating: 0, count: 32)
        try Self.check(unsafe cerulean_p256_ecdh(own.bigEndian, peer.x.bigEndian, peer.y.bigEndian, &result))
        return try Self.wide(result)
    }

    /// Compares in time that does not depend on where the two differ.
    public static func isEqual(_ a: Value128, _ b: Value128) -> Bool {
        let a = a.littleEndian
        let b = b.littleEndian
        return unsafe cerulean_equal(a, b, 16) == 1
    }

    // MARK: - Private

    private static func check(_ status: Int32) throws(CryptoError) {
        if status == Int32(CERULEAN_CRYPTO_OK) { return }
        throw status == Int32(CERULEAN_CRYPTO_INVALID_KEY) ? .invalidKey : .unavailable
    }

    private static func value(_ octets: [UInt8]) throws(CryptoError) -> Value128 {
        guard let value = Value128(bigEndian: octets) else { throw .unavailable }
        return value
    }

    private static func wide(_ octets: [UInt8]) throws(CryptoError) -> Value256 {
        guard let value = Value256(bigEndian: octets) else { throw .unavailable }
        return value
    }
}
