// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Synchronization

/// What a simulated board does with the sound that its host exports, see ``AudioServer``: it looks for it on each link,
/// subscribes, and puts the packets together. Everything happens on the host's loop.
final class SoundListener: Sendable {
    private struct State {
        var characteristics: [LinkID: [AttributeID: BluetoothUUID]] = [:]
        var assemblers: [AttributeID: MessageAssembler] = [:]
        var timers: [LinkID: LoopTimer] = [:]
        var tries: [LinkID: Int] = [:]
    }

    /// A host publishes its sound when it wants to: looked for so often, every second.
    private static let tries = 120
    private static let streams = [
        AudioServer.Stream.voice.uuid, BlueSTUUID.extended(0x02), AudioServer.Stream.music.uuid,
    ]

    private let host: any Host
    private let state = Mutex(State())
    /// Takes each packet, and each announcement.
    private let heard: @Sendable (BluetoothUUID, [UInt8]) -> Void

    init(host: any Host, heard: @escaping @Sendable (BluetoothUUID, [UInt8]) -> Void) {
        self.host = host
        self.heard = heard
    }

    func linkOpened(_ link: LinkID) {
        state.withLock { $0.tries[link] = 0 }
        look(on: link)
    }

    func linkClosed(_ link: LinkID) {
        let timer = state.withLock { state in
            for attribute in (state.characteristics[link] ?? [:]).keys { state.assemblers[attribute] = nil }
            state.characteristics[link] = nil
            state.tries[link] = nil
            return state.timers.removeValue(forKey: link)
        }
        if let timer { host.loop.cancel(timer) }
    }

    func end() {
        let timers = state.withLock { state in
            defer { state = State() }
            return Array(state.timers.values)
        }
        for timer in timers { host.loop.cancel(timer) }
    }

    func value(_ bytes: [UInt8], from attribute: AttributeID, on link: LinkID) {
        let packet = state.withLock { state -> (BluetoothUUID, [UInt8])? in
            guard let uuid = state.characteristics[link]?[attribute] else { return nil }
            if uuid == BlueSTUUID.extended(0x02) { return (uuid, bytes) }
            let whole = try? state.assemblers[attribute, default: MessageAssembler(limit: 8192)].received(bytes)
            return (whole ?? nil).map { (uuid, $0) }
        }
        if let (uuid, bytes) = packet { heard(uuid, bytes) }
    }

    // MARK: - Private

    private func look(on link: LinkID) {
        host.assumeIsolated { host in
            _ = host.discoverServices([BlueSTUUID.featureService], on: link, timeout: .seconds(10)) {
                [weak self] result in
                guard let self else { return }
                guard let service = try? result.get().first else { return lookLater(on: link) }
                follow(service.id, on: link)
            }
        }
    }

    private func lookLater(on link: LinkID) {
        let isWanted = state.withLock { state in
            guard let tries = state.tries[link], tries < Self.tries else { return false }
            state.tries[link] = tries + 1
            return true
        }
        guard isWanted else { return }
        let timer = host.loop.schedule(at: host.loop.now + .seconds(1)) { [weak self] in self?.look(on: link) }
        state.withLock { $0.timers[link] = timer }
    }

    private func follow(_ service: AttributeID, on link: LinkID) {
        host.assumeIsolated { host in
            _ = host.discoverCharacteristics(of: service, on: link, timeout: .seconds(10)) { [weak self] result in
                guard let self else { return }
                let found = ((try? result.get()) ?? []).filter { Self.streams.contains($0.uuid) }
                guard !found.isEmpty else { return lookLater(on: link) }
                for characteristic in found {
                    state.withLock { $0.characteristics[link, default: [:]][characteristic.id] = characteristic.uuid }
                    subscribe(to: characteristic.id, on: link)
                }
            }
        }
    }

    private func subscribe(to characteristic: AttributeID, on link: LinkID) {
        host.assumeIsolated { host in
            _ = host.subscribe(to: characteristic, mode: .notifications, on: link, timeout: .seconds(10)) { _ in }
        }
    }
}
