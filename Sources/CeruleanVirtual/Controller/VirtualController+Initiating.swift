// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// A connection that is being made.
struct Initiator {
    /// How to look for the peer in one radio mode, and the link to make there.
    struct Mode {
        var phy: HCI.PHY
        /// Units of 0.625 ms.
        var scanInterval: UInt16
        /// Units of 0.625 ms.
        var scanWindow: UInt16
        var parameters: LinkParameters
    }

    var modes: [Mode] = []
    var isExtended = false
    var usesAcceptList = false
    var peer = DeviceAddress(.zero, .public)
    var ownAddressType = HCI.OwnAddressType.public
    var start: Int64 = 0

    var isPending: Bool { !modes.isEmpty }

    /// How it listens in this mode; LE 2M is for the connection alone.
    func mode(_ phy: HCI.PHY) -> Mode? { phy == .le2M ? nil : modes.first { $0.phy == phy } }

    /// The link that is made by an advertiser on this mode. Core 5.4, Vol 4, Part E, 7.8.66.
    func parameters(on phy: HCI.PHY) -> LinkParameters? {
        (modes.first { $0.phy == phy } ?? modes.first)?.parameters
    }
}

extension VirtualController {
    func createConnection(_ command: HCI.LECreateConnection) throws(Refusal) {
        guard !initiator.isPending else { throw Refusal(.commandDisallowed) }
        guard Scanner.isValid(interval: command.scanInterval, window: command.scanWindow), command.filterPolicy <= 1,
            command.ownAddressType.rawValue <= 3, command.filterPolicy == 1 || command.peerAddressKind.rawValue <= 3,
            LinkParameters.areValid(
                intervalMinimum: command.intervalMinimum, intervalMaximum: command.intervalMaximum,
                latency: command.latency, supervisionTimeout: command.supervisionTimeout),
            command.eventLengthMinimum <= command.eventLengthMaximum
        else { throw Refusal(.invalidParameters) }
        try initiate(
            Initiator(
                modes: [
                    .init(
                        phy: .le1M, scanInterval: command.scanInterval, scanWindow: command.scanWindow,
                        parameters: LinkParameters(
                            interval: command.intervalMinimum, latency: command.latency,
                            supervisionTimeout: command.supervisionTimeout))
                ], usesAcceptList: command.filterPolicy == 1,
                peer: DeviceAddress(command.peerAddress, command.peerAddressKind),
                ownAddressType: command.ownAddressType))
    }

    func createConnection(_ command: HCI.LEExtendedCreateConnection) throws(Refusal) {
        guard !initiator.isPending else { throw Refusal(.commandDisallowed) }
        guard command.filterPolicy <= 1, command.ownAddressType.rawValue <= 3,
            command.filterPolicy == 1 || command.peerAddressKind.rawValue <= 1,
            // LE 2M alone cannot find anybody.
            !command.phys.isDisjoint(with: [.le1M, .leCoded])
        else { throw Refusal(.invalidParameters) }
        let phys = HCI.PHY.all(in: command.phys)
        guard command.phys.isSubset(of: supportedPHYs) else { throw Refusal(.unsupportedFeatureOrValue) }
        var modes: [Initiator.Mode] = []
        for (phy, one) in zip(phys, command.parameters) {
            guard phy == .le2M || Scanner.isValid(interval: one.scanInterval, window: one.scanWindow, maximum: .max),
                LinkParameters.areValid(
                    intervalMinimum: one.intervalMinimum, intervalMaximum: one.intervalMaximum, latency: one.latency,
                    supervisionTimeout: one.supervisionTimeout),
                one.eventLengthMinimum <= one.eventLengthMaximum
            else { throw Refusal(.invalidParameters) }
            modes.append(
                .init(
                    phy: phy, scanInterval: one.scanInterval, scanWindow: one.scanWindow,
                    parameters: LinkParameters(
                        interval: one.intervalMinimum, latency: one.latency, supervisionTimeout: one.supervisionTimeout)
                ))
        }
        try initiate(
            Initiator(
                modes: modes, isExtended: true, usesAcceptList: command.filterPolicy == 1,
                peer: DeviceAddress(command.peerAddress, command.peerAddressKind),
                ownAddressType: command.ownAddressType))
    }

    /// Ends initiating; nothing is told to the host.
    func stopInitiating() {
        initiator = Initiator()
        air.updateListening(self)
    }

    /// Whether it answers this event with a connection request, and the advertiser accepts that; then as whom it knows the
    /// advertiser, and with which own address.
    func initiates(
        to event: AdvertisingEvent, at advertiser: VirtualController
    ) -> (who: Identified, own: DeviceAddress)? {
        guard initiator.isPending, event.properties.contains(.connectable), event.isLegacy || initiator.isExtended,
            initiator.mode(event.primaryPHY) != nil, let who = identify(event.address)
        else { return nil }
        if let target = event.target, match(target, initiator.ownAddressType) != .own { return nil }
        let isWanted =
            initiator.usesAcceptList
            ? isListed(who) : who.listed == initiator.peer || event.address == initiator.peer
        // Two devices have one connection at most.
        guard isWanted, linkCount < configuration.maximumConnections, !isConnected(to: who) else { return nil }
        let own = ownAddress(initiator.ownAddressType, entry: who.entry, random: randomAddress)
        return advertiser.acceptsConnection(event.set, from: own) ? (who, own) : nil
    }

    // MARK: - private

    private func initiate(_ request: Initiator) throws(Refusal) {
        var request = request
        // An identity is named like the address that it is.
        request.peer.kind = request.peer.peerKind
        guard
            !lacksAddress(
                request.ownAddressType, random: randomAddress,
                entry: request.usesAcceptList ? nil : resolving.index(of: request.peer))
        else { throw Refusal(.invalidParameters) }
        guard linkCount < configuration.maximumConnections else { throw Refusal(.connectionLimitExceeded) }
        if !request.usesAcceptList, isConnected(to: Identified(address: request.peer, onAir: request.peer)) {
            throw Refusal(.connectionAlreadyExists)
        }
        request.start = air.now
        initiator = request
        air.updateListening(self)
    }

    private func isConnected(to who: Identified) -> Bool {
        links.contains { end in
            guard let end else { return false }
            return end.peer == who.listed || end.peerOnAir == who.onAir
        }
    }
}

extension HCI.PHY {
    /// The modes in a mask, lowest bit first.
    static func all(in mask: HCI.PHYMask) -> [Self] {
        var modes: [Self] = []
        if mask.contains(.le1M) { modes.append(.le1M) }
        if mask.contains(.le2M) { modes.append(.le2M) }
        if mask.contains(.leCoded) { modes.append(.leCoded) }
        return modes
    }
}
