// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// A case in which our client is driven and the tester is the server.
final class ATTClientCase {
    private let database: ATTDatabaseDescription?
    private var action: CaseObject
    private var expect: CaseObject?
    private let preamble: ATTScript
    private let exchange: ATTScript
    private let output = ATTCaseOutput()
    private var bearer: ATTBearer
    private let op: String
    private let raisesSecurity: Bool
    private let mtu: Int

    init(
        database: ATTDatabaseDescription?, action: CaseObject?, expect: CaseObject?, preamble: ATTScript,
        exchange: ATTScript, raisesSecurity: Bool
    ) throws(CaseFailure) {
        self.raisesSecurity = raisesSecurity
        guard var action else { throw CaseFailure("action is missing") }
        guard !exchange.isEmpty else { throw CaseFailure("exchange: no PDU") }
        op = try action.text("op")
        mtu = op == "connect" ? try action.integer("mtu") : 512
        self.database = database
        self.action = action
        self.expect = expect
        self.preamble = preamble
        self.exchange = exchange
        bearer = ATTBearer(localMTU: mtu, server: nil, peer: ATTCaseOutput.peer, output: output)
    }

    func run() throws(CaseFailure) {
        let discovered = try playPreamble()
        if op != "connect", preamble.isEmpty, exchange.requests.first?.first == ATT.Opcode.exchangeMTURequest.rawValue {
            bearer.exchangeMTU(now: .zero) { _ in }
            try play(exchange, "exchange", from: 0, to: 2)
        }
        let runner = ATTClientAction(
            op: op, exchange: exchange, database: database,
            configuration: { [database] handle in
                Self.configuration(of: handle, in: discovered) ?? database?.configuration(of: handle)
            })
        let start = { [self, action] () throws(CaseFailure) -> Void in
            var action = action
            try runner.start(&action, on: bearer)
            try action.finish()
        }
        if raisesSecurity {
            runner.raiseSecurity = { [self] in
                bearer.peer.security = .encrypted
                try? start()
            }
        }
        try start()
        if op == "full_discovery" {
            try playDiscovery(exchange, "exchange", from: played, again: start)
        } else {
            try play(exchange, "exchange", from: played, to: exchange.entries.count)
        }
        if let surplus = output.sent.first { throw CaseFailure("surplus \(Hex.encode(surplus))") }
        guard bearer.isIdle || op == "connect" else { throw CaseFailure("the client waits for another answer") }
        try runner.compare(&expect, updates: output.updates)
        try expect?.finish()
    }

    /// Entries of the exchange that have been played.
    private var played = 0

    private static func configuration(of handle: UInt16, in database: GATT.Database?) -> UInt16? {
        database?.services.flatMap(\.characteristics).first { $0.characteristic.handle == handle }?
            .descriptors.first { $0.uuid == GATT.clientConfiguration }?.handle
    }

    // MARK: - the tester

    /// Brings the bearer to where the case starts: MTU exchange and, where the preamble has more, discovery.
    private func playPreamble() throws(CaseFailure) -> GATT.Database? {
        guard let first = preamble.requests.first else {
            guard preamble.isEmpty else { throw CaseFailure("preamble: nothing for the client to do") }
            return nil
        }
        guard first.first == ATT.Opcode.exchangeMTURequest.rawValue else {
            throw CaseFailure("preamble: no MTU exchange at its start")
        }
        bearer.exchangeMTU(now: .zero) { _ in }
        try play(preamble, "preamble", from: 0, to: 2)
        guard preamble.entries.count > 2 else { return nil }
        var result: Result<GATT.Database, HostError>?
        let discover = { [self] () throws(CaseFailure) -> Void in bearer.discoverDatabase(now: .zero) { result = $0 } }
        try discover()
        try playDiscovery(preamble, "preamble", from: 2, again: discover)
        guard case .success(let found)? = result else { throw CaseFailure("preamble: discovery failed") }
        try database?.compare(found)
        return found
    }

    private func play(_ script: ATTScript, _ path: String, from start: Int, to end: Int) throws(CaseFailure) {
        guard end <= script.entries.count else { throw CaseFailure("\(path): cut short") }
        for index in start..<end {
            let entry = script.entries[index]
            guard !entry.isTester else {
                if let surplus = output.sent.first {
                    throw CaseFailure("\(path)[\(index)]: surplus \(Hex.encode(surplus)) before it")
                }
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
        }
        if path == "exchange" { played = end }
    }

    /// A discovery: as recorded, or in our own order with answers from the database's description.
    ///
    /// Another order is legal. But a recording that differs from ours in a single request, while its answers lead to the same
    /// end, is no other order: it is a wrong expectation.
    private func playDiscovery(
        _ script: ATTScript, _ path: String, from start: Int, again: () throws(CaseFailure) -> Void
    ) throws(CaseFailure) {
        var index = start
        var differences: [String] = []
        while let sent = output.sent.first, index + 1 < script.entries.count {
            output.sent.removeFirst()
            let entry = script.entries[index]
            let answer = script.entries[index + 1]
            guard !entry.isTester, answer.isTester else {
                throw CaseFailure("\(path)[\(index)]: no request with its answer")
            }
            if sent != entry.pdu {
                differences.append("\(path)[\(index)]: expected \(Hex.encode(entry.pdu)), got \(Hex.encode(sent))")
            }
            bearer.receive(answer.pdu.span.bytes, now: .zero)
            index += 2
        }
        if path == "exchange" { played = script.entries.count }
        if let first = differences.first {
            guard differences.count > 1, let database else { throw CaseFailure(first) }
            return try playOwnOrder(database, again)
        }
        if let sent = output.sent.first { throw CaseFailure("\(path): surplus \(Hex.encode(sent))") }
        if index < script.entries.count {
            throw CaseFailure("\(path)[\(index)]: expected \(Hex.encode(script.entries[index].pdu)), got nothing")
        }
    }

    /// Starts again; the tester answers from the database's description.
    private func playOwnOrder(
        _ database: ATTDatabaseDescription, _ again: () throws(CaseFailure) -> Void
    ) throws(CaseFailure) {
        let answers = ATTCaseOutput()
        let tester = ATTBearer(
            localMTU: 512, server: try database.makeServer(), peer: ATTCaseOutput.peer, output: answers)
        output.sent = []
        bearer = ATTBearer(localMTU: mtu, server: nil, peer: ATTCaseOutput.peer, output: output)
        bearer.exchangeMTU(now: .zero) { _ in }
        try again()
        while let sent = output.sent.first {
            output.sent.removeFirst()
            tester.receive(sent.span.bytes, now: .zero)
            guard let answer = answers.sent.popLast() else {
                throw CaseFailure("the tester has no answer to \(Hex.encode(sent))")
            }
            bearer.receive(answer.span.bytes, now: .zero)
        }
    }
}
