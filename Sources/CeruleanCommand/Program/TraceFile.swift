// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Foundation
import Synchronization

/// The file of `--trace`: every HCI packet, in a format that capture programs open.
///
/// Each packet has reached the operating system when `write` returns, so that the file of a process that is killed is whole up
/// to its last packet. When the disk is full the rest is left out.
final class TraceFile: Sendable {
    private struct State {
        var handle: FileHandle
        var isBroken = false
    }

    private let capture: HCICapture
    private let state: Mutex<State>

    /// Creates the file. One that exists is never overwritten.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/cannotWrite``.
    init(_ path: String) throws(CommandError) {
        capture = HCICapture(HCICapture.Format(path: path))
        let header = Data(capture.header)
        do {
            try header.write(to: URL(filePath: path), options: .withoutOverwriting)
            let handle = try FileHandle(forWritingTo: URL(filePath: path))
            try handle.seekToEnd()
            state = Mutex(State(handle: handle))
        } catch {
            let exists = FileManager.default.fileExists(atPath: path)
            let reason = exists ? "the file exists and is never overwritten" : error.localizedDescription
            throw CommandError(.cannotWrite, "--trace \(path): \(reason)")
        }
    }

    deinit { state.withLock { try? $0.handle.close() } }

    /// Appends a packet with the present time.
    func write(_ packet: [UInt8], isReceived: Bool) {
        let microseconds = Int64(Date().timeIntervalSince1970 * 1e6)
        let record = Data(capture.record(packet, isReceived: isReceived, microseconds: microseconds))
        state.withLock { state in
            guard !state.isBroken else { return }
            do { try state.handle.write(contentsOf: record) } catch { state.isBroken = true }
        }
    }
}
