// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire
import Glibc
import Synchronization

/// H4 octets over a stream of the system: what TCP, Unix sockets and accepted connections share.
///
/// Runs on a ``ThreadLoop`` only: other loops (a simulation) cannot wait for descriptors, and opening ends with
/// `unsupported` there.
public final class StreamTransport: HCITransport {
    /// Makes a connected or connecting descriptor.
    enum Origin: Sendable {
        case tcp(host: String, port: UInt16)
        case unix(path: String)
        case descriptor(Int32)
    }

    private struct State {
        var stream: DescriptorStream?
        /// Tells the callbacks of an earlier opening apart.
        var opening: UInt64 = 0
        /// A descriptor that was handed to us is used once.
        var isUsed = false
        /// The place at the server that an accepted connection takes while it is open.
        var slot: ConnectionSlots.Slot?
    }

    /// What a person would call it, as an adapter string.
    public let name: String
    private let origin: Origin
    private let state: Mutex<State>

    init(name: String, origin: Origin, slot: ConnectionSlots.Slot? = nil) {
        self.name = name
        self.origin = origin
        state = Mutex(State(slot: slot))
    }

    deinit {
        state.withLock { $0.stream }?.close()
        // One that was never opened is closed here.
        if case .descriptor(let descriptor) = origin, !state.withLock({ $0.isUsed }) { Glibc.close(descriptor) }
    }

    /// A TCP client: `tcp:HOST:PORT`. Names are resolved when it is opened; an IPv6 address stands in brackets.
    public static func tcp(host: String, port: UInt16) -> StreamTransport {
        let shown = host.contains(":") ? "[\(host)]" : host
        return StreamTransport(name: "tcp:\(shown):\(port)", origin: .tcp(host: host, port: port))
    }

    /// A client of a Unix socket: `unix:PATH`.
    public static func unix(path: String) -> StreamTransport {
        StreamTransport(name: "unix:\(path)", origin: .unix(path: path))
    }

    /// Connects; see the protocol for the order of the callbacks.
    public func open(
        on loop: any EventLoop, receive: @escaping @Sendable (RawSpan) -> Void,
        closed: @escaping @Sendable (HostError) -> Void, opened: @escaping @Sendable (HostError?) -> Void
    ) {
        let current = state.withLock { state in
            state.opening &+= 1
            return state.opening
        }
        guard let loop = loop as? ThreadLoop else {
            let error = HostError(
                .unsupported, "opening \(name)", detail: "sockets need a loop with a thread of its own")
            return loop.execute { opened(error) }
        }
        if case .tcp(let host, let port) = origin, Resolver.needsLookUp(host) {
            // A look-up may block for seconds: it has a thread of its own.
            Resolver.resolve(host, port) { [self] result in
                loop.execute { [self] in
                    guard isCurrent(current) else { return }
                    switch result {
                    case .success(let addresses):
                        connect(addresses[...], loop, current, receive, closed, opened)
                    case .failure(let error): opened(error)
                    }
                }
            }
            return
        }
        loop.execute { [self] in
            guard isCurrent(current) else { return }
            begin(loop, current, receive, closed, opened)
        }
    }

    /// Sends whole H4 packets, in order.
    public func send(_ packets: RawSpan) { state.withLock { $0.stream }?.send(packets) }

    /// Closes without a callback. Harmless when closed already.
    public func close() {
        let stream = state.withLock { state in
            state.opening &+= 1
            defer { state.stream = nil }
            if state.isUsed { state.slot = nil }
            return state.stream
        }
        stream?.close()
    }

    // MARK: - private

    private func isCurrent(_ opening: UInt64) -> Bool { state.withLock { $0.opening == opening } }

    private func begin(
        _ loop: ThreadLoop, _ current: UInt64, _ receive: @escaping @Sendable (RawSpan) -> Void,
        _ closed: @escaping @Sendable (HostError) -> Void, _ opened: @escaping @Sendable (HostError?) -> Void
    ) {
        switch origin {
        case .tcp(let host, let port):
            guard let address = SocketAddress(host, port) else {
                return opened(HostError(.noAdapter, "opening \(name)", detail: "\(host) is no address"))
            }
            connect([address], loop, current, receive, closed, opened)
        case .unix(let path):
            guard let address = SocketAddress(unix: path) else {
                return opened(
                    HostError(.invalidArgument, "opening \(name)", detail: "the path is too long for a socket"))
            }
            connect([address], loop, current, receive, closed, opened)
        case .descriptor(let descriptor):
            let isFresh = state.withLock { state in
                defer { state.isUsed = true }
                return !state.isUsed
            }
            guard isFresh else {
                return opened(HostError(.noAdapter, "opening \(name)", detail: "the connection was used already"))
            }
            keep(
                DescriptorStream(
                    descriptor, name: name, loop: loop, isConnecting: false, receive: receive,
                    ended: ender(current, closed)), current)
            opened(nil)
        }
    }

    /// Tries one address after the other.
    private func connect(
        _ addresses: ArraySlice<SocketAddress>, _ loop: ThreadLoop, _ current: UInt64,
        _ receive: @escaping @Sendable (RawSpan) -> Void, _ closed: @escaping @Sendable (HostError) -> Void,
        _ opened: @escaping @Sendable (HostError?) -> Void
    ) {
        guard let address = addresses.first else {
            return opened(HostError(.noAdapter, "opening \(name)", detail: "the name has no address"))
        }
        let failed: @Sendable (Int32) -> Void = { [self] number in
            guard isCurrent(current) else { return }
            if addresses.count > 1 {
                connect(addresses.dropFirst(), loop, current, receive, closed, opened)
            } else {
                opened(SystemError.opening(name, number, hint: hint(number)))
            }
        }
        let descriptor = address.makeSocket()
        guard descriptor >= 0 else { return failed(errno) }
        let result = address.connect(descriptor)
        let number = errno
        guard result == 0 || number == EINPROGRESS else {
            Glibc.close(descriptor)
            return failed(number)
        }
        let stream = DescriptorStream(
            descriptor, name: name, loop: loop, isConnecting: result != 0, receive: receive,
            ended: ender(current, closed),
            connected: { [self] number in
                guard isCurrent(current) else { return }
                if number == 0 { opened(nil) } else { failed(number) }
            })
        keep(stream, current)
        if result == 0 { opened(nil) }
    }

    private func keep(_ stream: DescriptorStream, _ current: UInt64) {
        let old = state.withLock { state -> DescriptorStream? in
            guard state.opening == current else { return stream }
            defer { state.stream = stream }
            return state.stream
        }
        old?.close()
    }

    private func ender(
        _ current: UInt64, _ closed: @escaping @Sendable (HostError) -> Void
    ) -> @Sendable (HostError) -> Void {
        { [self] error in
            guard isCurrent(current) else { return }
            state.withLock { state in
                state.stream = nil
                state.slot = nil
            }
            closed(error)
        }
    }

    private func hint(_ number: Int32) -> String? {
        switch (origin, number) {
        case (.tcp, ECONNREFUSED):
            "nothing listens there; start a controller first: cerulean controller --listen HOST:PORT"
        case (.unix, ENOENT), (.unix, ECONNREFUSED): "nothing listens on that path"
        case (_, ETIMEDOUT), (_, EHOSTUNREACH), (_, ENETUNREACH): "the host cannot be reached"
        default: nil
        }
    }
}
