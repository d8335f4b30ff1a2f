// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanStack
public import CeruleanTransport
public import CeruleanVirtual
public import CeruleanWire
import Synchronization

/// A simulated air that hosts of this process, and controllers served over streams, share.
///
/// It lives on an event loop: in real time, faster by ``speed``, or on the virtual time of a simulation. Everything may be
/// called from any thread. The same seed and the same calls give the same run (on virtual time).
/// ```swift
/// let world = try VirtualWorld(seed: 1)
/// let phone = world.makeHost(name: "phone")
/// let sensor = world.makeHost(name: "sensor", position: Position(x: 2))
/// world.drop(phone, sensor)
/// ```
public final class VirtualWorld: Sendable {
    /// Names one controller of a world.
    public struct Station: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry {
        let controller: VirtualController
        let transport: any HCITransport
        /// The host of this process, and the key that it has or had: keys are used again when hosts are gone.
        weak var host: StackHost?
        var key: ObjectIdentifier?
    }

    private struct State {
        let air: Air
        var stations: [Int: Entry] = [:]
        var hosts: [ObjectIdentifier: Int] = [:]
        var lastStation = 0
        var timer: LoopTimer?
        var armed = MonotonicTime.distantFuture
    }

    /// Where the world and its hosts run.
    public let loop: any EventLoop
    /// Seconds of the air for each second of the loop.
    public let speed: Double
    /// Decides all that chance decides.
    public let seed: UInt64

    private let start: MonotonicTime
    private let state: Mutex<State>

    /// An empty air.
    ///
    /// - Parameters:
    ///   - loop: Where everything runs.
    ///   - seed: Decides all that chance decides.
    ///   - speed: above 0, at most 1,000,000; 1 is real time.
    ///   - air: How radio waves behave.
    public init(
        on loop: any EventLoop, seed: UInt64 = 1, speed: Double = 1, air: Air.Configuration = Air.Configuration()
    ) {
        self.loop = loop
        self.seed = seed
        self.speed = speed > 0 ? min(max(speed, 1e-6), 1e6) : 1
        start = loop.now
        state = Mutex(State(air: Air(seed: seed, configuration: air)))
    }

    /// An empty air on a thread of its own.
    ///
    /// - Parameters:
    ///   - seed: decides all that chance decides.
    ///   - speed: above 0, at most 1,000,000; 1 is real time.
    /// - Throws: `adapterFailed` when the process has no descriptors or threads left.
    public convenience init(seed: UInt64 = 1, speed: Double = 1) throws(HostError) {
        self.init(on: try ThreadLoop(name: "virtual"), seed: seed, speed: speed)
    }

    // MARK: - hosts

    /// Makes a host on a fresh controller of this air. It is not started. The controller goes when the host is gone.
    ///
    /// - Parameters:
    ///   - name: the device name of its GAP service.
    ///   - address: its address on the air; nil makes up a public one. A random one must be static.
    ///   - position: where it stands.
    ///   - configuration: other settings of the host; name and address come from the parameters.
    ///   - tap: sees every HCI packet of the host.
    ///   - change: changes what the controller is made of.
    public func makeHost(
        name: String = "Cerulean", address: DeviceAddress? = nil, position: Position = .origin,
        configuration: StackConfiguration? = nil, tap: HCITap? = nil,
        controller change: (inout VirtualController.Configuration) -> Void = { _ in }
    ) -> StackHost {
        makeHost(
            name: name, address: address, position: position, configuration: configuration, tap: tap, ownsLoop: false,
            controller: change)
    }

    func makeHost(
        name: String, address: DeviceAddress? = nil, position: Position = .origin, configuration: StackConfiguration?,
        tap: HCITap?, ownsLoop: Bool,
        controller change: (inout VirtualController.Configuration) -> Void = { _ in }
    ) -> StackHost {
        let (near, far) = LocalTransport.pair(name: "virtual")
        let host: any HCITransport
        if let tap { host = TappedTransport(near, tap: tap) } else { host = near }
        let station = add(far, address: address, position: position, change)
        var settings = configuration ?? StackConfiguration(seed: seed &* 31 &+ UInt64(station.number))
        settings.name = name
        if let address {
            settings.address = address.peerKind == .random ? .random(address.address) : .public
        }
        let stack = StackHost(transport: host, loop: loop, configuration: settings, ownsLoop: ownsLoop)
        state.withLock { state in
            state.hosts[ObjectIdentifier(stack)] = station.number
            state.stations[station.number]?.host = stack
            state.stations[station.number]?.key = ObjectIdentifier(stack)
        }
        return stack
    }

