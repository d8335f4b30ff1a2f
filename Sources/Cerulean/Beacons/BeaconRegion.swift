// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Which beacon it is, without regard to who sent it: two transmitters with the same identity are one beacon.
public enum BeaconIdentity: Hashable, Sendable {
    /// iBeacon and AltBeacon.
    case proximity(uuid: BluetoothUUID, major: UInt16, minor: UInt16)
    /// Eddystone-UID: 10 and 6 octets.
    case eddystone(namespace: [UInt8], instance: [UInt8])
}

extension Beacon {
    /// Which beacon it is; nil for formats that have no fixed identifier.
    public var identity: BeaconIdentity? {
        switch self {
        case .iBeacon(let beacon):
            .proximity(uuid: beacon.uuid, major: beacon.major, minor: beacon.minor)
        case .altBeacon(let beacon):
            .proximity(uuid: beacon.id1, major: beacon.id2, minor: beacon.id3)
        case .eddystoneUID(let beacon):
            .eddystone(namespace: beacon.namespace, instance: beacon.instance)
        default: nil
        }
    }

    /// The strength received at 1 m in dBm; nil for formats that do not tell.
    public var measuredPower: Int? {
        switch self {
        case .iBeacon(let beacon): Int(beacon.measuredPower)
        case .altBeacon(let beacon): Int(beacon.referenceRSSI)
        case .eddystoneUID(let beacon): Int(beacon.txPower) - Eddystone.lossOfFirstMeter
        case .eddystoneURL(let beacon): Int(beacon.txPower) - Eddystone.lossOfFirstMeter
        case .eddystoneEID(let beacon): Int(beacon.txPower) - Eddystone.lossOfFirstMeter
        default: nil
        }
    }
}

/// A set of beacons that belong together: all of one UUID, or of one major, or a single one.
///
/// ```swift
/// let shop = BeaconRegion("shop", uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", major: 1)
/// ```
/// 0 is a value like any other, never a wildcard. A minor without a major cannot be asked for.
public struct BeaconRegion: Hashable, Sendable {
    /// The name of the region; a second one with the same name replaces the first.
    public let identifier: String
    private let criterion: Criterion

    private enum Criterion: Hashable, Sendable {
        case proximity(uuid: BluetoothUUID, major: UInt16?, minor: UInt16?)
        case eddystone(namespace: [UInt8], instance: [UInt8]?)
    }

    /// All beacons with this UUID, or those of one major.
    public init(_ identifier: String, uuid: BluetoothUUID, major: UInt16? = nil) {
        self.identifier = identifier
        criterion = .proximity(uuid: uuid, major: major, minor: nil)
    }

    /// One beacon.
    public init(_ identifier: String, uuid: BluetoothUUID, major: UInt16, minor: UInt16) {
        self.identifier = identifier
        criterion = .proximity(uuid: uuid, major: major, minor: minor)
    }

    /// All Eddystone beacons with this namespace of 10 octets, or the one with this instance of 6.
    public init(_ identifier: String, namespace: [UInt8], instance: [UInt8]? = nil) {
        self.identifier = identifier
        criterion = .eddystone(namespace: namespace, instance: instance)
    }

    /// The UUID of a region of iBeacons or AltBeacons.
    public var uuid: BluetoothUUID? {
        if case .proximity(let uuid, _, _) = criterion { uuid } else { nil }
    }

    /// The major, if only one counts.
    public var major: UInt16? {
        if case .proximity(_, let major, _) = criterion { major } else { nil }
    }

    /// The minor, if only one counts.
    public var minor: UInt16? {
        if case .proximity(_, _, let minor) = criterion { minor } else { nil }
    }

    /// The namespace of a region of Eddystone beacons.
    public var namespace: [UInt8]? {
        if case .eddystone(let namespace, _) = criterion { namespace } else { nil }
    }

    /// The instance, if only one counts.
    public var instance: [UInt8]? {
        if case .eddystone(_, let instance) = criterion { instance } else { nil }
    }

    /// True when the beacon belongs to the region.
    public func contains(_ beacon: BeaconIdentity) -> Bool {
        switch (criterion, beacon) {
        case (.proximity(let uuid, let major, let minor), .proximity(let itsUUID, let itsMajor, let itsMinor)):
            uuid == itsUUID && (major == nil || major == itsMajor) && (minor == nil || minor == itsMinor)
        case (.eddystone(let namespace, let instance), .eddystone(let itsNamespace, let itsInstance)):
            namespace == itsNamespace && (instance == nil || instance == itsInstance)
        default: false
        }
    }
}
