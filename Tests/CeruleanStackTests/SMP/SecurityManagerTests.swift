// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

@Suite struct SecurityManagerTests {
    typealias Side = SecurityBench.Side

    @Test(arguments: [true, false])
    func pairsThenEncryptsWithTheBondWhenConnectedAgain(isSecure: Bool) {
        var bench = SecurityBench(central: PairingPolicy(supportsSecureConnections: isSecure))
        bench.connect()
        bench.raise()
        #expect(bench.raised(.central) == [.encrypted])
        #expect(bench.managers.map(\.database.bonds.count) == [1, 1])
        #expect(bench.managers[0].database[SecurityBench.identities[1]]?.resolvingKey == Value128(0xAA01))
        bench.disconnect()
        bench.connect()
        // Encryption comes first, without anybody asking (row R1).
        #expect(bench.level(.central) == .encrypted)
        #expect(bench.level(.peripheral) == .encrypted)
        #expect(bench.sent(.central).isEmpty)
        #expect(bench.managers[0].status(of: bench.link)?.mustWait == false)
    }

    @Test(arguments: [true, false])
    func aPeripheralAsksForSecurity(isSecure: Bool) {
        var bench = SecurityBench(
            central: PairingPolicy(acceptsPairing: true, supportsSecureConnections: isSecure),
            peripheral: PairingPolicy())
        bench.connect()
        bench.raise(by: .peripheral)
        #expect(bench.raised(.peripheral) == [.encrypted])
        #expect(bench.questions(.central) == [.confirmJustWorks])
        #expect(bench.managers.map(\.database.bonds.count) == [1, 1])
    }

    @Test func raisesFromUnauthenticatedToAuthenticated() {
        var bench = SecurityBench()
        bench.connect()
        bench.raise()
        bench.managers[0].policy.ioCapability = .displayYesNo
        bench.managers[1].policy = PairingPolicy(ioCapability: .displayYesNo, acceptsPairing: true)
        bench.raise(.secureConnections)
        #expect(bench.raised(.central) == [.encrypted, .secureConnections])
        // The device that proved to have the key made it better: no question about the old bond.
        #expect(bench.questions(.central).count == 2)
        #expect(bench.level(.peripheral) == .secureConnections)
        let strength = bench.managers[0].database.bonds.first?.strength
        #expect(strength == BondStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16))
    }

    @Test func saysWhenTheLevelCannotBeReached() {
        var bench = SecurityBench()
        bench.connect()
        bench.raise(.authenticated)
        #expect(bench.failures(.central) == [.pairing(.refused(.authenticationRequirements))])
        #expect(bench.managers.allSatisfy { $0.database.bonds.isEmpty })
    }

    @Test func s6_keepsTheOldKeyUntilTheNewPairingIsComplete() {
        var bench = SecurityBench(
            central: PairingPolicy(ioCapability: .displayYesNo),
            peripheral: PairingPolicy(ioCapability: .displayYesNo, acceptsPairing: true))
        bench.connect()
        bench.raise(.secureConnections)
        let bond = bench.managers[1].database.bonds.first
        #expect(bond?.strength?.level == .secureConnections)
        bench.disconnect()
        // Somebody with the address of the bonded central pairs with Just Works.
        bench.managers[0] = SecurityManager(policy: PairingPolicy(), crypto: SeededCrypto(seed: 123))
        bench.managers[0].identity = LocalIdentity(address: SecurityBench.identities[0], resolvingKey: .zero)
        bench.answer = { side, question in
            if side == .peripheral, case .replaceBond = question { return .refuse }
            return .accept
        }
        bench.connect()
        bench.raise()
        #expect(bench.questions(.peripheral).count == 1)
        #expect(bench.managers[1].database.bonds == [bond])

        // Agreed to, but the link drops before the keys: the old key stays.
        bench.answer = { _, _ in .accept }
        bench.tamper = { side, pdu in side == .peripheral && pdu.first == 0x0D ? [] : [pdu] }
        bench.tick(after: .seconds(200))
        bench.disconnect()
        bench.connect()
        bench.raise()
        bench.disconnect()
        #expect(bench.managers[1].database.bonds == [bond])
        bench.tamper = { [$1] }
        bench.tick(after: .seconds(200))
        bench.connect()
        bench.raise()
        #expect(bench.managers[1].database.bonds.first?.strength?.level == .encrypted)
    }

