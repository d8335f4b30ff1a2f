// SPDX-License-Identifier: Apache-2.0

/// What a user wants from a device, before a driver knows it.
public struct SourceOptions: Hashable, Sendable {
    /// The channels by name or by number from 1, as the driver counts them; empty for what the driver thinks best.
    public var channels: [String]
    /// Samples per second; nil for what the driver thinks best.
    public var rate: Double?
    /// How long to try to get a lost link back; nil ends the source when the link is lost.
    public var reconnectTimeout: Duration?
    /// The time for each step of opening.
    public var timeout: Duration
    /// Settings of the driver's own, by name.
    public var settings: [String: String]

    /// By default the driver decides, and a lost link ends the source.
    public init(
        channels: [String] = [], rate: Double? = nil, reconnectTimeout: Duration? = nil,
        timeout: Duration = .seconds(10),
        settings: [String: String] = [:]
    ) {
        self.channels = channels
        self.rate = rate
        self.reconnectTimeout = reconnectTimeout
        self.timeout = timeout
        self.settings = settings
    }
}

/// Why a driver cannot do what it was asked to.
public struct SensingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in terms a program can act on. New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Storage: String, Sendable { case invalidOption, unsupported }
        private let storage: Storage

        /// An option that the driver does not know or that is out of range.
        public static let invalidOption = Self(storage: .invalidOption)
        /// The device or the driver cannot do it.
        public static let unsupported = Self(storage: .unsupported)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// What is wrong.
    public var code: Code
    /// What is wrong with which option and what to try, for people.
    public var detail: String

    /// An error with its explanation.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The explanation.
    public var description: String { detail }
}
