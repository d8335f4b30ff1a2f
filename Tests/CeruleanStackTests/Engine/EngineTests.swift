// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct EngineTests {
    static let heartRate = ServiceDefinition(
        uuid: 0x180D,
        characteristics: [
            CharacteristicDefinition(
                uuid: 0x2A37, properties: [.read, .notify], permissions: .readable, value: .stored([0, 60]))
        ])

    @Test func aStoredValueThatNeedsAuthorizationIsNotPublished() throws {
        let rig = Rig()
        let node = try rig.started()
        let sink = Sink()
        for source in [ValueSource.stored([3]), .dynamic] {
            let service = ServiceDefinition(
                uuid: 0xFFC0,
                characteristics: [
                    .init(
                        uuid: 0xFFC1, properties: .read, permissions: .init(read: .init(needsAuthorization: true)),
                        value: source)
                ])
            let result = rig.result {
                node.engine.publish([service], for: sink, now: rig.now, completion: $0)
            }
            switch (source, result) {
            case (.stored, .failure(let error)): #expect(error.code == .unsupported)
            case (.dynamic, .success): break
            default: Issue.record("\(source): \(result)")
            }
        }
    }

    @Test func startsAndTellsItsAddress() throws {
        let rig = Rig()
        let node = try rig.started()
        #expect(node.engine.state == .poweredOn)
        #expect(
            node.engine.localAddress == DeviceAddress(BluetoothAddress(rawValue: 0x00DC_0DE0_0001), .public))
        #expect(node.engine.controllerInfo?.aclLength == 251)
    }

    @Test func findsAnAdvertiserWithItsScanResponse() throws {
        let rig = Rig()
        let central = try rig.started()
        let peripheral = try rig.started()
        _ = try rig.wait {
            peripheral.engine.startAdvertising(
                AdvertisingParameters(content: .raw(data: [2, 1, 6], scanResponse: [3, 9, 0x41, 0x42])), now: rig.now,
                completion: $0)
        }
        _ = try rig.wait { central.engine.startScan(ScanParameters(), now: rig.now, completion: $0) }
        rig.run(for: .seconds(1))
        let found = central.events.compactMap {
            if case .advertisement(let advertisement, _) = $0 { advertisement } else { nil }
        }
        let last = try #require(found.last)
        #expect(last.raw == [2, 1, 6])
        #expect(last.scanResponse == [3, 9, 0x41, 0x42])
        #expect(last.address == peripheral.engine.localAddress)
        #expect(last.isConnectable)
        #expect(found.count == 2, "once without and once with the scan response")
    }

    @Test func connectsReadsAndReceivesANotification() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected(services: [Self.heartRate])
        #expect(central.links.first?.mtu == 517)
        let services = try rig.wait {
            _ = central.engine.discoverServices(
                [0x180D], on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(services.map(\.uuid) == [0x180D])
        let characteristics = try rig.wait {
            _ = central.engine.discoverCharacteristics(
                of: services[0].id, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(characteristics.map(\.uuid) == [0x2A37])
        let value = try rig.wait {
            _ = central.engine.read(
                characteristics[0].id, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(value == [0, 60])
        try rig.wait {
            _ = central.engine.subscribe(
                to: characteristics[0].id, mode: .notifications, on: link, timeout: .seconds(10), now: rig.now,
                completion: $0)
        }
        let id = peripheral.published[0].characteristics[0].id
        #expect(peripheral.engine.update([0, 61], of: id, for: .allSubscribers, now: rig.now))
        rig.run(for: .seconds(1))
        #expect(central.values == [[0, 61]])
    }
}
