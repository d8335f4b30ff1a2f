// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CeruleanRecording

@Suite struct OutputFileTests {
    /// The kernel's full device answers every write as a full disk does.
    @Test func aFullDiskIsAClearError() throws {
        let file = try OutputFile(appendingTo: "/dev/full")
        let error = #expect(throws: RecordingError.self) { try file.write([1, 2, 3]) }
        #expect(error?.code == .diskFull)
        #expect(error?.path == "/dev/full")
    }

    @Test func writesAtOnceAndRefusesAfterClosing() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/a"
        let file = try OutputFile(.file(path))
        try file.write(Array("one".utf8))
        #expect(try directory.text("a") == "one")
        try file.close()
        try file.close()
        #expect(throws: RecordingError.self) { try file.write([1]) }
    }
}
