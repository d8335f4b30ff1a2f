// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanWire
import Synchronization

/// Makes sources of devices that have standard profiles, or any characteristic that notifies a number whose
/// presentation format
/// says what it means.
///
/// Channels are UUIDs or names of characteristics (`2A6E`, `temperature`); without any, all that measure. The first
/// one gives the
/// pace: each of its values is a row, with the newest values of the others. With a rate, the newest values become
/// rows so often.
/// The setting `wheel` is the circumference of a bicycle's wheel in meters; `records` says which records a glucose meter is
/// asked for: `all` (default), `last` or `none`. After a lost link it is asked for the newer ones.
public struct ProfileDriver: DeviceDriver {
    /// `heartrate` or `source`.
    public let kind: String
    /// What people call the device.
    public let title: String
    /// The services of its profiles.
    public let services: [BluetoothUUID]

    /// Heart-rate sensors: a row for each measurement. They send about one a second, at no fixed rate.
    public static let heartRate = ProfileDriver(
        kind: "heartrate", title: "heart-rate sensor", services: [HeartRate.uuid])
    /// All other standard sensors: thermometers, blood pressure, cycling, running, fitness machines, pulse oximeters,
    /// scales, glucose meters and monitors, environmental sensing, location.
    public static let standard = ProfileDriver(
        kind: "source", title: "standard sensor (thermometer, bicycle, scale, glucose, environment and others)",
        services: [
            0x1809, 0x1810, 0x1816, 0x1818, 0x1814, 0x1826, 0x1822, 0x181D, 0x1808, 0x181F, 0x181A, 0x1819,
        ])

    private init(kind: String, title: String, services: [BluetoothUUID]) {
        self.kind = kind
        self.title = title
        self.services = services
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
        let settings = try Settings(options.settings)
        if let rate = options.rate, !(0.01...1000).contains(rate) {
            throw SensingError(.invalidOption, "rate \(rate) Hz: choose 0.01 to 1000")
        }
        try await peripheral.connect(timeout: options.timeout)
        if peripheral.services.isEmpty { try await peripheral.discover(timeout: max(options.timeout, .seconds(2))) }
        let found = try await Self.measurements(of: peripheral, wheel: settings.wheel, timeout: options.timeout)
        let chosen = try Self.chosen(options.channels, of: found, on: peripheral)
        let newest = Newest()
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
            var decode = measurement.decoder()
            // What is asked for after a lost link begins behind the newest.
            if let numberColumn = measurement.recordNumber {
                decode = { [decode] bytes in
                    let values = decode(bytes)
                    if let values, values.count > numberColumn {
                        newest.note(values[values.count - channels.count + numberColumn])
                    }
                    return values
                }
            }
            return CharacteristicSource.Feed(
                measurement.characteristic, in: service, channels: channels, decode: decode)
        }
        let meters = chosen.filter { $0.measurement.recordNumber != nil }.map(\.service)
        let records = settings.records
        let timeout = options.timeout
        return try await CharacteristicSource.open(
            peripheral, kind: kind, feeds: feeds, pace: options.rate.map { .clock($0) } ?? .arrival(nil),
            options: options,
            begin: { peripheral in
                guard let first = records else { return }
                for service in meters where !peripheral.characteristics(0x2A52, in: service).isEmpty {
                    let selection = newest.next.map { .from(minimum: $0) } ?? first
                    _ = try await peripheral.askForRecords(
                        RecordAccess(.report, selection), in: service, timeout: max(timeout, .seconds(2)))
                }
            })
    }

    // MARK: - Private

    /// What the settings say.
    private struct Settings {
        var wheel = 2.105
        /// Nil for none.
        var records: RecordAccess.Selection? = .all

        init(_ settings: [String: String]) throws(SensingError) {
            for (name, value) in settings {
                switch name {
                case "wheel":
                    guard let number = Double(value), (0.1...5).contains(number) else {
                        throw SensingError(.invalidOption, "setting wheel=\(value): give 0.1 to 5 meters")
                    }
                    wheel = number
                case "records":
                    guard ["all", "last", "none"].contains(value) else {
                        throw SensingError(.invalidOption, "setting records=\(value): choose all, last or none")
                    }
                    records = value == "all" ? .all : value == "last" ? .last : nil
                default:
                    throw SensingError(
                        .invalidOption, "setting \(name): a standard sensor knows wheel (in meters) and records")
                }
            }
        }
    }

    /// The greatest number of the records that came.
    private final class Newest: Sendable {
        private let number = Mutex<UInt16?>(nil)

        func note(_ value: Double) {
            guard let number = UInt16(exactly: value) else { return }
            self.number.withLock { $0 = max($0 ?? 0, number) }
        }

        var next: UInt16? { number.withLock { $0.map { $0 == .max ? $0 : $0 + 1 } } }
    }

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
