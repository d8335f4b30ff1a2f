// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// Random and half-right bytes against the server and against the client in every procedure. Seeded: the same each time.
@Suite struct BearerFuzzTests {
    /// SplitMix64.
    struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    @Test(arguments: 0..<8)
    func serverSurvivesAndAnswersEachRequestOnce(seed: UInt64) throws {
        var random = Random(state: seed)
        let (server, application) = try TestDatabase.dynamic()
        application.onRequest = { server, _, token in
            guard let token, token.rawValue % 3 != 0 else { return }
            server.respond(to: token, with: .success(value: Array(repeating: 1, count: 600)), now: .zero)
        }
        let rig = BearerRig(server: server)
        for round in 0..<3000 {
            let pdu = Self.request(&random)
            rig.sent = []
            rig.canSend = Int.random(in: 0..<8, using: &random) > 0
            rig.receive2(pdu)
            for answer in rig.sent { #expect(answer.count <= rig.bearer.mtu) }
            if round % 50 == 0 { rig.advance(seconds: 25) }
            if round % 500 == 0 { try server.add([ServiceDefinition(uuid: 0x1234)], now: rig.now) }
            if !rig.bearer.isOpen { break }
        }
        // Valid traffic still works.
        rig.advance(seconds: 25)
        rig.canSend = true
        rig.bearer.readyToSend(now: rig.now)
        while rig.bearer.nextDeadline != .distantFuture { rig.advance(seconds: 25) }
        rig.receive("1800")
        rig.sent = []
        #expect(rig.receive("0a0100") == ["0be0ff"])
    }

    @Test(arguments: 0..<8)
    func clientEndsEveryOperationOnce(seed: UInt64) throws {
        var random = Random(state: seed ^ 0xC11E)
        for round in 0..<600 {
            let rig = BearerRig(localMTU: [23, 100, 512].randomElement(using: &random) ?? 23)
            var ended = 0
            var started = 0
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                started += 1
                Self.start(Int.random(in: 0..<14, using: &random), on: rig, &random) { ended += 1 }
            }
            var steps = 0
            while ended < started, steps < 300 {
                steps += 1
                rig.sent = rig.sent.suffix(1)
                rig.receive2(Self.response(to: rig.sent.last ?? [0x0A, 0, 0], mtu: rig.bearer.mtu, &random))
                #expect(rig.sent.allSatisfy { $0.count <= max(rig.bearer.mtu, 23) })
            }
            if ended < started { rig.bearer.close(HostError(.disconnected)) }
            #expect(ended == started, "seed \(seed) round \(round)")
        }
    }

    // MARK: - inputs

    private static let opcodes: [UInt8] = [
        0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2, 0x1B, 0x1D, 0x23,
        0x01,
    ]

    private static func request(_ random: inout Random) -> [UInt8] {
        var pdu: [UInt8] = []
        if Bool.random(using: &random), let opcode = opcodes.randomElement(using: &random) { pdu.append(opcode) }
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            pdu.append(
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...12, using: &random) : UInt8.random(in: 0...255, using: &random))
        }
        if Int.random(in: 0..<20, using: &random) == 0 { pdu += Array(repeating: 0xAA, count: 600) }
        // Types that exist.
        if Bool.random(using: &random), pdu.count > 6 {
            pdu.replaceSubrange(
                5..<7,
                with: [[0x00, 0x28], [0x02, 0x28], [0x03, 0x28], [0xE1, 0xFF]].randomElement(using: &random) ?? [])
        }
        return pdu
    }

    private static func response(to request: [UInt8], mtu: Int, _ random: inout Random) -> [UInt8] {
        let next = request.count > 2 ? UInt16(request[1]) | UInt16(request[2]) << 8 : 1
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return bytes(Int.random(in: 0...mtu, using: &random))
        case 1: return [0x01, request[0], 0, 0, UInt8.random(in: 0...0x20, using: &random)]
        case 2: return [request[0] &+ 1] + bytes(Int.random(in: 0...mtu - 1, using: &random))
        case 3: return [0x17] + request.dropFirst()
        default:
            let handle = [UInt8(truncatingIfNeeded: next), UInt8(truncatingIfNeeded: next >> 8)]
            switch request[0] {
            case 0x04: return [0x05, 1] + handle + [0x02, 0x29]
            case 0x06: return [0x07] + handle + handle
            case 0x08:
                let length = [5, 7, 8, 6, 21].randomElement(using: &random) ?? 7
                return [0x09, UInt8(length)] + handle + bytes(length - 2)
            case 0x10: return [0x11, 6] + handle + (Bool.random(using: &random) ? [0xFF, 0xFF] : handle) + bytes(2)
            case 0x16: return [0x17] + request.dropFirst()
            case 0x0A, 0x0C: return [request[0] + 1] + bytes(mtu - 1)
            default: return [request[0] &+ 1]
            }
        }
    }

    private static func start(_ kind: Int, on rig: BearerRig, _ random: inout Random, _ ended: @escaping () -> Void) {
        let bearer: ATTBearer = rig.bearer
        let now = rig.now
        let start = UInt16.random(in: 0...40, using: &random)
        let end = Bool.random(using: &random) ? UInt16.max : UInt16.random(in: 0...60, using: &random)
        switch kind {
        case 0: bearer.discoverPrimaryServices(start: start, end: end, now: now) { _ in ended() }
        case 1: bearer.discoverPrimaryServices(of: 0x180D, start: start, end: end, now: now) { _ in ended() }
        case 2: bearer.findIncludedServices(start: start, end: end, now: now) { _ in ended() }
        case 3: bearer.discoverCharacteristics(start: start, end: end, now: now) { _ in ended() }
        case 4: bearer.discoverDescriptors(start: start, end: end, now: now) { _ in ended() }
        case 5, 6: bearer.discoverDatabase(now: now) { _ in ended() }
        case 7: bearer.read(start, offset: end, now: now) { _ in ended() }
        case 8: bearer.readByType(0x2A00, start: start, end: end, now: now) { _ in ended() }
        case 9: bearer.readMultipleVariable([start, end], now: now) { _ in ended() }
        case 10: bearer.write(Array(repeating: 1, count: 300), to: start, now: now) { _ in ended() }
        case 11:
            bearer.writeReliably([(start, [1, 2]), (end, Array(repeating: 3, count: 40))], now: now) { _ in ended() }
        case 12: bearer.subscribe(to: start, end: end, mode: .notifications, now: now) { _ in ended() }
        default: bearer.exchangeMTU(now: now) { _ in ended() }
        }
    }
}
