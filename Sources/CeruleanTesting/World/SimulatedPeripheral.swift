// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanAdapters
import CeruleanHost
public import CeruleanStack
import CeruleanVirtual
public import CeruleanWire
import Synchronization

/// A simulated device in the peripheral role, and all that may happen to one. See
/// ``SimulatedWorld/addPeripheral(_:address:distance:advertises:appears:services:)``.
///
/// ```swift
/// strap.goOutOfRange()                          // the link ends when its supervision timeout is over
/// strap.respond(.refusing(.outOfRange))         // to every read and write from now on
/// try await strap.changeServices { LocalService(0x180D) { measurement } }
/// ```
public final class SimulatedPeripheral: Sendable {
    /// How it treats reads and writes.
    public struct Conduct: Sendable {
        enum Kind: Sendable {
            case normal, silent
            case refusing(RequestFailure)
            case delaying(Duration)
        }
        let kind: Kind

        /// It answers at once.
        public static let normal = Self(kind: .normal)
        /// It never answers. Core 5.4, Vol 3, Part F, 3.3.3: a client waits 30 s.
        public static let silent = Self(kind: .silent)
        /// It says no.
        public static func refusing(_ failure: RequestFailure) -> Self { Self(kind: .refusing(failure)) }
        /// It answers after a while.
        public static func delaying(_ delay: Duration) -> Self { Self(kind: .delaying(delay)) }
    }

    private struct State {
        var conduct = Conduct.normal
        var special: [BluetoothUUID: Conduct] = [:]
        var published: [PublishedService] = []
        var services: [BluetoothUUID] = []
        var isSwitchedOff = false
        /// Meters from the central, when it is in range.
        var distance: Double
        var advertisement: RunningAdvertisement?
    }

    /// Its name.
    public let name: String
    /// Its address.
    public let address: DeviceAddress
    /// Its side of the API: everything that a real peripheral written with Cerulean could do.
    public let server: PeripheralServer
    /// The stack below ``server``.
    public let host: StackHost

    private let advertised: [BluetoothUUID]?
    private let air: VirtualWorld
    private let centralHost: StackHost
    private let state: Mutex<State>

    init(
        name: String, address: DeviceAddress, distance: Double, advertises: [BluetoothUUID]?, in world: SimulatedWorld,
        services: [LocalService]
    ) async throws(BluetoothError) {
        self.name = name
        self.address = address
        advertised = advertises
        air = world.air
        centralHost = world.centralHost
        state = Mutex(State(distance: distance))
        let host = world.air.makeHost(name: name, address: address, position: Position(x: distance))
        self.host = host
        // A day: a device that is silent must not be answered for.
        server = try await PeripheralServer(
            Adapter(name: name) { () throws(HostError) -> any Host in host }, handlerTimeout: .seconds(86_400))
        let loop = host.loop
        await server.intercept { [weak self] uuid in try await self?.conduct(uuid).perform(on: loop) }
        try await publish(services)
    }

    // MARK: Being there

    /// Begins to advertise, and does so again after each disconnection. Harmless when it does already.
    ///
    /// - Throws: `BluetoothError`.
    public func appear() async throws(BluetoothError) {
        guard await !server.isAdvertising else { return }
        let services = advertised ?? state.withLock { $0.services }
        let advertisement = try await server.advertise(name: name, services: services)
        state.withLock { $0.advertisement = advertisement }
    }

    /// Stops to advertise; its links stay.
    public func disappear() async { await server.stopAdvertising() }

    /// Ends the link to the central at once; both sides are told the reason, by default that the other fell silent
    /// (0x08).
    public func dropLink(reason: HCI.ErrorCode = .connectionTimeout) { air.drop(centralHost, host, reason: reason) }

    /// Is carried out of range: its link ends when the supervision timeout is over.
    public func goOutOfRange() { air.move(host, to: Position(x: 100_000)) }

    /// Is carried back to where it was.
    public func comeBack() { air.move(host, to: Position(x: state.withLock { $0.distance })) }

    /// Is carried to a distance in meters.
    public func move(to distance: Double) {
        state.withLock { $0.distance = distance }
        air.move(host, to: Position(x: distance))
    }

