// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Octets from and to a file descriptor, for bridges: reads wait on a queue of their own, so that nothing else does.
final class ByteChannel: Sendable {
    /// What programs open, or connect to.
    let title: String
    private let input: Int32
    private let output: Int32
    private let owns: Bool
    private let queue = DispatchQueue(label: "cerulean.bytes")
    private let isClosed = Mutex(false)

    /// A channel over descriptors.
    init(title: String, input: Int32, output: Int32, owns: Bool) {
        self.title = title
        self.input = input
        self.output = output
        self.owns = owns
    }

    deinit { if owns { _ = Self.close(input) } }

    /// Standard input and output.
    static var standard: ByteChannel { ByteChannel(title: "-", input: 0, output: 1, owns: false) }

    /// A new pseudo terminal that passes octets unchanged; `title` is the path that other programs open.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/cannotWrite``.
    static func pseudoTerminal() throws(CommandError) -> ByteChannel {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        guard master >= 0, let path = unlockedTerminal(of: master) else {
            throw CommandError(.cannotWrite, "no pseudo terminal: \(String(cString: strerror(errno)))")
        }
        var settings = termios()
        if unsafe tcgetattr(master, &settings) == 0 {
            unsafe cfmakeraw(&settings)
            _ = unsafe tcsetattr(master, TCSANOW, &settings)
        }
        return ByteChannel(title: path, input: master, output: master, owns: true)
    }

    /// Lets others open the terminal; its path.
    private static func unlockedTerminal(of master: Int32) -> String? {
        #if canImport(Glibc)
        // TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h.
        var unlocked: Int32 = 0
        var number: UInt32 = 0
        guard unsafe ioctl(master, 0x4004_5431, &unlocked) == 0, unsafe ioctl(master, 0x8004_5430, &number) == 0 else {
            return nil
        }
        return "/dev/pts/\(number)"
        #else
        guard grantpt(master) == 0, unlockpt(master) == 0, let name = unsafe ptsname(master) else { return nil }
        return unsafe String(cString: name)
        #endif
    }

    /// Octets that are there, at most 4096; nil at the end, and when the task is cancelled. A pseudo terminal that
    /// nobody has open
    /// waits for the next program.
    func read() async -> [UInt8]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { [self] in continuation.resume(returning: blockingRead()) }
            }
        } onCancel: {
            stop()
        }
    }

    /// Ends what waits.
    func stop() { isClosed.withLock { $0 = true } }

    private func blockingRead() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !isClosed.withLock({ $0 }) {
            var wait = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&wait, 1, 100)
            if ready < 0, errno != EINTR { return nil }
            guard ready > 0 else { continue }
            if wait.revents & Int16(POLLIN) == 0 {
                // Nobody has the other side open.
                guard title.hasPrefix("/dev/") else { return nil }
                usleep(100_000)
                continue
            }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Self.read(input, $0.baseAddress, $0.count) }
            if count > 0 { return Array(buffer[..<count]) }
            if count == 0 { return nil }
            if errno == EIO, title.hasPrefix("/dev/") {
                usleep(100_000)
            } else if errno != EINTR, errno != EAGAIN {
                return nil
            }
        }
        return nil
    }

    /// Writes octets; false when the other side is gone. Waits at most a second for a reader that is slow; then they
    /// are dropped.
    func write(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while start < bytes.count {
            var wait = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&wait, 1, 1000) > 0, wait.revents & Int16(POLLOUT) != 0 else {
                return title.hasPrefix("/dev/")
            }
            let count = unsafe bytes[start...].withUnsafeBytes { unsafe Self.write(output, $0.baseAddress, $0.count) }
            if count > 0 { start += count } else if count < 0, errno != EINTR, errno != EAGAIN { return false }
        }
        return true
    }

    private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.read(descriptor, buffer, count)
        #else
        unsafe Darwin.read(descriptor, buffer, count)
        #endif
    }

    private static func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.write(descriptor, buffer, count)
        #else
        unsafe Darwin.write(descriptor, buffer, count)
        #endif
    }

    fileprivate static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.close(descriptor)
        #else
        Darwin.close(descriptor)
        #endif
    }
}

/// Accepts one TCP connection after the other, on an IPv4 address.
final class ByteListener: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "cerulean.listen")
    private let isClosed = Mutex(false)
    /// The port, also when 0 was asked for.
    let port: UInt16
    /// The address.
    let host: String

    /// Listens at `HOST:PORT`, by default on the loopback address.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` or ``ExitCode/noAdapter``.
    init(_ text: String) throws(CommandError) {
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
            _ = ByteChannel.close(made)
            throw CommandError(.noAdapter, "cannot listen at \(text): \(reason)")
        }
        descriptor = made
        port = UInt16(bigEndian: address.sin_port)
        self.host = host
    }

    deinit { _ = ByteChannel.close(descriptor) }

    /// The next connection; nil when the task is cancelled.
    func accept() async -> ByteChannel? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { [self] in continuation.resume(returning: blockingAccept()) }
            }
        } onCancel: {
            isClosed.withLock { $0 = true }
        }
    }

    private func blockingAccept() -> ByteChannel? {
        while !isClosed.withLock({ $0 }) {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&wait, 1, 100) > 0 else { continue }
            let connection = Self.acceptConnection(descriptor)
            guard connection >= 0 else { continue }
            return ByteChannel(title: "\(host):\(port)", input: connection, output: connection, owns: true)
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
