// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanTesting
import CeruleanWire

/// The whole host, in both roles, between a lying controller, lying peers, and an application that calls at random.
///
/// Nothing may trap, every call ends exactly once, and after the end nothing is left.
final class HostFuzz {
    /// Runs about `inputs` packets and calls. Returns what went wrong, nil if nothing did.
    static func run(seed: UInt64, inputs: Int) -> String? {
        var random = SeededGenerator(seed: seed)
        var left = inputs
        while left > 0 {
            let size = min(left, 400)
            if let problem = HostFuzz(seed: random.next()).session(size) { return problem }
            left -= size
        }
        return nil
    }

    /// Counts ends of calls. Used on one thread.
    private final class Ledger: @unchecked Sendable {
        var begun = 0
        var ended: [Int] = []
        var problem: String?

        func begin() -> Int {
            ended.append(0)
            begun += 1
            return begun - 1
        }

        func end(_ number: Int) {
            ended[number] += 1
            if ended[number] > 1 { problem = "call \(number) ended \(ended[number]) times" }
        }

        func completion<Value>() -> HostCompletion<Value> {
            let number = begin()
            return { _ in self.end(number) }
        }
    }

    private final class Application: HostEventSink, @unchecked Sendable {
        var tokens: [RequestToken] = []
        func receive(_ event: HostEvent) {
            if case .requests(let batch) = event, let token = batch.token { tokens.append(token) }
        }
    }

    private var random: SeededGenerator
    private let engine: StackEngine
    private let ledger = Ledger()
    private let application = Application()
    private var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var pending: [[UInt8]] = []
    private var attributes: [AttributeID] = []
    private var published: [PublishedService] = []
    private var operations: [OperationID] = []
    private var problem: String?

