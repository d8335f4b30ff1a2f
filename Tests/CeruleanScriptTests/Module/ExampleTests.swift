// SPDX-License-Identifier: Apache-2.0

import CeruleanScript
import Testing

/// The example scripts, two at a time on one air.
@Suite struct ExampleTests {
    @Test func bothHalvesTalkToEachOther() async throws {
        try await ScriptStage.run { stage in
            let peripheral = stage.example("device-to-device-peripheral.js", ["good morning"])
            let central = stage.example("device-to-device-central.js", ["hi!"])
            async let served: ScriptEnd = peripheral.run()
            await peripheral.line(with: "advertising")
            let centralEnding = try await central.run()
            #expect(centralEnding == .finished)
            let servedEnding = try await served
            #expect(servedEnding == .finished)
            #expect(central.lines.first == "connected")
            #expect(central.lines.last == "done")
            #expect(central.lines.contains("received: good morning"))
            #expect(central.lines.contains("strength known"))
            #expect(central.lines.contains { $0.hasPrefix("it is ") })
            #expect(
                peripheral.lines.filter { $0.hasPrefix("received") } == [
                    "received: h", "received: hi", "received: hi!",
                ])
            #expect(peripheral.lines.first == "advertising")
            #expect(peripheral.lines.last == "nobody listens")
        }
    }

    @Test func theMonitorFindsTheBeacon() async throws {
        try await ScriptStage.run { stage in
            let beacon = stage.example("ibeacon.js", ["3", "7"])
            let monitor = stage.example("ibeacon-monitor.js", ["3"])
            async let sent = beacon.run()
            await beacon.line(with: "being")
            let monitorEnding = try await monitor.run()
            #expect(monitorEnding == .finished)
            beacon.program.stop()
            _ = try await sent
            #expect(monitor.lines.prefix(2) == ["region 1 is unknown", "region 2 is unknown"])
            #expect(monitor.lines.contains("entered region 1"))
            #expect(monitor.lines.contains("[NOTIFICATION] Welcome to region 1"))
            #expect(monitor.lines.contains("region 1 is inside"))
            #expect(monitor.lines.count { $0.hasPrefix("3 7: ") } == 3)
            #expect(!monitor.lines.contains("entered region 2"))
        }
    }
}
