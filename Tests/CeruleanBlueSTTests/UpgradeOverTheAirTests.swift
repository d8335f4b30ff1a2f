// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanSensing
import CeruleanTesting
import CeruleanVirtual
import CeruleanWire
import Synchronization
import Testing

@testable import CeruleanBlueST

@Suite struct UpgradeOverTheAirTests {
    private func image(_ count: Int) -> FirmwareImage { .made(count) }

    /// A board on a server whose memory the test can look at.
    private func run(
        _ token: String, loader: SimulatedNode.Configuration.Loader? = nil, flash: Int = 512 * 1024,
        _ body: @escaping @Sendable (TwoHosts, Node, Mutex<SimulatedNode?>.Box) async throws -> Void
    ) async throws {
        let (board, version) = try #require(Board.named(token))
        var configuration = try SimulatedNode.Configuration(board: board, protocolVersion: version)
        configuration.loader = loader ?? configuration.loader
        configuration.flashCapacity = flash
        var device = SimulatedBlueSTBoard(configuration)
        let seen = Mutex<SimulatedNode?>.Box()
        device.inspect = { seen.set($0) }
        let served = device
        try await TwoHosts.run(limit: .seconds(36000)) { hosts in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    do { try await served.serve(on: hosts.server) } catch is CancellationError {}
                    return false
                }
                group.addTask {
                    let manager = BlueSTManager(hosts.central)
                    for try await event in manager.discover() {
                        guard case .found(let node) = event else { continue }
                        try await body(hosts, node, seen)
                        return true
                    }
                    return false
                }
                defer { group.cancelAll() }
                let isDone = try await group.next()
                #expect(isDone == true)
            }
        }
    }

    @Test func anImageOf256KiBSurvivesThreeLostLinks() async throws {
        let image = image(256 * 1024)
        try await run("SENSOR_TILE_BOX") { hosts, node, seen in
            let cuts = Mutex([0.2, 0.5, 0.8])
            let resumed = Mutex(0)
            try await node.upgrade(image) { event in
                switch event {
                case .progress(let progress, _):
                    let cut = cuts.withLock { cuts in
                        guard let next = cuts.first, progress.fraction >= next else { return false }
                        cuts.removeFirst()
                        return true
                    }
                    if cut { hosts.dropLink() }
                case .linkResumed: resumed.withLock { $0 += 1 }
                default: break
                }
            }
            #expect(resumed.withLock { $0 } == 3)
            let installed = try #require(seen.value?.installedImage)
            #expect(STM32CRC.checksum(installed) == image.crc)
            #expect(installed == image.bytes)
        }
    }

    @Test func aBoardWithoutNumbersBeginsAnewAfterALostLink() async throws {
        let image = image(8 * 1024)
        try await run("SENSOR_TILE") { hosts, node, seen in
            let isCut = Mutex(false)
            try await node.upgrade(image) { event in
                guard case .progress(let progress, _) = event, progress.fraction > 0.5 else { return }
                let cuts = isCut.withLock { isCut in
                    defer { isCut = true }
                    return !isCut
                }
                if cuts { hosts.dropLink() }
            }
            #expect(seen.value?.installedImage == image.bytes)
        }
    }

    /// The board is carried away, and one of the same name is there under another address: perhaps it, perhaps not.
    @Test func aBoardThatComesBackUnderAnotherAddressIsNamed() async throws {
        let image = image(64 * 1024)
        let (board, version) = try #require(Board.named("SENSOR_TILE_BOX"))
        let device = SimulatedBlueSTBoard(try .init(board: board, protocolVersion: version))
        try await TwoHosts.run(limit: .seconds(36000)) { hosts in
            let other = DeviceAddress(BluetoothAddress(rawValue: 0xC47C_8D00_3344), .random)
            let host = hosts.world.makeHost(name: "other", address: other, position: Position(x: 1))
            let server = try await PeripheralServer(
                Adapter(name: "virtual") { () throws(HostError) -> any Host in host })
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for server in [hosts.server, server] {
                    group.addTask {
                        do { try await device.serve(on: server) } catch is CancellationError {}
                        return false
                    }
                }
                group.addTask {
                    let manager = BlueSTManager(hosts.central)
                    for try await event in manager.discover() {
                        guard case .found(let node) = event, node.tag == hosts.serverAddress.description else {
                            continue
                        }
                        do {
                            try await manager.upgrade(node, with: image, options: .init(timeout: .seconds(2))) {
                                event in
                                guard case .progress(let progress, _) = event, progress.fraction > 0.3 else { return }
                                hosts.goOutOfRange()
                            }
                            Issue.record("upgraded a board that is gone")
                        } catch let error as UpgradeError {
                            #expect(error.code == .notBack)
                            #expect(error.description.contains("is there as \(other)"), "\(error)")
                            #expect(error.description.contains("it goes on where it was"), "\(error)")
                        }
                        return true
                    }
                    return false
                }
                defer { group.cancelAll() }
                let isDone = try await group.next()
                #expect(isDone == true)
            }
        }
    }

    @Test func anUpgradeThatIsEndedSaysWhatIsLeft() async throws {
        let image = image(64 * 1024)
        try await run("SENSOR_TILE_BOX") { _, node, seen in
            let error = await withTaskGroup(of: (any Error)?.self) { group in
                group.addTask {
                    do {
                        try await node.upgrade(image) { event in
                            guard case .progress(let progress, _) = event, progress.fraction > 0.5 else { return }
                            withUnsafeCurrentTask { $0?.cancel() }
                        }
                    } catch { return error }
                    return nil
                }
                return await group.next() as? UpgradeError
            }
            #expect(error?.code == .aborted)
            #expect(error?.description.contains("it goes on where it was") == true)
            // It goes on where it was.
            #expect(node.isConnected)
            try await node.disconnect()
            try await node.upgrade(image)
            #expect(seen.value?.installedImage == image.bytes)
        }
    }

    @Test func refusesWithAClearMessage() async throws {
        let small = image(4096)
        try await run("SENSOR_TILE_BOX", flash: 1024) { _, node, _ in
            try await node.connect()
            let full = await #expect(throws: UpgradeError.self) { try await node.upgrade(small) }
            #expect(full?.description.contains("flash full") == true)
            let elf = await #expect(throws: UpgradeError.self) {
                try await node.upgrade(FirmwareImage([0x7F, 0x45, 0x4C, 0x46] + small.bytes))
            }
            #expect(elf?.code == .invalidImage)
            let other = FirmwareImage.made(4096, saying: "F401_OTHER_1.0.0")
            let wrong = await #expect(throws: UpgradeError.self) { try await node.upgrade(other) }
            #expect(wrong?.code == .wrongBoard)
            var options = Node.UpgradeOptions()
            options.capacity = 100
            let noSpace = await #expect(throws: UpgradeError.self) { try await node.upgrade(small, options: options) }
            #expect(noSpace?.code == .tooLarge)
            // Noise is no firmware, unless the user insists.
            let noise = FirmwareImage((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
            let suspicious = await #expect(throws: UpgradeError.self) { try await node.upgrade(noise) }
            #expect(suspicious?.code == .invalidImage)
            #expect(node.isConnected)
            try await node.upgrade(noise, options: .init(isForced: true))
        }
    }

    @Test func aWBLoaderOverTheAir() async throws {
        let image = image(30_000)
        try await run("STM32WB_OTA") { _, node, seen in
            try await node.connect()
            #expect(node.upgradeMethod == .loader)
            try await node.upgrade(image)
            #expect(seen.value?.installedImage == image.bytes)
        }
    }

    @Test func anSTM32WBLoaderIsToldThatTheRestWillNotCome() async throws {
        let image = image(30_000)
        try await run("STM32WB_OTA") { _, node, seen in
            try await node.connect()
            let error = await withTaskGroup(of: (any Error)?.self) { group in
                group.addTask {
                    do {
                        try await node.upgrade(image) { event in
                            guard case .progress(let progress, _) = event, progress.fraction > 0.5 else { return }
                            withUnsafeCurrentTask { $0?.cancel() }
                        }
                    } catch { return error }
                    return nil
                }
                return await group.next() as? UpgradeError
            }
            #expect(error?.code == .aborted)
            #expect(error?.description.contains("stays in its loader") == true)
            // It forgot what it had, still listens, and takes the image from the beginning.
            #expect(node.isConnected)
            #expect(seen.value?.installedImage == [])
            try await node.upgrade(image)
            #expect(seen.value?.installedImage == image.bytes)
        }
    }

    @Test func aBlueNRGLoaderOverTheAir() async throws {
        let image = FirmwareImage.made(20_000, at: 0x1004_0000, stack: 0x2000_6000)
        try await run("STEVAL_BCN002V1", loader: .blueNRG) { _, node, seen in
            try await node.connect()
            #expect(node.upgradeMethod == .blueNRG)
            let outside = await #expect(throws: UpgradeError.self) {
                try await node.upgrade(image, options: .init(baseAddress: 0x2004_0000))
            }
            #expect(outside?.code == .noSpace)
            // Without an address it goes where the memory begins.
            try await node.upgrade(image)
            #expect(seen.value?.installedImage?.starts(with: image.bytes) == true)
        }
    }
}

extension Mutex where Value == SimulatedNode? {
    /// The last state of a board.
    final class Box: Sendable {
        private let state = Mutex<SimulatedNode?>(nil)
        var value: SimulatedNode? { state.withLock { $0 } }
        func set(_ value: SimulatedNode) { state.withLock { $0 = value } }
    }
}
