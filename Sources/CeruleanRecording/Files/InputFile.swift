// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads whole files of bounded size.
enum InputFile {
    /// The first octets.
    ///
    /// - Throws: ``RecordingError`` `.cannotRead`.
    static func head(_ path: String, _ count: Int) throws(RecordingError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var bytes = [UInt8](repeating: 0, count: count)
        let got = descriptor < 0 ? -1 : bytes.withUnsafeMutableBytes { recv($0, from: descriptor) }
        let code = errno
        if descriptor >= 0 { close(descriptor) }
        guard got >= 0 else {
            throw RecordingError(
                .cannotRead, path: path, system: code, detail: "cannot be opened: \(String(cString: strerror(code)))")
        }
        return Array(bytes.prefix(got))
    }

    /// - Throws: ``RecordingError`` `.cannotRead`, or `.badData` if the file is larger than `limit` octets.
    static func read(_ path: String, limit: Int) throws(RecordingError) -> [UInt8] {
        func failure(_ what: String) -> RecordingError {
            let code = errno
            return RecordingError(
                .cannotRead, path: path, system: code, detail: "\(what): \(String(cString: strerror(code)))")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot be opened") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = chunk.withUnsafeMutableBytes { recv($0, from: descriptor) }
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("cannot be read")
            }
            guard bytes.count + count <= limit else {
                throw RecordingError(.badData, path: path, offset: limit, detail: "larger than \(limit) octets")
            }
            bytes += chunk[..<count]
        }
    }

    private static func recv(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
        #if canImport(Glibc)
        Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
        Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #else
        Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }
}
