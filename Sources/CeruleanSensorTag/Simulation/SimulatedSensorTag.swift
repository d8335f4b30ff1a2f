// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanSensing
import CeruleanWire
import Synchronization

/// A SensorTag made of software: every sensor with its configuration and period, keys, LEDs and buzzer.
///
/// Sensors are off at first and their data zero; the calibration of a CC2541 is there after it was asked for. What they
/// measure follows slow waves that the seed shifts, see ``value(of:at:range:)``.
///
/// ```swift
/// try await SimulatedSensorTag(model: .cc2541).serve(on: server)
/// ```
public struct SimulatedSensorTag: SimulatedDevice {
    /// `sensortag`.
    public var kind: String { "sensortag" }
    /// The name it advertises.
    public var name: String
    /// Which SensorTag.
    public let model: SensorTag.Model
    /// The firmware it reports.
    public var firmware: String
    /// Shifts the waves.
    public var seed: UInt64

    /// A SensorTag.
    public init(model: SensorTag.Model = .cc2650, seed: UInt64 = 1) {
        self.model = model
        self.seed = seed
        name =
            switch model {
            case .cc2541: "SensorTag"
            case .cc2650: "CC2650 SensorTag"
            case .cc1350: "CC1350 SensorTag"
            }
        firmware = model.isFirst ? "1.5 (Oct 23 2013)" : "1.30 (Sep 16 2016)"
    }

    /// The calibration of the pressure sensor of a CC2541.
    public static let calibration: [UInt8] = [
        0x81, 0xB2, 0xF8, 0x63, 0xFE, 0xBE, 0x4E, 0x8D, 0x59, 0x1B, 0xC6, 0x07, 0xBF, 0xF6, 0xA6, 0x15,
    ]

    /// What a sensor's data characteristic holds so long after the sensor was switched on.
    public func value(
        of sensor: SensorTag.Sensor, at time: Duration, range: SensorTag.AccelerationRange = .g2
    ) -> [UInt8] {
        let decoding = SensorTag.Decoding(model: model, firmware: firmware)
        return Waves(
            model: model, seed: seed, seconds: time.inSeconds, range: range, countsPerG: Int(decoding.countsPerG)
        ).value(of: sensor)
    }

    /// Serves until the task is cancelled or the adapter fails.
    ///
    /// - Throws: `CancellationError` or `BluetoothError`.
    public func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        let loop = server.host.loop
        let board = SensorTagBoard(self, now: { loop.now })
        var services = [Self.information(firmware: firmware, model: model)]
        var data: [(sensor: SensorTag.Sensor, characteristic: LocalCharacteristic)] = []
        for sensor in SensorTag.Sensor.all(of: model) {
            let characteristic =
                sensor == .keys
                ? LocalCharacteristic(sensor.data, [.notify])
                : LocalCharacteristic(sensor.data, [.read, .notify], onRead: { _ in board.newest(of: sensor) })
            data.append((sensor, characteristic))
            services.append(
                LocalService(
                    sensor.service, characteristics: [characteristic] + Self.controls(of: sensor, model, board)))
        }
        services += model.isFirst ? [Self.test()] : [Self.outputs(board), Self.battery()]
        services.append(Self.connection())
        let published = try await server.publish(services)
        let content = AdvertisingParameters.Content.fields(
            name: name, services: model.isFirst ? [] : [SensorTag.advertisedService])
        let parameters = AdvertisingParameters(content: content, interval: .milliseconds(100))
        try await advertise(parameters, of: published, on: server) {
            ready()
            var next = loop.now
            while true {
                next = max(next + .milliseconds(10), loop.now)
                try await loop.sleep(until: next)
                if await server.centrals().isEmpty {
                    // A SensorTag switches everything off when it is alone.
                    board.switchOff()
                    continue
                }
                for (sensor, characteristic) in data {
                    if let value = board.due(sensor) { try await server.update(characteristic, to: value) }
                }
            }
        }
    }

    // MARK: - Private

    private static func controls(
        of sensor: SensorTag.Sensor, _ model: SensorTag.Model, _ board: SensorTagBoard
    ) -> [LocalCharacteristic] {
        guard let configuration = sensor.configuration, let period = sensor.period else { return [] }
        var all = [
            LocalCharacteristic(
                configuration, [.read, .write], onRead: { _ in board.configuration(of: sensor) },
                onWrite: { request in
                    guard board.configure(sensor, request.value) else { throw RequestFailure.invalidValueLength }
                })
        ]
        if sensor == .barometer, model.isFirst {
            all.append(
                LocalCharacteristic(
                    SensorTag.Sensor.calibration, [.read],
                    onRead: { _ in
                        board.isCalibrated ? calibration : [UInt8](repeating: 0, count: 16)
                    }))
        }
        all.append(
            LocalCharacteristic(
                period, [.read, .write], onRead: { _ in board.period(of: sensor) },
                onWrite: { request in
                    guard board.setPeriod(sensor, request.value) else { throw RequestFailure.outOfRange }
                }))
        return all
    }

    private static func information(firmware: String, model: SensorTag.Model) -> LocalService {
        // TI's strings end with a zero.
        func text(_ uuid: BluetoothUUID, _ text: String) -> LocalCharacteristic {
            LocalCharacteristic(uuid, [.read], value: Array(text.utf8) + [0])
        }
        return LocalService(0x180A) {
            text(0x2A24, model.isFirst ? "TI BLE Sensor Tag" : "\(model.rawValue) SensorTag")
            text(0x2A26, firmware)
            text(0x2A29, "Texas Instruments")
        }
    }

    private static func battery() -> LocalService {
        LocalService(Battery.uuid) { LocalCharacteristic(0x2A19, [.read, .notify], value: [91]) }
    }

    private static func test() -> LocalService {
        LocalService(SensorTag.testService) {
            LocalCharacteristic(SensorTag.testData, [.read], value: [0x7F])
            LocalCharacteristic(SensorTag.uuid(0xAA62), [.read, .write], value: [0])
        }
    }

    private static func outputs(_ board: SensorTagBoard) -> LocalService {
        LocalService(SensorTag.ioService) {
            LocalCharacteristic(
                SensorTag.ioData, [.read, .write], onRead: { _ in [board.outputs] },
                onWrite: { request in
                    guard request.value.count == 1 else { throw RequestFailure.invalidValueLength }
                    board.setOutputs(request.value[0])
                })
            LocalCharacteristic(
                SensorTag.ioConfiguration, [.read, .write], onRead: { _ in [board.mode.rawValue] },
                onWrite: { request in
                    guard request.value.count == 1, let mode = SensorTag.IOMode(rawValue: request.value[0]) else {
                        throw RequestFailure.valueNotAllowed
                    }
                    board.mode = mode
                })
        }
    }

    private static func connection() -> LocalService {
        LocalService(SensorTag.connectionService) {
            LocalCharacteristic(
                SensorTag.uuid(0xCCC1), [.read, .notify], value: [0x18, 0x00, 0x00, 0x00, 0xC8, 0x00])
            LocalCharacteristic(
                SensorTag.connectionRequest, [.write],
                onWrite: { request in
                    guard request.value.count == 8 else { throw RequestFailure.invalidValueLength }
                })
        }
    }
}
