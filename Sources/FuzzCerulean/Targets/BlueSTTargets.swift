// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST
import CeruleanWire

/// What a BlueST board says: advertisements, notifications of every feature, answers, messages, upgrades.
enum BlueSTTargets {
    static let all: [FuzzTarget] = [advertisement, notifications, answers, messages, upgrades, board]

    private static let advertisement = FuzzTarget.each(
        "bluest-advertisement",
        [
            [
                2, 1, 6, 7, 9, 0x42, 0x6F, 0x78, 0x50, 0x72, 0x6F, 15, 0xFF, 0x30, 0, 2, 0x0D, 0xFE, 0, 0, 0, 1, 2, 3,
                4, 5, 6,
            ],
            [2, 1, 6, 13, 0xFF, 1, 6, 0, 0xE0, 0, 0, 1, 2, 3, 4, 5, 6], [7, 0xFF, 1, 2, 0xFF, 0xFF, 0xFF, 0xFF],
            [12, 0xFF, 0x30, 0, 3, 0x0D, 1, 0, 7, 1, 2, 3, 4],
        ]
    ) { context, input in
        guard let found = try? BlueSTAdvertisement(decoding: input) else { return }
        _ = found.members
        let again = found.encoded(withCompany: found.protocolVersion >= 2)
        context.expect(again.count <= 31, "an advertisement of \(again.count) octets")
    }

    /// Each input is a run of notifications on all characteristics of a board.
    private static let notifications = FuzzTarget("bluest-notifications", weight: 30) { context, count in
        let registry = FeatureRegistry()
        var number = 0
        while number < count {
            let device: UInt8 = [0x80, 0x06, 0x81, 0x0D][context.mutator.number(0...3)]
            let version = UInt8(context.mutator.number(1...2))
            var decoder = NodeDecoder(device: device, protocolVersion: version, advertised: nil)
            let extended = (1...0x31).map { BlueSTUUID.extended(UInt32($0)) }
            let basic = registry.features(device: device, protocolVersion: version).map { BlueSTUUID.features($0.mask) }
            let shared = [
                BlueSTUUID.features(0x00E0_0000), BlueSTUUID.features(0x001D_0000), BlueSTUUID.features(.max),
            ]
            let other: [BluetoothUUID] = [0x2A37, 0x2A38, BlueSTUUID.peerSwitch, BlueSTUUID.blueNRGAck]
            let channels = (extended + basic + shared + other).compactMap { decoder.add($0) }
            for _ in 0..<min(256, count - number) {
                context.next(number)
                number += 1
                let channel = channels[context.mutator.number(0...channels.count - 1)]
                let bytes = context.mutator.bytes(context.mutator.number(0...(context.mutator.chance(5) ? 512 : 24)))
                var samples = 0
                let outcome = decoder.received(
                    bytes, on: channel, at: MonotonicTime(nanoseconds: Int64(number) * 10_000_000)
                ) { sample in
                    samples += 1
                    _ = sample.members
                    _ = sample.description
                    _ = (sample.vector, sample.quaternion, sample.battery, sample.spectrum, sample.position)
                }
                context.expect(outcome.consumed <= bytes.count, "\(outcome.consumed) of \(bytes.count) octets used")
                let counted = decoder.statistics(of: channel)
                context.expect(counted.lost >= 0 && counted.late >= 0, "counts below zero: \(counted)")
            }
        }
    }

    private static let answers = FuzzTarget.each(
        "bluest-answers",
        [
            [1, 0, 0, 2, 0, 0, 1, 0xF4, 1], [0x88, 0x02, 0, 1, 5, 0], [0x10, 0x20, 0, 0, 0x48, 0x31], [0x25, 0xF5],
            Array("U585_BLUEST_2.0.0\r\n".utf8), Array("L4R9_FP_SNS_STBOX1_1.4.2\n\r".utf8), [0, 1, 2, 0],
        ]
    ) { _, input in
        _ = (try? CommandResponse(decoding: input))?.meaning
        _ = try? FeatureCommand(decoding: input)
        _ = try? RegisterMessage(decoding: input)
        _ = (try? RobotMessage(decoding: input)).map { ($0.topology, $0.description) }
        _ = try? FirmwareVersion(String(decoding: input, as: UTF8.self))
        var lines = ConsoleLines()
        _ = lines.received(input) + [lines.partial]
        _ = FirmwareImage(input).versions
        _ = AudioRecording(wave: input)
    }

