// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

extension CommandTable {
    /// Commands for connections.
    static let connectionCommands: [Entry] = [
        status(HCI.LECreateConnection.self) { (controller, command) throws(Refusal) in
            try controller.createConnection(command)
        }.speaking(.legacy),
        status(HCI.LEExtendedCreateConnection.self) { (controller, command) throws(Refusal) in
            try controller.createConnection(command)
        }.requiring(.extendedAdvertising).speaking(.extended),
        plain(HCI.LECreateConnectionCancel.self) { (controller, _) throws(Refusal) in
            guard controller.initiator.isPending else { throw Refusal(.commandDisallowed) }
            controller.stopInitiating()
            controller.afterAnswer.append { [unowned controller] in
                controller.emitConnectionFailure(.unknownConnection, role: .central)
            }
        },
        status(HCI.Disconnect.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            guard [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B].contains(command.reason.rawValue)
            else { throw Refusal(.invalidParameters) }
            guard !end.disconnectRequested else { throw Refusal(.commandDisallowed) }
            end.disconnectRequested = true
            end.link.send(.terminate(command.reason), from: end)
        },
        status(HCI.ReadRemoteVersionInformation.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            try ask(.version, end)
            end.link.send(.versionRequest, from: end)
        },
        status(HCI.LEReadRemoteFeatures.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            try ask(.features, end)
            end.link.send(.featureRequest, from: end)
        },
        status(HCI.LEConnectionUpdate.self) { (controller, command) throws(Refusal) in
            try controller.updateConnection(command)
        },
        complete(HCI.LERemoteConnectionParameterRequestReply.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            guard end.awaitsReply else { throw Refusal(.commandDisallowed) }
            guard
                LinkParameters.areValid(
                    intervalMinimum: command.intervalMinimum, intervalMaximum: command.intervalMaximum,
                    latency: command.latency, supervisionTimeout: command.supervisionTimeout)
            else { throw Refusal(.invalidParameters) }
            end.awaitsReply = false
            end.link.indicate(
                HCI.LEConnectionUpdate(
                    handle: command.handle, intervalMinimum: command.intervalMinimum,
                    intervalMaximum: command.intervalMaximum, latency: command.latency,
                    supervisionTimeout: command.supervisionTimeout, eventLengthMinimum: 0, eventLengthMaximum: 0),
                fromPeripheral: true)
            return .init(handle: command.handle)
        },
        complete(HCI.LERemoteConnectionParameterRequestNegativeReply.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            guard end.awaitsReply else { throw Refusal(.commandDisallowed) }
            end.awaitsReply = false
            end.link.send(.parameterReject(command.reason), from: end)
            return .init(handle: command.handle)
        },
        complete(HCI.ReadRSSI.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            guard let peer = end.other.controller else { return .init(handle: command.handle, rssi: 127) }
            return .init(
                handle: command.handle,
                rssi: controller.air.measured(controller.air.meanStrength(from: peer, at: controller)))
        },
        complete(HCI.ReadTransmitPowerLevel.self) { (controller, command) throws(Refusal) in
            _ = try controller.end(command.handle)
            guard command.type <= 1 else { throw Refusal(.invalidParameters) }
            return .init(handle: command.handle, level: controller.configuration.txPower)
        },
        plain(HCI.LESetHostChannelClassification.self) { (_, command) throws(Refusal) in
            // One good channel at least. Core 5.4, Vol 4, Part E, 7.8.19.
            guard command.channelMap & 0x1F_FFFF_FFFF != 0 else { throw Refusal(.invalidParameters) }
        },
        complete(HCI.LEReadChannelMap.self) { (controller, command) throws(Refusal) in
            _ = try controller.end(command.handle)
            return .init(handle: command.handle, channelMap: 0x1F_FFFF_FFFF)
        },
        complete(HCI.LESetDataLength.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            let wanted = try dataLength(command.octets, command.time)
            try ask(.dataLength, end)
            end.wanted = wanted
            end.link.send(.lengthRequest, from: end)
            return .init(handle: command.handle)
        },
        complete(HCI.LEReadSuggestedDefaultDataLength.self) { controller, _ in
            .init(octets: controller.suggestedLength.octets, time: controller.suggestedLength.time)
        },
        plain(HCI.LEWriteSuggestedDefaultDataLength.self) { (controller, command) throws(Refusal) in
            controller.suggestedLength = try dataLength(command.octets, command.time)
        },
        complete(HCI.LEReadMaximumDataLength.self) { controller, _ in
            let most = controller.largestLength
            return .init(
                maximumTXOctets: most.octets, maximumTXTime: most.time, maximumRXOctets: most.octets,
                maximumRXTime: most.time)
        },
        complete(HCI.LEReadPHY.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            return .init(handle: command.handle, txPHY: end.phy, rxPHY: end.other.phy)
        },
        plain(HCI.LESetDefaultPHY.self) { (controller, command) throws(Refusal) in
            controller.defaultPHYs = try phys(
                command.noPreference, command.txPHYs, command.rxPHYs, controller.supportedPHYs)
        },
        status(HCI.LESetPHY.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            let wanted = try phys(
                command.noPreference, command.txPHYs, command.rxPHYs, controller.supportedPHYs)
            guard !end.isChangingPHY else { throw Refusal(.commandDisallowed) }
            end.isChangingPHY = true
            end.phyRequest = wanted
            end.link.send(.phyRequest(tx: wanted.tx, rx: wanted.rx), from: end)
        },
    ]

    /// Commands that watch over encrypted links.
    static let linkCommands: [Entry] = [
        complete(HCI.ReadAuthenticatedPayloadTimeout.self) { (controller, command) throws(Refusal) in
            .init(handle: command.handle, timeout: try controller.end(command.handle).payloadTimeout)
        },
        complete(HCI.WriteAuthenticatedPayloadTimeout.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            // Longer than the peripheral may be silent. Core 5.4, Vol 4, Part E, 7.3.94.
            let parameters = end.link.parameters
            guard Int64(command.timeout) * 10_000_000 > parameters.spacing * (Int64(parameters.latency) + 1)
            else { throw Refusal(.invalidParameters) }
            end.payloadTimeout = command.timeout
            end.link.watchPayload(of: end)
            return .init(handle: command.handle)
        },
    ].map { $0.requiring(.ping) }

    /// Takes note of a question to the other end; a second of its kind has to wait for the answer.
    private static func ask(_ question: LinkEnd.Question, _ end: LinkEnd) throws(Refusal) {
        guard end.questions.insert(question).inserted else { throw Refusal(.commandDisallowed) }
    }

    private static func dataLength(_ octets: UInt16, _ time: UInt16) throws(Refusal) -> DataLength {
        guard (0x1B...0xFB).contains(octets), (0x148...0x4290).contains(time) else { throw Refusal(.invalidParameters) }
        return DataLength(octets: octets, time: time)
    }

    /// The radio modes that a host prefers.
    private static func phys(
        _ noPreference: UInt8, _ tx: HCI.PHYMask, _ rx: HCI.PHYMask, _ all: HCI.PHYMask
    ) throws(Refusal) -> (tx: HCI.PHYMask, rx: HCI.PHYMask) {
        var result = (tx: tx, rx: rx)
        if noPreference & 1 != 0 { result.tx = all } else if tx.isEmpty { throw Refusal(.invalidParameters) }
        if noPreference & 2 != 0 { result.rx = all } else if rx.isEmpty { throw Refusal(.invalidParameters) }
        guard result.tx.isSubset(of: all), result.rx.isSubset(of: all) else {
            throw Refusal(.unsupportedFeatureOrValue)
        }
        return result
    }
}
