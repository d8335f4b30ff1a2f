// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// What one kind of access to an attribute needs, in one number.
struct AttributeGate: Hashable {
    let raw: UInt16

    /// Nothing passes.
    static let closed = Self(raw: 0)
    /// Everything passes.
    static let open = Self(AttributePermissions.Access.open)

    private init(raw: UInt16) { self.raw = raw }

    init(_ access: AttributePermissions.Access?) {
        guard let access else {
            raw = 0
            return
        }
        raw =
            0x8000 | (access.needsAuthorization ? 0x4000 : 0) | UInt16(access.security.rawValue & 7) << 8
            | UInt16(clamping: min(max(access.minimumKeySize, 0), 16))
    }

    var isClosed: Bool { raw == 0 }
    var security: SecurityLevel { SecurityLevel(rawValue: UInt8(raw >> 8 & 7)) }
    var keySize: Int { Int(raw & 0xFF) }
    var needsAuthorization: Bool { raw & 0x4000 != 0 }
}

/// The attribute table: sorted by handle, found by binary search.
struct GATTDatabase {
    enum Kind: UInt8 {
        case service, include, declaration, value, clientConfiguration, descriptor
        /// Client Supported Features: one value for each client.
        case clientFeatures
        /// The Database Hash: made from the database.
        case databaseHash
    }

    struct Attribute {
        var type: BluetoothUUID
        var kind: Kind
        var isDynamic = false
        var read: AttributeGate
        var write: AttributeGate
        /// Last handle of the group that the attribute opens; its own handle when it opens none.
        var groupEnd: UInt16
        /// For a value: its Client Characteristic Configuration, 0 when it has none. For that one: the value.
        var partner: UInt16 = 0
        /// Which service it belongs to.
        var serial: UInt32
        /// The low octet of the properties, for a value.
        var properties = CharacteristicProperties()
        /// What is stored; empty for dynamic ones and Client Characteristic Configurations.
        var value: [UInt8]
    }

    struct Service {
        var serial: UInt32
        var start: UInt16
        var end: UInt16
        var uuid: BluetoothUUID
        var isPrimary: Bool
        var owner: Int
    }

    private(set) var handles: [UInt16] = []
    var attributes: [Attribute] = []
    private(set) var services: [Service] = []
    private var lastSerial: UInt32 = 0
    /// One beyond the highest handle ever used, so that a handle does not change its meaning before all have been used.
    private var fresh = 1

    // MARK: - looking up

    /// The position of the attribute at `handle`.
    func index(of handle: UInt16) -> Int? {
        let index = lowerBound(handle)
        return index < handles.count && handles[index] == handle ? index : nil
    }

    /// The position of the first attribute at `handle` or behind.
    func lowerBound(_ handle: UInt16) -> Int {
        var low = 0
        var high = handles.count
        while low < high {
            let middle = (low + high) / 2
            if handles[middle] < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The position of the first service that starts at `handle` or behind.
    func firstService(from handle: UInt16) -> Int {
        var low = 0
        var high = services.count
        while low < high {
            let middle = (low + high) / 2
            if services[middle].start < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The service around `handle`.
    func service(around handle: UInt16) -> Service? {
        let index = firstService(from: handle)
        if index < services.count, services[index].start == handle { return services[index] }
        guard index > 0, services[index - 1].end >= handle else { return nil }
        return services[index - 1]
    }

    func id(at index: Int) -> AttributeID {
        AttributeID(rawValue: UInt64(attributes[index].serial) << 16 | UInt64(handles[index]), handle: handles[index])
    }

    /// The position of the attribute that `id` names; nil when its service was removed.
    func index(of id: AttributeID) -> Int? {
        let handle = UInt16(truncatingIfNeeded: id.rawValue)
        guard let index = index(of: handle), UInt64(attributes[index].serial) == id.rawValue >> 16 else { return nil }
        return index
    }

    // MARK: - changing

    /// Adds a service behind all others, or where the definition wants it.
    ///
    /// - Throws: `invalidArgument` when wished handles are taken or out of order, a value is longer than 512 octets, or an
    ///   include is unknown; `queueFull` when no handles are left. Nothing has changed then.
    mutating func add(_ definition: ServiceDefinition, owner: Int) throws(HostError) -> (Service, PublishedService) {
        let serial = lastSerial &+ 1
        var layout = try ServiceLayout(definition, serial: serial, database: self)
        let count = layout.length
        let start: Int
        if let wished = definition.handle {
            start = Int(wished)
        } else if fresh + count - 1 <= 0xFFFF {
            start = fresh
        } else if let gap = firstGap(of: count) {
            start = gap
        } else {
            throw HostError(.queueFull, detail: "no \(count) free handles in a row")
        }
        try layout.place(at: start)
        let service = Service(
            serial: serial, start: UInt16(start), end: UInt16(layout.end), uuid: definition.uuid,
            isPrimary: definition.isPrimary, owner: owner)
        let position = firstService(from: service.start)
        if position < services.count, services[position].start <= service.end {
            throw HostError(.invalidArgument, detail: "handles \(start) to \(layout.end) are taken")
        }
        if position > 0, services[position - 1].end >= service.start {
            throw HostError(.invalidArgument, detail: "handles \(start) to \(layout.end) are taken")
        }
        lastSerial = serial
        fresh = max(fresh, layout.end + 1)
        services.insert(service, at: position)
        let index = lowerBound(service.start)
        handles.insert(contentsOf: layout.handles, at: index)
        attributes.insert(contentsOf: layout.attributes, at: index)
        return (service, layout.published)
    }

    /// Removes the service that starts at `start`.
    mutating func removeService(at start: UInt16) -> Service? {
        let position = firstService(from: start)
        guard position < services.count, services[position].start == start else { return nil }
        let service = services.remove(at: position)
        let first = lowerBound(service.start)
        let last = handles[first...].prefix { $0 <= service.end }.endIndex
        handles.removeSubrange(first..<last)
        attributes.removeSubrange(first..<last)
        return service
    }

    private func firstGap(of count: Int) -> Int? {
        var start = 1
        for service in services {
            if Int(service.start) - start >= count { return start }
            start = Int(service.end) + 1
        }
        return 0x10000 - start >= count ? start : nil
    }
}
