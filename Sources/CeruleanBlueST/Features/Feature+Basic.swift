// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

// The basic features, by falling bit of the default mask. bluest.md §4.1, §6.
extension Feature {
    /// Acceleration in mg.
    public static let acceleration = Feature(
        "acceleration", name: "Accelerometer", fields: axes(.int16, unit: "mg", range: -2000...2000))

    /// Angular velocity in degrees a second.
    public static let gyroscope = Feature(
        "gyroscope", name: "Gyroscope", fields: axes(.int16, unit: "dps", divisor: 10, range: -3276.8...3276.7))

    /// Magnetic flux density in mGa.
    public static let magnetometer = Feature(
        "magnetometer", name: "Magnetometer", fields: axes(.int16, unit: "mGa", range: -2000...2000))

    /// Air pressure.
    public static let pressure = Feature(
        "pressure", name: "Pressure",
        fields: [.init("pressure", .int32, unit: "mBar", divisor: 100, range: 900...1100)])

    /// Relative humidity.
    public static let humidity = Feature(
        "humidity", name: "Humidity", fields: [.init("humidity", .int16, unit: "%", divisor: 10, range: 0...100)])

    /// Temperature. A board may have two of them.
    public static let temperature = Feature(
        "temperature", name: "Temperature",
        fields: [.init("temperature", .int16, unit: "°C", divisor: 10, range: -40...120)])

    /// Charge, voltage, current and state of the battery. An unknown current is not a number.
    public static let battery = Feature(
        "battery", name: "Battery",
        fields: [
            .init("level", .uint16, unit: "%", divisor: 10, range: 0...100),
            .init("voltage", .int16, unit: "V", divisor: 1000, range: -10...10),
            .init("current", .int16, unit: "mA", divisor: 10, range: -10...10),
            .init(
                "status", .uint8, range: 0...4,
                labels: .init(
                    ["lowBattery", "discharging", "pluggedNotCharging", "charging", "unknown"], other: "error")),
        ]
    ) { input, values throws(FeatureError) in
        try input.require(7)
        values.set(0, Double(try input.uint16()) / 10)
        values.set(1, Double(try input.int16()) / 1000)
        let current = try input.int16()
        let status = try input.uint8()
        // Bit 7 of the state: tenths of a milliampere.
        let milliamperes = status & 0x80 != 0 ? Double(current) / 10 : Double(current)
        values.set(2, current == .min ? .nan : milliamperes)
        values.set(3, Double(status & 0x7F))
    }

    /// Carbon monoxide in the air.
    public static let coSensor = Feature(
        "coSensor", name: "CO Sensor",
        fields: [.init("concentration", .uint32, unit: "ppm", divisor: 100, range: 0...1_000_000)])

    /// Switches, one bit each; LEDs too.
    public static let `switch` = Feature(
        "switch", name: "Switch", fields: [.init("status", .uint8, range: 0...255)])

    /// Where a sound comes from, 0 to 360 degrees.
    public static let directionOfArrival = Feature(
        "directionOfArrival", name: "Direction of arrival",
        fields: [.init("angle", .int16, unit: "°", range: 0...360)]
    ) { input, values throws(FeatureError) in
        var angle = Int(try input.int16())
        // 360 itself is kept, as ST's programs do.
        if angle < 0 { angle = (angle % 360 + 360) % 360 }
        if angle > 360 { angle = (angle - 1) % 360 + 1 }
        values.set(0, Double(angle))
    }

    /// Loudness at each microphone, in dB.
    public static let micLevel = Feature(
        "micLevel", name: "Mic Level", fields: [.init("levels", .list, unit: "dB", range: 0...128)]
    ) { input, values throws(FeatureError) in
        try input.require(1)
        while input.remaining > 0 { values.list.append(Double(try input.uint8())) }
    }