    /// Puts a controller at the far end of a stream of H4 octets: for hosts outside of this process.
    ///
    /// The controller is taken away when the stream closes.
    ///
    /// - Parameters:
    ///   - transport: The octets to and from the controller.
    ///   - address: the public address; nil makes one up.
    ///   - position: Where the controller stands.
    ///   - closed: Called when the stream ends.
    public func attach(
        _ transport: any HCITransport, address: BluetoothAddress? = nil, position: Position = .origin,
        closed: @escaping @Sendable (HostError) -> Void = { _ in }
    ) -> Station {
        add(
            transport, address: address.map { DeviceAddress($0, .public) }, position: position, { _ in }, closed: closed
        )
    }

    /// The controller of a host of this world; nil for other hosts.
    public func station(of host: StackHost) -> Station? {
        state.withLock { state in
            guard let number = state.hosts[ObjectIdentifier(host)], state.stations[number]?.host === host else {
                return nil
            }
            return Station(number: number)
        }
    }

    /// How many controllers there are.
    public var stationCount: Int { state.withLock { $0.stations.count } }

    /// The public address of a controller.
    public func publicAddress(of station: Station) -> BluetoothAddress? {
        state.withLock { $0.stations[station.number]?.controller.configuration.publicAddress }
    }

    // MARK: - faults

    /// Ends the links between two controllers at once.
    ///
    /// - Parameters:
    ///   - a: One side.
    ///   - b: The other side.
    ///   - reason: the HCI error code on both sides; by default the supervision timeout.
    public func drop(_ a: Station, _ b: Station, reason: HCI.ErrorCode = .connectionTimeout) {
        pair(a, b) { $0.drop($1, $2, reason: reason, now: $3) }
    }

    /// Carries a controller to another place; far away is out of range.
    public func move(_ station: Station, to position: Position) {
        one(station) { controller, now in controller.move(to: position, now: now) }
    }

    /// Hangs a controller, or wakes it up: while silent it says nothing and its radio is off.
    public func setSilent(_ station: Station, _ isSilent: Bool) {
        one(station) { controller, now in controller.setSilent(isSilent, now: now) }
    }

    /// Takes a controller's power away. Its host's stream stays open and hears nothing; peers' links time out.
    public func powerOff(_ station: Station) {
        one(station) { controller, now in controller.powerOff(now: now) }
    }

    /// Gives a controller power again, in its initial state.
    public func powerOn(_ station: Station) {
        one(station) { controller, now in controller.powerOn(now: now) }
    }

    /// Loses packets between two controllers with a probability of 0 to 1, in bursts of an average length.
    public func setLoss(_ probability: Double, burstLength: Double = 1, between a: Station, and b: Station) {
        pair(a, b) { $0.setLoss(probability, burstLength: burstLength, between: $1, and: $2, now: $3) }
    }

    /// Lets nothing through between two controllers for a while.
    public func interrupt(_ a: Station, _ b: Station, for duration: Duration) {
        pair(a, b) { $0.interrupt($1, $2, for: duration, now: $3) }
    }

    /// Pulls a controller out: its host's stream closes with an error, peers' links time out.
    public func remove(_ station: Station) {
        let entry = state.withLock { state -> Entry? in
            guard let entry = state.stations.removeValue(forKey: station.number) else { return nil }
            if let key = entry.key, state.hosts[key] == station.number { state.hosts.removeValue(forKey: key) }
            state.air.remove(entry.controller, now: airTime)
            arm(&state)
            return entry
        }
        entry?.transport.close()
    }

    // MARK: - private

    /// The air's time now.
    private var airTime: MonotonicTime { airTime(at: loop.now) }

    private func airTime(at moment: MonotonicTime) -> MonotonicTime {
        guard speed != 1 else { return moment }
        return MonotonicTime(
            nanoseconds: Self.sum(start.nanoseconds, Double(moment.nanoseconds - start.nanoseconds) * speed))
    }

