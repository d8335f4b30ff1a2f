// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
import CeruleanWire
import Synchronization

/// A connected SensorTag.
///
/// ```swift
/// let tag = try await SensorTagDevice(connecting: found)
/// try await tag.enable(.movement, period: .milliseconds(100), range: .g8)
/// for try await reading in try await tag.readings(of: .movement) { print(reading) }
/// ```
///
/// Sensors are off until they are enabled, and a coin cell lasts for days if they are switched off again. Safe to use
/// from any
/// task. After the link is lost every call fails, and a new value is made.
public final class SensorTagDevice: Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// Which SensorTag.
    public let model: SensorTag.Model
    /// The version of its firmware as it tells it.
    public let firmware: String?

    private let state: Mutex<SensorTag.Decoding>

    /// Connects to a device that a scan found.
    ///
    /// - Parameters:
    ///   - discovery: The board, as a scan found it.
    ///   - orientation: Which way the axes point.
    ///   - timeout: For each step.
    /// - Throws: `BluetoothError`, or ``SensorTagError`` `.notSensorTag`; the link is then left.
    public convenience init(
        connecting discovery: Discovery, orientation: SensorTag.Orientation = .raw, timeout: Duration = .seconds(10)
    ) async throws {
        try await self.init(discovery.peripheral, orientation: orientation, timeout: timeout)
    }

    /// Connects if need be, and finds out which SensorTag it is.
    ///
    /// - Parameters:
    ///   - peripheral: The board.
    ///   - orientation: Which way the axes point.
    ///   - timeout: For each step.
    /// - Throws: `BluetoothError`, or ``SensorTagError`` `.notSensorTag`; the link is then left.
    public init(
        _ peripheral: Peripheral, orientation: SensorTag.Orientation = .raw, timeout: Duration = .seconds(10)
    ) async throws {
        self.peripheral = peripheral
        try await peripheral.connect(timeout: timeout)
        if peripheral.services.isEmpty { try await peripheral.discover(timeout: max(timeout, .seconds(2))) }
        guard let model = SensorTag.identify(name: peripheral.name, services: peripheral.services.map(\.uuid)) else {
            _ = try? await peripheral.disconnect(timeout: .seconds(1))
            throw SensorTagError(.notSensorTag, "\(peripheral) is no SensorTag")
        }
        self.model = model
        var firmware: String?
        if let revision = peripheral.characteristics(0x2A26, in: 0x180A).first,
            let bytes = try? await peripheral.read(revision, timeout: timeout)
        {
            // TI's strings end with a zero.
            firmware = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.firmware = firmware
        state = Mutex(SensorTag.Decoding(model: model, firmware: firmware, orientation: orientation))
    }

    /// True while the link is up.
    public var isConnected: Bool { peripheral.isConnected }

    /// The sensors that are there.
    public var sensors: [SensorTag.Sensor] {
        SensorTag.Sensor.all(of: model).filter { peripheral.characteristics($0.data, in: $0.service).first != nil }
    }

    /// How values are read at present.
    public var decoding: SensorTag.Decoding { state.withLock { $0 } }

    // MARK: Sensors

    /// Switches a sensor on. A CC2541's barometer is asked for its calibration first.
    ///
    /// - Parameters:
    ///   - sensor: Which sensor.
    ///   - period: How often it measures, held within what the firmware takes; nil leaves it as it is. Ignored where
    ///     the firmware has no period.
    ///   - range: The accelerometer's range (movement sensor only).
    ///   - timeout: For the whole operation.
    /// - Throws: `BluetoothError`, or ``SensorTagError`` `.unsupported`.
    public func enable(
        _ sensor: SensorTag.Sensor, period: Duration? = nil, range: SensorTag.AccelerationRange = .g2,
        timeout: Duration = .seconds(10)
    ) async throws {
        guard let configuration = sensor.configuration else { return }
        if sensor == .barometer, model.isFirst {
            try await write(.calibrate, of: sensor, timeout: timeout)
            let calibration = try await peripheral.read(
                try peripheral.characteristic(SensorTag.Sensor.calibration, in: sensor.service), timeout: timeout)
            state.withLock { $0.calibration = calibration }
        }
        if let period, let uuid = sensor.period,
            let characteristic = peripheral.characteristics(uuid, in: sensor.service).first
        {
            try await peripheral.write([sensor.encodedPeriod(period)], to: characteristic, timeout: timeout)
        }
        let setting: SensorTag.Configuration =
            sensor == .movement
            ? .movement(gyroscope: true, accelerometer: true, magnetometer: true, wakeOnMotion: false, range) : .on
        state.withLock { $0.range = range }
        let bytes = try setting.encoded(for: sensor)
        try await peripheral.write(
            bytes, to: try peripheral.characteristic(configuration, in: sensor.service), timeout: timeout)
    }

    /// Switches a sensor off.
    ///
    /// - Throws: `BluetoothError`.
    public func disable(_ sensor: SensorTag.Sensor, timeout: Duration = .seconds(10)) async throws {
        if sensor.configuration != nil { try await write(.off, of: sensor, timeout: timeout) }
    }

    /// Writes a configuration of one's own. The range of a movement sensor is remembered for its values.
    ///
    /// - Throws: `BluetoothError`, or ``SensorTagError`` `.unsupported`.
    public func write(
        _ configuration: SensorTag.Configuration, of sensor: SensorTag.Sensor, timeout: Duration = .seconds(10)
    ) async throws {
        let bytes = try configuration.encoded(for: sensor)
        guard let uuid = sensor.configuration else { return }
        try await peripheral.write(
            bytes, to: try peripheral.characteristic(uuid, in: sensor.service), timeout: timeout)
        if case .movement(_, _, _, _, let range) = configuration { state.withLock { $0.range = range } }
    }

    /// True if the sensor's configuration tells that it passed its self-test: it reads FF otherwise.
    ///
    /// - Throws: `BluetoothError`.
    public func isWorking(_ sensor: SensorTag.Sensor, timeout: Duration = .seconds(10)) async throws -> Bool {
        guard let uuid = sensor.configuration else { return true }
        let bytes = try await peripheral.read(
            try peripheral.characteristic(uuid, in: sensor.service), timeout: timeout)
        return bytes.first != 0xFF
    }

    /// The newest reading. All zero until one period after the sensor was enabled. The range of a movement sensor is
    /// read first.
    ///
    /// - Throws: `BluetoothError`, or ``SensorTagError``.
    public func read(
        _ sensor: SensorTag.Sensor, timeout: Duration = .seconds(10)
    ) async throws -> SensorTag.Reading {
        if sensor == .movement, let uuid = sensor.configuration {
            let bytes = try await peripheral.read(
                try peripheral.characteristic(uuid, in: sensor.service), timeout: timeout)
            if bytes.count >= 2 {
                let word = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
                state.withLock { $0.range = SensorTag.AccelerationRange(configuration: word) }
            }
        }
        let bytes = try await peripheral.read(
            try peripheral.characteristic(sensor.data, in: sensor.service), timeout: timeout)
        return try decoding.decode(bytes, of: sensor)
    }

    /// The readings of a sensor as they come. Up to 1024 wait for a slow reader; beyond it the oldest are dropped.
    /// Values that
    /// cannot be decoded are passed over.
    ///
    /// - Throws: `BluetoothError`.
    public func readings(
        of sensor: SensorTag.Sensor, timeout: Duration = .seconds(10)
    ) async throws -> SensorTagReadings {
        let characteristic = try peripheral.characteristic(sensor.data, in: sensor.service)
        return SensorTagReadings(
            device: self, sensor: sensor, values: try await peripheral.values(of: characteristic, timeout: timeout))
    }

    // MARK: LEDs, buzzer, self-test, link

    /// Drives LEDs and buzzer of a CC2650.
    ///
    /// - Throws: `BluetoothError` `notFound` on a CC2541.
    public func setOutputs(_ outputs: SensorTag.Outputs, timeout: Duration = .seconds(10)) async throws {
        let mode = try peripheral.characteristic(SensorTag.ioConfiguration, in: SensorTag.ioService)
        let data = try peripheral.characteristic(SensorTag.ioData, in: SensorTag.ioService)
        // In local mode writes are ignored.
        try await peripheral.write([SensorTag.IOMode.remote.rawValue], to: mode, timeout: timeout)
        try await peripheral.write([outputs.rawValue], to: data, timeout: timeout)
    }

    /// Lets the SensorTag drive its LEDs and buzzer again.
    ///
    /// - Throws: `BluetoothError` `notFound` on a CC2541.
    public func releaseOutputs(timeout: Duration = .seconds(10)) async throws {
        let mode = try peripheral.characteristic(SensorTag.ioConfiguration, in: SensorTag.ioService)
        try await peripheral.write([SensorTag.IOMode.local.rawValue], to: mode, timeout: timeout)
    }

    /// The result of the self-test: a bit for each part, set if it passed.
    ///
    /// - Throws: `BluetoothError`.
    public func selfTest(timeout: Duration = .seconds(10)) async throws -> UInt8 {
        if model.isFirst {
            let configuration = try peripheral.characteristic(SensorTag.uuid(0xAA62), in: SensorTag.testService)
            try await peripheral.write([1], to: configuration, timeout: timeout)
            let data = try peripheral.characteristic(SensorTag.testData, in: SensorTag.testService)
            return try await peripheral.read(data, timeout: timeout).first ?? 0
        }
        let mode = try peripheral.characteristic(SensorTag.ioConfiguration, in: SensorTag.ioService)
        try await peripheral.write([SensorTag.IOMode.selfTest.rawValue], to: mode, timeout: timeout)
        let data = try peripheral.characteristic(SensorTag.ioData, in: SensorTag.ioService)
        return try await peripheral.read(data, timeout: timeout).first ?? 0
    }

    /// Asks the SensorTag to ask for other connection parameters.
    ///
    /// - Throws: `BluetoothError`.
    public func requestConnection(
        minimumInterval: Duration, maximumInterval: Duration, latency: Int = 0, supervisionTimeout: Duration,
        timeout: Duration = .seconds(10)
    ) async throws {
        let request = try peripheral.characteristic(SensorTag.connectionRequest, in: SensorTag.connectionService)
        try await peripheral.write(
            SensorTag.connectionRequest(
                minimumInterval: minimumInterval, maximumInterval: maximumInterval, latency: latency,
                timeout: supervisionTimeout), to: request, timeout: timeout)
    }

    /// Ends the link.
    public func disconnect(timeout: Duration = .seconds(10)) async {
        _ = try? await peripheral.disconnect(timeout: timeout)
    }
}

