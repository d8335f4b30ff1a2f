// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

extension HCI {
    /// Lets a controller of two kinds (BR/EDR and LE) use LE. Core 5.4, Vol 4, Part E, 7.3.79.
    struct WriteLEHostSupport: HCICommand, Hashable {
        static let opcode = Opcode.writeLEHostSupport
        typealias ReturnParameters = HCIEmpty
        var isSupported: UInt8 = 1
        /// Not used any more; 0.
        var simultaneous: UInt8 = 0

        init() {}

        mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("LE supported host", &isSupported)
            try v.field("unused", &simultaneous)
        }
    }
}
