// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

// Features without a time in front. bluest.md §8.
extension Feature {
    /// Opus packets. Number 01. One sample for each whole packet; its octets are in ``FeatureValues/bytes``.
    public static let opusAudio = message("opusAudio", name: "Opus Audio", field: .init("packet", .bytes))

    /// What the Opus packets are, or a switch for them. Number 02.
    public static let opusAudioConf = Feature(
        "opusAudioConf", name: "Opus Conf",
        fields: [
            .init(
                "command", .uint8, labels: .init([0x0A: "control", 0x0B: "configuration"], other: "unknown"),
                style: .label), .init("frameSizeMs", .uint8, unit: "ms", divisor: 10, presence: .optional),
            .init("samplingFrequency", .uint16, unit: "Hz", presence: .optional),
            .init("channels", .uint8, presence: .optional),
            .init("enable", .uint8, presence: .optional, style: .flag),
        ], timing: .host
    ) { input, values throws(FeatureError) in
        try input.require(1)
        guard input.remaining == 2 || input.remaining == 4 else { throw input.error(.unsupportedLength) }
        let isControl = input.remaining == 2
        let command = try input.uint8()
        guard command == (isControl ? 0x0A : 0x0B) else { throw input.error(.unknownCommand) }
        values.set(0, Double(command))
        if isControl {
            values.set(4, try input.uint8() == 0x10 ? 1 : 0)
            return
        }
        let frames: [UInt8: Double] = [0x20: 2.5, 0x21: 5, 0x22: 10, 0x23: 20, 0x24: 40, 0x25: 60]
        let rates: [UInt8: Double] = [0x30: 8000, 0x31: 16000, 0x32: 24000, 0x33: 48000]
        values.set(1, frames[try input.uint8()] ?? 20)
        values.set(2, rates[try input.uint8()] ?? 16000)
        values.set(3, try input.uint8() == 0x41 ? 2 : 1)
    }

    /// A spectrum, put together from many notifications. Number 05, and bit 31 of the SensorTile.box.
    public static let fftAmplitude = Feature(
        "fftAmplitude", name: "FFT Amplitude",
        fields: [
            .init("sampleCount", .uint16), .init("componentCount", .uint8),
            .init("frequencyStep", .float32, unit: "Hz"), .init("components", .list),
        ], timing: .host, decoder: { FFTFeatureDecoder() },
        describe: { values, fields in
            let count = Int(values[0] ?? 0)
            let components = (0..<Int(values[1] ?? 0)).map { component -> FieldValue in
                .list(
                    (0..<count).compactMap { index in
                        let position = component * count + index
                        return position < values.list.count ? .number(values.list[position]) : nil
                    })
            }
            return (0..<3).flatMap { Feature.members(of: fields[$0], at: $0, in: values) }
                + [.init("components", .list(components))]
        })

    /// Settings of the board's data logger. Number 11. JSON.
    public static let dataLogConfiguration = json("hsDataLogConfiguration", name: "HSDataLog Config")
    /// Settings of the board. Number 14. JSON.
    public static let extendedConfiguration = json("extendedConfiguration", name: "Extended Configuration")
    /// Settings in the language of PnP models. Number 1B. JSON.
    public static let pnpl = json("pnpl", name: "PnPL")
    /// The board's NFC tag. Number 20. JSON.
    public static let jsonNFC = json("jsonNFC", name: "JSON NFC")
    /// Octets of any kind. Number 22.
    public static let binaryContent = message(
        "binaryContent", name: "Binary Content", field: .init("content", .bytes))
    /// Values whose meaning the board's PnP model tells. Number 23.
    public static let rawPnPL = Feature(
        "rawPnPL", name: "Raw PnPL Controlled", fields: [.init("streamId", .uint8), .init("data", .bytes)],
        timing: .host)
    /// Extrapolation by a learnt model. Number 24. JSON.
    public static let neaiExtrapolation = json("neaiExtrapolation", name: "NEAI Extrapolation")
    /// Control of the sensor's own processing unit. Number 25. JSON.
    public static let ispuControl = json("ispuControl", name: "ISPU Control")
    /// A grid of distances. Number 29. JSON with `tof_zones`.
    public static let sceneDescription = json("sceneDescription", name: "Scene Description")

    /// Medical signals of 16 bits. Number 26. bluest.md §8.1.
    public static let medicalSignal16Bit = medical("medicalSignal16Bit", name: "Medical Signal 16 bit", width: 2)
    /// Medical signals of 24 bits. Number 27.
    public static let medicalSignal24Bit = medical("medicalSignal24Bit", name: "Medical Signal 24 bit", width: 3)

