// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanStack
import CeruleanWire

extension MachineCheck {
    /// What an adapter that could be opened says of itself.
    static func controller(_ session: Session, name: String) async -> [MachineCheck] {
        guard let host = session.central.host as? StackHost, let info = await host.controller else { return [] }
        let maker = AssignedNumbers.company(info.company) ?? "company \(info.company)"
        let address = await host.localAddress.map { "\($0)" } ?? "no address"
        let revisions = "revision \(Self.hex(info.hciRevision)), link layer \(Self.hex(info.linkRevision))"
        var controller = MachineCheck(
            name: "controller", status: .ok,
            detail: "Bluetooth \(info.version) of \(maker), \(revisions), address \(address)")
        if info.version < .core42 {
            controller.status = .warning
            controller.advice = "before 4.2 there are no LE Secure Connections in hardware and no long packets"
        }
        return [controller, features(info), buffers(info)]
    }

    private static func hex(_ value: UInt16) -> String {
        "0x" + Hex.encode([UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)])
    }

    private static func features(_ info: ControllerInfo) -> MachineCheck {
        let known: [(HCI.LEFeatures, String, String)] = [
            (.encryption, "encryption", "links to it cannot be encrypted: do not pair with it"),
            (.dataLengthExtension, "data length extension", "values beyond 20 octets are slow"),
            (.le2M, "2M PHY", ""), (.leCoded, "coded PHY", ""), (.privacy, "address resolution", ""),
            (.extendedAdvertising, "extended advertising", ""), (.periodicAdvertising, "periodic advertising", ""),
        ]
        let has = known.filter { info.features.contains($0.0) }.map(\.1)
        let lacks = known.filter { !info.features.contains($0.0) }
        var text = has.isEmpty ? "none" : has.joined(separator: ", ")
        if !lacks.isEmpty { text += "; not: " + lacks.map(\.1).joined(separator: ", ") }
        let advice = lacks.map(\.2).filter { !$0.isEmpty }
        return MachineCheck(
            name: "features", status: advice.isEmpty ? .ok : .warning, detail: text,
            advice: advice.isEmpty ? nil : advice.joined(separator: "; "))
    }

    private static func buffers(_ info: ControllerInfo) -> MachineCheck {
        let detail = "\(info.aclCount) data packets of \(info.aclLength) octets"
        guard info.aclLength >= 251 else {
            return MachineCheck(
                name: "buffers", status: .warning, detail: detail,
                advice: "long values are cut into \(info.aclLength) octets: throughput stays low")
        }
        return MachineCheck(name: "buffers", status: .ok, detail: detail)
    }
}
