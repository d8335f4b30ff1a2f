// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// One link of the engine: its channels, what waits to be sent on it, and who uses it.
///
/// Between its ATT bearer and the engine it is the channel: it tells whether there is room, and hands values on.
final class Link {
    /// Why the link is as it is.
    enum Phase: Hashable {
        /// Up.
        case open
        /// We asked the controller to end it.
        case closing
        /// Gone.
        case closed
    }

    /// Octets that wait above which commands and notifications have to wait at their source.
    static let highWater = 8_192
    /// Octets that wait below which they are let go on.
    static let lowWater = 2_048
    /// Octets that wait above which the peer is given up: it makes us answer and takes nothing. The longest frame of a channel
    /// fits above the high water, and so do some answers.
    static let limit = 98_304

    /// The engine holds all its links, so it outlives them.
    unowned(unsafe) let engine: StackEngine
    let handle: UInt16
    let id: LinkID
    let address: DeviceAddress
    /// The peer's address on the air, where the controller has resolved that to ``address``.
    var onAir: DeviceAddress
    var peer: PeerID
    let role: LinkInfo.Role
    @exclusivity(unchecked) var phase = Phase.open
    var parameters: ConnectionParameters
    /// Radio modes; nil until they are known.
    var phy: LinkPHY?
    var dataLength = LinkDataLength()
    /// A change of the radio mode that waits for its end.
    var phyRequest: PHYChange?
    let bearer: ATTBearer
    @exclusivity(unchecked) var reassembler = Reassembler()

    /// Those that connected and have not left.
    var users = 0
    /// Nobody wanted the link any more when it came up: it is closed without a word.
    var isUnwanted = false
    /// Called when the link is gone.
    var closedCompletions: [(Result<Void, HostError>) -> Void] = []
    /// When a link that is being closed counts as gone whatever the controller says.
    var closeDeadline = MonotonicTime.distantFuture

    // MARK: security

    /// The bonded device at the other end.
    var identity: DeviceAddress?
    /// The application knows of the link.
    var isAnnounced = false
    /// The peer is bonded, and encryption is still to come: nothing is asked of it and nothing of it is believed (security R1).
    var mustWait = false
    /// What security failed with last.
    var securityFailure: HostError?
    /// Why we close the link, when it is more than that we do.
    var closeReason: HostError?
    /// What a bonded client said on earlier links is being put back.
    var isRestoring = false
    /// What starts when encryption is on.
    var held: [() -> Void] = []
    /// Those who wait for the link to become secure.
    var raises: [(Result<SecurityLevel, HostError>) -> Void] = []
    /// What the first of them agreed to.
    var pairingOptions = PairingOptions()

    // MARK: sending

    /// Frames that wait, one behind the other; those before `sendHead` were sent.
    @exclusivity(unchecked) var sendQueue: [UInt8] = []
    @exclusivity(unchecked) var sendHead = 0
    /// Octets of the frame at the head that are left; 0 when its header has not been looked at.
    @exclusivity(unchecked) var frameLeft = 0
    /// Packets that the controller has.
    @exclusivity(unchecked) var inFlight = 0
    /// True while the link stands in the engine's queue of links that want to send.
    @exclusivity(unchecked) var isQueued = false
    /// Somebody was told that there is no room.
    @exclusivity(unchecked) var owesReady = false

    /// Packets of all frames that were taken for sending.
    @exclusivity(unchecked) var acceptedPackets: UInt64 = 0
    /// Packets that the controller is done with.
    @exclusivity(unchecked) var completedPackets: UInt64 = 0
    /// Notifications of ours that are on their way.
    @exclusivity(unchecked) var sentUpdates = SentUpdates()

    // MARK: signaling

    /// Credit based channels; nil while there never was one.
    @exclusivity(unchecked) var channels: LinkChannels?

    var lastIdentifier: UInt8 = 0
    var parameterRequest: ParameterRequest?

    // MARK: database of the peer

    /// Counts changes of the peer's database; part of attribute identifiers.
    @exclusivity(unchecked) var generation: UInt16 = 1
    /// What changed at each generation, at most 16 entries; later ones widen the last.
    var changes: [(generation: UInt16, range: ClosedRange<UInt16>)] = []
    /// Last handles of the services that were found, by their first.
    var serviceEnds: [UInt16: UInt16] = [:]
    /// Last handles of the characteristics that were found, by that of their value.
    var characteristicEnds: [UInt16: UInt16] = [:]
    /// Client Characteristic Configurations that were found, by the handle of the value.
    var configurations: [UInt16: UInt16] = [:]
    /// Handle of the peer's Service Changed value, 0 until it was found.
    @exclusivity(unchecked) var serviceChangedHandle: UInt16 = 0
    /// Whether what is known of the peer's database can be used.
    var cache = CacheUse.unknown
    /// The peer answers Read Multiple Variable Length; nil until it was asked.
    var readsMultiple: Bool?
    /// Service Changed has been looked for.
    var lookedForServiceChanged = false

