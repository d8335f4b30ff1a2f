// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Glibc
import Synchronization

/// A non-blocking descriptor on a ``ThreadLoop``: reads all that is there, queues what cannot be written at once.
///
/// Used on its loop only.
final class DescriptorStream: Sendable {
    /// Octets that wait to be written before the far end counts as stuck: 1 MiB.
    static let maximumBacklog = 1 << 20

    private struct State {
        var isOpen = true
        var isConnecting: Bool
        var backlog: [UInt8] = []
        var written = 0

        /// Drops what has been written once it is worth the move: a backlog that never runs empty stays within its limit.
        mutating func compact() {
            guard written >= 65_536 else { return }
            backlog.removeFirst(written)
            written = 0
        }
    }

    let descriptor: Int32
    let name: String
    private let loop: ThreadLoop
    private let state: Mutex<State>
    private let receive: @Sendable (RawSpan) -> Void
    private let ended: @Sendable (HostError) -> Void
    private let connected: @Sendable (Int32) -> Void
    /// Each write must be one H4 packet, as for the kernel's HCI sockets.
    private let isPacketwise: Bool

    /// Starts to watch `descriptor`, which it owns from now on. `connected` is called once with an error number when a
    /// connection is being made.
    init(
        _ descriptor: Int32, name: String, loop: ThreadLoop, isConnecting: Bool,
        receive: @escaping @Sendable (RawSpan) -> Void, ended: @escaping @Sendable (HostError) -> Void,
        connected: @escaping @Sendable (Int32) -> Void = { _ in }, isPacketwise: Bool = false
    ) {
        self.descriptor = descriptor
        self.name = name
        self.loop = loop
        self.receive = receive
        self.ended = ended
        self.connected = connected
        self.isPacketwise = isPacketwise
        state = Mutex(State(isConnecting: isConnecting))
        loop.watch(descriptor, for: isConnecting ? .writable : .readable) { [self] in ready($0) }
    }

    deinit { close() }

    /// Octets that have not been written yet.
    var backlog: Int { state.withLock { $0.backlog.count - $0.written } }

    func close() {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        guard wasOpen else { return }
        loop.unwatch(descriptor)
        Glibc.close(descriptor)
    }

    func send(_ bytes: RawSpan) {
        var error: HostError?
        let watchesWriting = state.withLock { state -> Bool in
            guard state.isOpen else { return false }
            guard state.backlog.isEmpty, !state.isConnecting else {
                if state.backlog.count - state.written + bytes.byteCount > Self.maximumBacklog {
                    error = HostError(.adapterFailed, name, detail: "the far end has not read for more than 1 MiB")
                } else {
                    state.compact()
                    unsafe bytes.withUnsafeBytes { unsafe state.backlog.append(contentsOf: $0) }
                }
                return false
            }
            let count = unsafe bytes.withUnsafeBytes { unsafe Self.write(descriptor, $0) }
            if count == bytes.byteCount { return false }
            if count < 0, errno != EAGAIN, errno != EINTR {
                error = SystemError.stream(name, errno)
                return false
            }
            let rest = bytes.extracting(max(0, count)..<bytes.byteCount)
            unsafe rest.withUnsafeBytes { unsafe state.backlog.append(contentsOf: $0) }
            return true
        }
        if watchesWriting { loop.change(descriptor, to: [.readable, .writable]) }
        if let error {
            // Never inside the caller's send.
            loop.execute { [self] in end(error) }
        }
    }

    // MARK: - private

    private func ready(_ readiness: ThreadLoop.Readiness) {
        if state.withLock({ $0.isConnecting }) { return finishConnecting() }
        if readiness.contains(.writable) { flush() }
        if !readiness.isDisjoint(with: [.readable, .failed]) { read() }
    }

    private func finishConnecting() {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size)
        state.withLock { $0.isConnecting = false }
        if number != 0 {
            close()
        } else {
            loop.change(descriptor, to: .readable)
        }
        connected(number)
    }

    private func read() {
        // Bounded, so that a fast far end does not keep the loop from its other work.
        for _ in 0..<16 {
            let open = state.withLock { $0.isOpen }
            guard open else { return }
            let count = unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer -> Int in
                let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count > 0 {
                    let bytes = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    receive(bytes)
                }
                return count
            }
            if count == 0 {
                return end(HostError(.adapterFailed, name, detail: "the far end closed the connection"))
            }
            if count < 0 {
                let number = errno
                if number == EAGAIN || number == EINTR { return }
                return end(SystemError.stream(name, number))
            }
            if count < 65_536 { return }
        }
    }

    private func flush() {
        var error: HostError?
        let isEmpty = state.withLock { state -> Bool in
            guard state.isOpen else { return false }
            while state.written < state.backlog.count {
                let size = isPacketwise ? packetSize(state) : state.backlog.count - state.written
                let count = unsafe state.backlog.withUnsafeBytes { buffer in
                    unsafe Self.write(
                        descriptor, UnsafeRawBufferPointer(rebasing: buffer[state.written..<state.written + size]))
                }
                if count < 0 {
                    if errno != EAGAIN, errno != EINTR { error = SystemError.stream(name, errno) }
                    return false
                }
                state.written += count
            }
            state.backlog.removeAll(keepingCapacity: true)
            state.written = 0
            return true
        }
        if let error { return end(error) }
        if isEmpty { loop.change(descriptor, to: .readable) }
    }

    /// Octets of the packet that is next in the backlog.
    private func packetSize(_ state: State) -> Int {
        let rest = state.backlog.count - state.written
        let type = H4.PacketType(rawValue: state.backlog[state.written])
        guard let size = type.bodySize(of: state.backlog.span.bytes, at: state.written + 1) else { return rest }
        return min(rest, size + 1)
    }

    private func end(_ error: HostError) {
        let wasOpen = state.withLock { $0.isOpen }
        guard wasOpen else { return }
        close()
        ended(error)
    }

    /// Writes without a signal when the far end is gone.
    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        let count = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if count < 0, errno == ENOTSOCK { return unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
        return count
    }
}
