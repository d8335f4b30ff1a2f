// SPDX-License-Identifier: Apache-2.0

import Cerulean

/// A tag made of software that measures a slow turn. The examples `Peripheral` and `PeripheralWithProfile` show how one is built.
public actor SimulatedTag {
    private let server: PeripheralServer
    private let data = LocalCharacteristic(Accelerometer.data, Reading(x: 0, y: 0, z: 1))
    private var isOn = false
    private var period = Duration.milliseconds(100)

    /// Opens an adapter, publishes the service and advertises it.
    public init(_ adapter: Adapter, name: String = "SensorTag") async throws {
        server = try await PeripheralServer(adapter)
        try await server.publish {
            LocalService(Accelerometer.uuid) {
                data
                LocalCharacteristic(
                    Accelerometer.enabled, Enabled(false),
                    onWrite: { [weak self] value, _ in await self?.turn(on: value.isOn) })
                LocalCharacteristic(
                    Accelerometer.period, Period(milliseconds: 100),
                    onWrite: { [weak self] value, _ in
                        guard value.milliseconds >= 100 else { throw RequestFailure.outOfRange }
                        await self?.set(period: .milliseconds(Int(value.milliseconds)))
                    })
            }
        }
        try await server.advertise(name: name, services: [Accelerometer.uuid])
    }

    /// Measures until its task is cancelled.
    public func run() async throws {
        var angle = 0.0
        while true {
            try await server.host.loop.sleep(for: period)
            guard isOn else { continue }
            angle += 0.1
            // One turn of the tag moves gravity from one axis to the other.
            try await server.update(data, to: Reading(x: triangle(angle), y: 0, z: 1 - abs(triangle(angle))))
        }
    }

    /// The host below, to move it or cut its link.
    public nonisolated var host: any Host { server.host }

    private func turn(on isOn: Bool) { self.isOn = isOn }
    private func set(period: Duration) { self.period = period }
    private func triangle(_ angle: Double) -> Double {
        let part = angle.truncatingRemainder(dividingBy: 4)
        return part < 1 ? part : part < 3 ? 2 - part : part - 4
    }
}
