// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

@Suite struct GATTClientTests {
    let rig = BearerRig(localMTU: 23)

    @Test(arguments: [
        (0, ["0a0300"]), (21, ["0a0300"]), (22, ["0a0300", "0c03001600"]),
        (44, ["0a0300", "0c03001600", "0c03002c00"]),
    ])
    func longReadAsksForMoreWhilePartsAreFull(total: Int, requests: [String]) {
        let value = (0..<total).map { UInt8($0) }
        var result: Result<[UInt8], HostError>?
        rig.bearer.read(3, now: rig.now) { result = $0 }
        var asked: [String] = []
        while let request = rig.take().first {
            asked.append(request)
            let offset = asked.count == 1 ? 0 : (asked.count - 1) * 22
            rig.receive2([asked.count == 1 ? 0x0B : 0x0D] + value[offset...].prefix(22))
        }
        #expect(asked == requests)
        #expect(result == .success(value))
    }

    @Test(arguments: ["07", "0b"])
    func longReadOfExactlyOnePartMayEndWithAnError(code: String) {
        var result: Result<[UInt8], HostError>?
        rig.bearer.read(3, now: rig.now) { result = $0 }
        rig.receive("0b" + String(repeating: "11", count: 22))
        rig.receive("010c0300" + code)
        #expect(result == .success(Array(repeating: 0x11, count: 22)))
    }

    @Test func longReadStopsAt512Octets() throws {
        var result: Result<[UInt8], HostError>?
        rig.bearer.read(3, now: rig.now) { result = $0 }
        var requests = 0
        while let request = rig.sent.popLast() {
            requests += 1
            rig.receive2([request[0] + 1] + Array(repeating: 7, count: 22))
        }
        #expect(requests == 24)
        #expect(try result?.get().count == 512)
    }

    @Test func valueThatFitsIsWrittenInOneRequestAndALongerOneInParts() {
        var ended = 0
        rig.bearer.write(Array(repeating: 1, count: 20), to: 7, now: rig.now) { _ in ended += 1 }
        #expect(rig.take() == ["120700" + String(repeating: "01", count: 20)])
        rig.receive("13")
        rig.bearer.write(Array(repeating: 2, count: 21), to: 7, now: rig.now) { _ in ended += 1 }
        let first = "07000000" + String(repeating: "02", count: 18)
        #expect(rig.take() == ["16" + first])
        #expect(rig.receive("17" + first) == ["1607001200020202"])
        #expect(rig.receive("1707001200020202") == ["1801"])
        rig.receive("19")
        #expect(ended == 2)
    }

    @Test(arguments: ["170700000001ff", "1708000000010203", "1707000100010203", "17070000000102", "17"])
    func wrongEchoCancelsTheQueue(echo: String) {
        var result: Result<Void, HostError>?
        rig.bearer.writeReliably([(7, [1, 2, 3])], now: rig.now) { result = $0 }
        #expect(rig.take() == ["1607000000010203"])
        #expect(rig.receive(echo) == ["1800"])
        #expect(result == nil)
        rig.receive("19")
        #expect(result?.error?.code == .invalidResponse)
    }

    @Test func refusedPrepareCancelsTheQueueAndTellsTheFirstError() {
        var result: Result<Void, HostError>?
        rig.bearer.writeReliably([(7, [1]), (8, [2])], now: rig.now) { result = $0 }
        rig.receive("170700000001")
        #expect(rig.receive("0116080009") == ["1800"])
        rig.receive("0118000004")
        #expect(result?.error?.attribute == 9)
    }

    @Test func valuesBeyond512OctetsAreRefusedBeforeAnythingIsSent() {
        var results: [HostError?] = []
        rig.bearer.write(Array(repeating: 0, count: 513), to: 7, now: rig.now) { results.append($0.error) }
        rig.bearer.writeLong([1], to: 7, offset: 512, now: rig.now) { results.append($0.error) }
        rig.bearer.writeCommand(Array(repeating: 0, count: 21), to: 7, now: rig.now) { results.append($0.error) }
        rig.bearer.readMultiple([1], now: rig.now) { results.append($0.error) }
        rig.bearer.readMultiple(Array(repeating: 1, count: 12), now: rig.now) { results.append($0.error) }
        #expect(results.map { $0?.code } == Array(repeating: .invalidArgument, count: 5))
        #expect(rig.sent.isEmpty)
    }

    @Test func cancelledRequestStillWaitsForItsAnswer() {
        var results: [Result<[UInt8], HostError>] = []
        let first = rig.bearer.read(3, now: rig.now) { results.append($0) }
        let second = rig.bearer.read(4, now: rig.now) { results.append($0) }
        rig.bearer.read(5, now: rig.now) { results.append($0) }
        rig.bearer.cancel(first)
        rig.bearer.cancel(first)
        rig.bearer.cancel(second)
        #expect(results.map { $0.error?.code } == [.cancelled, .cancelled])
        #expect(rig.take() == ["0a0300"])
        #expect(rig.receive("0b01") == ["0a0500"])
        rig.receive("0b02")
        #expect(results.count == 3)
        #expect(results[2] == .success([2]))
    }

