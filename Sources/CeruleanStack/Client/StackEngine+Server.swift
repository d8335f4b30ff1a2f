// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// Our own services and who answers for the others.
struct Publications {
    /// Owner number of the services that the engine itself puts up.
    static let builtIn = 0

    var owners: [Int: any HostEventSink] = [:]
    var lastOwner = 0
    var deviceName: AttributeID?
    var name: String
    /// Identifiers of attributes that are served without an application's help.
    var appearance: UInt16
}

extension StackEngine {
    /// The device name of the GAP service (0x2A00). Setting it changes what clients read; at most 248 octets count.
    public var deviceName: String { publications.name }

    /// Changes the device name.
    public func setDeviceName(_ name: String, now: MonotonicTime) {
        self.now = now
        publications.name = name
        if let id = publications.deviceName { _ = server.update(nameOctets, of: id, for: .allSubscribers, now: now) }
    }

    /// Adds services to our database, all or none; see `Host/publish(_:for:completion:)`.
    ///
    /// Services of the types 1800 and 1801 replace the engine's own. Wished handles win: the engine's own services move.
    public func publish(
        _ services: [ServiceDefinition], for sink: any HostEventSink, now: MonotonicTime,
        completion: @escaping HostCompletion<[PublishedService]>
    ) {
        self.now = now
        if let needy = services.lazy.compactMap(\.needsUnaskedAuthorization).first {
            return completion(
                .failure(
                    HostError(
                        .unsupported, "publish",
                        detail: "\(needy) needs authorization and has a stored value, for which nobody is asked")))
        }
        let owner = owner(of: sink)
        let result: Result<[PublishedService], HostError>
        do throws(HostError) {
            result = .success(try add(services, owner: owner, now: now))
        } catch {
            result = .failure(error.during("publish"))
        }
        completion(result)
    }

    /// Removes a service.
    public func unpublish(_ service: AttributeID, now: MonotonicTime, completion: @escaping HostCompletion<Void>) {
        self.now = now
        let isFound = server.remove(service, now: now)
        restoreBuiltIn(now: now)
        completion(isFound ? .success(()) : .failure(HostError(.notFound, "unpublish", detail: "no such service")))
    }

    /// Removes all services of a sink.
    public func unpublish(servicesOf sink: any HostEventSink, now: MonotonicTime) {
        self.now = now
        for (owner, _) in publications.owners.filter({ $0.value === sink }) {
            server.removeServices(of: owner, now: now)
            publications.owners.removeValue(forKey: owner)
        }
        restoreBuiltIn(now: now)
    }

    /// Answers requests; see `Host/respond(to:with:)`.
    public func respond(to token: RequestToken, with response: RequestResponse, now: MonotonicTime) {
        self.now = now
        server.respond(to: token, with: response, now: now)
    }

    /// Sends a new value to subscribers; see `Host/update(_:of:for:)`.
    public func update(
        _ value: [UInt8], of attribute: AttributeID, for audience: UpdateAudience, now: MonotonicTime
    ) -> Bool {
        self.now = now
        return server.update(value, of: attribute, for: audience, now: now)
    }

    // MARK: - our own services

    func setUpServer() {
        server.delegate = answers
        let crypto = configuration.crypto
        // Least significant octet first, as all numbers of the protocol.
        server.hasher = { (try? crypto.databaseHash($0))?.littleEndian }
        restoreBuiltIn(now: .zero)
    }

    /// Server Supported Features: whether there are enhanced bearers (bit 0). Core 5.4, Vol 3, Part G, 7.4.
    private var serverFeatures: [CharacteristicDefinition] {
        guard configuration.enhancedBearers > 0 else { return [] }
        return [
            CharacteristicDefinition(
                uuid: GATT.serverSupportedFeatures, properties: .read, permissions: .readable, value: .stored([1]))
        ]
    }

    private var nameOctets: [UInt8] { Array(publications.name.utf8.prefix(248)) }

