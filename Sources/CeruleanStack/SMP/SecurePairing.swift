// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Authentication by LE Secure Connections. Core 5.4, Vol 3, Part H, 2.3.5.6. Ends with the Long Term Key.
struct SecurePairing: Sendable {
    enum Stage: Hashable, Sendable {
        /// The next PDU is the peer's public key.
        case publicKey
        /// Keys are exchanged; passkey or out of band data is still to come from the application.
        case input
        /// The next PDU is the peer's commitment.
        case confirm
        /// The next PDU is the peer's random value.
        case random
        /// The application is asked to compare (initiator).
        case comparison
        /// The next PDU is the peer's check.
        case check
        /// The key is there; encryption is to start.
        case encryption
    }

    private static let rounds = 20

    private(set) var stage = Stage.publicKey
    private(set) var usedDebugKey = false
    private let context: PairingContext
    private let agreement: PairingAgreement
    private let keyPair: P256KeyPair
    private var peerKey: P256PublicKey?
    private var secret = Value256.zero
    private var passkey: Passkey?
    private var peerData: OutOfBandData?
    private var round = 0
    private var ownRandom = Value128.zero
    private var ownConfirm: Value128?
    private var peerRandom = Value128.zero
    private var peerConfirm: Value128?
    private var isCompared: Bool
    private var heldCheck: Value128?
    private var macKey = Value128.zero
    private var longTermKey: Value128?

    init(context: PairingContext, agreement: PairingAgreement) throws(PairingFault) {
        self.context = context
        self.agreement = agreement
        let peerHasOurs = (context.isInitiator ? agreement.response : agreement.request).outOfBand == .present
        if agreement.method == .outOfBand, peerHasOurs, let local = context.outOfBand.local {
            keyPair = local.keyPair
        } else {
            keyPair = try PairingFault.catching { () throws(CryptoError) in try context.crypto.makeKeyPair() }
        }
        isCompared = agreement.method != .numericComparison
    }

    /// What the key is worth: nothing is authenticated when everybody knows the private half (row S4).
    var strength: BondStrength {
        var strength = agreement.strength
        if usedDebugKey { strength.isAuthenticated = false }
        return strength
    }

    /// The key for the link: only when everything has been checked (row S14).
    var key: Value128? { stage == .encryption ? longTermKey : nil }

    mutating func begin(_ actions: inout [PairingAction]) throws(PairingFault) {
        if context.isInitiator { try sendPublicKey(&actions) }
    }

    mutating func receive(_ command: SMP.Command, _ actions: inout [PairingAction]) throws(PairingFault) {
        switch (stage, command) {
        case (.publicKey, .pairingPublicKey(let packet)):
            try take(P256PublicKey(x: packet.x, y: packet.y), &actions)
        case (.input, .pairingConfirm(let packet)) where !context.isInitiator && peerConfirm == nil:
            guard agreement.method == .passkeyEntry else { throw .outOfOrder }
            peerConfirm = packet.value
        case (.confirm, .pairingConfirm(let packet)):
            try take(confirm: packet.value, &actions)
        case (.random, .pairingRandom(let packet)):
            try take(random: packet.value, &actions)
        case (.check, .pairingDHKeyCheck(let packet)):
            guard heldCheck == nil else { throw .outOfOrder }
            if isCompared { try take(check: packet.value, &actions) } else { heldCheck = packet.value }
        default: throw .outOfOrder
        }
    }

    /// The digits of passkey entry, shown by us or typed by our user.
    mutating func use(_ passkey: Passkey, _ actions: inout [PairingAction]) throws(PairingFault) {
        guard agreement.method == .passkeyEntry, self.passkey == nil else { return }
        self.passkey = passkey
        if stage == .input { try authenticate(&actions) }
    }

    /// What the peer made and another channel carried.
    mutating func use(_ data: OutOfBandData, _ actions: inout [PairingAction]) throws(PairingFault) {
        guard agreement.method == .outOfBand, peerData == nil else { return }
        peerData = data
        if stage == .input { try authenticate(&actions) }
    }

    /// Our user says that both devices show the same digits.
    mutating func confirmComparison(_ actions: inout [PairingAction]) throws(PairingFault) {
        guard !isCompared else { return }
        isCompared = true
        if stage == .comparison { return try sendCheck(&actions) }
        if stage == .check, let held = heldCheck {
            heldCheck = nil
            try take(check: held, &actions)
        }
    }

