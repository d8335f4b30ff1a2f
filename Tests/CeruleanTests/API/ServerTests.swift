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

    @Test func updatesThatWaitAreBoundedAndNoneIsLostUnseen() async throws {
        try await Scripted.run { scripted in
            let server = await PeripheralServer(host: scripted.host)
            let stream = LocalCharacteristic(0x2A1E, .notify)
            try await server.publish { LocalService(0x1815) { stream } }
            // Nobody is subscribed: it is kept, and that is told.
            #expect(try await server.update(stream, to: [1]) == 0)
            #expect(stream.value == [1])
            let link = await scripted.host.acceptCentral()
            let id = try #require(stream.id)
            await scripted.host.emit(.subscriptionChanged(link: link.id, attribute: id, mode: .notifications))
            await scripted.host.setUpdateRoom(0)
            await withTaskGroup(of: Result<Int, BluetoothError>.self) { group in
                for number in 0..<4096 {
                    group.addTask {
                        await outcome {
                            try await server.update(
                                stream, to: [UInt8(number & 0xFF), UInt8(number >> 8)], timeout: .seconds(100))
                        }
                    }
                }
                try? await scripted.simulation.advance(by: .seconds(1))
                #expect(await server.pendingUpdates == 4096)
                let tooMany = await outcome { try await server.update(stream, to: [9]) }
                #expect(tooMany.code == .queueFull)
                #expect(stream.value == [1])
                await scripted.host.setUpdateRoom(nil)
                for await result in group { #expect((try? result.get()) == 1) }
            }
            let sent = await scripted.host.sent.dropFirst().map { Int($0.value[0]) | Int($0.value[1]) << 8 }
            #expect(sent == Array(0..<4096))
            #expect(await server.pendingUpdates == 0)
            try await server.shutdown()
        }
    }
}
