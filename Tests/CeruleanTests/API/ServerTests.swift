// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

@Suite struct ServerTests {
    @Test(arguments: [AdvertisingRestart.never, .afterDisconnection])
    func afterAResetAdvertisingComesBackAsItsRuleSays(restart: AdvertisingRestart) async throws {
        try await Scripted.run { scripted in
            let server = await PeripheralServer(host: scripted.host)
            var events = server.events().makeAsyncIterator()
            try await server.advertise(name: "one", restart: restart)
            // A controller that was reset does not tell of each advertisement.
            await scripted.host.emit(.stateChanged(.poweredOff))
            await scripted.host.emit(.stateChanged(.poweredOn))
            await scripted.simulation.settle()
            let starts = await scripted.host.calls.filter { $0 == "startAdvertising" }.count
            let event = await events.next()
            if restart == .never {
                #expect(starts == 1)
                #expect(await !server.isAdvertising)
                guard case .advertisingEnded = event else {
                    return #expect(Bool(false), "\(String(describing: event))")
                }
            } else {
                #expect(starts == 2)
                #expect(await server.isAdvertising)
                guard case .advertisingRestarted = event else {
                    return #expect(Bool(false), "\(String(describing: event))")
                }
            }
            try await server.shutdown()
        }
    }
}
