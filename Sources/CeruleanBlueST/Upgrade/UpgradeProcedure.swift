// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// A way of bringing an image into a board: pure, the owner performs its actions.
///
/// The owner subscribes to ``subscriptions``, calls ``start(at:)`` and from then on reports what happens. It performs
/// the actions of each call in order, one write at a time.
public protocol UpgradeProcedure: Sendable {
    /// The characteristics whose notifications must be on before the start.
    var subscriptions: [UpgradeChannel] { get }
    /// How far it is.
    var progress: UpgradeProgress { get }
    /// When ``deadlineReached(at:)`` should be called next.
    var nextDeadline: MonotonicTime { get }
    /// Begins.
    mutating func start(at now: MonotonicTime) -> [UpgradeAction]
    /// A notification came, or a value that was read.
    mutating func received(_ bytes: [UInt8], from channel: UpgradeChannel, at now: MonotonicTime) -> [UpgradeAction]
    /// A write was acknowledged, or handed to the radio if it needs no acknowledgement.
    mutating func writeCompleted(at now: MonotonicTime) -> [UpgradeAction]
    /// The deadline has come.
    mutating func deadlineReached(at now: MonotonicTime) -> [UpgradeAction]
    /// What tells the board that the rest will not come: for an upgrade that is ended while the link is there.
    mutating func abandon() -> [UpgradeAction]
    /// What an upgrade that does not reach its end leaves behind, and how to go on, for people.
    var remains: String { get }
}

extension UpgradeProcedure {
    /// Nothing is told.
    public mutating func abandon() -> [UpgradeAction] { [] }
    /// The board keeps what it runs.
    public var remains: String { "the board keeps its old firmware; start the upgrade again" }
}

/// The characteristics that upgrades use.
public enum UpgradeChannel: String, Hashable, Sendable {
    /// Console input and output.
    case terminal
    /// Console error output.
    case standardError
    /// BlueNRG: where the image may go.
    case blueNRGMemory
    /// BlueNRG: what will come.
    case blueNRGSettings
    /// BlueNRG: the image.
    case blueNRGData
    /// BlueNRG: what is expected next.
    case blueNRGAck
    /// STM32WB loader: control.
    case loaderControl
    /// STM32WB loader: what it is about to do.
    case loaderEvents
    /// STM32WB loader: the image.
    case loaderData

    /// The characteristic.
    public var uuid: BluetoothUUID {
        switch self {
        case .terminal: BlueSTUUID.terminal
        case .standardError: BlueSTUUID.standardError
        case .blueNRGMemory: BlueSTUUID.blueNRGMemory
        case .blueNRGSettings: BlueSTUUID.blueNRGSettings
        case .blueNRGData: BlueSTUUID.blueNRGData
        case .blueNRGAck: BlueSTUUID.blueNRGAck
        case .loaderControl: BlueSTUUID.loaderControl
        case .loaderEvents: BlueSTUUID.loaderEvents
        case .loaderData: BlueSTUUID.loaderData
        }
    }
}

/// What the owner of an upgrade does next.
public enum UpgradeAction: Hashable, Sendable {
    /// Writes, then reports the completion.
    case write([UInt8], to: UpgradeChannel, withResponse: Bool)
    /// Reads, then reports the value.
    case read(UpgradeChannel)
    /// The board has the image.
    case finished
    /// It did not work.
    case failed(UpgradeError)
}

/// How far an upgrade is.
public struct UpgradeProgress: Hashable, Sendable {
    /// Octets that the board has, as far as is known.
    public var sent: Int
    /// Octets of the image.
    public var total: Int

    /// From 0 to 1.
    public var fraction: Double { total > 0 ? min(1, Double(sent) / Double(total)) : 0 }

    /// Time that the rest will take at the speed until now; nil as long as that cannot be told.
    public func remaining(after elapsed: Duration) -> Duration? {
        guard sent > 0, total >= sent else { return nil }
        return elapsed * (Double(total - sent) / Double(sent))
    }
}

/// Why an upgrade did not work.
public struct UpgradeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, in terms a program can act on. New codes may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The file is no firmware image.
        public static let invalidImage = Self(rawValue: "invalidImage")
        /// The image is for another board.
        public static let wrongBoard = Self(rawValue: "wrongBoard")
        /// The image is larger than the board's memory is said to be: it was not sent.
        public static let tooLarge = Self(rawValue: "tooLarge")
        /// The board itself says that it has no room for the image.
        public static let noSpace = Self(rawValue: "noSpace")
        /// The board answered with another checksum, or rejected the image at the end.
        public static let corrupted = Self(rawValue: "corrupted")
        /// The board did not answer in time.
        public static let noAnswer = Self(rawValue: "noAnswer")
        /// Too many errors on the way.
        public static let transmission = Self(rawValue: "transmission")
        /// The board did not come back after the link was lost.
        public static let notBack = Self(rawValue: "notBack")
        /// The board cannot be upgraded in a way that is known.
        public static let unsupported = Self(rawValue: "unsupported")
        /// The user ended it.
        public static let aborted = Self(rawValue: "aborted")
    }

    /// What went wrong.
    public var code: Code
    /// What happened and what to do, for people.
    public var message: String

    /// Describes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
