// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Octets from and to a file descriptor, for bridges. Reading and writing wait on queues of their own for the descriptor or
/// for ``stop()``, whichever comes first; nothing asks again and again.
final class ByteChannel: Sendable {
    /// What programs open, or connect to.
    let title: String
    private let input: Int32
    private let output: Int32
    /// The programs' side of a pseudo terminal, kept open: without it, the terminal ends with the first program.
    private let terminal: Int32?
    private let owns: Bool
    private let readQueue = DispatchQueue(label: "cerulean.bytes.in")
    private let writeQueue = DispatchQueue(label: "cerulean.bytes.out")
    private let wake: WakePipe

    /// A channel over descriptors; with `owns` they are closed with it.
    init(title: String, input: Int32, output: Int32, terminal: Int32? = nil, owns: Bool) throws(CommandError) {
        self.title = title
        self.input = input
        self.output = output
        self.terminal = terminal
        self.owns = owns
        wake = try WakePipe()
        if owns { _ = fcntl(output, F_SETFL, fcntl(output, F_GETFL) | O_NONBLOCK) }
    }

    deinit {
        guard owns else { return }
        _ = SystemCall.close(input)
        if let terminal { _ = SystemCall.close(terminal) }
    }

    /// Standard input and output.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/internal`` when the process has no descriptor left.
    static func standard() throws(CommandError) -> ByteChannel {
        try ByteChannel(title: "-", input: 0, output: 1, owns: false)
    }

    /// A new pseudo terminal that passes octets unchanged; `title` is the path that other programs open, one after the other.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/cannotWrite``.
    static func pseudoTerminal() throws(CommandError) -> ByteChannel {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0, let path = unlockedTerminal(of: master) else {
            throw CommandError(.cannotWrite, "no pseudo terminal: \(String(cString: strerror(errno)))")
        }
        let terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else {
            let reason = String(cString: strerror(errno))
            _ = SystemCall.close(master)
            throw CommandError(.cannotWrite, "\(path): \(reason)")
        }
        var settings = termios()
        if unsafe tcgetattr(terminal, &settings) == 0 {
            unsafe cfmakeraw(&settings)
            _ = unsafe tcsetattr(terminal, TCSANOW, &settings)
        }
        return try ByteChannel(title: path, input: master, output: master, terminal: terminal, owns: true)
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

    /// Octets that are there, at most 4096; nil at the end, after ``stop()``, and when the task is cancelled.
    func read() async -> [UInt8]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                readQueue.async { [self] in continuation.resume(returning: blockingRead()) }
            }
        } onCancel: {
            stop()
        }
    }

    /// Writes octets, as fast as the other side takes them; false when it is gone, after ``stop()``, and when the task is
    /// cancelled. What waits in a pseudo terminal that nobody reads is given up for what is newer.
    func write(_ bytes: [UInt8]) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                writeQueue.async { [self] in continuation.resume(returning: blockingWrite(bytes)) }
            }
        } onCancel: {
            stop()
        }
    }

    /// Ends what waits, and what is asked for later.
    func stop() { wake.wake() }

    private func blockingRead() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while wake.wait(for: input, POLLIN) == .ready {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe SystemCall.read(input, $0.baseAddress, $0.count)
            }
            if count > 0 { return Array(buffer[..<count]) }
            if count == 0 || ![EINTR, EAGAIN].contains(errno) { return nil }
        }
        return nil
    }

    private func blockingWrite(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while start < bytes.count {
            switch wake.wait(for: output, POLLOUT, milliseconds: terminal == nil ? -1 : 0) {
            case .stopped: return false
            case .silent:
                // Nobody reads the terminal: its buffer is full of what is old.
                if let terminal { _ = tcflush(terminal, TCIFLUSH) }
            case .ready:
                let count = unsafe bytes[start...].withUnsafeBytes {
                    unsafe SystemCall.write(output, $0.baseAddress, $0.count)
                }
                if count > 0 { start += count } else if count < 0, ![EINTR, EAGAIN].contains(errno) { return false }
            }
        }
        return true
    }
}

/// Wakes a thread that waits for a descriptor.
final class WakePipe: Sendable {
    /// Why a wait ended.
    enum Outcome: Hashable { case ready, silent, stopped }

    private let ends: (read: Int32, write: Int32)

    /// - Throws: ``CommandError`` with ``ExitCode/internal`` when the process has no descriptor left.
    init() throws(CommandError) {
        var pair: [Int32] = [-1, -1]
        guard unsafe pipe(&pair) == 0 else {
            throw CommandError(.internal, "no pipe: \(String(cString: strerror(errno)))")
        }
        ends = (pair[0], pair[1])
        for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        _ = SystemCall.close(ends.read)
        _ = SystemCall.close(ends.write)
    }

    /// Ends the wait that is going on and every later one.
    func wake() {
        let byte: UInt8 = 1
        _ = unsafe withUnsafeBytes(of: byte) { unsafe SystemCall.write(ends.write, $0.baseAddress, 1) }
    }

    /// Waits until the descriptor is ready, or has ended; -1 milliseconds without limit.
    func wait(for descriptor: Int32, _ events: Int32, milliseconds: Int32 = -1) -> Outcome {
        var waits = [
            pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
        ]
        while true {
            let count = unsafe poll(&waits, 2, milliseconds)
            if count < 0, errno == EINTR { continue }
            if count < 0 || waits[0].revents != 0 { return .stopped }
            return waits[1].revents != 0 ? .ready : .silent
        }
    }
}

/// The calls whose names others have too.
enum SystemCall {
    static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.read(descriptor, buffer, count)
        #else
        unsafe Darwin.read(descriptor, buffer, count)
        #endif
    }

    static func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.write(descriptor, buffer, count)
        #else
        unsafe Darwin.write(descriptor, buffer, count)
        #endif
    }

    static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.close(descriptor)
        #else
        Darwin.close(descriptor)
        #endif
    }
}
