// SPDX-License-Identifier: Apache-2.0

public import Cerulean
public import CeruleanWire
import Synchronization

extension Node {
    // MARK: Commands

    /// Sends a command to a feature: through the configuration service, else to the feature's own characteristic.
    /// bluest.md §9.
    ///
    /// - Throws: `BluetoothError` with `unsupported` when the board takes no commands.
    public func send(
        _ id: UInt8, _ payload: [UInt8] = [], to feature: Feature, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        let command = try command(id, payload, to: feature)
        try await write(command, to: feature, timeout: timeout)
    }

    /// Sends one of the known commands.
    ///
    /// - Throws: `BluetoothError` with `notFound` when no feature of the node has the command's bit.
    public func send(_ command: FeatureCommand, timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        try await write(command, to: try owner(of: command), timeout: timeout)
    }

    /// Sends a command and waits for its answer.
    ///
    /// Boards that do not answer at all exist: hence the short timeout.
    ///
    /// - Throws: `BluetoothError` with `timedOut`, or `unsupported` where no answer is possible.
    public func ask(_ command: FeatureCommand, timeout: Duration = .seconds(2)) async throws(BluetoothError)
        -> CommandResponse
    {
        let feature = try owner(of: command)
        guard let key = core.allKeys(BlueSTUUID.commands, needing: [.notify, .indicate]).first else {
            throw BluetoothError(
                .unsupported, "command to \(feature) on \(name)", detail: "the board has no configuration service")
        }
        let operation = "command \(BlueSTAdvertisement.hex(UInt32(command.id), 2)) to \(feature) on \(name)"
        return try await core.exchange.run(on: core.port.loop, timeout: timeout, operation) {
            () throws(BluetoothError) in
            try await core.answer(
                from: key, timeout: timeout, operation,
                parse: { bytes in
                    guard let response = try? CommandResponse(decoding: bytes), response.mask == command.mask,
                        response.id == command.id
                    else { return nil }
                    return .success(response)
                },
                after: { () throws(BluetoothError) in try await write(command, to: feature, timeout: timeout) })
        }
    }

    private func command(_ id: UInt8, _ payload: [UInt8], to feature: Feature) throws(BluetoothError) -> FeatureCommand
    {
        let found = try self.feature(feature)
        return FeatureCommand(mask: found.mask, id: id, payload: payload)
    }

    private func owner(of command: FeatureCommand) throws(BluetoothError) -> Feature {
        if let found = features.first(where: { $0.mask == command.mask }) { return found.feature }
        throw BluetoothError(
            .notFound, "feature of the command's bit \(BlueSTAdvertisement.hex(command.mask, 8)) on \(name)")
    }

    private func write(
        _ command: FeatureCommand, to feature: Feature, timeout: Duration
    ) async throws(BluetoothError) {
        let found = try self.feature(feature)
        let configuration = core.allKeys(BlueSTUUID.commands, needing: [.write, .writeWithoutResponse]).first
        guard command.payload.count <= FeatureCommand.payloadLimit else {
            throw BluetoothError(
                .invalidArgument, "command to \(feature)",
                detail: "\(command.payload.count) octets; \(FeatureCommand.payloadLimit) is the most")
        }
        if let configuration, command.mask != 0 {
            try await core.port.write(
                command.forConfigurationService, to: configuration, withResponse: false, timeout: timeout)
        } else if found.canWrite {
            try await core.port.write(command.forFeature, to: found.key, withResponse: false, timeout: timeout)
        } else {
            throw BluetoothError(.unsupported, "command to \(feature) on \(name)", detail: "the board takes none")
        }
        core.state.withLock { $0.decoder.commandSent(to: feature, command.id, command.payload) }
    }

    // MARK: Registers

    /// True if the board has registers.
    public var hasRegisters: Bool { !core.allKeys(BlueSTUUID.registers, needing: [.write]).isEmpty }

    /// Reads a register. bluest.md §11.
    ///
    /// - Throws: ``RegisterError`` if the register does not allow it or the board refuses; `BluetoothError` of the
    ///   link.
    public func read(
        _ register: Register, _ target: Register.Target = .session, timeout: Duration = .seconds(2)
    ) async throws -> [UInt8] {
        try await perform(try register.readRequest(target), timeout: timeout).payload
    }

    /// Writes a register.
    ///
    /// - Throws: ``RegisterError`` if the register does not allow it or the board refuses; `BluetoothError` of the
    ///   link.
    public func write(
        _ value: [UInt8], to register: Register, _ target: Register.Target = .session, timeout: Duration = .seconds(2)
    ) async throws {
        _ = try await perform(try register.writeRequest(value, target), timeout: timeout)
    }

