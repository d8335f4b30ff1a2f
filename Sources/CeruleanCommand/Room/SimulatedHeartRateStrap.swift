// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// A heart-rate strap made of software: one measurement each second, with the times between the beats.
///
/// The same seed gives the same beats.
struct SimulatedHeartRateStrap: SimulatedDevice {
    var kind: String { "heartrate" }
    var name = "Cerulean Strap"
    /// Decides all that chance decides.
    var seed: UInt64 = 1

    func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        let heart = Heart(seed: seed)
        let measurement = LocalCharacteristic(HeartRate.measurement)
        let control = LocalCharacteristic(
            HeartRate.controlPoint,
            onWrite: { command, _ in
                // 0x80 is this service's own "control point not supported".
                guard command == .resetEnergyExpended else { throw RequestFailure(code: 0x80) }
                await heart.resetEnergy()
            })
        let published = try await server.publish([
            LocalService(HeartRate.uuid) {
                measurement
                LocalCharacteristic(HeartRate.bodySensorLocation, .chest)
                control
            },
            LocalService(Battery.uuid) { LocalCharacteristic(Battery.level, BatteryLevel(percent: 87)) },
            LocalService(DeviceInformation.uuid) {
                LocalCharacteristic(DeviceInformation.manufacturerName, "Cerulean")
                LocalCharacteristic(DeviceInformation.modelNumber, "Simulated strap")
                LocalCharacteristic(
                    DeviceInformation.systemID, SystemID(manufacturer: 0x00_1234_5678, oui: 0xABCDEF))
            },
        ])
        let parameters = AdvertisingParameters(
            content: .fields(name: name, services: [HeartRate.uuid, Battery.uuid]), interval: .milliseconds(100))
        try await advertise(parameters, of: published, on: server) {
            ready()
            while true {
                try await server.host.loop.sleep(for: .seconds(1))
                try await server.update(measurement, to: await heart.beat())
            }
        }
    }
}

/// Makes measurements, one for each second.
private actor Heart {
    private var random: UInt64
    private var second = 0
    private var joules = 0.0
    private var untilBeat = 0.0

    init(seed: UInt64) { random = seed }

    func resetEnergy() { joules = 0 }

    func beat() -> HeartRateMeasurement {
        // Slow swings of breath and effort, and a little chance.
        second += 1
        let swing = Double(second % 60 < 30 ? second % 30 : 30 - second % 30)
        let rate = 62 + swing * 0.8
        var intervals: [UInt16] = []
        untilBeat -= 1
        while untilBeat < 0 {
            let interval = 60 / rate + chance() * 0.04
            untilBeat += interval
            intervals.append(UInt16(interval * 1024))
        }
        joules += rate * 1.5
        return HeartRateMeasurement(
            heartRate: UInt16(rate.rounded()), sensorContact: .detected,
            energyExpended: UInt16(min(joules / 1000, 65535)), rrIntervals: intervals)
    }

    /// -1 to 1.
    private func chance() -> Double {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(random >> 33) / Double(1 << 30) - 1
    }
}