    // MARK: - Public keys

    private func sendPublicKey(_ actions: inout [PairingAction]) throws(PairingFault) {
        actions.append(
            try .command(.pairingPublicKey(.init(x: keyPair.publicKey.x, y: keyPair.publicKey.y))))
    }

    private mutating func take(_ key: P256PublicKey, _ actions: inout [PairingAction]) throws(PairingFault) {
        // Our own key mirrored, with either sign of y: the peer need not know its private half (row S2).
        guard key.x != keyPair.publicKey.x else { throw .failure(.refused(.invalidParameters)) }
        if key.isDebug {
            guard context.policy.acceptsDebugKey else { throw .failure(.refused(.invalidParameters)) }
            usedDebugKey = true
        }
        // Validates both coordinates in full (row S1).
        secret = try PairingFault.catching { () throws(CryptoError) in
            try context.crypto.sharedSecret(keyPair.privateKey, with: key)
        }
        peerKey = key
        if !context.isInitiator { try sendPublicKey(&actions) }
        stage = .input
        try authenticate(&actions)
    }

    // MARK: - Authentication stage 1

    /// Goes on after the public keys, if what the method needs is there.
    private mutating func authenticate(_ actions: inout [PairingAction]) throws(PairingFault) {
        switch agreement.method {
        case .justWorks, .numericComparison:
            ownRandom = try freshRandom()
            stage = context.isInitiator ? .confirm : .random
            if !context.isInitiator {
                actions.append(try .command(.pairingConfirm(.init(value: try commitment(ofOurs: true, 0)))))
            }
        case .passkeyEntry:
            guard passkey != nil else { return }
            stage = .confirm
            if context.isInitiator { return try startRound(&actions) }
            if let held = peerConfirm {
                peerConfirm = nil
                try take(confirm: held, &actions)
            }
        case .outOfBand:
            if ownFlag == .present {
                guard let data = peerData, let peerKey else { return }
                let expected = try PairingFault.catching { () throws(CryptoError) in
                    try context.crypto.f4(peerKey.x, peerKey.x, data.random, 0)
                }
                guard SystemCrypto.isEqual(expected, data.confirm) else {
                    throw .failure(.refused(.confirmValueFailed))
                }
            }
            ownRandom = try freshRandom()
            stage = .random
            if context.isInitiator { actions.append(try .command(.pairingRandom(.init(value: ownRandom)))) }
        }
    }

    private mutating func startRound(_ actions: inout [PairingAction]) throws(PairingFault) {
        ownRandom = try freshRandom()
        let value = try commitment(ofOurs: true, roundBit)
        ownConfirm = value
        stage = .confirm
        actions.append(try .command(.pairingConfirm(.init(value: value))))
    }

    private mutating func take(confirm: Value128, _ actions: inout [PairingAction]) throws(PairingFault) {
        guard confirm != ownConfirm else { throw .failure(.refused(.confirmValueFailed)) }
        peerConfirm = confirm
        stage = .random
        if context.isInitiator {
            actions.append(try .command(.pairingRandom(.init(value: ownRandom))))
        } else {
            // Only passkey entry comes here: in the other methods the initiator does not commit.
            ownRandom = try freshRandom()
            let value = try commitment(ofOurs: true, roundBit)
            guard value != confirm else { throw .failure(.refused(.confirmValueFailed)) }
            actions.append(try .command(.pairingConfirm(.init(value: value))))
        }
    }

    private mutating func take(random: Value128, _ actions: inout [PairingAction]) throws(PairingFault) {
        peerRandom = random
        if let confirm = peerConfirm {
            let bit = agreement.method == .passkeyEntry ? roundBit : 0
            guard SystemCrypto.isEqual(try commitment(ofOurs: false, bit), confirm) else {
                throw .failure(.refused(.confirmValueFailed))
            }
        }
        peerConfirm = nil
        ownConfirm = nil
        if !context.isInitiator { actions.append(try .command(.pairingRandom(.init(value: ownRandom)))) }
        switch agreement.method {
        case .justWorks, .outOfBand: try deriveAndCheck(&actions)
        case .numericComparison:
            actions.append(.ask(.compareNumbers(try comparedDigits())))
            if context.isInitiator { stage = .comparison } else { try deriveAndCheck(&actions) }
        case .passkeyEntry:
            round += 1
            if round == Self.rounds { return try deriveAndCheck(&actions) }
            if context.isInitiator { try startRound(&actions) } else { stage = .confirm }
        }
    }

