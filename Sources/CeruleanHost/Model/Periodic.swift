// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Names one synchronization to a periodic advertiser; never used again for another one.
public struct SyncID: Hashable, Sendable {
    /// The host's own number.
    public let rawValue: UInt64
    /// Wraps a host's number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// How to follow a periodic advertiser. Core 5.4, Vol 4, Part E, 7.8.67.
public struct PeriodicSyncOptions: Hashable, Sendable {
    /// Reports that may be left out after one was received, 0 to 499.
    public var skip: Int
    /// Silence after which the synchronization counts as lost, 100 ms to 163.84 s.
    public var supervisionTimeout: Duration

    /// Every report, lost after 10 s of silence.
    public init(skip: Int = 0, supervisionTimeout: Duration = .seconds(10)) {
        self.skip = skip
        self.supervisionTimeout = supervisionTimeout
    }
}

/// A synchronization that is established.
public struct PeriodicSync: Hashable, Sendable {
    /// The synchronization.
    public var id: SyncID
    /// Who advertises.
    public var peer: PeerID
    /// The address that the advertiser uses.
    public var address: DeviceAddress
    /// The number of the advertiser's set, 0 to 15.
    public var setID: UInt8
    /// The radio mode.
    public var phy: PHY
    /// Time between reports, 7.5 ms to 81.92 s.
    public var interval: Duration

    /// Collects the parts.
    public init(id: SyncID, peer: PeerID, address: DeviceAddress, setID: UInt8, phy: PHY, interval: Duration) {
        self.id = id
        self.peer = peer
        self.address = address
        self.setID = setID
        self.phy = phy
        self.interval = interval
    }
}

/// What a periodic advertiser sent.
public struct PeriodicReport: Hashable, Sendable {
    /// The octets, at most 1,650.
    public var data: [UInt8]
    /// Received signal strength in dBm, nil when unknown.
    public var rssi: Int?
    /// Transmit power in dBm, where the advertiser tells it.
    public var txPower: Int?
    /// The end of the data was lost.
    public var isTruncated: Bool
    /// Host time of reception.
    public var time: MonotonicTime

    /// Collects the parts.
    public init(data: [UInt8], rssi: Int?, txPower: Int? = nil, isTruncated: Bool = false, time: MonotonicTime) {
        self.data = data
        self.rssi = rssi
        self.txPower = txPower
        self.isTruncated = isTruncated
        self.time = time
    }
}

/// Data that is sent in strict intervals beside an extended advertisement, for any number of receivers.
public struct PeriodicAdvertising: Hashable, Sendable {
    /// The octets, at most 1,650.
    public var data: [UInt8]
    /// Time between them, 7.5 ms to 81.92 s.
    public var interval: Duration
    /// Tell the transmit power.
    public var includesTXPower: Bool

    /// Data each `interval`.
    public init(data: [UInt8], interval: Duration = .milliseconds(100), includesTXPower: Bool = false) {
        self.data = data
        self.interval = interval
        self.includesTXPower = includesTXPower
    }
}
