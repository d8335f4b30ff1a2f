// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanSensing
import CeruleanWire
import Synchronization

/// A BITalino (r)evolution made of software: the board's firmware behind its radio module, with their services.
///
/// ```swift
/// let server = try await PeripheralServer(.automatic)
/// let readings: [UInt16] = [512, 600, 512, 424]
/// var signals = BITalino.SimulatedBoard.Signals.tables
/// signals[.a2] = .recording(readings, rate: 1000)
/// try await SimulatedBITalino(signals: signals).serve(on: server)
/// ```
public struct SimulatedBITalino: SimulatedDevice {
    /// `bitalino`.
    public var kind: String { "bitalino" }
    /// The name it advertises.
    public var name: String
    /// The firmware it reports.
    public var version: BITalino.Version
    /// What its inputs measure.
    public var signals: BITalino.SimulatedBoard.Signals
    /// The reading of the battery, 10 bits.
    public var battery = 620
    /// What goes wrong between board and radio.
    public var faults = BITalino.LineFaults()

    /// A board; by default with the firmware's own test signals on all inputs.
    public init(
        name: String = "BITalino BLE", version: BITalino.Version = BITalino.Version(major: 5, minor: 2),
        signals: BITalino.SimulatedBoard.Signals = .tables
    ) {
        self.name = name
        self.version = version
        self.signals = signals
    }

    /// Serves until the task is cancelled or the adapter fails. One central at a time uses the board; when its link is lost the
    /// board stops.
    ///
    /// - Throws: `CancellationError` or `BluetoothError`.
    public func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        var board = BITalino.SimulatedBoard(version: version, signals: signals)
        board.battery = battery
        var module = BITalino.SimulatedModule(board: board)
        module.faults = faults
        let radio = Radio(module: module, host: server.host)
        let frames = LocalCharacteristic(
            BITalino.framesCharacteristic, [.read, .notify], descriptors: [Self.named("Frames")])
        let commands = LocalCharacteristic(
            BITalino.commandsCharacteristic, [.read, .write, .indicate], descriptors: [Self.named("Commands")],
            onWrite: { request in
                // The module drops writes without response. Section 2 of the protocol notes.
                guard request.needsResponse else { return }
                guard (1...BITalino.SimulatedModule.valueSize).contains(request.value.count) else {
                    throw RequestFailure.invalidValueLength
                }
                radio.write(request.value, from: request.central.link)
            })
        let published = try await server.publish([
            LocalService(0x180A) {
                Self.text(0x2A29, "Plux", "Manufacturer Name")
                Self.text(0x2A26, "Firmware v1.0", "Firmware Revision")
                Self.text(0x2A27, "PCB v1.0", "Hardware Revision")
            },
            LocalService(BITalino.service, characteristics: [commands, frames]),
        ])
        await radio.begin(frames: published[1].characteristics[1].id)
        do {
            let content = AdvertisingParameters.Content.fields(name: name, services: [BITalino.service, 0x180A])
            let parameters = AdvertisingParameters(content: content, interval: .milliseconds(100))
            try await advertise(parameters, of: published, on: server) {
                ready()
                try await radio.waitForEnd()
            }
        } catch {
            await radio.end()
            throw error
        }
    }

    // MARK: - Private

    private static func named(_ text: String) -> DescriptorDefinition {
        DescriptorDefinition(
            uuid: 0x2901, permissions: AttributePermissions(read: .open), value: .stored(Array(text.utf8)))
    }

    private static func text(_ uuid: BluetoothUUID, _ text: String, _ name: String) -> LocalCharacteristic {
        LocalCharacteristic(uuid, .read, value: Array(text.utf8), descriptors: [named(name)])
    }
}

