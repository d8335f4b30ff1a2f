// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// Signed writes to our server, octet by octet. Core 5.4, Vol 3, Part C, 10.4.
@Suite struct SignedWriteTests {
    private static let key = Value128(0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10)
    private static let identity = Script.peer

    /// A peripheral with a bond, and a central with that identity on an open link.
    private func connected(
        counter: UInt32 = 5, strength: BondStrength? = nil, crypto: (any CryptoProvider)? = nil,
        permissions: AttributePermissions = .readWrite, properties: CharacteristicProperties = [.signedWrite, .read]
    ) throws -> (script: Script, handle: UInt16, sink: Sink, id: AttributeID) {
        var configuration = StackConfiguration(seed: 7)
        if let crypto { configuration.crypto = crypto }
        let script = Script(start: false, configuration)
        let bond = Bond(
            identity: Self.identity,
            localKey: LongTermKey(
                key: Value128(99), diversifier: 0, random: 0,
                strength: strength ?? BondStrength(isAuthenticated: false, isSecureConnections: true, keySize: 16)),
            peerSignature: SignatureKey(key: Self.key, counter: counter))
        script.engine.useBonds(BondDatabase(bonds: [bond]))
        script.engine.start(now: script.now, timeout: .seconds(5)) { _ in }
        let sink = Sink()
        let published = Outcome<[PublishedService]>()
        script.engine.publish(
            [
                ServiceDefinition(
                    uuid: 0xFFE0,
                    characteristics: [
                        CharacteristicDefinition(
                            uuid: 0xFFE1, properties: properties, permissions: permissions, value: .stored([0]))
                    ], handle: 0x40)
            ], for: sink, now: script.now, completion: published.completion)
        let id = try #require(published.value)[0].characteristics[0].id
        script.connectionComplete(1)
        return (script, 0x42, sink, id)
    }

    private func command(_ value: [UInt8], counter: UInt32, key: Value128 = key) throws -> [UInt8] {
        let pdu: [UInt8] = [0xD2, 0x42, 0x00] + value
        return pdu + (try SystemCrypto().signature(of: pdu, counter: counter, key: key))
    }

    private func written(_ script: Script) -> [[UInt8]] {
        script.events.compactMap { if case .valueWritten(_, _, let value) = $0 { value } else { nil } }
    }

    @Test func a11_aGenuineSignatureCountsOnceAndItsNumberIsKept() throws {
        let (script, _, _, _) = try connected()
        var saved: [UInt32?] = []
        script.engine.onBondsChanged = { saved.append($0.bonds.first?.peerSignature?.counter) }
        script.frame(1, channel: 4, try command([1], counter: 5))
        #expect(written(script) == [[1]])
        #expect(saved.last == 6)
        // Again, and older ones.
        script.frame(1, channel: 4, try command([1], counter: 5))
        script.frame(1, channel: 4, try command([2], counter: 4))
        #expect(written(script) == [[1]])
        // Numbers may be left out.
        script.frame(1, channel: 4, try command([3, 3], counter: 900))
        #expect(written(script) == [[1], [3, 3]])
        #expect(saved.last == 901)
        #expect(script.frames(on: 4).isEmpty, "commands are never answered")
        #expect(script.isAlive(1))
    }

    @Test func a11_whatIsNotGenuineIsDroppedWithoutAWord() throws {
        let (script, _, _, _) = try connected()
        let genuine = try command([1], counter: 5)
        for index in genuine.indices where index != 0 {
            var changed = genuine
            changed[index] ^= 1
            script.frame(1, channel: 4, changed)
        }
        for count in 1..<genuine.count { script.frame(1, channel: 4, Array(genuine[..<count])) }
        script.frame(1, channel: 4, try command([1], counter: 5, key: Value128(1)))
        // A signature over nothing, and an unsigned value that looks like one.
        script.frame(1, channel: 4, [0xD2, 0x42, 0x00] + [UInt8](repeating: 0, count: 12))
        #expect(written(script).isEmpty)
        #expect(script.frames(on: 4).isEmpty)
        script.frame(1, channel: 4, genuine)
        #expect(written(script) == [[1]], "and nothing of that used its number up")
    }

    @Test func a11_withoutCryptographyNothingIsTaken() throws {
        let (script, _, _, _) = try connected(crypto: NoSignatures())
        script.frame(1, channel: 4, try command([1], counter: 5))
        #expect(written(script).isEmpty)
    }

    @Test func a11_onlyCharacteristicsThatTakeThemAreWritten() throws {
        let (other, _, _, _) = try connected(properties: [.read, .writeWithoutResponse])
        other.frame(1, channel: 4, try command([1], counter: 5))
        #expect(written(other).isEmpty)
        let (closed, _, _, _) = try connected(permissions: .readable)
        closed.frame(1, channel: 4, try command([1], counter: 5))
        #expect(written(closed).isEmpty)
    }

    @Test func aSignatureIsWorthWhatItsBondIs() throws {
        let weak = BondStrength(isAuthenticated: false, isSecureConnections: true, keySize: 16)
        let strong = BondStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16)
        for (strength, access, isTaken) in [
            (weak, AttributePermissions.Access.encrypted, true), (weak, .authenticated, false),
            (strong, .authenticated, true),
        ] {
            let (script, _, _, _) = try connected(
                strength: strength, permissions: AttributePermissions(read: .open, write: access))
            script.frame(1, channel: 4, try command([1], counter: 5))
            #expect(written(script).isEmpty == !isTaken)
        }
    }

    @Test func a11_aNumberThatIsUsedUpEndsTheKey() throws {
        let (script, _, _, _) = try connected(counter: .max - 1)
        script.frame(1, channel: 4, try command([1], counter: .max - 1))
        script.frame(1, channel: 4, try command([2], counter: .max))
        script.frame(1, channel: 4, try command([3], counter: 0))
        #expect(written(script) == [[1]])
    }
}

/// Cryptography that fails whenever something has to be authenticated.
private struct NoSignatures: CryptoProvider {
    private let real = SystemCrypto()
    func encrypt(_ block: Value128, key: Value128) throws(CryptoError) -> Value128 {
        try real.encrypt(block, key: key)
    }
    func authenticate(_ message: [UInt8], key: Value128) throws(CryptoError) -> Value128 { throw .unavailable }
    func random(_ count: Int) throws(CryptoError) -> [UInt8] { try real.random(count) }
    func makeKeyPair() throws(CryptoError) -> P256KeyPair { try real.makeKeyPair() }
    func keyPair(of privateKey: Value256) throws(CryptoError) -> P256KeyPair { try real.keyPair(of: privateKey) }
    func validate(_ key: P256PublicKey) throws(CryptoError) { try real.validate(key) }
    func sharedSecret(_ own: Value256, with peer: P256PublicKey) throws(CryptoError) -> Value256 {
        try real.sharedSecret(own, with: peer)
    }
}
