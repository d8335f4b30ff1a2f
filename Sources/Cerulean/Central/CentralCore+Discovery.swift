// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// The discovery of a whole database, one procedure after the other, within one deadline.
final class DatabaseWalk {
    /// More than this is a peer that never ends.
    static let maximumAttributes = 65_536

    enum Step {
        case services
        case included(Int)
        case characteristics(Int)
        case descriptors(Int, Int)
    }

    let number: UInt64
    let link: LinkID
    let types: [BluetoothUUID]?
    let deadline: MonotonicTime
    let completion: HostCompletion<[Service]>
    var services: [Service] = []
    var step = Step.services
    var count = 0
    var operation: OperationID?
    /// Who keeps the result, and the state of its database when the walk began.
    let record: PeerRecord
    var generation: UInt64 = 0
    /// How often it may begin anew because the database changes meanwhile.
    var attempts = 3
    var mustRestart = false

    init(
        number: UInt64, link: LinkID, record: PeerRecord, types: [BluetoothUUID]?, deadline: MonotonicTime,
        completion: @escaping HostCompletion<[Service]>
    ) {
        self.number = number
        self.link = link
        self.record = record
        self.types = types
        self.deadline = deadline
        self.completion = completion
    }

    /// What is being looked for, for errors.
    var purpose: String {
        switch step {
        case .services: "discovering services"
        case .included(let index): "discovering the services in \(services[index].uuid)"
        case .characteristics(let index): "discovering the characteristics of \(services[index].uuid)"
        case .descriptors(let index, let place):
            "discovering the descriptors of \(services[index].characteristics[place].uuid)"
        }
    }

    /// Goes on to the next step that has anything to find; false at the end.
    func advance() -> Bool {
        while true {
            switch step {
            case .services: step = .included(0)
            case .included(let index): step = .characteristics(index)
            case .characteristics(let index): step = .descriptors(index, 0)
            case .descriptors(let index, let place): step = .descriptors(index, place + 1)
            }
            if case .descriptors(let index, let place) = step, place >= services[index].characteristics.count {
                step = .included(index + 1)
            }
            switch step {
            case .services: return true
            case .included(let index), .characteristics(let index):
                guard index < services.count else { return false }
                // A service of one attribute has room for nothing.
                if services[index].endHandle == nil || services[index].endHandle != services[index].handle {
                    return true
                }
            case .descriptors(let index, let place):
                let characteristic = services[index].characteristics[place]
                if characteristic.endHandle == nil || characteristic.endHandle != characteristic.handle { return true }
            }
        }
    }
}

extension CentralCore {
    /// Discovers services with what they include, their characteristics and descriptors.
    @discardableResult
    func discover(
        _ types: [BluetoothUUID]?, on link: LinkID, of record: PeerRecord, timeout: Duration,
        _ completion: @escaping HostCompletion<[Service]>
    ) -> @Sendable (GiveUp) -> Void {
        let walk = DatabaseWalk(
            number: number(), link: link, record: record, types: types, deadline: loop.now + timeout,
            completion: completion)
        walk.generation = record.read { $0.generation }
        walks[walk.number] = walk
        let number = walk.number
        run(walk)
        return { [self] reason in
            assumeIsolated { core in
                guard let walk = core.walks[number] else { return }
                let operation = walk.operation
                core.finish(walk, .failure(HostError(reason == .timedOut ? .timedOut : .cancelled)))
                if let operation { core.host.assumeIsolated { $0.cancel(operation) } }
            }
        }
    }

    private func finish(_ walk: DatabaseWalk, _ result: Result<[Service], HostError>) {
        guard walks.removeValue(forKey: walk.number) != nil else { return }
        if case .success(let services) = result { walk.record.keep(services, generation: walk.generation) }
        walk.completion(
            result.mapError { cause in
                var copy = cause
                if copy.detail == nil { copy.detail = "while " + walk.purpose }
                return copy
            })
    }