    /// The standard heart rate measurement, 2A37.
    public static let heartRate = Feature(
        "heartRate", name: "Heart Rate",
        fields: [
            .init("heartRate", .uint16, unit: "bpm", range: 0...255),
            .init("energyExpended", .uint16, unit: "kJ", presence: .nullable),
            .init("rrIntervals", .list, unit: "s", divisor: 1024),
            .init("skinContactSupported", .uint8, style: .flag), .init("skinContactDetected", .uint8, style: .flag),
        ], timing: .host
    ) { input, values throws(FeatureError) in
        let flags = try input.uint8()
        values.set(0, flags & 0x01 != 0 ? Double(try input.uint16()) : Double(try input.uint8()))
        if flags & 0x08 != 0 { values.set(1, Double(try input.uint16())) }
        if flags & 0x10 != 0 {
            while input.remaining >= 2 { values.list.append(Double(try input.uint16()) / 1024) }
        }
        values.set(3, flags & 0x04 != 0 ? 1 : 0)
        values.set(4, flags & 0x06 == 0x06 ? 1 : 0)
    }

    /// The standard body sensor location, 2A38.
    public static let bodySensorLocation = Feature(
        "bodySensorLocation", name: "Body Sensor Location",
        fields: [
            .init(
                "location", .uint8,
                labels: .init(["other", "chest", "wrist", "finger", "hand", "earLobe", "foot"], other: "notKnown"))
        ], timing: .host)

    /// STM32WB peer-to-peer: the button of a device. FE42.
    public static let p2pSwitchStatus = Feature(
        "p2pSwitchStatus", name: "P2P Switch",
        fields: [.init("deviceSelection", .uint8), .init("pressed", .uint8, style: .flag)], timing: .host
    ) { input, values throws(FeatureError) in
        try input.require(2)
        values.set(0, Double(try input.uint8()))
        values.set(1, try input.uint8() == 1 ? 1 : 0)
    }

    /// STM32WB peer-to-peer: which of six devices are connected. FE51.
    public static let p2pNetworkStatus = Feature(
        "p2pNetworkStatus", name: "P2P Network",
        fields: (1...6).map { .init("device\($0)", .uint8, style: .flag) }, timing: .host
    ) { input, values throws(FeatureError) in
        try input.require(6)
        for index in 0..<6 { values.set(index, try input.uint8() == 1 ? 1 : 0) }
    }

    /// BlueNRG loader: where an image may go.
    public static let blueNrgOtaMemoryInfo = Feature(
        "blueNrgOtaMemoryInfo", name: "BlueNRG OTA Memory Info",
        fields: [
            .init("flashLowerBound", .uint32, style: .mask), .init("flashUpperBound", .uint32, style: .mask),
            .init("versionMajor", .uint8), .init("versionMinor", .uint8),
        ], timing: .host
    ) { input, values throws(FeatureError) in
        try input.require(8)
        values.set(0, Double(try input.bigUInt32()))
        values.set(1, Double(try input.bigUInt32()))
        let version = input.remaining > 0 ? try input.uint8() : 0x10
        values.set(2, Double(version >> 4))
        values.set(3, Double(version & 15))
    }

    /// BlueNRG loader: what is going to be sent.
    public static let blueNrgOtaSettings = Feature(
        "blueNrgOtaSettings", name: "BlueNRG OTA Settings",
        fields: [.init("ackInterval", .uint8), .init("imageSize", .uint32), .init("baseAddress", .uint32)],
        timing: .host)

    /// BlueNRG loader: the next packet it expects.
    public static let blueNrgOtaAck = Feature(
        "blueNrgOtaAck", name: "BlueNRG OTA Ack",
        fields: [
            .init("nextSequence", .uint16),
            .init(
                "error", .uint8,
                labels: .init(
                    [
                        0: "none", 0x0F: "wrongCrc", 0xF0: "wrongSequence", 0xFF: "flashWriteFailed",
                        0x3C: "flashVerifyFailed", 0x4D: "writeFail2",
                    ], other: "unknown")),
        ], timing: .host)

    // MARK: - Shared parts

    private static func json(_ id: String, name: String) -> Feature {
        message(id, name: name, field: .init("text", .text))
    }

    private static func message(_ id: String, name: String, field: FeatureField) -> Feature {
        Feature(id, name: name, fields: [field], timing: .host, decoder: { MessageFeatureDecoder(id: id) })
    }