    /// Distance to the nearest object.
    public static let proximity = Feature(
        "proximity", name: "Proximity",
        fields: [
            .init("distance", .uint16, unit: "mm", range: 0...32766), .init("outOfRange", .uint8, style: .flag),
            .init("range", .uint8, labels: .init(["low", "high"], other: "high"), style: .label),
        ]
    ) { input, values throws(FeatureError) in
        let raw = try input.uint16()
        let isHigh = raw & 0x8000 != 0
        let distance = raw & 0x7FFF
        let isOutside = distance > (isHigh ? 0x7FFE : 0xFE)
        values.set(0, isOutside ? 0xFFFF : Double(distance))
        values.set(1, isOutside ? 1 : 0)
        values.set(2, isHigh ? 1 : 0)
    }

    /// Illuminance.
    public static let luminosity = Feature(
        "luminosity", name: "Luminosity", fields: [.init("luminosity", .uint16, unit: "lux", range: 0...1000)])

    /// Whether the board falls.
    public static let freeFall = Feature(
        "freeFall", name: "FreeFall",
        fields: [.init("freeFall", .uint8, range: 0...1, style: .flag), .init("raw", .uint8)]
    ) { input, values throws(FeatureError) in
        let raw = try input.uint8()
        values.set(0, raw == 0 ? 0 : 1)
        values.set(1, Double(raw))
    }

    /// Whether the stepper motor runs.
    public static let stepperMotor = Feature(
        "stepperMotor", name: "Stepper Motor",
        fields: [.init("status", .uint8, labels: .init(["inactive", "running"], other: "error"))])

    /// Logging to the board's memory card: state, features, seconds between samples.
    public static let sdLogging = Feature(
        "sdLogging", name: "SDLogging",
        fields: [
            .init("status", .uint8, labels: .init(["stopped", "started", "noSD"], other: "ioError")),
            .init("featureMask", .uint32, style: .mask), .init("interval", .uint32, unit: "s"),
        ])

    /// The direction in which the microphones listen.
    public static let beamForming = Feature(
        "beamForming", name: "BeamForming",
        fields: [
            .init(
                "direction", .uint8,
                labels: .init(
                    [
                        1: "top", 2: "topRight", 3: "right", 4: "bottomRight", 5: "bottom", 6: "bottomLeft", 7: "left",
                        8: "topLeft",
                    ], other: "unknown"))
        ])

    /// Events that the accelerometer recognizes by itself.
    public static let accelerationEvent = Feature(
        "accelerationEvent", name: "AccelerationEvent",
        fields: [
            .init("event", .uint16, range: 0...511),
            .init("steps", .uint16, range: 0...65535, presence: .optional),
        ],
        decoder: { AccelerationEventDecoder() },
        describe: { values, fields in
            let labels = AccelerationEventDecoder.labels(UInt16(values[0] ?? 0))
            return Feature.members(of: fields[0], at: 0, in: values)
                + [.init("eventLabels", .list(labels.map { .text($0) }))]
                + Feature.members(of: fields[1], at: 1, in: values)
        })

    /// Orientation as a quaternion of three or four floating point numbers.
    public static let sensorFusion = Feature(
        "sensorFusion", name: "MEMS Sensor Fusion", fields: quaternion(.float32)
    ) { input, values throws(FeatureError) in
        try input.require(12)
        let i = try input.float32()
        let j = try input.float32()
        let k = try input.float32()
        let q =
            input.remaining >= 4
            ? Quaternion(i: i, j: j, k: k, s: try input.float32()).normalized : Quaternion(i: i, j: j, k: k)
        values.set(0, q.i)
        values.set(1, q.j)
        values.set(2, q.k)
        values.set(3, q.s)
    }

