// SPDX-License-Identifier: Apache-2.0
import Cerulean
import CeruleanHost
import CeruleanWire
import Testing

@Suite struct ProfileTests {
    @Test(
        arguments: [
            ([0x00, 0x48], HeartRateMeasurement(heartRate: 72)),
            ([0x01, 0x2C, 0x01], HeartRateMeasurement(heartRate: 300)),
            (
                [0x1E, 0x5A, 0xD2, 0x04, 0x00, 0x04, 0x00, 0x02],
                HeartRateMeasurement(
                    heartRate: 90, sensorContact: .detected, energyExpended: 1234, rrIntervals: [1024, 512])
            ),
            ([0x04, 0x50], HeartRateMeasurement(heartRate: 80, sensorContact: .notDetected)),
        ] as [([UInt8], HeartRateMeasurement)])
    func readsAndWritesHeartRates(bytes: [UInt8], value: HeartRateMeasurement) throws {
        #expect(try HeartRate.measurement.decode(bytes) == value)
        #expect(try value.encoded() == bytes)
    }

    @Test func toleratesAnEmptyListAndAnOddOctetOfIntervals() throws {
        #expect(try HeartRateMeasurement(decoding: [0x10, 60]).rrIntervals.isEmpty)
        #expect(try HeartRateMeasurement(decoding: [0x10, 60, 1, 0, 9]).rrIntervals == [1])
        let decoded = KnownCharacteristics.decoded(uuid: 0x2A37, bytes: [0x10, 60, 1, 0, 9])
        #expect(decoded?.rest == [9] && decoded?.fault == nil)
    }

    @Test func saysWhichFieldDoesNotFitAndKeepsThoseBeforeIt() throws {
        let decoded = try #require(KnownCharacteristics.decoded(uuid: 0x2A37, bytes: [0x08, 72, 1]))
        #expect(decoded.fault == WireError(offset: 2, reason: .truncated))
        #expect(decoded.faultField == "energyExpended")
        #expect(decoded.value == ["heartRate": 72, "sensorContact": "notSupported"])
        #expect(throws: WireError(offset: 0, reason: .truncated)) { try BatteryLevel(decoding: []) }
    }

    @Test func readsAndWritesDeviceInformation() throws {
        let system = SystemID(manufacturer: 0x12345678, oui: 0xABCDEF)
        #expect(try system.encoded() == Hex.decode("7856341200efcdab"))
        #expect(try SystemID(decoding: Hex.decode("7856341200efcdab")) == system)
        #expect(throws: WireError(offset: 0, reason: .tooLong)) {
            try SystemID(manufacturer: 1 << 40, oui: 0).encoded()
        }
        let product = PnPID(source: .usbIF, vendorID: 13, productID: 0, version: 0x0110)
        #expect(try product.encoded() == Hex.decode("020d0000001001"))
        #expect(try PnPID(decoding: Hex.decode("020d0000001001")).versionText == "1.1.0")
        #expect(try TextValue(decoding: Array("1.01".utf8) + [0, 0]).text == "1.01")
        #expect(try TextValue(decoding: [0x41, 0xFF]).text == "A\u{FFFD}")
        #expect(try TextValue("ä").encoded() == [0xC3, 0xA4])
    }

    @Test func readsAndWritesConnectionParameters() throws {
        let bytes = try Hex.decode("0600120000000a00")
        let value = try PreferredConnectionParameters(decoding: bytes)
        #expect(value == PreferredConnectionParameters(minInterval: 7.5, maxInterval: 22.5, latency: 0, timeout: 100))
        #expect(try value.encoded() == bytes)
        #expect(try PreferredConnectionParameters().encoded() == Hex.decode("ffffffff0000ffff"))
        #expect(throws: WireError.self) {
            try PreferredConnectionParameters(minInterval: .nan, maxInterval: nil, latency: 0, timeout: nil).encoded()
        }
        #expect(throws: WireError.self) {
            try PreferredConnectionParameters(minInterval: -5, maxInterval: nil, latency: 0, timeout: nil).encoded()
        }
    }

    @Test func aProfileServesItsOwnDeclaration() throws {
        let definition = try Battery.level.definition(BatteryLevel(percent: 87))
        #expect(definition.uuid == 0x2A19)
        #expect(definition.value == .stored([87]))
        #expect(definition.properties == [.read, .notify])
        #expect(definition.permissions == .readable)
        #expect(try HeartRate.measurement.definition(nil).permissions == AttributePermissions())
        #expect(HeartRate.controlPoint.permissions == .writable)
        #expect(HeartRate.name == "Heart Rate")
    }

    @Test func appliesPresentationFormats() throws {
        let celsius = try PresentationFormat(decoding: Hex.decode("0efe2f27010000"))
        #expect(celsius.value(of: [0xF2, 0xF9]) == .number(-15.5))
        #expect(PresentationFormat(format: 4, exponent: 1, unit: 0x2700).value(of: [7]) == .number(70))
        #expect(celsius.value(of: [1]) == nil)
        #expect(PresentationFormat(format: 0x0B, exponent: 0, unit: 0x2700).value(of: [1]) == nil)
        #expect(PresentationFormat(format: 0x0A, exponent: 127, unit: 0x2700).value(of: [1]) == nil)
        #expect(PresentationFormat(format: 0x19, exponent: 0, unit: 0x2700).value(of: [0x41, 0]) == "A")
    }

    @Test func everyKnownDecoderSurvivesRandomOctets() throws {
        var state: UInt64 = 9
        func random() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        let known = (UInt16(0x2900)...0x2BFF).map { BluetoothUUID($0) }.filter { KnownCharacteristics.isKnown($0) }
        #expect(known.count > 45)
        for uuid in known {
            for _ in 0..<300 {
                let bytes = (0..<Int(random() % 40)).map { _ in UInt8(truncatingIfNeeded: random()) }
                let decoded = try #require(KnownCharacteristics.decoded(uuid: uuid, bytes: bytes))
                if let fault = decoded.fault { #expect(fault.offset <= bytes.count) }
            }
        }
    }
}
