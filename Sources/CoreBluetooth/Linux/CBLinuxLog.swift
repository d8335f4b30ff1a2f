// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where the module says what an application did wrong and what it dropped: on standard error, unless told otherwise.
public enum CBLinuxLog {
    private static let handler = Guarded<(@Sendable (String) -> Void)?>(nil)

    /// Takes the lines in place of standard error; nil goes back. Called from any thread.
    public static func setHandler(_ handler: (@Sendable (String) -> Void)?) { self.handler { $0 = handler } }

    static func write(_ text: String) {
        if let handler = handler({ $0 }) { return handler(text) }
        FileHandle.standardError.write(Data("[CoreBluetooth] \(text)\n".utf8))
    }
}