/// The readings of a sensor, see ``SensorTagDevice/readings(of:timeout:)``. Ends when the link is left on purpose;
/// throws when
/// it is lost.
public struct SensorTagReadings: AsyncSequence, Sendable {
    /// One reading.
    public typealias Element = SensorTag.Reading
    /// Why the readings ended.
    public typealias Failure = BluetoothError

    let device: SensorTagDevice
    let sensor: SensorTag.Sensor
    let values: RawValues

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(device: device, sensor: sensor, values: values.makeAsyncIterator())
    }

    /// Reads ``SensorTagReadings``.
    public struct Iterator: AsyncIteratorProtocol {
        let device: SensorTagDevice
        let sensor: SensorTag.Sensor
        var values: RawValues.Iterator

        /// The next reading; nil at the end and when the task is cancelled.
        ///
        /// - Throws: `BluetoothError` when the link is lost.
        public mutating func next() async throws(BluetoothError) -> SensorTag.Reading? {
            try await next(isolation: nil)
        }

        /// The next reading; nil at the end and when the task is cancelled.
        ///
        /// - Throws: `BluetoothError` when the link is lost.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BluetoothError) -> SensorTag.Reading? {
            while let bytes = try await values.next(isolation: actor) {
                if let reading = try? device.decoding.decode(bytes, of: sensor) { return reading }
            }
            return nil
        }
    }
}
