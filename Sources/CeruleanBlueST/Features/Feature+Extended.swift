// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

// The extended features with a time in front, by number. bluest.md §7.
extension Feature {
    /// What the microphones hear. Number 03.
    public static let audioClassification = Feature(
        "audioClassification", name: "Audio Scene Classification",
        fields: [
            .init(
                "scene", .uint8,
                labels: .init(
                    [
                        0: "indoor", 1: "outdoor", 2: "inVehicle", 3: "babyIsCrying", 0xF0: "ascOff", 0xF1: "ascOn",
                        0xFF: "unknown",
                    ], other: "error")), .init("algorithm", .uint8, presence: .optional),
        ])

    /// Recording of training data on the board. Number 04.
    public static let aiLogging = Feature(
        "aiLogging", name: "AI Data Log",
        fields: [
            .init(
                "status", .uint8, labels: .init(["stopped", "started", "noSD", "ioError", "update"], other: "unknown"))
        ])

    /// Vibration of a motor: peaks of acceleration and effective speed. Number 06.
    public static let motorTimeParameters = Feature(
        "motorTimeParameters", name: "Motor Time Parameters",
        fields: ["X", "Y", "Z"].map {
            .init("accPeak\($0)", .int16, unit: "m/s²", divisor: 100, range: -327.68...327.67)
        }
            + ["X", "Y", "Z"].map { .init("rmsSpeed\($0)", .float32, unit: "mm/s", range: 0...2000) })

    /// State of a machine by the speed of its vibration. Number 07.
    public static let predictiveSpeedStatus = predictive(
        "predictiveSpeedStatus", name: "PredictiveSpeedStatus", field: "speed", unit: "mm/s")

    /// State of a machine by the acceleration of its vibration. Number 08.
    public static let predictiveAccelerationStatus = predictive(
        "predictiveAccelerationStatus", name: "PredictiveAccelerationStatus", field: "acc", unit: "m/s²")

    /// State of a machine by the spectrum of its vibration. Number 09.
    public static let predictiveFrequencyDomainStatus = Feature(
        "predictiveFrequencyDomainStatus", name: "PredictiveFrequencyStatus",
        fields: statusFields
            + ["X", "Y", "Z"].flatMap { axis -> [FeatureField] in
                [
                    .init("freq\(axis)", .uint16, unit: "Hz", divisor: 10, range: 0...6553.5),
                    .init("maxAmplitude\(axis)", .uint16, unit: "m/s²", divisor: 100, range: 0...655.35),
                ]
            }
    ) { input, values throws(FeatureError) in
        try input.require(13)
        setStatus(try input.uint8(), &values)
        for axis in 0..<3 {
            values.set(3 + 2 * axis, Double(try input.uint16()) / 10)
            values.set(4 + 2 * axis, Double(try input.uint16()) / 100)
        }
    }

    /// Posture, kind of desk, or how the wearer changes floors. Number 0A.
    public static let motionAlgorithm = Feature(
        "motionAlgorithm", name: "Motion Algorithm",
        fields: [
            .init(
                "algorithm", .uint8,
                labels: .init(
                    [1: "poseEstimation", 2: "deskTypeDetection", 3: "verticalContext"], other: "none")),
            .init("result", .uint8),
        ],
        describe: { values, fields in
            let results: [[String]] = [
                [], ["unknown", "sitting", "standing", "layingDown"], ["unknown", "sittingDesk", "standingDesk"],
                ["unknown", "floor", "upDown", "stairs", "elevator", "escalator"],
            ]
            let algorithm = Int(values[0] ?? 0)
            let labels = FeatureLabels(results.indices.contains(algorithm) ? results[algorithm] : [], other: "unknown")
            return Feature.members(of: fields[0], at: 0, in: values) + Feature.members(of: fields[1], at: 1, in: values)
                + [.init("resultLabel", .text(labels[values[1] ?? -1]))]
        })

    /// Orientation as three angles. Number 0D.
    public static let eulerAngle = Feature(
        "eulerAngle", name: "Euler Angle",
        fields: [
            .init("yaw", .float32, unit: "°", range: 0...360), .init("pitch", .float32, unit: "°", range: -180...180),
            .init("roll", .float32, unit: "°", range: -90...90),
        ])

    /// Repetitions of an exercise. Number 0E.
    public static let fitnessActivity = Feature(
        "fitnessActivity", name: "Fitness Activity",
        fields: [
            .init(
                "activity", .uint8, labels: .init(["noActivity", "bicepCurl", "squat", "pushUp"], other: "error")),
            .init("counter", .uint16),
        ])

    /// Registers of a sensor's machine learning core. Number 0F.
    public static let machineLearningCore = registers("machineLearningCore", name: "Machine Learning Core")
    /// Registers of a sensor's finite state machines. Number 10.
    public static let finiteStateMachine = registers("finiteStateMachine", name: "Finite State Machine")
    /// Output of a sensor's own processing unit. Number 17.
    public static let stredl = registers("stredl", name: "STREDL")

