// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// The SensorTags of Texas Instruments.
///
/// ```swift
/// let tag = try await SensorTagDevice(connecting: found)
/// try await tag.enable(.humidity, period: .milliseconds(500))
/// for try await reading in try await tag.readings(of: .humidity) { print(reading) }
/// ```
public enum SensorTag {
    /// Which SensorTag.
    public enum Model: String, CaseIterable, Hashable, Sendable {
        /// The first one, 2012.
        case cc2541 = "CC2541"
        /// SensorTag 2.0, 2015.
        case cc2650 = "CC2650"
        /// SensorTag for long range; as the CC2650.
        case cc1350 = "CC1350"

        /// The model of a name in any case: `cc2650`.
        public init?(named text: String) {
            guard let known = Self.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
                return nil
            }
            self = known
        }

        /// True for the first SensorTag, whose sensors are other parts.
        public var isFirst: Bool { self == .cc2541 }
    }

    /// A UUID of TI's own range, `F000xxxx-0451-4000-B000-000000000000`.
    public static func uuid(_ number: UInt16) -> BluetoothUUID {
        BluetoothUUID(high: 0xF000_0000_0451_4000 | UInt64(number) << 32, low: 0xB000_0000_0000_0000)
    }

    /// What a CC2650 advertises: a 16-bit number, which is *not* the UUID of a service in its database.
    public static let advertisedService: BluetoothUUID = 0xAA80
    /// The service of the keys, which other makers use as well.
    public static let keysService: BluetoothUUID = 0xFFE0
    /// The state of the keys.
    public static let keysData: BluetoothUUID = 0xFFE1
    /// The service of LEDs and buzzer (CC2650).
    public static let ioService = uuid(0xAA64)
    /// LEDs and buzzer, or in self-test the results.
    public static let ioData = uuid(0xAA65)
    /// Who drives them.
    public static let ioConfiguration = uuid(0xAA66)
    /// The self-test (CC2541).
    public static let testService = uuid(0xAA60)
    /// Its result.
    public static let testData = uuid(0xAA61)
    /// Connection parameters.
    public static let connectionService = uuid(0xCCC0)
    /// Asks for others.
    public static let connectionRequest = uuid(0xCCC2)

    /// Which SensorTag a name and services, advertised or in the database, belong to; nil for none.
    public static func identify(name: String?, services: [BluetoothUUID]) -> Model? {
        let name = name?.lowercased() ?? ""
        if name.contains("cc1350") { return .cc1350 }
        if name.contains("cc2650") || name.contains("sensortag 2.0") { return .cc2650 }
        if services.contains(where: { [advertisedService, uuid(0xAA70), uuid(0xAA80)].contains($0) }) {
            return .cc2650
        }
        if services.contains(where: { [uuid(0xAA10), uuid(0xAA50)].contains($0) }) { return .cc2541 }
        if name == "sensortag" || name == "ti ble sensor tag" { return .cc2541 }
        return nil
    }
}

/// Why something about a SensorTag cannot be done.
public struct SensorTagError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in terms a program can act on. New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Storage: String, Sendable { case truncated, missingCalibration, unsupported, notSensorTag }
        private let storage: Storage

        /// A value has too few octets.
        public static let truncated = Self(storage: .truncated)
        /// The pressure of a CC2541 needs the calibration of its sensor.
        public static let missingCalibration = Self(storage: .missingCalibration)
        /// The model has no such sensor, or the sensor no such setting.
        public static let unsupported = Self(storage: .unsupported)
        /// The device is no SensorTag.
        public static let notSensorTag = Self(storage: .notSensorTag)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// What is wrong.
    public var code: Code
    /// Octets from the start of the value to what is wrong.
    public var offset: Int
    /// What happened, for people.
    public var detail: String

    /// An error with its explanation.
    public init(_ code: Code, _ detail: String, offset: Int = 0) {
        self.code = code
        self.offset = offset
        self.detail = detail
    }

    /// The explanation.
    public var description: String { detail }
}
