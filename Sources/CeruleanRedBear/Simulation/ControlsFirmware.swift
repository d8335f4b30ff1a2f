// SPDX-License-Identifier: Apache-2.0

/// What a sketch does to its pins.
public enum PinAction: Hashable, Sendable, CustomStringConvertible {
    /// A digital output was written, 0 or 1.
    case digital(pin: UInt8, UInt8)
    /// A PWM output was written.
    case pwm(pin: UInt8, UInt8)
    /// A servo was turned, in degrees.
    case servo(UInt8)

    /// In the words of the vectors: `digital 2=1`, `pwm 3=128`, `servo 90`.
    public var description: String {
        switch self {
        case .digital(let pin, let value): "digital \(pin)=\(value)"
        case .pwm(let pin, let value): "pwm \(pin)=\(value)"
        case .servo(let degrees): "servo \(degrees)"
        }
    }
}

/// A sketch on a simulated board: octets in, passes of its main loop, packets out.
public protocol SketchFirmware: Sendable {
    /// Octets arrive; beyond 64 waiting ones they are dropped, as by the board's buffer.
    mutating func receive(_ bytes: [UInt8])
    /// One pass of the main loop: the packets that it sends.
    mutating func pass() -> [[UInt8]]
    /// The link came up or went down.
    mutating func setConnected(_ isConnected: Bool)
    /// The level of a digital pin changed from outside.
    mutating func setDigital(pin: Int, _ level: Int)
    /// The reading of an analog pin changed.
    mutating func setAnalog(pin: Int, _ reading: Int)
    /// What it did to its pins since this was asked last.
    mutating func takeActions() -> [PinAction]
}

/// The board's receive buffer.
struct ReceiveBuffer: Sendable {
    private var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func append(_ more: [UInt8]) { bytes += more.prefix(max(0, 64 - bytes.count)) }

    /// The next octets, if so many are there.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard bytes.count >= count else { return nil }
        defer { bytes.removeFirst(count) }
        return Array(bytes.prefix(count))
    }

    var first: UInt8? { bytes.first }
}

/// The SimpleControls sketch: output at pin 2, PWM at 3, servo at 5, digital input at A4 (18), analog input at A5 (19).
public struct ControlsFirmware: SketchFirmware {
    private var buffer = ReceiveBuffer()
    private var isConnected = true
    private var reportsAnalog = false
    private var input = 1
    private var lastInput = 0
    private var analog = 0
    private var actions: [PinAction] = []

    /// A board just switched on.
    public init() {}

    /// Octets arrive.
    public mutating func receive(_ bytes: [UInt8]) { buffer.append(bytes) }
    /// The link came up or went down.
    public mutating func setConnected(_ isConnected: Bool) { self.isConnected = isConnected }
    /// The level of a pin changed from outside.
    public mutating func setDigital(pin: Int, _ level: Int) { if pin == 18 { input = level == 0 ? 0 : 1 } }
    /// The reading of a pin changed.
    public mutating func setAnalog(pin: Int, _ reading: Int) {
        if pin == 19 { analog = min(max(reading, 0), 1023) }
    }
    /// What was done to pins since this was asked last.
    public mutating func takeActions() -> [PinAction] {
        defer { actions = [] }
        return actions
    }

    /// One pass of the main loop.
    public mutating func pass() -> [[UInt8]] {
        while let command = buffer.take(3) { perform(command[0], command[1]) }
        var output: [UInt8] = []
        if reportsAnalog { output += [0x0B, UInt8(analog >> 8), UInt8(analog & 0xFF)] }
        if input != lastInput {
            lastInput = input
            output += [0x0A, UInt8(input), 0]
        }
        if !isConnected, reportsAnalog || isOutputOn {
            reportsAnalog = false
            write(0)
        }
        return RedBear.packets(of: output)
    }

    private var isOutputOn = false

    private mutating func perform(_ opcode: UInt8, _ argument: UInt8) {
        switch opcode {
        case 0x01: write(argument == 1 ? 1 : 0)
        case 0x02: actions.append(.pwm(pin: 3, argument))
        case 0x03: actions.append(.servo(argument))
        case 0x04:
            reportsAnalog = false
            actions += [.servo(0), .pwm(pin: 3, 0)]
            write(0)
        case 0xA0: reportsAnalog = argument == 1
        default: break
        }
    }

    private mutating func write(_ level: UInt8) {
        isOutputOn = level == 1
        actions.append(.digital(pin: 2, level))
    }
}
