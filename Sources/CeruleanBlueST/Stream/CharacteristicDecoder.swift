// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Reads the notifications of one characteristic: the time in front, then each feature in the order of the mask.
/// bluest.md §5.
///
/// It never reads past the end. A short notification yields the features in front of the fault and one error.
/// ```swift
/// var decoder = CharacteristicDecoder(BlueSTUUID.features(0x00E0_0000), device: 0x80, protocolVersion: 1)
/// let outcome = decoder.decode(bytes) { print($0) }
/// ```
public struct CharacteristicDecoder: Sendable {
    /// What became of a notification.
    public struct Outcome: Hashable, Sendable {
        /// The first two octets, if the characteristic has a time.
        public var rawTimestamp: UInt16?
        /// Octets that were understood.
        public var consumed = 0
        /// What was wrong, if something was.
        public var error: FeatureError?
    }

    /// The characteristic.
    public let uuid: BluetoothUUID
    /// The features in the order of their data.
    public let slots: [FeatureRegistry.Slot]
    /// How time is told.
    public let timing: Feature.Timing
    private var decoders: [(any FeatureDecoding)?]
    private var values = FeatureValues()

    /// A decoder for a characteristic of a board by its number; one without features understands nothing. `advertised`
    /// is the mask of a version 1 board, nil in version 2.
    public init(
        _ uuid: BluetoothUUID, device: UInt8, protocolVersion: UInt8, advertised: UInt32? = nil,
        registry: FeatureRegistry = FeatureRegistry()
    ) {
        let slots = registry.slots(of: uuid, device: device, protocolVersion: protocolVersion, advertised: advertised)
        self.init(uuid, slots: slots)
    }

    /// A decoder for features in the given order.
    public init(_ uuid: BluetoothUUID, slots: [FeatureRegistry.Slot]) {
        self.uuid = uuid
        self.slots = slots
        // A feature without time decides: what carries one stands alone in its characteristic, and begins at the first
        // octet.
        let timings = slots.map(\.feature.timing)
        timing = timings.contains(.host) ? .host : timings.contains(.remote) ? .remote : .device
        decoders = slots.map { $0.feature.makeDecoder?() }
    }

    /// Reads a notification and calls `body` with each feature's sample, in order. Samples have no unwrapped time yet.
    public mutating func decode(
        _ bytes: [UInt8], at time: MonotonicTime = .zero, _ body: (inout FeatureSample) -> Void
    ) -> Outcome {
        var outcome = Outcome()
        guard !slots.isEmpty else { return outcome }
        if timing != .host {
            guard bytes.count >= 2 else {
                outcome.error = FeatureError(.truncated, feature: "timestamp", needed: 2, available: bytes.count)
                return outcome
            }
            outcome.rawTimestamp = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
            outcome.consumed = 2
        }
        for index in slots.indices {
            do {
                try decodeSlot(index, bytes, time, &outcome, body)
            } catch {
                outcome.error = error
                return outcome
            }
        }
        return outcome
    }

    private mutating func decodeSlot(
        _ index: Int, _ bytes: [UInt8], _ time: MonotonicTime, _ outcome: inout Outcome,
        _ body: (inout FeatureSample) -> Void
    ) throws(FeatureError) {
        let feature = slots[index].feature
        var input = FeatureInput(bytes, at: outcome.consumed, feature: feature.id)
        var remoteTime: UInt16?
        if timing == .remote {
            try input.require(2 + feature.layoutSize)
            remoteTime = try input.uint16()
        }
        values.clear()
        var isWhole = true
        if decoders[index] != nil {
            isWhole = try decoders[index]?.decode(&input, into: &values) ?? false
        } else {
            try feature.decodeLayout(&input, into: &values)
        }
        let start = outcome.consumed
        outcome.consumed = input.position
        guard isWhole else { return }
        var sample = FeatureSample(
            feature: feature, values: values, rawTimestamp: outcome.rawTimestamp, time: time,
            isEnabled: slots[index].isEnabled, notification: bytes, range: start..<input.position)
        sample.rawRemoteTimestamp = remoteTime
        if timing == .remote { sample.nodeID = outcome.rawTimestamp }
        body(&sample)
    }

    /// How much of a feature's sample is there, for those that span notifications.
    public func progress(of feature: Feature) -> FeatureProgress? {
        slots.indices.first { slots[$0].feature === feature }.flatMap { decoders[$0]?.progress }
    }

    /// Tells the decoder of a feature that a command was sent to it.
    public mutating func commandSent(to feature: Feature, _ id: UInt8, _ payload: [UInt8]) {
        for index in slots.indices where slots[index].feature === feature {
            decoders[index]?.commandSent(id, payload)
        }
    }

    /// Tells decoders that watch a feature of its sample.
    public mutating func observed(_ values: FeatureValues, of feature: Feature) {
        for index in slots.indices where slots[index].feature.observes.contains(feature.id) {
            decoders[index]?.observed(values, of: feature)
        }
    }
}
