// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

@Suite struct SubscriptionTests {
    @Test func valuesBeforeTheConfirmationAreNotLostNorReordered() async throws {
        try await Scripted.connected { scripted, peripheral in
            let characteristic = try peripheral.characteristic(0x2A19)
            await scripted.host.script { $0.subscribe = { _, _ in .success((), after: .seconds(1)) } }
            async let subscribed = peripheral.values(of: characteristic)
            try await scripted.simulation.advance(by: .milliseconds(500))
            for number in 0..<3 { await scripted.host.send([UInt8(number)], from: characteristic.id) }
            let values = try await subscribed
            for number in 3..<6 { await scripted.host.send([UInt8(number)], from: characteristic.id) }
            var iterator = values.makeAsyncIterator()
            for number in 0..<6 { #expect(try await iterator.next() == [UInt8(number)]) }
        }
    }

    @Test func theLastReaderUnsubscribes() async throws {
        try await Scripted.connected { scripted, peripheral in
            let characteristic = try peripheral.characteristic(0x2A19)
            let handle = "0003"
            do {
                let first = try await peripheral.values(of: characteristic)
                do {
                    let second = try await peripheral.values(of: characteristic)
                    second.cancel()
                }
                await scripted.simulation.settle()
                #expect(
                    await scripted.host.calls.filter { $0.hasPrefix("subscribe") } == [
                        "subscribe \(handle) notifications"
                    ])
                await scripted.host.send([1], from: characteristic.id)
                var iterator = first.makeAsyncIterator()
                #expect(try await iterator.next() == [1])
            }
            await scripted.simulation.settle()
            #expect(await scripted.host.calls.last == "subscribe \(handle) off")
        }
    }

    @Test func everySubscriberGetsEveryValue() async throws {
        try await Scripted.connected { scripted, peripheral in
            let characteristic = try peripheral.characteristic(0x2A19)
            let first = try await peripheral.values(of: characteristic)
            let second = try await peripheral.values(of: characteristic)
            for number in 0..<5 { await scripted.host.send([UInt8(number)], from: characteristic.id) }
            for values in [first, second] {
                var iterator = values.makeAsyncIterator()
                for number in 0..<5 { #expect(try await iterator.next() == [UInt8(number)]) }
            }
        }
    }

    @Test func subscribingWhileTheSubscriptionIsBeingEndedWorks() async throws {
        try await Scripted.connected { scripted, peripheral in
            let characteristic = try peripheral.characteristic(0x2A19)
            let first = try await peripheral.values(of: characteristic)
            await scripted.host.script { $0.subscribe = { _, _ in .success((), after: .seconds(1)) } }
            first.cancel()
            try await scripted.simulation.advance(by: .milliseconds(500))
            let second = try await peripheral.values(of: characteristic)
            #expect(
                await scripted.host.calls.filter { $0.hasPrefix("subscribe") } == [
                    "subscribe 0003 notifications", "subscribe 0003 off", "subscribe 0003 notifications",
                ])
            await scripted.host.send([4], from: characteristic.id)
            var iterator = second.makeAsyncIterator()
            #expect(try await iterator.next() == [4])
        }
    }

    @Test func aCancelledSubscriptionIsTakenBack() async throws {
        try await Scripted.connected { scripted, peripheral in
            let characteristic = try peripheral.characteristic(0x2A19)
            await scripted.host.script { $0.subscribe = { _, _ in .success((), after: .seconds(1)) } }
            await withTaskGroup(of: BluetoothError.Code?.self) { group in
                group.addTask {
                    await outcome { try await peripheral.values(of: characteristic) }.code
                }
                try? await scripted.simulation.advance(by: .milliseconds(500))
                group.cancelAll()
                #expect(await group.next() == .cancelled)
            }
            try await scripted.simulation.advance(by: .seconds(5))
            #expect(await scripted.host.calls.last == "subscribe 0003 off")
        }
    }

    @Test(arguments: [OverflowRule.dropOldest, .dropNewest])
    func overflowDropsAsChosenAndIsCounted(rule: OverflowRule) async throws {
        try await Scripted.connected { scripted, peripheral in
            let characteristic = try peripheral.characteristic(0x2A19)
            let notifications = try await peripheral.notifications(of: characteristic, capacity: 4, overflow: rule)
            for number in 0..<10 { await scripted.host.send([UInt8(number)], from: characteristic.id) }
            var iterator = notifications.makeAsyncIterator()
            var read: [Notification] = []
            for _ in 0..<4 { if let next = try await iterator.next() { read.append(next) } }
            await scripted.host.send([10], from: characteristic.id)
            if let next = try await iterator.next() { read.append(next) }
            switch rule {
            case .dropOldest:
                #expect(read.map { $0.value[0] } == [6, 7, 8, 9, 10])
                #expect(read.map(\.droppedBefore) == [6, 0, 0, 0, 0])
            case .dropNewest:
                #expect(read.map { $0.value[0] } == [0, 1, 2, 3, 10])
                #expect(read.map(\.droppedBefore) == [0, 0, 0, 0, 6])
            }
            #expect(notifications.droppedCount == 6)
            #expect(peripheral.statistics.values == 11)
            #expect(peripheral.statistics.droppedValues == 6)
        }
    }

    @Test func aLostLinkEndsTheValuesAfterThoseThatHadArrived() async throws {
        try await Scripted.connected { scripted, peripheral in
            let characteristic = try peripheral.characteristic(0x2A19)
            let values = try await peripheral.values(of: characteristic)
            await scripted.host.send([1], from: characteristic.id)
            await scripted.host.send([2], from: characteristic.id)
            let link = try #require(peripheral.link)
            await scripted.host.drop(link.id)
            let (read, reason) = await collect(values)
            #expect(read == [[1], [2]])
            #expect(reason?.code == .disconnected)
            #expect(reason?.controller == 0x08)
        }
    }

    @Test func aCancelledReaderEndsAndUnsubscribes() async throws {
        try await Scripted.connected { scripted, peripheral in
            let characteristic = try peripheral.characteristic(0x2A19)
            await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    var count = 0
                    for try await _ in try await peripheral.values(of: characteristic) { count += 1 }
                    return count
                }
                try? await scripted.simulation.advance(by: .seconds(1))
                await scripted.host.send([1], from: characteristic.id)
                try? await scripted.simulation.advance(by: .seconds(1))
                group.cancelAll()
                let read = await group.nextResult()
                #expect((try? read?.get()) == 1)
            }
            await scripted.simulation.settle()
            #expect(await scripted.host.calls.last == "subscribe 0003 off")
        }
    }

    @Test func whatNeitherNotifiesNorIndicatesIsRefused() async throws {
        try await Scripted.connected { _, peripheral in
            let characteristic = try peripheral.characteristic(0x2A1A)
            let result = await outcome {
                try await peripheral.notifications(of: characteristic)
            }
            #expect(result.code == .unsupported)
        }
    }

    @Test func aBadValueFailsOnceAndTheNextIsRead() async throws {
        try await Scripted.connected { scripted, peripheral in
            let values = try await peripheral.values(of: Battery.level)
            let id = values.notifications.characteristic.id
            for value in [[], [UInt8(42)]] { await scripted.host.send(value, from: id) }
            var iterator = values.makeAsyncIterator()
            let bad = await outcome { try await iterator.next() }
            #expect(bad.code == .badData)
            #expect(try await iterator.next()?.percent == 42)
        }
    }
}
