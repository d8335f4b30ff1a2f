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

    private func open(_ stage: Stage, _ peripheral: CBPeripheral, opens: Bool = true) async throws -> Ends {
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
        for channel in opens ? [ends.near, ends.far] : [] {
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

    @Test("Checklist 32: octets go both ways in order")
    func octetsGoBothWaysInOrder() async throws {
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

    /// Streams tell their delegate on the run loop where they were scheduled, and what was read is not told again.
    @Test(arguments: [false, true]) func streamsTellOnTheirRunLoop(isMain: Bool) async throws {
        try await Stage.run { stage in
            let ends = try await open(stage, try await stage.connect(), opens: false)
            let reader = Reader(ends.far)
            if isMain { reader.startOnMain() } else { reader.start() }
            ends.near.outputStream.open()
            ends.near.inputStream.open()
            let sent = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 3) }
            #expect(ends.near.outputStream.write(sent, maxLength: sent.count) == sent.count)
            try await stage.wait(.seconds(20))
            ends.near.inputStream.close()
            ends.near.outputStream.close()
            try await stage.wait(.seconds(5))
            let (octets, events) = await reader.end()
            #expect(octets == sent)
            #expect(events.first == .openCompleted)
            #expect(events.filter { $0 == .openCompleted }.count == 1)
            #expect(events.contains(.hasBytesAvailable))
            #expect(events.last == .endEncountered)
            #expect(events.filter { $0 == .endEncountered }.count == 1)
        }
    }

    /// A thread with a run loop that reads a channel to its end.
    final class Reader: NSObject, StreamDelegate, @unchecked Sendable {
        private let channel: CBL2CAPChannel
        private let result = AsyncStream<([UInt8], [Stream.Event])>.makeStream()
        private var isOnMain = false
        // Only on the thread, or on the main queue.
        private var octets: [UInt8] = []
        private var events: [Stream.Event] = []

        init(_ channel: CBL2CAPChannel) { self.channel = channel }

        func start() {
            Thread { [self] in
                channel.inputStream.delegate = self
                channel.inputStream.open()
                channel.outputStream.open()
                channel.inputStream.schedule(in: .current, forMode: .default)
                // The delegate is called by a timer, after which the loop does not return by itself.
                while events.last != .endEncountered,
                    RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
                {}
                result.continuation.yield((octets, events))
            }.start()
        }

        /// As applications do: the delegate, then the main loop, then open.
        func startOnMain() {
            isOnMain = true
            channel.inputStream.delegate = self
            channel.inputStream.schedule(in: .main, forMode: .default)
            channel.inputStream.open()
            channel.outputStream.open()
        }

        func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
            events.append(eventCode)
            if isOnMain, eventCode == .endEncountered { result.continuation.yield((octets, events)) }
            guard eventCode == .hasBytesAvailable, let input = aStream as? InputStream else { return }
            var buffer = [UInt8](repeating: 0, count: 700)
            let count = input.read(&buffer, maxLength: buffer.count)
            octets += buffer.prefix(max(0, count))
        }

        func end() async -> ([UInt8], [Stream.Event]) {
            for await result in result.stream { return result }
            return ([], [])
        }
    }

    /// A channel that nobody keeps is closed.
    @Test func lettingGoOfAChannelClosesIt() async throws {
        try await Stage.run { stage in
            let peripheral = try await stage.connect()
            stage.events.keepsChannels = false
            stage.manager.publishL2CAPChannel(withEncryption: false)
            let psm = CBL2CAPPSM(try #require(await stage.server.next("publish").number))
            peripheral.openL2CAPChannel(psm)
            _ = await stage.events.next("channel")
            let far = try #require(await stage.server.next("channel").channel)
            far.inputStream.open()
            try await stage.wait(.seconds(5))
            #expect(far.inputStream.streamStatus == .atEnd)
        }
    }

    /// What nobody listens on is refused: Core 5.4, Vol 3, Part A, 4.23; 0 is no number of a listener.
    @Test("Checklist 32: an unknown number is refused", arguments: [CBL2CAPPSM(0x85), 0, 0x1001])
    func anUnknownNumberIsRefused(psm: CBL2CAPPSM) async throws {
        try await Stage.run { stage in
            let peripheral = try await stage.connect()
            peripheral.openL2CAPChannel(psm)
            let call = await stage.events.next("channel")
            #expect(call.error is CBError)
            #expect(call.channel == nil)
            #expect(peripheral.state == .connected)
        }
    }

    @Test func encryptedListenersNeedAnEncryptedLink() async throws {
        try await Stage.run { stage in
            let peripheral = try await stage.connect()
            stage.manager.publishL2CAPChannel(withEncryption: true)
            let psm = CBL2CAPPSM(try #require(await stage.server.next("publish").number))
            peripheral.openL2CAPChannel(psm)
            let call = await stage.events.next("channel")
            // Pairing is implicit.
            #expect(call.error == nil)
            #expect(await stage.phone.links.first?.security == .encrypted)
        }
    }

    @Test("Checklist 32: closing one end ends the other")
    func closingOneEndEndsTheOther() async throws {
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
