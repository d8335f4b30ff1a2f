// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanSensing
public import CeruleanWire
import Synchronization

/// Finds SensorTags and makes sources of them.
///
/// Channels are names of sensors (`movement`, `humidity` …); without any, all. The first one gives the pace at the
/// asked rate,
/// 1000/2550 to 10 Hz, by default 10 (the infrared sensor 3); the others measure once a second, and their newest
/// values stand in
/// each row. Settings: `range` of a CC2650's accelerometer, 2, 4, 8 or 16 g; `orientation`, `raw` or `blueCap`.
public struct SensorTagDriver: DeviceDriver {
    /// `sensortag`.
    public var kind: String { "sensortag" }
    /// What people call the device.
    public var title: String { "TI SensorTag CC2541, CC2650, CC1350" }
    /// Services that only SensorTags have.
    public var services: [BluetoothUUID] {
        [0xAA00, 0xAA10, 0xAA20, 0xAA30, 0xAA40, 0xAA50, 0xAA70, 0xAA80].map { SensorTag.uuid($0) }
    }

    /// Creates the driver.
    public init() {}

    /// By the name or an advertised service.
    public func recognize(_ fields: AdvertisementFields, address: DeviceAddress?) -> Recognition? {
        guard let model = SensorTag.identify(name: fields.name, services: fields.services) else { return nil }
        let isSure = SensorTag.identify(name: nil, services: fields.services) != nil
        return Recognition(
            kind: kind, confidence: isSure ? .certain : .name, details: [.init("model", .text(model.rawValue))])
    }

    /// Connects; the sensors are switched on with the first event, and off at the end.
    ///
    /// - Throws: `SensingError` about the options, ``SensorTagError``, or
    /// `BluetoothError`.
    public func open(_ peripheral: Peripheral, options: SourceOptions) async throws -> any SampleSource {
        var range = SensorTag.AccelerationRange.g2
        var orientation = SensorTag.Orientation.raw
        for (name, value) in options.settings {
            switch name {
            case "range":
                guard let known = Int(value).flatMap(SensorTag.AccelerationRange.init(rawValue:)) else {
                    throw SensingError(.invalidOption, "range=\(value): choose 2, 4, 8 or 16")
                }
                range = known
            case "orientation":
                guard let known = SensorTag.Orientation(rawValue: value) else {
                    throw SensingError(.invalidOption, "orientation=\(value): choose raw or blueCap")
                }
                orientation = known
            default:
                throw SensingError(.invalidOption, "setting \(name): a SensorTag knows range and orientation")
            }
        }
        let tag = try await SensorTagDevice(peripheral, orientation: orientation, timeout: options.timeout)
        let sensors = try Self.sensors(options.channels, on: tag)
        let rate = try Self.rate(options.rate, of: sensors[0])
        let session = Session(tag, sensors: sensors, range: range, orientation: orientation, rate: rate)
        let model = tag.model
        let feeds = sensors.map { sensor in
            CharacteristicSource.Feed(
                sensor.data, in: sensor.service, channels: sensor.channels(of: model, range: range),
                decode: { bytes in (try? session.tag.decoding.decode(bytes, of: sensor))?.values })
        }
        return try await CharacteristicSource.open(
            peripheral, kind: kind, firmware: tag.firmware, model: model.rawValue.lowercased(), feeds: feeds,
            pace: sensors[0] == .keys ? .arrival(nil) : .arrival(rate), options: options,
            prepare: { try await session.begin($0, timeout: options.timeout) },
            finish: { _ in await session.end() })
    }

    /// A SensorTag made of software. Settings: `model`, CC2541 or CC2650 (default); `seed` of its waveforms;
    /// `firmware`.
    ///
    /// - Throws: `SensingError`.
    public func makeSimulated(_ options: SimulationOptions) throws -> any SimulatedDevice {
        var device = SimulatedSensorTag()
        for (name, value) in options.settings {
            switch name {
            case "model":
                guard let model = SensorTag.Model(named: value) else {
                    throw SensingError(.invalidOption, "model=\(value): choose CC2541, CC2650 or CC1350")
                }
                device = SimulatedSensorTag(model: model, seed: device.seed)
            case "seed", "firmware": break
            default:
                throw SensingError(.invalidOption, "setting \(name): known are model, seed and firmware")
            }
        }
        if let text = options.settings["seed"] {
            guard let seed = UInt64(text) else { throw SensingError(.invalidOption, "seed=\(text): a whole number") }
            device.seed = seed
        }
        if let firmware = options.settings["firmware"] { device.firmware = firmware }
        if let name = options.name { device.name = name }
        guard options.replays.isEmpty else {
            throw SensingError(.unsupported, "a simulated SensorTag replays no recordings")
        }
        return device
    }

    // MARK: - Private

    private static func sensors(_ names: [String], on tag: SensorTagDevice) throws -> [SensorTag.Sensor] {
        let there = tag.sensors
        let known = there.map(\.rawValue).joined(separator: ", ")
        guard !names.isEmpty else {
            guard !there.isEmpty else { throw SensorTagError(.notSensorTag, "\(tag.peripheral) has no sensor") }
            return there
        }
        return try names.map { name in
            guard let sensor = there.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else {
                throw SensingError(.invalidOption, "channel \(name): this SensorTag has \(known)")
            }
            return sensor
        }
    }

    private static func rate(_ rate: Double?, of sensor: SensorTag.Sensor) throws -> Double {
        let fastest = 1 / sensor.minimumPeriod.inSeconds
        guard let rate else { return sensor == .irTemperature ? 1 : fastest }
        guard (1 / 2.55...fastest + 1e-9).contains(rate) else {
            throw SensingError(
                .invalidOption, "rate \(rate) Hz: \(sensor.rawValue) measures \(1 / 2.55) to \(fastest) times a second")
        }
        // What the firmware makes of it.
        return 100 / Double(sensor.encodedPeriod(.nanoseconds(Int64(1e9 / rate))))
    }

    /// The device in use: another one after the link was lost and came back.
    private final class Session: Sendable {
        private let state: Mutex<SensorTagDevice>
        private let sensors: [SensorTag.Sensor]
        private let range: SensorTag.AccelerationRange
        private let orientation: SensorTag.Orientation
        private let rate: Double

        init(
            _ tag: SensorTagDevice, sensors: [SensorTag.Sensor], range: SensorTag.AccelerationRange,
            orientation: SensorTag.Orientation, rate: Double
        ) {
            state = Mutex(tag)
            self.sensors = sensors
            self.range = range
            self.orientation = orientation
            self.rate = rate
        }

        var tag: SensorTagDevice { state.withLock { $0 } }

        func begin(_ peripheral: Peripheral, timeout: Duration) async throws {
            let tag = try await SensorTagDevice(peripheral, orientation: orientation, timeout: timeout)
            state.withLock { $0 = tag }
            for (index, sensor) in sensors.enumerated() {
                let period: Duration = index == 0 ? .nanoseconds(Int64(1e9 / rate)) : .seconds(1)
                try await tag.enable(sensor, period: period, range: range, timeout: timeout)
            }
        }

        func end() async {
            for sensor in sensors { try? await tag.disable(sensor, timeout: .seconds(1)) }
        }
    }
}
