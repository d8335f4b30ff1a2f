// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Which feature a characteristic carries: the built-in tables, and what a program adds to them. A value; nodes take a
/// copy when they connect. bluest.md §3, §4.
///
/// ```swift
/// var features = FeatureRegistry()
/// try features.register(weight, mask: 0x8000_0000, device: 0xF0)
/// features.register([weight], characteristic: "0000AA01-0000-1000-8000-00805F9B34FB")
/// ```
public struct FeatureRegistry: Sendable {
    /// Why a feature cannot be registered.
    public enum RegistrationError: Error, Hashable, Sendable, CustomStringConvertible {
        /// A mask must have exactly one bit.
        case notOneBit(UInt32)

        /// The error in words.
        public var description: String {
            switch self {
            case .notOneBit(let mask):
                "the feature mask \(BlueSTAdvertisement.hex(mask, 8)) must have exactly one bit"
            }
        }
    }

    /// A feature's place in a characteristic.
    public struct Slot: Hashable, Sendable {
        /// The feature.
        public var feature: Feature
        /// Its bit in the mask; 0 for features that have none.
        public var mask: UInt32
        /// False if the board did not advertise it: it is read over and not published.
        public var isEnabled: Bool

        /// Describes a place.
        public init(feature: Feature, mask: UInt32 = 0, isEnabled: Bool = true) {
            self.feature = feature
            self.mask = mask
            self.isEnabled = isEnabled
        }
    }

    private var basic: [UInt8: [UInt32: Feature]] = [:]
    private var extended: [UInt32: Feature] = [:]
    private var characteristics: [BluetoothUUID: [Feature]] = [:]

    /// The built-in features.
    public init() {}

    /// Adds a feature of one bit for boards of a device id, known or new; it comes before the built-in meaning of the
    /// bit.
    ///
    /// - Throws: ``RegistrationError`` unless `mask` has exactly one bit.
    public mutating func register(_ feature: Feature, mask: UInt32, device: UInt8) throws(RegistrationError) {
        guard mask.nonzeroBitCount == 1 else { throw .notOneBit(mask) }
        basic[device, default: [:]][mask] = feature
    }

    /// Adds an extended feature: the characteristic `XXXXXXXX-0002-11e1-ac36-0002a5d5c51b`.
    public mutating func register(_ feature: Feature, extended number: UInt32) { extended[number] = feature }

    /// Adds features for a characteristic of any UUID, in the order of their data.
    public mutating func register(_ features: [Feature], characteristic: BluetoothUUID) {
        characteristics[characteristic] = features
    }

    /// True if boards of this number are known, or features were added for it.
    public func isValidDevice(_ device: UInt8) -> Bool {
        basic[device] != nil || Board(id: device, protocolVersion: 1).token != "GENERIC"
            || Board(id: device, protocolVersion: 2).token != "GENERIC" || device == 0
    }

    /// The feature of a bit.
    public func feature(mask: UInt32, device: UInt8, protocolVersion: UInt8) -> Feature? {
        if let own = basic[device]?[mask] { return own }
        if device == 0x81, protocolVersion == 1 { return Self.remote[mask] }
        if device == 0x06 {
            if let own = Self.box[mask] { return own }
            if mask & 0x0000_A800 != 0 { return nil }
        }
        return Self.standard[mask]
    }

    /// What a characteristic carries, in the order of its data; empty if it carries no feature. `advertised` is the
    /// mask of a version 1 board, nil in version 2, where everything that is there is published.
    public func slots(
        of uuid: BluetoothUUID, device: UInt8, protocolVersion: UInt8, advertised: UInt32?
    ) -> [Slot] {
        if let own = characteristics[uuid] { return own.map { Slot(feature: $0) } }
        switch BlueSTUUID.kind(of: uuid) {
        case .features(let mask):
            return (0..<32).reversed().compactMap { bit in
                let single = UInt32(1) << UInt32(bit)
                guard mask & single != 0,
                    let feature = feature(mask: single, device: device, protocolVersion: protocolVersion)
                else { return nil }
                let isEnabled = advertised.map { $0 & single != 0 } ?? true
                return Slot(feature: feature, mask: single, isEnabled: isEnabled)
            }
        case .extended(let number):
            return (extended[number] ?? Self.extendedFeatures[number]).map { [Slot(feature: $0)] } ?? []
        case .generalPurpose: return [Slot(feature: .generalPurpose)]
        case .terminal, .standardError, .registers, .commands: return []
        case .other: return Self.external[uuid].map { [Slot(feature: $0)] } ?? []
        }
    }

    /// The features that boards of a number have by their mask, highest bit first.
    public func features(device: UInt8, protocolVersion: UInt8) -> [Slot] {
        slots(of: BlueSTUUID.features(.max), device: device, protocolVersion: protocolVersion, advertised: nil)
    }

    /// The built-in or added feature called `id`, in any case.
    public func feature(id: String) -> Feature? {
        let wanted = id.lowercased()
        return allFeatures.first { $0.id.lowercased() == wanted }
    }

