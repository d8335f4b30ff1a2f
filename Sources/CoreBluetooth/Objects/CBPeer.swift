// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Another device.
open class CBPeer: NSObject, NSCopying {
    private let uuid: UUID

    /// Names the device on this host for good. It is made up, and tells nobody the device's address.
    open var identifier: UUID { uuid }

    init(identifier: UUID) { uuid = identifier }

    /// Itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