    @Test func s11_waitsTwiceAsLongAfterEachFailure() {
        var limiter = AttemptLimiter()
        let device = SecurityBench.identities[0]
        var now = MonotonicTime.zero
        for wait in [1, 2, 4, 8, 16, 32, 64, 64] {
            limiter.failed(device, now: now)
            #expect(limiter.blockedUntil(device, now: now) == now + .seconds(wait))
            now = now + .seconds(wait)
            #expect(limiter.blockedUntil(device, now: now) == nil)
        }
        limiter.succeeded(device)
        limiter.failed(device, now: now)
        #expect(limiter.blockedUntil(device, now: now) == now + .seconds(1))
        // Quiet time makes the wait shorter again.
        now = now + .seconds(1)
        limiter.failed(device, now: now)
        now = now + .seconds(60)
        limiter.failed(device, now: now)
        #expect(limiter.blockedUntil(device, now: now) == now + .seconds(2))
        for number in 0..<5_000 {
            limiter.failed(DeviceAddress(BluetoothAddress(rawValue: UInt64(number)), .public), now: now)
        }
    }

    @Test func s11_answersRepeatedAttempts() {
        var bench = SecurityBench()
        bench.tamper = { side, pdu in
            guard side == .central, pdu.first == 0x0D else { return [pdu] }
            return [[0x0D] + [UInt8](repeating: 0, count: 16)]
        }
        bench.connect()
        bench.raise()
        #expect(bench.failures(.peripheral) == [.pairing(.refused(.dhKeyCheckFailed))])
        bench.deliver([0x01, 0x03, 0x00, 0x09, 0x10, 0x00, 0x00], to: .peripheral)
        #expect(bench.sent(.peripheral).last == [0x05, 0x09])
        bench.raise()
        #expect(bench.failures(.central).last == .tooSoon(until: .zero + .seconds(1)))
        // Connecting anew does not help.
        bench.disconnect()
        bench.connect()
        bench.deliver([0x01, 0x03, 0x00, 0x09, 0x10, 0x00, 0x00], to: .peripheral)
        #expect(bench.sent(.peripheral).last == [0x05, 0x09])
        bench.tamper = { [$1] }
        bench.tick(after: .seconds(1))
        bench.raise()
        #expect(bench.raised(.central) == [.encrypted])
    }

    @Test func s9_holdsFixedDigitsBack() {
        var bench = SecurityBench(
            central: PairingPolicy(ioCapability: .keyboardOnly),
            peripheral: PairingPolicy(ioCapability: .displayOnly, acceptsPairing: true, fixedPasskey: Passkey(123_456)))
        bench.answer = { _, question in
            question == .enterPasskey ? .passkey(Passkey(truncating: 123_456)) : .accept
        }
        bench.connect()
        bench.raise(.authenticated)
        #expect(bench.raised(.central) == [.secureConnections])
        bench.deliver([0x01, 0x02, 0x00, 0x0D, 0x10, 0x00, 0x00], to: .peripheral)
        #expect(bench.sent(.peripheral).last == [0x05, 0x09])
    }

    @Test func s13_isSilentUntilTheLinkIsMadeAnew() {
        var bench = SecurityBench()
        bench.tamper = { _, _ in [] }
        bench.connect()
        bench.raise()
        bench.tick(after: .seconds(30))
        #expect(bench.failures(.central) == [.pairing(.timedOut)])
        let count = bench.sent(.central).count
        bench.deliver([0x0B, 0x01], to: .central)
        bench.raise()
        #expect(bench.sent(.central).count == count)
        #expect(bench.failures(.central).last == .notOnThisLink)
        bench.disconnect()
        bench.tamper = { [$1] }
        bench.connect()
        bench.raise()
        #expect(bench.raised(.central) == [.encrypted])
    }

