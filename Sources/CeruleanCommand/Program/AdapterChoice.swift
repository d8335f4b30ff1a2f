// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanTransport
import CeruleanWire

/// Turns `--adapter` into an adapter.
enum AdapterChoice {
    /// Tests put their own adapters in place of all others.
    @TaskLocal static var override: (@Sendable (String) -> Adapter)?

    /// A host that wants to be on the air.
    struct Station: Sendable {
        /// The name of its GAP service.
        var name = "Cerulean"
        /// Its address; nil leaves it to the adapter.
        var address: DeviceAddress?
    }

    /// Runs `body` with the adapter of the invocation. `virtual` is the simulated room, which is there as long as `body` runs.
    ///
    /// - Parameters:
    ///   - name: the name of the host on the air.
    ///   - address: its address; nil leaves it to the adapter.
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` for a text that names no kind of adapter, and what `body` throws.
    static func run<Result: Sendable>(
        _ invocation: Invocation, name: String = "Cerulean", address: DeviceAddress? = nil,
        _ body: (Adapter) async throws -> Result
    ) async throws -> Result {
        try await run(invocation, stations: [Station(name: name, address: address)]) { try await body($0[0]) }
    }

    /// Runs `body` with an adapter for each station. Where the adapter is one radio, there is one adapter for all, with name
    /// and address of the first.
    ///
    /// - Throws: As above.
    static func run<Result: Sendable>(
        _ invocation: Invocation, stations: [Station], _ body: ([Adapter]) async throws -> Result
    ) async throws -> Result {
        let text = invocation.value("adapter") ?? "auto"
        if let override { return try await body(stations.map { _ in override(text) }) }
        // Bonds belong to one identity: several stations remember nobody.
        let isAlone = stations.count == 1
        let bonds =
            isAlone ? try BondChoice.open(invocation, adapter: text, identity: stations[0].address) : nil
        defer { bonds?.store.release() }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await open(invocation, text, stations, bonds, body))
        } catch {
            result = .failure(error)
        }
        // Also a run that was interrupted keeps what it had agreed to with a device.
        await bonds?.store.flush()
        return try result.get()
    }

    private static func open<Result: Sendable>(
        _ invocation: Invocation, _ text: String, _ stations: [Station], _ bonds: BondChoice?,
        _ body: ([Adapter]) async throws -> Result
    ) async throws -> Result {
        var stations = stations
        let isAlone = stations.count == 1
        if isAlone, stations[0].address == nil {
            stations[0].address = BondChoice.identity(for: text, bonds: bonds, verb: invocation.verb)
        }
        let tap = try tap(invocation)
        if text == "virtual" || text.hasPrefix("virtual:") {
            let file = String(text.dropFirst(8))
            guard text == "virtual" || !file.isEmpty else {
                throw CommandError.usage("--adapter virtual: names no file")
            }
            var room = text == "virtual" ? try SimulatedRoom.demonstration() : try SimulatedRoom(contentsOf: file)
            room.bonds = bonds.map { $0.path + ".devices" }
            var configuration = StackConfiguration()
            configuration.bonds = bonds?.store
            let settings = configuration
            let present = stations
            return try await room.run(on: try ThreadLoop(name: "virtual")) { world in
                try await body(
                    present.map { station in
                        Adapter(name: text) { () throws(HostError) -> any Host in
                            world.makeHost(
                                name: station.name, address: station.address, configuration: settings, tap: tap)
                        }
                    })
            }
        }
        // A stream to a simulated air is one controller of its own each time.
        let isAir = ["tcp", "unix"].contains(text.split(separator: ":").first.map(String.init) ?? "")
        var adapters: [Adapter] = []
        for station in isAir ? stations : Array(stations.prefix(1)) {
            adapters.append(
                try adapter(text, name: station.name, address: station.address, bonds: bonds?.store, tap: tap))
        }
        return try await body(adapters)
    }

    /// What looks at HCI packets: `--trace FILE` and `--log debug`.
    private static func tap(_ invocation: Invocation) throws(CommandError) -> HCITap? {
        let trace: TraceFile?
        if let path = invocation.value("trace") { trace = try TraceFile(path) } else { trace = nil }
        let isVerbose = invocation.value("log") == Console.LogLevel.debug.rawValue
        guard trace != nil || isVerbose else { return nil }
        return { isReceived, packet in
            trace?.write(packet, isReceived: isReceived)
            if isVerbose {
                Console.standard.writeError(Array("\(isReceived ? ">" : "<") \(Hex.encode(packet))\n".utf8))
            }
        }
    }

    private static func adapter(
        _ text: String, name: String, address: DeviceAddress?, bonds: (any BondStore)?, tap: HCITap?
    ) throws(CommandError) -> Adapter {
        var configuration = StackConfiguration(name: name)
        configuration.bonds = bonds
        // Only a random address can be chosen; the public one is the controller's own.
        if let address, address.peerKind == .random { configuration.address = .random(address.address) }
        do {
            return try Adapter(parsing: text, configuration: configuration, tap: tap)
        } catch {
            let text = BluetoothError(error, during: "").description
            throw CommandError(error.code == .invalidArgument ? .usage : .noAdapter, "--adapter: \(text)")
        }
    }
}
