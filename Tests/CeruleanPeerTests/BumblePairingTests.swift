// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanWire
import Foundation
import Testing

/// Every pairing method that Bumble and we both offer, in both roles, over both airs: pairing, encrypted access, the next
/// connection, and keys that were lost.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct BumblePairingTests {
    /// How the two of a test pair.
    struct Way: Sendable, CustomTestStringConvertible {
        var name: String
        var ours: SMP.IOCapability
        var theirs: String
        var method: PairingMethod
        var isSecure = true

        var testDescription: String { "\(name), \(isSecure ? "secure connections" : "legacy")" }

        static let all: [Way] =
            [true, false].flatMap { isSecure in
                [
                    Way(
                        name: "just works", ours: .noInputNoOutput, theirs: "none", method: .justWorks,
                        isSecure: isSecure),
                    Way(
                        name: "we show", ours: .displayOnly, theirs: "keyboard", method: .passkeyEntry,
                        isSecure: isSecure),
                    Way(
                        name: "we type", ours: .keyboardOnly, theirs: "display", method: .passkeyEntry,
                        isSecure: isSecure),
                    Way(
                        name: "out of band", ours: .noInputNoOutput, theirs: "none", method: .outOfBand,
                        isSecure: isSecure),
                ]
            } + [Way(name: "numeric comparison", ours: .displayYesNo, theirs: "yesno", method: .numericComparison)]

        var needsProtection: Bool { method == .passkeyEntry || method == .numericComparison }

        var options: [String] {
            ["--io", theirs] + (isSecure ? [] : ["--legacy"]) + (needsProtection ? ["--mitm"] : [])
                + (method == .outOfBand ? (isSecure ? ["--oob"] : ["--tk", "0102030405060708090a0b0c0d0e0f10"]) : [])
        }

        var level: SecurityLevel {
            method == .justWorks ? .encrypted : isSecure ? .secureConnections : .authenticated
        }
    }

    private static let script = Programs.file("Tests/Peers/bumble_pairing_peer.py")

    /// Our side of the questions, and the peer's digits.
    private func responder(_ peer: PeerProcess) -> PairingResponder {
        var responder = PairingResponder()
        responder.confirmJustWorks = { _ in true }
        responder.showPasskey = { _, digits in
            (try? peer.send("{\"op\":\"passkey\",\"number\":\(digits.number)}")) != nil
        }
        responder.enterPasskey = { _ in
            let shown = try? await peer.event("display")
            return (shown?["number"] as? Int).flatMap { UInt32(exactly: $0) }.flatMap { Passkey($0) }
        }
        responder.compareNumbers = { _, digits in
            let shown = try? await peer.event("compare")
            return shown?["number"] as? Int == Int(digits.number)
        }
        return responder
    }

    /// Hands out of band data over, both ways.
    private func exchangeOutOfBand(
        _ way: Way, _ host: any CeruleanHost.Host, _ peer: PeerProcess, _ ready: [String: Any]
    ) async throws {
        guard way.method == .outOfBand else { return }
        let stack = try #require(host as? StackHost)
        guard way.isSecure else {
            let key = try #require(Value128(littleEndian: (1...16).map { UInt8($0) }))
            return await stack.setOutOfBand(OutOfBandSupply(temporaryKey: key))
        }
        func value(_ name: String) throws -> Value128 {
            let octets = try Hex.decode(ready[name] as? String ?? "")
            return try #require(Value128(littleEndian: octets))
        }
        let local = try LocalOutOfBand(crypto: SystemCrypto())
        let theirs = OutOfBandData(confirm: try value("c"), random: try value("r"))
        await stack.setOutOfBand(OutOfBandSupply(peer: theirs, local: local))
        let ours = (Hex.encode(local.data.confirm.littleEndian), Hex.encode(local.data.random.littleEndian))
        _ = try await peer.ask("oob", "\"c\":\"\(ours.0)\",\"r\":\"\(ours.1)\"")
    }

    @Test(arguments: PeerAir.allCases, Way.all)
    func weAreCentral(air: PeerAir, way: Way) async throws {
        let radio = try await AirProcess(air)
        let peer = try PeerProcess(
            Programs.python, [Self.script, "peripheral", radio.transport, "--name", "Pairing"] + way.options)
        let ready = try await peer.event("ready")
        let central = try await Central(Adapter(parsing: radio.adapter))
        await central.setPairing(PairingPolicy(ioCapability: way.ours), responder: responder(peer))
        let found = try await central.first(.name("Pairing"), timeout: .seconds(10))
        let peripheral = try await found.connect()
        try await exchangeOutOfBand(way, central.host, peer, ready)
        #expect(try await peripheral.pair(PairingOptions(level: way.level)) == way.level)
        let value = try await peripheral.read(try await peripheral.findCharacteristic(0xFFF5))
        #expect(value == [0x55])
        let bond = try #require(await central.bonds().first)
        #expect(bond.strength?.level == way.level)
        #expect(bond.address?.description == "F0:F1:F2:F3:F4:F5")

        // The next link is encrypted by itself, with the key that both kept.
        try await peripheral.disconnect()
        try await peripheral.connect()
        #expect(try await peripheral.read(try await peripheral.findCharacteristic(0xFFF5)) == [0x55])
        #expect(peripheral.security == way.level)

        // A peer that lost its key is reported, not paired again.
        try await peripheral.disconnect()
        _ = try await peer.ask("forget")
        do throws(BluetoothError) {
            try await peripheral.connect()
            Issue.record("it was believed without its key")
        } catch {
            #expect(error.code == .insufficientSecurity, "\(error)")
            // RootCanal says "authentication failure" of a key that is missing.
            #expect(error.cause?.controller == (air == .rootCanal ? 0x05 : 0x06))
        }
        #expect(await central.bonds() == [bond])
        try await central.shutdown()
        radio.stop()
    }

    @Test(arguments: PeerAir.allCases, Way.all)
    func weArePeripheral(air: PeerAir, way: Way) async throws {
        let radio = try await AirProcess(air)
        let server = try await PeripheralServer(Adapter(parsing: radio.adapter))
        let secret = LocalCharacteristic(
            0xFFF5, .read, permissions: AttributePermissions(read: .encrypted), value: [0x77])
        try await server.publish { LocalService(0xFFF0) { secret } }
        try await server.advertise(name: "Cerulean", restart: .immediately)
        let peer = try PeerProcess(
            Programs.python, [Self.script, "central", radio.transport, "--target", "Cerulean"] + way.options)
        await server.setPairing(
            PairingPolicy(ioCapability: way.ours, acceptsPairing: true), responder: responder(peer))
        let ready = try await peer.event("ready")
        _ = try await peer.event("connected")
        try await exchangeOutOfBand(way, server.host, peer, ready)
        // The responder takes events of the peer while pairing runs: the peer's result is asked for when ours is there.
        let outcome = PairingOutcome()
        await outcome.listen(to: server.host)
        try peer.send("{\"op\":\"pair\"}")
        #expect(await outcome.level == way.level)
        let paired = try await peer.event("pair")
        #expect(paired["failed"] == nil, "\(paired)")
        let bond = try #require(await server.bonds().first)
        #expect(bond.strength?.level == way.level)
        #expect(bond.address?.description == "F0:F1:F2:F3:F4:F5")
        #expect(try await peer.ask("read", "\"uuid\":\"FFF5\"")["value"] as? String == "77")

        _ = try await peer.ask("disconnect")
        _ = try await peer.ask("connect")
        _ = try await peer.ask("encrypt")
        #expect(try await peer.ask("read", "\"uuid\":\"FFF5\"")["value"] as? String == "77")
        #expect(await server.host.links.first?.security == way.level)
        #expect(await server.bonds() == [bond])
        try await server.shutdown()
        radio.stop()
    }

    /// The program with `--oob` and `--show-oob`, with data both ways, one way, and for legacy pairing.
    @Test(arguments: [(true, true), (true, false), (false, false)])
    func theProgramPairsOutOfBand(isSecure: Bool, isMutual: Bool) async throws {
        let radio = try await AirProcess(.cerulean)
        defer { radio.stop() }
        let key = "0102030405060708090a0b0c0d0e0f10"
        let peer = try PeerProcess(
            Programs.python,
            [Self.script, "peripheral", radio.transport, "--name", "Pairing", "--io", "none"]
                + (isSecure ? ["--oob"] : ["--legacy", "--tk", key]))
        let ready = try await peer.event("ready")
        let theirs = isSecure ? "\(ready["c"] as? String ?? "")\(ready["r"] as? String ?? "")" : key
        let bonds = FileManager.default.temporaryDirectory.appending(path: "oob-\(UUID().uuidString)").path
        defer { for end in ["", ".lock", ".previous"] { try? FileManager.default.removeItem(atPath: bonds + end) } }
        let program = try PeerProcess(
            Programs.cerulean,
            ["pair", "--adapter", radio.adapter, "--name", "Pairing", "--io", "none", "--json", "--bonds", bonds]
                + ["--oob", theirs] + (isSecure ? [] : ["--legacy"]) + (isMutual ? ["--show-oob"] : []))
        if isMutual {
            let ours = try await program.event("outOfBand")
            let (confirm, random) = (ours["confirm"] as? String ?? "", ours["random"] as? String ?? "")
            #expect(confirm.count == 32 && random.count == 32)
            #expect((ours["block"] as? String)?.hasSuffix("1122\(confirm)1123\(random)") == true)
            _ = try await peer.ask("oob", "\"c\":\"\(confirm)\",\"r\":\"\(random)\"")
            try program.send("")
        }
        let paired = try await program.event("paired")
        #expect(paired["method"] as? String == "outOfBand")
        #expect(paired["authenticated"] as? Bool == true && paired["secureConnections"] as? Bool == isSecure)
        #expect(await program.status() == 0)
    }

    /// Waits for the end of a pairing.
    private final class PairingOutcome: HostEventSink {
        private let (results, result) = AsyncStream.makeStream(of: SecurityLevel?.self)

        func listen(to host: isolated any CeruleanHost.Host) { host.addSink(self) }

        func receive(_ event: HostEvent) {
            switch event {
            case .pairing(_, .finished(_, let strength, _)): result.yield(strength.level)
            case .pairing(_, .failed), .linkClosed: result.yield(nil)
            default: break
            }
        }

        /// What the first one was worth; nil when it failed or the link was lost.
        var level: SecurityLevel? {
            get async {
                for await level in results { return level }
                return nil
            }
        }
    }
}
