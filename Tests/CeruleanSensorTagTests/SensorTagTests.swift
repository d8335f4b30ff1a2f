// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanSensing
import CeruleanSensorTag
import CeruleanTesting
import CeruleanWire
import Testing

@Suite struct SensorTagTests {
    @Test(arguments: SensorTag.Model.allCases)
    func everySensorMeasuresWhatTheWavesSay(model: SensorTag.Model) async throws {
        let device = SimulatedSensorTag(model: model, seed: 7)
        try await TagRoom.run(device) { room -> Void in
            let found = try await room.central.first(ScanFilter())
            let tag = try await SensorTagDevice(connecting: found)
            #expect(tag.model == (model == .cc1350 ? .cc1350 : model))
            #expect(tag.sensors == SensorTag.Sensor.all(of: model))
            for sensor in tag.sensors where sensor != .keys {
                let off = try await tag.peripheral.read(try tag.peripheral.characteristic(sensor.data))
                #expect(off.allSatisfy { $0 == 0 }, "\(sensor) is off at first")
                let readings = try await tag.readings(of: sensor)
                try await tag.enable(sensor, period: .milliseconds(300), range: .g8)
                var iterator = readings.makeAsyncIterator()
                let reading = try await iterator.next()
                let raw = device.value(of: sensor, at: .milliseconds(300), range: .g8)
                let expected = try tag.decoding.decode(raw, of: sensor)
                #expect(reading == expected, "\(sensor)")
                try await tag.disable(sensor)
            }
        }
    }

    @Test func accelerationIsInGWhateverTheRange() async throws {
        try await TagRoom.run(SimulatedSensorTag()) { room -> Void in
            let tag = try await SensorTagDevice(connecting: try await room.central.first(ScanFilter()))
            for range in SensorTag.AccelerationRange.allCases {
                try await tag.enable(.movement, period: .milliseconds(100), range: range)
                try await room.simulation.advance(by: .seconds(1))
                guard case .movement(_, let acceleration, _) = try await tag.read(.movement) else {
                    Issue.record("no movement")
                    return
                }
                // The waves stay between 0.6 and 0.9 of a g along z.
                #expect((0.6...0.9).contains(acceleration.z), "\(range)")
                try await tag.disable(.movement)
            }
        }
    }

    @Test func calibrationAppearsOnlyWhenItIsAskedFor() async throws {
        try await TagRoom.run(SimulatedSensorTag(model: .cc2541)) { room -> Void in
            let tag = try await SensorTagDevice(connecting: try await room.central.first(ScanFilter()))
            let calibration = try tag.peripheral.characteristic(SensorTag.Sensor.calibration)
            let found1 = try await tag.peripheral.read(calibration)
            #expect(found1 == [UInt8](repeating: 0, count: 16))
            await #expect(throws: SensorTagError.self) { _ = try await tag.read(.barometer) }
            try await tag.enable(.barometer)
            let found2 = try await tag.peripheral.read(calibration)
            #expect(found2 == SimulatedSensorTag.calibration)
            try await room.simulation.advance(by: .seconds(2))
            guard case .barometer(_, let pressure) = try await tag.read(.barometer) else {
                Issue.record("no pressure")
                return
            }
            #expect((1000...1050).contains(pressure))
        }
    }

    @Test func outputsObeyOnlyInRemoteMode() async throws {
        try await TagRoom.run(SimulatedSensorTag()) { room -> Void in
            let tag = try await SensorTagDevice(connecting: try await room.central.first(ScanFilter()))
            let data = try tag.peripheral.characteristic(SensorTag.ioData)
            try await tag.peripheral.write([1], to: data)
            let found3 = try await tag.peripheral.read(data)
            #expect(found3 == [0])
            try await tag.setOutputs([.red, .buzzer])
            let found4 = try await tag.peripheral.read(data)
            #expect(found4 == [5])
            let found5 = try await tag.selfTest()
            #expect(found5 == 0x7F)
        }
    }

    @Test func recordsAllSensorsAtThePaceOfTheFirst() async throws {
        let blocks = try await TagRoom.run(SimulatedSensorTag()) { room in
            let found = try await room.central.first(ScanFilter())
            let recognition = SensorTagDriver().recognize(found.fields, address: found.address)
            #expect(recognition?.value == ["kind": "sensortag", "model": "CC2650"])
            let source = try await SensorTagDriver().open(found.peripheral, options: SourceOptions())
            #expect(source.info.rate == 10)
            #expect(source.info.channels.count == 19)
            var blocks: [SampleBlock] = []
            for await event in source.events() {
                if case .block(let block) = event { blocks.append(block) }
                if blocks.count == 50 { break }
            }
            await source.stop()
            return blocks
        }
        #expect(blocks.map(\.firstIndex) == Array(0..<50))
        // After the first seconds every sensor has told something.
        let complete = blocks[40].values.filter(\.isFinite).count
        #expect(complete == 19)
        let span = (blocks[49].hostTime - blocks[0].hostTime).inSeconds
        #expect(abs(span - 4.9) < 0.1)
    }

    /// Random octets go through every decoder without a trap.
    @Test func decodersTakeAnything() {
        var random = Seeded(state: 1)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            for model in SensorTag.Model.allCases {
                let decoding = SensorTag.Decoding(model: model, firmware: "1.4", calibration: bytes)
                for sensor in SensorTag.Sensor.allCases { _ = try? decoding.decode(bytes, of: sensor) }
            }
            for number: UInt16 in [0xAA01, 0xAA11, 0xAA13, 0xAA21, 0xAA41, 0xAA43, 0xAA61] {
                _ = BlueCapStrings.strings(of: SensorTag.uuid(number), bytes)
            }
        }
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
