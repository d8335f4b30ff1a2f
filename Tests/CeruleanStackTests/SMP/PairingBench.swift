// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Synchronization

/// OpenSSL's cryptography with randomness from a seed, or from a script that is used up first.
final class SeededCrypto: CryptoProvider {
    private struct State {
        var random: UInt64
        var values: [Value128]
        var privateKeys: [Value256]
        var pairsMade = 0
    }

    private let system = SystemCrypto()
    private let state: Mutex<State>

    init(seed: UInt64, values: [Value128] = [], privateKeys: [Value256] = []) {
        state = Mutex(State(random: seed, values: values, privateKeys: privateKeys))
    }

    var pairsMade: Int { state.withLock { $0.pairsMade } }

    func random(_ count: Int) throws(CryptoError) -> [UInt8] {
        state.withLock { state in
            if count == 16, !state.values.isEmpty { return state.values.removeFirst().littleEndian }
            return (0..<count).map { _ in
                state.random &+= 0x9E37_79B9_7F4A_7C15
                var mixed = state.random
                mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
                return UInt8(truncatingIfNeeded: mixed >> 56)
            }
        }
    }

    func makeKeyPair() throws(CryptoError) -> P256KeyPair {
        let scripted = state.withLock { state -> Value256? in
            state.pairsMade += 1
            return state.privateKeys.isEmpty ? nil : state.privateKeys.removeFirst()
        }
        if let scripted { return try keyPair(of: scripted) }
        guard let key = Value256(bigEndian: try random(32)) else { throw .unavailable }
        return try keyPair(of: key)
    }

    func encrypt(_ block: Value128, key: Value128) throws(CryptoError) -> Value128 {
        try system.encrypt(block, key: key)
    }
    func authenticate(_ message: [UInt8], key: Value128) throws(CryptoError) -> Value128 {
        try system.authenticate(message, key: key)
    }
    func keyPair(of privateKey: Value256) throws(CryptoError) -> P256KeyPair { try system.keyPair(of: privateKey) }
    func validate(_ key: P256PublicKey) throws(CryptoError) { try system.validate(key) }
    func sharedSecret(_ own: Value256, with peer: P256PublicKey) throws(CryptoError) -> Value256 {
        try system.sharedSecret(own, with: peer)
    }
}

/// A library without any algorithm.
struct MissingCrypto: CryptoProvider {
    func encrypt(_ block: Value128, key: Value128) throws(CryptoError) -> Value128 { throw .unavailable }
    func authenticate(_ message: [UInt8], key: Value128) throws(CryptoError) -> Value128 { throw .unavailable }
    func random(_ count: Int) throws(CryptoError) -> [UInt8] { throw .unavailable }
    func makeKeyPair() throws(CryptoError) -> P256KeyPair { throw .unavailable }
    func keyPair(of privateKey: Value256) throws(CryptoError) -> P256KeyPair { throw .unavailable }
    func validate(_ key: P256PublicKey) throws(CryptoError) { throw .unavailable }
    func sharedSecret(_ own: Value256, with peer: P256PublicKey) throws(CryptoError) -> Value256 { throw .unavailable }
}

/// Two pairing machines, the link between them and users who answer.
struct PairingBench {
    enum Side: Int, CaseIterable {
        case central, peripheral
        var other: Side { self == .central ? .peripheral : .central }
    }

    /// How one side ended.
    enum End: Hashable {
        case finished(PairingOutcome)
        case failed(PairingFailure)
    }

    static let addresses = [
        DeviceAddress(BluetoothAddress(rawValue: 0x5612_3737_BFCE), .public),
        DeviceAddress(BluetoothAddress(rawValue: 0xC713_702D_CFC1), .random),
    ]

    var machines: [PairingMachine]
    var now = MonotonicTime.zero
    var ends: [End?] = [nil, nil]
    var questions: [[PairingQuestion]] = [[], []]
    var keypresses: [[SMP.KeypressKind]] = [[], []]
    var sent: [[[UInt8]]] = [[], []]
    /// The key that the central encrypted with, once both agreed on it.
    var linkKey: Value128?
    /// Answers a question; nil leaves it open.
    var answer: (Side, PairingQuestion) -> PairingAnswer? = { PairingBench.agreeable($0, $1, shown: nil) }
    /// May change what a side sends, before it arrives; an empty list swallows it.
    var tamper: (Side, [UInt8]) -> [[UInt8]] = { [$1] }
    /// The digits on a display, and whether the other user types them.
    var shownPasskey: Passkey?
    var usersType = true
    private var queue: [(Side, PairingAction)] = []

