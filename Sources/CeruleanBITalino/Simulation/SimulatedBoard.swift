// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

extension BITalino {
    /// The firmware of a (r)evolution board as a pure machine: command octets in, answers and frames out.
    ///
    /// Give it octets with ``receive(_:at:)``, let time pass with ``advance(to:)`` not later than ``nextDeadline``, and take
    /// what it sends with ``take(_:)``. Its transmit buffer holds 1500 octets; a frame that finds no room is dropped whole,
    /// and the sequence number advances all the same. Sections 3 and 4 of the protocol notes; the `device` vectors judge it.
    public struct SimulatedBoard: Sendable {
        /// Octets that the transmit buffer holds.
        public static let bufferSize = 1500

        /// The firmware version it reports.
        public let version: Version
        /// What it measures in live mode.
        public var signals: Signals
        /// The levels of the digital inputs I1 and I2; the inputs have pull-ups, so released is true.
        public var digitalInputs: (i1: Bool, i2: Bool) = (true, true)
        /// The reading of the battery, 10 bits.
        public var battery = 620

        /// The level of output O1.
        public private(set) var o1 = false
        /// The level of output O2.
        public private(set) var o2 = false
        /// The PWM value.
        public private(set) var pwm: UInt8 = 0
        /// The battery threshold, 0 to 63.
        public private(set) var batteryThreshold: UInt8 = 0
        /// True while the battery LED is lit: from a reading below the threshold until a new threshold is set.
        public private(set) var isBatteryLEDOn = false
        /// The rate in force or to come.
        public private(set) var rate: Rate = .hz1000
        /// True while it acquires.
        public var isRunning: Bool { acquisition != nil }
        /// The inputs being acquired; nil when idle.
        public var acquiredInputs: InputSet? { acquisition?.inputs }
        /// Frames dropped since power-on because the buffer was full.
        public private(set) var droppedFrames = 0

        private struct Acquisition: Sendable {
            var inputs: InputSet
            var mode: Mode
            var period: Duration
            var nextFrame: MonotonicTime
            var count = 0
        }

        private var acquisition: Acquisition?
        private var awaitsPWM = false
        private var output: [UInt8] = []
        private var now: MonotonicTime = .zero
        private var thresholdSet: MonotonicTime = .zero

        /// A board just switched on.
        public init(version: Version = Version(major: 5, minor: 2), signals: Signals = Signals()) {
            self.version = version
            self.signals = signals
            output.reserveCapacity(Self.bufferSize)
        }

        /// When something happens by itself next; `CeruleanWire/MonotonicTime/distantFuture` when idle.
        public var nextDeadline: MonotonicTime { acquisition?.nextFrame ?? .distantFuture }

        /// When the board will have sent `count` more octets if nothing changes; `CeruleanWire/MonotonicTime/distantFuture` when idle.
        public func moment(ofSending count: Int) -> MonotonicTime {
            guard let acquisition else { return .distantFuture }
            let size = FrameCodec.size(inputs: acquisition.inputs.count)
            let frames = max(1, (count + size - 1) / size)
            return acquisition.nextFrame + acquisition.period * (frames - 1)
        }

        /// Octets waiting to be taken.
        public var pendingOctets: Int { output.count }

        /// Takes command octets that arrive at a moment.
        public mutating func receive(_ bytes: some Sequence<UInt8>, at moment: MonotonicTime) {
            advance(to: moment)
            for byte in bytes { receive(byte) }
        }

        /// Lets time pass.
        public mutating func advance(to moment: MonotonicTime) {
            guard moment > now || acquisition != nil else { return }
            now = max(now, moment)
            if now > thresholdSet, battery < Battery.ledLimit(threshold: Int(batteryThreshold)) {
                isBatteryLEDOn = true
            }
            while var running = acquisition, running.nextFrame <= now {
                skip(&running)
                let frame = frame(of: running)
                running.count += 1
                running.nextFrame = running.nextFrame + running.period
                acquisition = running
                send(frame)
            }
        }

        /// Takes at most `limit` octets of what has been sent, oldest first.
        public mutating func take(_ limit: Int = .max) -> [UInt8] {
            let count = min(max(limit, 0), output.count)
            let taken = Array(output.prefix(count))
            output.removeFirst(count)
            return taken
        }