    private init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var configuration = StackConfiguration(name: "fuzz", seed: seed)
        configuration.maximumAdvertisers = 16
        configuration.maximumLinks = 8
        engine = StackEngine(configuration: configuration)
        engine.send = { [unowned self] in sent($0) }
    }

    // MARK: - chance

    private func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }
    private func octet() -> UInt8 {
        chance(4) ? [0, 1, 0x7F, 0xFE, 0xFF].randomElement(using: &random) ?? 0 : .random(in: 0...255, using: &random)
    }
    private func octets(_ limit: Int) -> [UInt8] {
        (0..<Int.random(in: 0...limit, using: &random)).map { _ in octet() }
    }
    private func handle() -> UInt16 {
        chance(20) ? .random(in: 0...0xFFFF, using: &random) : .random(in: 1...5, using: &random)
    }
    private func pair(_ value: UInt16) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }

    // MARK: - a session

    private func session(_ inputs: Int) -> String? {
        start()
        for _ in 0..<inputs {
            deliver()
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: feed(acl())
            case 4, 5: feed(event())
            case 6: advance()
            case 7: if chance(40) { feed(octets(40)) } else { feed(advertisement()) }
            default: call()
            }
            if engine.state == .poweredOff { start() }
            if let problem = ledger.problem { return problem }
        }
        engine.shutDown(now: now)
        if let problem = ledger.problem { return problem }
        if let forgotten = ledger.ended.firstIndex(of: 0) { return "call \(forgotten) of \(ledger.begun) never ended" }
        if !engine.linkInfos.isEmpty { return "links are left after the end" }
        if engine.nextDeadline < .distantFuture {
            engine.tick(now: .distantFuture)
            if engine.nextDeadline < .distantFuture { return "a deadline is left after the end" }
        }
        return ledger.problem
    }

    private func start() {
        pending = []
        engine.start(now: now, timeout: .seconds(5), completion: ledger.completion())
        for _ in 0..<40 where engine.state != .poweredOn { deliver() }
        if engine.state != .poweredOn { advance() }
        application.tokens = []
        published = []
        let characteristics = [
            CharacteristicDefinition(
                uuid: 0x2A37, properties: [.read, .write, .notify, .indicate], permissions: .readWrite, value: .dynamic),
            CharacteristicDefinition(
                uuid: 0x2A38, properties: [.read, .write], permissions: .readWrite, value: .stored([1, 2, 3])),
        ]
        engine.unpublish(servicesOf: application, now: now)
        let number = ledger.begin()
        // Everything runs on one thread.
        nonisolated(unsafe) let fuzz = self
        engine.publish(
            [ServiceDefinition(uuid: 0x180D, characteristics: characteristics)], for: application, now: now
        ) { result in
            fuzz.ledger.end(number)
            fuzz.published = (try? result.get()) ?? []
        }
    }

    private func advance() {
        now = now + .milliseconds(Int64.random(in: 0...(chance(10) ? 40_000 : 300), using: &random))
        engine.tick(now: now)
    }

    /// Hands the engine what the controller answers, now and then cut in two.
    private func deliver() {
        while !pending.isEmpty {
            let packet = pending.removeFirst()
            if packet.count > 1, chance(4) {
                let cut = Int.random(in: 1..<packet.count, using: &random)
                feed(Array(packet[..<cut]))
                feed(Array(packet[cut...]))
            } else {
                feed(packet)
            }
        }
    }

    private func feed(_ bytes: [UInt8]) { engine.receive(bytes.span.bytes, now: now) }

    // MARK: - the controller

    private func sent(_ packets: RawSpan) {
        let bytes = packets.array
        guard bytes.count > 3 else { return }
        if bytes[0] == 2 {
            if chance(12) { return }
            pending.append([4, 0x13, 5, 1, bytes[1], bytes[2] & 0x0F] + pair(chance(10) ? octetPair() : 1))
            return
        }
        if chance(150) { return }
        let opcode = UInt16(bytes[1]) | UInt16(bytes[2]) << 8
        let status = chance(12) ? octet() : 0
        switch opcode {
        case 0x0406:
            pending.append([4, 0x0F, 4, status, 1, bytes[1], bytes[2]])
            if status == 0, !chance(6) { pending.append([4, 0x05, 4, 0, bytes[4], bytes[5], 0x16]) }
        case 0x200D:
            pending.append([4, 0x0F, 4, status, 1, bytes[1], bytes[2]])
            if status == 0, !chance(3) {
                pending.append(
                    connectionComplete(role: 0, peer: Array(bytes[10..<16]), status: chance(6) ? octet() : 0))
            }
        case 0x200E:
            pending.append([4, 0x0E, 4, 1, bytes[1], bytes[2], status])
            if chance(2) {
                pending.append(connectionComplete(role: 0, peer: [1, 0, 0, 0, 0, 0xC0], status: chance(3) ? 0 : 2))
            }
        case 0x2013: pending.append([4, 0x0F, 4, status, 1, bytes[1], bytes[2]])
        default:
            var parameters: [UInt8] =
                switch opcode {
                case 0x2002: [27, 0, 6]
                case 0x1009: [1, 2, 3, 4, 5, 6]
                case 0x1002: [UInt8](repeating: 0xFF, count: 64)
                default: [UInt8](repeating: 0, count: 8)
                }
            if chance(80) { parameters = Array(parameters.prefix(Int.random(in: 0...3, using: &random))) }
            if status != 0 { parameters = [] }
            pending.append([4, 0x0E, UInt8(4 + parameters.count), 1, bytes[1], bytes[2], status] + parameters)
        }
    }

    private func octetPair() -> UInt16 { UInt16(octet()) | UInt16(octet()) << 8 }

    private func connectionComplete(role: UInt8, peer: [UInt8], status: UInt8) -> [UInt8] {
        [4, 0x3E, 19, 1, status] + pair(handle()) + [role, chance(10) ? octet() : 1] + peer + pair(24) + pair(0)
            + pair(500) + [0]
    }

    private func event() -> [UInt8] {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return connectionComplete(role: 1, peer: octets(0) + [octet(), 0, 0, 0, 0, 0xC0], status: 0)
        case 1: return [4, 0x05, 4, 0] + pair(handle()) + [octet()]
        case 2: return [4, 0x3E, 10, 3, chance(3) ? octet() : 0] + pair(handle()) + pair(24) + pair(0) + pair(400)
        case 3: return [4, 0x13, 5, octet()] + pair(handle()) + pair(octetPair())
        case 4: return chance(30) ? [4, 0x10, 1, octet()] : [4, 0x0E, 3, octet(), octet(), octet()]
        default:
            let code: UInt8 =
                [0x05, 0x08, 0x0E, 0x0F, 0x13, 0x30, 0x3E, 0x3E, 0x57, 0x59, octet()].randomElement(using: &random) ?? 0
            let parameters = code == 0x3E ? [UInt8.random(in: 0...0x20, using: &random)] + octets(40) : octets(30)
            return [4, code, UInt8(parameters.count)] + parameters
        }
    }

    private func advertisement() -> [UInt8] {
        let data = octets(31)
        let body =
            [2, 1, UInt8.random(in: 0...5, using: &random), 1, octet(), 0, 0, 0, 0, 0xC0, UInt8(data.count)] + data + [
                octet()
            ]
        let length = chance(10) ? octet() : UInt8(body.count)
        return length == body.count
            ? [4, 0x3E, length] + body
            : [4, 0x3E, length] + body + octets(255).prefix(max(0, Int(length) - body.count))
    }

    // MARK: - peers

    private func acl() -> [UInt8] {
        let channel: UInt16 = [4, 4, 4, 4, 5, 6, octetPair()].randomElement(using: &random) ?? 4
        var payload: [UInt8]
        switch channel {
        case 4: payload = att()
        case 5:
            payload =
                [.random(in: 0...0x1B, using: &random), octet(), UInt8.random(in: 0...12, using: &random), 0]
                + octets(12)
        default: payload = octets(70)
        }
        let length = chance(20) ? octetPair() : UInt16(payload.count)
        payload = pair(length) + pair(channel) + payload
        var out: [UInt8] = []
        var boundary: UInt16 = chance(30) ? octetPair() & 3 : 2
        let part = chance(3) ? Int.random(in: 1...20, using: &random) : 251
        let number = handle() & 0x0FFF
        var position = 0
        while position < payload.count {
            let count = min(part, payload.count - position)
            if !chance(60) {
                out += [2] + pair(number | boundary << 12) + pair(UInt16(count)) + payload[position..<position + count]
            }
            position += count
            boundary = 1
        }
        return out
    }

    private func att() -> [UInt8] {
        let opcodes: [UInt8] = [
            0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12,
            0x13,
            0x16, 0x17, 0x18, 0x19, 0x1B, 0x1D, 0x1E, 0x20, 0x21, 0x23, 0x52, 0xD2,
        ]
        let opcode = opcodes.randomElement(using: &random) ?? octet()
        let low = UInt16.random(in: 0...24, using: &random)
        switch opcode {
        case 0x02, 0x03: return [opcode] + pair(chance(2) ? 185 : octetPair())
        case 0x04, 0x06, 0x08, 0x10:
            return [opcode] + pair(low) + pair(chance(2) ? 0xFFFF : low + 5) + (chance(2) ? [0x03, 0x28] : octets(18))
        case 0x09, 0x11: return [opcode, UInt8.random(in: 0...22, using: &random)] + octets(60)
        case 0x01: return [opcode, opcodes.randomElement(using: &random) ?? 0, octet(), 0, octet()]
        case 0x18: return [opcode, octet() & 3]
        default: return [opcode] + pair(low) + octets(chance(20) ? 600 : 30)
        }
    }

    // MARK: - the application

    private func attribute(_ link: LinkInfo) -> AttributeID {
        if let known = attributes.randomElement(using: &random), !chance(4) { return known }
        let handle = UInt16.random(in: 0...20, using: &random)
        return AttributeID(rawValue: link.id.rawValue << 16 | 1, handle: chance(20) ? nil : handle)
    }

    private func call() {
        let timeout = Duration.milliseconds(Int64.random(in: 0...20_000, using: &random))
        guard let link = engine.linkInfos.randomElement(using: &random), !chance(3) else {
            return callWithoutLink(timeout)
        }
        let id = link.id
        switch Int.random(in: 0..<14, using: &random) {
        case 0:
            keep(
                engine.discoverServices(
                    chance(2) ? nil : [0x180D, 0x1801], on: id, timeout: timeout, now: now,
                    completion: found { $0.map(\.id) }))
        case 1:
            keep(
                engine.discoverCharacteristics(
                    of: attribute(link), on: id, timeout: timeout, now: now, completion: found { $0.map(\.id) }))
        case 2:
            keep(
                engine.discoverDescriptors(
                    of: attribute(link), on: id, timeout: timeout, now: now, completion: found { $0.map(\.id) }))
        case 3:
            keep(
                engine.discoverIncludedServices(
                    of: attribute(link), on: id, timeout: timeout, now: now, completion: found { $0.map(\.id) }))
        case 4, 5:
            keep(engine.read(attribute(link), on: id, timeout: timeout, now: now, completion: ledger.completion()))
        case 6:
            keep(
                engine.write(
                    octets(600), to: attribute(link), mode: .withResponse, on: id, timeout: timeout, now: now,
                    completion: ledger.completion()))
        case 7:
            keep(
                engine.write(
                    octets(40), to: attribute(link), mode: .withoutResponse, on: id, timeout: timeout, now: now,
                    completion: ledger.completion()))
        case 8:
            keep(
                engine.writeReliably(
                    [(attribute(link), octets(60)), (attribute(link), octets(9))], on: id, timeout: timeout, now: now,
                    completion: ledger.completion()))
        case 9:
            keep(
                engine.subscribe(
                    to: attribute(link),
                    mode: [.off, .notifications, .indications].randomElement(using: &random) ?? .off, on: id,
                    timeout: timeout, now: now, completion: ledger.completion()))
        case 10: keep(engine.readRSSI(id, timeout: timeout, now: now, completion: ledger.completion()))
        case 11:
            keep(
                engine.requestParameters(
                    ConnectionParameterRequest(latency: chance(4) ? 900 : 0), on: id, timeout: timeout, now: now,
                    completion: ledger.completion()))
        case 12:
            if let value = published.first?.characteristics.randomElement(using: &random)?.id {
                _ = engine.update(octets(40), of: value, for: chance(2) ? .allSubscribers : .link(id), now: now)
            }
        default: if chance(4) { engine.disconnect(id, force: chance(2), now: now, completion: ledger.completion()) }
        }
    }

    private func callWithoutLink(_ timeout: Duration) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            engine.startScan(
                ScanParameters(services: chance(2) ? [] : [0x180D], reportsDuplicates: chance(2)), now: now,
                completion: ledger.completion())
        case 1: engine.stopScan(ScanID(rawValue: octet()), now: now)
        case 2:
            engine.startAdvertising(
                AdvertisingParameters(
                    content: chance(2)
                        ? .fields(name: "fuzz", services: [0x180D]) : .raw(data: octets(34), scanResponse: octets(34)),
                    isConnectable: chance(2)), now: now, completion: ledger.completion())
        case 3: engine.stopAdvertising(AdvertisementID(rawValue: .random(in: 0...20, using: &random)), now: now)
        case 4, 5:
            let address = DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000000 | UInt64(octet())), .random)
            keep(
                engine.connect(
                    PeerID(address), options: ConnectOptions(exchangesMTU: chance(2)), timeout: timeout, now: now,
                    completion: ledger.completion()))
        case 6: if let operation = operations.randomElement(using: &random) { engine.cancel(operation, now: now) }
        default:
            guard let token = application.tokens.popLast() else { return }
            engine.respond(
                to: token, with: chance(3) ? .failure(code: octet(), index: Int(octet())) : .success(value: octets(60)),
                now: now)
        }
    }

    private func keep(_ operation: OperationID) {
        operations.append(operation)
        if operations.count > 20 { operations.removeFirst() }
    }

    private func found<Value: Sendable>(_ ids: @escaping @Sendable (Value) -> [AttributeID]) -> HostCompletion<Value> {
        let number = ledger.begin()
        // Everything runs on one thread.
        nonisolated(unsafe) let fuzz = self
        return { result in
            fuzz.ledger.end(number)
            if let value = try? result.get() {
                fuzz.attributes += ids(value)
                if fuzz.attributes.count > 40 { fuzz.attributes.removeFirst(fuzz.attributes.count - 40) }
            }
        }
    }
}
