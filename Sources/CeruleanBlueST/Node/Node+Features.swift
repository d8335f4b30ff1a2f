// SPDX-License-Identifier: Apache-2.0

public import Cerulean
public import CeruleanWire
import Synchronization

/// A feature on a node.
public struct NodeFeature: Hashable, Sendable {
    /// What it is.
    public var feature: Feature
    /// Its bit in the mask; 0 for features that have none.
    public var mask: UInt32
    /// The characteristic from which it is taken: of several the one that carries the most features.
    public var characteristic: BluetoothUUID
    /// False if the board did not advertise it; it is then never published.
    public var isEnabled: Bool
    /// Whether it can be followed.
    public var canNotify: Bool
    /// Whether it can be read.
    public var canRead: Bool
    /// Whether it takes commands or data on its own characteristic.
    public var canWrite: Bool
    let key: PortKey
}

/// The samples of some features, see ``Node/samples(of:capacity:endsWithLink:timeout:)``.
public struct FeatureSamples: AsyncSequence, Sendable {
    /// One sample.
    public typealias Element = FeatureSample

    let stream: AsyncThrowingStream<FeatureSample, any Error>
    let dropped: DropCount

    /// How many samples were dropped because the reader was too slow.
    public var droppedCount: Int { dropped.value }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncThrowingStream<FeatureSample, any Error>.Iterator {
        stream.makeAsyncIterator()
    }
}

extension Node {
    /// The features found on it; empty when it was never connected. Two features of one kind (two temperatures) come
    /// once.
    public var features: [NodeFeature] {
        core.state.withLock { state in
            var found: [NodeFeature] = []
            // The characteristic with the most features serves each of them. bluest.md §5.1.
            let order = state.characteristics.enumerated().sorted {
                ($1.element.slots.count, $0.offset) < ($0.element.slots.count, $1.offset)
            }.map(\.element)
            for characteristic in order {
                let properties = characteristic.properties
                for slot in characteristic.slots where !found.contains(where: { $0.feature === slot.feature }) {
                    found.append(
                        NodeFeature(
                            feature: slot.feature, mask: slot.mask, characteristic: characteristic.key.uuid,
                            isEnabled: slot.isEnabled, canNotify: !properties.isDisjoint(with: [.notify, .indicate]),
                            canRead: properties.contains(.read),
                            canWrite: !properties.isDisjoint(with: [.write, .writeWithoutResponse]),
                            key: characteristic.key))
                }
            }
            return found.sorted { ($1.mask, $0.feature.id) < ($0.mask, $1.feature.id) }
        }
    }

    /// The feature on this node.
    ///
    /// - Throws: `BluetoothError` with `notFound`, or `disconnected` when it was never connected.
    public func feature(_ feature: Feature) throws(BluetoothError) -> NodeFeature {
        let all = features
        if let found = all.first(where: { $0.feature === feature }) { return found }
        let names = all.map(\.feature.id).joined(separator: ", ")
        throw BluetoothError(
            all.isEmpty && !isConnected ? .disconnected : .notFound, "feature \(feature) on \(name)",
            detail: all.isEmpty ? "connect first" : "it has \(names)")
    }

    /// The feature called `id`, in any case, on this node.
    ///
    /// - Throws: `BluetoothError` with `notFound`.
    public func feature(id: String) throws(BluetoothError) -> NodeFeature {
        let wanted = id.lowercased()
        let all = features
        if let found = all.first(where: { $0.feature.id.lowercased() == wanted }) { return found }
        throw BluetoothError(
            .notFound, "feature \(id) on \(name)",
            detail: "it has \(all.map(\.feature.id).joined(separator: ", "))")
    }

    /// The newest sample of a feature; nil before the first.
    public func lastSample(of feature: Feature) -> FeatureSample? { core.state.withLock { $0.lastSamples[feature] } }

    /// True while somebody follows the feature.
    public func isNotifying(_ feature: Feature) -> Bool {
        core.state.withLock { $0.listeners.values.contains { $0.features.contains(feature) } }
    }

