// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Finds on a new link what a manager had found on the one before, and subscribes again. Lives on the radio's loop.
///
/// Two attributes of one type are told apart by their order.
private final class Refinding {
    let tree: KeptTree
    let client: UInt64
    let peer: PeerID
    let link: LinkID
    var found = FoundTree(services: [])

    init(_ tree: KeptTree, _ client: UInt64, _ peer: PeerID, _ link: LinkID) {
        self.tree = tree
        self.client = client
        self.peer = peer
        self.link = link
    }

    /// For each wanted type the place of its attribute; nil for those that are gone.
    static func places(of wanted: [String], in present: [BluetoothUUID]) -> [Int?] {
        var taken = Set<Int>()
        return wanted.map { text in
            guard let uuid = BluetoothUUID(text) else { return nil }
            let place = present.indices.first { present[$0] == uuid && !taken.contains($0) }
            if let place { taken.insert(place) }
            return place
        }
    }
}

extension Radio {
    func refind(_ tree: KeptTree, _ client: UInt64, _ peer: PeerID, _ link: LinkID) {
        let job = Handed(Refinding(tree, client, peer, link))
        discoverServices(client, peer, []) { [self] result in
            assumeIsolated { radio in
                let job = job.value
                guard case .success(let services) = result else { return radio.finish(job) }
                let places = Refinding.places(of: tree.services.map(\.uuid), in: services.map(\.uuid))
                job.found.services = places.map { place in
                    place.map { FoundTree.Service(info: services[$0], characteristics: []) }
                }
                radio.refindCharacteristics(job, 0)
            }
        }
    }

    private func refindCharacteristics(_ job: Refinding, _ index: Int) {
        guard index < job.found.services.count else { return finish(job) }
        guard let service = job.found.services[index], let wanted = job.tree.services[index].characteristics,
            !wanted.isEmpty
        else { return refindCharacteristics(job, index + 1) }
        let handed = Handed(job)
        discoverCharacteristics(job.client, job.peer, of: service.info.id) { [self] result in
            assumeIsolated { radio in
                let job = handed.value
                guard case .success(let found) = result else { return radio.finish(job) }
                let places = Refinding.places(of: wanted.map(\.uuid), in: found.map(\.uuid))
                job.found.services[index]?.characteristics = places.map { place in
                    place.map { FoundTree.Characteristic(id: found[$0].id, descriptors: [], isNotifying: false) }
                }
                radio.refindDetails(job, index, 0)
            }
        }
    }

    private func refindDetails(_ job: Refinding, _ service: Int, _ index: Int) {
        guard let characteristics = job.found.services[service]?.characteristics, index < characteristics.count else {
            return refindCharacteristics(job, service + 1)
        }
        guard let found = characteristics[index], let kept = job.tree.services[service].characteristics?[index],
            let wanted = kept.descriptors
        else { return resubscribe(job, service, index) }
        let handed = Handed(job)
        discoverDescriptors(job.client, job.peer, of: found.id) { [self] result in
            assumeIsolated { radio in
                let job = handed.value
                guard case .success(let descriptors) = result else { return radio.finish(job) }
                let places = Refinding.places(of: wanted, in: descriptors.map(\.uuid))
                job.found.services[service]?.characteristics[index]?.descriptors = places.map { place in
                    place.map { descriptors[$0].id }
                }
                radio.resubscribe(job, service, index)
            }
        }
    }

    private func resubscribe(_ job: Refinding, _ service: Int, _ index: Int) {
        guard let kept = job.tree.services[service].characteristics?[index], kept.isNotifying,
            let found = job.found.services[service]?.characteristics[index],
            let mode = SubscriptionMode(CBCharacteristicProperties(rawValue: kept.properties))
        else { return refindDetails(job, service, index + 1) }
        let handed = Handed(job)
        subscribe(job.client, job.peer, found.id, mode) { [self] result in
            assumeIsolated { radio in
                let job = handed.value
                let isOn = if case .success = result { true } else { false }
                job.found.services[service]?.characteristics[index]?.isNotifying = isOn
                radio.refindDetails(job, service, index + 1)
            }
        }
    }

    /// When the link ended meanwhile, nobody waits for this any more.
    private func finish(_ job: Refinding) { refound(job.client, job.peer, job.link, job.found) }
}

extension SubscriptionMode {
    /// How to subscribe to a characteristic: notifications first; nil when it offers neither.
    init?(_ properties: CBCharacteristicProperties) {
        if properties.contains(.notify) {
            self = .notifications
        } else if properties.contains(.indicate) {
            self = .indications
        } else {
            return nil
        }
    }
}
