// SPDX-License-Identifier: Apache-2.0

#if canImport(CeruleanScript)

import CeruleanHost
import CeruleanScript
import CeruleanTransport
import CeruleanWire
import CoreBluetooth
import Foundation

extension VerbSpecification {
    /// `script`: a JavaScript program for the Titanium module.
    static let script = VerbSpecification(
        name: "script",
        summary: "run a JavaScript program written for the Titanium Bluetooth LE module",
        details: """
            The script finds Ti (Titanium), require, timers, console and the module com.logicallabs.bluetoothle. There is no screen:
            --click presses a button, a table row or a choice by its title as soon as it is there. It runs until nothing is left
            that could call it, Ctrl-C, or --seconds. An error that nothing catches is written as FILE:LINE:COLUMN and ends the
            program with 1. What restore identifiers, Ti.App.Properties and monitored regions keep is in
            ~/.local/state/cerulean, or CERULEAN_STATE_DIR.
            """,
        positionals: [
            .init(placeholder: "FILE", help: "the script", isFile: true),
            .init(
                placeholder: "ARGUMENT", help: "for Ti.Platform.cerulean.arguments", isOptional: true, repeats: true),
        ],
        options: [
            .value(
                "click", "TITLE", "click what has this title; several are clicked one after the other", repeats: true),
            .value("seconds", "S", "end after S seconds"),
            .value("watchdog", "S", "end a script that computes for S seconds without returning (default 10, 0 never)"),
            .value("id", "TEXT", "the name under which the script's state is kept (default: made of its path)"),
            .value("osname", "NAME", "what Ti.Platform.osname says (default iphone)"),
            .value("platform-version", "TEXT", "what Ti.Platform.version says (default 7.1)"),
            .value("username", "TEXT", "what Ti.Platform.username says (default: the user's name)"),
            .flag("deny-location", "refuse regions and ranging, as if the user had"),
        ],
        examples: [
            "script app.js", "script --adapter virtual monitor.js --seconds 30",
            "script app.js --click 'Heart rate monitor' --click Start",
        ],
        run: { invocation, console in
            let path = invocation.positional(0) ?? ""
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw CommandError.badData("\(path): cannot be read")
            }
            guard ScriptProgram.isAvailable else {
                throw CommandError(
                    .internal,
                    "script: this program was built without JavaScriptCore; install libjavascriptcoregtk-4.1-dev and build again"
                )
            }
            let seconds = try invocation.seconds("seconds")
            var options = ScriptOptions()
            options.arguments = Array(invocation.positionals.dropFirst())
            options.clicks = invocation.values("click")
            options.identifier = invocation.value("id")
            if let limit = try invocation.seconds("watchdog") { options.turnLimit = limit.inSeconds }
            if let name = invocation.value("osname") { options.osname = name }
            if let version = invocation.value("platform-version") { options.version = version }
            let user = invocation.value("username") ?? invocation.environment["USER"] ?? ""
            if !user.isEmpty { options.username = user }
            options.deniesLocation = invocation.has("deny-location")
            CBLinuxLog.setHandler { console.talk($0, .warning) }
            defer { CBLinuxLog.setHandler(nil) }
            let settings = options
            return try await AdapterChoice.run(invocation, name: options.username) { adapter in
                let loop = try ThreadLoop(name: "script")
                defer { loop.shutdown() }
                var options = settings
                options.adapter = CBLinuxAdapter(central: adapter) { loop.execute($0) }
                return try await run(path, options, seconds, on: loop, console)
            }
        })

    private static func run(
        _ path: String, _ options: ScriptOptions, _ seconds: Duration?, on loop: ThreadLoop, _ console: Console
    ) async throws -> ExitCode {
        let output = ScriptOutput(
            log: { level, text in
                // Output that cannot be written is told by the next program that reads it.
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                let shown = lines.map { TerminalText.escaped(String($0)) }.joined(separator: "\n")
                try? console.out("[\(level)] \(shown)\n")
            },
            talk: { console.talk($0, .warning) })
        let program = ScriptProgram(path, options: options, output: output, loop: loop)
        let timer = seconds.map { loop.schedule(at: loop.now + $0) { program.stop() } }
        defer { if let timer { loop.cancel(timer) } }
        do {
            let end = try await program.run()
            try Task.checkCancellation()
            guard case .exited(let code) = end else { return .ok }
            return ExitCode(rawValue: code) ?? .internal
        } catch let fault as ScriptFault {
            for line in fault.stack.split(separator: "\n").prefix(20) where !line.contains("cerulean:") {
                console.talk("    \(line)")
            }
            throw CommandError(fault.kind.exit, fault.description)
        }
    }
}

extension ScriptFault.Kind {
    fileprivate var exit: ExitCode {
        switch self {
        case .uncaught, .endless, .unavailable: .internal
        case .unreadable: .badData
        case .notClickable: .notFound
        }
    }
}

#endif
