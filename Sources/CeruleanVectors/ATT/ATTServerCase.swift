// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// A case in which the tester is the client and our server answers.
struct ATTServerCase {
    private struct Action {
        var isIndication: Bool
        var handle: UInt16
        var value: [UInt8]
    }

    private let output = ATTCaseOutput()
    private let server: GATTServer
    private let bearer: ATTBearer
    private let configurations: [UInt16]
    private var action: Action?
    private var lastRequest: [UInt8] = []

    init(database: ATTDatabaseDescription?, action: CaseObject?, expect: CaseObject?) throws(CaseFailure) {
        guard let database else { throw CaseFailure("database is missing") }
        server = try database.makeServer()
        configurations = database.configurations
        bearer = ATTBearer(localMTU: 512, server: server, peer: ATTCaseOutput.peer, output: output)
        if var action {
            let op = try action.text("op")
            guard op == "send_notification" || op == "send_indication" else {
                throw CaseFailure("action.op: \(op) is nothing that a server does")
            }
            self.action = Action(
                isIndication: op == "send_indication", handle: try action.handle("handle"),
                value: try action.hex("value"))
            let when = try action.text("when")
            guard when == "after the CCC write is answered" else { throw CaseFailure("action.when: unknown \(when)") }
            try action.finish()
        }
        if var expect {
            guard self.action != nil, try expect.bool("success") else {
                throw CaseFailure("expect: nothing to compare")
            }
            _ = expect.optional("meaning")
            try expect.finish()
        }
    }

    mutating func run(preamble: ATTScript, exchange: ATTScript) throws(CaseFailure) {
        guard !exchange.isEmpty else { throw CaseFailure("exchange: no PDU") }
        try play(preamble, "preamble")
        try play(exchange, "exchange")
        if let surplus = output.sent.first { throw CaseFailure("surplus \(Hex.encode(surplus))") }
        if action != nil { throw CaseFailure("action: no answer to a CCC write came") }
        guard bearer.nextDeadline == .distantFuture else { throw CaseFailure("the indication was not confirmed") }
    }

    private mutating func play(_ script: ATTScript, _ path: String) throws(CaseFailure) {
        for (index, entry) in script.entries.enumerated() {
            if entry.isTester {
                if let surplus = output.sent.first {
                    throw CaseFailure("\(path)[\(index)]: surplus \(Hex.encode(surplus)) before it")
                }
                lastRequest = entry.pdu
                bearer.receive(entry.pdu.span.bytes, now: .zero)
                continue
            }
            guard !output.sent.isEmpty else {
                throw CaseFailure("\(path)[\(index)]: expected \(Hex.encode(entry.pdu)), got nothing")
            }
            let sent = output.sent.removeFirst()
            guard sent == entry.pdu else {
                throw CaseFailure("\(path)[\(index)]: expected \(Hex.encode(entry.pdu)), got \(Hex.encode(sent))")
            }
            if path == "exchange", sent == [ATT.Opcode.writeResponse.rawValue] { try act() }
        }
    }

    /// Does the action once the tester has configured the characteristic.
    private mutating func act() throws(CaseFailure) {
        guard let due = action, let write = try? ATT.WriteRequest(pdu: lastRequest),
            configurations.contains(write.handle)
        else { return }
        action = nil
        guard let id = server.id(of: due.handle) else { throw CaseFailure("action.handle: no such attribute") }
        guard server.update(due.value, of: id, for: .allSubscribers, now: .zero) else {
            throw CaseFailure("action: the value was refused")
        }
        let opcode: ATT.Opcode = due.isIndication ? .handleValueIndication : .handleValueNotification
        guard output.sent.first?.first == opcode.rawValue else { throw CaseFailure("action: no \(opcode) was sent") }
    }
}
