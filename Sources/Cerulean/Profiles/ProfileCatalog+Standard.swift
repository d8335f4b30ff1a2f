// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension ProfileCatalog {
    /// The services that the library has types for, by the tags Device, Health, Fitness, Environment, Time, Location and
    /// Automation.
    public static let standard = ProfileCatalog(device + health + fitness + environment + others)

    // MARK: - Private

    private static let device = [
        ServiceDeclaration(GenericAccess.uuid, tag: "Device") {
            GenericAccess.deviceName
            GenericAccess.appearance
            GenericAccess.preferredConnectionParameters
        },
        ServiceDeclaration(GenericAttribute.uuid, tag: "Device") { GenericAttribute.serviceChanged },
        ServiceDeclaration(DeviceInformation.uuid, tag: "Device") {
            CharacteristicProfile<TextValue>(0x2A29, .read, initial: "Cerulean")
            CharacteristicProfile<TextValue>(0x2A24, .read, initial: "Simulated device")
            CharacteristicProfile<TextValue>(0x2A25, .read, initial: "0001")
            CharacteristicProfile<TextValue>(0x2A26, .read, initial: "1.0")
            CharacteristicProfile<TextValue>(0x2A27, .read, initial: "1.0")
            CharacteristicProfile<TextValue>(0x2A28, .read, initial: "1.0")
            DeviceInformation.systemID
            DeviceInformation.regulatoryCertification
            DeviceInformation.pnpID
        },
        ServiceDeclaration(Battery.uuid, tag: "Device") {
            CharacteristicProfile(0x2A19, [.read, .notify], initial: BatteryLevel(percent: 100))
        },
        ServiceDeclaration(0x1804, tag: "Device") {
            CharacteristicProfile(0x2A07, .read, initial: IntegerValue<Int8>(-40))
        },
        ServiceDeclaration(0x1802, tag: "Device") {
            CharacteristicProfile<IntegerValue<UInt8>>(0x2A06, .writeWithoutResponse)
        },
        ServiceDeclaration(0x1803, tag: "Device") {
            CharacteristicProfile(0x2A06, [.read, .write], initial: IntegerValue<UInt8>(0))
        },
        ServiceDeclaration(0x1812, tag: "Device") { CharacteristicProfile<HIDInformation>(0x2A4A, .read) },
    ]

    private static let health = [
        ServiceDeclaration(HeartRate.uuid, tag: "Health") {
            CharacteristicProfile(0x2A37, .notify, initial: HeartRateMeasurement(heartRate: 60))
            CharacteristicProfile(0x2A38, .read, initial: BodySensorLocation.chest)
            HeartRate.controlPoint
        },
        ServiceDeclaration(HealthThermometer.uuid, tag: "Health") {
            HealthThermometer.measurement
            HealthThermometer.intermediate
        },
        ServiceDeclaration(BloodPressure.uuid, tag: "Health") {
            BloodPressure.measurement
            BloodPressure.intermediateCuff
        },
        ServiceDeclaration(Glucose.uuid, tag: "Health") {
            Glucose.measurement
            Glucose.context
            Glucose.recordAccess
        },
        ServiceDeclaration(GlucoseMonitoring.uuid, tag: "Health") {
            GlucoseMonitoring.measurement
            GlucoseMonitoring.recordAccess
            GlucoseMonitoring.status
            GlucoseMonitoring.sessionStart
        },
        ServiceDeclaration(PulseOximeter.uuid, tag: "Health") {
            PulseOximeter.spotCheck
            PulseOximeter.continuous
        },
        ServiceDeclaration(WeightScale.uuid, tag: "Health") { WeightScale.measurement },
        ServiceDeclaration(BodyComposition.uuid, tag: "Health") { BodyComposition.measurement },
    ]

    private static let fitness = [
        ServiceDeclaration(CyclingSpeedCadence.uuid, tag: "Fitness") { CyclingSpeedCadence.measurement },
        ServiceDeclaration(CyclingPower.uuid, tag: "Fitness") { CyclingPower.measurement },
        ServiceDeclaration(RunningSpeedCadence.uuid, tag: "Fitness") { RunningSpeedCadence.measurement },
        ServiceDeclaration(FitnessMachine.uuid, tag: "Fitness") {
            FitnessMachine.indoorBike
            FitnessMachine.treadmill
            FitnessMachine.rower
        },
    ]

    private static let environment = [
        ServiceDeclaration(0x181A, tag: "Environment") {
            scalar(TemperatureKind.self, [.read, .notify], 21.5)
            scalar(HumidityKind.self, [.read, .notify], 45)
            scalar(PressureKind.self, [.read, .notify], 101_325)
            scalar(UVIndexKind.self, .read, 3)
        }
    ]

    private static func scalar<Kind: ScalarKind>(
        _ kind: Kind.Type, _ properties: CharacteristicProperties, _ value: Double
    ) -> AnyCharacteristicProfile {
        AnyCharacteristicProfile(CharacteristicProfile(Kind.uuid, properties, initial: KnownScalar<Kind>(value)))
    }

    private static let others = [
        ServiceDeclaration(CurrentTime.uuid, tag: "Time") {
            CurrentTime.time
            CurrentTime.local
            CurrentTime.reference
        },
        ServiceDeclaration(LocationNavigation.uuid, tag: "Location") {
            LocationNavigation.locationAndSpeed
            LocationNavigation.navigation
            LocationNavigation.positionQuality
        },
        ServiceDeclaration(0x1815, tag: "Automation") {
            CharacteristicProfile(
                0x2A56, [.read, .write, .notify], initial: DigitalSignals([.inactive, .inactive, .inactive, .inactive]))
            CharacteristicProfile(0x2A58, [.read, .notify], initial: IntegerValue<UInt16>(512))
        },
    ]
}

/// Which characteristic that holds a single number.
private protocol ScalarKind: Sendable {
    static var uuid: BluetoothUUID { get }
}

private enum TemperatureKind: ScalarKind { static let uuid: BluetoothUUID = 0x2A6E }
private enum HumidityKind: ScalarKind { static let uuid: BluetoothUUID = 0x2A6F }
private enum PressureKind: ScalarKind { static let uuid: BluetoothUUID = 0x2A6D }
private enum UVIndexKind: ScalarKind { static let uuid: BluetoothUUID = 0x2A76 }

/// The number of a characteristic in the format that is assigned to it.
private struct KnownScalar<Kind: ScalarKind>: ListedValue {
    var scalar: ScalarValue

    init() { self.init(0) }
    init(_ value: Double) { scalar = ScalarValue(value, ScalarFormat.of(Kind.uuid) ?? ScalarFormat(octets: 1)) }

    mutating func visit(_ coder: inout ValueCoder) throws(WireError) { try scalar.visit(&coder) }
}
