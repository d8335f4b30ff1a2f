// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

extension VerbSpecification {
    /// `beacon advertise|range|monitor`: be a beacon, or find out which are about.
    static let beacon = VerbSpecification(
        name: "beacon",
        summary: "advertise a beacon, range beacons, or monitor regions",
        details: """
            advertise FORMAT   be a beacon until Ctrl-C or --seconds; FORMAT (default ibeacon) is one of
            \(BeaconFormat.names.joined(separator: " ")).
            range REGION…      each second the beacons of each region, with their distance; ends as above.
            monitor REGION…    entering and leaving regions, at most \(BeaconMonitor.defaultLimit) of them; ends as above.
            REGION is [NAME=]UUID[/MAJOR[/MINOR]], or [NAME=]NAMESPACE[/INSTANCE] in hexadecimal for Eddystone-UID. One region
            can be given by --uuid, --major, --minor, or --namespace, --instance instead. Distances are rough.
            """,
        positionals: [
            PositionalSpecification(
                placeholder: "ACTION", help: "advertise, range or monitor", choices: ["advertise", "range", "monitor"]),
            PositionalSpecification(
                placeholder: "FORMAT|REGION", help: "what to advertise, or which beacons", isOptional: true,
                repeats: true),
        ],
        options: [
            .value("uuid", "UUID", "iBeacon's UUID, or id1 of an AltBeacon"),
            .value("major", "N", "iBeacon's major, or id2 of an AltBeacon"),
            .value("minor", "N", "iBeacon's minor, or id3 of an AltBeacon"),
            .value("namespace", "HEX", "Eddystone-UID: 10 octets"),
            .value("instance", "HEX", "Eddystone-UID: 6 octets"),
            .value("url", "URL", "eddystone-url: at most 17 octets behind the scheme, encoded"),
            .value("eid", "HEX", "eddystone-eid: a fixed identifier of 8 octets"),
            .value("identity-key", "HEX", "eddystone-eid, -etlm: the key of 16 octets, for an identifier that changes"),
            .value(
                "exponent", "K", "with --identity-key: changes every 2 to the power of K seconds, 0 to 15 (default 9)"),
            .value("clock", "SECONDS", "with --identity-key: the beacon's clock at the start (default Unix time)"),
            .value(
                "power", "DBM", "strength at 1 m (ibeacon, altbeacon: default -59), at 0 m (eddystone: default -18)"),
            .value("company", "ID", "altbeacon: the company in hexadecimal (default 0118)"),
            .value("battery", "MV", "eddystone-tlm, -etlm, ruuvi: millivolts"),
            .value("temperature", "C", "eddystone-tlm, -etlm, ruuvi: degrees Celsius"),
            .value("humidity", "PERCENT", "ruuvi: relative humidity"),
            .value("pressure", "PA", "ruuvi: air pressure"),
            .value("interval", "SECONDS", "advertise: time between two frames (default 0.1)"),
            .value(
                "model", "NAME", "range: radius2013 (default), nexus5 or log", choices: ["radius2013", "nexus5", "log"]),
            .value(
                "initial", "SECONDS", "monitor: a region not heard that long after the start is outside (default 10)"),
            .value("exit", "SECONDS", "monitor: a region not heard that long is left (default 30)"),
            .value("state-every", "SECONDS", "monitor: ask for all states that often"),
            .value("count", "N", "range: end after N reports of each region"),
            .value("seconds", "S", "end after S seconds"),
        ],
        examples: [
            "beacon advertise --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1 --minor 2 --adapter hci:0",
            "beacon advertise eddystone-url --url https://example.org/",
            "beacon range E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --json",
            "beacon monitor shop=E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1 --exit 20",
        ],
        run: { invocation, console in
            let arguments = Array(invocation.positionals.dropFirst())
            switch invocation.positional(0) {
            case "advertise": return try await BeaconAdvertising(invocation, arguments, console).run(invocation)
            case "range": return try await BeaconWatching(invocation, arguments, console).range(invocation)
            case "monitor": return try await BeaconWatching(invocation, arguments, console).monitor(invocation)
            case let action:
                throw CommandError.usage("'\(action ?? "")' is no action; choose advertise, range or monitor")
            }
        })
}

