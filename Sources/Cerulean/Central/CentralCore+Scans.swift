// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// A scan that was asked for; its identifier comes with the host's answer.
final class RunningScan {
    let session: ScanSession
    var id: ScanID?
    var timer: LoopTimer?

    init(_ session: ScanSession) { self.session = session }
}

extension CentralCore {
    func startScan(_ session: ScanSession) {
        let request = session.request
        guard !isOver else {
            return session.channel.end(BluetoothError(.wrongState, "scan", detail: "the central was shut down"))
        }
        let scan = RunningScan(session)
        scans.append(scan)
        if let timeout = request.timeout {
            scan.timer = loop.schedule(at: loop.now + timeout) { [self] in
                assumeIsolated { $0.finish(session, nil) }
            }
        }
        let parameters = ScanParameters(
            services: request.filter.services, reportsDuplicates: request.reportsDuplicates,
            isActive: request.isActive, phys: request.phys)
        host.assumeIsolated { host in
            host.startScan(parameters) { [self] result in
                assumeIsolated { $0.scanStarted(session, result) }
            }
        }
    }

    private func scanStarted(_ session: ScanSession, _ result: Result<ScanID, HostError>) {
        let scan = scans.first { $0.session === session }
        switch (result, scan) {
        case (.success(let id), let scan?): scan.id = id
        case (.success(let id), nil):
            // It was left before the host had answered.
            host.assumeIsolated { $0.stopScan(id) }
        case (.failure(let cause), _):
            finish(session, BluetoothError(cause, during: "scan for \(session.request.filter)"))
        }
    }

    func stopScan(_ session: ScanSession) { finish(session, nil) }

    func scanEnded(_ id: ScanID, _ cause: HostError) {
        guard let scan = scans.first(where: { $0.id == id }) else { return }
        scan.id = nil
        finish(scan.session, BluetoothError(cause, during: "scan for \(scan.session.request.filter)"))
    }

    private func finish(_ session: ScanSession, _ error: BluetoothError?) {
        guard let index = scans.firstIndex(where: { $0.session === session }) else { return }
        end(scans.remove(at: index), error)
    }

    func end(_ scan: RunningScan, _ error: BluetoothError?) {
        if let timer = scan.timer { loop.cancel(timer) }
        if let id = scan.id { host.assumeIsolated { $0.stopScan(id) } }
        scan.id = nil
        scan.session.channel.end(error)
    }

    func saw(_ advertisement: Advertisement, for set: ScanSet) {
        var seen: (fields: AdvertisementFields, record: PeerRecord)?
        for scan in scans {
            guard let id = scan.id, set.contains(id) else { continue }
            if seen == nil {
                let fields = advertisement.fields
                let record = record(for: advertisement.peer, address: advertisement.address, name: fields.name)
                record.update { $0.advertisement = advertisement }
                if let rssi = advertisement.rssi { record.measured(rssi, at: advertisement.time) }
                seen = (fields, record)
            }
            guard let seen else { continue }
            let discovery = Discovery(
                advertisement: advertisement, fields: seen.fields, central: scan.session.central, record: seen.record)
            if scan.session.request.filter.admits(discovery) { scan.session.channel.send(discovery) }
        }
    }
}
