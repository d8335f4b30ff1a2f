// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting

/// A central on a scripted host, on virtual time.
struct Scripted: Sendable {
    let simulation: Simulation
    let host: ScriptedHost
    let central: Central

    static let database = [
        ServiceDefinition(
            uuid: 0x180F,
            characteristics: [
                CharacteristicDefinition(
                    uuid: 0x2A19, properties: [.read, .notify], permissions: .readable, value: .stored([100]),
                    descriptors: [DescriptorDefinition(uuid: 0x2902, permissions: .readWrite, value: .stored([0, 0]))]),
                CharacteristicDefinition(
                    uuid: 0x2A1A, properties: [.write, .writeWithoutResponse], permissions: .writable),
            ]),
        ServiceDefinition(
            uuid: 0x180F,
            characteristics: [
                CharacteristicDefinition(
                    uuid: 0x2A19, properties: [.read, .indicate], permissions: .readable, value: .stored([50])),
                CharacteristicDefinition(
                    uuid: 0x2A19, properties: [.read, .notify], permissions: .readable, value: .stored([25])),
            ]),
    ]

    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (Scripted) async throws -> Value
    ) async throws -> Value {
        try await Simulation.run(limit: .seconds(3600)) { simulation in
            let host = ScriptedHost(loop: simulation.loop, database: database)
            await host.changeState(.poweredOn)
            let central = await Central(host: host)
            let value = try await body(Scripted(simulation: simulation, host: host, central: central))
            // Nothing may be left that waits.
            await simulation.settle()
            guard simulation.pendingOperations.isEmpty else {
                throw BluetoothError(.wrongState, "still pending: \(simulation.pendingOperations)")
            }
            return value
        }
    }

    /// Connected, with the database discovered.
    static func connected<Value: Sendable>(
        _ body: @escaping @Sendable (Scripted, Peripheral) async throws -> Value
    ) async throws -> Value {
        try await run { scripted in
            let peripheral = try await scripted.central.connect(to: scripted.host.address)
            try await peripheral.discover()
            return try await body(scripted, peripheral)
        }
    }

    var clock: SimulationClock { simulation.clock }
}

/// What a throwing operation ended with.
func outcome<Value>(_ body: () async throws -> Value) async -> Result<Value, BluetoothError> {
    do {
        return .success(try await body())
    } catch let error as BluetoothError {
        return .failure(error)
    } catch {
        return .failure(BluetoothError(.badData, "an error of another type: \(error)"))
    }
}

extension Result where Failure == BluetoothError {
    var code: BluetoothError.Code? {
        if case .failure(let error) = self { return error.code }
        return nil
    }
}

/// Reads a sequence to its end and tells how it ended.
func collect<Values: AsyncSequence>(
    _ values: Values
) async -> (elements: [Values.Element], reason: BluetoothError?) where Values.Failure == BluetoothError {
    var elements: [Values.Element] = []
    do {
        for try await value in values { elements.append(value) }
        return (elements, nil)
    } catch {
        return (elements, error)
    }
}
