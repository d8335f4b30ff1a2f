// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

extension VerbSpecification {
    /// `scan`: what is in the air.
    static let scan = VerbSpecification(
        name: "scan",
        summary: "list the devices in the air",
        details: """
            Runs 5 s, or as long as --timeout says, or with --watch until Ctrl-C. With --json one object per device at the
            end, with --watch one per change. Finding nothing is no error.
            """,
        options: [
            .flag("watch", "go on until Ctrl-C; report every change", letter: "w"),
            .flag("passive", "do not ask for scan responses"),
        ],
        selectsDevice: true,
        examples: ["scan --adapter virtual --timeout 3 --json", "scan --service heart_rate --rssi-min -70"],
        run: { invocation, console in
            let watches = invocation.has("watch")
            let duration: Duration? = watches ? nil : try invocation.seconds("timeout") ?? .seconds(5)
            let filter = try DeviceSelector(invocation).filter(onlyConnectable: false)
            let isActive = !invocation.has("passive")
            return try await Session.run(invocation) { session in
                var table = ScanTable(json: invocation.has("json"), watches: watches, console: console)
                let scan = session.central.scan(filter, duplicates: true, active: isActive, timeout: duration)
                for try await discovery in scan { try table.add(discovery, time: session.clock.text(discovery.time)) }
                try table.finish()
                try Task.checkCancellation()
                return .ok
            }
        })
}

/// The devices that a scan has seen, and how they are shown.
struct ScanTable {
    private struct Row {
        var firstSeen: String
        var discovery: Discovery
        var count = 1
        var printed: FieldValue?
    }

    /// Devices kept; beyond it new ones are counted but not shown.
    private static let limit = 10_000

    private let isJSON: Bool
    private let watches: Bool
    private let console: Console
    private var rows: [PeerID: Row] = [:]
    private var order: [PeerID] = []
    private var ignored = 0
    private var drawnLines = 0
    private var lastDrawn: ContinuousClock.Instant?

    init(json: Bool, watches: Bool, console: Console) {
        isJSON = json
        self.watches = watches
        self.console = console
    }

    /// Takes what was received.
    mutating func add(_ discovery: Discovery, time: String) throws(CommandError) {
        if var row = rows[discovery.id] {
            row.discovery = discovery
            row.count += 1
            rows[discovery.id] = row
        } else if rows.count < Self.limit {
            rows[discovery.id] = Row(firstSeen: time, discovery: discovery)
            order.append(discovery.id)
        } else {
            ignored += 1
            return
        }
        if watches, isJSON || !console.outIsTerminal { try printChange(discovery.id) }
        if console.outIsTerminal, !isJSON { try draw(always: false) }
    }

    /// Shows what is to be shown at the end.
    mutating func finish() throws(CommandError) {
        if console.outIsTerminal, !isJSON {
            try draw(always: true)
        } else if !watches {
            for id in order { try printRow(id) }
        }
        if !isJSON { console.talk("\(order.count) \(order.count == 1 ? "device" : "devices")") }
        if ignored > 0 {
            console.talk("more than \(Self.limit) devices; \(ignored) advertisements of others are not shown")
        }
    }

    // MARK: - records

    private mutating func printChange(_ id: PeerID) throws(CommandError) {
        guard var row = rows[id] else { return }
        // A change of strength alone is no change.
        let content = FieldValue.object(members(row).filter { $0.name != "rssi" && $0.name != "time" })
        guard row.printed != content else { return }
        row.printed = content
        rows[id] = row
        try printRow(id)
    }

    private func printRow(_ id: PeerID) throws(CommandError) {
        guard let row = rows[id] else { return }
        if isJSON {
            try console.json(.object(members(row)))
        } else {
            try console.line(cells(row).joined(separator: "\t"))
        }
    }

    private func members(_ row: Row) -> [FieldValue.Member] {
        let discovery = row.discovery
        var members: [FieldValue.Member] = [.init("time", .text(row.firstSeen))]
        if let address = discovery.address {
            members.append(.init("address", .text(address.description)))
            members.append(.init("addressType", address.peerKind == .public ? "public" : "random"))
        }
        if let rssi = discovery.rssi { members.append(.init("rssi", FieldValue(integer: rssi))) }
        if let name = discovery.name { members.append(.init("name", .text(name))) }
        members.append(.init("connectable", .bool(discovery.isConnectable)))
        let wanted = ["services", "manufacturerData", "serviceData", "txPower"]
        let fields = discovery.fields.fieldMembers
        members += wanted.compactMap { name in fields.first { $0.name == name } }
        let advertisement = discovery.advertisement
        if let raw = advertisement.raw {
            members.append(.init("raw", .bytes(raw + (advertisement.scanResponse ?? []))))
        }
        return members + AdvertisementReport(fields: discovery.fields, address: discovery.address).decodedMembers
    }

    // MARK: - table

    private func cells(_ row: Row) -> [String] {
        let discovery = row.discovery
        let services = discovery.fields.services.map { AssignedNumbers.service($0)?.name ?? $0.description }
        let companies = discovery.fields.manufacturerData.map { data in
            AssignedNumbers.company(data.company) ?? "company \(BluetoothUUID(data.company))"
        }
        let report = AdvertisementReport(fields: discovery.fields, address: discovery.address)
        return [
            discovery.address?.description ?? "-", discovery.rssi.map(String.init) ?? "-",
            TerminalText.escaped(discovery.name ?? "-"), report.kinds.joined(separator: " "),
            (services + companies).joined(separator: ", "),
        ]
    }

    private mutating func draw(always: Bool) throws(CommandError) {
        let now = ContinuousClock.now
        if !always, let lastDrawn, now - lastDrawn < .milliseconds(200) { return }
        lastDrawn = now
        let sorted = order.compactMap { rows[$0] }.sorted { ($0.discovery.rssi ?? -200) > ($1.discovery.rssi ?? -200) }
        var lines = TerminalText.table(
            [["ADDRESS", "RSSI", "NAME", "KIND", "SERVICES AND MAKERS"]] + sorted.map(cells))
        let (width, height) = console.size
        if lines.count > height - 1, !always { lines = Array(lines.prefix(height - 1)) }
        lines = lines.map { String($0.prefix(width)) }
        if let head = lines.first { lines[0] = console.styled(head, .bold) }
        let up = drawnLines > 0 ? "\u{1B}[\(drawnLines)A\u{1B}[J" : ""
        try console.out(up + lines.joined(separator: "\n") + "\n")
        drawnLines = lines.count
    }
}

extension AdvertisementReport {
    /// The kinds of device that drivers recognize, and of beacon frames.
    var kinds: [String] {
        KnownDrivers.all.recognize(fields, address: address).map(\.recognition.kind) + fields.beacons.map(\.kind)
    }
}
