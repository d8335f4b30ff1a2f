// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST
import CeruleanWire

extension DecodeKind {
    /// A notification of a BlueST board.
    static let bluest = DecodeKind(name: "bluest", options: ["uuid", "device", "mask", "protocol"]) {
        invocation throws(CommandError) in
        func number(_ name: String) throws(CommandError) -> UInt32? {
            guard let text = invocation.value(name) else { return nil }
            let digits = text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...]
            guard let value = UInt32(digits, radix: 16) else {
                throw .usage("--\(name) takes a hexadecimal number, not '\(text)'")
            }
            return value
        }
        guard let text = invocation.value("uuid"), let uuid = BluetoothUUID(text) else {
            throw .usage("decode bluest needs --uuid, such as --uuid 00e00000-0001-11e1-ac36-0002a5d5c51b")
        }
        guard let device = UInt8(exactly: try number("device") ?? 0x80) else {
            throw .usage("--device takes 00 to FF")
        }
        let version = try invocation.integer("protocol", 1...2) ?? 1
        let decoder = CharacteristicDecoder(
            uuid, device: device, protocolVersion: UInt8(version), advertised: try number("mask"))
        guard !decoder.slots.isEmpty else { throw .usage("characteristic \(uuid) carries no BlueST feature") }
        return { bytes in
            let report = BoardValue.report(bytes, decoder)
            let fault = report.error.map { error in
                DecodeOutcome.Fault(error.code.rawValue, error.description, offset: report.consumed)
            }
            return DecodeOutcome(value: report.value, error: fault)
        }
    }
}
