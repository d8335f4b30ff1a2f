// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Testing

/// Octets are written down from the layouts of Core 5.4, Vol 4, Part E, 7.
@Suite struct HCIPacketTests {
    @Test func commandsHaveTheOctetsOfTheSpecification() throws {
        #expect(try HCI.Reset().h4Packet() == [0x01, 0x03, 0x0C, 0x00])
        #expect(
            try HCI.Disconnect(handle: 0x0040, reason: .remoteUserTerminated).h4Packet()
                == [0x01, 0x06, 0x04, 0x03, 0x40, 0x00, 0x13])
        #expect(
            try HCI.SetEventMask(mask: .leMeta).h4Packet()
                == [0x01, 0x01, 0x0C, 0x08, 0, 0, 0, 0, 0, 0, 0, 0x20])
        #expect(
            try HCI.LESetRandomAddress(address: #require(BluetoothAddress("C4:7C:8D:00:11:22"))).h4Packet()
                == [0x01, 0x05, 0x20, 0x06, 0x22, 0x11, 0x00, 0x8D, 0x7C, 0xC4])
        #expect(
            try HCI.LESetScanParameters(
                type: .active, interval: 0x0060, window: 0x0030, ownAddressType: .random, filterPolicy: 0
            ).h4Packet() == [0x01, 0x0B, 0x20, 0x07, 0x01, 0x60, 0x00, 0x30, 0x00, 0x01, 0x00])
        #expect(
            try HCI.LESetScanEnable(enable: true, filterDuplicates: false).h4Packet()
                == [0x01, 0x0C, 0x20, 0x02, 0x01, 0x00])
        #expect(
            try HCI.LESetAdvertisingData(data: [0x02, 0x01, 0x06]).h4Packet()
                == [0x01, 0x08, 0x20, 0x20, 0x03, 0x02, 0x01, 0x06] + [UInt8](repeating: 0, count: 28))
        #expect(
            try HCI.LECreateConnection(
                scanInterval: 0x0060, scanWindow: 0x0030, filterPolicy: 0, peerAddressKind: .random,
                peerAddress: BluetoothAddress(rawValue: 0xC0_1122_3344_55), ownAddressType: .public,
                intervalMinimum: 0x0018, intervalMaximum: 0x0028, latency: 0, supervisionTimeout: 0x002A,
                eventLengthMinimum: 0, eventLengthMaximum: 0
            ).h4Packet() == [
                0x01, 0x0D, 0x20, 0x19, 0x60, 0x00, 0x30, 0x00, 0x00, 0x01, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0, 0x00,
                0x18, 0x00, 0x28, 0x00, 0x00, 0x00, 0x2A, 0x00, 0x00, 0x00, 0x00, 0x00,
            ])
        #expect(
            try HCI.LESetPHY(handle: 1, noPreference: 0, txPHYs: .le2M, rxPHYs: [.le1M, .le2M], options: 0).h4Packet()
                == [0x01, 0x32, 0x20, 0x07, 0x01, 0x00, 0x00, 0x02, 0x03, 0x00, 0x00])
        #expect(
            try HCI.LEReadChannelMap.ReturnParameters(handle: 1, channelMap: 0x1F_FFFF_FFFF).encoded()
                == [0x01, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F])
    }

    @Test func advertisingDataOfMoreThan31OctetsIsRefused() throws {
        #expect(throws: WireError(offset: 0, reason: .tooLong)) {
            try HCI.LESetAdvertisingData(data: [UInt8](repeating: 0, count: 32)).encoded()
        }
        #expect(throws: WireError.invalid("length", at: 0)) {
            try HCI.LESetScanResponseData(decoding: [32] + [UInt8](repeating: 0, count: 31))
        }
        #expect(throws: WireError.invalid("advertising enable", at: 0)) {
            try HCI.LESetAdvertisingEnable(decoding: [2])
        }
    }

    @Test func eventsAreReadFromTheirOctets() throws {
        let connection = try HCI.LEConnectionComplete(decoding: [
            0x00, 0x40, 0x00, 0x01, 0x01, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0, 0x18, 0x00, 0x04, 0x00, 0x2A, 0x00, 0x05,
        ])
        #expect(connection.status == .success && connection.handle == 0x40 && connection.role == .peripheral)
        #expect(connection.peerAddressKind == .random && connection.peerAddress.rawValue == 0xC011_2233_4455)
        #expect(connection.interval == 24 && connection.latency == 4 && connection.supervisionTimeout == 42)
        #expect(connection.clockAccuracy == 5)
        let complete = try HCI.CommandComplete(decoding: [0x01, 0x03, 0x0C, 0x00])
        #expect(complete.opcode == .reset && complete.credits == 1 && complete.returnParameters == [0])
        #expect(
            try HCI.CommandStatus(status: .unknownCommand, credits: 1, opcode: .leCreateConnection).h4Packet()
                == [0x04, 0x0F, 0x04, 0x01, 0x01, 0x0D, 0x20])
        #expect(
            try HCI.NumberOfCompletedPackets(entries: [.init(handle: 0x40, count: 2)]).h4Packet()
                == [0x04, 0x13, 0x05, 0x01, 0x40, 0x00, 0x02, 0x00])
        #expect(
            try HCI.LELongTermKeyRequest(handle: 0x40, random: 1, diversifier: 2).h4Packet()
                == [0x04, 0x3E, 0x0D, 0x05, 0x40, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0])
    }

    @Test func truncatedEventsThrowAtTheirEnd() throws {
        let whole: [UInt8] = [0x00, 0x40, 0x00, 0x13]
        _ = try HCI.DisconnectionComplete(decoding: whole)
        for count in 0..<whole.count {
            #expect(throws: WireError.self) { try HCI.DisconnectionComplete(decoding: Array(whole[..<count])) }
        }
        // Surplus octets of events are ignored (security H4).
        let longer = whole + [1, 2]
        _ = try HCI.DisconnectionComplete(decodingPrefixOf: longer.span.bytes)
    }

    @Test func opcodesErrorsAndFieldsHaveNames() throws {
        #expect(HCI.Opcode.leSetScanEnable.description == "LE Set Scan Enable")
        #expect(HCI.Opcode(rawValue: 0xFC01).description == "0xFC01" && HCI.Opcode(rawValue: 0xFC01).group == 0x3F)
        #expect(HCI.Opcode(group: 8, command: 0x0D) == .leCreateConnection)
        #expect(HCI.ErrorCode.connectionTimeout.description == "Connection Timeout")
        #expect(HCI.ErrorCode(rawValue: 0xE7).description == "error 0xe7")
        let fields = HCI.Disconnect(handle: 1, reason: .remoteUserTerminated).dissected()
        #expect(fields["connection handle"] == 1)
        #expect(fields["reason"] == "Remote User Terminated Connection")
    }

    /// Core 5.4, Vol 4, Part E, 6.27.
    @Test func supportedCommandsLieAtTheirBits() throws {
        var commands = HCI.SupportedCommands()
        #expect(!commands.contains(.reset))
        commands.insert(.reset)
        commands.insert(.leCreateConnection)
        commands.insert(HCI.Opcode(rawValue: 0xFC01))
        let octets = commands.octets
        #expect(octets.count == 64 && octets[5] == 0x80 && octets[26] == 0x10)
        #expect(octets.reduce(0) { $0 + $1.nonzeroBitCount } == 2)
        let read = try HCI.ReadLocalSupportedCommands.ReturnParameters(decoding: octets).commands
        #expect(read == commands && read.contains(.reset) && !read.contains(.disconnect))
    }
}
