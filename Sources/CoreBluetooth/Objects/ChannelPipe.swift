// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import Foundation

/// The octets of one channel between its streams and the radio, both ways bounded.
///
/// `@unchecked Sendable` since everything that changes is behind the condition's lock.
final class ChannelPipe: @unchecked Sendable {
    /// Octets that are taken before there is no space.
    static let capacity = 65_536

    private let radio: Radio
    private let info: ChannelInfo
    private let condition = NSCondition()
    private var incoming: [UInt8] = []
    private var consumed = 0
    private var outgoing: [UInt8] = []
    private var isPumping = false
    private var isOver = false
    private var isInputClosed = false
    private var isOutputClosed = false
    private var wakeInput: (@Sendable () -> Void)?
    private var wakeOutput: (@Sendable () -> Void)?

    init(_ radio: Radio, _ info: ChannelInfo) {
        self.radio = radio
        self.info = info
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    /// Who is told that something can be read or written, or that the channel is over.
    func wake(input: @escaping @Sendable () -> Void) { locked { wakeInput = input } }
    func wake(output: @escaping @Sendable () -> Void) { locked { wakeOutput = output } }

    // MARK: The application's side

    var available: Int { locked { incoming.count - consumed } }
    var space: Int { locked { isOver || isOutputClosed ? 0 : Self.capacity - outgoing.count } }
    var hasEnded: Bool { locked { isOver } }

    /// Waits for octets; 0 at the end.
    func read(_ count: Int) -> [UInt8] {
        let part = locked { () -> [UInt8] in
            while incoming.count == consumed, !isOver, !isInputClosed { condition.wait() }
            let part = Array(incoming[consumed...].prefix(max(0, count)))
            consumed += part.count
            if consumed == incoming.count {
                incoming = []
                consumed = 0
            }
            return part
        }
        if !part.isEmpty {
            let (id, count) = (info.id, part.count)
            radio.loop.execute { [radio] in
                radio.assumeIsolated { radio in radio.host.assumeIsolated { $0.consume(count, of: id) } }
            }
        }
        return part
    }

    /// Waits for space; -1 when the channel is over.
    func write(_ octets: UnsafeBufferPointer<UInt8>) -> Int {
        let (count, isFirst) = locked { () -> (Int, Bool) in
            while outgoing.count >= Self.capacity, !isOver, !isOutputClosed { condition.wait() }
            guard !isOver, !isOutputClosed else { return (-1, false) }
            let part = octets.prefix(Self.capacity - outgoing.count)
            outgoing += part
            defer { isPumping = true }
            return (part.count, !isPumping)
        }
        if isFirst { pumpLater() }
        return count
    }

    func closeInput() { close { isInputClosed = true } }
    func closeOutput() { close { isOutputClosed = true } }
    func close() {
        close {
            isInputClosed = true
            isOutputClosed = true
        }
    }

    private func close(_ body: () -> Void) {
        let isLast = locked { () -> Bool in
            let wasClosed = isInputClosed && isOutputClosed
            body()
            condition.broadcast()
            return !wasClosed && isInputClosed && isOutputClosed && !isOver
        }
        // What was written goes out first.
        if isLast { pumpLater() }
    }

    private func pumpLater() {
        radio.loop.execute { [self, radio] in radio.assumeIsolated { $0.pump(self) } }
    }

    // MARK: The radio's side

    /// Sends what waits, as far as the host takes it.
    func pump(_ send: ([UInt8]) -> Bool, close: () -> Void) {
        while true {
            let unit = locked { () -> [UInt8] in
                // Said in the same breath: what is written from now on starts anew.
                if outgoing.isEmpty { isPumping = false }
                return Array(outgoing.prefix(max(1, info.maximumSend)))
            }
            guard !unit.isEmpty else { break }
            guard send(unit) else { return }
            locked {
                outgoing.removeFirst(min(unit.count, outgoing.count))
                condition.broadcast()
            }
        }
        let (isClosed, wake) = locked { (isInputClosed && isOutputClosed && !isOver, wakeOutput) }
        if isClosed { close() } else { wake?() }
    }

    func received(_ octets: [UInt8]) {
        let wake = locked { () -> (@Sendable () -> Void)? in
            incoming += octets
            condition.broadcast()
            return wakeInput
        }
        wake?()
    }

    func ended() {
        let (input, output) = locked {
            isOver = true
            outgoing = []
            condition.broadcast()
            return (wakeInput, wakeOutput)
        }
        input?()
        output?()
    }

    var id: ChannelID { info.id }
    var psm: UInt16 { info.psm }
}
