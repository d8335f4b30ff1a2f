// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// The boards of RedBearLab: BLE Shield, Blend, Blend Micro, BLE Mini, BLE Nano. All speak one serial-like service.
///
/// ```swift
/// let board = try await RedBearBoard(connecting: found)
/// for try await frame in board.sliders() { print(frame.normalized) }
/// ```
public enum RedBear {
    /// The serial service; boards advertise it.
    public static let service: BluetoothUUID = "713D0000-503E-4C75-BA94-3148F18D941E"
    /// The maker's name (first firmware only).
    public static let vendor: BluetoothUUID = "713D0001-503E-4C75-BA94-3148F18D941E"
    /// What the board sends: notifications of at most 20 octets.
    public static let fromBoard: BluetoothUUID = "713D0002-503E-4C75-BA94-3148F18D941E"
    /// What the board takes: writes of at most 20 octets.
    public static let toBoard: BluetoothUUID = "713D0003-503E-4C75-BA94-3148F18D941E"
    /// Tells the board that a value was received (first firmware only).
    public static let reset: BluetoothUUID = "713D0004-503E-4C75-BA94-3148F18D941E"
    /// The version of the board's library (first firmware only).
    public static let version: BluetoothUUID = "713D0005-503E-4C75-BA94-3148F18D941E"

    /// Octets in a packet at most.
    public static let packetSize = 20

    /// The packets in which octets travel to the board.
    public static func packets(of bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: packetSize).map {
            Array(bytes[$0..<min($0 + packetSize, bytes.count)])
        }
    }

    /// Switches a light of the first tutorial's sketch: its number, then 1 or 0.
    public static func light(_ number: UInt8, isOn: Bool) -> [UInt8] { [number, isOn ? 1 : 0] }

    /// A colour for the BLE_RGB sketch.
    public static func color(red: UInt8, green: UInt8, blue: UInt8) -> [UInt8] { [red, green, blue] }
}

/// Why something about a Red Bear board cannot be done.
public struct RedBearError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, in terms a program can act on. New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Storage: String, Sendable { case notRedBear, link, invalidParameter, noAnswer, cancelled }
        private let storage: Storage

        /// The device has no serial service of RedBearLab.
        public static let notRedBear = Self(storage: .notRedBear)
        /// The link failed; `cause` says how.
        public static let link = Self(storage: .link)
        /// A parameter is out of range; nothing was sent.
        public static let invalidParameter = Self(storage: .invalidParameter)
        /// The board did not answer in time.
        public static let noAnswer = Self(storage: .noAnswer)
        /// The task was cancelled.
        public static let cancelled = Self(storage: .cancelled)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// What is wrong.
    public var code: Code
    /// What happened, for people.
    public var detail: String
    /// The error behind it, if there is one.
    public var cause: (any Error)?

    /// An error with its explanation.
    public init(_ code: Code, _ detail: String, cause: (any Error)? = nil) {
        self.code = code
        self.detail = detail
        self.cause = cause
    }

    /// The explanation.
    public var description: String { detail }
}
