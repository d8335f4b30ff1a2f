// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Why a file cannot be read or written, in the words of the system.
enum FileFault {
    /// The system's reason: that of the error, or of the one beneath it that has a number.
    static func text(_ error: any Error) -> String {
        var next: NSError? = error as NSError
        while let fault = next {
            if fault.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(clamping: fault.code))) }
            next = fault.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        guard let fault = error as? CocoaError else { return "the system does not allow it" }
        return switch fault.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "no such file or directory"
        case .fileWriteFileExists: "the file exists and is never overwritten"
        case .fileReadNoPermission, .fileWriteNoPermission: "permission denied"
        case .fileWriteOutOfSpace: "no room is left on the disk"
        case .fileWriteVolumeReadOnly: "the disk is read-only"
        default: "the system does not allow it"
        }
    }
}
