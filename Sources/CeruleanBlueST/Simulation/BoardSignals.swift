// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the features of a simulated board measure, as octets.
public struct BoardSignals: Sendable {
    /// The values of a feature's fields at a moment, or its list.
    public typealias Signal = @Sendable (_ seconds: Double) -> [Double]

    /// How the board moves.
    public var motion = BoardMotion()
    /// Values of your own, by the identifier of the feature: one for each field, in order. Others are made up.
    public var overrides: [String: Signal] = [:]

    /// Made up signals.
    public init() {}

    /// What changes when commands arrive.
    struct State: Hashable, Sendable {
        var switches: UInt8 = 0
        var detector = UInt8(ascii: "m")
        var isStepperRunning = false
        var logging: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
        var beam: UInt8 = 1
        var mode: [String: UInt8] = [:]
        var adpcm = ADPCM()
    }

    /// The octets of a feature at a moment, without time in front. Nil if it sends nothing by itself.
    func bytes(of feature: Feature, at t: Double, _ state: inout State) -> [UInt8]? {
        if let signal = overrides[feature.id] { return Self.encode(signal(t), as: feature) }
        if let values = movement(feature.id, t) { return Self.encode(values, as: feature) }
        switch feature.id {
        case "battery": return battery(t)
        case "switch", "remoteSwitch": return [state.switches]
        case "stepperMotor": return [state.isStepperRunning ? 1 : 0]
        case "sdLogging": return state.logging
        case "beamForming": return [state.beam]
        case "accelerationEvent": return accelerationEvent(t, state.detector)
        case "micLevel": return [wave(t, 40, 55), wave(t + 1, 40, 55)].map { UInt8($0) }
        case "proximity": return Self.little(UInt64(wave(t, 20, 230)), 2)
        case "freeFall": return [wave(t, 0, 10) > 9.8 ? 1 : 0]
        case "sensorFusionCompact": return compact(t)
        case "adpcmAudio": return tone(t, &state)
        case "adpcmSync":
            let (index, predictor) = state.adpcm.state
            return Self.little(UInt64(index), 2) + Self.little(UInt64(bitPattern: Int64(predictor)), 4)
        default: return extended(feature, t, state)
        }
    }

    // MARK: - Movement

    private func movement(_ id: String, _ t: Double) -> [Double]? {
        func list(_ v: SIMD3<Double>) -> [Double] { [v.x, v.y, v.z] }
        switch id {
        case "acceleration": return list(motion.acceleration(t))
        case "gyroscope": return list(motion.angularVelocity(t))
        case "magnetometer": return list(motion.magneticField(t))
        case "eulerAngle": return list(motion.euler(t))
        case "compass": return [motion.heading(t)]
        case "sensorFusion":
            let q = motion.orientation(t)
            return [q.i, q.j, q.k, q.s]
        case "memsNorm": return [1000]
        case "pressure", "remotePressure": return [wave(t, 1008, 1018)]
        case "humidity", "remoteHumidity": return [wave(t, 40, 50)]
        case "temperature", "remoteTemperature": return [wave(t, 20, 25)]
        case "luminosity": return [wave(t, 100, 600)]
        case "pedometer": return [(t * motion.stepRate).rounded(.down), (motion.stepRate * 60).rounded()]
        case "directionOfArrival": return [wave(t, 0, 350).rounded()]
        default: return nil
        }
    }

    private func battery(_ t: Double) -> [UInt8] {
        let level = max(5, 100 - t / 60)
        let charge = Self.little(UInt64(level * 10), 2)
        let voltage = Self.little(UInt64(3300 + level * 8), 2)
        let current = Self.little(UInt64(bitPattern: -31), 2)
        return charge + voltage + current + [1]
    }

    private func compact(_ t: Double) -> [UInt8] {
        // Three quaternions, 10 ms apart, the last one now.
        (0..<3).flatMap { index -> [UInt8] in
            let q = motion.orientation(t - 0.01 * Double(2 - index))
            return [q.i, q.j, q.k].flatMap { Self.little(UInt64(bitPattern: Int64(($0 * 10000).rounded())), 2) }
        }
    }

    private func accelerationEvent(_ t: Double, _ detector: UInt8) -> [UInt8] {
        let steps = Self.little(UInt64(t * motion.stepRate), 2)
        switch detector {
        case UInt8(ascii: "p"): return steps
        case UInt8(ascii: "m"): return [0x08] + steps
        case UInt8(ascii: "o"): return [UInt8(1 + Int(t) % 6)]
        case UInt8(ascii: "f"): return [0x10]
        case UInt8(ascii: "s"): return [0x20]
        case UInt8(ascii: "d"): return [0x40]
        case UInt8(ascii: "w"): return [0x80]
        default: return [0x08]
        }
    }

    /// 40 samples of a tone of 440 Hz.
    private func tone(_ t: Double, _ state: inout State) -> [UInt8] {
        let samples = (0..<40).map { index in
            Int16(8000 * sin(2 * .pi * 440 * (t + Double(index) / Double(ADPCM.sampleRate))))
        }
        return state.adpcm.encode(samples)
    }

    /// A second of a tone of 440 Hz in Opus packets of 20 ms; none where libopus is not installed.
    static let tonePackets: [[UInt8]] = {
        guard let encoder = OpusEncoder() else { return [] }
        let size = encoder.configuration.frameSamples
        return (0..<50).compactMap { packet in
            encoder.encode(
                (0..<size).map { index in
                    Int16(
                        8000 * sin(2 * .pi * 440 * Double(packet * size + index) / Double(encoder.configuration.rate)))
                })
        }
    }()