extension BeaconRegion {
    /// The regions of the arguments, or the one of the options.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    static func all(
        _ invocation: Invocation, _ arguments: [String]
    ) throws(CommandError) -> [BeaconRegion] {
        var regions: [BeaconRegion] = []
        for text in arguments {
            let region = try parse(text)
            guard !regions.contains(where: { $0.identifier == region.identifier }) else {
                throw .usage("two regions are called '\(region.identifier)'; name one with NAME=…")
            }
            regions.append(region)
        }
        let named = ["uuid", "major", "minor", "namespace", "instance"].filter { invocation.value($0) != nil }
        if !named.isEmpty {
            guard regions.isEmpty else { throw .usage("give regions as arguments or by --\(named[0]), not both") }
            let levels = named.first == "namespace" || named.first == "instance"
            let names = levels ? ["namespace", "instance"] : ["uuid", "major", "minor"]
            guard named.allSatisfy(names.contains), named == Array(names.prefix(named.count)) else {
                throw .usage("a region is --uuid, then --major, then --minor; or --namespace, then --instance")
            }
            regions = [try parse(named.compactMap { invocation.value($0) }.joined(separator: "/"))]
        }
        guard !regions.isEmpty else {
            throw .usage("which beacons? Give a REGION such as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1")
        }
        return regions
    }

    /// Reads `[NAME=]UUID[/MAJOR[/MINOR]]` or `[NAME=]NAMESPACE[/INSTANCE]`.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    static func parse(_ text: String) throws(CommandError) -> BeaconRegion {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = (halves.last ?? "").split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let name = halves.count == 2 ? String(halves[0]) : text
        let wrong = CommandError.usage(
            "'\(text)' is no region; write UUID[/MAJOR[/MINOR]], or 20 hexadecimal digits of a namespace[/INSTANCE]")
        func number(_ index: Int) throws(CommandError) -> UInt16? {
            guard index < parts.count else { return nil }
            guard let number = UInt16(parts[index]) else { throw wrong }
            return number
        }
        if let uuid = BluetoothUUID(parts[0]), parts.count <= 3 {
            guard let major = try number(1), let minor = try number(2) else {
                return BeaconRegion(name, uuid: uuid, major: try number(1))
            }
            return BeaconRegion(name, uuid: uuid, major: major, minor: minor)
        }
        guard parts.count <= 2, let namespace = try? Hex.decode(parts[0]), namespace.count == 10 else { throw wrong }
        guard parts.count == 2 else { return BeaconRegion(name, namespace: namespace) }
        guard let instance = try? Hex.decode(parts[1]), instance.count == 6 else { throw wrong }
        return BeaconRegion(name, namespace: namespace, instance: instance)
    }
}

extension BeaconIdentity {
    /// The identity in the words of a decoded beacon.
    var members: [FieldValue.Member] {
        switch self {
        case .proximity(let uuid, let major, let minor):
            Array(IBeacon(uuid: uuid, major: major, minor: minor).members.prefix(3))
        case .eddystone(let namespace, let instance):
            [.init("namespace", .bytes(namespace)), .init("instance", .bytes(instance))]
        }
    }
}

extension RangedBeacon {
    /// The beacon in JSON: identity, `rssi`, `accuracy`, `proximity`.
    var value: FieldValue {
        .object(
            identity.members + [
                .init("rssi", FieldValue(integer: rssi)), .init("accuracy", .number(accuracy)),
                .init("proximity", .text(proximity.rawValue)),
            ])
    }

    /// One line for people, with tabs: identity, strength, distance, class.
    var text: String {
        let identity = identity.members.map { member -> String in
            switch member.value {
            case .text(let text): text
            case .integer(let number): "\(number)"
            case .bytes(let bytes): Hex.encode(bytes)
            default: ""
            }
        }
        let meters = accuracy < 0 ? "-" : "\((accuracy * 100).rounded() / 100) m"
        return [identity.joined(separator: "/"), rssi == 0 ? "-" : "\(rssi) dBm", meters, proximity.rawValue]
            .joined(separator: "\t")
    }
}

/// `beacon range` and `beacon monitor`.
struct BeaconWatching: Sendable {
    private let regions: [BeaconRegion]
    private let console: Console
    private let isJSON: Bool
    private let seconds: Duration?

    init(_ invocation: Invocation, _ arguments: [String], _ console: Console) throws(CommandError) {
        regions = try BeaconRegion.all(invocation, arguments)
        seconds = try invocation.seconds("seconds")
        isJSON = invocation.has("json")
        self.console = console
    }