    /// Follows features: notifications are on as long as somebody does.
    ///
    /// - Parameters:
    ///   - features: Which; they may stand on several characteristics.
    ///   - capacity: How many samples wait for a slow reader; beyond it the newest are dropped and counted in
    ///     ``FeatureSamples/droppedCount``.
    ///   - endsWithLink: Whether the samples end with an error when the link is lost. Otherwise they go on after the
    ///     next ``connect(timeout:)``.
    ///   - timeout: For switching notifications on, each.
    /// - Throws: `BluetoothError` with `notFound` for features that the node has not, `unsupported` for one that it
    ///   does not send.
    public func samples(
        of features: [Feature], capacity: Int = 4096, endsWithLink: Bool = true, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> FeatureSamples {
        var keys: [PortKey] = []
        for feature in features {
            let found = try self.feature(feature)
            guard found.canNotify, found.isEnabled else {
                let why = found.isEnabled ? "it does not notify" : "the board did not advertise it"
                throw BluetoothError(.unsupported, "following \(feature) on \(name)", detail: why)
            }
            if !keys.contains(found.key) { keys.append(found.key) }
            // Audio needs what another characteristic says.
            for observed in feature.observes {
                for other in self.features where other.feature.id == observed && other.canNotify {
                    if !keys.contains(other.key) { keys.append(other.key) }
                }
            }
        }
        let wanted = keys
        let (stream, continuation) = AsyncThrowingStream<FeatureSample, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(max(1, capacity)))
        let dropped = DropCount()
        let listener = NodeCore.SampleListener(
            features: Set(features), keys: keys, endsWithLink: endsWithLink, continuation: continuation,
            dropped: dropped)
        let id = core.state.withLock { state in
            state.nextListener &+= 1
            state.listeners[state.nextListener] = listener
            return state.nextListener
        }
        continuation.onTermination = { [weak core] _ in
            guard let core else { return }
            core.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
            for key in wanted { core.release(key) }
        }
        for (index, key) in wanted.enumerated() {
            do throws(BluetoothError) {
                try await core.use(key, timeout: timeout)
            } catch {
                // Those that are not on have no user to be taken away; make up for what the end takes.
                core.state.withLock { state in
                    for late in wanted[index...] { state.users[late, default: 0] += 1 }
                }
                continuation.finish()
                throw error
            }
        }
        return FeatureSamples(stream: stream, dropped: dropped)
    }

    /// Reads a feature.
    ///
    /// - Returns: All samples in the value, of this and of other features.
    /// - Throws: `BluetoothError` with `unsupported` where it cannot be read, `badData` when the value is faulty.
    public func read(_ feature: Feature, timeout: Duration = .seconds(10)) async throws(BluetoothError)
        -> [FeatureSample]
    {
        let found = try self.feature(feature)
        guard found.canRead else { throw BluetoothError(.unsupported, "reading \(feature) on \(name)") }
        let bytes = try await core.port.read(found.key, timeout: timeout)
        let now = core.port.loop.now
        let slots = core.state.withLock { state in
            state.characteristics.first { $0.key == found.key }?.slots ?? []
        }
        // A read does not disturb the clock of what is sent.
        var decoder = CharacteristicDecoder(found.characteristic, slots: slots)
        var samples: [FeatureSample] = []
        let outcome = decoder.decode(bytes, at: now) { samples += $0.rows }
        if samples.isEmpty, let error = outcome.error {
            throw BluetoothError(.badData, "reading \(feature) on \(name)", detail: error.description)
        }
        return samples
    }

    /// Writes octets to a feature's own characteristic; without response where the characteristic allows it.
    /// ``FeatureWrite`` has what ST's firmware takes.
    ///
    /// - Throws: `BluetoothError`.
    public func write(
        _ bytes: [UInt8], to feature: Feature, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        let found = try self.feature(feature)
        guard found.canWrite else { throw BluetoothError(.unsupported, "writing to \(feature) on \(name)") }
        try await core.port.write(bytes, to: found.key, withResponse: false, timeout: timeout)
    }

    /// What was counted on the characteristic of a feature since the link came up: received, lost, late and faulty
    /// notifications.
    public func statistics(of feature: Feature) -> NodeDecoder.Statistics {
        guard let key = features.first(where: { $0.feature === feature })?.key else { return .init() }
        return core.state.withLock { state in
            guard let channel = state.characteristics.first(where: { $0.key == key })?.channel else { return .init() }
            return state.decoder.statistics(of: channel)
        }
    }

    /// How much of a sample that spans notifications is there, such as a spectrum; nil while none has begun.
    public func progress(of feature: Feature) -> FeatureProgress? {
        guard let key = features.first(where: { $0.feature === feature })?.key else { return nil }
        return core.state.withLock { state in
            guard let channel = state.characteristics.first(where: { $0.key == key })?.channel else { return nil }
            return state.decoder.progress(of: feature, on: channel)
        }
    }

    /// Characteristics that carry nothing known, for finding out what a firmware has.
    public var unknownCharacteristics: [BluetoothUUID] {
        core.state.withLock { state in
            state.characteristics.filter { characteristic in
                guard characteristic.slots.isEmpty else { return false }
                switch BlueSTUUID.kind(of: characteristic.key.uuid) {
                case .terminal, .standardError, .registers, .commands: return false
                default: return characteristic.key.uuid.short == nil
                }
            }.map(\.key.uuid)
        }
    }
}
