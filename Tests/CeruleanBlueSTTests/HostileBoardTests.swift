// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import CeruleanWire
import Synchronization
import Testing

@testable import CeruleanBlueST

/// A board that lies, floods, stays silent, or goes away in the middle.
@Suite struct HostileBoardTests {
    /// What the board does when something is written to it.
    private typealias Say = @Sendable ([UInt8]) async -> Void
    private typealias Answer = @Sendable (_ written: [UInt8], _ say: @escaping Say) async -> Void

    /// A board whose console, registers, commands and messages are the test's.
    private func run(
        console: @escaping Answer = { _, _ in }, registers: @escaping Answer = { _, _ in },
        commands: @escaping Answer = { _, _ in }, messages: @escaping Answer = { _, _ in },
        _ body: @escaping @Sendable (TwoHosts, Node) async throws -> Void
    ) async throws {
        let advertisement = BlueSTAdvertisement(
            protocolVersion: 2, name: "Hostile", deviceID: 0x0D, content: .options([0xFF, 0, 0, 0]),
            address: BluetoothAddress(rawValue: 0xC47C_8D00_1122))
        try await TwoHosts.run { hosts in
            let (written, sink) = AsyncStream<(Answer, LocalCharacteristic, [UInt8])>.makeStream()
            let own = Mutex<[BluetoothUUID: LocalCharacteristic]>([:])
            func characteristic(_ uuid: BluetoothUUID, _ answer: @escaping Answer) -> LocalCharacteristic {
                let made = LocalCharacteristic(
                    uuid, [.write, .writeWithoutResponse, .notify],
                    onWrite: { request in
                        if let one = own.withLock({ $0[uuid] }) { sink.yield((answer, one, request.value)) }
                    })
                own.withLock { $0[uuid] = made }
                return made
            }
            let all = [
                characteristic(BlueSTUUID.terminal, console), characteristic(BlueSTUUID.registers, registers),
                characteristic(BlueSTUUID.commands, commands), characteristic(BlueSTUUID.extended(0x14), messages),
                characteristic(BlueSTUUID.features(0x0002_0000), { _, _ in }),
            ]
            try await hosts.server.publish([LocalService(BlueSTUUID.featureService, characteristics: all)])
            try await hosts.server.advertise(
                AdvertisingParameters(content: .raw(data: advertisement.encoded(withCompany: true), scanResponse: [])))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await (answer, characteristic, value) in written {
                        await answer(value) { bytes in _ = try? await hosts.server.update(characteristic, to: bytes) }
                    }
                }
                let node = try Node(try await hosts.central.first(.name("Hostile")))
                try await node.connect()
                try await body(hosts, node)
                group.cancelAll()
            }
        }
    }

    @Test func aConsoleThatNeverFallsSilentIsLeft() async throws {
        try await run(console: { _, say in
            for _ in 0..<20_000 { await say(Array("noise\r\n".utf8)) }
        }) { hosts, node in
            let console = try #require(node.console)
            let loop = hosts.simulation.loop
            let start = loop.now
            let answer = try await console.exchange("help", longest: .seconds(5))
            #expect(loop.now - start < .seconds(6))
            #expect(answer.count > 10 && answer.allSatisfy { $0.text == "noise" })
        }
    }

    @Test func aConsoleWithoutLinesIsRead() async throws {
        try await run(console: { _, say in for _ in 0..<300 { await say([UInt8](repeating: 0x41, count: 200)) } }) {
            _, node in
            let console = try #require(node.console)
            let answer = try await console.ask("help")
            #expect(answer.allSatisfy { $0.utf8.count <= 4096 })
            #expect(answer.reduce(0) { $0 + $1.utf8.count } == 60_000)
            let version = await #expect(throws: BluetoothError.self) { _ = try await console.firmwareVersion() }
            #expect(version?.code == .badData)
        }
    }

    @Test func wrongAnswersAreNoAnswers() async throws {
        try await run(
            registers: { written, say in
                // Another register, a write instead of a read, nothing, and at last a refusal.
                await say([written[0], 0x77, 0, 1, 1, 2])
                await say([])
                await say([written[0] | 0x20, written[1], 0, 1])
                if written[1] == 0x02 { await say([written[0], 0x02, 9, 0]) }
            },
            commands: { written, say in
                await say([0, 0])
                await say([0, 0, 0, 0, 0, 1, written.last ?? 0, 1])
            },
            messages: { _, say in
                await say([0x40, 0x7B])
                await say([0x00] + Array("{\"a\":".utf8))
                await say([0x20] + Array("no JSON".utf8))
            }
        ) { hosts, node in
            let version = try #require(Register.wesu(named: "FW_VER"))
            let silent = await #expect(throws: BluetoothError.self) { _ = try await node.read(version) }
            #expect(silent?.code == .timedOut)
            let led = try #require(Register.wesu(named: "LED_CONFIG"))
            await #expect(throws: RegisterError.refused(9)) { _ = try await node.read(led) }
            let command = await #expect(throws: BluetoothError.self) { _ = try await node.ask(.batteryCapacity) }
            #expect(command?.code == .timedOut)
            let message = await #expect(throws: BluetoothError.self) {
                _ = try await node.ask(["command": "UID"], of: .extendedConfiguration)
            }
            #expect(message?.code == .badData)
            #expect(node.isConnected)
        }
    }

    @Test func aMessageWithoutEndIsRefused() async throws {
        try await run(messages: { _, say in
            await say([0x00] + [UInt8](repeating: 0x20, count: 400))
            for _ in 0..<3000 { await say([0x40] + [UInt8](repeating: 0x20, count: 400)) }
        }) { _, node in
            let message = await #expect(throws: BluetoothError.self) {
                _ = try await node.ask(["command": "UID"], of: .extendedConfiguration, timeout: .seconds(600))
            }
            #expect(message?.code == .badData)
        }
    }

    @Test func aLostLinkEndsWhateverWaits() async throws {
        let image = FirmwareImage.made(2000)
        try await run { hosts, node in
            let console = try #require(node.console)
            let led = try #require(Register.wesu(named: "LED_CONFIG"))
            let operations: [@Sendable () async throws -> Void] = [
                { _ = try await console.exchange("help", timeout: .seconds(60)) },
                { _ = try await node.read(led, timeout: .seconds(60)) },
                { _ = try await node.ask(.batteryCapacity, timeout: .seconds(60)) },
                { _ = try await node.ask(["a": 1], of: .extendedConfiguration, timeout: .seconds(60)) },
                { try await node.upgrade(image, options: .init(reconnections: 0)) },
            ]
            for (index, operation) in operations.enumerated() {
                if !node.isConnected { try await node.connect(timeout: .seconds(20)) }
                let loop = hosts.simulation.loop
                let start = loop.now
                let error = await withTaskGroup(of: (any Error)?.self) { group in
                    group.addTask {
                        do { try await operation() } catch { return error }
                        return nil
                    }
                    group.addTask {
                        try? await loop.sleep(for: .seconds(1))
                        hosts.dropLink()
                        try? await loop.sleep(for: .seconds(3600))
                        return nil
                    }
                    defer { group.cancelAll() }
                    return await group.next() ?? nil
                }
                #expect(error != nil, "operation \(index)")
                if let error = error as? BluetoothError { #expect(error.code == .disconnected, "\(index): \(error)") }
                #expect(loop.now - start < .seconds(20), "operation \(index)")
            }
        }
    }

    /// In each phase the board first does wrong, and says or does nothing more.
    @Test(arguments: [
        ("silent at the command", [] as [UInt8], UpgradeError.Code.noAnswer),
        ("another checksum", [1, 2, 3, 4], .corrupted), ("text", Array("flash full\r\n".utf8), .corrupted),
    ])
    func anUpgradeEndsWithTheBoardsFault(what: String, echo: [UInt8], code: UpgradeError.Code) async throws {
        let image = FirmwareImage.made(2000)
        try await run(console: { written, say in
            if written.starts(with: Array("upgradeFw".utf8)), !echo.isEmpty { await say(echo) }
        }) { _, node in
            let error = await #expect(throws: UpgradeError.self) { try await node.upgrade(image) }
            #expect(error?.code == code)
        }
    }

    @Test func anUpgradeEndsWhenTheVerdictStaysAwayOrIsBad() async throws {
        let image = FirmwareImage.made(2000)
        let crc = (0..<4).map { UInt8(truncatingIfNeeded: image.crc >> (8 * UInt32($0))) }
        for verdict: [UInt8] in [[], [0xFF]] {
            let count = Mutex(0)
            try await run(console: { written, say in
                if written.starts(with: Array("upgradeFw".utf8)) { return await say(crc) }
                guard written != Array("versionFw\r\n".utf8) else { return }
                let all = count.withLock { count in
                    count += written.count
                    return count
                }
                if all == 2000, !verdict.isEmpty { await say(verdict) }
            }) { _, node in
                let error = await #expect(throws: UpgradeError.self) { try await node.upgrade(image) }
                #expect(error?.code == (verdict.isEmpty ? .noAnswer : .corrupted))
                #expect(node.isConnected)
            }
        }
    }
}
