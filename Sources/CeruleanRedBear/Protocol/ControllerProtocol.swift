// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// The protocol of RedBearLab's BLEController sketch ("RBL protocol"): every pin of an Arduino by its number.
public enum ControllerProtocol {
    /// How a pin is used. An open set.
    public struct Mode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number on the air.
        public let rawValue: UInt8
        /// A mode by number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Digital input with a pull-up: open reads 1.
        public static let input = Self(rawValue: 0)
        /// Digital output.
        public static let output = Self(rawValue: 1)
        /// Analog input.
        public static let analog = Self(rawValue: 2)
        /// Pulse-width modulation.
        public static let pwm = Self(rawValue: 3)
        /// A servo.
        public static let servo = Self(rawValue: 4)
        /// The pin cannot be used.
        public static let unavailable = Self(rawValue: 0xFF)

        /// The name, else the number.
        public var description: String {
            switch self {
            case .input: "input"
            case .output: "output"
            case .analog: "analog"
            case .pwm: "pwm"
            case .servo: "servo"
            case .unavailable: "unavailable"
            default: "mode \(rawValue)"
            }
        }
    }

    /// What a pin can do.
    public struct Capabilities: OptionSet, Hashable, Sendable {
        /// The bits on the air.
        public let rawValue: UInt8
        /// Capabilities by their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Digital input and output.
        public static let digital = Self(rawValue: 0x01)
        /// Analog input.
        public static let analog = Self(rawValue: 0x02)
        /// Pulse-width modulation.
        public static let pwm = Self(rawValue: 0x04)
        /// Servo.
        public static let servo = Self(rawValue: 0x08)
        /// The I²C bus.
        public static let i2c = Self(rawValue: 0x10)

        /// The names of the known bits, in their order.
        public var names: [String] {
            let all: [(Self, String)] = [
                (.digital, "digital"), (.analog, "analog"), (.pwm, "pwm"), (.servo, "servo"), (.i2c, "i2c"),
            ]
            return all.filter { contains($0.0) }.map(\.1)
        }
    }

    /// What a phone asks for.
    public enum Command: Hashable, Sendable {
        /// Which version.
        case queryVersion
        /// How many pins.
        case queryPinCount
        /// What a pin can do.
        case queryCapability(pin: UInt8)
        /// How a pin is used.
        case queryMode(pin: UInt8)
        /// Uses a pin in another way.
        case setMode(pin: UInt8, Mode)
        /// The level of a pin.
        case digitalRead(pin: UInt8)
        /// Sets the level of a pin, 0 or 1.
        case digitalWrite(pin: UInt8, UInt8)
        /// Sets a PWM value.
        case analogWrite(pin: UInt8, UInt8)
        /// Turns a servo, in degrees.
        case servoWrite(pin: UInt8, UInt8)
        /// Everything about all pins; starts the reports.
        case queryAll
        /// Octets for a sketch of one's own; at most 17, so that the command fits into a packet.
        case custom([UInt8])

        /// The octets of the command. Custom data beyond 255 octets is cut.
        public var encoded: [UInt8] {
            switch self {
            case .queryVersion: [0x56]
            case .queryPinCount: [0x43]
            case .queryCapability(let pin): [0x50, pin]
            case .queryMode(let pin): [0x4D, pin]
            case .setMode(let pin, let mode): [0x53, pin, mode.rawValue]
            case .digitalRead(let pin): [0x47, pin]
            case .digitalWrite(let pin, let value): [0x54, pin, value]
            case .analogWrite(let pin, let value): [0x4E, pin, value]
            case .servoWrite(let pin, let value): [0x4F, pin, value]
            case .queryAll: [0x41]
            case .custom(let data): [0x5A, UInt8(min(data.count, 255))] + data.prefix(255)
            }
        }
    }

    /// What the board answers or reports.
    public enum Message: Hashable, Sendable {
        /// The version of the sketch.
        case version(major: UInt8, minor: UInt8, patch: UInt8)
        /// How many pins there are.
        case pinCount(UInt8)
        /// What a pin can do.
        case capabilities(pin: UInt8, Capabilities)
        /// How a pin is used.
        case mode(pin: UInt8, Mode)
        /// How a pin is used, and its value: a level, an analog reading of up to twelve bits, a PWM value or an angle.
        case value(pin: UInt8, Mode, UInt16)
        /// Octets of a sketch of one's own.
        case custom([UInt8])
        /// An octet that begins no known message.
        case unknown(UInt8)

        /// The message under the names that `decode` uses.
        public var fields: FieldValue {
            switch self {
            case .version(let major, let minor, let patch): ["version": .text("\(major).\(minor).\(patch)")]
            case .pinCount(let count): ["pinCount": FieldValue(integer: count)]
            case .capabilities(let pin, let known):
                ["pin": FieldValue(integer: pin), "capabilities": .list(known.names.map { .text($0) })]
            case .mode(let pin, let mode):
                ["pin": FieldValue(integer: pin), "mode": FieldValue(integer: mode.rawValue)]
            case .value(let pin, let mode, let value):
                [
                    "pin": FieldValue(integer: pin), "mode": FieldValue(integer: mode.rawValue),
                    "value": FieldValue(integer: value),
                ]
            case .custom(let data): ["custom": .bytes(data)]
            case .unknown(let byte): ["unknown": FieldValue(integer: byte)]
            }
        }
    }

    /// Reads the messages of a packet. Custom data takes the rest; `truncatedAt` is where the last message lacks
    /// octets.
    public static func parse(_ bytes: [UInt8]) -> (messages: [Message], truncatedAt: Int?) {
        var messages: [Message] = []
        var start = 0
        while start < bytes.count {
            let size: Int
            switch bytes[start] {
            case 0x56, 0x47: size = 4
            case 0x43: size = 2
            case 0x50, 0x4D: size = 3
            case 0x5A: size = bytes.count - start
            default: size = 1
            }
            guard bytes.count - start >= size else { return (messages, start) }
            let part = Array(bytes[start..<start + size])
            switch part[0] {
            case 0x56: messages.append(.version(major: part[1], minor: part[2], patch: part[3]))
            case 0x43: messages.append(.pinCount(part[1]))
            case 0x50: messages.append(.capabilities(pin: part[1], Capabilities(rawValue: part[2])))
            case 0x4D: messages.append(.mode(pin: part[1], Mode(rawValue: part[2])))
            case 0x47: messages.append(value(pin: part[1], part[2], part[3]))
            case 0x5A: messages.append(.custom(Array(part.dropFirst())))
            default: messages.append(.unknown(part[0]))
            }
            start += size
        }
        return (messages, nil)
    }

    /// Bits 8 to 11 of an analog reading stand in the upper half of the mode.
    private static func value(pin: UInt8, _ mode: UInt8, _ low: UInt8) -> Message {
        guard mode & 0x0F == Mode.analog.rawValue else {
            return .value(pin: pin, Mode(rawValue: mode), UInt16(low))
        }
        return .value(pin: pin, .analog, UInt16(mode >> 4) << 8 | UInt16(low))
    }
}
