// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
import CeruleanWire

/// A connected board of RedBearLab.
///
/// ```swift
/// let board = try await RedBearBoard(connecting: found)
/// try await board.send(SimpleControls.Command.pwm(128))
/// for try await message in board.controlMessages() { print(message) }
/// ```
///
/// Works with the first firmware (five characteristics) and with later ones (two). After the link is lost every call
/// fails, and
/// a new value is made; ``RedBearMonitor`` does that by itself. Safe to use from any task.
public final class RedBearBoard: Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// What the board sends.
    public let fromBoard: Characteristic
    /// What the board takes.
    public let toBoard: Characteristic
    /// The reset characteristic of the first firmware.
    public let reset: Characteristic?

    /// Connects to a device that a scan found.
    ///
    /// - Parameters:
    ///   - discovery: The board, as a scan found it.
    ///   - timeout: For each step.
    /// - Throws: ``RedBearError`` `.link` or `.notRedBear`. The link is then left.
    public convenience init(
        connecting discovery: Discovery, timeout: Duration = .seconds(10)
    ) async throws(RedBearError) {
        try await self.init(discovery.peripheral, timeout: timeout)
    }

    /// Connects if need be, and finds the serial service.
    ///
    /// - Parameters:
    ///   - peripheral: The board.
    ///   - timeout: For each step.
    /// - Throws: ``RedBearError`` `.link` or `.notRedBear`. The link is then left.
    public init(_ peripheral: Peripheral, timeout: Duration = .seconds(10)) async throws(RedBearError) {
        self.peripheral = peripheral
        do throws(BluetoothError) {
            try await peripheral.connect(timeout: timeout)
            if peripheral.services.isEmpty { try await peripheral.discover(timeout: max(timeout, .seconds(2))) }
        } catch {
            throw Self.failure(error)
        }
        guard let found = SerialCharacteristics(peripheral) else {
            _ = try? await peripheral.disconnect(timeout: .seconds(1))
            throw RedBearError(.notRedBear, "\(peripheral) has no serial service of RedBearLab")
        }
        fromBoard = found.fromBoard
        toBoard = found.toBoard
        reset = found.reset
    }

    /// True while the link is up.
    public var isConnected: Bool { peripheral.isConnected }

    /// The version that the first firmware tells; nil on others.
    ///
    /// - Throws: ``RedBearError`` `.link`.
    public func readVersion(timeout: Duration = .seconds(10)) async throws(RedBearError) -> [UInt8]? {
        let known = peripheral.characteristics(RedBear.version, in: RedBear.service)
        guard let version = known.first(where: { $0.properties.contains(.read) }) else { return nil }
        do { return try await peripheral.read(version, timeout: timeout) } catch { throw Self.failure(error) }
    }

    // MARK: Sending

    /// Sends octets in packets of at most 20, one behind the other without waiting for the board. The board's buffer
    /// holds 64
    /// octets; what it has no room for it drops.
    ///
    /// - Throws: ``RedBearError`` `.link` or `.cancelled`.
    public func send(_ bytes: [UInt8], timeout: Duration = .seconds(10)) async throws(RedBearError) {
        let mode: WriteMode = toBoard.properties.contains(.writeWithoutResponse) ? .withoutResponse : .withResponse
        for packet in RedBear.packets(of: bytes) {
            do { try await peripheral.write(packet, to: toBoard, mode: mode, timeout: timeout) } catch {
                throw Self.failure(error)
            }
        }
    }

    /// Sends a command to the SimpleControls sketch.
    ///
    /// - Throws: ``RedBearError`` `.invalidParameter` for a servo beyond 180 degrees, `.link` or `.cancelled`.
    public func send(_ command: SimpleControls.Command) async throws(RedBearError) {
        if case .servo(let degrees) = command, degrees > 180 {
            throw RedBearError(.invalidParameter, "servo \(degrees): 0 to 180 degrees")
        }
        try await send(command.encoded)
    }

    /// Sends a command to the BLEController sketch.
    ///
    /// - Throws: ``RedBearError`` `.invalidParameter` for a servo beyond 180 degrees or data that no packet can
    /// carry, `.link` or
    ///   `.cancelled`.
    public func send(_ command: ControllerProtocol.Command) async throws(RedBearError) {
        if case .servoWrite(_, let degrees) = command, degrees > 180 {
            throw RedBearError(.invalidParameter, "servo \(degrees): 0 to 180 degrees")
        }
        if case .custom(let data) = command, data.count > RedBear.packetSize - 2 {
            throw RedBearError(.invalidParameter, "\(data.count) octets of custom data: a packet carries 18")
        }
        try await send(command.encoded)
    }

    // MARK: Receiving

    /// The packets that the board sends, as they come. Up to 1024 wait for a slow reader; beyond it the oldest are
    /// dropped.
    ///
    /// - Throws: ``RedBearError`` `.link`.
    public func packets(timeout: Duration = .seconds(10)) async throws(RedBearError) -> RawValues {
        do { return try await peripheral.values(of: fromBoard, timeout: timeout) } catch { throw Self.failure(error) }
    }

    /// What the board sends, taken apart by `parse`, one element after the other.
    ///
    /// - Parameters:
    ///   - acknowledges: Writes to the reset characteristic behind each packet, where there is one: the first
    /// firmware sends
    ///     the next only then.
    ///   - parse: Makes elements of a packet.
    public func elements<Element: Sendable>(
        acknowledges: Bool = true, _ parse: @escaping @Sendable ([UInt8]) -> [Element]
    ) -> RedBearElements<Element> {
        RedBearElements(board: self, acknowledges: acknowledges, parse: parse)
    }

    /// The sliders of the tutorial's sketch. Packets that are no frame are passed over.
    public func sliders() -> RedBearElements<SliderFrame> {
        elements { packet in (try? SliderFrame(decoding: packet)).map { [$0] } ?? [] }
    }

    /// The reports of the SimpleControls sketch.
    public func controlMessages() -> RedBearElements<SimpleControls.Message> {
        elements { SimpleControls.decode($0).messages }
    }

    /// The answers and reports of the BLEController sketch.
    public func controllerMessages() -> RedBearElements<ControllerProtocol.Message> {
        elements { ControllerProtocol.parse($0).messages }
    }

    /// Ends the link.
    public func disconnect(timeout: Duration = .seconds(10)) async {
        _ = try? await peripheral.disconnect(timeout: timeout)
    }

    // MARK: - Private

    /// Tells the board that a packet was received.
    func acknowledge() async throws(RedBearError) {
        guard let reset else { return }
        do { try await peripheral.write([0x01], to: reset, mode: .withoutResponse) } catch { throw Self.failure(error) }
    }

    static func failure(_ error: BluetoothError) -> RedBearError {
        RedBearError(error.code == .cancelled ? .cancelled : .link, error.description, cause: error)
    }
}

