// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// A bearer with an end that a test can look at.
final class BearerRig: ATTBearerOutput {
    var sent: [[UInt8]] = []
    var updates: [(handle: UInt16, value: [UInt8], isIndication: Bool)] = []
    var failures: [HostError] = []
    var readyCount = 0
    var canSend = true
    var now = MonotonicTime.zero
    private(set) var bearer: ATTBearer!

    init(server: GATTServer? = nil, localMTU: Int = 512, link: UInt64 = 1) {
        bearer = ATTBearer(
            localMTU: localMTU, server: server,
            peer: ATTPeer(link: LinkID(rawValue: link), peer: PeerID(BluetoothUUID())), output: self)
    }

    func bearer(_ bearer: ATTBearer, send pdu: RawSpan) { sent.append(pdu.array) }
    func bearerCanSend(_ bearer: ATTBearer) -> Bool { canSend }
    func bearer(_ bearer: ATTBearer, received value: RawSpan, of handle: UInt16, isIndication: Bool) {
        updates.append((handle, value.array, isIndication))
    }
    func bearer(_ bearer: ATTBearer, changedMTU mtu: Int) {}
    func bearerReadyToWrite(_ bearer: ATTBearer) { readyCount += 1 }
    func bearer(_ bearer: ATTBearer, failed error: HostError) { failures.append(error) }

    /// Hands in a PDU and returns what was sent since, both in hexadecimal.
    @discardableResult
    func receive(_ hex: String) -> [String] {
        receive((try? Hex.decode(hex)) ?? [])
    }

    @discardableResult
    func receive(_ pdu: [UInt8]) -> [String] {
        bearer.receive(pdu.span.bytes, now: now)
        return take()
    }

    func take() -> [String] {
        defer { sent = [] }
        return sent.map { Hex.encode($0) }
    }

    func advance(seconds: Int) {
        now = now + .seconds(seconds)
        bearer.tick(now: now)
    }
}

/// The application behind a server.
final class ServerApplication: GATTServerDelegate {
    var asked: [(requests: [AttributeRequest], token: RequestToken?, owner: Int)] = []
    var written: [(handle: UInt16?, value: [UInt8])] = []
    var subscriptions: [(handle: UInt16?, mode: SubscriptionMode)] = []
    var ready = 0
    var authorizes = false
    var onRequest: ((GATTServer, [AttributeRequest], RequestToken?) -> Void)?

    func server(
        _ server: GATTServer, requests: [AttributeRequest], token: RequestToken?, owner: Int, from bearer: ATTBearer
    ) {
        asked.append((requests, token, owner))
        onRequest?(server, requests, token)
    }
    func server(
        _ server: GATTServer, wrote value: [UInt8], to attribute: AttributeID, owner: Int, from bearer: ATTBearer
    ) { written.append((attribute.handle, value)) }
    func server(
        _ server: GATTServer, subscription mode: SubscriptionMode, of attribute: AttributeID, owner: Int,
        from bearer: ATTBearer
    ) { subscriptions.append((attribute.handle, mode)) }
    func server(_ server: GATTServer, readyToUpdate bearer: ATTBearer) { ready += 1 }
    func server(
        _ server: GATTServer, authorizes attribute: AttributeID, forWriting: Bool, from bearer: ATTBearer
    ) -> Bool { authorizes }
}

/// The database that four servers were asked about (host-stacks §2), and one with dynamic values.
enum TestDatabase {
    static func reference() throws -> GATTServer {
        let server = GATTServer()
        let long = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        try server.add(
            [
                ServiceDefinition(
                    uuid: 0x1800,
                    characteristics: [
                        .init(
                            uuid: 0x2A00, properties: .read, permissions: .readable,
                            value: .stored(Array("Cerulean".utf8))),
                        .init(uuid: 0x2A01, properties: .read, permissions: .readable, value: .stored([0, 0])),
                    ]),
                ServiceDefinition(
                    uuid: 0xFFF0,
                    characteristics: [
                        .init(
                            uuid: 0xFFF1, properties: [.read, .write], permissions: .readWrite,
                            value: .stored([1, 2, 3, 4])),
                        .init(uuid: 0xFFF2, properties: .write, permissions: .writable, value: .stored([9])),
                        .init(
                            uuid: 0xFFF3, properties: [.read, .notify, .indicate], permissions: .readable,
                            value: .stored([0xAA])),
                        .init(
                            uuid: 0xFFF4, properties: [.read, .write], permissions: .readWrite, value: .stored(long)),
                        .init(
                            uuid: 0xFFF5, properties: .read, permissions: .init(read: .encrypted),
                            value: .stored([0x55])),
                        .init(
                            uuid: 0xFFF6, properties: [.read, .writeWithoutResponse], permissions: .readWrite,
                            value: .stored([0])),
                    ]),
                ServiceDefinition(
                    uuid: "12345678-1234-5678-1234-56789ABCDEF0",
                    characteristics: [
                        .init(
                            uuid: "12345678-1234-5678-1234-56789ABCDEF1", properties: .read, permissions: .readable,
                            value: .stored([0x77]))
                    ]),
            ], now: .zero)
        return server
    }

    /// Values at 0x0003 and 0x0005 are the application's (owners 1 and, from 0x0006 on, 2); 0x0008 is too, 0x000A is stored.
    static func dynamic() throws -> (GATTServer, ServerApplication) {
        let server = GATTServer()
        let application = ServerApplication()
        server.delegate = application
        let dynamic = { (uuid: BluetoothUUID) in
            CharacteristicDefinition(
                uuid: uuid, properties: [.read, .write], permissions: .readWrite, value: .dynamic)
        }
        try server.add(
            [ServiceDefinition(uuid: 0xFFE0, characteristics: [dynamic(0xFFE1), dynamic(0xFFE2)])], owner: 1, now: .zero
        )
        try server.add(
            [
                ServiceDefinition(
                    uuid: 0xFFD0,
                    characteristics: [
                        dynamic(0xFFD1),
                        .init(
                            uuid: 0xFFD2, properties: [.read, .write], permissions: .readWrite, value: .stored([1, 2])),
                    ])
            ], owner: 2, now: .zero)
        return (server, application)
    }
}
