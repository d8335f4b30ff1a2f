// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire

/// How a ``ScriptedHost`` answers one operation.
public enum Answer<Value: Sendable>: Sendable {
    /// It succeeds, after some time on the host's clock; never inside the call.
    case success(Value, after: Duration = .zero)
    /// It fails, after some time on the host's clock; never inside the call.
    case failure(HostError, after: Duration = .zero)
    /// It fails inside the call, as it may for wrong arguments or state.
    case immediateFailure(HostError)
    /// Nothing comes: it ends by its timeout, by cancellation, or with the link.
    case silence
}

/// What a ``ScriptedHost`` does: one closure for each kind of operation, all succeeding by default.
public struct Script: Sendable {
    /// Opening the adapter.
    public var start: @Sendable () -> Answer<Void> = { .success(()) }
    /// Starting a scan; the host chooses the identifier.
    public var scan: @Sendable (ScanParameters) -> Answer<Void> = { _ in .success(()) }
    /// Connecting.
    public var connect: @Sendable (PeerID) -> Answer<Void> = { _ in .success(()) }
    /// Who a peer turns out to be when it is connected, if not who it seemed to be; all links to that one are the same.
    public var identity: @Sendable (PeerID) -> PeerID? = { _ in nil }
    /// Ending a link; it goes down when this succeeds.
    public var disconnect: @Sendable (LinkID) -> Answer<Void> = { _ in .success(()) }
    /// Measuring the signal strength.
    public var rssi: @Sendable (LinkID) -> Answer<Int> = { _ in .success(-50) }
    /// Changing connection parameters.
    public var parameters: @Sendable (ConnectionParameterRequest) -> Answer<ConnectionParameters> = { request in
        .success(
            ConnectionParameters(
                interval: request.maximumInterval, latency: request.latency,
                supervisionTimeout: request.supervisionTimeout))
    }
    /// Each step of discovery; what is found is the host's database.
    public var discover: @Sendable () -> Answer<Void> = { .success(()) }
    /// Reading an attribute; nil reads what the database holds.
    public var read: @Sendable (AttributeID) -> Answer<[UInt8]>? = { _ in nil }
    /// Writing an attribute.
    public var write: @Sendable (AttributeID, [UInt8], WriteMode) -> Answer<Void> = { _, _, _ in .success(()) }
    /// Subscribing and unsubscribing.
    public var subscribe: @Sendable (AttributeID, SubscriptionMode) -> Answer<Void> = { _, _ in .success(()) }
    /// Publishing services.
    public var publish: @Sendable ([ServiceDefinition]) -> Answer<Void> = { _ in .success(()) }
    /// Starting to advertise.
    public var advertise: @Sendable (AdvertisingParameters) -> Answer<Void> = { _ in .success(()) }

    /// Everything succeeds at once.
    public init() {}
}
