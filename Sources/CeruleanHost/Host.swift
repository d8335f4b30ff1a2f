// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Called once, on the host's loop, when an operation has ended.
public typealias HostCompletion<Value: Sendable> = @Sendable (Result<Value, HostError>) -> Void

/// **The lower waist.** One adapter with whatever is behind it: our own stack on a controller, BlueZ, Apple's framework.
///
/// Everything above speaks to this protocol alone. A host is an actor whose executor is its ``loop``; actors of clients that
/// return the same executor call it without a hop, and its callbacks reach them synchronously (`assumeIsolated`).
///
/// Rules that every engine keeps, and the conformance suite checks:
/// - Each operation ends exactly once: with a result, an error, `timedOut` after its timeout, or `cancelled`. Its completion is
///   called on the loop and may be called before the method returns only with an error about the arguments or state.
/// - When a link goes down, its pending operations end first, all with one reason, then `linkClosed` is sent.
/// - Events reach all sinks in the order of the air; a value event and a completion are never reordered.
/// - What the engine cannot do ends with `unsupported`.
/// - A timeout ends waiting, not necessarily what the peer does; the link stays up unless the operation says otherwise.
public protocol Host: Actor {
    /// The executor and clock of the host.
    nonisolated var loop: any EventLoop { get }
    /// What a person would call the adapter: `virtual`, `hci:0`, `tcp:127.0.0.1:6402`.
    nonisolated var name: String { get }
    /// What it can do; complete once the state is `poweredOn`.
    var capabilities: HostCapabilities { get }
    /// Whether it can be used.
    var state: AdapterState { get }
    /// Our own address, where the engine knows it.
    var localAddress: DeviceAddress? { get }

    /// Opens and starts the adapter. Ends when it is `poweredOn` or cannot become so.
    func start(timeout: Duration, completion: @escaping HostCompletion<Void>)
    /// Ends all links, scans and advertisements, then closes the adapter. Events still come, completions too.
    func stop(completion: @escaping HostCompletion<Void>)

    /// Adds a receiver of events. A host holds its sinks strongly until they are removed.
    func addSink(_ sink: any HostEventSink)
    /// Removes a receiver; none of its services stay behind. Scans and advertisements belong to no sink: who started one stops it.
    func removeSink(_ sink: any HostEventSink)

    /// Ends a running operation with `cancelled`. Does nothing when it has ended.
    func cancel(_ operation: OperationID)

    // MARK: Finding peers

    /// Starts a scan. Several run side by side, each with its own filter and memory of duplicates.
    func startScan(_ parameters: ScanParameters, completion: @escaping HostCompletion<ScanID>)
    /// Stops a scan. Does nothing when it has ended.
    func stopScan(_ scan: ScanID)
    /// The peer with this address, without having seen it; nil where the engine has no addresses.
    func peer(at address: DeviceAddress) -> PeerID?
    /// Peers that have been seen or connected, newest last, at most 16,384.
    var knownPeers: [KnownPeer] { get }

    // MARK: Links

    /// The links that are up, those the system held before us included.
    var links: [LinkInfo] { get }
    /// Connects to a peer, or joins the link that is up already. Cancelling or a timeout gives up connecting.
    func connect(
        _ peer: PeerID, options: ConnectOptions, timeout: Duration, completion: @escaping HostCompletion<LinkInfo>
    ) -> OperationID
    /// Leaves a link; it goes down when the last client that connected has left, or at once when `force` is set.
    /// Ends when the link is down, or left.
    func disconnect(_ link: LinkID, force: Bool, completion: @escaping HostCompletion<Void>)
    /// Asks for other connection parameters. Ends with what is in force afterwards.
    func requestParameters(
        _ request: ConnectionParameterRequest, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<ConnectionParameters>
    ) -> OperationID
    /// Asks for other radio modes. Ends with those in force afterwards, which the peer may have decided.
    func setPHY(
        _ request: PHYRequest, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<LinkPHY>
    ) -> OperationID
    /// Asks for packets of up to `octets` octets, 27 to 251, on the link layer. Ends when the controller has taken the wish;
    /// what comes of it is told with `linkUpdated`.
    func setDataLength(
        _ octets: Int, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<Void>
    ) -> OperationID
    /// Measures the signal strength of the peer in dBm.
    func readRSSI(_ link: LinkID, timeout: Duration, completion: @escaping HostCompletion<Int>) -> OperationID

    // MARK: Security

    /// How links are paired, and who is asked. Questions go to `sink` alone, which must have been added; nil: to nobody, and
    /// what would have to be asked is refused. A sink that is removed is not asked any more.
    func setPairing(_ policy: PairingPolicy, asking sink: (any HostEventSink)?)
    /// Makes a link as secure as wanted: encrypts it with the key of the bond, or pairs. Ends with the level reached.
    ///
    /// A bonded peer that lost its key ends it with `insufficientSecurity` and the link with it; nothing is paired again by itself.
    func secure(
        _ link: LinkID, options: PairingOptions, timeout: Duration, completion: @escaping HostCompletion<SecurityLevel>
    ) -> OperationID
    /// Answers the open question of a link. An answer that does not fit it does nothing.
    func answerPairing(_ answer: PairingAnswer, on link: LinkID)
    /// Tells the peer what our user types; does nothing where nobody wants to know.
    func sendKeypress(_ kind: SMP.KeypressKind, on link: LinkID)
    /// Devices that keys are kept for, oldest first.
    var bonds: [BondedPeer] { get }
    /// Forgets the keys of a device and ends its links. Ends when that is saved.
    func unpair(_ peer: PeerID, completion: @escaping HostCompletion<Void>)

