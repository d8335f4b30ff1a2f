// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire
import Testing

/// Radio mode, packet length and the length of value that suits them.
@Suite struct RadioTests {
    @Test(arguments: [
        // performance.md 4: 20 without, 244 and 495 with long packets; 506 is the longest of 27 octet packets below 512.
        (23, 27, 20), (23, 251, 20), (247, 251, 244), (498, 251, 495), (517, 251, 495), (517, 27, 506), (185, 251, 182),
        (100, 27, 74),
    ])
    func theBestLengthFillsWholePackets(mtu: Int, octets: Int, best: Int) {
        let peer = DeviceAddress(BluetoothAddress(rawValue: 1), .public)
        var info = LinkInfo(
            id: LinkID(rawValue: 1), peer: PeerID(peer), address: peer, role: .central, mtu: mtu,
            dataLength: LinkDataLength(transmit: octets, receive: 27))
        #expect(info.bestValueLength == best)
        info.dataLength = nil
        #expect(info.bestValueLength == min(mtu - 3, 512))
    }

    @Test func linksBeginWithLongPacketsAndChangeTheirMode() throws {
        let rig = Rig()
        let (central, link, peripheral, other) = try rig.connected()
        rig.run(for: .seconds(2))
        let info = try #require(central.links.first)
        #expect(info.dataLength == LinkDataLength(transmit: 251, receive: 251))
        #expect(info.bestValueLength == 495)
        #expect(info.phy == LinkPHY(transmit: .le1M, receive: .le1M))
        central.events = []
        let phy = try rig.wait {
            _ = central.engine.setPHY(.fast, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(phy == LinkPHY(transmit: .le2M, receive: .le2M))
        rig.run(for: .seconds(1))
        #expect(peripheral.links.first?.phy == phy)
        let told = central.events.compactMap { if case .linkUpdated(let info) = $0 { info.phy } else { nil } }
        #expect(told == [phy])
        // The peripheral may ask too.
        let back = try rig.wait {
            _ = peripheral.engine.setPHY(
                PHYRequest(transmit: .le1M, receive: .le1M), on: other, timeout: .seconds(10), now: rig.now,
                completion: $0)
        }
        #expect(back == LinkPHY(transmit: .le1M, receive: .le1M))
    }

    @Test func packetsGetShorterOnRequest() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected()
        rig.run(for: .seconds(2))
        try rig.wait {
            _ = central.engine.setDataLength(100, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        rig.run(for: .seconds(1))
        #expect(central.links.first?.dataLength?.transmit == 100)
        #expect(peripheral.links.first?.dataLength?.receive == 100)
        for octets in [26, 252, -1, .max] {
            let outcome = Outcome<Void>()
            _ = central.engine.setDataLength(
                octets, on: link, timeout: .seconds(1), now: rig.now, completion: outcome.completion)
            #expect(outcome.error?.code == .invalidArgument)
        }
    }

    @Test func whatAControllerCannotIsSaid() {
        let script = Script()
        script.connectionComplete(1)
        let link = script.engine.linkInfos[0].id
        let phy = Outcome<LinkPHY>()
        _ = script.engine.setPHY(.fast, on: link, timeout: .seconds(1), now: script.now, completion: phy.completion)
        #expect(phy.error?.code == .unsupported)
        let length = Outcome<Void>()
        _ = script.engine.setDataLength(
            251, on: link, timeout: .seconds(1), now: script.now, completion: length.completion)
        #expect(length.error?.code == .unsupported)
        #expect(script.count(.leSetPHY) == 0)
        // Rubbish about lengths changes nothing.
        script.event(0x3E, [7, 1, 0, 1, 0, 0, 0, 0xFF, 0xFF, 0, 0])
        #expect(script.engine.linkInfos[0].dataLength == LinkDataLength())
    }

    @Test func aRefusedModeEndsTheCallOnce() throws {
        let script = Script.extended()
        script.connectionComplete(1)
        let link = script.engine.linkInfos[0].id
        let first = Outcome<LinkPHY>()
        _ = script.engine.setPHY(.far, on: link, timeout: .seconds(1), now: script.now, completion: first.completion)
        // Both LE Coded, with eight symbols.
        #expect(script.commands.last { $0.opcode == .leSetPHY }?.parameters == [1, 0, 0, 4, 4, 2, 0])
        let second = Outcome<LinkPHY>()
        _ = script.engine.setPHY(.fast, on: link, timeout: .seconds(1), now: script.now, completion: second.completion)
        #expect(second.error?.code == .wrongState)
        script.event(0x3E, [0x0C, 0x1A, 1, 0, 1, 1])
        #expect(first.error?.controller == 0x1A)
        script.event(0x3E, [0x0C, 0, 1, 0, 2, 2])
        #expect(first.results.count == 1)
        #expect(script.engine.linkInfos[0].phy == LinkPHY(transmit: .le2M, receive: .le2M))
        let third = Outcome<LinkPHY>()
        _ = script.engine.setPHY(.fast, on: link, timeout: .seconds(1), now: script.now, completion: third.completion)
        script.tick(after: .seconds(2))
        #expect(third.error?.code == .timedOut)
    }
}
