// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The sensors of a simulated SensorTag: what is on, since when, and how often it measures.
final class SensorTagBoard: Sendable {
    private struct Channel {
        var configuration: [UInt8]
        var period: UInt8
        var since: MonotonicTime?
        var next: MonotonicTime = .distantFuture
        var newest: [UInt8]
    }

    private struct State {
        var channels: [SensorTag.Sensor: Channel] = [:]
        var isCalibrated = false
        var mode = SensorTag.IOMode.local
        var outputs: UInt8 = 0
        var keys: UInt8 = 0
        var nextKeys: MonotonicTime?
    }

    private let device: SimulatedSensorTag
    private let now: @Sendable () -> MonotonicTime
    private let state: Mutex<State>

    init(_ device: SimulatedSensorTag, now: @escaping @Sendable () -> MonotonicTime) {
        self.device = device
        self.now = now
        var state = State()
        for sensor in SensorTag.Sensor.all(of: device.model) where sensor != .keys {
            let size = device.value(of: sensor, at: .zero).count
            state.channels[sensor] = Channel(
                configuration: sensor == .movement ? [0, 0] : [0], period: sensor == .luxometer ? 80 : 100,
                newest: [UInt8](repeating: 0, count: size))
        }
        self.state = Mutex(state)
    }

    var isCalibrated: Bool { state.withLock { $0.isCalibrated } }
    var mode: SensorTag.IOMode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }
    /// In self-test mode the results.
    var outputs: UInt8 { state.withLock { $0.mode == .selfTest ? 0x7F : $0.outputs } }

    /// In local mode writes are ignored.
    func setOutputs(_ value: UInt8) { state.withLock { if $0.mode == .remote { $0.outputs = value & 7 } } }

    func configuration(of sensor: SensorTag.Sensor) -> [UInt8] {
        state.withLock { $0.channels[sensor]?.configuration ?? [] }
    }

    func period(of sensor: SensorTag.Sensor) -> [UInt8] {
        state.withLock { $0.channels[sensor].map { [$0.period] } ?? [] }
    }

    func newest(of sensor: SensorTag.Sensor) -> [UInt8] { state.withLock { $0.channels[sensor]?.newest ?? [] } }

    func configure(_ sensor: SensorTag.Sensor, _ value: [UInt8]) -> Bool {
        let now = now()
        return state.withLock { state in
            guard var channel = state.channels[sensor], value.count == channel.configuration.count else { return false }
            defer { state.channels[sensor] = channel }
            if sensor == .barometer, device.model.isFirst, value == [2] {
                state.isCalibrated = true
                return true
            }
            channel.configuration = value
            let isOn = value.contains { $0 != 0 }
            if !isOn {
                channel.since = nil
                channel.next = .distantFuture
                channel.newest = [UInt8](repeating: 0, count: channel.newest.count)
            } else if channel.since == nil {
                channel.since = now
                channel.next = now + .milliseconds(10) * Int(channel.period)
            }
            return true
        }
    }

    func setPeriod(_ sensor: SensorTag.Sensor, _ value: [UInt8]) -> Bool {
        state.withLock { state in
            guard value.count == 1, state.channels[sensor] != nil else { return false }
            guard value[0] >= UInt8(sensor.minimumPeriod.wholeNanoseconds / 10_000_000) else { return false }
            state.channels[sensor]?.period = value[0]
            return true
        }
    }

    func switchOff() {
        state.withLock { state in
            for sensor in state.channels.keys where state.channels[sensor]?.since != nil {
                state.channels[sensor]?.since = nil
                state.channels[sensor]?.next = .distantFuture
                state.channels[sensor]?.configuration = sensor == .movement ? [0, 0] : [0]
            }
            state.nextKeys = nil
        }
    }

    /// The value that a sensor sends now, if it has measured.
    func due(_ sensor: SensorTag.Sensor) -> [UInt8]? {
        let now = now()
        return state.withLock { state in
            if sensor == .keys {
                // Somebody presses the left key every other second.
                guard let next = state.nextKeys else {
                    state.nextKeys = now + .seconds(1)
                    return nil
                }
                guard now >= next else { return nil }
                state.nextKeys = next + .seconds(1)
                state.keys ^= 1
                return [state.keys]
            }
            guard var channel = state.channels[sensor], let since = channel.since, now >= channel.next else {
                return nil
            }
            let moment = channel.next
            channel.next = moment + .milliseconds(10) * Int(channel.period)
            let word = channel.configuration.count == 2 ? UInt16(channel.configuration[1]) << 8 : 0
            channel.newest = device.value(
                of: sensor, at: moment - since, range: SensorTag.AccelerationRange(configuration: word))
            state.channels[sensor] = channel
            return channel.newest
        }
    }
}

/// Slow waves as raw values.
struct Waves {
    let model: SensorTag.Model
    let seed: UInt64
    let seconds: Double
    let range: SensorTag.AccelerationRange
    let countsPerG: Int

    func value(of sensor: SensorTag.Sensor) -> [UInt8] {
        switch sensor {
        case .keys: return [0]
        case .irTemperature:
            return model.isFirst
                ? words(wave(-172, 200, 20), wave(3200, 64, 60))
                : words(wave(2800, 200, 20) & ~3, wave(3200, 64, 60) & ~3)
        case .accelerometer:
            let g = countsPerG
            return [wave(0, g / 2, 7), wave(0, g / 4, 5), wave(g, g / 4, 3)].map {
                UInt8(truncatingIfNeeded: min(max($0, -128), 127))
            }
        case .humidity: return words(wave(26_000, 500, 60), wave(30_000, 2000, 90) & ~3)
        case .magnetometer: return words(wave(700, 300, 11), wave(-400, 300, 13), wave(1300, 100, 17))
        case .barometer:
            if model.isFirst { return words(wave(-2343, 200, 60), wave(33_995, 100, 30)) }
            return triple(wave(2345, 100, 60)) + triple(wave(101_325, 200, 30))
        case .gyroscope: return words(wave(0, 6000, 4), wave(0, 4000, 6), wave(0, 2000, 9))
        case .luxometer:
            // Exponent 3, so that the mantissa has room.
            return words(3 << 12 | wave(2000, 1500, 40))
        case .movement:
            let g = 32768 / range.rawValue
            return words(
                wave(0, 6000, 4), wave(0, 4000, 6), wave(0, 2000, 9), wave(0, g / 2, 7), wave(0, g / 4, 5),
                wave(g * 3 / 4, g / 8, 3), wave(150, 60, 11), wave(-90, 60, 13), wave(280, 20, 17))
        }
    }

    private func wave(_ center: Int, _ amplitude: Int, _ period: Double) -> Int {
        let phase = Double(seed % 1000) / 1000
        return center + Int((Double(amplitude) * sin(2 * Double.pi * (seconds / period + phase))).rounded())
    }

    private func words(_ values: Int...) -> [UInt8] {
        values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    private func triple(_ value: Int) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8),
            UInt8(truncatingIfNeeded: value >> 16),
        ]
    }
}
