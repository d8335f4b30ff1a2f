// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

/// A key of a terminal.
enum Key: Hashable, Sendable {
    case character(Character)
    case up, down, enter, escape, backspace
}

/// The pages of a live scan and what keys do on them. Pure: it is given the model and tells the lines.
struct ScanBrowser: Sendable {
    /// A line and how it looks.
    enum Line: Hashable, Sendable {
        case head(String)
        case selected(String)
        case quiet(String)
        case plain(String)
        /// A title with a moment of the host's clock.
        case moment(String, MonotonicTime)
    }

    private enum Page: Hashable, Sendable {
        case table
        case device(PeerID)
    }

    /// Which rows are shown.
    var view: ScanModel.View
    /// Keys are read: a row is marked, and a line says what keys there are.
    var isInteractive: Bool
    private var page = Page.table
    private var selected: PeerID?
    /// The filter is being typed.
    private var isTyping = false

    init(view: ScanModel.View, isInteractive: Bool) {
        self.view = view
        self.isInteractive = isInteractive
    }

    /// Does what a key asks for. True when the scan is to end.
    mutating func pressed(_ key: Key, _ model: ScanModel) -> Bool {
        if isTyping {
            switch key {
            case .character(let character) where view.filter.count < 64: view.filter.append(character)
            case .backspace: _ = view.filter.popLast()
            case .enter: isTyping = false
            case .escape:
                view.filter = ""
                isTyping = false
            default: break
            }
            return false
        }
        switch key {
        case .character("q"): return true
        case .character("s"): view.order = view.order.next
        case .character("r"): view.isReversed.toggle()
        case .character("/"):
            page = .table
            isTyping = true
        case .up, .character("k"): move(-1, model)
        case .down, .character("j"): move(1, model)
        case .enter:
            if page == .table, let id = selected ?? model.visible(view).first {
                selected = id
                page = .device(id)
            } else {
                page = .table
            }
        case .escape, .character("b"): page = .table
        default: break
        }
        return false
    }

    private mutating func move(_ step: Int, _ model: ScanModel) {
        let visible = model.visible(view)
        guard !visible.isEmpty else { return }
        let index = selected.flatMap { visible.firstIndex(of: $0) }
        let next = index.map { min(max($0 + step, 0), visible.count - 1) } ?? (step > 0 ? 0 : visible.count - 1)
        selected = visible[next]
        if case .device = page { page = .device(visible[next]) }
    }

    // MARK: - lines

    /// The lines of the present page, at most `height`, none wider than `width` characters.
    func lines(_ model: ScanModel, width: Int, height: Int, styled: (Line) -> String) -> [String] {
        var lines: [Line]
        switch page {
        case .device(let id):
            lines = model.rows[id].map { Self.details(of: $0) } ?? []
        case .table: lines = table(model, height: isInteractive ? height - 2 : height)
        }
        let keys = "s sort  r reverse  / filter  j k move  enter details  q quit"
        if isInteractive { lines = Array(lines.prefix(max(0, height - 1))) + [.quiet(keys)] }
        return lines.prefix(max(1, height)).map { line in
            switch line {
            case .head(let text): styled(.head(String(text.prefix(width))))
            case .selected(let text): styled(.selected(String(text.prefix(width))))
            case .quiet(let text): styled(.quiet(String(text.prefix(width))))
            case .plain(let text): String(text.prefix(width))
            case .moment: String(styled(line).prefix(width))
            }
        }
    }

