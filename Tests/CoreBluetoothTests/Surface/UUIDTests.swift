// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Testing

@Suite struct UUIDTests {
    @Test func formsOfOneNumberAreEqual() {
        let short = CBUUID(string: "180D")
        let long = CBUUID(string: "0000180d-0000-1000-8000-00805f9b34fb")
        #expect(short == long)
        #expect(short.hash == long.hash)
        #expect([short: 1][long] == 1)
        #expect(short == CBUUID(string: "0000180D"))
        #expect(short != CBUUID(string: "180F"))
    }

    /// A UUID that was made with 128 bits is advertised with 128 bits.
    @Test func theLengthIsKept() {
        #expect(CBUUID(string: "180D").data == Data([0x18, 0x0D]))
        #expect(CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB").data.count == 16)
        #expect(CBUUID(data: Data([0x12, 0x34, 0x56, 0x78])).uuidString == "12345678")
        #expect(
            CBUUID(string: "abdd3056-28fa-441d-a470-55a75a52553a").uuidString == "ABDD3056-28FA-441D-A470-55A75A52553A")
        let uuid = UUID()
        #expect(CBUUID(nsuuid: uuid).uuidString == uuid.uuidString)
        #expect(CBUUID(nsuuid: uuid).data == withUnsafeBytes(of: uuid.uuid) { Data($0) })
    }

    @Test func knownNumbersHaveNames() {
        #expect(CBUUID(string: "180D").description == "Heart Rate")
        #expect(CBUUID(string: "180D").uuidString == "180D")
        #expect(CBUUID(string: "FEED").description == "FEED")
    }

    @Test func nonsenseEndsTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = CBUUID(string: "heart") }
        await #expect(processExitsWith: .failure) { _ = CBUUID(data: Data([1, 2, 3])) }
    }

    @Test func literalsOfAttributesKeepWhatTheyWereMadeOf() {
        let level = CBMutableCharacteristic(
            type: CBUUID(string: "2A19"), properties: [.read, .notify], value: nil, permissions: .readable)
        let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        #expect(service.characteristics == nil)
        service.characteristics = [level]
        #expect(level.service === service)
        let text = CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Level")
        level.descriptors = [text]
        #expect(text.characteristic === level)
        #expect(text.value as? String == "Level")
        #expect(level.subscribedCentrals == [])
        #expect(service.peripheral == nil)
    }
}
