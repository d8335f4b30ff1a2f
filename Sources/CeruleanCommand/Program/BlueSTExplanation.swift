// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBlueST

/// Says why devices are not taken for BlueST boards, each reason once for a device.
struct BlueSTExplanation {
    private static let limit = 4096
    private var told: Set<String> = []

    /// Why the device is no BlueST board; nil if it is one, has no maker's data, or this was said before.
    mutating func about(_ discovery: Discovery) -> String? {
        do {
            _ = try BlueSTAdvertisement(discovery)
            return nil
        } catch {
            guard error != .noManufacturerData else { return nil }
            let device = discovery.address?.description ?? "\(discovery.id)"
            let name = discovery.name.map { " (\($0))" } ?? ""
            let text = "\(device)\(name) is no BlueST board: \(Self.words(error))"
            guard told.count < Self.limit, told.insert(text).inserted else { return nil }
            return text
        }
    }

    private static func words(_ rejection: BlueSTAdvertisement.Rejection) -> String {
        switch rejection {
        case .malformedAdStructure: "a structure of its advertisement runs past the end (malformedAdStructure)"
        case .noManufacturerData: "it has no manufacturer data (noManufacturerData)"
        case .manufacturerDataLength:
            "its manufacturer data has neither 6, 12 nor 14 octets, and is not of version 3 (manufacturerDataLength)"
        case .companyIdentifier: "its manufacturer data is not that of STMicroelectronics, 0x0030 (companyIdentifier)"
        case .protocolVersion: "its version of the protocol is neither 1, 2 nor 3 (protocolVersion)"
        }
    }
}
