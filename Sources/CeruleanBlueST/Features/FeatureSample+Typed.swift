// SPDX-License-Identifier: Apache-2.0

// Samples as values of their own types. Each is nil when the sample is of another feature, or lacks a value. bluest.md
// §6, §7.

/// What somebody does who wears the board.
public enum Activity: UInt8, Hashable, Sendable, CaseIterable {
    /// Nothing that is known.
    case noActivity
    /// Standing, sitting or lying.
    case stationary
    /// Walking.
    case walking
    /// Walking fast.
    case fastWalking
    /// Running slowly.
    case jogging
    /// On a bicycle.
    case biking
    /// In a vehicle.
    case driving
    /// On stairs.
    case stairs
    /// An adult in a car.
    case adultInCar
}

/// Where the board is carried.
public enum CarryPosition: UInt8, Hashable, Sendable, CaseIterable {
    /// Not known.
    case unknown
    /// It lies on a desk.
    case onDesk
    /// In a hand.
    case inHand
    /// At the head.
    case nearHead
    /// In a pocket of the shirt.
    case shirtPocket
    /// In a pocket of the trousers.
    case trousersPocket
    /// In a hand of a swinging arm.
    case armSwing
}

/// A gesture in front of the proximity sensor.
public enum ProximityGesture: UInt8, Hashable, Sendable, CaseIterable {
    /// Not known.
    case unknown
    /// Something came near and went.
    case tap
    /// Something went to the left.
    case left
    /// Something went to the right.
    case right
}

/// A gesture with the board.
public enum MotionGesture: UInt8, Hashable, Sendable, CaseIterable {
    /// Not known.
    case unknown
    /// It was picked up.
    case pickUp
    /// It was turned to be looked at.
    case glance
    /// It was woken.
    case wakeUp
}

/// Where the microphones listen.
public enum BeamDirection: UInt8, Hashable, Sendable, CaseIterable {
    /// To the upper edge.
    case top = 1
    /// To the upper right corner.
    case topRight
    /// To the right.
    case right
    /// To the lower right corner.
    case bottomRight
    /// To the lower edge.
    case bottom
    /// To the lower left corner.
    case bottomLeft
    /// To the left.
    case left
    /// To the upper left corner.
    case topLeft
}

/// What an acceleration event says; several may come together.
public struct AccelerationEvents: OptionSet, Hashable, Sendable {
    /// The bits as they are sent, the orientation among them.
    public let rawValue: UInt16
    /// Events by their bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// The board was tilted.
    public static let tilt = Self(rawValue: 0x08)
    /// The board falls.
    public static let freeFall = Self(rawValue: 0x10)
    /// One tap.
    public static let singleTap = Self(rawValue: 0x20)
    /// Two taps.
    public static let doubleTap = Self(rawValue: 0x40)
    /// It was woken.
    public static let wakeUp = Self(rawValue: 0x80)
    /// Steps were counted.
    public static let pedometer = Self(rawValue: 0x100)

    /// Which side is up.
    public enum Orientation: UInt8, Hashable, Sendable, CaseIterable {
        /// The upper right corner.
        case topRight = 1
        /// The lower right corner.
        case bottomRight
        /// The lower left corner.
        case bottomLeft
        /// The upper left corner.
        case topLeft
        /// The face.
        case up
        /// The back.
        case down
    }

    /// Which side is up; nil if the event does not say.
    public var orientation: Orientation? { Orientation(rawValue: UInt8(rawValue & 7)) }
}

/// The state of a battery.
public struct BatteryReading: Hashable, Sendable {
    /// What the battery does.
    public enum Status: UInt8, Hashable, Sendable, CaseIterable {
        /// Almost empty.
        case lowBattery
        /// It feeds the board.
        case discharging
        /// The board is plugged in, and the battery not charged.
        case pluggedNotCharging
        /// It is charged.
        case charging
        /// The board does not know.
        case unknown
    }

    /// Charge in percent.
    public var level: Double
    /// In V.
    public var voltage: Double
    /// In mA, negative while it discharges; nil if the board does not know.
    public var current: Double?
    /// What it does; nil for a number without a meaning.
    public var status: Status?
}

