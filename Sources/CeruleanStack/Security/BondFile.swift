// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import CeruleanWire

/// Bonds as octets, for stores.
///
/// `CBND`, a version of two octets, the length of what follows and its CRC-32 (four octets each), then the host-side name of the
/// adapter, the bonds and, from version 2 on, the databases of bonded peers. Integers are little-endian. A file that is cut anywhere,
/// or changed, is refused as a whole.
public struct BondFile: Hashable, Sendable {
    /// The version that is written.
    public static let version: UInt16 = 2
    /// Octets above which a file is refused unread.
    public static let maximumSize = 1 << 23

    /// The host-side name of the adapter that the bonds belong to.
    public var adapter: String
    /// The bonds.
    public var database: BondDatabase

    /// Pairs a name with bonds.
    public init(adapter: String, database: BondDatabase) {
        self.adapter = adapter
        self.database = database
    }

    private static let magic = Array("CBND".utf8)

    /// The octets of the file.
    ///
    /// - Throws: `WireError` when a name is longer than 65,535 octets.
    public func encoded() throws(WireError) -> [UInt8] {
        var body: [UInt8] = []
        var encoder = FieldEncoder()
        var content = Content(self)
        var databases = Databases(database.databases)
        try content.visit(&encoder)
        try databases.visit(&encoder)
        body = encoder.bytes
        var head = FieldEncoder(appendingTo: Self.magic)
        var version = Self.version
        var length = UInt32(truncatingIfNeeded: body.count)
        var checksum = CRC32.of(body)
        try head.field("version", &version)
        try head.field("length", &length)
        try head.field("checksum", &checksum)
        return head.bytes + body
    }

    /// The octets with the length and checksum that belong to them: for tests of what lies behind.
    public static func withChecksum(_ octets: [UInt8]) -> [UInt8] {
        guard octets.count >= 14 else { return octets }
        let body = Array(octets.dropFirst(14))
        func four(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) } }
        return Array(octets[..<6]) + four(UInt32(truncatingIfNeeded: body.count)) + four(CRC32.of(body)) + body
    }

    /// Reads a file.
    ///
    /// - Throws: ``BondStoreError`` with `unknownVersion` or `damaged`.
    public init(_ octets: [UInt8]) throws(BondStoreError) {
        guard octets.count >= 14, octets.count <= Self.maximumSize, Array(octets.prefix(4)) == Self.magic else {
            throw BondStoreError(.damaged)
        }
        let span = octets.span.bytes
        let version = span.uint16(at: 4)
        guard (1...Self.version).contains(version) else { throw BondStoreError(.unknownVersion) }
        let length = UInt32(span.uint16(at: 6)) | UInt32(span.uint16(at: 8)) << 16
        let checksum = UInt32(span.uint16(at: 10)) | UInt32(span.uint16(at: 12)) << 16
        let body = Array(octets.dropFirst(14))
        guard body.count == Int(length), CRC32.of(body) == checksum,
            let whole = version == 1
                ? (try? Content(decoding: body)).map({ Whole($0) }) : try? Whole(decoding: body),
            var file = whole.content.file
        else { throw BondStoreError(.damaged) }
        file.database.keep(whole.databases.databases)
        self = file
    }
}

// MARK: - Layout

/// The body of a file of version 2.
private struct Whole: WirePacket {
    var content = Content()
    var databases = BondFile.Databases()

    init() {}
    init(_ content: Content) { self.content = content }

    mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
        try v.nested("content", &content)
        try v.nested("databases", &databases)
    }
}

/// The body of a file without databases. Every part lists its fields once; reading and writing cannot disagree.
private struct Content: WirePacket {
    var adapter = Text()
    var resolvingKey = Optional128()
    var hasAddress: UInt8 = 0
    var address = Address()
    var count: UInt16 = 0
    var bonds: [Entry] = []

    init() {}

    init(_ file: BondFile) {
        adapter = Text(file.adapter)
        resolvingKey = Optional128(file.database.resolvingKey)
        if let own = file.database.adapterAddress {
            hasAddress = 1
            address = Address(own)
        }
        bonds = file.database.bonds.map { Entry($0) }
        count = UInt16(truncatingIfNeeded: bonds.count)
    }

    mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
        try v.nested("adapter", &adapter)
        try v.nested("resolving key", &resolvingKey)
        try v.field("has address", &hasAddress)
        if hasAddress != 0 { try v.nested("address", &address) }
        try v.field("bonds", &count)
        guard Int(count) <= BondDatabase.limit else { throw .invalid("bonds", at: v.offset) }
        try v.repeated("bond", &bonds, count: Int(count))
    }

    /// Nil when the values are impossible.
    var file: BondFile? {
        guard hasAddress == 0 || address.isIdentity else { return nil }
        var database = BondDatabase(
            resolvingKey: resolvingKey.value, adapterAddress: hasAddress == 0 ? nil : address.value)
        for entry in bonds {
            guard let bond = entry.bond, database[bond.identity] == nil, database.put(bond) else { return nil }
        }
        return BondFile(adapter: adapter.value, database: database)
    }
}

private struct Text: WirePacket {
    var count: UInt16 = 0
    var octets: [UInt8] = []

    init() {}
    init(_ text: String) {
        octets = Array(text.utf8)
        count = UInt16(truncatingIfNeeded: octets.count)
    }

    var value: String { String(decoding: octets, as: UTF8.self) }

    mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
        try v.field("length", &count)
        try v.bytes("octets", &octets, count: Int(count))
    }
}

private typealias Address = BondFile.Address