    @Test func s17_answersOneSecurityRequest() {
        var bench = SecurityBench(central: PairingPolicy(acceptsPairing: true))
        bench.connect()
        bench.answer = { _, _ in nil }
        for _ in 0..<1_000 { bench.deliver([0x0B, 0x05], to: .central) }
        #expect(bench.sent(.central).count == 1)
        // With a bond that suffices it starts encryption, and wishes for more change nothing when nobody can fulfil them.
        var bonded = SecurityBench(central: PairingPolicy(acceptsPairing: true))
        bonded.connect()
        bonded.raise()
        for _ in 0..<1_000 { bonded.deliver([0x0B, 0x0D], to: .central) }
        #expect(bonded.outcomes(.central).count == 1)
        #expect(bonded.questions(.central) == [.confirmJustWorks])
    }

    @Test func s18_aSecurityRequestDoesNotPairBehindTheUser() {
        var bench = SecurityBench(central: PairingPolicy(confirmsJustWorks: false))
        bench.connect()
        bench.deliver([0x0B, 0x01], to: .central)
        #expect(bench.sent(.central) == [[0x05, 0x05]])
        bench.managers[0].policy.acceptsPairing = true
        bench.answer = { _, _ in .refuse }
        bench.deliver([0x0B, 0x01], to: .central)
        #expect(bench.outcomes(.central).isEmpty)
    }

    @Test func s20_doesNotTakeTheIdentityOfAnotherBond() {
        var bench = SecurityBench()
        bench.connect()
        bench.raise()
        let bond = bench.managers[1].database.bonds.first
        bench.disconnect()
        // A stranger on another address claims to be the bonded central, with a key of its own.
        bench.managers[0] = SecurityManager(crypto: SeededCrypto(seed: 9))
        bench.managers[0].identity = LocalIdentity(
            address: SecurityBench.identities[0], resolvingKey: Value128(0xBAD))
        bench.addresses[0] = DeviceAddress(BluetoothAddress(rawValue: 0xC123_4567_89AB), .random)
        bench.answer = { side, question in
            if side == .peripheral, case .replaceBond = question { return .refuse }
            return .accept
        }
        bench.connect()
        bench.raise()
        #expect(bench.questions(.peripheral).count == 2)
        #expect(bench.outcomes(.peripheral).map(\.isBonded) == [false])
        #expect(bench.managers[1].database.bonds == [bond])
    }

