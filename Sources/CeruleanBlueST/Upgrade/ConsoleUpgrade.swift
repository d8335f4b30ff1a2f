// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Sends an image over the debug console. bluest.md §13.1.
///
/// The board echoes the checksum, takes the packets without answering, and says 01 at the end. Boards that number the
/// packets tell where to go on after a loss; the same command sent again after a reconnection makes them tell it at
/// once.
public struct ConsoleUpgrade: UpgradeProcedure {
    /// What is upgraded.
    public enum Destination: String, Hashable, Sendable {
        /// The board's microcontroller.
        case board = "upgradeFw"
        /// Its radio.
        case radio = "upgradeBle"
    }

    /// How packets are sent.
    public struct Options: Hashable, Sendable {
        /// Octets of the image in a packet.
        public var packetSize: Int
        /// Time between packets.
        public var gap: Duration
        /// One of so many packets is acknowledged, so that the board is not overrun.
        public var acknowledgedEvery: Int
        /// Whether a number of four octets stands behind each packet.
        public var hasSequenceNumbers: Bool
        /// Time for the echo of the checksum.
        public var echoTimeout: Duration
        /// Time for the verdict at the end.
        public var verdictTimeout: Duration

        /// As most boards want it: 16 octets every 13 ms.
        public init(
            packetSize: Int = 16, gap: Duration = .milliseconds(13), acknowledgedEvery: Int = 10,
            hasSequenceNumbers: Bool = false, echoTimeout: Duration = .seconds(4),
            verdictTimeout: Duration = .seconds(10)
        ) {
            self.packetSize = max(1, packetSize)
            self.gap = gap
            self.acknowledgedEvery = max(1, acknowledgedEvery)
            self.hasSequenceNumbers = hasSequenceNumbers
            self.echoTimeout = echoTimeout
            self.verdictTimeout = verdictTimeout
        }

        /// Takes packets as long as catalogue and link allow; not where packets are numbered, which have one length.
        mutating func lengthen(_ upgrade: FirmwareCatalog.Upgrade, writeLength: Int) {
            guard !hasSequenceNumbers, let most = upgrade.maximumChunk else { return }
            let divisor = max(1, upgrade.divisor ?? 1)
            packetSize = max(packetSize, min(most, writeLength) / divisor * divisor)
        }

        /// As a board with that firmware wants it.
        public static func recommended(for board: Board, running: FirmwareVersion?) -> Self {
            guard board.token == "SENSOR_TILE_BOX" else { return Self() }
            guard let running, (running.major, running.minor, running.patch) >= (3, 0, 15) else {
                return Self(gap: .milliseconds(30))
            }
            return Self(gap: .milliseconds(15), hasSequenceNumbers: true)
        }
    }

    private enum State: Hashable, Sendable {
        case idle
        case awaitingEcho([UInt8])
        case sending
        case awaitingAcknowledgement
        case awaitingVerdict
        case done
    }

    private let image: [UInt8]
    private let crc: UInt32
    private let destination: Destination
    private let options: Options
    private var state = State.idle
    private var next = 0
    private var errors: [UInt8] = []
    private var rewinds = 0
    /// When the next packet may be sent, or the answer must be there.
    public private(set) var nextDeadline = MonotonicTime.distantFuture

    /// Going back more often than this ends the upgrade.
    static let rewindLimit = 1000

    /// An upgrade with an image that was checked.
    public init(_ image: FirmwareImage, destination: Destination = .board, options: Options = Options()) {
        self.image = image.bytes
        self.crc = image.crc
        self.destination = destination
        self.options = options
    }

    /// Output and error output of the console.
    public var subscriptions: [UpgradeChannel] { [.terminal, .standardError] }

    /// What was sent.
    public var progress: UpgradeProgress {
        UpgradeProgress(sent: min(image.count, next * options.packetSize), total: image.count)
    }

    /// The command that begins the upgrade: text, size and checksum.
    public var command: [UInt8] {
        Array(destination.rawValue.utf8) + FeatureCommand.littleEndian(UInt32(truncatingIfNeeded: image.count))
            + expectedEcho
    }

    /// What the board must answer.
    public var expectedEcho: [UInt8] { FeatureCommand.littleEndian(crc) }

    /// The number of packets.
    public var packetCount: Int { (image.count + options.packetSize - 1) / options.packetSize }

    /// The packet of a number, counted from 0.
    public func packet(_ index: Int) -> [UInt8] {
        let start = index * options.packetSize
        let data = Array(image[min(start, image.count)..<min(image.count, start + options.packetSize)])
        return options.hasSequenceNumbers
            ? data + FeatureCommand.littleEndian(UInt32(truncatingIfNeeded: index)) : data
    }

    /// Sends the command.
    public mutating func start(at now: MonotonicTime) -> [UpgradeAction] {
        state = .awaitingEcho([])
        next = 0
        nextDeadline = now + options.echoTimeout
        return [.write(command, to: .terminal, withResponse: true)]
    }

