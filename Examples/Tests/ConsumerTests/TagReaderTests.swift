// SPDX-License-Identifier: Apache-2.0

import Accelerometer
import Cerulean
import CeruleanTesting
import Testing

/// An app's own code, as somebody writes it who uses Cerulean: reads how a tag lies.
struct TagReader: Sendable {
    let peripheral: Peripheral

    /// The mean of some measurements.
    func mean(of count: Int) async throws -> Reading {
        let values = try await peripheral.values(of: Accelerometer.data)
        try await peripheral.write(Enabled(true), to: Accelerometer.enabled)
        var sum = (x: 0.0, y: 0.0, z: 0.0)
        var left = count
        for try await value in values {
            sum = (sum.x + value.x, sum.y + value.y, sum.z + value.z)
            left -= 1
            if left == 0 { break }
        }
        guard left == 0 else { throw BluetoothError(.disconnected, "measuring") }
        try await peripheral.write(Enabled(false), to: Accelerometer.enabled)
        return Reading(x: sum.x / Double(count), y: sum.y / Double(count), z: sum.z / Double(count))
    }
}

/// How that code is tested without a radio: a simulated tag on virtual time, and what may go wrong on command.
@Suite struct TagReaderTests {
    /// A tag that lies still once it is switched on.
    static func serveTag(on hosts: TwoHosts, values: Int) async throws {
        let data = LocalCharacteristic(Accelerometer.data)
        let server = hosts.server
        try await server.publish {
            LocalService(Accelerometer.uuid) {
                data
                LocalCharacteristic(
                    Accelerometer.enabled, Enabled(false),
                    onWrite: { value, _ in
                        guard value.isOn else { return }
                        for _ in 0..<values { try await server.update(data, to: Reading(x: 0, y: 0.5, z: 0.75)) }
                    })
                LocalCharacteristic(Accelerometer.period, Period(milliseconds: 100))
            }
        }
    }

    @Test func takesTheMean() async throws {
        try await TwoHosts.run { hosts in
            try await Self.serveTag(on: hosts, values: 8)
            let reader = TagReader(peripheral: try await hosts.connect())
            let mean = try await reader.mean(of: 8)
            #expect(mean == Reading(x: 0, y: 0.5, z: 0.75))
            let isOn = try await reader.peripheral.read(Accelerometer.enabled).isOn
            #expect(!isOn)
        }
    }

    @Test func failsAtOnceWhenTheLinkDropsWhileMeasuring() async throws {
        try await TwoHosts.run { hosts in
            try await Self.serveTag(on: hosts, values: 3)
            let reader = TagReader(peripheral: try await hosts.connect())
            async let outcome = Result { try await reader.mean(of: 8) }
            try await hosts.simulation.advance(by: .seconds(1))
            hosts.dropLink()
            guard case .failure(let error as BluetoothError) = await outcome else {
                Issue.record("measured over a lost link")
                return
            }
            #expect(error.code == .disconnected)
        }
    }

    @Test func aTagThatWalksAwayIsLostAfterTheSupervisionTimeout() async throws {
        try await TwoHosts.run { hosts in
            try await Self.serveTag(on: hosts, values: 1)
            let peripheral = try await hosts.connect()
            hosts.goOutOfRange()
            let start = hosts.simulation.now
            for await state in peripheral.connectionStates() {
                if case .disconnected = state { break }
            }
            #expect(hosts.simulation.now - start <= .seconds(32))
            #expect(peripheral.statistics.losses == 1)
        }
    }

    @Test func aValueOfTheWrongLengthIsRefused() async throws {
        try await TwoHosts.run { hosts in
            try await Self.serveTag(on: hosts, values: 1)
            let peripheral = try await hosts.connect()
            try await peripheral.discover()
            let period = try peripheral.characteristic(Accelerometer.period.uuid)
            do throws(BluetoothError) {
                try await peripheral.write([], to: period)
                Issue.record("taken")
            } catch {
                #expect(error.attribute == 0x0D)
            }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
