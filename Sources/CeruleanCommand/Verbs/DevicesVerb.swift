// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import CeruleanWire

extension VerbSpecification {
    /// `devices`: what is supported.
    static let devices = VerbSpecification(
        name: "devices",
        summary: "list the kinds of devices that can be recorded",
        details: """
            Each can be recorded with 'record'; those with a simulation can be served with 'simulate KIND'. A program of
            one's own adds drivers with DriverRegistry.
            """,
        examples: ["devices", "devices --json"],
        run: { invocation, console in
            for driver in KnownDrivers.all.drivers {
                let isSimulated = (try? SimulatedRoom.builtIn(driver.kind)) != nil
                if invocation.has("json") {
                    try console.json([
                        "kind": .text(driver.kind), "title": .text(driver.title),
                        "services": .list(driver.services.map { .text($0.description) }),
                        "simulated": .bool(isSimulated),
                    ])
                } else {
                    let kind = driver.kind + String(repeating: " ", count: max(1, 14 - driver.kind.count))
                    try console.line("\(kind)\(driver.title)\(isSimulated ? "" : " (no simulation)")")
                }
            }
            return .ok
        })
}
