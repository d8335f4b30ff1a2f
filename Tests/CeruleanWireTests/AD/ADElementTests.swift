// SPDX-License-Identifier: Apache-2.0
import CeruleanWire
import Testing

@Suite struct ADElementTests {
    typealias Element = AdvertisingData.Element

    /// One structure of each type, laid out by hand from the Core Specification Supplement, Part A.
    static let structures: [(String, Element)] = [
        ("01 06", .flags([.generalDiscoverable, .brEDRNotSupported])),
        ("02 0F18 0A18", .services([0x180F, 0x180A], width: .two, complete: false)),
        ("03 0D18", .services([0x180D], width: .two, complete: true)),
        ("04 78563412", .services(["12345678"], width: .four, complete: false)),
        ("05 78563412", .services(["12345678"], width: .four, complete: true)),
        ("06 34226571700BD0A61B4E82088A4866C5", .services([exchange], width: .sixteen, complete: false)),
        ("07 34226571700BD0A61B4E82088A4866C5", .services([exchange], width: .sixteen, complete: true)),
        ("08 4142", .name("AB", complete: false)),
        ("09 C3A4", .name("ä", complete: true)),
        ("0A F8", .txPower(-8)),
        ("0D 0C025A", .classOfDevice(0x5A020C)),
        ("0E" + sixteen, .simplePairingHash(octets, wide: false)),
        ("0F" + sixteen, .simplePairingRandomizer(octets, wide: false)),
        ("10" + sixteen, .securityManagerTK(octets)),
        ("11 0B", .securityManagerOOBFlags([.dataPresent, .leSupported, .randomAddress])),
        ("12 0600 800C", .connectionIntervalRange(.init(minimum: 6, maximum: 3200))),
        ("14 0218", .solicitedServices([0x1802], width: .two)),
        ("15 34226571700BD0A61B4E82088A4866C5", .solicitedServices([exchange], width: .sixteen)),
        ("16 0F18 64", .serviceData(0x180F, [0x64], width: .two)),
        (
            "17 060504030201 0C0B0A090807",
            .publicTargetAddresses([address(0x0102_0304_0506), address(0x0708_090A_0B0C)])
        ),
        ("18 0605040302C1", .randomTargetAddresses([address(0xC102_0304_0506)])),
        ("19 4103", .appearance(833)),
        ("1A A000", .advertisingInterval(160, octets: 2)),
        ("1B 0605040302C1 01", .leDeviceAddress(DeviceAddress(address(0xC102_0304_0506), .random))),
        ("1C 02", .leRole(.peripheralPreferred)),
        ("1D" + sixteen, .simplePairingHash(octets, wide: true)),
        ("1E" + sixteen, .simplePairingRandomizer(octets, wide: true)),
        ("1F 78563412", .solicitedServices(["12345678"], width: .four)),
        ("20 78563412 FF", .serviceData("12345678", [0xFF], width: .four)),
        ("21 34226571700BD0A61B4E82088A4866C5", .serviceData(exchange, [], width: .sixteen)),
        ("22" + sixteen, .secureConnectionsConfirm(octets)),
        ("23" + sixteen, .secureConnectionsRandom(octets)),
        ("24 17 2F2F782E6465", .uri(scheme: 0x17, rest: "//x.de")),
        ("25 00", .indoorPosition(.init())),
        ("25 3D 01000000 FEFFFFFF F6 14 E803 21", .indoorPosition(position)),
        ("26 01 02 03 AABBCC 02 00 00", .transportDiscovery([block(1, 2, [0xAA, 0xBB, 0xCC]), block(2, 0, [])])),
        ("27 FF01", .leSupportedFeatures([0xFF, 0x01])),
        ("28 FFFFFFFF1F 3412", .channelMapUpdate(channelMap)),
        ("29 01020304 80 0301", .provisioning(provisioning)),
        ("2A 6812", .meshMessage([0x68, 0x12])),
        ("2B 00 0102", .meshBeacon(meshBeacon)),
        ("2D" + sixteen, .broadcastCode(octets)),
        ("2E 010203040506", .resolvableSetIdentifier([1, 2, 3, 4, 5, 6])),
        ("2F A08601", .advertisingInterval(100_000, octets: 3)),
        ("2F A0860100", .advertisingInterval(100_000, octets: 4)),
        ("30 48616C6C", .broadcastName(Array("Hall".utf8))),
        ("31 0102030405 AABB 0A0B0C0D", .encrypted(encrypted)),
        ("32 78563412 10 0A 04 08", .periodicResponseTiming(timing)),
        ("34 0102", .electronicShelfLabel([1, 2])),
        ("3D 03 46", .threeDInformation(glasses)),
        ("FF 4C00 0215", .manufacturerData(company: 0x004C, [0x02, 0x15])),
        ("FE 01", .unknown(.init(rawValue: 0xFE), [1])),
    ]