    /// Distances to objects. Number 13.
    public static let tofMultiObject = Feature(
        "tofMultiObject", name: "ToF Multi Object",
        fields: [
            .init("presence", .uint8, labels: .init(["none", "yes"], other: "unknown")),
            .init("distances", .list, unit: "mm", range: 0...4000),
        ],
        describe: { values, fields in
            Feature.members(of: fields[1], at: 1, in: values)
                + [.init("presence", Feature.number(values[0] ?? 0, of: fields[0]))]
        }
    ) { input, values throws(FeatureError) in
        try input.require(1)
        while input.remaining >= 2 { values.list.append(Double(try input.uint16())) }
        values.set(0, input.remaining > 0 ? Double(try input.uint8()) : 0)
    }

    /// Color and strength of the light around. Number 15.
    public static let colorAmbientLight = Feature(
        "colorAmbientLight", name: "Color Ambient Light",
        fields: [
            .init("lux", .uint32, unit: "lux", range: 0...400_000), .init("cct", .uint16, unit: "K", range: 0...20000),
            .init("uvIndex", .uint16, range: 0...12),
        ])

    /// Electric charge near the sensor. Number 16.
    public static let qvar = Feature(
        "qvar", name: "Electric Charge Variation",
        fields: [
            .init("qvar", .int32, unit: "LSB"), .init("flag", .uint8, presence: .nullable),
            .init("dqvar", .int32, unit: "LSB", presence: .nullable), .init("parameter", .int32, presence: .nullable),
        ])

    /// Position from satellites. Number 18.
    public static let gnss = Feature(
        "gnss", name: "GNSS",
        fields: [
            .init("latitude", .int32, unit: "°", divisor: 1e7, range: -90...90),
            .init("longitude", .int32, unit: "°", divisor: 1e7, range: -180...180),
            .init("altitude", .int32, unit: "m", divisor: 1e3), .init("satellites", .uint8),
            .init("signalQuality", .uint8, unit: "dB-Hz"),
        ])

    /// Whether a machine behaves as it was learnt. Number 19.
    public static let neaiAnomalyDetection = Feature(
        "neaiAnomalyDetection", name: "NEAI Anomaly Detection",
        fields: [
            .init(
                "phase", .uint8,
                labels: .init(["idle", "learning", "detection", "idleTrained", "busy"], other: "null")),
            .init("state", .uint8, labels: neaiStates), .init("progress", .uint8, unit: "%", range: 0...100),
            .init("status", .uint8, labels: .init(["normal", "anomaly"], other: "null")),
            .init("similarity", .uint8, unit: "%", range: 0...100),
        ]
    ) { input, values throws(FeatureError) in
        try input.require(7)
        try input.skip(2)
        for index in 0..<5 { values.set(index, Double(try input.uint8())) }
    }

    /// Which of the learnt classes a signal belongs to. Number 1A.
    public static let neaiClassification = Feature(
        "neaiClassification", name: "NEAI Classification",
        fields: [
            .init("mode", .uint8, labels: .init([1: "oneClass", 2: "nClass"], other: "null")),
            .init("phase", .uint8, labels: .init(["idle", "classification", "busy"], other: "null")),
            .init("state", .uint8, labels: neaiStates, presence: .optional),
            .init("isOutlier", .uint8, presence: .optional, style: .flag),
            .init("mostProbableClass", .uint8, presence: .optional),
            .init("probabilities", .list, unit: "%", range: 0...100),
        ],
        describe: { values, fields in
            fields.indices.filter { $0 < 5 || values[4] != nil }
                .flatMap { Feature.members(of: fields[$0], at: $0, in: values) }
        }
    ) { input, values throws(FeatureError) in
        try input.require(4)
        try input.skip(2)
        let mode = try input.uint8()
        values.set(0, Double(mode))
        values.set(1, Double(try input.uint8()))
        guard input.remaining >= 2 else { return }
        values.set(2, Double(try input.uint8()))
        let first = Double(try input.uint8())
        switch mode {
        case 1: values.set(3, first)
        case 2:
            values.set(4, first)
            while input.remaining > 0, values.list.count < 8 { values.list.append(Double(try input.uint8())) }
        default: break
        }
    }

    /// What the board's piano plays. Number 1C.
    public static let piano = Feature(
        "piano", name: "Piano",
        fields: [
            .init("command", .uint8, labels: .init([0: "stop"], other: "start")),
            .init("key", .uint8, presence: .nullable),
        ])

    /// Events counted. Number 1D.
    public static let eventCounter = Feature(
        "eventCounter", name: "Event Counter", fields: [.init("counter", .uint32, range: 0...4_294_967_295)])

    /// A gesture above the sensor, and the button it stands for. Number 1F.
    public static let gestureNavigation = Feature(
        "gestureNavigation", name: "Gesture Navigation",
        fields: [
            .init(
                "gesture", .uint8,
                labels: .init(
                    [
                        "undefined", "swipeLeftToRight", "swipeRightToLeft", "swipeUpToDown", "swipeDownToUp",
                        "singlePress", "doublePress", "triplePress", "longPress",
                    ], other: "error")),
            .init("button", .uint8, labels: .init(["undefined", "left", "right", "up", "down"], other: "error")),
        ])

