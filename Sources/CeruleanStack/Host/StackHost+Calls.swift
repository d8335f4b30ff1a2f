// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

extension StackHost {
    /// See `Host`.
    public func addSink(_ sink: any HostEventSink) { fanOut.add(sink) }

    /// See `Host`.
    public func removeSink(_ sink: any HostEventSink) {
        fanOut.remove(sink)
        engine.unpublish(servicesOf: sink, now: loop.now)
        engine.removePairingSink(sink)
        engine.removeChannels(of: sink)
        rearm()
    }

    /// Ends a running operation, or forgets a scheduled job.
    public func cancel(_ operation: OperationID) {
        engine.cancel(operation, now: loop.now)
        rearm()
    }

    // MARK: Finding peers

    /// See `Host`.
    public func startScan(_ parameters: ScanParameters, completion: @escaping HostCompletion<ScanID>) {
        engine.startScan(parameters, now: loop.now, completion: completion)
        rearm()
    }

    /// See `Host`.
    public func stopScan(_ scan: ScanID) {
        engine.stopScan(scan, now: loop.now)
        rearm()
    }

    /// See `Host`.
    public func peer(at address: DeviceAddress) -> PeerID? {
        address.kind == .anonymous ? nil : PeerID(address)
    }

    /// See `Host`.
    public var knownPeers: [KnownPeer] { engine.knownPeers }

    // MARK: Links

    /// See `Host`.
    public var links: [LinkInfo] { engine.linkInfos }

