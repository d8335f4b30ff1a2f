// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanWire
import Synchronization

/// A source made of characteristics that notify: the way to write a driver in a few lines.
///
/// Each ``Feed`` says which characteristic it is, which channels it carries, and how octets become values. Rows follow
/// ``Pace``. After a lost link it connects anew, prepares the device again and goes on, with the silence as a gap.
///
/// ```swift
/// let feed = CharacteristicSource.Feed(
///     0x2A1C, in: 0x1809, channels: [Channel(name: "Temperature", quantity: .temperature, unit: "°C")]
/// ) { bytes in (try? TemperatureMeasurement(decoding: bytes)).map { [$0.celsius] } }
/// let source = try await CharacteristicSource.open(
///     peripheral, kind: "source", feeds: [feed], pace: .arrival(nil), options: options)
/// ```
///
/// Up to 4096 values wait for a slow consumer; beyond it the newest are dropped and show as a gap.
public final class CharacteristicSource: SampleSource {
    /// One characteristic and what it measures.
    public struct Feed: Sendable {
        /// The characteristic's type.
        public var characteristic: BluetoothUUID
        /// The service it must stand in; nil takes the first of its type.
        public var service: BluetoothUUID?
        /// The channels that its values fill, in order.
        public var channels: [Channel]
        /// The values of the channels, row after row if a value carries several; nil or a wrong number of values if the
        /// octets are faulty, which counts as a lost sample.
        public var decode: @Sendable ([UInt8]) -> [Double]?

        /// Describes a feed.
        public init(
            _ characteristic: BluetoothUUID, in service: BluetoothUUID? = nil, channels: [Channel],
            decode: @escaping @Sendable ([UInt8]) -> [Double]?
        ) {
            self.characteristic = characteristic
            self.service = service
            self.channels = channels
            self.decode = decode
        }
    }

    /// When a row is made.
    public enum Pace: Hashable, Sendable {
        /// At each value of the first feed, with the newest values of the others. The rate is what the device
        /// intends; nil if
        /// values come irregularly, and then each row carries its time of arrival.
        case arrival(Double?)
        /// So often in a second, with the newest value of every feed: for devices that send only what has changed.
        /// Begins with
        /// the first value.
        case clock(Double)
    }

    /// Prepares a connected, discovered device: switches its sensors on. Runs after each connection.
    public typealias Preparation = @Sendable (Peripheral) async throws -> Void

    /// The device and the channels of all feeds in order.
    public let info: SourceDescription
    /// The device.
    public let peripheral: Peripheral

    private let feeds: [Feed]
    private let pace: Pace
    private let prepare: Preparation
    private let begin: Preparation
    private let finish: Preparation
    private let reconnectTimeout: Duration?
    private let timeout: Duration
    private let state = Mutex(State())

    private struct State {
        var isStopped = false
        var feed: CharacteristicFeed?
    }

    /// Connects to a device if need be, discovers it, checks that the characteristics are there, and makes a source
    /// of it.
    ///
    /// - Parameters:
    ///   - peripheral: The board.
    ///   - kind: The driver's kind.
    ///   - firmware: The version to note; nil if it is not known.
    ///   - model: The model to note; nil if it is not known.
    ///   - feeds: The characteristics; the first one gives the pace.
    ///   - pace: When a row is made.
    ///   - options: Times, and whether to reconnect.
    ///   - prepare: Switches the device on, before the values are subscribed to.
    ///   - begin: Asks for the values, when they are subscribed to.
    ///   - finish: Switches it off when the source ends while the link is up; errors are ignored.
    /// - Throws: `BluetoothError`, with `notFound` if a characteristic is missing; or what `prepare`
    /// throws.
    public static func open(
        _ peripheral: Peripheral, kind: String, firmware: String? = nil, model: String? = nil, feeds: [Feed],
        pace: Pace, options: SourceOptions, prepare: @escaping Preparation = { _ in },
        begin: @escaping Preparation = { _ in }, finish: @escaping Preparation = { _ in }
    ) async throws -> CharacteristicSource {
        try await peripheral.connect(timeout: options.timeout)
        if peripheral.services.isEmpty { try await peripheral.discover(timeout: max(options.timeout, .seconds(2))) }
        for feed in feeds { _ = try characteristic(of: feed, on: peripheral) }
        let rate: Double? =
            switch pace {
            case .arrival(let rate): rate
            case .clock(let rate): rate
            }
        let channels = feeds.flatMap(\.channels).map { channel in
            var channel = channel
            channel.rate = rate
            return channel
        }
        let info = SourceDescription(
            kind: kind, name: peripheral.name ?? kind, address: peripheral.address?.address, firmware: firmware,
            model: model, channels: channels, rate: rate)
        return CharacteristicSource(peripheral, info, feeds, pace, options, prepare, begin, finish)
    }

