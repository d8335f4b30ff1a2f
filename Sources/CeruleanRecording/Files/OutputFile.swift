// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where a recording goes.
public enum RecordingDestination: Hashable, Sendable {
    /// A new file. A file that exists is never overwritten.
    case file(String)
    /// A file to which a recording is added as one more session; it may exist. For formats that hold several.
    case addition(String)
    /// The standard output.
    case standardOutput
    /// Programs that listen, by the name of the stream.
    case network(String)

    /// The path of a file.
    public var path: String? {
        switch self {
        case .file(let path), .addition(let path): path
        case .standardOutput, .network: nil
        }
    }
}

/// A file that only grows. Each write reaches the operating system at once, so that nothing is lost when the process is
/// killed; once in a while, and at the end, the disk is asked to keep it.
final class OutputFile {
    let destination: RecordingDestination
    private var descriptor: Int32
    /// Octets written, up to the end of the last piece.
    private var length: off_t = 0
    private var unsynced = 0

    /// Octets after which the disk is asked to keep what was written.
    private static let syncInterval = 4 << 20

    /// - Throws: ``RecordingError`` `.fileExists` or `.cannotWrite`.
    init(_ destination: RecordingDestination) throws(RecordingError) {
        self.destination = destination
        switch destination {
        case .standardOutput: descriptor = dup(STDOUT_FILENO)
        case .file(let path):
            descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        case .addition, .network:
            throw RecordingError(
                .unsupported, path: destination.path, detail: "this format writes new files; only sqlite adds to a file"
            )
        }
        if descriptor < 0 {
            let code = errno
            if code == EEXIST {
                throw RecordingError(
                    .fileExists, path: destination.path, system: code,
                    detail: "the file exists and is never overwritten; choose another name or directory")
            }
            throw Self.failure(destination, "cannot be created", code)
        }
    }

    /// Appends to what exists, for tests with devices.
    init(appendingTo path: String) throws(RecordingError) {
        destination = .file(path)
        descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        if descriptor < 0 { throw Self.failure(destination, "cannot be opened", errno) }
    }

    deinit { if descriptor >= 0 { _ = Self.closeDescriptor(descriptor) } }

    /// Appends lines of text; if the disk is full, as many whole lines as find room stay in the file.
    ///
    /// - Throws: ``RecordingError`` `.diskFull` or `.cannotWrite`.
    func write(_ bytes: [UInt8]) throws(RecordingError) {
        guard descriptor >= 0 else {
            throw RecordingError(.cannotWrite, path: destination.path, detail: "the file is closed")
        }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                Self.writeDescriptor(descriptor, raw.baseAddress.map { $0 + done }, raw.count - done)
            }
            if count > 0 {
                done += count
                continue
            }
            let code = errno
            if count < 0, code == EINTR { continue }
            if done > 0, case .file = destination {
                let whole = bytes[..<done].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
                _ = ftruncate(descriptor, length + off_t(whole))
            }
            throw Self.failure(destination, "cannot be written", code)
        }
        length += off_t(bytes.count)
        unsynced += bytes.count
        if unsynced >= Self.syncInterval { try sync() }
    }

    /// Asks the disk to keep everything, and closes.
    ///
    /// - Throws: ``RecordingError`` if the system says that something was not kept.
    func close() throws(RecordingError) {
        guard descriptor >= 0 else { return }
        let kept = Result { () throws(RecordingError) in try sync() }
        let result = Self.closeDescriptor(descriptor)
        let code = errno
        descriptor = -1
        try kept.get()
        if result != 0, code != EINTR { throw Self.failure(destination, "cannot be closed", code) }
    }

    // MARK: - Private

    /// What the system could not keep, as delayed allocation on a full disk, is said only here. Some files cannot be
    /// synced.
    private func sync() throws(RecordingError) {
        unsynced = 0
        guard case .file = destination, fsync(descriptor) != 0 else { return }
        let code = errno
        if code == EINVAL || code == EROFS || code == ENOTSUP || code == EINTR { return }
        throw Self.failure(destination, "cannot be kept", code)
    }

    static func failure(
        _ destination: RecordingDestination, _ what: String, _ code: Int32 = errno
    ) -> RecordingError {
        if code == ENOSPC || code == EDQUOT || code == EFBIG {
            return RecordingError(
                .diskFull, path: destination.path, system: code,
                detail: "no room is left (\(String(cString: strerror(code)))); what was recorded before is in the file")
        }
        return RecordingError(
            .cannotWrite, path: destination.path, system: code, detail: "\(what): \(String(cString: strerror(code)))")
    }

    private static func writeDescriptor(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes, count)
        #else
        Darwin.write(descriptor, bytes, count)
        #endif
    }

    static func closeDescriptor(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.close(descriptor)
        #elseif canImport(Musl)
        Musl.close(descriptor)
        #else
        Darwin.close(descriptor)
        #endif
    }
}
