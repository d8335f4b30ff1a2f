// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// Does what a client case asks for, and compares what the caller gets.
final class ATTClientAction {
    /// What came out, in the terms of `expect`.
    private enum Outcome {
        case done
        case value([UInt8], endedBy: ATT.ErrorCode?)
        case lines([String])
        case database(GATT.Database)
        case failed(HostError)
    }

    private let op: String
    private let exchange: ATTScript
    private let database: ATTDatabaseDescription?
    private let configuration: (UInt16) -> UInt16?
    /// Secures the link and starts the operation again, where the case says that this happens by itself.
    var raiseSecurity: (() -> Void)?
    private var outcome: Outcome?
    private var subscribed: UInt16 = 0
    /// What discovery must find, in words; nil for other operations.
    private var wanted: [String]?
    /// What the database has in the range asked for.
    private var described: [String]?

    init(
        op: String, exchange: ATTScript, database: ATTDatabaseDescription?,
        configuration: @escaping (UInt16) -> UInt16?
    ) {
        self.op = op
        self.exchange = exchange
        self.database = database
        self.configuration = configuration
    }

    /// Starts the operation.
    func start(_ action: inout CaseObject, on bearer: ATTBearer) throws(CaseFailure) {
        switch op {
        case "connect":
            bearer.exchangeMTU(now: .zero) { [self] in take($0.map { _ in .done }) }
            // The tester need not answer.
            outcome = .done
        case "discover_primary", "find_included", "discover_characteristics", "discover_descriptors":
            try discover(&action, on: bearer)
        case "full_discovery":
            bearer.discoverDatabase(now: .zero) { [self] in take($0.map { .database($0) }) }
        case "read":
            bearer.readFirstPart(of: try action.handle("handle"), now: .zero, completion: takeValue)
        case "long_read":
            let handle = try action.handle("handle")
            let offset = try action.handle("offset", default: 0)
            bearer.read(handle, offset: offset, now: .zero, completion: takeValue)
        case "read_by_type":
            let uuid = try action.uuid("uuid")
            bearer.readByType(
                uuid, start: try action.handle("start", default: 1), end: try action.handle("end", default: 0xFFFF),
                now: .zero
            ) { [self] in take($0.map { .value($0.values.flatMap(\.value), endedBy: $0.endedBy) }) }
        case "read_multiple":
            let handles = try action.integers("handles").compactMap { UInt16(exactly: $0) }
            bearer.readMultiple(handles, now: .zero, completion: takeValue)
        case "write":
            bearer.write(try action.hex("value"), to: try action.handle("handle"), now: .zero, completion: takeDone)
        case "write_without_response":
            bearer.writeCommand(
                try action.hex("value"), to: try action.handle("handle"), now: .zero, completion: takeDone)
        case "signed_write":
            try signedWrite(&action, on: bearer)
        case "signed_write_on_encrypted_link":
            bearer.peer.security = .encrypted
            bearer.writeCommand(
                try action.hex("value"), to: try action.handle("handle"), now: .zero, completion: takeDone)
        case "long_write":
            let handle = try action.handle("handle")
            bearer.writeLong(
                try action.hex("value"), to: handle, offset: try action.handle("offset", default: 0), now: .zero,
                completion: takeDone)
        case "reliable_write":
            let handle = try action.handle("handle")
            bearer.writeReliably([(handle, try action.hex("value"))], now: .zero, completion: takeDone)
        case "subscribe_notification", "subscribe_indication":
            let handle = try action.handle("handle")
            subscribed = handle
            guard let descriptor = configuration(handle) else {
                throw CaseFailure("action.handle: no characteristic that can be subscribed to")
            }
            bearer.subscribe(
                to: handle, end: descriptor, descriptor: descriptor,
                mode: op == "subscribe_indication" ? .indications : .notifications, now: .zero
            ) { [self] in take($0.map { _ in .done }) }
        default:
            throw CaseFailure("action.op: unknown \(op)")
        }
    }

