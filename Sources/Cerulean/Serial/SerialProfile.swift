// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// A service that stands for a serial line: one characteristic carries octets to the device, one from it.
///
/// An open set: make your own with ``init(name:service:toDevice:fromDevice:reset:packetLimit:)``.
public struct SerialProfile: Hashable, Sendable {
    /// What it is called: `nordic-uart`.
    public var name: String
    /// The service.
    public var service: BluetoothUUID
    /// What we write.
    public var toDevice: BluetoothUUID
    /// What the device notifies.
    public var fromDevice: BluetoothUUID
    /// Written behind each value that was received, where the device has it.
    public var reset: BluetoothUUID?
    /// Octets in a packet at most, whatever the link could carry; nil for as many as it can.
    public var packetLimit: Int?

    /// Describes a service.
    public init(
        name: String, service: BluetoothUUID, toDevice: BluetoothUUID, fromDevice: BluetoothUUID,
        reset: BluetoothUUID? = nil, packetLimit: Int? = nil
    ) {
        self.name = name
        self.service = service
        self.toDevice = toDevice
        self.fromDevice = fromDevice
        self.reset = reset
        self.packetLimit = packetLimit
    }

    /// Boards of RedBearLab.
    public static let redBear = Self(
        name: "redbear", service: "713D0000-503E-4C75-BA94-3148F18D941E",
        toDevice: "713D0003-503E-4C75-BA94-3148F18D941E", fromDevice: "713D0002-503E-4C75-BA94-3148F18D941E",
        reset: "713D0004-503E-4C75-BA94-3148F18D941E", packetLimit: 20)
    /// The UART service of Nordic Semiconductor, which Adafruit's boards have too.
    public static let nordic = Self(
        name: "nordic-uart", service: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
        toDevice: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E", fromDevice: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
    /// HM-10, HM-11, AT-09 and other modules with a CC254x: one characteristic for both directions.
    public static let hm10 = Self(
        name: "hm-10", service: 0xFFE0, toDevice: 0xFFE1, fromDevice: 0xFFE1, packetLimit: 20)
    /// HM-10 modules that are written at another characteristic.
    public static let hm10Split = Self(
        name: "hm-10", service: 0xFFE0, toDevice: 0xFFE2, fromDevice: 0xFFE1, packetLimit: 20)
    /// The transparent UART of Microchip (formerly ISSC).
    public static let microchip = Self(
        name: "microchip-transparent-uart", service: "49535343-FE7D-4AE5-8FA9-9FAFD205E455",
        toDevice: "49535343-8841-43F4-A8D4-ECBE34729BB3", fromDevice: "49535343-1E4D-4BD9-BA61-23C647249616")

    /// The services that are known.
    public static let all = [redBear, nordic, hm10, hm10Split, microchip]

    /// A characteristic as far as it matters here; without properties its UUID alone decides.
    public struct Candidate: Hashable, Sendable {
        /// Its type.
        public var uuid: BluetoothUUID
        /// What it can do; nil if that is not known.
        public var properties: CharacteristicProperties?

        /// Describes a characteristic.
        public init(_ uuid: BluetoothUUID, _ properties: CharacteristicProperties? = nil) {
            self.uuid = uuid
            self.properties = properties
        }

        var canSend: Bool { properties.map { !$0.isDisjoint(with: [.notify, .indicate]) } ?? true }
        var canTake: Bool { properties.map { !$0.isDisjoint(with: [.write, .writeWithoutResponse]) } ?? true }
    }

    /// Which serial service this is; nil for none. Other services use the same UUIDs: what the characteristics can do
    /// decides.
    public static func identify(_ service: BluetoothUUID, _ characteristics: [Candidate]) -> SerialProfile? {
        for profile in all where profile.service == service {
            let sends = characteristics.contains { $0.uuid == profile.fromDevice && $0.canSend }
            let takes = characteristics.contains { $0.uuid == profile.toDevice && $0.canTake }
            guard sends, takes else { continue }
            var found = profile
            if !characteristics.contains(where: { $0.uuid == profile.reset }) { found.reset = nil }
            return found
        }
        return nil
    }

    /// True for the keys of a SensorTag: the service of HM-10 modules, but nothing in it can be written.
    public static func isSensorTagKeys(_ service: BluetoothUUID, _ characteristics: [Candidate]) -> Bool {
        service == 0xFFE0 && identify(service, characteristics) == nil
            && characteristics.contains { $0.uuid == 0xFFE1 && $0.canSend }
    }
}