    /// Orientation as quaternions of three 16-bit numbers; several cover one period of 30 ms.
    public static let sensorFusionCompact = Feature(
        "sensorFusionCompact", name: "MemsSensorFusion (Compact)", fields: quaternion(.int16), columns: 4,
        rowsCover: .milliseconds(30),
        describe: { values, _ in
            let names = ["qi", "qj", "qk", "qs"]
            let rows = stride(from: 0, to: values.list.count - 3, by: 4).map { start in
                FieldValue.object((0..<4).map { .init(names[$0], .number(values.list[start + $0])) })
            }
            return [.init("quaternions", .list(rows))]
        }
    ) { input, values throws(FeatureError) in
        try input.require(6)
        values.list.reserveCapacity(input.remaining / 6 * 4)
        while input.remaining >= 6 {
            let i = Double(try input.int16()) / 10000
            let j = Double(try input.int16()) / 10000
            let k = Double(try input.int16()) / 10000
            let q = Quaternion(i: i, j: j, k: k)
            values.list.append(q.i)
            values.list.append(q.j)
            values.list.append(q.k)
            values.list.append(q.s)
        }
    }

    /// Where north is.
    public static let compass = Feature(
        "compass", name: "Compass", fields: [.init("angle", .uint16, unit: "°", divisor: 100, range: 0...360)])

    /// How much the board moves.
    public static let motionIntensity = Feature(
        "motionIntensity", name: "Motion Intensity", fields: [.init("intensity", .uint8, range: 0...10)])

    /// What the wearer does.
    public static let activity = Feature(
        "activity", name: "Activity Recognition",
        fields: [
            .init(
                "activity", .uint8, range: 0...8,
                labels: .init(
                    [
                        "noActivity", "stationary", "walking", "fastWalking", "jogging", "biking", "driving", "stairs",
                        "adultInCar",
                    ], other: "error")), .init("algorithm", .uint8, presence: .optional),
        ])

    /// Where the board is carried.
    public static let carryPosition = Feature(
        "carryPosition", name: "Carry Position",
        fields: [
            .init(
                "position", .uint8, range: 0...6,
                labels: .init(
                    ["unknown", "onDesk", "inHand", "nearHead", "shirtPocket", "trousersPocket", "armSwing"],
                    other: "error"))
        ])

    /// A gesture in front of the proximity sensor.
    public static let proximityGesture = Feature(
        "proximityGesture", name: "Gesture",
        fields: [
            .init("gesture", .uint8, range: 0...3, labels: .init(["unknown", "tap", "left", "right"], other: "error"))
        ])

    /// A gesture with the board in the hand.
    public static let memsGesture = Feature(
        "memsGesture", name: "Mems Gesture",
        fields: [
            .init(
                "gesture", .uint8, range: 0...3,
                labels: .init(["unknown", "pickUp", "glance", "wakeUp"], other: "error"))
        ])

    /// Steps, and how fast they follow each other.
    public static let pedometer = Feature(
        "pedometer", name: "Pedometer",
        fields: [
            .init("steps", .uint32, range: 0...4_294_967_295),
            .init("frequency", .uint16, unit: "steps/min", range: 0...65535),
        ])

    /// Octets of the firmware's own.
    public static let generalPurpose = Feature(
        "generalPurpose", name: "General Purpose", fields: [.init("raw", .bytes)])

    /// An audio packet of 20 octets, decoded to 40 samples of 16 bits at 8 kHz. bluest.md §14.
    public static let adpcmAudio = Feature(
        "adpcmAudio", name: "ADPCM Audio", fields: [.init("samples", .list, range: -32768...32767)], timing: .host,
        observes: ["adpcmSync"], decoder: { ADPCMFeatureDecoder() })

    /// What the next audio packet begins with.
    public static let adpcmSync = Feature(
        "adpcmSync", name: "ADPCM Sync",
        fields: [.init("index", .int16, range: 0...88), .init("predictedSample", .int32, range: -32768...32767)],
        timing: .host)

    // MARK: - Remote features