    private func loopTime(at moment: MonotonicTime) -> MonotonicTime {
        guard speed != 1 else { return moment }
        let passed = Double(moment.nanoseconds - start.nanoseconds) / speed
        return MonotonicTime(nanoseconds: Self.sum(start.nanoseconds, passed.rounded(.up)))
    }

    /// At the end of time rather than beyond it.
    private static func sum(_ start: Int64, _ passed: Double) -> Int64 {
        let (sum, isTooMuch) = start.addingReportingOverflow(Int64(exactly: passed.rounded(.down)) ?? .max)
        return isTooMuch ? .max : sum
    }

    private func add(
        _ transport: any HCITransport, address: DeviceAddress?, position: Position,
        _ change: (inout VirtualController.Configuration) -> Void,
        closed: (@Sendable (HostError) -> Void)? = nil
    ) -> Station {
        let number = state.withLock { state in
            state.lastStation += 1
            return state.lastStation
        }
        let made = BluetoothAddress(rawValue: 0xDC_0DE0_000000 | UInt64(number & 0xFF_FFFF))
        let isPublic = address?.peerKind == .public
        var configuration = VirtualController.Configuration(publicAddress: isPublic ? address?.address ?? made : made)
        configuration.position = position
        change(&configuration)
        state.withLock { state in
            let controller = state.air.addController(configuration, now: airTime)
            // Octets only join a queue here: what comes back does so by a job of its own.
            controller.output = { packet in transport.send(packet.span.bytes) }
            state.stations[number] = Entry(controller: controller, transport: transport)
        }
        let station = Station(number: number)
        open(transport, station, closed)
        return station
    }

    /// Listens to the host's end. A host of ours that closes finds a fresh controller when it opens again.
    private func open(_ transport: any HCITransport, _ station: Station, _ closed: (@Sendable (HostError) -> Void)?) {
        transport.open(
            on: loop,
            receive: { [weak self] bytes in self?.receive(bytes, for: station) },
            closed: { [weak self, weak transport] error in
                guard let self else { return }
                if let closed {
                    remove(station)
                    return closed(error)
                }
                let hasHost = state.withLock { $0.stations[station.number]?.host != nil }
                guard hasHost else { return remove(station) }
                powerOff(station)
                powerOn(station)
                if let transport { open(transport, station, nil) }
            },
            opened: { _ in })
    }

    private func receive(_ bytes: RawSpan, for station: Station) {
        let now = airTime
        // A span cannot go into the lock's closure; its octets are read in place.
        unsafe bytes.withUnsafeBytes { buffer in
            nonisolated(unsafe) let buffer = unsafe buffer
            state.withLock { state in
                guard let controller = state.stations[station.number]?.controller else { return }
                unsafe controller.receive(RawSpan(_unsafeBytes: buffer), now: now)
                arm(&state)
            }
        }
    }

    private func one(_ station: Station, _ body: (VirtualController, MonotonicTime) -> Void) {
        state.withLock { state in
            guard let controller = state.stations[station.number]?.controller else { return }
            body(controller, airTime)
            arm(&state)
        }
    }

    private func pair(
        _ a: Station, _ b: Station, _ body: (Air, VirtualController, VirtualController, MonotonicTime) -> Void
    ) {
        state.withLock { state in
            guard let first = state.stations[a.number]?.controller, let second = state.stations[b.number]?.controller
            else { return }
            body(state.air, first, second, airTime)
            arm(&state)
        }
    }

    /// Arms the loop's timer when the air has something to do earlier than it is armed for.
    private func arm(_ state: inout State) {
        guard let deadline = state.air.nextDeadline else { return }
        let moment = loopTime(at: deadline)
        guard moment < state.armed else { return }
        if let timer = state.timer { loop.cancel(timer) }
        state.armed = moment
        state.timer = loop.schedule(at: moment) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        state.withLock { state in
            state.timer = nil
            state.armed = .distantFuture
            state.air.advance(to: airTime)
            arm(&state)
        }
    }
}

extension VirtualWorld {
    /// Ends the links between two hosts of this world at once.
    public func drop(_ a: StackHost, _ b: StackHost, reason: HCI.ErrorCode = .connectionTimeout) {
        guard let a = station(of: a), let b = station(of: b) else { return }
        drop(a, b, reason: reason)
    }

    /// Carries a host to another place; far away is out of range.
    public func move(_ host: StackHost, to position: Position) {
        if let station = station(of: host) { move(station, to: position) }
    }
}
