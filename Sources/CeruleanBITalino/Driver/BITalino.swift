// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import Synchronization

/// A connected BITalino board.
///
/// ```swift
/// let board = try await BITalino(connecting: found, timeout: .seconds(10))
/// for try await frame in board.frames(channels: [.a1, .a2], rate: .hz1000) {
///     print(frame.sequence, frame[.a1], frame.lostBefore)
/// }
/// ```
///
/// Safe to use from any task: calls take their turn. What the board would refuse or misunderstand is refused before an octet
/// is sent. A board belongs to one connection: after the link is lost every call fails, and a new value is made.
public final class BITalino: Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// The version of the board's firmware (the device information service tells that of its radio).
    public let version: Version

    let port: Port
    private let lock = AsyncLock()
    private let state: Mutex<State>
    let watchers = ActivityWatchers()

    enum Phase: Equatable, Sendable {
        case idle
        case acquiring(UInt64)
    }

    private struct State {
        var phase = Phase.idle
        /// Octets of an earlier acquisition or answer may still be on their way.
        var needsFlush = false
        var next: UInt64 = 0
        var notifications: Notifications?
    }

    /// Connects to a device that a scan found, and makes the board idle.
    ///
    /// - Parameters:
    ///   - discovery: The board, as a scan found it.
    ///   - timeout: For each step: connecting, discovering, asking for the version.
    /// - Throws: ``BITalinoError`` `.link`, `.notBITalino`, `.noAnswer` or `.cancelled`. The link is then left.
    public convenience init(
        connecting discovery: Discovery, timeout: Duration = .seconds(10)
    ) async throws(BITalinoError) {
        try await self.init(discovery.peripheral, timeout: timeout)
    }

    /// Connects if need be, and makes the board idle.
    ///
    /// - Parameters:
    ///   - peripheral: The board.
    ///   - timeout: For each step: connecting, discovering, asking for the version.
    /// - Throws: ``BITalinoError`` `.link`, `.notBITalino`, `.noAnswer` or `.cancelled`. The link is then left.
    public init(_ peripheral: Peripheral, timeout: Duration = .seconds(10)) async throws(BITalinoError) {
        do throws(BITalinoError) {
            let port = try await Port.open(peripheral, timeout: timeout)
            self.port = port
            self.peripheral = peripheral
            version = try await port.handshake(timeout: timeout)
            state = Mutex(State())
        } catch {
            _ = try? await peripheral.disconnect(timeout: .seconds(1))
            throw error
        }
    }

    /// True while the link is up.
    public var isConnected: Bool { peripheral.isConnected }

    /// True while an acquisition runs.
    public var isAcquiring: Bool { state.withLock { $0.phase != .idle } }

    // MARK: Acquiring

    /// Acquires while the returned sequence is being read: it starts with the first frame asked for and stops when the loop is
    /// left, the task is cancelled, or ``stop()`` is called.
    ///
    /// The loop ends with ``BITalinoError``: `.invalidParameter` without a channel, `.notIdle` if another acquisition runs,
    /// `.link` when the link is lost, after the frames that had arrived.
    public func frames(channels: [Input], rate: Rate, mode: Mode = .live) -> Frames {
        Frames(board: self, request: AcquisitionRequest(inputs: channels, rate: rate, mode: mode))
    }

    /// Acquires in blocks of `size` frames; the last one may be shorter. Otherwise as ``frames(channels:rate:mode:)``.
    public func blocks(of size: Int, channels: [Input], rate: Rate, mode: Mode = .live) -> FrameBlocks {
        FrameBlocks(frames: frames(channels: channels, rate: rate, mode: mode), size: max(1, size))
    }

    /// Stops the acquisition, if one runs; its loop then ends. In idle a (r)evolution board is told to stay there, and the
    /// original board refuses.
    ///
    /// - Throws: ``BITalinoError`` `.notAcquiring` (original board only), `.link` or `.cancelled`.
    public func stop() async throws(BITalinoError) {
        try await locked { () async throws(BITalinoError) in
            try await port.write(try Command.stop.encoded(for: version, isAcquiring: isAcquiring))
            state.withLock { state in
                if state.phase != .idle { state.needsFlush = true }
                state.phase = .idle
                state.notifications?.cancel()
                state.notifications = nil
            }
            watchers.tell(.idle)
        }
    }

    // MARK: Settings

    /// Sets the battery threshold, 0 (3.4 V) to 63 (3.8 V); ``Battery`` converts.
    ///
    /// - Throws: ``BITalinoError`` `.notIdle`, `.invalidParameter`, `.link` or `.cancelled`.
    public func setBatteryThreshold(_ threshold: Int) async throws(BITalinoError) {
        try await send(.battery(threshold: threshold))
    }

    /// Drives the digital outputs, each 0 or 1: O1 and O2; on the original board O1 to O4, only while it acquires.
    ///
    /// - Throws: ``BITalinoError`` `.invalidParameter`, `.notAcquiring`, `.link` or `.cancelled`.
    public func setOutputs(_ levels: [Int]) async throws(BITalinoError) { try await send(.outputs(levels)) }

    /// Sets the PWM output, 0 to 255: 3.3 V · (value + 1) / 256 on average.
    ///
    /// - Throws: ``BITalinoError`` `.unsupportedVersion`, `.invalidParameter`, `.link` or `.cancelled`.
    public func setPWM(_ value: Int) async throws(BITalinoError) { try await send(.pwm(value)) }

    /// Asks the idle board for its readings and settings.
    ///
    /// - Throws: ``BITalinoError`` `.notIdle`, `.unsupportedVersion`, `.noAnswer`, `.badAnswer`, `.link` or `.cancelled`.
    public func readState(timeout: Duration = .seconds(5)) async throws(BITalinoError) -> BoardState {
        try await locked { () async throws(BITalinoError) in
            let bytes = try Command.state.encoded(for: version, isAcquiring: isAcquiring)
            try await flush(timeout: timeout)
            let size = BoardState.size(for: version)
            do throws(BITalinoError) {
                let answer = try await port.ask(bytes, timeout: timeout) { received in
                    received.count >= size ? Array(received.prefix(size)) : nil
                }
                return try BoardState(answer: answer, version: version)
            } catch {
                state.withLock { $0.needsFlush = true }
                throw error
            }
        }
    }

    /// Stops an acquisition that runs, and ends the link.
    public func disconnect(timeout: Duration = .seconds(10)) async {
        if isAcquiring { _ = try? await stop() }
        _ = try? await peripheral.disconnect(timeout: timeout)
    }

    // MARK: - Private

    private func send(_ command: Command) async throws(BITalinoError) {
        try await locked { () async throws(BITalinoError) in
            try await port.write(try command.encoded(for: version, isAcquiring: isAcquiring))
        }
    }

    private func locked<Value>(
        _ body: () async throws(BITalinoError) -> Value
    ) async throws(BITalinoError) -> Value {
        guard await lock.acquire() else { throw BITalinoError(.cancelled, "cancelled while waiting for the board") }
        defer { lock.release() }
        return try await body()
    }

    private func flush(timeout: Duration) async throws(BITalinoError) {
        guard state.withLock({ $0.needsFlush }) else { return }
        _ = try await port.handshake(timeout: timeout)
        state.withLock { $0.needsFlush = false }
    }

    /// Starts an acquisition; what it sends comes through the returned notifications.
    func start(_ request: AcquisitionRequest) async throws(BITalinoError) -> (id: UInt64, notifications: Notifications)
    {
        try await locked { () async throws(BITalinoError) in
            let bytes = try request.command.encoded(for: version, isAcquiring: isAcquiring)
            try await flush(timeout: .seconds(5))
            let notifications = try await port.subscribe()
            let id = state.withLock { state in
                state.next += 1
                state.phase = .acquiring(state.next)
                state.notifications = notifications
                return state.next
            }
            var written = 0
            do throws(BITalinoError) {
                // One write each: a slow board sets its clock between them.
                for byte in bytes {
                    written += 1
                    try await port.write([byte])
                }
            } catch {
                // The write that failed may have arrived all the same.
                end(id, mayRun: written == bytes.count)
                throw error
            }
            watchers.tell(.acquiring)
            return (id, notifications)
        }
    }

    /// The reader of an acquisition is gone: stops the board without waiting for it. Does nothing if it has been stopped.
    func end(_ id: UInt64, mayRun: Bool = true) {
        let isOurs = state.withLock { state in
            guard state.phase == .acquiring(id) else { return false }
            state.phase = .idle
            state.needsFlush = true
            state.notifications?.cancel()
            state.notifications = nil
            return true
        }
        guard isOurs else { return }
        watchers.tell(.idle)
        // To an idle board 00 sets the battery threshold. FF is safe in both states, but stops (r)evolution boards only.
        if version.isRevolution { port.writeWithoutWaiting(0xFF) } else if mayRun { port.writeWithoutWaiting(0x00) }
    }
}
