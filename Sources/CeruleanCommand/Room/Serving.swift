// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// Simulated devices at work.
struct Serving: Sendable {
    let devices: [ServedDevice]
    let isJSON: Bool
    let console: Console

    /// Serves until the time is over, a line says so, or the task is cancelled.
    func run(for seconds: Duration?) async -> Result<Void, any Error> {
        let loop = devices[0].server.host.loop
        let lines = LineReader(console)
        // One element for each time that a device can be found.
        let (appearances, appeared) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingOldest(devices.count))
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in devices {
                    group.addTask { [self] in
                        try await device.serve {
                            announce(device)
                            appeared.yield()
                        }
                    }
                }
                for device in devices {
                    group.addTask { [self] in
                        for await event in device.server.events() { tell(event, of: device) }
                        // The events end with the server; the device says why.
                        try await device.server.host.loop.sleep(for: .seconds(5))
                    }
                }
                group.addTask { [self] in
                    // What lines speak about must be there.
                    var waiting = devices.count
                    for await _ in appearances {
                        waiting -= 1
                        if waiting == 0 { break }
                    }
                    while let line = await lines.next() {
                        if try await obey(line) { return }
                    }
                    // Without input the devices go on.
                    while true { try await loop.sleep(for: .seconds(3600)) }
                }
                if let seconds { group.addTask { try await loop.sleep(for: seconds) } }
                // Whichever ends first ends the others.
                defer { group.cancelAll() }
                try await group.next()
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func announce(_ device: ServedDevice) {
        let text = device.address?.description ?? "-"
        if isJSON {
            try? console.json([
                "event": "advertising", "number": FieldValue(integer: device.number), "name": .text(device.device.name),
                "address": .text(text),
            ])
        } else {
            try? console.line("advertising \(TerminalText.escaped(device.device.name)) \(text)")
            if devices.count > 1 { console.talk("\(title(device)) is \(text)") }
        }
    }

    /// Number and name, as `list` shows them.
    private func title(_ device: ServedDevice) -> String { "\(device.number) \(device.device.name)" }

    private func tell(_ event: ServerEvent, of device: ServedDevice) {
        switch event {
        case .connected, .disconnected:
            // On one radio all devices hear of it; one tells.
            let first = devices.first { $0.server.host === device.server.host }
            guard first?.number == device.number else { return }
        default: break
        }
        console.talk(devices.count > 1 ? "\(title(device)): \(event.text)" : event.text)
    }

    // MARK: - Lines

    /// Does what a line says. True when that is to end.
    private func obey(_ line: String) async throws -> Bool {
        do throws(CommandError) {
            switch try SimulationLine(line) {
            case .nothing: break
            case .quit: return true
            case .list: try await list()
            case .set(let number, let attribute, let value): try await set(number, attribute, value)
            case .presence(let number, let isPresent): try await setPresent(try device(number), isPresent)
            }
        } catch {
            if error.exit == .cannotWrite { throw error }
            console.complain(error.description)
        }
        return false
    }

    private func device(_ number: Int) throws(CommandError) -> ServedDevice {
        guard let device = devices.first(where: { $0.number == number }) else {
            throw .usage("there is no device \(number); 'list' shows them")
        }
        return device
    }

    /// Takes a device away, or back, and waits until that is done: what next lines say is about the new state.
    private func setPresent(_ device: ServedDevice, _ isPresent: Bool) async throws(CommandError) {
        guard device.isPresent != isPresent else {
            return console.talk("\(title(device)) is \(isPresent ? "there" : "stopped") already")
        }
        device.setPresent(isPresent)
        let loop = device.server.host.loop
        let end = loop.now + .seconds(5)
        do {
            while device.isPresent != isPresent, loop.now < end { try await loop.sleep(for: .milliseconds(10)) }
        } catch {
            throw CommandError(describing: error)
        }
        guard !isPresent else { return }
        if isJSON {
            try console.json([
                "event": "stopped", "number": FieldValue(integer: device.number), "name": .text(device.device.name),
            ])
        } else {
            console.talk("\(title(device)): stopped")
        }
    }

    private func list() async throws(CommandError) {
        for device in devices {
            let values = await device.values()
            if isJSON {
                let list = values.map { one -> FieldValue in
                    let head: [FieldValue.Member] = [
                        .init("service", .text(one.service.description)),
                        .init("uuid", .text(one.characteristic.uuid.description)),
                    ]
                    return .object(head + ValueReport(uuid: one.characteristic.uuid, value: one.value).members)
                }
                try console.json([
                    "event": "device", "number": FieldValue(integer: device.number), "name": .text(device.device.name),
                    "running": .bool(device.isPresent), "values": .list(list),
                ])
                continue
            }
            try console.line(TerminalText.escaped(title(device)) + (device.isPresent ? "" : "  (stopped)"))
            for one in values {
                let uuid = one.characteristic.uuid
                let name = AssignedNumbers.characteristic(uuid)?.name ?? ""
                let text = ValueReport(uuid: uuid, value: one.value).text
                try console.line("    \(uuid) \(name)  \(one.characteristic.properties) = \(text)")
            }
        }
    }

