// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import Foundation

/// What services, characteristics and descriptors have in common: a type.
open class CBAttribute: NSObject {
    private let type: CBUUID
    /// What the host calls the attribute; nil for local ones, and while a kept one waits for its link.
    private let identifier = Guarded<AttributeID?>(nil)

    /// The type of the attribute.
    open var uuid: CBUUID { type }

    init(uuid: CBUUID) { type = uuid }

    var id: AttributeID? {
        get { identifier { $0 } }
        set { identifier { $0 = newValue } }
    }
}

extension AttributeID {
    /// Names the attribute on its link, whatever generation of the database it was found in.
    var key: UInt64 { handle.map { UInt64($0) } ?? rawValue }
}
