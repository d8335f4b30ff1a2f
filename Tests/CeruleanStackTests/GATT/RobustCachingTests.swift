// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// Database Hash and robust caching of the server. Core 5.4, Vol 3, Part G, 2.5.2 and 7.
@Suite struct RobustCachingTests {
    /// The database of the specification's sample. Core 5.4, Vol 3, Part G, appendix B.
    private func sample() throws -> GATTServer {
        let server = GATTServer()
        let crypto = SystemCrypto()
        server.hasher = { (try? crypto.databaseHash($0))?.littleEndian }
        let battery = try server.add(
            [
                ServiceDefinition(
                    uuid: 0x180F, isPrimary: false,
                    characteristics: [
                        .init(uuid: 0x2A19, properties: .read, permissions: .readable, value: .stored([50]))
                    ], handle: 0x14)
            ], now: .zero)
        let read = { (uuid: BluetoothUUID) in
            CharacteristicDefinition(uuid: uuid, properties: .read, permissions: .readable, value: .stored([1]))
        }
        try server.add(
            [
                ServiceDefinition(
                    uuid: 0x1800,
                    characteristics: [
                        .init(
                            uuid: 0x2A00, properties: [.read, .write], permissions: .readable, value: .stored([1])),
                        read(0x2A01),
                    ], handle: 1),
                ServiceDefinition(
                    uuid: 0x1801,
                    characteristics: [
                        .init(uuid: 0x2A05, properties: .indicate, permissions: .init()),
                        .init(uuid: 0x2B29, properties: [.read, .write], permissions: .readWrite),
                        read(0x2B2A),
                    ], handle: 6),
                ServiceDefinition(
                    uuid: 0x1808,
                    characteristics: [
                        .init(
                            uuid: 0x2A18, properties: [.read, .indicate, .extended], permissions: .readable,
                            descriptors: [
                                .init(uuid: 0x2902, permissions: .readWrite, value: .stored([])),
                                .init(uuid: 0x2900, permissions: .readable, value: .stored([0, 0])),
                            ])
                    ], includes: [battery[0].id], handle: 0x0E),
            ], now: .zero)
        return server
    }

    private static let extra = ServiceDefinition(uuid: 0xFFF0, handle: 0x40)

    @Test func theHashIsThatOfTheSample() throws {
        let server = try sample()
        // Printed most significant octet first, sent least significant first.
        let printed = try Hex.decode("F1CA2D48ECF58BAC8A8830BBB9FBA990")
        #expect(server.databaseHash == printed.reversed())
        let rig = BearerRig(server: server)
        // Read By Type over everything, and a plain read.
        #expect(rig.receive("080100ffff2a2b") == ["09120d00" + Hex.encode(Array(printed.reversed()))])
        #expect(rig.receive("0a0d00") == ["0b" + Hex.encode(Array(printed.reversed()))])
        try server.add([Self.extra], now: .zero)
        #expect(server.databaseHash != printed.reversed())
        #expect(server.remove(try #require(server.id(of: 0x40)), now: .zero))
        #expect(server.databaseHash == printed.reversed(), "the same database, the same hash")
    }

    @Test func a20_anUnawareClientIsToldOnceAndThenServed() throws {
        let server = try sample()
        let rig = BearerRig(server: server)
        #expect(rig.receive("120b0001") == ["13"])
        #expect(rig.receive("0a0300") == ["0b01"])
        try server.add([Self.extra], now: .zero)
        #expect(rig.receive("0a0300") == ["010a030012"])
        #expect(rig.receive("0a0300") == ["0b01"])
        // Again for the next change; writes and Read By Type of a part count as well.
        for request in ["120b0001", "0c03000000", "1603000000", "0e03000500", "20030005", "080100050003ff"]
        where request != "20030005" {
            #expect(server.remove(try #require(server.id(of: 0x40)), now: .zero))
            let answer = rig.receive(request)
            #expect(answer.count == 1 && answer[0].hasPrefix("01" + request.prefix(2)) && answer[0].hasSuffix("12"))
            #expect(rig.receive("0a0300") == ["0b01"])
            try server.add([Self.extra], now: .zero)
            #expect(rig.receive("0a0300") == ["010a030012"])
            #expect(rig.receive("0a0300") == ["0b01"])
        }
    }

    @Test func a20_discoveryIsServedToAnUnawareClient() throws {
        let server = try sample()
        let rig = BearerRig(server: server)
        rig.receive("120b0001")
        try server.add([Self.extra], now: .zero)
        for request in ["100100ffff0028", "0401000300", "080100ffff0328", "080100ffff0228", "06010003000028" + "0018"] {
            #expect(rig.receive(request).first?.hasPrefix("01") == false, "\(request)")
        }
        #expect(rig.receive("0a0300") == ["010a030012"])
    }

    @Test func a20_theHashMakesAware() throws {
        let server = try sample()
        let rig = BearerRig(server: server)
        rig.receive("120b0001")
        try server.add([Self.extra], now: .zero)
        #expect(!rig.bearer.isClientAware)
        #expect(rig.receive("080100ffff2a2b").first?.hasPrefix("0912") == true)
        #expect(rig.receive("0a0300") == ["0b01"])
        #expect(rig.bearer.isClientAware)
    }

    @Test func a20_theConfirmationOfServiceChangedMakesAware() throws {
        let server = try sample()
        let rig = BearerRig(server: server)
        rig.receive("120b0001")
        rig.receive("1209000200")
        try server.add([Self.extra], now: .zero)
        #expect(rig.take() == ["1d080040004000"])
        // A second change while the first is on its way is told too, and only that confirmation counts.
        #expect(server.remove(try #require(server.id(of: 0x40)), now: .zero))
        #expect(rig.receive("1e") == ["1d080040004000"])
        #expect(!rig.bearer.isClientAware)
        #expect(rig.receive("1e") == [])
        #expect(rig.bearer.isClientAware)
        #expect(rig.receive("0a0300") == ["0b01"])
    }

