// SPDX-License-Identifier: Apache-2.0
import CeruleanWire
import Foundation
import Testing

@testable import CeruleanCommand

@Suite struct TraceVerbTests {
    /// A reset with its answer, a connection, and a read on it.
    static let packets: [(String, Bool)] = [
        ("01030c00", false), ("040e0401030c00", true),
        ("043e1301004000000114000000cec7180000006400 00", true), ("0240000700030004000a0300", false),
        ("0240200700030004000b0102", true), ("0405040040001 3", true),
    ]

    private func run(_ arguments: String..., format: HCICapture.Format = .btsnoop) async throws -> (
        ExitCode, TestConsole
    ) {
        let path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let capture = HCICapture(format)
        var octets = capture.header
        for (index, (hex, isReceived)) in Self.packets.enumerated() {
            let packet = try Hex.decode(hex.filter { $0 != " " })
            octets += capture.record(
                packet, isReceived: isReceived, microseconds: 946_684_800_000_000 + Int64(index) * 1000)
        }
        try Data(octets).write(to: URL(filePath: path))
        let test = TestConsole()
        return (await CeruleanProgram.run(["trace", path] + arguments, test.console), test)
    }

    @Test(arguments: [HCICapture.Format.btsnoop, .pcapng])
    func printsEveryPacketWithItsFields(format: HCICapture.Format) async throws {
        let (code, test) = try await run("--json", format: format)
        #expect(code == .ok, "\(test.error)")
        let objects = test.objects
        #expect(objects.map { $0["packet"] } == [1, 2, 3, 4, 5, 6])
        #expect(objects[0]["time"] == "2000-01-01T00:00:00.000Z")
        #expect(objects[0]["direction"] == "sent" && objects[1]["direction"] == "received")
        #expect(objects[3]["name"] == "ATT Read Request" && objects[3]["connection"] == 1)
        #expect(objects[3]["att"]?["attribute handle"] == 3)
        #expect(objects[4]["address"] == "C7:CE:00:00:00:14" && objects[4]["handle"] == 64)
        #expect(objects[4]["att"]?["attribute value"] == "0102")
        let (_, text) = try await run()
        #expect(text.lines[0].hasSuffix("0.000000 → command Reset"))
        #expect(text.out.contains("     4    0.003000 → data    [1] ATT Read Request\n"))
        #expect(text.out.contains("att: opcode Read Request, attribute handle 3\n"))
    }

    @Test(arguments: [
        (["--kind", "command"], [1]), (["--kind", "command,data"], [1, 4, 5]), (["--protocol", "att"], [4, 5]),
        (["--connection", "1"], [3, 4, 5, 6]), (["--connection", "0x0040"], [3, 4, 5, 6]),
        (["--connection", "c7:ce:00:00:00:14"], [3, 4, 5, 6]), (["--find", "READ RESP"], [5]),
        (["--find", "reset", "--count", "1"], [1]),
    ])
    func filters(options: [String], packets: [Int]) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let capture = HCICapture(.btsnoop)
        let octets = try Self.packets.reduce(capture.header) {
            $0 + capture.record(try Hex.decode($1.0.filter { $0 != " " }), isReceived: $1.1, microseconds: 0)
        }
        try Data(octets).write(to: URL(filePath: path))
        let test = TestConsole()
        #expect(await CeruleanProgram.run(["trace", path, "--json"] + options, test.console) == .ok)
        #expect(test.objects.map { $0["packet"] } == packets.map { FieldValue(integer: $0) })
    }

    @Test(arguments: ["99", "0x0777", "00:00:00:00:00:01"])
    func aConnectionThatIsNotInTheCaptureIsSaid(which: String) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString).btsnoop").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let capture = HCICapture(.btsnoop)
        let octets = try Self.packets.reduce(capture.header) {
            $0 + capture.record(try Hex.decode($1.0.filter { $0 != " " }), isReceived: $1.1, microseconds: 0)
        }
        try Data(octets).write(to: URL(filePath: path))
        let test = TestConsole()
        #expect(await test.run("trace", path, "--connection", which) == .notFound)
        #expect(test.out.isEmpty)
        #expect(test.error.contains("there is no connection \(which) in the capture; it has "), "\(test.error)")
    }

    @Test(arguments: [
        (["/nonexistent"], ExitCode.badData, "no such file"), (["/dev/null"], .badData, "no btsnoop"),
        (["/dev/null", "--kind", "x"], .usage, "--kind takes"),
        (["/dev/null", "--connection", "x"], .usage, "takes a number"),
    ])
    func faultsHaveTheirExitCodes(arguments: [String], code: ExitCode, text: String) async {
        let test = TestConsole()
        #expect(await CeruleanProgram.run(["trace"] + arguments, test.console) == code)
        #expect(test.error.contains(text), "\(test.error)")
    }
}

