// SPDX-License-Identifier: Apache-2.0

public import Cerulean

extension Node {
    /// Sends a message to a robot, and waits for no answer.
    ///
    /// - Throws: `BluetoothError` with `notFound` if the board is no robot.
    public func send(_ message: RobotMessage, timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        try await write(message.encoded, to: .roboticsMovement, timeout: timeout)
    }

    /// Sends a message to a robot, and waits for its answer: an acknowledgement, or what was asked for.
    ///
    /// - Throws: `BluetoothError` with `refused` and the robot's reason when it did not do it, `timedOut` when it says
    ///   nothing.
    public func ask(_ message: RobotMessage, timeout: Duration = .seconds(2)) async throws(BluetoothError)
        -> RobotMessage
    {
        let found = try feature(.roboticsMovement)
        let operation = "\(message) to \(name)"
        return try await core.exchange.run(on: core.port.loop, timeout: timeout, operation) {
            () throws(BluetoothError) -> RobotMessage in
            try await core.use(found.key, timeout: timeout)
            defer { core.release(found.key) }
            return try await core.answer(
                from: found.key, timeout: timeout, operation,
                parse: { bytes in
                    // The board's time stands in front.
                    guard bytes.count >= 2, let answer = try? RobotMessage(decoding: Array(bytes[2...])),
                        answer.command == message.command
                    else { return nil }
                    if case .failed(let reason) = answer.action {
                        return .failure(BluetoothError(.refused, operation, detail: reason.description))
                    }
                    return .success(answer)
                }, after: { () throws(BluetoothError) in try await send(message, timeout: timeout) })
        }
    }
}
