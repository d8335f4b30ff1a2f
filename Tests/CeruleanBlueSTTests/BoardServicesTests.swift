// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanSensing
import CeruleanTesting
import CeruleanWire
import Foundation
import Synchronization
import Testing

@testable import CeruleanBlueST

/// What a board does beside sending features, over the air.
@Suite struct BoardServicesTests {
    @Test func aFeatureMayBeRegisteredAfterItsBoardWasFound() async throws {
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
            let manager = BlueSTManager(room.central)
            for try await event in manager.discover() {
                guard case .found(let node) = event else { continue }
                try manager.register(weight, mask: 0x8000_0000, device: 0x02)
                #expect(throws: FeatureRegistry.RegistrationError.notOneBit(3)) {
                    try manager.register(weight, mask: 3, device: 0x02)
                }
                try await node.connect()
                for try await sample in try await node.samples(of: [weight]) {
                    #expect(sample["weight"] == 72.5)
                    break
                }
                return
            }
        }
    }

    @Test func aBoardThatCalibratesByItsConsoleIsCalibrated() async throws {
        try await BoardRoom.run("SENSOR_TILE_BOX", change: { $0.calibratesByConsole = true }) { room in
            let node = try await room.connect()
            var progress: [Int] = []
            try await node.calibrate(.sensorFusion) { progress.append($0) }
            #expect(progress == [25, 50, 75, 100])
        }
    }

    @Test func aRobotAnswers() async throws {
        try await BoardRoom.run("NUCLEO", features: ["roboticsMovement", "acceleration"]) { room in
            let node = try await room.connect()
            let topology = try #require(try await node.ask(.readTopology).topology)
            #expect(topology.rawValue == 0x4831)
            #expect(
                topology.names == [
                    "remoteControlDifferential", "odometry", "imu", "obstacleDetectionForward", "headlights",
                ])
            #expect(try await node.ask(.move(.forward, speed: 40)).action == .acknowledged)
            #expect(try await node.ask(.navigation(.drive, isArmed: true)).action == .acknowledged)
            let refused = await #expect(throws: BluetoothError.self) {
                _ = try await node.ask(RobotMessage(.init(rawValue: 0x77), .read))
            }
            #expect(refused?.code == .refused)
            #expect(refused?.description.contains("command not supported") == true)
        }
    }

    @Test func robotMessagesHaveTheirOctets() throws {
        // bluest.md §8.2.
        #expect(RobotMessage.readTopology.encoded == [0x10, 0x20])
        #expect(RobotMessage.move(.left, speed: 30, angle: -5).encoded == [0x25, 0x10, 0x4C, 30, 0xFB, 0])
        #expect(RobotMessage.navigation(.followMe, isArmed: false).encoded == [0x21, 0x10, 3, 0, 0])
        #expect(RobotMessage.origin(x: 1, y: -1, theta: 2).encoded == [0x22, 0x10, 1, 0xFF, 2, 0])
        #expect(RobotMessage.coordinate(x: 1, y: 2, theta: 3, interval: 4).encoded == [0x23, 0x10, 1, 2, 3, 4, 0])
        #expect(RobotMessage.motorPower(left: (1, 2), right: (3, 4)).encoded == [0x24, 0x10, 1, 2, 3, 4, 0])
        #expect(
            RobotMessage.articulatedMove(speed: 1, rotation: 2, inclination: -3).encoded == [0x26, 0x10, 1, 2, 0xFD, 0])
        #expect(try RobotMessage(decoding: [0x25, 0xF5]).action == .failed(.init(rawValue: 5)))
        #expect(try RobotMessage(decoding: [0x10, 0x49]).action == .periodicRead(9))
        for octet in UInt8.min ... .max { #expect(RobotMessage.Action(octet).octet == octet) }
        #expect(throws: FeatureError.self) { try RobotMessage(decoding: [0x10]) }
    }

    @Test func theDataLoggerDescribesItself() async throws {
        try await BoardRoom.run("STEVAL_STWINKT1B", features: ["hsDataLogConfiguration"]) { room in
            let node = try await room.connect()
            let device = try await node.dataLogDevice()
            #expect(device.info?.partNumber == "STEVAL_STWINKT1B")
            let part = try #require(device.sensors.first?.parts.last)
            #expect(part.type == "GYRO" && part.unit == "mdps" && part.fullScales == [250, 2000])
            #expect(part.status.rate == 104 && part.status.isActive && part.samplesPerTime == 0...1000)
            #expect(device.softwareTags.first?.label == "SW_TAG_0")
            #expect(device.hardwareTags.first?.pin == "USER BUTTON" && device.tagLimit == 100)
            let status = try await node.dataLogStatus()
            #expect(status.isLogging == false && status.hasCard == true && status.batteryVoltage == 3.7)
            let parts = DataLogStatus(try await node.ask(DataLog.status(sensor: 0), of: .dataLogConfiguration)).parts
            #expect(parts.map(\.fullScale) == [4, 2000])
            // What is set is not answered.
            try await node.tell(DataLog.set(sensor: 0, part: 1, rate: 52), feature: .dataLogConfiguration)
            try await node.tell(DataLog.start, feature: .dataLogConfiguration)
            let silent = await #expect(throws: BluetoothError.self) {
                _ = try await node.ask(DataLog.start, of: .dataLogConfiguration, timeout: .seconds(1))
            }
            #expect(silent?.code == .timedOut)
        }
    }

    @Test func requestsToTheDataLoggerHaveTheirText() {
        // bluest.md §10.
        #expect(MessageJSON.text(DataLog.start) == #"{"command":"START"}"#)
        #expect(MessageJSON.text(DataLog.tags) == #"{"command":"GET","request":"tag_config"}"#)
        #expect(
            MessageJSON.text(DataLog.set(sensor: 2, part: 1, isActive: true, fullScale: 4))
                == #"{"command":"SET","sensorId":2,"subSensorStatus":[{"id":1,"isActive":true},{"id":1,"FS":4.0}]}"#)
        #expect(
            MessageJSON.text(DataLog.set(tag: 3, isHardware: true, label: "door"))
                == #"{"command":"SET","request":"hw_tag_label","ID":3,"label":"door"}"#)
        #expect(
            MessageJSON.text(DataLog.set(sensor: 1, part: 2, program: "-- a comment\nAc 10 00\nAc 01 80\n"))
                == #"{"command":"SET","request":"mlc_config","sensorId":1,"subSensorStatus":[{"id":2,"mlcConfigSize":8,"#
                + #""mlcConfigData":"10000180"}]}"#)
    }

    @Test func aSpectrumShowsHowFarItIs() async throws {
        try await BoardRoom.run("SENSOR_TILE_BOX_PRO", features: ["fftAmplitude"]) { room in
            let node = try await room.connect()
            #expect(node.progress(of: .fftAmplitude) == nil)
            for try await sample in try await node.samples(of: [.fftAmplitude]) {
                let spectrum = try #require(sample.spectrum)
                #expect(spectrum.components.count == 3 && spectrum.frequencyStep == 3.125)
                #expect(spectrum.components.allSatisfy { $0.count == 32 })
                break
            }
        }
        // Half of a block of four numbers.
        var decoder = CharacteristicDecoder(BlueSTUUID.extended(5), device: 0x0D, protocolVersion: 2)
        let head: [UInt8] = [4, 0, 1, 0, 0, 0x80, 0x3F]
        _ = decoder.decode(head + [0, 0, 0, 0, 0, 0]) { _ in Issue.record("not whole") }
        #expect(decoder.progress(of: .fftAmplitude) == FeatureProgress(received: 1, total: 4))
        var count = 0
        _ = decoder.decode([UInt8](repeating: 0, count: 10)) { _ in count += 1 }
        #expect(count == 1 && decoder.progress(of: .fftAmplitude) == nil)
    }

    @Test func anSTM32WBIsUpgradedThroughItsLoader() async throws {
        let image = FirmwareImage.made(20_000, at: 0x0800_7000, saying: "WB55_P2P_1.4.2")
        try await BoardRoom.run("STM32WB5MM_DK", features: ["switch"]) { room in
            let manager = BlueSTManager(room.central)
            for try await event in manager.discover() {
                guard case .found(let node) = event else { continue }
                try await node.connect()
                #expect(node.upgradeMethod == .restartIntoLoader)
                await #expect(throws: UpgradeError.self) { try await node.upgrade(image) }
                let found = Mutex<Node?>(nil)
                try await manager.upgrade(node, with: image) { event in
                    if case .loaderFound(let loader) = event { found.withLock { $0 = loader } }
                }
                let loader = try #require(found.withLock { $0 })
                #expect(loader.board.token == "STM32WB_OTA")
                let own = try #require(node.advertisement.address)
                #expect(loader.advertisement.address?.rawValue == own.rawValue + 1)
                // The new application comes up by itself.
                try await room.hosts.simulation.loop.sleep(for: .seconds(2))
                try await node.connect(timeout: .seconds(20))
                #expect(try await node.console?.firmwareVersion().description == "WB55_P2P_1.4.2")
                return
            }
        }
    }

    @Test func opusIsHeardAndPlayed() async throws {
        guard OpusDecoder() != nil else { return }
        let seen = Mutex<SimulatedNode?>.Box()
        let (board, version) = try #require(Board.named("SENSOR_TILE_BOX_PRO"))
        var configuration = try SimulatedNode.Configuration(
            board: board, protocolVersion: version, features: ["opusAudio", "opusAudioConf"])
        configuration.playsSound = true
        var device = SimulatedBlueSTBoard(configuration)
        device.inspect = { seen.set($0) }
        let served = device
        try await TwoHosts.run { hosts in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do { try await served.serve(on: hosts.server) } catch is CancellationError {}
                }
                let manager = BlueSTManager(hosts.central)
                for try await event in manager.discover() {
                    guard case .found(let node) = event else { continue }
                    try await node.connect()
                    // What the board sends.
                    let decoder = try #require(OpusDecoder())
                    var samples: [Int16] = []
                    for try await sample in try await node.samples(of: [.opusAudio]) {
                        samples += try #require(decoder.decode(sample.values.bytes))
                        if samples.count >= 8000 { break }
                    }
                    let crossings = zip(samples.dropFirst(1600), samples.dropFirst(1601)).filter { $0 < 0 && $1 >= 0 }
                    let rate = Double(crossings.count) / (Double(samples.count - 1600) / 16000)
                    #expect(abs(rate - 440) < 10, "\(rate)")
                    #expect(try await OpusConfiguration(node.read(.opusAudioConf)[0]) == OpusConfiguration())
                    // What it hears: the link is the other way round, the board is the client.
                    let server = await PeripheralServer(host: hosts.central.host)
                    let audio = try await AudioServer(server)
                    try await audio.waitForListener(of: .music)
                    try await audio.announce(.music)
                    let encoder = try #require(OpusEncoder(.music))
                    for index in 0..<50 {
                        let frame = (0..<1920).map { Int16(truncatingIfNeeded: ($0 &* 7919 &+ index &* 31) % 20000) }
                        try await audio.send(try #require(encoder.encode(frame)))
                    }
                    try await hosts.simulation.loop.sleep(for: .seconds(1))
                    #expect(seen.value?.sound.packets == 50)
                    #expect(seen.value?.sound.announcement == [0x0B, 0x23, 0x33, 0x41])
                    await #expect(throws: BluetoothError.self) { try await audio.announce(.init(rate: 44100)) }
                    await audio.close()
                    break
                }
                group.cancelAll()
            }
        }
    }

    @Test func soundFilesAreRead() throws {
        var sound = AudioRecording(rate: 16000, channels: 2)
        sound.append([1, -2, 300, -32768])
        let read = try #require(AudioRecording(wave: sound.wave))
        #expect(read.samples == sound.samples && read.rate == 16000 && read.channels == 2)
        for count in 0..<sound.wave.count { _ = AudioRecording(wave: Array(sound.wave.prefix(count))) }
        #expect(AudioRecording(wave: Array("RIFFxxxxWAVEnone".utf8)) == nil)
        // A length of four thousand million octets.
        var hostile = sound.wave
        hostile.replaceSubrange(40..<44, with: [255, 255, 255, 255])
        #expect(AudioRecording(wave: hostile)?.samples.count == 4)
    }

    @Test func samplesHaveTypes() throws {
        func sample(_ feature: Feature, _ bytes: [UInt8]) throws -> FeatureSample {
            var found: FeatureSample?
            var decoder = CharacteristicDecoder(BlueSTUUID.features(1), slots: [.init(feature: feature)])
            let outcome = decoder.decode([1, 0] + bytes) { found = $0 }
            #expect(outcome.error == nil)
            return try #require(found)
        }
        let acceleration = try sample(.acceleration, [100, 0, 0x9C, 0xFF, 0, 4])
        #expect(acceleration.vector == SIMD3(100, -100, 1024))
        #expect(acceleration.quaternion == nil && acceleration.battery == nil && acceleration.number == nil)
        let pressure = try sample(.pressure, [0xCD, 0x8B, 1, 0])
        #expect(pressure.number == 1013.25)
        let battery = try #require(try sample(.battery, [0xE7, 3, 0x10, 0x0E, 0, 0x80, 1]).battery)
        #expect(battery.level == 99.9 && battery.voltage == 3.6 && battery.current == nil)
        #expect(battery.status == .discharging)
        #expect(try sample(.activity, [3]).activity == .fastWalking)
        #expect(try sample(.activity, [3]).label("activity") == "fastWalking")
        #expect(try sample(.activity, [99]).activity == nil)
        #expect(try sample(.carryPosition, [4]).carryPosition == .shirtPocket)
        #expect(try sample(.memsGesture, [2]).motionGesture == .glance)
        #expect(try sample(.proximityGesture, [3]).proximityGesture == .right)
        #expect(try sample(.beamForming, [8]).beamDirection == .topLeft)
        let events = try #require(try sample(.accelerationEvent, [0x2D, 0, 0]).accelerationEvents)
        #expect(events.orientation == .up && events.contains([.tilt, .singleTap, .pedometer]))
        let place = try #require(
            try sample(.gnss, [0, 0x65, 0xCD, 0x1D, 0, 0, 0, 0, 0xE8, 3, 0, 0, 7, 40]).position)
        #expect(place.latitude == 50 && place.altitude == 1 && place.satellites == 7)
        let half: [UInt8] = [0, 0, 0, 0x3F]
        #expect(
            try sample(.sensorFusion, half + half + half + half).quaternion
                == Quaternion(i: 0.5, j: 0.5, k: 0.5, s: 0.5))
    }

    @Test func theCatalogueOffersNewerFirmware() throws {
        let catalog = try FirmwareCatalog(
            json: """
                {"bluestsdk_v2":[{"ble_dev_id":"0x0D","ble_fw_id":"0x01","fw_name":"BLUEST","fw_version":"2.1.0"},
                {"ble_dev_id":"0x0D","ble_fw_id":"0x02","fw_name":"BLUEST","fw_version":"1.9.9"},
                {"ble_dev_id":"0x0D","ble_fw_id":"0x03","fw_name":"bluest","fw_version":"2.0.10"},
                {"ble_dev_id":"0x06","ble_fw_id":"0x03","fw_name":"BLUEST","fw_version":"9.0.0"}]}
                """)
        let running = try FirmwareVersion("U585_BLUEST_2.0.9")
        #expect(catalog.updates(for: running, device: 0x0D).map(\.version) == ["2.0.10", "2.1.0"])
    }
}
