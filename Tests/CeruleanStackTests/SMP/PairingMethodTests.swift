// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// What table 2.8 of Core 5.4, Vol 3, Part H, 2.3.5.1 says for one pair of abilities.
struct MethodRow: Sendable, CustomTestStringConvertible {
    var initiator: SMP.IOCapability
    var responder: SMP.IOCapability
    var legacy: Cell
    var secure: Cell

    enum Cell: Sendable { case justWorks, initiatorShows, responderShows, bothType, compare }

    var testDescription: String { "\(initiator)-\(responder)" }

    static let all: [MethodRow] = {
        let names: [SMP.IOCapability] = [
            .displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay,
        ]
        // One line for each responder, as in the table; columns are initiators. Cells with two methods: legacy/secure.
        let table: [[String]] = [
            ["J", "J", "R", "J", "R"],
            ["J", "J/C", "R", "J", "R/C"],
            ["I", "I", "B", "J", "I"],
            ["J", "J", "J", "J", "J"],
            ["I", "I/C", "R", "J", "I/C"],
        ]
        let cells: [Character: Cell] = [
            "J": .justWorks, "I": .initiatorShows, "R": .responderShows, "B": .bothType, "C": .compare,
        ]
        return table.enumerated().flatMap { row, line in
            line.enumerated().compactMap { column, text in
                guard let first = text.first.flatMap({ cells[$0] }), let last = text.last.flatMap({ cells[$0] })
                else { return nil }
                return MethodRow(initiator: names[column], responder: names[row], legacy: first, secure: last)
            }
        }
    }()
}

