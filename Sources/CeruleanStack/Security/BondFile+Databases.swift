// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

// Databases of peers as octets: what version 2 of the file has behind the bonds.

extension BondFile {
    /// All databases of a file.
    struct Databases: WirePacket {
        var count: UInt16 = 0
        var entries: [DatabaseEntry] = []

        init() {}

        init(_ databases: [PeerDatabase]) {
            entries = databases.prefix(PeerDatabase.capacity).map { DatabaseEntry($0) }
            count = UInt16(truncatingIfNeeded: entries.count)
        }

        /// Those that are possible.
        var databases: [PeerDatabase] { entries.map(\.database).filter(\.isPossible) }

        mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("databases", &count)
            guard Int(count) <= PeerDatabase.capacity else { throw .invalid("databases", at: v.offset) }
            try v.repeated("database", &entries, count: Int(count))
        }
    }

    /// The database of one peer.
    struct DatabaseEntry: WirePacket {
        var identity = Address()
        var hash = [UInt8](repeating: 0, count: 16)
        var hasServices: UInt8 = 0
        var services = List<Service>()
        var includes = Groups<Include>()
        var characteristics = Groups<Characteristic>()
        var descriptors = Groups<Descriptor>()

        init() {}

        init(_ database: PeerDatabase) {
            identity = Address(database.identity)
            hash = database.hash
            hasServices = database.services == nil ? 0 : 1
            services = List((database.services ?? []).map { Service($0) })
            includes = Groups(database.includes) { Include($0) }
            characteristics = Groups(database.characteristics) { Characteristic($0) }
            descriptors = Groups(database.descriptors) { Descriptor($0) }
        }

        var database: PeerDatabase {
            var database = PeerDatabase(identity: identity.value, hash: hash)
            if hasServices != 0 { database.services = services.items.map(\.value) }
            database.includes = includes.dictionary(\.value)
            database.characteristics = characteristics.dictionary(\.value)
            database.descriptors = descriptors.dictionary(\.value)
            return database
        }

        mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.nested("identity", &identity)
            try v.bytes("hash", &hash, count: 16)
            try v.field("has services", &hasServices)
            try v.nested("services", &services)
            try v.nested("includes", &includes)
            try v.nested("characteristics", &characteristics)
            try v.nested("descriptors", &descriptors)
        }
    }

    /// Counted items.
    struct List<Item: WirePacket>: WirePacket {
        var count: UInt16 = 0
        var items: [Item] = []

        init() {}

        init(_ items: [Item]) {
            self.items = items
            count = UInt16(truncatingIfNeeded: items.count)
        }

        mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("count", &count)
            guard Int(count) <= PeerDatabase.limit else { throw .invalid("count", at: v.offset) }
            try v.repeated("item", &items, count: Int(count))
        }
    }

    /// Lists by the handle that they belong to, lowest first.
    struct Groups<Item: WirePacket>: WirePacket {
        struct Group: WirePacket {
            var handle: UInt16 = 0
            var list = List<Item>()

            init() {}

            init(handle: UInt16, items: [Item]) {
                self.handle = handle
                list = List(items)
            }

            mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("handle", &handle)
                try v.nested("list", &list)
            }
        }

        var groups = List<Group>()

        init() {}

        init<Value>(_ lists: [UInt16: [Value]], _ item: (Value) -> Item) {
            groups = List(
                lists.sorted { $0.key < $1.key }.map { Group(handle: $0.key, items: $0.value.map { item($0) }) })
        }

        func dictionary<Value>(_ value: (Item) -> Value) -> [UInt16: [Value]] {
            Dictionary(
                groups.items.map { ($0.handle, $0.list.items.map { value($0) }) }, uniquingKeysWith: { $1 })
        }

        mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.nested("groups", &groups)
        }
    }

    /// A type in as few octets as it has.
    struct UUIDField: WirePacket {
        var size: UInt8 = 2
        var uuid = BluetoothUUID(0 as UInt16)

        init() {}

        init(_ uuid: BluetoothUUID) {
            self.uuid = uuid
            size = uuid.short == nil ? 16 : 2
        }

        mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("size", &size)
            try v.uuid("uuid", &uuid, size: Int(size))
        }
    }

    struct Service: WirePacket {
        var start: UInt16 = 0
        var end: UInt16 = 0
        var isPrimary: UInt8 = 0
        var type = UUIDField()

        init() {}

        init(_ value: GATT.Service) {
            start = value.start
            end = value.end
            isPrimary = value.isPrimary ? 1 : 0
            type = UUIDField(value.uuid)
        }

        var value: GATT.Service { GATT.Service(start: start, end: end, uuid: type.uuid, isPrimary: isPrimary != 0) }

        mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("start", &start)
            try v.field("end", &end)
            try v.field("is primary", &isPrimary)
            try v.nested("type", &type)
        }
    }

    struct Include: WirePacket {
        var handle: UInt16 = 0
        var start: UInt16 = 0
        var end: UInt16 = 0
        var type = UUIDField()

        init() {}

        init(_ value: GATT.Include) {
            handle = value.handle
            start = value.start
            end = value.end
            type = UUIDField(value.uuid)
        }

        var value: GATT.Include { GATT.Include(handle: handle, start: start, end: end, uuid: type.uuid) }

        mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("handle", &handle)
            try v.field("start", &start)
            try v.field("end", &end)
            try v.nested("type", &type)
        }
    }

    struct Characteristic: WirePacket {
        var declaration: UInt16 = 0
        var handle: UInt16 = 0
        var end: UInt16 = 0
        var properties: UInt16 = 0
        var type = UUIDField()

        init() {}

        init(_ value: GATT.Characteristic) {
            declaration = value.declaration
            handle = value.handle
            end = value.end
            properties = value.properties.rawValue
            type = UUIDField(value.uuid)
        }

        var value: GATT.Characteristic {
            GATT.Characteristic(
                declaration: declaration, handle: handle, end: end, uuid: type.uuid,
                properties: .init(rawValue: properties))
        }

        mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("declaration", &declaration)
            try v.field("handle", &handle)
            try v.field("end", &end)
            try v.field("properties", &properties)
            try v.nested("type", &type)
        }
    }

    struct Descriptor: WirePacket {
        var handle: UInt16 = 0
        var type = UUIDField()

        init() {}

        init(_ value: GATT.Descriptor) {
            handle = value.handle
            type = UUIDField(value.uuid)
        }

        var value: GATT.Descriptor { GATT.Descriptor(handle: handle, uuid: type.uuid) }

        mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("handle", &handle)
            try v.nested("type", &type)
        }
    }
}