    init(
        engine: StackEngine, handle: UInt16, id: LinkID, address: DeviceAddress, role: LinkInfo.Role,
        parameters: ConnectionParameters
    ) {
        self.engine = engine
        self.handle = handle
        self.id = id
        self.address = address
        onAir = address
        peer = PeerID(address)
        self.role = role
        self.parameters = parameters
        bearer = ATTBearer(
            localMTU: engine.configuration.mtu, server: engine.server, peer: ATTPeer(link: id, peer: peer), output: nil)
        bearer.output = self
    }

    /// True if the peer is the device with this address, on the air or for good.
    func isPeer(_ other: DeviceAddress) -> Bool { address == other || identity == other }

    /// Octets that wait.
    var backlog: Int { sendQueue.count - sendHead }

    var info: LinkInfo {
        LinkInfo(
            id: id, peer: peer, address: identity ?? address, role: role, mtu: bearer.mtu, parameters: parameters,
            security: bearer.peer.security, phy: phy, dataLength: dataLength)
    }

    /// The identifier of an attribute of the peer now.
    @inline(__always)
    func attribute(_ handle: UInt16) -> AttributeID {
        AttributeID(
            rawValue: id.rawValue << 16 | UInt64(generation), handle: handle)
    }

    /// True when `attribute` belongs to this link and its database has not changed since.
    func isCurrent(_ attribute: AttributeID) -> Bool {
        guard attribute.rawValue >> 16 == id.rawValue & 0xFFFF_FFFF_FFFF, let handle = attribute.handle else {
            return false
        }
        let born = UInt16(truncatingIfNeeded: attribute.rawValue)
        return changes.isEmpty || !changes.contains { $0.generation > born && $0.range.contains(handle) }
    }

    /// The peer said that its database changed.
    func databaseChanged(_ range: ClosedRange<UInt16>) {
        let (next, overflow) = generation.addingReportingOverflow(1)
        if overflow || changes.count >= 16 {
            // Rare: everything known becomes stale rather than a list that grows.
            generation = overflow ? generation : next
            changes = [(generation, 0x0001...0xFFFF)]
            return
        }
        generation = next
        changes.append((next, range))
    }

    /// The next identifier of a signaling request, 1 to 255.
    func nextIdentifier() -> UInt8 {
        lastIdentifier = lastIdentifier == 255 ? 1 : lastIdentifier + 1
        return lastIdentifier
    }

    /// An LE Set PHY of ours that waits for its end.
    struct PHYChange {
        var operation: OperationID
        var completion: HostCompletion<LinkPHY>
    }

    /// An L2CAP Connection Parameter Update Request or LE Connection Update of ours that waits for its end.
    struct ParameterRequest {
        var operation: OperationID
        var completion: HostCompletion<ConnectionParameters>
        /// Identifier of the signaling command; nil when the controller was asked.
        var identifier: UInt8?
    }
}

extension Link: ATTBearerOutput {
    func bearer(_ bearer: ATTBearer, send pdu: RawSpan) {
        // Every timer of a bearer but that of an application's answer starts with a PDU.
        engine.arm(bearer.nextDeadline)
        engine.transmit(pdu, on: .attribute, of: self)
        SentUpdates.forEachHandle(in: pdu) { handle in
            sentUpdates.append(handle, packet: phase == .open ? acceptedPackets : .max)
        }
    }

    func bearerCanSend(_ bearer: ATTBearer) -> Bool {
        if phase == .open, backlog < Self.highWater { return true }
        owesReady = true
        return false
    }

    func bearer(_ bearer: ATTBearer, received value: RawSpan, of handle: UInt16, isIndication: Bool) {
        engine.received(value, of: handle, isIndication: isIndication, on: self)
    }

    func bearer(_ bearer: ATTBearer, changedMTU mtu: Int) { engine.linkUpdated(self) }

    func bearerReadyToWrite(_ bearer: ATTBearer) { engine.emit(.readyToWrite(id)) }

    func bearer(_ bearer: ATTBearer, failed error: HostError) { engine.close(self, reason: .remoteUserTerminated) }
}
