// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// Rows L1 to L9 and L15 of the security list: a peer that lies below ATT.
@Suite struct L2CAPRobustnessTests {
    private func linked(role: UInt8 = 1) -> Script {
        let script = Script()
        if role == 0 {
            _ = script.engine.connect(
                PeerID(Script.peer), options: ConnectOptions(exchangesMTU: false), timeout: .seconds(10),
                now: script.now, completion: { _ in })
        }
        script.connectionComplete(1, role: role)
        return script
    }

    @Test func l1_aHugeFrameIsDroppedAndItsRestSkipped() {
        let script = linked()
        script.acl(1, [0xFF, 0xFF, 4, 0] + [UInt8](repeating: 0x1B, count: 200))
        for _ in 0..<400 { script.acl(1, [UInt8](repeating: 0x1B, count: 200), boundary: 1) }
        #expect(script.values.isEmpty)
        #expect(script.isAlive(1))
    }

    @Test func l2_aContinuationWithoutStartAndAStartInBetween() {
        let script = linked()
        script.acl(1, [1, 2, 3], boundary: 1)
        script.acl(1, [9, 0, 4, 0, 0x1B, 3, 0, 1])
        script.acl(1, [5, 0, 4, 0, 0x1B, 3])
        script.acl(1, [0, 7, 8], boundary: 1)
        #expect(script.values == [[7, 8]])
    }

    @Test func l3_moreThanAnnouncedIsDropped() {
        let script = linked()
        script.acl(1, [5, 0, 4, 0, 0x1B, 3])
        script.acl(1, [0, 7, 8, 9], boundary: 1)
        script.acl(1, [5, 0, 4, 0, 0x1B, 3, 0, 7, 8, 9])
        #expect(script.values.isEmpty)
        #expect(script.isAlive(1))
    }

    @Test func l4_theHeaderMayBeSplit() {
        let whole: [UInt8] = [5, 0, 4, 0, 0x1B, 3, 0, 7, 8]
        for cut in 1..<whole.count {
            let script = linked()
            script.acl(1, Array(whole[..<cut]))
            script.acl(1, Array(whole[cut...]), boundary: 1)
            #expect(script.values == [[7, 8]])
        }
        let script = linked()
        script.acl(1, [whole[0]])
        for byte in whole.dropFirst() { script.acl(1, [byte], boundary: 1) }
        #expect(script.values == [[7, 8]])
    }

    @Test func l5_unknownFixedChannelsAreIgnored() {
        let script = linked()
        for channel in [UInt16(0), 1, 2, 3, 7, 0x3F, 0x40, 0xFFFF] { script.frame(1, channel: channel, [1, 2, 3]) }
        #expect(script.packets.isEmpty)
        #expect(script.isAlive(1))
    }

    @Test func l6_cutSignalsAndTwoInOneFrameAreRejected() {
        let script = linked()
        script.frame(1, channel: 5, [0x12, 1, 8, 0, 6, 0])
        script.frame(1, channel: 5, [0x99, 2, 0, 0, 0x99, 3, 0, 0])
        // Command Reject (1), the identifier, two octets: not understood.
        #expect(script.frames(on: 5) == [[0x01, 1, 2, 0, 0, 0], [0x01, 2, 2, 0, 0, 0]])
        script.frame(1, channel: 5, [0x12])
        script.frame(1, channel: 5, [])
        #expect(script.frames(on: 5).count == 2)
    }

    @Test func l7_identifierZeroAndAnswersToNothingAreIgnored() {
        let script = linked()
        script.frame(1, channel: 5, [0x12, 0, 8, 0, 6, 0, 6, 0, 0, 0, 100, 0])
        script.frame(1, channel: 5, [0x13, 9, 2, 0, 0, 0])
        script.frame(1, channel: 5, [0x01, 9, 2, 0, 0, 0])
        #expect(script.packets.isEmpty)
    }

    @Test func l8_oneRejectForARequestNoneForAResponse() {
        let script = linked()
        script.frame(1, channel: 5, [0x42, 7, 0, 0])
        #expect(script.frames(on: 5) == [[0x01, 7, 2, 0, 0, 0]])
        for code in [UInt8(0x01), 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x18, 0x1A] {
            script.frame(1, channel: 5, [code, 8, 0, 0])
            script.frame(1, channel: 5, [code, 8, 1, 0, 0])
        }
        #expect(script.frames(on: 5).count == 1)
    }