/// The characteristics of the serial service. Decided by what they can do: a demo of another chip uses the same UUIDs
/// otherwise.
struct SerialCharacteristics {
    var fromBoard: Characteristic
    var toBoard: Characteristic
    var reset: Characteristic?

    init?(_ peripheral: Peripheral) {
        let from = peripheral.characteristics(RedBear.fromBoard, in: RedBear.service).first(where: \.canNotify)
        let to = peripheral.characteristics(RedBear.toBoard, in: RedBear.service).first {
            !$0.properties.isDisjoint(with: [.write, .writeWithoutResponse])
        }
        guard let from, let to else { return nil }
        fromBoard = from
        toBoard = to
        reset = peripheral.characteristics(RedBear.reset, in: RedBear.service).first {
            $0.properties.contains(.writeWithoutResponse)
        }
    }
}

/// What a board sends, taken apart; see ``RedBearBoard/elements(acknowledges:_:)``. The subscription begins with the
/// first
/// element asked for. Ends when the link is left on purpose; throws ``RedBearError`` `.link` when it is lost.
public struct RedBearElements<Element: Sendable>: AsyncSequence, Sendable {
    /// Why the elements ended.
    public typealias Failure = RedBearError

    let board: RedBearBoard
    let acknowledges: Bool
    let parse: @Sendable ([UInt8]) -> [Element]

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Reads ``RedBearElements``.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: RedBearElements
        private var values: RawValues.Iterator?
        private var waiting: [Element] = []

        init(sequence: RedBearElements) { self.sequence = sequence }

        /// The next element; nil at the end and when the task is cancelled.
        ///
        /// - Throws: ``RedBearError`` `.link`.
        public mutating func next() async throws(RedBearError) -> Element? { try await next(isolation: nil) }

        /// The next element; nil at the end and when the task is cancelled.
        ///
        /// - Throws: ``RedBearError`` `.link`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(RedBearError) -> Element? {
            while waiting.isEmpty {
                if values == nil { values = try await sequence.board.packets().makeAsyncIterator() }
                let packet: [UInt8]?
                do throws(BluetoothError) {
                    packet = try await values?.next(isolation: actor)
                } catch {
                    throw RedBearBoard.failure(error)
                }
                guard let packet else { return nil }
                if sequence.acknowledges { try await sequence.board.acknowledge() }
                waiting = sequence.parse(packet)
            }
            return waiting.removeFirst()
        }
    }
}
