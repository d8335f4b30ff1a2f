// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

extension BITalino {
    /// The radio module of a board as a pure machine: a plain pipe between two characteristics and the board's serial line.
    ///
    /// It collects what the board sends into values of 1 to 20 octets, and takes from the board only what the radio takes from
    /// it: while the radio is silent the board's own buffer fills, and then the board drops frames. Section 2 of the protocol
    /// notes.
    public struct SimulatedModule: Sendable {
        /// Octets in a value at most.
        public static let valueSize = 20
        /// How long octets wait for company.
        public static let patience = Duration.milliseconds(5)

        /// The board behind it.
        public var board: SimulatedBoard
        /// What goes wrong on the serial line between the two.
        public var faults = LineFaults()
        private var value: [UInt8] = []
        private var since: MonotonicTime = .zero
        private var now: MonotonicTime = .zero

        /// A module with a board behind it.
        public init(board: SimulatedBoard) { self.board = board }

        /// A client wrote a command: 1 to 20 octets, which go to the board unchanged.
        public mutating func write(_ bytes: [UInt8], at moment: MonotonicTime) {
            advance(to: moment)
            board.receive(bytes.prefix(Self.valueSize), at: moment)
            collect()
        }

        /// The link is gone: the board is told to stop, and what was on its way is lost.
        public mutating func linkLost(at moment: MonotonicTime) {
            board.receive(CollectionOfOne(0xFF), at: moment)
            discard(at: moment)
        }

        /// Nobody listens: what the board has sent so far is lost.
        public mutating func discard(at moment: MonotonicTime) {
            board.advance(to: moment)
            _ = board.take()
            value.removeAll(keepingCapacity: true)
        }

        /// Lets time pass.
        public mutating func advance(to moment: MonotonicTime) {
            now = max(now, moment)
            board.advance(to: now)
            collect()
        }

        /// When to call ``advance(to:)`` next, if the radio takes what is ready.
        public var nextDeadline: MonotonicTime {
            let full = board.moment(ofSending: Self.valueSize - value.count)
            return min(full, (value.isEmpty ? board.nextDeadline : since) + Self.patience)
        }

        /// The value to send now; nil if there is none yet. It stays until ``sent()``.
        public var readyValue: [UInt8]? {
            guard !value.isEmpty, value.count == Self.valueSize || now >= since + Self.patience else { return nil }
            return value
        }

        /// The radio took the value.
        public mutating func sent() {
            value.removeAll(keepingCapacity: true)
            collect()
        }

        // MARK: - Private

        private mutating func collect() {
            let room = Self.valueSize - value.count
            guard room > 0, board.pendingOctets > 0 else { return }
            if value.isEmpty { since = now }
            faults.append(board.take(room), to: &value, limit: Self.valueSize)
        }
    }
}
