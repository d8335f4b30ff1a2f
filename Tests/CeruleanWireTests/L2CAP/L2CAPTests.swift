// SPDX-License-Identifier: Apache-2.0
import CeruleanWire
import Testing

@Suite struct L2CAPTests {
    typealias Command = L2CAP.SignalingCommand

    /// Octets laid out by hand from Core 5.4, Vol 3, Part A, 4.
    static let commands: [(String, Command)] = [
        ("01 01 02 00 00 00", Command(identifier: 1, .commandReject(.init(reason: .notUnderstood)))),
        (
            "01 07 06 00 02 00 40 00 41 00",
            Command(identifier: 7, .commandReject(.init(reason: .invalidChannel, data: [0x40, 0, 0x41, 0])))
        ),
        (
            "06 02 04 00 41 00 40 00",
            Command(identifier: 2, .disconnectionRequest(.init(destination: id(0x41), source: id(0x40))))
        ),
        (
            "07 02 04 00 41 00 40 00",
            Command(identifier: 2, .disconnectionResponse(.init(destination: id(0x41), source: id(0x40))))
        ),
        (
            "12 03 08 00 06 00 80 0C 63 00 2C 01",
            Command(
                identifier: 3,
                .connectionParameterUpdateRequest(
                    .init(intervalMin: 6, intervalMax: 3200, latency: 99, timeout: 300)))
        ),
        (
            "13 03 02 00 01 00",
            Command(identifier: 3, .connectionParameterUpdateResponse(.init(result: .rejected)))
        ),
        (
            "14 04 0A 00 80 00 40 00 00 02 F7 00 0A 00",
            Command(
                identifier: 4,
                .leCreditBasedConnectionRequest(
                    .init(
                        spsm: .init(rawValue: 0x80), source: id(0x40), mtu: 512, mps: 247, initialCredits: 10)))
        ),
        (
            "15 04 0A 00 00 00 17 00 17 00 01 00 02 00",
            Command(
                identifier: 4,
                .leCreditBasedConnectionResponse(
                    .init(destination: .null, mtu: 23, mps: 23, initialCredits: 1, result: .spsmNotSupported)))
        ),
        (
            "16 05 04 00 40 00 FF FF",
            Command(identifier: 5, .flowControlCredit(.init(channelID: id(0x40), credits: 0xFFFF)))
        ),
        (
            "17 06 0C 00 27 00 40 00 40 00 01 00 40 00 41 00",
            Command(
                identifier: 6,
                .creditBasedConnectionRequest(
                    .init(spsm: .enhancedATT, mtu: 64, mps: 64, initialCredits: 1, sources: [id(0x40), id(0x41)])))
        ),
        (
            "18 06 0C 00 40 00 40 00 01 00 04 00 50 00 00 00",
            Command(
                identifier: 6,
                .creditBasedConnectionResponse(
                    .init(
                        mtu: 64, mps: 64, initialCredits: 1, result: .noResources, destinations: [id(0x50), .null])))
        ),
        (
            "19 07 06 00 80 00 40 00 40 00",
            Command(identifier: 7, .reconfigureRequest(.init(mtu: 128, mps: 64, destinations: [id(0x40)])))
        ),
        ("1A 07 02 00 03 00", Command(identifier: 7, .reconfigureResponse(.init(result: .invalidDestination)))),
        ("0A 08 02 00 02 00", Command(identifier: 8, .unknown(.init(rawValue: 0x0A), [2, 0]))),
    ]

    static func id(_ value: UInt16) -> L2CAP.ChannelID { .init(rawValue: value) }

    @Test(arguments: commands)
    func readsAndWritesEverySignalingCommand(hex: String, command: Command) throws {
        let bytes = try Hex.decode(hex)
        #expect(try Command(decoding: bytes) == command)
        #expect(try command.encoded() == bytes)
        #expect(command.code.rawValue == bytes[0])
    }

    @Test(arguments: commands)
    func refusesEverySignalingCommandThatIsCutOrTooLong(hex: String, command: Command) throws {
        let bytes = try Hex.decode(hex)
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try Command(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: WireError(offset: bytes.count, reason: .trailing)) { try Command(decoding: bytes + [0]) }
    }

