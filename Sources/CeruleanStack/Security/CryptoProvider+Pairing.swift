// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// The functions of pairing. Core 5.4, Vol 3, Part H, 2.2.
extension CryptoProvider {
    /// The random address hash, 24 bits. Part H, 2.2.2.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - random: prand, 24 bits.
    public func ah(_ key: Value128, _ random: UInt32) throws(CryptoError) -> UInt32 {
        UInt32(truncatingIfNeeded: try encrypt(Value128(UInt128(random & 0xFF_FFFF)), key: key).number) & 0xFF_FFFF
    }

    /// The confirm value of legacy pairing. Part H, 2.2.3.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - random: The random number of the side that confirms.
    ///   - request: the Pairing Request as a number of 56 bits, its code the least significant octet.
    ///   - response: the Pairing Response likewise.
    ///   - initiator: The address of the side that started.
    ///   - responder: The address of the other side.
    public func c1(
        _ key: Value128, _ random: Value128, request: UInt64, response: UInt64, initiator: DeviceAddress,
        responder: DeviceAddress
    ) throws(CryptoError) -> Value128 {
        let mask: UInt64 = 0xFF_FFFF_FFFF_FFFF
        var first = UInt128(response & mask) << 72 | UInt128(request & mask) << 16
        first |= UInt128(responder.peerKind.rawValue & 1) << 8 | UInt128(initiator.peerKind.rawValue & 1)
        let second = UInt128(initiator.address.rawValue) << 48 | UInt128(responder.address.rawValue)
        let inner = try encrypt(Value128(random.number ^ first), key: key)
        return try encrypt(Value128(inner.number ^ second), key: key)
    }

    /// The Short Term Key of legacy pairing: the low halves of both random values. Part H, 2.2.4.
    public func s1(_ key: Value128, _ first: Value128, _ second: Value128) throws(CryptoError) -> Value128 {
        let low = UInt128(UInt64.max)
        return try encrypt(Value128((first.number & low) << 64 | second.number & low), key: key)
    }

    /// The confirm value of LE Secure Connections. Part H, 2.2.6.
    public func f4(_ u: Value256, _ v: Value256, _ x: Value128, _ z: UInt8) throws(CryptoError) -> Value128 {
        try authenticate(u.bigEndian + v.bigEndian + [z], key: x)
    }

    /// MacKey and Long Term Key of LE Secure Connections. Part H, 2.2.7.
    public func f5(
        _ secret: Value256, _ first: Value128, _ second: Value128, _ initiator: DeviceAddress,
        _ responder: DeviceAddress
    ) throws(CryptoError) -> (macKey: Value128, longTermKey: Value128) {
        let salt = Value128(0x6C88_8391_AAF5_A538_6037_0BDB_5A60_83BE)
        let key = try authenticate(secret.bigEndian, key: salt)
        let identifier: [UInt8] = [0x62, 0x74, 0x6C, 0x65]
        let body = first.bigEndian + second.bigEndian + initiator.pairingOctets + responder.pairingOctets + [1, 0]
        return (
            try authenticate([0] + identifier + body, key: key), try authenticate([1] + identifier + body, key: key)
        )
    }

    /// The DHKey check of LE Secure Connections. Part H, 2.2.8.
    ///
    /// - Parameters:
    ///   - macKey: The key for the check.
    ///   - first: The first nonce.
    ///   - second: The second nonce.
    ///   - r: The number of the association model.
    ///   - features: AuthReq, OOB flag and IO capability of the side that sends the check.
    ///   - a: One side.
    ///   - b: The other side.
    public func f6(
        _ macKey: Value128, _ first: Value128, _ second: Value128, _ r: Value128, features: [UInt8],
        _ a: DeviceAddress, _ b: DeviceAddress
    ) throws(CryptoError) -> Value128 {
        let numbers = first.bigEndian + second.bigEndian + r.bigEndian
        return try authenticate(numbers + features + a.pairingOctets + b.pairingOctets, key: macKey)
    }

    /// The number that both sides show in numeric comparison, 32 bits; its last six decimal digits are shown. Part H, 2.2.9.
    public func g2(_ u: Value256, _ v: Value256, _ x: Value128, _ y: Value128) throws(CryptoError) -> UInt32 {
        UInt32(truncatingIfNeeded: try authenticate(u.bigEndian + v.bigEndian + y.bigEndian, key: x).number)
    }

    /// A key from a key and a key identifier of four octets. Part H, 2.2.10.
    public func h6(_ key: Value128, _ identifier: [UInt8]) throws(CryptoError) -> Value128 {
        try authenticate(identifier, key: key)
    }