    private init(
        _ peripheral: Peripheral, _ info: SourceDescription, _ feeds: [Feed], _ pace: Pace, _ options: SourceOptions,
        _ prepare: @escaping Preparation, _ begin: @escaping Preparation, _ finish: @escaping Preparation
    ) {
        self.peripheral = peripheral
        self.info = info
        self.feeds = feeds
        self.pace = pace
        self.prepare = prepare
        self.begin = begin
        self.finish = finish
        reconnectTimeout = options.reconnectTimeout
        timeout = options.timeout
    }

    /// The events; see ``SampleSource``.
    public func events() -> SampleEvents {
        SampleEvents { [self] in
            let run = Run(source: self)
            return { await run.next() }
        }
    }

    /// Ends the acquisition; the events then end with `.stopped`.
    public func stop() async {
        let feed = state.withLock { state in
            state.isStopped = true
            defer { state.feed = nil }
            return state.feed
        }
        guard let feed else { return }
        feed.end()
        if peripheral.isConnected { try? await finish(peripheral) }
    }

    // MARK: - Private

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private static func characteristic(of feed: Feed, on peripheral: Peripheral) throws(BluetoothError)
        -> Characteristic
    {
        let all = peripheral.characteristics(feed.characteristic, in: feed.service)
        if let found = all.first(where: \.canNotify) { return found }
        throw BluetoothError(
            .notFound, "characteristic \(feed.characteristic) on \(peripheral)",
            detail: "it is not there, or never notifies")
    }

    private func subscribe() async throws -> CharacteristicFeed {
        if !peripheral.isConnected {
            try await peripheral.connect(timeout: timeout)
        }
        if peripheral.services.isEmpty { try await peripheral.discover(timeout: max(timeout, .seconds(2))) }
        try await prepare(peripheral)
        var characteristics: [Characteristic] = []
        for feed in feeds { characteristics.append(try Self.characteristic(of: feed, on: peripheral)) }
        let feed = try CharacteristicFeed(peripheral, characteristics)
        var period: Duration?
        if case .clock(let rate) = pace { period = .nanoseconds(Int64(1e9 / min(max(rate, 0.001), 10_000))) }
        try await feed.begin(characteristics, period: period, timeout: timeout)
        let isWanted = state.withLock { state in
            if !state.isStopped { state.feed = feed }
            return !state.isStopped
        }
        guard isWanted else {
            feed.end()
            return feed
        }
        do {
            try await begin(peripheral)
        } catch {
            feed.end()
            throw error
        }
        return feed
    }

    /// One run through the events.
    private final class Run {
        private let source: CharacteristicSource
        private let offsets: [Int]
        private var iterator: AsyncStream<CharacteristicFeed.Item>.Iterator?
        private var values: [Double]
        private var seen: Set<Int> = []
        private var index = 0
        private var pendingLoss = 0
        private var firstTime: MonotonicTime?
        private var lastTime: MonotonicTime?
        private var wasLost = false
        private var waiting: [SampleEvent] = []
        private var isStarted = false
        private var isOver = false
        private var lost: (patience: Duration, cause: any Error)?

        init(source: CharacteristicSource) {
            self.source = source
            var offsets: [Int] = []
            var count = 0
            for feed in source.feeds {
                offsets.append(count)
                count += feed.channels.count
            }
            self.offsets = offsets
            values = [Double](repeating: .nan, count: count)
        }

        func next() async -> SampleEvent? {
            while waiting.isEmpty {
                if isOver { return nil }
                await advance()
            }
            return waiting.removeFirst()
        }