    /// Length of the acceleration. Number 21.
    public static let memsNorm = Feature(
        "memsNorm", name: "MEMS Norm", fields: [.init("norm", .uint16, divisor: 10, range: 0...6553.5)])

    /// Commands and answers of a robot. Number 28; experimental. bluest.md §8.2.
    public static let roboticsMovement = Feature(
        "roboticsMovement", name: "Robotics Movement",
        fields: [.init("command", .uint8), .init("action", .uint8), .init("data", .bytes)])

    /// What happened to an asset: a fall, a shock, rest or motion. Number 30.
    public static let assetTrackingEvent = Feature(
        "assetTrackingEvent", name: "Asset Tracking Event",
        fields: [
            .init(
                "type", .uint8, labels: .init(["reset", "fall", "shock", "stationary", "motion"], other: "null"),
                style: .label), .init("heightCm", .float32, unit: "cm", presence: .optional),
            .init("durationMs", .float32, unit: "ms", presence: .optional),
            .init("intensityG", .list, unit: "g", presence: .optional),
            .init("current", .int32, presence: .optional),
            .init("powerIndex", .uint8, range: 1...10, presence: .optional),
        ],
        describe: { values, fields in
            var members = [0, 1, 2, 4, 5].flatMap { Feature.members(of: fields[$0], at: $0, in: values) }
            let numbers = values.list.map { FieldValue.number($0) }
            if numbers.count >= 3 { members.append(.init("intensityG", .list(Array(numbers[..<3])))) }
            if numbers.count == 9 {
                let orientations = FeatureLabels(["undefined", "positive", "negative"], other: "undefined")
                members.append(.init("orientations", .list(values.list[3..<6].map { .text(orientations[$0]) })))
                members.append(.init("angles", .list(Array(numbers[6...]))))
            }
            return members
        }
    ) { input, values throws(FeatureError) in
        let type = try input.uint8()
        values.set(0, Double(type))
        switch type {
        case 1: values.set(1, try input.float32())
        case 2:
            try input.require(17)
            values.set(2, try input.float32())
            for _ in 0..<3 { values.list.append(try input.float32()) }
            guard input.remaining >= 15 else { return }
            for _ in 0..<3 { values.list.append(Double(try input.uint8())) }
            for _ in 0..<3 { values.list.append(try input.float32()) }
        case 3, 4:
            try input.require(6)
            values.set(4, Double(try input.int32()))
            values.set(5, Double(min(10, max(1, try input.uint8()))))
        default: break
        }
    }

    /// Where a robot is. Number 31.
    public static let odometry = Feature(
        "odometry", name: "Odometry",
        fields: [
            .init("x", .float32, unit: "m"), .init("y", .float32, unit: "m"), .init("theta", .float32, unit: "rad"),
            .init("magneticDirection", .float32, unit: "°", presence: .nullable),
        ])

    // MARK: - Shared parts

    private static let neaiStates = FeatureLabels(
        [
            0: "ok", 0x7B: "initNotCalled", 0x7C: "boardError", 0x7D: "knowledgeError", 0x7E: "notEnoughLearning",
            0x7F: "minimalLearningDone", 0x80: "unknownError",
        ], other: "null")

    private static let statusFields: [FeatureField] = ["X", "Y", "Z"].map {
        .init(
            "status\($0)", .uint8, labels: .init(["good", "warning", "bad", "unknown"], other: "unknown"), style: .label
        )
    }

    private static func setStatus(_ octet: UInt8, _ values: inout FeatureValues) {
        for axis in 0..<3 { values.set(axis, Double(octet >> UInt8(4 - 2 * axis) & 3)) }
    }

    private static func predictive(_ id: String, name: String, field: String, unit: String) -> Feature {
        Feature(
            id, name: name,
            fields: statusFields
                + ["X", "Y", "Z"].map { .init("\(field)\($0)", .float32, unit: unit, range: 0...1000) }
        ) { input, values throws(FeatureError) in
            try input.require(13)
            setStatus(try input.uint8(), &values)
            for axis in 0..<3 { values.set(3 + axis, try input.float32()) }
        }
    }

    /// Registers with one or two status octets behind them, told apart by the length.
    private static func registers(_ id: String, name: String) -> Feature {
        Feature(
            id, name: name, fields: [.init("registers", .list, range: 0...255), .init("statusPages", .bytes)],
            describe: { values, _ in
                [
                    .init("registers", .list(values.list.map { .integer(Int64($0)) })),
                    .init("statusPages", .list(values.bytes.map { FieldValue(integer: $0) })),
                ]
            }
        ) { input, values throws(FeatureError) in
            try input.require(1)
            guard input.remaining <= 18 else { throw input.error(.unsupportedLength) }
            let pages = input.remaining <= 9 ? 1 : 2
            while input.remaining > pages { values.list.append(Double(try input.uint8())) }
            values.bytes = input.rest()
        }
    }
}
