// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanWire
import Foundation
import Testing

@testable import CeruleanCommand

/// Keys of device and world files that nothing reads.
@Suite struct UnknownKeyTests {
    private static func file(_ text: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString).json").path
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test(arguments: [
        (#"{"name":"a","adress":"00:11:22:33:44:55"}"#, "'adress'"),
        (#"{"name":"a","advertising":{"conectable":true}}"#, "advertising has the unknown key 'conectable'"),
        (#"{"name":"a","services":[{"uuid":"180F","handle":1}]}"#, "services[0] has the unknown key 'handle'"),
        (
            #"{"name":"a","services":[{"uuid":"180F","characteristics":[{"uuid":"2A19","properties":[],"vlaue":"00"}]}]}"#,
            "characteristics[0] has the unknown key 'vlaue'"
        ),
        (
            #"{"name":"a","services":[{"uuid":"180F","characteristics":[{"uuid":"2A19","properties":[],"descriptors":[{"uuid":"2901","text":""}]}]}]}"#,
            "descriptors[0] has the unknown key 'text'"
        ),
    ])
    func areRefusedInDeviceFiles(text: String, message: String) async throws {
        let path = try Self.file(text)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let test = TestConsole()
        #expect(await test.run("simulate", path, "--adapter", "virtual") == .badData)
        #expect(test.error.contains(message) && test.error.contains("known are"), "\(test.error)")
    }

    @Test(arguments: [
        (#"{"devices":[],"sead":1}"#, "the unknown key 'sead'"),
        (#"{"devices":[{"kind":"heartrate","distanse":1}]}"#, "devices[0] has the unknown key 'distanse'"),
        (#"{"devices":[{"file":"a.json","kind":"heartrate"}]}"#, "kind does not go with 'file'"),
    ])
    func areRefusedInWorldFiles(text: String, message: String) async throws {
        let path = try Self.file(text)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let test = TestConsole()
        #expect(await test.run("scan", "--adapter", "virtual:\(path)", "--timeout", "0") == .badData)
        #expect(test.error.contains(message), "\(test.error)")
    }

    /// The databases of the reference vectors have the shape of a device file's services, and all of it is known.
    @Test func theReferenceDatabasesAreRead() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let octets = try Data(contentsOf: root.appending(path: "Vectors/att-exchanges.json"))
        let vectors = try JSONText.parse(utf8: Array(octets))
        guard let value = vectors["databases"], case .object(let databases) = value else {
            Issue.record("no databases")
            return
        }
        #expect(databases.count == 3)
        for database in databases {
            let services = try #require(database.value["services"])
            let file = try DeviceFile(JSONReader(.object([.init("name", "x"), .init("services", services)]), path: ""))
            #expect(!file.services.isEmpty)
        }
        for name in ["reference-device.json", "bluez-device.json"] {
            let file = try DeviceFile(contentsOf: root.appending(path: "Peers/\(name)").path)
            #expect(!file.services.isEmpty)
        }
    }
}