    static let exchange: BluetoothUUID = "C566488A-0882-4E1B-A6D0-0B7071652234"
    static let sixteen = "000102030405060708090A0B0C0D0E0F"
    static let octets = [UInt8](0...15)
    static func address(_ raw: UInt64) -> BluetoothAddress { .init(rawValue: raw) }
    static func block(_ organization: UInt8, _ flags: UInt8, _ data: [UInt8]) -> AdvertisingData.TransportBlock {
        make { (block: inout AdvertisingData.TransportBlock) in
            (block.organization, block.flags, block.data) = (organization, flags, data)
        }
    }
    static func make<P: WirePacket>(_ change: (inout P) -> Void) -> P {
        var packet = P()
        change(&packet)
        return packet
    }
    static let position: AdvertisingData.IndoorPosition = make {
        $0.coordinates = .wgs84(latitude: 1, longitude: -2)
        ($0.txPower, $0.floor, $0.altitude, $0.uncertainty) = (-10, 20, 1000, 0x21)
    }
    static let channelMap: AdvertisingData.ChannelMapUpdate = make {
        ($0.channelMap, $0.instant) = (0x1F_FFFF_FFFF, 0x1234)
    }
    static let provisioning: AdvertisingData.ProvisioningPacket = make {
        ($0.link, $0.transaction, $0.pdu) = (0x0102_0304, 0x80, [3, 1])
    }
    static let meshBeacon: AdvertisingData.MeshBeacon = make { $0.data = [1, 2] }
    static let encrypted: AdvertisingData.EncryptedData = make {
        ($0.randomizer, $0.payload, $0.mic) = ([1, 2, 3, 4, 5], [0xAA, 0xBB], [10, 11, 12, 13])
    }
    static let timing: AdvertisingData.ResponseTiming = make {
        ($0.accessAddress, $0.subevents, $0.subeventInterval) = (0x1234_5678, 16, 10)
        ($0.responseSlotDelay, $0.responseSlotSpacing) = (4, 8)
    }
    static let glasses: AdvertisingData.ThreeDInformation = make { ($0.flags, $0.pathLossThreshold) = (3, 70) }

    @Test(arguments: structures)
    func readsAndWritesEveryType(hex: String, element: Element) throws {
        let bytes = try Hex.decode(hex)
        let decoded = Element(type: ADType(rawValue: bytes[0]), data: Array(bytes.dropFirst()))
        #expect(decoded == element)
        #expect(decoded.type.rawValue == bytes[0])
        #expect(try element.structure().data == Array(bytes.dropFirst()))
    }

    @Test func coversEveryTypeOfTheSupplement() throws {
        let covered = try Set(Self.structures.map { try Hex.decode($0.0)[0] }).union([ADType.bigInfo.rawValue])
        #expect(covered.isSuperset(of: ADType.all.map(\.rawValue)))
        #expect(ADType.all.count == 50)
    }