    /// Prints reports until the time is over.
    func range(_ invocation: Invocation) async throws -> ExitCode {
        var options = RangingOptions()
        switch try invocation.choice("model", ["radius2013", "nexus5", "log"]) {
        case "nexus5": options.model = .nexus5
        case "log": options.model = .pathLoss()
        default: break
        }
        let count = try invocation.integer("count", 1...Int.max / BeaconRanger.beaconLimit)
        let ranging = options
        // Whole reports are counted rather than timed, so that the last one is never cut off.
        let whole = seconds.map { Int($0 / options.cycle) }
        let limit = [count, whole == 0 ? nil : whole].compactMap { $0 }.min()
        let reports = limit.map { $0 * regions.count }
        let bound = seconds.map { whole == 0 ? $0 : $0 + .milliseconds(500) }
        return try await Session.run(invocation) { session in
            try await Self.bounded(by: bound, on: session.central.host.loop) {
                var seen = 0
                for try await report in session.central.range(regions, options: ranging) {
                    try show(report, time: session.clock.text(report.time))
                    seen += 1
                    if seen == reports { break }
                }
            }
            return .ok
        }
    }

    /// Prints events until the time is over.
    func monitor(_ invocation: Invocation) async throws -> ExitCode {
        guard regions.count <= BeaconMonitor.defaultLimit else {
            throw CommandError.usage("at most \(BeaconMonitor.defaultLimit) regions can be monitored")
        }
        var times = MonitoringTimes()
        if let initial = try invocation.seconds("initial") { times.initial = initial }
        if let exit = try invocation.seconds("exit") { times.exit = exit }
        let every = try invocation.seconds("state-every", minimum: 0.1)
        let chosen = times
        return try await Session.run(invocation) { session in
            let loop = session.central.host.loop
            let monitor = BeaconMonitor(session.central, times: chosen)
            let events = monitor.events()
            for region in regions { try await monitor.start(region) }
            // Deadlines at the very end still count.
            try await Self.bounded(by: seconds.map { $0 + .milliseconds(1) }, on: loop) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    if let every {
                        group.addTask { try await ask(monitor, every: every, on: loop) }
                    }
                    defer { group.cancelAll() }
                    for await event in events { try show(event, time: session.clock.text(event.time)) }
                }
            }
            return .ok
        }
    }

    // MARK: - Private

    /// Runs `body` until it ends or the time is over, which is no error.
    private static func bounded(
        by duration: Duration?, on loop: any EventLoop, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            if let duration { group.addTask { try await loop.sleep(for: duration) } }
            // Whichever ends first ends the other.
            defer { group.cancelAll() }
            try await group.next()
        }
        try Task.checkCancellation()
    }

    private func ask(_ monitor: BeaconMonitor, every: Duration, on loop: any EventLoop) async throws {
        while true {
            for region in regions { try await monitor.requestState(of: region.identifier) }
            try await loop.sleep(for: every)
        }
    }

    private func show(_ report: RangedBeacons, time: String) throws(CommandError) {
        guard isJSON else {
            let name = TerminalText.escaped(report.region.identifier)
            if report.beacons.isEmpty { try console.line("\(name)\t-") }
            for beacon in report.beacons { try console.line("\(name)\t\(beacon.text)") }
            return
        }
        func object(_ event: String, _ beacons: [RangedBeacon]) -> FieldValue {
            [
                "time": .text(time), "event": .text(event), "region": .text(report.region.identifier),
                "beacons": .list(beacons.map(\.value)),
            ]
        }
        try console.json(object("rangedBeacons", report.beacons))
        if !report.proximityChanges.isEmpty {
            try console.json(object("proximityChange", report.proximityChanges))
        }
    }

    private func show(_ event: BeaconRegionEvent, time: String) throws(CommandError) {
        var state: BeaconRegionState?
        let word: String
        switch event.kind {
        case .entered: word = "enteredRegion"
        case .exited: word = "exitedRegion"
        case .state(let present):
            word = "regionStateUpdated"
            state = present
        }
        if isJSON {
            var members: [FieldValue.Member] = [
                .init("time", .text(time)), .init("event", .text(word)),
                .init("region", .text(event.region.identifier)),
            ]
            if let state { members.append(.init("state", .text(state.rawValue))) }
            try console.json(.object(members))
        } else {
            let name = TerminalText.escaped(event.region.identifier)
            try console.line([time, word, name, state?.rawValue].compactMap { $0 }.joined(separator: "\t"))
        }
    }
}
