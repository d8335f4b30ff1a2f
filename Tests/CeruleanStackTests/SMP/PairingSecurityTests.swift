// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// The rows of the security table that one pairing can break, each named by its id.
@Suite struct PairingSecurityTests {
    static let justWorks = PairingPolicy()
    static let display = PairingPolicy(ioCapability: .displayOnly)
    static let keyboard = PairingPolicy(ioCapability: .keyboardOnly)
    static let yesNo = PairingPolicy(ioCapability: .displayYesNo)

    private func publicKey(_ pdu: [UInt8]) -> P256PublicKey? {
        guard let packet = try? SMP.PairingPublicKey(pdu: pdu) else { return nil }
        return P256PublicKey(x: packet.x, y: packet.y)
    }

    private func pdu(_ key: P256PublicKey) -> [UInt8] { [0x0C] + key.x.littleEndian + key.y.littleEndian }

    static let badKeys: [(x: String, y: String)] = [
        (
            "2c31a47b5779809ef44cb5eaaf5c3e43d5f8faad4a8794cb987e9b03745c78dd",
            "919512183898dfbecd52e2408e43871fd021109117bd3ed4eaf8437743715d4e"
        ),
        (
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000000"
        ),
        (
            "ffffffff00000001000000000000000000000001000000000000000000000004",
            "919512183898dfbecd52e2408e43871fd021109117bd3ed4eaf8437743715d4f"
        ),
        (
            "2c31a47b5779809ef44cb5eaaf5c3e43d5f8faad4a8794cb987e9b03745c78dd",
            "0000000000000000000000000000000000000000000000000000000000000000"
        ),
        (
            "0000000000000000000000000000000000000000000000000000000000000001",
            "0000000000000000000000000000000000000000000000000000000000000000"
        ),
    ]

    @Test(arguments: 0..<5, PairingBench.Side.allCases)
    func s1_refusesKeysThatAreNoPointOfTheCurve(_ index: Int, from side: PairingBench.Side) throws {
        let bad = P256PublicKey(
            x: try #require(Value256(bigEndian: Hex.decode(Self.badKeys[index].x))),
            y: try #require(Value256(bigEndian: Hex.decode(Self.badKeys[index].y))))
        var bench = PairingBench(central: Self.justWorks, peripheral: Self.justWorks)
        let hostile = pdu(bad)
        bench.tamper = { from, pdu in from == side && pdu.first == 0x0C ? [hostile] : [pdu] }
        bench.run()
        #expect(bench.failure(side.other) == .refused(.invalidParameters))
        #expect(bench.outcomes.isEmpty)
    }

    @Test(arguments: [true, false], PairingBench.Side.allCases)
    func s2_refusesItsOwnKeyMirrored(flipsY: Bool, to side: PairingBench.Side) throws {
        var bench = PairingBench(central: Self.yesNo, peripheral: Self.yesNo)
        // The prime of P-256.
        let p = try #require(
            Value256(bigEndian: Hex.decode("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")))
        // The private half is scripted, so that the mirror is ready before the key is sent.
        let secret = Value256(high: 7, low: 9)
        let own = try SystemCrypto().keyPair(of: secret).publicKey
        var mirrored = own
        if flipsY {
            let (low, borrow) = p.low.subtractingReportingOverflow(own.y.low)
            mirrored.y = Value256(high: p.high &- own.y.high &- (borrow ? 1 : 0), low: low)
            try SystemCrypto().validate(mirrored)
        }
        var crypto: [any CryptoProvider] = [SeededCrypto(seed: 1), SeededCrypto(seed: 2)]
        crypto[side.rawValue] = SeededCrypto(seed: 3, privateKeys: [secret])
        bench = PairingBench(central: Self.yesNo, peripheral: Self.yesNo, crypto: crypto)
        let hostile = pdu(mirrored)
        bench.tamper = { from, pdu in from == side.other && pdu.first == 0x0C ? [hostile] : [pdu] }
        bench.run()
        #expect(bench.failure(side) == .refused(.invalidParameters))
        #expect(bench.outcomes.isEmpty)
    }

