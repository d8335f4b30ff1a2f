// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire
import Testing

/// Periodic advertising and following it.
@Suite struct PeriodicTests {
    private func advertise(_ rig: Rig, _ node: Rig.Node, _ data: [UInt8]) throws -> AdvertisementID {
        try rig.wait {
            node.engine.startAdvertising(
                AdvertisingParameters(
                    content: .raw(data: [2, 1, 6], scanResponse: []), isConnectable: false, isScannable: false,
                    extended: ExtendedAdvertising(
                        setID: 3, periodic: PeriodicAdvertising(data: data, interval: .milliseconds(200)))),
                now: rig.now, completion: $0)
        }
    }

    private func follow(_ rig: Rig, _ node: Rig.Node, _ other: Rig.Node, set: UInt8 = 3) throws -> PeriodicSync {
        let address = try #require(other.engine.localAddress)
        return try rig.wait {
            _ = node.engine.synchronize(
                to: PeerID(address), setID: set, options: PeriodicSyncOptions(supervisionTimeout: .seconds(2)),
                timeout: .seconds(10), now: rig.now, completion: $0)
        }
    }

    private func reports(_ node: Rig.Node) -> [PeriodicReport] {
        node.events.compactMap { if case .periodicReport(_, let report) = $0 { report } else { nil } }
    }

    @Test(arguments: [1, 247, 300, 1_650])
    func dataAreFollowedWhole(count: Int) throws {
        let rig = Rig()
        let (sender, receiver) = (try rig.started(), try rig.started())
        let data = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let id = try advertise(rig, sender, data)
        let sync = try follow(rig, receiver, sender)
        #expect(sync.setID == 3)
        #expect(sync.interval == .milliseconds(200))
        rig.run(for: .seconds(2))
        let heard = reports(receiver)
        #expect(heard.count >= 9)
        #expect(heard.allSatisfy { $0.data == data && !$0.isTruncated })
        try rig.wait {
            sender.engine.updateAdvertising(id, with: .periodicData([9, 9]), now: rig.now, completion: $0)
        }
        rig.run(for: .seconds(1))
        #expect(reports(receiver).last?.data == [9, 9])
        receiver.engine.endSync(sync.id, now: rig.now)
        receiver.events = []
        rig.run(for: .seconds(1))
        #expect(receiver.events.isEmpty)
    }

    @Test func followingNeedsNoScanAndLeavesNone() throws {
        let rig = Rig()
        let (sender, receiver) = (try rig.started(), try rig.started())
        _ = try advertise(rig, sender, [1])
        _ = try follow(rig, receiver, sender)
        rig.run(for: .seconds(1))
        #expect(!receiver.events.contains { if case .advertisement = $0 { true } else { false } })
        let enables = receiver.sent.filter { $0.count > 4 && $0[1] == 0x42 && $0[2] == 0x20 }.map { $0[4] }
        #expect(enables == [1, 0])
    }

    @Test func aLostAdvertiserIsTold() throws {
        let rig = Rig()
        let (sender, receiver) = (try rig.started(), try rig.started())
        let id = try advertise(rig, sender, [1])
        let sync = try follow(rig, receiver, sender)
        sender.engine.stopAdvertising(id, now: rig.now)
        rig.run(for: .seconds(5))
        let ended = receiver.events.compactMap {
            if case .syncEnded(let id, let error) = $0 { (id, error.code) } else { nil }
        }
        #expect(ended.map(\.0) == [sync.id])
        #expect(ended.first?.1 == .disconnected)
        receiver.engine.endSync(sync.id, now: rig.now)
    }

    @Test func givingUpLetsTheNextBegin() throws {
        let rig = Rig()
        let (sender, receiver) = (try rig.started(), try rig.started())
        _ = try advertise(rig, sender, [1])
        let never = Outcome<PeriodicSync>()
        _ = receiver.engine.synchronize(
            to: PeerID(Script.peer), setID: 0, options: PeriodicSyncOptions(), timeout: .seconds(3), now: rig.now,
            completion: never.completion)
        let cancelled = Outcome<PeriodicSync>()
        let operation = receiver.engine.synchronize(
            to: PeerID(Script.peer), setID: 1, options: PeriodicSyncOptions(), timeout: .seconds(30), now: rig.now,
            completion: cancelled.completion)
        receiver.engine.cancel(operation, now: rig.now)
        #expect(cancelled.error?.code == .cancelled)
        _ = try follow(rig, receiver, sender)
        #expect(never.error?.code == .timedOut)
    }

    @Test func everythingEndsOnceWithTheAdapter() throws {
        let script = Script.extended()
        let waiting = Outcome<PeriodicSync>()
        _ = script.engine.synchronize(
            to: PeerID(Script.peer), setID: 1, options: PeriodicSyncOptions(), timeout: .seconds(30), now: script.now,
            completion: waiting.completion)
        script.event(0x3E, [0x0E, 0, 5, 0, 1, 1, 1, 0, 0, 0, 0, 0xC0, 1, 80, 0, 0])
        let sync = try #require(waiting.value)
        #expect(sync.phy == .le1M)
        let second = Outcome<PeriodicSync>()
        _ = script.engine.synchronize(
            to: PeerID(Script.peer), setID: 2, options: PeriodicSyncOptions(), timeout: .seconds(30), now: script.now,
            completion: second.completion)
        // Data without end are cut; reports of handles that there are not are ignored.
        for _ in 0..<100 {
            script.event(0x3E, [0x0F, 5, 0, 127, 0xC8, 0xFF, 1, 200] + [UInt8](repeating: 1, count: 200))
            script.event(0x3E, [0x0F, 6, 0, 127, 0xC8, 0xFF, 1, 200] + [UInt8](repeating: 1, count: 200))
        }
        script.event(0x3E, [0x0F, 5, 0, 4, 127, 0xFF, 0, 1, 7])
        let reports = script.events.compactMap { event -> PeriodicReport? in
            if case .periodicReport(_, let report) = event { report } else { nil }
        }
        #expect(reports.map(\.data.count) == [1_650])
        #expect(reports.first?.isTruncated == true)
        #expect(reports.first?.txPower == 4)
        #expect(reports.first?.rssi == nil)
        script.event(0x10, [1])
        #expect(second.error?.code == .adapterFailed)
        #expect(script.events.count { if case .syncEnded(sync.id, _) = $0 { true } else { false } } == 1)
        let old = Outcome<PeriodicSync>()
        _ = Script().engine.synchronize(
            to: PeerID(Script.peer), setID: 1, options: PeriodicSyncOptions(), timeout: .seconds(30), now: script.now,
            completion: old.completion)
        #expect(old.results.count == 1)
    }
}
