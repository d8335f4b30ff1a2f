// SPDX-License-Identifier: Apache-2.0

/// What an engine can do. What it lacks throws ``HostError/Code/unsupported``; it never silently does less.
public struct HostCapabilities: OptionSet, Hashable, Sendable {
    /// A bit for each ability.
    public let rawValue: UInt32
    /// Wraps the bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Scans and connects.
    public static let central = Self(rawValue: 1 << 0)
    /// Advertises and serves.
    public static let peripheral = Self(rawValue: 1 << 1)
    /// ``AttributeID/handle`` is set.
    public static let knowsHandles = Self(rawValue: 1 << 2)
    /// Addresses of peers are known.
    public static let knowsAddresses = Self(rawValue: 1 << 3)
    /// ``Advertisement/raw`` is set.
    public static let rawScanData = Self(rawValue: 1 << 4)
    /// Advertising data can be given octet by octet.
    public static let rawAdvertising = Self(rawValue: 1 << 5)
    /// A value event never stands for the answer to a read.
    public static let separatesReadsFromNotifications = Self(rawValue: 1 << 6)
    /// Prepared writes of a client arrive as one batch.
    public static let batchesPreparedWrites = Self(rawValue: 1 << 7)
    /// The application decides about pairing.
    public static let controlsPairing = Self(rawValue: 1 << 8)
    /// The MTU can be asked for.
    public static let controlsMTU = Self(rawValue: 1 << 9)
    /// The PHY can be chosen.
    public static let controlsPHY = Self(rawValue: 1 << 10)
    /// Connection parameters can be chosen.
    public static let controlsConnectionParameters = Self(rawValue: 1 << 11)
    /// Advertising sets of more than 31 octets.
    public static let extendedAdvertising = Self(rawValue: 1 << 12)
    /// L2CAP channels can be opened and published.
    public static let l2capChannels = Self(rawValue: 1 << 13)
    /// Notify or indicate can be chosen by the subscriber.
    public static let choosesIndications = Self(rawValue: 1 << 14)
    /// Several writes can be executed as one.
    public static let reliableWrites = Self(rawValue: 1 << 15)
    /// Periodic advertising can be sent and followed.
    public static let periodicAdvertising = Self(rawValue: 1 << 16)
    /// The length of packets of the link layer can be chosen.
    public static let controlsDataLength = Self(rawValue: 1 << 17)
    /// Values can be written signed (``WriteMode/signed``).
    public static let signedWrites = Self(rawValue: 1 << 18)
}

/// Whether an adapter can be used.
public enum AdapterState: Hashable, Sendable {
    /// Not known yet: it is being started.
    case unknown
    /// It is being reset; all links are gone.
    case resetting
    /// There is no Bluetooth Low Energy.
    case unsupported
    /// The process may not use it.
    case unauthorized
    /// It is switched off, or was closed.
    case poweredOff
    /// Ready.
    case poweredOn
}
