// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// One host with a controller that does nothing but answer, on a link with handle 1 to another one.
///
/// Everything runs on one thread, which is why the callbacks may share it.
final class FuzzSide: HostEventSink, @unchecked Sendable {
    let engine: StackEngine
    /// H4 packets for the host.
    var toHost: [[UInt8]] = []
    /// ACL data packets for the other side, as that side's controller hands them over.
    var toPeer: [[UInt8]] = []
    /// Set when the host wants a link, or to end it.
    var wantsLink = false
    var wantsEnd = false
    /// The host gave the controller up.
    var isBroken = false
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    /// How a request is answered.
    var answer: (RequestBatch) -> RequestResponse = { _ in .success(value: [1, 2, 3]) }
    private(set) var published: [PublishedService] = []

    init(seed: UInt64) {
        engine = StackEngine(configuration: StackConfiguration(seed: seed))
        engine.send = { [unowned self] in take($0) }
        engine.onTransportFailure = { [unowned self] _ in isBroken = true }
        engine.onEvent = { [unowned self] in receive($0) }
    }

    /// Starts the host; its controller answers at once.
    func start() {
        engine.start(now: now, timeout: .seconds(5)) { _ in }
        deliver()
    }

    /// Ends the host, which lets go of everybody who listens: nothing of it stays.
    func end() {
        engine.shutDown(now: now)
        engine.unpublish(servicesOf: self, now: now)
        engine.removeChannels(of: self)
    }

    func publish(_ services: [ServiceDefinition]) {
        engine.publish(services, for: self, now: now) { [self] result in
            if case .success(let list) = result { published = list }
        }
    }

    func receive(_ event: HostEvent) {
        guard case .requests(let batch) = event, let token = batch.token else { return }
        engine.respond(to: token, with: answer(batch), now: now)
    }

    /// Hands the host what waits for it.
    func deliver() {
        while !toHost.isEmpty {
            let packets = toHost
            toHost = []
            for packet in packets { engine.receive(packet.span.bytes, now: now) }
        }
    }

    func tick(_ moment: MonotonicTime) {
        now = moment
        engine.tick(now: moment)
        deliver()
    }

    // MARK: - the controller

    func event(_ code: UInt8, _ parameters: [UInt8]) {
        toHost.append([4, code, UInt8(truncatingIfNeeded: parameters.count)] + parameters)
    }

    func opened(role: UInt8, peer: [UInt8]) {
        event(0x3E, [0x01, 0, 1, 0, role, 1] + peer + [24, 0, 0, 0, 0xF4, 1, 0])
    }

    private func take(_ packets: RawSpan) {
        var position = 0
        while position < packets.byteCount {
            let type = H4.PacketType(rawValue: packets[position])
            guard let size = type.bodySize(of: packets, at: position + 1) else { return }
            let body = packets.extracting(position + 1..<position + 1 + size)
            if type == .acl { takeACL(body.octets) } else { takeCommand(body) }
            position += 1 + size
        }
    }

    private func takeACL(_ body: [UInt8]) {
        event(0x13, [1, body[0], body[1] & 0x0F, 1, 0])
        // A first part of the host (00) is a first part for the other one (10); the rest stays a rest (01).
        let flags: UInt8 = body[1] & 0x30 == 0x10 ? 0x10 : 0x20
        toPeer.append([2, 1, flags] + body[2...])
    }

    private func takeCommand(_ body: RawSpan) {
        let opcode = HCI.Opcode(rawValue: body.uint16(at: 0))
        switch opcode {
        case .leReadBufferSize: complete(opcode, [251, 0, 64])
        case .readLocalSupportedCommands: complete(opcode, [UInt8](repeating: 0xFF, count: 64))
        case .readBDADDR: complete(opcode, [1, 0, 0, 0xE0, 0x0D, 0])
        case .leCreateConnection:
            status(opcode)
            wantsLink = true
        case .disconnect:
            status(opcode)
            wantsEnd = true
        case .leConnectionUpdate:
            status(opcode)
            event(0x3E, [0x03, 0, 1, 0, 24, 0, 0, 0, 0xF4, 1])
        default: complete(opcode, [0, 0, 0, 0, 0, 0, 0, 0])
        }
    }

    private func status(_ opcode: HCI.Opcode) {
        event(
            0x0F, [0, 1, UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(truncatingIfNeeded: opcode.rawValue >> 8)])
    }

    private func complete(_ opcode: HCI.Opcode, _ parameters: [UInt8]) {
        let code = opcode.rawValue
        event(0x0E, [1, UInt8(truncatingIfNeeded: code), UInt8(truncatingIfNeeded: code >> 8), 0] + parameters)
    }
}

/// Counts how often each operation ended.
final class Ends: @unchecked Sendable {
    private(set) var begun = 0
    private(set) var ended = 0
    private(set) var twice = 0

    /// A completion that must be called once.
    func once<Value: Sendable>(
        _ then: @escaping (Result<Value, HostError>) -> Void = { _ in }
    ) -> HostCompletion<Value> {
        begun += 1
        let call = Call()
        nonisolated(unsafe) let then = then
        return { [self] result in
            if call.isOver { twice += 1 } else { ended += 1 }
            call.isOver = true
            then(result)
        }
    }

    private final class Call: @unchecked Sendable { var isOver = false }
}
