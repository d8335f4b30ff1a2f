// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

extension VerbSpecification {
    /// `scan`: what is in the air.
    static let scan = VerbSpecification(
        name: "scan",
        summary: "list the devices in the air",
        details: """
            Runs 5 s, or as long as --timeout says, or with --watch until Ctrl-C. With --json one object per device at the
            end, with --watch one per change. Finding nothing is no error.
            With --watch on a terminal the table answers to keys: s sorts by the next column, r turns the order round, / takes
            a filter, j and k or the arrows move, enter shows all about one device and its history, q ends.
            --discover connects to each device in turn, lists its services and disconnects; what fails is tried again every
            2 s within the limits. --save NAME keeps the options of this scan, --config NAME takes them; those that are given
            beside it win. They are kept in scans.json of $XDG_CONFIG_HOME/cerulean, or ~/.config/cerulean.
            """,
        options: [
            .flag("watch", "go on until Ctrl-C; report every change", letter: "w"),
            .flag("passive", "do not ask for scan responses"),
            .value(
                "sort", "COLUMN", "rssi (default on a terminal), name, address, seen (else), last, count, services",
                choices: ScanModel.Order.words),
            .flag("reverse", "turn the order round"),
            .value("filter", "TEXT", "only devices that show TEXT: name, address, kind, service or maker"),
            .value("show", "N", "at most N devices, such as 20"),
            .value(
                "history", "N", "with --json the last N strengths of each device, at most \(ScanModel.historyLimit)"),
            .flag("discover", "connect to each device and list its services"),
            .value("max-connections", "N", "connect to so many at once (default 1)"),
            .value("connect-timeout", "S", "give an attempt to connect so long (default 5)"),
            .value("operation-timeout", "S", "give listing the services so long (default 10)"),
            .value("max-timeouts", "N", "leave a device alone after more timeouts (default 5), or off"),
            .value("max-disconnections", "N", "leave a device alone after more losses, or off (default)"),
            .value("config", "NAME", "take the options saved under NAME"),
            .value("save", "NAME", "save the options of this scan under NAME"),
            .value("forget", "NAME", "remove what is saved under NAME, and end"),
            .flag("configs", "list what is saved, and end"),
            .flag("explain", "say on standard error why a device with a maker's data is no BlueST board"),
            .catalog,
        ],
        selectsDevice: true,
        examples: [
            "scan --adapter virtual --timeout 3 --json", "scan --service heart_rate --rssi-min -70",
            "scan --watch --discover --max-connections 3 --sort name --save office", "scan --config office",
        ],
        run: { invocation, console in
            let store = ScanConfigurations(environment: console.environment)
            if invocation.has("configs") {
                try store.list(on: console, json: invocation.has("json"))
                return .ok
            }
            if let name = invocation.value("forget") {
                try store.forget(name)
                return .ok
            }
            var invocation = invocation
            if let name = invocation.value("config") { invocation = try store.merged(name, into: invocation) }
            let plan = try ScanPlan(invocation, console)
            if let name = invocation.value("save") { try store.save(invocation, as: name) }
            return try await Session.run(invocation) { session in try await plan.run(session, console) }
        })
}

/// What the options of a scan ask for.
private struct ScanPlan: Sendable {
    var isJSON: Bool
    var watches: Bool
    var isActive: Bool
    var explains: Bool
    var duration: Duration?
    var filter: ScanFilter
    var view: ScanModel.View
    var historyLength: Int
    var survey: SurveyLimits?

    init(_ invocation: Invocation, _ console: Console) throws(CommandError) {
        isJSON = invocation.has("json")
        watches = invocation.has("watch")
        isActive = !invocation.has("passive")
        explains = invocation.has("explain")
        duration = watches ? nil : try invocation.seconds("timeout") ?? .seconds(5)
        filter = try DeviceSelector(invocation).filter(onlyConnectable: false)
        view = ScanModel.View()
        if console.outIsTerminal, !isJSON { view.order = .rssi }
        if let word = try invocation.choice("sort", ScanModel.Order.words), let order = ScanModel.Order(rawValue: word)
        {
            view.order = order
        }
        view.isReversed = invocation.has("reverse")
        view.filter = invocation.value("filter") ?? ""
        view.limit = try invocation.integer("show", 1...ScanModel.limit)
        historyLength = try invocation.integer("history", 1...ScanModel.historyLimit) ?? 0
        let limits = try SurveyLimits(invocation)
        if invocation.has("discover") { survey = limits }
    }

    /// Scans until the time is over, a key ends it, or the task is cancelled.
    func run(_ session: Session, _ console: Console) async throws -> ExitCode {
        let input = watches && console.outIsTerminal && !isJSON ? KeyInput() : nil
        let screen = ScanScreen(
            json: isJSON, watches: watches, view: view, historyLength: historyLength, isInteractive: input != nil,
            surveys: survey != nil, console: console, clock: session.clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let scan = session.central.scan(filter, duplicates: true, active: isActive, timeout: duration)
                var explanation = BlueSTExplanation()
                for try await discovery in scan {
                    if explains, let text = explanation.about(discovery) { console.talk(text) }
                    try await screen.add(discovery)
                }
            }
            if let input {
                group.addTask {
                    for await key in input.keys where try await screen.pressed(key) { return }
                    // Without a terminal the scan alone decides when it is over.
                    try await session.central.host.loop.sleep(for: .seconds(31_536_000))
                }
            }
            if let survey {
                for _ in 0..<survey.connections {
                    group.addTask { try await screen.surveyDevices(survey, on: session.central.host.loop) }
                }
            }
            // Whichever ends first ends the others.
            defer { group.cancelAll() }
            try await group.next()
        }
        try await screen.finish()
        try Task.checkCancellation()
        return .ok
    }
}
