// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Testing

/// The views that allocate nothing must say what `visit` says.
@Suite struct HCIViewTests {
    private var random = SeededGenerator(state: 11)

    private mutating func octets(_ range: ClosedRange<Int>) -> [UInt8] {
        (0..<Int.random(in: range, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    @Test mutating func aclHeadersAgree() throws {
        for _ in 0..<5_000 {
            let bytes = octets(0...8)
            let hot = HCI.ACLHeader(reading: bytes.span.bytes)
            let cold = try? HCI.ACLHeader(decodingPrefixOf: bytes.span.bytes)
            #expect(hot == cold)
            guard let hot else { continue }
            var written: [UInt8] = []
            hot.write(into: &written)
            #expect(written == Array(bytes[..<4]))
            #expect(try hot.encoded() == written)
        }
    }

    @Test mutating func aclPacketsAgree() {
        for _ in 0..<5_000 {
            var bytes = octets(4...12)
            if Bool.random(using: &random) {
                bytes[2] = UInt8(bytes.count - 4)
                bytes[3] = 0
            }
            #expect(HCI.ACLPacket(reading: bytes.span.bytes) == (try? HCI.ACLPacket(decoding: bytes)))
        }
    }

    @Test mutating func completedPacketsAgree() throws {
        for _ in 0..<5_000 {
            var bytes = octets(0...20)
            if !bytes.isEmpty { bytes[0] %= 6 }
            for index in bytes.indices where index > 0 && index % 4 == 2 { bytes[index] &= 0x0F }
            var view = HCI.CompletedPackets(bytes.span.bytes)
            var hot: [HCI.CompletedCount] = []
            while let entry = view.next() { hot.append(.init(handle: entry.handle, count: entry.count)) }
            guard let count = bytes.first else {
                #expect(hot.isEmpty)
                continue
            }
            // What does not fit wholly is dropped, so that the event with the rest of the number decodes.
            #expect(hot.count == min(Int(count), (bytes.count - 1) / 4))
            bytes[0] = UInt8(hot.count)
            let cold = try HCI.NumberOfCompletedPackets(decodingPrefixOf: bytes.span.bytes)
            #expect(cold.entries == hot)
        }
    }

    @Test mutating func advertisingReportsAgree() throws {
        for _ in 0..<5_000 {
            var bytes = octets(0...60)
            if !bytes.isEmpty { bytes[0] %= 5 }
            for index in [9, 19, 29] where index < bytes.count { bytes[index] %= 12 }
            var view = HCI.AdvertisingReports(bytes.span.bytes)
            var hot: [HCI.LEAdvertisingReport.Report] = []
            while let report = view.next() {
                hot.append(
                    .init(
                        type: report.type, address: report.address, data: Array(bytes[report.data]), rssi: report.rssi))
            }
            guard !bytes.isEmpty else {
                #expect(hot.isEmpty)
                continue
            }
            #expect(hot.count <= Int(bytes[0]))
            var shorter = bytes
            shorter[0] = UInt8(hot.count)
            #expect(try HCI.LEAdvertisingReport(decodingPrefixOf: shorter.span.bytes).reports == hot)
            if hot.count < Int(bytes[0]) {
                shorter[0] += 1
                #expect(throws: WireError.self) {
                    try HCI.LEAdvertisingReport(decodingPrefixOf: shorter.span.bytes)
                }
            }
        }
    }

    /// Security H5: numbers of reports and lengths that the event does not hold.
    @Test func reportsBeyondTheEventAreDropped() {
        let one: [UInt8] = [0x00, 0x01, 1, 2, 3, 4, 5, 6, 2, 0xAA, 0xBB, 0xC5]
        for (bytes, expected) in [
            ([0] + one, 0), ([1] + one, 1), ([0x1A] + one, 1), ([0xFF] + one + one, 2), ([2] + one + one.dropLast(), 1),
            ([1, 0, 0, 1, 2, 3, 4, 5, 6, 0xFF, 1, 2, 3], 0), ([], 0), ([1], 0),
        ] as [([UInt8], Int)] {
            var view = HCI.AdvertisingReports(bytes.span.bytes)
            var count = 0
            while let report = view.next() {
                #expect(report.rssi == -59 && report.data.count == 2)
                count += 1
            }
            #expect(count == expected)
        }
    }

    @Test func eventViewsCheckTheLength() throws {
        let event: [UInt8] = [0x3E, 0x03, 0x02, 0x00, 0x11, 0xFF]
        let view = try HCI.EventView(event.span.bytes)
        #expect(view.code == .leMeta && view.subevent == .advertisingReport && view.parameters.array == [0x00, 0x11])
        for count in 0...4 {
            let cut = Array(event[..<count])
            #expect(throws: WireError(offset: count, reason: .truncated)) { _ = try HCI.EventView(cut.span.bytes) }
        }
        let empty: [UInt8] = [0x3E, 0]
        #expect(throws: WireError(offset: 2, reason: .truncated)) { _ = try HCI.EventView(empty.span.bytes) }
        let error: [UInt8] = [0x10, 0x01, 0x2A]
        let other = try HCI.EventView(error.span.bytes)
        #expect(other.code == .hardwareError && other.subevent == nil && other.parameters.array == [0x2A])
        let address: [UInt8] = [0x05, 0x20, 0x02, 0xAA, 0xBB]
        let command = try HCI.CommandView(address.span.bytes)
        #expect(command.opcode == .leSetRandomAddress && command.parameters.array == [0xAA, 0xBB])
    }
}
