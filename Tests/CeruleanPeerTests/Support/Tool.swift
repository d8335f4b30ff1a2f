// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One finished run of the program `cerulean`.
struct ToolRun {
    var status: Int32
    var output: [String]
    var errors: String

    /// The lines of output as JSON objects.
    var objects: [[String: Any]] {
        output.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }

    /// The only object printed.
    func object() throws -> [String: Any] {
        guard status == 0, let object = objects.first, objects.count == 1 else {
            throw PeerError(description: "status \(status), output \(output.prefix(5)), errors: \(errors)")
        }
        return object
    }
}

/// Runs `cerulean` with `arguments` to its end.
func cerulean(_ arguments: String...) async throws -> ToolRun {
    let process = try PeerProcess(Programs.cerulean, arguments)
    let output = await process.rest()
    let status = await process.status()
    return ToolRun(status: status, output: output, errors: process.errorText)
}
