// SPDX-License-Identifier: Apache-2.0

/// A command to a feature. bluest.md §9.
///
/// ```swift
/// let command = FeatureCommand(mask: 0x0002_0000, id: 0x01)   // battery: get capacity
/// ```
public struct FeatureCommand: Hashable, Sendable {
    /// Octets of payload that fit the configuration characteristic.
    public static let payloadLimit = 15

    /// The single bit of the addressed feature.
    public var mask: UInt32
    /// What to do; its meaning is the feature's own.
    public var id: UInt8
    /// What it needs.
    public var payload: [UInt8]

    /// A command.
    public init(mask: UInt32, id: UInt8, payload: [UInt8] = []) {
        self.mask = mask
        self.id = id
        self.payload = payload
    }

    /// The octets for the configuration service: the mask, most significant octet first, then the command.
    public var forConfigurationService: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: mask >> (24 - 8 * UInt32($0))) } + forFeature
    }

    /// The octets for the feature's own characteristic: no mask. No answer is possible.
    public var forFeature: [UInt8] { [id] + payload }

    /// Reads what a host wrote into the configuration characteristic, as a simulated board does.
    ///
    /// - Throws: ``FeatureError`` with `truncated` for less than five octets.
    public init(decoding bytes: [UInt8]) throws(FeatureError) {
        guard bytes.count >= 5 else { throw FeatureError(.truncated, needed: 5, available: bytes.count) }
        self.init(
            mask: bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }, id: bytes[4], payload: Array(bytes[5...]))
    }
}

/// The answer to a command. bluest.md §9.
public struct CommandResponse: Hashable, Sendable {
    /// The board's time as it was sent.
    public var rawTimestamp: UInt16
    /// The bit of the feature that answers.
    public var mask: UInt32
    /// The command that is answered.
    public var id: UInt8
    /// The answer.
    public var payload: [UInt8]

    /// An answer, for a simulated board.
    public init(rawTimestamp: UInt16, mask: UInt32, id: UInt8, payload: [UInt8]) {
        self.rawTimestamp = rawTimestamp
        self.mask = mask
        self.id = id
        self.payload = payload
    }

    /// Reads an answer.
    ///
    /// - Throws: ``FeatureError`` with `truncated` for less than seven octets.
    public init(decoding bytes: [UInt8]) throws(FeatureError) {
        guard bytes.count >= 7 else { throw FeatureError(.truncated, needed: 7, available: bytes.count) }
        self.init(
            rawTimestamp: UInt16(bytes[0]) | UInt16(bytes[1]) << 8,
            mask: bytes[2..<6].reduce(0) { $0 << 8 | UInt32($1) }, id: bytes[6], payload: Array(bytes[7...]))
    }

    /// The octets, as a board sends them.
    public var encoded: [UInt8] {
        [UInt8(truncatingIfNeeded: rawTimestamp), UInt8(truncatingIfNeeded: rawTimestamp >> 8)]
            + (0..<4).map { UInt8(truncatingIfNeeded: mask >> (24 - 8 * UInt32($0))) } + [id] + payload
    }

    /// What an answer says, where it is known.
    public enum Meaning: Hashable, Sendable {
        /// The battery holds so many mAh.
        case batteryCapacity(Int)
        /// The board draws so many mA at most.
        case maxAbsorbedCurrent(Double)
        /// How far a calibration is, 0 to 100; 100 is done.
        case calibration(status: Int)
    }

    /// What the answer says; nil if that is not known.
    public var meaning: Meaning? {
        func word() -> UInt16? { payload.count >= 2 ? UInt16(payload[0]) | UInt16(payload[1]) << 8 : nil }
        switch (mask, id) {
        case (0x0002_0000, 0x01): return word().map { .batteryCapacity(Int($0)) }
        case (0x0002_0000, 0x02): return word().map { .maxAbsorbedCurrent(Double(Int16(bitPattern: $0)) / 10) }
        case (0x0000_0100, 0x00), (0x0000_0100, 0x01), (0x0000_0100, 0xFF), (0x0000_0080, 0x00), (0x0000_0080, 0x01),
            (0x0000_0080, 0xFF), (0x0000_0040, 0x00), (0x0000_0040, 0x01), (0x0000_0040, 0xFF), (0x0000_4000, 0x00),
            (0x0000_4000, 0x01), (0x0000_4000, 0xFF):
            return payload.first.map { .calibration(status: Int($0)) }
        default: return nil
        }
    }
}