    @Test func whoDoesNotAskForItIsNotTold() throws {
        let server = try sample()
        let rig = BearerRig(server: server)
        try server.add([Self.extra], now: .zero)
        #expect(rig.receive("0a0300") == ["0b01"])
    }

    @Test func commandsAndValuesWaitUntilTheClientKnows() throws {
        let server = try sample()
        let published = try server.add(
            [
                ServiceDefinition(
                    uuid: 0xFFE0,
                    characteristics: [
                        .init(
                            uuid: 0xFFE1, properties: [.writeWithoutResponse, .notify], permissions: .readWrite,
                            value: .stored([0]))
                    ], handle: 0x30)
            ], now: .zero)
        let value = published[0].characteristics[0].id
        let rig = BearerRig(server: server)
        rig.receive("120b0001")
        rig.receive("1233000100")
        #expect(server.update([1], of: value, for: .allSubscribers, now: .zero))
        #expect(rig.take() == ["1b320001"])
        try server.add([Self.extra], now: .zero)
        #expect(server.update([2], of: value, for: .allSubscribers, now: .zero))
        rig.receive("52320009")
        #expect(rig.take() == [])
        #expect(server.storedValue(of: value) == [2], "the command was ignored")
        rig.receive("0a0300")
        rig.receive("0a0300")
        #expect(server.update([3], of: value, for: .allSubscribers, now: .zero))
        #expect(rig.take() == ["1b320003"])
    }

    @Test func featuresCannotBeTakenBack() throws {
        let rig = BearerRig(server: try sample())
        #expect(rig.receive("0a0b00") == ["0b00"])
        #expect(rig.receive("120b0005") == ["13"])
        #expect(rig.receive("0a0b00") == ["0b05"])
        #expect(rig.receive("120b0001") == ["01120b0013"])
        #expect(rig.receive("120b00") == ["01120b000d"])
        // What is reserved is left out.
        #expect(rig.receive("120b00ff") == ["13"])
        #expect(rig.receive("0a0b00") == ["0b07"])
        // Each client has its own.
        let other = BearerRig(server: try sample(), link: 2)
        #expect(other.receive("0a0b00") == ["0b00"])
    }

    @Test func aBondedClientThatMissedAChangeIsTold() throws {
        let server = try sample()
        let old = try #require(server.databaseHash)
        let first = BearerRig(server: server)
        first.bearer.restoreConfigurations([0x0009: 2])
        first.bearer.restoreClient(features: [1], knownDatabase: old, now: .zero)
        #expect(first.take() == [])
        #expect(first.bearer.isClientAware)
        first.bearer.close(HostError(.disconnected))
        try server.add([Self.extra], now: .zero)
        let second = BearerRig(server: server)
        second.bearer.restoreConfigurations([0x0009: 2])
        second.bearer.restoreClient(features: [1], knownDatabase: old, now: .zero)
        #expect(second.take() == ["1d08000100ffff"])
        #expect(second.receive("0a0300") == ["010a030012"])
        let third = BearerRig(server: server)
        third.bearer.restoreClient(features: [1], knownDatabase: nil, now: .zero)
        #expect(third.receive("0a0300") == ["0b01"])
    }

    @Test func withoutCryptographyThereIsNoHash() throws {
        let server = try sample()
        server.hasher = { _ in nil }
        try server.add([Self.extra], now: .zero)
        #expect(server.databaseHash == nil)
    }

    // MARK: - several values at once

    @Test func severalValuesGoInOneNotificationToThoseWhoTakeIt() throws {
        let server = try sample()
        let notifying = { (uuid: BluetoothUUID) in
            CharacteristicDefinition(
                uuid: uuid, properties: [.read, .notify], permissions: .readable, value: .stored([0]))
        }
        let parts = try server.add(
            [
                ServiceDefinition(
                    uuid: 0xFFE0, characteristics: [notifying(1), notifying(2), notifying(3)], handle: 0x30)
            ], now: .zero)[0].characteristics.map(\.id)
        let modern = BearerRig(server: server)
        let old = BearerRig(server: server, link: 2)
        modern.receive("120b0004")
        for rig in [modern, old] {
            for configuration in ["33", "36", "39"] { rig.receive("12\(configuration)000100") }
        }
        let taken = server.updateTogether(
            [AttributeUpdate(parts[0], [1]), AttributeUpdate(parts[1], [2, 2]), AttributeUpdate(parts[2], [3])],
            for: .allSubscribers, now: .zero)
        #expect(taken == 3)
        #expect(modern.take() == ["23" + "3200010001" + "350002000202" + "3800010003"])
        #expect(old.take() == ["1b320001", "1b35000202", "1b380003"])
        #expect(server.storedValue(of: parts[1]) == [2, 2])
        // Too long for company at an MTU of 23.
        _ = server.updateTogether(
            [
                AttributeUpdate(parts[0], [UInt8](repeating: 1, count: 18)), AttributeUpdate(parts[1], [2]),
                AttributeUpdate(parts[2], [3]),
            ], for: .link(LinkID(rawValue: 1)), now: .zero)
        #expect(modern.take() == ["1b3200" + String(repeating: "01", count: 18), "23" + "3500010002" + "3800010003"])
        #expect(old.take() == [])
        modern.canSend = false
        var sum = 0
        for _ in 0..<100 {
            sum += server.updateTogether(
                [AttributeUpdate(parts[0], [1]), AttributeUpdate(parts[1], [2])], for: .allSubscribers, now: .zero)
        }
        #expect(sum <= ATTBearer.maximumQueuedValues * 2)
    }
}