    /// 14 + 1 + 12 + 5 bits: offset 5, units 1, interval 8, 2 streams. Vol 6, Part B, 4.4.6.11.
    @Test func readsABroadcastGroup() throws {
        let word: UInt32 = 5 | 1 << 14 | 8 << 15 | 2 << 27
        var bytes = (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) }
        bytes += [UInt8](repeating: 0, count: 24)
        // Channel map of 37 ones and PHY 1, then payload count 2 and framing 1.
        bytes += [0xFF, 0xFF, 0xFF, 0xFF, 0x3F, 0x02, 0, 0, 0, 0x80]
        bytes.remove(at: 4)
        #expect(bytes.count == 37)
        bytes.removeSubrange(4..<8)
        #expect(bytes.count == 33)
        guard case .bigInfo(let info) = Element(type: .bigInfo, data: bytes) else {
            Issue.record("not read")
            return
        }
        #expect(info.offset == 5 && info.offsetUnits == 1 && info.isoInterval == 8 && info.streamCount == 2)
        #expect(info.channelMap == 0x1F_FFFF_FFFF && info.phy == 1 && info.payloadCount == 2 && info.framing == 1)
        #expect(try Element.bigInfo(info).structure().data == bytes)
        guard case .bigInfo(let secret) = Element(type: .bigInfo, data: bytes + [UInt8](repeating: 7, count: 24)) else {
            Issue.record("encrypted form not read")
            return
        }
        #expect(secret.encryption.count == 24)
        guard case .malformed(_, _, let error) = Element(type: .bigInfo, data: bytes + [1]) else {
            Issue.record("34 octets are no BIGInfo")
            return
        }
        #expect(error == .invalid("encryption", at: 33))
    }

    @Test func toleratesFlagsOfAnyLength() {
        #expect(Element(type: .flags, data: []) == .flags([]))
        #expect(Element(type: .flags, data: [0x02, 0x80]) == .flags(.generalDiscoverable))
    }

    @Test(arguments: [
        (ADType.completeServices16, "0D180F", WireError(offset: 2, reason: .truncated)),
        (.completeServices128, "0D18", WireError(offset: 0, reason: .truncated)),
        (.serviceData16, "0D", WireError(offset: 0, reason: .truncated)),
        (.serviceData128, "0D18", WireError(offset: 0, reason: .truncated)),
        (.manufacturerData, "", WireError(offset: 0, reason: .truncated)),
        (.manufacturerData, "4C", WireError(offset: 0, reason: .truncated)),
        (.txPowerLevel, "", WireError(offset: 0, reason: .truncated)),
        (.txPowerLevel, "0001", WireError(offset: 1, reason: .trailing)),
        (.appearance, "40", WireError(offset: 0, reason: .truncated)),
        (.encryptedData, "0102030405AABBCC", WireError(offset: 5, reason: .truncated)),
        (.transportDiscovery, "010205AA", WireError(offset: 3, reason: .truncated)),
        (.uri, "FF", WireError.invalid("uri", at: 0)),
        (.indoorPositioning, "0100000000", WireError(offset: 5, reason: .truncated)),
    ])
    func marksWhatDoesNotFit(type: ADType, hex: String, error: WireError) throws {
        let data = try Hex.decode(hex)
        #expect(Element(type: type, data: data) == .malformed(type, data, error))
    }

    @Test func refusesToWriteWhatTheTypeCannotHold() {
        #expect(throws: WireError.invalid("uuid", at: 2)) {
            try Element.services([0x180D, Self.exchange], width: .two, complete: true).structure()
        }
        #expect(throws: WireError.self) { try Element.securityManagerTK([1]).structure() }
        #expect(throws: WireError.self) { try Element.classOfDevice(0x1_000_000).structure() }
        #expect(throws: WireError.self) {
            try Element.manufacturerData(company: 1, [UInt8](repeating: 0, count: 253)).structure()
        }
    }

    @Test func splitsServicesByWidth() {
        #expect(
            Element.serviceLists([Self.exchange, 0x180D, 0x180F]) == [
                .services([0x180D, 0x180F], width: .two, complete: true),
                .services([Self.exchange], width: .sixteen, complete: true),
            ])
    }
}