@Suite struct PairingMethodTests {
    @Test func hasAllTwentyFivePairs() { #expect(MethodRow.all.count == 25) }

    @Test(arguments: MethodRow.all, [true, false])
    func pairsAsTheTableSays(_ row: MethodRow, isSecure: Bool) {
        let central = PairingPolicy(
            ioCapability: row.initiator, wantsProtection: true, supportsSecureConnections: isSecure)
        let peripheral = PairingPolicy(ioCapability: row.responder, wantsProtection: true)
        var bench = PairingBench(central: central, peripheral: peripheral)
        bench.run()
        let outcomes = bench.outcomes
        #expect(outcomes.count == 2, "\(bench.ends)")
        guard outcomes.count == 2 else { return }

        func shows(_ side: PairingBench.Side) -> Bool {
            bench.asked(side).contains { if case .showPasskey = $0 { true } else { false } }
        }
        func compares(_ side: PairingBench.Side) -> [Passkey] {
            bench.asked(side).compactMap { if case .compareNumbers(let digits) = $0 { digits } else { nil } }
        }
        let method: PairingMethod
        switch isSecure ? row.secure : row.legacy {
        case .justWorks:
            method = .justWorks
            #expect(bench.asked(.central) == [.confirmJustWorks])
            #expect(bench.asked(.peripheral) == [.confirmJustWorks])
        case .initiatorShows:
            method = .passkeyEntry
            #expect(shows(.central))
            #expect(bench.asked(.peripheral) == [.enterPasskey])
        case .responderShows:
            method = .passkeyEntry
            #expect(shows(.peripheral))
            #expect(bench.asked(.central) == [.enterPasskey])
        case .bothType:
            method = .passkeyEntry
            #expect(bench.asked(.central) == [.enterSamePasskey])
            #expect(bench.asked(.peripheral) == [.enterSamePasskey])
        case .compare:
            method = .numericComparison
            #expect(compares(.central).count == 1)
            #expect(compares(.central) == compares(.peripheral))
        }
        for outcome in outcomes {
            #expect(outcome.method == method)
            #expect(outcome.isBonded)
            #expect(outcome.strength.isAuthenticated == (method != .justWorks))
            #expect(outcome.strength.isSecureConnections == isSecure)
        }
        // What one side calls its own is what the other holds of it.
        #expect(outcomes[0].localKey?.key == outcomes[1].peerKey?.key)
        #expect(outcomes[1].localKey?.key == outcomes[0].peerKey?.key)
        #expect(outcomes[0].localSignatureKey == outcomes[1].peerSignatureKey)
        #expect(outcomes[1].localSignatureKey == outcomes[0].peerSignatureKey)
        #expect(outcomes[0].identity == PairingBench.addresses[1])
        #expect(outcomes[1].identity == PairingBench.addresses[0])
        #expect(outcomes[0].resolvingKey == Value128(0x1112))
        if isSecure {
            #expect(outcomes[0].localKey == outcomes[0].peerKey)
            #expect(outcomes[0].localKey?.key == bench.linkKey)
            #expect(outcomes[0].localKey?.diversifier == 0)
        } else {
            #expect(outcomes[0].localKey != outcomes[0].peerKey)
        }
    }

    @Test(arguments: SMP.IOCapability.known, SMP.IOCapability.known)
    func doesNotAskForDigitsWhenNobodyWantsProtection(_ a: SMP.IOCapability, _ b: SMP.IOCapability) {
        var bench = PairingBench(
            central: PairingPolicy(ioCapability: a, wantsProtection: false),
            peripheral: PairingPolicy(ioCapability: b, wantsProtection: false))
        bench.run()
        #expect(bench.outcomes.map(\.method) == [.justWorks, .justWorks])
    }

    @Test(arguments: [true, false])
    func usesOutOfBandData(isSecure: Bool) throws {
        let central = PairingPolicy(supportsSecureConnections: isSecure)
        let crypto = SystemCrypto()
        let made = [try LocalOutOfBand(crypto: crypto), try LocalOutOfBand(crypto: crypto)]
        var bench = PairingBench(central: central, peripheral: PairingPolicy()) { context in
            if isSecure {
                let own = context.role == .central ? 0 : 1
                context.outOfBand = OutOfBandSupply(peer: made[1 - own].data, local: made[own])
            } else {
                context.outOfBand = OutOfBandSupply(temporaryKey: Value128(0xABCD))
            }
        }
        bench.run()
        #expect(bench.outcomes.map(\.method) == [.outOfBand, .outOfBand])
        #expect(bench.outcomes.allSatisfy { $0.strength.isAuthenticated })
        if isSecure { #expect(bench.outcomes[0].strength.level == .secureConnections) }
    }

    @Test(arguments: PairingBench.Side.allCases)
    func oneSideWithOutOfBandDataIsEnoughForSecureConnections(_ side: PairingBench.Side) throws {
        let made = try LocalOutOfBand(crypto: SystemCrypto())
        var bench = PairingBench(central: PairingPolicy(), peripheral: PairingPolicy()) { context in
            let isReceiver = (context.role == .central) == (side == .central)
            context.outOfBand = isReceiver ? OutOfBandSupply(peer: made.data) : OutOfBandSupply(local: made)
        }
        bench.run()
        #expect(bench.outcomes.map(\.method) == [.outOfBand, .outOfBand])
    }

    @Test(arguments: [true, false])
    func asksForOutOfBandDataWhenItNeedsIt(isSecure: Bool) throws {
        let made = [try LocalOutOfBand(crypto: SystemCrypto()), try LocalOutOfBand(crypto: SystemCrypto())]
        var bench = PairingBench(
            central: PairingPolicy(supportsSecureConnections: isSecure), peripheral: PairingPolicy()
        ) { context in
            context.outOfBand = OutOfBandSupply(
                local: made[context.role == .central ? 0 : 1], isGivenWhenAsked: true)
        }
        bench.answer = { side, question in
            guard case .provideOutOfBand(let secure) = question else { return .accept }
            return secure ? .outOfBand(made[side.other.rawValue].data) : .temporaryKey(Value128(5))
        }
        bench.run()
        #expect(bench.outcomes.map(\.method) == [.outOfBand, .outOfBand], "\(bench.ends)")
        #expect(bench.asked(.central) == [.provideOutOfBand(secureConnections: isSecure)])
    }

    @Test func differentTemporaryKeysFail() {
        var bench = PairingBench(
            central: PairingPolicy(supportsSecureConnections: false), peripheral: PairingPolicy()
        ) { context in
            context.outOfBand.temporaryKey = Value128(context.role == .central ? 1 : 2)
        }
        bench.run()
        #expect(bench.failure(.central) == .refusedByPeer(.confirmValueFailed))
        #expect(bench.failure(.peripheral) == .refused(.confirmValueFailed))
    }

    @Test func foreignOutOfBandDataFails() throws {
        let made = try LocalOutOfBand(crypto: SystemCrypto())
        var bench = PairingBench(central: PairingPolicy(), peripheral: PairingPolicy()) { context in
            if context.role == .central {
                context.outOfBand = OutOfBandSupply(peer: OutOfBandData(confirm: Value128(1), random: Value128(2)))
            } else {
                context.outOfBand = OutOfBandSupply(local: made)
            }
        }
        bench.run()
        #expect(bench.failure(.central) == .refused(.confirmValueFailed))
        #expect(bench.failure(.peripheral) == .refusedByPeer(.confirmValueFailed))
    }

    @Test(arguments: [true, false])
    func aWrongPasskeyFails(isSecure: Bool) {
        var bench = PairingBench(
            central: PairingPolicy(ioCapability: .keyboardOnly, supportsSecureConnections: isSecure),
            peripheral: PairingPolicy(ioCapability: .displayOnly))
        bench.answer = { _, question in
            question == .enterPasskey ? .passkey(Passkey(truncating: 1)) : nil
        }
        bench.run()
        #expect(bench.outcomes.isEmpty)
        #expect(bench.failure(.central) == .refusedByPeer(.confirmValueFailed))
        #expect(bench.failure(.peripheral) == .refused(.confirmValueFailed))
    }

    @Test func passesKeypressesOn() {
        var bench = PairingBench(
            central: PairingPolicy(ioCapability: .displayOnly, offersKeypress: true),
            peripheral: PairingPolicy(ioCapability: .keyboardOnly, offersKeypress: true))
        bench.usersType = false
        bench.run()
        let typed: [SMP.KeypressKind] = [.started, .digitEntered, .digitErased, .cleared, .completed]
        for kind in typed { bench.perform(.peripheral, bench.machines[1].sendKeypress(kind, now: bench.now)) }
        bench.usersType = true
        bench.settle()
        #expect(bench.keypresses == [typed, []])
        #expect(bench.outcomes.count == 2)
    }

    @Test func keepsNoKeysWhenOneSideDoesNotBond() {
        var bench = PairingBench(
            central: PairingPolicy(bonds: false), peripheral: PairingPolicy(ioCapability: .displayYesNo))
        bench.run()
        #expect(bench.outcomes.map(\.isBonded) == [false, false])
        #expect(bench.outcomes.allSatisfy { $0.identity == nil && $0.localSignatureKey == nil })
    }

    /// Core 5.4, Vol 2, Part G, 7.1.2 and Vol 3, Part H, D.3: with these private keys, random values and addresses the
    /// Long Term Key is the one printed there.
    @Test func replaysTheSampleDataOfTheSpecification() throws {
        let a = try #require(
            Value256(bigEndian: Hex.decode("3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd")))
        let b = try #require(
            Value256(bigEndian: Hex.decode("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")))
        let first = Value128(0xD5CB_8454_D177_733E_FFFF_B2EC_712B_AEAB)
        let second = Value128(0xA6E8_E7CC_25A7_5F6E_2165_83F7_FF3D_C4CF)
        let crypto: [any CryptoProvider] = [
            SeededCrypto(seed: 1, values: [first], privateKeys: [a]),
            SeededCrypto(seed: 2, values: [second], privateKeys: [b]),
        ]
        // The first private key is the debug key of the specification.
        var bench = PairingBench(
            central: PairingPolicy(bonds: false), peripheral: PairingPolicy(bonds: false, acceptsDebugKey: true),
            crypto: crypto
        ) { context in
            let addresses = [
                DeviceAddress(BluetoothAddress(rawValue: 0x5612_3737_BFCE), .public),
                DeviceAddress(BluetoothAddress(rawValue: 0xA713_702D_CFC1), .public),
            ]
            context.localAddress = addresses[context.role == .central ? 0 : 1]
            context.peerAddress = addresses[context.role == .central ? 1 : 0]
        }
        bench.run()
        #expect(bench.linkKey == Value128(0x6986_7911_69D7_CD23_9805_22B5_9475_0A38))
    }
}
