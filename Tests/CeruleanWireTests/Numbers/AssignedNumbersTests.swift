// SPDX-License-Identifier: Apache-2.0
import CeruleanWire
import Foundation
import Testing

@Suite struct AssignedNumbersTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    struct Entry: Decodable {
        var name: String
        var identifier: String
        var uuid: String
    }

    static func entries(_ kind: String) throws -> [Entry] {
        try ["assigned-numbers", "project-numbers"].flatMap { folder -> [Entry] in
            let file = root.appending(path: "data/\(folder)/\(kind)_uuids.json")
            guard FileManager.default.fileExists(atPath: file.path) else { return [] }
            return try JSONDecoder().decode([Entry].self, from: Data(contentsOf: file))
        }
    }

    @Test(arguments: ["service", "characteristic", "descriptor"])
    func findsEveryAttributeOfTheData(kind: String) throws {
        let entries = try Self.entries(kind)
        #expect(entries.count >= ["service": 125, "characteristic": 674, "descriptor": 18][kind] ?? 0)
        var seen: Set<BluetoothUUID> = []
        for entry in entries {
            let uuid = try #require(BluetoothUUID(entry.uuid))
            let found =
                switch kind {
                case "service": AssignedNumbers.service(uuid)
                case "characteristic": AssignedNumbers.characteristic(uuid)
                default: AssignedNumbers.descriptor(uuid)
                }
            // Some UUIDs stand twice in the data; the first name counts.
            if seen.insert(uuid).inserted {
                #expect(found?.name == entry.name.trimmingCharacters(in: .whitespaces))
                #expect(found?.identifier == entry.identifier.trimmingCharacters(in: .whitespaces))
            } else {
                #expect(found != nil)
            }
        }
    }

    @Test func findsEveryCompany() throws {
        struct Company: Decodable {
            var code: UInt16
            var name: String
        }
        let file = Self.root.appending(path: "data/assigned-numbers/company_ids.json")
        let companies = try JSONDecoder().decode([Company].self, from: Data(contentsOf: file))
        #expect(companies.count == 3918)
        for company in companies {
            #expect(AssignedNumbers.company(company.code) == company.name.trimmingCharacters(in: .whitespaces))
        }
        let known = Set(companies.map(\.code))
        for code in UInt16.min...UInt16.max where !known.contains(code) && code.isMultiple(of: 37) {
            #expect(AssignedNumbers.company(code) == nil)
        }
    }

    @Test func namesWellKnownNumbers() {
        #expect(AssignedNumbers.company(0x004C) == "Apple, Inc.")
        #expect(AssignedNumbers.service(0x180D)?.name == "Heart Rate")
        #expect(AssignedNumbers.characteristic(0x2A37)?.name == "Heart Rate Measurement")
        #expect(AssignedNumbers.descriptor(0x2902)?.name == "Client Characteristic Configuration")
        #expect(AssignedNumbers.service(0x0001) == nil)
        #expect(AssignedNumbers.service("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF") == nil)
        #expect(AssignedNumbers.service("12345678") == nil)
        #expect(AssignedNumbers.service("C566488A-0882-4E1B-A6D0-0B717E652234")?.name == "BITalino Exchange Data")
        #expect(
            AssignedNumbers.service("713D0000-503E-4C75-BA94-3148F18D941E")?.identifier
                == "com.redbearlab.service.serial")
        #expect(AssignedNumbers.service("6E400001-B5A3-F393-E0A9-E50E24DCCA9E")?.shortIdentifier == "uart")
    }

    @Test(
        arguments: [
            ("heart_rate_measurement", 0x2A37), ("Heart Rate Measurement", 0x2A37), ("battery_level", 0x2A19),
            ("BATTERY-LEVEL", 0x2A19), ("org.bluetooth.characteristic.gap.device_name", 0x2A00),
            ("device_name", 0x2A00),
            ("gap.device_name", 0x2A00), ("manufacturer_name_string", 0x2A29), ("pnp_id", 0x2A50),
            ("system_id", 0x2A23),
        ] as [(String, UInt16)])
    func findsCharacteristicsByName(name: String, short: UInt16) {
        #expect(AssignedNumbers.characteristic(named: name)?.uuid == BluetoothUUID(short))
    }

    @Test(arguments: ["", ".", "heart", "rate_measurement", "2A37", "\t", "\n"])
    func findsNothingByOtherText(name: String) {
        #expect(AssignedNumbers.characteristic(named: name) == nil)
    }

    @Test func namesAppearancesUnitsAndFormats() {
        #expect(AssignedNumbers.appearance(0)?.name == "Unknown")
        #expect(AssignedNumbers.appearance(833)?.name == "Heart Rate Belt")
        #expect(AssignedNumbers.appearance(833)?.category == "Heart Rate Sensor")
        #expect(AssignedNumbers.appearance(832)?.subcategory == nil)
        #expect(AssignedNumbers.appearance(832 + 63)?.name == "Heart Rate Sensor")
        #expect(AssignedNumbers.appearance(0xFFFF) == nil)
        #expect(AssignedNumbers.unit(0x272F)?.symbol == "°C")
        #expect(AssignedNumbers.unit(0x2722)?.symbol == "Hz")
        #expect(AssignedNumbers.unit(0x2700)?.symbol == "")
        #expect(AssignedNumbers.format(0x0E)?.name == "sint16")
        #expect(AssignedNumbers.format(0x19)?.bits == 0)
        #expect(AssignedNumbers.format(0xEE) == nil)
    }

    @Test func generatedTablesAreWhatTheScriptWrites() throws {
        let output = FileManager.default.temporaryDirectory.appending(path: "numbers-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let script = Process()
        script.executableURL = URL(filePath: "/usr/bin/env")
        script.arguments = [
            "python3", Self.root.appending(path: "Scripts/generate-numbers.py").path, "--output", output.path,
        ]
        try script.run()
        script.waitUntilExit()
        #expect(script.terminationStatus == 0)
        let files = try FileManager.default.contentsOfDirectory(at: output, includingPropertiesForKeys: nil)
        #expect(files.count == 7)
        for file in files {
            let committed = Self.root.appending(path: "Sources/CeruleanWire/Numbers/\(file.lastPathComponent)")
            #expect(try Data(contentsOf: file) == Data(contentsOf: committed), "\(file.lastPathComponent)")
        }
    }
}
