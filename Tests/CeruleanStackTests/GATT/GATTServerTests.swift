// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

@Suite struct GATTServerTests {
    let server: GATTServer
    let application: ServerApplication
    let rig: BearerRig

    init() throws {
        (server, application) = try TestDatabase.dynamic()
        rig = BearerRig(server: server)
    }

    @Test func dynamicValueIsAnsweredLaterAndOtherRequestsWait() throws {
        #expect(rig.receive("0a0300").isEmpty)
        #expect(rig.receive("0a0a00").isEmpty)
        let asked = try #require(application.asked.first)
        #expect(asked.requests.map(\.kind) == [.read(offset: 0)])
        #expect(asked.owner == 1)
        let token = try #require(asked.token)
        server.respond(to: token, with: .success(value: [7, 8]), now: rig.now)
        #expect(rig.take() == ["0b0708", "0b0102"])
        server.respond(to: token, with: .success(value: [9]), now: rig.now)
        #expect(rig.take().isEmpty)
    }

    @Test func requestsThatDoNotWaitAreBounded() throws {
        for _ in 0..<100 { rig.receive("0a0300") }
        #expect(application.asked.count == 1)
        application.onRequest = { server, _, token in
            if let token { server.respond(to: token, with: .success(value: [1]), now: .zero) }
        }
        let token = try #require(application.asked[0].token)
        server.respond(to: token, with: .success(value: [1]), now: rig.now)
        #expect(rig.take().count == 9)
    }

    @Test func applicationThatIsSilentIsAnsweredFor() throws {
        rig.receive("0a0300")
        #expect(rig.bearer.nextDeadline == rig.now + .seconds(25))
        rig.advance(seconds: 25)
        #expect(rig.take() == ["010a03000e"])
        #expect(rig.bearer.nextDeadline == .distantFuture)
        #expect(rig.failures.isEmpty)
    }

    @Test func dynamicBlobWriteAndCommandReachTheApplication() throws {
        application.onRequest = { server, requests, token in
            guard let token else { return }
            if case .read(let offset) = requests[0].kind {
                server.respond(to: token, with: .success(value: [UInt8(offset)]), now: .zero)
            } else {
                server.respond(to: token, with: .failure(code: 0x80, index: 0), now: .zero)
            }
        }
        #expect(rig.receive("0c03000500") == ["0d05"])
        #expect(rig.receive("120300aa") == ["0112030080"])
        #expect(rig.receive("520300bb").isEmpty)
        #expect(application.asked.last?.token == nil)
        #expect(application.asked.last?.requests.map(\.kind) == [.write(value: [0xBB], offset: 0)])
        #expect(rig.receive("080100ffffe1ff") == ["0903030000"])
        #expect(rig.receive("0e03000a000500") == ["0f00010200"])
        #expect(rig.receive("2003000a000500") == ["21010000020001020100" + "00"])
    }

