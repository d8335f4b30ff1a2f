// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Foundation

/// State that can be written down and taken up again by another process.
///
/// Both kinds are JSON with the keys in a fixed order. Reading never traps; a text that does not hold a snapshot throws
/// `badData`.
public protocol Snapshot: Codable, Hashable, Sendable {
    /// The version of the form.
    var format: Int { get }
}

extension Snapshot {
    /// The snapshot as JSON in UTF-8.
    public var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // Text, numbers and lists: there is nothing that JSON could refuse.
        guard let data = try? encoder.encode(self) else { return [] }
        return Array(data)
    }

    /// Reads JSON.
    ///
    /// - Throws: ``BluetoothError`` with `badData`.
    public init(json: [UInt8]) throws(BluetoothError) {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            self = try decoder.decode(Self.self, from: Data(json))
        } catch let error as DecodingError {
            throw BluetoothError(.badData, "reading a snapshot", detail: Self.text(error))
        } catch {
            throw BluetoothError(.badData, "reading a snapshot")
        }
        guard format == 1 else {
            throw BluetoothError(.badData, "reading a snapshot", detail: "its form is \(format), known is 1")
        }
    }

    /// Writes the snapshot to a file, which afterwards is either whole or as it was before.
    ///
    /// - Throws: ``BluetoothError`` with `unauthorized`, with `notFound` where there is no such directory, or with
    ///   `wrongState` when the disk is full or fails.
    public func save(to path: String) throws(BluetoothError) {
        do {
            try Data(json).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Self.fault(error, "writing \(path)")
        }
    }

    /// Reads a snapshot from a file.
    ///
    /// - Throws: ``BluetoothError`` with `notFound`, `unauthorized` or `badData`.
    public init(from path: String) throws(BluetoothError) {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw Self.fault(error, "reading \(path)")
        }
        try self.init(json: Array(data))
    }

    /// An error of the file system, in its words.
    private static func fault(_ error: any Error, _ operation: String) -> BluetoothError {
        var number: Int32?
        var next: NSError? = error as NSError
        while let fault = next, number == nil {
            if fault.domain == NSPOSIXErrorDomain { number = Int32(clamping: fault.code) }
            next = fault.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        let cocoa = (error as? CocoaError)?.code
        let detail = number.map { String(cString: strerror($0)) }
        if cocoa == .fileNoSuchFile || cocoa == .fileReadNoSuchFile || number == ENOENT || number == ENOTDIR {
            return BluetoothError(.notFound, operation, detail: detail ?? "no such file or directory")
        }
        if cocoa == .fileReadNoPermission || cocoa == .fileWriteNoPermission || number == EACCES || number == EPERM {
            return BluetoothError(.unauthorized, operation, detail: detail)
        }
        return BluetoothError(.wrongState, operation, detail: detail ?? "the file system refuses")
    }

    /// What is wrong where: `peers[0].id is missing`.
    private static func text(_ error: DecodingError) -> String {
        let (context, what): (DecodingError.Context, String) =
            switch error {
            case .keyNotFound(let key, let context): (context, "'\(key.stringValue)' is missing")
            case .typeMismatch(let type, let context): (context, "is no \(type)")
            case .valueNotFound(let type, let context): (context, "has no \(type)")
            case .dataCorrupted(let context): (context, context.codingPath.isEmpty ? "is no JSON" : "is damaged")
            @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "is damaged")
            }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return path.isEmpty ? "the snapshot \(what)" : "\(path.drop { $0 == "." }) \(what)"
    }
}

/// What a ``Central`` knows and does: see ``Central/snapshot()`` and ``Central/restore(_:)``.
public struct CentralSnapshot: Snapshot {
    /// A characteristic that was subscribed.
    public struct Subscription: Codable, Hashable, Sendable {
        /// The type of the service.
        public var service: String
        /// The type of the characteristic.
        public var characteristic: String
        /// The handle of its value, where the engine knew it.
        public var handle: UInt16?
        /// Its place among those of the same types, from 0.
        public var ordinal: Int
        /// Indications rather than notifications.
        public var indications: Bool

        var origin: FeedOrigin? {
            guard let service = BluetoothUUID(service), let uuid = BluetoothUUID(characteristic) else { return nil }
            return FeedOrigin(service: service, uuid: uuid, handle: handle, ordinal: ordinal)
        }

        init(_ feed: Feed) {
            service = feed.origin.service.description
            characteristic = feed.origin.uuid.description
            handle = feed.origin.handle
            ordinal = feed.origin.ordinal
            indications = feed.mode == .indications
        }
    }

    /// A peripheral that was known.
    public struct Peer: Codable, Hashable, Sendable {
        /// Its identifier, a UUID.
        public var id: String
        /// Its address as twelve digits with colons, where the engine knew it.
        public var address: String?
        /// True for an address that the device made up.
        public var isRandom: Bool?
        /// The last name it said.
        public var name: String?
        /// The last advertisement in hexadecimal digits, and its scan response.
        public var advertisement: String?
        /// The last scan response in hexadecimal digits.
        public var scanResponse: String?
        /// Whether the last advertisement said that it can be connected to; nil means that it did.
        public var isConnectable: Bool?
        /// It was connected, or to be connected again.
        public var isWanted: Bool
        /// What was subscribed on it.
        public var subscriptions: [Subscription]
    }

    /// The version of the form: 1.
    public var format = 1
    /// The peripherals, in the order in which they were found.
    public var peers: [Peer] = []
    /// The services that each running scan looked for; an empty list for a scan that looked for all.
    public var scans: [[String]] = []
    /// The identifiers of bonded devices. Their keys are not here: they stay in the adapter's bond store.
    public var bonds: [String] = []

