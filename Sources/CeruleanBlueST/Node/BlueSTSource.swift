// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
public import CeruleanSensing
import CeruleanWire
import Synchronization

/// Features of a node as a source of samples: one row for each notification of the first feature's characteristic, with
/// the newest values of the others.
///
/// Features that share a characteristic are exact; those on another one are sampled at the rows of the first. Losses
/// are counted from the board's timestamps. Up to 4096 samples wait for a slow consumer; beyond it the newest are
/// dropped and show as a gap.
public final class BlueSTSource: SampleSource {
    /// The board and a channel for each numeric field.
    public let info: SourceDescription

    /// The node.
    public let node: Node
    private let features: [Feature]
    private let reconnectTimeout: Duration?
    private let timeout: Duration
    private let isStopped = Mutex(false)

    /// A source on a connected node.
    ///
    /// - Parameters:
    ///   - node: The board, connected.
    ///   - features: What is recorded; the first one gives the pace.
    ///   - rate: Rows a second, where known: what the board was set to.
    ///   - firmware: What runs on it, for the description.
    ///   - reconnectTimeout: How long to try to get a lost link back; nil ends the source with the link.
    ///   - timeout: For each operation on the board.
    public init(
        node: Node, features: [Feature], rate: Double? = nil, firmware: String? = nil,
        reconnectTimeout: Duration? = nil, timeout: Duration = .seconds(10)
    ) {
        self.node = node
        self.features = features
        self.reconnectTimeout = reconnectTimeout
        self.timeout = timeout
        info = SourceDescription(
            kind: "bluest", name: node.name, address: node.peripheral?.address?.address ?? node.advertisement.address,
            firmware: firmware, model: node.board.token,
            channels: features.flatMap { Self.channels(of: $0, rate: rate) },
            rate: rate)
    }

    /// The events; see `SampleSource`.
    public func events() -> SampleEvents {
        SampleEvents { [self] in
            let run = Run(source: self)
            return { await run.next() }
        }
    }

    /// Ends the acquisition; the events then end with `.stopped`.
    public func stop() async {
        isStopped.withLock { $0 = true }
        try? await node.disconnect(timeout: timeout)
    }

    /// The fields that are numbers, as channels: `acceleration.X`.
    public static func channels(of feature: Feature, rate: Double?) -> [Channel] {
        numericFields(of: feature).map { index in
            let field = feature.fields[index]
            let isAlone = feature.fields.count == 1 || field.name == feature.id
            return Channel(
                name: isAlone ? feature.id : "\(feature.id).\(field.name)", quantity: quantity(of: feature, field),
                unit: field.unit ?? "", resolution: nil, range: field.range, rate: rate)
        }
    }

    static func numericFields(of feature: Feature) -> [Int] {
        feature.fields.indices.filter { feature.fields[$0].form.size != nil }
    }

    private static func quantity(of feature: Feature, _ field: FeatureField) -> Quantity {
        switch (feature.id, field.name) {
        case ("acceleration", _): .acceleration
        case ("gyroscope", _): .angularVelocity
        case ("magnetometer", _): .magneticField
        case ("temperature", _), ("remoteTemperature", _): .temperature
        case ("humidity", _), ("remoteHumidity", _): .humidity
        case ("pressure", _), ("remotePressure", _): .pressure
        case ("luminosity", _), (_, "lux"): .light
        case ("heartRate", "heartRate"): .heartRate
        case ("battery", "voltage"): .voltage
        case ("battery", "level"): .ratio
        case ("pedometer", "steps"), (_, "counter"): .count
        default: .unspecified
        }
    }

    private var wasStopped: Bool { isStopped.withLock { $0 } }

    /// One run through the events.
    private final class Run {
        private let source: BlueSTSource
        private var iterator: AsyncThrowingStream<FeatureSample, any Error>.Iterator?
        private var values: [Double]
        private let offsets: [Feature: Int]
        private var index = 0
        private var row: (values: [Double], time: MonotonicTime, device: Int64?)?
        private var pendingLoss = 0
        private var lostInRow = 0
        private var firstTick: Int64?
        private var firstTime: MonotonicTime?
        private var lastDeviceTime = 0.0
        private var resumeOffset = 0.0
        private var lossBeforeResume: (last: MonotonicTime, cause: String)?
        private var isResuming = false
        private var waiting: [SampleEvent] = []
        private var isOver = false
        private var lastArrival: MonotonicTime?
        private var isStarted = false

