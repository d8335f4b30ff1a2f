// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

extension VirtualController {
    /// The link with this handle.
    func end(_ handle: UInt16) throws(Refusal) -> LinkEnd {
        guard Int(handle) < links.count, let end = links[Int(handle)] else { throw Refusal(.unknownConnection) }
        return end
    }

    /// A link was made: gives it a handle and tells the host. `set` has made it by advertising.
    func connected(_ end: LinkEnd, peer: Identified, own: DeviceAddress, by set: AdvertisingSet? = nil) {
        let free = links.dropFirst().firstIndex { $0 == nil } ?? max(1, links.count)
        while links.count <= free { links.append(nil) }
        links[free] = end
        linkCount += 1
        end.handle = UInt16(free)
        end.peer = peer.listed
        end.peerOnAir = peer.onAir
        end.wanted = suggestedLength
        let parameters = end.link.parameters
        var event = HCI.LEEnhancedConnectionComplete()
        event.handle = end.handle
        event.role = end.role
        event.peerAddressKind = peer.address.kind
        event.peerAddress = peer.address.address
        if own.randomKind == .resolvablePrivate, resolving.isLocal(own.address) {
            event.localResolvableAddress = own.address
        }
        event.peerResolvableAddress = peer.privateAddress
        event.interval = parameters.interval
        event.latency = parameters.latency
        event.supervisionTimeout = parameters.supervisionTimeout
        // The peripheral learns the central's clock: 31 to 50 ppm.
        event.clockAccuracy = end.role == .peripheral ? 5 : 0
        emit(connection: event, onAir: peer.onAir)
        if configuration.features.contains(.channelSelection2) {
            let both = end.other.controller?.configuration.features.contains(.channelSelection2) ?? false
            emit(HCI.LEChannelSelectionAlgorithm(handle: end.handle, algorithm: both ? 1 : 0))
        }
        if let set, set.isExtended { emitTerminated(set, .success, handle: end.handle) }
        if suggestedLength.octets > 27 { end.link.send(.lengthRequest, from: end) }
    }

    /// A link could not be made.
    func emitConnectionFailure(_ status: HCI.ErrorCode, role: HCI.Role) {
        var event = HCI.LEEnhancedConnectionComplete()
        event.status = status
        event.role = role
        emit(connection: event, onAir: DeviceAddress(.zero, .public))
    }

    /// A link is over.
    func disconnected(_ end: LinkEnd, _ reason: HCI.ErrorCode) {
        remove(end)
        emit(HCI.DisconnectionComplete(status: .success, handle: end.handle, reason: reason))
    }

    func updateConnection(_ command: HCI.LEConnectionUpdate) throws(Refusal) {
        let end = try end(command.handle)
        guard
            LinkParameters.areValid(
                intervalMinimum: command.intervalMinimum, intervalMaximum: command.intervalMaximum,
                latency: command.latency, supervisionTimeout: command.supervisionTimeout),
            command.eventLengthMinimum <= command.eventLengthMaximum
        else { throw Refusal(.invalidParameters) }
        guard !end.isUpdating else { throw Refusal(.commandDisallowed) }
        if end.role == .peripheral {
            guard configuration.features.contains(.connectionParametersRequest)
            else { throw Refusal(.unsupportedFeatureOrValue) }
            end.isUpdating = true
            end.link.send(.parameterRequest(command), from: end)
        } else {
            end.isUpdating = true
            end.link.indicate(command, fromPeripheral: false)
        }
    }

    // MARK: - data

    /// ACL data of the host. What has no link or no room is dropped. Core 5.4, Vol 4, Part E, 4.1.1.
    func receivedACL(_ body: RawSpan) {
        guard let packet = HCI.ACLPacket(reading: body), !packet.data.isEmpty,
            packet.data.count <= Int(configuration.aclLength), let end = try? end(packet.header.handle),
            packet.header.boundary != .reserved, packet.header.broadcast == 0, !end.disconnectRequested
        else { return }
        guard aclInUse < Int(configuration.aclCount) else {
            return emit(HCI.DataBufferOverflow(linkType: 1))
        }
        aclInUse += 1
        end.enqueue(.data(body.extracting(packet.data).array, isFirst: packet.header.boundary.isFirst))
        end.link.wake()
    }

    /// Data from the air for the host.
    func deliver(_ data: ArraySlice<UInt8>, isFirst: Bool, to end: LinkEnd) {
        guard hostFlow.isOn else { return emit(raw: HostFlow.packet(data, isFirst: isFirst, end.handle)) }
        for packet in hostFlow.take(data, isFirst: isFirst, end.handle) { emit(raw: packet) }
    }

    /// One packet of the host is with the peer.
    func completed(_ end: LinkEnd) {
        aclInUse -= 1
        emit(raw: [
            H4.PacketType.event.rawValue, HCI.EventCode.numberOfCompletedPackets.rawValue, 5, 1,
            UInt8(truncatingIfNeeded: end.handle), UInt8(truncatingIfNeeded: end.handle >> 8), 1, 0,
        ])
    }

    // MARK: - private

    private func remove(_ end: LinkEnd) {
        guard Int(end.handle) < links.count, links[Int(end.handle)] === end else { return }
        links[Int(end.handle)] = nil
        linkCount -= 1
        aclInUse -= end.dataCount
        for packet in hostFlow.forget(end.handle) { emit(raw: packet) }
    }

    /// The enhanced event when the host wants it, else the first one, which knows nothing of identities.
    private func emit(connection event: HCI.LEEnhancedConnectionComplete, onAir: DeviceAddress) {
        guard !allows(.enhancedConnectionComplete) else { return emit(event) }
        emit(
            HCI.LEConnectionComplete(
                status: event.status, handle: event.handle, role: event.role, peerAddressKind: onAir.kind,
                peerAddress: onAir.address, interval: event.interval, latency: event.latency,
                supervisionTimeout: event.supervisionTimeout, clockAccuracy: event.clockAccuracy))
    }
}