    @Test func s20_refusesAnAddressThatTwoBondsResolve() throws {
        let key = Value128(0x1234_5678)
        let crypto = SeededCrypto(seed: 4)
        let address = try crypto.resolvableAddress(key)
        var resolver = AddressResolver()
        resolver.use([Bond(identity: SecurityBench.identities[0], resolvingKey: key)])
        #expect(
            try resolver.resolve(address, now: .zero, crypto: crypto) == .identity(SecurityBench.identities[0]))
        resolver.use(SecurityBench.identities.map { Bond(identity: $0, resolvingKey: key) })
        #expect(try resolver.resolve(address, now: .zero, crypto: crypto) == .nobody)
        #expect(try resolver.resolve(address, now: .zero, crypto: crypto) == .nobody)
    }

    @Test func r1_r2_reportsALostKeyAndClosesTheLink() {
        var bench = SecurityBench()
        bench.connect()
        bench.raise()
        bench.disconnect()
        _ = bench.managers[1].unpair(SecurityBench.identities[0])
        bench.tamper = { _, _ in [] }
        let before = bench.managers[0].database
        bench.connect()
        #expect(bench.failures(.central) == [.keyMissing])
        #expect(bench.has(.disconnect(.authenticationFailure, bench.link), .central))
        #expect(bench.sent(.central).isEmpty)
        #expect(bench.managers[0].database == before)
        // Told to stay, it still believes nothing.
        bench.managers[0].closesWithoutEncryption = false
        bench.connect()
        #expect(bench.failures(.central) == [.keyMissing])
        #expect(bench.managers[0].status(of: bench.link)?.mustWait == true)
    }

    @Test func r3_aBondedClientInClearHasKeysButNoLevel() {
        var bench = SecurityBench()
        bench.connect()
        bench.raise()
        bench.disconnect()
        bench.managers[0].use(BondDatabase())
        bench.connect()
        let status = bench.managers[1].status(of: bench.link)
        #expect(status?.level == .open)
        #expect(status?.hasKeys == true)
        #expect(status?.mustWait == true)
    }

    @Test func r6_findsLegacyKeysByBothNumbersExactly() {
        var bench = SecurityBench(central: PairingPolicy(supportsSecureConnections: false))
        bench.connect()
        bench.raise()
        bench.disconnect()
        guard let key = bench.managers[1].database.bonds.first?.localKey else { Issue.record("no key"); return }
        bench.managers[0].use(BondDatabase())
        bench.connect()
        func ask(_ diversifier: UInt16, _ random: UInt64) -> [SecurityAction] {
            bench.managers[1].keyRequested(diversifier: diversifier, random: random, on: bench.link, now: bench.now)
        }
        #expect(ask(0, 0) == [.answerKeyRequest(nil, bench.link)])
        #expect(ask(key.diversifier ^ 1, key.random) == [.answerKeyRequest(nil, bench.link)])
        #expect(ask(key.diversifier, key.random ^ 1) == [.answerKeyRequest(nil, bench.link)])
        #expect(ask(key.diversifier, key.random) == [.answerKeyRequest(key.key, bench.link)])
        #expect(
            bench.managers[0].keyRequested(diversifier: 0, random: 0, on: bench.link, now: .zero) == [
                .answerKeyRequest(nil, bench.link)
            ])
    }

    @Test func h15_believesNoEncryptionThatNobodyAskedFor() {
        var bench = SecurityBench()
        bench.connect()
        for side in Side.allCases {
            #expect(
                bench.managers[side.rawValue].encryptionChanged(status: 0, isOn: true, on: bench.link, now: .zero)
                    .isEmpty)
            #expect(bench.level(side) == .open)
        }
        bench.raise()
        bench.disconnect()
        bench.connect()
        // A shorter key than the policy takes ends the link.
        bench.disconnect()
        _ = bench.managers[0].linkOpened(
            bench.link, role: .central, localAddress: SecurityBench.identities[0],
            peerAddress: SecurityBench.identities[1], now: .zero)
        let actions = bench.managers[0].encryptionChanged(
            status: 0, isOn: true, keySize: 7, on: bench.link, now: .zero)
        #expect(actions.contains(.disconnect(.authenticationFailure, bench.link)))
        #expect(bench.level(.central) == .open)
    }

    @Test func aBondedPeerIsKnownBehindPrivateAddresses() throws {
        var bench = SecurityBench()
        bench.connect()
        bench.raise()
        bench.disconnect()
        bench.addresses[1] = try SeededCrypto(seed: 8).resolvableAddress(Value128(0xAA01))
        bench.addresses[0] = try SeededCrypto(seed: 9).resolvableAddress(Value128(0xAA00))
        bench.connect()
        #expect(bench.has(.identified(SecurityBench.identities[1], bench.link), .central))
        #expect(bench.has(.identified(SecurityBench.identities[0], bench.link), .peripheral))
        #expect(bench.level(.central) == .encrypted)
    }

    @Test func a11_takesASignedWriteOnce() throws {
        var bench = SecurityBench()
        bench.connect()
        bench.raise()
        bench.disconnect()
        bench.managers[0].use(bench.managers[0].database)
        var clear = bench.managers[1]
        _ = clear.linkOpened(
            bench.link, role: .peripheral, localAddress: SecurityBench.identities[1],
            peerAddress: SecurityBench.identities[0], now: .zero)
        let pdu: [UInt8] = [0xD2, 0x12, 0x00, 0x13, 0x37]
        let link = bench.link
        func isGenuine(_ manager: inout SecurityManager, _ pdu: [UInt8]) -> Bool {
            manager.verify(signed: pdu, on: link).isGenuine
        }
        let signed = try bench.managers[0].sign(pdu, for: SecurityBench.identities[1])
        let first = pdu + (signed?.signature ?? [])
        #expect(first.count == 17)
        #expect(isGenuine(&clear, first))
        #expect(!isGenuine(&clear, first))
        let next = try bench.managers[0].sign(pdu, for: SecurityBench.identities[1])
        var bad = pdu + (next?.signature ?? [])
        bad[4] ^= 1
        #expect(!isGenuine(&clear, bad))
        bad[4] ^= 1
        #expect(isGenuine(&clear, bad))
        #expect(!isGenuine(&clear, [0xD2, 1, 0]))
        // An encrypted link carries no signed writes, and a stranger none either.
        bench.connect()
        let third = try bench.managers[0].sign(pdu, for: SecurityBench.identities[1])
        #expect(!isGenuine(&bench.managers[1], pdu + (third?.signature ?? [])))
    }

    @Test func unpairingForgetsAndDisconnects() {
        var bench = SecurityBench()
        bench.connect()
        bench.raise()
        let actions = bench.managers[0].unpair(SecurityBench.identities[1])
        #expect(actions == [.bondsChanged, .disconnect(.remoteUserTerminated, bench.link)])
        #expect(bench.managers[0].unpair(SecurityBench.identities[1]).isEmpty)
    }

    @Test func s3_usesOutOfBandKeysOnce() throws {
        let local = try LocalOutOfBand(crypto: SystemCrypto())
        var bench = SecurityBench()
        bench.managers[1].outOfBand.local = local
        bench.managers[0].outOfBand.peer = local.data
        bench.connect()
        bench.raise(.secureConnections)
        #expect(bench.raised(.central) == [.secureConnections])
        #expect(bench.managers[1].outOfBand.local == nil)
    }

    @Test func r4_makesANewAddressInTime() throws {
        let crypto = SeededCrypto(seed: 2)
        var rotation = AddressRotation(key: Value128(0x77))
        let first = try rotation.tick(now: .zero, crypto: crypto)
        #expect(first?.randomKind == .resolvablePrivate)
        #expect(try rotation.tick(now: .zero, crypto: crypto) == nil)
        rotation.took(now: .zero)
        #expect(rotation.current == first)
        #expect(rotation.deadline == .zero + .seconds(900))
        #expect(try rotation.tick(now: .zero + .seconds(899), crypto: crypto) == nil)
        let second = try rotation.tick(now: .zero + .seconds(900), crypto: crypto)
        #expect(second != nil && second != first)
        rotation.wasRefused(now: .zero + .seconds(900))
        #expect(rotation.current == first)
        #expect(try rotation.tick(now: .zero + .seconds(901), crypto: crypto) != nil)
        for address in [first, second].compactMap({ $0 }) {
            #expect(try crypto.resolves(address, key: Value128(0x77)))
            #expect(try !crypto.resolves(address, key: Value128(0x78)))
        }
    }

    @Test func r4_resolutionIsBounded() throws {
        let crypto = SeededCrypto(seed: 3)
        var resolver = AddressResolver()
        resolver.use(
            (0..<250).map { number in
                Bond(
                    identity: DeviceAddress(BluetoothAddress(rawValue: UInt64(number)), .public),
                    resolvingKey: Value128(UInt128(number) + 1))
            })
        var busy = 0
        for number in 0..<1_000 {
            let address = DeviceAddress(BluetoothAddress(rawValue: 0x4000_0000_0000 | UInt64(number)), .random)
            if try resolver.resolve(address, now: .zero, crypto: crypto) == .tooBusy { busy += 1 }
        }
        #expect(busy == 600)
        let known = DeviceAddress(BluetoothAddress(rawValue: 0x4000_0000_0000), .random)
        #expect(try resolver.resolve(known, now: .zero, crypto: crypto) == .nobody)
        #expect(try resolver.resolve(SecurityBench.identities[1], now: .zero, crypto: crypto) == .nobody)
    }
}
