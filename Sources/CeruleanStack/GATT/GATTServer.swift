// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// What a ``GATTServer`` asks of the application. Every call comes on the thread that called the server or a bearer.
public protocol GATTServerDelegate: AnyObject {
    /// A client asks for dynamic attributes of one owner: one read, one write, or the prepared writes of an execution.
    ///
    /// Answer with ``GATTServer/respond(to:with:now:)``, from inside the call or later; other requests of that client wait
    /// meanwhile. After 25 s the server answers for the application with Unlikely Error. Without a token no answer is wanted.
    func server(
        _ server: GATTServer, requests: [AttributeRequest], token: RequestToken?, owner: Int, from bearer: ATTBearer)

    /// A client changed a stored value.
    func server(
        _ server: GATTServer, wrote value: [UInt8], to attribute: AttributeID, owner: Int, from bearer: ATTBearer)

    /// A client subscribed to a characteristic, or unsubscribed.
    func server(
        _ server: GATTServer, subscription mode: SubscriptionMode, of attribute: AttributeID, owner: Int,
        from bearer: ATTBearer)

    /// What is kept of a bonded client has changed: its configurations, its features, or that it knows the database.
    func server(_ server: GATTServer, clientChanged bearer: ATTBearer)

    /// The level that a signed write command has, which comes with its 12 octets of signature; nil when it is not genuine or was
    /// received before. The counter must be kept before this returns. Core 5.4, Vol 3, Part C, 10.4.
    func server(_ server: GATTServer, verifies command: [UInt8], from bearer: ATTBearer) -> SecurityLevel?

    /// ``GATTServer/update(_:of:for:now:)`` was refused because of this client, and takes values again.
    func server(_ server: GATTServer, readyToUpdate bearer: ATTBearer)

    /// Whether a client may use a stored attribute whose permissions ask for authorization. Must not change the database.
    func server(_ server: GATTServer, authorizes attribute: AttributeID, forWriting: Bool, from bearer: ATTBearer)
        -> Bool
}

extension GATTServerDelegate {
    /// Keeps nothing.
    public func server(_ server: GATTServer, clientChanged bearer: ATTBearer) {}

    /// Takes no signature on trust.
    public func server(_ server: GATTServer, verifies command: [UInt8], from bearer: ATTBearer) -> SecurityLevel? {
        nil
    }

    /// Refuses.
    public func server(
        _ server: GATTServer, authorizes attribute: AttributeID, forWriting: Bool, from bearer: ATTBearer
    ) -> Bool { false }
}

/// A GATT server: one database for any number of links. Core 5.4, Vol 3, Part G.
///
/// Sans I/O, used on one thread. Services may be added and removed at any time; handles of others do not change.
/// ```swift
/// let server = GATTServer()
/// server.delegate = self
/// let service = try server.add([battery], owner: 1, now: now)[0]
/// let bearer = ATTBearer(server: server, peer: peer, output: self)
/// server.update([99], of: service.characteristics[0].id, for: .allSubscribers, now: now)
/// ```
public final class GATTServer {
    /// Answers for dynamic attributes and hears of writes and subscriptions. Not kept alive.
    public weak var delegate: (any GATTServerDelegate)?

    /// Makes the 16 octets of the Database Hash, as they are sent, of what it is made over. Set it before clients come; without
    /// it there is no robust caching.
    public var hasher: ((_ definitions: [UInt8]) -> [UInt8]?)?

    var database = GATTDatabase()
    /// Nil when it has to be made anew.
    var presentHash: [UInt8]?
    private var sessions: [GATTServerSession?] = []
    private var freeSlots: [Int] = []
    private var lastToken: UInt32 = 0

    /// A server without any service.
    public init() {}

    // MARK: - services

    /// The services in handle order.
    public var services: [GATT.Service] {
        database.services.map { GATT.Service(start: $0.start, end: $0.end, uuid: $0.uuid, isPrimary: $0.isPrimary) }
    }

    /// Adds services; all or none. Clients that asked for it are told by a Service Changed indication.
    ///
    /// - Parameters:
    ///   - definitions: What to publish.
    ///   - owner: handed to the delegate with everything that concerns these services.
    ///   - now: The present moment.
    /// - Throws: `invalidArgument` when wished handles are taken or out of order, a value is longer than 512 octets or an
    ///   include is unknown; `queueFull` when no handles are left.
    @discardableResult
    public func add(
        _ definitions: [ServiceDefinition], owner: Int = 0, now: MonotonicTime
    ) throws(HostError) -> [PublishedService] {
        var changed = database
        var published: [PublishedService] = []
        var ranges: [(UInt16, UInt16)] = []
        for definition in definitions {
            let (service, result) = try changed.add(definition, owner: owner)
            published.append(result)
            ranges.append((service.start, service.end))
        }
        database = changed
        presentHash = nil
        tellChange(ranges, now: now)
        return published
    }

