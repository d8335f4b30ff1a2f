// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanTesting
import Synchronization
import Testing

@Suite struct PairingTests {
    /// What a responder was asked.
    final class Asked: Sendable {
        private let state = Mutex<(questions: [String], digits: [Passkey])>(([], []))
        func note(_ question: String) { state.withLock { $0.questions.append(question) } }
        func note(_ digits: Passkey) { state.withLock { $0.digits.append(digits) } }
        var questions: [String] { state.withLock { $0.questions } }
        var digits: [Passkey] { state.withLock { $0.digits } }
    }

    private func agreeable(_ asked: Asked) -> PairingResponder {
        var responder = PairingResponder()
        responder.confirmJustWorks = { _ in
            asked.note("justWorks")
            return true
        }
        responder.compareNumbers = { _, digits in
            asked.note("compare")
            asked.note(digits)
            return true
        }
        responder.ended = { _, error in asked.note(error == nil ? "paired" : "failed") }
        return responder
    }

    @Test func pairsByNumericComparisonAndStaysBonded() async throws {
        try await TwoHosts.run { hosts in
            let (ours, theirs) = (Asked(), Asked())
            await hosts.central.setPairing(
                PairingPolicy(ioCapability: .displayYesNo), responder: agreeable(ours))
            await hosts.server.setPairing(
                PairingPolicy(ioCapability: .displayYesNo, acceptsPairing: true), responder: agreeable(theirs))
            let peripheral = try await hosts.connect()
            #expect(peripheral.security == .open)
            #expect(try await peripheral.pair(PairingOptions(level: .authenticated)) == .secureConnections)
            #expect(peripheral.security == .secureConnections)
            #expect(ours.digits.count == 1 && ours.digits == theirs.digits)
            #expect(ours.questions == ["compare", "paired"])
            let bonds = await hosts.central.bonds()
            #expect(bonds.map(\.address) == [hosts.serverAddress])
            #expect(bonds.first?.strength?.isAuthenticated == true)

            // The next link is encrypted by itself.
            try await peripheral.disconnect()
            try await hosts.simulation.advance(by: .seconds(1))
            try await peripheral.connect()
            #expect(try await peripheral.pair() == .secureConnections)
            #expect(ours.questions == ["compare", "paired"])

            try await hosts.central.unpair(peripheral.id)
            #expect(await hosts.central.bonds().isEmpty)
            try await hosts.simulation.advance(by: .seconds(1))
            #expect(!peripheral.isConnected)
            await #expect(throws: BluetoothError.self) { try await hosts.central.unpair(peripheral.id) }
        }
    }

    @Test func nobodyPairsWhoWasNotAllowed() async throws {
        try await TwoHosts.run { hosts in
            let peripheral = try await hosts.connect()
            do throws(BluetoothError) {
                _ = try await peripheral.pair()
                Issue.record("paired")
            } catch {
                #expect(error.code == .refused)
            }
            #expect(await hosts.server.bonds().isEmpty)
        }
    }

    @Test func aResponderThatKnowsNothingRefuses() async throws {
        try await TwoHosts.run { hosts in
            await hosts.server.setPairing(responder: PairingResponder())
            let peripheral = try await hosts.connect()
            do throws(BluetoothError) {
                _ = try await peripheral.pair()
                Issue.record("paired")
            } catch {
                #expect(error.code == .refused)
            }
        }
    }

    @Test func aServerAsksItsCentral() async throws {
        try await TwoHosts.run { hosts in
            let asked = Asked()
            await hosts.central.setPairing(PairingPolicy(acceptsPairing: true), responder: agreeable(asked))
            let peripheral = try await hosts.connect()
            let remote = try #require(await hosts.server.centrals().first)
            #expect(try await hosts.server.pair(remote) == .encrypted)
            try await hosts.simulation.advance(by: .seconds(1))
            #expect(asked.questions == ["justWorks", "paired"])
            #expect(peripheral.security == .encrypted)
        }
    }

    @Test func typesWhatTheOtherShows() async throws {
        try await TwoHosts.run { hosts in
            let (shown, announce) = AsyncStream.makeStream(of: Passkey.self)
            var display = PairingResponder()
            display.showPasskey = { _, digits in
                announce.yield(digits)
                return true
            }
            var keyboard = PairingResponder()
            keyboard.enterPasskey = { _ in
                for await digits in shown { return digits }
                return nil
            }
            await hosts.server.setPairing(
                PairingPolicy(ioCapability: .displayOnly, acceptsPairing: true), responder: display)
            await hosts.central.setPairing(PairingPolicy(ioCapability: .keyboardOnly), responder: keyboard)
            let peripheral = try await hosts.connect()
            #expect(try await peripheral.pair(PairingOptions(level: .authenticated)) == .secureConnections)
        }
    }

    @Test func cancellingPairingEndsIt() async throws {
        try await TwoHosts.run { hosts in
            let asked = Asked()
            var responder = agreeable(asked)
            responder.confirmJustWorks = { _ in
                try? await hosts.simulation.advance(by: .seconds(1_000))
                return true
            }
            await hosts.server.setPairing(responder: responder)
            let peripheral = try await hosts.connect()
            do throws(BluetoothError) {
                _ = try await peripheral.pair(timeout: .seconds(5))
                Issue.record("paired")
            } catch {
                #expect(error.code == .timedOut)
            }
            try await hosts.simulation.advance(by: .seconds(1))
            #expect(asked.questions == ["failed"])
        }
    }
}
