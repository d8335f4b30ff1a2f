// SPDX-License-Identifier: Apache-2.0

public import Cerulean

/// Why a call was refused, or an answer of the board not accepted.
public struct BITalinoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in terms a program can act on. New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Storage: String, Sendable {
            case invalidParameter, notIdle, notAcquiring, unsupportedVersion, badAnswer, noAnswer, notBITalino, link,
                cancelled
        }
        private let storage: Storage

        /// An argument is out of range; nothing was sent.
        public static let invalidParameter = Self(storage: .invalidParameter)
        /// Not while the board acquires; nothing was sent.
        public static let notIdle = Self(storage: .notIdle)
        /// Only while the board acquires; nothing was sent.
        public static let notAcquiring = Self(storage: .notAcquiring)
        /// This generation of boards cannot do it; nothing was sent.
        public static let unsupportedVersion = Self(storage: .unsupportedVersion)
        /// The board's answer is damaged.
        public static let badAnswer = Self(storage: .badAnswer)
        /// The board did not answer in time.
        public static let noAnswer = Self(storage: .noAnswer)
        /// The device lacks the service or characteristics of a BITalino.
        public static let notBITalino = Self(storage: .notBITalino)

        /// The link or the adapter failed; ``BITalinoError/cause`` says how.
        public static let link = Self(storage: .link)
        /// The caller's task was cancelled.
        public static let cancelled = Self(storage: .cancelled)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// What is wrong.
    public var code: Code
    /// What was wrong with which argument and what to try, for people.
    public var detail: String
    /// The error of the layer below, if it was the link that failed.
    public var cause: BluetoothError?

    /// An error with its explanation.
    public init(_ code: Code, _ detail: String, cause: BluetoothError? = nil) {
        self.code = code
        self.detail = detail
        self.cause = cause
    }

    /// What went wrong below.
    public init(_ cause: BluetoothError) {
        self.init(cause.code == .cancelled ? .cancelled : .link, cause.description, cause: cause)
    }

    /// The explanation.
    public var description: String { detail }
}