/// The commands that ST's firmware knows, by feature. bluest.md §9.
extension FeatureCommand {
    /// Asks for the battery's capacity.
    public static let batteryCapacity = Self(mask: 0x0002_0000, id: 0x01)
    /// Asks for the greatest current that the board draws.
    public static let maxAbsorbedCurrent = Self(mask: 0x0002_0000, id: 0x02)

    /// What a calibration can be told.
    public enum Calibration: UInt8, Sendable {
        /// Begin.
        case start = 0x00
        /// End.
        case stop = 0x01
        /// How far is it?
        case status = 0xFF
    }

    /// Calibrates sensor fusion, compass or Euler angle.
    public static func calibration(_ step: Calibration, mask: UInt32) -> Self { Self(mask: mask, id: step.rawValue) }

    /// Events that an accelerometer can watch for.
    public enum AccelerationDetector: Character, Sendable, CaseIterable {
        /// Which side is up.
        case orientation = "o"
        /// All of them: the default.
        case multiple = "m"
        /// Falling.
        case freeFall = "f"
        /// One tap.
        case singleTap = "s"
        /// Two taps.
        case doubleTap = "d"
        /// Being woken.
        case wakeUp = "w"
        /// Being tilted.
        case tilt = "t"
        /// Steps.
        case pedometer = "p"
    }

    /// Begins or ends watching for events. End what was watched for before beginning with another.
    public static func accelerationDetector(_ detector: AccelerationDetector, isOn: Bool) -> Self {
        Self(mask: 0x0000_0400, id: detector.rawValue.asciiValue ?? 0, payload: [isOn ? 1 : 0])
    }

    /// Switches beam forming on or off.
    public static func beamForming(isOn: Bool) -> Self { Self(mask: 0x0000_0800, id: 0xAA, payload: [isOn ? 1 : 0]) }
    /// Turns the beam, 1 top to 8 top left.
    public static func beamForming(direction: UInt8) -> Self { Self(mask: 0x0000_0800, id: 0xBB, payload: [direction]) }
    /// Takes the strong algorithm, or the one for speech recognition.
    public static func beamForming(isStrong: Bool) -> Self {
        Self(mask: 0x0000_0800, id: 0xCC, payload: [isStrong ? 1 : 0])
    }

    /// Makes the direction of arrival more or less sensitive.
    public static func directionOfArrival(isSensitive: Bool) -> Self {
        Self(mask: 0x1000_0000, id: 0xCC, payload: [isSensitive ? 1 : 0])
    }

    /// Asks for the sensitivity of the CO sensor: a floating point number.
    public static let coSensitivity = Self(mask: 0x0000_8000, id: 0x00)
    /// Sets the sensitivity of the CO sensor.
    public static func coSensitivity(_ value: Float) -> Self {
        Self(mask: 0x0000_8000, id: 0x01, payload: littleEndian(value.bitPattern))
    }

    /// Sets the switches, one bit each.
    public static func `switch`(status: UInt8) -> Self { Self(mask: 0x2000_0000, id: status) }
    /// Sets the switches of another board.
    public static func remoteSwitch(node: UInt16, status: UInt8) -> Self {
        Self(
            mask: 0x2000_0000, id: status,
            payload: [UInt8(truncatingIfNeeded: node >> 8), UInt8(truncatingIfNeeded: node)])
    }

    /// What a stepper motor can do.
    public enum StepperMotor: Hashable, Sendable {
        /// Stop without holding.
        case stop
        /// Stop and hold.
        case hold
        /// Run forward, or as many steps forward.
        case forward(steps: UInt16?)
        /// Run backward, or as many steps backward.
        case backward(steps: UInt16?)
    }

