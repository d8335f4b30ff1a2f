// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// What to advertise and how.
///
/// Without ``extended`` it goes out in legacy packets, which every scanner understands.
public struct AdvertisingParameters: Hashable, Sendable {
    /// What the packets hold.
    public enum Content: Hashable, Sendable {
        /// Octets as they go over the air (capability ``HostCapabilities/rawAdvertising``): at most 31 each, or 1,650 each in
        /// extended packets.
        case raw(data: [UInt8], scanResponse: [UInt8])
        /// Name and services; the engine lays them out.
        case fields(name: String?, services: [BluetoothUUID])
    }

    /// What the packets hold.
    public var content: Content
    /// Whether centrals may connect.
    public var isConnectable: Bool
    /// Whether scanners may ask for the scan response. Connectable legacy advertisements always are; extended ones are one or
    /// the other, and those that are scannable have nothing but their scan response.
    public var isScannable: Bool
    /// Time between advertisements, 20 ms to 10.24 s.
    public var interval: Duration
    /// Extended packets (capability ``HostCapabilities/extendedAdvertising``); nil for legacy ones.
    public var extended: ExtendedAdvertising?
    /// Ends by itself after this time, 10 ms to 655.35 s; nil goes on until stopped. Controllers without extended advertising
    /// leave it to the host.
    public var duration: Duration?

    /// Connectable, every 100 ms, in legacy packets, unless said otherwise.
    public init(
        content: Content, isConnectable: Bool = true, isScannable: Bool = true,
        interval: Duration = .milliseconds(100), extended: ExtendedAdvertising? = nil, duration: Duration? = nil
    ) {
        self.content = content
        self.isConnectable = isConnectable
        self.isScannable = isScannable
        self.interval = interval
        self.extended = extended
        self.duration = duration
    }
}

/// What extended packets can have beyond legacy ones. Core 5.4, Vol 4, Part E, 7.8.53.
public struct ExtendedAdvertising: Hashable, Sendable {
    /// Mode of the advertising channel: LE 1M, or LE Coded for far scanners that look for it.
    public var primaryPHY: PHY
    /// Mode of the data: LE 1M, LE 2M or LE Coded.
    public var secondaryPHY: PHY
    /// Without an address; neither connectable nor scannable.
    public var isAnonymous: Bool
    /// Tell the transmit power.
    public var includesTXPower: Bool
    /// The number that tells our sets apart on the air, 0 to 15; nil: the engine chooses.
    public var setID: UInt8?
    /// Data in strict intervals beside it; only without connections, scan responses and anonymity.
    public var periodic: PeriodicAdvertising?
    /// Old controllers send legacy packets instead, as far as these can hold what is wanted; else `unsupported`.
    public var allowsLegacy: Bool

    /// On LE 1M with data on LE 1M.
    public init(
        primaryPHY: PHY = .le1M, secondaryPHY: PHY = .le1M, isAnonymous: Bool = false, includesTXPower: Bool = false,
        setID: UInt8? = nil, periodic: PeriodicAdvertising? = nil, allowsLegacy: Bool = true
    ) {
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
        self.isAnonymous = isAnonymous
        self.includesTXPower = includesTXPower
        self.setID = setID
        self.periodic = periodic
        self.allowsLegacy = allowsLegacy
    }
}

/// What to change of a running advertisement.
public enum AdvertisingUpdate: Hashable, Sendable {
    /// What the packets hold.
    case content(AdvertisingParameters.Content)
    /// The data in strict intervals, at most 1,650 octets.
    case periodicData([UInt8])
}
