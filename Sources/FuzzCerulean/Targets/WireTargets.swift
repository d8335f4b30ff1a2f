// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanWire

/// Decoders of the wire level, and of the values of profiles.
enum WireTargets {
    static let all: [FuzzTarget] = [h4, hci, acl, l2cap, att, smp, advertising, values, text]

    /// Cut anywhere, a stream gives the same packets, and never keeps more than one packet.
    private static let h4 = FuzzTarget.each(
        "h4", [[4, 0x0E, 4, 1, 3, 0x0C, 0], [2, 1, 0x20, 7, 0, 3, 0, 4, 0, 0x0B, 1, 2], [4, 0x3E, 1, 2, 4, 0x13, 0]]
    ) { context, input in
        var whole: [[UInt8]] = []
        var cut: [[UInt8]] = []
        var first = H4Framer()
        try? first.feed(input.span.bytes) { type, body in whole.append([type.rawValue] + body.octets) }
        var second = H4Framer()
        var position = 0
        while position < input.count {
            let end = min(input.count, position + context.mutator.number(1...7))
            try? second.feed(Array(input[position..<end]).span.bytes) { type, body in
                cut.append([type.rawValue] + body.octets)
            }
            context.expect(second.pendingCount <= H4Framer.maximumPacketSize, "the framer keeps \(second.pendingCount)")
            position = end
        }
        context.expect(whole == cut, "cutting a stream changes its packets")
        context.expect((first.failure == nil) == (second.failure == nil), "cutting a stream changes its failure")
    }

    private static let events: [any WirePacket.Type] = [
        HCI.LEAdvertisingReport.self, HCI.LEConnectionComplete.self, HCI.LEEnhancedConnectionComplete.self,
        HCI.LEConnectionUpdateComplete.self, HCI.LEReadRemoteFeaturesComplete.self, HCI.LELongTermKeyRequest.self,
        HCI.LERemoteConnectionParameterRequest.self, HCI.LEDataLengthChange.self, HCI.LEPHYUpdateComplete.self,
        HCI.LEAdvertisingSetTerminated.self, HCI.LEChannelSelectionAlgorithm.self, HCI.DisconnectionComplete.self,
        HCI.EncryptionChange.self, HCI.EncryptionChangeV2.self, HCI.ReadRemoteVersionInformationComplete.self,
        HCI.CommandComplete.self, HCI.CommandStatus.self, HCI.HardwareError.self, HCI.EncryptionKeyRefreshComplete.self,
        HCI.DataBufferOverflow.self, HCI.LEReadLocalP256PublicKeyComplete.self, HCI.LEGenerateDHKeyComplete.self,
        HCI.NumberOfCompletedPackets.self, HCI.LEExtendedAdvertisingReport.self,
    ]

    /// What can be decoded encodes to the same octets; what cannot says where, within the input.
    private static func roundTrip<Packet: WirePacket>(
        _ type: Packet.Type, _ input: [UInt8], _ context: inout FuzzTarget.Context
    ) {
        do {
            let packet = try type.init(decoding: input)
            _ = packet.dissected()
            guard let again = try? packet.encoded() else {
                return context.expect(false, "\(type) decodes \(Hex.encode(input)) but does not encode it")
            }
            let second = try? type.init(decoding: again)
            context.expect(second != nil, "\(type) does not decode what it encoded of \(Hex.encode(input))")
        } catch {
            context.expect(
                (0...input.count).contains(error.offset), "\(type) tells offset \(error.offset) of \(input.count)")
        }
    }

    private static func decode<Packet: WirePacket>(
        _ type: Packet.Type, _ input: [UInt8], _ context: inout FuzzTarget.Context
    ) {
        do {
            _ = try type.init(decoding: input).dissected()
        } catch {
            context.expect(
                (0...input.count).contains(error.offset), "\(type) tells offset \(error.offset) of \(input.count)")
        }
    }

    private static let hci = FuzzTarget.each(
        "hci",
        [
            [0x3E, 0x0C, 2, 1, 0, 1, 1, 2, 3, 4, 5, 0xC6, 0, 0xC8], [0x0E, 4, 1, 3, 0x0C, 0], [0x13, 5, 1, 1, 0, 1, 0],
            [0x3E, 19, 1, 0, 1, 0, 0, 1, 1, 2, 3, 4, 5, 0xC6, 24, 0, 0, 0, 0xF4, 1, 0],
        ]
    ) { context, input in
        if let view = try? HCI.EventView(input.span.bytes) { _ = view.parameters.byteCount }
        if let view = try? HCI.CommandView(input.span.bytes) { _ = view.parameters.byteCount }
        var completed = HCI.CompletedPackets(input.span.bytes)
        while completed.next() != nil {}
        let type = events[context.mutator.number(0...events.count - 1)]
        roundTrip(type, Array(input.dropFirst(context.mutator.number(0...3))), &context)
    }

