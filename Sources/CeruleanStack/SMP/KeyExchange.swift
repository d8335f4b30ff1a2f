// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Distribution of keys over the encrypted link. Core 5.4, Vol 3, Part H, 2.4 and 3.6. The responder sends first.
struct KeyExchange: Sendable {
    private let context: PairingContext
    private let agreement: PairingAgreement
    private var expected: [SMP.Opcode]
    private var outcome: PairingOutcome
    private var receivedKey: Value128?
    private(set) var isDone = false

    init(context: PairingContext, agreement: PairingAgreement, sharedKey: LongTermKey?, usedDebugKey: Bool) {
        self.context = context
        self.agreement = agreement
        let peerKeys = agreement.keys(of: context.isInitiator ? .peripheral : .central)
        var expected: [SMP.Opcode] = []
        if peerKeys.contains(.encryption) { expected += [.encryptionInformation, .centralIdentification] }
        if peerKeys.contains(.identity) { expected += [.identityInformation, .identityAddressInformation] }
        if peerKeys.contains(.signing) { expected.append(.signingInformation) }
        self.expected = expected
        var strength = agreement.strength
        if usedDebugKey { strength.isAuthenticated = false }
        outcome = PairingOutcome(
            method: agreement.method, strength: strength, isBonded: agreement.bonds && !usedDebugKey,
            usedDebugKey: usedDebugKey, mayReplaceBond: false, localKey: sharedKey, peerKey: sharedKey)
    }

    mutating func begin(_ actions: inout [PairingAction]) throws(PairingFault) {
        if !context.isInitiator || expected.isEmpty { try sendOwn(&actions) }
        finishIfComplete(&actions)
    }

    mutating func receive(_ command: SMP.Command, _ actions: inout [PairingAction]) throws(PairingFault) {
        // The order is fixed; anything else, doubled or surplus, ends pairing. Part H, 3.6.1.
        guard let next = expected.first, command.opcode == next else { throw .outOfOrder }
        expected.removeFirst()
        switch command {
        case .encryptionInformation(let packet):
            guard packet.key != .zero else { throw .failure(.refused(.invalidParameters)) }
            receivedKey = packet.key
        case .centralIdentification(let packet):
            guard let key = receivedKey else { throw .outOfOrder }
            outcome.peerKey = LongTermKey(
                key: key.masked(toSize: agreement.keySize), diversifier: packet.diversifier, random: packet.random,
                strength: outcome.strength)
        case .identityInformation(let packet):
            // A key of zero means that the device has none (row S20).
            outcome.resolvingKey = packet.key == .zero ? nil : packet.key
        case .identityAddressInformation(let packet):
            guard let identity = packet.identity else { throw .failure(.refused(.invalidParameters)) }
            outcome.identity = identity
        case .signingInformation(let packet):
            outcome.peerSignatureKey = packet.key == .zero ? nil : packet.key
        default: throw .outOfOrder
        }
        if expected.isEmpty, context.isInitiator { try sendOwn(&actions) }
        finishIfComplete(&actions)
    }

    /// What pairing yielded, once it is done.
    mutating func take(mayReplaceBond: Bool) -> PairingOutcome {
        outcome.mayReplaceBond = mayReplaceBond
        return outcome
    }

    // MARK: - Private

    private mutating func finishIfComplete(_ actions: inout [PairingAction]) {
        if expected.isEmpty { isDone = true }
    }

    private mutating func sendOwn(_ actions: inout [PairingAction]) throws(PairingFault) {
        let keys = agreement.keys(of: context.role)
        let crypto = context.crypto
        if keys.contains(.encryption) {
            let key = try freshKey().masked(toSize: agreement.keySize)
            let names = try PairingFault.catching { () throws(CryptoError) in
                (try crypto.randomInteger(UInt16.self), try crypto.randomInteger(UInt64.self))
            }
            outcome.localKey = LongTermKey(
                key: key, diversifier: names.0, random: names.1, strength: outcome.strength)
            actions.append(try .command(.encryptionInformation(.init(key: key))))
            actions.append(
                try .command(.centralIdentification(.init(diversifier: names.0, random: names.1))))
        }
        if keys.contains(.identity), let identity = context.identity {
            actions.append(try .command(.identityInformation(.init(key: identity.resolvingKey))))
            actions.append(try .command(.identityAddressInformation(.init(identity.address))))
        }
        if keys.contains(.signing) {
            let key = try freshKey()
            outcome.localSignatureKey = key
            actions.append(try .command(.signingInformation(.init(key: key))))
        }
    }

    private func freshKey() throws(PairingFault) -> Value128 {
        let key = try PairingFault.catching { () throws(CryptoError) in try context.crypto.randomValue() }
        // Never zero, not even after it is cut (row S15); one in 2^56 at the least.
        guard key.masked(toSize: agreement.keySize) != .zero else { throw .failure(.refused(.unspecifiedReason)) }
        return key
    }
}
