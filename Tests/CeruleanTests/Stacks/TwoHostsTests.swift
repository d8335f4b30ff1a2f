// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

@Suite struct TwoHostsTests {
    @Test func aProfileServesAndDecodes() async throws {
        try await TwoHosts.run { hosts in
            let measurement = LocalCharacteristic(HeartRate.measurement)
            let resets = Noted()
            try await hosts.server.publish {
                LocalService(HeartRate.uuid) {
                    measurement
                    LocalCharacteristic(HeartRate.controlPoint, onWrite: { value, _ in resets.add("\(value)") })
                }
                LocalService(Battery.uuid) { LocalCharacteristic(Battery.level, BatteryLevel(percent: 80)) }
            }
            let peripheral = try await hosts.connect()
            let level = try await peripheral.read(Battery.level)
            #expect(level.percent == 80)
            let values = try await peripheral.values(of: HeartRate.measurement)
            try await hosts.server.waitForSubscriber(of: measurement)
            for beats in 60..<70 {
                try await hosts.server.update(measurement, to: HeartRateMeasurement(heartRate: UInt16(beats)))
            }
            var iterator = values.makeAsyncIterator()
            for beats in 60..<70 {
                let value = try await iterator.next()
                #expect(value?.heartRate == UInt16(beats))
            }
            try await peripheral.write(HeartRateControlPoint.resetEnergyExpended, to: HeartRate.controlPoint)
            #expect(resets.all.count == 1)
            try await peripheral.disconnect()
            try await hosts.central.shutdown()
            try await hosts.server.shutdown()
        }
    }

    @Test func longValuesAreReadWrittenAndHandledWhole() async throws {
        try await TwoHosts.run { hosts in
            let long = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
            let stored = LocalCharacteristic(0x2A1B, [.read, .write], value: [])
            let asked = LocalCharacteristic(
                0x2A1C, [.read, .write], onRead: { _ in long },
                onWrite: { request in
                    guard request.value.count == 512 else { throw RequestFailure.invalidValueLength }
                })
            try await hosts.server.publish {
                LocalService(0x1815) {
                    stored; asked
                }
            }
            let peripheral = try await hosts.connect()
            let one = try await peripheral.findCharacteristic(0x2A1B)
            let two = try await peripheral.findCharacteristic(0x2A1C)
            try await peripheral.write(long, to: one)
            #expect(try await peripheral.read(one) == long)
            #expect(stored.value == long)
            #expect(try await peripheral.read(two) == long)
            try await peripheral.write(long, to: two)
            #expect(asked.value == long)
            let refused = await outcome { try await peripheral.write(Array(long.dropLast()), to: two) }
            #expect(refused.code == .refused)
            // Stored only on success.
            #expect(asked.value == long)
        }
    }

    @Test func handlersRefuseWithTheirCode() async throws {
        try await TwoHosts.run { hosts in
            let characteristic = LocalCharacteristic(
                0x2A1C, [.read, .write], value: [1], onRead: { _ in throw RequestFailure(code: 0x81) },
                onWrite: { _ in throw RequestFailure.outOfRange })
            try await hosts.server.publish { LocalService(0x1815) { characteristic } }
            let peripheral = try await hosts.connect()
            let found = try await peripheral.findCharacteristic(0x2A1C)
            guard case .failure(let read) = await outcome({ try await peripheral.read(found) }),
                case .failure(let write) = await outcome({ try await peripheral.write([2], to: found) })
            else {
                Issue.record("not refused")
                return
            }
            #expect(read.attribute == 0x81)
            #expect(write.attribute == 0xFF)
            #expect(characteristic.value == [1])
        }
    }

    @Test func aHandlerThatNeverEndsIsAnsweredForAndTheNextRequestWorks() async throws {
        try await TwoHosts.run { hosts in
            let clock = hosts.simulation.clock
            let slow = LocalCharacteristic(
                0x2A1C, .read,
                onRead: { _ in
                    try await clock.sleep(for: .seconds(100))
                    return [1]
                })
            let quick = LocalCharacteristic(0x2A1D, .read, onRead: { _ in [2] })
            try await hosts.server.publish {
                LocalService(0x1815) {
                    slow; quick
                }
            }
            let peripheral = try await hosts.connect()
            let one = try await peripheral.findCharacteristic(0x2A1C)
            let two = try await peripheral.findCharacteristic(0x2A1D)
            let start = clock.now
            guard case .failure(let error) = await outcome({ try await peripheral.read(one, timeout: .seconds(25)) })
            else {
                Issue.record("answered")
                return
            }
            #expect(error.attribute == 0x0E)
            #expect(start.duration(to: clock.now) >= .seconds(10))
            #expect(start.duration(to: clock.now) < .seconds(11))
            #expect(try await peripheral.read(two) == [2])
        }
    }

    @Test func updatesWaitForRoomAndNoneIsLost() async throws {
        try await TwoHosts.run { hosts in
            let stream = LocalCharacteristic(0x2A1E, .notify)
            try await hosts.server.publish { LocalService(0x1815) { stream } }
            let peripheral = try await hosts.connect()
            let values = try await peripheral.values(
                of: try await peripheral.findCharacteristic(0x2A1E), capacity: 10_000)
            let start = hosts.simulation.clock.now
            for number in 0..<2000 {
                try await hosts.server.update(stream, to: [UInt8(number & 0xFF), UInt8(number >> 8)])
            }
            // The air is slower than the server: awaiting took virtual time.
            #expect(start.duration(to: hosts.simulation.clock.now) > .milliseconds(500))
            var iterator = values.makeAsyncIterator()
            for number in 0..<2000 {
                #expect(try await iterator.next() == [UInt8(number & 0xFF), UInt8(number >> 8)])
            }
            #expect(values.droppedCount == 0)
        }
    }

