// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBlueST
import CeruleanSensing
import CeruleanTesting
import Testing

/// A central and a simulated board, each on a whole stack of its own, on one air and virtual time.
struct BoardRoom: Sendable {
    let hosts: TwoHosts
    var central: Central { hosts.central }

    /// Runs `body` with a board that advertises.
    static func run<Value: Sendable>(
        _ token: String = "SENSOR_TILE_BOX", features: [String]? = nil, seed: UInt64 = 1,
        change: (inout SimulatedNode.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (BoardRoom) async throws -> Value
    ) async throws -> Value {
        let (board, version) = try #require(Board.named(token))
        var configuration = try SimulatedNode.Configuration(board: board, protocolVersion: version, features: features)
        change(&configuration)
        let device = SimulatedBlueSTBoard(configuration)
        return try await TwoHosts.run(seed: seed, limit: .seconds(7200)) { hosts in
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask {
                    do {
                        try await device.serve(on: hosts.server)
                    } catch is CancellationError {}
                    return nil
                }
                group.addTask { try await body(BoardRoom(hosts: hosts)) }
                defer { group.cancelAll() }
                while let result = try await group.next() {
                    if let value = result { return value }
                }
                throw CancellationError()
            }
        }
    }

    /// The first node that is found.
    func find(_ features: FeatureRegistry = FeatureRegistry()) async throws -> Node {
        let manager = BlueSTManager(central, features: features)
        for try await event in manager.discover() {
            if case .found(let node) = event { return node }
        }
        throw BluetoothError(.notFound, "board")
    }

    /// The first node that is found, connected.
    func connect(_ features: FeatureRegistry = FeatureRegistry()) async throws -> Node {
        let node = try await find(features)
        try await node.connect()
        return node
    }
}
