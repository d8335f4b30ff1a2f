// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

@testable import CoreBluetooth

@Suite struct ChannelTests {
    struct Ends: @unchecked Sendable {
        let near: CBL2CAPChannel
        let far: CBL2CAPChannel
    }

    private func open(_ stage: Stage, _ peripheral: CBPeripheral) async throws -> Ends {
        stage.manager.publishL2CAPChannel(withEncryption: false)
        let published = await stage.server.next("publish")
        #expect(published.error == nil)
        let psm = CBL2CAPPSM(try #require(published.number))
        // A dynamic LE PSM. Core 5.4, Vol 3, Part A, 4.22.
        #expect((0x80...0xFF).contains(psm))
        peripheral.openL2CAPChannel(psm)
        let opened = await stage.events.next("channel")
        #expect(opened.error == nil)
        let accepted = await stage.server.next("channel")
        let ends = Ends(near: try #require(opened.channel), far: try #require(accepted.channel))
        #expect(ends.near.peer === peripheral)
        #expect(ends.far.peer is CBCentral)
        #expect(ends.near.psm == psm)
        #expect(ends.far.psm == psm)
        for channel in [ends.near, ends.far] {
            channel.inputStream.open()
            channel.outputStream.open()
        }
        return ends
    }

    private func read(_ stream: InputStream) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1000)
        while stream.hasBytesAvailable {
            let count = stream.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { break }
            all += buffer[..<count]
        }
        return all
    }

    @Test func octetsGoBothWaysInOrder() async throws {
        try await Stage.run { stage in
            let ends = try await open(stage, try await stage.connect())
            let sent = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect(ends.near.outputStream.hasSpaceAvailable)
            #expect(ends.near.outputStream.write(sent, maxLength: sent.count) == sent.count)
            #expect(ends.far.outputStream.write([1, 2, 3], maxLength: 3) == 3)
            try await stage.wait(.seconds(20))
            #expect(read(ends.far.inputStream) == sent)
            #expect(read(ends.near.inputStream) == [1, 2, 3])
            #expect(!ends.far.inputStream.hasBytesAvailable)
        }
    }

    @Test func closingOneEndEndsTheOther() async throws {
        try await Stage.run { stage in
            let ends = try await open(stage, try await stage.connect())
            #expect(ends.near.outputStream.write([9], maxLength: 1) == 1)
            ends.near.outputStream.close()
            ends.near.inputStream.close()
            try await stage.wait(.seconds(5))
            // What was written before arrives.
            #expect(read(ends.far.inputStream) == [9])
            #expect(ends.far.inputStream.streamStatus == .atEnd)
            #expect(ends.far.outputStream.write([1], maxLength: 1) == -1)
        }
    }

    @Test func withdrawingAListenerClosesItsChannels() async throws {
        try await Stage.run { stage in
            let peripheral = try await stage.connect()
            let ends = try await open(stage, peripheral)
            stage.manager.unpublishL2CAPChannel(ends.far.psm)
            #expect(await stage.server.next("unpublish").error == nil)
            try await stage.wait(.seconds(5))
            #expect(ends.near.inputStream.streamStatus == .atEnd)
            peripheral.openL2CAPChannel(ends.far.psm)
            #expect(await stage.events.next("channel").error != nil)
            stage.manager.unpublishL2CAPChannel(0x99)
            #expect(await stage.server.next("unpublish").error != nil)
        }
    }

    @Test func aLostLinkEndsItsChannels() async throws {
        try await Stage.run { stage in
            let ends = try await open(stage, try await stage.connect())
            stage.drop()
            _ = await stage.events.next("disconnect")
            #expect(ends.near.inputStream.streamStatus == .atEnd)
            #expect(ends.near.outputStream.write([1], maxLength: 1) == -1)
        }
    }
}
