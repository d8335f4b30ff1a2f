// SPDX-License-Identifier: Apache-2.0
import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanTesting
import CeruleanWire
import Foundation
import Testing

@testable import CeruleanCommand

/// Pairing with the lock of the simulated room.
@Suite struct PairVerbTests {
    private static func run(_ arguments: [String], input: [String] = []) async throws -> RoomVerbTests.Outcome {
        let lock = SimulatedRoom.Place(
            device: SimulatedLock(), address: SimulatedRoom.madeAddress(1), distance: 1)
        return try await Simulation.run { simulation in
            try await SimulatedLock.$display.withValue({ _ in }) {
                try await SimulatedRoom(places: [lock]).run(on: simulation.loop) { world in
                    await AdapterChoice.$override.withValue({ _ in .virtual(world) }) {
                        let test = TestConsole(input: input)
                        let code = await CeruleanProgram.run(["pair"] + arguments, test.console)
                        return RoomVerbTests.Outcome(code: code, test: test)
                    }
                }
            }
        }
    }

    @Test(arguments: [
        (["--yes"], "numericComparison", 4, true),
        (["--io", "yesno", "--yes", "--sc-only"], "numericComparison", 4, true),
        (["--io", "none"], "justWorks", 2, true), (["--io", "none", "--no-bond"], "justWorks", 2, false),
    ])
    func pairsAsTheAbilitiesAllow(options: [String], method: String, level: Int, isBonded: Bool) async throws {
        let outcome = try await Self.run(options + ["--json"])
        #expect(outcome.code == .ok, "\(outcome.test.error)")
        let object = try #require(outcome.test.objects.first)
        #expect(object["event"] == "paired" && object["name"] == "Cerulean Lock")
        #expect(object["method"] == .text(method))
        #expect(object["level"] == FieldValue(integer: level))
        #expect(object["bonded"] == .bool(isBonded))
        #expect(object["keySize"] == 16 && object["secureConnections"] == true)
        #expect(object["address"] == "C7:CE:00:00:00:11" && object["addressType"] == "random")
    }

    @Test func asksOnTheTerminal() async throws {
        let yes = try await Self.run([], input: ["y"])
        #expect(yes.code == .ok)
        #expect(yes.test.error.contains("Does C7:CE:00:00:00:11 show the same number? [y/N]"))
        #expect(yes.test.out.contains("numeric comparison"))
        let no = try await Self.run([], input: ["n"])
        #expect(no.code == .refused && no.test.out.isEmpty)
        let nobody = try await Self.run([])
        #expect(nobody.code == .refused && nobody.test.error.contains("--yes agrees beforehand"))
    }

    @Test func typesThePasskeyThatTheDeviceShows() async throws {
        // Nobody sees the display here, so the digits are wrong, and both sides notice.
        let outcome = try await Self.run(["--io", "keyboard", "--legacy"], input: ["x", "000 000"])
        #expect(outcome.code == .refused)
        #expect(outcome.test.error.contains("Passkey that C7:CE:00:00:00:11 shows"))
        #expect(outcome.test.error.contains("a passkey has six digits"))
    }

    @Test(arguments: [
        (["--io", "telepathy"], "--io takes"), (["--passkey", "12"], "six digits"),
        (["--bond", "--no-bond"], "exclude each other"), (["--io", "none", "--mitm"], "cannot prove"),
        (["--legacy", "--sc-only"], "exclude each other"),
    ])
    func refusesWhatCannotBe(options: [String], text: String) async {
        let test = TestConsole()
        #expect(await CeruleanProgram.run(["pair"] + options, test.console) == .usage)
        #expect(test.error.contains(text), "\(test.error)")
    }