    // MARK: - Extended features

    private func extended(_ feature: Feature, _ t: Double, _ state: State) -> [UInt8]? {
        let step = UInt8(truncatingIfNeeded: Int(min(t, 1e9)))
        switch feature.id {
        case "predictiveSpeedStatus", "predictiveAccelerationStatus":
            let heights: [Double] = [3.5, 2.5, 1.5]
            let ripple = wave(t, 0, 1)
            var bytes: [UInt8] = [0b01_00_00]
            for height in heights { bytes += Self.little(UInt64(Float(height + ripple).bitPattern), 4) }
            return bytes
        case "predictiveFrequencyDomainStatus":
            let peaks: [(frequency: UInt64, amplitude: UInt64)] = [(500, 250), (1000, 50), (1500, 10)]
            var bytes: [UInt8] = [0b01_00_00]
            for peak in peaks { bytes += Self.little(peak.frequency, 2) + Self.little(peak.amplitude, 2) }
            return bytes
        case "machineLearningCore", "finiteStateMachine", "stredl": return [step & 3, 0, 4, 0, 0, 0, 0, 0, 1]
        case "tofMultiObject": return Self.little(UInt64(wave(t, 200, 1800)), 2) + Self.little(2500, 2)
        case "neaiAnomalyDetection": return [0xFF, 0xFF, 2, 0, 100, 0, UInt8(wave(t, 90, 100))]
        case "neaiClassification": return [0xFF, 0xFF, 2, 1, 0, 1, 10, 80, 10]
        case "assetTrackingEvent": return [4] + Self.little(20, 4) + [3]
        case "roboticsMovement": return [0x10, 0x20, 0, 0, 0, 0x30]
        case "medicalSignal16Bit":
            var bytes = Self.little(UInt64(t * 1000), 4) + [0x10]
            for index in 0..<4 { bytes += Self.little(UInt64(wave(t + Double(index) / 250, 0, 400)), 2) }
            return bytes
        case "medicalSignal24Bit":
            var bytes = Self.little(UInt64(t * 1000), 4) + [0x00]
            for index in 0..<3 { bytes += Self.little(UInt64(wave(t + Double(index) / 100, 60000, 90000)), 3) }
            return bytes
        case "heartRate": return [0x16, UInt8(wave(t, 62, 78))] + Self.little(UInt64(wave(t, 820, 920)), 2)
        case "bodySensorLocation": return [2]
        case "p2pSwitchStatus": return [1, step & 1]
        case "p2pNetworkStatus": return [1, 1, 0, 0, 0, 0]
        case "opusAudioConf": return [0x0B, 0x23, 0x31, 0x40]
        case "rawPnPL": return [0] + Self.little(UInt64(Float(wave(t, 0, 1)).bitPattern), 4)
        case "generalPurpose": return [step, step ^ 0xFF]
        case "blueNrgOtaMemoryInfo", "blueNrgOtaSettings", "blueNrgOtaAck", "opusAudio", "fftAmplitude": return nil
        default:
            // What is read as it stands can be made up from its fields; messages are only answers.
            guard feature.makeDecoder == nil else { return nil }
            return Self.encode(feature.fields.map { plausible($0, t) }, as: feature)
        }
    }

    private func plausible(_ field: FeatureField, _ t: Double) -> Double {
        if let labels = field.labels {
            let known = labels.names.keys.sorted()
            return known.isEmpty ? 0 : Double(known[Int(t) % known.count])
        }
        let range = field.range ?? 0...100
        let span = range.upperBound - range.lowerBound
        let middle = range.lowerBound + span / 2
        return span > 0 ? wave(t, middle - min(span, 200) / 4, middle + min(span, 200) / 4) : middle
    }

    /// A slow wave between two values.
    private func wave(_ t: Double, _ low: Double, _ high: Double) -> Double {
        low + (high - low) * (0.5 + 0.5 * sin(2 * .pi * 0.05 * t))
    }

    // MARK: - Encoding

    /// Values as the octets of a feature whose fields stand one behind the other. Out of range values are held at the
    /// limits.
    static func encode(_ values: [Double], as feature: Feature) -> [UInt8] {
        var bytes: [UInt8] = []
        for (field, value) in zip(feature.fields, values) {
            let raw = value * field.divisor
            func whole<T: FixedWidthInteger>(_ type: T.Type) -> UInt64 {
                guard raw.isFinite else { return 0 }
                let held = min(max(raw.rounded(), Double(T.min)), Double(T.max))
                return UInt64(bitPattern: Int64(held))
            }
            switch field.form {
            case .uint8: bytes += little(whole(UInt8.self), 1)
            case .int8: bytes += little(whole(Int8.self), 1)
            case .uint16: bytes += little(whole(UInt16.self), 2)
            case .int16: bytes += little(whole(Int16.self), 2)
            case .uint32: bytes += little(whole(UInt32.self), 4)
            case .int32: bytes += little(whole(Int32.self), 4)
            case .float32: bytes += little(UInt64(Float(raw).bitPattern), 4)
            case .list: bytes += values.map { UInt8(clamping: Int(exactly: $0.rounded()) ?? 0) }
            case .bytes, .text: break
            }
        }
        return bytes
    }

    static func little(_ number: UInt64, _ octets: Int) -> [UInt8] {
        (0..<octets).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
}
