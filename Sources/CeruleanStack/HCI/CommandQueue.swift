// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// HCI commands in order, one outstanding at a time, as far as the controller's credits go. Pure: the owner sends.
///
/// One at a time is within what every controller allows, and an answer is never matched to the wrong command.
struct CommandQueue {
    typealias Completion = (Result<[UInt8], HostError>) -> Void

    struct Command {
        var opcode: HCI.Opcode
        var packet: [UInt8]
        /// Answered by Command Status rather than Command Complete.
        var expectsStatus: Bool
        /// The octets behind the status when it was 0; empty when a Command Status came.
        var completion: Completion
    }

    /// How long a controller may take to answer. Security H9.
    static let timeout: Duration = .seconds(2)
    /// More than this is a mistake of ours or a controller that does not keep up.
    static let limit = 512

    private var waiting: [Command] = []
    private var head = 0
    private(set) var outstanding: Command?
    private var credits = 1
    /// When the controller counts as dead; `distantFuture` while nothing is due.
    private(set) var deadline: MonotonicTime = .distantFuture

    /// The next command to be sent now.
    mutating func next(now: MonotonicTime) -> [UInt8]? {
        guard outstanding == nil, head < waiting.count else {
            if outstanding == nil { deadline = .distantFuture }
            return nil
        }
        guard credits > 0 else {
            // Security H7: without credits we wait for a later event, but not for ever.
            if deadline == .distantFuture { deadline = now + Self.timeout }
            return nil
        }
        let command = waiting[head]
        head += 1
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
        }
        credits -= 1
        outstanding = command
        deadline = now + Self.timeout
        return command.packet
    }

    /// False when the queue is full.
    mutating func add(_ command: Command) -> Bool {
        guard waiting.count - head < Self.limit else { return false }
        waiting.append(command)
        return true
    }

    /// Takes the credits of a Command Complete or Command Status, and the command that it answers.
    ///
    /// Nil for a command that was not sent; the credits count nevertheless (security H7).
    mutating func answered(_ opcode: HCI.Opcode, credits: UInt8) -> Command? {
        self.credits = Int(credits)
        if credits > 0, outstanding == nil { deadline = .distantFuture }
        guard let command = outstanding, command.opcode == opcode else { return nil }
        outstanding = nil
        deadline = .distantFuture
        return command
    }

    /// Takes credits of an event that answers nothing.
    mutating func creditsOnly(_ credits: UInt8) { self.credits = Int(credits) }

    /// Forgets everything, as a reset of the controller does. Returns what had not been answered, in order.
    mutating func reset() -> [Command] {
        let all = (outstanding.map { [$0] } ?? []) + waiting[head...]
        self = CommandQueue()
        return all
    }

    /// The name of the command that is being waited for.
    var pendingName: String {
        if let outstanding { return outstanding.opcode.description }
        return head < waiting.count ? waiting[head].opcode.description : "none"
    }
}
