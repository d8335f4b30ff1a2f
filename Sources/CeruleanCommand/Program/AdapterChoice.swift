// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost

/// Turns `--adapter` into an adapter.
enum AdapterChoice {
    /// Tests put their own adapters in place of all others.
    @TaskLocal static var override: (@Sendable (String) throws(CommandError) -> Adapter)?

    /// Runs `body` with the adapter of the invocation. `virtual` is the simulated room, which is there as long as `body` runs.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` for a text that names no kind of adapter, and what `body` throws.
    static func run<Result: Sendable>(
        _ invocation: Invocation, _ body: (Adapter) async throws -> Result
    ) async throws -> Result {
        let text = invocation.value("adapter") ?? "auto"
        if let override { return try await body(try override(text)) }
        if text == "virtual" { return try await SimulatedRoom.demonstration().run(body) }
        return try await body(try adapter(text))
    }

    private static func adapter(_ text: String) throws(CommandError) -> Adapter {
        do {
            return try Adapter(parsing: text)
        } catch {
            let text = BluetoothError(error, during: "").description
            throw CommandError(error.code == .invalidArgument ? .usage : .noAdapter, "--adapter: \(text)")
        }
    }
}
