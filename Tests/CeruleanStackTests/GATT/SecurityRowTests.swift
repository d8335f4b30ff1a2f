// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// The rows A1 to A19 of the security reference that concern the bearer, the server and the client.
/// A1, A4 (server's side), A9 and A11 (refusal) are in ``MalformedRequestTests``.
@Suite struct SecurityRowTests {
    @Test func a2_pduLongerThanTheMTUIsDropped() throws {
        let rig = BearerRig(server: try TestDatabase.reference())
        let long = String(repeating: "aa", count: 40)
        #expect(rig.receive("120800" + long) == ["0112000004"])
        #expect(rig.receive("520800" + long).isEmpty)
        #expect(rig.receive("0a0800") == ["0b01020304"])
        #expect(rig.receive("1b0800" + long).isEmpty)
        #expect(rig.updates.isEmpty)
    }

    @Test(arguments: [("02ffff", 512), ("020500", 23), ("020000", 23), ("026400", 100)])
    func a3_mtuIsHeldBetweenOurs(request: String, agreed: Int) throws {
        let rig = BearerRig(server: try TestDatabase.reference())
        #expect(rig.receive(request) == ["030002"])
        #expect(rig.bearer.mtu == agreed)
    }

    @Test(arguments: [("03ffff", 512), ("030000", 23), ("036400", 100), ("0102000006", 23)])
    func a3_mtuAnsweredByThePeerIsHeldBetweenOurs(response: String, agreed: Int) {
        let rig = BearerRig()
        var result: Result<Int, HostError>?
        rig.bearer.exchangeMTU(now: rig.now) { result = $0 }
        rig.receive(response)
        #expect(result == .success(agreed))
        #expect(rig.bearer.mtu == agreed)
    }

    @Test func a4_responseOfAnotherTypeLeavesTheRequestPending() {
        let rig = BearerRig()
        var result: Result<[UInt8], HostError>?
        rig.bearer.read(3, now: rig.now) { result = $0 }
        for stray in ["13", "0d01", "0501030000", "1e", "030002", "09030300aa"] { rig.receive(stray) }
        #expect(result == nil)
        rig.receive("0b07")
        #expect(result == .success([7]))
        rig.receive("0b08")
        #expect(result == .success([7]))
    }

    @Test func a5_errorThatNamesAnotherRequestIsIgnored() {
        let rig = BearerRig()
        var result: Result<[UInt8], HostError>?
        rig.bearer.read(3, now: rig.now) { result = $0 }
        rig.receive("0112030005")
        rig.receive("010a0300")
        #expect(result == nil)
        rig.receive("010a030005")
        #expect(result?.error?.attribute == 5)
        #expect(result?.error?.code == .insufficientSecurity)
    }

    @Test func a6_noResponseFor30SecondsEndsTheBearer() {
        let rig = BearerRig()
        var results: [Result<[UInt8], HostError>] = []
        rig.bearer.read(3, now: rig.now) { results.append($0) }
        rig.bearer.read(4, now: rig.now) { results.append($0) }
        #expect(rig.bearer.nextDeadline == rig.now + .seconds(30))
        rig.advance(seconds: 29)
        #expect(results.isEmpty)
        rig.advance(seconds: 1)
        #expect(results.map { $0.error?.code } == [.timedOut, .timedOut])
        #expect(rig.failures.map(\.code) == [.timedOut])
        #expect(rig.bearer.nextDeadline == .distantFuture)
        // A late response meets no request, and no new one is sent.
        rig.sent = []
        rig.bearer.read(5, now: rig.now) { results.append($0) }
        rig.receive("0b07")
        #expect(results.count == 3)
        #expect(results[2].error?.code == .disconnected)
        #expect(rig.sent.isEmpty)
    }

