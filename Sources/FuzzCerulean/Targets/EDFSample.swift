// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import Foundation

/// An EDF+ file to begin with, and a place for what becomes of it: EDFlib reads files alone.
enum EDFSample {
    /// One signal with four samples a second, and two records with an annotation.
    static let octets: [UInt8] = {
        func field(_ text: String, _ width: Int) -> String {
            text.padding(toLength: width, withPad: " ", startingAt: 0)
        }
        let labels = [field("A1", 16), field("EDF Annotations", 16)]
        var header = field("0", 8) + field("X X X X", 80) + field("Startdate 30-NOV-2026 X X X", 80)
        header +=
            "30.11.2619.33.00" + field("768", 8) + field("EDF+C", 44) + field("2", 8) + field("1", 8) + field("2", 4)
        header += labels.joined() + field("", 160) + field("mV", 8) + field("", 8)
        header += field("-1.5", 8) + field("-1", 8) + field("1.5", 8) + field("1", 8)
        header += field("0", 8) + field("-32768", 8) + field("1023", 8) + field("32767", 8)
        header += field("", 160) + field("4", 8) + field("16", 8) + field("", 64)
        var bytes = Array(header.utf8)
        for record in 0..<2 {
            bytes += [0, 2, 1, 2, 2, 2, 3, 2]
            var notes = Array("+\(record)\u{14}\u{14}\u{0}".utf8)
            if record == 1 { notes += Array("+1.5\u{15}0.1\u{14}two\u{14}\u{0}".utf8) }
            bytes += notes + [UInt8](repeating: 0, count: 32 - notes.count)
        }
        return bytes
    }()

    /// What is read of a file with these octets; empty if it is refused.
    static func read(_ octets: [UInt8]) -> [RecordedSession] {
        let path = NSTemporaryDirectory() + "cerulean-fuzz-\(ProcessInfo.processInfo.processIdentifier).edf"
        guard FileManager.default.createFile(atPath: path, contents: Data(octets)) else { return [] }
        defer { try? FileManager.default.removeItem(atPath: path) }
        return (try? RecordedSession.read(path)) ?? []
    }
}
