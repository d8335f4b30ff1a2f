// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanWire
import Foundation
import Testing

@Suite struct BondStoreTests {
    private let directory: URL

    init() {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("bonds-\(UUID().uuidString)")
    }

    static func database(_ count: Int = 3) -> BondDatabase {
        let weak = BondStrength(isAuthenticated: false, isSecureConnections: false, keySize: 7)
        let strong = BondStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16)
        var bonds: [Bond] = []
        for number in 0..<count {
            let address = BluetoothAddress(rawValue: 0xC000_0000_0000 | UInt64(number))
            var bond = Bond(identity: DeviceAddress(address, number % 2 == 0 ? .random : .public))
            if number != 1 { bond.localKey = LongTermKey(key: Value128(7), diversifier: 9, random: 11, strength: weak) }
            bond.peerKey = LongTermKey(key: Value128(UInt128(number) + 1), strength: strong)
            if number != 2 { bond.resolvingKey = Value128(42) }
            bond.localSignature = SignatureKey(key: Value128(77), counter: UInt32.max)
            bond.configurations = [3: 1, 0xFFFF: 2]
            bond.clientFeatures = [1, 2]
            bond.knownDatabase = Value128(13)
            if number == 0 { bond.name = "Ünïcode" }
            bonds.append(bond)
        }
        var database = BondDatabase(
            resolvingKey: Value128(0x1234), adapterAddress: DeviceAddress(BluetoothAddress(rawValue: 5), .public),
            bonds: bonds)
        database.keep(bonds.prefix(2).map { found(in: $0.identity) })
        return database
    }

    /// A bit of a database.
    private static func found(in identity: DeviceAddress) -> PeerDatabase {
        var database = PeerDatabase(identity: identity, hash: (0..<16).map { UInt8($0) })
        database.services = [
            GATT.Service(start: 1, end: 5, uuid: 0x1800),
            GATT.Service(start: 6, end: 0xFFFF, uuid: "9E7312E0-2354-11EB-9F10-FBC30A62CF38"),
        ]
        database.includes = [6: [GATT.Include(handle: 7, start: 1, end: 5, uuid: 0x1800)], 1: []]
        database.characteristics = [
            6: [
                GATT.Characteristic(
                    declaration: 8, handle: 9, end: 10, uuid: 0x2A19, properties: [.read, .notify])
            ]
        ]
        database.descriptors = [9: [GATT.Descriptor(handle: 10, uuid: 0x2902)]]
        return database
    }

    private func path(_ name: String = "bonds") -> String { directory.appendingPathComponent("a/b/\(name)").path }

    private func save(_ store: FileBondStore, _ database: BondDatabase) async -> BondStoreError? {
        await withCheckedContinuation { done in store.save(database) { done.resume(returning: $0) } }
    }

    @Test func keepsEverything() async throws {
        let store = FileBondStore(path: path(), adapter: "hci:0")
        #expect(try store.load() == BondDatabase())
        #expect(await save(store, Self.database()) == nil)
        #expect(try FileBondStore(path: path(), adapter: "hci:0").load() == Self.database())
        let attributes = try FileManager.default.attributesOfItem(atPath: path())
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.appendingPathComponent("a/b").path)
        #expect(names == ["bonds"])
        try? FileManager.default.removeItem(at: directory)
    }

    @Test func h20_refusesAForeignAdapter() async throws {
        let store = FileBondStore(path: path(), adapter: "hci:0")
        #expect(await save(store, Self.database()) == nil)
        let other = FileBondStore(path: path(), adapter: "hci:1")
        #expect(throws: BondStoreError(.foreignAdapter, path())) { try other.load() }
        #expect(await save(other, BondDatabase())?.code == .foreignAdapter)
        #expect(try store.load() == Self.database())
        try? FileManager.default.removeItem(at: directory)
    }

    @Test func survivesACutAtAnyOctet() async throws {
        let store = FileBondStore(path: path(), adapter: "x")
        #expect(await save(store, Self.database(1)) == nil)
        #expect(await save(store, Self.database(2)) == nil)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path()))
        for count in 0..<whole.count {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path()))
            #expect(try store.load() == Self.database(1))
            // What was being written when the power went is not looked at.
            try whole.write(to: URL(fileURLWithPath: path()))
            try whole.prefix(count).write(to: URL(fileURLWithPath: path() + ".new"))
            #expect(try store.load() == Self.database(2))
        }
        #expect(await save(store, Self.database(3)) == nil)
        #expect(try store.load() == Self.database(3))
        try? FileManager.default.removeItem(at: directory)
    }

    @Test func refusesEveryCutAndEveryChangedOctet() throws {
        let octets = try BondFile(adapter: "x", database: Self.database()).encoded()
        #expect(try BondFile(octets).database == Self.database())
        for count in octets.indices {
            #expect(throws: BondStoreError.self) { try BondFile(Array(octets.prefix(count))) }
        }
        for index in octets.indices {
            var changed = octets
            changed[index] ^= 0x10
            #expect(throws: BondStoreError.self) { try BondFile(changed) }
        }
        #expect(throws: BondStoreError.self) { try BondFile(octets + [0]) }
        var later = octets
        later[4] = 3
        #expect(throws: BondStoreError(.unknownVersion)) { try BondFile(later) }
    }

    /// Files of version 1 end behind the bonds.
    @Test func readsFilesWithoutDatabases() throws {
        var database = Self.database()
        database.keep([])
        var octets = try BondFile(adapter: "x", database: database).encoded()
        octets.removeLast(2)
        octets[4] = 1
        #expect(try BondFile(BondFile.withChecksum(octets)).database == database)
        // The number of databases does not belong there, and must be here.
        #expect(throws: BondStoreError(.damaged)) { try BondFile(BondFile.withChecksum(octets + [0, 0])) }
        octets[4] = 2
        #expect(throws: BondStoreError(.damaged)) { try BondFile(BondFile.withChecksum(octets)) }
    }

    /// A database that no peer can have is not believed; the bonds are.
    @Test func impossibleDatabasesAreLeftOut() throws {
        var database = Self.database()
        var strange = Self.found(in: database.bonds[0].identity)
        strange.services = [GATT.Service(start: 9, end: 8, uuid: 0x1800)]
        database.keep([strange])
        let read = try BondFile(try BondFile(adapter: "x", database: database).encoded()).database
        #expect(read.bonds == database.bonds && read.databases.isEmpty)
        // Nor is one of a device that is no friend.
        database.keep([Self.found(in: DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_0000_77), .random))])
        #expect(database.databases.isEmpty)
    }

    /// A damaged file is not an empty one, and never takes the place of the copy that helps out.
    @Test func aDamagedFileIsSaidAndKept() async throws {
        let store = FileBondStore(path: path(), adapter: "x")
        let url = URL(fileURLWithPath: path())
        #expect(await save(store, Self.database(1)) == nil)
        #expect(try store.load() == Self.database(1) && !store.isRecovered)
        try Data("rubbish".utf8).write(to: url)
        #expect(throws: BondStoreError(.damaged, path())) { try store.load() }
        #expect(await save(store, Self.database(1)) == nil)
        #expect(await save(store, Self.database(2)) == nil)
        try Data("rubbish".utf8).write(to: url)
        #expect(try store.load() == Self.database(1) && store.isRecovered)
        #expect(await save(store, Self.database(3)) == nil)
        #expect(try store.load() == Self.database(3) && !store.isRecovered)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path() + ".damaged")) == Data("rubbish".utf8))
        try Data().write(to: url)
        #expect(try store.load() == Self.database(1))
        try? FileManager.default.removeItem(at: directory)
    }

    @Test func flushingWaitsForWhatWasSaved() async throws {
        let store = FileBondStore(path: path(), adapter: "x")
        for count in 1...20 { store.save(Self.database(count)) { _ in } }
        await store.flush()
        #expect(try BondFile(Array(try Data(contentsOf: URL(fileURLWithPath: path())))).database == Self.database(20))
        try? FileManager.default.removeItem(at: directory)
    }

    @Test func saysWhatTheSystemDoesNotAllow() async {
        let store = FileBondStore(path: "/dev/null/bonds", adapter: "x")
        #expect(throws: BondStoreError.self) { try store.load() }
        #expect(await save(store, BondDatabase()) != nil)
    }

    @Test func takesTheLastOfManySaves() async throws {
        let store = FileBondStore(path: path(), adapter: "x")
        await withTaskGroup(of: Void.self) { group in
            for count in 1...50 {
                let database = Self.database(count)
                await withCheckedContinuation { (queued: CheckedContinuation<Void, Never>) in
                    store.save(database) { #expect($0 == nil) }
                    queued.resume()
                }
            }
            group.addTask { #expect(await save(store, Self.database(51)) == nil) }
        }
        #expect(try store.load() == Self.database(51))
        try? FileManager.default.removeItem(at: directory)
    }

    @Test func holdsSoManyBondsAndNoMore() {
        var database = Self.database(BondDatabase.limit)
        #expect(database.bonds.count == BondDatabase.limit)
        let another = Bond(identity: DeviceAddress(BluetoothAddress(rawValue: 1), .public))
        let first = database.bonds[0]
        var isPut = database.put(another)
        #expect(!isPut)
        isPut = database.put(first)
        #expect(isPut)
        let removed = database.remove(first.identity)
        #expect(removed == first)
        isPut = database.put(another)
        #expect(isPut)
    }

    @Test func doesNotPrintKeys() {
        let bond = Self.database(1).bonds[0]
        #expect(!"\(bond)".contains("0000007") && !String(reflecting: bond).contains("Value128"))
        #expect("\(bond)".hasPrefix("C0:00:00:00:00:00"))
    }
}