    /// Compares what came out with what is expected.
    func compare(_ expect: inout CaseObject?, updates: [ATTCaseOutput.Update]) throws(CaseFailure) {
        guard let outcome else { throw CaseFailure("the operation has not ended") }
        switch outcome {
        case .failed(let error):
            guard expect?.names.contains("att_error") == true, var expected = expect else {
                throw CaseFailure("the operation failed: \(error.code) \(error.attribute.map { "ATT \($0)" } ?? "")")
            }
            let code = try expected.integer("att_error")
            guard error.attribute.map(Int.init) == code else {
                throw CaseFailure(
                    "expect.att_error: expected \(code), got \(error.attribute.map { "\($0)" } ?? "none")")
            }
            expect = expected
        case .done:
            // How the exchange ends says nothing about what the caller got, but for the first exchange of all.
            let wanted = updates.isEmpty ? "success" : "value_update"
            guard op == "connect" || expect?.names.contains(wanted) == true else {
                throw CaseFailure("expect.\(wanted) is missing")
            }
        case .value(let value, let endedBy): try compare(value, endedBy, &expect)
        case .lines(let found):
            try compare(found, wanted ?? [])
            if let described { try compare(found, described) }
        case .database(let found): try compare(found)
        }
        guard var expected = expect else { return }
        if expected.names.contains("success") {
            guard try expected.bool("success") else { throw CaseFailure("expect.success: only true is known") }
            if case .failed = outcome { throw CaseFailure("expect.success: the operation failed") }
        }
        if expected.names.contains("value_update") {
            guard op.hasPrefix("subscribe_") else {
                throw CaseFailure("expect.value_update: nothing was subscribed to")
            }
            let value = try expected.hex("value_update")
            let handle = try expected.handle("handle")
            guard handle == subscribed else {
                throw CaseFailure("expect.handle: \(subscribed) was subscribed to, not \(handle)")
            }
            guard updates.map(\.value) == [value] else {
                throw CaseFailure("expect.value_update: got \(updates.map { Hex.encode($0.value) })")
            }
        }
        try compare(updates)
        _ = expected.optional("meaning")
        expect = expected
    }

    // MARK: - private

    private func compare(
        _ value: [UInt8], _ endedBy: ATT.ErrorCode?, _ expect: inout CaseObject?
    ) throws(CaseFailure) {
        guard var expected = expect else { throw CaseFailure("expect is missing") }
        let wanted = try expected.hex("value")
        guard value == wanted else {
            throw CaseFailure("expect.value: expected \(Hex.encode(wanted)), got \(Hex.encode(value))")
        }
        if endedBy != nil || expected.names.contains("ended_by_att_error") {
            let code = try expected.integer("ended_by_att_error")
            guard endedBy.map({ Int($0.rawValue) }) == code else {
                throw CaseFailure("expect.ended_by_att_error: got \(endedBy.map(\.description) ?? "none")")
            }
        }
        expect = expected
    }

    /// Whatever the tester notified must have come out as it was sent. (In GAI-CL-BV-01-C it names another characteristic
    /// than the one subscribed to.)
    private func compare(_ updates: [ATTCaseOutput.Update]) throws(CaseFailure) {
        var sent: [String] = []
        for entry in exchange.entries where entry.isTester {
            if let packet = try? ATT.HandleValueNotification(pdu: entry.pdu) {
                sent.append("notification \(packet.handle) \(Hex.encode(packet.value))")
            } else if let packet = try? ATT.HandleValueIndication(pdu: entry.pdu) {
                sent.append("indication \(packet.handle) \(Hex.encode(packet.value))")
            }
        }
        try compare(
            updates.map { "\($0.isIndication ? "indication" : "notification") \($0.handle) \(Hex.encode($0.value))" },
            sent)
    }

    private func compare(_ found: [String], _ wanted: [String]) throws(CaseFailure) {
        guard found == wanted else { throw CaseFailure("expected \(wanted), found \(found)") }
    }

    private func compare(_ found: GATT.Database) throws(CaseFailure) {
        if let database { return try database.compare(found) }
        let tester = ATTTesterView(exchange.pairs)
        let nodes = found.services
        try compare(
            nodes.map { Line.service($0.service) }, tester.services.sorted { $0.start < $1.start }.map(Line.service))
        try compare(nodes.flatMap(\.includes).map(Line.include), tester.includes.map(Line.include))
        let characteristics = nodes.flatMap(\.characteristics)
        try compare(
            characteristics.map { Line.characteristic($0.characteristic) },
            tester.characteristics.map(Line.characteristic))
        try compare(
            characteristics.flatMap(\.descriptors).map { Line.descriptor($0.handle, $0.uuid) },
            tester.descriptors.map { Line.descriptor($0.handle, $0.uuid) })
    }