        init(source: BlueSTSource) {
            self.source = source
            var offsets: [Feature: Int] = [:]
            var count = 0
            for feature in source.features {
                offsets[feature] = count
                count += BlueSTSource.numericFields(of: feature).count
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
            do {
                if !isStarted || isResuming { try await start() }
                guard let sample = try await iterator?.next(isolation: #isolation) else {
                    flush()
                    return finish(EndReason(.stopped))
                }
                take(sample)
            } catch {
                flush()
                await recover(error)
            }
        }

        private func start() async throws {
            let node = source.node
            if !node.isConnected { try await node.connect(timeout: source.timeout) }
            let samples = try await node.samples(of: source.features, timeout: source.timeout)
            iterator = samples.makeAsyncIterator()
            isStarted = true
            isResuming = false
        }

        /// Values of one notification belong to one row: the pace is the first feature's.
        private func take(_ sample: FeatureSample) {
            guard let offset = offsets[sample.feature] else { return }
            if sample.feature === source.features[0] {
                flush()
                lostInRow = sample.lostBefore
                row = (values, sample.time, sample.timestamp)
            } else if let row, sample.timestamp != row.device || sample.timestamp == nil {
                flush()
            }
            for (position, field) in BlueSTSource.numericFields(of: sample.feature).enumerated() {
                values[offset + position] = sample.values[field] ?? .nan
            }
            if row != nil { row?.values = values }
            // A feature alone, or the last of its notification, need not wait for the next.
            if sample.feature === source.features[source.features.count - 1] { flush() }
        }

        private func flush() {
            guard let row else { return }
            self.row = nil
            let tick = (source.node.core.options ?? .recommended(for: source.node.advertisement)).tick.inSeconds
            var gap = lostInRow + pendingLoss
            lostInRow = 0
            pendingLoss = 0
            if let resumed = lossBeforeResume {
                // The board's clock began anew: the host's tells how long the silence was.
                lossBeforeResume = nil
                let silence = (row.time - resumed.last).inSeconds
                resumeOffset = lastDeviceTime + silence
                firstTick = nil
                if let rate = source.info.rate { gap = max(0, Int((silence * rate).rounded()) - 1) }
            }
            var deviceTime = lastDeviceTime
            if let ticks = row.device {
                let first = firstTick ?? ticks
                firstTick = first
                deviceTime = resumeOffset + Double(ticks - first) * tick
            } else {
                let first = firstTime ?? row.time
                firstTime = first
                deviceTime = (row.time - first).inSeconds
            }
            lastDeviceTime = deviceTime
            lastArrival = row.time
            index += gap
            let gaps = gap > 0 ? [SampleBlock.Gap(row: 0, lost: gap)] : []
            waiting.append(
                .block(
                    SampleBlock(
                        firstIndex: index, deviceTime: deviceTime, hostTime: row.time, channelCount: values.count,
                        values: row.values, gaps: gaps, rowTimes: source.info.rate == nil ? [deviceTime] : [])))
            index += 1
        }

        private func finish(_ reason: EndReason) {
            isOver = true
            iterator = nil
            waiting.append(.ended(reason))
        }

        private func recover(_ error: any Error) async {
            if source.wasStopped || Task.isCancelled || error is CancellationError {
                return finish(EndReason(.stopped))
            }
            let node = source.node
            let code = (error as? BluetoothError)?.code
            let isLink = code == .disconnected || code == .connectionFailed || code == .timedOut || !node.isConnected
            guard isLink, let patience = source.reconnectTimeout, isStarted else {
                return finish(EndReason(isLink && isStarted ? .connectionLost : .failed, error: error))
            }
            iterator = nil
            waiting.append(.connectionLost("\(error)"))
            let loop = node.core.port.loop
            let deadline = loop.now + patience
            var pause = Duration.milliseconds(100)
            while loop.now < deadline, !Task.isCancelled, !source.wasStopped {
                let left = deadline - loop.now
                if (try? await node.connect(timeout: min(source.timeout, left))) != nil {
                    if let last = lastArrival { lossBeforeResume = (last, "\(error)") }
                    isResuming = true
                    waiting.append(.connectionResumed)
                    return
                }
                guard (try? await loop.sleep(for: min(pause, left))) != nil else { break }
                pause = min(pause * 2, .seconds(2))
            }
            finish(EndReason(source.wasStopped || Task.isCancelled ? .stopped : .connectionLost, error: error))
        }
    }
}