    /// A key from a salt and a key. Part H, 2.2.11.
    public func h7(_ salt: Value128, _ key: Value128) throws(CryptoError) -> Value128 {
        try authenticate(key.bigEndian, key: salt)
    }

    /// The key of the other transport derived from an LE key. Part H, 2.4.2.4.
    ///
    /// Here for completeness and for tools; this host is LE only and never stores one (row S7 of the security table: a derived
    /// key must not replace a stronger one, and the surest way is not to derive it).
    public func linkKey(fromLongTermKey key: Value128, withH7: Bool) throws(CryptoError) -> Value128 {
        let identifier: [UInt8] = [0x74, 0x6D, 0x70, 0x31]  // tmp1
        let intermediate = try withH7 ? h7(Self.salt(identifier), key) : h6(key, identifier)
        return try h6(intermediate, [0x6C, 0x65, 0x62, 0x72])  // lebr
    }

    /// The LE key derived from a key of the other transport. Part H, 2.4.2.5. See ``linkKey(fromLongTermKey:withH7:)``.
    public func longTermKey(fromLinkKey key: Value128, withH7: Bool) throws(CryptoError) -> Value128 {
        let identifier: [UInt8] = [0x74, 0x6D, 0x70, 0x32]  // tmp2
        let intermediate = try withH7 ? h7(Self.salt(identifier), key) : h6(key, identifier)
        return try h6(intermediate, [0x62, 0x72, 0x6C, 0x65])  // brle
    }

    private static func salt(_ identifier: [UInt8]) -> Value128 {
        Value128(identifier.reduce(UInt128(0)) { $0 << 8 | UInt128($1) })
    }
}

/// The functions of addresses and attributes that need a key.
extension CryptoProvider {
    /// A resolvable private address of the holder of `key`. Core 5.4, Vol 6, Part B, 1.3.2.2.
    public func resolvableAddress(_ key: Value128) throws(CryptoError) -> DeviceAddress {
        // The random part must hold at least one 0 and one 1 besides the two fixed bits.
        var part: UInt32 = 0
        for _ in 0..<64 where part == 0 || part == 0x3F_FFFF { part = try random(below: 0x40_0000) }
        guard part != 0, part != 0x3F_FFFF else { throw .unavailable }
        let prand = 0x40_0000 | part
        return DeviceAddress(BluetoothAddress(rawValue: UInt64(prand) << 24 | UInt64(try ah(key, prand))), .random)
    }

    /// True if `address` is a resolvable private address made with `key`. A key of zero resolves nothing.
    public func resolves(_ address: DeviceAddress, key: Value128) throws(CryptoError) -> Bool {
        guard address.randomKind == .resolvablePrivate, key != .zero else { return false }
        let prand = UInt32(truncatingIfNeeded: address.address.rawValue >> 24)
        return try UInt64(ah(key, prand)) == address.address.rawValue & 0xFF_FFFF
    }

    /// The signature of a signed write: the counter, then 64 bits, as sent. Core 5.4, Vol 3, Part H, 2.4.5.
    ///
    /// - Parameters:
    ///   - pdu: opcode, handle and value.
    ///   - counter: a number that grows with every signed write.
    ///   - key: The key.
    public func signature(of pdu: [UInt8], counter: UInt32, key: Value128) throws(CryptoError) -> [UInt8] {
        let number = (0..<4).map { UInt8(truncatingIfNeeded: counter >> (8 * UInt32($0))) }
        let mac = try authenticate((pdu + number).reversed(), key: key)
        return number + mac.littleEndian.suffix(8)
    }

    /// Checks a signed write in constant time and gives the counter that it was signed with; nil if it is not genuine.
    ///
    /// Whether the counter is new is for the caller to check.
    public func verifiedCounter(ofSigned pdu: [UInt8], key: Value128) throws(CryptoError) -> UInt32? {
        guard pdu.count >= 12 else { return nil }
        let signed = pdu.suffix(12)
        let counter = signed.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let expected = try signature(of: Array(pdu.dropLast(12)), counter: counter, key: key)
        let difference = zip(expected, signed).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        return difference == 0 ? counter : nil
    }

    /// The Database Hash over the concatenated definitions. Core 5.4, Vol 3, Part G, 7.3.1.
    public func databaseHash(_ definitions: [UInt8]) throws(CryptoError) -> Value128 {
        try authenticate(definitions, key: .zero)
    }
}