    private func table(_ model: ScanModel, height: Int) -> [Line] {
        let visible = model.visible(view)
        var rows = [["ADDRESS", "RSSI", "HISTORY", "NAME", "KIND", "SERVICES AND MAKERS"]]
        for id in visible {
            guard let row = model.rows[id] else { continue }
            var cells = row.cells
            cells.insert(Self.graph(row.history.suffix(8)), at: 2)
            rows.append(cells)
        }
        var texts = TerminalText.table(rows)
        var lines: [Line] = []
        if isInteractive {
            let typed = isTyping ? view.filter + "_" : view.filter
            let filter = typed.isEmpty ? "" : ", filter \(typed)"
            let sort = view.order.rawValue + (view.isReversed ? " reversed" : "")
            lines.append(
                .quiet(
                    "\(visible.count) of \(model.order.count) devices, by \(sort)\(TerminalText.escaped(filter))"))
            texts = texts.enumerated().map { index, text in
                (index > 0 && visible[index - 1] == selected ? "> " : "  ") + text
            }
        }
        // The row that is marked stays in sight.
        var first = 1
        let room = max(1, height - lines.count - 1)
        if isInteractive, let index = selected.flatMap({ visible.firstIndex(of: $0) }), index >= room {
            first = index - room + 2
        }
        lines.append(.head(texts[0]))
        for (index, text) in texts.enumerated().dropFirst(first).prefix(room) {
            lines.append(isInteractive && visible[index - 1] == selected ? .selected(text) : .plain(text))
        }
        return lines
    }

    /// All that is known about one device.
    private static func details(of row: ScanModel.Row) -> [Line] {
        let discovery = row.discovery
        let address = discovery.address.map { "\($0) (\($0.peerKind == .public ? "public" : "random"))" }
        let title = [discovery.name.map(TerminalText.escaped), address].compactMap { $0 }.joined(separator: "  ")
        var lines: [Line] = [.head(title.isEmpty ? "device" : title)]
        lines.append(.plain("first seen  \(row.firstSeen)"))
        lines.append(.moment("last seen  ", discovery.time))
        let interval = row.interval.map { ", one every \(Int(($0.inSeconds * 1000).rounded())) ms" } ?? ""
        lines.append(.plain("received    \(row.count) advertisements\(interval)"))
        let rssi = discovery.rssi.map { "\($0) dBm" } ?? "unknown"
        let mean = row.meanRSSI.map { ", mean \($0) dBm" } ?? ""
        lines.append(.plain("strength    \(rssi)\(mean)"))
        lines.append(.plain("history     \(graph(row.history[...]))"))
        lines.append(.plain("connectable \(discovery.isConnectable ? "yes" : "no")"))
        if let power = discovery.fields.txPower { lines.append(.plain("TX power    \(power) dBm")) }
        if !row.kinds.isEmpty { lines.append(.plain("kind        \(row.kinds.joined(separator: " "))")) }
        for uuid in discovery.fields.services { lines.append(.plain("advertises  \(uuid) \(name(of: uuid))")) }
        for data in discovery.fields.manufacturerData {
            let company = AssignedNumbers.company(data.company) ?? "company \(BluetoothUUID(data.company))"
            lines.append(.plain("data        \(company): \(Hex.encode(data.data))"))
        }
        for data in discovery.fields.serviceData {
            lines.append(.plain("data        \(data.uuid) \(name(of: data.uuid)): \(Hex.encode(data.data))"))
        }
        for beacon in discovery.fields.beacons {
            let report = ValueReport.text(of: .object(beacon.frame.members))
            lines.append(.plain("beacon      \(beacon.kind): \(report)"))
        }
        for uuid in row.survey.services ?? [] { lines.append(.plain("service     \(uuid) \(name(of: uuid))")) }
        if row.survey.isRunning { lines.append(.quiet("connecting")) }
        if row.survey.timeouts + row.survey.disconnections > 0 {
            lines.append(.plain("failed      \(row.survey.timeouts) timeouts, \(row.survey.disconnections) losses"))
        }
        if let error = row.survey.error { lines.append(.plain("            \(TerminalText.escaped(error))")) }
        return lines
    }

    private static func name(of uuid: BluetoothUUID) -> String { AssignedNumbers.service(uuid)?.name ?? "" }

    /// One sign for each sample, the higher the stronger: from -100 dBm to -30 dBm.
    static func graph(_ samples: ArraySlice<ScanModel.Sample>) -> String {
        let signs: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        return String(
            samples.map { sample -> Character in
                guard let rssi = sample.rssi else { return "·" }
                return signs[min(max((rssi + 100) / 9, 0), 7)]
            })
    }
}
