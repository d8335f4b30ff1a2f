// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanTesting
import CeruleanWire
import Foundation
import Testing

@testable import CeruleanCommand

/// The live table: what keys do, and what is shown.
@Suite struct ScanBrowserTests {
    /// The devices of the room as a scan sees them.
    private static func model() async throws -> ScanModel {
        try await Simulation.run { simulation in
            try await SimulatedRoom.demonstration().run(on: simulation.loop) { world in
                let central = try await Central(.virtual(world))
                var model = ScanModel()
                for try await discovery in central.scan(duplicates: true, timeout: .seconds(3)) {
                    _ = model.add(discovery, time: "2026-11-30T00:00:00.000Z")
                }
                return model
            }
        }
    }

    private static func lines(_ browser: ScanBrowser, _ model: ScanModel, height: Int = 40) -> [String] {
        browser.lines(model, width: 200, height: height) { line in
            switch line {
            case .head(let text), .selected(let text), .quiet(let text), .plain(let text): text
            case .moment(let title, let time): "\(title) \(time.nanoseconds)"
            }
        }
    }

    private static func names(_ model: ScanModel, _ view: ScanModel.View) -> [String] {
        model.visible(view).map { model.rows[$0]?.discovery.name ?? "-" }
    }

    @Test func rowsAreSortedFilteredAndCut() async throws {
        let model = try await Self.model()
        let byName = Self.names(model, .init(order: .name)).filter { $0 != "-" }
        #expect(byName == byName.sorted { $0.lowercased() < $1.lowercased() })
        #expect(Self.names(model, .init(order: .name)).last == "-")
        let strengths = model.visible(.init(order: .rssi)).map { model.rows[$0]?.discovery.rssi ?? -200 }
        #expect(strengths == strengths.sorted(by: >))
        #expect(model.visible(.init(order: .rssi, isReversed: true)) == model.visible(.init(order: .rssi)).reversed())
        #expect(Self.names(model, .init(filter: "STRAP")) == ["Cerulean Strap"])
        #expect(Self.names(model, .init(filter: "heart rate")) == ["Cerulean Strap"])
        #expect(Self.names(model, .init(filter: "180d")) == ["Cerulean Strap"])
        #expect(model.visible(.init(filter: "nobody")).isEmpty)
        #expect(model.visible(.init(limit: 2)).count == 2)
        #expect(model.visible(.init()) == model.order)
    }

    @Test func theHistoryOfADeviceIsBounded() async throws {
        var model = try await Self.model()
        let id = try #require(model.visible(.init(filter: "strap")).first)
        let discovery = try #require(model.rows[id]?.discovery)
        for _ in 0..<200 { _ = model.add(discovery, time: "") }
        #expect(model.rows[id]?.history.count == ScanModel.historyLimit)
        #expect(model.rows[id]?.firstSeen == "2026-11-30T00:00:00.000Z")
    }

    @Test func keysSortFilterAndOpenADevice() async throws {
        let model = try await Self.model()
        var browser = ScanBrowser(view: .init(order: .rssi), isInteractive: true)
        let endsBySorting = browser.pressed(.character("s"), model)
        #expect(!endsBySorting)
        #expect(browser.view.order == .name)
        #expect(Self.lines(browser, model)[0].contains("by name"))
        _ = browser.pressed(.character("r"), model)
        #expect(browser.view.isReversed)
        for character in "/strq" { _ = browser.pressed(.character(character), model) }
        #expect(browser.view.filter == "strq")
        _ = browser.pressed(.backspace, model)
        _ = browser.pressed(.enter, model)
        #expect(Self.lines(browser, model)[0].contains("filter str"))
        _ = browser.pressed(.down, model)
        #expect(Self.lines(browser, model).contains { $0.hasPrefix("> ") && $0.contains("Cerulean Strap") })
        _ = browser.pressed(.enter, model)
        let details = Self.lines(browser, model)
        #expect(details[0].contains("Cerulean Strap"))
        #expect(details.contains { $0.contains("180D Heart Rate") })
        #expect(details.contains { $0.hasPrefix("history") && $0.contains { "▁▂▃▄▅▆▇█".contains($0) } })
        _ = browser.pressed(.escape, model)
        #expect(Self.lines(browser, model)[1].contains("ADDRESS"))
        let ends = browser.pressed(.character("q"), model)
        #expect(ends)
    }

