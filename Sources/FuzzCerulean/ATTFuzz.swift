// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanTesting
import CeruleanWire

/// A client and a server talk over a wire that changes, drops, repeats and makes up PDUs.
///
/// Every operation must end exactly once, nothing longer than the MTU may be sent, and nothing may trap.
final class ATTFuzz {
    /// Runs until about `inputs` PDUs were delivered. The same seed gives the same run.
    ///
    /// - Returns: what went wrong, or nil.
    static func run(seed: UInt64, inputs: Int) -> String? {
        let fuzz = ATTFuzz(seed: seed)
        while fuzz.delivered < inputs {
            if let failure = fuzz.session() { return "seed \(seed), after \(fuzz.delivered) PDUs: \(failure)" }
        }
        return nil
    }

    /// One end of the wire.
    private final class End: ATTBearerOutput {
        var sent: [[UInt8]] = []
        var canSend = true
        func bearer(_ bearer: ATTBearer, send pdu: RawSpan) { sent.append(pdu.array) }
        func bearerCanSend(_ bearer: ATTBearer) -> Bool { canSend }
        func bearer(_ bearer: ATTBearer, received value: RawSpan, of handle: UInt16, isIndication: Bool) {}
        func bearer(_ bearer: ATTBearer, changedMTU mtu: Int) {}
        func bearerReadyToWrite(_ bearer: ATTBearer) {}
        func bearer(_ bearer: ATTBearer, failed error: HostError) {}
    }

    /// Answers most requests for dynamic values, some at once, some with errors, some never.
    private final class Application: GATTServerDelegate {
        var count: UInt64 = 0
        func server(
            _ server: GATTServer, requests: [AttributeRequest], token: RequestToken?, owner: Int, from bearer: ATTBearer
        ) {
            count += 1
            guard let token, count % 5 != 0 else { return }
            let length = Int(count % 600)
            server.respond(
                to: token,
                with: count % 7 == 0
                    ? .failure(code: UInt8(truncatingIfNeeded: count), index: Int(count % 9) - 1)
                    : .success(value: Array(repeating: 1, count: length)), now: .zero)
        }
        func server(
            _ server: GATTServer, wrote value: [UInt8], to attribute: AttributeID, owner: Int, from bearer: ATTBearer
        ) {}
        func server(
            _ server: GATTServer, subscription mode: SubscriptionMode, of attribute: AttributeID, owner: Int,
            from bearer: ATTBearer
        ) {}
        func server(_ server: GATTServer, readyToUpdate bearer: ATTBearer) {}
    }

    private var random: SeededGenerator
    private var delivered = 0

