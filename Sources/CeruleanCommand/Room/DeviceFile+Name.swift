// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

extension DeviceFile {
    /// Gives the device another name: in what it advertises, and as the value of its Device Name.
    ///
    /// The name takes the place of the old one; where it does not fit, that of the other payload; else it is shortened.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` when not even a shortened name fits.
    mutating func rename(_ newName: String) throws(CommandError) {
        name = newName
        let octets = Array(newName.utf8)
        for service in services.indices where services[service].definition.uuid == 0x1800 {
            for one in services[service].definition.characteristics.indices
            where services[service].definition.characteristics[one].uuid == 0x2A00 {
                services[service].definition.characteristics[one].value = .stored(octets)
            }
        }
        guard var advertising, advertising.data != nil || advertising.scanResponse != nil else { return }
        // Without data of its own the advertisement is made, and has the name already.
        let isMade = advertising.data == nil
        var payloads = [advertising.data ?? [], advertising.scanResponse ?? []].map(AdvertisingData.init(decoding:))
        var old: (payload: Int, index: Int)?
        for payload in payloads.indices {
            let isName: (AdvertisingData.Structure) -> Bool = {
                $0.type == .completeLocalName || $0.type == .shortenedLocalName
            }
            if old == nil, let index = payloads[payload].structures.firstIndex(where: isName) { old = (payload, index) }
            payloads[payload].structures.removeAll(where: isName)
        }
        if !isMade || old != nil {
            let rooms = payloads.map { AdvertisingData.legacyLimit - 2 - $0.byteCount }
            // A device that sends no scan response begins to only when it must.
            let order = isMade ? [1] : old?.payload == 1 ? [1, 0] : [0, 1]
            let whole = order.first { octets.count <= rooms[$0] }
            guard let place = whole ?? order.max(by: { rooms[$0] < rooms[$1] }) else { return }
            var count = min(octets.count, max(0, rooms[place]))
            // A character is never cut.
            while count > 0, count < octets.count, octets[count] & 0xC0 == 0x80 { count -= 1 }
            guard count > 0 || octets.isEmpty else {
                throw .usage("the name '\(newName)' does not fit into the advertisement of the device file")
            }
            let structure = AdvertisingData.Structure(
                type: whole == nil ? .shortenedLocalName : .completeLocalName, data: Array(octets.prefix(count)))
            let index = old?.payload == place ? old?.index : nil
            payloads[place].structures.insert(structure, at: index ?? payloads[place].structures.endIndex)
        }
        do {
            if !isMade { advertising.data = try payloads[0].encoded() }
            let response = try payloads[1].encoded()
            if advertising.scanResponse != nil || !response.isEmpty { advertising.scanResponse = response }
        } catch {
            throw .usage("the name '\(newName)' does not fit into the advertisement of the device file")
        }
        self.advertising = advertising
    }
}
