// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// An advertisement that was asked for, running or waiting to begin again.
final class ServerAdvertisement {
    let number: UInt64
    var parameters: AdvertisingParameters
    let restart: AdvertisingRestart
    var id: AdvertisementID?
    var isStarting = false
    var timer: LoopTimer?

    init(number: UInt64, parameters: AdvertisingParameters, restart: AdvertisingRestart) {
        self.number = number
        self.parameters = parameters
        self.restart = restart
    }
}

extension ServerCore {
    /// How long a link may take to be told of after the advertisement ended for it, and between attempts to begin again.
    private static var restartDelay: Duration { .seconds(2) }

    var isAdvertising: Bool { !advertisements.isEmpty }

    func advertise(
        _ parameters: AdvertisingParameters, _ restart: AdvertisingRestart,
        _ completion: @escaping HostCompletion<UInt64>
    ) -> (@Sendable (GiveUp) -> Void)? {
        guard !isOver else {
            completion(.failure(HostError(.wrongState, detail: "the server was shut down")))
            return nil
        }
        let advertisement = ServerAdvertisement(number: number(), parameters: parameters, restart: restart)
        advertisements.append(advertisement)
        let number = advertisement.number
        start(advertisement) { [self] result in
            if case .failure = result { assumeIsolated { $0.stopAdvertising(number) } }
            completion(result.map { number })
        }
        return { [self] _ in
            assumeIsolated { $0.stopAdvertising(number) }
            completion(.failure(HostError(.cancelled)))
        }
    }

    private func start(_ advertisement: ServerAdvertisement, _ completion: @escaping HostCompletion<Void>) {
        let (number, parameters) = (advertisement.number, advertisement.parameters)
        advertisement.isStarting = true
        host.assumeIsolated { host in
            host.startAdvertising(parameters) { [self] result in
                assumeIsolated { $0.started(number, result) }
                completion(result.map { _ in })
            }
        }
    }

    private func started(_ number: UInt64, _ result: Result<AdvertisementID, HostError>) {
        guard let advertisement = advertisements.first(where: { $0.number == number }) else {
            // It was stopped before the host had answered.
            if case .success(let id) = result { host.assumeIsolated { $0.stopAdvertising(id) } }
            return
        }
        advertisement.isStarting = false
        if case .success(let id) = result { advertisement.id = id }
    }

    func stopAdvertising(_ number: UInt64) {
        guard let index = advertisements.firstIndex(where: { $0.number == number }) else { return }
        let advertisement = advertisements.remove(at: index)
        if let timer = advertisement.timer { loop.cancel(timer) }
        if let id = advertisement.id { host.assumeIsolated { $0.stopAdvertising(id) } }
    }

    func stopAllAdvertising() {
        for advertisement in advertisements { stopAdvertising(advertisement.number) }
    }

    func advertisingEnded(_ id: AdvertisementID, _ reason: HostError?) {
        guard let advertisement = advertisements.first(where: { $0.id == id }) else { return }
        advertisement.id = nil
        // What was to last for some time is over for good.
        let isOver = advertisement.parameters.duration != nil && reason?.code == .timedOut
        switch advertisement.restart.kind {
        case _ where isOver:
            stopAdvertising(advertisement.number)
            events.send(.advertisingEnded)
        case .never:
            stopAdvertising(advertisement.number)
            events.send(.advertisingEnded)
        case .immediately where reason == nil:
            restart(advertisement)
        case .afterDisconnection, .immediately:
            // Normally the end of the link begins it again; the timer is for ends without a link.
            restartLater(advertisement)
        }
    }

    private func restartLater(_ advertisement: ServerAdvertisement) {
        let number = advertisement.number
        if let timer = advertisement.timer { loop.cancel(timer) }
        advertisement.timer = loop.schedule(at: loop.now + Self.restartDelay) { [self] in
            assumeIsolated { core in
                guard let advertisement = core.advertisements.first(where: { $0.number == number }) else { return }
                advertisement.timer = nil
                if core.centrals.isEmpty { core.restart(advertisement) }
            }
        }
    }

    /// The adapter is off: nothing is advertised, whether that was told one by one or not.
    func forgetAdvertising() {
        for advertisement in advertisements where advertisement.id != nil {
            if advertisement.restart.kind == .never {
                stopAdvertising(advertisement.number)
                events.send(.advertisingEnded)
            } else {
                advertisement.id = nil
            }
        }
    }

    /// Begins again what has ended.
    func restartAdvertising() {
        for advertisement in advertisements { restart(advertisement) }
    }

    private func restart(_ advertisement: ServerAdvertisement) {
        guard advertisement.restart.kind != .never, !isOver, advertisement.id == nil, !advertisement.isStarting,
            states.value == .poweredOn
        else { return }
        if let timer = advertisement.timer { loop.cancel(timer) }
        advertisement.timer = nil
        let number = advertisement.number
        start(advertisement) { [self] result in
            assumeIsolated { core in
                guard let advertisement = core.advertisements.first(where: { $0.number == number }) else { return }
                switch result {
                case .success: core.events.send(.advertisingRestarted)
                case .failure: core.restartLater(advertisement)
                }
            }
        }
    }
}
