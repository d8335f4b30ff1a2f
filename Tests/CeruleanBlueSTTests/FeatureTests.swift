// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST
import CeruleanWire
import Testing

/// Features beyond the vectors: hostile input, features of one's own, whole nodes.
@Suite struct FeatureTests {
    @Test func aFeatureOfOnesOwnHasEveryAbility() throws {
        let weight = Feature(
            "weight", name: "Weight",
            fields: [
                .init("weight", .uint16, unit: "kg", divisor: 100, range: 0...200),
                .init("state", .uint8, labels: .init(["empty", "stable"], other: "error"), presence: .optional),
            ])
        var features = FeatureRegistry()
        try features.register(weight, mask: 0x8000_0000, device: 0xF1)
        #expect(throws: FeatureRegistry.RegistrationError.notOneBit(3)) {
            try features.register(weight, mask: 3, device: 0xF1)
        }
        #expect(features.isValidDevice(0xF1))
        #expect(!FeatureRegistry().isValidDevice(0xF1))
        // In front of acceleration, as its bit is higher.
        var decoder = CharacteristicDecoder(
            BlueSTUUID.features(0x8080_0000), device: 0xF1, protocolVersion: 2, registry: features)
        var found: [FieldValue] = []
        let outcome = decoder.decode([1, 0, 0xC4, 0x09, 1, 1, 0, 2, 0, 3, 0]) { found.append(.object($0.members)) }
        #expect(outcome.error == nil)
        #expect(found[0] == ["weight": .number(25), "state": 1, "stateLabel": "stable"])
        #expect(found[1] == ["X": 1, "Y": 2, "Z": 3])
        #expect(features.feature(id: "WEIGHT") === weight)
    }

    @Test func noInputTrapsAnyFeature() {
        var state: UInt64 = 7
        func random() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        let registry = FeatureRegistry()
        for feature in registry.allFeatures {
            var decoder = CharacteristicDecoder(0xAA01, slots: [.init(feature: feature)])
            for length in 0..<80 {
                for _ in 0..<3 {
                    let bytes = (0..<length).map { _ in random() }
                    let outcome = decoder.decode(bytes) { sample in
                        _ = sample.members
                        _ = sample.description
                        #expect(sample.rows.count >= 1)
                    }
                    #expect(outcome.consumed <= length)
                }
            }
        }
    }

    private func add(_ uuid: BluetoothUUID, to node: inout NodeDecoder) throws -> NodeDecoder.Channel {
        let channel = node.add(uuid)
        return try #require(channel)
    }

    @Test func aNodeSharesOneClockAndPublishesWhatWasAdvertised() throws {
        var node = NodeDecoder(device: 0x80, protocolVersion: 1, advertised: 0x00A0_0000)
        let inertial = try add(BlueSTUUID.features(0x00E0_0000), to: &node)
        for uuid: BluetoothUUID in [0x2A19, BlueSTUUID.terminal] {
            let channel = node.add(uuid)
            #expect(channel == nil)
        }
        var samples: [(String, Int64?)] = []
        for raw: UInt16 in [65530, 65534, 2] {
            let time = [UInt8(truncatingIfNeeded: raw), UInt8(truncatingIfNeeded: raw >> 8)]
            node.received(time + [UInt8](repeating: 1, count: 18), on: inertial, at: .zero) { sample in
                samples.append((sample.feature.id, sample.timestamp))
            }
        }
        #expect(
            samples.map(\.0) == [
                "acceleration", "magnetometer", "acceleration", "magnetometer", "acceleration", "magnetometer",
            ])
        #expect(samples.compactMap(\.1) == [65530, 65530, 65534, 65534, 65538, 65538])
    }

    @Test func remoteBoardsHaveTheirOwnClocks() throws {
        var node = NodeDecoder(device: 0x81, protocolVersion: 1, advertised: nil)
        let channel = try add(BlueSTUUID.features(0x0004_0000), to: &node)
        var times: [Int64?] = []
        for (board, raw): (UInt8, UInt16) in [(1, 65530), (2, 5), (1, 4), (2, 9)] {
            let time = [UInt8(truncatingIfNeeded: raw), UInt8(truncatingIfNeeded: raw >> 8)]
            node.received([board, 0] + time + [250, 0], on: channel, at: .zero) { times.append($0.timestamp) }
        }
        #expect(times == [65530, 5, 65540, 9])
    }

    @Test func quaternionsOfANotificationAreDatedBack() throws {
        var node = NodeDecoder(device: 0x80, protocolVersion: 2, advertised: nil)
        let channel = try add(BlueSTUUID.features(0x0000_0100), to: &node)
        let arrival = MonotonicTime.zero + .seconds(1)
        var rows: [FeatureSample] = []
        node.received([1, 0] + [UInt8](repeating: 0, count: 18), on: channel, at: arrival) { rows = $0.rows }
        #expect(rows.map { arrival - $0.time } == [.milliseconds(20), .milliseconds(10), .zero])
        #expect(rows.allSatisfy { $0["qs"] == 1 })
    }

    @Test func aCommandChangesHowEventsAreRead() throws {
        var node = NodeDecoder(device: 0x80, protocolVersion: 1, advertised: nil)
        let channel = try add(BlueSTUUID.features(0x0000_0400), to: &node)
        var steps: [Double?] = []
        node.received([1, 0, 0x2C, 0x01], on: channel, at: .zero) { steps.append($0["steps"]) }
        node.commandSent(to: .accelerationEvent, UInt8(ascii: "p"), [1])
        node.received([2, 0, 0x2C, 0x01], on: channel, at: .zero) { steps.append($0["steps"]) }
        node.commandSent(to: .accelerationEvent, UInt8(ascii: "s"), [1])
        node.received([3, 0, 0x20, 0x00], on: channel, at: .zero) { steps.append($0["steps"]) }
        #expect(steps == [nil, 300, nil])
    }

    @Test func theNEAIFrameWithoutATimeIsNotFedToTheClock() throws {
        var node = NodeDecoder(device: 0x80, protocolVersion: 1, advertised: nil)
        let neai = try add(BlueSTUUID.extended(0x1A), to: &node)
        let pressure = try add(BlueSTUUID.features(0x0010_0000), to: &node)
        var times: [Int64?] = []
        node.received([10, 0, 1, 0, 0, 0], on: pressure, at: .zero) { times.append($0.timestamp) }
        node.received([0xFF, 0xFF, 0xFF, 0xFF, 1, 0], on: neai, at: .zero) { times.append($0.timestamp) }
        node.received([20, 0, 1, 0, 0, 0], on: pressure, at: .zero) { times.append($0.timestamp) }
        #expect(times == [10, nil, 20])
    }
}
