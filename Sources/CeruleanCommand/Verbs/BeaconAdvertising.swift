// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanStack
import CeruleanWire
import Foundation

/// What `beacon advertise` can be.
enum BeaconFormat: String, CaseIterable, Sendable {
    case ibeacon
    case altbeacon
    case uid = "eddystone-uid"
    case url = "eddystone-url"
    case tlm = "eddystone-tlm"
    case etlm = "eddystone-etlm"
    case eid = "eddystone-eid"
    case ruuvi3 = "ruuvi-3"
    case ruuvi5 = "ruuvi-5"

    static var names: [String] { allCases.map(\.rawValue) }

    /// The options that say what is sent; any other of them is a mistake.
    var options: [String] {
        switch self {
        case .ibeacon: ["uuid", "major", "minor", "power"]
        case .altbeacon: ["uuid", "major", "minor", "power", "company"]
        case .uid: ["namespace", "instance", "power"]
        case .url: ["url", "power"]
        case .tlm: ["battery", "temperature"]
        case .etlm: ["battery", "temperature", "identity-key", "exponent", "clock"]
        case .eid: ["eid", "identity-key", "exponent", "clock", "power"]
        case .ruuvi3, .ruuvi5: ["battery", "temperature", "humidity", "pressure"]
        }
    }
}

/// `beacon advertise`.
struct BeaconAdvertising: Sendable {
    /// The key of an identifier that changes, and the beacon's clock.
    private struct Identity {
        var key: Value128
        var exponent: UInt8
        var clock: UInt32
    }

    private static let contentOptions = [
        "uuid", "major", "minor", "power", "company", "namespace", "instance", "url", "battery", "temperature",
        "identity-key", "exponent", "clock", "eid", "humidity", "pressure",
    ]

    private let format: BeaconFormat
    private let invocation: Invocation
    private let console: Console
    private let identity: Identity?
    private let interval: Duration
    private let seconds: Duration?

    init(_ invocation: Invocation, _ arguments: [String], _ console: Console) throws(CommandError) {
        guard arguments.count <= 1 else { throw .usage("beacon advertise takes one FORMAT") }
        let name = arguments.first ?? "ibeacon"
        guard let format = BeaconFormat(rawValue: name) else {
            throw .usage("'\(name)' is no format; known are \(BeaconFormat.names.joined(separator: ", "))")
        }
        for option in Self.contentOptions where invocation.has(option) && !format.options.contains(option) {
            throw .usage("--\(option) is no option of \(name); it has --\(format.options.joined(separator: ", --"))")
        }
        self.format = format
        self.invocation = invocation
        self.console = console
        interval = try invocation.seconds("interval", minimum: 0.02) ?? .milliseconds(100)
        guard interval <= .milliseconds(10_240) else { throw .usage("--interval takes 0.02 to 10.24 seconds") }
        seconds = try invocation.seconds("seconds")
        identity = try Self.identity(invocation)
        if format == .etlm, identity == nil { throw .usage("eddystone-etlm needs --identity-key") }
        if format == .eid, (identity == nil) == (invocation.value("eid") == nil) {
            throw .usage("eddystone-eid needs either --eid or --identity-key")
        }
    }

    /// Advertises until the time is over.
    func run(_ invocation: Invocation) async throws -> ExitCode {
        // Whatever is wrong with the values is said before the adapter is opened.
        let first = try frame(after: .zero, count: 0)
        _ = try data(of: first)
        return try await AdapterChoice.run(invocation, name: format.rawValue) { adapter in
            let timeout = try invocation.seconds("timeout") ?? .seconds(10)
            let server = try await Session.openServer(adapter, timeout: max(timeout, .seconds(2)))
            let result: Result<Void, any Error>
            do {
                result = .success(try await advertise(first, on: server, timeout: timeout))
            } catch {
                result = .failure(error)
            }
            await Session.finish { try? await server.shutdown(timeout: .seconds(2)) }
            try result.get()
            return .ok
        }
    }

    // MARK: - Private