    @Test func a7_prepareFloodMeetsAFixedBoundAndMemoryIsFreed() throws {
        let rig = BearerRig(server: try TestDatabase.reference())
        let part = String(repeating: "aa", count: 18)
        for round in 0..<2 {
            var refused = 0
            for index in 0..<500 {
                let handle = index % 2 == 0 ? "0800" : "0f00"
                let answer = rig.receive("16" + handle + "f0ff" + part)
                if index < 64 {
                    #expect(answer == ["17" + handle + "f0ff" + part])
                } else {
                    #expect(answer == ["0116" + handle + "09"])
                    refused += 1
                }
            }
            #expect(refused == 436)
            #expect(rig.receive("1800") == ["19"], "round \(round)")
        }
        let other = BearerRig(server: try TestDatabase.reference())
        other.receive("020002")
        let big = String(repeating: "bb", count: 500)
        for _ in 0..<8 { #expect(other.receive("1608000000" + big) == ["1708000000" + big]) }
        // 4,096 octets are the other bound.
        #expect(other.receive("1608000000" + big) == ["0116080009"])
    }

    @Test func a8_permissionsAreCheckedAgainAtExecute() throws {
        let server = GATTServer()
        try server.add(
            [
                ServiceDefinition(
                    uuid: 0xFFF0,
                    characteristics: [
                        .init(
                            uuid: 0xFFF1, properties: [.read, .write],
                            permissions: .init(read: .open, write: .encrypted), value: .stored([1]))
                    ])
            ], now: .zero)
        let rig = BearerRig(server: server)
        #expect(rig.receive("160300000002") == ["0116030005"])
        rig.bearer.peer.security = .encrypted
        #expect(rig.receive("160300000002") == ["170300000002"])
        rig.bearer.peer.security = .open
        rig.bearer.peer.hasKeys = true
        #expect(rig.receive("1801") == ["011803000f"])
        #expect(rig.receive("0a0300") == ["0b01"])
    }

    @Test func a10_configurationBelongsToOneClient() throws {
        let server = try TestDatabase.reference()
        let a = BearerRig(server: server, link: 1)
        var b: BearerRig? = BearerRig(server: server, link: 2)
        #expect(a.receive("120d000100") == ["13"])
        #expect(a.receive("0a0d00") == ["0b0100"])
        #expect(b?.receive("0a0d00") == ["0b0000"])
        let id = try #require(server.id(of: 12))
        #expect(server.update([5], of: id, for: .allSubscribers, now: .zero))
        #expect(a.take() == ["1b0c0005"])
        #expect(b?.take() == [])
        b?.receive("120d000200")
        b?.bearer.close(HostError(.disconnected))
        b = BearerRig(server: server, link: 2)
        #expect(b?.receive("0a0d00") == ["0b0000"])
        b?.bearer.restoreConfigurations([13: 2])
        #expect(b?.receive("0a0d00") == ["0b0200"])
    }

    @Test func a12_longReadIsOneSnapshot() throws {
        let server = try TestDatabase.reference()
        let rig = BearerRig(server: server)
        let first = rig.receive("0a0f00")
        #expect(first == ["0b" + Hex.encode(0..<22)])
        let id = try #require(server.id(of: 15))
        #expect(server.update(Array(repeating: 0xEE, count: 300), of: id, for: .allSubscribers, now: .zero))
        #expect(rig.receive("0c0f001600") == ["0d" + Hex.encode(22..<44)])
        #expect(rig.receive("0a0f00") == ["0b" + String(repeating: "ee", count: 22)])
    }

    /// Answers that do not advance, by request opcode: the same handle again, an end before its start, handle 0, out of range.
    static let stuck: [(String, [String])] = [
        ("services", ["110601000000aabb", "110605000200aabb", "110600000500aabb"]),
        ("services", ["110602000300aabb02000300aabb", "110605000600aabb04000600aabb"]),
        ("services of a type", ["0705000200", "0700000100", "070200030002000300"]),
        ("includes", ["0908000005000600aabb", "09080200050006000f1802000500060010180000"]),
        ("characteristics", ["09070000020300aabb", "0907050002060000aa05000206001111"]),
        ("descriptors", ["050100000029", "05010500022905000229", "0501ffff0229"]),
    ]

    @Test(arguments: stuck)
    func a13_discoveryThatDoesNotAdvanceEnds(kind: String, answers: [String]) {
        for answer in answers {
            let rig = BearerRig()
            var error: HostError?
            start(kind, on: rig) { error = $0 }
            rig.sent = []
            rig.receive(answer)
            #expect(error?.code == .invalidResponse, "\(kind) \(answer)")
            #expect(rig.sent.isEmpty)
            expectUsable(rig)
        }
    }

    @Test func a13_discoveryThatRepeatsAnAnswerEnds() {
        let rig = BearerRig()
        var error: HostError?
        start("services", on: rig) { error = $0 }
        #expect(rig.receive("110602000300aabb") == ["100100ffff0028", "100400ffff0028"])
        #expect(rig.receive("110602000300aabb").isEmpty)
        #expect(error?.code == .invalidResponse)
    }

    @Test func a13_discoveryEndsAtTheLastHandle() {
        for (kind, answer) in [
            ("services", "1106ffffffffaabb"), ("services of a type", "07ffffffff"), ("descriptors", "050106000229"),
        ] {
            let rig = BearerRig()
            var error: HostError?
            start(kind, on: rig) { error = $0 ?? HostError(.wrongState) }
            rig.sent = []
            rig.receive(answer)
            #expect(rig.sent.isEmpty)
            #expect(error?.code == .wrongState, "\(kind) ended with success")
        }
    }

    static let lengths: [(String, [String])] = [
        ("services", ["11", "1100", "1101aa", "1105010002aabb", "110601000200aa", "1106", "111401000200aabb"]),
        ("services of a type", ["07", "070100", "0701000200ff"]),
        ("includes", ["09", "0900", "0901aa", "09020100", "090801000200030018", "0907010002000300aa"]),
        ("characteristics", ["0900", "0901aa", "090601000203000f", "0907010002030000"]),
        ("descriptors", ["05", "0501", "0503010000", "05010100", "0502010000290000", "050001000029"]),
    ]

    @Test(arguments: lengths)
    func a14_itemsOfAWrongLengthAreAnInvalidResponse(kind: String, answers: [String]) {
        for answer in answers {
            let rig = BearerRig()
            var error: HostError?
            start(kind, on: rig) { error = $0 }
            rig.receive(answer)
            #expect(error?.code == .invalidResponse, "\(kind) \(answer)")
            expectUsable(rig)
        }
    }

    @Test func a15_strangeLayoutsAreTakenAsFarAsConsistent() throws {
        let rig = BearerRig()
        var result: Result<GATT.Database, HostError>?
        rig.bearer.discoverDatabase(now: rig.now) { result = $0 }
        rig.receive("010801000a")
        // 1-10 with 3-5 inside it.
        rig.receive("1106" + "01000a000018" + "030005000118")
        rig.receive("01100b000a")
        rig.receive("011001000a")
        rig.receive("010801000a")
        // 2 -> its own declaration, 4 -> 5 inside, 6 -> 7, 8 -> far outside.
        rig.receive("0907" + "0200020200002a")
        rig.receive("0907" + "0400020500012a")
        rig.receive("0907" + "0600020700022a")
        rig.receive("0907" + "080002ff00032a")
        rig.receive2([0x01, 0x08, 0x09, 0x00, 0x0A])
        while result == nil, let request = rig.sent.popLast() {
            rig.receive2([0x01, request[0], request[1], request[2], 0x0A])
        }
        let database = try #require(try? result?.get())
        #expect(database.services.map(\.service.start) == [1, 3])
        #expect(database.services[1].characteristics.map(\.characteristic.handle) == [5])
        #expect(database.services[0].characteristics.map(\.characteristic.handle) == [7])
    }

    @Test func a15_tenThousandServicesAreFoundInOnePass() throws {
        let rig = BearerRig()
        var result: Result<GATT.Database, HostError>?
        rig.bearer.discoverDatabase(now: rig.now) { result = $0 }
        var requests = 0
        while result == nil, let request = rig.sent.popLast() {
            requests += 1
            let start = UInt16(request[1]) | UInt16(request[2]) << 8
            let answer: [UInt8]
            if request[0] == 0x10, request[5] == 0, start <= 10_000 {
                answer = [0x11, 6, request[1], request[2], request[1], request[2], 0x0F, 0x18]
            } else {
                answer = [0x01, request[0], request[1], request[2], 0x0A]
            }
            rig.receive2(answer)
        }
        #expect(try result?.get().services.count == 10_000)
        #expect(requests == 10_005)
    }

    @Test func a16_valuesForUnknownHandlesAndEmptyOnesAreDelivered() {
        let rig = BearerRig()
        rig.receive("1bfffe")
        rig.receive("1b0500")
        rig.receive("1b05")
        rig.receive("1b")
        #expect(rig.updates.map(\.handle) == [0xFEFF, 5])
        #expect(rig.updates.allSatisfy { $0.value.isEmpty })
    }

    @Test func a16_valuesBeforeTheConfirmationKeepTheirOrder() {
        let rig = BearerRig()
        var events: [String] = []
        rig.bearer.subscribe(to: 5, end: 6, descriptor: 6, mode: .notifications, now: rig.now) { _ in
            events.append("subscribed after \(rig.updates.count)")
        }
        rig.receive("1b050001")
        rig.receive("13")
        rig.receive("1b050002")
        #expect(events == ["subscribed after 1"])
        #expect(rig.updates.map(\.value) == [[1], [2]])
    }

    @Test func a17_eachIndicationIsConfirmedOnceAtOnce() {
        let rig = BearerRig()
        for index in 0..<1000 {
            #expect(rig.receive([0x1D, 5, 0, UInt8(truncatingIfNeeded: index)]) == ["1e"])
        }
        #expect(rig.updates.count == 1000)
        // A peer that does not wait gets no more confirmations than the channel can be trusted to hold.
        rig.canSend = false
        var confirmed = 0
        for _ in 0..<1000 { confirmed += rig.receive("1d050001").count }
        #expect(confirmed == 8)
        rig.canSend = true
        #expect(rig.receive("1d050001") == ["1e"])
    }

    @Test func a18_wholeValuesBeforeACutOneAreDelivered() {
        let rig = BearerRig()
        rig.receive("230500010011060002002233070009004455")
        #expect(rig.updates.map(\.handle) == [5, 6])
        #expect(rig.updates.map(\.value) == [[0x11], [0x22, 0x33]])
    }

    // MARK: - helpers

    /// Starts a discovery; tells its error, or nil when it ended well.
    private func start(_ kind: String, on rig: BearerRig, _ ended: @escaping (HostError?) -> Void) {
        switch kind {
        case "services": rig.bearer.discoverPrimaryServices(now: rig.now) { ended($0.error) }
        case "services of a type": rig.bearer.discoverPrimaryServices(of: 0x180D, now: rig.now) { ended($0.error) }
        case "includes": rig.bearer.findIncludedServices(start: 1, end: 9, now: rig.now) { ended($0.error) }
        case "characteristics": rig.bearer.discoverCharacteristics(start: 1, end: 9, now: rig.now) { ended($0.error) }
        default: rig.bearer.discoverDescriptors(start: 4, end: 6, now: rig.now) { ended($0.error) }
        }
    }

    private func expectUsable(_ rig: BearerRig) {
        var result: Result<[UInt8], HostError>?
        rig.bearer.read(3, now: rig.now) { result = $0 }
        rig.receive("0b07")
        #expect(result == .success([7]))
    }
}

extension Result {
    var error: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

extension BearerRig {
    /// Hands in a PDU and leaves in `sent` what was sent.
    func receive2(_ pdu: [UInt8]) { bearer.receive(pdu.span.bytes, now: now) }
}
