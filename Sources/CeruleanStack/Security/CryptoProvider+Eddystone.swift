// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// What Eddystone's changing identifier and encrypted telemetry need. Eddystone-EID, "EID computation"; Eddystone-eTLM.
extension CryptoProvider {
    /// The identifier of a moment, 8 octets.
    ///
    /// - Parameters:
    ///   - identityKey: The key that the beacon shares with its owner.
    ///   - exponent: The identifier changes every 2 to the power of `exponent` seconds; 0 to 15, larger ones count as 15.
    ///   - time: The beacon's clock in seconds.
    /// - Throws: ``CryptoError``.
    public func eddystoneIdentifier(
        _ identityKey: Value128, exponent: UInt8, time: UInt32
    ) throws(CryptoError) -> [UInt8] {
        let exponent = min(exponent, 15)
        let salt = Value128(0xFF << 32 | UInt128(time >> 16))
        let temporary = try encrypt(salt, key: identityKey)
        let quantized = (time >> UInt32(exponent)) << UInt32(exponent)
        let block = Value128(UInt128(exponent) << 32 | UInt128(quantized))
        return Array(try encrypt(block, key: temporary).bigEndian.prefix(8))
    }
}

/// Encrypted telemetry: AES-EAX (Bellare, Rogaway, Wagner 2004) without a header, its check value cut to 16 bits, the nonce
/// being the truncated time and a salt. EAX is built from AES and CMAC alone.
extension CryptoProvider {
    /// Encrypts telemetry.
    ///
    /// - Parameters:
    ///   - content: The octets behind the version of a plain frame, at most 12.
    ///   - key: The key.
    ///   - exponent: As for ``eddystoneIdentifier(_:exponent:time:)``.
    ///   - time: The clock of the beacon, in seconds.
    ///   - salt: 16 bits that nobody can predict, see ``randomInteger(_:)``.
    /// - Throws: ``CryptoError``.
    public func sealEddystoneTelemetry(
        _ content: [UInt8], key: Value128, exponent: UInt8, time: UInt32, salt: UInt16
    ) throws(CryptoError) -> (encrypted: [UInt8], check: UInt16) {
        let sealed = try eax(content, key: key, nonce: Self.nonce(exponent, time, salt), isOpening: false)
        return (sealed.output, sealed.tag.leadingNumber)
    }

    /// Decrypts telemetry. Nil when the check value does not fit: another key or time, or somebody changed it.
    ///
    /// - Throws: ``CryptoError``.
    public func openEddystoneTelemetry(
        _ encrypted: [UInt8], key: Value128, exponent: UInt8, time: UInt32, salt: UInt16, check: UInt16
    ) throws(CryptoError) -> [UInt8]? {
        let opened = try eax(encrypted, key: key, nonce: Self.nonce(exponent, time, salt), isOpening: true)
        return opened.tag.leadingNumber == check ? opened.output : nil
    }

    /// EAX in either direction: the other text, and the tag of 16 octets to be sent or compared.
    func eax(
        _ input: [UInt8], key: Value128, nonce: [UInt8], header: [UInt8] = [], isOpening: Bool
    ) throws(CryptoError) -> (output: [UInt8], tag: Value128) {
        let start = try tweaked(0, nonce, key)
        let head = try tweaked(1, header, key)
        var output: [UInt8] = []
        output.reserveCapacity(input.count)
        var counter = start.number
        for block in stride(from: 0, to: input.count, by: 16) {
            let stream = try encrypt(Value128(counter), key: key).bigEndian
            output += zip(input[block..<min(block + 16, input.count)], stream).map { $0 ^ $1 }
            counter &+= 1
        }
        let text = try tweaked(2, isOpening ? input : output, key)
        return (output, Value128(start.number ^ head.number ^ text.number))
    }

    private func tweaked(_ tweak: UInt8, _ message: [UInt8], _ key: Value128) throws(CryptoError) -> Value128 {
        try authenticate([UInt8](repeating: 0, count: 15) + [tweak] + message, key: key)
    }

    private static func nonce(_ exponent: UInt8, _ time: UInt32, _ salt: UInt16) -> [UInt8] {
        let exponent = UInt32(min(exponent, 15))
        let number = UInt64((time >> exponent) << exponent) << 16 | UInt64(salt)
        return stride(from: UInt64(40), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension Value128 {
    /// The first two octets.
    fileprivate var leadingNumber: UInt16 { UInt16(truncatingIfNeeded: number >> 112) }
}
