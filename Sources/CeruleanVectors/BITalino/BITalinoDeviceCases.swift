// SPDX-License-Identifier: Apache-2.0

import CeruleanBITalino
import CeruleanRecording
import CeruleanWire

/// The kind `device` of bitalino.json: steps against the simulated board, with the answers of the real firmware.
public struct BITalinoDeviceCases: VectorSuite {
    /// Creates the suite.
    public init() {}

    /// The kind.
    public var kinds: Set<String> { ["device"] }

    /// Runs one case.
    public func run(_ test: VectorCase) async throws(CaseFailure) {
        var members = try test.members()
        var device = Device()
        for (index, step) in try members.list("steps").enumerated() {
            var step = try CaseObject(step, at: "steps[\(index)]")
            try device.perform(&step)
            try step.finish()
        }
        try members.finish()
    }

    // MARK: - Private

    private struct Device {
        /// Power-on: battery pin at 2000 mV, I1 and I2 high.
        var board = BITalino.SimulatedBoard()
        var now: MonotonicTime = .zero
        /// The inputs of the last start; their frames are in the stream.
        var inputs: BITalino.InputSet?
        /// What has been sent since the last comparison.
        var sent: [UInt8] = []

        mutating func perform(_ step: inout CaseObject) throws(CaseFailure) {
            guard !step.names.isEmpty else { throw CaseFailure("\(step.path): nothing to do") }
            if step.names.contains("adc") { try setInputs(&step) }
            if step.names.contains("send") {
                for byte in try step.hex("send") {
                    board.receive(CollectionOfOne(byte), at: now)
                    if let acquired = board.acquiredInputs { inputs = acquired }
                }
            }
            if step.names.contains("waitMs") {
                let time = try step.number("waitMs")
                guard time >= 0, time <= 3_600_000 else { throw CaseFailure("\(step.path).waitMs: out of range") }
                wait(until: now + .nanoseconds(Int64(time * 1e6)))
            }
            if step.names.contains("expectBytes") { try compareBytes(try step.hex("expectBytes"), at: step.path) }
            if step.names.contains("expectState") { try compareState(&step) }
        }

        /// The line takes what the board sends at once, so its buffer never fills.
        private mutating func wait(until end: MonotonicTime) {
            while board.nextDeadline <= end {
                board.advance(to: board.nextDeadline)
                sent += board.take()
            }
            board.advance(to: end)
            sent += board.take()
            now = end
        }

        private mutating func setInputs(_ step: inout CaseObject) throws(CaseFailure) {
            var pins = try step.object("adc")
            for name in pins.names {
                let millivolts = try pins.integer(name)
                guard (0...3300).contains(millivolts) else {
                    throw CaseFailure("\(step.path).adc.\(name): out of range")
                }
                let counts = millivolts * 1023 / 3300
                if let input = BITalino.Input.allCases.first(where: { $0.description == name }) {
                    board.signals[input] = .constant(UInt16(counts))
                } else if name == "ABAT" {
                    board.battery = counts
                } else {
                    throw CaseFailure("\(step.path).adc: unknown \(name)")
                }
            }
        }

        /// Equal, or in streams of frames one whole frame more or less at the end.
        private mutating func compareBytes(_ expected: [UInt8], at path: String) throws(CaseFailure) {
            let actual = sent + board.take()
            sent = []
            if actual == expected { return }
            let failure = CaseFailure(
                "\(path).expectBytes: expected \(Hex.encode(expected.prefix(64))), got \(Hex.encode(actual.prefix(64)))"
            )
            guard let inputs else { throw failure }
            let size = BITalino.FrameCodec.size(inputs: inputs.count)
            let common = min(actual.count, expected.count)
            guard abs(actual.count - expected.count) == size,
                actual.prefix(common).elementsEqual(expected.prefix(common))
            else { throw failure }
            let surplus = Array((actual.count > expected.count ? actual : expected).suffix(size))
            guard BITalino.FrameCodec.decode(surplus, inputs: inputs) != nil else { throw failure }
            if common >= size {
                let before = (actual.count > expected.count ? actual : expected)[common - 1] >> 4
                guard surplus[size - 1] >> 4 == (before + 1) & 15 else { throw failure }
            } else if surplus[size - 1] >> 4 != 0 {
                throw failure
            }
        }

        private func compareState(_ step: inout CaseObject) throws(CaseFailure) {
            let path = step.path(of: "expectState")
            let known: [FieldValue.Member] = [
                .init("O1", .integer(board.o1 ? 1 : 0)), .init("O2", .integer(board.o2 ? 1 : 0)),
                .init("batteryLED", .integer(board.isBatteryLEDOn ? 1 : 0)),
                .init("pwm", FieldValue(integer: board.pwm)),
                .init("running", .bool(board.isRunning)),
                .init("selectedRateHz", FieldValue(integer: board.rate.rawValue)),
                .init("batteryThreshold", FieldValue(integer: board.batteryThreshold)),
            ]
            var expected = try step.object("expectState")
            guard !expected.names.isEmpty else { throw CaseFailure("\(path): nothing to compare") }
            for member in known {
                guard let wanted = expected.optional(member.name) else { continue }
                try Expectation.compare(member.value, with: wanted, at: "\(path).\(member.name)")
            }
            try expected.finish()
        }
    }
}
