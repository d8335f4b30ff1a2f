// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

/// A host that keeps what its controller says.
final class TestHost {
    let air: Air
    let controller: VirtualController
    var packets: [[UInt8]] = []

    init(_ air: Air, _ configuration: VirtualController.Configuration, setUp: Bool = true) throws {
        self.air = air
        controller = air.addController(configuration, now: .zero)
        controller.output = { [unowned self] packet in packets.append(packet) }
        guard setUp else { return }
        try send(HCI.Reset())
        try send(HCI.SetEventMask(mask: .leHost))
        try send(
            HCI.LESetEventMask(mask: .init((1...12).map { HCI.LESubevent(rawValue: $0) }.filter { $0.rawValue != 10 })))
        packets.removeAll()
    }

    convenience init(
        _ air: Air, _ number: UInt64, at position: Position = .origin, setUp: Bool = true,
        _ change: (inout VirtualController.Configuration) -> Void = { _ in }
    ) throws {
        var configuration = VirtualController.Configuration(publicAddress: .init(rawValue: 0xC0_0000_0000_00 + number))
        configuration.position = position
        change(&configuration)
        try self.init(air, configuration, setUp: setUp)
    }

    var address: DeviceAddress { DeviceAddress(controller.configuration.publicAddress, .public) }

    func send(raw bytes: [UInt8], at now: MonotonicTime = .zero) { controller.receive(bytes.span.bytes, now: now) }

    func send<C: HCICommandPacket>(_ command: C, at now: MonotonicTime = .zero) throws {
        send(raw: try command.h4Packet(), at: now)
    }

    /// Sends a command and takes the status of its answer out of what came.
    @discardableResult
    func run<C: HCICommand>(_ command: C, at now: MonotonicTime = .zero) throws -> HCI.ErrorCode {
        try send(command, at: now)
        let answer = try #require(take(HCI.CommandComplete.self) { $0.opcode == C.opcode })
        return HCI.ErrorCode(rawValue: try #require(answer.returnParameters.first))
    }

    @discardableResult
    func start<C: HCICommandWithStatus>(_ command: C, at now: MonotonicTime = .zero) throws -> HCI.ErrorCode {
        try send(command, at: now)
        return try #require(take(HCI.CommandStatus.self) { $0.opcode == C.opcode }).status
    }

    func value<C: HCICommand>(_ command: C) throws -> C.ReturnParameters {
        try send(command)
        let answer = try #require(take(HCI.CommandComplete.self) { $0.opcode == C.opcode })
        #expect(answer.returnParameters.first == 0)
        return try C.ReturnParameters(decoding: Array(answer.returnParameters.dropFirst()))
    }

    /// The events of one kind that came.
    func all<E: HCIEvent>(_ type: E.Type) -> [E] {
        packets.compactMap { packet in
            guard packet.count >= 3, packet[0] == 4, packet[1] == E.code.rawValue else { return nil }
            return try? E(decoding: Array(packet[3...]))
        }
    }

    func all<E: HCILEEvent>(_ type: E.Type) -> [E] {
        packets.compactMap { packet in
            guard packet.count >= 4, packet[0] == 4, packet[1] == 0x3E, packet[3] == E.subevent.rawValue
            else { return nil }
            return try? E(decoding: Array(packet[4...]))
        }
    }

    func take<E: HCIEvent>(_ type: E.Type, where matches: (E) -> Bool = { _ in true }) -> E? {
        for (index, packet) in packets.enumerated() {
            guard packet.count >= 3, packet[0] == 4, packet[1] == E.code.rawValue,
                let event = try? E(decoding: Array(packet[3...])), matches(event)
            else { continue }
            packets.remove(at: index)
            return event
        }
        return nil
    }

    /// Handle and data of the ACL packets that came.
    var data: [(handle: UInt16, isFirst: Bool, bytes: [UInt8])] {
        packets.compactMap { packet in
            guard packet.first == 2, let header = HCI.ACLHeader(reading: packet.span.bytes.extracting(1..<packet.count))
            else { return nil }
            return (header.handle, header.boundary == .first, Array(packet[5...]))
        }
    }

    var credits: Int { all(HCI.NumberOfCompletedPackets.self).flatMap(\.entries).reduce(0) { $0 + Int($1.count) } }

    func sendData(_ bytes: [UInt8], handle: UInt16, isFirst: Bool = true, at now: MonotonicTime) {
        var packet: [UInt8] = [2]
        HCI.ACLHeader(
            handle: handle, boundary: isFirst ? .firstNonFlushable : .continuing, length: UInt16(bytes.count)
        ).write(into: &packet)
        send(raw: packet + bytes, at: now)
    }

    func advertise(
        _ type: HCI.AdvertisingType = .connectable, milliseconds: Int = 100, data: [UInt8] = [2, 1, 6],
        response: [UInt8] = [], to peer: DeviceAddress = .init(.zero, .public), filterPolicy: UInt8 = 0,
        at now: MonotonicTime = .zero
    ) throws {
        let interval = UInt16(milliseconds * 8 / 5)
        try run(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: interval, intervalMaximum: interval, type: type, ownAddressType: .public,
                peerAddressKind: peer.kind, peerAddress: peer.address, channelMap: 7, filterPolicy: filterPolicy),
            at: now)
        try run(HCI.LESetAdvertisingData(data: data), at: now)
        try run(HCI.LESetScanResponseData(data: response), at: now)
        #expect(try run(HCI.LESetAdvertisingEnable(enable: true), at: now) == .success)
    }

