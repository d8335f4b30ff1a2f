// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

@Suite struct ScanTests {
    private func report(
        _ script: Script, _ address: UInt64, _ data: [UInt8], type: UInt8 = 0, rssi: UInt8 = 0xC8
    ) {
        script.event(
            0x3E,
            [2, 1, type, 1] + (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * UInt64($0))) }
                + [UInt8(data.count)] + data + [rssi])
    }

    private func start(_ script: Script, _ parameters: ScanParameters = ScanParameters()) -> ScanID? {
        let outcome = Outcome<ScanID>()
        script.engine.startScan(parameters, now: script.now, completion: outcome.completion)
        return outcome.value
    }

    private func found(_ script: Script) -> [(Advertisement, ScanSet)] {
        script.events.compactMap { if case .advertisement(let found, let scans) = $0 { (found, scans) } else { nil } }
    }

    @Test func theFirstOfEachDeviceAndItsChangesAreTold() {
        let script = Script()
        _ = start(script)
        for _ in 0..<3 { report(script, 0xC0_0000_000001, [2, 1, 6]) }
        #expect(found(script).count == 1)
        report(script, 0xC0_0000_000001, [2, 9, 0x41], type: 4)
        report(script, 0xC0_0000_000001, [2, 9, 0x41], type: 4)
        #expect(found(script).count == 2)
        #expect(found(script)[1].0.raw == [2, 1, 6])
        #expect(found(script)[1].0.scanResponse == [2, 9, 0x41])
        report(script, 0xC0_0000_000001, [2, 1, 4], rssi: 127)
        #expect(found(script).count == 3)
        #expect(found(script)[2].0.rssi == nil)
        report(script, 0xC0_0000_000002, [2, 1, 6], type: 3)
        #expect(found(script)[3].0.isConnectable == false)
    }

    @Test func d6_aScanResponseWithoutAdvertisementIsNotMerged() {
        let script = Script()
        _ = start(script)
        report(script, 0xC0_0000_000009, [2, 9, 0x41], type: 4)
        #expect(found(script).isEmpty)
    }

    @Test func eachScanHasItsFilterAndItsMemory() throws {
        let script = Script()
        let all = try #require(start(script))
        let heart = try #require(start(script, ScanParameters(services: [0x180D], reportsDuplicates: true)))
        let long = try #require(
            start(script, ScanParameters(services: ["C566488A-0882-4E1B-A6D0-0B717E652234"])))
        report(script, 0xC0_0000_000001, [3, 3, 0x0D, 0x18])
        report(script, 0xC0_0000_000001, [3, 3, 0x0D, 0x18])
        report(script, 0xC0_0000_000002, [3, 3, 0x0F, 0x18])
        let uuid: [UInt8] = [
            0x34, 0x22, 0x65, 0x7E, 0x71, 0x0B, 0xD0, 0xA6, 0x1B, 0x4E, 0x82, 0x08, 0x8A, 0x48, 0x66, 0xC5,
        ]
        report(script, 0xC0_0000_000003, [2, 1, 6])
        report(script, 0xC0_0000_000003, [17, 7] + uuid, type: 4)
        let sets = found(script).map(\.1)
        #expect(sets.map { $0.contains(all) } == [true, false, true, true, true])
        #expect(sets.map { $0.contains(heart) } == [true, true, false, false, false])
        #expect(sets.map { $0.contains(long) } == [false, false, false, false, true])
        script.engine.stopScan(all, now: script.now)
        let again = try #require(start(script))
        report(script, 0xC0_0000_000002, [3, 3, 0x0F, 0x18])
        #expect(found(script).last?.1.contains(again) == true, "a new scan has heard nothing yet")
    }

    @Test func theControllerGetsWhatAllScansNeedTogether() throws {
        let script = Script()
        let passive = try #require(
            start(
                script,
                ScanParameters(isActive: false, interval: .milliseconds(100), window: .milliseconds(50))))
        #expect(script.commands.last { $0.opcode == .leSetScanParameters }?.parameters.prefix(5) == [0, 160, 0, 80, 0])
        _ = try #require(start(script))
        #expect(script.commands.last { $0.opcode == .leSetScanParameters }?.parameters.prefix(5) == [1, 96, 0, 96, 0])
        script.engine.stopScan(passive, now: script.now)
        #expect(script.count(.leSetScanParameters) == 2)
        script.engine.stopScan(ScanID(rawValue: 1), now: script.now)
        #expect(script.commands.last?.opcode == .leSetScanEnable)
        #expect(script.commands.last?.parameters.first == 0)
        script.engine.stopScan(ScanID(rawValue: 1), now: script.now)
    }

    @Test func d4_aNameOfWrongOctetsIsRepairedAndKeptAsItCame() throws {
        let script = Script()
        _ = start(script)
        report(script, 0xC0_0000_000001, [6, 9, 0x41, 0xFF, 0xC3, 0x00, 0x42])
        let one = try #require(found(script).first?.0)
        #expect(one.raw == [6, 9, 0x41, 0xFF, 0xC3, 0x00, 0x42])
        #expect(one.fields.name?.unicodeScalars.contains("\u{FFFD}") == true)
        #expect(script.engine.knownPeers.first?.name?.hasPrefix("A") == true)
    }

    @Test func d5_theTableIsBoundedAndForgetsTheOneSilentForLongest() {
        var configuration = StackConfiguration(seed: 3)
        configuration.maximumAdvertisers = 100
        let script = Script(configuration)
        _ = start(script)
        for number in UInt64(0)..<100 { report(script, 0xC0_0000_000000 | number, [2, 1, 6]) }
        for number in UInt64(1)..<100 { report(script, 0xC0_0000_000000 | number, [2, 1, 6]) }
        #expect(script.engine.knownPeers.count == 100)
        for number in UInt64(100)..<10_000 {
            script.now = script.now + .milliseconds(1)
            report(script, 0xC0_0000_000000 | number, [2, 1, 6])
        }
        #expect(script.engine.knownPeers.count == 100)
        #expect(script.engine.knownPeers.last?.address?.address.rawValue == 0xC0_0000_00270F)
        #expect(found(script).count == 10_000)
        report(script, 0xC0_0000_000000, [2, 1, 6])
        #expect(found(script).count == 10_001, "it was forgotten, so it is new")
    }

    @Test func advertisementsAreLaidOutInTheirPackets() {
        let script = Script()
        let outcome = Outcome<AdvertisementID>()
        script.engine.startAdvertising(
            AdvertisingParameters(content: .fields(name: "Heart", services: [0x180D, 0x180F])), now: script.now,
            completion: outcome.completion)
        #expect(outcome.value != nil)
        let data = script.commands.last { $0.opcode == .leSetAdvertisingData }?.parameters
        #expect(data?.first == 16)
        #expect(
            data?.dropFirst().prefix(16) == [
                2, 1, 6, 5, 3, 0x0D, 0x18, 0x0F, 0x18, 6, 9, 0x48, 0x65, 0x61, 0x72, 0x74,
            ])
        let second = Outcome<AdvertisementID>()
        script.engine.startAdvertising(
            AdvertisingParameters(content: .fields(name: "x", services: [])), now: script.now,
            completion: second.completion)
        #expect(second.error?.code == .unsupported)
        let tooLong = Script()
        let third = Outcome<AdvertisementID>()
        tooLong.engine.startAdvertising(
            AdvertisingParameters(content: .raw(data: [UInt8](repeating: 0, count: 32), scanResponse: [])),
            now: tooLong.now, completion: third.completion)
        #expect(third.error?.code == .invalidArgument)
    }

    @Test func aLongNameGoesIntoTheScanResponse() {
        let script = Script()
        script.engine.startAdvertising(
            AdvertisingParameters(
                content: .fields(
                    name: "A name of thirty-three characters",
                    services: ["C566488A-0882-4E1B-A6D0-0B717E652234"])), now: script.now
        ) { _ in }
        let data = script.commands.last { $0.opcode == .leSetAdvertisingData }?.parameters
        let response = script.commands.last { $0.opcode == .leSetScanResponseData }?.parameters
        #expect(data?.first == 21)
        #expect(response?.prefix(3) == [31, 30, 8], "shortened: 29 octets are left")
    }
}