    @Test func cancelledPreparedWriteEmptiesThePeersQueue() {
        var results: [HostError.Code?] = []
        let write = rig.bearer.writeReliably([(7, [1]), (8, [2])], now: rig.now) { results.append($0.error?.code) }
        #expect(rig.take() == ["160700000001"])
        rig.bearer.cancel(write)
        #expect(rig.receive("170700000001") == ["1800"])
        rig.bearer.read(5, now: rig.now) { _ in }
        #expect(rig.receive("19") == ["0a0500"])
        #expect(results == [.cancelled])
    }

    @Test func closingEndsEverythingExactlyOnceWithOneReason() {
        var reasons: [HostError?] = []
        for handle in 1...5 { rig.bearer.read(UInt16(handle), now: rig.now) { reasons.append($0.error) } }
        rig.canSend = false
        rig.bearer.writeCommand([1], to: 3, now: rig.now) { reasons.append($0.error) }
        let reason = HostError(.disconnected, controller: 0x08)
        rig.bearer.close(reason)
        rig.bearer.close(HostError(.disconnected))
        #expect(reasons == Array(repeating: reason, count: 6))
        rig.bearer.read(1, now: rig.now) { reasons.append($0.error) }
        #expect(reasons.count == 7)
        #expect(rig.bearer.nextDeadline == .distantFuture)
    }

    @Test func queueOfOperationsIsBounded() {
        var full = 0
        for _ in 0..<300 { rig.bearer.read(3, now: rig.now) { if $0.error?.code == .queueFull { full += 1 } } }
        #expect(full == 300 - 1 - ATTBearer.maximumQueuedOperations)
        #expect(rig.sent.count == 1)
    }

    @Test func commandsWaitForTheChannelAndAreBounded() {
        rig.canSend = false
        #expect(!rig.bearer.canSendValue)
        var results: [HostError.Code?] = []
        for index in 0..<70 {
            rig.bearer.writeCommand([UInt8(index)], to: 3, now: rig.now) { results.append($0.error?.code) }
        }
        #expect(results == Array(repeating: .queueFull, count: 6))
        rig.canSend = true
        rig.bearer.readyToSend(now: rig.now)
        #expect(rig.sent.map { $0[3] } == (0..<64).map { UInt8($0) })
        #expect(results.count == 70)
        #expect(rig.readyCount == 1)
        #expect(rig.bearer.canSendValue)
    }

    @Test func bothDirectionsRunAtOnce() throws {
        let rig = BearerRig(server: try TestDatabase.reference())
        var result: Result<[UInt8], HostError>?
        rig.bearer.read(3, now: rig.now) { result = $0 }
        #expect(rig.receive("0a0800") == ["0a0300", "0b01020304"])
        #expect(rig.receive("1d030009") == ["1e"])
        rig.receive("0b07")
        #expect(result == .success([7]))
    }

    @Test func indicationBetweenMTURequestAndResponseChangesNothing() {
        let rig = BearerRig(localMTU: 247)
        var result: Result<Int, HostError>?
        rig.bearer.exchangeMTU(now: rig.now) { result = $0 }
        #expect(rig.receive("1d030009") == ["02f700", "1e"])
        rig.receive("03f700")
        #expect(result == .success(247))
    }

    @Test func characteristicsWithEqualUUIDsAreTwo() throws {
        var result: Result<[GATT.Characteristic], HostError>?
        rig.bearer.discoverCharacteristics(of: 0x2A19, start: 1, end: 9, now: rig.now) { result = $0 }
        rig.receive("0907" + "0200020300192a" + "0400020500372a" + "0600100700192a")
        rig.receive("010807000a")
        let found = try #require(try result?.get())
        #expect(found.map(\.handle) == [3, 7])
        #expect(found.map(\.end) == [3, 9])
    }

    @Test func subscribingLooksForTheConfiguration() {
        var result: Result<UInt16, HostError>?
        rig.bearer.subscribe(to: 3, end: 9, mode: .indications, now: rig.now) { result = $0 }
        #expect(rig.take() == ["0404000900"])
        #expect(rig.receive("0501040001290500022906000029") == ["1205000200"])
        rig.receive("13")
        #expect(result == .success(5))
        rig.bearer.subscribe(to: 3, end: 3, mode: .notifications, now: rig.now) { result = $0 }
        rig.receive("010403000a")
        #expect(result?.error?.code == .notFound)
    }

    @Test func signedWriteNeedsAKey() {
        var errors: [HostError.Code?] = []
        rig.bearer.signedWrite([1, 2, 3], to: 7, now: rig.now, sign: { _ in nil }) { errors.append($0.error?.code) }
        #expect(rig.sent.isEmpty)
        rig.bearer.signedWrite([1, 2, 3], to: 7, now: rig.now) { message in
            #expect(message == [0xD2, 7, 0, 1, 2, 3])
            return Array(repeating: 9, count: 12)
        } completion: {
            errors.append($0.error?.code)
        }
        #expect(rig.take() == ["d20700010203" + String(repeating: "09", count: 12)])
        #expect(errors == [.insufficientSecurity, nil])
    }

    @Test func operationsStartedInACompletionRunBehindThoseThatWait() {
        var order: [UInt16] = []
        rig.bearer.read(1, now: rig.now) { _ in
            order.append(1)
            rig.bearer.read(3, now: rig.now) { _ in order.append(3) }
        }
        rig.bearer.read(2, now: rig.now) { _ in order.append(2) }
        for _ in 0..<3 { rig.receive("0b00") }
        #expect(order == [1, 2, 3])
    }
}
