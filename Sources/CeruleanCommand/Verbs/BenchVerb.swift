// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

extension VerbSpecification {
    /// `bench`: how much a link carries, and how fast it answers.
    static let bench = VerbSpecification(
        name: "bench",
        summary: "measure throughput and latency of a link",
        details: """
            Measures notifications, writes without response and reads with a device that runs 'simulate bench'; the room of
            --adapter virtual has one. With --attribute any device can be measured: a characteristic that notifies by what it
            sends, another one by reading it. Latency is the time of a read, of a write to be taken, or between notifications.
            Beside it stands what the air allows at most for values of this size, by modulation and length of packets.
            """,
        positionals: [
            PositionalSpecification(
                placeholder: "TEST", help: "notify, write or read (default all three)",
                choices: BenchRun.Test.allCases.map(\.rawValue), isOptional: true, repeats: true)
        ],
        options: [
            .value("attribute", "ATTRIBUTE", "measure this characteristic of any device"),
            .value("seconds", "S", "how long each test takes (default 5)"),
            .value("size", "N", "octets of each value, 4 to 512 (default what fits best)"),
        ],
        selectsDevice: true,
        examples: ["bench --adapter virtual --seconds 2", "bench read --attribute 2A19 --name strap"],
        run: { invocation, console in
            var tests: [BenchRun.Test] = []
            for word in invocation.positionals {
                guard let test = BenchRun.Test(rawValue: word) else {
                    throw CommandError.usage("'\(word)' is no test; known are notify, write and read")
                }
                if !tests.contains(test) { tests.append(test) }
            }
            var selector = try DeviceSelector(invocation)
            let attribute = try invocation.value("attribute").map { try AttributeSelector($0) }
            if attribute == nil, selector.isAny { selector.name = SimulatedBench().name }
            let options = BenchRun.Options(
                seconds: try invocation.seconds("seconds", minimum: 0.1) ?? .seconds(5),
                size: try invocation.integer("size", 4...512), isJSON: invocation.has("json"))
            let chosen = tests
            return try await Session.run(invocation) { session in
                let discovery = try await selector.find(with: session.central, timeout: session.timeout)
                let peripheral = try await session.central.connect(to: discovery, timeout: session.timeout)
                try await peripheral.discover(timeout: max(session.timeout, .seconds(2)))
                let run = BenchRun(options: options, session: session, peripheral: peripheral, console: console)
                try await run.all(chosen, attribute)
                return .ok
            }
        })
}

/// The tests on one link.
struct BenchRun: Sendable {
    enum Test: String, CaseIterable, Sendable {
        case notify, write, read
    }

    struct Options: Sendable {
        var seconds: Duration
        var size: Int?
        var isJSON: Bool
    }

    var options: Options
    var session: Session
    var peripheral: Peripheral
    var console: Console

    private var loop: any EventLoop { peripheral.host.loop }

    /// Runs the tests that were chosen, on an attribute of any device or on the service of `simulate bench`.
    func all(_ tests: [Test], _ attribute: AttributeSelector?) async throws {
        guard let attribute else {
            guard !peripheral.services(SimulatedBench.service).isEmpty else {
                throw CommandError(
                    .notFound,
                    "\(peripheral) has no service to measure with; 'simulate bench' has, or name an --attribute")
            }
            for test in tests.isEmpty ? Test.allCases : tests {
                let uuid = test == .notify ? SimulatedBench.source : SimulatedBench.sink
                try await run(test, try peripheral.characteristic(uuid), isOurs: true)
            }
            return
        }
        guard case .characteristic(let characteristic) = try attribute.target(on: peripheral, console) else {
            throw CommandError.usage("--attribute takes a characteristic")
        }
        let isNotifying = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
        for test in tests.isEmpty ? [isNotifying ? .notify : .read] : tests {
            try await run(test, characteristic, isOurs: false)
        }
    }

