// SPDX-License-Identifier: Apache-2.0

/// What an advertisement and its scan response say, merged: the fields that programs look for.
public struct AdvertisementFields: Hashable, Sendable {
    /// Data of one manufacturer.
    public struct ManufacturerData: Hashable, Sendable {
        /// The company's assigned number.
        public var company: UInt16
        /// What follows the number.
        public var data: [UInt8]

        /// Pairs a company with its data.
        public init(company: UInt16, data: [UInt8]) {
            self.company = company
            self.data = data
        }
    }

    /// Data of one service.
    public struct ServiceData: Hashable, Sendable {
        /// The service.
        public var uuid: BluetoothUUID
        /// What follows the UUID.
        public var data: [UInt8]

        /// Pairs a service with its data.
        public init(uuid: BluetoothUUID, data: [UInt8]) {
            self.uuid = uuid
            self.data = data
        }
    }

    /// The flags octet.
    public var flags: UInt8?
    /// The complete name, else the shortened one; repaired UTF-8.
    public var name: String?
    /// All services listed, in order, without repetition.
    public var services: [BluetoothUUID] = []
    /// All services asked for.
    public var solicitedServices: [BluetoothUUID] = []
    /// Manufacturer data in order.
    public var manufacturerData: [ManufacturerData] = []
    /// Service data in order.
    public var serviceData: [ServiceData] = []
    /// Transmit power in dBm.
    public var txPower: Int8?
    /// What the device looks like.
    public var appearance: UInt16?

    /// No field.
    public init() {}
}