    /// Loses packets on the way to and from the central with a probability of 0 to 1, in bursts of an average length;
    /// the link layer sends them again.
    public func setLoss(_ probability: Double, burstLength: Double = 1) {
        guard let near = air.station(of: centralHost), let far = air.station(of: host) else { return }
        air.setLoss(probability, burstLength: burstLength, between: near, and: far)
    }

    /// Hangs, or wakes up: its radio neither sends nor hears. What its host did not hear meanwhile it never hears: a device
    /// that hung must be ``reset()``, as its owner would do.
    public func hang(_ isHanging: Bool = true) { withStation { air.setSilent($0, isHanging) } }

    /// Loses its power: to the central it is as if it had died, the link ends when the supervision timeout is over.
    public func powerOff() {
        state.withLock { $0.isSwitchedOff = true }
        withStation { air.powerOff($0) }
    }

    /// Gets its power back: it boots, serves what it served, knows no link, and advertises if it did. Harmless when it
    /// is on.
    ///
    /// - Throws: `BluetoothError`.
    public func powerOn() async throws(BluetoothError) {
        let wasOff = state.withLock { state in
            defer { state.isSwitchedOff = false }
            return state.isSwitchedOff
        }
        guard wasOff else { return }
        withStation { air.powerOn($0) }
        await stopHost()
        try await server.start()
    }

    /// Loses its power and gets it back at once.
    ///
    /// - Throws: `BluetoothError`.
    public func reset() async throws(BluetoothError) {
        powerOff()
        try await powerOn()
    }

    // MARK: Its database

    /// Replaces its whole database; connected centrals are told that it changed. Unless it was said what it advertises, it
    /// advertises the new services.
    ///
    /// - Throws: `BluetoothError`.
    public func changeServices(
        @ListBuilder<LocalService> _ services: () -> [LocalService]
    ) async throws(BluetoothError) {
        let old = state.withLock { state in
            defer { state.published = [] }
            return state.published
        }
        for service in old { try await server.unpublish(service) }
        try await publish(services())
        guard advertised == nil, let advertisement = state.withLock({ $0.advertisement }), await server.isAdvertising
        else { return }
        try await advertisement.update(.fields(name: name, services: state.withLock { $0.services }))
    }

    /// Keeps a new value and sends it to subscribers, see `PeripheralServer/update(_:to:for:timeout:)-(_,[UInt8],_,_)`.
    ///
    /// - Throws: `BluetoothError`.
    @discardableResult
    public func update(
        _ characteristic: LocalCharacteristic, to value: [UInt8]
    ) async throws(BluetoothError) -> Int { try await server.update(characteristic, to: value) }

    /// Keeps a new value and sends it to subscribers.
    ///
    /// - Throws: `BluetoothError`, with `invalidArgument` when the value cannot be encoded.
    @discardableResult
    public func update(
        _ characteristic: LocalCharacteristic, to value: some CharacteristicValue
    ) async throws(BluetoothError) -> Int { try await server.update(characteristic, to: value) }

    /// How it treats reads and writes from now on, but those that ``respond(_:to:)`` makes an exception of.
    public func respond(_ conduct: Conduct) { state.withLock { $0.conduct = conduct } }

    /// How it treats reads and writes of one characteristic from now on; nil ends the exception.
    public func respond(_ conduct: Conduct?, to characteristic: BluetoothUUID) {
        state.withLock { $0.special[characteristic] = conduct }
    }

    // MARK: -

    private func publish(_ services: [LocalService]) async throws(BluetoothError) {
        let published = try await server.publish(services)
        state.withLock { state in
            state.published = published
            state.services = services.map(\.uuid)
        }
    }

    private func conduct(_ characteristic: BluetoothUUID) -> Conduct {
        state.withLock { $0.special[characteristic] ?? $0.conduct }
    }

    private func withStation(_ body: (VirtualWorld.Station) -> Void) {
        if let station = air.station(of: host) { body(station) }
    }

    private func stopHost() async {
        let host = host
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            host.loop.execute { host.assumeIsolated { $0.stop { _ in continuation.resume() } } }
        }
    }
}

extension SimulatedPeripheral.Conduct {
    fileprivate func perform(on loop: any EventLoop) async throws {
        switch kind {
        case .normal: return
        case .silent: try await loop.sleep(for: .seconds(86_400 * 365))
        case .refusing(let failure): throw failure
        case .delaying(let delay): try await loop.sleep(for: delay)
        }
    }
}
