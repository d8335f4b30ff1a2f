// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanWire
import Foundation
import Testing

/// Extended and periodic advertising, seen by Bumble and seen of Bumble, over both airs.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BumbleAdvertisingTests {
    private static let script = Programs.file("Tests/Peers/bumble_advertising_peer.py")

    @Test(arguments: PeerAir.allCases)
    func weSeeItsExtendedAdvertisement(air: PeerAir) async throws {
        let radio = try await AirProcess(air)
        let peer = try PeerProcess(Programs.python, [Self.script, "advertise", radio.transport])
        let ready = try await peer.event("ready")
        #expect(ready["address"] as? String == "F0:F1:F2:F3:F4:F5")
        let central = try await Central(Adapter(parsing: radio.adapter))
        let address = DeviceAddress(try #require(BluetoothAddress("F0:F1:F2:F3:F4:F5")), .random)
        let found = try await central.first(.address(address), timeout: .seconds(20))
        #expect(found.advertisement.raw == (0..<200).map { UInt8($0) })
        #expect(found.advertisement.extended?.setID == 5)
        #expect(found.advertisement.extended?.secondaryPHY == .le2M)
        #expect(found.advertisement.extended?.isTruncated == false)
        #expect(!found.isConnectable)
        try await central.shutdown()
        radio.stop()
    }

    @Test(arguments: PeerAir.allCases)
    func itSeesOurSets(air: PeerAir) async throws {
        let radio = try await AirProcess(air)
        let server = try await PeripheralServer(Adapter(parsing: radio.adapter))
        let address = try #require(await server.localAddress)
        // RootCanal takes one command's worth of data for each set.
        let length = air == .rootCanal ? 240 : 600
        let data = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 3) }
        try await server.advertise(
            AdvertisingParameters(
                content: .raw(data: data, scanResponse: []), isConnectable: false, isScannable: false,
                interval: .milliseconds(50), extended: ExtendedAdvertising(setID: 7)))
        try await server.advertise(
            AdvertisingParameters(
                content: .raw(data: [2, 1, 6, 3, 9, 0x43, 0x65], scanResponse: []), interval: .milliseconds(50)))
        let peer = try PeerProcess(
            Programs.python, [Self.script, "scan", radio.transport, "--target", address.description])
        var seen: [Int: String] = [:]
        for _ in 0..<2 {
            let found = try await peer.event("found")
            let isLegacy = found["legacy"] as? Bool ?? false
            seen[isLegacy ? -1 : found["sid"] as? Int ?? -2] = found["data"] as? String
        }
        #expect(seen[-1]?.uppercased() == "02010603094365")
        #expect(seen[7]?.uppercased() == Hex.encode(data).uppercased())
        try await server.shutdown()
        radio.stop()
    }

    @Test func periodicDataAreFollowedBothWays() async throws {
        let radio = try await AirProcess(.cerulean)
        let peer = try PeerProcess(Programs.python, [Self.script, "advertise", radio.transport, "--periodic"])
        _ = try await peer.event("ready")
        let central = try await Central(Adapter(parsing: radio.adapter))
        let address = DeviceAddress(try #require(BluetoothAddress("F0:F1:F2:F3:F4:F5")), .random)
        let found = try await central.first(.address(address), timeout: .seconds(20))
        #expect(found.advertisement.extended?.periodicInterval == .milliseconds(100))
        let reports = try await central.synchronize(to: found)
        var iterator = reports.makeAsyncIterator()
        let report = try await iterator.next()
        #expect(report?.data == [5, 4, 3, 2, 1])
        peer.kill()

        let server = await PeripheralServer(host: central.host)
        let own = try #require(await server.localAddress)
        try await server.advertise(
            AdvertisingParameters(
                content: .raw(data: [2, 1, 4], scanResponse: []), isConnectable: false, isScannable: false,
                interval: .milliseconds(50),
                extended: ExtendedAdvertising(
                    setID: 3, periodic: PeriodicAdvertising(data: [1, 2, 3], interval: .milliseconds(100)))))
        let scanner = try PeerProcess(
            Programs.python,
            [
                Self.script, "scan", radio.transport, "--target", own.description, "--periodic", "--address",
                "F0:F1:F2:F3:F4:F6",
            ])
        #expect(try await scanner.event("periodic")["data"] as? String == "010203")
        try await central.shutdown()
        radio.stop()
    }
}