    @Test func preparedWritesReachEachOwnerAsOneBatch() throws {
        for part in ["0300000011", "0500000022", "0300010033", "0800000044", "0a00000055"] {
            #expect(rig.receive("16" + part) == ["17" + part])
        }
        #expect(rig.receive("1801").isEmpty)
        let first = try #require(application.asked.first)
        #expect(first.owner == 1)
        #expect(
            first.requests.map(\.kind) == [
                .write(value: [0x11], offset: 0), .write(value: [0x22], offset: 0), .write(value: [0x33], offset: 1),
            ])
        server.respond(to: try #require(first.token), with: .success(value: []), now: rig.now)
        #expect(rig.take().isEmpty)
        #expect(application.asked.last?.owner == 2)
        #expect(application.written.isEmpty)
        server.respond(to: try #require(application.asked.last?.token), with: .success(value: []), now: rig.now)
        #expect(rig.take() == ["19"])
        #expect(application.written.map(\.value) == [[0x55]])
    }

    @Test func refusedBatchChangesNothingAndNamesItsHandle() throws {
        for part in ["0a00000055", "0300000011", "0500000022"] { rig.receive("16" + part) }
        rig.receive("1801")
        server.respond(
            to: try #require(application.asked.first?.token), with: .failure(code: 0x0D, index: 1), now: rig.now)
        #expect(rig.take() == ["011805000d"])
        #expect(rig.receive("0a0a00") == ["0b0102"])
    }

    @Test func storedWritesAreReported() throws {
        #expect(rig.receive("120a00090807") == ["13"])
        #expect(application.written.map(\.value) == [[9, 8, 7]])
        #expect(rig.receive("160a00010055") == ["170a00010055"])
        #expect(rig.receive("1801") == ["19"])
        #expect(rig.receive("0a0a00") == ["0b095507"])
    }

    @Test func longWriteFromTheStartReplacesTheValue() throws {
        #expect(rig.receive("160a00000055") == ["170a00000055"])
        #expect(rig.receive("1801") == ["19"])
        #expect(rig.receive("0a0a00") == ["0b55"])
    }

    @Test func writeBeyond512OctetsIsRefused() throws {
        let rig = BearerRig(server: server, localMTU: 517)
        rig.receive("020502")
        #expect(rig.receive("160a000002aa") == ["170a000002aa"])
        #expect(rig.receive("1801") == ["01180a000d"])
    }

    @Test func authorizationOfAStoredValueIsTheApplications() throws {
        try server.add(
            [
                ServiceDefinition(
                    uuid: 0xFFC0,
                    characteristics: [
                        .init(
                            uuid: 0xFFC1, properties: .read, permissions: .init(read: .init(needsAuthorization: true)),
                            value: .stored([3]))
                    ])
            ], now: .zero)
        #expect(rig.receive("0a0d00") == ["010a0d0008"])
        application.authorizes = true
        #expect(rig.receive("0a0d00") == ["0b03"])
    }

    @Test(arguments: [
        (SecurityLevel.open, 0, "05"), (.encrypted, 16, "05"), (.authenticated, 10, "0c"), (.authenticated, 16, ""),
    ])
    func securedValueSaysWhatIsMissing(security: SecurityLevel, keySize: Int, code: String) throws {
        try server.add(
            [
                ServiceDefinition(
                    uuid: 0xFFC0,
                    characteristics: [
                        .init(
                            uuid: 0xFFC1, properties: .read,
                            permissions: .init(read: .init(security: .authenticated, minimumKeySize: 16)),
                            value: .stored([3]))
                    ])
            ], now: .zero)
        rig.bearer.peer.security = security
        rig.bearer.peer.keySize = keySize
        #expect(rig.receive("0a0d00") == [code.isEmpty ? "0b03" : "010a0d00" + code])
    }

    @Test func updatesGoToSubscribersAndPushBack() throws {
        let server = try TestDatabase.reference()
        server.delegate = application
        let rig = BearerRig(server: server)
        let id = try #require(server.id(of: 12))
        #expect(server.update([1], of: id, for: .allSubscribers, now: .zero))
        #expect(rig.take().isEmpty)
        #expect(rig.receive("120d000100") == ["13"])
        #expect(application.subscriptions.map(\.handle) == [12])
        #expect(application.subscriptions.map(\.mode) == [.notifications])
        rig.canSend = false
        var taken = 0
        while server.update([UInt8(taken)], of: id, for: .link(LinkID(rawValue: 1)), now: .zero) { taken += 1 }
        #expect(taken == 64)
        // Nothing is stored of what goes to one subscriber, nor of what is refused.
        #expect(!server.update([2], of: id, for: .allSubscribers, now: .zero))
        #expect(server.storedValue(of: id) == [1])
        #expect(application.ready == 0)
        rig.canSend = true
        rig.bearer.readyToSend(now: rig.now)
        #expect(rig.sent.count == 64)
        #expect(application.ready == 1)
        #expect(server.update([1], of: id, for: .link(LinkID(rawValue: 2)), now: .zero))
        #expect(rig.sent.count == 64)
    }

    @Test func oneIndicationAtATimeAndTheBearerFailsWithoutConfirmation() throws {
        let server = try TestDatabase.reference()
        let rig = BearerRig(server: server)
        rig.receive("120d000200")
        let id = try #require(server.id(of: 12))
        for value in 1...3 { #expect(server.update([UInt8(value)], of: id, for: .allSubscribers, now: rig.now)) }
        #expect(rig.take() == ["1d0c0001"])
        #expect(rig.receive("1e") == ["1d0c0002"])
        #expect(rig.receive("1e") == ["1d0c0003"])
        rig.advance(seconds: 30)
        #expect(rig.failures.map(\.code) == [.timedOut])
    }

    @Test func serviceChangedIsIndicatedToThoseWhoAskedAndChangesAreJoined() throws {
        let server = GATTServer()
        let services = try server.add(
            [
                ServiceDefinition(
                    uuid: 0x1801,
                    characteristics: [
                        .init(uuid: 0x2A05, properties: .indicate, permissions: .init(), value: .stored([]))
                    ])
            ], now: .zero)
        #expect(services[0].characteristics[0].id.handle == 3)
        let asked = BearerRig(server: server, link: 1)
        let silent = BearerRig(server: server, link: 2)
        #expect(asked.receive("1204000200") == ["13"])
        let definition = ServiceDefinition(
            uuid: 0x180F,
            characteristics: [.init(uuid: 0x2A19, properties: .read, permissions: .readable, value: .stored([50]))])
        let first = try server.add([definition], now: .zero)
        let second = try server.add([definition], now: .zero)
        #expect(asked.take() == ["1d030005000700"])
        #expect(server.remove(first[0].id, now: .zero))
        #expect(!server.remove(first[0].id, now: .zero))
        #expect(asked.take().isEmpty)
        #expect(asked.receive("1e") == ["1d030005000a00"])
        #expect(asked.receive("1e").isEmpty)
        #expect(silent.take().isEmpty)
        // The handles of the one that stayed are what they were, and those of the one that went are not used again.
        #expect(second[0].id.handle == 8)
        #expect(asked.receive("0a0700") == ["010a070001"])
        #expect(try server.add([definition], now: .zero)[0].id.handle == 11)
        #expect(server.storedValue(of: first[0].characteristics[0].id) == nil)
    }

    @Test func removedServiceAnswersThePendingRequest() throws {
        rig.receive("0a0300")
        server.removeServices(of: 1, now: rig.now)
        #expect(rig.take() == ["010a030001"])
        #expect(rig.receive("0a0300") == ["010a030001"])
        #expect(server.services.map(\.start) == [6])
    }

    @Test func wishedHandlesAreKeptOrRefused() throws {
        let server = GATTServer()
        func definition(_ start: UInt16?, _ end: UInt16?) -> ServiceDefinition {
            ServiceDefinition(
                uuid: 0x180F,
                characteristics: [
                    .init(
                        uuid: 0x2A19, properties: [.read, .notify, .reliableWrite], permissions: .readable,
                        value: .stored([1]))
                ], handle: start, endHandle: end)
        }
        try server.add([definition(0x10, 0x20)], now: .zero)
        #expect(server.services.map(\.end) == [0x20])
        #expect(throws: HostError.self) { try server.add([definition(0x18, 0x30)], now: .zero) }
        #expect(throws: HostError.self) { try server.add([definition(0x0E, nil)], now: .zero) }
        #expect(throws: HostError.self) { try server.add([definition(0x30, 0x31)], now: .zero) }
        #expect(throws: HostError.self) { try server.add([definition(0xFFFE, nil)], now: .zero) }
        #expect(throws: HostError.self) { try server.add([definition(0, nil)], now: .zero) }
        #expect(server.services.count == 1)
        try server.add([definition(0xFFF0, 0xFFFF)], now: .zero)
        // The end is used up: the next goes into the first hole that is large enough.
        #expect(try server.add([definition(nil, nil)], now: .zero)[0].id.handle == 1)
        let rig = BearerRig(server: server)
        #expect(rig.receive("0411001400") == ["0501110003281200192a1300022914000029"])
        #expect(rig.receive("0a1400") == ["0b0100"])
        #expect(rig.receive("0a1100") == ["0b921200192a"])
    }

    @Test func definitionsAreAddedAllOrNone() throws {
        let bad = ServiceDefinition(
            uuid: 0x180F,
            characteristics: [
                .init(
                    uuid: 0x2A19, properties: .read, permissions: .readable,
                    value: .stored(Array(repeating: 0, count: 513)))
            ])
        let before = server.services
        #expect(throws: HostError.self) {
            try server.add([ServiceDefinition(uuid: 0x1234), bad], now: .zero)
        }
        #expect(server.services == before)
    }

    @Test func includesNameTheIncludedService() throws {
        let server = GATTServer()
        let inner = try server.add(
            [
                ServiceDefinition(uuid: "12345678-1234-5678-1234-56789ABCDEF0", isPrimary: false),
                ServiceDefinition(uuid: 0x180A, isPrimary: false),
            ], now: .zero)
        try server.add([ServiceDefinition(uuid: 0x180F, includes: inner.map(\.id))], now: .zero)
        let rig = BearerRig(server: server)
        #expect(rig.receive("080100ffff0228") == ["0906040001000100"])
        #expect(rig.receive("080500ffff0228") == ["09080500020002000a18"])
        #expect(rig.receive("100100ffff0128") == ["111401000100f0debc9a785634127856341278563412"])
    }
}