    /// Nothing known.
    public init() {}
}

/// A peripheral that was known to the process before, see ``Central/restore(_:)``.
public struct RestoredPeripheral: Sendable {
    /// The device, with the name and the advertisement that were known.
    public let peripheral: Peripheral
    /// It was connected, or to be connected again.
    public let isWanted: Bool
    /// It was bonded, and the adapter still has its keys. When the keys are gone it must be paired again.
    public let isBonded: Bool
    /// It was bonded, but the adapter does not have its keys any more.
    public let lostBond: Bool
    /// What was subscribed on it.
    public let subscriptions: [CentralSnapshot.Subscription]

    /// Connects, discovers and subscribes to all that was subscribed.
    ///
    /// ```swift
    /// for restored in await central.restore(try CentralSnapshot(from: path)) where restored.isWanted {
    ///     for values in try await restored.resume(reconnection: .always()) { consume(values) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reconnection: The policy from now on.
    ///   - capacity: How many values wait for a slow reader of each sequence.
    ///   - overflow: What happens beyond that.
    ///   - timeout: For connecting; discovery and each subscription have their own defaults.
    /// - Returns: The values of each, in the order of ``subscriptions``; those that the device does not have any more
    ///   are left out.
    /// - Throws: ``BluetoothError``.
    public func resume(
        reconnection: ReconnectionPolicy = .never, capacity: Int = 1024, overflow: OverflowRule = .dropOldest,
        timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> [Notifications] {
        try await peripheral.connect(reconnection: reconnection, timeout: timeout)
        let services = try await peripheral.discover()
        var all: [Notifications] = []
        for subscription in subscriptions {
            guard let characteristic = subscription.origin?.find(in: services) else { continue }
            all.append(
                try await peripheral.notifications(
                    of: characteristic, mode: subscription.indications ? .indications : .notifications,
                    capacity: capacity, overflow: overflow))
        }
        return all
    }
}

extension Central {
    /// What is known and done at this moment, to be restored by a later process: peripherals with their names and
    /// advertisements, which of them are connected or to be connected again, what is subscribed, what is scanned for,
    /// and who is bonded.
    public func snapshot() async -> CentralSnapshot { await core.snapshot() }

    /// Takes up what an earlier process knew. Nothing is connected by it: see
    /// ``RestoredPeripheral/resume(reconnection:capacity:overflow:timeout:)``.
    ///
    /// Entries that do not name a device are left out.
    public func restore(_ snapshot: CentralSnapshot) async -> [RestoredPeripheral] {
        await core.restore(snapshot).map { entry in
            RestoredPeripheral(
                peripheral: Peripheral(central: self, record: entry.record), isWanted: entry.peer.isWanted,
                isBonded: entry.isBonded, lostBond: !entry.isBonded && snapshot.bonds.contains(entry.peer.id),
                subscriptions: entry.peer.subscriptions)
        }
    }
}

extension CentralCore {
    func snapshot() -> CentralSnapshot {
        var snapshot = CentralSnapshot()
        snapshot.peers = liveRecords.map { record in
            let state = record.read { $0 }
            let feeds =
                (links.filter { $0.serves(record) }.flatMap { Array($0.feeds.values) })
                + (reconnector(of: record)?.suspended ?? [])
            let subscribed = feeds.filter { !$0.subscribers.isEmpty }.sorted { $0.number < $1.number }
            return CentralSnapshot.Peer(
                id: state.id.description, address: state.address?.address.description,
                isRandom: state.address.map { $0.peerKind == .random }, name: state.name,
                advertisement: state.advertisement?.raw.map(Hex.encode),
                scanResponse: state.advertisement?.scanResponse.map(Hex.encode),
                isConnectable: state.advertisement?.isConnectable,
                isWanted: state.link != nil || reconnector(of: record) != nil,
                subscriptions: subscribed.map { CentralSnapshot.Subscription($0) })
        }
        snapshot.scans = scans.map { $0.session.request.filter.services.map(\.description) }
        snapshot.bonds = host.assumeIsolated { $0.bonds }.map(\.peer.description)
        return snapshot
    }

    func restore(
        _ snapshot: CentralSnapshot
    ) -> [(record: PeerRecord, peer: CentralSnapshot.Peer, isBonded: Bool)] {
        let bonds = Set(host.assumeIsolated { $0.bonds }.map(\.peer))
        return snapshot.peers.prefix(Self.keptRecords).compactMap { peer in
            guard let uuid = BluetoothUUID(peer.id) else { return nil }
            var address: DeviceAddress?
            if let text = peer.address, let bits = BluetoothAddress(text) {
                address = DeviceAddress(bits, peer.isRandom == true ? .random : .public)
            }
            // The engine must have heard of an address before it can connect to the device behind it.
            let id = address.flatMap { address in host.assumeIsolated { $0.peer(at: address) } } ?? PeerID(uuid)
            let record = record(for: id, address: address, name: peer.name)
            if let raw = peer.advertisement.flatMap({ try? Hex.decode($0) }) {
                let advertisement = Advertisement(
                    peer: id, address: address, rssi: nil, isConnectable: peer.isConnectable ?? true, time: loop.now,
                    raw: raw,
                    scanResponse: peer.scanResponse.flatMap { try? Hex.decode($0) })
                record.update { $0.advertisement = $0.advertisement ?? advertisement }
            }
            keep(record)
            return (record, peer, bonds.contains(id))
        }
    }
}
