// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire

/// The whole host in both roles, and the virtual controller.
enum EngineTargets {
    static let all: [FuzzTarget] = [
        host, exchange("gatt-server", damagesRequests: true), exchange("gatt-client", damagesRequests: false),
        controller,
    ]

    private static let peer: [UInt8] = [1, 0, 0, 0, 0, 0xC0]

    private static let services = [
        ServiceDefinition(
            uuid: 0x180D,
            characteristics: [
                CharacteristicDefinition(uuid: 0x2A37, properties: [.read, .notify], permissions: .readable),
                CharacteristicDefinition(
                    uuid: 0x2A38, properties: [.read, .write, .writeWithoutResponse, .indicate],
                    permissions: .readWrite, value: .stored([UInt8](repeating: 7, count: 300))),
                CharacteristicDefinition(
                    uuid: 0x2A39, properties: [.read, .write], permissions: .readWrite, value: .dynamic,
                    descriptors: [
                        DescriptorDefinition(uuid: 0x2901, permissions: .readWrite, value: .stored([65, 66]))
                    ]),
            ]),
        ServiceDefinition(
            uuid: "C566488A-0882-4E1B-A6D0-0B717E652234",
            characteristics: [
                CharacteristicDefinition(
                    uuid: "C566488A-0882-4E1B-A6D0-0B717E652235", properties: [.read, .notify], permissions: .readable,
                    value: .stored([1]))
            ]),
    ]

    // MARK: A controller that lies

    private static let host = FuzzTarget("host", weight: 40) { context, count in
        let samples: [[UInt8]] = [
            [4, 0x3E, 15, 2, 1, 0, 1, 2, 3, 4, 5, 6, 0xC6, 3, 2, 1, 6, 0xC8],
            [4, 0x3E, 12, 2, 1, 4, 1, 2, 3, 4, 5, 6, 0xC6, 0, 0xC8], [4, 0x13, 5, 1, 1, 0, 1, 0],
            [4, 0x3E, 19, 1, 0, 2, 0, 0, 1, 2, 0, 0, 0, 0, 0xC0, 24, 0, 0, 0, 0xF4, 1, 0],
            [4, 0x05, 4, 0, 1, 0, 0x13], [4, 0x3E, 10, 3, 0, 1, 0, 24, 0, 0, 0, 0xF4, 1], [4, 0x08, 4, 0, 1, 0, 1],
            [4, 0x0E, 4, 1, 3, 0x0C, 0], [4, 0x0F, 4, 0, 1, 0x0D, 0x20], [4, 0x10, 1, 5], [4, 0x1A, 1, 1],
            [2, 1, 0x20, 9, 0, 5, 0, 4, 0, 0x1B, 3, 0, 1, 2], [2, 1, 0x20, 7, 0, 3, 0, 4, 0, 0x02, 0x05, 0x02],
            [2, 1, 0x20, 16, 0, 12, 0, 5, 0, 0x12, 1, 8, 0, 6, 0, 12, 0, 0, 0, 0xC8, 0],
            [2, 1, 0x10, 4, 0, 1, 2, 3, 4], [2, 1, 0x20, 11, 0, 7, 0, 6, 0, 1, 3, 0, 1, 16, 7, 7],
            [2, 1, 0x20, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0], [2, 1, 0x20, 4, 0, 0xFF, 0xFF, 4, 0],
            // Credit based channels: one opens, three open, a segment, credits, another length, an end, our request answered.
            [2, 1, 0x20, 18, 0, 14, 0, 5, 0, 0x14, 1, 10, 0, 0x80, 0, 0x40, 0, 100, 0, 50, 0, 10, 0],
            [2, 1, 0x20, 22, 0, 18, 0, 5, 0, 0x17, 2, 14, 0, 0x80, 0, 100, 0, 64, 0, 9, 0, 0x50, 0, 0x51, 0, 0x52, 0],
            [2, 1, 0x20, 9, 0, 5, 0, 0x40, 0, 3, 0, 1, 2, 3],
            [2, 1, 0x20, 12, 0, 8, 0, 5, 0, 0x16, 3, 4, 0, 0x40, 0, 9, 0],
            [2, 1, 0x20, 14, 0, 10, 0, 5, 0, 0x19, 4, 6, 0, 200, 0, 80, 0, 0x50, 0],
            [2, 1, 0x20, 12, 0, 8, 0, 5, 0, 0x06, 5, 4, 0, 0x40, 0, 0x40, 0],
            [2, 1, 0x20, 18, 0, 14, 0, 5, 0, 0x15, 1, 10, 0, 0x60, 0, 100, 0, 50, 0, 10, 0, 0, 0],
        ]
        var number = 0
        while number < count {
            let side = FuzzSide(seed: context.seed &+ UInt64(number))
            let ends = Ends()
            side.start()
            side.publish(services)
            side.engine.startScan(ScanParameters(reportsDuplicates: true), now: side.now, completion: ends.once())
            side.engine.listen(to: 0x80, options: ChannelOptions(), for: side, now: side.now, completion: ends.once())
            side.deliver()
            side.opened(role: 1, peer: peer)
            side.deliver()
            for _ in 0..<min(200, count - number) {
                context.next(number)
                number += 1
                side.engine.receive(context.mutator.input(like: samples).span.bytes, now: side.now)
                side.toPeer = []
                side.deliver()
                if context.mutator.chance(5), let link = side.engine.linkInfos.first {
                    _ = side.engine.discoverServices(
                        nil, on: link.id, timeout: .seconds(20), now: side.now, completion: ends.once())
                }
                if context.mutator.chance(5), let link = side.engine.linkInfos.first {
                    _ = side.engine.openChannels(
                        1, to: 0x80, on: link.id, options: ChannelOptions(), for: side, timeout: .seconds(5),
                        now: side.now, completion: ends.once())
                }
                if context.mutator.chance(5) { side.tick(side.now + .milliseconds(context.mutator.number(1...3000))) }
                if side.isBroken { break }
            }
            side.end()
            context.expect(ends.twice == 0, "\(ends.twice) operations ended twice")
            context.expect(ends.ended == ends.begun, "\(ends.begun - ends.ended) operations never ended")
        }
    }

