// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

@Suite struct OperationTests {
    @Test func readsTheValueThatTheHostAnswers() async throws {
        let value = try await Scripted.connected { _, peripheral in
            try await peripheral.read(peripheral.characteristic(0x2A19))
        }
        #expect(value == [100])
    }

    @Test func refusalsSayWhatFailedOnWhatAndWhy() async throws {
        let error = try await Scripted.connected { scripted, peripheral in
            await scripted.host.script {
                $0.read = { _ in .failure(HostError(.insufficientSecurity, attribute: 0x05)) }
            }
            let characteristic = try peripheral.characteristic(0x2A19)
            return await outcome { try await peripheral.read(characteristic) }
        }
        guard case .failure(let error) = error else { return #expect(Bool(false), "succeeded") }
        #expect(error.code == .insufficientSecurity)
        #expect(error.attribute == 0x05)
        #expect(
            error.description
                == "read of 2A19 on C4:7C:8D:00:11:22: insufficient authentication (ATT 0x05); pair first")
    }

    @Test func aTimeoutEndsWaitingAndLeavesTheLink() async throws {
        try await Scripted.connected { scripted, peripheral in
            await scripted.host.script { $0.read = { _ in .silence } }
            let characteristic = try peripheral.characteristic(0x2A19)
            let start = scripted.clock.now
            let result = await outcome {
                try await peripheral.read(characteristic, timeout: .seconds(3))
            }
            #expect(result.code == .timedOut)
            #expect(start.duration(to: scripted.clock.now) == .seconds(3))
            #expect(peripheral.isConnected)
        }
    }

    /// The moments are before the call, while it waits for its host, when it is answered, and afterwards.
    @Test(arguments: [0, 1, 999, 1000, 1001, 5000])
    func cancellationEndsAnOperationOnceAtEachMoment(microseconds: Int) async throws {
        try await Scripted.connected { scripted, peripheral in
            await scripted.host.script { $0.read = { _ in .success([1], after: .milliseconds(1)) } }
            let characteristic = try peripheral.characteristic(0x2A19)
            let ends = Noted()
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    let result = await outcome {
                        try await peripheral.read(characteristic)
                    }
                    ends.add(result.code?.description ?? "value")
                }
                if microseconds > 0 { try? await scripted.simulation.advance(by: .microseconds(microseconds)) }
                group.cancelAll()
                await group.waitForAll()
            }
            try await scripted.simulation.advance(by: .seconds(60))
            if microseconds < 1000 { #expect(ends.all == ["cancelled"]) }
            if microseconds > 1000 { #expect(ends.all == ["value"]) }
            #expect(ends.all.count == 1)
            // A late answer never answers the next one.
            await scripted.host.script { $0.read = { _ in .success([2], after: .milliseconds(1)) } }
            #expect(try await peripheral.read(characteristic) == [2])
        }
    }

    @Test func whatIsCancelledBeforehandIsNotStarted() async throws {
        try await Scripted.connected { scripted, peripheral in
            let characteristic = try peripheral.characteristic(0x2A19)
            let before = await scripted.host.calls.count
            await withTaskGroup(of: BluetoothError.Code?.self) { group in
                group.cancelAll()
                group.addTask {
                    await outcome { try await peripheral.read(characteristic) }.code
                }
                #expect(await group.next() == .cancelled)
            }
            #expect(await scripted.host.calls.count == before)
        }
    }

    @Test func teardownGoesOnInACancelledTask() async throws {
        try await TwoHosts.run { hosts in
            let service = try await hosts.server.publish { LocalService(0x1815) {} }
            let events = hosts.server.events()
            let peripheral = try await hosts.connect()
            await withTaskGroup(of: BluetoothError.Code?.self) { group in
                group.cancelAll()
                group.addTask { await outcome { try await peripheral.disconnect() }.code }
                #expect(await group.next() == .cancelled)
                // Done at once, so there is nothing left to cancel.
                group.addTask { await outcome { try await hosts.server.unpublish(service[0]) }.code }
                #expect(await group.next() == .some(nil))
            }
            for await event in events {
                guard case .disconnected = event else { continue }
                break
            }
            #expect(!peripheral.isConnected)
            try await peripheral.connect()
            try await peripheral.discover()
            #expect(peripheral.services.allSatisfy { $0.uuid != 0x1815 })
            await withTaskGroup(of: BluetoothError.Code?.self) { group in
                group.cancelAll()
                group.addTask { await outcome { try await hosts.central.shutdown() }.code }
                #expect(await group.next() == .cancelled)
            }
            for await event in events {
                guard case .disconnected = event else { continue }
                break
            }
            try await hosts.server.shutdown()
        }
    }