    private static func medical(_ id: String, name: String, width: Int) -> Feature {
        Feature(
            id, name: name,
            fields: [
                .init("internalTimestamp", .uint32), .init("signalType", .uint8), .init("channels", .uint8),
                .init("samples", .list),
            ], timing: .host
        ) { input, values throws(FeatureError) in
            try input.require(5)
            values.set(0, Double(try input.uint32()))
            let type = try input.uint8()
            guard let signal = MedicalSignal(type) else { throw input.error(.unsupportedSignalType) }
            guard signal.width == width else { throw input.error(.precisionMismatch) }
            values.set(1, Double(type))
            values.set(2, Double(signal.channels))
            // A sample of all channels that is cut off is dropped.
            for _ in 0..<input.remaining / (width * signal.channels) * signal.channels {
                values.list.append(width == 3 ? Double(try input.uint24()) : Double(try input.int16()))
            }
        }
    }
}

/// A kind of medical signal. bluest.md §8.1.
public struct MedicalSignal: Hashable, Sendable {
    /// The name, `PPG`.
    public let name: String
    /// Channels whose values follow each other.
    public let channels: Int
    /// Octets of a value: 3 without sign or 2 with sign.
    public let width: Int

    /// The signal of a number; nil if there is none.
    public init?(_ type: UInt8) {
        switch type {
        case 0x00...0x05: (name, channels, width) = ("PPG", 1, 3)
        case 0x06: (name, channels, width) = ("EMG", 1, 2)
        case 0x07: (name, channels, width) = ("bio-impedance", 4, 2)
        case 0x08: (name, channels, width) = ("GSR", 1, 2)
        case 0x09: (name, channels, width) = ("accelerometer", 3, 2)
        case 0x0A: (name, channels, width) = ("gyroscope", 3, 2)
        case 0x0B: (name, channels, width) = ("magnetometer", 3, 2)
        case 0x0C: (name, channels, width) = ("pressure", 1, 3)
        case 0x0D: (name, channels, width) = ("temperature", 1, 2)
        case 0x10...0x1B: (name, channels, width) = ("ECG \(type - 0x0F)", 1, 2)
        case 0x20...0x23: (name, channels, width) = (["dZ", "Z0", "Ze", "Zc"][Int(type) - 0x20], 1, 2)
        default: return nil
        }
    }
}

/// Puts a spectrum together. A number may straddle two notifications; a new head begins when the block before is
/// complete.
struct FFTFeatureDecoder: FeatureDecoding {
    /// Numbers in one spectrum at most: beyond this a head is no head.
    static let limit = 1 << 18

    private var sampleCount = 0
    private var componentCount = 0
    private var step = 0.0
    private var amplitudes: [Double] = []
    private var pending: UInt32 = 0
    private var pendingCount: UInt32 = 0
    private var isInBlock = false

    /// Numbers that are there, and numbers that the spectrum has.
    var progress: FeatureProgress? {
        isInBlock ? FeatureProgress(received: amplitudes.count, total: sampleCount * componentCount) : nil
    }

    mutating func decode(_ input: inout FeatureInput, into values: inout FeatureValues) throws(FeatureError) -> Bool {
        if !isInBlock {
            try input.require(7)
            sampleCount = Int(try input.uint16())
            componentCount = Int(try input.uint8())
            step = try input.float32()
            guard sampleCount * componentCount > 0, sampleCount * componentCount <= Self.limit else {
                throw input.error(.unsupportedLength)
            }
            amplitudes.removeAll(keepingCapacity: true)
            pendingCount = 0
            isInBlock = true
        }
        while input.remaining > 0, amplitudes.count < sampleCount * componentCount {
            pending = pending >> 8 | UInt32(try input.uint8()) << 24
            pendingCount += 1
            if pendingCount == 4 {
                amplitudes.append(Double(Float(bitPattern: pending)))
                pendingCount = 0
            }
        }
        guard amplitudes.count == sampleCount * componentCount else { return false }
        values.set(0, Double(sampleCount))
        values.set(1, Double(componentCount))
        values.set(2, step)
        values.list = amplitudes
        isInBlock = false
        return true
    }
}

/// Puts messages together from frames. bluest.md §10.
struct MessageFeatureDecoder: FeatureDecoding {
    private let id: String
    private var assembler = MessageAssembler()

    init(id: String) { self.id = id }

    var progress: FeatureProgress? {
        assembler.isInMessage ? FeatureProgress(received: assembler.pendingCount, total: nil) : nil
    }

    mutating func decode(_ input: inout FeatureInput, into values: inout FeatureValues) throws(FeatureError) -> Bool {
        do {
            guard let message = try assembler.received(input.rest()) else { return false }
            values.bytes = message
            return true
        } catch {
            throw FeatureError(error.code, feature: id, needed: error.needed, available: error.available)
        }
    }
}