    /// All features that are known.
    public var allFeatures: [Feature] {
        var found: [Feature] = []
        let added = basic.sorted { $0.key < $1.key }.flatMap { $0.value.sorted { $0.key > $1.key }.map(\.value) }
        let numbered = extended.sorted { $0.key < $1.key }.map(\.value)
        for feature in added + numbered + characteristics.values.flatMap({ $0 }) + Self.builtIn
        where !found.contains(feature) {
            found.append(feature)
        }
        return found
    }

    // MARK: - Tables

    static let builtIn: [Feature] = {
        let maps = [standard, box, remote].flatMap { $0.sorted { $0.key > $1.key }.map(\.value) }
        return maps + extendedFeatures.sorted { $0.key < $1.key }.map(\.value) + [.generalPurpose]
            + external.sorted { $0.key < $1.key }.map(\.value)
    }()

    /// bluest.md §4.1. Bit 14, the ability to restart, carries no data.
    static let standard: [UInt32: Feature] = [
        0x4000_0000: .adpcmSync, 0x2000_0000: .switch, 0x1000_0000: .directionOfArrival, 0x0800_0000: .adpcmAudio,
        0x0400_0000: .micLevel, 0x0200_0000: .proximity, 0x0100_0000: .luminosity, 0x0080_0000: .acceleration,
        0x0040_0000: .gyroscope, 0x0020_0000: .magnetometer, 0x0010_0000: .pressure, 0x0008_0000: .humidity,
        0x0004_0000: .temperature, 0x0002_0000: .battery, 0x0001_0000: .temperature, 0x0000_8000: .coSensor,
        0x0000_2000: .stepperMotor, 0x0000_1000: .sdLogging, 0x0000_0800: .beamForming,
        0x0000_0400: .accelerationEvent, 0x0000_0200: .freeFall, 0x0000_0100: .sensorFusionCompact,
        0x0000_0080: .sensorFusion, 0x0000_0040: .compass, 0x0000_0020: .motionIntensity, 0x0000_0010: .activity,
        0x0000_0008: .carryPosition, 0x0000_0004: .proximityGesture, 0x0000_0002: .memsGesture,
        0x0000_0001: .pedometer,
    ]

    /// What the SensorTile.box has instead. bluest.md §4.2.
    static let box: [UInt32: Feature] = [
        0x8000_0000: .fftAmplitude, 0x1000_0000: .memsNorm, 0x0200_0000: .audioClassification,
        0x0000_4000: .eulerAngle, 0x0000_0200: .eventCounter,
    ]

    /// All that a board with remote features has. bluest.md §4.3.
    static let remote: [UInt32: Feature] = [
        0x2000_0000: .remoteSwitch, 0x0010_0000: .remotePressure, 0x0008_0000: .remoteHumidity,
        0x0004_0000: .remoteTemperature,
    ]

    static let extendedFeatures: [UInt32: Feature] = [
        0x01: .opusAudio, 0x02: .opusAudioConf, 0x03: .audioClassification, 0x04: .aiLogging, 0x05: .fftAmplitude,
        0x06: .motorTimeParameters, 0x07: .predictiveSpeedStatus, 0x08: .predictiveAccelerationStatus,
        0x09: .predictiveFrequencyDomainStatus, 0x0A: .motionAlgorithm, 0x0D: .eulerAngle, 0x0E: .fitnessActivity,
        0x0F: .machineLearningCore, 0x10: .finiteStateMachine, 0x11: .dataLogConfiguration, 0x13: .tofMultiObject,
        0x14: .extendedConfiguration, 0x15: .colorAmbientLight, 0x16: .qvar, 0x17: .stredl, 0x18: .gnss,
        0x19: .neaiAnomalyDetection, 0x1A: .neaiClassification, 0x1B: .pnpl, 0x1C: .piano, 0x1D: .eventCounter,
        0x1F: .gestureNavigation, 0x20: .jsonNFC, 0x21: .memsNorm, 0x22: .binaryContent, 0x23: .rawPnPL,
        0x24: .neaiExtrapolation, 0x25: .ispuControl, 0x26: .medicalSignal16Bit, 0x27: .medicalSignal24Bit,
        0x28: .roboticsMovement, 0x29: .sceneDescription, 0x30: .assetTrackingEvent, 0x31: .odometry,
    ]

    static let external: [BluetoothUUID: Feature] = [
        0x2A37: .heartRate, 0x2A38: .bodySensorLocation, BlueSTUUID.peerSwitch: .p2pSwitchStatus,
        BlueSTUUID.peerNetwork: .p2pNetworkStatus, BlueSTUUID.blueNRGMemory: .blueNrgOtaMemoryInfo,
        BlueSTUUID.blueNRGSettings: .blueNrgOtaSettings, BlueSTUUID.blueNRGAck: .blueNrgOtaAck,
    ]
}
