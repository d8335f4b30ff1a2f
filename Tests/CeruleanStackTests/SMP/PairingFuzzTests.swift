// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// Hostile packets in every state: the machine neither traps nor pairs, and it ends.
@Suite struct PairingFuzzTests {
    struct Random {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
        mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
        mutating func octets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
    }

    static let policies: [(PairingPolicy, PairingPolicy)] = [
        (PairingPolicy(), PairingPolicy()),
        (PairingPolicy(supportsSecureConnections: false), PairingPolicy()),
        (PairingPolicy(ioCapability: .displayYesNo), PairingPolicy(ioCapability: .displayYesNo)),
        (PairingPolicy(ioCapability: .displayOnly), PairingPolicy(ioCapability: .keyboardOnly)),
        (
            PairingPolicy(ioCapability: .keyboardOnly, supportsSecureConnections: false),
            PairingPolicy(ioCapability: .displayOnly)
        ),
        (PairingPolicy(ioCapability: .keyboardOnly), PairingPolicy(ioCapability: .keyboardOnly)),
    ]

    static func hostile(_ random: inout Random, like pdu: [UInt8]) -> [UInt8] {
        switch random.below(5) {
        case 0:  // a well-formed packet of any kind
            let opcode = UInt8(1 + random.below(14))
            return [opcode] + random.octets((SMP.Opcode(rawValue: opcode).length ?? 1) - 1)
        case 1: return random.octets(random.below(80))
        case 2: return Array(pdu.prefix(random.below(pdu.count + 1)))
        case 3: return pdu + random.octets(1 + random.below(4))
        default:
            var changed = pdu
            if !changed.isEmpty { changed[random.below(changed.count)] ^= UInt8(1 << random.below(8)) }
            return changed
        }
    }

    @Test(arguments: 0..<6, PairingBench.Side.allCases)
    func hostilePacketsInEveryStateNeverPair(_ index: Int, from side: PairingBench.Side) {
        var random = Random(state: UInt64(index * 2 + side.rawValue) + 77)
        let (central, peripheral) = Self.policies[index]
        var honest = PairingBench(central: central, peripheral: peripheral)
        honest.run()
        #expect(honest.outcomes.count == 2)
        let steps = honest.sent[side.rawValue].count
        for round in 0..<(steps * 6) {
            var bench = PairingBench(central: central, peripheral: peripheral, seed: UInt64(round))
            var step = 0
            var isChanged = false
            var isHarmless = false
            var generator = random
            bench.tamper = { from, pdu in
                guard from == side else { return [pdu] }
                defer { step += 1 }
                guard step == round % steps else { return [pdu] }
                let bad = Self.hostile(&generator, like: pdu)
                // Key distribution cannot notice other keys; notifications and Security Requests are ignored by rule.
                let isKey = pdu.first.map { (0x06...0x0A).contains($0) } ?? false
                isChanged = bad != pdu && !(isKey && bad.count == pdu.count && bad.first == pdu.first)
                isHarmless = bad.first == 0x0E || bad.first == 0x0B
                // The check of LE Secure Connections covers the first three octets of the features, not key size and keys.
                let isFeatures = pdu.first == 0x01 || pdu.first == 0x02
                if isFeatures, bad.count == 7, bad.prefix(4) == pdu.prefix(4) { isHarmless = true }
                return [bad]
            }
            bench.run()
            random = generator
            bench.now = .zero + .seconds(61)
            for each in PairingBench.Side.allCases {
                bench.perform(each, bench.machines[each.rawValue].tick(now: bench.now))
            }
            bench.settle()
            guard isChanged, !isHarmless else { continue }
            // The side that got the hostile packet never finishes a pairing that was tampered with before the keys.
            if round % steps < steps - 6 {
                #expect(bench.failure(side.other) != nil, "round \(round): \(bench.ends)")
            }
            #expect(bench.machines.allSatisfy { $0.isOver })
        }
    }

    @Test func floodsOfRandomPacketsAlwaysEnd() {
        var random = Random(state: 99)
        for round in 0..<3_000 {
            let (_, policy) = Self.policies[round % Self.policies.count]
            var accepting = policy
            accepting.acceptsPairing = true
            accepting.minimumKeySize = 7
            let role: LinkInfo.Role = round % 2 == 0 ? .peripheral : .central
            var machine = PairingMachine(
                context: PairingContext(
                    role: role, localAddress: PairingBench.addresses[0], peerAddress: PairingBench.addresses[1],
                    policy: accepting, crypto: SeededCrypto(seed: UInt64(round))))
            var actions = machine.start(now: .zero)
            var time = MonotonicTime.zero
            for _ in 0..<40 where !machine.isOver {
                time = time + .milliseconds(1)
                switch random.below(8) {
                case 0: actions += machine.answer(.accept, now: time)
                case 1: actions += machine.answer(.passkey(Passkey(truncating: 7)), now: time)
                case 2: actions += machine.encryptionStarted(now: time)
                case 3: actions.append(machine.answerKeyRequest(diversifier: 0, random: 0))
                default:
                    let opcode = UInt8(1 + random.below(14))
                    var pdu = [opcode] + random.octets((SMP.Opcode(rawValue: opcode).length ?? 1) - 1)
                    if opcode <= 2 { pdu = [opcode, UInt8(random.below(5)), 0, UInt8(random.below(32)), 16, 7, 7] }
                    actions += machine.receive(pdu, now: time)
                }
            }
            actions += machine.tick(now: time + .seconds(30))
            #expect(machine.isOver || !machine.isRunning)
            let ends = actions.count {
                if case .failed = $0 { true } else if case .finished = $0 { true } else { false }
            }
            #expect(ends <= 1)
            #expect(!actions.contains { if case .finished = $0 { true } else { false } })
            #expect(!actions.contains(.answerKeyRequest(.zero)))
        }
    }
}
