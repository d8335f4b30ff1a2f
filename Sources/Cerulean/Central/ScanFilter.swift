// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import CeruleanWire

/// Which devices a scan reports: those that pass everything that is set.
///
/// ```swift
/// var filter = ScanFilter.services([0x180D])
/// filter.minimumRSSI = -70
/// ```
public struct ScanFilter: Sendable, CustomStringConvertible {
    /// Devices that advertise at least one of these; empty for all.
    public var services: [BluetoothUUID] = []
    /// Devices whose name this is, compared without case.
    public var name: String?
    /// Devices whose name begins so, compared without case.
    public var namePrefix: String?
    /// Devices at these addresses, compared without regard to identities; empty for all.
    public var addresses: [DeviceAddress] = []
    /// Devices received at least this well, in dBm. Those whose strength is unknown do not pass.
    public var minimumRSSI: Int?
    /// Devices that invite connections.
    public var onlyConnectable = false
    /// Anything else. Called on the host's loop: must not block.
    public var predicate: (@Sendable (Discovery) -> Bool)?

    /// Everything passes until something is set.
    public init() {}

    /// Everything.
    public static var all: Self { Self() }

    /// Devices that advertise at least one of `services`.
    public static func services(_ services: [BluetoothUUID]) -> Self {
        var filter = Self()
        filter.services = services
        return filter
    }

    /// Devices with this name, compared without case.
    public static func name(_ name: String) -> Self {
        var filter = Self()
        filter.name = name
        return filter
    }

    /// Devices whose name begins so, compared without case.
    public static func namePrefix(_ prefix: String) -> Self {
        var filter = Self()
        filter.namePrefix = prefix
        return filter
    }

    /// The device at an address.
    public static func address(_ address: DeviceAddress) -> Self {
        var filter = Self()
        filter.addresses = [address]
        return filter
    }

    /// Devices for which `predicate` is true. Called on the host's loop: must not block.
    public static func matching(_ predicate: @escaping @Sendable (Discovery) -> Bool) -> Self {
        var filter = Self()
        filter.predicate = predicate
        return filter
    }

    /// What is asked for, in words.
    public var description: String {
        var parts: [String] = []
        if !services.isEmpty { parts.append("services " + services.map(\.description).joined(separator: ", ")) }
        if let name { parts.append("name \(name)") }
        if let namePrefix { parts.append("name \(namePrefix)…") }
        if !addresses.isEmpty { parts.append("address " + addresses.map(\.description).joined(separator: ", ")) }
        if let minimumRSSI { parts.append("at least \(minimumRSSI) dBm") }
        if onlyConnectable { parts.append("connectable") }
        if predicate != nil { parts.append("a condition") }
        return parts.isEmpty ? "any device" : parts.joined(separator: ", ")
    }

    /// True when a device passes; services are left to the host.
    func admits(_ discovery: Discovery) -> Bool {
        if let name, discovery.name?.lowercased() != name.lowercased() { return false }
        if let namePrefix, discovery.name?.lowercased().hasPrefix(namePrefix.lowercased()) != true { return false }
        if !addresses.isEmpty {
            guard let address = discovery.address else { return false }
            guard addresses.contains(where: { $0.address == address.address && $0.peerKind == address.peerKind }) else {
                return false
            }
        }
        if let minimumRSSI, discovery.rssi ?? -1000 < minimumRSSI { return false }
        if onlyConnectable, !discovery.isConnectable { return false }
        return predicate?(discovery) ?? true
    }
}