    @Test func l8_aStormOfRequestsEndsTheLinkRatherThanGrow() {
        let script = linked()
        for _ in 0..<100_000 { script.frame(1, channel: 5, [0x42, 7, 0, 0]) }
        #expect(script.packets.count == 8, "the controller took eight; the rest waits within a bound")
    }

    @Test(arguments: [
        (UInt16(100), UInt16(50), UInt16(0), UInt16(400)), (5, 6, 0, 400), (6, 3_201, 0, 400), (6, 6, 500, 3_200),
        (6, 6, 0, 9), (6, 6, 0, 3_201), (100, 100, 3, 100), (0, 0, 0, 0), (0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF),
    ])
    func l9_impossibleParametersAreRejected(minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16) {
        let script = linked(role: 0)
        let numbers = [minimum, maximum, latency, timeout].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        script.frame(1, channel: 5, [0x12, 3, 8, 0] + numbers)
        #expect(script.frames(on: 5) == [[0x13, 3, 2, 0, 1, 0]])
        #expect(script.count(.leConnectionUpdate) == 0)
    }

    @Test func l9_possibleParametersAreAcceptedByACentralOnly() {
        let request: [UInt8] = [0x12, 3, 8, 0, 6, 0, 12, 0, 0, 0, 100, 0]
        let central = linked(role: 0)
        central.frame(1, channel: 5, request)
        #expect(central.frames(on: 5) == [[0x13, 3, 2, 0, 0, 0]])
        #expect(central.commands.last?.opcode == .leConnectionUpdate)
        #expect(central.commands.last?.parameters.prefix(10) == [1, 0, 6, 0, 12, 0, 0, 0, 100, 0])
        let peripheral = linked(role: 1)
        peripheral.frame(1, channel: 5, request)
        #expect(peripheral.frames(on: 5) == [[0x01, 3, 2, 0, 0, 0]])
    }

    @Test func l15_trafficBeforeTheLinkIsOpenIsKeptOrDropped() {
        let script = Script()
        script.frame(1, channel: 5, [0x42, 7, 0, 0])
        script.frame(1, channel: 4, [0x02, 23, 0])
        #expect(script.packets.isEmpty)
        script.connectionComplete(1)
        #expect(script.packets.count == 2)
    }

    @Test func aPairingRequestIsRefusedInItsOwnWords() {
        let script = linked()
        script.frame(1, channel: 6, [0x01, 3, 0, 1, 16, 1, 1])
        script.frame(1, channel: 6, [0x0B, 1])
        script.frame(1, channel: 6, [])
        // Not allowed; and a Security Request is a peripheral's, which we are.
        #expect(script.frames(on: 6) == [[0x05, 0x05], [0x05, 0x08]])
    }

    @Test func framesLongerThanTheControllersPacketsAreCut() {
        let script = Script(start: false)
        script.answers[.leReadBufferSize] = [27, 0, 20]
        script.engine.start(now: script.now, timeout: .seconds(5)) { _ in }
        let sink = Sink()
        let value = (0..<100).map { UInt8($0) }
        script.engine.publish(
            [
                ServiceDefinition(
                    uuid: 0x180D,
                    characteristics: [
                        CharacteristicDefinition(
                            uuid: 0x2A37, properties: .read, permissions: .readable, value: .stored(value),
                            valueHandle: 0x0100)
                    ])
            ], for: sink, now: script.now
        ) { _ in }
        script.connectionComplete(1)
        script.frame(1, channel: 4, [0x02, 0x05, 0x02])
        script.packets = []
        script.frame(1, channel: 4, [0x0A, 0x00, 0x01])
        #expect(script.packets.count == 4)
        #expect(script.packets.map { Int($0[2]) } == [27, 27, 27, 24])
        #expect(script.packets.map { $0[1] >> 4 & 3 } == [0, 1, 1, 1])
        #expect(script.packets.flatMap { $0.dropFirst(4) } == [101, 0, 4, 0, 0x0B] + value)
    }
}