    /// Removes a service. Requests pending on it are answered with Invalid Handle. False when it is gone already.
    @discardableResult
    public func remove(_ service: AttributeID, now: MonotonicTime) -> Bool {
        guard let index = database.index(of: service), database.attributes[index].kind == .service else { return false }
        return remove([database.handles[index]], now: now)
    }

    /// Removes all services of an owner.
    public func removeServices(of owner: Int, now: MonotonicTime) {
        _ = remove(database.services.filter { $0.owner == owner }.map(\.start), now: now)
    }

    private func remove(_ starts: [UInt16], now: MonotonicTime) -> Bool {
        var ranges: [(UInt16, UInt16)] = []
        for start in starts {
            guard let service = database.removeService(at: start) else { continue }
            ranges.append((service.start, service.end))
            presentHash = nil
            for session in sessions { session?.forget(service.start...service.end, now: now) }
        }
        tellChange(ranges, now: now)
        return !ranges.isEmpty
    }

    private func tellChange(_ ranges: [(UInt16, UInt16)], now: MonotonicTime) {
        guard let start = ranges.map(\.0).min(), let end = ranges.map(\.1).max(), let changed = serviceChanged else {
            return
        }
        for session in sessions { session?.tellServiceChanged(changed, start, end, now: now) }
    }

    var serviceChanged: UInt16? {
        guard let index = database.attributes.firstIndex(where: { $0.kind == .value && $0.type == GATT.serviceChanged })
        else { return nil }
        return database.handles[index]
    }

    // MARK: - values

    /// The identifier of the attribute at `handle`.
    public func id(of handle: UInt16) -> AttributeID? { database.index(of: handle).map(database.id(at:)) }

    /// The stored value of an attribute; nil for dynamic and unknown ones.
    public func storedValue(of attribute: AttributeID) -> [UInt8]? {
        guard let index = database.index(of: attribute), !database.attributes[index].isDynamic else { return nil }
        return database.attributes[index].value
    }

    /// Sends a new value to subscribers and, for a stored attribute and all subscribers, keeps it (at most 512 octets). What
    /// goes to a single subscriber is not kept: others would read it.
    ///
    /// A client that enabled both gets a notification. What does not fit a client's MTU is cut.
    /// - Returns: false when the queue of a subscriber is full and **nothing** was sent or stored;
    ///   ``GATTServerDelegate/server(_:readyToUpdate:)`` tells when to try again.
    public func update(
        _ value: [UInt8], of attribute: AttributeID, for audience: UpdateAudience, now: MonotonicTime
    ) -> Bool {
        guard let index = database.index(of: attribute) else { return true }
        let handle = database.handles[index]
        let properties = database.attributes[index].properties
        let configuration = database.attributes[index].partner
        var isFree = true
        if configuration != 0 {
            for session in sessions where session?.takes(audience, configuration, properties) == false {
                isFree = false
            }
        }
        guard isFree else { return false }
        if audience == .allSubscribers, !database.attributes[index].isDynamic, value.count <= ATT.maximumValueLength {
            database.attributes[index].value = value
        }
        guard configuration != 0 else { return true }
        for session in sessions {
            session?.update(value, of: handle, for: audience, configuration, properties, now: now)
        }
        return true
    }

    // MARK: - requests

    /// Answers requests. Answering twice, or for a link that is gone, does nothing.
    public func respond(to token: RequestToken, with response: RequestResponse, now: MonotonicTime) {
        let slot = Int(token.rawValue >> 32)
        guard slot < sessions.count, let session = sessions[slot] else { return }
        session.respond(token, response, now: now)
    }

    /// The attribute at a handle, if there is one.
    func attribute(at handle: UInt16) -> AttributeID? { database.index(of: handle).map { database.id(at: $0) } }

    // MARK: - for sessions

    var allSessions: [GATTServerSession] { sessions.compactMap { $0 } }

    func open(_ session: GATTServerSession) -> Int {
        if let slot = freeSlots.popLast() {
            sessions[slot] = session
            return slot
        }
        sessions.append(session)
        return sessions.count - 1
    }

    func close(slot: Int) {
        guard sessions[slot] != nil else { return }
        sessions[slot] = nil
        freeSlots.append(slot)
    }

    func nextToken(slot: Int) -> RequestToken {
        lastToken &+= 1
        return RequestToken(rawValue: UInt64(slot) << 32 | UInt64(lastToken))
    }
}