    func scan(
        _ type: HCI.ScanType = .active, filterDuplicates: Bool = false, filterPolicy: UInt8 = 0,
        at now: MonotonicTime = .zero
    ) throws {
        try run(
            HCI.LESetScanParameters(
                type: type, interval: 0x60, window: 0x60, ownAddressType: .public, filterPolicy: filterPolicy), at: now)
        #expect(try run(HCI.LESetScanEnable(enable: true, filterDuplicates: filterDuplicates), at: now) == .success)
    }

    func connection(
        to peer: DeviceAddress, interval: UInt16 = 24, latency: UInt16 = 0, timeout: UInt16 = 100,
        filterPolicy: UInt8 = 0
    ) -> HCI.LECreateConnection {
        HCI.LECreateConnection(
            scanInterval: 0x60, scanWindow: 0x60, filterPolicy: filterPolicy, peerAddressKind: peer.kind,
            peerAddress: peer.address, ownAddressType: .public, intervalMinimum: interval, intervalMaximum: interval,
            latency: latency, supervisionTimeout: timeout, eventLengthMinimum: 0, eventLengthMaximum: 0)
    }

    /// Everything that was advertised to this host.
    var reports: [HCI.LEAdvertisingReport.Report] { all(HCI.LEAdvertisingReport.self).flatMap(\.reports) }
}

func milliseconds(_ count: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: count * 1_000_000) }

/// Two hosts with a link between them.
struct LinkedPair {
    let air: Air
    let central: TestHost
    let peripheral: TestHost
    let centralHandle: UInt16
    let peripheralHandle: UInt16
    /// When the link was there.
    let start: MonotonicTime

    init(
        seed: UInt64 = 1, interval: UInt16 = 24, latency: UInt16 = 0, timeout: UInt16 = 100, distance: Double = 1,
        _ change: (inout VirtualController.Configuration) -> Void = { _ in }
    ) throws {
        air = Air(seed: seed)
        central = try TestHost(air, 1, change)
        peripheral = try TestHost(air, 2, at: Position(x: distance), change)
        try peripheral.advertise(milliseconds: 20)
        #expect(
            try central.start(
                central.connection(to: peripheral.address, interval: interval, latency: latency, timeout: timeout))
                == .success)
        air.advance(to: milliseconds(200))
        let ours = try #require(central.all(HCI.LEConnectionComplete.self).first)
        let theirs = try #require(peripheral.all(HCI.LEConnectionComplete.self).first)
        #expect(ours.status == .success && ours.role == .central && ours.peerAddress == peripheral.address.address)
        #expect(
            theirs.status == .success && theirs.role == .peripheral && theirs.peerAddress == central.address.address)
        #expect(ours.interval == interval && theirs.supervisionTimeout == timeout)
        centralHandle = ours.handle
        peripheralHandle = theirs.handle
        start = milliseconds(200)
        central.packets.removeAll()
        peripheral.packets.removeAll()
    }

    func after(_ count: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: start.nanoseconds + count * 1_000_000) }
}
