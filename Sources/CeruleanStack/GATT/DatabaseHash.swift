// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension GATTDatabase {
    /// What the Database Hash is made over: declarations with their values, descriptors that tell of structure without.
    /// Core 5.4, Vol 3, Part G, 7.3.1.
    var hashInput: [UInt8] {
        var input: [UInt8] = []
        for (index, attribute) in attributes.enumerated() {
            guard let type = attribute.type.short else { continue }
            let hasValue: Bool
            switch type {
            // Services, includes, characteristics, extended properties.
            case 0x2800, 0x2801, 0x2802, 0x2803, 0x2900: hasValue = true
            // User description, the two configurations, presentation and aggregate format.
            case 0x2901, 0x2902, 0x2903, 0x2904, 0x2905: hasValue = false
            default: continue
            }
            input.append(littleEndian: handles[index])
            input.append(littleEndian: type)
            if hasValue { input += attribute.value }
        }
        return input
    }
}

extension GATTServer {
    /// The Database Hash as it is sent, least significant octet first; nil without a ``hasher`` or where that fails.
    public var databaseHash: [UInt8]? {
        if let presentHash { return presentHash }
        guard let hash = hasher?(database.hashInput), hash.count == 16 else { return nil }
        presentHash = hash
        return hash
    }
}
