// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// A sensor of temperature and humidity: the environmental sensing service with presentation formats.
struct SimulatedThermometer: SimulatedDevice {
    var kind: String { "thermometer" }
    var name = "Cerulean Climate"

    func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        let temperature = Self.scalar(0x2A6E, PresentationFormat(format: 0x0E, exponent: -2, unit: 0x272F))
        let humidity = Self.scalar(0x2A6F, PresentationFormat(format: 0x06, exponent: -2, unit: 0x27AD))
        let published = try await server.publish([
            LocalService(0x181A) {
                temperature
                humidity
            },
            LocalService(Battery.uuid) { LocalCharacteristic(Battery.level, BatteryLevel(percent: 64)) },
            LocalService(DeviceInformation.uuid) {
                LocalCharacteristic(DeviceInformation.manufacturerName, "Cerulean")
                LocalCharacteristic(DeviceInformation.modelNumber, "Simulated climate sensor")
            },
        ])
        let parameters = AdvertisingParameters(
            content: .fields(name: name, services: [0x181A]), interval: .milliseconds(100))
        try await advertise(parameters, of: published, on: server) {
            ready()
            var step = 0
            while true {
                let swing = abs(step % 120 - 60)
                try await server.update(temperature, to: Self.octets(2150 + swing))
                try await server.update(humidity, to: Self.octets(4800 - 2 * swing))
                step += 1
                try await server.host.loop.sleep(for: .seconds(1))
            }
        }
    }

    private static func scalar(_ uuid: BluetoothUUID, _ format: PresentationFormat) -> LocalCharacteristic {
        let descriptor = DescriptorDefinition(
            uuid: 0x2904, permissions: .readable, value: .stored((try? format.encoded()) ?? []))
        return LocalCharacteristic(uuid, [.read, .notify], value: [0, 0], descriptors: [descriptor])
    }

    private static func octets(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }
}
