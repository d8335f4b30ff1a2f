// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost

/// Turns `--adapter` into an adapter.
enum AdapterChoice {
    /// Tests put their own adapters in place of all others.
    @TaskLocal static var override: (@Sendable (String) throws(CommandError) -> Adapter)?

    /// The adapter of the invocation.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` for a text that names no kind of adapter.
    static func adapter(_ invocation: Invocation) throws(CommandError) -> Adapter {
        let text = invocation.value("adapter") ?? "auto"
        if let override { return try override(text) }
        do {
            return try Adapter(parsing: text)
        } catch {
            throw CommandError(error.code == .invalidArgument ? .usage : .noAdapter, "--adapter: \(error)")
        }
    }
}