/// Moves values from a simulated module to the host, driven by the host's timers and events: no task per value.
///
/// Everything happens on the host's loop; the lock only makes that safe to state.
private final class Radio: HostEventSink, Sendable {
    private struct State {
        var module: BITalino.SimulatedModule
        var frames: AttributeID?
        var timer: LoopTimer?
        var armed: MonotonicTime = .distantFuture
        /// The link whose client uses the board.
        var link: LinkID?
        var subscribers: Set<LinkID> = []
        var isBlocked = false
        var isOver = false
        var waiter: CheckedContinuation<Void, any Error>?
    }

    private let host: any Host
    private let state: Mutex<State>

    init(module: BITalino.SimulatedModule, host: any Host) {
        self.host = host
        state = Mutex(State(module: module))
    }

    func begin(frames: AttributeID) async {
        state.withLock { $0.frames = frames }
        await addSink(to: host)
    }

    private func addSink(to host: isolated any Host) { host.addSink(self) }
    private func removeSink(from host: isolated any Host) { host.removeSink(self) }

    func end() async {
        let timer = state.withLock { state in
            state.isOver = true
            defer { state.timer = nil }
            return state.timer
        }
        if let timer { host.loop.cancel(timer) }
        await removeSink(from: host)
    }

    /// Ends with the task, or with the adapter.
    func waitForEnd() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isOver || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            finish(CancellationError())
        }
    }

    private func finish(_ error: any Error) {
        let waiter = state.withLock { state in
            state.isOver = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(throwing: error)
    }

    /// Called on the loop, by the write handler.
    func write(_ bytes: [UInt8], from link: LinkID) {
        let now = host.loop.now
        state.withLock { state in
            state.link = link
            state.module.write(bytes, at: now)
        }
        pump()
    }

    func receive(_ event: HostEvent) {
        switch event {
        case .readyToUpdate:
            state.withLock { $0.isBlocked = false }
            pump()
        case .subscriptionChanged(let link, let attribute, let mode):
            state.withLock { state in
                guard attribute == state.frames else { return }
                if mode == .off { state.subscribers.remove(link) } else { state.subscribers.insert(link) }
            }
            pump()
        case .linkClosed(let link, _):
            let now = host.loop.now
            state.withLock { state in
                state.subscribers.remove(link.id)
                state.isBlocked = false
                guard state.link == link.id else { return }
                state.link = nil
                state.module.linkLost(at: now)
            }
            pump()
        case .stateChanged(let adapter) where adapter != .poweredOn:
            finish(BluetoothError(.poweredOff, "serving \(host.name)"))
        default: break
        }
    }

    private func pump() {
        let host = host
        host.assumeIsolated { host in
            while let (value, attribute) = nextValue() {
                guard host.update(value, of: attribute, for: .allSubscribers) else {
                    state.withLock { $0.isBlocked = true }
                    break
                }
                state.withLock { $0.module.sent() }
            }
        }
        arm()
    }

    private func nextValue() -> ([UInt8], AttributeID)? {
        let now = host.loop.now
        return state.withLock { state in
            guard !state.isOver, !state.isBlocked, let frames = state.frames else { return nil }
            state.module.advance(to: now)
            if state.subscribers.isEmpty {
                state.module.discard(at: now)
                return nil
            }
            return state.module.readyValue.map { ($0, frames) }
        }
    }

    /// Sets the timer for the next value. While the queue is full none is needed: the host tells when there is room.
    private func arm() {
        let (old, deadline) = state.withLock { state -> (LoopTimer?, MonotonicTime?) in
            let deadline = state.isOver || state.isBlocked ? .distantFuture : state.module.nextDeadline
            if deadline == state.armed, state.timer != nil { return (nil, nil) }
            defer { state.timer = nil }
            state.armed = deadline
            return (state.timer, deadline)
        }
        if let old { host.loop.cancel(old) }
        guard let deadline, deadline < .distantFuture else { return }
        let timer = host.loop.schedule(at: deadline) { [self] in
            state.withLock { state in
                state.timer = nil
                state.armed = .distantFuture
            }
            pump()
        }
        state.withLock { $0.timer = timer }
    }
}
