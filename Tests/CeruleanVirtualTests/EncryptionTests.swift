// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct EncryptionTests {
    private let key = [UInt8](1...16)

    private func enable(_ pair: LinkedPair, at moment: MonotonicTime, key: [UInt8]? = nil) throws -> HCI.ErrorCode {
        try pair.central.start(
            HCI.LEEnableEncryption(
                handle: pair.centralHandle, random: 0x1122, diversifier: 0x33, key: key ?? self.key), at: moment)
    }

    @Test func asksThePeripheralsHostAndEncrypts() throws {
        let pair = try LinkedPair(distance: 1)
        #expect(try enable(pair, at: pair.start) == .success)
        // Data of either host waits until encryption is on.
        pair.central.sendData([1, 2, 3], handle: pair.centralHandle, at: pair.start)
        pair.air.advance(to: pair.after(500))
        let request = try #require(pair.peripheral.all(HCI.LELongTermKeyRequest.self).first)
        #expect(request.random == 0x1122 && request.diversifier == 0x33)
        #expect(pair.peripheral.data.isEmpty)
        try pair.peripheral.run(
            HCI.LELongTermKeyRequestReply(handle: pair.peripheralHandle, key: key), at: pair.after(500))
        pair.air.advance(to: pair.after(1_000))
        for host in [pair.central, pair.peripheral] {
            #expect(host.all(HCI.EncryptionChange.self).map(\.enabled) == [1])
        }
        #expect(pair.peripheral.data.map(\.bytes) == [[1, 2, 3]])

        // Again: the key is changed.
        #expect(try enable(pair, at: pair.after(1_000)) == .success)
        pair.air.advance(to: pair.after(1_500))
        try pair.peripheral.run(
            HCI.LELongTermKeyRequestReply(handle: pair.peripheralHandle, key: key), at: pair.after(1_500))
        pair.air.advance(to: pair.after(2_000))
        for host in [pair.central, pair.peripheral] {
            #expect(host.all(HCI.EncryptionKeyRefreshComplete.self).map(\.status) == [.success])
            #expect(host.all(HCI.EncryptionChange.self).count == 1)
        }
    }

    @Test func tellsTheCentralThatThereIsNoKey() throws {
        let pair = try LinkedPair(distance: 1)
        _ = try enable(pair, at: pair.start)
        pair.air.advance(to: pair.after(500))
        try pair.peripheral.run(
            HCI.LELongTermKeyRequestNegativeReply(handle: pair.peripheralHandle), at: pair.after(500))
        pair.air.advance(to: pair.after(1_000))
        let change = try #require(pair.central.all(HCI.EncryptionChange.self).first)
        #expect(change.status == .pinOrKeyMissing && change.enabled == 0)
        #expect(pair.peripheral.all(HCI.EncryptionChange.self).isEmpty)
        pair.central.sendData([9], handle: pair.centralHandle, at: pair.after(1_000))
        pair.air.advance(to: pair.after(1_500))
        #expect(pair.peripheral.data.map(\.bytes) == [[9]])
    }

    @Test func differentKeysEndTheLink() throws {
        let pair = try LinkedPair(distance: 1)
        _ = try enable(pair, at: pair.start)
        pair.air.advance(to: pair.after(500))
        try pair.peripheral.run(
            HCI.LELongTermKeyRequestReply(handle: pair.peripheralHandle, key: key.reversed()), at: pair.after(500))
        pair.air.advance(to: pair.after(1_000))
        for host in [pair.central, pair.peripheral] {
            #expect(host.all(HCI.DisconnectionComplete.self).map(\.reason) == [.micFailure])
        }
    }

    @Test func aHostThatNeverGivesItsKeyEndsTheLink() throws {
        let pair = try LinkedPair(distance: 1)
        _ = try enable(pair, at: pair.start)
        pair.air.advance(to: pair.after(39_900))
        #expect(pair.central.all(HCI.DisconnectionComplete.self).isEmpty)
        pair.air.advance(to: pair.after(40_000))
        #expect(pair.central.all(HCI.DisconnectionComplete.self).map(\.reason) == [.responseTimeout])
        #expect(pair.peripheral.all(HCI.DisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
    }

    @Test func aKeyThatIsGoneAtTheChangeEndsTheLink() throws {
        let pair = try LinkedPair(distance: 1)
        try encrypt(pair)
        #expect(try enable(pair, at: pair.after(1_000)) == .success)
        pair.air.advance(to: pair.after(1_500))
        try pair.peripheral.run(
            HCI.LELongTermKeyRequestNegativeReply(handle: pair.peripheralHandle), at: pair.after(1_500))
        pair.air.advance(to: pair.after(2_000))
        for host in [pair.central, pair.peripheral] {
            #expect(host.all(HCI.DisconnectionComplete.self).map(\.reason) == [.pinOrKeyMissing])
        }
    }

    @Test func peersWithoutEncryptionSaySo() throws {
        let pair = try LinkedPair { $0.features.remove($0.publicAddress.rawValue & 1 == 0 ? .encryption : []) }
        #expect(try enable(pair, at: pair.start) == .success)
        pair.air.advance(to: pair.after(500))
        let change = try #require(pair.central.all(HCI.EncryptionChange.self).first)
        #expect(change.status == .unsupportedRemoteFeature && change.enabled == 0)
    }

    /// Core 5.4, Vol 4, Part E, 7.3.93 and 7.7.75.
    @Test func silenceOfAnEncryptedLinkIsTold() throws {
        let pair = try LinkedPair(timeout: 3_200, distance: 1)
        for host in [pair.central, pair.peripheral] {
            // Bit 23 of the second page.
            try host.run(HCI.SetEventMaskPage2(mask: 1 << 23), at: pair.start)
        }
        let read = HCI.ReadAuthenticatedPayloadTimeout(handle: pair.centralHandle)
        #expect(try pair.central.value(read).timeout == 3_000)
        let wrong = HCI.WriteAuthenticatedPayloadTimeout(handle: pair.centralHandle, timeout: 3)
        #expect(try pair.central.run(wrong, at: pair.start) == .invalidParameters)
        let write = HCI.WriteAuthenticatedPayloadTimeout(handle: pair.centralHandle, timeout: 200)
        #expect(try pair.central.run(write, at: pair.start) == .success)
        try encrypt(pair)
        pair.air.advance(to: pair.after(20_000))
        pair.air.interrupt(
            pair.central.controller, pair.peripheral.controller, for: .seconds(7), now: pair.after(20_000))
        pair.air.advance(to: pair.after(40_000))
        // After 2, 4 and 6 s; the other end has its 30 s.
        #expect(pair.central.all(HCI.AuthenticatedPayloadTimeoutExpired.self).count == 3)
        #expect(pair.peripheral.all(HCI.AuthenticatedPayloadTimeoutExpired.self).isEmpty)
        #expect(pair.central.all(HCI.DisconnectionComplete.self).isEmpty)
    }

    private func encrypt(_ pair: LinkedPair) throws {
        _ = try enable(pair, at: pair.start)
        pair.air.advance(to: pair.after(500))
        try pair.peripheral.run(
            HCI.LELongTermKeyRequestReply(handle: pair.peripheralHandle, key: key), at: pair.after(500))
        pair.air.advance(to: pair.after(1_000))
        #expect(pair.central.all(HCI.EncryptionChange.self).map(\.enabled) == [1])
    }

    @Test func refusesWhatDoesNotFit() throws {
        let pair = try LinkedPair(distance: 1)
        #expect(
            try pair.peripheral.start(
                HCI.LEEnableEncryption(handle: pair.peripheralHandle, random: 0, diversifier: 0, key: key),
                at: pair.start) == .commandDisallowed)
        #expect(
            try pair.peripheral.run(
                HCI.LELongTermKeyRequestReply(handle: pair.peripheralHandle, key: key), at: pair.start)
                == .commandDisallowed)
        #expect(try enable(pair, at: pair.start) == .success)
        #expect(try enable(pair, at: pair.start) == .commandDisallowed)
    }

    /// FIPS 197, appendix C.1; both numbers least significant octet first.
    @Test func encryptsABlock() throws {
        let host = try TestHost(Air(seed: 1), 1)
        let block = try Hex.decode("00112233445566778899aabbccddeeff")
        let result = try host.value(HCI.LEEncrypt(key: (0..<16).reversed(), plaintext: block.reversed()))
        #expect(Hex.encode(result.ciphertext.reversed()) == "69c4e0d86a7b0430d8cdb78070b4c55a")
    }

    @Test func commandsThatCannotBeReadAreAnsweredToo() throws {
        let host = try TestHost(Air(seed: 1), 1)
        host.send(raw: [1, 0x17, 0x20, 2, 0, 0])
        let answer = try #require(host.take(HCI.CommandComplete.self))
        #expect(answer.opcode == .leEncrypt && answer.returnParameters.first == 0x12)
    }

    /// Core 5.4, Vol 3, Part H, D.1 and 2.3.5.6.1: the debug key is one of the sample's.
    @Test func theDebugKeyIsTheSpecifications() throws {
        func number(_ text: String) throws -> Value256 { try #require(Value256(bigEndian: Hex.decode(text))) }
        let host = try TestHost(Air(seed: 1), 1)
        let x = try number("1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190")
        let y = try number("4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a")
        #expect(try host.start(HCI.LEGenerateDHKeyV2(x: x, y: y, keyType: 1)) == .success)
        let key = try number("ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698")
        #expect(host.all(HCI.LEGenerateDHKeyComplete.self).map(\.key) == [key])
        #expect(try host.start(HCI.LEGenerateDHKeyV2(x: x, y: y, keyType: 0)) == .commandDisallowed)
        #expect(try host.start(HCI.LEGenerateDHKeyV2(x: x, y: y, keyType: 2)) == .invalidParameters)
    }

    @Test func makesKeysThatTwoControllersAgreeOn() throws {
        let air = Air(seed: 1)
        let hosts = [try TestHost(air, 1), try TestHost(air, 2)]
        #expect(try hosts[0].start(HCI.LEGenerateDHKey(x: .zero, y: .zero)) == .commandDisallowed)
        for host in hosts { #expect(try host.start(HCI.LEReadLocalP256PublicKey()) == .success) }
        let keys = try hosts.map { try #require($0.all(HCI.LEReadLocalP256PublicKeyComplete.self).first) }
        #expect(keys[0].x != keys[1].x)
        for (host, peer) in [(hosts[0], keys[1]), (hosts[1], keys[0])] {
            #expect(try host.start(HCI.LEGenerateDHKey(x: peer.x, y: peer.y)) == .success)
        }
        let secrets = try hosts.map { try #require($0.all(HCI.LEGenerateDHKeyComplete.self).first) }
        #expect(secrets[0].key == secrets[1].key && secrets[0].status == .success)
        #expect(try hosts[0].start(HCI.LEGenerateDHKey(x: .zero, y: .zero)) == .success)
        #expect(hosts[0].all(HCI.LEGenerateDHKeyComplete.self).last?.status == .invalidParameters)
    }
}