@Suite struct BenchVerbTests {
    /// Figures of the link layer, calculated from the specification: microseconds and thousand bits a second.
    @Test(arguments: [
        (AirLimit.PHY.le1M, 27, false, 20, 676, 237), (.le1M, 27, true, 20, 708, 226), (.le2M, 27, false, 20, 496, 323),
        (.le1M, 251, false, 244, 2_468, 791), (.le1M, 251, true, 244, 2_500, 781),
        (.le2M, 251, false, 244, 1_392, 1_402),
        (.le2M, 251, true, 244, 1_408, 1_386), (.le2M, 251, false, 495, 2_784, 1_422),
        (.le2M, 251, false, 512, 3_240, 1_264),
    ])
    func knowsWhatTheAirAllows(phy: AirLimit.PHY, length: Int, isEncrypted: Bool, size: Int, time: Int, rate: Int) {
        let limit = AirLimit(phy: phy, dataLength: length, isEncrypted: isEncrypted)
        #expect(limit.time(of: size) == time)
        #expect(Int(limit.kilobitsPerSecond(size).rounded()) == rate)
    }

    /// Whole exchanges only: 3 or 5 full packets in 7.5 ms.
    @Test func countsWhatFitsAnInterval() {
        let slow = AirLimit(phy: .le1M, dataLength: 251)
        let fast = AirLimit(phy: .le2M, dataLength: 251)
        #expect(slow.valuesPerSecond(244, interval: .microseconds(7500)).rounded() == 400)
        #expect(Int(fast.valuesPerSecond(244, interval: .microseconds(7500))) == 666)
        #expect(slow.valuesPerSecond(244, interval: .milliseconds(50)).rounded() == 400)
        #expect(fast.valuesPerSecond(244, interval: .milliseconds(50)).rounded() == 700)
    }

    @Test func measuresALink() async throws {
        let outcome = try await RoomVerbTests.run("bench", "--seconds", "1", "--size", "100", "--json")
        #expect(outcome.code == .ok, "\(outcome.test.error)")
        let objects = outcome.test.objects
        #expect(objects.map { $0["test"] } == ["notify", "write", "read"])
        for object in objects {
            guard case .integer(let packets) = object["packets"], case .number(let rate) = object["kbitPerSecond"]
            else {
                Issue.record("no figures in \(object)")
                continue
            }
            #expect(packets > 10 && rate > 0)
            #expect(object["lost"] == 0)
        }
        #expect(objects[0]["size"] == 100 && objects[1]["size"] == 100)
        #expect(objects[0]["limits"] != nil && objects[2]["limits"] == nil)
    }

    @Test func measuresAnyDevice() async throws {
        let outcome = try await RoomVerbTests.run(
            "bench", "--attribute", "2A38", "--name", "cerulean strap", "--seconds", "0.5", "--json")
        #expect(outcome.test.objects.map { $0["test"] } == ["read"])
        let nothing = try await RoomVerbTests.run("bench", "--name", "cerulean strap")
        #expect(nothing.code == .notFound)
        #expect(nothing.test.error.contains("simulate bench"))
        let wrong = try await RoomVerbTests.run("bench", "jump")
        #expect(wrong.code == .usage)
    }
}
