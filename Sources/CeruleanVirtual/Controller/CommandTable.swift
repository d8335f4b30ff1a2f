// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// Why a command was refused.
struct Refusal: Error {
    var code: HCI.ErrorCode

    init(_ code: HCI.ErrorCode) { self.code = code }
}

/// The two families of commands for advertising, scanning and connecting: after a Reset the host chooses one by using it.
/// Core 5.4, Vol 4, Part E, 3.1.1.
enum AdvertisingDialect: Sendable {
    case legacy
    case extended
}

/// The commands that controllers carry out, and how.
///
/// Read Local Supported Commands is made from this table, so that it cannot tell more than there is.
enum CommandTable {
    /// One command.
    struct Entry: Sendable {
        let opcode: HCI.Opcode
        /// Decodes, carries out and answers.
        let carryOut: @Sendable (_ controller: VirtualController, _ parameters: RawSpan) -> Void
        /// Answers with an error.
        let refuse: @Sendable (_ controller: VirtualController, _ code: HCI.ErrorCode, _ parameters: RawSpan) -> Void
        /// Features without which the command is not there.
        var features: HCI.LEFeatures = []
        /// Belongs to legacy or to extended advertising, which must not be mixed.
        var dialect: AdvertisingDialect?

        func requiring(_ features: HCI.LEFeatures) -> Self {
            var copy = self
            copy.features.formUnion(features)
            return copy
        }

        func speaking(_ dialect: AdvertisingDialect) -> Self {
            var copy = self
            copy.dialect = dialect
            return copy
        }
    }

    static let entries: [HCI.Opcode: Entry] = {
        let all =
            controllerCommands + legacyAdvertisingCommands + acceptListCommands + extendedAdvertisingCommands
            + extendedScanCommands + periodicCommands + syncTransferCommands + privacyCommands + connectionCommands
            + linkCommands + securityCommands + hostFlowCommands
        return Dictionary(all.map { ($0.opcode, $0) }) { first, _ in first }
    }()

    /// A command that is answered with Command Complete.
    static func complete<C: HCICommand>(
        _ type: C.Type,
        _ body: @escaping @Sendable (VirtualController, C) throws(Refusal) -> C.ReturnParameters
    ) -> Entry {
        Entry(
            opcode: C.opcode,
            carryOut: { controller, parameters in
                do throws(Refusal) {
                    let command = try decode(C.self, parameters)
                    controller.complete(C.opcode, .success, try body(controller, command))
                } catch {
                    controller.refuse(C.self, error.code, parameters)
                }
            }, refuse: { controller, code, parameters in controller.refuse(C.self, code, parameters) })
    }

    /// A command that is answered with Command Complete and returns nothing but the status.
    static func plain<C: HCICommand>(
        _ type: C.Type, _ body: @escaping @Sendable (VirtualController, C) throws(Refusal) -> Void
    ) -> Entry where C.ReturnParameters == HCIEmpty {
        complete(type) { (controller, command) throws(Refusal) in
            try body(controller, command)
            return HCIEmpty()
        }
    }

    /// A command that is answered with Command Status.
    static func status<C: HCICommandWithStatus>(
        _ type: C.Type, _ body: @escaping @Sendable (VirtualController, C) throws(Refusal) -> Void
    ) -> Entry {
        Entry(
            opcode: C.opcode,
            carryOut: { controller, parameters in
                var status = HCI.ErrorCode.success
                do throws(Refusal) {
                    try body(controller, try decode(C.self, parameters))
                } catch {
                    status = error.code
                }
                controller.emit(HCI.CommandStatus(status: status, credits: 1, opcode: C.opcode))
            },
            refuse: { controller, code, _ in
                controller.emit(HCI.CommandStatus(status: code, credits: 1, opcode: C.opcode))
            })
    }

    private static func decode<C: HCICommandPacket>(_ type: C.Type, _ parameters: RawSpan) throws(Refusal) -> C {
        do throws(WireError) {
            return try C(decoding: parameters)
        } catch {
            throw Refusal(.invalidParameters)
        }
    }
}

extension VirtualController {
    /// Carries out one command and answers it.
    func run(_ opcode: HCI.Opcode, _ parameters: RawSpan) {
        guard let entry = CommandTable.entries[opcode], knows(entry) else {
            return emit(HCI.CommandStatus(status: .unknownCommand, credits: 1, opcode: opcode))
        }
        if let spoken = entry.dialect {
            guard dialect ?? spoken == spoken else { return entry.refuse(self, .commandDisallowed, parameters) }
            dialect = spoken
        }
        entry.carryOut(self, parameters)
        while !afterAnswer.isEmpty { afterAnswer.removeFirst()() }
    }

    func complete<P: WirePacket>(_ opcode: HCI.Opcode, _ status: HCI.ErrorCode, _ parameters: P) {
        var bytes = [status.rawValue]
        guard (try? parameters.encode(into: &bytes)) != nil else { return }
        emit(HCI.CommandComplete(credits: 1, opcode: opcode, returnParameters: bytes))
    }