    @Test func saysWhichFieldOfACommandIsCut() throws {
        // Announces 6 octets, a parameter update request needs 8: the timeout is missing.
        #expect(throws: WireError(offset: 10, reason: .truncated)) {
            try Command(decoding: [0x12, 1, 6, 0, 6, 0, 6, 0, 0, 0])
        }
        // The length goes beyond the frame (security.md, L6).
        #expect(throws: WireError(offset: 2, reason: .truncated)) { try Command(decoding: [0x12, 1, 8, 0]) }
    }

    @Test func keepsMoreChannelsThanAreLegal() throws {
        // Seven channel ids: the receiver answers with a result, so that the command must decode (security.md, L13).
        let bytes: [UInt8] = [0x19, 1, 18, 0, 23, 0, 23, 0] + (0..<7).flatMap { [0x40 + UInt8($0), 0] }
        guard case .reconfigureRequest(let request) = try Command(decoding: bytes).body else {
            Issue.record("not a reconfigure request")
            return
        }
        #expect(request.destinations.count == 7)
    }

    @Test(arguments: [
        (6, 6, 0, 10, true), (6, 3200, 0, 801, true), (6, 3200, 0, 800, false), (7, 6, 0, 100, false),
        (5, 6, 0, 100, false), (6, 3201, 0, 3200, false), (6, 6, 499, 3200, true), (6, 6, 500, 3200, false),
        (6, 6, 0, 9, false), (6, 6, 0, 3201, false), (65535, 65535, 65535, 65535, false),
    ])
    func knowsTheRangesOfConnectionParameters(min: UInt16, max: UInt16, latency: UInt16, timeout: UInt16, valid: Bool) {
        let request = L2CAP.ConnectionParameterUpdateRequest(
            intervalMin: min, intervalMax: max, latency: latency, timeout: timeout)
        #expect(request.isValid == valid)
    }

    @Test func responsesAreNotToBeRejected() {
        #expect(L2CAP.SignalingCode.commandReject.isResponse)
        #expect(L2CAP.SignalingCode.reconfigureResponse.isResponse)
        #expect(!L2CAP.SignalingCode.flowControlCredit.isResponse)
        #expect(!L2CAP.SignalingCode(rawValue: 0x42).isResponse)
    }

    @Test func readsABasicFrameWithoutCopying() throws {
        let bytes: [UInt8] = [0x03, 0x00, 0x04, 0x00, 0x0A, 0x2A, 0x00]
        let frame = try L2CAP.BasicFrame(in: bytes.span.bytes)
        #expect(frame.header == .init(length: 3, channelID: .attribute))
        #expect(frame.payload == 4..<7)
        var written: [UInt8] = []
        frame.header.append(to: &written)
        #expect(written == [3, 0, 4, 0])
        #expect(try frame.header.encoded() == written)
    }

    @Test func hotViewAndVisitAgreeOnRandomBytes() {
        var random = SeededRandom(seed: 2)
        for round in 0..<2000 {
            var bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if round.isMultiple(of: 2), bytes.count >= 4 {
                bytes[0] = UInt8.random(in: 0...10, using: &random)
                bytes[1] = 0
            }
            let hot = Result { () throws(WireError) in try L2CAP.BasicFrame(in: bytes.span.bytes) }
            let visited = Result { () throws(WireError) in try L2CAP.BasicFrame(decoding: bytes) }
            #expect(hot == visited, "\(Hex.encode(bytes))")
            #expect(
                L2CAP.BasicHeader(in: bytes.span.bytes)
                    == (try? L2CAP.BasicHeader(decodingPrefixOf: bytes.span.bytes)))
        }
        let four: [UInt8] = [1, 2, 3, 4]
        for offset in [1, -1, Int.max, Int.min] {
            #expect(L2CAP.BasicHeader(in: four.span.bytes, at: offset) == nil)
        }
    }

    @Test func namesChannels() {
        #expect(L2CAP.ChannelID.attribute.description == "ATT")
        #expect(Self.id(0x0041).description == "0x0041")
        #expect(Self.id(0x40).isDynamic && !Self.id(0x80).isDynamic && !Self.id(6).isDynamic)
    }
}
