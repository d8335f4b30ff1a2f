// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// What a source of samples has to say.
public enum SampleEvent: Sendable {
    /// Samples.
    case block(SampleBlock)
    /// Something that happened at a moment: a key, a button, a trigger.
    case marker(Marker)
    /// The link is down; the source tries to get it back.
    case connectionLost(String)
    /// The link is back. The next block begins with the gap.
    case connectionResumed
    /// Nothing follows. Always the last event.
    case ended(EndReason)
}

/// Something that happened at a moment of a recording.
public struct Marker: Hashable, Sendable {
    /// What happened, for people.
    public var text: String
    /// The index of the next sample when it happened.
    public var index: Int
    /// When it happened, on the host's clock.
    public var hostTime: MonotonicTime

    /// Describes a marker.
    public init(text: String, index: Int, hostTime: MonotonicTime) {
        self.text = text
        self.index = index
        self.hostTime = hostTime
    }
}

/// Why a source or a recording ended.
public struct EndReason: Sendable, CustomStringConvertible {
    /// What ended it, in terms a program can act on. New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Storage: String, Sendable { case finished, stopped, connectionLost, failed }
        private let storage: Storage
        private init(_ storage: Storage) { self.storage = storage }

        /// Everything wanted is there.
        public static let finished = Self(.finished)
        /// The user stopped it.
        public static let stopped = Self(.stopped)
        /// The link went down and did not come back.
        public static let connectionLost = Self(.connectionLost)
        /// Something else went wrong.
        public static let failed = Self(.failed)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// What ended it.
    public var code: Code
    /// The error behind it, if there is one.
    public var error: (any Error)?

    /// A reason, with the error behind it.
    public init(_ code: Code, error: (any Error)? = nil) {
        self.code = code
        self.error = error
    }

    /// The name of the code, and the error.
    public var description: String { error.map { "\(code): \($0)" } ?? code.description }
}