    // MARK: The peer's database

    /// Finds services, all of them or those of some types, in handle order.
    func discoverServices(
        _ types: [BluetoothUUID]?, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[ServiceInfo]>
    ) -> OperationID
    /// Finds the services that a service includes.
    func discoverIncludedServices(
        of service: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[ServiceInfo]>
    ) -> OperationID
    /// Finds the characteristics of a service, in handle order.
    func discoverCharacteristics(
        of service: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[CharacteristicInfo]>
    ) -> OperationID
    /// Finds the descriptors of a characteristic, in handle order.
    func discoverDescriptors(
        of characteristic: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[DescriptorInfo]>
    ) -> OperationID
    /// Reads a whole value, however long (at most 512 octets).
    func read(
        _ attribute: AttributeID, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<[UInt8]>
    ) -> OperationID
    /// Reads several values with as few requests as the peer can; each whole, in the order asked for. One that cannot be read
    /// fails all.
    ///
    /// - Parameters:
    ///   - attributes: See above.
    ///   - lengths: How long the values are, for peers that know only Read Multiple of known lengths; empty when unknown.
    ///   - link: The link.
    ///   - timeout: For the whole operation.
    ///   - completion: Called once, with the outcome.
    func readMultiple(
        _ attributes: [AttributeID], lengths: [Int], on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[[UInt8]]>
    ) -> OperationID
    /// Writes a value of at most 512 octets.
    func write(
        _ value: [UInt8], to attribute: AttributeID, mode: WriteMode, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID
    /// Writes several values so that all or none take effect, each echoed by the peer and compared.
    func writeReliably(
        _ values: [(attribute: AttributeID, value: [UInt8])], on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID
    /// Subscribes to a characteristic, or unsubscribes. Values may arrive before the completion.
    func subscribe(
        to characteristic: AttributeID, mode: SubscriptionMode, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID
    /// Whether a write without response would be sent now rather than wait.
    func canWriteWithoutResponse(_ link: LinkID) -> Bool

    // MARK: Channels

    /// Takes channels that peers open to a PSM (0x0001 to 0x00FF). Events go to `sink` alone, which is held meanwhile. Ends with the
    /// PSM: nil picks a free one from 0x0080 on.
    func listen(
        to psm: UInt16?, options: ChannelOptions, for sink: any HostEventSink,
        completion: @escaping HostCompletion<UInt16>)
    /// Takes no more channels; those that are open stay.
    func stopListening(to psm: UInt16)
    /// Opens one channel, or up to five at once with ``ChannelOptions/isEnhanced``: as many as the peer agrees to, at least one.
    /// Events go to `sink` alone, which is held meanwhile.
    func openChannels(
        _ count: Int, to psm: UInt16, on link: LinkID, options: ChannelOptions, for sink: any HostEventSink,
        timeout: Duration, completion: @escaping HostCompletion<[ChannelInfo]>
    ) -> OperationID
    /// Sends one unit of at most ``ChannelInfo/maximumSend`` octets. What goes to a channel that is gone is lost.
    ///
    /// - Returns: false when the queue is full and nothing was taken; wait for `readyToSend`.
    /// - Throws: `invalidArgument` when the unit is too long for the peer.
    func send(_ unit: [UInt8], on channel: ChannelID) throws(HostError) -> Bool
    /// Gives back room for octets that came and were used: the peer may send as many more. An
    /// empty unit counts as one octet.
    func consume(_ octets: Int, of channel: ChannelID)
    /// Closes a channel behind what is queued. Ends when it is gone.
    func closeChannel(_ channel: ChannelID, completion: @escaping HostCompletion<Void>)
    /// Opens up to `count` (1 to 5) bearers of enhanced ATT beside the one that every link has: reads run on them in parallel.
    /// The link is encrypted first. Ends with the number of bearers that are open besides the first.
    func openParallelBearers(
        _ count: Int, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<Int>
    ) -> OperationID

    // MARK: Our database

    /// Adds services to our database; all or none. Their requests go to `sink`, which must have been added.
    func publish(
        _ services: [ServiceDefinition], for sink: any HostEventSink,
        completion: @escaping HostCompletion<[PublishedService]>)
    /// Removes a service.
    func unpublish(_ service: AttributeID, completion: @escaping HostCompletion<Void>)
    /// Answers requests. Answering twice, or for a link that is gone, does nothing.
    func respond(to token: RequestToken, with response: RequestResponse)
    /// Sends a new value to subscribers and, for a stored attribute and all subscribers, keeps it. What goes to a single
    /// subscriber is not kept: others would read it.
    ///
    /// - Returns: false when the queue of a subscriber is full and **nothing** was sent or stored; try again after
    ///   `readyToUpdate`.
    func update(_ value: [UInt8], of attribute: AttributeID, for audience: UpdateAudience) -> Bool
    /// Sends several new values to subscribers and, as ``update(_:of:for:)`` does, keeps them. Those who can take them get them
    /// in one packet (Multiple Handle Value Notification).
    ///
    /// - Returns: How many values were taken, from the first on; try the rest after `readyToUpdate`.
    func updateTogether(_ values: [AttributeUpdate], for audience: UpdateAudience) -> Int
    /// Starts to advertise; several advertisements run side by side as far as the controller can.
    func startAdvertising(
        _ parameters: AdvertisingParameters, completion: @escaping HostCompletion<AdvertisementID>)
    /// Changes what a running advertisement sends.
    func updateAdvertising(
        _ advertisement: AdvertisementID, with update: AdvertisingUpdate, completion: @escaping HostCompletion<Void>)
    /// Stops an advertisement. Does nothing when it has ended.
    func stopAdvertising(_ advertisement: AdvertisementID)

    // MARK: Periodic advertising

    /// Follows the periodic data of an advertiser's set; listens for it until it is found. One is looked for at a time, others
    /// wait. Reports come after the completion.
    func synchronize(
        to peer: PeerID, setID: UInt8, options: PeriodicSyncOptions, timeout: Duration,
        completion: @escaping HostCompletion<PeriodicSync>
    ) -> OperationID
    /// Stops following. Does nothing when it has ended.
    func endSync(_ sync: SyncID)
}

/// A peer that a host remembers.
public struct KnownPeer: Hashable, Sendable {
    /// The peer.
    public var peer: PeerID
    /// Its identity address, where the engine knows it.
    public var address: DeviceAddress?
    /// Its name, if it said one.
    public var name: String?

    /// Describes a peer.
    public init(peer: PeerID, address: DeviceAddress?, name: String?) {
        self.peer = peer
        self.address = address
        self.name = name
    }
}

/// Engines without ``HostCapabilities/controlsPHY``, ``HostCapabilities/controlsDataLength``, reading several values at once,
/// changing advertisements or ``HostCapabilities/periodicAdvertising``.
extension Host {
    /// Ends with `unsupported`.
    public func setPHY(
        _ request: PHYRequest, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<LinkPHY>
    ) -> OperationID {
        completion(.failure(HostError(.unsupported, "change of the radio mode")))
        return OperationID(rawValue: 0)
    }

    /// Ends with `unsupported`.
    public func setDataLength(
        _ octets: Int, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        completion(.failure(HostError(.unsupported, "change of the packet length")))
        return OperationID(rawValue: 0)
    }

    /// Ends with `unsupported`.
    public func readMultiple(
        _ attributes: [AttributeID], lengths: [Int], on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[[UInt8]]>
    ) -> OperationID {
        completion(.failure(HostError(.unsupported, "read of several values")))
        return OperationID(rawValue: 0)
    }

    /// Sends one after the other.
    public func updateTogether(_ values: [AttributeUpdate], for audience: UpdateAudience) -> Int {
        values.firstIndex { !update($0.value, of: $0.attribute, for: audience) } ?? values.count
    }

    /// Ends with `unsupported`.
    public func updateAdvertising(
        _ advertisement: AdvertisementID, with update: AdvertisingUpdate, completion: @escaping HostCompletion<Void>
    ) {
        completion(.failure(HostError(.unsupported, "change of an advertisement")))
    }

    /// Ends with `unsupported`.
    public func synchronize(
        to peer: PeerID, setID: UInt8, options: PeriodicSyncOptions, timeout: Duration,
        completion: @escaping HostCompletion<PeriodicSync>
    ) -> OperationID {
        completion(.failure(HostError(.unsupported, "synchronization")))
        return OperationID(rawValue: 0)
    }

    /// Does nothing.
    public func endSync(_ sync: SyncID) {}
}

/// Engines without ``HostCapabilities/controlsPairing``.
extension Host {
    /// Does nothing: the system asks its user itself.
    public func setPairing(_ policy: PairingPolicy, asking sink: (any HostEventSink)?) {}

    /// Ends with `unsupported`.
    public func secure(
        _ link: LinkID, options: PairingOptions, timeout: Duration, completion: @escaping HostCompletion<SecurityLevel>
    ) -> OperationID {
        completion(.failure(HostError(.unsupported, "pairing", detail: "this engine leaves pairing to the system")))
        return OperationID(rawValue: 0)
    }

    /// Does nothing.
    public func answerPairing(_ answer: PairingAnswer, on link: LinkID) {}

    /// Does nothing.
    public func sendKeypress(_ kind: SMP.KeypressKind, on link: LinkID) {}

    /// None that are known.
    public var bonds: [BondedPeer] { [] }

    /// Ends with `unsupported`.
    public func unpair(_ peer: PeerID, completion: @escaping HostCompletion<Void>) {
        completion(.failure(HostError(.unsupported, "unpairing", detail: "this engine leaves bonds to the system")))
    }
}
