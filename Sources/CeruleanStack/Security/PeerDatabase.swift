// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// What was found in the database of a bonded peer, with the hash that it had. Core 5.4, Vol 3, Part G, 2.5.2.
///
/// A part that was not looked for is missing; one that is empty is there and empty.
public struct PeerDatabase: Hashable, Sendable {
    /// Peers whose databases are kept; above it the one that was used longest ago goes.
    public static let capacity = 64
    /// Entries that are kept of one peer.
    public static let limit = 2_048

    /// The peer.
    public var identity: DeviceAddress
    /// Its Database Hash, as it was sent: 16 octets that are compared and never computed.
    public var hash: [UInt8]
    /// Its primary services.
    public var services: [GATT.Service]?
    /// By the first handle of the service.
    public var includes: [UInt16: [GATT.Include]] = [:]
    /// By the first handle of the service.
    public var characteristics: [UInt16: [GATT.Characteristic]] = [:]
    /// By the handle of the value.
    public var descriptors: [UInt16: [GATT.Descriptor]] = [:]

    /// A database of which nothing is known but its hash.
    public init(identity: DeviceAddress, hash: [UInt8]) {
        self.identity = DeviceAddress(identity.address, identity.peerKind)
        self.hash = hash
    }

    /// Entries in all; each list counts as one more.
    public var count: Int {
        var count = services.map { $0.count + 1 } ?? 0
        for list in includes.values { count += list.count + 1 }
        for list in characteristics.values { count += list.count + 1 }
        for list in descriptors.values { count += list.count + 1 }
        return count
    }

    /// True for what a peer could have told: a file is believed no more than a peer is.
    var isPossible: Bool {
        hash.count == 16 && count <= Self.limit
            && (services ?? []).allSatisfy { 1 <= $0.start && $0.start <= $0.end }
            && includes.values.joined().allSatisfy { 1 <= $0.handle && 1 <= $0.start && $0.start <= $0.end }
            && characteristics.values.joined().allSatisfy {
                1 <= $0.declaration && $0.declaration < $0.handle && $0.handle <= $0.end
            } && descriptors.values.joined().allSatisfy { 1 <= $0.handle }
    }
}
