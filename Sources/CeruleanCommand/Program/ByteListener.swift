// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Accepts one TCP connection after the other, on an IPv4 address.
final class ByteListener: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "cerulean.listen")
    private let wake: WakePipe
    /// The port, also when 0 was asked for.
    let port: UInt16
    /// The address.
    let host: String

    /// Listens at `HOST:PORT`, by default on the loopback address.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` or ``ExitCode/noAdapter``.
    init(_ text: String) throws(CommandError) {
        wake = try WakePipe()
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let host = parts.count == 2 && !parts[0].isEmpty ? String(parts[0]) : "127.0.0.1"
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        guard let number = UInt16(parts.last ?? ""), parts.count <= 2,
            unsafe inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &address.sin_addr) == 1
        else { throw .usage("--listen takes HOST:PORT with an IPv4 address, not '\(text)'") }
        address.sin_port = number.bigEndian
        #if canImport(Glibc)
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
        let made = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var yes: Int32 = 1
        _ = unsafe setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let done = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                unsafe bind(made, raw, length) == 0 && listen(made, 1) == 0
                    && getsockname(made, raw, &length) == 0
            }
        }
        guard done else {
            let reason = String(cString: strerror(errno))
            _ = SystemCall.close(made)
            throw CommandError(.noAdapter, "cannot listen at \(text): \(reason)")
        }
        descriptor = made
        port = UInt16(bigEndian: address.sin_port)
        self.host = host
    }

    deinit { _ = SystemCall.close(descriptor) }

    /// The next connection; nil when the task is cancelled.
    func accept() async -> ByteChannel? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { [self] in continuation.resume(returning: blockingAccept()) }
            }
        } onCancel: {
            wake.wake()
        }
    }

    private func blockingAccept() -> ByteChannel? {
        while wake.wait(for: descriptor, POLLIN) == .ready {
            let connection = Self.acceptConnection(descriptor)
            guard connection >= 0 else { continue }
            if let channel = try? ByteChannel(
                title: "\(host):\(port)", input: connection, output: connection, owns: true)
            {
                return channel
            }
            _ = SystemCall.close(connection)
        }
        return nil
    }

    private static func acceptConnection(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.accept(descriptor, nil, nil)
        #else
        unsafe Darwin.accept(descriptor, nil, nil)
        #endif
    }
}
