// SPDX-License-Identifier: Apache-2.0

/// Why a recording cannot be written or read.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in terms a program can act on. New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Storage: String, Sendable {
            case fileExists, diskFull, cannotWrite, cannotRead, unsupported, badData
        }
        private let storage: Storage

        /// There is a file of this name; it was not touched.
        public static let fileExists = Self(storage: .fileExists)
        /// No room is left, or no more may be used. What was written before is complete.
        public static let diskFull = Self(storage: .diskFull)
        /// The file cannot be created or written.
        public static let cannotWrite = Self(storage: .cannotWrite)
        /// The file cannot be opened or read.
        public static let cannotRead = Self(storage: .cannotRead)
        /// The format cannot hold these samples.
        public static let unsupported = Self(storage: .unsupported)
        /// The file does not hold what its format says.
        public static let badData = Self(storage: .badData)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// What is wrong.
    public var code: Code
    /// The file; nil for the standard output.
    public var path: String?
    /// The operating system's error number.
    public var system: Int32?
    /// Octets from the start of the file to what is wrong in it.
    public var offset: Int?
    /// What happened and what to try, for people.
    public var detail: String

    /// Describes a failure.
    public init(_ code: Code, path: String?, system: Int32? = nil, offset: Int? = nil, detail: String) {
        self.code = code
        self.path = path
        self.system = system
        self.offset = offset
        self.detail = detail
    }

    /// The file, what happened, and where.
    public var description: String {
        (path.map { "\($0): " } ?? (code == .unsupported ? "" : "standard output: ")) + detail
            + (offset.map { " at offset \($0)" } ?? "")
    }
}