    private func advertise(
        _ first: any AdvertisableBeacon, on server: PeripheralServer, timeout: Duration
    ) async throws {
        let loop = server.host.loop
        let start = loop.now
        let end = seconds.map { start + $0 } ?? .distantFuture
        var running = try await server.advertise(first, interval: interval, timeout: timeout)
        try announce(first, address: await server.localAddress)
        while loop.now < end {
            let next = nextChange(after: loop.now - start).map { start + $0 } ?? .distantFuture
            // The loop's clock may end before the distant future.
            try await loop.sleep(until: min(next, end, loop.now + .seconds(86_400)))
            guard loop.now >= next, loop.now < end else { continue }
            let elapsed = loop.now - start
            let frame = try frame(after: elapsed, count: UInt32(clamping: Int64(elapsed / interval)))
            await running.stop()
            running = try await server.advertise(frame, interval: interval, timeout: timeout)
            console.talk("now \(Self.text(frame))", .debug)
        }
        await running.stop()
    }

    /// When the content changes next, counted from the start.
    private func nextChange(after elapsed: Duration) -> Duration? {
        let whole = elapsed.components.seconds
        switch format {
        case .tlm, .etlm: return .seconds((whole / 10 + 1) * 10)
        case .eid:
            guard let identity else { return nil }
            let period = Int64(1) << Int64(identity.exponent)
            return .seconds(whole + period - (Int64(identity.clock) + whole) % period)
        default: return nil
        }
    }

    private func announce(_ frame: any AdvertisableBeacon, address: DeviceAddress?) throws {
        guard invocation.has("json") else {
            return try console.line("advertising \(Self.text(frame)) \(address?.description ?? "-")")
        }
        try console.json(
            .object(
                [
                    .init("event", "advertising"), .init("name", .text(frame.kind)),
                    .init("address", .text(address?.description ?? "-")), .init("data", .bytes(try data(of: frame))),
                    .init("beacon", .object([.init("kind", .text(frame.kind))] + frame.members)),
                ]))
    }

    private static func text(_ frame: any AdvertisableBeacon) -> String {
        switch frame {
        case let beacon as IBeacon: "\(beacon.kind) \(beacon.uuid)/\(beacon.major)/\(beacon.minor)"
        case let beacon as AltBeacon: "\(beacon.kind) \(beacon.id1)/\(beacon.id2)/\(beacon.id3)"
        case let beacon as EddystoneURL: "\(beacon.kind) \(TerminalText.escaped(beacon.url))"
        case let beacon as EddystoneUID:
            "\(beacon.kind) \(Hex.encode(beacon.namespace))/\(Hex.encode(beacon.instance))"
        case let beacon as EddystoneEID: "\(beacon.kind) \(Hex.encode(beacon.identifier))"
        default: frame.kind
        }
    }

    private func data(of frame: any AdvertisableBeacon) throws(CommandError) -> [UInt8] {
        do {
            return try frame.advertisement()
        } catch {
            throw .usage("beacon advertise \(format.rawValue): \(error.description)")
        }
    }

    /// What is sent so long after the start.
    private func frame(after elapsed: Duration, count: UInt32) throws(CommandError) -> any AdvertisableBeacon {
        switch format {
        case .ibeacon:
            return IBeacon(
                uuid: try uuid(), major: try number("major"), minor: try number("minor"),
                measuredPower: try power(-59))
        case .altbeacon:
            let text = invocation.value("company") ?? "0118"
            guard let company = UInt16(text, radix: 16) else {
                throw .usage("--company takes a hexadecimal number of 16 bits, not '\(text)'")
            }
            return AltBeacon(
                id1: try uuid(), id2: try number("major"), id3: try number("minor"),
                referenceRSSI: try power(-59), company: company)
        case .uid:
            return EddystoneUID(
                namespace: try hex("namespace", 10), instance: try hex("instance", 6), txPower: try power(-18))
        case .url:
            guard let url = invocation.value("url") else { throw .usage("beacon advertise eddystone-url needs --url") }
            return EddystoneURL(url: url, txPower: try power(-18))
        case .tlm: return try telemetry(after: elapsed, count: count)
        case .etlm, .eid: return try secretFrame(after: elapsed, count: count)
        case .ruuvi3:
            return RuuviFormat3(
                humidity: try decimal("humidity") ?? 50, temperature: try decimal("temperature") ?? 20,
                pressure: try pressure() ?? 101_325, acceleration: Acceleration(x: 0, y: 0, z: 1000),
                battery: try battery() ?? 3000)
        case .ruuvi5:
            return RuuviFormat5(
                temperature: try decimal("temperature"), humidity: try decimal("humidity"), pressure: try pressure(),
                battery: try battery())
        }
    }

