// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Turns all notifications of one board into samples: one clock for all characteristics, losses counted for each.
///
/// Pure: hand it what arrives, in order.
/// ```swift
/// var decoder = NodeDecoder(advertisement: found)
/// let inertial = decoder.add(BlueSTUUID.features(0x00E0_0000))
/// decoder.received(bytes, on: inertial, at: now) { sample in print(sample) }
/// ```
public struct NodeDecoder: Sendable {
    /// Options of a node.
    public struct Options: Hashable, Sendable {
        /// The length of a tick of the board's clock: 8 ms in older firmware, 10 ms in newer.
        public var tick: Duration
        /// Whether features that the board did not advertise are published as well.
        public var publishesUnadvertised: Bool

        /// Ticks of 8 ms; only advertised features.
        public init(tick: Duration = .milliseconds(8), publishesUnadvertised: Bool = false) {
            self.tick = tick
            self.publishesUnadvertised = publishesUnadvertised
        }
    }

    /// What was counted on a characteristic.
    public struct Statistics: Hashable, Sendable {
        /// Notifications that arrived.
        public var received = 0
        /// Notifications that never came, by their timestamps.
        public var lost = 0
        /// Notifications that came behind later ones.
        public var late = 0
        /// Notifications with an error.
        public var faulty = 0
    }

    /// Names a characteristic of this decoder.
    public struct Channel: Hashable, Sendable {
        let index: Int
    }

    private struct Entry: Sendable {
        var decoder: CharacteristicDecoder
        var detector = LossDetector()
        var statistics = Statistics()
    }

    private let device: UInt8
    private let protocolVersion: UInt8
    private let advertised: UInt32?
    private let registry: FeatureRegistry
    /// The options.
    public let options: Options
    private var entries: [Entry] = []
    private var unwrapper: TimestampUnwrapper
    private var remote: [UInt16: TimestampUnwrapper] = [:]
    private var observed: Set<String> = []

    /// Other boards whose clocks are followed at most.
    static let remoteLimit = 256

    /// A decoder for a board by its number.
    public init(
        device: UInt8, protocolVersion: UInt8, advertised: UInt32?, registry: FeatureRegistry = FeatureRegistry(),
        options: Options = Options()
    ) {
        self.device = device
        self.protocolVersion = protocolVersion
        self.advertised = advertised
        self.registry = registry
        self.options = options
        unwrapper = TimestampUnwrapper(tick: options.tick)
    }

    /// A decoder for a board by its advertisement.
    public init(
        advertisement: BlueSTAdvertisement, registry: FeatureRegistry = FeatureRegistry(), options: Options = Options()
    ) {
        self.init(
            device: advertisement.deviceID, protocolVersion: advertisement.protocolVersion,
            advertised: advertisement.featureMask, registry: registry, options: options)
    }

    /// Adds a characteristic; nil if it carries no feature.
    public mutating func add(_ uuid: BluetoothUUID) -> Channel? {
        let decoder = CharacteristicDecoder(
            uuid, device: device, protocolVersion: protocolVersion, advertised: advertised, registry: registry)
        guard !decoder.slots.isEmpty else { return nil }
        entries.append(Entry(decoder: decoder))
        for slot in decoder.slots { observed.formUnion(slot.feature.observes) }
        return Channel(index: entries.count - 1)
    }

    /// What a characteristic carries.
    public func slots(of channel: Channel) -> [FeatureRegistry.Slot] {
        entries.indices.contains(channel.index) ? entries[channel.index].decoder.slots : []
    }

    /// What was counted on a characteristic.
    public func statistics(of channel: Channel) -> Statistics {
        entries.indices.contains(channel.index) ? entries[channel.index].statistics : Statistics()
    }

    /// How much of a feature's sample is there, for those that span notifications.
    public func progress(of feature: Feature, on channel: Channel) -> FeatureProgress? {
        entries.indices.contains(channel.index) ? entries[channel.index].decoder.progress(of: feature) : nil
    }

