// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanWire
import Synchronization

/// A BlueST board: its state, features, commands, registers, console and upgrade. bluest.md §16.
///
/// A light handle that any task may use; nodes are equal when their tags are.
/// ```swift
/// let node = try Node(found)
/// try await node.connect()
/// for try await sample in try await node.samples(of: [.acceleration, .gyroscope]) {
///     print(sample, sample.lostBefore)
/// }
/// try await node.disconnect()
/// ```
public struct Node: Sendable {
    let core: NodeCore
    /// What identifies the node: its address, else the host's identifier.
    public let tag: String
    /// The device behind it; nil for a virtual node.
    public let peripheral: Peripheral?

    /// The node of a device that a scan saw.
    ///
    /// - Parameters:
    ///   - discovery: What the scan saw.
    ///   - features: The features that are known.
    ///   - catalog: Tells its firmware by number, if the user has a catalogue.
    ///   - options: How its clock is read; nil for what its protocol version needs.
    /// - Throws: ``BlueSTAdvertisement/Rejection`` if its advertisement is not from a BlueST board.
    public init(
        _ discovery: Discovery, features: FeatureRegistry = FeatureRegistry(), catalog: FirmwareCatalog? = nil,
        options: NodeDecoder.Options? = nil
    ) throws(BlueSTAdvertisement.Rejection) {
        let advertisement = try BlueSTAdvertisement(discovery)
        self.init(
            discovery.peripheral, advertisement: advertisement, features: features, catalog: catalog, options: options)
        core.state.withLock { state in
            state.rssi = discovery.rssi
            state.rssiTime = discovery.time
        }
        core.handle(.advertised)
    }

    /// The node of a device. Without an advertisement that tells what board it is, what it has is read as of a Nucleo
    /// board.
    public init(
        _ peripheral: Peripheral, advertisement: BlueSTAdvertisement? = nil,
        features: FeatureRegistry = FeatureRegistry(), catalog: FirmwareCatalog? = nil,
        options: NodeDecoder.Options? = nil
    ) {
        let known = NodeKnowledge(features: features, catalog: catalog)
        self.init(peripheral, advertisement: advertisement, options: options, knowledge: { known })
    }

    /// A node that asks for what is known whenever it connects.
    init(
        _ peripheral: Peripheral, advertisement: BlueSTAdvertisement?, options: NodeDecoder.Options?,
        knowledge: @escaping @Sendable () -> NodeKnowledge
    ) {
        let seen = advertisement ?? peripheral.lastAdvertisement.flatMap { try? BlueSTAdvertisement($0) }
        let known =
            seen
            ?? BlueSTAdvertisement(
                protocolVersion: 2, name: peripheral.name, deviceID: 0, content: .options([0xFF, 0, 0, 0]))
        core = NodeCore(port: PeripheralPort(peripheral), advertisement: known, options: options, knowledge: knowledge)
        tag = peripheral.address?.description ?? "\(peripheral.id)"
        self.peripheral = peripheral
    }

    init(
        port: any NodePort, tag: String, advertisement: BlueSTAdvertisement,
        knowledge: @escaping @Sendable () -> NodeKnowledge
    ) {
        core = NodeCore(port: port, advertisement: advertisement, options: nil, knowledge: knowledge)
        self.tag = tag
        peripheral = nil
    }

    // MARK: What it is

    /// What it last advertised.
    public var advertisement: BlueSTAdvertisement { core.state.withLock { $0.advertisement } }
    /// The board.
    public var board: Board { advertisement.board }
    /// The firmware that it advertises by number, where the catalogue tells it.
    public var firmware: FirmwareCatalog.Entry? {
        let seen = advertisement
        return core.knowledge().catalog?.entry(for: seen) ?? FirmwareCatalog.simulated(seen)
    }
    /// The advertised name.
    public var name: String { advertisement.name ?? peripheral?.name ?? tag }
    /// The name with the last six digits of the address, ` @` between: tells boards of one name apart, also in logs.
    public var friendlyName: String {
        let digits = (advertisement.address?.description ?? tag).filter { $0.isLetter || $0.isNumber }
        return "\(name) @\(digits.suffix(6))"
    }
    /// True if it said that it sleeps.
    public var isSleeping: Bool { advertisement.isSleeping }
    /// Transmit power in dBm, where it said so.
    public var txPower: Int? { advertisement.txPower.map(Int.init) }
    /// The signal strength last received or measured in dBm.
    public var rssi: Int? { core.state.withLock { $0.rssi } }
    /// When ``rssi`` was received, by the host's clock.
    public var rssiTime: MonotonicTime? { core.state.withLock { $0.rssiTime } }
    /// When its last advertisement came, by the host's clock.
    public var lastSeen: MonotonicTime? { core.state.withLock { $0.machine.lastSeen } }

    // MARK: State

    /// Where it stands.
    public var state: NodeState { core.nodeState }
    /// True when it is ready.
    public var isConnected: Bool { state == .connected }
    /// Each change of the state from now on; the newest 64 wait for a slow listener.
    public func stateChanges() -> AsyncStream<NodeStateChange> { core.states.listen(capacity: 64) }

    /// Connects, finds the features, and switches on again what was on before the link was lost. Ends at once when
    /// connected.
    ///
    /// - Throws: `BluetoothError`; the node is then dead if the link did not come up, unreachable if it could not be
    ///   read.
    public func connect(timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        try await core.connect(timeout: timeout)
    }

    /// Disconnects; all streams of the node end. Harmless when not connected.
    ///
    /// - Throws: `BluetoothError`; the node is then dead.
    public func disconnect(timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        try await core.disconnect(timeout: timeout)
    }

    /// Measures the signal strength of the link in dBm.
    ///
    /// - Throws: `BluetoothError`.
    @discardableResult
    public func readRSSI(timeout: Duration = .seconds(10)) async throws(BluetoothError) -> Int {
        guard let peripheral else { return rssi ?? 0 }
        let value = try await peripheral.readRSSI(timeout: timeout)
        let now = core.port.loop.now
        core.state.withLock { state in
            state.rssi = value
            state.rssiTime = now
        }
        return value
    }

    /// A new advertisement of it came.
    func advertised(_ advertisement: BlueSTAdvertisement, rssi: Int?, at time: MonotonicTime) {
        core.state.withLock { state in
            if state.machine.state != .connected, state.machine.state != .connecting {
                state.advertisement = advertisement
            }
            state.rssi = rssi ?? state.rssi
            state.rssiTime = time
        }
        core.handle(.advertised)
    }

    /// Checks whether it was heard lately.
    func checkSilence() { core.handle(.silence) }
}

extension Node: Hashable, Identifiable, CustomStringConvertible {
    /// The tag.
    public var id: String { tag }
    /// Whether both have one tag.
    public static func == (a: Self, b: Self) -> Bool { a.tag == b.tag }
    /// Hashes the tag.
    public func hash(into hasher: inout Hasher) { hasher.combine(tag) }
    /// Name, board and tag.
    public var description: String { "\(name) (\(board.name), \(tag))" }
}

extension BlueSTAdvertisement {
    /// Reads what a scan saw: the octets where the engine has them, else the fields.
    ///
    /// - Throws: ``Rejection`` if it is not from a BlueST board.
    public init(_ discovery: Discovery) throws(Rejection) { try self.init(discovery.advertisement) }

    init(_ advertisement: Advertisement) throws(Rejection) {
        if let raw = advertisement.raw {
            try self.init(decoding: raw, scanResponse: advertisement.scanResponse ?? [])
        } else {
            try self.init(advertisement.fields)
        }
    }
}