    @Test func s2_refusesAMirroredCommitmentInLegacyPairing() {
        var bench = PairingBench(
            central: PairingPolicy(ioCapability: .displayOnly, supportsSecureConnections: false),
            peripheral: Self.keyboard)
        bench.usersType = false
        bench.run()
        guard let confirm = bench.sent[0].last, confirm.first == 0x03 else { Issue.record("no commitment"); return }
        bench.deliver(confirm, to: .central)
        bench.settle()
        #expect(bench.failure(.central) == .refused(.confirmValueFailed))
    }

    @Test func s3_makesANewKeyPairForEachPairing() {
        let crypto = SeededCrypto(seed: 5)
        var keys: Set<[UInt8]> = []
        for _ in 0..<4 {
            var bench = PairingBench(
                central: Self.justWorks, peripheral: Self.justWorks, crypto: [crypto, SeededCrypto(seed: 6)])
            bench.run()
            keys.formUnion(bench.sent[0].filter { $0.first == 0x0C })
        }
        #expect(keys.count == 4)
        #expect(crypto.pairsMade == 4)
    }

    @Test(arguments: [true, false])
    func s4_takesTheDebugKeyOnlyWhenToldTo(accepts: Bool) throws {
        let secret = try #require(
            Value256(bigEndian: Hex.decode("3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd")))
        var policy = Self.yesNo
        policy.acceptsDebugKey = accepts
        var bench = PairingBench(
            central: Self.yesNo, peripheral: policy,
            crypto: [SeededCrypto(seed: 1, privateKeys: [secret]), SeededCrypto(seed: 2)])
        bench.run()
        if accepts {
            guard case .finished(let outcome)? = bench.ends[1] else { Issue.record("\(bench.ends)"); return }
            #expect(outcome.usedDebugKey)
            #expect(!outcome.isBonded)
            #expect(!outcome.strength.isAuthenticated)
        } else {
            #expect(bench.failure(.peripheral) == .refused(.invalidParameters))
        }
    }

    @Test(
        arguments: [(0, 0x0A), (6, 0x0A), (17, 0x0A), (255, 0x0A), (7, 0x06), (15, 0x06)], PairingBench.Side.allCases)
    func s5_refusesShortKeys(_ pair: (size: Int, reason: Int), from side: PairingBench.Side) {
        var bench = PairingBench(central: Self.justWorks, peripheral: Self.justWorks)
        bench.tamper = { from, pdu in
            guard from == side, pdu.first == 0x01 || pdu.first == 0x02 else { return [pdu] }
            var changed = pdu
            changed[4] = UInt8(pair.size)
            return [changed]
        }
        bench.run()
        #expect(bench.failure(side.other) == .refused(.init(rawValue: UInt8(pair.reason))))
        #expect(bench.outcomes.isEmpty)
    }

    @Test(arguments: 7...16, [true, false])
    func s5_cutsKeysToTheSizeAgreedOn(_ size: Int, isSecure: Bool) {
        var bench = PairingBench(
            central: PairingPolicy(supportsSecureConnections: isSecure, minimumKeySize: 7, maximumKeySize: size),
            peripheral: PairingPolicy(minimumKeySize: 7))
        bench.run()
        for outcome in bench.outcomes {
            #expect(outcome.strength.keySize == size)
            for key in [outcome.localKey, outcome.peerKey] {
                #expect(key?.key == key?.key.masked(toSize: size))
                #expect(key?.key != .zero)
            }
        }
        #expect(bench.outcomes.count == 2)
    }

    @Test func s6_asksBeforeABondIsReplaced() {
        let strong = BondStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16)
        for agrees in [true, false] {
            var bench = PairingBench(central: Self.justWorks, peripheral: Self.justWorks) { context in
                if context.role == .peripheral { context.existing = strong }
            }
            bench.answer = { _, question in
                if case .replaceBond = question { return agrees ? .accept : .refuse }
                return .accept
            }
            bench.run()
            let weak = BondStrength(isAuthenticated: false, isSecureConnections: true, keySize: 16)
            #expect(bench.asked(.peripheral).first == .replaceBond(old: strong, new: weak))
            #expect(bench.outcomes.count == (agrees ? 2 : 0))
            if agrees { #expect(bench.outcomes[1].mayReplaceBond) }
            if !agrees { #expect(bench.failure(.central) == .refusedByPeer(.pairingNotSupported)) }
        }
        var policy = Self.justWorks
        policy.replacesBonds = false
        var bench = PairingBench(central: Self.justWorks, peripheral: policy) { context in
            if context.role == .peripheral { context.existing = strong }
        }
        bench.run()
        #expect(bench.failure(.peripheral) == .refused(.pairingNotSupported))
    }

    @Test func s7_derivesNoKeyForAnotherTransport() {
        var bench = PairingBench(central: Self.justWorks, peripheral: Self.justWorks)
        bench.tamper = { side, pdu in
            guard side == .central, pdu.first == 0x01 else { return [pdu] }
            return [[pdu[0], pdu[1], pdu[2], pdu[3], pdu[4], pdu[5] | 0x08, pdu[6] | 0x08]]
        }
        bench.run()
        // The response takes the bits away. The two sides then see different requests, so the check must fail.
        let response = bench.sent[1].first { $0.first == 0x02 }
        #expect(response.map { ($0[5] | $0[6]) & 0x08 } == 0)
        #expect(bench.sent.joined().allSatisfy { $0.first != 0x01 || ($0[5] | $0[6]) & 0x08 == 0 })
    }

    @Test func s8_ignoresAnswersToAnotherQuestion() {
        var bench = PairingBench(central: Self.yesNo, peripheral: Self.yesNo)
        bench.answer = { _, _ in nil }
        bench.run()
        guard case .compareNumbers(let digits)? = bench.machines[0].openQuestion else {
            Issue.record("not comparing: \(bench.questions)")
            return
        }
        for answer: PairingAnswer in [
            .passkey(digits), .temporaryKey(digits.temporaryKey),
            .outOfBand(OutOfBandData(confirm: .zero, random: .zero)),
        ] {
            #expect(bench.machines[0].answer(answer, now: bench.now).isEmpty)
        }
        #expect(bench.machines[0].openQuestion == .compareNumbers(digits))

        var typing = PairingBench(central: Self.keyboard, peripheral: Self.display)
        typing.usersType = false
        typing.run()
        #expect(typing.machines[0].openQuestion == .enterPasskey)
        #expect(typing.machines[0].answer(.accept, now: typing.now).isEmpty)
        #expect(typing.machines[0].isRunning)
    }

    @Test func s9_showsOtherDigitsEachTime() {
        var shown: Set<Passkey> = []
        for seed in 0..<20 {
            var bench = PairingBench(central: Self.display, peripheral: Self.keyboard, seed: UInt64(seed))
            bench.run()
            if let passkey = bench.shownPasskey { shown.insert(passkey) }
        }
        #expect(shown.count > 15)
        var policy = Self.display
        policy.fixedPasskey = Passkey(123_456)
        var bench = PairingBench(central: policy, peripheral: Self.keyboard)
        bench.run()
        #expect(bench.shownPasskey?.description == "123456")
    }

    @Test(arguments: PairingBench.Side.allCases, [UInt8(0x04), 0x0D])
    func s10_refusesValuesThatDoNotFit(_ side: PairingBench.Side, _ opcode: UInt8) {
        var bench = PairingBench(central: Self.yesNo, peripheral: Self.yesNo)
        bench.tamper = { from, pdu in
            guard from == side, pdu.first == opcode else { return [pdu] }
            var changed = pdu
            changed[16] ^= 0x01
            return [changed]
        }
        bench.run()
        #expect(bench.outcomes.isEmpty)
        let reasons = [bench.failure(.central), bench.failure(.peripheral)]
        if opcode == 0x0D {
            #expect(reasons[side.other.rawValue] == .refused(.dhKeyCheckFailed))
        } else if side == .peripheral {
            #expect(reasons[0] == .refused(.confirmValueFailed))
        } else {
            // The initiator does not commit in numeric comparison: the digits differ, or the checks do.
            #expect(reasons[1] == .refused(.dhKeyCheckFailed))
        }
    }

    @Test func s10_differentDigitsAreReportedAsSuch() {
        var bench = PairingBench(central: Self.yesNo, peripheral: Self.yesNo)
        bench.answer = { side, _ in side == .central ? .refuse : .accept }
        bench.run()
        #expect(bench.failure(.central) == .refused(.numericComparisonFailed))
        #expect(bench.failure(.peripheral) == .refusedByPeer(.numericComparisonFailed))
    }

    @Test func s12_discardsKeysBeforeEncryption() {
        for packet: [UInt8] in [
            [0x06] + [UInt8](repeating: 1, count: 16), [0x07] + [UInt8](repeating: 1, count: 10),
            [0x08] + [UInt8](repeating: 1, count: 16), [0x09, 0, 1, 2, 3, 4, 5, 6],
            [0x0A] + [UInt8](repeating: 1, count: 16),
        ] {
            for side in PairingBench.Side.allCases {
                var bench = PairingBench(central: Self.yesNo, peripheral: Self.yesNo)
                bench.answer = { _, _ in nil }
                bench.run()
                bench.deliver(packet, to: side)
                bench.settle()
                #expect(bench.failure(side) == .refused(.unspecifiedReason))
            }
        }
    }

    @Test func s12_namesWhatIsWrong() {
        for (packet, reason): ([UInt8], SMP.FailureReason) in [
            ([0x0F], .commandNotSupported), ([0xFF, 1, 2], .commandNotSupported), ([], .invalidParameters),
            ([0x03], .invalidParameters), ([0x04] + [UInt8](repeating: 0, count: 17), .invalidParameters),
            ([0x0D] + [UInt8](repeating: 0, count: 16), .unspecifiedReason),
            ([0x02, 0, 0, 0, 16, 0, 0], .unspecifiedReason),
        ] {
            var bench = PairingBench(central: Self.keyboard, peripheral: Self.display)
            bench.usersType = false
            bench.run()
            bench.deliver(packet, to: .peripheral)
            bench.settle()
            #expect(bench.failure(.peripheral) == .refused(reason), "\(packet)")
        }
    }

    @Test func s13_givesUpAfterThirtySeconds() {
        var bench = PairingBench(central: Self.keyboard, peripheral: Self.display)
        bench.usersType = false
        bench.run()
        bench.now = bench.now + .milliseconds(29_999)
        for side in PairingBench.Side.allCases {
            bench.perform(side, bench.machines[side.rawValue].tick(now: bench.now))
        }
        bench.settle()
        #expect(bench.ends == [nil, nil])
        bench.now = bench.now + .milliseconds(1)
        for side in PairingBench.Side.allCases {
            bench.perform(side, bench.machines[side.rawValue].tick(now: bench.now))
        }
        let before = bench.sent
        bench.settle()
        #expect(bench.failure(.central) == .timedOut)
        #expect(bench.failure(.peripheral) == .timedOut)
        #expect(bench.sent == before)
        #expect(bench.machines[0].answer(.passkey(Passkey(truncating: 1)), now: bench.now).isEmpty)
    }

    @Test(arguments: [true, false])
    func s14_s15_givesNoKeyBeforeItsOwnCheck(isSecure: Bool) {
        var bench = PairingBench(
            central: PairingPolicy(ioCapability: .keyboardDisplay, supportsSecureConnections: isSecure),
            peripheral: PairingPolicy(ioCapability: .keyboardDisplay))
        var answers: [PairingAction] = []
        // Before each packet of the central the controller asks for the key, as if the central had started encryption.
        var packets: [[UInt8]] = []
        bench.tamper = { side, pdu in
            if side == .central { packets.append(pdu) }
            return [pdu]
        }
        bench.run()
        #expect(bench.outcomes.count == 2)
        var again = PairingMachine(context: bench.machines[1].context)
        for packet in packets.dropLast(3) {
            answers.append(again.answerKeyRequest(diversifier: 0, random: 0))
            _ = again.receive(packet, now: .zero)
        }
        #expect(answers.count > 1)
        #expect(answers.allSatisfy { $0 == .answerKeyRequest(nil) })
    }

    @Test func s18_refusesPairingThatNobodyAllowed() {
        var machine = PairingMachine(
            context: PairingContext(
                role: .peripheral, localAddress: PairingBench.addresses[1], peerAddress: PairingBench.addresses[0],
                policy: PairingPolicy()))
        let actions = machine.receive([0x01, 0x03, 0x00, 0x09, 0x10, 0x03, 0x03], now: .zero)
        #expect(actions == [.send([0x05, 0x05]), .failed(.refused(.pairingNotSupported))])

        // Allowed, but the user says no.
        var bench = PairingBench(central: Self.justWorks, peripheral: Self.justWorks)
        bench.answer = { side, _ in side == .central ? .accept : .refuse }
        bench.run()
        #expect(bench.failure(.peripheral) == .refused(.pairingNotSupported))
        #expect(bench.sent[1].map(\.first) == [0x05])
    }

    @Test func s19_keepsToTheLevelAskedFor() {
        for (level, central, isSecure) in [
            (SecurityLevel.authenticated, Self.justWorks, true), (.secureConnections, Self.justWorks, true),
            (.secureConnections, Self.keyboard, false),
        ] {
            var initiator = central
            initiator.supportsSecureConnections = isSecure
            var policy = PairingPolicy(ioCapability: .displayYesNo, minimumLevel: level)
            policy.wantsProtection = true
            var bench = PairingBench(central: initiator, peripheral: policy)
            bench.run()
            #expect(bench.failure(.peripheral) == .refused(.authenticationRequirements), "\(level)")
        }
    }

    @Test func s19_refusesOutOfBandDataThatWasNeverMade() {
        var bench = PairingBench(central: Self.justWorks, peripheral: Self.justWorks)
        bench.tamper = { side, pdu in
            guard side == .central, pdu.first == 0x01 else { return [pdu] }
            var changed = pdu
            changed[2] = 1
            return [changed]
        }
        bench.run()
        #expect(bench.failure(.peripheral) == .refused(.outOfBandNotAvailable))
    }

    @Test func s20_takesNoKeyOfZeroAndNoPrivateIdentity() {
        var bench = PairingBench(central: Self.justWorks, peripheral: Self.justWorks) { context in
            context.identity?.resolvingKey = .zero
        }
        bench.run()
        #expect(bench.outcomes.map(\.resolvingKey) == [nil, nil])
        #expect(bench.outcomes[0].identity == PairingBench.addresses[1])

        var second = PairingBench(central: Self.justWorks, peripheral: Self.justWorks) { context in
            if context.role == .central {
                context.identity?.address = DeviceAddress(BluetoothAddress(rawValue: 0x4000_0000_0001), .random)
            }
        }
        second.run()
        #expect(second.failure(.peripheral) == .refused(.invalidParameters))
    }

    @Test func s21_ignoresASecurityRequestWhilePairing() {
        var bench = PairingBench(central: Self.justWorks, peripheral: Self.justWorks)
        bench.tamper = { side, pdu in side == .peripheral ? [[0x0B, 0x0D], pdu] : [pdu] }
        bench.run()
        #expect(bench.outcomes.count == 2)
    }

    @Test func s22_ignoresKeypressesInOtherMethodsAndFloods() {
        var bench = PairingBench(central: Self.justWorks, peripheral: Self.justWorks)
        bench.tamper = { _, pdu in [[0x0E, 0x01], pdu, [0x0E, 0x01]] }
        bench.run()
        #expect(bench.outcomes.count == 2)
        #expect(bench.keypresses == [[], []])

        var typing = PairingBench(
            central: PairingPolicy(ioCapability: .displayOnly, offersKeypress: true),
            peripheral: PairingPolicy(ioCapability: .keyboardOnly, offersKeypress: true))
        typing.usersType = false
        typing.run()
        for _ in 0..<10_000 { typing.deliver([0x0E, 0x01], to: .central) }
        typing.deliver([0x0E, 0x77], to: .central)
        for _ in 0..<20 { typing.settle() }
        #expect(typing.keypresses[0].count == 64)
        #expect(typing.machines[0].isRunning)
    }

    @Test(arguments: PairingBench.Side.allCases, [true, false])
    func refusesWhenCryptographyIsMissing(_ side: PairingBench.Side, isSecure: Bool) {
        var crypto: [any CryptoProvider] = [SeededCrypto(seed: 1), SeededCrypto(seed: 2)]
        crypto[side.rawValue] = MissingCrypto()
        var bench = PairingBench(
            central: PairingPolicy(supportsSecureConnections: isSecure), peripheral: Self.justWorks, crypto: crypto)
        bench.run()
        #expect(bench.outcomes.isEmpty)
        #expect(bench.failure(side) == .refused(.unspecifiedReason))
    }
}
