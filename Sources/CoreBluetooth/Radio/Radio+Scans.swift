// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// A device as one scan reports it.
struct Sighting: Sendable {
    var peer: PeerID
    var scan: UInt64
    var fields: AdvertisementFields
    var advertisement: Advertisement
}

extension Radio {
    func addCentral(_ core: ManagerCore, showsSystemServices: Bool, restoring saved: SavedCentral?) {
        centrals[core.number] = CentralClient(core)
        centrals[core.number]?.showsSystemServices = showsSystemServices
        centrals[core.number]?.saved = saved
        guard state != .unknown else { return }
        if beginRestoring(core.number) { return }
        let seen = CBManagerState(state)
        core.deliver { $0.radioChanged(seen) }
    }

    /// A manager is gone, with its scan and its claims.
    func removeCentral(_ number: UInt64) {
        stopScan(number)
        guard let client = centrals[number] else { return }
        for peer in client.claims.keys { cancelConnection(number, peer) }
        centrals[number] = nil
    }

    // MARK: Scanning

    func startScan(_ client: UInt64, _ scan: RunningScan) {
        stopScan(client)
        guard centrals[client] != nil, isOn else { return }
        centrals[client]?.scan = scan
        beginScan(client, scan)
    }

    private func beginScan(_ client: UInt64, _ scan: RunningScan) {
        let number = scan.number
        // The host reports everything; which sightings count as new is decided here.
        let parameters = ScanParameters(
            services: scan.solicited.isEmpty ? Array(scan.services) : [], reportsDuplicates: true)
        host.assumeIsolated { host in
            host.startScan(parameters) { [self] result in assumeIsolated { $0.scanStarted(client, number, result) } }
        }
    }

    private func scanStarted(_ client: UInt64, _ number: UInt64, _ result: Result<ScanID, HostError>) {
        switch result {
        case .success(let id):
            guard centrals[client]?.scan?.number == number else {
                return host.assumeIsolated { $0.stopScan(id) }
            }
            centrals[client]?.scan?.id = id
            centrals[client]?.scan?.hasFailed = false
        case .failure(let error):
            guard let scan = centrals[client]?.scan, scan.number == number else { return }
            if !scan.hasFailed {
                CBLinuxLog.write("the scan could not be started: \(error.code) \(error.detail ?? "")")
            }
            centrals[client]?.scan?.hasFailed = true
            guard error.code != .unsupported, error.code != .invalidArgument else { return }
            scanLater(client, number)
        }
    }

    /// It is wanted nevertheless, and says nothing of it: as on Apple's systems, no scan fails.
    private func scanLater(_ client: UInt64, _ number: UInt64) {
        _ = loop.schedule(at: loop.now + RunningScan.rest) { [weak self] in
            self?.assumeIsolated { radio in
                guard let scan = radio.centrals[client]?.scan, scan.number == number, scan.id == nil, radio.isOn
                else { return }
                radio.beginScan(client, scan)
            }
        }
    }

    func stopScan(_ client: UInt64) {
        guard let scan = centrals[client]?.scan else { return }
        centrals[client]?.scan = nil
        if let id = scan.id { host.assumeIsolated { $0.stopScan(id) } }
    }

    /// The host gave a scan up; it is wanted nevertheless.
    func scanEnded(_ id: ScanID) {
        if connector.scan == id { connector.scan = nil }
        guard isOn else { return }
        for (client, scan) in centrals.compactMapValues(\.scan) where scan.id == id {
            centrals[client]?.scan?.id = nil
            beginScan(client, scan)
        }
        evaluateConnections()
    }

    func saw(_ advertisement: Advertisement, _ scans: ScanSet) {
        if let scan = connector.scan, scans.contains(scan) { heard(advertisement) }
        for (number, client) in centrals {
            guard let scan = client.scan, let id = scan.id, scans.contains(id) else { continue }
            report(advertisement, to: number, scan)
        }
    }

    private func report(_ advertisement: Advertisement, to number: UInt64, _ scan: RunningScan) {
        let peer = advertisement.peer
        let size = (advertisement.raw?.count ?? 0) + (advertisement.scanResponse?.count ?? 0)
        let known = scan.seen[peer]
        let mayBeNew = known == nil || known?.size != size || advertisement.raw == nil
        guard scan.reportsDuplicates || mayBeNew else { return }
        let fields = advertisement.fields
        guard scan.admits(fields) else { return }
        let present = fields.present
        let isNew = known == nil || present & ~(known?.fields ?? 0) != 0
        if scan.reportsDuplicates || isNew {
            let sighting = Sighting(
                peer: peer, scan: scan.number, fields: fields, advertisement: advertisement)
            let isDelivered =
                centrals[number]?.core.deliver(toCentralWithin: ManagerCore.maximumSightings) { $0.saw(sighting) }
            // What was dropped is reported when the device is heard again.
            guard isDelivered == true else { return }
        }
        if scan.seen.count >= RunningScan.maximumSeen, known == nil { centrals[number]?.scan?.seen = [:] }
        centrals[number]?.scan?.seen[peer] = (present | (known?.fields ?? 0), size)
    }
}

extension RunningScan {
    func admits(_ fields: AdvertisementFields) -> Bool {
        if services.isEmpty, solicited.isEmpty { return true }
        return fields.services.contains { services.contains($0) }
            || fields.solicitedServices.contains { solicited.contains($0) }
    }
}

extension AdvertisementFields {
    /// A bit for each key that the dictionary of an advertisement gets.
    var present: UInt8 {
        (nameBytes == nil ? 0 : 1) | (txPower == nil ? 0 : 2) | (services.isEmpty ? 0 : 4)
            | (serviceData.isEmpty ? 0 : 8) | (manufacturerData.isEmpty ? 0 : 16)
            | (solicitedServices.isEmpty ? 0 : 32)
    }
}
