// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// The workloads on the engine itself.
enum Workloads {
    /// Notifications of `size` octets, in ACL packets of at most `part` octets.
    static func notify(_ operations: Int, connections: Int, size: Int, part: Int) -> Measurement {
        let bench = Bench()
        bench.connect(connections)
        let engine = bench.engine
        let checker = Checker(size: size)
        engine.onValue = { _, _, value, _ in checker.check(value) }
        let pdu = [0x1B, 3, 0] + [UInt8](repeating: Checker.filling, count: size)
        let packets = (1...connections).map { Remote.packets(pdu, handle: UInt16($0), part: part) }
        let buffer = PacketBuffer(packets)
        let now = bench.now
        // Behind the packet's, ACL's and frame's headers, opcode and handle.
        let offset = 5 + 4 + 3
        let nanoseconds = measure {
            var index = 0
            for number in 0..<operations {
                buffer.store(UInt64(number), in: index, at: offset)
                buffer.with(index) { engine.receive($0, now: now) }
                index += 1
                if index == connections { index = 0 }
            }
        }
        return Measurement(nanoseconds: nanoseconds, isRight: checker.isRight(operations))
    }

    /// Reads by us: request out, completed packets and response in, result delivered.
    static func read(_ operations: Int, connections: Int, size: Int) -> Measurement {
        let bench = Bench()
        bench.connect(connections)
        let attributes = bench.characteristics()
        let links = bench.links.map(\.id)
        let engine = bench.engine
        let result = ReadResult(size: size)
        bench.remote.readValue = [UInt8](repeating: Checker.filling, count: size)
        let now = bench.now
        let nanoseconds = measure {
            var index = 0
            for number in 0..<operations {
                bench.remote.number(UInt64(number))
                _ = engine.read(attributes[index], on: links[index], timeout: .seconds(30), now: now) {
                    result.take($0)
                }
                bench.exchange()
                index += 1
                if index == connections { index = 0 }
            }
        }
        return Measurement(nanoseconds: nanoseconds, isRight: result.checker.isRight(operations))
    }

    /// Reads by peers: request in, the application's callback, response out.
    static func serverRead(_ operations: Int, connections: Int, size: Int) -> Measurement {
        let bench = Bench()
        let engine = bench.engine
        let application = Application(engine: engine, size: size)
        application.publish(now: bench.now)
        bench.accept(connections)
        // The peers ask for a longer MTU first.
        for handle in 1...connections {
            let packet = Remote.packets([0x02, 0x05, 0x02], handle: UInt16(handle), part: 251)
            engine.receive(packet.span.bytes, now: bench.now)
            bench.exchange()
        }
        var answers = 0
        var wrong = 0
        bench.remote.onResponse = { pdu in
            answers += 1
            guard pdu[0] == 0x0B, pdu.byteCount == size + 1 else {
                wrong += 1
                return
            }
            let number = unsafe pdu.unsafeLoadUnaligned(fromUncheckedByteOffset: 1, as: UInt64.self)
            if number != UInt64(answers - 1) { wrong += 1 }
        }
        let request = [0x0A, UInt8(application.handle & 255), UInt8(application.handle >> 8)]
        let buffer = PacketBuffer((1...connections).map { Remote.packets(request, handle: UInt16($0), part: 251) })
        let now = bench.now
        let nanoseconds = measure {
            var index = 0
            for _ in 0..<operations {
                buffer.with(index) { engine.receive($0, now: now) }
                bench.exchange()
                index += 1
                if index == connections { index = 0 }
            }
        }
        return Measurement(nanoseconds: nanoseconds, isRight: answers == operations && wrong == 0)
    }

    /// Advertising reports of 31 octets of as many advertisers as there are connections, of the legacy or the extended kind.
    static func advertisements(_ operations: Int, advertisers: Int, isExtended: Bool) -> Measurement {
        let bench = Bench()
        let engine = bench.engine
        engine.startScan(ScanParameters(reportsDuplicates: true), now: bench.now) { _ in }
        bench.exchange()
        let data: [UInt8] = [2, 1, 6, 27, 0xFF] + [UInt8](repeating: Checker.filling, count: 26)
        let packets = (0..<advertisers).map { number -> [UInt8] in
            let address = (0..<6).map { UInt8(truncatingIfNeeded: UInt64(number) >> (8 * UInt64($0))) }
            let peer = address.dropLast() + [0xC0]
            guard isExtended else { return [4, 0x3E, 43, 0x02, 1, 0, 1] + peer + [31] + data + [0xC8] }
            // Connectable, 1M on the primary and 2M on the secondary channel, set 1, 7 dBm, no periodic advertising.
            let traits: [UInt8] = [1, 2, 1, 7, 0xC8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 31]
            return [4, 0x3E, 57, 0x0D, 1, 1, 0, 1] + peer + traits + data
        }
        let buffer = PacketBuffer(packets)
        var count = 0
        var wrong = 0
        var expected: UInt64 = 0xC0_0000_000000
        let first = expected
        let last = first + UInt64(advertisers)
        engine.onEvent = { event in
            guard case .advertisement(let advertisement, _) = event else { return }
            count += 1
            if advertisement.address?.address.rawValue != expected || advertisement.raw != data
                || advertisement.rssi != -56
            {
                wrong += 1
            }
            expected += 1
            if expected == last { expected = first }
        }
        let now = bench.now
        // The table fills before the clock starts: the steady state is what is measured.
        for index in 0..<advertisers { buffer.with(index) { engine.receive($0, now: now) } }
        count = 0
        let nanoseconds = measure {
            var index = 0
            for _ in 0..<operations {
                buffer.with(index) { engine.receive($0, now: now) }
                index += 1
                if index == advertisers { index = 0 }
            }
        }
        return Measurement(nanoseconds: nanoseconds, isRight: count == operations && wrong == 0)
    }
}

/// Takes the results of reads. Used on the one thread of the bench.
private final class ReadResult: @unchecked Sendable {
    let checker: Checker
    init(size: Int) { checker = Checker(size: size) }
    func take(_ result: Result<[UInt8], HostError>) {
        guard case .success(let value) = result else {
            checker.wrong += 1
            return
        }
        checker.check(value.span.bytes)
    }
}

/// The application behind our database. Used on the one thread of the bench.
private final class Application: HostEventSink, @unchecked Sendable {
    private let engine: StackEngine
    private var value: [UInt8]
    private var number: UInt64 = 0
    private(set) var handle: UInt16 = 0

    init(engine: StackEngine, size: Int) {
        self.engine = engine
        value = [UInt8](repeating: Checker.filling, count: size)
    }

    func publish(now: MonotonicTime) {
        let characteristic = CharacteristicDefinition(
            uuid: 0x2A37, properties: .read, permissions: .readable, value: .dynamic)
        engine.publish(
            [ServiceDefinition(uuid: 0x180D, characteristics: [characteristic])], for: self, now: now
        ) { result in self.handle = (try? result.get())?[0].characteristics[0].id.handle ?? 0 }
    }

    func receive(_ event: HostEvent) {
        guard case .requests(let batch) = event, let token = batch.token else { return }
        value.withUnsafeMutableBytes { unsafe $0.storeBytes(of: number, as: UInt64.self) }
        number += 1
        engine.respond(to: token, with: .success(value: value), now: MonotonicTime(nanoseconds: 1_000_000_000))
    }
}
