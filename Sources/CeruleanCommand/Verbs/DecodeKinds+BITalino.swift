// SPDX-License-Identifier: Apache-2.0

import CeruleanBITalino
import CeruleanWire

extension DecodeKind {
    /// Frames of a BITalino one behind the other.
    static let bitalinoFrames = DecodeKind(name: "bitalino-frames", options: ["channels"]) {
        invocation throws(CommandError) in
        guard let count = try invocation.integer("channels", 1...6) else {
            throw .usage("decode bitalino-frames needs --channels, 1 to 6")
        }
        let inputs = BITalino.InputSet(BITalino.Input.allCases.prefix(count))
        let size = BITalino.FrameCodec.size(inputs: count)
        return { bytes in
            var frames: [FieldValue] = []
            var start = 0
            var fault: DecodeOutcome.Fault?
            while start < bytes.count, fault == nil {
                let end = min(start + size, bytes.count)
                if end - start < size {
                    let text = "frame \(frames.count) has \(end - start) of \(size) octets"
                    fault = .init("truncated", text, offset: start)
                } else if let frame = BITalino.FrameCodec.decode(Array(bytes[start..<end]), inputs: inputs) {
                    frames.append(frame.fieldValue)
                    start = end
                } else {
                    fault = .init("crc", "frame \(frames.count) has a wrong checksum", offset: start)
                }
            }
            return DecodeOutcome(value: ["frames": .list(frames)], error: fault)
        }
    }

    /// A BITalino's answer to the state command.
    static let bitalinoState = DecodeKind(name: "bitalino-state") { _ in
        { bytes in
            guard bytes.count >= 16 else {
                let text = "a state has 17 octets, before firmware 5.2 16, not \(bytes.count)"
                return DecodeOutcome(value: nil, error: .init("truncated", text, offset: bytes.count))
            }
            guard bytes.count <= 17 else {
                return DecodeOutcome(value: nil, error: .init("trailing", "octets behind the state", offset: 17))
            }
            let version = BITalino.Version(major: 5, minor: bytes.count == 17 ? 2 : 1)
            do {
                return DecodeOutcome(value: try BITalino.BoardState(answer: bytes, version: version).fieldValue)
            } catch {
                // The length was checked: what is left is the checksum in the last octet.
                return DecodeOutcome(value: nil, error: .init("crc", "\(error)", offset: bytes.count - 1))
            }
        }
    }

    /// A BITalino's answer to the version command.
    static let bitalinoVersion = DecodeKind(name: "bitalino-version") { _ in
        { bytes in
            if let version = BITalino.Version(answer: bytes) {
                return DecodeOutcome(value: version.fieldValue)
            }
            let fault: DecodeOutcome.Fault =
                bytes.contains(0x0A)
                ? .init("invalid", "no version text", offset: 0)
                : .init("truncated", "the line feed behind the version is missing", offset: bytes.count)
            return DecodeOutcome(value: nil, error: fault)
        }
    }
}

extension BITalino.Frame {
    /// The frame in the words of the vectors.
    var fieldValue: FieldValue {
        [
            "seq": FieldValue(integer: sequence), "digital": .list((0..<4).map { FieldValue(integer: line($0)) }),
            "analog": .list(inputs.inputs.map { FieldValue(integer: self[$0]) }),
        ]
    }
}

extension BITalino.BoardState {
    /// The state in the words of the vectors.
    var fieldValue: FieldValue {
        var members: [FieldValue.Member] = [
            .init("analog", .list(analog.map { FieldValue(integer: $0) })),
            .init("battery", FieldValue(integer: battery)),
            .init("batteryThreshold", FieldValue(integer: batteryThreshold)),
            .init("digital", .list(digital.map { FieldValue(integer: $0) })),
        ]
        if let pwm { members.append(.init("pwm", FieldValue(integer: pwm))) }
        return .object(members)
    }
}

extension BITalino.Version {
    /// The version in the words of the vectors.
    var fieldValue: FieldValue {
        ["version": .text(text), "isBITalino2": .bool(isRevolution), "stateIs17Bytes": .bool(hasLongState)]
    }
}
