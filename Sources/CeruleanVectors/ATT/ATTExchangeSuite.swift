// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// Runs ATT exchanges in either role against our bearer, client and server, octet for octet.
public struct ATTExchangeSuite: VectorSuite {
    /// A suite; it has no state.
    public init() {}

    /// `server` drives the server, `client` the client.
    public let kinds: Set<String> = ["server", "client"]

    /// Runs one exchange and compares every PDU and result.
    public func run(_ test: VectorCase) async throws(CaseFailure) { try Self.run(test) }

    static func run(_ test: VectorCase) throws(CaseFailure) {
        var members = try test.members()
        let role = try members.text("role")
        guard role == test.kind else { throw CaseFailure("role: \(role) in a case of kind \(test.kind)") }
        var database: ATTDatabaseDescription?
        if let name = members.optional("database") {
            guard case .text(let name) = name else { throw members.wrongType("database", "text") }
            guard let found = test.shared["databases"]?[name] else {
                throw CaseFailure("database: no \(name) in the file")
            }
            database = try ATTDatabaseDescription(found, at: "databases.\(name)")
        }
        let preamble = try ATTScript(members.optional("preamble"), at: "preamble")
        guard let given = members.optional("exchange") else { throw CaseFailure("exchange is missing") }
        let exchange = try ATTScript(given, at: "exchange")
        let action: CaseObject? = try members.optionalObject("action")
        let expect: CaseObject? = try members.optionalObject("expect")
        try members.finish()
        if role == "server" {
            var run = try ATTServerCase(database: database, action: action, expect: expect)
            try run.run(preamble: preamble, exchange: exchange)
        } else {
            let run = try ATTClientCase(
                database: database, action: action, expect: expect, preamble: preamble, exchange: exchange,
                raisesSecurity: test.id.hasSuffix("-auto"))
            try run.run()
        }
    }
}

extension CaseObject {
    /// Takes an object if there is one.
    mutating func optionalObject(_ name: String) throws(CaseFailure) -> CaseObject? {
        guard let value = optional(name) else { return nil }
        return try CaseObject(value, at: path(of: name))
    }

    /// Takes a number of 16 bits.
    mutating func handle(_ name: String) throws(CaseFailure) -> UInt16 {
        guard let handle = UInt16(exactly: try integer(name)) else { throw wrongType(name, "number of 16 bits") }
        return handle
    }

    /// Takes a number of 16 bits if there is one.
    mutating func handle(_ name: String, default value: UInt16) throws(CaseFailure) -> UInt16 {
        names.contains(name) ? try handle(name) : value
    }

    /// Takes a UUID in text.
    mutating func uuid(_ name: String) throws(CaseFailure) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(try text(name)) else { throw wrongType(name, "UUID") }
        return uuid
    }
}

/// The PDUs of a case in order.
struct ATTScript {
    struct Entry {
        var isTester: Bool
        var pdu: [UInt8]
    }

    var entries: [Entry] = []

    init(_ value: FieldValue?, at path: String) throws(CaseFailure) {
        guard let value else { return }
        guard case .list(let list) = value else { throw CaseFailure("\(path): no list") }
        for (index, element) in list.enumerated() {
            guard case .list(let pair) = element, pair.count == 2, case .text(let side) = pair[0],
                case .text(let hex) = pair[1], side == "tester" || side == "iut"
            else { throw CaseFailure("\(path)[\(index)]: no pair of side and octets") }
            guard let pdu = try? Hex.decode(hex), !pdu.isEmpty else {
                throw CaseFailure("\(path)[\(index)]: no octets in hexadecimal")
            }
            entries.append(Entry(isTester: side == "tester", pdu: pdu))
        }
    }

    /// Each request of the stack with what the tester answered.
    var pairs: [(request: [UInt8], response: [UInt8])] {
        var pairs: [(request: [UInt8], response: [UInt8])] = []
        for index in entries.indices.dropFirst() where entries[index].isTester && !entries[index - 1].isTester {
            pairs.append((entries[index - 1].pdu, entries[index].pdu))
        }
        return pairs
    }

    var isEmpty: Bool { entries.isEmpty }
    var requests: [[UInt8]] { entries.filter { !$0.isTester }.map(\.pdu) }
}

/// The end of a bearer where a case listens.
final class ATTCaseOutput: ATTBearerOutput {
    struct Update {
        var handle: UInt16
        var value: [UInt8]
        var isIndication: Bool
    }

    /// What the bearer sent and nobody has looked at.
    var sent: [[UInt8]] = []
    var updates: [Update] = []

    func bearer(_ bearer: ATTBearer, send pdu: RawSpan) { sent.append(pdu.array) }
    func bearerCanSend(_ bearer: ATTBearer) -> Bool { true }
    func bearer(_ bearer: ATTBearer, received value: RawSpan, of handle: UInt16, isIndication: Bool) {
        updates.append(Update(handle: handle, value: value.array, isIndication: isIndication))
    }
    func bearer(_ bearer: ATTBearer, changedMTU mtu: Int) {}
    func bearerReadyToWrite(_ bearer: ATTBearer) {}
    func bearer(_ bearer: ATTBearer, failed error: HostError) {}

    static let peer = ATTPeer(link: LinkID(rawValue: 1), peer: PeerID(BluetoothUUID()))
}