extension BondFile {
    /// An address with its kind.
    struct Address: WirePacket {
        var kind = DeviceAddress.Kind.public
        var address = BluetoothAddress.zero

        init() {}
        init(_ value: DeviceAddress) {
            kind = value.peerKind
            address = value.address
        }

        var value: DeviceAddress { DeviceAddress(address, kind) }
        var isIdentity: Bool { (kind == .public || kind == .random) && value.isIdentity }

        mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("kind", &kind)
            try v.address("address", &address)
        }
    }
}

private struct Optional128: WirePacket {
    var isThere: UInt8 = 0
    var key = Value128.zero

    init() {}
    init(_ value: Value128?) {
        isThere = value == nil ? 0 : 1
        key = value ?? .zero
    }

    var value: Value128? { isThere == 0 ? nil : key }

    mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
        try v.field("is there", &isThere)
        if isThere != 0 { try v.value128("value", &key) }
    }
}

private struct LinkKey: WirePacket {
    var key = Optional128()
    var diversifier: UInt16 = 0
    var random: UInt64 = 0
    var size: UInt8 = 0
    var flags: UInt8 = 0

    init() {}
    init(_ value: LongTermKey?) {
        key = Optional128(value?.key)
        guard let value else { return }
        diversifier = value.diversifier
        random = value.random
        size = UInt8(clamping: value.strength.keySize)
        flags = (value.strength.isAuthenticated ? 1 : 0) | (value.strength.isSecureConnections ? 2 : 0)
    }

    var isValid: Bool { key.value == nil || ((7...16).contains(size) && key.key != .zero) }

    var value: LongTermKey? {
        key.value.map {
            LongTermKey(
                key: $0, diversifier: diversifier, random: random,
                strength: BondStrength(
                    isAuthenticated: flags & 1 != 0, isSecureConnections: flags & 2 != 0, keySize: Int(size)))
        }
    }

    mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
        try v.nested("key", &key)
        guard key.isThere != 0 else { return }
        try v.field("diversifier", &diversifier)
        try v.field("random", &random)
        try v.field("size", &size)
        try v.field("flags", &flags)
    }
}

private struct Signature: WirePacket {
    var key = Optional128()
    var counter: UInt32 = 0

    init() {}
    init(_ value: SignatureKey?) {
        key = Optional128(value?.key)
        counter = value?.counter ?? 0
    }

    var value: SignatureKey? { key.value.map { SignatureKey(key: $0, counter: counter) } }

    mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
        try v.nested("key", &key)
        try v.field("counter", &counter)
    }
}

private struct Configuration: WirePacket {
    var handle: UInt16 = 0
    var bits: UInt16 = 0

    mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
        try v.field("handle", &handle)
        try v.field("bits", &bits)
    }
}

private struct Entry: WirePacket {
    var identity = Address()
    var localKey = LinkKey()
    var peerKey = LinkKey()
    var resolvingKey = Optional128()
    var localSignature = Signature()
    var peerSignature = Signature()
    var configurationCount: UInt16 = 0
    var configurations: [Configuration] = []
    var features = Text()
    var knownDatabase = Optional128()
    var hasName: UInt8 = 0
    var name = Text()

    init() {}
    init(_ bond: Bond) {
        identity = Address(bond.identity)
        localKey = LinkKey(bond.localKey)
        peerKey = LinkKey(bond.peerKey)
        resolvingKey = Optional128(bond.resolvingKey)
        localSignature = Signature(bond.localSignature)
        peerSignature = Signature(bond.peerSignature)
        configurations = bond.configurations.sorted { $0.key < $1.key }.map {
            var entry = Configuration()
            entry.handle = $0.key
            entry.bits = $0.value
            return entry
        }
        configurationCount = UInt16(truncatingIfNeeded: configurations.count)
        features.octets = Array(bond.clientFeatures.prefix(8))
        features.count = UInt16(truncatingIfNeeded: features.octets.count)
        knownDatabase = Optional128(bond.knownDatabase)
        hasName = bond.name == nil ? 0 : 1
        name = Text(String(decoding: Array((bond.name ?? "").utf8.prefix(248)), as: UTF8.self))
    }

    /// Nil when the values are impossible.
    var bond: Bond? {
        guard identity.isIdentity, localKey.isValid, peerKey.isValid, features.octets.count <= 8
        else { return nil }
        let pairs = configurations.map { ($0.handle, $0.bits) }
        return Bond(
            identity: identity.value, localKey: localKey.value, peerKey: peerKey.value,
            resolvingKey: resolvingKey.value, localSignature: localSignature.value,
            peerSignature: peerSignature.value, configurations: Dictionary(pairs, uniquingKeysWith: { $1 }),
            clientFeatures: features.octets, knownDatabase: knownDatabase.value, name: hasName == 0 ? nil : name.value)
    }

    mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
        try v.nested("identity", &identity)
        try v.nested("local key", &localKey)
        try v.nested("peer key", &peerKey)
        try v.nested("resolving key", &resolvingKey)
        try v.nested("local signature", &localSignature)
        try v.nested("peer signature", &peerSignature)
        try v.field("configurations", &configurationCount)
        try v.repeated("configuration", &configurations, count: Int(configurationCount))
        try v.nested("features", &features)
        try v.nested("known database", &knownDatabase)
        try v.field("has name", &hasName)
        if hasName != 0 { try v.nested("name", &name) }
    }
}

/// The checksum of Ethernet, ISO 3309: finds files that were cut or changed by accident.
enum CRC32 {
    private static let table: [UInt32] = (UInt32(0)..<256).map { index in
        (0..<8).reduce(index) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func of(_ octets: [UInt8]) -> UInt32 {
        ~octets.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }
}
