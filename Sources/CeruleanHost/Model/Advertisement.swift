// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// What a device advertised: the newest advertisement, merged with its scan response.
public struct Advertisement: Hashable, Sendable {
    /// Who sent it.
    public var peer: PeerID
    /// The address it was sent from, where the engine knows it.
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

    /// An advertisement with its octets.
    public init(
        peer: PeerID, address: DeviceAddress?, rssi: Int?, isConnectable: Bool, time: MonotonicTime, raw: [UInt8]?,
        scanResponse: [UInt8]? = nil, reported: AdvertisementFields? = nil
    ) {
        self.peer = peer
        self.address = address
        self.rssi = rssi
        self.isConnectable = isConnectable
        self.time = time
        self.raw = raw
        self.scanResponse = scanResponse
        self.reported = reported
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

    /// By default: active, all the time, one report for each device and change.
    public init(
        services: [BluetoothUUID] = [], reportsDuplicates: Bool = false, isActive: Bool = true,
        interval: Duration = .milliseconds(60), window: Duration = .milliseconds(60)
    ) {
        self.services = services
        self.reportsDuplicates = reportsDuplicates
        self.isActive = isActive
        self.interval = interval
        self.window = window
    }
}

/// What to advertise and how.
public struct AdvertisingParameters: Hashable, Sendable {
    /// What the packets hold.
    public enum Content: Hashable, Sendable {
        /// Octets as they go over the air (capability ``HostCapabilities/rawAdvertising``), at most 31 each.
        case raw(data: [UInt8], scanResponse: [UInt8])
        /// Name and services; the engine lays them out.
        case fields(name: String?, services: [BluetoothUUID])
    }

    /// What the packets hold.
    public var content: Content
    /// Whether centrals may connect.
    public var isConnectable: Bool
    /// Whether scanners may ask for the scan response. Connectable advertisements always are.
    public var isScannable: Bool
    /// Time between advertisements, 20 ms to 10.24 s.
    public var interval: Duration

    /// Connectable, every 100 ms, unless said otherwise.
    public init(
        content: Content, isConnectable: Bool = true, isScannable: Bool = true, interval: Duration = .milliseconds(100)
    ) {
        self.content = content
        self.isConnectable = isConnectable
        self.isScannable = isScannable
        self.interval = interval
    }
}
