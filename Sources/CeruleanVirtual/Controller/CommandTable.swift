// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// Why a command was refused.
struct Refusal: Error {
    var code: HCI.ErrorCode

    init(_ code: HCI.ErrorCode) { self.code = code }
}

/// The commands that controllers carry out, and how.
///
/// Read Local Supported Commands is made from this table, so that it cannot tell more than there is.
enum CommandTable {
    typealias Handler = @Sendable (_ controller: VirtualController, _ parameters: RawSpan) -> Void

    static let handlers: [HCI.Opcode: Handler] = controllerCommands.merging(advertisingCommands) { first, _ in first }
        .merging(connectionCommands) { first, _ in first }
        .merging(securityCommands) { first, _ in first }

    /// A command that is answered with Command Complete.
    static func complete<C: HCICommand>(
        _ type: C.Type,
        _ body: @escaping @Sendable (VirtualController, C) throws(Refusal) -> C.ReturnParameters
    ) -> (HCI.Opcode, Handler) {
        (
            C.opcode,
            { controller, parameters in
                do throws(Refusal) {
                    let command = try decode(C.self, parameters)
                    controller.complete(C.opcode, .success, try body(controller, command))
                } catch {
                    controller.refuse(C.self, error.code, parameters)
                }
            }
        )
    }

    /// A command that is answered with Command Complete and returns nothing but the status.
    static func plain<C: HCICommand>(
        _ type: C.Type, _ body: @escaping @Sendable (VirtualController, C) throws(Refusal) -> Void
    ) -> (HCI.Opcode, Handler) where C.ReturnParameters == HCIEmpty {
        complete(type) { (controller, command) throws(Refusal) in
            try body(controller, command)
            return HCIEmpty()
        }
    }

    /// A command that is answered with Command Status.
    static func status<C: HCICommandWithStatus>(
        _ type: C.Type, _ body: @escaping @Sendable (VirtualController, C) throws(Refusal) -> Void
    ) -> (HCI.Opcode, Handler) {
        (
            C.opcode,
            { controller, parameters in
                var status = HCI.ErrorCode.success
                do throws(Refusal) {
                    try body(controller, try decode(C.self, parameters))
                } catch {
                    status = error.code
                }
                controller.emit(HCI.CommandStatus(status: status, credits: 1, opcode: C.opcode))
            }
        )
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
        guard let handler = CommandTable.handlers[opcode], !configuration.missingCommands.contains(opcode) else {
            return emit(HCI.CommandStatus(status: .unknownCommand, credits: 1, opcode: opcode))
        }
        handler(self, parameters)
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
        guard (try? C.ReturnParameters().encode(into: &bytes)) != nil else { return }
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
        .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply,
    ]

    /// Commands about the controller as a whole.
    static let controllerCommands: [HCI.Opcode: Handler] = Dictionary(uniqueKeysWithValues: [
        plain(HCI.Reset.self) { controller, _ in controller.reset() },
        plain(HCI.SetEventMask.self) { controller, command in controller.eventMask = command.mask },
        plain(HCI.SetEventMaskPage2.self) { _, _ in },
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
            // BR/EDR Not Supported and LE Supported (Controller). Vol 2, Part C, 3.3.
            .init(features: 1 << 37 | 1 << 38)
        },
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
    ])
}

extension VirtualController {
    /// What Read Local Supported Commands tells.
    var supportedCommands: HCI.SupportedCommands {
        HCI.SupportedCommands(CommandTable.handlers.keys.filter { !configuration.missingCommands.contains($0) })
    }
}
