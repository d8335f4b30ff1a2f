// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

/// What connecting to a device showed, and how often it failed.
struct Survey: Sendable {
    /// Its services; nil as long as it has not been connected to.
    var services: [BluetoothUUID]?
    /// True while a connection is being made or used.
    var isRunning = false
    /// Attempts that got no answer in time.
    var timeouts = 0
    /// Connections that were lost or did not come about.
    var disconnections = 0
    /// Why the last attempt failed.
    var error: String?
    /// When the next attempt may begin.
    var next = MonotonicTime.zero

    /// What was found, for people: the services, else why there are none, else `-`.
    var text: String {
        if let services {
            let names = services.filter { $0 != 0x1800 && $0 != 0x1801 }
                .map { AssignedNumbers.service($0)?.name ?? $0.description }
            return names.isEmpty ? "no services" : names.joined(separator: ", ")
        }
        return error.map { "failed: " + TerminalText.escaped($0) } ?? "-"
    }

    /// The object `discovered` of `scan --discover --json`; nil before anything happened.
    var fieldValue: FieldValue? {
        var members: [FieldValue.Member] = []
        if let services { members.append(.init("services", .list(services.map { .text($0.description) }))) }
        if timeouts > 0 { members.append(.init("timeouts", FieldValue(integer: timeouts))) }
        if disconnections > 0 { members.append(.init("disconnections", FieldValue(integer: disconnections))) }
        if let error { members.append(.init("error", .text(error))) }
        return members.isEmpty ? nil : .some(.object(members))
    }
}

/// How `scan --discover` connects to what it sees.
struct SurveyLimits: Sendable {
    /// Connections at once.
    var connections = 1
    /// For each attempt to connect.
    var connectTimeout = Duration.seconds(5)
    /// For listing the services.
    var operationTimeout = Duration.seconds(10)
    /// A device that gave no answer so often is left alone; nil for ever.
    var timeouts: Int? = 5
    /// A device that was lost so often is left alone; nil for ever.
    var disconnections: Int?
    /// Between attempts on one device.
    static let pause = Duration.seconds(2)

    /// Reads the options.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ invocation: Invocation) throws(CommandError) {
        connections = try invocation.integer("max-connections", 1...64) ?? connections
        connectTimeout = try invocation.seconds("connect-timeout", minimum: 0.1) ?? connectTimeout
        operationTimeout = try invocation.seconds("operation-timeout", minimum: 0.1) ?? operationTimeout
        if let text = invocation.value("max-timeouts") {
            timeouts = text == "off" ? nil : try invocation.integer("max-timeouts", 0...1_000_000)
        }
        if let text = invocation.value("max-disconnections"), text != "off" {
            disconnections = try invocation.integer("max-disconnections", 0...1_000_000)
        }
    }

    /// True when a device may be connected to now.
    func allow(_ survey: Survey, at now: MonotonicTime) -> Bool {
        survey.services == nil && !survey.isRunning && survey.next <= now
            && survey.timeouts <= (timeouts ?? .max) && survey.disconnections <= (disconnections ?? .max)
    }
}

extension ScanScreen {
    /// Connects to devices one after the other, lists their services and disconnects, until its task is cancelled. Several
    /// may run side by side.
    nonisolated func surveyDevices(_ limits: SurveyLimits, on loop: any EventLoop) async throws {
        while true {
            guard let discovery = await nextToSurvey(limits, now: loop.now) else {
                try await loop.sleep(for: .milliseconds(200))
                continue
            }
            let peripheral = discovery.peripheral
            do {
                try await peripheral.connect(timeout: limits.connectTimeout)
                let services = try await peripheral.discover(timeout: limits.operationTimeout)
                try? await peripheral.disconnect(timeout: .seconds(2))
                try await surveyed(discovery.id) { survey in
                    survey.services = services.map(\.uuid)
                    survey.error = nil
                }
            } catch let error as BluetoothError {
                if error.code == .cancelled { throw CancellationError() }
                try? await peripheral.disconnect(timeout: .seconds(2))
                let next = loop.now + SurveyLimits.pause
                try await surveyed(discovery.id) { survey in
                    if error.code == .timedOut { survey.timeouts += 1 } else { survey.disconnections += 1 }
                    survey.error = error.description
                    survey.next = next
                }
            }
        }
    }
}
