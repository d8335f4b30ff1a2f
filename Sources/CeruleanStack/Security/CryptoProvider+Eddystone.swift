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