        private func advance() async {
            if let lost {
                self.lost = nil
                return await reconnect(within: lost.patience, cause: lost.cause)
            }
            if source.isStopped { return finish(EndReason(.stopped)) }
            if !isStarted {
                isStarted = true
                do { iterator = try await source.subscribe().items.makeAsyncIterator() } catch {
                    return finish(EndReason(Task.isCancelled ? .stopped : .failed, error: error))
                }
            }
            guard let item = await iterator?.next(isolation: #isolation) else {
                return finish(EndReason(.stopped))
            }
            switch item {
            case .value(let feed, let bytes, let time, let dropped): take(feed, bytes, time, dropped)
            case .tick(let time): tick(time)
            case .closed(let error): recover(error)
            }
        }

        private func take(_ number: Int, _ bytes: [UInt8], _ time: MonotonicTime, _ dropped: Int) {
            let feed = source.feeds[number]
            let isPace = number == 0 && source.paceIsArrival
            if isPace { pendingLoss += dropped }
            let width = feed.channels.count
            guard let decoded = feed.decode(bytes), !decoded.isEmpty, width > 0, decoded.count % width == 0 else {
                if isPace { pendingLoss += 1 }
                return
            }
            seen.insert(number)
            for start in stride(from: 0, to: decoded.count, by: width) {
                for position in 0..<width { values[offsets[number] + position] = decoded[start + position] }
                if isPace { emit(time) }
            }
        }

        /// Rows that are due; more than one if the timer was late.
        private func tick(_ time: MonotonicTime) {
            guard case .clock(let rate) = source.pace, rate > 0 else { return }
            guard let first = firstTime else { return emit(time) }
            let due = Int(((time - first).inSeconds * rate + 1e-6).rounded(.down)) + 1
            if wasLost {
                wasLost = false
                pendingLoss = max(0, due - 1 - index)
            }
            // A machine that slept for an hour has not measured in it.
            if due - index > 10_000 { pendingLoss += due - 1 - index }
            while index + pendingLoss < due { emit(time) }
        }

        private func emit(_ time: MonotonicTime) {
            let first = firstTime ?? time
            firstTime = first
            let rate = source.info.rate
            if wasLost, let last = lastTime {
                wasLost = false
                if let rate { pendingLoss += max(0, Int(((time - last).inSeconds * rate).rounded()) - 1) }
            }
            lastTime = time
            let gap = pendingLoss
            pendingLoss = 0
            index += gap
            let elapsed = (time - first).inSeconds
            let deviceTime = rate.map { Double(index) / $0 } ?? elapsed
            waiting.append(
                .block(
                    SampleBlock(
                        firstIndex: index, deviceTime: deviceTime, hostTime: time, channelCount: values.count,
                        values: values, gaps: gap > 0 ? [SampleBlock.Gap(row: 0, lost: gap)] : [],
                        rowTimes: rate == nil ? [elapsed] : [])))
            index += 1
        }

        private func finish(_ reason: EndReason) {
            isOver = true
            iterator = nil
            waiting.append(.ended(reason))
        }

        private func recover(_ error: BluetoothError) {
            iterator = nil
            if source.isStopped || Task.isCancelled { return finish(EndReason(.stopped)) }
            guard let patience = source.reconnectTimeout else {
                return finish(EndReason(.connectionLost, error: error))
            }
            lost = (patience, error)
            waiting.append(.connectionLost("\(error)"))
        }

        private func reconnect(within patience: Duration, cause: any Error) async {
            let loop = source.peripheral.host.loop
            let deadline = loop.now + patience
            var pause = Duration.milliseconds(100)
            while loop.now < deadline, !Task.isCancelled, !source.isStopped {
                if let feed = try? await source.subscribe() {
                    iterator = feed.items.makeAsyncIterator()
                    wasLost = true
                    waiting.append(.connectionResumed)
                    return
                }
                guard (try? await loop.sleep(for: min(pause, deadline - loop.now))) != nil else { break }
                pause = min(pause * 2, .seconds(2))
            }
            finish(EndReason(source.isStopped || Task.isCancelled ? .stopped : .connectionLost, error: cause))
        }
    }

    private var paceIsArrival: Bool {
        if case .arrival = pace { true } else { false }
    }
}
