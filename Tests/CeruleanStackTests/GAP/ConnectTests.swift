// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

@Suite struct ConnectTests {
    private func connect(
        _ script: Script, _ address: DeviceAddress = Script.peer, timeout: Duration = .seconds(10), mtu: Bool = false
    ) -> (Outcome<LinkInfo>, OperationID) {
        let outcome = Outcome<LinkInfo>()
        let operation = script.engine.connect(
            PeerID(address), options: ConnectOptions(exchangesMTU: mtu), timeout: timeout, now: script.now,
            completion: outcome.completion)
        return (outcome, operation)
    }

    private static let second = DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000002), .random)

    @Test func aTimeoutCancelsTheAttemptAndTheNextOneBegins() {
        let script = Script()
        let (first, _) = connect(script, timeout: .seconds(1))
        let (second, _) = connect(script, Self.second)
        #expect(script.count(.leCreateConnection) == 1, "one after another on a legacy controller")
        script.tick(after: .seconds(1))
        #expect(first.error?.code == .timedOut)
        #expect(script.count(.leCreateConnectionCancel) == 1)
        #expect(script.count(.leCreateConnection) == 1, "the attempt is not over before the controller says so")
        script.connectionComplete(0, role: 0, status: 0x02)
        #expect(script.count(.leCreateConnection) == 2)
        script.connectionComplete(2, role: 0, peer: Self.second)
        #expect(second.value?.address == Self.second)
    }

    @Test func aLinkThatComesUpWhileCancellingIsClosedWithoutAWord() {
        let script = Script()
        let (outcome, operation) = connect(script)
        script.engine.cancel(operation, now: script.now)
        #expect(outcome.error?.code == .cancelled)
        script.connectionComplete(1, role: 0)
        #expect(script.opened == 0)
        #expect(script.engine.linkInfos.isEmpty)
        #expect(script.count(.disconnect) == 1)
        script.disconnectionComplete(1, reason: 0x16)
        #expect(script.closed.isEmpty)
        let (again, _) = connect(script)
        script.connectionComplete(1, role: 0)
        #expect(again.value != nil)
    }

    @Test func aControllerThatNeverEndsACancelledAttemptDoesNotBlockTheNext() {
        let script = Script()
        script.statuses[.leCreateConnectionCancel] = 0x0C
        let (_, operation) = connect(script)
        let (second, _) = connect(script, Self.second)
        script.engine.cancel(operation, now: script.now)
        script.tick(after: .seconds(2))
        #expect(script.count(.leCreateConnection) == 2)
        script.connectionComplete(1, role: 0, peer: Self.second)
        #expect(second.value != nil)
    }

    @Test func severalUsersShareOneAttemptAndOneLink() {
        let script = Script()
        let (first, _) = connect(script)
        let (second, operation) = connect(script)
        let (third, _) = connect(script)
        #expect(script.count(.leCreateConnection) == 1)
        script.engine.cancel(operation, now: script.now)
        #expect(second.error?.code == .cancelled)
        #expect(script.count(.leCreateConnectionCancel) == 0, "others still want it")
        script.connectionComplete(1, role: 0)
        #expect(first.value?.id == third.value?.id)
        let (late, _) = connect(script)
        #expect(late.value?.id == first.value?.id)
        guard let link = first.value?.id else { return }
        let left = Outcome<Void>()
        for _ in 0..<2 { script.engine.disconnect(link, force: false, now: script.now, completion: { _ in }) }
        #expect(script.count(.disconnect) == 0, "one user is left")
        script.engine.disconnect(link, force: false, now: script.now, completion: left.completion)
        #expect(script.count(.disconnect) == 1)
        #expect(left.results.isEmpty, "leaving ends when the link is down")
        script.disconnectionComplete(1, reason: 0x16)
        #expect(left.value != nil)
        #expect(script.opened == 1)
        #expect(script.closed.count == 1)
    }

    @Test func forceClosesALinkThatOthersUse() {
        let script = Script()
        _ = connect(script)
        let (second, _) = connect(script)
        script.connectionComplete(1, role: 0)
        if let link = second.value?.id { script.engine.disconnect(link, force: true, now: script.now) { _ in } }
        #expect(script.count(.disconnect) == 1)
    }

    @Test func aWaitingConnectCanBeCancelled() {
        let script = Script()
        _ = connect(script)
        let (second, operation) = connect(script, Self.second)
        script.engine.cancel(operation, now: script.now)
        #expect(second.error?.code == .cancelled)
        script.connectionComplete(1, role: 0)
        #expect(script.count(.leCreateConnection) == 1)
    }

    @Test func theMTUIsExchangedBeforeTheConnectEnds() {
        let script = Script()
        let (outcome, _) = connect(script, mtu: true)
        script.connectionComplete(1, role: 0)
        #expect(script.opened == 1)
        #expect(outcome.results.isEmpty)
        #expect(script.frames(on: 4) == [[0x02, 0x05, 0x02]])
        script.frame(1, channel: 4, [0x03, 100, 0])
        #expect(outcome.value?.mtu == 100)
        let order = script.events.map { event -> String in
            switch event {
            case .linkOpened(let info): "opened \(info.mtu)"
            case .linkUpdated(let info): "updated \(info.mtu)"
            default: ""
            }
        }.filter { !$0.isEmpty }
        #expect(order == ["opened 23", "updated 100"])
    }

    @Test func aPeerThatRefusesTheMTUIsConnectedAllTheSame() {
        let script = Script()
        let (outcome, _) = connect(script, mtu: true)
        script.connectionComplete(1, role: 0)
        script.frame(1, channel: 4, [0x01, 0x02, 0, 0, 0x06])
        #expect(outcome.value?.mtu == 23)
    }

    @Test func aLinkThatIsLostAtOnceIsAFailedConnection() {
        let script = Script()
        let (outcome, _) = connect(script, mtu: true)
        script.connectionComplete(1, role: 0)
        script.disconnectionComplete(1, reason: 0x3E)
        #expect(outcome.error?.code == .connectionFailed)
        #expect(outcome.error?.controller == 0x3E)
        #expect(script.closed.count == 1)
    }

    @Test func scanningRestsWhereAControllerCannotDoBoth() {
        let script = Script()
        script.engine.startScan(ScanParameters(), now: script.now) { _ in }
        script.statuses[.leCreateConnection] = 0x0C
        let (outcome, _) = connect(script)
        #expect(outcome.error?.code == .connectionFailed, "not even without scanning")
        let better = Script()
        better.engine.startScan(ScanParameters(), now: better.now) { _ in }
        better.answers[.leCreateConnection] = .some(nil)
        let (second, _) = connect(better)
        better.commandStatus(.leCreateConnection, 0x0C)
        let off = better.commands.last { $0.opcode == .leSetScanEnable }
        #expect(off?.parameters.first == 0)
        better.commandStatus(.leCreateConnection, 0)
        better.connectionComplete(1, role: 0)
        #expect(second.value != nil)
        #expect(better.commands.last { $0.opcode == .leSetScanEnable }?.parameters.first == 1, "scanning goes on")
    }

    @Test func aLostLinkEndsItsCallsWithOneReasonThenTellsIt() throws {
        let script = Script()
        script.connectionComplete(1)
        let link = script.engine.linkInfos[0].id
        let attribute = AttributeID(rawValue: link.rawValue << 16 | 1, handle: 3)
        let reads = (0..<5).map { _ in Outcome<[UInt8]>() }
        for read in reads {
            _ = script.engine.read(
                attribute, on: link, timeout: .seconds(30), now: script.now, completion: read.completion)
        }
        script.disconnectionComplete(1, reason: 0x08)
        #expect(reads.allSatisfy { $0.error?.code == .disconnected && $0.error?.controller == 0x08 })
        #expect(reads[0].error?.operation == "read of handle 0x0003 on C0:00:00:00:00:01")
        #expect(script.closed.map(\.controller) == [0x08])
        let late = Outcome<[UInt8]>()
        _ = script.engine.read(attribute, on: link, timeout: .seconds(30), now: script.now, completion: late.completion)
        #expect(late.error?.code == .disconnected)
    }

    @Test func anAttributeOfAnEarlierLinkIsStale() {
        let script = Script()
        script.connectionComplete(1)
        let old = script.engine.linkInfos[0].id
        script.disconnectionComplete(1)
        script.connectionComplete(1)
        let new = script.engine.linkInfos[0].id
        #expect(old != new)
        let read = Outcome<[UInt8]>()
        _ = script.engine.read(
            AttributeID(rawValue: old.rawValue << 16 | 1, handle: 3), on: new, timeout: .seconds(5), now: script.now,
            completion: read.completion)
        #expect(read.error?.code == .staleAttribute)
    }

    @Test func aReadThatTimesOutLeavesTheLinkUpAndTheOrderKept() {
        let script = Script()
        script.connectionComplete(1)
        let link = script.engine.linkInfos[0].id
        let attribute = AttributeID(rawValue: link.rawValue << 16 | 1, handle: 3)
        let first = Outcome<[UInt8]>()
        let second = Outcome<[UInt8]>()
        _ = script.engine.read(attribute, on: link, timeout: .seconds(1), now: script.now, completion: first.completion)
        _ = script.engine.read(
            attribute, on: link, timeout: .seconds(9), now: script.now, completion: second.completion)
        script.tick(after: .seconds(1))
        #expect(first.error?.code == .timedOut)
        script.frame(1, channel: 4, [0x0B, 1])
        #expect(second.results.isEmpty, "the late answer belongs to the first read")
        script.frame(1, channel: 4, [0x0B, 2])
        #expect(second.value == [2])
        #expect(script.engine.linkInfos.count == 1)
    }

    @Test func parametersAreAskedForByEitherSide() throws {
        let rig = Rig()
        let (central, link, peripheral, peripheralLink) = try rig.connected()
        let fast = ConnectionParameterRequest(
            minimumInterval: .microseconds(7_500), maximumInterval: .microseconds(7_500))
        let mine = try rig.wait {
            _ = central.engine.requestParameters(
                fast, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(mine.interval == .microseconds(7_500))
        let slow = ConnectionParameterRequest(minimumInterval: .milliseconds(50), maximumInterval: .milliseconds(50))
        let theirs = try rig.wait {
            _ = peripheral.engine.requestParameters(
                slow, on: peripheralLink, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(theirs.interval == .milliseconds(50))
        rig.run(for: .seconds(1))
        #expect(central.links.first?.parameters?.interval == .milliseconds(50))
    }
}
