// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire
import Glibc
import Synchronization

/// Listens for hosts: each accepted connection is a stream of H4 octets.
///
/// It binds to the loopback interface unless told otherwise, since HCI has no authentication at all.
/// ```swift
/// let server = try HCIServer(host: "127.0.0.1", port: 0, on: loop) { transport in world.attach(transport) }
/// print("listening 127.0.0.1:\(server.port)")
/// ```
public final class HCIServer: Sendable {
    /// The port that it listens on; that of the system's choice when 0 was asked for. 0 for Unix sockets.
    public let port: UInt16
    private let descriptor: Int32
    private let loop: ThreadLoop
    private let path: String?
    private let isClosed = Mutex(false)
    private let count = Mutex(0)
    private let slots = ConnectionSlots()

    /// Connections at one time; more are closed as they come.
    public static let maximumConnections = 64
    /// How long nobody is taken when the process has no descriptor left.
    static let pause: Duration = .milliseconds(100)

    /// Listens on a TCP port, 0 for any. `host` is a numeric address or `localhost`.
    ///
    /// - Throws: `invalidArgument`, `unauthorized` (a low port), `adapterBusy` (in use).
    public convenience init(
        host: String = "127.0.0.1", port: UInt16, on loop: ThreadLoop,
        accepted: @escaping @Sendable (StreamTransport) -> Void
    ) throws(HostError) {
        let numeric = host == "localhost" ? "127.0.0.1" : host
        guard let address = SocketAddress(numeric, port) else {
            throw HostError(.invalidArgument, "listening on \(host):\(port)", detail: "\(host) is no numeric address")
        }
        try self.init(address, "\(host):\(port)", nil, loop, accepted)
    }

    /// Listens on a Unix socket. A socket that nobody listens on any more is replaced.
    ///
    /// - Throws: `invalidArgument`, `unauthorized`, `adapterBusy` (in use).
    public convenience init(
        path: String, on loop: ThreadLoop, accepted: @escaping @Sendable (StreamTransport) -> Void
    ) throws(HostError) {
        guard let address = SocketAddress(unix: path) else {
            throw HostError(.invalidArgument, "listening on \(path)", detail: "the path is too long for a socket")
        }
        Self.removeStale(path, address)
        try self.init(address, path, path, loop, accepted)
    }

    private init(
        _ address: SocketAddress, _ name: String, _ path: String?, _ loop: ThreadLoop,
        _ accepted: @escaping @Sendable (StreamTransport) -> Void
    ) throws(HostError) {
        let descriptor = address.makeSocket()
        guard descriptor >= 0 else { throw Self.error(name, errno) }
        var one: Int32 = 1
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard address.bind(descriptor) == 0, listen(descriptor, 64) == 0 else {
            let number = errno
            Glibc.close(descriptor)
            throw Self.error(name, number)
        }
        self.descriptor = descriptor
        self.loop = loop
        self.path = path
        port = SocketAddress(of: descriptor)?.port ?? 0
        loop.watch(descriptor, for: .readable) { [weak self] _ in self?.accept(accepted) }
    }

    deinit { close() }

    /// Stops listening. Accepted connections stay.
    public func close() {
        let wasOpen = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard wasOpen else { return }
        loop.unwatch(descriptor)
        Glibc.close(descriptor)
        if let path { unlink(path) }
    }

    // MARK: - private

    private func accept(_ accepted: @Sendable (StreamTransport) -> Void) {
        for _ in 0..<16 {
            let connection = Glibc.accept(descriptor, nil, nil)
            guard connection >= 0 else {
                // Whoever waits makes the socket readable still: without a pause the loop would do nothing else.
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { rest() }
                return
            }
            guard let slot = slots.take() else {
                Glibc.close(connection)
                continue
            }
            _ = fcntl(connection, F_SETFL, O_NONBLOCK)
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            if path == nil { SocketAddress.setNoDelay(connection) }
            let number = count.withLock { count in
                count += 1
                return count
            }
            accepted(StreamTransport(name: "connection \(number)", origin: .descriptor(connection), slot: slot))
        }
    }

    private func rest() {
        loop.change(descriptor, to: [])
        _ = loop.schedule(at: loop.now + Self.pause) { [weak self] in
            guard let self else { return }
            // Closed, the number may belong to somebody else.
            isClosed.withLock { isClosed in if !isClosed { self.loop.change(self.descriptor, to: .readable) } }
        }
    }

    private static func error(_ name: String, _ number: Int32) -> HostError {
        let code: HostError.Code =
            switch number {
            case EADDRINUSE: .adapterBusy
            case EACCES, EPERM: .unauthorized
            default: .noAdapter
            }
        let hint = number == EADDRINUSE ? "; choose another port, or 0 for any" : ""
        return HostError(code, "listening on \(name)", system: number, detail: SystemError.text(number) + hint)
    }

    /// Only ever removes a socket: what else is there stays, and the path counts as in use.
    private static func removeStale(_ path: String, _ address: SocketAddress) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let probe = address.makeSocket()
        guard probe >= 0 else { return }
        if address.connect(probe) != 0, errno == ECONNREFUSED { unlink(path) }
        Glibc.close(probe)
    }
}

/// Counts connections that are open.
final class ConnectionSlots: Sendable {
    /// One connection; gives its place back when it goes.
    final class Slot: Sendable {
        private let slots: ConnectionSlots

        fileprivate init(_ slots: ConnectionSlots) { self.slots = slots }

        deinit { slots.count.withLock { $0 -= 1 } }
    }

    private let count = Mutex(0)

    /// Nil when all are taken.
    func take() -> Slot? {
        let isFree = count.withLock { count in
            guard count < HCIServer.maximumConnections else { return false }
            count += 1
            return true
        }
        return isFree ? Slot(self) : nil
    }
}
