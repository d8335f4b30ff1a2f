// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// Two hosts' security managers with one link between them, and a controller that encrypts when both have the same key.
struct SecurityBench {
    enum Side: Int, CaseIterable {
        case central, peripheral
        var other: Side { self == .central ? .peripheral : .central }
    }

    static let identities = [
        DeviceAddress(BluetoothAddress(rawValue: 0x0011_2233_4455), .public),
        DeviceAddress(BluetoothAddress(rawValue: 0xC0AA_BBCC_DDEE), .random),
    ]

    let link = LinkID(rawValue: 1)
    var managers: [SecurityManager]
    var now = MonotonicTime.zero
    var log: [[SecurityAction]] = [[], []]
    /// The addresses on the air.
    var addresses = identities
    var isUp = false
    var answer: (Side, PairingQuestion) -> PairingAnswer? = { _, question in
        switch question {
        case .confirmJustWorks, .compareNumbers, .replaceBond: .accept
        default: nil
        }
    }
    /// May swallow or change what is sent.
    var tamper: (Side, [UInt8]) -> [[UInt8]] = { [$1] }
    private var queue: [(Side, SecurityAction)] = []

    init(central: PairingPolicy = PairingPolicy(), peripheral: PairingPolicy = PairingPolicy(acceptsPairing: true)) {
        managers = Side.allCases.map { side in
            var manager = SecurityManager(
                policy: side == .central ? central : peripheral, crypto: SeededCrypto(seed: UInt64(side.rawValue) + 40))
            manager.identity = LocalIdentity(
                address: Self.identities[side.rawValue], resolvingKey: Value128(UInt128(0xAA00 + side.rawValue)))
            return manager
        }
    }

    mutating func connect() {
        isUp = true
        log = [[], []]
        for side in Side.allCases {
            perform(
                side,
                managers[side.rawValue].linkOpened(
                    link, role: side == .central ? .central : .peripheral, localAddress: addresses[side.rawValue],
                    peerAddress: addresses[side.other.rawValue], now: now))
        }
        settle()
    }

    mutating func disconnect() {
        guard isUp else { return }
        isUp = false
        for side in Side.allCases { perform(side, managers[side.rawValue].linkClosed(link, now: now)) }
        settle()
    }

    mutating func raise(_ level: SecurityLevel = .encrypted, by side: Side = .central, pairsAgain: Bool = false) {
        perform(
            side,
            managers[side.rawValue].raise(
                level, on: link, request: SecurityRequest(pairsAgain: pairsAgain), now: now))
        settle()
    }

    mutating func deliver(_ pdu: [UInt8], to side: Side) {
        perform(side, managers[side.rawValue].receive(pdu, on: link, now: now))
        settle()
    }

    mutating func tick(after duration: Duration) {
        now = now + duration
        for side in Side.allCases { perform(side, managers[side.rawValue].tick(now: now)) }
        settle()
    }

    mutating func perform(_ side: Side, _ actions: [SecurityAction]) { queue += actions.map { (side, $0) } }

    mutating func settle() {
        var steps = 0
        while !queue.isEmpty, steps < 10_000 {
            steps += 1
            let (side, action) = queue.removeFirst()
            log[side.rawValue].append(action)
            switch action {
            case .send(let pdu, _):
                guard isUp else { continue }
                for changed in tamper(side, pdu) {
                    perform(side.other, managers[side.other.rawValue].receive(changed, on: link, now: now))
                }
            case .encrypt(let key, _):
                let answers = managers[1].keyRequested(
                    diversifier: key.diversifier, random: key.random, on: link, now: now)
                log[1] += answers
                let isSame = answers.contains(.answerKeyRequest(key.key, link))
                perform(
                    .central,
                    managers[0].encryptionChanged(status: isSame ? 0 : 0x06, isOn: isSame, on: link, now: now))
                if isSame {
                    perform(.peripheral, managers[1].encryptionChanged(status: 0, isOn: true, on: link, now: now))
                }
            case .disconnect: disconnect()
            case .ask(let question, _):
                guard let given = answer(side, question) else { continue }
                perform(side, managers[side.rawValue].answer(given, on: link, now: now))
            case .answerKeyRequest, .peerKeypress, .statusChanged, .identified, .raised, .failed, .paired,
                .bondsChanged:
                continue
            }
        }
    }

    func failures(_ side: Side) -> [SecurityFailure] {
        log[side.rawValue].compactMap { if case .failed(let failure, _) = $0 { failure } else { nil } }
    }

    func raised(_ side: Side) -> [SecurityLevel] {
        log[side.rawValue].compactMap { if case .raised(let level, _) = $0 { level } else { nil } }
    }

    func outcomes(_ side: Side) -> [PairingOutcome] {
        log[side.rawValue].compactMap { if case .paired(let outcome, _) = $0 { outcome } else { nil } }
    }

    func questions(_ side: Side) -> [PairingQuestion] {
        log[side.rawValue].compactMap { if case .ask(let question, _) = $0 { question } else { nil } }
    }

    func sent(_ side: Side) -> [[UInt8]] {
        log[side.rawValue].compactMap { if case .send(let pdu, _) = $0 { pdu } else { nil } }
    }

    func has(_ action: SecurityAction, _ side: Side) -> Bool { log[side.rawValue].contains(action) }

    func level(_ side: Side) -> SecurityLevel? { managers[side.rawValue].status(of: link)?.level }
}
