// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanRecording
import CeruleanSensing
import CeruleanTransport
import CeruleanWire

extension VerbSpecification {
    /// `demo`: everything at once, without hardware.
    static let demo = VerbSpecification(
        name: "demo",
        summary: "show everything on a simulated room, without hardware",
        details: """
            Scans the room, connects to every board in it that can be recorded, shows its database, streams, and leaves a
            finished file for each board.
            """,
        options: RecordingOptions.specifications(seconds: "10"),
        examples: ["demo --seconds 5 --output recordings"],
        run: { invocation, console in
            var options = try RecordingOptions(invocation)
            options.seconds = options.seconds ?? 10
            guard options.directory != nil else {
                throw CommandError.usage("demo writes files: --output takes a directory")
            }
            try options.prepare()
            let demonstration = Demonstration(options: options, isJSON: invocation.has("json"), console: console)
            return try await SimulatedRoom.demonstration().run(on: try ThreadLoop(name: "virtual")) { world in
                try await Session.run(.virtual(world), timeout: .seconds(10)) { session in
                    try await demonstration.run(session)
                }
            }
        })
}

/// The steps of `demo`.
private struct Demonstration: Sendable {
    var options: RecordingOptions
    var isJSON: Bool
    var console: Console

    func run(_ session: Session) async throws -> ExitCode {
        console.talk(
            "A simulated room: controllers, an air, and devices that are software; the host stack is the real one.")
        let boards = try await scan(session)
        guard !boards.isEmpty else { throw CommandError(.notFound, "no board was seen in the room") }
        var jobs: [RecordingJob] = []
        for board in boards { jobs.append(try await open(board, session)) }
        let bases = RecordingName.bases(of: jobs.map(\.source.info))
        for index in jobs.indices { jobs[index].base = bases[index] }
        console.talk(
            "Recording \(options.seconds.map(\.plainText) ?? "?") s of \(jobs.count == 1 ? "it" : "all of them"):")
        let summaries = try await RecordingJob.run(jobs, console)
        console.endStatus()
        try Task.checkCancellation()
        try console.report(summaries, json: isJSON, outputIsData: false)
        return summaries.first { $0.exit != .ok }?.exit ?? .ok
    }

    /// Shows what is in the air, and returns the boards that a driver knows.
    private func scan(_ session: Session) async throws -> [Discovery] {
        console.talk("Scanning for 2 s:")
        // With --json standard output is for the result alone.
        var view = console
        if isJSON {
            view.writeOut = { [console] bytes throws(CommandError) in console.writeError(bytes) }
            view.outIsTerminal = false
        }
        let order = ScanModel.View(order: view.outIsTerminal ? .rssi : .seen)
        let screen = ScanScreen(json: false, watches: false, view: order, console: view, clock: session.clock)
        var boards: [PeerID: Discovery] = [:]
        var found: [PeerID] = []
        for try await discovery in session.central.scan(duplicates: true, timeout: .seconds(2)) {
            try await screen.add(discovery)
            let known = KnownDrivers.all.recognize(discovery.fields, address: discovery.address)
            guard discovery.isConnectable, !known.isEmpty else { continue }
            if boards.updateValue(discovery, forKey: discovery.id) == nil { found.append(discovery.id) }
        }
        try await screen.finish()
        try Task.checkCancellation()
        return found.compactMap { boards[$0] }
    }

    private func open(_ board: Discovery, _ session: Session) async throws -> RecordingJob {
        let peripheral = board.peripheral
        try await peripheral.connect(timeout: session.timeout)
        try await peripheral.discover()
        console.talk("Connected to \(peripheral), MTU \(peripheral.link?.mtu ?? 23). Its database:")
        for service in peripheral.services {
            console.talk("  \(service.uuid) \(AssignedNumbers.service(service.uuid)?.name ?? "")")
            for one in service.characteristics {
                let name = AssignedNumbers.characteristic(one.uuid)?.name ?? ""
                console.talk("    \(one.uuid) \(name) [\(one.properties.names.joined(separator: " "))]")
            }
        }
        let options = SourceOptions(timeout: session.timeout)
        let source = try await RecordingJob.source(of: board, options: options, timeout: session.timeout)
        let channels = source.info.channels.map(\.name).joined(separator: " ")
        console.talk("Streaming \(channels)" + (source.info.rate.map { " at \($0.plainText) Hz" } ?? ""))
        return RecordingJob(source: source, options: self.options, clock: session.clock, isLenient: true)
    }
}
