// SPDX-License-Identifier: Apache-2.0
import Cerulean
import CeruleanWire
import Foundation
import Testing

@testable import CeruleanCommand

@Suite struct DeviceFileNameTests {
    /// Flags, and a complete name `Old` in the advertisement or in the scan response.
    static func file(data: String?, scanResponse: String?) throws -> DeviceFile {
        var advertising: [FieldValue.Member] = []
        if let data { advertising.append(.init("data", .text(data))) }
        if let scanResponse { advertising.append(.init("scanResponse", .text(scanResponse))) }
        return try DeviceFile(
            JSONReader(.object([.init("name", "Old"), .init("advertising", .object(advertising))]), path: ""))
    }

    static func names(_ bytes: [UInt8]?) -> [AdvertisingData.Structure] {
        AdvertisingData(decoding: bytes ?? []).structures.filter {
            $0.type.rawValue == 0x08 || $0.type.rawValue == 0x09
        }
    }

    @Test func theNewNameTakesThePlaceOfTheOldOne() throws {
        var file = try Self.file(data: "02010604094F6C640302" + "0D18", scanResponse: nil)
        try file.rename("New name")
        let data = try #require(file.advertising?.data)
        #expect(data == [0x02, 0x01, 0x06, 0x09, 0x09] + Array("New name".utf8) + [0x03, 0x02, 0x0D, 0x18])
        #expect(file.advertising?.scanResponse == nil && file.name == "New name")
        file = try Self.file(data: "020106", scanResponse: "04094F6C64")
        try file.rename("B")
        #expect(file.advertising?.data == [0x02, 0x01, 0x06] && file.advertising?.scanResponse == [0x02, 0x09, 0x42])
    }

    @Test func aLongNameMovesOrIsShortened() throws {
        let name = "A name of twenty-eight octet"
        #expect(name.utf8.count == 28)
        var file = try Self.file(data: "02010604094F6C64", scanResponse: nil)
        try file.rename(name)
        #expect(file.advertising?.data == [0x02, 0x01, 0x06])
        #expect(Self.names(file.advertising?.scanResponse) == [.init(type: .completeLocalName, data: Array(name.utf8))])
        try file.rename(String(repeating: "ü", count: 40))
        let short = Array(String(repeating: "ü", count: 14).utf8)
        #expect(Self.names(file.advertising?.scanResponse) == [.init(type: .shortenedLocalName, data: short)])
    }

    @Test func withoutRoomItIsAUsageError() throws {
        let full = "1EFFFFFF" + String(repeating: "00", count: 27)
        var file = try Self.file(data: full, scanResponse: full)
        let error = #expect(throws: CommandError.self) { try file.rename("x") }
        #expect(error?.exit == .usage)
    }

    @Test func aDeviceFileIsNoWorld() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "device-\(UUID().uuidString).json").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(#"{"name":"x","services":[]}"#.utf8).write(to: URL(filePath: path))
        let error = #expect(throws: CommandError.self) { try SimulatedRoom(contentsOf: path) }
        #expect(error?.exit == .badData)
        #expect(error?.description == "\(path): this is a device file; 'simulate \(path)' serves it")
    }
}