    /// Keys are kept in a file for each adapter, are used by other verbs, listed, and forgotten.
    @Test func keepsBondsBetweenRuns() async throws {
        let state = FileManager.default.temporaryDirectory.appending(path: "bonds-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: state) }
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        let world = state + "/world.json"
        try Data(#"{"devices":[{"kind":"lock","distance":1}]}"#.utf8).write(to: URL(filePath: world))
        func run(_ arguments: String...) async -> RoomVerbTests.Outcome {
            let test = TestConsole(environment: ["XDG_STATE_HOME": state])
            return await SimulatedLock.$display.withValue({ _ in }) {
                RoomVerbTests.Outcome(code: await CeruleanProgram.run(arguments, test.console), test: test)
            }
        }
        let adapter = "virtual:" + world
        #expect(await run("bonds").test.out.isEmpty)
        let refused = await run("read", "2A56", "--adapter", adapter, "--pick", "first")
        #expect(refused.code == .refused)
        #expect(await run("pair", "--adapter", adapter, "--pick", "first", "--yes").code == .ok)
        let list = await run("bonds", "--json")
        #expect(list.test.objects.count == 1)
        #expect(list.test.objects.first?["adapter"] == .text(adapter))
        #expect(list.test.objects.first?["level"] == 4)
        #expect(list.test.objects.first?["name"] == "Cerulean Lock")
        let value = await run("write", "2A56", "u8:0", "--adapter", adapter, "--pick", "first")
        #expect(value.code == .ok, "\(value.test.error)")
        let again = await run("pair", "--adapter", adapter, "--pick", "first", "--json")
        #expect(again.test.objects.first?["event"] == "encrypted")
        #expect(await run("unpair", "nobody").code == .notFound)
        #expect(await run("unpair").code == .usage)
        #expect(await run("unpair", "cerulean lock").code == .ok)
        #expect(await run("bonds").test.out.isEmpty)
        // The lock still has its keys: it is asked again, agrees, and the new keys hold.
        #expect(await run("pair", "--adapter", adapter, "--pick", "first", "--yes").code == .ok)
        let end = await run("unpair", "--all")
        #expect(end.code == .ok, "\(end.test.error)")
    }

    @Test func readsOutOfBandData() throws {
        let (confirm, random) = (String(repeating: "01", count: 16), String(repeating: "02", count: 16))
        let plain = try OutOfBandText(confirm + random)
        #expect(plain.data?.confirm.littleEndian == [UInt8](repeating: 1, count: 16))
        #expect(plain.data?.random.littleEndian == [UInt8](repeating: 2, count: 16))
        #expect(try OutOfBandText(confirm).temporaryKey?.littleEndian == [UInt8](repeating: 1, count: 16))
        // What an NFC tag holds: address and role, commitment, random value, a name.
        let tag = "081B 0500000000C0 01 021C01 1122\(confirm) 1123\(random) 030941 42"
        #expect(try OutOfBandText(tag).data == plain.data)
        let address = DeviceAddress(BluetoothAddress(rawValue: 0xC000_0000_0005), .random)
        let block = OutOfBandText.block(try #require(plain.data), address: address)
        #expect(Hex.encode(block) == "081b0500000000c001021c011122\(confirm)1123\(random)")
        #expect(try OutOfBandText(Hex.encode(block)).data == plain.data)
        for text in ["", "xy", "01", "1122" + confirm, "1122\(confirm)1023\(random)", "FF22" + confirm] {
            #expect(throws: CommandError.self) { try OutOfBandText(text) }
        }
    }

    @Test(arguments: [
        ["--oob", "00"], ["--show-oob", "--legacy"], ["--legacy", "--oob", String(repeating: "00", count: 32)],
    ])
    func refusesOutOfBandDataThatCannotBe(options: [String]) async {
        let test = TestConsole()
        #expect(await CeruleanProgram.run(["pair", "--adapter", "virtual"] + options, test.console) == .usage)
    }

    /// A damaged file is never passed over in silence: with a copy of before that is said, without one the verb ends.
    @Test func saysThatBondsAreDamaged() async throws {
        let state = FileManager.default.temporaryDirectory.appending(path: "bonds-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: state) }
        let folder = state + "/cerulean/bonds"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/virtual.bonds"
        try Data("rubbish".utf8).write(to: URL(filePath: path))
        func run(_ arguments: String...) async -> RoomVerbTests.Outcome {
            let test = TestConsole(environment: ["XDG_STATE_HOME": state])
            return RoomVerbTests.Outcome(code: await CeruleanProgram.run(arguments, test.console), test: test)
        }
        let verbs = [
            ["pair", "--adapter", "virtual", "--pick", "first"], ["bonds"], ["unpair", "--all"],
            ["scan", "--adapter", "virtual", "--timeout", "1"],
        ]
        for line in verbs {
            let test = TestConsole(environment: ["XDG_STATE_HOME": state])
            #expect(await CeruleanProgram.run(line, test.console) == .badData, "\(line)")
            #expect(test.error.contains(path + ": is damaged"), "\(test.error)")
        }
        let bond = Bond(identity: DeviceAddress(BluetoothAddress(rawValue: 0xC000_0000_0005), .random))
        let good = try BondFile(adapter: "virtual", database: BondDatabase(bonds: [bond])).encoded()
        try Data(good).write(to: URL(filePath: path + ".previous"))
        for line in verbs[1...2] {
            let test = TestConsole(environment: ["XDG_STATE_HOME": state])
            #expect(await CeruleanProgram.run(line, test.console) == .ok, "\(line)")
            #expect(test.error.contains(path + " is damaged: the bonds of before"), "\(test.error)")
            #expect(test.out.contains("C0:00:00:00:00:05"))
        }
        // Forgetting made a whole file again, and the damaged one is still there to be looked at.
        #expect(await run("bonds").test.error.contains("damaged") == false)
        #expect(try Data(contentsOf: URL(filePath: path + ".damaged")) == Data("rubbish".utf8))
    }

    /// A run that saved would undo what another one saved meanwhile.
    @Test func oneRunHoldsAFileAtATime() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "bonds-\(UUID().uuidString)").path
        defer { for end in ["", ".lock", ".previous"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let first = ProgramBondStore(path: path, adapter: "virtual")
        #expect(first.claim())
        try await first.saveNow(.init())
        let second = ProgramBondStore(path: path, adapter: "virtual")
        #expect(!second.claim())
        let failure = await withCheckedContinuation { continuation in
            second.save(.init()) { continuation.resume(returning: $0) }
        }
        #expect(failure?.code == .unwritable)
        let test = TestConsole()
        let line = ["pair", "--adapter", "virtual", "--bonds", path]
        #expect(await CeruleanProgram.run(line, test.console) == .cannotWrite)
        #expect(test.error.contains("another cerulean"))
    }
}
