// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
import CeruleanWire
import Synchronization

/// Sound from the host to boards: the features that a host exports, which boards subscribe to over the link that the
/// host made. bluest.md §3, §10.
///
/// ```swift
/// let audio = try await AudioServer(server)
/// try await audio.waitForListener(of: .music)
/// try await audio.announce(.music)
/// for frame in frames { if let packet = encoder.encode(frame) { try await audio.send(packet) } }
/// await audio.close()
/// ```
public final class AudioServer: Sendable {
    /// What is sent.
    public enum Stream: UInt32, Hashable, Sendable, CaseIterable {
        /// Speech.
        case voice = 0x01
        /// Music.
        case music = 0x11

        /// The characteristic.
        public var uuid: BluetoothUUID { BlueSTUUID.extended(rawValue) }
    }

    private let server: PeripheralServer
    private let service: PublishedService
    private let attributes: [BluetoothUUID: AttributeID]
    private let radio: Radio
    private let turn = ExchangeLock()

    /// Publishes the service. Whoever is connected to the same adapter may subscribe, in whichever role.
    ///
    /// - Throws: `BluetoothError`.
    public init(_ server: PeripheralServer) async throws(BluetoothError) {
        self.server = server
        let uuids = [Stream.voice.uuid, BlueSTUUID.extended(0x02), Stream.music.uuid]
        let characteristics = uuids.map { LocalCharacteristic($0, .notify) }
        service = try await server.publish([LocalService(BlueSTUUID.featureService, characteristics: characteristics)])[
            0]
        var attributes: [BluetoothUUID: AttributeID] = [:]
        for (uuid, known) in zip(uuids, service.characteristics) { attributes[uuid] = known.id }
        self.attributes = attributes
        radio = Radio(attributes: Set(attributes.values))
        await Self.add(radio, to: server.host)
    }

    /// Removes the service.
    public func close() async {
        await Self.remove(radio, from: server.host)
        _ = try? await server.unpublish(service, timeout: .seconds(1))
    }

    /// How many listen to a stream.
    public func listeners(of stream: Stream) -> Int {
        attributes[stream.uuid].map { radio.subscribers(of: $0).count } ?? 0
    }

    /// Waits until somebody listens to a stream.
    ///
    /// - Throws: `BluetoothError` with `timedOut` or `cancelled`.
    public func waitForListener(of stream: Stream, timeout: Duration = .seconds(60)) async throws(BluetoothError) {
        let loop = server.host.loop
        let deadline = loop.now + timeout
        while listeners(of: stream) == 0 {
            let bell = radio.bell()
            if listeners(of: stream) > 0 { return }
            try await bell.value(on: loop, timeout: deadline - loop.now, "waiting for a listener of \(stream)")
        }
    }

    /// Tells listeners what the packets are.
    ///
    /// - Throws: `BluetoothError` with `invalidArgument` for a configuration that boards do not know.
    public func announce(
        _ configuration: OpusConfiguration, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        guard let octets = configuration.encoded else {
            throw BluetoothError(.invalidArgument, "announcing sound", detail: "boards do not know \(configuration)")
        }
        try await send([octets], on: BlueSTUUID.extended(0x02), timeout: timeout)
    }

    /// Tells listeners that sound begins, or ends.
    ///
    /// - Throws: `BluetoothError`.
    public func announce(isOn: Bool, timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        try await send([FeatureWrite.opus(isOn: isOn)], on: BlueSTUUID.extended(0x02), timeout: timeout)
    }

    /// Sends an Opus packet to all who listen, in frames that the smallest of their links carries. Ends when it is
    /// queued.
    ///
    /// - Throws: `BluetoothError`.
    public func send(
        _ packet: [UInt8], on stream: Stream = .music, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        guard let attribute = attributes[stream.uuid] else { return }
        let size = await Self.valueLength(of: radio.subscribers(of: attribute), on: server.host)
        try await send(
            MessageTransport.encodeFromBoard(packet, frameSize: size), on: stream.uuid, timeout: timeout)
    }

    // MARK: - Private

    private func send(
        _ values: [[UInt8]], on uuid: BluetoothUUID, timeout: Duration
    ) async throws(BluetoothError) {
        guard let attribute = attributes[uuid] else { return }
        let host = server.host
        let operation = "sending sound"
        try await turn.run(on: host.loop, timeout: timeout, operation) { () throws(BluetoothError) in
            let deadline = host.loop.now + timeout
            for value in values {
                while let bell = await Self.update(value, of: attribute, on: host, radio) {
                    try await bell.value(on: host.loop, timeout: deadline - host.loop.now, operation)
                }
            }
        }
    }

    /// Nil when the value was taken, else what rings when there is room: no event comes between on the host's loop.
    private static func update(
        _ value: [UInt8], of attribute: AttributeID, on host: isolated any Host, _ radio: Radio
    ) -> Answer<Void>? {
        host.update(value, of: attribute, for: .allSubscribers) ? nil : radio.bell()
    }

    private static func valueLength(of links: Set<LinkID>, on host: isolated any Host) -> Int {
        host.links.filter { links.contains($0.id) }.map(\.maximumValueLength).min() ?? 20
    }

    private static func add(_ radio: Radio, to host: isolated any Host) { host.addSink(radio) }
    private static func remove(_ radio: Radio, from host: isolated any Host) { host.removeSink(radio) }

    /// Knows who listens, and when there is room again.
    private final class Radio: HostEventSink, Sendable {
        private struct State {
            var subscribers: [AttributeID: Set<LinkID>] = [:]
            var bells: [Answer<Void>] = []
        }

        private let attributes: Set<AttributeID>
        private let state = Mutex(State())

        init(attributes: Set<AttributeID>) { self.attributes = attributes }

        func subscribers(of attribute: AttributeID) -> Set<LinkID> {
            state.withLock { $0.subscribers[attribute] ?? [] }
        }

        /// Rings at the next change.
        func bell() -> Answer<Void> {
            let bell = Answer<Void>()
            state.withLock { $0.bells.append(bell) }
            return bell
        }

        func receive(_ event: HostEvent) {
            switch event {
            case .subscriptionChanged(let link, let attribute, let mode) where attributes.contains(attribute):
                state.withLock { state in
                    if mode == .off {
                        state.subscribers[attribute]?.remove(link)
                    } else {
                        state.subscribers[attribute, default: []].insert(link)
                    }
                }
            case .linkClosed(let link, _):
                state.withLock { state in
                    for attribute in state.subscribers.keys { state.subscribers[attribute]?.remove(link.id) }
                }
            case .readyToUpdate: break
            default: return
            }
            let bells = state.withLock { state in
                defer { state.bells = [] }
                return state.bells
            }
            for bell in bells { bell.resolve(.success(())) }
        }
    }
}
