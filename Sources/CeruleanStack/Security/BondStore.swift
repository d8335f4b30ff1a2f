// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where a host keeps its bonds between runs.
///
/// A host loads once, when it starts, and saves the whole database after each change. Both may be called from any thread.
public protocol BondStore: Sendable {
    /// What was saved last; an empty database if nothing ever was.
    func load() throws(BondStoreError) -> BondDatabase
    /// Saves the database in place of the last one. Saves take effect in the order of the calls; `completion` is called once,
    /// from any thread, perhaps before the method returns, when the database is safe, or with what went wrong.
    func save(_ database: BondDatabase, completion: @escaping @Sendable (BondStoreError?) -> Void)
}

/// Why bonds could not be loaded or saved.
public struct BondStoreError: Error, Hashable, Sendable {
    /// What went wrong. New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Storage: String, Sendable { case unreadable, unwritable, damaged, foreignAdapter, unknownVersion }
        private let storage: Storage
        private init(_ storage: Storage) { self.storage = storage }
        /// The system does not let us read it.
        public static let unreadable = Self(.unreadable)
        /// The system does not let us write it.
        public static let unwritable = Self(.unwritable)
        /// What was read is no bond database.
        public static let damaged = Self(.damaged)
        /// The bonds belong to another adapter (row H20).
        public static let foreignAdapter = Self(.foreignAdapter)
        /// A later version wrote it.
        public static let unknownVersion = Self(.unknownVersion)
        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// What went wrong.
    public var code: Code
    /// Where, for people.
    public var location: String
    /// The operating system's error number.
    public var system: Int32?

    /// Describes a failure.
    public init(_ code: Code, _ location: String = "", system: Int32? = nil) {
        self.code = code
        self.location = location
        self.system = system
    }
}

/// Keeps bonds as long as the process lives.
public final class MemoryBondStore: BondStore {
    private let database: Mutex<BondDatabase>

    /// A store that holds `database` already.
    public init(_ database: BondDatabase = BondDatabase()) { self.database = Mutex(database) }

    /// What was saved last.
    public func load() throws(BondStoreError) -> BondDatabase { database.withLock { $0 } }

    /// Saves at once.
    public func save(_ database: BondDatabase, completion: @escaping @Sendable (BondStoreError?) -> Void) {
        self.database.withLock { $0 = database }
        completion(nil)
    }
}
