// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A file that did not exist before and is written from its beginning.
///
/// What cannot be written whole is taken back: the file ends with the last part that was kept.
final class NewFile: Sendable {
    private struct State {
        var length: off_t = 0
        var failure: CommandError?
    }

    private let path: String
    private let descriptor: Int32
    private let state = Mutex(State())

    /// Creates the file. One that exists is never overwritten.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/cannotWrite``.
    init(_ path: String) throws(CommandError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.error(path, errno) }
    }

    deinit { close(descriptor) }

    /// What could not be written, if anything could not.
    var failure: CommandError? { state.withLock { $0.failure } }

    /// Appends `bytes` whole or not at all. After a failure nothing more is written.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/cannotWrite``, at the first failure and from then on.
    func write(_ bytes: [UInt8]) throws(CommandError) {
        let failure = state.withLock { state -> CommandError? in
            if let failure = state.failure { return failure }
            var written = 0
            while written < bytes.count {
                let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    let failure = Self.error(path, errno)
                    ftruncate(descriptor, state.length)
                    state.failure = failure
                    return failure
                }
                written += count
            }
            state.length += off_t(bytes.count)
            return nil
        }
        if let failure { throw failure }
    }

    /// Takes the file away again.
    func remove() { unlink(path) }

    private static func error(_ path: String, _ code: Int32) -> CommandError {
        let reason =
            switch code {
            case EEXIST: "the file exists and is never overwritten"
            case ENOSPC, EDQUOT, EFBIG: "no room is left on the disk"
            default: String(cString: strerror(code))
            }
        return CommandError(.cannotWrite, "\(path): \(reason)")
    }
}