    private init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }

    private func session() -> String? {
        let server = GATTServer()
        let application = Application()
        server.delegate = application
        var ids: [AttributeID] = []
        for index in 0..<Int.random(in: 1...6, using: &random) {
            guard let added = try? server.add([definition()], owner: index % 2, now: .zero) else { continue }
            ids += added.flatMap(\.characteristics).map(\.id)
        }
        let ends = [End(), End()]
        let mtu = [23, 64, 517].randomElement(using: &random) ?? 23
        let bearers = ends.enumerated().map { index, end in
            ATTBearer(
                localMTU: mtu, server: chance(8) ? nil : server,
                peer: ATTPeer(link: LinkID(rawValue: UInt64(index)), peer: PeerID(BluetoothUUID())), output: end)
        }
        var now = MonotonicTime.zero
        var started = 0
        var ended = 0
        for _ in 0..<200 {
            if chance(2) || bearers[0].isIdle {
                started += 1
                start(on: bearers[chance(4) ? 1 : 0], now: now) { ended += 1 }
            }
            if chance(3), let id = ids.randomElement(using: &random) {
                _ = server.update([UInt8](repeating: 3, count: 30), of: id, for: .allSubscribers, now: now)
            }
            for index in 0..<2 {
                ends[index].canSend = !chance(6)
                if ends[index].canSend { bearers[index].readyToSend(now: now) }
                let batch = ends[index].sent
                ends[index].sent = []
                if let long = batch.first(where: { $0.count > bearers[index].mtu }) {
                    return "sent \(long.count) octets at an MTU of \(bearers[index].mtu)"
                }
                for pdu in batch { deliver(pdu, to: bearers[1 - index], now: now) }
                if chance(8) { deliver(invented(), to: bearers[index], now: now) }
            }
            if chance(40) {
                now = now + .seconds(chance(3) ? 30 : 25)
                for bearer in bearers { bearer.tick(now: now) }
            }
            if chance(100), let first = server.services.first, let id = server.id(of: first.start) {
                server.remove(id, now: now)
                _ = try? server.add([definition()], owner: 1, now: now)
            }
        }
        for bearer in bearers { bearer.close(HostError(.disconnected)) }
        return ended == started ? nil : "\(started) operations started, \(ended) ends"
    }

    private func deliver(_ pdu: [UInt8], to bearer: ATTBearer, now: MonotonicTime) {
        var copies = 1
        var pdu = pdu
        if chance(5) {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: copies = 0
            case 1: copies = 2
            case 2: pdu = Array(pdu.prefix(Int.random(in: 0...pdu.count, using: &random)))
            case 3:
                pdu += (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
                }
            default:
                guard let position = pdu.indices.randomElement(using: &random) else { break }
                pdu[position] = chance(2) ? UInt8.random(in: 0...255, using: &random) : pdu[position] &+ 1
            }
        }
        for _ in 0..<copies {
            delivered += 1
            bearer.receive(pdu.span.bytes, now: now)
        }
    }

    private func invented() -> [UInt8] {
        let opcode = UInt8.random(in: 0...0x24, using: &random)
        return [chance(10) ? UInt8.random(in: 0...255, using: &random) : opcode]
            + (0..<Int.random(in: 0...30, using: &random)).map { _ in
                chance(2) ? UInt8.random(in: 0...20, using: &random) : UInt8.random(in: 0...255, using: &random)
            }
    }

    private func definition() -> ServiceDefinition {
        let characteristics = (0..<Int.random(in: 0...5, using: &random)).map { index in
            CharacteristicDefinition(
                uuid: chance(3) ? "12345678-1234-5678-1234-56789ABCDEF1" : BluetoothUUID(UInt16(0x2A00 + index)),
                properties: CharacteristicProperties(rawValue: UInt16.random(in: 0...0x3FF, using: &random)),
                permissions: chance(4) ? .init(read: .encrypted, write: .authenticated) : .readWrite,
                value: chance(3)
                    ? .dynamic : .stored(Array(repeating: 7, count: Int.random(in: 0...512, using: &random))),
                descriptors: chance(3) ? [.init(uuid: 0x2901, permissions: .readable, value: .stored([65]))] : [])
        }
        return ServiceDefinition(
            uuid: chance(3) ? "12345678-1234-5678-1234-56789ABCDEF0" : 0x180F, isPrimary: !chance(4),
            characteristics: characteristics)
    }

    private func start(on bearer: ATTBearer, now: MonotonicTime, _ ended: @escaping () -> Void) {
        let start = UInt16.random(in: 0...40, using: &random)
        let end = chance(2) ? UInt16.max : UInt16.random(in: 0...60, using: &random)
        let value = Array(repeating: UInt8(5), count: Int.random(in: 0...520, using: &random))
        let operation: ATTOperationID
        switch Int.random(in: 0..<15, using: &random) {
        case 0: operation = bearer.discoverPrimaryServices(start: start, end: end, now: now) { _ in ended() }
        case 1:
            operation = bearer.discoverPrimaryServices(of: 0x180F, start: start, end: end, now: now) { _ in ended() }
        case 2: operation = bearer.findIncludedServices(start: start, end: end, now: now) { _ in ended() }
        case 3: operation = bearer.discoverCharacteristics(start: start, end: end, now: now) { _ in ended() }
        case 4: operation = bearer.discoverDescriptors(start: start, end: end, now: now) { _ in ended() }
        case 5: operation = bearer.discoverDatabase(now: now) { _ in ended() }
        case 6: operation = bearer.read(start, offset: chance(2) ? 0 : end, now: now) { _ in ended() }
        case 7: operation = bearer.readByType(0x2A00, start: start, end: end, now: now) { _ in ended() }
        case 8: operation = bearer.readMultiple([start, end], now: now) { _ in ended() }
        case 9: operation = bearer.readMultipleVariable([start, 3, end], now: now) { _ in ended() }
        case 10: operation = bearer.write(value, to: start, now: now) { _ in ended() }
        case 11: operation = bearer.writeReliably([(start, value), (end, [1])], now: now) { _ in ended() }
        case 12: operation = bearer.subscribe(to: start, end: end, mode: .notifications, now: now) { _ in ended() }
        case 13:
            bearer.writeCommand(value, to: start, now: now) { _ in ended() }
            return
        default: operation = bearer.exchangeMTU(now: now) { _ in ended() }
        }
        if chance(10) { bearer.cancel(operation) }
    }
}
