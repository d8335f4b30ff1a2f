// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST
import CeruleanWire

/// The kinds of bluest.json about what boards send by themselves: notifications, timestamps, audio, spectra.
public struct BlueSTNotificationCases: VectorSuite {
    /// Creates the suite.
    public init() {}

    /// The kinds.
    public var kinds: Set<String> { ["notification", "timestampSequence", "adpcm", "fftSequence"] }

    /// Runs one case.
    public func run(_ test: VectorCase) async throws(CaseFailure) {
        var members = try test.members()
        switch test.kind {
        case "notification": try Self.notification(&members)
        case "timestampSequence": try Self.timestampSequence(&members)
        case "adpcm": try Self.adpcm(&members)
        default: try Self.fftSequence(&members)
        }
        try members.finish()
    }

    // MARK: - Kinds

    private static func notification(_ members: inout CaseObject) throws(CaseFailure) {
        let version = UInt8(clamping: try members.integer("protocolVersion"))
        let device = UInt8(clamping: try BlueSTHex.number("deviceId", &members))
        var mask: UInt32?
        if members.names.contains("featureMask") { mask = try BlueSTHex.number("featureMask", &members) }
        let uuid = try uuid(&members)
        let bytes = try members.hex("bytesHex")
        var decoder = CharacteristicDecoder(uuid, device: device, protocolVersion: version, advertised: mask)
        if members.names.contains("featureState") {
            var state = try members.object("featureState")
            let isOn: UInt8 = try state.bool("pedometerEnabled") ? 1 : 0
            try state.finish()
            decoder.commandSent(to: .accelerationEvent, UInt8(ascii: "p"), [isOn])
        }
        let expected = try members.required("expected")
        guard !decoder.slots.isEmpty else { throw CaseFailure("characteristicUUID: carries no feature") }

        var features: [FieldValue] = []
        let outcome = decoder.decode(bytes) { sample in
            var feature: [FieldValue.Member] = [
                .init("feature", .text(sample.feature.id)), .init("fields", .object(sample.members)),
            ]
            if !sample.isEnabled { feature.append(.init("enabled", .bool(false))) }
            features.append(.object(feature))
        }
        var actual: [FieldValue.Member] = []
        if let raw = outcome.rawTimestamp { actual.append(.init("timestamp", FieldValue(integer: raw))) }
        actual.append(.init("features", .list(features)))
        if let error = outcome.error {
            actual.append(.init("error", BlueSTHex.describe(error, as: expected["error"])))
        } else {
            actual.append(.init("consumed", FieldValue(integer: outcome.consumed)))
        }
        try BlueSTHex.compare(.object(actual), with: expected)
    }

    private static func timestampSequence(_ members: inout CaseObject) throws(CaseFailure) {
        let raw = try members.integers("rawTimestamps")
        var expected = try members.object("expected")
        // What ST's programs give, for information.
        _ = expected.optional("sdkExtended")
        var unwrapper = TimestampUnwrapper()
        let actual = raw.map { FieldValue(integer: unwrapper.unwrap(UInt16(truncatingIfNeeded: $0))) }
        guard raw.allSatisfy({ UInt16(exactly: $0) != nil }) else {
            throw CaseFailure("rawTimestamps: no 16-bit numbers")
        }
        try BlueSTHex.compare(.list(actual), with: try expected.required("extended"), at: "expected.extended")
        try expected.finish()
    }

    private static func adpcm(_ members: inout CaseObject) throws(CaseFailure) {
        var decoder = NodeDecoder(device: 0x02, protocolVersion: 1, advertised: nil)
        guard let audio = decoder.add(BlueSTUUID.features(0x0800_0000)),
            let sync = decoder.add(BlueSTUUID.features(0x4000_0000))
        else { throw CaseFailure("the audio features are missing") }
        var samples: [FieldValue] = []
        for value in try members.list("frames") {
            var frame = try CaseObject(value, at: "frames")
            let channel: NodeDecoder.Channel
            switch try frame.text("characteristic") {
            case "audio": channel = audio
            case "sync": channel = sync
            case let other: throw CaseFailure("characteristic: unknown \(other)")
            }
            let outcome = decoder.received(try frame.hex("bytesHex"), on: channel, at: .zero) { sample in
                if channel == audio { samples += sample.values.list.map { .integer(Int64($0)) } }
            }
            try frame.finish()
            if let error = outcome.error { throw CaseFailure("frames: \(error)") }
        }
        try BlueSTHex.compare(["samples": .list(samples)], with: try members.required("expected"))
    }

    private static func fftSequence(_ members: inout CaseObject) throws(CaseFailure) {
        var decoder = CharacteristicDecoder(try uuid(&members), device: 0x80, protocolVersion: 1)
        var actual: [FieldValue.Member] = []
        for (index, text) in try members.texts("framesHex").enumerated() {
            let outcome = decoder.decode(try BlueSTHex.bytes(text, at: "framesHex")) { sample in
                actual = sample.members + [.init("completeAfterFrame", FieldValue(integer: index + 1))]
            }
            if let error = outcome.error { throw CaseFailure("framesHex[\(index)]: \(error)") }
        }
        try BlueSTHex.compare(.object(actual), with: try members.required("expected"))
    }

    private static func uuid(_ members: inout CaseObject) throws(CaseFailure) -> BluetoothUUID {
        let text = try members.text("characteristicUUID")
        guard let uuid = BluetoothUUID(text) else { throw CaseFailure("characteristicUUID: no UUID") }
        return uuid
    }
}

/// What the suites of bluest.json share.
enum BlueSTHex {
    /// A number written as `0x…`.
    static func number(_ name: String, _ members: inout CaseObject) throws(CaseFailure) -> UInt32 {
        let text = try members.text(name)
        guard text.hasPrefix("0x"), let number = UInt32(text.dropFirst(2), radix: 16) else {
            throw CaseFailure("\(members.path(of: name)): no 0x… number")
        }
        return number
    }

    static func bytes(_ text: String, at path: String) throws(CaseFailure) -> [UInt8] {
        do {
            return try Hex.decode(text)
        } catch {
            throw CaseFailure("\(path): \(error)")
        }
    }

    static func text(_ number: UInt32, digits: Int) -> FieldValue {
        let text = String(number, radix: 16, uppercase: true)
        return .text("0x" + String(repeating: "0", count: max(0, digits - text.count)) + text)
    }

    /// An error as the vectors have it. How many octets there were belongs to truncation; other errors show it where
    /// it is
    /// expected.
    static func describe(_ error: FeatureError, as expected: FieldValue?) -> FieldValue {
        var members: [FieldValue.Member] = [.init("code", .text(error.code.rawValue))]
        if let feature = error.feature { members.append(.init("feature", .text(feature))) }
        for (name, number) in [("needed", error.needed), ("available", error.available)] {
            guard let number, error.code == .truncated || expected?[name] != nil else { continue }
            members.append(.init(name, FieldValue(integer: number)))
        }
        return .object(members)
    }

    static func compare(_ actual: FieldValue, with expected: FieldValue, at path: String = "expected")
        throws(CaseFailure)
    {
        // The numbers are decimal roundings of exact ones.
        try Expectation.compare(actual, with: expected, at: path, relative: 1e-6, absolute: 1e-9)
    }
}
