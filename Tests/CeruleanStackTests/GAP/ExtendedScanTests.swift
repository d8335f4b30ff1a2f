// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire
import Testing

/// Reports of extended scanning, octet by octet. Core 5.4, Vol 4, Part E, 7.7.65.13.
@Suite struct ExtendedScanTests {
    /// One LE Extended Advertising Report with one report. `type` holds the data status in bits 5 and 6.
    private func report(
        _ script: Script, type: UInt16 = 0, kind: UInt8 = 1, from address: UInt64 = 0xC0_0000_000001, set: UInt8 = 2,
        secondary: UInt8 = 2, interval: UInt16 = 0, txPower: UInt8 = 127, rssi: UInt8 = 0xC8, _ data: [UInt8]
    ) {
        script.event(
            0x3E,
            [0x0D, 1, UInt8(type & 255), UInt8(type >> 8), kind]
                + (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * UInt64($0))) }
                + [1, secondary, set, txPower, rssi, UInt8(interval & 255), UInt8(interval >> 8)]
                + [0, 0, 0, 0, 0, 0, 0, UInt8(data.count)] + data)
    }

    private static let more: UInt16 = 1 << 5
    private static let lost: UInt16 = 2 << 5

    private func scanning(_ parameters: ScanParameters = ScanParameters()) throws -> Script {
        let script = Script.extended()
        let outcome = Outcome<ScanID>()
        script.engine.startScan(parameters, now: script.now, completion: outcome.completion)
        _ = try #require(outcome.value)
        return script
    }

    private func found(_ script: Script) -> [Advertisement] {
        script.events.compactMap { if case .advertisement(let found, _) = $0 { found } else { nil } }
    }

    @Test func onlyExtendedCommandsAreUsed() throws {
        let script = try scanning(ScanParameters(phys: [.le1M, .leCoded]))
        #expect(script.count(.leSetScanParameters) == 0)
        #expect(script.count(.leSetScanEnable) == 0)
        let parameters = try #require(script.commands.last { $0.opcode == .leSetExtendedScanParameters }).parameters
        // Both modes share the 60 ms (96 units): 48 each.
        #expect(parameters == [0, 0, 5, 1, 96, 0, 48, 0, 1, 96, 0, 48, 0])
        #expect(script.commands.last { $0.opcode == .leSetExtendedScanEnable }?.parameters == [1, 0, 0, 0, 0, 0])
    }

    @Test func whatExtendedPacketsTellIsReported() throws {
        let script = try scanning()
        report(script, type: 1, set: 5, interval: 80, txPower: 4, [2, 1, 6])
        let one = try #require(found(script).first)
        #expect(one.isConnectable)
        #expect(one.raw == [2, 1, 6])
        #expect(
            one.extended
                == Advertisement.Extended(
                    primaryPHY: .le1M, secondaryPHY: .le2M, setID: 5, txPower: 4,
                    periodicInterval: .milliseconds(100)))
        // A legacy packet in the extended event has nothing of that.
        report(script, type: 0x13, from: 0xC0_0000_000002, set: 0xFF, secondary: 0, [2, 1, 4])
        #expect(found(script)[1].extended == nil)
        #expect(found(script)[1].isConnectable)
        report(script, type: 0x1B, from: 0xC0_0000_000002, set: 0xFF, secondary: 0, [2, 9, 0x41])
        #expect(found(script)[2].scanResponse == [2, 9, 0x41])
    }

    @Test func anAnonymousAdvertisementHasNoAddress() throws {
        let script = try scanning()
        report(script, kind: 0xFF, from: 0, [2, 1, 6])
        let one = try #require(found(script).first)
        #expect(one.address == nil)
        let outcome = Outcome<LinkInfo>()
        _ = script.engine.connect(
            one.peer, options: ConnectOptions(), timeout: .seconds(1), now: script.now, completion: outcome.completion)
        #expect(outcome.error?.code == .notFound)
        #expect(script.engine.knownPeers.isEmpty)
    }

    @Test func d6_setsOfOneDeviceAreNotMerged() throws {
        let script = try scanning()
        report(script, type: 2, set: 1, [])
        report(script, type: 2, set: 2, [])
        report(script, type: 10, set: 1, [2, 9, 0x41])
        report(script, type: 10, set: 3, [2, 9, 0x42])
        let all = found(script)
        #expect(all.count == 3, "a response of a set that was not heard is not merged")
        #expect(all[2].extended?.setID == 1)
        #expect(all[2].scanResponse == [2, 9, 0x41])
        #expect(Set(all.map(\.peer)).count == 1)
        #expect(script.engine.knownPeers.count == 1)
    }

    @Test func partsAreJoined() throws {
        let script = try scanning()
        let data = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
        report(script, type: Self.more, Array(data[..<229]))
        // Another advertiser in between, and a whole one.
        report(script, type: Self.more, from: 0xC0_0000_000009, [9])
        report(script, from: 0xC0_0000_000008, [8])
        report(script, type: Self.more, Array(data[229..<458]))
        report(script, type: 0, Array(data[458...]))
        report(script, type: 0, from: 0xC0_0000_000009, [10])
        #expect(found(script).map(\.raw) == [[8], data, [9, 10]])
        #expect(found(script).allSatisfy { $0.extended?.isTruncated == false })
    }

    @Test func whatWasLostIsMarked() throws {
        let script = try scanning()
        report(script, type: Self.more, [1, 2])
        report(script, type: Self.lost, [3])
        #expect(found(script).map(\.raw) == [[1, 2, 3]])
        #expect(found(script)[0].extended?.isTruncated == true)
        // Whole the next time: that is news.
        report(script, type: 0, [1, 2, 3])
        #expect(found(script).map { $0.extended?.isTruncated } == [true, false])
    }

    @Test func h6_oneSetWithoutEndIsCutAtItsLimit() throws {
        let script = try scanning(ScanParameters(reportsDuplicates: true))
        for _ in 0..<10_000 { report(script, type: Self.more, [UInt8](repeating: 7, count: 229)) }
        let all = found(script)
        #expect(all.count == 1)
        #expect(all[0].raw?.count == 1_650)
        #expect(all[0].extended?.isTruncated == true)
        // Its end, when it comes, ends nothing; then it is heard anew.
        report(script, type: 0, [7])
        report(script, type: 0, [1])
        #expect(found(script).map { $0.raw?.count } == [1_650, 1])
    }

    @Test func h6_manySetsWithoutEndTakeBoundedRoom() throws {
        let script = try scanning()
        for number in UInt64(0)..<5_000 {
            report(script, type: Self.more, from: 0xC0_0000_000000 | number, [UInt8](repeating: 1, count: 229))
        }
        // The newest sixteen are still there, the older ones were dropped.
        for number in UInt64(4_984)..<5_000 { report(script, type: 0, from: 0xC0_0000_000000 | number, [2]) }
        #expect(found(script).map { $0.raw?.count } == [Int](repeating: 230, count: 16))
    }

    @Test func h6_partsThatComeTooLateBeginAnew() throws {
        let script = try scanning()
        report(script, type: Self.more, [1])
        script.now = script.now + .seconds(3)
        report(script, type: 0, [2])
        #expect(found(script).map(\.raw) == [[2]])
    }

    @Test func h5_extendedReportsBeyondTheEventAreDropped() throws {
        let script = try scanning()
        var whole: [UInt8] = [0x0D, 0x19, 0, 0, 1, 1, 0, 0, 0, 0, 0xC0, 1, 2, 2, 127, 0xC8, 0, 0]
        whole += [0, 0, 0, 0, 0, 0, 0, 3, 2, 1, 6]
        for count in 0..<whole.count { script.event(0x3E, Array(whole[..<count])) }
        #expect(found(script).isEmpty)
        script.event(0x3E, whole)
        #expect(found(script).map(\.raw) == [[2, 1, 6]])
        whole[24 + 1] = 0xFF
        script.event(0x3E, whole)
        #expect(found(script).count == 1)
    }

    @Test func aPeerHeardOnLECodedIsCalledThere() throws {
        let script = try scanning()
        let peer: UInt64 = 0xC0_0000_000001
        script.event(
            0x3E,
            [0x0D, 1, 1, 0, 1] + (0..<6).map { UInt8(truncatingIfNeeded: peer >> (8 * UInt64($0))) }
                + [3, 3, 0, 127, 0xC8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1, 6])
        let outcome = Outcome<LinkInfo>()
        _ = script.engine.connect(
            PeerID(Script.peer), options: ConnectOptions(), timeout: .seconds(1), now: script.now,
            completion: outcome.completion)
        let create = try #require(script.commands.last { $0.opcode == .leExtendedCreateConnection }).parameters
        #expect(create[9] == 4, "initiating PHYs: LE Coded")
        #expect(create.count == 10 + 16)
        let other = Outcome<LinkInfo>()
        _ = script.engine.connect(
            PeerID(Script.peer), options: ConnectOptions(phys: [.le2M]), timeout: .seconds(1), now: script.now,
            completion: other.completion)
        #expect(other.error?.code == .invalidArgument)
    }

    @Test func anOldControllerHasNoLECoded() {
        let script = Script()
        let outcome = Outcome<ScanID>()
        script.engine.startScan(ScanParameters(phys: .leCoded), now: script.now, completion: outcome.completion)
        #expect(outcome.error?.code == .unsupported)
        let none = Outcome<ScanID>()
        script.engine.startScan(ScanParameters(phys: []), now: script.now, completion: none.completion)
        #expect(none.error?.code == .invalidArgument)
    }
}