    private func run(_ walk: DatabaseWalk) {
        let left = walk.deadline - loop.now
        guard left > .zero else { return finish(walk, .failure(HostError(.timedOut))) }
        let (number, link, types) = (walk.number, walk.link, walk.types)
        switch walk.step {
        case .services:
            walk.operation = host.assumeIsolated { host in
                host.discoverServices(types, on: link, timeout: left) { [self] result in
                    assumeIsolated { $0.found(number, result.map { .services($0) }) }
                }
            }
        case .included(let index):
            let service = walk.services[index].id
            walk.operation = host.assumeIsolated { host in
                host.discoverIncludedServices(of: service, on: link, timeout: left) { [self] result in
                    assumeIsolated { $0.found(number, result.map { .included($0) }) }
                }
            }
        case .characteristics(let index):
            let service = walk.services[index].id
            walk.operation = host.assumeIsolated { host in
                host.discoverCharacteristics(of: service, on: link, timeout: left) { [self] result in
                    assumeIsolated { $0.found(number, result.map { .characteristics($0) }) }
                }
            }
        case .descriptors(let index, let place):
            let characteristic = walk.services[index].characteristics[place].id
            walk.operation = host.assumeIsolated { host in
                host.discoverDescriptors(of: characteristic, on: link, timeout: left) { [self] result in
                    assumeIsolated { $0.found(number, result.map { .descriptors($0) }) }
                }
            }
        }
    }

    private enum Found: Sendable {
        case services([ServiceInfo])
        case included([ServiceInfo])
        case characteristics([CharacteristicInfo])
        case descriptors([DescriptorInfo])
    }

    private func found(_ number: UInt64, _ result: Result<Found, HostError>) {
        guard let walk = walks[number] else { return }
        walk.operation = nil
        if case .failure(let cause) = result, cause.code == .staleAttribute { walk.mustRestart = true }
        if walk.mustRestart {
            // The database has changed under it: what was found so far may not fit what follows.
            guard walk.attempts > 1 else {
                return finish(
                    walk, .failure(HostError(.staleAttribute, detail: "the database changed again and again meanwhile"))
                )
            }
            walk.attempts -= 1
            walk.mustRestart = false
            walk.services = []
            walk.count = 0
            walk.step = .services
            walk.generation = walk.record.read { $0.generation }
            return run(walk)
        }
        switch result {
        case .failure(let cause): return finish(walk, .failure(cause))
        case .success(let found): take(found, walk)
        }
        guard walk.count <= DatabaseWalk.maximumAttributes else {
            return finish(walk, .failure(HostError(.invalidResponse, detail: "the database has no end")))
        }
        if walk.advance() { run(walk) } else { finish(walk, .success(walk.services)) }
    }

    private func take(_ found: Found, _ walk: DatabaseWalk) {
        switch (found, walk.step) {
        case (.services(let list), .services):
            walk.count += list.count
            walk.services = list.map {
                Service(id: $0.id, uuid: $0.uuid, isPrimary: $0.isPrimary, endHandle: $0.endHandle)
            }
        case (.included(let list), .included(let index)):
            walk.count += list.count
            walk.services[index].includedServices = list.map(\.id)
        case (.characteristics(let list), .characteristics(let index)):
            walk.count += list.count
            let service = walk.services[index]
            walk.services[index].characteristics = list.map {
                Characteristic(
                    id: $0.id, uuid: $0.uuid, properties: $0.properties, endHandle: $0.endHandle, service: service.id,
                    serviceUUID: service.uuid)
            }
        case (.descriptors(let list), .descriptors(let index, let place)):
            walk.count += list.count
            let characteristic = walk.services[index].characteristics[place].id
            walk.services[index].characteristics[place].descriptors = list.map {
                Descriptor(id: $0.id, uuid: $0.uuid, characteristic: characteristic)
            }
        case (.services, _), (.included, _), (.characteristics, _), (.descriptors, _):
            // A step asks for its own kind alone.
            break
        }
    }
}
