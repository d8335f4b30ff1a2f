// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanRedBear
import CeruleanSensing
import CeruleanTesting
import CeruleanWire
import Testing

@Suite struct RedBearTests {
    private static func find(_ room: ShieldRoom) async throws -> Discovery {
        try await room.central.first(.services([RedBear.service]))
    }

    @Test(arguments: [1, 2])
    func slidersComeFromBothFirmwares(firmware: Int) async throws {
        var shield = SimulatedRedBear()
        shield.firmware = firmware
        shield.signal = .ramp
        shield.threshold = SliderThreshold(tags: [65, 66, 67])
        let frames = try await ShieldRoom.run(shield) { room in
            let board = try await RedBearBoard(connecting: try await Self.find(room))
            #expect((board.reset == nil) == (firmware == 2))
            var frames: [SliderFrame] = []
            for try await frame in board.sliders() {
                frames.append(frame)
                if frames.count == 5 { break }
            }
            let found6 = try await board.readVersion()
            #expect(found6 == (firmware == 1 ? [0x01, 0x02] : nil))
            return frames
        }
        #expect(frames.count == 5)
        #expect(frames.allSatisfy { $0.sliders.map(\.tag) == [65, 66, 67] })
        for (before, after) in zip(frames, frames.dropFirst()) {
            // One slider at least moved by more than the threshold.
            let moves = zip(before.values, after.values).map { before, after in abs(Int(before) - Int(after)) }
            #expect(moves.contains { $0 > 10 })
        }
    }

    @Test func theAppGetsTheBoardBackAfterALossByItself() async throws {
        var shield = SimulatedRedBear()
        shield.lossAfter = .seconds(2)
        let statuses = try await ShieldRoom.run(shield) { room in
            var statuses: [ShieldSession.Status] = []
            var frames = 0
            for await event in RedBearMonitor(room.central).events() {
                switch event {
                case .status(let status): statuses.append(status)
                case .sliders: frames += 1
                }
                if statuses.filter({ $0 == .characteristics }).count == 3, frames > 10 { break }
            }
            return statuses
        }
        let first: [ShieldSession.Status] = [
            .poweredOff, .poweredOn, .scanning, .discovered, .connected, .services, .characteristics,
        ]
        let again: [ShieldSession.Status] = [
            .disconnected, .scanning, .discovered, .connected, .services, .characteristics,
        ]
        #expect(statuses == first + again + again)
    }

