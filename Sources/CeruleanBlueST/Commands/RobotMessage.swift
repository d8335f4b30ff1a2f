// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// A command to a robot, or its answer: the octets of ``Feature/roboticsMovement``. One source only; experimental.
/// bluest.md §8.2.
///
/// ```swift
/// let answer = try await node.ask(.readTopology)
/// print(answer.topology ?? [])
/// try await node.send(.move(.forward, speed: 40))
/// ```
public struct RobotMessage: Hashable, Sendable, CustomStringConvertible {
    /// What it is about. Others may exist.
    public struct Command: RawRepresentable, Hashable, Sendable {
        /// The number.
        public let rawValue: UInt8
        /// A command by its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the robot can do.
        public static let topology = Self(rawValue: 0x10)
        /// How it finds its way.
        public static let navigationMode = Self(rawValue: 0x21)
        /// Where its coordinates begin.
        public static let origin = Self(rawValue: 0x22)
        /// Where it is.
        public static let coordinate = Self(rawValue: 0x23)
        /// The power of its wheels.
        public static let motorPower = Self(rawValue: 0x24)
        /// A movement.
        public static let move = Self(rawValue: 0x25)
        /// A movement of more parts.
        public static let articulatedMove = Self(rawValue: 0x26)
    }

    /// What shall be done, or what became of it.
    public enum Action: Hashable, Sendable {
        /// Sets a value.
        case write
        /// Asks for a value.
        case read
        /// Asks for a value again and again; 0 ends that, 1 to 8 are 0.1 to 20 s, from 9 on minutes.
        case periodicRead(UInt8)
        /// The robot did it.
        case acknowledged
        /// The robot did not: see ``RobotMessage/Failure``.
        case failed(Failure)
        /// A number without a known meaning.
        case other(UInt8)

        /// The action of an octet.
        public init(_ octet: UInt8) {
            switch octet {
            case 0x10: self = .write
            case 0x20: self = .read
            case 0x40...0x4F: self = .periodicRead(octet & 0x0F)
            case 0x80: self = .acknowledged
            case 0xF0...0xFF: self = .failed(Failure(rawValue: octet & 0x0F))
            default: self = .other(octet)
            }
        }

        /// The octet.
        public var octet: UInt8 {
            switch self {
            case .write: 0x10
            case .read: 0x20
            case .periodicRead(let period): 0x40 | period & 0x0F
            case .acknowledged: 0x80
            case .failed(let failure): 0xF0 | failure.rawValue & 0x0F
            case .other(let octet): octet
            }
        }
    }

    /// Why a robot did not do something.
    public struct Failure: RawRepresentable, Error, Hashable, Sendable, CustomStringConvertible {
        /// The number, 0 to 15.
        public let rawValue: UInt8
        /// A failure by its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        private static let texts = [
            "general error", "command not supported", "not expected now", "not allowed", "wrong parameters",
            "out of range", "internal error", "fault of a subsystem", "a subsystem does not answer",
            "authentication required",
        ]