    @Test func theMarkedRowStaysInSightOnASmallTerminal() async throws {
        let model = try await Self.model()
        var browser = ScanBrowser(view: .init(order: .seen), isInteractive: true)
        for _ in 0..<model.order.count { _ = browser.pressed(.character("j"), model) }
        let lines = Self.lines(browser, model, height: 6)
        #expect(lines.count <= 6)
        #expect(lines.contains { $0.hasPrefix("> ") })
    }

    @Test func noLineIsWiderThanTheTerminal() async throws {
        let model = try await Self.model()
        let browser = ScanBrowser(view: .init(order: .seen), isInteractive: true)
        for width in [1, 10, 40] {
            let lines = browser.lines(model, width: width, height: 10) { line in
                switch line {
                case .head(let text), .selected(let text), .quiet(let text), .plain(let text): text
                case .moment(let title, _): title
                }
            }
            #expect(lines.allSatisfy { $0.count <= width })
        }
    }

    @Test func octetsOfATerminalAreKeys() {
        let keys = KeyInput.keys(in: Array("a\u{1B}[A\u{1B}OB\r\u{7F}\u{1B}[1;5Cx\u{1B}".utf8)[...])
        #expect(keys == [.character("a"), .up, .down, .enter, .backspace, .character("x"), .escape])
        #expect(KeyInput.keys(in: [0x00, 0xC3, 0xA9, 0x1B, 0x5B]).isEmpty)
    }

    @Test func strengthsBecomeAGraph() {
        let samples = [-127, -100, -91, -60, -30, 20].map { ScanModel.Sample(time: .zero, rssi: $0) }
        #expect(ScanBrowser.graph(samples[...]) == "▁▁▂▅██")
        #expect(ScanBrowser.graph([ScanModel.Sample(time: .zero, rssi: nil)]) == "·")
    }
}

/// `scan` with its options for sorting, saving and connecting.
@Suite struct ScanVerbTests {
    private static func home() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("scans-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    private static func run(_ arguments: String..., home: URL) async throws -> RoomVerbTests.Outcome {
        try await Simulation.run { simulation in
            try await SimulatedRoom.demonstration().run(on: simulation.loop) { world in
                await AdapterChoice.$override.withValue({ _ in .virtual(world) }) {
                    let test = TestConsole(environment: ["XDG_CONFIG_HOME": home.path])
                    let code = await CeruleanProgram.run(arguments, test.console)
                    return RoomVerbTests.Outcome(code: code, test: test)
                }
            }
        }
    }