    @Test func indicationsArriveToo() async throws {
        try await TwoHosts.run { hosts in
            let stream = LocalCharacteristic(0x2A1E, .indicate)
            try await hosts.server.publish { LocalService(0x1815) { stream } }
            let peripheral = try await hosts.connect()
            let values = try await peripheral.notifications(of: try await peripheral.findCharacteristic(0x2A1E))
            async let sent: Void = {
                for number in 0..<20 { try await hosts.server.update(stream, to: [UInt8(number)]) }
            }()
            var iterator = values.makeAsyncIterator()
            for number in 0..<20 {
                let value = try await iterator.next()
                #expect(value?.value == [UInt8(number)])
                #expect(value?.isIndication == true)
            }
            try await sent
        }
    }

    @Test func eventsTellWhoComesSubscribesAndGoes() async throws {
        try await TwoHosts.run { hosts in
            let stream = LocalCharacteristic(0x2A1E, .notify)
            try await hosts.server.publish { LocalService(0x1815) { stream } }
            let events = hosts.server.events()
            let peripheral = try await hosts.connect()
            let values = try await peripheral.values(of: try await peripheral.findCharacteristic(0x2A1E))
            #expect(await hosts.server.subscribers(of: stream).count == 1)
            values.cancel()
            try await hosts.simulation.advance(by: .seconds(1))
            #expect(await hosts.server.subscribers(of: stream).isEmpty)
            try await peripheral.disconnect()
            try await hosts.simulation.advance(by: .seconds(3))
            var names: [String] = []
            try await hosts.server.shutdown()
            for await event in events {
                switch event {
                case .connected: names.append("connected")
                case .disconnected: names.append("disconnected")
                case .subscribed(_, _, let mode): names.append("subscribed \(mode)")
                case .unsubscribed: names.append("unsubscribed")
                case .written: names.append("written")
                case .undelivered: names.append("undelivered")
                case .advertisingRestarted: names.append("restarted")
                case .advertisingEnded: names.append("ended")
                }
            }
            #expect(
                names == ["connected", "subscribed notifications", "unsubscribed", "disconnected", "restarted"])
        }
    }

    @Test func whatDidNotReachACentralIsCounted() async throws {
        try await TwoHosts.run { hosts in
            let notified = LocalCharacteristic(0x2A1E, .notify)
            let indicated = LocalCharacteristic(0x2A1F, .indicate)
            try await hosts.server.publish {
                LocalService(0x1815) {
                    notified; indicated
                }
            }
            try await hosts.server.advertise(name: "Device", services: [0x1815])
            let peripheral = try await hosts.connect()
            let values = try await peripheral.values(of: peripheral.findCharacteristic(0x2A1E))
            let others = try await peripheral.values(of: peripheral.findCharacteristic(0x2A1F))
            // What arrived is not counted.
            try await hosts.server.update(notified, to: [0])
            try await hosts.server.update(indicated, to: [0])
            try await hosts.simulation.advance(by: .seconds(1))
            let one = try peripheral.characteristic(0x2A1E)
            #expect(await peripheral.lastNotification(of: one)?.value == [0])
            #expect(one.name == "Intermediate Temperature")
            #expect(try peripheral.service(0x1815).name == "Automation IO")
            #expect(try peripheral.service(0x1815).characteristics(0x2A1E) == [one])
            let events = hosts.server.events()
            for number in 1...5 { try await hosts.server.update(notified, to: [UInt8(number)]) }
            for number in 1...2 { try await hosts.server.update(indicated, to: [UInt8(number)]) }
            hosts.dropLink()
            let read = await collect(values)
            let readOthers = await collect(others)
            #expect(read.elements == [[0]] && readOthers.elements == [[0]])
            try await hosts.simulation.advance(by: .seconds(1))
            try await hosts.server.shutdown()
            var said: [String] = []
            for await event in events {
                switch event {
                case .undelivered(let one, let count, _): said.append("\(one.uuid) \(count)")
                case .disconnected: said.append("disconnected")
                default: break
                }
            }
            #expect(said == ["2A1E 5", "2A1F 2", "disconnected"])
        }
    }

    @Test func advertisingBeginsAgainAfterALostLink() async throws {
        try await TwoHosts.run { hosts in
            for round in 1...3 {
                let peripheral = try await hosts.connect()
                #expect(peripheral.statistics.connections == round)
                hosts.dropLink()
                var states = peripheral.connectionStates().makeAsyncIterator()
                while let state = await states.next() {
                    if case .disconnected = state { break }
                }
            }
        }
    }

    @Test func theSameSeedGivesTheSameRunOfWholeStacks() async throws {
        @Sendable func run() async throws -> [String] {
            try await TwoHosts.run(seed: 7) { hosts in
                hosts.setLoss(0.2, burstLength: 3)
                let stream = LocalCharacteristic(0x2A1E, .notify)
                try await hosts.server.publish { LocalService(0x1815) { stream } }
                let peripheral = try await hosts.connect()
                let values = try await peripheral.notifications(of: try await peripheral.findCharacteristic(0x2A1E))
                var log: [String] = []
                var iterator = values.makeAsyncIterator()
                for number in 0..<50 {
                    try await hosts.server.update(stream, to: [UInt8(number)])
                    guard let value = try await iterator.next() else { break }
                    log.append("\(value.time.nanoseconds) \(value.value)")
                }
                return log + ["\(hosts.simulation.jobCount)"]
            }
        }
        let first = try await run()
        #expect(first.count == 51)
        for _ in 0..<3 { #expect(try await run() == first) }
    }
}
