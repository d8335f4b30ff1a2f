// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// A simulated device on a server.
struct ServedDevice: Sendable {
    /// From 1, in the order of the command line.
    let number: Int
    let device: any SimulatedDevice
    let server: PeripheralServer
    let address: DeviceAddress?
    /// Whether it is there; the newest wish counts.
    let presence: AsyncStream<Bool>
    private let wish: AsyncStream<Bool>.Continuation

    init(number: Int, device: any SimulatedDevice, server: PeripheralServer, address: DeviceAddress?) {
        self.number = number
        self.device = device
        self.server = server
        self.address = address
        (presence, wish) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes the device away, or back.
    func setPresent(_ isPresent: Bool) { wish.yield(isPresent) }

    /// Serves until the task is cancelled or the adapter fails, as long as the device is to be there.
    func serve(ready: @escaping @Sendable () -> Void) async throws {
        while true {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [device, server] in try await device.serve(on: server, ready: ready) }
                group.addTask { [self] in try await wait(untilPresent: false) }
                defer { group.cancelAll() }
                try await group.next()
            }
            try await wait(untilPresent: true)
        }
    }

    private func wait(untilPresent wanted: Bool) async throws {
        for await isPresent in presence where isPresent == wanted { return }
        // The stream ends with the task alone.
        throw CancellationError()
    }
}

/// Simulated devices at work.
struct Serving: Sendable {
    let devices: [ServedDevice]
    let servers: [PeripheralServer]
    let isJSON: Bool
    let console: Console

    /// Serves until the time is over, a line says so, or the task is cancelled.
    func run(for seconds: Duration?) async -> Result<Void, any Error> {
        let loop = servers[0].host.loop
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
                for server in servers {
                    group.addTask { [console] in
                        for await event in server.events() { console.talk(event.text) }
                        // The events end with the server; the device says why.
                        try await server.host.loop.sleep(for: .seconds(5))
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
            try? console.json(["event": "advertising", "name": .text(device.device.name), "address": .text(text)])
        } else {
            try? console.line("advertising \(TerminalText.escaped(device.device.name)) \(text)")
        }
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
            case .presence(let number, let isPresent): try device(number).setPresent(isPresent)
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

    private func list() async throws(CommandError) {
        for device in devices {
            let services = await device.server.services()
            if isJSON {
                let values = services.flatMap { service in
                    service.characteristics.map { one -> FieldValue in
                        let head: [FieldValue.Member] = [
                            .init("service", .text(service.uuid.description)),
                            .init("uuid", .text(one.uuid.description)),
                        ]
                        return .object(head + ValueReport(uuid: one.uuid, value: one.value).members)
                    }
                }
                try console.json([
                    "event": "device", "number": FieldValue(integer: device.number), "name": .text(device.device.name),
                    "values": .list(values),
                ])
                continue
            }
            try console.line("\(device.number) \(TerminalText.escaped(device.device.name))")
            for one in services.flatMap(\.characteristics) {
                let name = AssignedNumbers.characteristic(one.uuid)?.name ?? ""
                let text = ValueReport(uuid: one.uuid, value: one.value).text
                try console.line("    \(one.uuid) \(name)  \(one.properties) = \(text)")
            }
        }
    }

    /// Keeps a value and sends it to subscribers: that of one device, or of the first that has the attribute.
    private func set(_ number: Int?, _ attribute: String, _ text: String) async throws(CommandError) {
        let selector = try AttributeSelector(attribute)
        let candidates = if let number { [try device(number)] } else { devices }
        for candidate in candidates {
            guard let one = selector.matches(in: await candidate.server.services()).first else { continue }
            let value = try SimulationLine.value(text, for: one)
            do {
                try await candidate.server.update(one, to: value, timeout: .seconds(5))
            } catch {
                throw CommandError(describing: error)
            }
            if isJSON {
                try console.json([
                    "event": "set", "name": .text(candidate.device.name), "uuid": .text(one.uuid.description),
                    "value": .bytes(value),
                ])
            } else {
                console.talk("\(candidate.device.name): \(one.uuid) = \(Hex.encode(value))")
            }
            return
        }
        throw CommandError(.notFound, "no device serves \(attribute); 'list' shows what they have")
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
    static func value(_ text: String, for one: LocalCharacteristic) throws(CommandError) -> [UInt8] {
        guard let first = text.firstIndex(of: "="), text.firstIndex(of: ":").map({ $0 > first }) ?? true else {
            return try ValueText.bytes(text)
        }
        guard let profile = ProfileCatalog.standard.characteristic(one.uuid) else {
            throw .usage("\(one.uuid) has no profile that names fields; write hex:… or u8:…")
        }
        var texts: [String: String] = [:]
        for part in text.split(separator: " ") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2, texts.updateValue(pair[1], forKey: pair[0]) == nil else {
                throw .usage("'\(part)' is no field with its text, or stands twice; write \(pair[0])=…")
            }
        }
        do {
            return try profile.octets(from: texts, changing: one.value.isEmpty ? nil : one.value)
        } catch {
            throw .usage("\(one.uuid): \(error)")
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
        case .advertisingRestarted: "advertising again"
        case .advertisingEnded: "advertising ended"
        }
    }
}
