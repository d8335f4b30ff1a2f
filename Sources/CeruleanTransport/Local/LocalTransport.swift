// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire
import Synchronization

/// One end of a pair in this process. What one end sends the other receives by a queued job of its loop, never inside the
/// call to `send`; several sends become one delivery.
///
/// Both ends are opened; what is sent while the far end is closed is lost, as with a wire. An end that closes closes the far
/// end with an error; either can be opened again.
/// ```swift
/// let (host, controller) = LocalTransport.pair(name: "virtual")
/// ```
public final class LocalTransport: HCITransport {
    private struct State {
        var loop: (any EventLoop)?
        var receive: (@Sendable (RawSpan) -> Void)?
        var closed: (@Sendable (HostError) -> Void)?
        var inbox: [UInt8] = []
        var spare: [UInt8] = []
        var isDeliveryQueued = false
        /// Tells the deliveries of an earlier opening apart.
        var generation: UInt64 = 0
    }

    private enum Acceptance { case dropped, taken(deliverOn: (any EventLoop, UInt64)?), overflow }

    /// What a person would call it, as an adapter string.
    public let name: String
    private let state = Mutex(State())
    private let far = Mutex<WeakEnd>(WeakEnd())

    private struct WeakEnd: Sendable { weak var end: LocalTransport? }

    /// Octets that wait for the far end's loop before the pair counts as stuck: 1 MiB.
    public static let maximumBacklog = 1 << 20

    private init(name: String) { self.name = name }

    /// Two ends. Each holds the other weakly: keep both.
    public static func pair(name: String) -> (host: LocalTransport, controller: LocalTransport) {
        let first = LocalTransport(name: name)
        let second = LocalTransport(name: name)
        first.far.withLock { $0.end = second }
        second.far.withLock { $0.end = first }
        return (first, second)
    }

    /// Connects; see the protocol for the order of the callbacks.
    public func open(
        on loop: any EventLoop, receive: @escaping @Sendable (RawSpan) -> Void,
        closed: @escaping @Sendable (HostError) -> Void, opened: @escaping @Sendable (HostError?) -> Void
    ) {
        state.withLock { state in
            state.loop = loop
            state.receive = receive
            state.closed = closed
            state.inbox.removeAll(keepingCapacity: true)
            state.generation &+= 1
            state.isDeliveryQueued = false
        }
        loop.execute { opened(nil) }
    }

    /// Sends whole H4 packets, in order.
    public func send(_ packets: RawSpan) {
        guard let far = far.withLock({ $0.end }) else { return }
        switch far.accept(packets) {
        case .dropped, .taken(deliverOn: nil): return
        case .taken(deliverOn: (let loop, let generation)?): loop.execute { far.deliver(generation) }
        case .overflow:
            let error = HostError(
                .adapterFailed, "sending to \(name)", detail: "the far end has not read for more than 1 MiB")
            end(with: error)
            far.end(with: error)
        }
    }

    /// Closes without a callback. Harmless when closed already.
    public func close() {
        reset()
        far.withLock { $0.end }?.end(with: HostError(.adapterFailed, name, detail: "the far end closed"))
    }

    // MARK: - private

    private func accept(_ packets: RawSpan) -> Acceptance {
        state.withLock { state in
            guard let loop = state.loop, state.receive != nil else { return .dropped }
            guard state.inbox.count + packets.byteCount <= Self.maximumBacklog else { return .overflow }
            unsafe packets.withUnsafeBytes { unsafe state.inbox.append(contentsOf: $0) }
            guard !state.isDeliveryQueued else { return .taken(deliverOn: nil) }
            state.isDeliveryQueued = true
            return .taken(deliverOn: (loop, state.generation))
        }
    }

    private func deliver(_ generation: UInt64) {
        let (bytes, receive) = state.withLock { state -> ([UInt8], (@Sendable (RawSpan) -> Void)?) in
            guard state.generation == generation else { return ([], nil) }
            state.isDeliveryQueued = false
            var bytes: [UInt8] = []
            swap(&bytes, &state.spare)
            swap(&bytes, &state.inbox)
            return (bytes, state.receive)
        }
        guard let receive else { return }
        if !bytes.isEmpty { receive(bytes.span.bytes) }
        var spare = bytes
        spare.removeAll(keepingCapacity: true)
        state.withLock { state in if state.spare.capacity < spare.capacity { swap(&state.spare, &spare) } }
    }

    private func reset() {
        state.withLock { state in
            state.generation &+= 1
            state.receive = nil
            state.closed = nil
            state.inbox.removeAll()
            state.isDeliveryQueued = false
        }
    }

    /// The far end went away: tells so by a queued job.
    private func end(with error: HostError) {
        let (loop, closed) = state.withLock { ($0.loop, $0.closed) }
        reset()
        if let loop, let closed { loop.execute { closed(error) } }
    }
}