    /// Command Complete with an error: all return parameters are there, zero but for the connection handle.
    func refuse<C: HCICommand>(_ type: C.Type, _ status: HCI.ErrorCode, _ parameters: RawSpan) {
        var bytes = [status.rawValue]
        // Parameters without a zero form (a block of data) are left out: the status says enough.
        try? C.ReturnParameters().encode(into: &bytes)
        if CommandTable.namesHandle.contains(C.opcode), bytes.count >= 3, parameters.byteCount >= 2 {
            bytes[1] = parameters[0]
            bytes[2] = parameters[1]
        }
        emit(HCI.CommandComplete(credits: 1, opcode: C.opcode, returnParameters: bytes))
    }
}

extension CommandTable {
    /// Commands whose parameters and return parameters begin with a connection handle.
    static let namesHandle: Set<HCI.Opcode> = [
        .readRSSI, .readTransmitPowerLevel, .leReadChannelMap, .leReadPHY, .leSetDataLength,
        .leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply,
        .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply, .readAuthenticatedPayloadTimeout,
        .writeAuthenticatedPayloadTimeout, .lePeriodicAdvertisingSyncTransfer, .lePeriodicAdvertisingSetInfoTransfer,
        .leSetPeriodicAdvertisingSyncTransferParameters,
    ]

    /// BR/EDR Not Supported and LE Supported (Controller). Vol 2, Part C, 3.3.
    private static let lmpFeatures: UInt64 = 1 << 37 | 1 << 38

    /// Commands about the controller as a whole.
    static let controllerCommands: [Entry] = [
        plain(HCI.Reset.self) { controller, _ in controller.reset() },
        plain(HCI.SetEventMask.self) { controller, command in controller.eventMask = command.mask },
        plain(HCI.SetEventMaskPage2.self) { controller, command in controller.eventMaskPage2 = command.mask },
        plain(HCI.LESetEventMask.self) { controller, command in controller.leEventMask = command.mask },
        complete(HCI.ReadLocalVersionInformation.self) { controller, _ in
            let own = controller.configuration
            return .init(
                hciVersion: own.version, hciSubversion: own.subversion, lmpVersion: own.version, company: own.company,
                lmpSubversion: own.subversion)
        },
        complete(HCI.ReadLocalSupportedCommands.self) { controller, _ in
            .init(commands: controller.supportedCommands)
        },
        complete(HCI.ReadLocalSupportedFeatures.self) { _, _ in
            .init(features: lmpFeatures)
        },
        complete(HCI.ReadLocalExtendedFeatures.self) { (_, command) throws(Refusal) in
            guard command.page == 0 else { throw Refusal(.invalidParameters) }
            return .init(page: 0, maximumPage: 0, features: lmpFeatures)
        },
        complete(HCI.ReadLocalSupportedCodecs.self) { _, _ in .init() },
        complete(HCI.ReadCountryCode.self) { _, _ in .init(code: 0) },
        complete(HCI.ReadBufferSize.self) { controller, _ in
            let own = controller.configuration
            return .init(
                aclLength: own.aclLength, synchronousLength: 0, aclCount: UInt16(own.aclCount), synchronousCount: 0)
        },
        complete(HCI.ReadBDADDR.self) { controller, _ in .init(address: controller.configuration.publicAddress) },
        complete(HCI.LEReadBufferSize.self) { controller, _ in
            let own = controller.configuration
            return own.sharesBuffers
                ? .init(aclLength: 0, aclCount: 0) : .init(aclLength: own.aclLength, aclCount: own.aclCount)
        },
        complete(HCI.LEReadBufferSizeV2.self) { controller, _ in
            let own = controller.configuration
            return own.sharesBuffers
                ? .init()
                : .init(aclLength: own.aclLength, aclCount: own.aclCount, isochronousLength: 0, isochronousCount: 0)
        },
        complete(HCI.LEReadLocalSupportedFeatures.self) { controller, _ in
            .init(features: controller.configuration.features)
        },
        complete(HCI.LERand.self) { controller, _ in .init(number: controller.air.random.next()) },
        // Bits 0 to 41: every combination of roles that legacy advertising knows.
        complete(HCI.LEReadSupportedStates.self) { _, _ in .init(states: 0x3FF_FFFF_FFFF) },
        complete(HCI.LEReadTransmitPower.self) { controller, _ in
            .init(minimum: -127, maximum: max(20, controller.configuration.txPower))
        },
    ]
}

extension VirtualController {
    /// What Read Local Supported Commands tells.
    var supportedCommands: HCI.SupportedCommands {
        HCI.SupportedCommands(CommandTable.entries.values.filter { knows($0) }.map(\.opcode))
    }

    private func knows(_ entry: CommandTable.Entry) -> Bool {
        entry.features.isSubset(of: configuration.features) && !configuration.missingCommands.contains(entry.opcode)
    }
}
