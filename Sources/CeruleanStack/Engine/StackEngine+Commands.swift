// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

extension StackEngine {
    /// Queues a command that Command Complete answers.
    func command<C: HCICommand>(
        _ command: C, _ done: @escaping (Result<C.ReturnParameters, HostError>) -> Void = { _ in }
    ) {
        enqueue(command, expectsStatus: false) { result in
            done(
                result.flatMap { bytes in
                    do {
                        return .success(try C.ReturnParameters(decodingPrefixOf: bytes.span.bytes))
                    } catch {
                        // Security H8: what is missing is an error, never zeros.
                        return .failure(
                            HostError(.adapterFailed, detail: "\(C.opcode): the controller's answer is \(error)"))
                    }
                })
        }
    }

    /// Queues a command that Command Status answers.
    func command<C: HCICommandWithStatus>(_ command: C, _ done: @escaping (Result<Void, HostError>) -> Void = { _ in })
    {
        enqueue(command, expectsStatus: true) { done($0.map { _ in }) }
    }

    private func enqueue<C: HCICommandPacket>(
        _ command: C, expectsStatus: Bool, _ completion: @escaping CommandQueue.Completion
    ) {
        guard !isEnding else { return completion(.failure(HostError(.poweredOff))) }
        let packet: [UInt8]
        do {
            packet = try command.h4Packet()
        } catch {
            return completion(.failure(HostError(.invalidArgument, detail: "\(C.opcode): \(error)")))
        }
        let entry = CommandQueue.Command(
            opcode: C.opcode, packet: packet, expectsStatus: expectsStatus, completion: completion)
        guard commands.add(entry) else {
            return completion(.failure(HostError(.queueFull, detail: "\(CommandQueue.limit) commands are waiting")))
        }
        pumpCommands()
    }

    func pumpCommands() {
        // A controller in the same process may answer from inside `send`.
        guard !isPumping else { return }
        isPumping = true
        while let packet = commands.next(now: now) { send(packet.span.bytes) }
        isPumping = false
        arm(commands.deadline)
    }

    func receiveCommandComplete(_ parameters: RawSpan) {
        guard parameters.byteCount >= 3 else {
            counters.malformedEvents &+= 1
            return
        }
        let opcode = HCI.Opcode(rawValue: parameters.uint16(at: 1))
        if let command = commands.answered(opcode, credits: parameters[0]) {
            if parameters.byteCount < 4 {
                command.completion(
                    .failure(HostError(.adapterFailed, detail: "\(opcode): the controller's answer has no status")))
            } else if parameters[3] == 0 {
                command.completion(.success(parameters.extracting(4..<parameters.byteCount).array))
            } else {
                command.completion(.failure(.command(opcode, parameters[3])))
            }
        }
        pumpCommands()
    }

    func receiveCommandStatus(_ parameters: RawSpan) {
        guard parameters.byteCount >= 4 else {
            counters.malformedEvents &+= 1
            return
        }
        let status = parameters[0]
        let opcode = HCI.Opcode(rawValue: parameters.uint16(at: 2))
        if status == 0, let outstanding = commands.outstanding, outstanding.opcode == opcode, !outstanding.expectsStatus
        {
            // "Accepted" is not the answer yet.
            commands.creditsOnly(parameters[1])
        } else if let command = commands.answered(opcode, credits: parameters[1]) {
            command.completion(status == 0 ? .success([]) : .failure(.command(opcode, status)))
        }
        pumpCommands()
    }

    func tickCommands() {
        if now >= startup.deadline {
            startFailed(
                HostError(.timedOut, detail: "the controller is not ready; last command: \(commands.pendingName)"))
        }
        guard now >= commands.deadline else { return }
        // Security H7, H9.
        adapterFailed(
            HostError(
                .adapterFailed,
                detail: "the controller has not answered \(commands.pendingName) for \(CommandQueue.timeout)"),
            recovers: true)
    }

    // MARK: - operations

    func deadline(_ timeout: Duration) -> MonotonicTime { now + timeout }

    /// Enters an operation into the table.
    func begin(deadline: MonotonicTime, link: LinkID?, fail: @escaping (HostError) -> Void) -> OperationID {
        let operation = ClosureOperation(deadline: deadline, link: link, failed: fail)
        operations.add(operation)
        arm(deadline)
        return operation.id
    }

    func reserveOperation() -> OperationID { operations.unused() }

    /// True for the first who ends the operation.
    func finish(_ id: OperationID) -> Bool { operations.remove(id) != nil }

    /// Ends an operation with `cancelled`. Does nothing when it has ended.
    public func cancel(_ operation: OperationID, now: MonotonicTime) {
        self.now = now
        end(operation, HostError(.cancelled))
    }

    func end(_ operation: OperationID, _ error: HostError) { operations.remove(operation)?.fail(error) }

    /// Ends all operations that need `link`, oldest first.
    func endOperations(of link: LinkID, _ error: HostError) {
        for id in operations.all(where: { $0.link == link }) { end(id, error) }
    }

    func tickOperations() {
        let now = now
        for id in operations.all(where: { $0.deadline <= now }) { end(id, HostError(.timedOut)) }
    }
}
