// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// Which device is meant: `--address`, `--name`, `--service`, `--rssi-min` and `--pick`.
struct DeviceSelector: Sendable, CustomStringConvertible {
    /// How to choose among several.
    enum Pick: String, Sendable {
        case strongest, first, only
    }

    var address: BluetoothAddress?
    var name: String?
    var services: [BluetoothUUID] = []
    var minimumRSSI: Int?
    var pick: Pick?
    /// Only devices that a driver recognizes.
    var onlyRecordable = false
    /// Only devices that the driver of this kind recognizes.
    var onlyKind: String?

    /// True when nothing was said but `--pick`.
    var isAny: Bool { address == nil && name == nil && services.isEmpty && minimumRSSI == nil }

    /// Any device.
    init() {}

    /// Reads the options.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ invocation: Invocation) throws(CommandError) {
        if let text = invocation.value("address") {
            guard let value = BluetoothAddress(text) else {
                throw .usage("--address takes an address such as C4:7C:8D:00:11:22, not '\(text)'")
            }
            address = value
        }
        name = invocation.value("name")
        for text in invocation.values("service") {
            guard let uuid = BluetoothUUID(text) ?? AssignedNumbers.service(named: text)?.uuid else {
                throw .usage("--service takes a UUID such as 180D, or a known name, not '\(text)'")
            }
            services.append(uuid)
        }
        minimumRSSI = try invocation.integer("rssi-min", -127...20)
        pick = try invocation.choice("pick", ["strongest", "first", "only"]).flatMap(Pick.init)
    }

    /// The filter of a scan. A name matches whole or by its beginning.
    func filter(onlyConnectable: Bool) -> ScanFilter {
        var filter = ScanFilter()
        filter.services = services
        filter.namePrefix = name
        filter.minimumRSSI = minimumRSSI
        filter.onlyConnectable = onlyConnectable
        if let address { filter.predicate = { $0.address?.address == address } }
        if onlyRecordable {
            filter.predicate = { !KnownDrivers.all.recognize($0.fields, address: $0.address).isEmpty }
        }
        if let kind = onlyKind, let driver = KnownDrivers.all.driver(kind: kind) {
            filter.predicate = { driver.recognize($0.fields, address: $0.address) != nil }
        }
        return filter
    }

    /// What is looked for, for messages.
    var description: String {
        var parts: [String] = []
        if let address { parts.append("address \(address)") }
        if let name { parts.append("name '\(name)'") }
        if !services.isEmpty { parts.append("service \(services.map(\.description).joined(separator: " or "))") }
        if let minimumRSSI { parts.append("at least \(minimumRSSI) dBm") }
        if onlyRecordable { return "a board that can be recorded" }
        if let onlyKind, let driver = KnownDrivers.all.driver(kind: onlyKind) {
            return "a device of kind \(driver.title)"
        }
        return parts.isEmpty ? "any connectable device" : "a device with " + parts.joined(separator: ", ")
    }

    /// Finds the device.
    ///
    /// Without `--pick` the strongest of what was seen in the first second after a match is taken.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/notFound`` when none was seen within `timeout`, or several with
    /// `--pick only`.
    func find(
        with central: Central, timeout: Duration, onlyConnectable: Bool = true
    ) async throws -> Discovery {
        let filter = filter(onlyConnectable: onlyConnectable)
        var found: [PeerID: Discovery] = [:]
        var order: [PeerID] = []
        func keep(_ discovery: Discovery) {
            if found.updateValue(discovery, forKey: discovery.id) == nil { order.append(discovery.id) }
        }
        // Names are compared here, so that those of others can be told.
        var others: [String] = []
        var anyName = filter
        anyName.namePrefix = nil
        for try await discovery in central.scan(anyName, duplicates: true, timeout: timeout) {
            if let name, discovery.name?.lowercased().hasPrefix(name.lowercased()) != true {
                if let other = discovery.name, others.count < 10, !others.contains(other) { others.append(other) }
                continue
            }
            keep(discovery)
            break
        }
        try Task.checkCancellation()
        guard let first = order.first.flatMap({ found[$0] }) else {
            let seen = others.isEmpty ? "'scan' lists what is there" : "seen: " + others.joined(separator: ", ")
            throw CommandError(.notFound, "\(self) was not seen within \(timeout.secondsText) s; \(seen)")
        }
        if pick == .first { return first }
        for try await discovery in central.scan(filter, duplicates: true, timeout: .seconds(1)) { keep(discovery) }
        try Task.checkCancellation()
        var candidates = order.compactMap { found[$0] }
        if let name {
            let exact = candidates.filter { $0.name?.lowercased() == name.lowercased() }
            if !exact.isEmpty { candidates = exact }
        }
        if pick == .only, candidates.count > 1 {
            let list = candidates.map { "\($0.name ?? "?") \($0.address?.description ?? "?")" }
            throw CommandError(.notFound, "\(self) is not unique: \(list.joined(separator: ", "))")
        }
        return candidates.max { ($0.rssi ?? -200) < ($1.rssi ?? -200) } ?? first
    }
}

extension DeviceSelector {
    /// All devices that fit, seen within two seconds after the first, in the order in which they were seen.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/notFound`` when none was seen within `timeout`.
    func findAll(with central: Central, timeout: Duration) async throws -> [Discovery] {
        var all = self
        all.pick = .first
        let first = try await all.find(with: central, timeout: timeout)
        var found = [first.id: first]
        var order = [first.id]
        for try await discovery in central.scan(
            filter(onlyConnectable: true), duplicates: true, timeout: .seconds(2))
        where found.updateValue(discovery, forKey: discovery.id) == nil {
            order.append(discovery.id)
        }
        try Task.checkCancellation()
        return order.compactMap { found[$0] }
    }
}

extension Duration {
    /// `2.5`, without trailing zeros.
    var secondsText: String { inSeconds.plainText }
}

extension Double {
    /// `2.5`, with three decimals at most and without trailing zeros.
    var plainText: String {
        let short = abs(self) < 1e12 ? (self * 1000).rounded() / 1000 : self
        return Int(exactly: short).map(String.init) ?? String(short)
    }
}