    /// Temperature of another board that this one passes on. bluest.md §5.3.
    public static let remoteTemperature = remote(temperature, "remoteTemperature", name: "Remote Temperature")
    /// Humidity of another board.
    public static let remoteHumidity = remote(humidity, "remoteHumidity", name: "Remote Humidity")
    /// Pressure of another board.
    public static let remotePressure = remote(pressure, "remotePressure", name: "Remote Pressure")
    /// Switches of another board.
    public static let remoteSwitch = remote(`switch`, "remoteSwitch", name: "Remote Switch")

    private static func remote(_ feature: Feature, _ id: String, name: String) -> Feature {
        Feature(id, name: name, fields: feature.fields, timing: .remote)
    }

    static func axes(
        _ form: FeatureField.Form, unit: String, divisor: Double = 1, range: ClosedRange<Double>
    ) -> [FeatureField] {
        ["X", "Y", "Z"].map { FeatureField($0, form, unit: unit, divisor: divisor, range: range) }
    }

    private static func quaternion(_ form: FeatureField.Form) -> [FeatureField] {
        ["qi", "qj", "qk", "qs"].map { FeatureField($0, form, divisor: form == .int16 ? 10000 : 1, range: -1...1) }
    }
}

/// An orientation. bluest.md §6.2.
public struct Quaternion: Hashable, Sendable {
    /// The part along x.
    public var i: Double
    /// The part along y.
    public var j: Double
    /// The part along z.
    public var k: Double
    /// The scalar part.
    public var s: Double

    /// A quaternion from all four parts.
    public init(i: Double, j: Double, k: Double, s: Double) {
        self.i = i
        self.j = j
        self.k = k
        self.s = s
    }

    /// A unit quaternion from three parts. When rounding makes them longer than one, the scalar part is 0.
    public init(i: Double, j: Double, k: Double) {
        let sum = 1 - (i * i + j * j + k * k)
        self.init(i: i, j: j, k: k, s: sum > 0 ? sum.squareRoot() : 0)
    }

    /// The same direction with length one; no rotation if there is no direction.
    public var normalized: Self {
        let norm = (i * i + j * j + k * k + s * s).squareRoot()
        guard norm > 0, norm.isFinite else { return Self(i: 0, j: 0, k: 0, s: 1) }
        return Self(i: i / norm, j: j / norm, k: k / norm, s: s / norm)
    }
}

/// Reads acceleration events, whose two-octet form depends on whether step events were asked for. bluest.md §6.1.
struct AccelerationEventDecoder: FeatureDecoding {
    private(set) var countsSteps = false

    mutating func decode(_ input: inout FeatureInput, into values: inout FeatureValues) throws(FeatureError) -> Bool {
        try input.require(1)
        switch input.remaining {
        case 3...:
            values.set(0, Double(UInt16(try input.uint8()) | 0x100))
            values.set(1, Double(try input.uint16()))
        case 2 where countsSteps:
            values.set(0, 0x100)
            values.set(1, Double(try input.uint16()))
        default: values.set(0, Double(try input.uint8()))
        }
        return true
    }

    mutating func commandSent(_ id: UInt8, _ payload: [UInt8]) {
        guard let isOn = payload.first else { return }
        // Only one detector runs at a time: enabling another ends this one.
        if id == UInt8(ascii: "p") { countsSteps = isOn != 0 } else if isOn != 0 { countsSteps = false }
    }

    static func labels(_ event: UInt16) -> [String] {
        let orientations = [
            1: "orientationTopRight", 2: "orientationBottomRight", 3: "orientationBottomLeft", 4: "orientationTopLeft",
            5: "orientationUp", 6: "orientationDown",
        ]
        let flags = ["tilt", "freeFall", "singleTap", "doubleTap", "wakeUp", "pedometer"]
        let first = orientations[Int(event & 7)].map { [$0] } ?? []
        return first + flags.indices.filter { event & (8 << UInt16($0)) != 0 }.map { flags[$0] }
    }
}
