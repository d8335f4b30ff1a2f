// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// Rows of the security table that need a whole engine, octet by octet.
@Suite struct AttributeRowTests {
    private static let key = LongTermKey(
        key: Value128(0x1234), strength: BondStrength(isAuthenticated: false, isSecureConnections: true, keySize: 16))

    private func stale(_ script: Script) -> [ClosedRange<UInt16>?] {
        script.events.compactMap { if case .servicesChanged(_, let range) = $0 { .some(range) } else { nil } }
    }

    /// A link to a peer whose Service Changed value stands at handle 3.
    private func subscribed() throws -> (script: Script, link: LinkID) {
        let script = Script()
        script.connectionComplete(1)
        let link = script.engine.linkInfos[0].id
        let services = Outcome<[ServiceInfo]>()
        _ = script.engine.discoverServices(
            nil, on: link, timeout: .seconds(30), now: script.now, completion: services.completion)
        script.frame(1, channel: 4, [0x11, 6, 1, 0, 4, 0, 0x01, 0x18])
        script.frame(1, channel: 4, [0x01, 0x10, 5, 0, 0x0A])
        #expect(services.value?.count == 1)
        // In the background: its characteristics, then the configuration.
        script.frame(1, channel: 4, [0x09, 7, 2, 0, 0x20, 3, 0, 0x05, 0x2A])
        script.frame(1, channel: 4, [0x01, 0x08, 3, 0, 0x0A])
        script.frame(1, channel: 4, [0x05, 1, 4, 0, 0x02, 0x29])
        script.frame(1, channel: 4, [0x13])
        #expect(script.frames(on: 4).last == [0x12, 4, 0, 2, 0])
        script.packetsCompleted(1)
        script.packets = []
        return (script, link)
    }

    @Test func a19_serviceChangedMakesStaleAndAsksForNothing() throws {
        let (script, link) = try subscribed()
        let id = AttributeID(rawValue: link.rawValue << 16 | 1, handle: 3)
        script.frame(1, channel: 4, [0x1D, 3, 0, 0x40, 0, 0x30, 0])
        #expect(stale(script).isEmpty, "start behind the end")
        script.frame(1, channel: 4, [0x1D, 3, 0, 0x40, 0])
        #expect(stale(script).isEmpty, "cut short")
        script.packetsCompleted(1)
        for _ in 0..<1_000 {
            script.now = script.now + .milliseconds(10)
            script.frame(1, channel: 4, [0x1D, 3, 0, 1, 0, 0xFF, 0xFF])
            script.packetsCompleted(1)
        }
        #expect(stale(script).count == 1_000)
        // Each was confirmed, and nothing else was sent: finding again is up to the client.
        #expect(script.frames(on: 4) == [[UInt8]](repeating: [0x1E], count: 1_002))
        let read = Outcome<[UInt8]>()
        _ = script.engine.read(id, on: link, timeout: .seconds(1), now: script.now, completion: read.completion)
        #expect(read.error?.code == .staleAttribute)
        #expect(script.isAlive(1))
    }

    @Test func a19_discoveryThatKeepsBeingOvertakenEnds() throws {
        let (script, link) = try subscribed()
        let services = Outcome<[ServiceInfo]>()
        _ = script.engine.discoverServices(
            nil, on: link, timeout: .seconds(30), now: script.now, completion: services.completion)
        var rounds = 0
        while services.results.isEmpty, rounds < 20 {
            rounds += 1
            script.frame(1, channel: 4, [0x1D, 3, 0, 1, 0, 0xFF, 0xFF])
            script.frame(1, channel: 4, [0x11, 6, 1, 0, 0xFF, 0xFF, 0x01, 0x18])
            script.packetsCompleted(1)
        }
        #expect(rounds == 3)
        #expect(services.error?.code == .staleAttribute)
        #expect(script.isAlive(1))
    }

    @Test func a20_outOfSyncMakesEverythingStale() throws {
        let (script, link) = try subscribed()
        let id = AttributeID(rawValue: link.rawValue << 16 | 1, handle: 3)
        let read = Outcome<[UInt8]>()
        _ = script.engine.read(id, on: link, timeout: .seconds(1), now: script.now, completion: read.completion)
        script.frame(1, channel: 4, [0x01, 0x0A, 3, 0, 0x12])
        #expect(read.error?.code == .staleAttribute)
        #expect(read.error?.attribute == 0x12)
        #expect(stale(script) == [nil])
    }

    /// A central whose bonded peer is connected and is being encrypted.
    private func bonded() throws -> (script: Script, outcome: Outcome<LinkInfo>) {
        let script = Script(start: false)
        script.engine.useBonds(BondDatabase(bonds: [Bond(identity: Script.peer, peerKey: Self.key)]))
        script.engine.start(now: script.now, timeout: .seconds(5)) { _ in }
        let outcome = Outcome<LinkInfo>()
        _ = script.engine.connect(
            PeerID(Script.peer), options: ConnectOptions(exchangesMTU: false), timeout: .seconds(10), now: script.now,
            completion: outcome.completion)
        script.connectionComplete(1, role: 0)
        #expect(script.commands.last?.opcode == .leEnableEncryption)
        return (script, outcome)
    }

    @Test func r2_a22_whoRefusesEncryptionIsNotListenedToAndLetGo() throws {
        let (script, outcome) = try bonded()
        // Encryption Change: PIN or key missing.
        script.event(0x08, [0x06, 1, 0, 0])
        #expect(script.commands.last?.opcode == .disconnect)
        script.frame(1, channel: 4, [0x1B, 9, 0, 0x42])
        script.frame(1, channel: 4, [0x1D, 9, 0, 0x42])
        #expect(script.values.isEmpty)
        script.disconnectionComplete(1)
        #expect(outcome.error?.controller == 0x06)
        #expect(script.engine.bonds.count == 1, "the bond stays, nothing was paired anew")
    }

    @Test func a22_nothingIsAskedOfAPeerThatIsNotEncryptedYet() throws {
        let (script, outcome) = try bonded()
        let link = script.engine.linkInfos[0].id
        let services = Outcome<[ServiceInfo]>()
        _ = script.engine.discoverServices(
            nil, on: link, timeout: .seconds(30), now: script.now, completion: services.completion)
        #expect(script.frames(on: 4).isEmpty)
        script.frame(1, channel: 4, [0x1B, 9, 0, 0x42])
        #expect(script.values.isEmpty)
        #expect(outcome.results.isEmpty)
        script.event(0x08, [0, 1, 0, 1])
        #expect(outcome.value != nil)
        #expect(!script.frames(on: 4).isEmpty)
        script.frame(1, channel: 4, [0x1B, 9, 0, 0x42])
        #expect(script.values == [[0x42]])
    }

    @Test func s15_withoutAKeyTheAnswerIsNo() {
        let script = Script()
        script.connectionComplete(1)
        // LE Long Term Key Request with numbers of zero, as during LE Secure Connections, and with others.
        script.event(0x3E, [0x05, 1, 0] + [UInt8](repeating: 0, count: 10))
        script.event(0x3E, [0x05, 1, 0] + [UInt8](repeating: 7, count: 10))
        #expect(script.count(.leLongTermKeyRequestNegativeReply) == 2)
        #expect(script.count(.leLongTermKeyRequestReply) == 0)
    }
}
