// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// The three-octet commands of RedBearLab's SimpleControls sketch.
public enum SimpleControls {
    /// What a phone asks for.
    public enum Command: Hashable, Sendable {
        /// Switches the digital output, pin 2.
        case digital(Bool)
        /// Sets the PWM output, pin 3.
        case pwm(UInt8)
        /// Turns the servo at pin 5, in degrees from 0 to 180.
        case servo(UInt8)
        /// Everything off.
        case reset
        /// Switches the reports of the analog input, pin A5.
        case analogReports(Bool)

        /// The octets of the command.
        public var encoded: [UInt8] {
            switch self {
            case .digital(let isOn): [0x01, isOn ? 1 : 0, 0]
            case .pwm(let value): [0x02, value, 0]
            case .servo(let degrees): [0x03, degrees, 0]
            case .reset: [0x04, 0, 0]
            case .analogReports(let isOn): [0xA0, isOn ? 1 : 0, 0]
            }
        }
    }

    /// What the board reports.
    public enum Message: Hashable, Sendable {
        /// The digital input, pin A4, changed.
        case digital(Bool)
        /// A reading of the analog input, 0 to 1023.
        case analog(UInt16)
        /// Three octets that mean nothing known.
        case unknown([UInt8])

        /// The message under the names that `decode` uses.
        public var fields: FieldValue {
            switch self {
            case .digital(let isOn): ["digital": .bool(isOn)]
            case .analog(let value): ["analog": FieldValue(integer: value)]
            case .unknown(let bytes): ["unknown": .bytes(bytes)]
            }
        }
    }

    /// Reads messages one behind the other; an incomplete last one is `rest`.
    public static func decode(_ bytes: [UInt8]) -> (messages: [Message], rest: [UInt8]) {
        var messages: [Message] = []
        var start = 0
        while bytes.count - start >= 3 {
            switch bytes[start] {
            case 0x0A: messages.append(.digital(bytes[start + 1] == 1))
            case 0x0B: messages.append(.analog(UInt16(bytes[start + 1]) << 8 | UInt16(bytes[start + 2])))
            default: messages.append(.unknown(Array(bytes[start..<start + 3])))
            }
            start += 3
        }
        return (messages, Array(bytes[start...]))
    }
}
