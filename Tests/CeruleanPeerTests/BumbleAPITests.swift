// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanWire
import Foundation
import Synchronization
import Testing

/// What the API promises, against Bumble in both roles, over both airs.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct BumbleAPITests {
    // MARK: Our central, Bumble's peripheral

    private func bumble(_ radio: AirProcess, _ more: String...) async throws -> PeerProcess {
        let peer = try PeerProcess(
            Programs.python, [Programs.bumblePeer, "peripheral", radio.transport, "--name", "Bumble One"] + more)
        _ = try await peer.event("ready")
        return peer
    }

    private func withPeripheral(
        _ air: PeerAir, _ more: String..., body: (_ peripheral: Peripheral, _ peer: PeerProcess) async throws -> Void
    ) async throws {
        let radio = try await AirProcess(air)
        let peer = try PeerProcess(
            Programs.python, [Programs.bumblePeer, "peripheral", radio.transport, "--name", "Bumble One"] + more)
        _ = try await peer.event("ready")
        let central = try await Central(Adapter(parsing: radio.adapter))
        let peripheral = try await central.first(.name("Bumble One")).connect()
        try await peripheral.discover()
        try await body(peripheral, peer)
        try await central.shutdown()
        radio.stop()
    }

    @Test(arguments: PeerAir.allCases)
    func equalUUIDsOfAPeerAreTwoCharacteristics(air: PeerAir) async throws {
        try await withPeripheral(air) { peripheral, peer in
            let twins = peripheral.characteristics(0xFFF7)
            #expect(twins.count == 2 && twins[0].id != twins[1].id)
            for (number, twin) in twins.enumerated() {
                #expect(try await peripheral.read(twin) == [UInt8(number + 1)])
            }
            let sequences = [
                try await peripheral.values(of: twins[0]), try await peripheral.values(of: twins[1]),
            ]
            try peer.send(#"{"op":"notify","twin":1,"count":3,"length":5}"#)
            _ = try await peer.event("notify")
            try peer.send(#"{"op":"notify","twin":0,"count":2,"length":6}"#)
            _ = try await peer.event("notify")
            for (number, count) in [(0, 2), (1, 3)] {
                var iterator = sequences[number].makeAsyncIterator()
                for place in 0..<count {
                    let value = try await iterator.next()
                    #expect(value?.count == 6 - number && value?.first == UInt8(place))
                }
            }
        }
    }

    @Test(arguments: PeerAir.allCases)
    func valuesOf512OctetsAndReliableWritesReachAPeer(air: PeerAir) async throws {
        try await withPeripheral(air, "--more") { peripheral, peer in
            let long = try peripheral.characteristic(0xFFF4)
            let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 5) }
            try await peripheral.write(value, to: long)
            #expect(try await peer.ask("long")["value"] as? String == Hex.encode(value))
            #expect(try await peripheral.read(long) == value)
            let first = try peripheral.characteristic(0xFFE1)
            let second = try peripheral.characteristic(0xFFE2)
            try await peripheral.writeReliably([(first, [1, 2, 3]), (second, [4, 5])])
            #expect(try await peripheral.read(first) == [1, 2, 3])
            #expect(try await peripheral.read(second) == [4, 5])
            let without = try peripheral.characteristic(0xFFF6)
            for number in 0..<20 { try await peripheral.write([UInt8(number)], to: without, mode: .withoutResponse) }
            // A read behind them comes back behind them.
            _ = try await peripheral.read(without)
            #expect(
                try await peer.ask("written")["values"] as? [String] == (0..<20).map { Hex.encode([UInt8($0)]) })
        }
    }

    @Test(arguments: PeerAir.allCases)
    func includedServicesDescriptorsAndTheNameOfAPeerAreRead(air: PeerAir) async throws {
        try await withPeripheral(air, "--more") { peripheral, _ in
            let service = try peripheral.service(0xFFE0)
            #expect(service.includedServices == [try peripheral.service(0xFFF0).id])
            let characteristic = try #require(service.characteristic(0xFFE1))
            let name = try #require(characteristic.descriptor(0x2901))
            #expect(try await peripheral.read(name) == Array("Altitude".utf8))
            let form = try #require(characteristic.descriptor(0x2904))
            let format = try PresentationFormat(decoding: try await peripheral.read(form))
            // Signed 16 bits, hundredths of a meter.
            #expect(format.format == 0x0E && format.exponent == -2 && format.unit == 0x2701)
            #expect(format.value(of: try await peripheral.read(characteristic)) == .number(100))
            #expect(try await peripheral.readName() == "Bumble One")
            #expect(try await peripheral.readRSSI() < 20)
        }
    }

    @Test(arguments: PeerAir.allCases)
    func indicationsAreConfirmedAndReadsAreNotAnsweredByThem(air: PeerAir) async throws {
        try await withPeripheral(air) { peripheral, peer in
            let characteristic = try peripheral.characteristic(0xFFF3)
            let values = try await peripheral.notifications(of: characteristic, mode: .indications)
            try peer.send(#"{"op":"notify","count":30,"indicate":true}"#)
            for _ in 0..<10 { #expect(try await peripheral.read(characteristic) == [0xAA]) }
            var iterator = values.makeAsyncIterator()
            for number in 0..<30 {
                let value = try await iterator.next()
                #expect(value?.isIndication == true && value?.value.first == UInt8(number))
            }
            // It awaited every confirmation.
            _ = try await peer.event("notify")
        }
    }

    @Test(arguments: PeerAir.allCases)
    func aPeerThatWasPowerCycledIsConnectedAndSubscribedAgain(air: PeerAir) async throws {
        let radio = try await AirProcess(air)
        let first = try await bumble(radio)
        let central = try await Central(Adapter(parsing: radio.adapter))
        let peripheral = try await central.first(.name("Bumble One")).peripheral
        try await peripheral.connect(reconnection: .always(pause: .milliseconds(200), attemptTimeout: .seconds(20)))
        let values = try await peripheral.notifications(of: try await peripheral.findCharacteristic(0xFFF3))
        var iterator = values.makeAsyncIterator()
        _ = try await first.event("subscription")
        try first.send(#"{"op":"notify","count":1}"#)
        #expect(try await iterator.next()?.connection == 1)
        first.kill()
        _ = await first.status()
        // Its power comes back: another process at the same address, with a fresh database.
        let second = try await bumble(radio, "--more")
        let subscription = try await second.event("subscription")
        #expect(subscription["notify"] as? Bool == true)
        try second.send(#"{"op":"notify","count":2}"#)
        for number in 0..<2 {
            let value = try await iterator.next()
            #expect(value?.connection == 2 && value?.value.first == UInt8(number))
        }
        #expect(peripheral.statistics.connections == 2 && peripheral.statistics.losses == 1)
        try await central.shutdown()
        radio.stop()
    }

    // MARK: Our server, Bumble's central

    /// A server with the characteristics that the tests of the other direction use.
    private final class OurServer: Sendable {
        let server: PeripheralServer
        let twins = (1...2).map { LocalCharacteristic(0xFFF7, [.read, .notify], value: [UInt8($0)]) }
        let stream = LocalCharacteristic(0xFFF3, [.notify, .indicate])
        let long = LocalCharacteristic(0xFFF4, [.read, .write])
        let free: LocalCharacteristic
        let limited: LocalCharacteristic
        let notes: Notes

        init(_ adapter: Adapter) async throws {
            let notes = Notes()
            self.notes = notes
            free = LocalCharacteristic(0xFFE1, [.read, .write], value: [0], onWrite: { notes.add("free \($0.value)") })
            limited = LocalCharacteristic(
                CharacteristicProfile<IntegerValue<UInt16>>(0xFFE2, [.read, .write], initial: 7),
                onWrite: { value, _ in
                    notes.add("limited \(value.number)")
                    guard value.number <= 1000 else { throw RequestFailure.outOfRange }
                })
            server = try await PeripheralServer(adapter)
            let (twins, stream, long, free, limited) = (twins, stream, long, free, limited)
            try await server.publish {
                LocalService(0xFFF0) {
                    twins
                    stream
                    long
                    free
                    limited
                }
            }
            try await server.advertise(name: "Ours")
        }
    }

    private final class Notes: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    private func withCentral(
        _ air: PeerAir,
        body: (_ ours: OurServer, _ central: PeerProcess, _ handles: [String: [Int]]) async throws -> Void
    ) async throws {
        let radio = try await AirProcess(air)
        let ours = try await OurServer(Adapter(parsing: radio.adapter))
        let central = try PeerProcess(
            Programs.python, [Programs.bumblePeer, "central", radio.transport, "--target", "Ours"])
        _ = try await central.event("connected")
        try await body(ours, central, try await handles(central))
        try await ours.server.shutdown()
        radio.stop()
    }

    private func handles(_ central: PeerProcess) async throws -> [String: [Int]] {
        let services = try await central.ask("discover")["services"] as? [[String: Any]] ?? []
        var handles: [String: [Int]] = [:]
        for characteristic in services.flatMap({ $0["characteristics"] as? [[String: Any]] ?? [] }) {
            guard let uuid = characteristic["uuid"] as? String, let handle = characteristic["handle"] as? Int else {
                continue
            }
            handles[uuid, default: []].append(handle)
        }
        return handles
    }

    @Test(arguments: PeerAir.allCases)
    func ourTwinsAndLongValuesReachAPeer(air: PeerAir) async throws {
        try await withCentral(air) { ours, central, handles in
            let twins = try #require(handles["FFF7"])
            #expect(twins.count == 2)
            for (number, handle) in twins.enumerated() {
                #expect(try await central.ask("read", "\"handle\":\(handle)")["value"] as? String == "0\(number + 1)")
                _ = try await central.ask("subscribe", "\"handle\":\(handle),\"count\":2")
            }
            for (number, twin) in ours.twins.enumerated().reversed() {
                for value in 0..<2 {
                    #expect(try await ours.server.update(twin, to: [UInt8(number), UInt8(value)]) == 1)
                }
                let got = try await central.event("values")
                #expect(got["handle"] as? Int == twins[number])
                #expect(got["values"] as? [String] == ["0\(number)00", "0\(number)01"])
            }
            _ = try await central.ask("mtu", "\"mtu\":100")
            let long = try #require(handles["FFF4"]?.first)
            let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            _ = try await central.ask("writeLong", "\"handle\":\(long),\"value\":\"\(Hex.encode(value))\"")
            #expect(ours.long.value == value)
            #expect(
                try await central.ask("read", "\"handle\":\(long)")["value"] as? String == Hex.encode(value))
        }
    }

    @Test(arguments: PeerAir.allCases)
    func aBatchIsAnsweredOnceAndStoredOnlyOnSuccess(air: PeerAir) async throws {
        try await withCentral(air) { ours, central, handles in
            let free = try #require(handles["FFE1"]?.first)
            let limited = try #require(handles["FFE2"]?.first)
            _ = try await central.ask("writeBatch", "\"writes\":[[\(free),\"0a0b\"],[\(limited),\"e803\"]]")
            #expect(ours.free.value == [10, 11] && ours.limited.value == [0xE8, 3])
            // The second of two is refused: neither is stored, and the peer hears the code of the one that was refused.
            try central.send("{\"op\":\"writeBatch\",\"writes\":[[\(free),\"0c\"],[\(limited),\"e903\"]]}")
            let refusal = try await answer(central)
            #expect(refusal["event"] as? String == "error" && refusal["att"] as? Int == 0xFF)
            #expect(ours.free.value == [10, 11] && ours.limited.value == [0xE8, 3])
            // Octets that are no such value do not reach the handler.
            try central.send("{\"op\":\"write\",\"handle\":\(limited),\"value\":\"01\"}")
            #expect(try await answer(central)["att"] as? Int == 0x0D)
            #expect(ours.notes.all == ["free [10, 11]", "limited 1000", "free [12]", "limited 1001"])
        }
    }

    @Test(arguments: PeerAir.allCases, [false, true])
    func updatesAreAwaitedAndArriveInOrder(air: PeerAir, indications: Bool) async throws {
        try await withCentral(air) { ours, central, handles in
            let handle = try #require(handles["FFF3"]?.first)
            let count = indications ? 25 : 300
            _ = try await central.ask(
                "subscribe", "\"handle\":\(handle),\"count\":\(count),\"indicate\":\(indications)")
            try await ours.server.waitForSubscriber(of: ours.stream)
            for number in 0..<count {
                try await ours.server.update(ours.stream, to: [UInt8(number & 0xFF), UInt8(number >> 8)])
            }
            let values = try await central.event("values")["values"] as? [String]
            #expect(values == (0..<count).map { Hex.encode([UInt8($0 & 0xFF), UInt8($0 >> 8)]) })
        }
    }

    @Test(arguments: PeerAir.allCases)
    func aPeerComesBackAfterOurPowerCycle(air: PeerAir) async throws {
        let radio = try await AirProcess(air)
        // A controller that comes back is another one, so the address must be the host's own.
        var configuration = StackConfiguration(seed: 1)
        configuration.address = .random(BluetoothAddress(rawValue: 0xC0DE_C0DE_C0DE))
        let ours = try await OurServer(.tcp(host: "127.0.0.1", port: radio.port, configuration: configuration))
        let central = try PeerProcess(
            Programs.python, [Programs.bumblePeer, "central", radio.transport, "--target", "Ours"])
        _ = try await central.event("connected")
        let long = try #require(try await handles(central)["FFF4"]?.first)
        _ = try await central.ask("write", "\"handle\":\(long),\"value\":\"0102\"")
        // Everything is switched off and on: the adapter first, then what ran on it is started again.
        let host = ours.server.host
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            host.loop.execute { host.assumeIsolated { $0.stop { _ in continuation.resume() } } }
        }
        _ = try await central.event("disconnected")
        try await ours.server.start()
        _ = try await central.ask("connect")
        let again = try #require(try await handles(central)["FFF4"]?.first)
        #expect(again == long)
        #expect(try await central.ask("read", "\"handle\":\(again)")["value"] as? String == "0102")
        try await ours.server.shutdown()
        radio.stop()
    }

    private func answer(_ process: PeerProcess) async throws -> [String: Any] {
        let line = try #require(await process.line())
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
}
