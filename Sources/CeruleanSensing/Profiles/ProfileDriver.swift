// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanWire

/// Makes sources of devices that have standard profiles, or any characteristic that notifies a number whose
/// presentation format
/// says what it means.
///
/// Channels are UUIDs or names of characteristics (`2A6E`, `temperature`); without any, all that measure. The first
/// one gives the
/// pace: each of its values is a row, with the newest values of the others. With a rate, the newest values become
/// rows so often.
/// The setting `wheel` is the circumference of a bicycle's wheel in meters.
public struct ProfileDriver: DeviceDriver {
    /// `heartrate` or `source`.
    public let kind: String
    /// What people call the device.
    public let title: String
    /// The services of its profiles.
    public let services: [BluetoothUUID]
    private let usualRate: Double?

    /// Heart-rate sensors: a row for each measurement, of which they send one a second.
    public static let heartRate = ProfileDriver(
        kind: "heartrate", title: "heart-rate sensor", services: [HeartRate.uuid], usualRate: 1)
    /// All other standard sensors: thermometers, blood pressure, cycling, running, fitness machines, pulse oximeters,
    /// scales,
    /// environmental sensing, location.
    public static let standard = ProfileDriver(
        kind: "source", title: "standard sensor (thermometer, bicycle, scale, environment and others)",
        services: [0x1809, 0x1810, 0x1816, 0x1818, 0x1814, 0x1826, 0x1822, 0x181D, 0x181A, 0x1819], usualRate: nil)

    private init(kind: String, title: String, services: [BluetoothUUID], usualRate: Double?) {
        self.kind = kind
        self.title = title
        self.services = services
        self.usualRate = usualRate
    }

    /// By an advertised service.
    public func recognize(_ fields: AdvertisementFields, address: DeviceAddress?) -> Recognition? {
        services.contains { fields.services.contains($0) } ? Recognition(kind: kind, confidence: .service) : nil
    }

    /// Connects, and finds what measures.
    ///
    /// - Throws: ``SensingError`` about the options, with `unsupported` if nothing measures; or
    /// `BluetoothError`.
    public func open(_ peripheral: Peripheral, options: SourceOptions) async throws -> any SampleSource {
        var wheel = 2.105
        for (name, value) in options.settings {
            guard name == "wheel", let number = Double(value), (0.1...5).contains(number) else {
                throw SensingError(.invalidOption, "setting \(name)=\(value): a standard sensor knows wheel, in meters")
            }
            wheel = number
        }
        if let rate = options.rate, !(0.01...1000).contains(rate) {
            throw SensingError(.invalidOption, "rate \(rate) Hz: choose 0.01 to 1000")
        }
        try await peripheral.connect(timeout: options.timeout)
        if peripheral.services.isEmpty { try await peripheral.discover(timeout: max(options.timeout, .seconds(2))) }
        let found = try await Self.measurements(of: peripheral, wheel: wheel, timeout: options.timeout)
        let chosen = try Self.chosen(options.channels, of: found, on: peripheral)
        var names: Set<String> = []
        let feeds = chosen.map { service, measurement in
            let channels = measurement.channels.map { channel in
                var channel = channel
                var number = 2
                while !names.insert(channel.name).inserted {
                    channel.name = "\(channel.name) \(number)"
                    number += 1
                }
                return channel
            }
            return CharacteristicSource.Feed(
                measurement.characteristic, in: service, channels: channels, decode: measurement.decoder())
        }
        let pace: CharacteristicSource.Pace
        if let rate = options.rate {
            pace = .clock(rate)
        } else {
            pace = .arrival(chosen[0].measurement.characteristic == 0x2A37 ? 1 : usualRate)
        }
        return try await CharacteristicSource.open(peripheral, kind: kind, feeds: feeds, pace: pace, options: options)
    }

    // MARK: - Private

    private typealias Found = (service: BluetoothUUID, measurement: StandardMeasurement)

    /// What measures, in the order of the database; the battery only if nothing else does.
    private static func measurements(
        of peripheral: Peripheral, wheel: Double, timeout: Duration
    ) async throws(BluetoothError) -> [Found] {
        var found: [Found] = []
        var seen: Set<BluetoothUUID> = []
        let services = peripheral.services.filter { $0.uuid != Battery.uuid }
        for service in services + peripheral.services(Battery.uuid) {
            for characteristic in service.characteristics where characteristic.canNotify {
                // Two of one type cannot be told apart by their UUIDs.
                guard seen.insert(characteristic.uuid).inserted else { continue }
                if let known = StandardMeasurement.of(characteristic.uuid, wheel: wheel) {
                    if service.uuid != Battery.uuid || found.isEmpty { found.append((service.uuid, known)) }
                    continue
                }
                guard let descriptor = characteristic.descriptors.first(where: { $0.uuid == 0x2904 }) else { continue }
                let bytes = try await peripheral.read(descriptor, timeout: timeout)
                if let format = try? PresentationFormat(decoding: bytes),
                    let presented = StandardMeasurement.presented(characteristic.uuid, as: format)
                {
                    found.append((service.uuid, presented))
                }
            }
        }
        return found
    }

    private static func chosen(
        _ names: [String], of found: [Found], on peripheral: Peripheral
    ) throws(SensingError) -> [Found] {
        guard !found.isEmpty else {
            throw SensingError(.unsupported, "\(peripheral) notifies nothing whose meaning is known")
        }
        guard !names.isEmpty else { return found }
        var chosen: [Found] = []
        for name in names {
            let uuid = BluetoothUUID(name) ?? AssignedNumbers.characteristic(named: name)?.uuid
            let match = found.first { one in
                one.measurement.characteristic == uuid
                    || one.measurement.channels.contains { $0.name.lowercased() == name.lowercased() }
            }
            guard let match else {
                let known = found.map(\.measurement.characteristic.description).joined(separator: ", ")
                throw SensingError(.invalidOption, "channel \(name): this device measures \(known)")
            }
            if !chosen.contains(where: { $0.measurement.characteristic == match.measurement.characteristic }) {
                chosen.append(match)
            }
        }
        return chosen
    }
}