    private func comparedDigits() throws(PairingFault) -> Passkey {
        guard let peerKey else { throw .outOfOrder }
        let (first, second) =
            context.isInitiator ? (keyPair.publicKey.x, peerKey.x) : (peerKey.x, keyPair.publicKey.x)
        let (a, b) = randoms
        let value = try PairingFault.catching { () throws(CryptoError) in
            try context.crypto.g2(first, second, a, b)
        }
        return Passkey(truncating: value)
    }

    // MARK: - Authentication stage 2

    private mutating func deriveAndCheck(_ actions: inout [PairingAction]) throws(PairingFault) {
        if context.isInitiator { return try sendCheck(&actions) }
        try derive()
        stage = .check
    }

    private mutating func derive() throws(PairingFault) {
        let (a, b) = randoms
        let keys = try PairingFault.catching { () throws(CryptoError) in
            try context.crypto.f5(secret, a, b, context.initiatorAddress, context.responderAddress)
        }
        let key = keys.longTermKey.masked(toSize: agreement.keySize)
        guard key != .zero else { throw .failure(.refused(.unspecifiedReason)) }
        macKey = keys.macKey
        longTermKey = key
    }

    /// Initiator: proves first.
    private mutating func sendCheck(_ actions: inout [PairingAction]) throws(PairingFault) {
        try derive()
        stage = .check
        actions.append(try .command(.pairingDHKeyCheck(.init(value: try checkValue(ofOurs: true)))))
    }

    private mutating func take(check: Value128, _ actions: inout [PairingAction]) throws(PairingFault) {
        guard SystemCrypto.isEqual(try checkValue(ofOurs: false), check) else {
            throw .failure(.refused(.dhKeyCheckFailed))
        }
        if !context.isInitiator {
            actions.append(try .command(.pairingDHKeyCheck(.init(value: try checkValue(ofOurs: true)))))
        }
        stage = .encryption
        guard context.isInitiator, let longTermKey else { return }
        actions.append(.startEncryption(LongTermKey(key: longTermKey, strength: strength)))
    }

    // MARK: - Values

    private var ownFlag: SMP.OutOfBandFlag {
        (context.isInitiator ? agreement.request : agreement.response).outOfBand
    }

    private var peerFlag: SMP.OutOfBandFlag {
        (context.isInitiator ? agreement.response : agreement.request).outOfBand
    }

    /// Na and Nb.
    private var randoms: (Value128, Value128) {
        context.isInitiator ? (ownRandom, peerRandom) : (peerRandom, ownRandom)
    }

    private var roundBit: UInt8 { 0x80 | (passkey?.bit(round) ?? 0) }

    private func freshRandom() throws(PairingFault) -> Value128 {
        try PairingFault.catching { () throws(CryptoError) in try context.crypto.randomValue() }
    }

    private func commitment(ofOurs: Bool, _ z: UInt8) throws(PairingFault) -> Value128 {
        guard let peerKey else { throw .outOfOrder }
        let own = keyPair.publicKey.x
        return try PairingFault.catching { () throws(CryptoError) in
            if ofOurs { return try context.crypto.f4(own, peerKey.x, ownRandom, z) }
            return try context.crypto.f4(peerKey.x, own, peerRandom, z)
        }
    }

    /// The check of either side covers its own features, and the secret that the *other* side made. Part H, 2.3.5.6.5.
    private func checkValue(ofOurs: Bool) throws(PairingFault) -> Value128 {
        let features = ofOurs == context.isInitiator ? agreement.request : agreement.response
        let own = context.localAddress
        let peer = context.peerAddress
        let r: Value128
        switch agreement.method {
        case .justWorks, .numericComparison: r = .zero
        case .passkeyEntry: r = passkey?.temporaryKey ?? .zero
        case .outOfBand:
            if ofOurs {
                r = ownFlag == .present ? peerData?.random ?? .zero : .zero
            } else {
                r = peerFlag == .present ? context.outOfBand.local?.data.random ?? .zero : .zero
            }
        }
        let octets = features.checkOctets
        return try PairingFault.catching { () throws(CryptoError) in
            let crypto = context.crypto
            if ofOurs { return try crypto.f6(macKey, ownRandom, peerRandom, r, features: octets, own, peer) }
            return try crypto.f6(macKey, peerRandom, ownRandom, r, features: octets, peer, own)
        }
    }
}