    /// The board loses its power with the link up and has it again five seconds later; nobody does anything.
    @Test func theAppGetsTheBoardBackAfterAPowerCycle() async throws {
        let statuses = try await ShieldRoom.run(PowerCycled()) { room in
            async let cut: Void = {
                try await room.simulation.loop.sleep(for: PowerCycled.up)
                room.world.drop(room.phone, room.sensor)
            }()
            var statuses: [ShieldSession.Status] = []
            var lost: MonotonicTime?
            var isBack = false
            for await event in RedBearMonitor(room.central).events() {
                switch event {
                case .status(let status):
                    statuses.append(status)
                    if status == .disconnected { lost = lost ?? room.simulation.loop.now }
                case .sliders:
                    guard let lost else { continue }
                    #expect(room.simulation.loop.now - lost >= .seconds(4))
                    isBack = true
                }
                if isBack { break }
            }
            try await cut
            return statuses
        }
        #expect(
            statuses == [
                .poweredOff, .poweredOn, .scanning, .discovered, .connected, .services, .characteristics,
                .disconnected, .scanning, .discovered, .connected, .services, .characteristics,
            ])
    }

    @Test func controlsAnswerCommands() async throws {
        var shield = SimulatedRedBear()
        shield.mode = .controls
        let messages = try await ShieldRoom.run(shield) { room in
            let board = try await RedBearBoard(connecting: try await Self.find(room))
            await #expect(throws: RedBearError.self) { try await board.send(SimpleControls.Command.servo(181)) }
            try await board.send(SimpleControls.Command.analogReports(true))
            var messages: [SimpleControls.Message] = []
            for try await message in board.controlMessages() {
                messages.append(message)
                if messages.count == 4 { break }
            }
            return messages
        }
        #expect(messages.contains { if case .analog(let value) = $0 { value <= 1023 } else { false } })
    }

    @Test func controllerTellsAllPins() async throws {
        var shield = SimulatedRedBear()
        shield.mode = .rbl
        let messages = try await ShieldRoom.run(shield) { room in
            let board = try await RedBearBoard(connecting: try await Self.find(room))
            let answers = board.controllerMessages()
            var iterator = answers.makeAsyncIterator()
            async let sent: Void = {
                try await room.simulation.advance(by: .milliseconds(500))
                try await board.send(ControllerProtocol.Command.setMode(pin: 15, .analog))
                try await board.send(ControllerProtocol.Command.queryAll)
            }()
            var messages: [ControllerProtocol.Message] = []
            while messages.count < 60, let message = try await iterator.next() { messages.append(message) }
            try await sent
            return messages
        }
        let pins = messages.compactMap { if case .capabilities(let pin, let all) = $0 { (pin, all) } else { nil } }
        #expect(pins.map(\.0) == Array(0..<20))
        #expect(pins[3].1 == [.digital, .pwm, .servo])
        #expect(messages.contains(.custom(Array("ABC".utf8))))
        #expect(messages.contains { if case .value(15, .analog, _) = $0 { true } else { false } })
    }

    /// The newest values become rows at the asked rate, and a lost link is a gap of the right length.
    @Test func recordsAtAFixedRateOverLostLinks() async throws {
        let events = try await ShieldRoom.run(SimulatedRedBear()) { room in
            let options = SourceOptions(rate: 50, reconnectTimeout: .seconds(20))
            let source = try await RedBearDriver().open(try await Self.find(room).peripheral, options: options)
            #expect(source.info.channels.map(\.name) == ["slider1", "slider2", "slider3"])
            #expect(source.info.rate == 50)
            var blocks: [SampleBlock] = []
            var losses = 0
            for await event in source.events() {
                if case .connectionLost = event { losses += 1 }
                guard case .block(let block) = event else { continue }
                blocks.append(block)
                if blocks.count == 100 { room.world.drop(room.phone, room.sensor) }
                if blocks.count == 300 { break }
            }
            #expect(losses == 1)
            return blocks
        }
        let gaps = events.flatMap(\.gaps)
        #expect(gaps.count == 1)
        let times = events.map { ($0.hostTime - events[0].hostTime).inSeconds }
        for (block, time) in zip(events, times) { #expect(abs(Double(block.firstIndex) / 50 - time) < 0.021) }
        #expect(events.allSatisfy { $0.values.allSatisfy { (0...1023).contains($0) } })
    }

    @Test func hostileOptionsAreRefused() throws {
        for settings in [
            ["mode": "x"], ["firmware": "3"], ["tags": "1,2"], ["threshold": "-1"], ["loss": "nan"], ["a": "b"],
        ] {
            #expect(throws: SensingError.self) {
                try RedBearDriver().makeSimulated(SimulationOptions(settings: settings))
            }
        }
    }

    /// Random octets go through every parser without a trap.
    @Test func parsersTakeAnything() {
        var random = Seeded(state: 1)
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try? SliderFrame(decoding: bytes)
            let controls = SimpleControls.decode(bytes)
            #expect(controls.messages.count * 3 + controls.rest.count == bytes.count)
            _ = ControllerProtocol.parse(bytes)
            var sketch = ControllerFirmware()
            sketch.receive(bytes)
            for _ in 0..<10 { #expect(sketch.pass().allSatisfy { $0.count <= 20 }) }
        }
    }
}

/// A shield that is switched off and on again once.
private struct PowerCycled: SimulatedDevice {
    static let up = Duration.seconds(3)
    static let down = Duration.seconds(5)
    let shield = SimulatedRedBear()
    var kind: String { shield.kind }
    var name: String { shield.name }

    func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await shield.serve(on: server, ready: ready) } catch is CancellationError {}
            }
            group.addTask { try await server.host.loop.sleep(for: Self.up) }
            try await group.next()
            group.cancelAll()
        }
        try await server.host.loop.sleep(for: Self.down)
        try await shield.serve(on: server, ready: ready)
    }
}

/// The same numbers in each run.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
