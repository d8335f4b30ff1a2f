// SPDX-License-Identifier: Apache-2.0

/// Names every field of the HCI packets of a capture, and follows what lies above them: connections and their peers, L2CAP
/// frames in several packets, credit based channels, ATT and SMP.
///
/// Nothing fails: what cannot be decoded stands as `error` beside its `octets`. What is put together is bounded: one frame of 64 KiB
/// for each direction of a connection, and 64 channels for each connection.
/// ```swift
/// var trace = HCITrace()
/// for record in records {
///     let packet = trace.dissect(record.packet, isReceived: record.isReceived ?? true)
///     print(packet.name, packet.layers)
/// }
/// ```
public struct HCITrace: Sendable {
    /// What a packet is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A command of the host.
        case command
        /// An event of the controller.
        case event
        /// Data of a connection.
        case data
        /// Anything else.
        case other
    }

    /// One protocol of a packet with its fields.
    public struct Layer: Hashable, Sendable {
        /// `hci`, `l2cap`, `sdu`, `signaling`, `att` or `smp`.
        public var name: String
        /// The fields in wire order.
        public var fields: FieldValue
    }

    /// One packet of the capture.
    public struct Packet: Hashable, Sendable {
        /// What it is.
        public var kind: Kind
        /// What the topmost protocol calls it.
        public var name: String
        /// The connection, where the packet belongs to one.
        public var handle: UInt16?
        /// The connection's peer, where the capture told it.
        public var peer: DeviceAddress?
        /// The number of the connection in this capture, from 1: handles are used again.
        public var connection: Int?
        /// From the bottom up.
        public var layers: [Layer]

        /// The fields of a protocol.
        public func layer(_ name: String) -> FieldValue? { layers.first { $0.name == name }?.fields }
    }

    /// A direction of a connection.
    private struct Direction: Sendable {
        var frame: [UInt8] = []
        var isOpen = false
        /// Octets of an SDU that are there, and its length, by the channel that it goes to.
        var units: [UInt16: (length: Int, octets: [UInt8])] = [:]
        /// Credit based channels by the end that receives: what they connect to.
        var channels: [UInt16: L2CAP.SPSM] = [:]
        /// Requests that wait for their answer, by identifier.
        var requests: [UInt8: (spsm: L2CAP.SPSM, ends: [UInt16])] = [:]

        mutating func learn(_ channel: UInt16, _ spsm: L2CAP.SPSM, limit: Int) {
            guard channels.count < limit || channels[channel] != nil else { return }
            channels[channel] = spsm
            units.removeValue(forKey: channel)
        }

        mutating func forget(_ channel: UInt16) {
            channels.removeValue(forKey: channel)
            units.removeValue(forKey: channel)
        }
    }

    private struct Connection: Sendable {
        var number: Int
        var peer: DeviceAddress?
        var sent = Direction()
        var received = Direction()

        subscript(isReceived: Bool) -> Direction {
            get { isReceived ? received : sent }
            set { if isReceived { received = newValue } else { sent = newValue } }
        }
    }

    private static let frameLimit = 65_535 + L2CAP.BasicHeader.byteCount
    private static let channelLimit = 64

    private var connections: [UInt16: Connection] = [:]
    private var connectionCount = 0

    /// Starts with no connection.
    public init() {}

    /// Names the fields of the next packet.
    ///
    /// - Parameters:
    ///   - packet: the H4 packet, its type octet included.
    ///   - isReceived: true from the controller to the host.
    public mutating func dissect(_ packet: [UInt8], isReceived: Bool) -> Packet {
        guard let first = packet.first else {
            return Packet(kind: .other, name: "empty", layers: [])
        }
        let body = Array(packet.dropFirst())
        switch H4.PacketType(rawValue: first) {
        case .command: return command(body)
        case .event: return event(body)
        case .acl: return data(body, isReceived)
        default:
            return Packet(
                kind: .other, name: H4.PacketType(rawValue: first).description,
                layers: [Layer(name: "hci", fields: ["octets": .bytes(body)])])
        }
    }

    // MARK: - HCI

    private func describe(
        _ kind: Kind, _ name: String, _ fields: FieldValue, handle: UInt16? = nil
    ) -> Packet {
        var packet = Packet(kind: kind, name: name, layers: [Layer(name: "hci", fields: fields)])
        packet.handle = handle
        packet.peer = handle.flatMap { connections[$0]?.peer }
        packet.connection = handle.flatMap { connections[$0]?.number }
        return packet
    }

    private func command(_ body: [UInt8]) -> Packet {
        let dissected = HCIDissection.command(body)
        return describe(.command, dissected.name, dissected.fields, handle: dissected.handle)
    }

    private mutating func event(_ body: [UInt8]) -> Packet {
        let dissected = HCIDissection.event(body)
        if let opened = dissected.opened { open(opened.handle, opened.peer) }
        let packet = describe(.event, dissected.name, dissected.fields, handle: dissected.handle)
        if let closed = dissected.closed { connections.removeValue(forKey: closed) }
        if dissected.isReset { connections = [:] }
        return packet
    }

    private mutating func open(_ handle: UInt16, _ peer: DeviceAddress?) {
        connectionCount += 1
        connections[handle] = Connection(number: connectionCount, peer: peer)
    }

    // MARK: - data

    private mutating func data(_ body: [UInt8], _ isReceived: Bool) -> Packet {
        guard let header = HCI.ACLHeader(reading: body.span.bytes) else {
            return describe(.data, "ACL data", ["error": "cut off", "octets": .bytes(body)])
        }
        // A capture may begin in the middle of a connection.
        if connections[header.handle] == nil { open(header.handle, nil) }
        var fields = HCIDissection.members(of: header.dissected())
        let octets = Array(body.dropFirst(HCI.ACLHeader.size))
        if octets.count != Int(header.length) { fields.append(.init("error", "the length does not fit")) }
        var packet = describe(.data, "ACL data", .object(fields), handle: header.handle)
        guard octets.count == Int(header.length), header.boundary != .reserved else { return packet }
        guard var connection = connections[header.handle] else { return packet }
        if let frame = Self.reassemble(octets, isFirst: header.boundary.isFirst, &connection[isReceived]) {
            frameArrived(frame, isReceived, &connection, &packet)
        } else {
            packet.name = header.boundary.isFirst ? "ACL data, first part of a frame" : "ACL data, part of a frame"
        }
        connections[header.handle] = connection
        return packet
    }

    /// The frame that is whole with these octets; nil when there is none.
    private static func reassemble(_ octets: [UInt8], isFirst: Bool, _ direction: inout Direction) -> [UInt8]? {
        if isFirst {
            direction.frame = []
            direction.isOpen = true
        }
        guard direction.isOpen, direction.frame.count + octets.count <= frameLimit else {
            direction.isOpen = false
            return nil
        }
        direction.frame += octets
        guard let header = L2CAP.BasicHeader(in: direction.frame.span.bytes) else { return nil }
        let whole = Int(header.length) + L2CAP.BasicHeader.byteCount
        guard direction.frame.count >= whole else { return nil }
        direction.isOpen = false
        defer { direction.frame = [] }
        return direction.frame.count == whole ? direction.frame : nil
    }

    private func frameArrived(
        _ frame: [UInt8], _ isReceived: Bool, _ connection: inout Connection, _ packet: inout Packet
    ) {
        guard let header = L2CAP.BasicHeader(in: frame.span.bytes) else { return }
        let payload = Array(frame.dropFirst(L2CAP.BasicHeader.byteCount))
        packet.layers.append(
            Layer(
                name: "l2cap",
                fields: [
                    "pdu length": FieldValue(integer: header.length),
                    "channel id": FieldValue(integer: header.channelID.rawValue),
                    "channel": .text(header.channelID.description),
                ]))
        switch header.channelID {
        case .attribute: addAttribute(payload, &packet)
        case .securityManager:
            let fields = SMP.dissect(payload)
            packet.layers.append(Layer(name: "smp", fields: fields))
            packet.name = "SMP " + HCIDissection.text(fields["code"])
        case .signaling: signal(payload, isReceived, &connection, &packet)
        default:
            packet.name = "L2CAP channel \(header.channelID)"
            if let spsm = connection[isReceived].channels[header.channelID.rawValue] {
                segment(payload, header.channelID.rawValue, spsm, &connection[isReceived], &packet)
            } else {
                packet.layers.append(Layer(name: "sdu", fields: ["octets": .bytes(payload)]))
            }
        }
    }

    private func addAttribute(_ pdu: [UInt8], _ packet: inout Packet) {
        let fields = ATT.dissect(pdu)
        packet.layers.append(Layer(name: "att", fields: fields))
        packet.name = "ATT " + HCIDissection.text(fields["opcode"])
    }

    // MARK: - channels

    private func segment(
        _ payload: [UInt8], _ channel: UInt16, _ spsm: L2CAP.SPSM, _ direction: inout Direction, _ packet: inout Packet
    ) {
        var octets = payload[...]
        var unit = direction.units[channel]
        var fields: [FieldValue.Member] = [.init("spsm", FieldValue(integer: spsm.rawValue))]
        if unit == nil {
            guard payload.count >= 2 else { return }
            let length = Int(payload[0]) | Int(payload[1]) << 8
            unit = (length, [])
            octets = payload.dropFirst(2)
            fields.append(.init("sdu length", FieldValue(integer: length)))
        }
        guard var unit else { return }
        unit.octets += octets
        packet.name = "L2CAP segment on SPSM 0x\(Hex.encode([UInt8(truncatingIfNeeded: spsm.rawValue)]))"
        guard unit.octets.count >= unit.length else {
            direction.units[channel] = unit
            fields.append(.init("octets", .bytes(Array(octets))))
            packet.layers.append(Layer(name: "sdu", fields: .object(fields)))
            return
        }
        direction.units.removeValue(forKey: channel)
        if unit.octets.count > unit.length { fields.append(.init("error", "longer than its length")) }
        fields.append(.init("data", .bytes(unit.octets)))
        packet.layers.append(Layer(name: "sdu", fields: .object(fields)))
        packet.name = "L2CAP SDU of \(unit.octets.count) octets"
        if spsm == .enhancedATT { addAttribute(unit.octets, &packet) }
    }

    private func signal(
        _ payload: [UInt8], _ isReceived: Bool, _ connection: inout Connection, _ packet: inout Packet
    ) {
        guard let command = try? L2CAP.SignalingCommand(decoding: payload) else {
            packet.layers.append(Layer(name: "signaling", fields: ["error": "malformed", "octets": .bytes(payload)]))
            packet.name = "L2CAP signaling, malformed"
            return
        }
        let fields = command.dissected()
        packet.layers.append(Layer(name: "signaling", fields: fields))
        packet.name = "L2CAP \(HCIDissection.text(fields["command"]))"
        // What flows to the sender of a request goes to the ends that the request names, and the other way round.
        switch command.body {
        case .leCreditBasedConnectionRequest(let request):
            connection[isReceived].requests[command.identifier] = (request.spsm, [request.source.rawValue])
        case .creditBasedConnectionRequest(let request):
            let ends = request.sources.prefix(5).map(\.rawValue)
            connection[isReceived].requests[command.identifier] = (request.spsm, Array(ends))
        case .leCreditBasedConnectionResponse(let response):
            answered(command.identifier, [response.destination.rawValue], isReceived, &connection)
        case .creditBasedConnectionResponse(let response):
            answered(command.identifier, response.destinations.prefix(5).map(\.rawValue), isReceived, &connection)
        case .disconnectionRequest(let request):
            connection[isReceived].forget(request.destination.rawValue)
            connection[!isReceived].forget(request.source.rawValue)
        default: break
        }
    }

    private func answered(_ identifier: UInt8, _ ends: [UInt16], _ isReceived: Bool, _ connection: inout Connection) {
        guard let request = connection[!isReceived].requests.removeValue(forKey: identifier) else { return }
        for (mine, theirs) in zip(request.ends, ends) where theirs != 0 {
            connection[isReceived].learn(mine, request.spsm, limit: Self.channelLimit)
            connection[!isReceived].learn(theirs, request.spsm, limit: Self.channelLimit)
        }
    }
}
