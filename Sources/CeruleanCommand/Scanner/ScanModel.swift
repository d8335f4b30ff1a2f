// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// What a scan has seen so far: one row for each device, in any order and selection.
struct ScanModel: Sendable {
    /// How strongly a device was received at a moment.
    struct Sample: Hashable, Sendable {
        var time: MonotonicTime
        var rssi: Int?
    }

    /// One device.
    struct Row: Sendable {
        /// UTC.
        var firstSeen: String
        var discovery: Discovery
        var count = 1
        /// The newest advertisements, oldest first.
        var history: [Sample]
        /// What connecting to it showed.
        var survey = Survey()
    }

    /// By what rows are sorted.
    enum Order: String, CaseIterable, Sendable {
        case rssi, name, address, seen, last, count, services

        /// The words of `--sort`.
        static let words = allCases.map(\.rawValue)

        /// The next one, for a key that goes through all.
        var next: Self {
            let all = Self.allCases
            return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
        }
    }

    /// Which rows are shown, and in which order.
    struct View: Hashable, Sendable {
        var order = Order.seen
        var isReversed = false
        /// Only rows that hold this text somewhere; case does not count.
        var filter = ""
        /// The most rows; nil for all.
        var limit: Int?
    }

    /// Devices kept; beyond it new ones are counted but not shown.
    static let limit = 10_000
    /// Advertisements kept of each device.
    static let historyLimit = 64

    private(set) var rows: [PeerID: Row] = [:]
    /// Devices in the order in which they were seen first.
    private(set) var order: [PeerID] = []
    /// Advertisements of devices that are not kept.
    private(set) var ignored = 0

    /// Takes what was received. False when the device is not kept.
    mutating func add(_ discovery: Discovery, time: String) -> Bool {
        let sample = Sample(time: discovery.time, rssi: discovery.rssi)
        if var row = rows.removeValue(forKey: discovery.id) {
            row.discovery = discovery
            row.count += 1
            if row.history.count >= Self.historyLimit { row.history.removeFirst() }
            row.history.append(sample)
            rows[discovery.id] = row
            return true
        }
        guard rows.count < Self.limit else {
            ignored += 1
            return false
        }
        rows[discovery.id] = Row(firstSeen: time, discovery: discovery, history: [sample])
        order.append(discovery.id)
        return true
    }

    /// Changes what is known from connecting to a device.
    mutating func survey(_ id: PeerID, _ change: (inout Survey) -> Void) {
        if var row = rows.removeValue(forKey: id) {
            change(&row.survey)
            rows[id] = row
        }
    }

    /// The devices that a view shows, in its order. Rows that are equal stay in the order in which they were seen first.
    func visible(_ view: View) -> [PeerID] {
        let wanted = view.filter.lowercased()
        var shown = order.enumerated().compactMap { index, id in
            rows[id].flatMap { row in wanted.isEmpty || row.holds(wanted) ? (index, id, row) : nil }
        }
        if view.order != .seen {
            shown.sort { a, b in
                let (first, second) = view.isReversed ? (b, a) : (a, b)
                if first.2.precedes(second.2, by: view.order) { return true }
                return second.2.precedes(first.2, by: view.order) ? false : a.0 < b.0
            }
        } else if view.isReversed {
            shown.reverse()
        }
        return Array(shown.map(\.1).prefix(view.limit ?? .max))
    }
}

extension ScanModel.Row {
    /// Names of the services that it advertises, or that a connection showed.
    var serviceNames: [String] {
        let found = survey.services.map { $0.filter { $0 != 0x1800 && $0 != 0x1801 } } ?? []
        var seen: Set<BluetoothUUID> = []
        return (discovery.fields.services + found).filter { seen.insert($0).inserted }
            .map { AssignedNumbers.service($0)?.name ?? $0.description }
    }

    /// Names of the companies whose data it advertises.
    var makers: [String] {
        discovery.fields.manufacturerData.map { data in
            AssignedNumbers.company(data.company) ?? "company \(BluetoothUUID(data.company))"
        }
    }

    /// What drivers and beacon formats say that it is.
    var kinds: [String] { AdvertisementReport(fields: discovery.fields, address: discovery.address).kinds }

    /// True when any cell holds `text`, which is in lower case.
    func holds(_ text: String) -> Bool {
        let address = discovery.address?.description
        let cells = [discovery.name, address].compactMap { $0 } + kinds + serviceNames + makers
        return cells.contains { $0.lowercased().contains(text) }
            || discovery.fields.services.contains { $0.description.lowercased().contains(text) }
    }

    /// The mean strength of what is kept in dBm.
    var meanRSSI: Int? {
        let known = history.compactMap(\.rssi)
        return known.isEmpty ? nil : Int((Double(known.reduce(0, +)) / Double(known.count)).rounded())
    }

    /// The mean time between the advertisements that are kept.
    var interval: Duration? {
        guard history.count > 1, let first = history.first, let last = history.last else { return nil }
        return (last.time - first.time) / (history.count - 1)
    }

    fileprivate func precedes(_ other: Self, by order: ScanModel.Order) -> Bool {
        switch order {
        case .rssi: return (discovery.rssi ?? -200) > (other.discovery.rssi ?? -200)
        case .name:
            // Those without a name come last.
            guard let name = discovery.name?.lowercased() else { return false }
            guard let second = other.discovery.name?.lowercased() else { return true }
            return name < second
        case .address:
            return (discovery.address?.address.rawValue ?? 0) < (other.discovery.address?.address.rawValue ?? 0)
        case .seen: return (history.first?.time ?? .zero) < (other.history.first?.time ?? .zero)
        case .last: return discovery.time > other.discovery.time
        case .count: return count > other.count
        case .services: return serviceNames.count > other.serviceNames.count
        }
    }
}
