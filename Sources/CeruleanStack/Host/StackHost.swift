// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// Our own Bluetooth LE host on a controller: a ``StackEngine`` on an event loop and an HCI transport.
///
/// Received octets go through all layers in one pass on the loop; one timer of the loop serves all deadlines. When the
/// controller or its transport fails, every call ends once with the reason and the state is `resetting`: the host resets the
/// controller, and when that does not help opens the transport again and again for ``StackConfiguration/recoveryTime``. Then the
/// state is `poweredOff`, and ``start(timeout:completion:)`` tries again from the beginning.
/// ```swift
/// let host = StackHost(transport: transport, loop: loop, configuration: StackConfiguration(name: "Lab"))
/// await host.start(timeout: .seconds(5)) { result in … }
/// ```
public actor StackHost: Host {
    /// The executor and clock of the host.
    public nonisolated let loop: any EventLoop
    /// What a person would call it, as an adapter string.
    public nonisolated var name: String { transport.name }
    /// The loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private enum Phase: Hashable { case closed, opening, open, stopping }

    let engine: StackEngine
    private nonisolated let transport: any HCITransport
    let fanOut = FanOut()
    private var phase = Phase.closed
    /// Tells the callbacks of an earlier opening apart.
    private var opening: UInt64 = 0
    private var startCompletion: HostCompletion<Void>?
    private var openTimer: LoopTimer?
    private var stopCompletions: [HostCompletion<Void>] = []
    private var timer: LoopTimer?
    private var armed = MonotonicTime.distantFuture
    private var isWired = false
    private nonisolated let ownsLoop: Bool
    private var hasBonds = false
    private var saves: UInt64 = 0
    private var saved: UInt64 = 0
    private var saveWaiters: [(number: UInt64, completion: HostCompletion<Void>)] = []
    /// The tries to get a controller back that failed; nil while none are made.
    private var recovery: Recovery?
    /// The adapter was on since it was opened: what breaks now is no failure of its start.
    private var wasOn = false
    /// What the sinks were told last.
    private var lastState = AdapterState.poweredOff

    private struct Recovery {
        var until: MonotonicTime
        var delay = Duration.milliseconds(500)
        var isTrying = false
        var timer: LoopTimer?
        /// Those who start the adapter meanwhile.
        var waiters: [HostCompletion<Void>] = []
    }

    /// Why bonds could not be saved the last time; nil when they are safe.
    public private(set) var bondFailure: BondStoreError?

    /// A host that is not started.
    ///
    /// - Parameters:
    ///   - transport: The octets to and from the controller.
    ///   - loop: Where everything runs.
    ///   - configuration: The settings.
    ///   - ownsLoop: the loop serves this host alone and is shut down with it.
    public init(
        transport: any HCITransport, loop: any EventLoop, configuration: StackConfiguration = StackConfiguration(),
        ownsLoop: Bool = false
    ) {
        self.transport = transport
        self.loop = loop
        self.ownsLoop = ownsLoop
        engine = StackEngine(configuration: configuration)
    }

    deinit {
        // The last reference may go on any thread; there, ending the loop would wait for its thread.
        let (transport, loop, ownsLoop) = (transport, loop, ownsLoop)
        loop.execute {
            transport.close()
            if ownsLoop { loop.shutdown() }
        }
    }

    // MARK: - state

    /// What the stack can do.
    public var capabilities: HostCapabilities {
        let always: HostCapabilities = [
            .central, .peripheral, .knowsHandles, .knowsAddresses, .rawScanData, .rawAdvertising,
            .separatesReadsFromNotifications, .batchesPreparedWrites, .controlsMTU, .controlsConnectionParameters,
            .controlsPairing, .choosesIndications, .reliableWrites, .l2capChannels, .signedWrites,
        ]
        return always.union(engine.controllerCapabilities)
    }

    /// Whether the adapter can be used.
    public var state: AdapterState { recovery != nil && engine.state != .poweredOn ? .resetting : engine.state }

    /// The address on the air; nil before the first start.
    public var localAddress: DeviceAddress? { engine.localAddress }

    /// What was counted since the host was made.
    public var counters: StackEngine.Counters { engine.counters }

    /// What is known of the controller; nil before the first start.
    public var controller: ControllerInfo? { engine.controllerInfo }

    /// Changes the device name of the GAP service (0x2A00), at most 248 octets.
    public func setDeviceName(_ name: String) {
        engine.setDeviceName(name, now: loop.now)
        rearm()
    }

    // MARK: - start and stop

    /// Opens and starts the adapter. Ends when it is `poweredOn` or cannot become so.
    public func start(timeout: Duration, completion: @escaping HostCompletion<Void>) {
        if recovery?.isTrying == true {
            recovery?.waiters.append(completion)
            return
        }
        // What was to be tried later is tried now.
        if let timer = recovery?.timer { loop.cancel(timer) }
        recovery = nil
        begin(timeout: timeout, completion: completion)
    }

    private func begin(timeout: Duration, completion: @escaping HostCompletion<Void>) {
        switch phase {
        case .open where engine.state == .poweredOn: return completion(.success(()))
        case .open where engine.state == .poweredOff: break
        case .closed: break
        case .open, .opening, .stopping:
            return completion(
                .failure(HostError(.wrongState, "start", detail: "the adapter is being started or stopped")))
        }
        do throws(HostError) {
            try loadBonds()
        } catch {
            return completion(.failure(error.during("start of \(name)")))
        }
        if phase == .open { transport.close() }
        wire()
        phase = .opening
        wasOn = false
        opening &+= 1
        let current = opening
        startCompletion = completion
        let deadline = loop.now + timeout
        openTimer = loop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated {
                $0.opened(current, HostError(.timedOut, detail: "the adapter could not be opened"), deadline)
            }
        }
        transport.open(
            on: loop,
            receive: { [weak self] bytes in self?.receive(bytes, of: current) },
            closed: { [weak self] error in self?.assumeIsolated { $0.closed(current, error) } },
            opened: { [weak self] error in self?.assumeIsolated { $0.opened(current, error, deadline) } })
    }

    /// Ends all links, scans and advertisements, then closes the adapter.
    public func stop(completion: @escaping HostCompletion<Void>) {
        endRecovery(HostError(.cancelled, detail: "the adapter was stopped"))
        switch phase {
        case .closed: return completion(.success(()))
        case .stopping: return stopCompletions.append(completion)
        case .opening:
            opened(opening, HostError(.cancelled, detail: "the adapter was stopped"), loop.now)
            return completion(.success(()))
        case .open: break
        }
        stopCompletions.append(completion)
        phase = .stopping
        let current = opening
        engine.closeLinks(now: loop.now) { [weak self] in
            self?.assumeIsolated { $0.finishStop(current) }
        }
        // A controller that does not answer any more does not keep us.
        _ = loop.schedule(at: loop.now + .seconds(1)) { [weak self] in
            self?.assumeIsolated { $0.finishStop(current) }
        }
        rearm()
    }

    private func finishStop(_ current: UInt64) {
        guard phase == .stopping, opening == current else { return }
        engine.shutDown(now: loop.now)
        close()
        let completions = stopCompletions
        stopCompletions = []
        // Whoever waits for the end may end the process: bonds are safe first.
        whenSaved { _ in
            for completion in completions { completion(.success(())) }
        }
    }

    private func close() {
        phase = .closed
        opening &+= 1
        transport.close()
        if let timer { loop.cancel(timer) }
        timer = nil
        armed = .distantFuture
    }

    private func opened(_ current: UInt64, _ error: HostError?, _ deadline: MonotonicTime) {
        guard phase == .opening, opening == current else { return }
        if let openTimer { loop.cancel(openTimer) }
        openTimer = nil
        let completion = startCompletion
        startCompletion = nil
        if let error {
            close()
            completion?(.failure(error.during("start of \(name)")))
            return
        }
        phase = .open
        let name = name
        engine.start(now: loop.now, timeout: max(.milliseconds(1), deadline - loop.now)) { [weak self] result in
            if case .failure = result { self?.assumeIsolated { $0.startFailed(current) } }
            completion?(
                result.mapError { error in
                    var error = error
                    error.operation = "start of \(name)"
                    return error
                })
        }
        rearm()
    }

    /// A controller that could not be started is let go, so that somebody else can have it.
    private func startFailed(_ current: UInt64) {
        guard phase == .open, opening == current else { return }
        close()
    }

    private func closed(_ current: UInt64, _ error: HostError) {
        guard opening == current else { return }
        if phase == .opening { return opened(current, error, loop.now) }
        let wasStopping = phase == .stopping
        engine.shutDown(now: loop.now, error: error)
        guard opening == current else { return }
        if wasStopping { finishStop(current) } else if phase == .open { close() }
    }

    // MARK: - recovery

    /// A controller that fails while it is on is tried again; until that is over the state is `resetting`.
    private func changed(_ state: AdapterState) {
        if state == .poweredOn {
            wasOn = true
        } else if recovery != nil {
            return
        } else if state == .poweredOff, wasOn, phase == .open, let time = engine.configuration.recoveryTime {
            recovery = Recovery(until: loop.now + time)
            scheduleRecovery()
            if lastState != .resetting { tell(.resetting) }
            return
        }
        tell(state)
    }

    private func tell(_ state: AdapterState) {
        lastState = state
        fanOut.send(.stateChanged(state))
    }

    private func scheduleRecovery() {
        guard var next = recovery else { return }
        next.isTrying = false
        next.timer = loop.schedule(at: loop.now + next.delay) { [weak self] in self?.assumeIsolated { $0.recover() } }
        next.delay = min(next.delay * 2, .seconds(4))
        recovery = next
    }

    private func recover() {
        guard recovery != nil else { return }
        recovery?.isTrying = true
        if phase == .open { close() }
        begin(timeout: .seconds(10)) { [weak self] result in self?.assumeIsolated { $0.recovered(result) } }
    }

    private func recovered(_ result: Result<Void, HostError>) {
        guard let tried = recovery else { return }
        switch result {
        case .success:
            recovery = nil
            for waiter in tried.waiters { waiter(.success(())) }
        case .failure(let error) where loop.now >= tried.until: endRecovery(error)
        case .failure: scheduleRecovery()
        }
    }

    private func endRecovery(_ error: HostError) {
        guard let ended = recovery else { return }
        recovery = nil
        if let timer = ended.timer { loop.cancel(timer) }
        tell(.poweredOff)
        for waiter in ended.waiters { waiter(.failure(error)) }
    }

    // MARK: - bonds

    /// Bonds that cannot be read are not thrown away: the host does not start without them.
    private func loadBonds() throws(HostError) {
        guard !hasBonds else { return }
        if let store = engine.configuration.bonds {
            do throws(BondStoreError) {
                engine.useBonds(try store.load())
            } catch {
                throw HostError(
                    .badData, system: error.system,
                    detail: "the bonds in \(error.location) cannot be used: \(error.code)")
            }
        }
        hasBonds = true
    }

    private func save(_ database: BondDatabase) {
        guard let store = engine.configuration.bonds else { return }
        saves += 1
        let number = saves
        let loop = loop
        store.save(database) { [weak self] error in
            loop.execute { [weak self] in self?.assumeIsolated { $0.saved(number, error) } }
        }
    }

    private func saved(_ number: UInt64, _ error: BondStoreError?) {
        saved = max(saved, number)
        bondFailure = error
        let done = saveWaiters.filter { $0.number <= number }
        saveWaiters.removeAll { $0.number <= number }
        for waiter in done {
            waiter.completion(
                error.map {
                    .failure(
                        HostError(.badData, system: $0.system, detail: "the bonds could not be saved in \($0.location)")
                    )
                } ?? .success(()))
        }
    }

    /// Calls back when everything that was to be saved is safe.
    func whenSaved(_ completion: @escaping HostCompletion<Void>) {
        guard saved < saves else { return completion(.success(())) }
        saveWaiters.append((saves, completion))
    }

    // MARK: - wiring

    private func wire() {
        guard !isWired else { return }
        isWired = true
        let transport = transport
        let fanOut = fanOut
        engine.send = { transport.send($0) }
        engine.onEvent = { [weak self] event in
            // States alone are told in our own words.
            guard case .stateChanged(let state) = event, let self else { return fanOut.send(event) }
            assumeIsolated { $0.changed(state) }
        }
        engine.onBondsChanged = { [weak self] database in self?.assumeIsolated { $0.save(database) } }
        engine.onValue = { fanOut.send($0, $1, $2, $3) }
        engine.onTransportFailure = { [weak self] _ in
            self?.assumeIsolated { host in if host.phase == .open { host.close() } }
        }
    }

    private nonisolated func receive(_ bytes: RawSpan, of current: UInt64) {
        unsafe bytes.withUnsafeBytes { buffer in
            // The call below is synchronous on the same thread.
            nonisolated(unsafe) let buffer = unsafe buffer
            assumeIsolated { unsafe $0.receive(buffer, of: current) }
        }
    }

    private func receive(_ buffer: UnsafeRawBufferPointer, of current: UInt64) {
        guard opening == current else { return }
        unsafe engine.receive(RawSpan(_unsafeBytes: buffer), now: loop.now)
        rearm()
    }

    /// Arms the loop's timer when something is due earlier than it is; a timer that is too early does nothing and arms anew.
    func rearm() {
        let deadline = engine.nextDeadline
        guard deadline < armed else { return }
        if let timer { loop.cancel(timer) }
        armed = deadline
        timer = loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.timerFired() } }
    }

    private func timerFired() {
        timer = nil
        armed = .distantFuture
        engine.tick(now: loop.now)
        rearm()
    }
}

/// Hands events to all sinks of a host, in order. Lives on the host's loop.
final class FanOut {
    private(set) var sinks: [any HostEventSink] = []

    func add(_ sink: any HostEventSink) {
        if !sinks.contains(where: { $0 === sink }) { sinks.append(sink) }
    }

    func remove(_ sink: any HostEventSink) { sinks.removeAll { $0 === sink } }

    func contains(_ sink: any HostEventSink) -> Bool { sinks.contains { $0 === sink } }

    func send(_ event: HostEvent) {
        for sink in sinks { sink.receive(event) }
    }

    /// The one place where a value is copied.
    func send(_ link: LinkID, _ attribute: AttributeID, _ value: RawSpan, _ mode: SubscriptionMode) {
        guard !sinks.isEmpty else { return }
        send(.value(link: link, attribute: attribute, value: value.array, mode: mode))
    }
}
