// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanTesting
import CeruleanWire
import Testing

@testable import CeruleanCommand

/// `simulate` with several devices and lines on standard input, and `profiles`.
@Suite struct SimulateVerbTests {
    /// Runs `simulate` for 20 s of virtual time while `body` looks at its devices.
    private static func simulate<Value: Sendable>(
        _ arguments: String..., input: [String] = [], _ body: @escaping @Sendable (Central) async throws -> Value
    ) async throws -> (code: ExitCode, test: TestConsole, value: Value) {
        try await Simulation.run { simulation in
            let world = VirtualWorld(on: simulation.loop, seed: 1)
            let test = TestConsole(input: input)
            async let code = AdapterChoice.$override.withValue({ _ in .virtual(world) }) {
                await CeruleanProgram.run(["simulate", "--seconds", "20"] + arguments, test.console)
            }
            let central = try await Central(.virtual(world))
            let value = try await body(central)
            return (await code, test, value)
        }
    }

    private static func names(_ central: Central) async throws -> Set<String> {
        var names: Set<String> = []
        for try await found in central.scan(duplicates: true, timeout: .seconds(3)) { names.insert(found.name ?? "-") }
        return names
    }

    @Test func anyNumberOfDevicesIsServedAtOnce() async throws {
        let outcome = try await Self.simulate(
            "heartrate", "thermometer", "profile:battery_service", "profile:1815,180A", "--device-name", "Strap",
            "--device-name", "Climate", "--json"
        ) { central in try await Self.names(central) }
        #expect(outcome.code == .ok)
        #expect(outcome.value == ["Strap", "Climate", "Battery Service", "Automation IO"])
        #expect(outcome.test.objects.count { $0["event"] == "advertising" } == 4)
    }

    @Test func aProfileIsServedWithItsFirstValues() async throws {
        let outcome = try await Self.simulate("profile:Environment", "--device-name", "Room") { central in
            let peripheral = try await central.first(.name("Room")).connect()
            try await peripheral.discover()
            return try await peripheral.read(peripheral.characteristic(0x2A6E))
        }
        // 21.5 °C in hundredths.
        #expect(outcome.value == [0x66, 0x08])
    }

    @Test func linesChangeValuesOfEachDevice() async throws {
        let outcome = try await Self.simulate(
            "profile:180F", "profile:180F", "--device-name", "One", "--device-name", "Two",
            input: ["# comment", "set 2A19 u8:50", "set 2 battery_level value=25", "list"]
        ) { central in
            var levels: [UInt8] = []
            for name in ["One", "Two"] {
                let peripheral = try await central.first(.name(name)).connect()
                levels.append(try await peripheral.read(Battery.level).percent)
            }
            return levels
        }
        #expect(outcome.value == [50, 25])
        #expect(outcome.test.lines.contains { $0.hasPrefix("    2A19 Battery Level") && $0.hasSuffix("= 50 %") })
        #expect(outcome.test.error.contains("Two: 2A19 = 19"))
    }

    @Test func aChangedValueReachesSubscribers() async throws {
        let outcome = try await Self.simulate("heartrate") { central in
            let peripheral = try await central.first(.services([HeartRate.uuid])).connect()
            var values = try await peripheral.values(of: HeartRate.measurement).makeAsyncIterator()
            return try await values.next()?.heartRate ?? 0
        }
        #expect(outcome.value > 30)
    }

    @Test func aDeviceIsTakenAway() async throws {
        let outcome = try await Self.simulate(
            "profile:180F", "profile:180D", "--device-name", "One", "--device-name", "Two", input: ["stop 2"]
        ) { central in
            try await central.host.loop.sleep(for: .seconds(1))
            return try await Self.names(central)
        }
        #expect(outcome.value == ["One"])
    }