    /// See `Host`.
    public func connect(
        _ peer: PeerID, options: ConnectOptions, timeout: Duration, completion: @escaping HostCompletion<LinkInfo>
    ) -> OperationID {
        defer { rearm() }
        return engine.connect(peer, options: options, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func disconnect(_ link: LinkID, force: Bool, completion: @escaping HostCompletion<Void>) {
        engine.disconnect(link, force: force, now: loop.now, completion: completion)
        rearm()
    }

    /// See `Host`.
    public func requestParameters(
        _ request: ConnectionParameterRequest, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<ConnectionParameters>
    ) -> OperationID {
        defer { rearm() }
        return engine.requestParameters(request, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func readRSSI(
        _ link: LinkID, timeout: Duration, completion: @escaping HostCompletion<Int>
    ) -> OperationID {
        defer { rearm() }
        return engine.readRSSI(link, timeout: timeout, now: loop.now, completion: completion)
    }

    // MARK: Security

    /// Says how links are paired, and who is asked.
    public func setPairing(_ policy: PairingPolicy, asking sink: (any HostEventSink)?) {
        engine.setPairing(policy, asking: sink.flatMap { fanOut.contains($0) ? $0 : nil })
    }

    /// Makes a link as secure as wanted.
    public func secure(
        _ link: LinkID, options: PairingOptions, timeout: Duration, completion: @escaping HostCompletion<SecurityLevel>
    ) -> OperationID {
        defer { rearm() }
        return engine.secure(link, options: options, timeout: timeout, now: loop.now, completion: completion)
    }

    /// Answers the open question of a link.
    public func answerPairing(_ answer: PairingAnswer, on link: LinkID) {
        engine.answerPairing(answer, on: link, now: loop.now)
        rearm()
    }

    /// Tells the peer what our user types.
    public func sendKeypress(_ kind: SMP.KeypressKind, on link: LinkID) {
        engine.sendKeypress(kind, on: link, now: loop.now)
        rearm()
    }

    /// Gives out of band data for the next pairing, or what we made for the peer to receive.
    public func setOutOfBand(_ supply: OutOfBandSupply) { engine.setOutOfBand(supply) }

    /// Devices that keys are kept for, oldest first.
    public var bonds: [BondedPeer] { engine.bonds }

    /// Forgets the keys of a device and ends its links; ends when that is saved.
    public func unpair(_ peer: PeerID, completion: @escaping HostCompletion<Void>) {
        let isFound = engine.unpair(peer, now: loop.now)
        rearm()
        guard isFound else {
            return completion(.failure(HostError(.notFound, "unpair", detail: "there is no bond with \(peer)")))
        }
        whenSaved(completion)
    }

    // MARK: The peer's database

    /// See `Host`.
    public func discoverServices(
        _ types: [BluetoothUUID]?, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[ServiceInfo]>
    ) -> OperationID {
        defer { rearm() }
        return engine.discoverServices(types, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func discoverIncludedServices(
        of service: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[ServiceInfo]>
    ) -> OperationID {
        defer { rearm() }
        return engine.discoverIncludedServices(
            of: service, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func discoverCharacteristics(
        of service: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[CharacteristicInfo]>
    ) -> OperationID {
        defer { rearm() }
        return engine.discoverCharacteristics(
            of: service, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func discoverDescriptors(
        of characteristic: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[DescriptorInfo]>
    ) -> OperationID {
        defer { rearm() }
        return engine.discoverDescriptors(
            of: characteristic, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func read(
        _ attribute: AttributeID, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<[UInt8]>
    ) -> OperationID {
        defer { rearm() }
        return engine.read(attribute, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func write(
        _ value: [UInt8], to attribute: AttributeID, mode: WriteMode, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        defer { rearm() }
        return engine.write(
            value, to: attribute, mode: mode, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func writeReliably(
        _ values: [(attribute: AttributeID, value: [UInt8])], on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        defer { rearm() }
        return engine.writeReliably(values, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func subscribe(
        to characteristic: AttributeID, mode: SubscriptionMode, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        defer { rearm() }
        return engine.subscribe(
            to: characteristic, mode: mode, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func canWriteWithoutResponse(_ link: LinkID) -> Bool { engine.canWriteWithoutResponse(link) }

    // MARK: Our database

    /// See `Host`.
    public func publish(
        _ services: [ServiceDefinition], for sink: any HostEventSink,
        completion: @escaping HostCompletion<[PublishedService]>
    ) {
        guard fanOut.contains(sink) else {
            return completion(.failure(HostError(.invalidArgument, "publish", detail: "the sink was not added")))
        }
        engine.publish(services, for: sink, now: loop.now, completion: completion)
        rearm()
    }

    /// See `Host`.
    public func unpublish(_ service: AttributeID, completion: @escaping HostCompletion<Void>) {
        engine.unpublish(service, now: loop.now, completion: completion)
        rearm()
    }

    /// See `Host`.
    public func respond(to token: RequestToken, with response: RequestResponse) {
        engine.respond(to: token, with: response, now: loop.now)
        rearm()
    }

    /// See `Host`.
    public func update(_ value: [UInt8], of attribute: AttributeID, for audience: UpdateAudience) -> Bool {
        defer { rearm() }
        return engine.update(value, of: attribute, for: audience, now: loop.now)
    }

    /// See `Host`.
    public func startAdvertising(
        _ parameters: AdvertisingParameters, completion: @escaping HostCompletion<AdvertisementID>
    ) {
        engine.startAdvertising(parameters, now: loop.now, completion: completion)
        rearm()
    }

    /// See `Host`.
    public func stopAdvertising(_ advertisement: AdvertisementID) {
        engine.stopAdvertising(advertisement, now: loop.now)
        rearm()
    }

    /// See `Host`.
    public func updateAdvertising(
        _ advertisement: AdvertisementID, with update: AdvertisingUpdate, completion: @escaping HostCompletion<Void>
    ) {
        engine.updateAdvertising(advertisement, with: update, now: loop.now, completion: completion)
        rearm()
    }

    /// See `Host`.
    public func updateTogether(_ values: [AttributeUpdate], for audience: UpdateAudience) -> Int {
        defer { rearm() }
        return engine.updateTogether(values, for: audience, now: loop.now)
    }

    /// See `Host`.
    public func readMultiple(
        _ attributes: [AttributeID], lengths: [Int], on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[[UInt8]]>
    ) -> OperationID {
        defer { rearm() }
        return engine.readMultiple(
            attributes, lengths: lengths, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    // MARK: The radio

    /// See `Host`.
    public func setPHY(
        _ request: PHYRequest, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<LinkPHY>
    ) -> OperationID {
        defer { rearm() }
        return engine.setPHY(request, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func setDataLength(
        _ octets: Int, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        defer { rearm() }
        return engine.setDataLength(octets, on: link, timeout: timeout, now: loop.now, completion: completion)
    }

    // MARK: Periodic advertising

    /// See `Host`.
    public func synchronize(
        to peer: PeerID, setID: UInt8, options: PeriodicSyncOptions, timeout: Duration,
        completion: @escaping HostCompletion<PeriodicSync>
    ) -> OperationID {
        defer { rearm() }
        return engine.synchronize(
            to: peer, setID: setID, options: options, timeout: timeout, now: loop.now, completion: completion)
    }

    /// See `Host`.
    public func endSync(_ sync: SyncID) {
        engine.endSync(sync, now: loop.now)
        rearm()
    }
}