    private func signedWrite(_ action: inout CaseObject, on bearer: ATTBearer) throws(CaseFailure) {
        guard let key = Value128(littleEndian: try action.hex("csrk_le")) else {
            throw action.wrongType("csrk_le", "key of 16 octets")
        }
        guard let counter = UInt32(exactly: try action.integer("sign_counter")) else {
            throw action.wrongType("sign_counter", "number of 32 bits")
        }
        bearer.signedWrite(
            try action.hex("value"), to: try action.handle("handle"), now: .zero,
            sign: { try? SystemCrypto().signature(of: $0, counter: counter, key: key) }, completion: takeDone)
    }

    private func discover(_ action: inout CaseObject, on bearer: ATTBearer) throws(CaseFailure) {
        let tester = ATTTesterView(exchange.pairs)
        if op == "discover_primary" {
            let uuid = action.names.contains("uuid") ? try action.uuid("uuid") : nil
            let start = try action.handle("start", default: 1)
            let end = try action.handle("end", default: 0xFFFF)
            wanted = tester.services.map(Line.service)
            described = database?.services.sorted { $0.start < $1.start }
                .filter { $0.isPrimary && $0.start >= start && $0.start <= end && (uuid == nil || $0.uuid == uuid) }
                .map { Line.service(GATT.Service(start: $0.start, end: $0.end, uuid: $0.uuid)) }
            let take =
                { [self] in self.take($0.map { .lines($0.map(Line.service)) }) }
                as (
                    (Result<[GATT.Service], HostError>) -> Void
                )
            guard let uuid else {
                bearer.discoverPrimaryServices(start: start, end: end, now: .zero, completion: take)
                return
            }
            // Both forms of an assigned UUID are legal; the case does not say which, its first PDU does.
            let isFull = exchange.requests.first?.count == 7 + 16
            bearer.discoverPrimaryServices(
                of: uuid, sendsFullUUID: isFull, start: start, end: end, now: .zero, completion: take)
            return
        }
        let start = try action.handle("start")
        let end = try action.handle("end")
        let range = start...max(start, end)
        let characteristics = database?.services.flatMap(\.characteristics)
        switch op {
        case "find_included":
            wanted = tester.includes.map(Line.include)
            bearer.findIncludedServices(start: start, end: end, now: .zero) { [self] in
                take($0.map { .lines($0.map(Line.include)) })
            }
        case "discover_characteristics":
            wanted = tester.characteristics.map(Line.characteristic)
            described = characteristics?.filter { range.contains($0.declarationHandle ?? 0) }.map(Line.characteristic)
            bearer.discoverCharacteristics(start: start, end: end, now: .zero) { [self] in
                take($0.map { .lines($0.map(Line.characteristic)) })
            }
        default:
            wanted = tester.descriptors.map { Line.descriptor($0.handle, $0.uuid) }
            described = characteristics?.flatMap(\.descriptors).filter { range.contains($0.handle ?? 0) }
                .map { Line.descriptor($0.handle ?? 0, $0.uuid) }
            bearer.discoverDescriptors(start: start, end: end, now: .zero) { [self] in
                take($0.map { .lines($0.map { Line.descriptor($0.handle, $0.uuid) }) })
            }
        }
    }

    private func take(_ result: Result<Outcome, HostError>) {
        switch result {
        case .success(let value): outcome = value
        case .failure(let error):
            if error.code == .insufficientSecurity, let raiseSecurity {
                self.raiseSecurity = nil
                return raiseSecurity()
            }
            outcome = .failed(error)
        }
    }

    private func takeValue(_ result: Result<[UInt8], HostError>) { take(result.map { .value($0, endedBy: nil) }) }
    private func takeDone(_ result: Result<Void, HostError>) { take(result.map { .done }) }
}
