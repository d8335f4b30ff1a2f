// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanStack
import Foundation
import Synchronization

/// A bond file that one run of the program holds at a time: a run that saves would undo what another one saved.
///
/// The file is locked from ``claim()`` on when it is there, else from the first save on, so that runs without bonds leave no trace.
final class ProgramBondStore: BondStore {
    private enum Hold: Sendable {
        case none, held(Int32), lost
    }

    /// Where the bonds are.
    let path: String
    private let file: FileBondStore
    private let hold = Mutex(Hold.none)

    init(path: String, adapter: String) {
        self.path = path
        file = FileBondStore(path: path, adapter: adapter)
    }

    deinit { release() }

    /// False when another run has the bonds.
    func claim() -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return true }
        return lock()
    }

    /// Lets other runs have the bonds. Nothing is saved any more.
    func release() {
        hold.withLock { hold in
            if case .held(let descriptor) = hold {
                // Not by closing alone: a process that is being started has a copy of the descriptor for a moment.
                flock(descriptor, LOCK_UN)
                close(descriptor)
            }
            hold = .none
        }
    }

    func load() throws(BondStoreError) -> BondDatabase { try file.load() }

    /// The last ``load()`` found the file damaged, and took the one before.
    var isRecovered: Bool { file.isRecovered }

    /// Ends when everything that was saved is on the disk.
    func flush() async { await file.flush() }

    func save(_ database: BondDatabase, completion: @escaping @Sendable (BondStoreError?) -> Void) {
        let wasThere = FileManager.default.fileExists(atPath: path)
        let isFirst = hold.withLock { hold in
            if case .none = hold { true } else { false }
        }
        // Somebody made the file since this run began without one.
        if isFirst, wasThere { hold.withLock { $0 = .lost } }
        if isFirst, !wasThere, !lock() { hold.withLock { $0 = .lost } }
        let isLost = hold.withLock { hold in
            if case .lost = hold { true } else { false }
        }
        if isLost { return completion(BondStoreError(.unwritable, path, system: EBUSY)) }
        file.save(database, completion: completion)
    }

    /// Saves and waits for it.
    func saveNow(_ database: BondDatabase) async throws(CommandError) {
        let failure = await withCheckedContinuation { continuation in
            save(database) { continuation.resume(returning: $0) }
        }
        guard let failure else { return }
        let reason = failure.system.map { ": " + String(cString: strerror($0)) } ?? ""
        throw CommandError(.cannotWrite, "\(path): the bonds could not be saved\(reason)")
    }

    private func lock() -> Bool {
        hold.withLock { hold in
            if case .held = hold { return true }
            let folder = (path as NSString).deletingLastPathComponent
            if !folder.isEmpty {
                try? FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            // Where no lock can be made the file itself will tell whether it can be written.
            guard descriptor >= 0 else { return true }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                return false
            }
            hold = .held(descriptor)
            return true
        }
    }
}
