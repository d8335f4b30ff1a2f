// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import CeruleanWire

/// What a server keeps of one client, whatever the number of its bearers.
final class GATTClientState {
    /// Whether the client knows the database as it is. Core 5.4, Vol 3, Part G, 2.5.2.1.
    enum Awareness: Hashable {
        case aware
        /// The database has changed, and nothing shows that the client knows.
        case unaware
        /// It was told with Database Out Of Sync, or it read the hash: its next request shows that it knows.
        case told
    }

    /// What a client may say that it can do. Core 5.4, Vol 3, Part G, 7.2.
    struct Features: OptionSet, Hashable {
        let rawValue: UInt8
        /// It wants to be told when it uses a database that has changed (bit 0).
        static let robustCaching = Self(rawValue: 1)
        /// Enhanced bearers (bit 1).
        static let enhancedBearers = Self(rawValue: 2)
        /// It takes Multiple Handle Value Notifications (bit 2).
        static let multipleNotifications = Self(rawValue: 4)
        static let all: Self = [.robustCaching, .enhancedBearers, .multipleNotifications]
    }

    /// Client Characteristic Configurations that are not zero, by handle.
    var configuration: [UInt16: UInt16] = [:]
    var features: Features = []
    var awareness = Awareness.aware

    /// Nothing but Service Changed is sent to it.
    var isOutOfSync: Bool { awareness != .aware && features.contains(.robustCaching) }
}

extension GATTServerSession {
    /// The client asks for something. False when it must be told first that the database has changed, once: this request was
    /// answered with that.
    func isInSync(_ opcode: ATT.Opcode, _ pdu: RawSpan) -> Bool {
        switch client.awareness {
        case .aware: return true
        case .told:
            becomeAware()
            return true
        case .unaware:
            guard client.features.contains(.robustCaching), let handle = Self.handle(used: opcode, pdu) else {
                return true
            }
            client.awareness = .told
            refuse(opcode, handle, .databaseOutOfSync)
            return false
        }
    }

    /// The handle that a request makes use of rather than find it; nil for discovery and malformed requests.
    private static func handle(used opcode: ATT.Opcode, _ pdu: RawSpan) -> UInt16? {
        switch opcode {
        case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest, .writeRequest,
            .prepareWriteRequest:
            return pdu.byteCount >= 3 ? pdu.uint16(at: 1) : nil
        case .readByTypeRequest:
            guard let request = try? ATT.ReadByTypeRequest(pdu: pdu), request.type != GATT.include,
                request.type != GATT.characteristic, request.start != 1 || request.end != 0xFFFF
            else { return nil }
            return request.start
        default: return nil
        }
    }

    /// The client has read the hash: it knows what it will find.
    func readHash() {
        if client.awareness == .unaware { client.awareness = .told }
    }

    func becomeAware() {
        guard client.awareness != .aware else { return }
        client.awareness = .aware
        server.delegate?.server(server, clientChanged: bearer)
    }

    /// The client says what it can do. What it has said cannot be taken back. Core 5.4, Vol 3, Part G, 7.2.
    func setFeatures(_ value: [UInt8]) -> ATT.ErrorCode? {
        guard let first = value.first else { return .invalidAttributeValueLength }
        let new = GATTClientState.Features(rawValue: first).intersection(.all)
        guard new.isSuperset(of: client.features) else { return .valueNotAllowed }
        return nil
    }

    func store(features value: [UInt8]) {
        let new = GATTClientState.Features(rawValue: value.first ?? 0).intersection(.all)
        guard new != client.features else { return }
        client.features = new
        server.delegate?.server(server, clientChanged: bearer)
    }

    /// Puts back what a bonded client said on an earlier link, and tells it if the database has changed since.
    ///
    /// - Parameter knownDatabase: The hash of the database that it knew; nil when it never knew one.
    func restore(features: [UInt8], knownDatabase: [UInt8]?, now: MonotonicTime) {
        client.features.formUnion(
            GATTClientState.Features(rawValue: features.first ?? 0).intersection(.all))
        guard let knownDatabase, let present = server.databaseHash, present != knownDatabase else { return }
        client.awareness = .unaware
        guard let changed = server.serviceChanged else { return }
        tellServiceChanged(changed, 0x0001, 0xFFFF, now: now)
    }
}

// What is kept of bonded clients.
extension ATTBearer {
    /// What the client said that it can do: the value of Client Supported Features (2B29).
    public var clientFeatures: [UInt8] {
        guard let features = session?.client.features, !features.isEmpty else { return [] }
        return [features.rawValue]
    }

    /// True when the client knows our database as it is.
    public var isClientAware: Bool { session?.client.awareness == .aware }

    /// Puts back what a bonded client said on an earlier link; one that knew another database is told that it has changed.
    /// Call it behind ``restoreConfigurations(_:)``.
    ///
    /// - Parameters:
    ///   - features: the value of Client Supported Features (2B29).
    ///   - knownDatabase: the hash of the database that it knew; nil when it never knew one.
    ///   - now: the present moment.
    public func restoreClient(features: [UInt8], knownDatabase: [UInt8]?, now: MonotonicTime) {
        session?.restore(features: features, knownDatabase: knownDatabase, now: now)
    }
}
