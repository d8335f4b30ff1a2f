// SPDX-License-Identifier: Apache-2.0

// Stays connected to a strap that drops its link, goes out of range and loses its power: the loop over its values goes on.

import Cerulean
import CeruleanTesting

// A simulated world on virtual time, so that minutes of trouble take no time.
try await SimulatedWorld.run { world in
    let measurement = LocalCharacteristic(HeartRate.measurement)
    let strap = try await world.addPeripheral("Strap") { LocalService(HeartRate.uuid) { measurement } }

    // With a radio: `Central(.automatic)`. The rest is what it would be there.
    let peripheral = try await world.central.first(.services([HeartRate.uuid])).peripheral
    // Waits 1 s, 2 s, 4 s … up to 30 s between its attempts, shortened by chance, and never gives up.
    try await peripheral.connect(
        reconnection: .backoff(first: .seconds(1), maximum: .seconds(30)), timeout: .seconds(10))
    let values = try await peripheral.values(of: HeartRate.measurement)

    try await withThrowingTaskGroup { group in
        group.addTask {
            // The present state, then each change; any number of tasks may follow it.
            for await state in peripheral.connectionStates() {
                switch state {
                case .connected: print("connected")
                case .waiting(let next): print("attempt \(next.number) follows, because of: \(next.reason.code)")
                case .disconnected, .connecting, .disconnecting: break
                }
            }
        }
        group.addTask {
            // Subscribed again on each new link; the loop does not notice.
            for try await value in values { print("\(value.heartRate) beats per minute") }
        }
        group.addTask {
            try await beat(60)
            strap.dropLink()
            try await beat(61)
            strap.goOutOfRange()
            try await world.advance(by: .seconds(120))
            strap.comeBack()
            try await beat(62)
            try await strap.reset()
            try await beat(63)
            try await peripheral.disconnect()
        }
        // The loop over the values ends with the disconnection that was asked for.
        try await group.next()
        try await group.next()
        group.cancelAll()
    }
    let statistics = peripheral.statistics
    print("\(statistics.connections) connections, \(statistics.losses) losses, \(statistics.timeouts) timeouts")

    /// Sends a measurement as soon as somebody listens.
    @Sendable func beat(_ rate: UInt16) async throws {
        try await world.advance(by: .seconds(1))
        try await peripheral.waitUntilConnected()
        try await strap.server.waitForSubscriber(of: measurement)
        try await strap.update(measurement, to: HeartRateMeasurement(heartRate: rate))
        try await world.advance(by: .seconds(1))
    }
}
