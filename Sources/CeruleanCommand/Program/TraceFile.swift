// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Foundation
import Synchronization

/// The file of `--trace`: every HCI packet, in a format that capture programs open.
///
/// Each packet has reached the operating system when `write` returns, so that the file of a process that is killed is whole up
/// to its last packet. When the disk is full the rest is left out, and the program says so at its end.
final class TraceFile: Sendable {
    private let capture: HCICapture
    private let file: NewFile

    /// Creates the file. One that exists is never overwritten.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/cannotWrite``.
    init(_ path: String) throws(CommandError) {
        capture = HCICapture(HCICapture.Format(path: path))
        file = try NewFile(path)
        do {
            try file.write(capture.header)
        } catch {
            file.remove()
            throw error
        }
        TraceReport.current?.add(file)
    }

    /// Appends a packet with the present time.
    func write(_ packet: [UInt8], isReceived: Bool) {
        let microseconds = Int64(Date().timeIntervalSince1970 * 1e6)
        // What fails is kept by the file and told by the report.
        try? file.write(Array(capture.record(packet, isReceived: isReceived, microseconds: microseconds)))
    }
}

/// Remembers the captures of one run of the program, for telling at its end that one is not complete.
final class TraceReport: Sendable {
    @TaskLocal static var current: TraceReport?

    private let files = Mutex<[NewFile]>([])

    func add(_ file: NewFile) { files.withLock { $0.append(file) } }

    /// Why a capture is not complete; nil when all are.
    var failure: CommandError? { files.withLock { $0.lazy.compactMap(\.failure).first } }
}