    /// Takes the echo, the verdict, or where to go on.
    public mutating func received(
        _ bytes: [UInt8], from channel: UpgradeChannel, at now: MonotonicTime
    ) -> [UpgradeAction] {
        if channel == .standardError { return receivedError(bytes, at: now) }
        switch state {
        case .awaitingEcho(let soFar):
            let echo = soFar + bytes
            guard expectedEcho.starts(with: echo.prefix(4)) else {
                return fail(
                    .corrupted,
                    "the board answered the upgrade command with \(Self.shown(echo)), not with the checksum "
                        + "\(Hex.encode(expectedEcho)): it does not take this image")
            }
            guard echo.count >= 4 else {
                state = .awaitingEcho(echo)
                return []
            }
            return sendOrFinish(at: now)
        case .sending, .awaitingAcknowledgement, .awaitingVerdict:
            guard let verdict = bytes.first else { return [] }
            guard verdict == 1 else {
                return fail(
                    .corrupted,
                    "the board rejected the image (\(Self.shown(bytes))) after \(progress.sent) of "
                        + "\(image.count) octets: it keeps the old firmware; try again")
            }
            guard next >= packetCount else { return [] }
            return finish()
        case .idle, .done: return []
        }
    }

    /// A board that numbers the packets keeps what it has; others give it up with the link.
    public var remains: String {
        options.hasSequenceNumbers
            ? "the board keeps its old firmware and what it has of the new one; start the upgrade again with the same "
                + "image, it goes on where it was"
            : "the board keeps its old firmware; disconnect and start the upgrade again"
    }

    /// Goes on behind an acknowledged packet.
    public mutating func writeCompleted(at now: MonotonicTime) -> [UpgradeAction] {
        guard state == .awaitingAcknowledgement else { return [] }
        return sendOrFinish(at: now)
    }

    /// Sends the next packet, or gives up waiting.
    public mutating func deadlineReached(at now: MonotonicTime) -> [UpgradeAction] {
        guard now >= nextDeadline else { return [] }
        switch state {
        case .sending: return sendOrFinish(at: now)
        case .awaitingEcho: return fail(.noAnswer, "the board did not answer the upgrade command: nothing was changed")
        case .awaitingAcknowledgement:
            return fail(.noAnswer, "the board stopped taking the image after \(progress.sent) of \(image.count) octets")
        case .awaitingVerdict:
            return fail(.noAnswer, "the board has all of the image but did not confirm it: look at its version")
        case .idle, .done: return []
        }
    }

    // MARK: - Private

    private mutating func sendOrFinish(at now: MonotonicTime) -> [UpgradeAction] {
        guard next < packetCount else {
            state = .awaitingVerdict
            nextDeadline = now + options.verdictTimeout
            return []
        }
        let packet = packet(next)
        next += 1
        let isAcknowledged = next.isMultiple(of: options.acknowledgedEvery) || next == packetCount
        state = isAcknowledged ? .awaitingAcknowledgement : .sending
        nextDeadline = now + (isAcknowledged ? options.verdictTimeout : options.gap)
        return [.write(packet, to: .terminal, withResponse: isAcknowledged)]
    }

    /// `01` and the last number that arrived, four octets. The counter is a packet's number: go on behind it.
    private mutating func receivedError(_ bytes: [UInt8], at now: MonotonicTime) -> [UpgradeAction] {
        guard options.hasSequenceNumbers, state != .done, state != .idle else { return [] }
        errors += bytes.prefix(64)
        while let first = errors.first, first != 1 { errors.removeFirst() }
        guard errors.count >= 5 else { return [] }
        let last = errors[1...4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        errors.removeAll()
        let wanted = Int(last &+ 1)
        guard wanted <= packetCount else { return [] }
        rewinds += 1
        guard rewinds <= Self.rewindLimit else {
            return fail(.transmission, "the board lost packets \(rewinds) times: go nearer and try again")
        }
        next = wanted
        if case .awaitingEcho = state { return [] }
        // A packet that waits for its acknowledgement goes on from there.
        if state == .awaitingAcknowledgement { return [] }
        state = .sending
        nextDeadline = now + options.gap
        return []
    }

    private mutating func finish() -> [UpgradeAction] {
        state = .done
        nextDeadline = .distantFuture
        return [.finished]
    }

    private mutating func fail(_ code: UpgradeError.Code, _ message: String) -> [UpgradeAction] {
        state = .done
        nextDeadline = .distantFuture
        return [.failed(UpgradeError(code, message))]
    }

    private static func shown(_ bytes: [UInt8]) -> String {
        let text = bytes.prefix(40)
        let isText = !text.isEmpty && text.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0D || $0 == 0x0A }
        return isText ? "\"\(ConsoleText.decode(MessageTransport.trimmed(Array(text))))\"" : Hex.encode(text)
    }
}
