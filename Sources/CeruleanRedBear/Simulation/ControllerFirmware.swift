// SPDX-License-Identifier: Apache-2.0

/// The BLEController sketch on an Arduino Uno: twenty pins, of which the shield and the serial line take eight.
public struct ControllerFirmware: SketchFirmware {
    /// Pins of an Uno, its analog inputs being 14 to 19.
    public static let pinCount = 20

    private typealias Mode = ControllerProtocol.Mode

    private struct Pin {
        var mode = ControllerProtocol.Mode.input
        /// What the pin sees from outside; open inputs are high.
        var level = 1
        var analog = 0
        /// What was set: level of an output, PWM value, angle.
        var setting: UInt8 = 0
        /// The level that was reported last.
        var reported = 0
    }

    private var pins = [Pin](repeating: Pin(), count: Self.pinCount)
    private var buffer = ReceiveBuffer()
    private var isConnected = true
    private var reports = false
    private var digitalCounter = 0
    private var analogCounter = 0
    private var actions: [PinAction] = []

    /// A board just switched on.
    public init() {}

    /// What a pin of an Uno with the shield can do.
    public static func capabilities(of pin: Int) -> ControllerProtocol.Capabilities {
        switch pin {
        case 2, 4, 7: [.digital, .servo]
        case 3, 5, 6: [.digital, .pwm, .servo]
        case 14...19: [.digital, .analog]
        default: []
        }
    }

    /// Octets arrive.
    public mutating func receive(_ bytes: [UInt8]) { buffer.append(bytes) }
    /// The link came up or went down.
    public mutating func setConnected(_ isConnected: Bool) { self.isConnected = isConnected }
    /// The level of a pin changed from outside.
    public mutating func setDigital(pin: Int, _ level: Int) {
        if pins.indices.contains(pin) { pins[pin].level = level == 0 ? 0 : 1 }
    }
    /// The reading of a pin changed.
    public mutating func setAnalog(pin: Int, _ reading: Int) {
        if pins.indices.contains(pin) { pins[pin].analog = min(max(reading, 0), 1023) }
    }
    /// What was done to pins since this was asked last.
    public mutating func takeActions() -> [PinAction] {
        defer { actions = [] }
        return actions
    }

    /// One pass of the main loop.
    public mutating func pass() -> [[UInt8]] {
        var messages: [[UInt8]] = perform()
        if reports, let report = nextReport() { messages.append(report) }
        if !isConnected { reports = false }
        return Self.packets(of: messages)
    }

    // MARK: - Private

    /// Messages never straddle packets.
    private static func packets(of messages: [[UInt8]]) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        for message in messages {
            if let last = packets.indices.last, packets[last].count + message.count <= RedBear.packetSize {
                packets[last] += message
            } else {
                packets.append(message)
            }
        }
        return packets
    }

    /// One command each pass, if it is there as a whole.
    private mutating func perform() -> [[UInt8]] {
        guard let opcode = buffer.first else { return [] }
        switch opcode {
        case 0x56:
            _ = buffer.take(1)
            return [[0x56, 0, 0, 1]]
        case 0x43:
            _ = buffer.take(1)
            return [[0x43, UInt8(Self.pinCount)]]
        case 0x41:
            _ = buffer.take(1)
            reports = true
            return inventory()
        case 0x50, 0x4D, 0x47:
            guard let bytes = buffer.take(2) else { return [] }
            return query(opcode, Int(bytes[1]))
        case 0x53, 0x54, 0x4E, 0x4F:
            guard let bytes = buffer.take(3) else { return [] }
            return set(opcode, Int(bytes[1]), bytes[2])
        default:
            // Custom data is for other sketches, and so is what is not known.
            _ = buffer.take(buffer.count)
            return []
        }
    }

    private func inventory() -> [[UInt8]] {
        var messages: [[UInt8]] = []
        for pin in pins.indices {
            messages.append(capability(pin))
            if pins[pin].mode != .analog { messages.append(value(pin)) }
        }
        return messages + [Array("ZABC".utf8)]
    }

    private func capability(_ pin: Int) -> [UInt8] { [0x50, UInt8(pin), Self.capabilities(of: pin).rawValue] }

    private func value(_ pin: Int) -> [UInt8] {
        let state = pins[pin]
        let value = state.mode == .input ? UInt8(state.level) : state.setting
        return [0x47, UInt8(pin), state.mode.rawValue, value]
    }

    private func query(_ opcode: UInt8, _ pin: Int) -> [[UInt8]] {
        guard pins.indices.contains(pin) else { return [] }
        switch opcode {
        case 0x50: return [capability(pin)]
        case 0x4D: return [[0x4D, UInt8(pin), pins[pin].mode.rawValue]]
        default: return pins[pin].mode == .analog ? [analogReport(pin)] : [value(pin)]
        }
    }

    private mutating func set(_ opcode: UInt8, _ pin: Int, _ argument: UInt8) -> [[UInt8]] {
        guard pins.indices.contains(pin) else { return [] }
        switch opcode {
        case 0x53: return setMode(pin, ControllerProtocol.Mode(rawValue: argument))
        case 0x54:
            pins[pin].setting = argument == 0 ? 0 : 1
            actions.append(.digital(pin: UInt8(pin), pins[pin].setting))
        case 0x4E:
            pins[pin].setting = argument
            actions.append(.pwm(pin: UInt8(pin), argument))
        default:
            pins[pin].setting = argument
            actions.append(.servo(argument))
        }
        return [value(pin)]
    }

    /// Another mode resets the value; the present one only answers.
    private mutating func setMode(_ pin: Int, _ mode: ControllerProtocol.Mode) -> [[UInt8]] {
        guard [.input, .output, .analog, .pwm, .servo].contains(mode) else { return [] }
        if pins[pin].mode != mode {
            pins[pin].mode = mode
            pins[pin].setting = 0
            if mode == .output { actions.append(.digital(pin: UInt8(pin), 0)) }
            if mode == .pwm { actions.append(.pwm(pin: UInt8(pin), 0)) }
        }
        return mode == .analog ? [] : [value(pin)]
    }

    private func analogReport(_ pin: Int) -> [UInt8] {
        let reading = pins[pin].analog
        return [0x47, UInt8(pin), UInt8(reading >> 8) << 4 | Mode.analog.rawValue, UInt8(reading & 0xFF)]
    }

    /// One digital input for each pass; only where it has nothing to tell, one analog pin.
    private mutating func nextReport() -> [UInt8]? {
        let pin = digitalCounter
        digitalCounter = (digitalCounter + 1) % Self.pinCount
        if pins[pin].mode == .input, Self.capabilities(of: pin).contains(.digital),
            pins[pin].level != pins[pin].reported
        {
            pins[pin].reported = pins[pin].level
            return value(pin)
        }
        let analog = analogCounter
        analogCounter = (analogCounter + 1) % Self.pinCount
        return pins[analog].mode == .analog ? analogReport(analog) : nil
    }
}
