// SPDX-License-Identifier: Apache-2.0

/// What happens at a host, in the order in which it happens.
public enum HostEvent: Sendable {
    /// The adapter's state changed.
    case stateChanged(AdapterState)
    /// A device was seen; `scans` are those whose filter it passes.
    case advertisement(Advertisement, scans: ScanSet)
    /// A scan ended without having been stopped.
    case scanEnded(ScanID, HostError)
    /// A link came up, made by us or by a peer.
    case linkOpened(LinkInfo)
    /// MTU, parameters, radio mode, packet length or security of a link changed.
    case linkUpdated(LinkInfo)
    /// A link is gone. Operations pending on it have ended with the same reason before this event.
    case linkClosed(LinkInfo, reason: HostError)
    /// A peer was found to be another one that is known already: `from` is not used any more.
    case identityResolved(from: PeerID, to: PeerID)
    /// A notification or indication arrived.
    case value(link: LinkID, attribute: AttributeID, value: [UInt8], mode: SubscriptionMode)
    /// The peer's database changed between two handles (all of it when nil): identifiers in it are stale.
    case servicesChanged(LinkID, range: ClosedRange<UInt16>?)
    /// Writes without response can go on.
    case readyToWrite(LinkID)
    /// A remote client asks; answer with ``Host/respond(to:with:)``. Sent only for services of the sink that published them.
    case requests(RequestBatch)
    /// A remote client changed a stored value of ours.
    case valueWritten(link: LinkID, attribute: AttributeID, value: [UInt8])
    /// A remote client subscribed or unsubscribed.
    case subscriptionChanged(link: LinkID, attribute: AttributeID, mode: SubscriptionMode)
    /// A link ended before so many values of ours were known to have reached its peer, that were taken for it. Sent in front of
    /// ``linkClosed(_:reason:)`` by engines that see the controller's acknowledgements.
    case updatesLost(link: LinkID, attribute: AttributeID, count: Int)
    /// ``Host/update(_:of:for:)`` takes values again.
    case readyToUpdate(LinkID)
    /// Something about pairing a link.
    case pairing(LinkID, PairingEvent)
    /// Something about a channel. Sent only to the sink that opened it or listens.
    case channel(ChannelEvent)
    /// An advertisement ended without having been stopped: somebody connected, or the controller stopped it.
    case advertisingEnded(AdvertisementID, reason: HostError?)
    /// A periodic advertiser that we follow sent something.
    case periodicReport(SyncID, PeriodicReport)
    /// A synchronization was lost without having been ended.
    case syncEnded(SyncID, HostError)
}

/// Receives the events of a host.
public protocol HostEventSink: AnyObject, Sendable {
    /// Called on the host's loop, in order, synchronously. Must not block.
    func receive(_ event: HostEvent)
}
