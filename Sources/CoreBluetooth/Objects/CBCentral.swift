// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import Foundation

/// A central that reads, writes or is subscribed.
open class CBCentral: CBPeer {
    let peer: PeerID
    let length = Guarded(20)

    /// The longest value of one notification or indication.
    open var maximumUpdateValueLength: Int { length { $0 } }

    init(_ peer: PeerID) {
        self.peer = peer
        super.init(identifier: Identities.host.identifier(of: peer))
    }

    /// The class and the rest, for people.
    open override var description: String {
        "<CBCentral: identifier = \(identifier.uuidString), MTU = \(maximumUpdateValueLength)>"
    }
}
