// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// Runs `smp-crypto.json`: the functions of pairing, addresses and signatures.
public struct SMPCryptoSuite: VectorSuite {
    private let crypto = SystemCrypto()

    /// The suite on OpenSSL's cryptography.
    public init() {}

    /// One kind for each function.
    public let kinds: Set<String> = [
        "e", "aes_cmac", "c1", "s1", "f4", "f5", "f6", "g2", "h6", "h7", "ah", "ctkd_ltk_to_link_key",
        "ctkd_link_key_to_ltk", "ecdh_p256", "is_debug_key", "validate_public_key", "att_signature",
        "verify_att_signature", "database_hash", "sih", "sef", "resolve_rpa", "mask_key", "passkey_bits", "tk",
    ]

    /// Computes the function and compares its whole output.
    public func run(_ test: VectorCase) async throws(CaseFailure) {
        var members = try test.members()
        guard case .text(let function) = try members.required("function"), function == test.kind else {
            throw CaseFailure("function: not \(test.kind)")
        }
        var input = try members.object("input")
        let expected = try members.required("output")
        try members.finish()
        let output: FieldValue
        do {
            output = try compute(function, &input)
        } catch let failure as CaseFailure {
            throw failure
        } catch {
            throw CaseFailure("\(function): \(error)")
        }
        try input.finish()
        try Expectation.compare(output, with: expected, at: "output")
    }

    // MARK: - Private

    private func compute(_ function: String, _ input: inout CaseObject) throws -> FieldValue {
        switch function {
        case "e":
            return .bytes(try crypto.encrypt(input.value128("plaintext"), key: input.value128("key")).bigEndian)
        case "aes_cmac":
            return .bytes(try crypto.authenticate(input.hex("message"), key: input.value128("key")).bigEndian)
        case "f4", "f5", "f6", "g2", "c1", "s1": return try pairing(function, &input)
        case "h6", "h7", "ctkd_ltk_to_link_key", "ctkd_link_key_to_ltk": return try derivation(function, &input)
        case "ecdh_p256", "is_debug_key", "validate_public_key": return try curve(function, &input)
        case "ah", "sih", "resolve_rpa", "sef": return try addresses(function, &input)
        case "att_signature", "verify_att_signature", "database_hash": return try attributes(function, &input)
        default: return try keys(function, &input)
        }
    }

