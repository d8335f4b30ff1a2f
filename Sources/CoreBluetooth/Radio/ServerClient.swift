// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// What the radio knows of one peripheral manager. Services and characteristics have numbers that the manager gave
/// them.
struct ServerClient {
    let core: ManagerCore
    var services: [Int: AttributeID] = [:]
    /// Services that are to be published, the first of them right now: one behind the other, since a service may
    /// include the one before.
    var plans: [WaitingPlan] = []
    /// Published characteristics, both ways.
    var attributes: [Int: AttributeID] = [:]
    var numbers: [UInt64: Int] = [:]
    var characteristicsOf: [Int: [Int]] = [:]
    /// What each central is subscribed to.
    var subscribers: [LinkID: Set<Int>] = [:]
    var advertising: Advertising?
    /// Values that wait for room, oldest first.
    var updates: [WaitingUpdate] = []

    init(_ core: ManagerCore) { self.core = core }
}

/// An advertisement that a manager wants. It goes on until the manager stops it.
struct Advertising {
    var number: UInt64
    var content: AdvertisingParameters.Content
    var id: AdvertisementID?
    var isStarting = false
    /// The manager was told that it began.
    var isConfirmed = false
}

/// A value on its way to subscribers.
struct WaitingUpdate {
    var characteristic: Int
    var value: [UInt8]
    /// Nil is all.
    var links: [LinkID]?
}

/// A service as the manager describes it.
struct PlannedService: Sendable {
    var number: Int
    var definition: ServiceDefinition
    var includes: [Int]
    /// In the order of the definition.
    var characteristics: [Int]
}

/// A service on its way to the host.
struct WaitingPlan {
    var plan: PlannedService
    var isWithdrawn = false
    var done: Radio.Ending<Void>
}

/// Requests on their way to a manager.
struct IncomingRequests: Sendable {
    var token: RequestToken?
    var peer: PeerID
    var maximumLength: Int
    var requests: [(characteristic: Int, kind: AttributeRequest.Kind)]
}