    private static let messages = FuzzTarget(
        "bluest-messages", weight: 10
    ) { context, count in
        let texts = [
            #"{"devices":[{"board_id":13,"fw_id":1,"components":[{"a":{"st_ble_stream":{"id":0,"w":{"format":"float","#
                + #""elements":2,"channels":3,"multiply_factor":0.5}}}}]}]}"#,
            #"{"device":{"deviceInfo":{"alias":"a"},"sensor":[{"id":0,"sensorDescriptor":{"subSensorDescriptor":[{"id":0,"#
                + #""FS":[2,4],"samplesPerTs":{"min":0,"max":9}}]},"sensorStatus":{"subSensorStatus":[{"ODR":104}]}}]}}"#,
            #"{"bluestsdk_v2":[{"ble_dev_id":"0x0D","ble_fw_id":"0x01","option_bytes":[{"format":"int","scale_factor":2}]}]}"#,
        ].map { Array($0.utf8) }
        var assembler = MessageAssembler(limit: 4096)
        for number in 0..<count {
            context.next(number)
            let input = context.mutator.input(like: texts)
            let size = context.mutator.number(6...64)
            for var frame in MessageTransport.encodeFromBoard(input, frameSize: size) {
                if context.mutator.chance(3) { context.mutator.mutate(&frame) }
                _ = try? assembler.received(frame)
                context.expect(assembler.pendingCount <= 4096, "\(assembler.pendingCount) octets are kept")
            }
            let text = String(decoding: input, as: UTF8.self)
            if let value = MessageJSON.parse(text) {
                _ = DataLogDevice(value)
                _ = DataLogStatus(value)
                for layout in RawStreamLayout.layouts(in: value) { _ = try? layout.decode(input) }
                context.expect(MessageJSON.parse(MessageJSON.text(value)) != nil, "what was written cannot be read")
            }
            _ = try? FirmwareCatalog(json: text)
        }
    }

    /// A board that answers an upgrade with anything: it ends, or waits, and never sends for ever.
    private static let upgrades = FuzzTarget("bluest-upgrades", weight: 5) { context, count in
        var number = 0
        while number < count {
            let image = FirmwareImage(context.mutator.bytes(context.mutator.number(1...600)))
            var machines: [any UpgradeProcedure] = [
                ConsoleUpgrade(image, options: .init(hasSequenceNumbers: context.mutator.chance(50))),
                BlueNRGUpgrade(image, baseAddress: context.mutator.chance(50) ? nil : 0x1004_0000, writeSize: 100),
                LoaderUpgrade(image, layout: .wb55, writeSize: 20),
            ]
            let kind = context.mutator.number(0...2)
            var now = MonotonicTime.zero
            var actions = machines[kind].start(at: now)
            var sent = 0
            for _ in 0..<min(200, count - number) {
                context.next(number)
                number += 1
                var isOver = false
                for action in actions {
                    switch action {
                    case .write: sent += 1
                    case .read, .finished: break
                    case .failed: isOver = true
                    }
                }
                if isOver { break }
                let channels: [UpgradeChannel] = [
                    .terminal, .standardError, .blueNRGMemory, .blueNRGSettings, .blueNRGAck, .loaderEvents,
                ]
                let likely: [[UInt8]] = [
                    STM32CRC.checksum(image.bytes).littleEndianOctets, [1], [1, 0, 0, 0, 0], [2], [3],
                    [0, 0, 0], [1, 0, 0xF0], [0x10, 4, 0, 0, 0x10, 7, 0xFF, 0xFF, 0x20],
                ]
                switch context.mutator.number(0...3) {
                case 0: actions = machines[kind].writeCompleted(at: now)
                case 1:
                    now = now + .milliseconds(context.mutator.number(0...30_000))
                    actions = machines[kind].deadlineReached(at: now)
                default:
                    let channel = channels[context.mutator.number(0...channels.count - 1)]
                    actions = machines[kind].received(context.mutator.input(like: likely), from: channel, at: now)
                }
            }
            context.expect(sent <= 201, "\(sent) writes")
            let progress = machines[kind].progress
            context.expect((0...progress.total).contains(progress.sent), "\(progress.sent) of \(progress.total)")
        }
    }

    /// A host that writes anything to a simulated board.
    private static let board = FuzzTarget("bluest-board", weight: 5) { context, count in
        var number = 0
        while number < count {
            let tokens = ["SENSOR_TILE_BOX_PRO", "SENSOR_TILE_BOX", "STM32WB5MM_DK", "STM32WB_OTA", "NUCLEO"]
            guard let (kind, version) = Board.named(tokens[context.mutator.number(0...tokens.count - 1)]),
                let configuration = try? SimulatedNode.Configuration(board: kind, protocolVersion: version)
            else { return }
            var node = SimulatedNode(configuration)
            let targets = node.services.flatMap(\.attributes).map(\.uuid)
            for target in targets { node.subscribe(target, isOn: true, at: .zero) }
            var now = MonotonicTime.zero
            for _ in 0..<min(200, count - number) {
                context.next(number)
                number += 1
                let likely: [[UInt8]] = [
                    Array("upgradeFw".utf8) + [100, 0, 0, 0, 1, 2, 3, 4], Array("versionFw\r\n".utf8), [1, 7, 2],
                    [0, 2, 0, 0, 1], [0x20, 0, 4] + Array("{\"a\"".utf8), [0xA8, 2, 0, 1, 5, 0], [7], [2, 0, 0x70, 0],
                ]
                let target = targets[context.mutator.number(0...targets.count - 1)]
                _ = node.write(context.mutator.input(like: likely), to: target, at: now)
                _ = node.read(target, at: now)
                now = now + .milliseconds(context.mutator.number(0...200))
                node.advance(to: now)
                if let restart = node.nextRestart, restart <= now { node.restarted() }
                if context.mutator.chance(2) { node.linkLost(at: now) }
                while let (_, value) = node.next() {
                    context.expect(value.count <= 512, "a value of \(value.count) octets")
                }
            }
        }
    }
}

extension UInt32 {
    fileprivate var littleEndianOctets: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * UInt32($0))) } }
}
