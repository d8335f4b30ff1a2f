// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST
import CeruleanWire
import Testing

/// The simulated board as a machine, read by the decoders.
@Suite struct SimulatedNodeTests {
    private func node(
        _ token: String, features: [String]? = nil, change: (inout SimulatedNode.Configuration) -> Void = { _ in }
    ) throws -> SimulatedNode {
        let (board, version) = try #require(Board.named(token))
        var configuration = try SimulatedNode.Configuration(board: board, protocolVersion: version, features: features)
        change(&configuration)
        return SimulatedNode(configuration)
    }

    /// Subscribes to everything, lets `seconds` pass, and gives all samples.
    private func samples(_ node: inout SimulatedNode, seconds: Double) -> (
        samples: [FeatureSample], decoder: NodeDecoder
    ) {
        var decoder = NodeDecoder(advertisement: node.advertisement)
        var channels: [BluetoothUUID: NodeDecoder.Channel] = [:]
        for attribute in node.services[0].attributes {
            channels[attribute.uuid] = decoder.add(attribute.uuid)
            node.subscribe(attribute.uuid, isOn: true, at: .zero)
        }
        var found: [FeatureSample] = []
        while node.nextDeadline <= .zero + .seconds(seconds) {
            let now = node.nextDeadline
            node.advance(to: now)
            while let (uuid, value) = node.next() {
                guard let channel = channels[uuid] else { continue }
                let outcome = decoder.received(value, on: channel, at: now) { found += $0.rows }
                #expect(outcome.error == nil, "\(uuid)")
            }
        }
        return (found, decoder)
    }

    @Test(arguments: Board.common + Board.version1 + Board.version2)
    func everyBoardIsRecognized(board: Board) throws {
        for version in [1, 2] as [UInt8] where Board(id: board.id, protocolVersion: version) == board {
            let configuration = try SimulatedNode.Configuration(board: board, protocolVersion: version)
            for withCompany in [true, false] {
                let sent = SimulatedNode(configuration).advertisement
                let octets = sent.encoded(withCompany: withCompany)
                #expect(octets.count <= 31)
                let found = try BlueSTAdvertisement(decoding: octets)
                #expect(found.board.token == board.token)
                #expect(found.name == configuration.name)
            }
        }
    }

    @Test func everyFeatureCanBeSimulated() throws {
        let registry = FeatureRegistry()
        for (token, device, version) in [
            ("NUCLEO", 0x80, 1), ("SENSOR_TILE_BOX", 0x06, 1), ("WB55_NUCLEO_BOARD", 0x81, 1),
        ] as [(String, UInt8, UInt8)] {
            let ids = registry.features(device: device, protocolVersion: version).map(\.feature.id)
            let extended = token == "NUCLEO" ? registry.allFeatures.filter { $0.timing == .device }.map(\.id) : []
            let possible = Set(ids + extended).filter { id in
                (try? node(token, features: [id])) != nil
            }
            #expect(possible.isSuperset(of: ids))
            var board = try node(token, features: possible.sorted())
            let found = Set(samples(&board, seconds: 3).samples.map(\.feature.id))
            let silent = possible.subtracting(found)
            let onDemand: Set<String> = [
                "switch", "remoteSwitch", "sdLogging", "beamForming", "stepperMotor", "roboticsMovement",
            ]
            #expect(silent.isSubset(of: onDemand), "\(silent)")
        }
    }

    /// The change of orientation must be what the gyroscope says, and gravity must be where the quaternion says.
    @Test func motionIsConsistent() throws {
        let motion = BoardMotion()
        for step in 0..<200 {
            let t = Double(step) * 0.37
            let q = motion.orientation(t)
            let dt = 1e-5
            var p = motion.orientation(t + dt)
            if q.i * p.i + q.j * p.j + q.k * p.k + q.s * p.s < 0 { p = Quaternion(i: -p.i, j: -p.j, k: -p.k, s: -p.s) }
            // The rotation from q to p in the axes of the board, twice its vector part over dt.
            let x = q.s * p.i - q.i * p.s - q.j * p.k + q.k * p.j
            let y = q.s * p.j - q.j * p.s - q.k * p.i + q.i * p.k
            let z = q.s * p.k - q.k * p.s - q.i * p.j + q.j * p.i
            let rate = motion.angularVelocity(t) * .pi / 180
            #expect(abs(2 * x / dt - rate.x) < 1e-3)
            #expect(abs(2 * y / dt - rate.y) < 1e-3)
            #expect(abs(2 * z / dt - rate.z) < 1e-3)
            // The third row of the rotation, times 1 g.
            let g = motion.acceleration(t)
            #expect(abs(g.x - 1000 * 2 * (q.i * q.k - q.s * q.j)) < 1e-6)
            #expect(abs(g.y - 1000 * 2 * (q.j * q.k + q.s * q.i)) < 1e-6)
            #expect(abs(g.z - 1000 * (1 - 2 * (q.i * q.i + q.j * q.j))) < 1e-6)
        }
    }