    private static let acl = FuzzTarget.each(
        "acl", weight: 5, [[1, 0x20, 7, 0, 3, 0, 4, 0, 0x0B, 1, 2], [1, 0x10, 2, 0, 1, 2]]
    ) { context, input in
        // These are views: their data stays in the buffer that they were read from.
        decode(HCI.ACLPacket.self, input, &context)
        decode(L2CAP.BasicFrame.self, input, &context)
    }

    private static let l2cap = FuzzTarget.each(
        "l2cap",
        [
            [0x12, 1, 8, 0, 6, 0, 12, 0, 0, 0, 0xC8, 0], [0x13, 1, 2, 0, 0, 0], [0x01, 1, 2, 0, 0, 0],
            [0x14, 1, 10, 0, 0x80, 0, 0x40, 0, 23, 0, 23, 0, 1, 0],
            [0x17, 1, 10, 0, 0x80, 0, 64, 0, 64, 0, 1, 0, 0x40, 0],
        ]
    ) { context, input in
        do {
            let command = try L2CAP.SignalingCommand(decoding: input)
            _ = command.dissected()
            let again = try command.encoded()
            context.expect(again == input, "a signaling command changes: \(Hex.encode(input))")
        } catch let error as WireError {
            context.expect((0...input.count).contains(error.offset), "offset \(error.offset) of \(input.count)")
        } catch {}
    }

    private static let att = FuzzTarget.each(
        "att", weight: 20,
        (0...0x23).map { [UInt8($0), 1, 0, 5, 0, 0, 0x28] }
            + [[0x11, 6, 1, 0, 5, 0, 0x0D, 0x18], [0x09, 7, 2, 0, 0x12, 3, 0, 0x37, 0x2A], [0x05, 1, 4, 0, 2, 0x29]]
            + [[0xD2, 1, 0] + [UInt8](repeating: 7, count: 14), [0x52, 3, 0, 1, 2, 3]]
    ) { context, input in
        _ = ATT.dissect(input)
        guard let first = input.first, let type = ATT.type(of: ATT.Opcode(rawValue: first)) else { return }
        guard let packet = try? type.init(pdu: input) else { return }
        let again = try? packet.pdu()
        context.expect(again == input, "\(type) changes: \(Hex.encode(input))")
    }

    private static let smp = FuzzTarget.each(
        "smp", weight: 5, (1...14).map { [UInt8($0), 3, 0, 1, 16, 7, 7] } + [[3] + [UInt8](repeating: 1, count: 16)]
    ) { _, input in _ = SMP.dissect(input) }

    private static let advertising = FuzzTarget.each(
        "advertising",
        [
            [2, 1, 6, 3, 3, 0x0D, 0x18, 5, 9, 0x42, 0x49, 0x54, 0x41, 5, 0xFF, 0x4C, 0, 2, 21, 2, 0x0A, 4],
            [17, 7] + [UInt8](repeating: 9, count: 16), [4, 0x16, 0x0F, 0x18, 90, 0, 0],
            [3, 0x19, 0xC1, 3, 9, 0x24, 0x17, 0x2F, 0x2F, 0x61, 0x2E, 0x62, 0x2F],
        ]
    ) { context, input in
        let data = AdvertisingData(decoding: input)
        _ = data.dissected()
        context.expect(data.byteCount <= input.count, "more octets come out than go in")
        for element in data.elements { if let structure = try? element.structure() { _ = structure.element } }
        let half = input.count / 2
        let fields = AdvertisementFields(
            advertisement: Array(input.prefix(half)), scanResponse: Array(input.suffix(input.count - half)))
        _ = try? fields.payload()
    }

    private static let values = FuzzTarget.each(
        "values",
        [
            [0x16, 60, 1, 2, 3, 4, 5], [90], Array("manufacturer".utf8), [0xE0, 7, 1, 2, 3, 4, 5, 6, 7, 8],
            [UInt8](repeating: 0xFF, count: 20), [],
        ]
    ) { context, input in
        let number = UInt16(truncatingIfNeeded: 0x2A00 + context.mutator.number(0...0x100))
        let decoded = KnownCharacteristics.decode(uuid: BluetoothUUID(number), bytes: input)
        _ = decoded
        _ = try? HeartRateMeasurement(decoding: input).encoded()
        _ = try? BatteryLevel(decoding: input).encoded()
    }

    private static let text = FuzzTarget.each(
        "text", weight: 5,
        ["C4:7C:8D:00:11:22", "0000180D-0000-1000-8000-00805F9B34FB", "180D", "0x2A37", "01 02:ab"].map {
            Array($0.utf8)
        }
    ) { context, input in
        let text = String(decoding: input, as: UTF8.self)
        if let address = BluetoothAddress(text) {
            context.expect(BluetoothAddress(address.description) == address, "address \(text)")
        }
        if let uuid = BluetoothUUID(text) { context.expect(BluetoothUUID(uuid.description) == uuid, "UUID \(text)") }
        if let bytes = try? Hex.decode(text) { context.expect(bytes.count <= text.utf8.count, "hex \(text)") }
    }
}

extension RawSpan {
    /// A copy.
    var octets: [UInt8] { (0..<byteCount).map { self[$0] } }
}
