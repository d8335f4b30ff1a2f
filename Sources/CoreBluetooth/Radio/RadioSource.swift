// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Dispatch

/// Opens an adapter once for all managers that use it, and again when it was lost.
final class RadioSource: Sendable {
    typealias Job = @Sendable (isolated Radio) -> Void
    typealias Execution = @Sendable (@escaping @Sendable () -> Void) -> Void

    private enum Phase {
        case idle
        case opening
        case open(Radio)
    }

    private struct State {
        var phase = Phase.idle
        /// What is to happen when the radio is there.
        var jobs: [Job] = []
        /// Managers that are told what the adapter's state is while there is no radio.
        var cores: [UInt64: Weak<ManagerCore>] = [:]
        var failure: CBManagerState?
    }

    /// A process that goes on giving commands to an adapter that does not open.
    static let maximumJobs = 4096
    /// How long an adapter is left alone after it could not be opened.
    static let rest: Duration = .seconds(5)

    let adapter: Adapter
    /// Keeps a simulation's clock from moving while something waits for a queue.
    let hold: (@Sendable () -> any Sendable)?
    /// Calls delegates in place of the managers' queues, in order.
    let execute: Execution?
    /// Who takes part in pairing.
    let pairing: Guarded<CBLinuxAdapter.PairingHandler?>
    private let controlsPairing: Bool
    /// Whether the host is stopped with the last manager and the adapter.
    private let ownsHost: Bool
    private let state = Guarded(State())

    /// - Parameter controlsPairing: whether pairing is decided here; a host that somebody else made has its own rules.
    init(
        _ adapter: Adapter, controlsPairing: Bool, pairing: Guarded<CBLinuxAdapter.PairingHandler?>,
        ownsHost: Bool = true, hold: (@Sendable () -> any Sendable)? = nil, execute: Execution? = nil
    ) {
        self.adapter = adapter
        self.controlsPairing = controlsPairing
        self.pairing = pairing
        self.ownsHost = ownsHost
        self.hold = hold
        self.execute = execute
    }

    deinit {
        guard let radio else { return }
        let ownsHost = ownsHost
        radio.loop.execute { radio.assumeIsolated { $0.end(stopping: ownsHost) } }
    }

    /// The radio, if it is open.
    var radio: Radio? {
        state { state in
            if case .open(let radio) = state.phase { radio } else { nil }
        }
    }

    func run(_ job: @escaping Job) {
        let radio = state { state -> Radio? in
            if case .open(let radio) = state.phase { return radio }
            if state.jobs.count < Self.maximumJobs { state.jobs.append(job) }
            return nil
        }
        if let radio { radio.loop.execute { radio.assumeIsolated(job) } } else { open() }
    }

    /// A manager that hears of the state, the first time as soon as there is something to tell.
    func add(_ core: ManagerCore, _ register: @escaping Job) {
        let failure = state { state in
            state.cores = state.cores.filter { $0.value.object != nil }
            state.cores[core.number] = Weak(core)
            return state.failure
        }
        if let failure { core.deliver { $0.radioChanged(failure) } }
        run(register)
    }

    // MARK: - private

    private func open() {
        let isFirst = state { state in
            guard case .idle = state.phase else { return false }
            state.phase = .opening
            return true
        }
        guard isFirst else { return }
        // Making a host is asynchronous: the one task of this module, which ends when the adapter is open or could not
        // be opened.
        let hold = hold?()
        Task { [self] in
            await make()
            withExtendedLifetime(hold) {}
        }
    }

    private func make() async {
        do throws(HostError) {
            opened(try await adapter.makeHost())
        } catch {
            failed(error)
        }
    }

    private func opened(_ host: any CeruleanHost.Host) {
        let radio = Radio(host, pairing: pairing, controlsPairing: controlsPairing)
        radio.loop.execute { [self] in
            radio.assumeIsolated { radio in
                radio.begin()
                let jobs = state { state in
                    state.phase = .open(radio)
                    state.failure = nil
                    defer { state.jobs = [] }
                    return state.jobs
                }
                for job in jobs { job(radio) }
            }
        }
    }

    private func failed(_ error: HostError) {
        let new = CBManagerState(error)
        let cores = state { state -> [ManagerCore] in
            state.phase = .idle
            defer { state.failure = new }
            return state.failure == new ? [] : state.cores.values.compactMap(\.object)
        }
        if !cores.isEmpty { CBLinuxLog.write("\(adapter.name): \(error.code) \(error.detail ?? "")") }
        for core in cores { core.deliver { $0.radioChanged(new) } }
        // A text that names no adapter stays wrong.
        guard error.code != .invalidArgument, error.code != .unsupported else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(Self.rest.components.seconds))) {
            [weak self] in
            guard let self, state({ $0.cores.values.contains { $0.object != nil } }) else { return }
            open()
        }
    }
}

extension CBManagerState {
    /// What an adapter that cannot be used is to an application.
    init(_ error: HostError) {
        switch error.code {
        case .unauthorized: self = .unauthorized
        case .noAdapter, .unsupported, .invalidArgument: self = .unsupported
        default: self = .poweredOff
        }
    }

    init(_ state: AdapterState) {
        switch state {
        case .unknown: self = .unknown
        case .resetting: self = .resetting
        case .unsupported: self = .unsupported
        case .unauthorized: self = .unauthorized
        case .poweredOff: self = .poweredOff
        case .poweredOn: self = .poweredOn
        }
    }
}
