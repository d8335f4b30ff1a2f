// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanSensing
import CeruleanWire
import Testing

@Suite struct SensingTests {
    @Test func rowsAreNumberedOverGaps() {
        let block = SampleBlock(
            firstIndex: 10, deviceTime: 1, hostTime: .zero, channelCount: 2, values: [1, 2, 3, 4, 5, 6, 7],
            gaps: [.init(row: 0, lost: 4), .init(row: 1, lost: 2), .init(row: 1, lost: 3), .init(row: 2, lost: 1)])
        #expect(block.rowCount == 3)
        #expect(block.rowIndices == [10, 16, 18])
        #expect(block.lostCount == 10)
        #expect(Array(block[row: 2]) == [5, 6])
    }

    @Test func conversionsAreData() {
        #expect(Conversion(name: "a", unit: "V", formula: .linear(slope: 2, intercept: -1))(3) == 5)
        #expect(Conversion(name: "a", unit: "V", formula: .polynomial([1, 2, 3]))(2) == 17)
        #expect(Conversion(name: "a", unit: "V", formula: .polynomial([]))(2) == 0)
        let thermistor = Conversion(
            name: "NTC", unit: "degC",
            formula: .thermistor(fullScale: 1024, series: 1e4, a0: 1.12764514e-3, a1: 2.34282709e-4, a2: 8.77303013e-8))
        // bitalino.json, transfer-013.
        #expect(abs(thermistor(512) - 25.00023668753596) < 1e-6)
        #expect(thermistor(0).isNaN)
        #expect(thermistor(1024).isNaN)
    }

    /// A driver of one's own, registered in a few lines.
    private struct Thermometer: DeviceDriver {
        var kind = "thermometer"
        var confidence = Recognition.Confidence.service
        var title: String { "Thermometer" }
        var services: [BluetoothUUID] { [0x1809] }
        func recognize(_ fields: AdvertisementFields, address: DeviceAddress?) -> Recognition? {
            fields.services.contains(0x1809)
                ? Recognition(kind: kind, confidence: confidence, details: [.init("unit", "degC")]) : nil
        }
        func open(_ peripheral: Peripheral, options: SourceOptions) async throws -> any SampleSource {
            throw SensingError(.unsupported, "not in this test")
        }
    }

    @Test func driversAreFoundTheSurestFirst() throws {
        var drivers = DriverRegistry([Thermometer(), Thermometer(kind: "fever", confidence: .certain)])
        drivers.register(Thermometer(kind: "third"))
        var fields = AdvertisementFields()
        #expect(drivers.recognize(fields, address: nil).isEmpty)
        fields.services = [0x1809]
        let found = drivers.recognize(fields, address: nil)
        #expect(found.map(\.recognition.kind) == ["fever", "thermometer", "third"])
        #expect(found[0].recognition.value == ["kind": "fever", "unit": "degC"])
        #expect(drivers.driver(forServices: [0x180F, 0x1809])?.kind == "thermometer")
        #expect(drivers.driver(kind: "none") == nil)
        drivers.register(Thermometer(kind: "fever"))
        #expect(drivers.drivers.count == 3)
        #expect(throws: SensingError.self) { try Thermometer().makeSimulated(SimulationOptions()) }
    }
}
