// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the kernel said since it started, as far as this process may read it.
enum KernelLog {
    /// The lines that are in the kernel's buffer, without numbers and times; nil when they may not be read.
    static func lines() -> [String]? {
        let file = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var lines: [String] = []
        var record = [UInt8](repeating: 0, count: 8192)
        // The buffer holds a few thousand records.
        for _ in 0..<100_000 {
            let count = unsafe record.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EPIPE { continue }
            guard count > 0 else { break }
            let text = String(decoding: record[..<count], as: UTF8.self)
            let line = text.split(separator: "\n", maxSplits: 1).first ?? ""
            guard let start = line.firstIndex(of: ";") else { continue }
            lines.append(String(line[line.index(after: start)...]))
        }
        return lines
    }
}
