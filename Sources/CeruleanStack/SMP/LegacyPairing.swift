// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Authentication by legacy pairing. Core 5.4, Vol 3, Part H, 2.3.5.2 to 2.3.5.5. Ends with the Short Term Key.
struct LegacyPairing: Sendable {
    enum Stage: Hashable, Sendable {
        /// The next PDU is the peer's commitment.
        case confirm
        /// The next PDU is the peer's random value.
        case random
        /// The key is there; encryption is to start.
        case encryption(Value128)
    }

    private(set) var stage = Stage.confirm
    private let context: PairingContext
    private let agreement: PairingAgreement
    private let random: Value128
    private var temporaryKey: Value128?
    private var ownConfirm: Value128?
    private var peerConfirm: Value128?

    init(context: PairingContext, agreement: PairingAgreement) throws(CryptoError) {
        self.context = context
        self.agreement = agreement
        random = try context.crypto.randomValue()
    }

    /// The key that the link is to be encrypted with.
    var key: Value128? {
        guard case .encryption(let key) = stage else { return nil }
        return key
    }

    /// Gives the temporary key as soon as it is known: at once, or when the user has typed.
    mutating func use(_ key: Value128, _ actions: inout [PairingAction]) throws(PairingFault) {
        guard temporaryKey == nil else { return }
        temporaryKey = key
        if context.isInitiator || peerConfirm != nil { try sendConfirm(&actions) }
    }

    mutating func receive(_ command: SMP.Command, _ actions: inout [PairingAction]) throws(PairingFault) {
        switch (stage, command) {
        case (.confirm, .pairingConfirm(let packet)):
            guard peerConfirm == nil, !context.isInitiator || ownConfirm != nil else { throw .outOfOrder }
            // A mirrored commitment would open with our own random value. Part H, 2.3.5.5.
            guard packet.value != ownConfirm else { throw .failure(.refused(.confirmValueFailed)) }
            peerConfirm = packet.value
            if context.isInitiator {
                stage = .random
                actions.append(try .command(.pairingRandom(.init(value: random))))
            } else if temporaryKey != nil {
                try sendConfirm(&actions)
            }
        case (.random, .pairingRandom(let packet)):
            try check(packet.value, &actions)
        default: throw .outOfOrder
        }
    }

    // MARK: - Private

    private func confirm(_ random: Value128, _ key: Value128) throws(PairingFault) -> Value128 {
        try PairingFault.catching { () throws(CryptoError) in
            try context.crypto.c1(
                key, random, request: agreement.request.confirmNumber(.pairingRequest),
                response: agreement.response.confirmNumber(.pairingResponse), initiator: context.initiatorAddress,
                responder: context.responderAddress)
        }
    }

    private mutating func sendConfirm(_ actions: inout [PairingAction]) throws(PairingFault) {
        guard let temporaryKey else { throw .outOfOrder }
        let value = try confirm(random, temporaryKey)
        // Ours equal to the peer's would say that it mirrors us.
        guard value != peerConfirm else { throw .failure(.refused(.confirmValueFailed)) }
        ownConfirm = value
        if !context.isInitiator { stage = .random }
        actions.append(try .command(.pairingConfirm(.init(value: value))))
    }

    private mutating func check(_ peerRandom: Value128, _ actions: inout [PairingAction]) throws(PairingFault) {
        guard let temporaryKey, let peerConfirm else { throw .outOfOrder }
        guard SystemCrypto.isEqual(try confirm(peerRandom, temporaryKey), peerConfirm) else {
            throw .failure(.refused(.confirmValueFailed))
        }
        let (initiatorRandom, responderRandom) = context.isInitiator ? (random, peerRandom) : (peerRandom, random)
        let key = try PairingFault.catching { () throws(CryptoError) in
            try context.crypto.s1(temporaryKey, responderRandom, initiatorRandom)
        }.masked(toSize: agreement.keySize)
        guard key != .zero else { throw .failure(.refused(.unspecifiedReason)) }
        if !context.isInitiator { actions.append(try .command(.pairingRandom(.init(value: random)))) }
        stage = .encryption(key)
        if context.isInitiator {
            actions.append(.startEncryption(LongTermKey(key: key, strength: agreement.strength)))
        }
    }
}

/// What ends pairing from inside, before it is known what the peer is told.
enum PairingFault: Error, Hashable, Sendable {
    /// A known reason.
    case failure(PairingFailure)
    /// A packet or answer that does not belong here.
    case outOfOrder

    /// Cryptography that is missing or fails ends pairing; it is never skipped.
    static func catching<T>(_ body: () throws(CryptoError) -> T) throws(PairingFault) -> T {
        do {
            return try body()
        } catch {
            throw .failure(.refused(error == .invalidKey ? .invalidParameters : .unspecifiedReason))
        }
    }

    var failure: PairingFailure {
        switch self {
        case .failure(let failure): failure
        case .outOfOrder: .refused(.unspecifiedReason)
        }
    }
}

extension PairingAction {
    static func command(_ command: SMP.Command) throws(PairingFault) -> Self {
        do {
            return .send(try command.pdu())
        } catch {
            throw .failure(.refused(.unspecifiedReason))
        }
    }
}
