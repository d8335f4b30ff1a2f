// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Keys of the terminal one by one, without waiting for a line. The terminal is as before when the last reference goes.
final class KeyInput: Sendable {
    /// How the terminal was; kept here too for a process that ends at once.
    private static let saved = Mutex<termios?>(nil)

    private let source = Mutex<(any DispatchSourceRead)?>(nil)
    private let continuation: AsyncStream<Key>.Continuation
    /// The keys in order; of more than 256 that nobody reads the oldest are dropped.
    let keys: AsyncStream<Key>

    /// Nil where standard input is no terminal, or belongs to a program in front.
    init?() {
        guard isatty(0) == 1, tcgetpgrp(0) == getpgrp() else { return nil }
        var settings = termios()
        guard unsafe tcgetattr(0, &settings) == 0 else { return nil }
        let before = settings
        Self.saved.withLock { $0 = before }
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard unsafe tcsetattr(0, TCSANOW, &settings) == 0 else { return nil }
        (keys, continuation) = AsyncStream.makeStream(of: Key.self, bufferingPolicy: .bufferingNewest(256))
        source.withLock { source in
            let new = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .global())
            new.setEventHandler { [weak self] in self?.readKeys() }
            new.resume()
            source = new
        }
    }

    deinit {
        close()
        Self.restore()
    }

    private func readKeys() {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(0, $0.baseAddress, $0.count) }
        guard count > 0 else { return close() }
        for key in Self.keys(in: bytes[..<count]) { continuation.yield(key) }
    }

    private func close() {
        source.withLock { source in
            source?.cancel()
            source = nil
        }
        continuation.finish()
    }

    /// Makes the terminal as it was before. Harmless when it is.
    static func restore() {
        saved.withLock { saved in
            if var settings = saved { _ = unsafe tcsetattr(0, TCSANOW, &settings) }
            saved = nil
        }
    }

    /// The keys that some octets stand for. Sequences that are not known count as nothing.
    static func keys(in bytes: ArraySlice<UInt8>) -> [Key] {
        var keys: [Key] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case 0x0A, 0x0D: keys.append(.enter)
            case 0x7F, 0x08: keys.append(.backspace)
            case 0x1B where rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O"):
                rest.removeFirst()
                let end = rest.firstIndex { (0x40...0x7E).contains($0) }
                switch end.map({ rest[$0] }) {
                case UInt8(ascii: "A"): keys.append(.up)
                case UInt8(ascii: "B"): keys.append(.down)
                default: break
                }
                rest = end.map { rest[($0 + 1)...] } ?? []
            case 0x1B: keys.append(.escape)
            case 0x20...0x7E: keys.append(.character(Character(UnicodeScalar(byte))))
            default: break
            }
        }
        return keys
    }
}
