// SPDX-License-Identifier: Apache-2.0

public import Cerulean
public import CeruleanWire

/// Knows one kind of device: tells it from its advertisement, and turns it into a ``SampleSource``.
///
/// A driver is a value; put it into a ``DriverRegistry`` to have it found.
public protocol DeviceDriver: Sendable {
    /// The kind in one lower-case word, unique in a registry: `bitalino`.
    var kind: String { get }
    /// What people call the device: `BITalino (r)evolution`.
    var title: String { get }
    /// Services that only this kind of device has, by which it is recognized when its advertisement says nothing.
    var services: [BluetoothUUID] { get }
    /// Whether an advertisement comes from such a device; nil if not. `fields` may be hostile.
    func recognize(_ fields: AdvertisementFields, address: DeviceAddress?) -> Recognition?
    /// Connects to a device if need be, and makes a source of it. Nothing is acquired before the first event is asked for.
    ///
    /// - Throws: ``SensingError`` about the options, before anything is sent; `BluetoothError` of the link; or an
    ///   error of the driver.
    func open(_ peripheral: Peripheral, options: SourceOptions) async throws -> any SampleSource
    /// A device of this kind made of software.
    ///
    /// - Throws: ``SensingError`` `.unsupported` if the driver has none, or about the options.
    func makeSimulated(_ options: SimulationOptions) throws -> any SimulatedDevice
}

extension DeviceDriver {
    /// None.
    ///
    /// - Throws: ``SensingError`` `.unsupported`.
    public func makeSimulated(_ options: SimulationOptions) throws -> any SimulatedDevice {
        throw SensingError(.unsupported, "there is no simulated \(kind)")
    }
}

/// What a driver makes of an advertisement.
public struct Recognition: Hashable, Sendable {
    /// The driver's kind.
    public var kind: String
    /// How sure the driver is: when several recognize a device, the highest wins.
    public var confidence: Confidence
    /// What the advertisement says, decoded: members behind `kind` in `scan --json`.
    public var details: [FieldValue.Member]

    /// How sure a driver is.
    public enum Confidence: Int, Comparable, Sendable {
        /// Only a service that many devices have.
        case service = 1
        /// The name fits.
        case name = 2
        /// A service or format of this kind of device alone.
        case certain = 3

        /// Compares how sure they are.
        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// Describes a recognized device.
    public init(kind: String, confidence: Confidence, details: [FieldValue.Member] = []) {
        self.kind = kind
        self.confidence = confidence
        self.details = details
    }

    /// The object in the list `decoded` of a scan.
    public var value: FieldValue { .object([.init("kind", .text(kind))] + details) }
}

/// The drivers that a program knows: the one way for drivers to be found. A value; pass it on, or add to a copy.
///
/// ```swift
/// var drivers = DriverRegistry([BITalinoDriver()])
/// drivers.register(MyThermometerDriver())
/// ```
public struct DriverRegistry: Sendable {
    /// The drivers in the order in which they are asked.
    public private(set) var drivers: [any DeviceDriver] = []

    /// A registry with some drivers.
    public init(_ drivers: [any DeviceDriver] = []) {
        for driver in drivers { register(driver) }
    }

    /// Adds a driver; it replaces an earlier one of the same kind.
    public mutating func register(_ driver: some DeviceDriver) {
        drivers.removeAll { $0.kind == driver.kind }
        drivers.append(driver)
    }

    /// The driver of a kind.
    public func driver(kind: String) -> (any DeviceDriver)? { drivers.first { $0.kind == kind } }

    /// All drivers that recognize an advertisement, the surest first.
    public func recognize(
        _ fields: AdvertisementFields, address: DeviceAddress?
    ) -> [(driver: any DeviceDriver, recognition: Recognition)] {
        drivers.compactMap { driver in driver.recognize(fields, address: address).map { (driver, $0) } }
            .enumerated()
            .sorted { ($1.element.1.confidence, $0.offset) < ($0.element.1.confidence, $1.offset) }
            .map { ($0.element.0, $0.element.1) }
    }

    /// The driver of a device with these services.
    public func driver(forServices services: [BluetoothUUID]) -> (any DeviceDriver)? {
        drivers.first { driver in driver.services.contains { services.contains($0) } }
    }
}