    @Test func aLostLinkEndsEverythingOnceWithOneReason() async throws {
        try await Scripted.connected { scripted, peripheral in
            await scripted.host.script { script in
                script.read = { _ in .silence }
                script.write = { _, _, _ in .silence }
                script.rssi = { _ in .silence }
                script.subscribe = { _, _ in .silence }
                script.discover = { .silence }
                script.parameters = { _ in .silence }
            }
            let value = try peripheral.characteristic(0x2A19)
            let command = try peripheral.characteristic(0x2A1A)
            let operations: [@Sendable () async throws -> Void] = [
                { _ = try await peripheral.read(value) },
                { try await peripheral.write([1], to: command) },
                { _ = try await peripheral.readRSSI() },
                { _ = try await peripheral.notifications(of: value) },
                { _ = try await peripheral.discover() },
                {
                    _ = try await peripheral.requestParameters(ConnectionParameterRequest())
                },
            ]
            let ends = Noted()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for operation in operations {
                    group.addTask {
                        let result = await outcome(operation)
                        guard case .failure(let error) = result else { return ends.add("succeeded") }
                        ends.add("\(error.code) \(error.controller ?? 0)")
                    }
                }
                try await scripted.simulation.advance(by: .seconds(1))
                let link = try #require(peripheral.link)
                await scripted.host.drop(link.id, HostError(.disconnected, controller: 0x08))
                try await group.waitForAll()
            }
            #expect(ends.all == Array(repeating: "disconnected 8", count: operations.count))
            #expect(!peripheral.isConnected)
            #expect(peripheral.services.isEmpty)
            let after = await outcome { try await peripheral.read(value) }
            #expect(after.code == .disconnected)
        }
    }

    @Test func aNotificationNeverAnswersARead() async throws {
        try await Scripted.connected { scripted, peripheral in
            let characteristic = try peripheral.characteristic(0x2A19)
            await scripted.host.script { $0.read = { _ in .success([7], after: .seconds(1)) } }
            let notifications = try await peripheral.notifications(of: characteristic)
            async let read = peripheral.read(characteristic)
            try await scripted.simulation.advance(by: .milliseconds(500))
            await scripted.host.send([9], from: characteristic.id)
            #expect(try await read == [7])
            var iterator = notifications.makeAsyncIterator()
            #expect(try await iterator.next()?.value == [9])
        }
    }

    @Test func writesChooseTheModeThatTheCharacteristicAllows() async throws {
        try await Scripted.connected { scripted, peripheral in
            let modes = Noted()
            await scripted.host.script { script in
                script.write = { _, _, mode in
                    modes.add("\(mode)")
                    return .success(())
                }
            }
            var characteristic = try peripheral.characteristic(0x2A1A)
            try await peripheral.write([1], to: characteristic)
            try await peripheral.write([1], to: characteristic, mode: .withoutResponse)
            characteristic.properties = .writeWithoutResponse
            try await peripheral.write([1], to: characteristic)
            #expect(modes.all == ["withResponse", "withoutResponse", "withoutResponse"])
        }
    }

    @Test func discoveryIsBoundedByOneTimeout() async throws {
        try await Scripted.run { scripted in
            let peripheral = try await scripted.central.connect(to: scripted.host.address)
            await scripted.host.script { $0.discover = { .success((), after: .seconds(4)) } }
            let start = scripted.clock.now
            let result = await outcome {
                try await peripheral.discover(timeout: .seconds(10))
            }
            #expect(result.code == .timedOut)
            #expect(start.duration(to: scripted.clock.now) == .seconds(10))
        }
    }

    @Test func lookingUpSaysWhatIsMissing() async throws {
        try await Scripted.run { scripted in
            let peripheral = try await scripted.central.connect(to: scripted.host.address)
            #expect(throws: BluetoothError.self) { try peripheral.characteristic(0x2A19) }
            try await peripheral.discover()
            let error = #expect(throws: BluetoothError.self) { try peripheral.characteristic(0x2A37) }
            #expect(error?.code == .notFound)
            #expect(error?.description == "characteristic 2A37 on C4:7C:8D:00:11:22: not found")
        }
    }

    @Test func aChangedDatabaseMustBeDiscoveredAgain() async throws {
        try await Scripted.connected { scripted, peripheral in
            var changes = peripheral.databases().makeAsyncIterator()
            #expect(await changes.next()??.count == 2)
            let link = try #require(peripheral.link)
            await scripted.host.emit(.servicesChanged(link.id, range: nil))
            #expect(await changes.next() == .some(nil))
            #expect(peripheral.services.isEmpty)
            try await peripheral.discover()
            #expect(peripheral.services.count == 2)
        }
    }

    @Test func typedValuesAreDecodedAndRefusedWithTheirOffset() async throws {
        try await Scripted.connected { scripted, peripheral in
            let level = try await peripheral.read(Battery.level)
            #expect(level.percent == 100)
            await scripted.host.script { $0.read = { _ in .success([]) } }
            let result = await outcome { try await peripheral.read(Battery.level) }
            #expect(result.code == .badData)
        }
    }
}
