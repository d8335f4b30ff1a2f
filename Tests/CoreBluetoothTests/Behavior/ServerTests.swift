// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanTesting
import CeruleanWire
import Synchronization
import Testing

@testable import CoreBluetooth

@Suite struct ServerTests {
    static let writable: CBAttributePermissions = [.readable, .writeable]

    @Test("Checklist 23: what apples system refuses is refused")
    func whatApplesSystemRefusesIsRefused() async throws {
        try await Stage.run { stage in
            func add(_ service: CBMutableService) async -> CBError.Code? {
                stage.manager.add(service)
                let call = await stage.server.next("add")
                #expect(call.service === service)
                return (call.error as? CBError)?.code
            }
            for reserved in ["1800", "1801", "1812"] {
                let service = CBMutableService(type: CBUUID(string: reserved), primary: true)
                #expect(await add(service) == .uuidNotAllowed)
            }
            // A value of one's own and writes do not go together.
            let cached = CBMutableService(type: CBUUID(string: "FEED"), primary: true)
            cached.characteristics = [
                CBMutableCharacteristic(
                    type: CBUUID(string: "FEEE"), properties: [.read, .write], value: Data([1]),
                    permissions: Self.writable)
            ]
            #expect(await add(cached) == .invalidParameters)
            let configured = CBMutableService(type: CBUUID(string: "FEED"), primary: true)
            let characteristic = CBMutableCharacteristic(
                type: CBUUID(string: "FEEE"), properties: .notify, value: nil, permissions: .readable)
            characteristic.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2902"), value: NSNumber(value: 0))]
            configured.characteristics = [characteristic]
            #expect(await add(configured) == .invalidParameters)
            #expect(await add(stage.service) == nil)
            #expect(await add(stage.service) == .invalidParameters)
            // What is included comes first.
            let inner = CBMutableService(type: CBUUID(string: "180F"), primary: false)
            let outer = CBMutableService(type: CBUUID(string: "180A"), primary: true)
            outer.includedServices = [inner]
            #expect(await add(outer) == .invalidParameters)
            #expect(await add(inner) == nil)
            #expect(await add(outer) == nil)
        }
    }

    @Test func includedServicesAreFound() async throws {
        try await Stage.run { stage in
            let inner = CBMutableService(type: CBUUID(string: "180F"), primary: false)
            let outer = CBMutableService(type: CBUUID(string: "180A"), primary: true)
            outer.includedServices = [inner]
            stage.manager.add(inner)
            stage.manager.add(outer)
            let peripheral = try await stage.connect()
            peripheral.discoverServices([CBUUID(string: "180A")])
            _ = await stage.events.next("services")
            let service = try #require(peripheral.services?.first)
            peripheral.discoverIncludedServices(nil, for: service)
            _ = await stage.events.next("included")
            let included = try #require(service.includedServices?.first)
            #expect(included.uuid == CBUUID(string: "180F"))
            #expect(!included.isPrimary)
        }
    }

    /// The value is answered from the offset on, and the stack goes on asking.
    @Test("Checklist 24: long reads ask with offsets")
    func longReadsAskWithOffsets() async throws {
        // A packet of 23 octets holds 22 of the value. Core 5.4, Vol 3, Part F, 3.4.4.4 and 3.4.4.6.
        try await Stage.run(mtu: 23) { stage in
            let found = try await stage.explore()
            let long = Data((0..<512).map { UInt8(truncatingIfNeeded: $0) })
            stage.server["2A39"] = long
            found.peripheral.readValue(for: try found[stage.control])
            #expect(await stage.events.next("value").value == long)
            let reads = stage.server.calls("read")
            #expect(reads.map(\.number) == stride(from: 0, to: 512, by: 22).map { $0 })
            #expect(reads.allSatisfy { $0.characteristic === stage.control && $0.isOnQueue })
            // Longer than a packet, it is written in parts that are answered as one.
            let other = Data(long.reversed())
            found.peripheral.writeValue(other, for: try found[stage.control], type: .withResponse)
            #expect(await stage.events.next("write").error == nil)
            #expect(stage.server["2A39"] == other)
            let parts = try #require(stage.server.calls("written").first).requests
            #expect(parts.map(\.offset) == stride(from: 0, to: 512, by: 18).map { $0 })
        }
    }

