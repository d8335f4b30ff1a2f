// SPDX-License-Identifier: Apache-2.0

public import CeruleanStack
import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps the bonds of one adapter in a file that only its owner may read.
///
/// A save writes beside the file, waits until the disk has it, and takes its place in one step: whatever happens meanwhile, a
/// whole database is there, the old one or the new one. The one before stays beside it as `<name>.previous` and is taken when the
/// file itself was damaged later; then ``isRecovered`` says so, and the next save puts the damaged file aside as `<name>.damaged`.
///
/// The file belongs to a name that the host gives to its adapter, not to the address that the adapter claims: a dongle that pretends
/// to be another one does not get its keys.
/// ```swift
/// var configuration = StackConfiguration()
/// configuration.bonds = FileBondStore(path: "/var/lib/sensors/bonds", adapter: "front door")
/// let central = try await Central(.hci(0, configuration: configuration))
/// ```
public final class FileBondStore: BondStore {
    /// Where the file is.
    public let path: String
    /// The name of the adapter.
    public let adapter: String

    private struct State {
        var waiting: (database: BondDatabase, completions: [@Sendable (BondStoreError?) -> Void])?
        var isWriting = false
        var isRecovered = false
    }

    private let queue = DispatchQueue(label: "cerulean.bonds")
    private let state = Mutex(State())

    /// A store in a file; its directory is made when it is missing, readable by its owner alone.
    public init(path: String, adapter: String) {
        self.path = path
        self.adapter = adapter
    }

    /// The last ``load()`` found the file damaged, and took the one before.
    public var isRecovered: Bool { state.withLock { $0.isRecovered } }

    /// Reads the file; an empty database when there is none.
    ///
    /// - Throws: `BondStoreError` with `unreadable`, `damaged`, `unknownVersion`, or `foreignAdapter` when the file belongs to
    ///   another name.
    public func load() throws(BondStoreError) -> BondDatabase {
        try queue.sync { Result { () throws(BondStoreError) in try read() } }.get()
    }

    /// Ends when everything that was saved before the call is on the disk, or has failed.
    public func flush() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }

    /// Saves on a thread of its own. Saves that wait for one that is being written are joined.
    public func save(_ database: BondDatabase, completion: @escaping @Sendable (BondStoreError?) -> Void) {
        let isFirst = state.withLock { state in
            state.waiting = (database, (state.waiting?.completions ?? []) + [completion])
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst { queue.async { [self] in writeWaiting() } }
    }

    // MARK: - Private

    private func writeWaiting() {
        while true {
            let next = state.withLock { state in
                defer { state.waiting = nil }
                if state.waiting == nil { state.isWriting = false }
                return state.waiting
            }
            guard let next else { return }
            var failure: BondStoreError?
            do throws(BondStoreError) {
                try write(next.database)
            } catch {
                failure = error
            }
            for completion in next.completions { completion(failure) }
        }
    }

    private func read() throws(BondStoreError) -> BondDatabase {
        state.withLock { $0.isRecovered = false }
        do throws(BondStoreError) {
            return try read(path) ?? BondDatabase()
        } catch {
            guard error.code == .damaged, case .some(.some(let previous)) = try? read(path + ".previous") else {
                throw error
            }
            state.withLock { $0.isRecovered = true }
            return previous
        }
    }

    /// Nil when there is no such file.
    private func read(_ path: String) throws(BondStoreError) -> BondDatabase? {
        guard let octets = try Self.contents(path) else { return nil }
        let file: BondFile
        do {
            file = try BondFile(octets)
        } catch {
            throw BondStoreError(error.code, path)
        }
        guard file.adapter == adapter else { throw BondStoreError(.foreignAdapter, path) }
        return file.database
    }

    private func write(_ database: BondDatabase) throws(BondStoreError) {
        guard let octets = try? BondFile(adapter: adapter, database: database).encoded() else {
            throw BondStoreError(.unwritable, path)
        }
        // What belongs to somebody else is never written over.
        let present = try Self.contents(path)
        let file = present.flatMap { try? BondFile($0) }
        if let file, file.adapter != adapter { throw BondStoreError(.foreignAdapter, path) }
        let isDamaged = present != nil && file == nil
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        Self.makeDirectory(directory)
        let fresh = path + ".new"
        _ = unlink(fresh)
        let output = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw BondStoreError(.unwritable, fresh, system: errno) }
        var isDone = Self.writeAll(octets, to: output) && fchmod(output, 0o600) == 0 && fsync(output) == 0
        let reason = errno
        isDone = close(output) == 0 && isDone
        guard isDone else {
            _ = unlink(fresh)
            throw BondStoreError(.unwritable, fresh, system: reason)
        }
        // The file of before stays under another name; without one this fails, and that is fine.
        let aside = path + (isDamaged ? ".damaged" : ".previous")
        _ = unlink(aside)
        _ = link(path, aside)
        guard rename(fresh, path) == 0 else { throw BondStoreError(.unwritable, path, system: errno) }
        let folder = open(directory.isEmpty ? "/" : directory, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = fsync(folder)
        _ = close(folder)
    }

    /// Nil when there is no such file.
    private static func contents(_ path: String) throws(BondStoreError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw BondStoreError(.unreadable, path, system: errno)
        }
        defer { _ = close(file) }
        var octets: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while octets.count <= BondFile.maximumSize {
            let count = unsafe part.withUnsafeMutableBytes { unsafe Self.read(file, into: $0) }
            if count == 0 { return octets }
            guard count > 0 else { throw BondStoreError(.unreadable, path, system: errno) }
            octets += part[..<count]
        }
        throw BondStoreError(.damaged, path)
    }

    private static func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            #if canImport(Glibc)
            let count = unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
            let count = unsafe Musl.read(file, buffer.baseAddress, buffer.count)
            #else
            let count = unsafe Darwin.read(file, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private static func writeAll(_ octets: [UInt8], to file: Int32) -> Bool {
        var sent = 0
        while sent < octets.count {
            let count = octets[sent...].withUnsafeBytes { part in
                #if canImport(Glibc)
                unsafe Glibc.write(file, part.baseAddress, part.count)
                #elseif canImport(Musl)
                unsafe Musl.write(file, part.baseAddress, part.count)
                #else
                unsafe Darwin.write(file, part.baseAddress, part.count)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private static func makeDirectory(_ path: String) {
        guard !path.isEmpty, path != "/", path != "." else { return }
        if mkdir(path, 0o700) == 0 || errno != ENOENT { return }
        if let slash = path.lastIndex(of: "/") { makeDirectory(String(path[..<slash])) }
        _ = mkdir(path, 0o700)
    }
}
