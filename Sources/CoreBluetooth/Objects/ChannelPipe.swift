// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import Foundation

/// The octets of one channel between its streams and the radio, both ways bounded: what comes in by the window of
/// `ChannelOptions`, since room is given back for what was read alone; what goes out by ``capacity``.
///
/// `@unchecked Sendable` since everything that changes is behind the condition's lock.
final class ChannelPipe: @unchecked Sendable {
    /// Octets that wait to go out before there is no space.
    static let capacity = 65_536

    private let radio: Radio
    private let info: ChannelInfo
    /// The manager that listens, for a channel that a peer opened.
    let listener: UInt64?
    private let condition = NSCondition()
    private var incoming: [UInt8] = []
    private var consumed = 0
    private var outgoing: [UInt8] = []
    private var sent = 0
    private var isPumping = false
    private var isOver = false
    private var isInputClosed = false
    private var isOutputClosed = false
    private var wakeInput: (@Sendable () -> Void)?
    private var wakeOutput: (@Sendable () -> Void)?

    init(_ radio: Radio, _ info: ChannelInfo, listener: UInt64?) {
        self.radio = radio
        self.info = info
        self.listener = listener
    }

    var id: ChannelID { info.id }
    var psm: UInt16 { info.psm }

    private func locked<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    /// Who is told that something can be read, or that the channel is over.
    func wake(input: @escaping @Sendable () -> Void) { locked { wakeInput = input } }
    /// Who is told that something can be written, or that the channel is over.
    func wake(output: @escaping @Sendable () -> Void) { locked { wakeOutput = output } }

    // MARK: The application's side

    var available: Int { locked { incoming.count - consumed } }
    var space: Int { locked { isOver || isOutputClosed ? 0 : Self.capacity - (outgoing.count - sent) } }
    var hasEnded: Bool { locked { isOver } }

    /// Waits for octets, and fills the buffer with what there is; 0 at the end.
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = locked { () -> Int in
            guard !buffer.isEmpty else { return 0 }
            while incoming.count == consumed, !isOver, !isInputClosed { condition.wait() }
            let part = incoming[consumed...].prefix(buffer.count)
            _ = unsafe buffer.update(fromContentsOf: part)
            consumed += part.count
            if consumed == incoming.count {
                incoming.removeAll(keepingCapacity: true)
                consumed = 0
            }
            return part.count
        }
        if count > 0 { giveBack(count) }
        return count
    }

    private func giveBack(_ count: Int) {
        let id = info.id
        radio.loop.execute { [radio] in
            radio.assumeIsolated { radio in radio.host.assumeIsolated { $0.consume(count, of: id) } }
        }
    }

    /// Waits for space, and takes as much as there is; -1 when the channel is over.
    func write(_ octets: UnsafeBufferPointer<UInt8>) -> Int {
        let (count, isFirst) = locked { () -> (Int, Bool) in
            while outgoing.count - sent >= Self.capacity, !isOver, !isOutputClosed { condition.wait() }
            guard !isOver, !isOutputClosed else { return (-1, false) }
            let part = unsafe octets.prefix(Self.capacity - (outgoing.count - sent))
            unsafe outgoing.append(contentsOf: part)
            defer { isPumping = true }
            return (part.count, !isPumping)
        }
        if isFirst { pumpLater() }
        return count
    }

    func closeInput() {
        let rest = close { () -> Int in
            isInputClosed = true
            defer {
                incoming = []
                consumed = 0
            }
            return incoming.count - consumed
        }
        // Nobody reads it any more; the peer goes on sending as long as the other stream is open.
        if rest > 0 { giveBack(rest) }
    }

    func closeOutput() { close { isOutputClosed = true } }

    /// What was written goes out first.
    func close() {
        closeInput()
        closeOutput()
    }

    private func close<Value>(_ body: () -> Value) -> Value {
        let (value, isLast) = locked { () -> (Value, Bool) in
            let wasClosed = isInputClosed && isOutputClosed
            let value = body()
            condition.broadcast()
            return (value, !wasClosed && isInputClosed && isOutputClosed && !isOver)
        }
        if isLast { radio.loop.execute { [self, radio] in radio.assumeIsolated { $0.drain(self) } } }
        return value
    }

    private func pumpLater() {
        radio.loop.execute { [self, radio] in radio.assumeIsolated { $0.pump(self) } }
    }

    // MARK: The radio's side

    /// Sends what waits, as far as the host takes it; closes the channel behind the last of it.
    func pump(_ send: ([UInt8]) -> Bool, close: () -> Void) {
        while true {
            let unit = locked { () -> [UInt8] in
                // Said in the same breath: what is written from now on starts anew.
                if outgoing.count == sent {
                    isPumping = false
                    outgoing.removeAll(keepingCapacity: true)
                    sent = 0
                }
                return Array(outgoing[sent...].prefix(max(1, info.maximumSend)))
            }
            guard !unit.isEmpty else { break }
            guard send(unit) else { break }
            locked {
                sent = min(sent + unit.count, outgoing.count)
                condition.broadcast()
            }
        }
        let (isDone, wake) = locked {
            (isInputClosed && isOutputClosed && !isOver && outgoing.count == sent, wakeOutput)
        }
        if isDone { close() } else { wake?() }
    }

    /// False when nobody wants it any more.
    func received(_ octets: [UInt8]) -> Bool {
        let (isTaken, wake) = locked { () -> (Bool, (@Sendable () -> Void)?) in
            guard !isInputClosed else { return (false, nil) }
            if consumed > 0 {
                incoming.removeFirst(consumed)
                consumed = 0
            }
            incoming += octets
            condition.broadcast()
            return (true, wakeInput)
        }
        wake?()
        return isTaken
    }

    func ended() {
        let (input, output) = locked {
            isOver = true
            outgoing = []
            sent = 0
            condition.broadcast()
            return (wakeInput, wakeOutput)
        }
        input?()
        output?()
    }
}

/// A channel's owner: closes it when it is let go, by the application or on the way to it.
final class ChannelHold: Sendable {
    let pipe: ChannelPipe

    init(_ pipe: ChannelPipe) { self.pipe = pipe }

    deinit { pipe.close() }
}