    /// The period of a characteristic in ticks, once it is known.
    public func period(of channel: Channel) -> Double? {
        entries.indices.contains(channel.index) ? entries[channel.index].detector.period : nil
    }

    /// Reads a notification, and calls `body` with each sample to be published.
    ///
    /// - Returns: what was understood, and the fault if there is one.
    @discardableResult
    public mutating func received(
        _ bytes: [UInt8], on channel: Channel, at time: MonotonicTime, _ body: (borrowing FeatureSample) -> Void
    ) -> CharacteristicDecoder.Outcome {
        let index = channel.index
        guard entries.indices.contains(index) else { return .init() }
        entries[index].statistics.received += 1
        var timestamp: Int64?
        var missing = 0
        let timing = entries[index].decoder.timing
        if timing == .device, bytes.count >= 2 {
            let raw = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
            // NanoEdge frames of one class carry no time but FFFF. bluest.md §5.2.
            if raw != 0xFFFF || entries[index].decoder.slots[0].feature !== Feature.neaiClassification {
                timestamp = unwrapper.unwrap(raw, at: time)
            }
        }
        if let timestamp {
            let finding = entries[index].detector.received(timestamp)
            missing = max(0, finding.lost)
            entries[index].statistics.lost = max(0, entries[index].statistics.lost + finding.lost)
            if finding.isLate { entries[index].statistics.late += 1 }
        }
        var watched: [(Feature, FeatureValues)] = []
        let publishesAll = options.publishesUnadvertised
        let observed = observed
        let tick = options.tick
        // Moved out and back, so that the closure may change it without a copy.
        var clocks: [UInt16: TimestampUnwrapper] = [:]
        if timing == .remote { swap(&clocks, &remote) }
        let outcome = entries[index].decoder.decode(bytes, at: time) { sample in
            sample.timestamp = timestamp
            sample.lostBefore = missing
            if timing == .remote { sample.timestamp = Self.remoteTimestamp(of: sample, tick, &clocks) }
            if !observed.isEmpty, observed.contains(sample.feature.id) {
                watched.append((sample.feature, sample.values))
            }
            if sample.isEnabled || publishesAll { body(sample) }
        }
        if timing == .remote { swap(&clocks, &remote) }
        if outcome.error != nil { entries[index].statistics.faulty += 1 }
        for (feature, values) in watched {
            for other in entries.indices { entries[other].decoder.observed(values, of: feature) }
        }
        return outcome
    }

    /// Tells the decoder that a command was sent to a feature: some answer differently from then on.
    public mutating func commandSent(to feature: Feature, _ id: UInt8, _ payload: [UInt8]) {
        for index in entries.indices { entries[index].decoder.commandSent(to: feature, id, payload) }
    }

    /// Notifications of a characteristic were off: what is missing before the next one was not lost.
    public mutating func interrupted(_ channel: Channel) {
        if entries.indices.contains(channel.index) { entries[channel.index].detector.interrupted() }
    }

    /// Begins anew, as a connection does: clocks and half messages are forgotten, counts stay.
    public mutating func reset() {
        unwrapper = TimestampUnwrapper(tick: options.tick)
        remote.removeAll()
        for index in entries.indices {
            let old = entries[index]
            entries[index].decoder = CharacteristicDecoder(old.decoder.uuid, slots: old.decoder.slots)
            entries[index].detector = LossDetector()
        }
    }

    private static func remoteTimestamp(
        of sample: FeatureSample, _ tick: Duration, _ clocks: inout [UInt16: TimestampUnwrapper]
    ) -> Int64? {
        guard let node = sample.nodeID, let raw = sample.rawRemoteTimestamp else { return nil }
        if clocks[node] == nil {
            guard clocks.count < remoteLimit else { return Int64(raw) }
            clocks[node] = TimestampUnwrapper(tick: tick)
        }
        return clocks[node]?.unwrap(raw)
    }
}