    @Test func whatWasSetOutlivesStopAndStart() async throws {
        let outcome = try await Self.simulate(
            "profile:180F", "profile:180F", "--device-name", "One", "--device-name", "Two", "--json",
            input: [
                "set 2 2A19 u8:50", "stop 2", "list", "set 2 battery_level value=25", "list", "start 2", "list",
                "stop 1",
                "start 1",
            ]
        ) { central in
            var levels: [UInt8] = []
            for name in ["One", "Two"] {
                let peripheral = try await central.first(.name(name)).connect()
                levels.append(try await peripheral.read(Battery.level).percent)
            }
            return levels
        }
        #expect(outcome.value == [100, 25])
        let listed = outcome.test.objects.filter { $0["event"] == "device" && $0["number"] == 2 }
        #expect(listed.map { $0["running"] } == [false, false, true])
        #expect(
            listed.map { $0["values"] }
                == ["32", "19", "19"].map { value in
                    let percent: FieldValue = value == "32" ? 50 : 25
                    return [["service": "180F", "uuid": "2A19", "value": .text(value), "decoded": ["value": percent]]]
                })
        let set = outcome.test.objects.filter { $0["event"] == "set" }
        #expect(set.map { $0["running"] } == [true, false] && set.allSatisfy { $0["number"] == 2 })
        // Each line says which device it is about.
        #expect(
            outcome.test.objects.filter { $0["event"] == "advertising" }.map { $0["number"] }.suffix(2) == [2, 1])
        #expect(outcome.test.objects.filter { $0["event"] == "stopped" }.map { $0["name"] } == ["Two", "One"])
    }

    @Test func whatIsSaidOfOneOfSeveralDevicesNamesIt() async throws {
        let outcome = try await Self.simulate(
            "profile:180F", "profile:180D", "--device-name", "One", "--device-name", "Two", input: ["stop 2", "list"]
        ) { central in
            let peripheral = try await central.first(.name("One")).connect()
            try await peripheral.disconnect()
            try await central.host.loop.sleep(for: .seconds(3))
        }
        let said = outcome.test.error.split(separator: "\n")
        #expect(said.contains { $0.hasPrefix("1 One: connected: ") })
        #expect(said.contains("1 One: advertising again"))
        #expect(said.contains("2 Two: stopped"))
        #expect(outcome.test.lines.contains("2 Two  (stopped)"))
    }

    @Test func severalDevicesOnOneRadioAreKeptApart() async throws {
        let test = TestConsole(input: ["set 2 2A19 u8:7", "stop 1", "list"])
        let code = try await Simulation.run { simulation in
            let world = VirtualWorld(on: simulation.loop, seed: 1)
            let devices = try ["One", "Two"].map { try ProfileDevice("180F", name: $0) }
            return try await Serving.run(
                devices.map { ($0, nil) }, on: [.virtual(world)], for: .seconds(20), json: false, test.console)
        }
        #expect(code == .ok)
        #expect(
            test.lines.suffix(4).map { $0.filter { $0 != " " } } == [
                "1One(stopped)", "2A19BatteryLevel[read,notify]=100%", "2Two", "2A19BatteryLevel[read,notify]=7%",
            ], "\(test.out)")
    }

    @Test func anUnknownDeviceIsToldWhichThereAre() async {
        let test = TestConsole()
        #expect(await test.run("simulate", "nosuch") == .badData)
        #expect(test.error.contains("neither a built-in device nor a file; built-in are bitalino, "), "\(test.error)")
        #expect(test.error.contains("heartrate"))
    }

    @Test func whatIsNotUnderstoodIsSaidAndNothingEnds() async throws {
        let outcome = try await Self.simulate(
            "profile:180F", "--device-name", "One",
            input: [
                "jump", "set", "set 2A19", "set 9 2A19 u8:1", "set 2A37 u8:1", "set 2A19 value=300", "set 2A19 other=1",
                "set 2A19 value=1 value=2", "stop", "stop 7",
            ]
        ) { central in try await Self.names(central) }
        #expect(outcome.code == .ok)
        #expect(outcome.value == ["One"])
        #expect(outcome.test.error.split(separator: "\n").count >= 10)
    }

    @Test(arguments: [
        (["profile:nonsense"], ExitCode.notFound), (["heartrate", "--device-name", "a", "--device-name", "b"], .usage),
        (["/nonexistent.json"], .badData),
    ])
    func faultsHaveTheirExitCodes(arguments: [String], code: ExitCode) async {
        let test = TestConsole()
        let outcome = await AdapterChoice.$override.withValue({ _ in .automatic }) {
            await CeruleanProgram.run(["simulate"] + arguments, test.console)
        }
        #expect(outcome == code)
    }
}

@Suite struct PresentationTests {
    @Test func aFormatIsShownInWords() {
        // uint16, hundredths, degrees Celsius (272F), Bluetooth SIG.
        let report = ValueReport(uuid: 0x2904, value: [0x06, 0xFE, 0x2F, 0x27, 0x01, 0x00, 0x00])
        #expect(report.text == "uint16 in °C, times 10 to the power of -2")
        #expect(ValueReport(uuid: 0x2904, value: [0x19, 0, 0, 0x27, 1, 0, 0]).text == "utf8")
        #expect(ValueReport(uuid: 0x2904, value: [0x06]).text == "06")
    }

    @Test func infoDecodesDescriptors() async throws {
        let outcome = try await RoomVerbTests.run("info", "--name", "cerulean climate", "--json")
        let text = outcome.test.out
        #expect(text.contains(#""uuid":"2904""#))
        #expect(text.contains(#""unit":"272f""#))
    }
}

@Suite struct ProfilesVerbTests {
    private static func run(_ arguments: String...) async -> (code: ExitCode, test: TestConsole) {
        let test = TestConsole()
        return (await CeruleanProgram.run(["profiles"] + arguments, test.console), test)
    }

    @Test func allServicesAreListedWithTheirTags() async {
        let outcome = await Self.run()
        #expect(outcome.code == .ok)
        #expect(outcome.test.lines.contains { $0.hasPrefix("Health") && $0.contains("180D") })
        let tags = await Self.run("--tags")
        #expect(tags.test.lines == ["Device", "Health", "Fitness", "Environment", "Time", "Location", "Automation"])
    }

    @Test func aTagHasItsServices() async {
        let outcome = await Self.run("health", "--json")
        let uuids = outcome.test.objects.map { $0["uuid"] }
        #expect(uuids == ["180D", "1809", "1810", "1808", "181F", "1822", "181D", "181B"])
        #expect(outcome.test.objects.allSatisfy { $0["tag"] == "Health" })
    }

    @Test func aServiceHasItsCharacteristicsWithFieldsAndValues() async throws {
        let outcome = await Self.run("180f", "--json")
        #expect(
            outcome.test.objects == [
                [
                    "uuid": "180F", "name": "Battery Service", "tag": "Device",
                    "characteristics": [
                        [
                            "uuid": "2A19", "name": "Battery Level", "properties": ["read", "notify"], "value": "64",
                            "decoded": ["value": 100], "fields": [["name": "value"]],
                        ]
                    ],
                ]
            ])
    }

    @Test func aCharacteristicIsFoundByNameAndUUID() async {
        for text in ["2A37", "heart_rate_measurement", "Heart Rate Measurement"] {
            let outcome = await Self.run(text, "--json")
            #expect(outcome.test.objects.first?["service"] == "180D")
        }
    }

    @Test func anAssignedNumberWithoutAProfileIsNamed() async {
        let outcome = await Self.run("2902", "--json")
        #expect(outcome.test.objects.first?["kind"] == "descriptor")
        #expect(await Self.run("nonsense").code == .notFound)
    }
}
