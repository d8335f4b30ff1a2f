// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanRecording
import CeruleanWire

/// Reading device files from memory, for our own checks.
package enum DeviceFileText {
    /// Reads a device file; returns how many services it describes.
    ///
    /// - Throws: An error that says what is wrong where.
    package static func check(_ bytes: [UInt8]) throws -> Int {
        try DeviceFile(JSONReader(JSONText.parse(utf8: bytes), path: "")).services.count
    }
}
