// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import Dispatch

/// Markers from standard input while a recording runs: keys of a terminal, else lines.
struct KeyMarkers: Sendable {
    let markers: MarkerInput
    let plot: LivePlot?
    let console: Console

    /// Runs `body` beside the keyboard.
    func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        guard let input = KeyInput() else {
            readLines()
            return try await body()
        }
        console.talk("keys: m or 1 to 9 set a marker\(plot == nil ? "" : ", space stops and goes on drawing")")
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                for await key in input.keys { handle(key) }
                return nil
            }
            group.addTask { try await body() }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }

    private func handle(_ key: Key) {
        switch key {
        case .character(" "): plot?.togglePause()
        case .character("m"), .enter: markers.mark("marker")
        case .character(let character) where ("1"..."9").contains(character): markers.mark("marker \(character)")
        default: break
        }
    }

    /// A thread of its own: reading blocks, and ends with the process.
    private func readLines() {
        let (markers, console) = (markers, console)
        DispatchQueue(label: "cerulean.markers").async {
            while let line = try? console.nextLine() {
                if !line.allSatisfy(\.isWhitespace) { markers.mark(line) }
            }
        }
    }
}