        // MARK: - Private

        private mutating func receive(_ byte: UInt8) {
            // The order of the tests is the firmware's; section 3.1.
            if awaitsPWM {
                awaitsPWM = false
                pwm = byte
            } else if byte == 0xA3 {
                awaitsPWM = true
            } else if byte & 0xF3 == 0xB3 {
                setOutputs(byte)
            } else if byte & 0xA3 == 0xA3, byte != 0xFF {
                return  // Reserved.
            } else if acquisition == nil {
                receiveIdle(byte)
            } else if byte == 0x00 || byte == 0xFF {
                acquisition = nil
            } else if byte & 3 == 3 {
                setOutputs(byte)  // The trigger of the original board.
            }
        }

        private mutating func receiveIdle(_ byte: UInt8) {
            switch byte & 3 {
            case 0:
                batteryThreshold = byte >> 2
                isBatteryLEDOn = false
                thresholdSet = now
            case 1: start(inputs: InputSet(rawValue: byte >> 2), mode: .live)
            case 2: start(inputs: InputSet(rawValue: byte >> 2), mode: .simulated)
            default:
                if byte == 0x07 || byte == 0x0F {
                    append(Array(version.text.utf8) + [0x0A])
                } else if byte == 0x0B {
                    append(state.encoded)
                } else if byte & 0x3F == 0x03 {
                    rate = [.hz1, .hz10, .hz100, .hz1000][Int(byte >> 6)]
                }
            }
        }

        private mutating func setOutputs(_ byte: UInt8) {
            o1 = byte & 4 != 0
            o2 = byte & 8 != 0
        }

        private mutating func start(inputs: InputSet, mode: Mode) {
            let period = Duration.nanoseconds(1_000_000_000 / Int64(rate.rawValue))
            acquisition = Acquisition(inputs: inputs, mode: mode, period: period, nextFrame: now + period)
        }

        /// After a long sleep (a stopped machine) the frames between would fill nothing but the dropped count.
        private mutating func skip(_ running: inout Acquisition) {
            let late = (now - running.nextFrame).wholeNanoseconds / running.period.wholeNanoseconds
            let surplus = late - 4096
            guard surplus > 0 else { return }
            running.count += Int(surplus)
            droppedFrames += Int(surplus)
            running.nextFrame = running.nextFrame + .nanoseconds(surplus * running.period.wholeNanoseconds)
        }

        private var pins: UInt8 {
            (digitalInputs.i1 ? 8 : 0) | (digitalInputs.i2 ? 4 : 0) | (o1 ? 2 : 0) | (o2 ? 1 : 0)
        }

        private func frame(of running: Acquisition) -> Frame {
            var frame = Frame(inputs: running.inputs, sequence: UInt8(truncatingIfNeeded: running.count & 15))
            var position = 0
            for input in Input.allCases where running.inputs.position(of: input) != nil {
                let isShort = FrameCodec.bits(position: position) == 6
                frame.analog[position] =
                    switch running.mode {
                    case .live:
                        signals[input].value(at: running.count, rate: rate, isShort: isShort)
                    case .simulated:
                        Signal.table(input).value(at: running.count, rate: rate, isShort: isShort)
                    }
                position += 1
            }
            frame.digital =
                switch running.mode {
                case .live: signals.digital?.value(at: running.count, rate: rate) ?? pins
                case .simulated: frame.sequence
                }
            return frame
        }

        private mutating func send(_ frame: Frame) {
            guard output.count + FrameCodec.size(inputs: frame.inputs.count) <= Self.bufferSize else {
                droppedFrames += 1
                return
            }
            FrameCodec.encode(frame, into: &output)
        }

        private mutating func append(_ answer: [UInt8]) {
            if output.count + answer.count <= Self.bufferSize { output += answer }
        }

        private var state: BoardState {
            BoardState(
                analog: Input.allCases.map { Int(signals[$0].value(at: 0, rate: rate, isShort: false)) },
                battery: battery, batteryThreshold: Int(batteryThreshold), pwm: version.hasLongState ? Int(pwm) : nil,
                digital: (0..<4).map { Int(pins >> UInt8(3 - $0) & 1) })
        }
    }
}