    private func run(_ test: Test, _ characteristic: Characteristic, isOurs: Bool) async throws {
        let size = options.size ?? AirLimit.bestValueSize(mtu: peripheral.link?.mtu ?? 23)
        console.status("\(test.rawValue) …")
        var result =
            switch test {
            case .notify: try await notify(characteristic, size, isOurs)
            case .write: try await write(characteristic, size, isOurs)
            case .read: try await read(characteristic)
            }
        console.endStatus()
        try Task.checkCancellation()
        guard result.values > 0 else {
            throw CommandError(.timedOut, "\(test.rawValue): nothing came within \(options.seconds.secondsText) s")
        }
        result.link = peripheral.link
        if options.isJSON {
            try console.json(result.fieldValue(peripheral, time: session.clock.now))
        } else {
            for line in result.lines { try console.line(line) }
        }
    }

    private func notify(_ characteristic: Characteristic, _ size: Int, _ isOurs: Bool) async throws -> BenchResult {
        var result = BenchResult(test: .notify)
        if isOurs {
            let octets = [UInt8(truncatingIfNeeded: size), UInt8(truncatingIfNeeded: size >> 8)]
            try await peripheral.write(
                octets, to: try peripheral.characteristic(SimulatedBench.size), timeout: session.timeout)
        }
        let notifications = try await peripheral.notifications(
            of: characteristic, capacity: 1 << 16, timeout: session.timeout)
        let timer = loop.schedule(at: loop.now + options.seconds) { notifications.cancel() }
        defer { loop.cancel(timer) }
        var last: MonotonicTime?
        var expected: UInt32?
        for try await notification in notifications {
            if let last { result.note(notification.time - last, octets: notification.value.count) }
            if last == nil { result.start = notification.time }
            last = notification.time
            result.end = notification.time
            result.lost += notification.droppedBefore
            guard isOurs, notification.value.count >= 4 else { continue }
            let number = (0..<4).reduce(UInt32(0)) { $0 | UInt32(notification.value[$1]) << UInt32(8 * $1) }
            if let expected, number != expected { result.lost += Int(number &- expected) }
            expected = number &+ 1
        }
        return result
    }

    private func write(_ characteristic: Characteristic, _ size: Int, _ isOurs: Bool) async throws -> BenchResult {
        guard isOurs || characteristic.properties.contains(.writeWithoutResponse) else {
            throw CommandError(.refused, "\(characteristic.uuid) cannot be written without response")
        }
        let before = isOurs ? try await total(characteristic) : 0
        var result = BenchResult(test: .write)
        let value = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        result.start = loop.now
        let end = loop.now + options.seconds
        while loop.now < end {
            let moment = loop.now
            try await peripheral.write(value, to: characteristic, mode: .withoutResponse, timeout: session.timeout)
            result.note(loop.now - moment, octets: size)
        }
        // What was taken is not yet there: the answer to a read comes behind all of it.
        if isOurs { result.lost = result.values - Int(try await total(characteristic) &- before) }
        result.end = loop.now
        return result
    }

    /// How many values the other end has swallowed.
    private func total(_ characteristic: Characteristic) async throws -> UInt32 {
        let octets = try await peripheral.read(characteristic, timeout: max(session.timeout, .seconds(30)))
        return octets.prefix(4).enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << UInt32(8 * $1.offset) }
    }

    private func read(_ characteristic: Characteristic) async throws -> BenchResult {
        var result = BenchResult(test: .read)
        result.start = loop.now
        let end = loop.now + options.seconds
        while loop.now < end {
            let moment = loop.now
            let value = try await peripheral.read(characteristic, timeout: session.timeout)
            result.note(loop.now - moment, octets: value.count)
        }
        result.end = loop.now
        return result
    }
}

extension AirLimit {
    /// The value size that carries most with this MTU: what fills one or two packets of 251 octets, or all that fits.
    static func bestValueSize(mtu: Int) -> Int {
        let most = min(mtu - 3, 512)
        return [495, 244].first { $0 <= most } ?? max(4, most)
    }
}
