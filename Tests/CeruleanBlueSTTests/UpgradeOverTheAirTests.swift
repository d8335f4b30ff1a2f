// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanSensing
import CeruleanTesting
import CeruleanWire
import Synchronization
import Testing

@testable import CeruleanBlueST

@Suite struct UpgradeOverTheAirTests {
    private func image(_ count: Int) -> FirmwareImage {
        FirmwareImage((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 7) })
    }

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
            #expect(error?.description.contains("keeps its old firmware") == true)
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
            let other = FirmwareImage(small.bytes + [0] + Array("F401_OTHER_1.0.0".utf8) + [0])
            let wrong = await #expect(throws: UpgradeError.self) { try await node.upgrade(other) }
            #expect(wrong?.code == .wrongBoard)
            var options = Node.UpgradeOptions()
            options.capacity = 100
            let noSpace = await #expect(throws: UpgradeError.self) { try await node.upgrade(small, options: options) }
            #expect(noSpace?.code == .noSpace)
            #expect(node.isConnected)
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

    @Test func aBlueNRGLoaderOverTheAir() async throws {
        let image = image(20_000)
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
