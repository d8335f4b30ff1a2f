// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST
import CeruleanWire
import Testing

/// The upgrade procedures against simulated boards, without a radio. bluest.md §13.
@Suite struct UpgradeTests {
    private static func image(_ count: Int) -> FirmwareImage {
        FirmwareImage((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
    }

    private func node(_ token: String, loader: SimulatedNode.Configuration.Loader? = nil, flash: Int = 512 * 1024)
        throws -> SimulatedNode
    {
        let (board, version) = try #require(Board.named(token))
        var configuration = try SimulatedNode.Configuration(board: board, protocolVersion: version)
        configuration.loader = loader ?? configuration.loader
        configuration.flashCapacity = flash
        return SimulatedNode(configuration)
    }

    /// Carries actions and answers between the two until the upgrade ends. `isLost` says which writes never arrive.
    private func run(
        _ upgrade: inout some UpgradeProcedure, on node: inout SimulatedNode, from start: MonotonicTime = .zero,
        until limit: Int = .max, isLost: (Int) -> Bool = { _ in false }
    ) -> UpgradeAction? {
        var now = start
        for channel in upgrade.subscriptions { node.subscribe(channel.uuid, isOn: true, at: now) }
        var actions = upgrade.start(at: now)
        var writes = 0
        while true {
            if let action = actions.first {
                actions.removeFirst()
                switch action {
                case .write(let bytes, let channel, let withResponse):
                    writes += 1
                    if writes > limit { return nil }
                    if withResponse || !isLost(writes) { _ = node.write(bytes, to: channel.uuid, at: now) }
                    actions += upgrade.writeCompleted(at: now)
                case .read(let channel):
                    actions += upgrade.received(node.read(channel.uuid, at: now), from: channel, at: now)
                case .finished, .failed: return action
                }
            } else if let (uuid, value) = node.next() {
                let channels: [UpgradeChannel] = [.terminal, .standardError, .blueNRGAck, .loaderEvents]
                for channel in channels where channel.uuid == uuid {
                    actions += upgrade.received(value, from: channel, at: now)
                }
            } else {
                guard upgrade.nextDeadline < .distantFuture else { return nil }
                now = max(now, upgrade.nextDeadline)
                actions += upgrade.deadlineReached(at: now)
            }
        }
    }

    @Test func sendsAnImageOverTheConsole() throws {
        var board = try node("SENSOR_TILE")
        let image = Self.image(5001)
        var upgrade = ConsoleUpgrade(image)
        let outcome = run(&upgrade, on: &board)
        #expect(outcome == .finished)
        #expect(board.installedImage == image.bytes)
        #expect(upgrade.progress.fraction == 1)
        #expect(board.nextRestart != nil)
    }

    @Test func numberedPacketsSurviveLosses() throws {
        var board = try node("SENSOR_TILE_BOX")
        let image = Self.image(64 * 1024 + 5)
        var upgrade = ConsoleUpgrade(
            image, options: .recommended(for: board.configuration.board, running: board.version))
        let outcome = run(&upgrade, on: &board, isLost: { $0 % 23 == 7 })
        #expect(outcome == .finished)
        #expect(board.installedImage == image.bytes)
    }

    @Test func aLossWithoutNumbersIsFound() throws {
        var board = try node("SENSOR_TILE")
        var upgrade = ConsoleUpgrade(Self.image(3200))
        let outcome = run(&upgrade, on: &board, isLost: { $0 == 25 })
        guard case .failed(let error)? = outcome else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .noAnswer)
        #expect(board.installedImage == nil)
    }

    @Test func numberedPacketsGoOnAfterALostLink() throws {
        var board = try node("SENSOR_TILE_BOX")
        let image = Self.image(256 * 1024)
        let options = ConsoleUpgrade.Options.recommended(for: board.configuration.board, running: board.version)
        var time = MonotonicTime.zero
        var writes = 0
        for cut in [4000, 5000, 6000] {
            var upgrade = ConsoleUpgrade(image, options: options)
            let outcome = run(&upgrade, on: &board, from: time, until: cut)
            #expect(outcome == nil)
            writes += cut
            time = time + .seconds(600)
            board.linkLost(at: time)
        }
        var last = ConsoleUpgrade(image, options: options)
        let end = run(&last, on: &board, from: time, until: 16384 - writes + 100)
        #expect(end == .finished)
        #expect(STM32CRC.checksum(try #require(board.installedImage)) == image.crc)
    }

    @Test func aFullFlashIsRefused() throws {
        var board = try node("SENSOR_TILE", flash: 1000)
        var upgrade = ConsoleUpgrade(Self.image(2000))
        guard case .failed(let error)? = run(&upgrade, on: &board) else {
            Issue.record("no failure")
            return
        }
        #expect(error.description.contains("flash full"))
    }

    @Test func imagesAreCheckedBeforeTheFirstOctet() throws {
        let (board, _) = try #require(Board.named("SENSOR_TILE_BOX"))
        let running = try FirmwareVersion("L4R9_BLUEST_3.1.0")
        func code(_ bytes: [UInt8], capacity: Int? = nil) -> UpgradeError.Code? {
            do {
                try FirmwareImage(bytes).check(for: board, running: running, capacity: capacity)
                return nil
            } catch {
                return error.code
            }
        }
        let plain = FirmwareImage.made(4096).bytes
        #expect(code([]) == .invalidImage)
        #expect(code([0x7F, 0x45, 0x4C, 0x46] + plain) == .invalidImage)
        #expect(code(Array(":10010000214601360121470136007EFE09D2190140\n".utf8)) == .invalidImage)
        #expect(code([UInt8](repeating: 0xFF, count: 4096)) == .invalidImage)
        #expect(code(plain, capacity: 4000) == .tooLarge)
        #expect(code(plain) == nil)
        #expect(code(FirmwareImage.made(4096, saying: "L476_ALLMEMS1_3.1.0").bytes) == .wrongBoard)
        #expect(code(FirmwareImage.made(4096, saying: "L4R9_BLUEST_3.2.0").bytes) == nil)
    }

    @Test func theFirstWordsTellFirmwareFromNoise() throws {
        let (board, _) = try #require(Board.named("SENSOR_TILE_BOX"))
        func isTaken(_ image: FirmwareImage, _ target: FirmwareImage.Target = .stm32(address: nil), force: Bool = false)
            -> Bool
        { (try? image.check(for: board, target: target, isForced: force)) != nil }
        let good = FirmwareImage.made(4096)
        #expect(isTaken(good))
        #expect(isTaken(.made(4096, at: 0x0C00_0000, stack: 0x3002_0000)))
        #expect(isTaken(.made(4096, at: 0x9000_0000, stack: 0x2408_0000)))
        func with(_ word: Int, _ value: UInt32) -> FirmwareImage {
            var bytes = good.bytes
            for index in 0..<4 { bytes[4 * word + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
            return FirmwareImage(bytes)
        }
        // Stack in flash, stack not on a word; handlers in RAM, without the Thumb bit, outside of the image.
        for image in [
            with(0, 0x0800_0000), with(0, 0x2000_0002), with(1, 0x2000_0101), with(1, 0x0800_4100),
            with(2, 0x0803_0001), with(3, 0), FirmwareImage(Array(good.bytes.prefix(60))),
            FirmwareImage(good.bytes + [1]), Self.image(4096),
        ] {
            #expect(!isTaken(image))
            #expect(isTaken(image, force: true))
            #expect(isTaken(image, .radio))
        }
        // An STM32WB's loader puts the image where it must have been linked for.
        #expect(isTaken(good, .stm32(address: 0x0800_4000)))
        #expect(!isTaken(good, .stm32(address: 0x0800_7000)))
        #expect(!isTaken(good, .blueNRG))
        #expect(isTaken(.made(4096, at: 0x1004_0000), .blueNRG))
        #expect(LoaderUpgrade.Layout.wb55.applicationAddress == 0x0800_7000)
        #expect(LoaderUpgrade.Layout.wba5.applicationAddress == 0x0808_0000)
        // What can never work is refused in any case.
        #expect(!isTaken(FirmwareImage([]), force: true))
        #expect(throws: UpgradeError.self) { try good.check(for: board, capacity: 100, isForced: true) }
    }

    @Test(arguments: [20, 100, 244])
    func blueNRGTakesAnImage(writeSize: Int) throws {
        var board = try node("STEVAL_BCN002V1", loader: .blueNRG)
        let image = Self.image(10_007)
        var upgrade = BlueNRGUpgrade(image, baseAddress: 0x1004_0000, writeSize: writeSize)
        let outcome = run(&upgrade, on: &board, isLost: { $0 % 31 == 5 })
        #expect(outcome == .finished)
        #expect(board.installedImage?.starts(with: image.bytes) == true)
    }

    @Test func blueNRGRefusesAnAddressOutsideOfItsMemory() throws {
        for address: UInt32 in [0x1004_0001, 0x1000_0000, 0x100B_FE00] {
            var board = try node("STEVAL_BCN002V1", loader: .blueNRG)
            var upgrade = BlueNRGUpgrade(Self.image(10_000), baseAddress: address)
            guard case .failed? = run(&upgrade, on: &board) else {
                Issue.record("accepted \(address)")
                continue
            }
        }
    }

    @Test func aWBLoaderTakesAnImage() throws {
        var board = try node("STM32WB_OTA")
        let image = Self.image(20_001)
        var upgrade = LoaderUpgrade(image, layout: .wb55, writeSize: 244)
        let outcome = run(&upgrade, on: &board)
        #expect(outcome == .finished)
        #expect(board.installedImage == image.bytes)
        #expect(LoaderUpgrade.rebootRequest(for: image, layout: .wb55) == [0x01, 0x07, 0x05])
        var small = try node("STM32WB_OTA", flash: 1000)
        var refused = LoaderUpgrade(image, layout: .wb55)
        guard case .failed(let error)? = run(&refused, on: &small) else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .noSpace)
    }

    @Test func theConsoleSpeaks() throws {
        var board = try node("SENSOR_TILE_BOX")
        board.subscribe(BlueSTUUID.terminal, isOn: true, at: .zero)
        board.subscribe(BlueSTUUID.standardError, isOn: true, at: .zero)
        for chunk in ConsoleText.chunks(ConsoleText.encode("versionFw\r\n")) {
            _ = board.write(chunk, to: BlueSTUUID.terminal, at: .zero)
        }
        var lines = ConsoleLines()
        var said: [String] = []
        while let (_, value) = board.next() { said += lines.received(value) }
        #expect(said == ["L4R9_BLUEST_3.1.0"])
        _ = board.write(ConsoleText.encode("nonsense"), to: BlueSTUUID.terminal, at: .zero)
        let answer = board.next()
        #expect(answer?.characteristic == BlueSTUUID.standardError)
    }
}