    /// Moves a stepper motor. The number of steps is sent in two octets, least significant first.
    public static func stepperMotor(_ action: StepperMotor) -> Self {
        func payload(_ steps: UInt16?) -> [UInt8] {
            steps.map { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] } ?? []
        }
        switch action {
        case .stop: return Self(mask: 0x0000_2000, id: 0)
        case .hold: return Self(mask: 0x0000_2000, id: 1)
        case .forward(let steps): return Self(mask: 0x0000_2000, id: steps == nil ? 2 : 4, payload: payload(steps))
        case .backward(let steps): return Self(mask: 0x0000_2000, id: steps == nil ? 3 : 5, payload: payload(steps))
        }
    }

    static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
    }
}

/// Octets that ST's firmware takes on a feature's own characteristic, without command framing. bluest.md §9.
public enum FeatureWrite {
    /// Begins logging to the memory card: which features, and seconds between samples.
    public static func sdLogging(mask: UInt32, interval: UInt32) -> [UInt8] {
        [1] + FeatureCommand.littleEndian(mask) + FeatureCommand.littleEndian(interval)
    }
    /// Ends logging to the memory card.
    public static let sdLoggingStop = [UInt8](repeating: 0, count: 9)

    /// Begins recording of training data. Rates in Hz, `volume` 0 to 1.
    public static func aiLogging(mask: UInt32, environmentRate: Double, inertialRate: Double, volume: Double) -> [UInt8]
    {
        func tenths(_ rate: Double) -> [UInt8] {
            let number = UInt16(clamping: Int(exactly: (rate * 10).rounded()) ?? 0)
            return [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        }
        let loudness = UInt8(clamping: Int(exactly: (volume * 32).rounded()) ?? 0)
        return [1] + FeatureCommand.littleEndian(mask) + tenths(environmentRate) + tenths(inertialRate) + [loudness]
    }
    /// Ends recording of training data.
    public static let aiLoggingStop: [UInt8] = [0]
    /// Labels training data from now on; at most 18 octets of the text are sent.
    public static func aiLogging(label: String) -> [UInt8] { [4] + Array(label.utf8.prefix(18)) + [0] }

    /// Plays a key of the piano, or ends the tone.
    public static func piano(key: UInt8?) -> [UInt8] { key.map { [1, $0] } ?? [0] }
    /// Measures presence only, or distances.
    public static func tof(presenceOnly: Bool) -> [UInt8] { [presenceOnly ? 1 : 0] }
    /// Anomaly detection: stop.
    public static let neaiStop: [UInt8] = [0x00]
    /// Anomaly detection: learn. Classification: start.
    public static let neaiLearn: [UInt8] = [0x01]
    /// Anomaly detection: detect.
    public static let neaiDetect: [UInt8] = [0x02]
    /// Anomaly detection: forget what was learnt.
    public static let neaiReset: [UInt8] = [0xFF]
    /// Odometry: begin at the origin.
    public static let odometryReset: [UInt8] = [0x0F]
    /// Which exercise is recognized from now on: 1 biceps curl, 2 squat, 3 push-up.
    public static func fitness(activity: UInt8) -> [UInt8] { [activity] }
    /// Which algorithm runs from now on: 1 pose, 2 desk type, 3 vertical context.
    public static func motionAlgorithm(_ number: UInt8) -> [UInt8] { [number] }
    /// Opus: on or off.
    public static func opus(isOn: Bool) -> [UInt8] { [0x0A, isOn ? 0x10 : 0x11] }
    /// STM32WB peer-to-peer: a device's LED; device 0 is all of them.
    public static func peerLED(device: UInt8, isOn: Bool) -> [UInt8] { [device, isOn ? 1 : 0] }
    /// STM32WB peer-to-peer: a device restarts.
    public static func peerRestart(device: UInt8) -> [UInt8] { [device, 2] }
}
