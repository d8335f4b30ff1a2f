// SPDX-License-Identifier: Apache-2.0

extension BITalino {
    /// A call and the octets it sends. What a board of some version refuses in some state is refused here, before an octet
    /// is sent.
    public enum Command: Hashable, Sendable {
        /// Asks for the version.
        case version
        /// Selects a rate in Hz and starts; inputs from 0 (A1) to 5 in any order. As with the official programs, live mode
        /// takes repetitions and refuses an empty list, simulated mode refuses repetitions and takes an empty list for all six.
        case start(rate: Int, inputs: [Int], mode: Mode)
        /// Goes to idle.
        case stop
        /// Sets the battery threshold in steps from 0 (3.4 V) to 63 (3.8 V).
        case battery(threshold: Int)
        /// Drives the digital outputs, 0 or 1: two on a (r)evolution board, four on the original one; empty means all 0.
        case outputs([Int])
        /// Sets the PWM output from 0 to 255.
        case pwm(Int)
        /// Asks for the state.
        case state

        /// The octets, one write after the other.
        ///
        /// - Throws: ``BITalinoError`` with `.invalidParameter`, `.notIdle`, `.notAcquiring` or `.unsupportedVersion`.
        public func encoded(for version: Version, isAcquiring: Bool) throws(BITalinoError) -> [UInt8] {
            switch self {
            case .version:
                try requireIdle(isAcquiring, "the version can only be read")
                return [0x07]
            case .start(let rate, let inputs, let mode):
                try requireIdle(isAcquiring, "an acquisition can only be started")
                return try Self.start(rate: rate, inputs: inputs, mode: mode)
            case .stop:
                // 00 stops a running acquisition, but sets the threshold of an idle board: FF is safe in both states.
                if isAcquiring { return [0x00] }
                guard version.isRevolution else {
                    throw BITalinoError(.notAcquiring, "the board does not acquire, so there is nothing to stop")
                }
                return [0xFF]
            case .battery(let threshold):
                try requireIdle(isAcquiring, "the battery threshold can only be set")
                guard (0...63).contains(threshold) else {
                    throw BITalinoError(.invalidParameter, "battery threshold \(threshold): it goes from 0 to 63")
                }
                return [UInt8(threshold) << 2]
            case .outputs(let levels):
                return try Self.outputs(levels, version: version, isAcquiring: isAcquiring)
            case .pwm(let value):
                try requireRevolution(version, "a PWM output")
                guard (0...255).contains(value) else {
                    throw BITalinoError(.invalidParameter, "PWM value \(value): it goes from 0 to 255")
                }
                return [0xA3, UInt8(value)]
            case .state:
                try requireRevolution(version, "a state reply")
                try requireIdle(isAcquiring, "the state can only be read")
                return [0x0B]
            }
        }

        // MARK: - Private

        private func requireIdle(_ isAcquiring: Bool, _ what: String) throws(BITalinoError) {
            if isAcquiring {
                throw BITalinoError(.notIdle, "\(what) while the board is idle; stop the acquisition first")
            }
        }

        private func requireRevolution(_ version: Version, _ what: String) throws(BITalinoError) {
            guard version.isRevolution else {
                throw BITalinoError(
                    .unsupportedVersion, "firmware \(version) has no \(what); a (r)evolution board (4.2 or later) has")
            }
        }

        private static func start(rate: Int, inputs: [Int], mode: Mode) throws(BITalinoError) -> [UInt8] {
            guard let rate = Rate(rawValue: rate) else {
                throw BITalinoError(.invalidParameter, "rate \(rate) Hz: a BITalino samples at 1, 10, 100 or 1000 Hz")
            }
            var mask: UInt8 = 0
            for input in inputs {
                guard (0...5).contains(input) else {
                    throw BITalinoError(.invalidParameter, "input \(input): they go from 0 (A1) to 5 (A6)")
                }
                let bit: UInt8 = 1 << UInt8(input)
                if mode == .simulated, mask & bit != 0 {
                    throw BITalinoError(.invalidParameter, "input \(input) stands twice")
                }
                mask |= bit
            }
            if inputs.isEmpty {
                guard mode == .simulated else { throw BITalinoError(.invalidParameter, "choose one input at least") }
                mask = 0x3F
            }
            return [rate.code << 6 | 0x03, mask << 2 | (mode == .live ? 0x01 : 0x02)]
        }

        private static func outputs(
            _ levels: [Int], version: Version, isAcquiring: Bool
        ) throws(BITalinoError) -> [UInt8] {
            let count = version.isRevolution ? 2 : 4
            guard version.isRevolution || isAcquiring else {
                throw BITalinoError(.notAcquiring, "the original board drives its outputs only while it acquires")
            }
            guard levels.isEmpty || levels.count == count, levels.allSatisfy({ $0 == 0 || $0 == 1 }) else {
                throw BITalinoError(.invalidParameter, "outputs \(levels): give \(count) values, each 0 or 1")
            }
            var byte: UInt8 = version.isRevolution ? 0xB3 : 0x03
            for (index, level) in levels.enumerated() { byte |= UInt8(level) << UInt8(2 + index) }
            return [byte]
        }
    }

    /// The octets that the original BITalinoBLE framework sends, kept as they are: some of them are mistaken on a
    /// (r)evolution board. Only for comparing with it.
    public enum FrameworkCommand: Hashable, Sendable {
        /// `startRecordingFromAnalogChannels:withSampleRate:…`.
        case startRecording(channels: [Int], sampleRate: Int)
        /// `stopRecording`.
        case stopRecording
        /// `setBatteryThreshold:`.
        case setBatteryThreshold(Int)
        /// `setDigitalOutputs:`.
        case setDigitalOutputs([Int])

        /// The octets, one write after the other.
        ///
        /// - Throws: ``BITalinoError`` `.invalidParameter` where the framework raises an exception.
        public func encoded() throws(BITalinoError) -> [UInt8] {
            switch self {
            case .startRecording(let channels, let sampleRate):
                // The framework sends 01 for no channel at all.
                guard let rate = Rate(rawValue: sampleRate) else {
                    throw BITalinoError(.invalidParameter, "rate \(sampleRate) Hz: valid are 1, 10, 100 and 1000")
                }
                guard channels.allSatisfy({ (0...5).contains($0) }) else {
                    throw BITalinoError(.invalidParameter, "channels \(channels): valid are 0 to 5")
                }
                let mask = channels.reduce(UInt8(0)) { $0 | 1 << UInt8($1) }
                return [rate.code << 6 | 0x03, mask << 2 | 0x01]
            case .stopRecording: return [0x00]
            case .setBatteryThreshold(let threshold):
                guard (0...63).contains(threshold) else {
                    throw BITalinoError(.invalidParameter, "battery threshold \(threshold): it goes from 0 to 63")
                }
                return [UInt8(threshold) << 2]
            case .setDigitalOutputs(let levels):
                guard levels.count == 4, levels.allSatisfy({ $0 == 0 || $0 == 1 }) else {
                    throw BITalinoError(.invalidParameter, "outputs \(levels): give 4 values, each 0 or 1")
                }
                return [levels.enumerated().reduce(0x03) { $0 | UInt8($1.element) << UInt8(2 + $1.offset) }]
            }
        }
    }
}