    private func telemetry(after elapsed: Duration, count: UInt32) throws(CommandError) -> EddystoneTLM {
        EddystoneTLM(
            battery: try battery(), temperature: try decimal("temperature"), count: count,
            tenths: UInt32(truncatingIfNeeded: Int64(elapsed / .milliseconds(100))))
    }

    private func secretFrame(
        after elapsed: Duration, count: UInt32
    ) throws(CommandError) -> any AdvertisableBeacon {
        guard let identity else { return EddystoneEID(identifier: try hex("eid", 8), txPower: try power(-18)) }
        let time = identity.clock &+ UInt32(truncatingIfNeeded: elapsed.components.seconds)
        do {
            let crypto = SystemCrypto()
            guard format == .etlm else {
                let identifier = try crypto.eddystoneIdentifier(
                    identity.key, exponent: identity.exponent, time: time)
                return EddystoneEID(identifier: identifier, txPower: try power(-18))
            }
            let salt = try crypto.randomInteger(UInt16.self)
            let sealed = try crypto.sealEddystoneTelemetry(
                try telemetry(after: elapsed, count: count).content(), key: identity.key, exponent: identity.exponent,
                time: time, salt: salt)
            return EddystoneEncryptedTLM(encrypted: sealed.encrypted, salt: salt, check: sealed.check)
        } catch let error as CommandError {
            throw error
        } catch let error as WireError {
            throw .usage("beacon advertise \(format.rawValue): \(error.description)")
        } catch {
            throw CommandError(.internal, "beacon advertise \(format.rawValue): no cryptography (\(error))")
        }
    }

    // MARK: - Options

    private static func identity(_ invocation: Invocation) throws(CommandError) -> Identity? {
        guard let text = invocation.value("identity-key") else { return nil }
        guard let octets = try? Hex.decode(text), let key = Value128(bigEndian: octets) else {
            throw .usage("--identity-key takes 32 hexadecimal digits")
        }
        let exponent = UInt8(try invocation.integer("exponent", 0...15) ?? 9)
        let now = Int(exactly: Date().timeIntervalSince1970.rounded(.down)) ?? 0
        let clock = try invocation.integer("clock", 0...Int(UInt32.max)) ?? now
        return Identity(key: key, exponent: exponent, clock: UInt32(truncatingIfNeeded: clock))
    }

    private func uuid() throws(CommandError) -> BluetoothUUID {
        guard let text = invocation.value("uuid") else {
            throw .usage("beacon advertise \(format.rawValue) needs --uuid")
        }
        guard let uuid = BluetoothUUID(text) else { throw .usage("--uuid takes a UUID, not '\(text)'") }
        return uuid
    }

    private func number(_ name: String) throws(CommandError) -> UInt16 {
        UInt16(try invocation.integer(name, 0...65_535) ?? 0)
    }

    private func power(_ usual: Int8) throws(CommandError) -> Int8 {
        try invocation.integer("power", -128...127).map { Int8($0) } ?? usual
    }

    private func battery() throws(CommandError) -> UInt16? {
        try invocation.integer("battery", 0...65_535).map { UInt16($0) }
    }

    private func pressure() throws(CommandError) -> UInt32? {
        try invocation.integer("pressure", 50_000...115_535).map { UInt32($0) }
    }

    private func decimal(_ name: String) throws(CommandError) -> Double? {
        guard let text = invocation.value(name) else { return nil }
        guard let number = Double(text), number.isFinite else {
            throw .usage("--\(name) takes a number, not '\(text)'")
        }
        return number
    }

    private func hex(_ name: String, _ count: Int) throws(CommandError) -> [UInt8] {
        guard let text = invocation.value(name) else {
            throw .usage("beacon advertise \(format.rawValue) needs --\(name)")
        }
        guard let octets = try? Hex.decode(text), octets.count == count else {
            throw .usage("--\(name) takes \(2 * count) hexadecimal digits, not '\(text)'")
        }
        return octets
    }
}
