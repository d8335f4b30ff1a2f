// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
import CeruleanWire

/// The tutorial's app as a type: looks for a board, connects, shows its three sliders, and gets it back after a power
/// cycle of
/// the board without anybody doing anything.
///
/// ```swift
/// for try await event in RedBearMonitor(central).events() {
///     switch event {
///     case .status(let status): print(status)
///     case .sliders(let frame): print(frame.normalized)
///     }
/// }
/// ```
public struct RedBearMonitor: Sendable {
    /// What happens.
    public enum Event: Hashable, Sendable {
        /// How things stand, in the tutorial's words.
        case status(ShieldSession.Status)
        /// New positions of the sliders.
        case sliders(SliderFrame)
    }

    /// The radio.
    public let central: Central
    /// The time for each step of connecting.
    public let timeout: Duration

    /// A monitor on a radio.
    public init(_ central: Central, timeout: Duration = .seconds(10)) {
        self.central = central
        self.timeout = timeout
    }

    /// What happens from now on, without end: the loop is left, or its task cancelled.
    public func events() -> Events { Events(monitor: self) }

    /// The events of a ``RedBearMonitor``.
    public struct Events: AsyncSequence, Sendable {
        /// Something that happened.
        public typealias Element = Event
        /// Nothing fails: what goes wrong begins anew.
        public typealias Failure = Never

        let monitor: RedBearMonitor

        /// Begins to look for a board.
        public func makeAsyncIterator() -> Iterator { Iterator(monitor: monitor) }
    }

    /// Reads the events of a ``RedBearMonitor``.
    public struct Iterator: AsyncIteratorProtocol {
        private let monitor: RedBearMonitor
        private var session = ShieldSession()
        private var waiting: [Event] = [.status(.poweredOff)]
        private var board: RedBearBoard?
        private var sliders: RedBearElements<SliderFrame>.Iterator?

        init(monitor: RedBearMonitor) {
            self.monitor = monitor
            note(.start)
        }

        /// The next event; nil when the task is cancelled.
        public mutating func next() async -> Event? { await next(isolation: nil) }

        /// The next event; nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
            while waiting.isEmpty {
                if Task.isCancelled { return nil }
                await advance(actor)
            }
            return waiting.removeFirst()
        }

        private mutating func note(_ event: ShieldSession.Event) {
            waiting += session.receive(event).map { .status($0) }
        }

        private mutating func advance(_ actor: isolated (any Actor)?) async {
            if sliders != nil { return await read(actor) }
            if monitor.central.state != .poweredOn { note(.poweredOff) }
            do throws(BluetoothError) {
                try await monitor.central.waitUntilPoweredOn(timeout: .seconds(3600))
                note(.poweredOn)
                guard session.isLooking else { return }
                let found = try await monitor.central.first(.services([RedBear.service]), timeout: .seconds(3600))
                note(.discovered)
                try await connect(found)
            } catch {
                await failed()
            }
        }

        private mutating func connect(_ found: Discovery) async throws(BluetoothError) {
            let peripheral = found.peripheral
            try await peripheral.connect(timeout: monitor.timeout)
            note(.connected)
            try await peripheral.discover(timeout: max(monitor.timeout, .seconds(2)))
            note(.services)
            do throws(RedBearError) {
                let board = try await RedBearBoard(peripheral, timeout: monitor.timeout)
                note(.characteristics)
                self.board = board
                sliders = board.sliders().makeAsyncIterator()
            } catch {
                throw (error.cause as? BluetoothError) ?? BluetoothError(.notFound, error.detail)
            }
        }

        private mutating func read(_ actor: isolated (any Actor)?) async {
            do throws(RedBearError) {
                if let frame = try await sliders?.next(isolation: actor) {
                    waiting.append(.sliders(frame))
                    return
                }
            } catch {}
            await failed()
        }

        /// Forgets the board, whatever the reason; the next round looks again, at once where a link was lost.
        private mutating func failed() async {
            sliders = nil
            let wasUp = board != nil
            if let board, board.isConnected { await board.disconnect(timeout: .seconds(1)) }
            board = nil
            note(.disconnected)
            if !wasUp { _ = try? await monitor.central.host.loop.sleep(for: .milliseconds(100)) }
        }
    }
}
