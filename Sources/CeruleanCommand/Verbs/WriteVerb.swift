// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

extension VerbSpecification {
    /// `write ATTRIBUTE VALUE`: one value.
    static let write = VerbSpecification(
        name: "write",
        summary: "write a value of a device",
        details: """
            VALUE is hex:0102, utf8:text, numbers u8: u16: u32: i8: i16: i32: f32: (several with commas; little-endian, with
            be: in front big-endian, be:u16:500), or @FILE. Values longer than a packet are sent in parts.
            """,
        positionals: [
            .attribute,
            PositionalSpecification(placeholder: "VALUE", help: "hex:0102, utf8:text, u16:500, be:u16:500, @FILE"),
        ],
        options: [.flag("without-response", "do not wait for an answer of the device")],
        selectsDevice: true,
        examples: [
            "write heart_rate_control_point u8:1 --name \"cerulean strap\" --adapter virtual",
            "write handle:0x0012 hex:0102 --address C4:7C:8D:00:11:22",
        ],
        run: { invocation, console in
            let selector = try AttributeSelector(invocation.positional(0) ?? "")
            let value = try ValueText.bytes(invocation.positional(1) ?? "")
            let mode: WriteMode? = invocation.has("without-response") ? .withoutResponse : nil
            return try await Session.onDevice(invocation) { session, peripheral in
                let target = try selector.target(on: peripheral, console)
                switch target {
                case .characteristic(let characteristic):
                    // Nobody would tell that it was not taken.
                    if mode == .withoutResponse, !characteristic.properties.contains(.writeWithoutResponse) {
                        throw CommandError(
                            .refused, "\(characteristic.uuid) takes no writes without response; leave the option out")
                    }
                    try await peripheral.write(value, to: characteristic, mode: mode, timeout: session.timeout)
                case .descriptor(let descriptor, _):
                    try await peripheral.write(value, to: descriptor, timeout: session.timeout)
                }
                if invocation.has("json") {
                    let head = target.members(on: peripheral, time: session.clock.now)
                    try console.json(.object(head + ValueReport(uuid: target.uuid, value: value).members))
                } else {
                    console.talk(
                        "\(value.count) \(value.count == 1 ? "octet" : "octets") written to \(target.uuid) on \(peripheral)"
                    )
                }
                return .ok
            }
        })
}