        /// The failure in words.
        public var description: String {
            Int(rawValue) < Self.texts.count ? Self.texts[Int(rawValue)] : "unknown error \(rawValue)"
        }
    }

    /// What a robot can do.
    public struct Topology: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt32
        /// Abilities by their bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        private static let texts = [
            "remoteControlDifferential", "remoteControlSteering", "remoteControlMecanum", "reserved", "odometry",
            "imu", "absoluteSpeed", "arm", "attachment", "autoDocking", "wirelessCharging",
            "obstacleDetectionForward", "obstacleDetectionMultidirectional", "alarm", "headlights", "warningLights",
        ]

        /// The abilities by name, lowest bit first.
        public var names: [String] { Self.texts.indices.filter { rawValue >> $0 & 1 == 1 }.map { Self.texts[$0] } }
    }

    /// How a robot finds its way.
    public enum NavigationMode: UInt8, Hashable, Sendable, CaseIterable {
        /// It stands.
        case lock
        /// Commands drive it.
        case drive
        /// It drives by itself.
        case autopilot
        /// It follows somebody.
        case followMe
    }

    /// Where to move.
    public enum Direction: UInt8, Hashable, Sendable, CaseIterable {
        /// Ahead.
        case forward = 0x46
        /// Back.
        case backward = 0x42
        /// To the left.
        case left = 0x4C
        /// To the right.
        case right = 0x52
        /// Stand.
        case stop = 0x53
    }

    /// What it is about.
    public var command: Command
    /// What shall be done, or was.
    public var action: Action
    /// What belongs to it.
    public var data: [UInt8]

    /// A message.
    public init(_ command: Command, _ action: Action, _ data: [UInt8] = []) {
        self.command = command
        self.action = action
        self.data = data
    }

    /// Reads a message.
    ///
    /// - Throws: ``FeatureError`` with `truncated` for less than two octets.
    public init(decoding bytes: [UInt8]) throws(FeatureError) {
        guard bytes.count >= 2 else {
            throw FeatureError(.truncated, feature: "roboticsMovement", needed: 2, available: bytes.count)
        }
        self.init(Command(rawValue: bytes[0]), Action(bytes[1]), Array(bytes[2...]))
    }

    /// The message in a sample of ``Feature/roboticsMovement``; nil for samples of other features.
    public init?(_ sample: FeatureSample) {
        guard sample.feature === Feature.roboticsMovement, let command = sample[0].flatMap({ UInt8(exactly: $0) }),
            let action = sample[1].flatMap({ UInt8(exactly: $0) })
        else { return nil }
        self.init(Command(rawValue: command), Action(action), sample.values.bytes)
    }

    /// The octets.
    public var encoded: [UInt8] { [command.rawValue, action.octet] + data }

    /// The abilities that an answer to ``readTopology`` tells; nil for other messages.
    public var topology: Topology? {
        guard command == .topology, data.count >= 4 else { return nil }
        return Topology(rawValue: data[..<4].reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The message in words.
    public var description: String {
        let rest = data.isEmpty ? "" : " " + Hex.encode(data)
        return "command \(BlueSTAdvertisement.hex(UInt32(command.rawValue), 2)) \(action)\(rest)"
    }
}

/// What robots are told.
extension RobotMessage {
    /// What can you do?
    public static let readTopology = Self(.topology, .read)

    /// Sets how the robot finds its way; an armed one moves.
    public static func navigation(_ mode: NavigationMode, isArmed: Bool) -> Self {
        Self(.navigationMode, .write, [mode.rawValue, isArmed ? 1 : 0, 0])
    }

    /// Sets where coordinates begin.
    public static func origin(x: Int8, y: Int8, theta: Int8) -> Self {
        Self(.origin, .write, [x, y, theta, 0].map { UInt8(bitPattern: $0) })
    }

    /// Sends the robot to a place.
    public static func coordinate(x: Int8, y: Int8, theta: Int8, interval: UInt8 = 0) -> Self {
        Self(.coordinate, .write, [x, y, theta].map { UInt8(bitPattern: $0) } + [interval, 0])
    }

    /// Sets the power of both wheels, each with its mode.
    public static func motorPower(left: (mode: UInt8, power: UInt8), right: (mode: UInt8, power: UInt8)) -> Self {
        Self(.motorPower, .write, [left.mode, left.power, right.mode, right.power, 0])
    }

    /// Moves the robot.
    public static func move(_ direction: Direction, speed: UInt8, angle: Int8 = 0) -> Self {
        Self(.move, .write, [direction.rawValue, speed, UInt8(bitPattern: angle), 0])
    }

    /// Moves the parts of a robot.
    public static func articulatedMove(speed: UInt8, rotation: Int8, inclination: Int8) -> Self {
        Self(.articulatedMove, .write, [speed, UInt8(bitPattern: rotation), UInt8(bitPattern: inclination), 0])
    }
}