    // MARK: A peer that lies

    /// Two hosts exchange everything that GATT has; what one of them says is damaged on the way.
    private static func exchange(_ name: String, damagesRequests: Bool) -> FuzzTarget {
        FuzzTarget(name, weight: 40) { context, count in
            var number = 0
            while number < count {
                let exchange = Exchange(seed: context.seed &+ UInt64(number), damagesRequests: damagesRequests)
                number = exchange.run(&context, from: number, to: count)
            }
        }
    }

    private final class Exchange {
        let client: FuzzSide
        let server: FuzzSide
        let ends = Ends()
        let damagesRequests: Bool
        private var now = MonotonicTime(nanoseconds: 1_000_000_000)
        private var services: [AttributeID] = []
        private var characteristics: [AttributeID] = []
        private var number = 0
        private var count = 0

        init(seed: UInt64, damagesRequests: Bool) {
            self.damagesRequests = damagesRequests
            client = FuzzSide(seed: seed)
            server = FuzzSide(seed: seed &+ 1)
        }

        /// One life of the two hosts: up to 40 operations. Returns the number of the next input.
        func run(_ context: inout FuzzTarget.Context, from first: Int, to count: Int) -> Int {
            (number, self.count) = (first, count)
            for side in [client, server] { side.start() }
            server.publish(EngineTargets.services)
            open()
            pump(&context, damage: false)
            discover(&context)
            for _ in 0..<40 where number < count && !client.isBroken && !server.isBroken {
                if client.engine.linkInfos.isEmpty || server.engine.linkInfos.isEmpty {
                    close()
                    open()
                    pump(&context, damage: false)
                    discover(&context)
                }
                operate(&context)
                pump(&context, damage: true)
                if context.mutator.chance(20) { pass(.seconds(31), &context) }
            }
            // Every transaction has its 30 seconds, and there may be several in line.
            for _ in 0..<8 { pass(.seconds(31), &context) }
            client.end()
            server.end()
            context.expect(ends.twice == 0, "\(ends.twice) operations ended twice")
            context.expect(ends.ended == ends.begun, "\(ends.begun - ends.ended) operations never ended")
            // A life without a packet to damage counts too, so that the run ends.
            return max(number, first + 1)
        }

