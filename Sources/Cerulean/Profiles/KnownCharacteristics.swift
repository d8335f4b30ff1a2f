// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Decodes values of characteristics and descriptors that have a known layout, for people and for JSON.
///
/// ```swift
/// KnownCharacteristics.decode(uuid: 0x2A19, bytes: [100])   // {"value": 100}
/// ```
public enum KnownCharacteristics {
    /// What a value alone does not tell.
    public struct Options: Hashable, Sendable {
        /// How many signals a digital value holds (descriptor 2909).
        public var signalCount: Int?
        /// Nothing known.
        public init(signalCount: Int? = nil) { self.signalCount = signalCount }
    }

    /// The outcome of decoding.
    public struct Decoded: Hashable, Sendable {
        /// An object with the fields that were read: all of them when there is no fault, else those before it.
        public var value: FieldValue
        /// Octets behind the last field.
        public var rest: [UInt8]
        /// The first fault.
        public var fault: WireError?
        /// The field that does not fit; nil without a fault.
        public var faultField: String?
    }

    /// True when values of this type can be decoded.
    public static func isKnown(_ uuid: BluetoothUUID) -> Bool {
        decoded(uuid: uuid, bytes: []) != nil
    }

    /// The fields of a value; nil when its type is not known or its octets do not fit.
    public static func decode(uuid: BluetoothUUID, bytes: [UInt8]) -> FieldValue? {
        guard let decoded = decoded(uuid: uuid, bytes: bytes), decoded.fault == nil else { return nil }
        return decoded.value
    }

    /// Reads a value as far as it goes; nil when its type is not known.
    public static func decoded(uuid: BluetoothUUID, bytes: [UInt8], options: Options = .init()) -> Decoded? {
        if let format = ScalarFormat.of(uuid) {
            var scalar = ScalarValue(nil, format)
            return read(bytes) { coder throws(WireError) in try scalar.visit(&coder) }
        }
        if uuid == 0x2A56 {
            var signals = DigitalSignals()
            signals.count = options.signalCount
            return read(bytes) { coder throws(WireError) in try signals.visit(&coder) }
        }
        guard let type = type(of: uuid) else { return nil }
        var value = type.init()
        return read(bytes) { coder throws(WireError) in try value.visit(&coder) }
    }

    /// Reads a value and writes it again in the form that Cerulean sends: reserved bits and padding are gone.
    ///
    /// Nil when its type is not known.
    ///
    /// - Throws: `WireError` when the octets do not fit.
    public static func encodedAgain(
        uuid: BluetoothUUID, bytes: [UInt8], options: Options = .init()
    ) throws(WireError) -> [UInt8]? {
        if let format = ScalarFormat.of(uuid) {
            var scalar = ScalarValue(nil, format)
            var coder = ValueCoder(reading: bytes)
            try scalar.visit(&coder)
            return try scalar.encoded()
        }
        if uuid == 0x2A56 { return try DigitalSignals(decoding: bytes, count: options.signalCount).encoded() }
        guard let type = type(of: uuid) else { return nil }
        return try type.init(decoding: bytes).encoded()
    }

    /// The type that reads values of `uuid`.
    private static func type(of uuid: BluetoothUUID) -> (any ListedValue.Type)? {
        switch uuid.short {
        case 0x2A00, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A8A, 0x2A90, 0x2A87, 0x2901: TextValue.self
        case 0x2A04: PreferredConnectionParameters.self
        case 0x2A05: ServiceChanged.self
        case 0x2A0F: LocalTimeInformation.self
        case 0x2A14: ReferenceTimeInformation.self
        case 0x2A18: GlucoseMeasurement.self
        case 0x2A1C, 0x2A1E: TemperatureMeasurement.self
        case 0x2A23: SystemID.self
        case 0x2A2B: CurrentTimeValue.self
        case 0x2A34: GlucoseContext.self
        case 0x2A35, 0x2A36: BloodPressureMeasurement.self
        case 0x2A37: HeartRateMeasurement.self
        case 0x2A4A: HIDInformation.self
        case 0x2A50: PnPID.self
        case 0x2A53: RunningSpeedCadenceMeasurement.self
        case 0x2A5B: CyclingSpeedCadenceMeasurement.self
        case 0x2A5E: OximeterSpotCheck.self
        case 0x2A5F: OximeterContinuous.self
        case 0x2A63: CyclingPowerMeasurement.self
        case 0x2A67: LocationAndSpeed.self
        case 0x2A68: NavigationValue.self
        case 0x2A69: PositionQuality.self
        case 0x2A9C: BodyCompositionMeasurement.self
        case 0x2A9D: WeightMeasurement.self
        case 0x2A52: RecordAccess.self
        case 0x2AA7: GlucoseMonitoringMeasurement.self
        case 0x2AA9: GlucoseMonitoringStatus.self
        case 0x2AAA: GlucoseMonitoringSessionStart.self
        case 0x2ACD: TreadmillData.self
        case 0x2AD1: RowerData.self
        case 0x2AD2: IndoorBikeData.self
        case 0x2904: PresentationFormat.self
        default: nil
        }
    }

    private static func read(
        _ bytes: [UInt8], _ visit: (inout ValueCoder) throws(WireError) -> Void
    ) -> Decoded {
        var coder = ValueCoder(reading: bytes)
        do {
            try visit(&coder)
            return Decoded(value: .object(coder.members), rest: coder.rest, fault: nil, faultField: nil)
        } catch {
            return Decoded(value: .object(coder.members), rest: coder.rest, fault: error, faultField: coder.field)
        }
    }
}