    /// Keeps a value and sends it to subscribers: that of one device, or of the first that has the attribute. One that is
    /// stopped has it when it is started again.
    private func set(_ number: Int?, _ attribute: String, _ text: String) async throws(CommandError) {
        let selector = try AttributeSelector(attribute)
        // Those that are there come first.
        let candidates =
            if let number { [try device(number)] } else {
                devices.filter(\.isPresent) + devices.filter { !$0.isPresent }
            }
        for candidate in candidates {
            guard let one = await candidate.value(of: selector) else { continue }
            let uuid = one.characteristic.uuid
            let value = try SimulationLine.value(text, for: uuid, changing: one.value)
            do {
                try await candidate.set(one, to: value)
            } catch {
                throw CommandError(describing: error)
            }
            if isJSON {
                try console.json([
                    "event": "set", "number": FieldValue(integer: candidate.number),
                    "name": .text(candidate.device.name), "running": .bool(candidate.isPresent),
                    "uuid": .text(uuid.description), "value": .bytes(value),
                ])
            } else {
                let when = candidate.isPresent ? "" : ", when it is started again"
                console.talk("\(candidate.device.name): \(uuid) = \(Hex.encode(value))\(when)")
            }
            return
        }
        let who = number.map { "device \($0) does not serve" } ?? "no device serves"
        throw CommandError(.notFound, "\(who) \(attribute); 'list' shows what they have")
    }
}

/// One line of what somebody wants of simulated devices.
enum SimulationLine: Hashable, Sendable {
    case nothing
    case quit
    case list
    case set(device: Int?, attribute: String, value: String)
    case presence(device: Int, Bool)

    /// Reads a line.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ line: String) throws(CommandError) {
        var words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard let verb = words.first, !line.hasPrefix("#") else {
            self = .nothing
            return
        }
        let rest = words.count > 1 ? words[1] : ""
        switch verb {
        case "quit",
            "exit" where rest.isEmpty:
            self = .quit
        case "list" where rest.isEmpty: self = .list
        case "start", "stop":
            guard let number = Int(rest) else {
                throw .usage("'\(verb)' takes the number of a device, as 'list' shows it")
            }
            self = .presence(device: number, verb == "start")
        case "set":
            words = rest.split(separator: " ", maxSplits: 1).map(String.init)
            var number: Int?
            // A number of few digits in front of two more words is a device; 2A19 is none, 1234 could be a UUID.
            if words.count == 2, words[0].count < 4, let device = Int(words[0]) {
                number = device
                words = words[1].split(separator: " ", maxSplits: 1).map(String.init)
            }
            guard words.count == 2 else {
                throw .usage("write 'set ATTRIBUTE VALUE', or 'set DEVICE ATTRIBUTE VALUE': set 2A19 u8:50")
            }
            self = .set(device: number, attribute: words[0], value: words[1])
        default: throw .usage("'\(line)' is not understood; there are list, set, start, stop and quit")
        }
    }

    /// The octets of a value: as `write` takes it, or fields of the profile with their texts, `value=50 other=2`.
    ///
    /// - Throws: ``CommandError`` that says which field does not fit where.
    static func value(
        _ text: String, for uuid: BluetoothUUID, changing old: [UInt8]
    ) throws(CommandError) -> [UInt8] {
        guard let first = text.firstIndex(of: "="), text.firstIndex(of: ":").map({ $0 > first }) ?? true else {
            return try ValueText.bytes(text)
        }
        guard let profile = ProfileCatalog.standard.characteristic(uuid) else {
            throw .usage("\(uuid) has no profile that names fields; write hex:… or u8:…")
        }
        var texts: [String: String] = [:]
        for part in text.split(separator: " ") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2, texts.updateValue(pair[1], forKey: pair[0]) == nil else {
                throw .usage("'\(part)' is no field with its text, or stands twice; write \(pair[0])=…")
            }
        }
        do {
            return try profile.octets(from: texts, changing: old.isEmpty ? nil : old)
        } catch {
            throw .usage("\(uuid): \(error)")
        }
    }
}

extension ServerEvent {
    /// One line for people.
    fileprivate var text: String {
        switch self {
        case .connected(let central): "connected: \(central.address?.description ?? "\(central.id)")"
        case .disconnected(let central, let reason):
            "disconnected: \(central.address?.description ?? "\(central.id)"), \(BluetoothError(reason, during: ""))"
        case .subscribed(let characteristic, _, let mode): "subscribed: \(characteristic.uuid), \(mode)"
        case .unsubscribed(let characteristic, _): "unsubscribed: \(characteristic.uuid)"
        case .written(let characteristic, let value, _): "written: \(characteristic.uuid) = \(Hex.encode(value))"
        case .undelivered(let characteristic, let count, let central):
            "undelivered: the last \(count) of \(characteristic.uuid) to \(central.address?.description ?? "\(central.id)")"
        case .advertisingRestarted: "advertising again"
        case .advertisingEnded: "advertising ended"
        }
    }
}