    @Test("Checklist 25: prepared writes come together and are answered once")
    func preparedWritesComeTogetherAndAreAnsweredOnce() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            let identifier = try #require(try found[stage.control].id)
            let link = try #require(await stage.phone.links.first).id
            stage.server.isManual.store(true, ordering: .relaxed)
            let outcome = Outcome()
            let phone = stage.phone
            phone.loop.execute {
                phone.assumeIsolated { host in
                    _ = host.writeReliably(
                        [(identifier, [1, 2]), (identifier, [3])], on: link, timeout: .seconds(10)
                    ) { outcome.end($0) }
                }
            }
            let call = await stage.server.next("written")
            #expect(call.requests.count == 2)
            #expect(call.requests.map(\.value) == [Data([1, 2]), Data([3])])
            #expect(Set(call.requests.map(\.offset)) == [0])
            // Not the first of the batch: ignored.
            stage.manager.respond(to: call.requests[1], withResult: .success)
            stage.manager.respond(to: call.requests[0], withResult: .invalidAttributeValueLength)
            guard case .failure(let error) = await outcome.value else {
                Issue.record("the writes succeeded")
                return
            }
            #expect(error.attribute == 0x0D)
        }
    }

    @Test func aDelegateWithoutTheMethodsRefuses() async throws {
        final class Silent: Recorder, CBPeripheralManagerDelegate, @unchecked Sendable {
            func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
        }
        try await Stage.run { stage in
            let found = try await stage.explore()
            let silent = Silent()
            stage.manager.delegate = silent
            found.peripheral.readValue(for: try found[stage.control])
            let read = await stage.events.next("value")
            #expect((read.error as? CBATTError)?.code == .requestNotSupported)
            stage.manager.delegate = nil
            found.peripheral.writeValue(Data([1]), for: try found[stage.control], type: .withResponse)
            let write = await stage.events.next("write")
            #expect((write.error as? CBATTError)?.code == .requestNotSupported)
        }
    }

    @Test("Checklist 27: leaving unsubscribes")
    func leavingUnsubscribes() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            found.peripheral.setNotifyValue(true, for: try found[stage.measurement])
            found.peripheral.setNotifyValue(true, for: try found[stage.alarm])
            let first = await stage.server.next("subscribe")
            let second = await stage.server.next("subscribe")
            #expect(first.central === second.central)
            stage.drop()
            let left = [await stage.server.next("unsubscribe"), await stage.server.next("unsubscribe")]
            #expect(Set(left.map { $0.characteristic?.uuid }) == [stage.measurement.uuid, stage.alarm.uuid])
            #expect(left.allSatisfy { $0.number == 0 && $0.central === first.central })
            #expect(stage.measurement.subscribedCentrals == [])
        }
    }

    @Test func advertisingGoesOnWithAConnection() async throws {
        try await Stage.run { stage in
            let peripheral = try await stage.connect()
            #expect(stage.manager.isAdvertising)
            stage.manager.startAdvertising(nil)
            let again = await stage.server.next("advertising")
            #expect((again.error as? CBError)?.code == .alreadyAdvertising)
            stage.central.cancelPeripheralConnection(peripheral)
            _ = await stage.events.next("disconnect")
            #expect(try await stage.discover() === peripheral)
            stage.manager.stopAdvertising()
            #expect(!stage.manager.isAdvertising)
            stage.manager.startAdvertising([CBAdvertisementDataLocalNameKey: 7])
            let wrong = await stage.server.next("advertising")
            #expect((wrong.error as? CBError)?.code == .invalidParameters)
        }
    }

    /// Core Supplement, Part A, 1.1: 31 octets, of which the flags take 3 and each list 2.
    @Test("Checklist 28: advertisements hold what fits")
    func advertisementsHoldWhatFits() {
        let short = CBUUID(string: "180D")
        let long = CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")
        let both = AdvertisementLayout(name: "Strap", services: [short, long])
        #expect(both.data.prefix(7) == [2, 1, 6, 3, 3, 0x0D, 0x18])
        // Made with 128 bits, it is sent with 128 bits.
        #expect(both.data.dropFirst(7).prefix(2) == [17, 7])
        #expect(both.data.count == 25)
        #expect(both.scanResponse == [6, 9] + Array("Strap".utf8))
        let many = AdvertisementLayout(
            name: String(repeating: "ä", count: 20), services: (0..<20).map { CBUUID(string: "10" + String(10 + $0)) })
        #expect(many.data.count == 31)
        #expect(many.data[4] == 2)
        #expect(many.services.count == 13)
        #expect(many.dropped == 7)
        // 29 octets, and no half of a character.
        #expect(many.scanResponse.count == 30)
        #expect(many.scanResponse[1] == 8)
        #expect(String(validating: many.scanResponse.dropFirst(2), as: UTF8.self) != nil)
        let nothing = AdvertisementLayout(name: nil, services: [])
        #expect(nothing.data == [2, 1, 6])
        #expect(nothing.scanResponse.isEmpty)
    }

    @Test func encryptionIsMadeWhenItIsNeeded() async throws {
        try await Stage.run { stage in
            let secret = CBMutableCharacteristic(
                type: CBUUID(string: "FEEE"), properties: [.read, .notifyEncryptionRequired], value: nil,
                permissions: .readEncryptionRequired)
            stage.service.characteristics?.append(secret)
            let found = try await stage.explore()
            stage.server["FEEE"] = Data([42])
            let remote = try found[secret]
            #expect(remote.properties == [.read, .notify])
            found.peripheral.readValue(for: remote)
            let call = await stage.events.next("value")
            #expect(call.error == nil)
            #expect(call.value == Data([42]))
            #expect(await stage.phone.links.first?.security == .encrypted)
            found.peripheral.setNotifyValue(true, for: remote)
            #expect(await stage.events.next("notify").error == nil)
        }
    }
}

/// Waits for the end of an operation of a host.
final class Outcome: Sendable {
    private let stream = AsyncStream<Result<Void, HostError>>.makeStream()

    func end(_ result: Result<Void, HostError>) { stream.continuation.yield(result) }

    var value: Result<Void, HostError> {
        get async {
            for await result in stream.stream { return result }
            return .failure(HostError(.cancelled))
        }
    }
}