    private func perform(_ message: RegisterMessage, timeout: Duration) async throws -> RegisterMessage {
        let operation = "register \(BlueSTAdvertisement.hex(UInt32(message.address), 2)) on \(name)"
        guard let key = core.allKeys(BlueSTUUID.registers, needing: [.write]).first else {
            throw BluetoothError(.unsupported, operation, detail: "the board has no registers")
        }
        let reply = try await core.exchange.run(on: core.port.loop, timeout: timeout, operation) {
            () throws(BluetoothError) -> RegisterMessage in
            try await core.use(key, timeout: timeout)
            defer { core.release(key) }
            return try await core.answer(
                from: key, timeout: timeout, operation,
                parse: { bytes in
                    guard let reply = try? RegisterMessage(decoding: bytes), reply.address == message.address,
                        reply.operation == message.operation, reply.target == message.target
                    else { return nil }
                    return .success(reply)
                },
                after: { () throws(BluetoothError) in
                    try await core.port.write(message.encoded, to: key, withResponse: true, timeout: timeout)
                })
        }
        guard reply.error == 0 else { throw RegisterError.refused(reply.error) }
        return reply
    }

    // MARK: Messages

    /// Sends a JSON message to a feature that speaks them (extended configuration, PnPL, data log, NFC …) and waits for
    /// the answer. bluest.md §10.
    ///
    /// - Throws: `BluetoothError` with `timedOut`, or `badData` when the answer is no JSON.
    public func ask(
        _ message: FieldValue, of feature: Feature, timeout: Duration = .seconds(5)
    ) async throws(BluetoothError) -> FieldValue {
        let text = try await exchange(Array(MessageJSON.text(message).utf8), with: feature, timeout: timeout)
        guard let value = MessageJSON.parse(String(decoding: MessageTransport.trimmed(text), as: UTF8.self)) else {
            throw BluetoothError(.badData, "message to \(feature) on \(name)", detail: "the answer is no JSON")
        }
        return value
    }

    /// Sends a JSON message to a feature, and waits for no answer: boards do not answer to all of them.
    ///
    /// - Throws: `BluetoothError`.
    public func tell(
        _ message: FieldValue, feature: Feature, timeout: Duration = .seconds(5)
    ) async throws(BluetoothError) {
        let found = try self.feature(feature)
        let operation = "message to \(feature) on \(name)"
        try await core.exchange.run(on: core.port.loop, timeout: timeout, operation) {
            () throws(BluetoothError) in
            try await write(Array(MessageJSON.text(message).utf8), inFramesTo: found, timeout: timeout)
        }
    }

    /// Sends octets as a message to a feature, and waits for the answer's octets.
    ///
    /// - Parameters:
    ///   - message: The octets.
    ///   - feature: One that speaks in messages, such as ``Feature/binaryContent``.
    ///   - timeout: For each write, and for the answer.
    ///   - progress: Called with the octets that were sent, frame by frame.
    /// - Throws: `BluetoothError`.
    public func exchange(
        _ message: [UInt8], with feature: Feature, timeout: Duration = .seconds(5),
        progress: (_ sent: Int) -> Void = { _ in }
    ) async throws(BluetoothError) -> [UInt8] {
        let found = try self.feature(feature)
        let operation = "message to \(feature) on \(name)"
        return try await core.exchange.run(on: core.port.loop, timeout: timeout, operation) {
            () throws(BluetoothError) -> [UInt8] in
            try await core.use(found.key, timeout: timeout)
            defer { core.release(found.key) }
            let assembler = SharedAssembler()
            return try await core.answer(
                from: found.key, timeout: timeout, operation, parse: { assembler.received($0, operation) },
                after: { () throws(BluetoothError) in
                    try await write(message, inFramesTo: found, timeout: timeout, progress: progress)
                })
        }
    }

    /// One message after the other: the next begins when the last write of this one is done. Frames are as long as the
    /// link carries, or as the catalogue allows.
    private func write(
        _ message: [UInt8], inFramesTo feature: NodeFeature, timeout: Duration,
        progress: (_ sent: Int) -> Void = { _ in }
    ) async throws(BluetoothError) {
        let limit = firmware?.characteristics.first { $0.uuid == feature.characteristic }?.maximumWriteLength
        let size = min(core.port.writeLength, max(20, limit ?? .max))
        var sent = 0
        for frame in MessageTransport.encode(message, frameSize: size) {
            try await core.port.write(frame, to: feature.key, withResponse: false, timeout: timeout)
            sent += frame.count - 1
            progress(min(sent, message.count))
        }
    }
}