    init(
        central: PairingPolicy, peripheral: PairingPolicy, seed: UInt64 = 1,
        crypto: [any CryptoProvider]? = nil, change: (inout PairingContext) -> Void = { _ in }
    ) {
        var accepting = peripheral
        accepting.acceptsPairing = true
        let providers: [any CryptoProvider] = crypto ?? [SeededCrypto(seed: seed), SeededCrypto(seed: ~seed)]
        machines = Side.allCases.map { side in
            let own = Self.addresses[side.rawValue]
            var context = PairingContext(
                role: side == .central ? .central : .peripheral, localAddress: own,
                peerAddress: Self.addresses[side.other.rawValue], policy: side == .central ? central : accepting,
                identity: LocalIdentity(address: own, resolvingKey: Value128(UInt128(side.rawValue) + 0x1111)),
                crypto: providers[side.rawValue])
            change(&context)
            return PairingMachine(context: context)
        }
    }

    static func agreeable(_ side: Side, _ question: PairingQuestion, shown: Passkey?) -> PairingAnswer? {
        switch question {
        case .confirmJustWorks, .compareNumbers, .replaceBond: .accept
        case .showPasskey: nil
        case .enterPasskey: shown.map { .passkey($0) }
        case .enterSamePasskey: .passkey(Passkey(truncating: 424_242))
        case .provideOutOfBand: nil
        }
    }

    /// Runs pairing until nothing moves.
    mutating func run() {
        perform(.central, machines[0].start(now: now))
        settle()
    }

    mutating func perform(_ side: Side, _ actions: [PairingAction]) { queue += actions.map { (side, $0) } }

    mutating func settle() {
        var steps = 0
        while !queue.isEmpty, steps < 10_000 {
            steps += 1
            let (side, action) = queue.removeFirst()
            handle(side, action)
        }
        // A user who types waits until the other device shows something.
        for side in Side.allCases where machines[side.rawValue].openQuestion == .enterPasskey {
            guard let shownPasskey, usersType else { continue }
            perform(side, machines[side.rawValue].answer(.passkey(shownPasskey), now: now))
        }
        if !queue.isEmpty { settle() }
    }

    mutating func deliver(_ pdu: [UInt8], to side: Side) {
        perform(side, machines[side.rawValue].receive(pdu, now: now))
    }

    var outcomes: [PairingOutcome] {
        ends.compactMap { end in
            guard case .finished(let outcome)? = end else { return nil }
            return outcome
        }
    }

    func failure(_ side: Side) -> PairingFailure? {
        guard case .failed(let failure)? = ends[side.rawValue] else { return nil }
        return failure
    }

    func asked(_ side: Side) -> [PairingQuestion] { questions[side.rawValue] }

    // MARK: - Private

    private mutating func handle(_ side: Side, _ action: PairingAction) {
        let index = side.rawValue
        switch action {
        case .send(let pdu):
            sent[index].append(pdu)
            for changed in tamper(side, pdu) {
                perform(side.other, machines[side.other.rawValue].receive(changed, now: now))
            }
        case .ask(let question):
            questions[index].append(question)
            if case .showPasskey(let passkey) = question { shownPasskey = passkey }
            guard let given = answer(side, question) else { return }
            perform(side, machines[index].answer(given, now: now))
        case .peerKeypress(let kind): keypresses[index].append(kind)
        case .startEncryption(let key):
            let theirs = machines[1].key(diversifier: key.diversifier, random: key.random)
            if let theirs, theirs.key == key.key {
                linkKey = key.key
                for each in Side.allCases {
                    perform(each, machines[each.rawValue].encryptionStarted(now: now))
                }
            } else {
                for each in Side.allCases { perform(each, machines[each.rawValue].encryptionFailed(0x06)) }
            }
        case .answerKeyRequest: break
        case .finished(let outcome): ends[index] = ends[index] ?? .finished(outcome)
        case .failed(let failure): ends[index] = ends[index] ?? .failed(failure)
        }
    }
}