    private func pairing(_ function: String, _ input: inout CaseObject) throws -> FieldValue {
        switch function {
        case "c1":
            let initiator = DeviceAddress(try input.address("ia"), .init(rawValue: try input.octet("iat")))
            let responder = DeviceAddress(try input.address("ra"), .init(rawValue: try input.octet("rat")))
            return .bytes(
                try crypto.c1(
                    input.value128("k"), input.value128("r"), request: input.number("preq", octets: 7),
                    response: input.number("pres", octets: 7), initiator: initiator, responder: responder
                ).bigEndian)
        case "s1":
            return .bytes(
                try crypto.s1(input.value128("k"), input.value128("r1"), input.value128("r2")).bigEndian)
        case "f4":
            return .bytes(
                try crypto.f4(
                    input.value256("u"), input.value256("v"), input.value128("x"),
                    UInt8(input.number("z", octets: 1))
                ).bigEndian)
        case "f5":
            let keys = try crypto.f5(
                input.value256("w"), input.value128("n1"), input.value128("n2"), input.typedAddress("a1"),
                input.typedAddress("a2"))
            return ["mackey": .bytes(keys.macKey.bigEndian), "ltk": .bytes(keys.longTermKey.bigEndian)]
        case "f6":
            let features = try input.hex("iocap")
            guard features.count == 3 else { throw CaseFailure("input.iocap: not 3 octets") }
            return .bytes(
                try crypto.f6(
                    input.value128("w"), input.value128("n1"), input.value128("n2"), input.value128("r"),
                    features: features, input.typedAddress("a1"), input.typedAddress("a2")
                ).bigEndian)
        default:
            let value = try crypto.g2(
                input.value256("u"), input.value256("v"), input.value128("x"), input.value128("y"))
            let octets = (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
            return ["value": .bytes(octets), "six_digits": .text(Passkey(truncating: value).description)]
        }
    }

    private func derivation(_ function: String, _ input: inout CaseObject) throws -> FieldValue {
        switch function {
        case "h6":
            let identifier = try input.hex("keyid")
            guard identifier.count == 4 else { throw CaseFailure("input.keyid: not 4 octets") }
            return .bytes(try crypto.h6(input.value128("w"), identifier).bigEndian)
        case "h7": return .bytes(try crypto.h7(input.value128("salt"), input.value128("w")).bigEndian)
        case "ctkd_ltk_to_link_key":
            let key = try input.value128("ltk")
            return .bytes(try crypto.linkKey(fromLongTermKey: key, withH7: input.bool("ct2")).bigEndian)
        default:
            let key = try input.value128("link_key")
            return .bytes(try crypto.longTermKey(fromLinkKey: key, withH7: input.bool("ct2")).bigEndian)
        }
    }

    private func curve(_ function: String, _ input: inout CaseObject) throws -> FieldValue {
        guard function == "ecdh_p256" else {
            let key = P256PublicKey(x: try input.value256("x"), y: try input.value256("y"))
            if function == "is_debug_key" { return .bool(key == .debug) }
            do {
                try crypto.validate(key)
                return true
            } catch CryptoError.invalidKey {
                return false
            }
        }
        let a = try crypto.keyPair(of: input.value256("private_a"))
        let b = try crypto.keyPair(of: input.value256("private_b"))
        let secret = try crypto.sharedSecret(a.privateKey, with: b.publicKey)
        guard try crypto.sharedSecret(b.privateKey, with: a.publicKey) == secret else {
            throw CaseFailure("the two sides do not agree")
        }
        return [
            "public_a_x": .bytes(a.publicKey.x.bigEndian), "public_a_y": .bytes(a.publicKey.y.bigEndian),
            "public_b_x": .bytes(b.publicKey.x.bigEndian), "public_b_y": .bytes(b.publicKey.y.bigEndian),
            "dhkey": .bytes(secret.bigEndian),
        ]
    }

    private func addresses(_ function: String, _ input: inout CaseObject) throws -> FieldValue {
        func hash(_ value: UInt32) -> FieldValue {
            .bytes((0..<3).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) })
        }
        switch function {
        case "ah":
            return hash(try crypto.ah(input.value128("irk"), UInt32(input.number("prand", octets: 3))))
        case "sih":
            return hash(try crypto.ah(input.value128("k"), UInt32(input.number("r", octets: 3))))
        case "sef":
            // Coordinated Set Identification Service 1.0, 4.3 to 4.5: sef(K, SIRK) = k1(K, s1("SIRKenc"), "csis") xor SIRK.
            let salt = try crypto.authenticate(Array("SIRKenc".utf8), key: .zero)
            let inner = try crypto.authenticate(input.value128("k").bigEndian, key: salt)
            let mask = try crypto.authenticate(Array("csis".utf8), key: inner)
            return .bytes(Value128(mask.number ^ (try input.value128("sirk").number)).bigEndian)
        default:
            let address = DeviceAddress(try input.address("address"), .random)
            return .bool(try crypto.resolves(address, key: input.value128("irk")))
        }
    }

    private func attributes(_ function: String, _ input: inout CaseObject) throws -> FieldValue {
        if function == "database_hash" {
            return .bytes(try crypto.databaseHash(input.hex("message")).bigEndian)
        }
        guard let key = Value128(littleEndian: try input.hex("csrk_lsb_first")) else {
            throw CaseFailure("input.csrk_lsb_first: not 16 octets")
        }
        if function == "verify_att_signature" {
            return .bool(try crypto.verifiedCounter(ofSigned: input.hex("signed_pdu"), key: key) != nil)
        }
        guard let counter = UInt32(exactly: try input.integer("counter")) else {
            throw CaseFailure("input.counter: not 32 bits")
        }
        return .bytes(try crypto.signature(of: input.hex("pdu"), counter: counter, key: key))
    }

    private func keys(_ function: String, _ input: inout CaseObject) throws -> FieldValue {
        if function == "mask_key" {
            let size = try input.integer("size")
            guard (7...16).contains(size) else { throw CaseFailure("input.size: not 7 to 16") }
            return .bytes(try input.value128("key").masked(toSize: size).bigEndian)
        }
        guard let passkey = Passkey(try input.text("passkey")) else {
            throw CaseFailure("input.passkey: not six digits")
        }
        if function == "tk" { return .bytes(passkey.temporaryKey.bigEndian) }
        return .list((0..<20).map { FieldValue(integer: passkey.bit($0)) })
    }
}

extension CaseObject {
    fileprivate mutating func value128(_ name: String) throws(CaseFailure) -> Value128 {
        guard let value = Value128(bigEndian: try hex(name)) else { throw wrongType(name, "16 octets") }
        return value
    }

    fileprivate mutating func value256(_ name: String) throws(CaseFailure) -> Value256 {
        guard let value = Value256(bigEndian: try hex(name)) else { throw wrongType(name, "32 octets") }
        return value
    }

    fileprivate mutating func number(_ name: String, octets count: Int) throws(CaseFailure) -> UInt64 {
        let octets = try hex(name)
        guard octets.count == count else { throw wrongType(name, "\(count) octets") }
        return octets.reduce(0) { $0 << 8 | UInt64($1) }
    }

    fileprivate mutating func octet(_ name: String) throws(CaseFailure) -> UInt8 {
        guard let value = UInt8(exactly: try integer(name)), value <= 1 else { throw wrongType(name, "0 or 1") }
        return value
    }

    fileprivate mutating func address(_ name: String) throws(CaseFailure) -> BluetoothAddress {
        BluetoothAddress(rawValue: try number(name, octets: 6))
    }

    fileprivate mutating func typedAddress(_ name: String) throws(CaseFailure) -> DeviceAddress {
        let octets = try hex(name)
        guard octets.count == 7, octets[0] <= 1 else { throw wrongType(name, "address with its type") }
        let raw = octets.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return DeviceAddress(BluetoothAddress(rawValue: raw), .init(rawValue: octets[0]))
    }
}
