// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct ControllerTests {
    @Test func itTellsWhatItIs() throws {
        let host = try TestHost(Air(seed: 1), 7) { $0.txPower = 4 }
        #expect(try host.value(HCI.ReadBDADDR()).address == host.address.address)
        #expect(try host.value(HCI.ReadLocalVersionInformation()).hciVersion == .core53)
        #expect(try host.value(HCI.ReadLocalSupportedFeatures()).features == 0x60_0000_0000)
        let size = try host.value(HCI.LEReadBufferSize())
        #expect(size.aclLength == 251 && size.aclCount == 12)
        #expect(try host.value(HCI.LEReadAdvertisingChannelTXPower()).level == 4)
        #expect(try host.value(HCI.LERand()).number != host.value(HCI.LERand()).number)
        let features = try host.value(HCI.LEReadLocalSupportedFeatures()).features
        #expect(features.contains(.dataLengthExtension) && features.contains(.encryption))
    }

    @Test func supportedCommandsAreThoseThatAreCarriedOut() throws {
        let air = Air(seed: 1)
        let host = try TestHost(air, 1) { $0.missingCommands = [.leSetDataLength] }
        let commands = try host.value(HCI.ReadLocalSupportedCommands()).commands
        #expect(commands.contains(.reset) && commands.contains(.leCreateConnection))
        #expect(commands.contains(.leEncrypt) && !commands.contains(.leSetDataLength))
        for group in [UInt8(1), 3, 4, 5, 8] {
            for command in UInt16(1)...0x90 {
                let opcode = HCI.Opcode(group: group, command: command)
                host.packets.removeAll()
                host.send(raw: [1, UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8), 0])
                let status = host.take(HCI.CommandStatus.self)
                let isUnknown = status?.status == .unknownCommand
                #expect(isUnknown != commands.contains(opcode), "\(opcode)")
                #expect(status == nil || status?.opcode == opcode)
            }
        }
    }

    @Test func unknownCommandsOfOtherHostsGetACleanAnswer() throws {
        let host = try TestHost(Air(seed: 1), 1)
        // Read Local Name, Read Class Of Device, Write LE Host Support, Write Simple Pairing Mode, vendor.
        for opcode in [0x0C14, 0x0C23, 0x0C6D, 0x0C56, 0xFC01] as [UInt16] {
            host.send(raw: [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), 0])
            let status = try #require(host.take(HCI.CommandStatus.self))
            #expect(status.status == .unknownCommand && status.opcode.rawValue == opcode && status.credits == 1)
        }
    }

    @Test func wrongLengthsAndNumbersAreInvalidParameters() throws {
        let host = try TestHost(Air(seed: 1), 1)
        host.send(raw: [1, 0x0A, 0x20, 0])
        host.send(raw: [1, 0x0A, 0x20, 2, 0, 0])
        host.send(raw: [1, 0x0A, 0x20, 1, 2])
        host.send(raw: [1, 0x0D, 0x20, 3, 0, 0, 0])
        #expect(host.all(HCI.CommandComplete.self).map(\.returnParameters) == [[0x12], [0x12], [0x12]])
        #expect(host.all(HCI.CommandStatus.self).map(\.status) == [.invalidParameters])
    }

    @Test func aRefusedCommandStillNamesItsHandle() throws {
        let host = try TestHost(Air(seed: 1), 1)
        try host.send(HCI.ReadRSSI(handle: 0x0123))
        #expect(host.all(HCI.CommandComplete.self).map(\.returnParameters) == [[0x02, 0x23, 0x01, 0x00]])
    }

    @Test func eventMasksAreHonoured() throws {
        let air = Air(seed: 1)
        let deaf = try TestHost(air, 1, setUp: false)
        let advertiser = try TestHost(air, 2)
        try deaf.scan(.passive)
        try advertiser.advertise()
        air.advance(to: milliseconds(500))
        // LE Meta is off by default.
        #expect(deaf.reports.isEmpty)
        try deaf.run(HCI.SetEventMask(mask: .leHost), at: milliseconds(500))
        air.advance(to: milliseconds(1_000))
        #expect(!deaf.reports.isEmpty)
        deaf.packets.removeAll()
        try deaf.run(HCI.LESetEventMask(mask: .init([.connectionComplete])), at: milliseconds(1_000))
        air.advance(to: milliseconds(1_500))
        #expect(deaf.reports.isEmpty)
    }

    @Test func theEnhancedEventReplacesTheFirstOne() throws {
        let air = Air(seed: 1)
        let host = try TestHost(air, 1)
        try host.run(HCI.LESetEventMask(mask: .init([.connectionComplete, .enhancedConnectionComplete])))
        let peer = try TestHost(air, 2)
        try peer.advertise()
        try host.start(host.connection(to: peer.address))
        air.advance(to: milliseconds(300))
        #expect(host.all(HCI.LEEnhancedConnectionComplete.self).count == 1)
        #expect(host.all(HCI.LEConnectionComplete.self).isEmpty)
        #expect(peer.all(HCI.LEConnectionComplete.self).count == 1)
    }

    @Test func commandsMayComeInAnyPieces() throws {
        let host = try TestHost(Air(seed: 1), 1)
        let bytes = try HCI.LERand().h4Packet() + HCI.ReadBDADDR().h4Packet()
        for byte in bytes { host.send(raw: [byte]) }
        #expect(host.all(HCI.CommandComplete.self).map(\.opcode) == [.leRand, .readBDADDR])
    }

    @Test func afterRubbishOnlyResetIsHeard() throws {
        let host = try TestHost(Air(seed: 1), 1)
        host.send(raw: [0x42, 0x03])
        #expect(host.all(HCI.HardwareError.self).map(\.hardwareCode) == [0xFE])
        host.packets.removeAll()
        try host.send(HCI.LERand())
        #expect(host.packets.isEmpty)
        host.send(raw: [0x55, 0x01, 0x03])
        host.send(raw: [0x0C, 0x00] + (try HCI.LERand().h4Packet()))
        #expect(host.all(HCI.CommandComplete.self).map(\.opcode) == [.reset, .leRand])
    }

    @Test func powerLossForgetsEverything() throws {
        let air = Air(seed: 1)
        let host = try TestHost(air, 1)
        try host.advertise()
        host.controller.powerOff(now: milliseconds(10))
        #expect(air.nextDeadline == nil)
        try host.send(HCI.Reset(), at: milliseconds(20))
        #expect(host.packets.isEmpty)
        host.controller.powerOn(now: milliseconds(30))
        #expect(try host.run(HCI.Reset(), at: milliseconds(40)) == .success)
        #expect(air.nextDeadline == nil)
    }

    @Test func sharedBuffersAreTold() throws {
        let host = try TestHost(Air(seed: 1), 1) { $0.sharesBuffers = true }
        let own = try host.value(HCI.LEReadBufferSize())
        #expect(own.aclLength == 0 && own.aclCount == 0)
        let shared = try host.value(HCI.ReadBufferSize())
        #expect(shared.aclLength == 251 && shared.aclCount == 12)
    }

    @Test func octetsFromInsideAnOutputClosureWait() throws {
        let air = Air(seed: 1)
        let host = try TestHost(air, 1)
        var seen: [HCI.Opcode] = []
        let controller = host.controller
        let again = try HCI.LERand().h4Packet()
        controller.output = { packet in
            guard let event = try? HCI.CommandComplete(decoding: Array(packet.dropFirst(3))) else { return }
            seen.append(event.opcode)
            if seen.count < 3 { controller.receive(again.span.bytes, now: .zero) }
        }
        try host.send(HCI.ReadBDADDR())
        #expect(seen == [.readBDADDR, .leRand, .leRand])
    }
}
