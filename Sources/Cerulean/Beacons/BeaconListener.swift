// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// What a ``BeaconListener`` tells.
enum BeaconListening: Sendable {
    /// A beacon with an identity was heard.
    case heard(BeaconIdentity, measuredPower: Int, rssi: Int?, at: MonotonicTime)
    /// Listening could not start, or the adapter ended it.
    case ended(HostError)
}

/// Scans for beacons on a host, beside all other scans, and tells of each frame in the host's own turn.
actor BeaconListener: HostEventSink {
    private enum State {
        case idle, starting
        case running(ScanID)
        /// Left before the host had answered.
        case leaving
    }

    private nonisolated let host: any Host
    private nonisolated let executor: UnownedSerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor }
    private let handler: @Sendable (BeaconListening) -> Void
    /// Starts again when the adapter comes back, rather than to end.
    private let persists: Bool
    private var state = State.idle
    private var isListening = false

    /// - Parameter handler: Called on the host's loop, until ``stop()``.
    init(host: any Host, persists: Bool, handler: @escaping @Sendable (BeaconListening) -> Void) {
        self.host = host
        self.persists = persists
        self.handler = handler
        executor = host.loop.asUnownedSerialExecutor()
    }

    func start() {
        guard !isListening else { return }
        isListening = true
        host.assumeIsolated { $0.addSink(self) }
        startScan()
    }

    func stop() {
        guard isListening else { return }
        isListening = false
        switch state {
        case .running(let id):
            host.assumeIsolated { $0.stopScan(id) }
            state = .idle
        case .starting: state = .leaving
        case .idle, .leaving: break
        }
        host.assumeIsolated { $0.removeSink(self) }
    }

    nonisolated func receive(_ event: HostEvent) { assumeIsolated { $0.handle(event) } }

    // MARK: - Private

    private func startScan() {
        switch state {
        case .idle: break
        case .leaving:
            state = .starting
            return
        case .starting, .running: return
        }
        let isOn = host.assumeIsolated { $0.state == .poweredOn }
        if persists, !isOn { return }
        state = .starting
        // Beacons say everything in the advertisement: nothing has to be asked for.
        let parameters = ScanParameters(reportsDuplicates: true, isActive: false)
        host.assumeIsolated { host in
            host.startScan(parameters) { [self] result in assumeIsolated { $0.started(result) } }
        }
    }

    private func started(_ result: Result<ScanID, HostError>) {
        switch (result, state) {
        case (.success(let id), .starting): state = .running(id)
        case (.success(let id), _):
            host.assumeIsolated { $0.stopScan(id) }
            state = .idle
        case (.failure(let error), .starting):
            state = .idle
            handler(.ended(error))
        case (.failure, _): state = .idle
        }
    }

    private func handle(_ event: HostEvent) {
        guard isListening else { return }
        switch event {
        case .advertisement(let advertisement, let scans):
            guard case .running(let id) = state, scans.contains(id) else { return }
            for beacon in Beacon.all(in: advertisement.fields) {
                guard isListening, let identity = beacon.identity, let power = beacon.measuredPower else { continue }
                handler(
                    .heard(identity, measuredPower: power, rssi: advertisement.rssi, at: advertisement.time))
            }
        case .scanEnded(let id, let error):
            guard case .running(id) = state else { return }
            state = .idle
            handler(.ended(error))
        case .stateChanged(.poweredOn): if persists { startScan() }
        default: break
        }
    }
}
