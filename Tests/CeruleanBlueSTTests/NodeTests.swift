// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBlueST
import CeruleanSensing
import CeruleanTesting
import CeruleanWire
import Testing

@Suite struct NodeTests {
    @Test func findsABoardAndItsFeatures() async throws {
        try await BoardRoom.run { room in
            let node = try await room.find()
            #expect(node.state == .idle)
            #expect(node.board.token == "SENSOR_TILE_BOX")
            #expect(node.name == "BoxTile")
            #expect(node.friendlyName == "BoxTile @001122")
            #expect(node.rssi != nil)
            try await node.connect()
            #expect(node.state == .connected)
            let ids = Set(node.features.map(\.feature.id))
            #expect(
                ids.isSuperset(of: [
                    "acceleration", "gyroscope", "magnetometer", "sensorFusion", "eulerAngle", "memsNorm",
                ]))
            #expect(!ids.contains("directionOfArrival"))
            #expect(node.console != nil)
            #expect(node.hasRegisters)
            let read = try await node.read(.pressure)
            #expect(read.contains { $0.feature === Feature.pressure && (1000...1020).contains($0[0] ?? 0) })
            try await node.disconnect()
            #expect(node.state == .idle)
        }
    }

    @Test func streamsFeaturesThatShareACharacteristic() async throws {
        try await BoardRoom.run { room in
            let node = try await room.connect()
            var counts: [String: Int] = [:]
            for try await sample in try await node.samples(of: [.acceleration, .magnetometer]) {
                counts[sample.feature.id, default: 0] += 1
                #expect(sample.lostBefore == 0)
                if sample.feature === Feature.acceleration {
                    let length = (0..<3).reduce(0.0) { $0 + (sample[$1] ?? 0) * (sample[$1] ?? 0) }
                    #expect(abs(length.squareRoot() - 1000) < 2)
                }
                if counts["magnetometer"] == 100 { break }
            }
            #expect(counts == ["acceleration": 100, "magnetometer": 100])
            try await room.hosts.simulation.advance(by: .seconds(1))
            #expect(!node.isNotifying(.acceleration))
        }
    }

    @Test func countsWhatTheBoardLeavesOut() async throws {
        try await BoardRoom.run(
            "SENSOR_TILE", features: ["sensorFusion"],
            change: {
                $0.dropsEvery = 50
                $0.firstTimestamp = 65000
            }
        ) { room in
            let node = try await room.connect()
            var lost = 0
            var count = 0
            var last: Int64 = 0
            for try await sample in try await node.samples(of: [.sensorFusion]) {
                lost += sample.lostBefore
                count += 1
                let ticks = try #require(sample.timestamp)
                #expect(ticks > last)
                last = ticks
                if count == 4900 { break }
            }
            // 4900 samples have 99 or 100 gaps among them, by where they begin.
            #expect(lost == 99)
            #expect(node.statistics(of: .sensorFusion).lost >= 99)
            #expect(last > 65536)
        }
    }

    @Test func whatWasNotAdvertisedIsNotPublished() async throws {
        try await BoardRoom.run("SENSOR_TILE", change: { $0.advertisedMask = 0x00A0_0000 }) { room in
            let node = try await room.connect()
            #expect(try node.feature(.gyroscope).isEnabled == false)
            await #expect(throws: BluetoothError.self) { _ = try await node.samples(of: [.gyroscope]) }
            for try await sample in try await node.samples(of: [.magnetometer]) {
                #expect(abs(sample[2] ?? 0) < 600)
                break
            }
        }
    }

    @Test func goesThroughItsStates() async throws {
        try await BoardRoom.run { room in
            let node = try await room.find()
            let changes = node.stateChanges()
            try await node.connect()
            let samples = try await node.samples(of: [.battery])
            room.hosts.dropLink()
            await #expect(throws: BluetoothError.self) { for try await _ in samples {} }
            #expect(node.state == .unreachable)
            try await node.connect()
            try await node.disconnect()
            room.hosts.powerOffServer()
            await #expect(throws: BluetoothError.self) { try await node.connect(timeout: .seconds(2)) }
            #expect(node.state == .dead)
            var seen: [NodeState] = []
            for await change in changes {
                seen.append(change.state)
                if change.state == .dead { break }
            }
            #expect(
                seen == [
                    .connecting, .connected, .unreachable, .connecting, .connected, .disconnecting, .idle, .connecting,
                    .dead,
                ])
        }
    }

    @Test func aBoardThatFallsSilentIsLostUntilItIsHeardAgain() async throws {
        try await BoardRoom.run { room in
            let manager = BlueSTManager(room.central)
            var node: Node?
            var states: [NodeState] = []
            for try await event in manager.discover(timeout: .seconds(30)) {
                guard case .found(let found) = event else { continue }
                node = found
                break
            }
            let board = try #require(node)
            room.hosts.goOutOfRange()
            for try await _ in manager.discover(timeout: .seconds(8)) {}
            states.append(board.state)
            room.hosts.move(to: 1)
            for try await event in manager.discover(timeout: .seconds(8)) {
                if case .updated(let again) = event {
                    #expect(again == board)
                    break
                }
            }
            states.append(board.state)
            #expect(states == [.lost, .idle])
            #expect(manager.nodes.count == 1)
            #expect(manager.node(named: "BoxTile") == board)
            #expect(manager.node(tagged: board.tag) == board)
            await manager.reset()
            #expect(manager.nodes.isEmpty)
        }
    }

    @Test func subscriptionsComeBackWithTheLink() async throws {
        try await BoardRoom.run { room in
            let node = try await room.connect()
            let samples = try await node.samples(of: [.acceleration], endsWithLink: false)
            var iterator = samples.makeAsyncIterator()
            _ = try await iterator.next()
            room.hosts.dropLink()
            try await room.hosts.simulation.advance(by: .seconds(1))
            try await node.connect()
            for _ in 0..<60 { _ = try await iterator.next() }
            #expect(node.statistics(of: .acceleration).received > 0)
        }
    }

    @Test func commandsRegistersConsoleAndMessages() async throws {
        try await BoardRoom.run("SENSOR_TILE_BOX_PRO") { room in
            let node = try await room.connect()
            #expect(node.advertisement.protocolVersion == 2)
            #expect(try await node.ask(.batteryCapacity).meaning == .batteryCapacity(500))
            var progress: [Int] = []
            try await node.calibrate(.sensorFusionCompact) { progress.append($0) }
            #expect(progress.last == 100)
            #expect(progress.count > 3)
            await #expect(throws: BluetoothError.self) { try await node.calibrate(.battery) }
            // One that is given up is ended on the board too, which would stand at less than 100 otherwise.
            let error = await withTaskGroup(of: BluetoothError?.self) { group in
                group.addTask {
                    do throws(BluetoothError) {
                        try await node.calibrate(.compass) { _ in withUnsafeCurrentTask { $0?.cancel() } }
                        return nil
                    } catch { return error }
                }
                return await group.next() ?? nil
            }
            #expect(error?.code == .cancelled)
            #expect(try await node.calibrationStatus(of: .compass) == 100)

            let led = try #require(Register.wesu(named: "LED_CONFIG"))
            try await node.write([2, 1], to: led)
            #expect(try await node.read(led) == [2, 1])
            await #expect(throws: RegisterError.accessNotAllowed("FW_VER")) {
                try await node.write([0], to: try #require(Register.wesu(named: "FW_VER")))
            }

            let console = try #require(node.console)
            #expect(try await console.firmwareVersion().description == "U585_BLUEST_2.0.0")
            #expect(try await console.ask("getName") == ["BoxPro"])
            let help = try await console.ask("help")
            #expect(help.first?.contains("versionFw") == true)
            #expect(try await console.ask("nonsense") == ["unknown command nonsense"])

            let answer = try await node.ask(["command": "UID"], of: .extendedConfiguration)
            #expect(answer["UID"] == "434552554C45414E")
            let status = try await node.ask(["get_status": "all"], of: .pnpl)
            #expect(status["devices"] != nil)
        }
    }

    @Test func aNodeAnswersOneAfterTheOther() async throws {
        try await BoardRoom.run { room in
            let node = try await room.connect()
            try await withThrowingTaskGroup(of: CommandResponse.Meaning?.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        try await node.ask(index % 2 == 0 ? .batteryCapacity : .maxAbsorbedCurrent).meaning
                    }
                }
                var meanings: [CommandResponse.Meaning?] = []
                for try await meaning in group { meanings.append(meaning) }
                #expect(meanings.filter { $0 == .batteryCapacity(500) }.count == 4)
                #expect(meanings.filter { $0 == .maxAbsorbedCurrent(250) }.count == 4)
            }
        }
    }

    @Test func aFeatureOfOnesOwnOverTheAir() async throws {
        let weight = Feature("weight", name: "Weight", fields: [.init("weight", .uint16, unit: "kg", divisor: 100)])
        var features = FeatureRegistry()
        try features.register(weight, mask: 0x8000_0000, device: 0x02)
        let registry = features
        try await BoardRoom.run(
            "SENSOR_TILE", features: [],
            change: {
                $0.registry = registry
                $0.groups = [.init(BlueSTUUID.features(0x8000_0000), rate: 10)]
                $0.signals.overrides["weight"] = { _ in [72.5] }
            }
        ) { room in
            let node = try await room.connect(registry)
            for try await sample in try await node.samples(of: [weight]) {
                #expect(sample["weight"] == 72.5)
                break
            }
        }
    }

    @Test func aVirtualNodeNeedsNoRadio() async throws {
        try await TwoHosts.run { hosts in
            let manager = BlueSTManager(hosts.central)
            let node = try #require(manager.addVirtualNode())
            #expect(node.name == "FakeNode1")
            #expect(node.tag == "AB:CD:EF:12:34:01")
            try await node.connect()
            var count = 0
            for try await sample in try await node.samples(of: [.acceleration, .sensorFusion]) {
                #expect(sample.lostBefore == 0)
                count += 1
                if count == 300 { break }
            }
            #expect(try await node.console?.firmwareVersion().name == "BLUEST")
            try await node.disconnect()
            #expect(node.state == .idle)
        }
    }

    @Test func theSourceDeliversRowsAndSurvivesALostLink() async throws {
        try await BoardRoom.run { room in
            let found = try await room.central.first(
                .matching { BlueSTDriver().recognize($0.fields, address: nil) != nil })
            var options = SourceOptions(channels: ["acceleration", "gyroscope", "magnetometer"])
            options.reconnectTimeout = .seconds(20)
            let source = try await BlueSTDriver().open(found.peripheral, options: options)
            #expect(source.info.rate == 50)
            #expect(
                source.info.channels.map(\.name).prefix(4) == [
                    "acceleration.X", "acceleration.Y", "acceleration.Z", "gyroscope.X",
                ])
            #expect(source.info.firmware == "L4R9_BLUEST_3.1.0")
            var rows = 0
            var lost = 0
            var resumed = false
            for await event in source.events() {
                switch event {
                case .block(let block):
                    rows += block.rowCount
                    lost += block.lostCount
                    #expect(block.values.allSatisfy { !$0.isNaN })
                case .connectionResumed: resumed = true
                default: break
                }
                if rows == 200, !resumed { room.hosts.dropLink() }
                if rows >= 400 { break }
            }
            #expect(resumed)
            #expect(rows == 400)
            #expect(lost > 5)
        }
    }
}