/// A place on the earth.
public struct GeographicPosition: Hashable, Sendable {
    /// In degrees, north is positive.
    public var latitude: Double
    /// In degrees, east is positive.
    public var longitude: Double
    /// In m.
    public var altitude: Double
    /// Satellites in view.
    public var satellites: Int
}

/// A spectrum of several components.
public struct Spectrum: Hashable, Sendable {
    /// Between two values, in Hz.
    public var frequencyStep: Double
    /// The amplitudes, one list for each component.
    public var components: [[Double]]
}

extension FeatureSample {
    /// X, Y and Z, of acceleration, angular velocity and magnetic field.
    public var vector: SIMD3<Double>? {
        guard [.acceleration, .gyroscope, .magnetometer].contains(feature) else { return nil }
        guard let x = self[0], let y = self[1], let z = self[2] else { return nil }
        return SIMD3(x, y, z)
    }

    /// The orientation, of both kinds of sensor fusion.
    public var quaternion: Quaternion? {
        guard feature === Feature.sensorFusion || feature === Feature.sensorFusionCompact else { return nil }
        if let i = self[0], let j = self[1], let k = self[2], let s = self[3] {
            return Quaternion(i: i, j: j, k: k, s: s)
        }
        // A whole notification of the compact form: the newest of its quaternions.
        guard values.list.count >= 4 else { return nil }
        let newest = Array(values.list.suffix(4))
        return Quaternion(i: newest[0], j: newest[1], k: newest[2], s: newest[3])
    }

    /// The value of a feature that has one number, such as pressure or temperature.
    public var number: Double? {
        feature.fields.count == 1 && feature.fields[0].form.size != nil ? self[0] : nil
    }

    /// The name of a field's value, where its values stand for something.
    public func label(_ field: String) -> String? {
        guard let index = feature.index(of: field), let labels = feature.fields[index].labels, let value = self[index]
        else { return nil }
        return labels[value]
    }

    /// The battery's state.
    public var battery: BatteryReading? {
        guard feature === Feature.battery, let level = self[0], let voltage = self[1], let current = self[2],
            let status = self[3]
        else { return nil }
        return BatteryReading(
            level: level, voltage: voltage, current: current.isNaN ? nil : current,
            status: UInt8(exactly: status).flatMap { BatteryReading.Status(rawValue: $0) })
    }

    /// What the wearer does.
    public var activity: Activity? { code(of: .activity) }
    /// Where the board is carried.
    public var carryPosition: CarryPosition? { code(of: .carryPosition) }
    /// The gesture in front of the proximity sensor.
    public var proximityGesture: ProximityGesture? { code(of: .proximityGesture) }
    /// The gesture with the board.
    public var motionGesture: MotionGesture? { code(of: .memsGesture) }
    /// Where the microphones listen.
    public var beamDirection: BeamDirection? { code(of: .beamForming) }

    /// The acceleration event.
    public var accelerationEvents: AccelerationEvents? {
        guard feature === Feature.accelerationEvent, let bits = self[0].flatMap({ UInt16(exactly: $0) }) else {
            return nil
        }
        return AccelerationEvents(rawValue: bits)
    }

    /// The place.
    public var position: GeographicPosition? {
        guard feature === Feature.gnss, let latitude = self[0], let longitude = self[1], let altitude = self[2],
            let satellites = self[3].flatMap({ Int(exactly: $0) })
        else { return nil }
        return GeographicPosition(
            latitude: latitude, longitude: longitude, altitude: altitude, satellites: satellites)
    }

    /// The spectrum.
    public var spectrum: Spectrum? {
        guard feature === Feature.fftAmplitude, let count = self[0].flatMap({ Int(exactly: $0) }),
            let parts = self[1].flatMap({ Int(exactly: $0) }), let step = self[2], count > 0, parts > 0,
            values.list.count == count * parts
        else { return nil }
        return Spectrum(
            frequencyStep: step,
            components: (0..<parts).map { Array(values.list[($0 * count)..<(($0 + 1) * count)]) })
    }

    private func code<Code: RawRepresentable>(of wanted: Feature) -> Code? where Code.RawValue == UInt8 {
        guard feature === wanted else { return nil }
        return self[0].flatMap { UInt8(exactly: $0) }.flatMap { Code(rawValue: $0) }
    }
}
