// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// What a device advertised: the newest advertisement, merged with its scan response.
public struct Advertisement: Hashable, Sendable {
    /// Who sent it.
    public var peer: PeerID
    /// The address it was sent from, where the engine knows it and the advertisement is not anonymous.
    public var address: DeviceAddress?
    /// Received signal strength in dBm, -127 to 20; nil when the controller could not measure it.
    public var rssi: Int?
    /// True when a connection is invited.
    public var isConnectable: Bool
    /// Host time of reception.
    public var time: MonotonicTime
    /// The octets of the advertisement, where the engine has them (capability ``HostCapabilities/rawScanData``).
    public var raw: [UInt8]?
    /// The octets of the scan response, if one came.
    public var scanResponse: [UInt8]?
    /// The decoded fields, for engines that have no octets. Nil when `raw` is set: decode on demand with ``fields``.
    public var reported: AdvertisementFields?
    /// What came with it in extended packets; nil for legacy ones.
    public var extended: Extended?

    /// What extended packets tell beyond legacy ones.
    public struct Extended: Hashable, Sendable {
        /// Mode of the advertising channel.
        public var primaryPHY: PHY
        /// Mode of the data; nil when all came on the advertising channel.
        public var secondaryPHY: PHY?
        /// Number of the advertiser's set, 0 to 15, where it sends one.
        public var setID: UInt8?
        /// Transmit power in dBm, where the advertiser tells it.
        public var txPower: Int?
        /// Time between the periodic data of the set; nil without such.
        public var periodicInterval: Duration?
        /// The end of the data was lost.
        public var isTruncated: Bool

        /// Collects the parts.
        public init(
            primaryPHY: PHY, secondaryPHY: PHY? = nil, setID: UInt8? = nil, txPower: Int? = nil,
            periodicInterval: Duration? = nil, isTruncated: Bool = false
        ) {
            self.primaryPHY = primaryPHY
            self.secondaryPHY = secondaryPHY
            self.setID = setID
            self.txPower = txPower
            self.periodicInterval = periodicInterval
            self.isTruncated = isTruncated
        }
    }

    /// An advertisement with its octets.
    public init(
        peer: PeerID, address: DeviceAddress?, rssi: Int?, isConnectable: Bool, time: MonotonicTime, raw: [UInt8]?,
        scanResponse: [UInt8]? = nil, reported: AdvertisementFields? = nil, extended: Extended? = nil
    ) {
        self.peer = peer
        self.address = address
        self.rssi = rssi
        self.isConnectable = isConnectable
        self.time = time
        self.raw = raw
        self.scanResponse = scanResponse
        self.reported = reported
        self.extended = extended
    }
}

/// How to scan.
public struct ScanParameters: Hashable, Sendable {
    /// Only devices that advertise at least one of these services; empty for all.
    public var services: [BluetoothUUID]
    /// Every advertisement, or only the first of each device and its changes.
    public var reportsDuplicates: Bool
    /// Ask for scan responses.
    public var isActive: Bool
    /// How often to listen, 2.5 ms to 10.24 s.
    public var interval: Duration
    /// How long to listen each time, at most `interval`.
    public var window: Duration
    /// Where to listen: LE 1M, LE Coded or both. LE Coded needs ``HostCapabilities/extendedAdvertising`` and a controller that
    /// has it.
    public var phys: PHYSet

    /// By default: active, all the time, one report for each device and change.
    public init(
        services: [BluetoothUUID] = [], reportsDuplicates: Bool = false, isActive: Bool = true,
        interval: Duration = .milliseconds(60), window: Duration = .milliseconds(60), phys: PHYSet = .le1M
    ) {
        self.services = services
        self.reportsDuplicates = reportsDuplicates
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.phys = phys
    }
}
