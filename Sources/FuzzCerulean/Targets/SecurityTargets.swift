// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// Pairing in every state, and the file that bonds are kept in.
enum SecurityTargets {
    static let all: [FuzzTarget] = [smp, bondFile]

    // MARK: Two hosts that pair while the air changes what they say

    private static let capabilities = SMP.IOCapability.known

    private static let smp = FuzzTarget("smp-pairing", weight: 5) { context, count in
        var number = 0
        while number < count {
            var session = Session(context: &context)
            session.begin()
            for _ in 0..<min(100, count - number) {
                context.next(number)
                number += 1
                session.step(&context)
            }
            session.end(&context)
        }
    }

    private struct Session {
        let link = LinkID(rawValue: 1)
        var managers: [SecurityManager] = []
        var now = MonotonicTime.zero
        /// What is on its way: the side that gets it, and the octets.
        var air: [(to: Int, pdu: [UInt8])] = []
        var questions: [(of: Int, question: PairingQuestion)] = []
        var keys: [LongTermKey] = []
        var shown: Passkey?
        var problem: String?

        init(context: inout FuzzTarget.Context) {
            for _ in 0..<2 {
                let keySize = context.mutator.number(7...16)
                let policy = PairingPolicy(
                    ioCapability: SecurityTargets.capabilities[context.mutator.number(0...4)],
                    bonds: context.mutator.chance(80), acceptsPairing: context.mutator.chance(80),
                    wantsProtection: context.mutator.chance(50),
                    supportsSecureConnections: context.mutator.chance(70), minimumKeySize: 7, maximumKeySize: keySize,
                    offersKeypress: context.mutator.chance(30))
                managers.append(SecurityManager(policy: policy))
            }
        }

        mutating func begin() {
            let addresses = [
                DeviceAddress(BluetoothAddress(rawValue: 1), .public),
                DeviceAddress(BluetoothAddress(rawValue: 0xC000_0000_0002), .random),
            ]
            for side in 0..<2 {
                managers[side].identity = LocalIdentity(address: addresses[side], resolvingKey: Value128(9))
                perform(
                    managers[side].linkOpened(
                        link, role: side == 0 ? .central : .peripheral, localAddress: addresses[side],
                        peerAddress: addresses[1 - side], now: now), side)
            }
        }

        mutating func step(_ context: inout FuzzTarget.Context) {
            let side = context.mutator.number(0...1)
            switch context.mutator.number(0...19) {
            case 0: perform(managers[side].raise(.encrypted, on: link, now: now), side)
            case 1:
                perform(
                    managers[side].encryptionChanged(
                        status: context.mutator.chance(50) ? 0 : 6, isOn: context.mutator.chance(50),
                        keySize: context.mutator.chance(50) ? context.mutator.number(0...16) : nil, on: link, now: now),
                    side)
            case 2:
                perform(
                    managers[side].keyRequested(
                        diversifier: context.mutator.chance(80) ? 0 : 1, random: 0, on: link, now: now), side)
            case 3:
                now = now + .milliseconds(context.mutator.number(1...40_000))
                for side in 0..<2 { perform(managers[side].tick(now: now), side) }
            case 4:
                let kind = SMP.Opcode(rawValue: UInt8(context.mutator.number(0...15)))
                air.append((side, [kind.rawValue] + context.mutator.bytes((kind.length ?? 5) - 1)))
            case 5...8: answer(&context)
            default: deliver(&context)
            }
            if air.count > 64 { air.removeFirst() }
            context.expect(problem == nil, problem ?? "")
        }

        mutating func end(_ context: inout FuzzTarget.Context) {
            for side in 0..<2 { perform(managers[side].linkClosed(link, now: now), side) }
            for manager in managers {
                context.expect(manager.status(of: link) == nil, "a link that is gone is remembered")
                context.expect(manager.database.bonds.count <= 2, "\(manager.database.bonds.count) bonds with one peer")
            }
        }

        private mutating func deliver(_ context: inout FuzzTarget.Context) {
            guard !air.isEmpty else {
                return perform(managers[0].raise(.encrypted, on: link, now: now), 0)
            }
            var (to, pdu) = air.removeFirst()
            if context.mutator.chance(15) { context.mutator.mutate(&pdu) }
            perform(managers[to].receive(pdu, on: link, now: now), to)
        }

        private mutating func answer(_ context: inout FuzzTarget.Context) {
            guard !questions.isEmpty else { return deliver(&context) }
            let (side, question) = questions.removeFirst()
            let answer: PairingAnswer
            switch question {
            case .confirmJustWorks, .compareNumbers, .replaceBond, .showPasskey: answer = .accept
            case .enterPasskey: answer = .passkey(shown ?? Passkey(truncating: 1))
            case .enterSamePasskey: answer = .passkey(Passkey(truncating: 7))
            case .provideOutOfBand: answer = .temporaryKey(Value128(3))
            }
            perform(
                managers[side].answer(context.mutator.chance(90) ? answer : .refuse, on: link, now: now), side)
        }

        private mutating func perform(_ actions: [SecurityAction], _ side: Int) {
            for action in actions {
                switch action {
                case .send(let pdu, _): air.append((1 - side, pdu))
                case .ask(let question, _):
                    if case .showPasskey(let digits) = question { shown = digits }
                    questions.append((side, question))
                    if questions.count > 64 { questions.removeFirst() }
                case .encrypt(let key, _):
                    if key.key == .zero { problem = "a key of zero for the controller" }
                    encrypt(key)
                case .answerKeyRequest(let key, _): if key == .zero { problem = "a key of zero for the controller" }
                case .disconnect, .peerKeypress, .statusChanged, .identified, .raised, .failed, .paired, .bondsChanged:
                    continue
                }
            }
        }

        /// The controllers encrypt when both hosts have the key.
        private mutating func encrypt(_ key: LongTermKey) {
            let answers = managers[1].keyRequested(
                diversifier: key.diversifier, random: key.random, on: link, now: now)
            let isSame = answers.contains(.answerKeyRequest(key.key, link))
            perform(
                managers[0].encryptionChanged(status: isSame ? 0 : 6, isOn: isSame, on: link, now: now), 0)
            if isSame { perform(managers[1].encryptionChanged(status: 0, isOn: true, on: link, now: now), 1) }
        }
    }

    // MARK: The file

    private static let bondFile: FuzzTarget = {
        let strength = BondStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16)
        var bond = Bond(identity: DeviceAddress(BluetoothAddress(rawValue: 0xC000_0000_0001), .random))
        bond.peerKey = LongTermKey(key: Value128(5), strength: strength)
        bond.localKey = LongTermKey(key: Value128(6), diversifier: 1, random: 2, strength: strength)
        bond.resolvingKey = Value128(7)
        bond.peerSignature = SignatureKey(key: Value128(8), counter: 9)
        bond.configurations = [3: 1, 9: 2]
        bond.clientFeatures = [1]
        bond.name = "Strap"
        let database = BondDatabase(
            resolvingKey: Value128(1), adapterAddress: DeviceAddress(BluetoothAddress(rawValue: 4), .public),
            bonds: [bond])
        let sample = (try? BondFile(adapter: "hci:0", database: database).encoded()) ?? []
        return FuzzTarget.each("bond-file", weight: 5, [sample]) { context, input in
            // The checksum keeps most changes out; with the right one they come through to the layout.
            for octets in [input, BondFile.withChecksum(input)] {
                guard let file = try? BondFile(octets) else { continue }
                let again = try? BondFile(file.encoded())
                context.expect(again == file, "what was written is read as something else: \(Hex.encode(octets))")
            }
        }
    }()
}