    /// Puts up those of our own services that nobody publishes. Core 5.4, Vol 3, Part C, 12 and Part G, 7.
    private func restoreBuiltIn(now: MonotonicTime) {
        let types = Set(server.services.map(\.uuid))
        var missing: [ServiceDefinition] = []
        if !types.contains(0x1800) {
            let appearance = publications.appearance
            missing.append(
                ServiceDefinition(
                    uuid: 0x1800,
                    characteristics: [
                        CharacteristicDefinition(
                            uuid: 0x2A00, properties: .read, permissions: .readable, value: .stored(nameOctets)),
                        CharacteristicDefinition(
                            uuid: 0x2A01, properties: .read, permissions: .readable,
                            value: .stored([
                                UInt8(truncatingIfNeeded: appearance), UInt8(truncatingIfNeeded: appearance >> 8),
                            ])),
                    ]))
        }
        if !types.contains(0x1801) {
            missing.append(
                ServiceDefinition(
                    uuid: 0x1801,
                    characteristics: [
                        CharacteristicDefinition(
                            uuid: GATT.serviceChanged, properties: .indicate, permissions: AttributePermissions()),
                        CharacteristicDefinition(
                            uuid: GATT.clientSupportedFeatures, properties: [.read, .write],
                            permissions: .readWrite),
                        CharacteristicDefinition(
                            uuid: GATT.databaseHash, properties: .read, permissions: .readable),
                    ] + serverFeatures))
        }
        guard !missing.isEmpty,
            let published = try? server.add(missing, owner: Publications.builtIn, now: now)
        else { return }
        if missing[0].uuid == 0x1800 { publications.deviceName = published[0].characteristics[0].id }
    }

    private func add(
        _ services: [ServiceDefinition], owner: Int, now: MonotonicTime
    ) throws(HostError) -> [PublishedService] {
        let replaces = services.contains { $0.uuid == 0x1800 || $0.uuid == 0x1801 }
        if !replaces {
            do throws(HostError) {
                return try server.add(services, owner: owner, now: now)
            } catch {
                guard services.contains(where: { $0.handle != nil }) else { throw error }
            }
        }
        server.removeServices(of: Publications.builtIn, now: now)
        publications.deviceName = nil
        defer { restoreBuiltIn(now: now) }
        return try server.add(services, owner: owner, now: now)
    }

    private func owner(of sink: any HostEventSink) -> Int {
        if let known = publications.owners.first(where: { $0.value === sink }) { return known.key }
        publications.lastOwner += 1
        publications.owners[publications.lastOwner] = sink
        return publications.lastOwner
    }
}

/// The engine's side of its GATT server. An object of its own, since the server holds it weakly: an object that was ever
/// referred to weakly is slower to retain and release from then on.
final class ServerAnswers: GATTServerDelegate {
    /// The engine holds this object.
    private unowned(unsafe) let engine: StackEngine

    init(_ engine: StackEngine) { self.engine = engine }

    func server(
        _ server: GATTServer, requests: [AttributeRequest], token: RequestToken?, owner: Int, from bearer: ATTBearer
    ) {
        // The application's time runs from now; no PDU starts it.
        engine.arm(bearer.nextDeadline)
        guard let sink = engine.publications.owners[owner] else {
            if let token { server.respond(to: token, with: .failure(code: 0x0E, index: 0), now: engine.now) }
            return
        }
        sink.receive(
            .requests(
                RequestBatch(token: token, link: bearer.peer.link, peer: bearer.peer.peer, requests: requests)))
    }

    func server(
        _ server: GATTServer, wrote value: [UInt8], to attribute: AttributeID, owner: Int, from bearer: ATTBearer
    ) {
        engine.emit(.valueWritten(link: bearer.peer.link, attribute: attribute, value: value))
    }

    func server(
        _ server: GATTServer, subscription mode: SubscriptionMode, of attribute: AttributeID, owner: Int,
        from bearer: ATTBearer
    ) {
        engine.keepClient(bearer)
        guard owner != Publications.builtIn else { return }
        engine.emit(.subscriptionChanged(link: bearer.peer.link, attribute: attribute, mode: mode))
    }

    func server(_ server: GATTServer, clientChanged bearer: ATTBearer) { engine.keepClient(bearer) }

    func server(_ server: GATTServer, verifies command: [UInt8], from bearer: ATTBearer) -> SecurityLevel? {
        engine.verify(command, from: bearer)
    }

    func server(_ server: GATTServer, readyToUpdate bearer: ATTBearer) {
        engine.emit(.readyToUpdate(bearer.peer.link))
    }
}

extension ServiceDefinition {
    /// The first attribute whose value is stored and needs authorization.
    fileprivate var needsUnaskedAuthorization: BluetoothUUID? {
        for characteristic in characteristics {
            if characteristic.value.isUnasked(characteristic.permissions) { return characteristic.uuid }
            if let descriptor = characteristic.descriptors.first(where: { $0.value.isUnasked($0.permissions) }) {
                return descriptor.uuid
            }
        }
        return nil
    }
}

extension ValueSource {
    fileprivate func isUnasked(_ permissions: AttributePermissions) -> Bool {
        guard case .stored = self else { return false }
        return permissions.read?.needsAuthorization == true || permissions.write?.needsAuthorization == true
    }
}
