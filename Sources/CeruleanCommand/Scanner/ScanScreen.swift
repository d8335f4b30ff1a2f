// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// What a scan shows while it runs: a live table on a terminal, else records.
actor ScanScreen {
    private let isJSON: Bool
    private let watches: Bool
    private let historyLength: Int
    private let surveys: Bool
    private let console: Console
    private let clock: WallClock
    private var model = ScanModel()
    private var browser: ScanBrowser
    private var printed: [PeerID: FieldValue] = [:]
    private var drawnLines = 0
    private var lastDrawn: ContinuousClock.Instant?

    init(
        json: Bool, watches: Bool, view: ScanModel.View, historyLength: Int = 0, isInteractive: Bool = false,
        surveys: Bool = false, console: Console, clock: WallClock
    ) {
        isJSON = json
        self.watches = watches
        self.historyLength = historyLength
        self.surveys = surveys
        self.console = console
        self.clock = clock
        browser = ScanBrowser(view: view, isInteractive: isInteractive)
    }

    private var isTable: Bool { console.outIsTerminal && !isJSON }

    /// Takes what was received.
    func add(_ discovery: Discovery) throws(CommandError) {
        guard model.add(discovery, time: clock.text(discovery.time)) else { return }
        try changed(discovery.id)
    }

    /// The next device to connect to, which then counts as being connected to.
    func nextToSurvey(_ limits: SurveyLimits, now: MonotonicTime) -> Discovery? {
        for id in model.order {
            guard let row = model.rows[id], row.discovery.isConnectable, limits.allow(row.survey, at: now),
                browser.view.filter.isEmpty || row.holds(browser.view.filter.lowercased())
            else { continue }
            model.survey(id) { $0.isRunning = true }
            return row.discovery
        }
        return nil
    }

    /// Takes what connecting to a device showed.
    func surveyed(_ id: PeerID, _ change: @Sendable (inout Survey) -> Void) throws(CommandError) {
        model.survey(id) { survey in
            survey.isRunning = false
            change(&survey)
        }
        try changed(id)
    }

    /// Does what a key asks for. True when that is to end.
    func pressed(_ key: Key) throws(CommandError) -> Bool {
        let isOver = browser.pressed(key, model)
        try draw(always: true)
        return isOver
    }

    /// Shows what is to be shown at the end.
    func finish() throws(CommandError) {
        if isTable {
            browser.isInteractive = false
            try draw(always: true, whole: true)
        } else if !watches {
            for id in model.visible(browser.view) { try printRow(id) }
        }
        if !isJSON { console.talk(countText) }
        if model.ignored > 0 {
            console.talk(
                "more than \(ScanModel.limit) devices; \(model.ignored) advertisements of others are not shown")
        }
    }

    // MARK: - Private

    /// How many devices were seen, and how many of them are shown.
    private var countText: String {
        let seen = model.order.count
        let shown = model.visible(browser.view).count
        let text = "\(seen) \(seen == 1 ? "device" : "devices")"
        return shown == seen ? text : "\(shown) of \(text)"
    }

    private func changed(_ id: PeerID) throws(CommandError) {
        if isTable { return try draw(always: false) }
        guard watches, let row = model.rows[id] else { return }
        guard browser.view.filter.isEmpty || row.holds(browser.view.filter.lowercased()) else { return }
        // A change of strength alone is no change, nor is one of what is not shown.
        let quiet: Set<String> = ["rssi", "time", "history"]
        let content: FieldValue =
            isJSON
            ? .object(members(row).filter { !quiet.contains($0.name) })
            : .list(cells(row).enumerated().filter { $0.offset != ScanModel.Row.rssiCell }.map { .text($0.element) })
        guard printed[id] != content else { return }
        printed[id] = content
        try printRow(id)
    }

    private func printRow(_ id: PeerID) throws(CommandError) {
        guard let row = model.rows[id] else { return }
        if isJSON {
            try console.json(.object(members(row)))
        } else {
            try console.line(cells(row).joined(separator: "\t"))
        }
    }

    /// The columns of a record; a survey adds what it found.
    private func cells(_ row: ScanModel.Row) -> [String] { surveys ? row.cells + [row.survey.text] : row.cells }

    private func members(_ row: ScanModel.Row) -> [FieldValue.Member] {
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
        members += AdvertisementReport(fields: discovery.fields, address: discovery.address).decodedMembers
        if let discovered = row.survey.fieldValue { members.append(.init("discovered", discovered)) }
        if historyLength > 0 {
            let samples = row.history.suffix(historyLength).map { sample -> FieldValue in
                let rssi: [FieldValue.Member] = sample.rssi.map { [.init("rssi", FieldValue(integer: $0))] } ?? []
                return .object([.init("time", .text(clock.text(sample.time)))] + rssi)
            }
            members.append(.init("history", .list(samples)))
        }
        return members
    }

    private func draw(always: Bool, whole: Bool = false) throws(CommandError) {
        let now = ContinuousClock.now
        if !always, let lastDrawn, now - lastDrawn < .milliseconds(200) { return }
        lastDrawn = now
        let (width, height) = console.size
        let lines = browser.lines(model, width: width, height: whole ? .max : height - 1) { [console, clock] in
            switch $0 {
            case .head(let text): console.styled(text, .bold)
            case .selected(let text): console.styled(text, .cyan)
            case .quiet(let text): console.styled(text, .dim)
            case .plain(let text): text
            case .moment(let title, let time): "\(title) \(clock.text(time))"
            }
        }
        let up = drawnLines > 0 ? "\u{1B}[\(drawnLines)A\u{1B}[J" : ""
        try console.out(up + lines.joined(separator: "\n") + "\n")
        drawnLines = lines.count
    }
}

extension ScanModel.Row {
    /// The column of the strength.
    static let rssiCell = 1

    /// The columns of the table.
    var cells: [String] {
        [
            discovery.address?.description ?? "-", discovery.rssi.map(String.init) ?? "-",
            TerminalText.escaped(discovery.name ?? "-"), kinds.joined(separator: " "),
            (serviceNames + makers).joined(separator: ", "),
        ]
    }
}

extension AdvertisementReport {
    /// The kinds of device that drivers recognize, and of beacon frames.
    var kinds: [String] {
        KnownDrivers.all.recognize(fields, address: address).map(\.recognition.kind) + fields.beacons.map(\.kind)
    }
}