    @Test(arguments: [Duration.milliseconds(8), .milliseconds(10)])
    func lossesOfAFusionStreamAreExact(tick: Duration) throws {
        var board = try node("SENSOR_TILE", features: ["sensorFusion"]) {
            $0.dropsEvery = 50
            $0.tick = tick
            $0.firstTimestamp = 65000
        }
        let (found, _) = samples(&board, seconds: 60)
        #expect(found.count == 6000 - 120)
        // The last one dropped has no successor.
        #expect(found.reduce(0) { $0 + $1.lostBefore } == 119)
        let milliseconds = Int(tick.inSeconds * 1000)
        var expected: [Int64] = []
        for index in 1...6000 where index % 50 != 0 { expected.append(Int64(65000 + index * 10 / milliseconds)) }
        let isRight = found.compactMap(\.timestamp) == expected
        #expect(isRight)
    }

    @Test func commandsAreAnswered() throws {
        var board = try node("SENSOR_TILE")
        board.subscribe(BlueSTUUID.commands, isOn: true, at: .zero)
        let questions: [(FeatureCommand, Int, CommandResponse.Meaning)] = [
            (.batteryCapacity, 1, .batteryCapacity(500)), (.maxAbsorbedCurrent, 1, .maxAbsorbedCurrent(250)),
            (.calibration(.start, mask: 0x100), 2, .calibration(status: 0)),
            (.calibration(.status, mask: 0x100), 4, .calibration(status: 50)),
            (.calibration(.stop, mask: 0x100), 7, .calibration(status: 100)),
        ]
        for (command, seconds, meaning) in questions {
            let moment = MonotonicTime.zero + .seconds(seconds)
            let isTaken = board.write(command.forConfigurationService, to: BlueSTUUID.commands, at: moment)
            #expect(isTaken)
            let answer = board.next()
            #expect(try CommandResponse(decoding: try #require(answer).value).meaning == meaning)
        }
        let isShortTaken = board.write([1, 2], to: BlueSTUUID.commands, at: .zero + .seconds(8))
        #expect(!isShortTaken)
    }

    @Test func registersKeepWhatIsWritten() throws {
        var board = try node("STEVAL_WESU1")
        board.subscribe(BlueSTUUID.registers, isOn: true, at: .zero)
        func perform(_ message: RegisterMessage) throws -> RegisterMessage {
            let isTaken = board.write(message.encoded, to: BlueSTUUID.registers, at: .zero)
            #expect(isTaken)
            let reply = board.next()
            return try RegisterMessage(decoding: try #require(reply).value)
        }
        let led = try #require(Register.wesu(named: "LED_CONFIG"))
        let written = try perform(led.writeRequest([1, 0], .session))
        #expect(written.error == 0)
        let inMemory = try perform(led.readRequest(.session))
        #expect(inMemory.payload == [1, 0])
        let kept = try perform(led.readRequest(.persistent))
        #expect(kept.payload == [0, 0])
        let version = try perform(try #require(Register.wesu(named: "FW_VER")).readRequest(.session))
        #expect(Register.firmwareVersion(version.payload) == "1.2.5")
        let unknown = try perform(RegisterMessage(.read, target: .session, address: 0xEE, words: 1))
        #expect(unknown.error != 0)
        #expect(throws: RegisterError.accessNotAllowed("FW_VER")) {
            try Register.wesu(named: "FW_VER")?.writeRequest([0], .session)
        }
        #expect(throws: RegisterError.targetNotAllowed("BLE_LOC_NAME", .session)) {
            try Register.wesu(named: "BLE_LOC_NAME")?.readRequest(.session)
        }
    }

    @Test func messagesAreAnswered() throws {
        var board = try node("SENSOR_TILE_BOX_PRO")
        let uuid = BlueSTUUID.extended(0x14)
        board.subscribe(uuid, isOn: true, at: .zero)
        for frame in MessageTransport.encode(Array("{\"command\":\"VersionFw\"}".utf8), frameSize: 20) {
            let isTaken = board.write(frame, to: uuid, at: .zero)
            #expect(isTaken)
        }
        var decoder = CharacteristicDecoder(uuid, device: 0x0D, protocolVersion: 2)
        var text: FieldValue?
        while let (_, value) = board.next() { _ = decoder.decode(value) { text = .object($0.members) } }
        #expect(text == ["text": "{\"VersionFw\":\"U585_BLUEST_2.0.0\"}\n"])
    }
}