    @Test func discoveringAddsTheServicesOfEachDevice() async throws {
        let home = try Self.home()
        let outcome = try await Self.run(
            "scan", "--discover", "--timeout", "20", "--max-connections", "2", "--json", "--filter", "strap", home: home
        )
        #expect(outcome.code == .ok)
        let strap = try #require(outcome.test.objects.first)
        #expect(strap["name"] == "Cerulean Strap")
        guard case .list(let services)? = strap["discovered"]?["services"] else {
            Issue.record("not discovered: \(outcome.test.out)")
            return
        }
        for uuid in ["180D", "180F", "180A"] { #expect(services.contains(.text(uuid))) }
        let text = try await Self.run("scan", "--discover", "--timeout", "10", "--filter", "strap", home: home)
        let cells = text.test.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        // A record has the services that were found in a column of their own.
        #expect(cells.map(\.last) == ["Heart Rate, Battery Service, Device Information"])
        #expect(text.test.error.contains("1 of \(SimulatedRoom.demonstrationNames.count) devices"))
    }

    @Test func watchingRepeatsNoRecord() async throws {
        let test = TestConsole()
        try await Simulation.run { simulation in
            try await SimulatedRoom.demonstration().run(on: simulation.loop) { world in
                await AdapterChoice.$override.withValue({ _ in .virtual(world) }) {
                    await withTaskGroup(of: Void.self) { group in
                        group.addTask { _ = await test.run("scan", "--watch") }
                        group.addTask { try? await simulation.loop.sleep(for: .seconds(30)) }
                        await group.next()
                        group.cancelAll()
                    }
                }
            }
        }
        let records = test.lines.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).enumerated().filter { $0.offset != 1 }
                .map(\.element)
        }
        #expect(records.count >= SimulatedRoom.demonstrationNames.count)
        // Strength apart, what comes again differs from what came last for that device.
        var last: [Substring: [Substring]] = [:]
        for record in records {
            #expect(last[record[0]] != record)
            last[record[0]] = record
        }
    }

    @Test func aHistoryHasAsManyStrengthsAsAskedFor() async throws {
        let home = try Self.home()
        let outcome = try await Self.run(
            "scan", "--timeout", "3", "--history", "5", "--json", "--name", "cerulean strap", home: home)
        guard case .list(let samples)? = outcome.test.objects.first?["history"] else {
            Issue.record("no history")
            return
        }
        #expect(samples.count == 5)
        for sample in samples {
            guard case .text? = sample["time"], case .integer? = sample["rssi"] else {
                Issue.record("\(sample)")
                continue
            }
        }
    }

    @Test func aScanIsSavedListedTakenAndForgotten() async throws {
        let home = try Self.home()
        let saved = try await Self.run(
            "scan", "--service", "heart_rate", "--timeout", "2", "--sort", "name", "--save", "straps", "--json",
            home: home)
        #expect(saved.code == .ok)
        let list = try await Self.run("scan", "--configs", "--json", home: home)
        #expect(
            list.test.objects == [
                ["name": "straps", "options": ["service": "heart_rate", "sort": "name", "timeout": "2"]]
            ])
        _ = try await Self.run("scan", "--name", "a 'b'", "--timeout", "0", "--save", "my office", home: home)
        let plain = try await Self.run("scan", "--configs", home: home)
        #expect(
            plain.test.lines == [
                "straps\t--service heart_rate --sort name --timeout 2",
                #"my office\#t--name 'a '\''b'\''' --timeout 0"#,
            ])
        let taken = try await Self.run("scan", "--config", "straps", "--json", home: home)
        #expect(taken.test.objects.map { $0["name"] } == ["Cerulean Strap"])
        // What is given beside it wins.
        let other = try await Self.run("scan", "--config", "straps", "--service", "181A", "--json", home: home)
        #expect(other.test.objects.map { $0["name"] } == ["Cerulean Climate"])
        #expect(try await Self.run("scan", "--config", "nothing", home: home).code == .notFound)
        #expect(try await Self.run("scan", "--forget", "straps", home: home).code == .ok)
        #expect(try await Self.run("scan", "--forget", "straps", home: home).code == .notFound)
    }

    @Test(arguments: [
        "[]", "{", #"{"a":1}"#, #"{"a":{"nonsense":"x"}}"#, #"{"a":{"watch":"yes"}}"#, #"{"a":{"sort":true}}"#,
        #"{"a":{"service":[1]}}"#, #"{"a":{"adapter":"auto"}}"#,
    ])
    func aDamagedFileIsBadData(text: String) async throws {
        let home = try Self.home()
        let directory = home.appendingPathComponent("cerulean")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try text.write(to: directory.appendingPathComponent("scans.json"), atomically: true, encoding: .utf8)
        #expect(try await Self.run("scan", "--config", "a", home: home).code == .badData)
    }

    @Test(arguments: [
        ["--sort", "color"], ["--show", "0"], ["--history", "65"], ["--max-connections", "0"],
        ["--connect-timeout", "x"], ["--max-timeouts", "-1"], ["--save", ""],
    ])
    func whatMakesNoSenseIsAUsageError(options: [String]) async throws {
        let test = TestConsole(environment: ["XDG_CONFIG_HOME": "/nonexistent"])
        let code = await AdapterChoice.$override.withValue({ _ in .automatic }) {
            await CeruleanProgram.run(["scan"] + options, test.console)
        }
        #expect(code == .usage)
    }
}
