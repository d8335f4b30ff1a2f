// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanWire

extension VerbSpecification {
    /// `read ATTRIBUTE`: one value.
    static let read = VerbSpecification(
        name: "read",
        summary: "read a value of a device",
        positionals: [.attribute],
        selectsDevice: true,
        examples: [
            "read battery_level --name \"cerulean strap\" --adapter virtual",
            "read 180A/2A29 --address C4:7C:8D:00:11:22 --json",
        ],
        run: { invocation, console in
            let selector = try AttributeSelector(invocation.positional(0) ?? "")
            return try await Session.onDevice(invocation) { session, peripheral in
                let target = try selector.target(on: peripheral, console)
                var report = ValueReport(uuid: target.uuid, value: [])
                switch target {
                case .characteristic(let characteristic):
                    report.value = try await peripheral.read(characteristic, timeout: session.timeout)
                    report.context = await .of(characteristic, on: peripheral, timeout: session.timeout)
                case .descriptor(let descriptor, _):
                    report.value = try await peripheral.read(descriptor, timeout: session.timeout)
                }
                if invocation.has("json") {
                    let head = target.members(on: peripheral, time: session.clock.now)
                    try console.json(.object(head + report.members))
                } else {
                    try console.line(report.text)
                }
                return .ok
            }
        })
}

extension PositionalSpecification {
    /// An attribute of a device.
    static let attribute = PositionalSpecification(
        placeholder: "ATTRIBUTE",
        help: "2A37, a 128-bit UUID, SERVICE/CHARACTERISTIC, handle:0x0012, or a name such as heart_rate_measurement")
}