        private func open() {
            _ = client.engine.connect(
                PeerID(DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000001), .random)), options: ConnectOptions(),
                timeout: .seconds(5), now: now, completion: ends.once())
            client.deliver()
            guard client.wantsLink else { return }
            client.wantsLink = false
            client.opened(role: 0, peer: EngineTargets.peer)
            server.opened(role: 1, peer: [2, 0, 0, 0, 0, 0xC0])
        }

        private func close() {
            for side in [client, server] {
                side.wantsEnd = false
                side.toPeer = []
                side.event(0x05, [0, 1, 0, 0x13])
                side.deliver()
            }
        }

        private func pass(_ duration: Duration, _ context: inout FuzzTarget.Context) {
            now = now + duration
            client.tick(now)
            server.tick(now)
            pump(&context, damage: true)
        }

        /// Carries packets to and fro until nothing comes any more.
        private func pump(_ context: inout FuzzTarget.Context, damage: Bool) {
            for _ in 0..<2000 {
                client.deliver()
                server.deliver()
                if client.wantsEnd || server.wantsEnd { close() }
                guard !client.toPeer.isEmpty || !server.toPeer.isEmpty else { return }
                carry(from: client, to: server, damage: damage && damagesRequests, &context)
                carry(from: server, to: client, damage: damage && !damagesRequests, &context)
            }
            context.expect(false, "the two never come to rest")
        }

        private func carry(from: FuzzSide, to: FuzzSide, damage: Bool, _ context: inout FuzzTarget.Context) {
            let packets = from.toPeer
            from.toPeer = []
            for packet in packets {
                var packet = packet
                if damage, number < count {
                    context.next(number)
                    number += 1
                    if context.mutator.chance(70) { damageData(of: &packet, &context) }
                    if context.mutator.chance(5) { to.toHost.append(packet) }
                    if context.mutator.chance(3) { continue }
                }
                to.toHost.append(packet)
            }
        }

        /// Damages the PDU, mostly with headers that fit: what fits nothing ends early.
        private func damageData(of packet: inout [UInt8], _ context: inout FuzzTarget.Context) {
            guard packet.count > 9, context.mutator.chance(90) else {
                var body = Array(packet.dropFirst(5))
                context.mutator.mutate(&body)
                packet = Self.acl(packet, body)
                return
            }
            var pdu = Array(packet.dropFirst(9))
            context.mutator.mutate(&pdu)
            let channel = packet[7...8]
            packet = Self.acl(
                packet,
                [UInt8(truncatingIfNeeded: pdu.count), UInt8(truncatingIfNeeded: pdu.count >> 8)] + channel + pdu)
        }

        private static func acl(_ packet: [UInt8], _ body: [UInt8]) -> [UInt8] {
            packet[0..<3] + [UInt8(truncatingIfNeeded: body.count), UInt8(truncatingIfNeeded: body.count >> 8)] + body
        }

        private func discover(_ context: inout FuzzTarget.Context) {
            guard let link = client.engine.linkInfos.first?.id else { return }
            _ = client.engine.discoverServices(
                nil, on: link, timeout: .seconds(20), now: now,
                completion: ends.once { [unowned self] in services = ((try? $0.get()) ?? []).map(\.id) })
            pump(&context, damage: false)
            characteristics = []
            for service in services {
                _ = client.engine.discoverCharacteristics(
                    of: service, on: link, timeout: .seconds(20), now: now,
                    completion: ends.once { [unowned self] in characteristics += ((try? $0.get()) ?? []).map(\.id) })
                pump(&context, damage: false)
            }
        }

        private func operate(_ context: inout FuzzTarget.Context) {
            guard let link = client.engine.linkInfos.first?.id, !services.isEmpty, !characteristics.isEmpty else {
                return
            }
            let engine = client.engine
            let service = services[context.mutator.number(0...services.count - 1)]
            let characteristic = characteristics[context.mutator.number(0...characteristics.count - 1)]
            let value = context.mutator.bytes(context.mutator.number(0...context.mutator.number(1...512)))
            let limit = Duration.seconds(60)
            switch context.mutator.number(0...11) {
            case 0: _ = engine.discoverServices(nil, on: link, timeout: limit, now: now, completion: ends.once())
            case 1: _ = engine.discoverServices([0x180D], on: link, timeout: limit, now: now, completion: ends.once())
            case 2:
                _ = engine.discoverIncludedServices(
                    of: service, on: link, timeout: limit, now: now, completion: ends.once())
            case 3:
                _ = engine.discoverCharacteristics(
                    of: service, on: link, timeout: limit, now: now, completion: ends.once())
            case 4:
                _ = engine.discoverDescriptors(
                    of: characteristic, on: link, timeout: limit, now: now, completion: ends.once())
            case 5, 6: _ = engine.read(characteristic, on: link, timeout: limit, now: now, completion: ends.once())
            case 7:
                _ = engine.write(
                    value, to: characteristic, mode: .withResponse, on: link, timeout: limit, now: now,
                    completion: ends.once())
            case 8:
                _ = engine.write(
                    Array(value.prefix(20)), to: characteristic, mode: .withoutResponse, on: link, timeout: limit,
                    now: now, completion: ends.once())
            case 9:
                _ = engine.writeReliably(
                    [(characteristic, value), (characteristics[0], [1])], on: link, timeout: limit, now: now,
                    completion: ends.once())
            case 10:
                let mode: SubscriptionMode = [.off, .notifications, .indications][context.mutator.number(0...2)]
                _ = engine.subscribe(
                    to: characteristic, mode: mode, on: link, timeout: limit, now: now, completion: ends.once())
            default:
                guard let published = server.published.first?.characteristics.first else { return }
                _ = server.engine.update(value, of: published.id, for: .allSubscribers, now: now)
            }
        }
    }

    // MARK: A host that lies to the virtual controller

    private static let controller = FuzzTarget("virtual-controller", weight: 20) { context, count in
        let samples: [[UInt8]] = [
            [1, 3, 0x0C, 0], [1, 0x0C, 0x20, 2, 1, 0], [1, 0x0B, 0x20, 7, 1, 16, 0, 16, 0, 0, 0],
            [1, 0x0A, 0x20, 1, 1],
            [1, 6, 0x20, 15, 0x20, 0, 0x20, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0],
            [1, 8, 0x20, 32, 3] + [UInt8](repeating: 2, count: 31),
            [1, 0x0D, 0x20, 25, 16, 0, 16, 0, 0, 1, 1, 0, 0, 0, 0, 0xC0, 1, 6, 0, 12, 0, 0, 0, 0xC8, 0, 0, 0, 0, 0],
            [1, 5, 0x20, 6, 1, 0, 0, 0, 0, 0xC0], [1, 0x0E, 0x20, 0], [1, 6, 4, 3, 1, 0, 0x13],
            [2, 1, 0, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0], [1, 0x13, 0x20, 14, 1, 0, 6, 0, 12, 0, 0, 0, 0xC8, 0, 0, 0, 0, 0],
        ]
        var number = 0
        while number < count {
            let air = Air(seed: context.seed &+ UInt64(number))
            var now = MonotonicTime.zero
            let controllers = (1...2).map { index in
                air.addController(
                    VirtualController.Configuration(publicAddress: BluetoothAddress(rawValue: UInt64(index))), now: now)
            }
            var out = 0
            for one in controllers { one.output = { out += $0.count } }
            for _ in 0..<min(300, count - number) {
                context.next(number)
                number += 1
                controllers[context.mutator.number(0...1)].receive(
                    context.mutator.input(like: samples).span.bytes, now: now)
                if context.mutator.chance(20) {
                    now = now + .milliseconds(context.mutator.number(1...200))
                    air.advance(to: now)
                }
            }
            context.expect(out < 64 << 20, "the controllers say \(out) octets")
        }
    }
}
