// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST

extension FirmwareImage {
    /// An image as a Cortex-M has it: initial stack pointer, handlers, and `count` octets in all, rounded up to words.
    static func made(
        _ count: Int, at address: UInt32 = 0x0800_4000, stack: UInt32 = 0x2001_8000, saying text: String = ""
    ) -> Self {
        let words = [stack] + (0..<15).map { address &+ 0x101 &+ $0 &* 8 }
        var bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        bytes += (0..<max(0, count - bytes.count)).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 7) }
        if !text.isEmpty { bytes += [0] + Array(text.utf8) + [0] }
        while !bytes.count.isMultiple(of: 4) { bytes.append(0xFF) }
        return Self(bytes)
    }
}
