// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// Rows H1 to H19 of the security list: a controller that lies.
@Suite struct ControllerTests {
    @Test func h1_anUnknownPacketTypeEndsTheStream() {
        let script = Script()
        script.connectionComplete(1)
        let failure = Outcome<Void>()
        script.engine.onTransportFailure = { failure.completion(.failure($0)) }
        script.feed([0x77, 4, 0x0E, 4, 1, 3, 0x0C, 0])
        #expect(failure.error?.code == .adapterFailed)
        #expect(script.engine.state == .poweredOff)
        #expect(script.closed.count == 1)
        script.connectionComplete(2)
        #expect(script.opened == 1, "nothing is taken before a reset")
        let started = Outcome<Void>()
        script.engine.start(now: script.now, timeout: .seconds(5), completion: started.completion)
        #expect(started.value != nil)
        #expect(script.engine.state == .poweredOn)
    }

    @Test func h2_theStreamMayBeCutAnywhere() {
        let stream: [UInt8] =
            [4, 0x3E, 19, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0xC0, 24, 0, 0, 0, 0xF4, 1, 0]
            + [2, 1, 0x20, 9, 0, 5, 0, 4, 0, 0x1B, 3, 0, 7, 8]
            + [4, 0x3E, 12, 2, 1, 0, 1, 9, 0, 0, 0, 0, 0xC0, 0, 0xC8]
        for cut in 0...stream.count {
            let script = Script()
            script.feed(Array(stream[..<cut]))
            script.feed(Array(stream[cut...]))
            #expect(script.opened == 1)
            #expect(script.values == [[7, 8]])
        }
        let bytewise = Script()
        for byte in stream { bytewise.feed([byte]) }
        #expect(bytewise.values == [[7, 8]])
    }

    @Test func h3_shortEventsAreDroppedAndCounted() {
        let codes: [(UInt8, [UInt8])] = [
            (0x05, [0, 1, 0, 0x13]), (0x0E, [1, 3, 0x0C]), (0x0F, [0, 1, 3, 0x0C]), (0x10, [1]),
        ]
        for (code, whole) in codes {
            for length in 0..<whole.count {
                let script = Script()
                script.connectionComplete(1)
                script.event(code, Array(whole[..<length]))
                #expect(script.closed.isEmpty)
                #expect(script.isAlive(1))
                #expect(script.engine.counters.malformedEvents >= 1, "event \(code) of \(length)")
            }
        }
        for subevent in UInt8(0)...0x30 {
            for length in 0..<18 {
                let script = Script()
                script.event(0x3E, [subevent] + [UInt8](repeating: 0, count: length))
                #expect(script.engine.state == .poweredOn)
            }
        }
    }

    @Test func h4_surplusOctetsOfAnEventAreIgnored() {
        let script = Script()
        script.connectionComplete(1)
        script.event(0x05, [0, 1, 0, 0x13, 9, 9, 9])
        #expect(script.closed.first?.controller == 0x13)
    }

    @Test func h5_reportsThatFitAreTakenTheRestIsDropped() {
        let report: [UInt8] = [0, 1, 1, 0, 0, 0, 0, 0xC0, 3, 2, 1, 6, 0xC8]
        for (number, length) in [(UInt8(0), 0), (1, 1), (2, 1), (0x19, 1), (0xFF, 1)] {
            let script = Script()
            let scan = Outcome<ScanID>()
            script.engine.startScan(
                ScanParameters(reportsDuplicates: true), now: script.now, completion: scan.completion)
            script.event(0x3E, [2, number] + report)
            let found = script.events.count { if case .advertisement = $0 { true } else { false } }
            #expect(found == length)
        }
        let script = Script()
        script.engine.startScan(ScanParameters(), now: script.now) { _ in }
        script.event(0x3E, [2, 1, 0, 1, 1, 0, 0, 0, 0, 0xC0, 0xFF, 2, 1, 6, 0xC8])
        #expect(!script.events.contains { if case .advertisement = $0 { true } else { false } })
    }

    @Test func h7_creditsFollowTheFieldWhateverTheOpcode() {
        let script = Script()
        script.event(0x0E, [0, 0, 0])
        let rssi = Outcome<Int>()
        script.connectionComplete(1)
        let link = script.engine.linkInfos[0].id
        script.answers[.readRSSI] = [1, 0, 0xC8]
        _ = script.engine.readRSSI(link, timeout: .seconds(10), now: script.now, completion: rssi.completion)
        #expect(script.count(.readRSSI) == 0, "no credits")
        script.event(0x0E, [255, 0x34, 0x12, 0])
        #expect(script.count(.readRSSI) == 1, "an answer to something that was not sent gives credits all the same")
        #expect(rssi.value == -56)
    }

    @Test func h7_noCreditsForTwoSecondsResetsTheController() {
        let script = Script()
        script.event(0x0E, [0, 0, 0])
        script.connectionComplete(1)
        let link = script.engine.linkInfos[0].id
        let rssi = Outcome<Int>()
        _ = script.engine.readRSSI(link, timeout: .seconds(10), now: script.now, completion: rssi.completion)
        #expect(script.engine.nextDeadline <= script.now + .seconds(2))
        script.tick(after: .seconds(2))
        #expect(rssi.error?.code == .adapterFailed)
        #expect(script.count(.reset) == 2)
        #expect(script.engine.state == .poweredOn)
    }

    @Test func h8_anAnswerWithTooLittleFailsTheCommand() {
        let script = Script()
        script.connectionComplete(1)
        let rssi = Outcome<Int>()
        script.answers[.readRSSI] = [1, 0]
        _ = script.engine.readRSSI(
            script.engine.linkInfos[0].id, timeout: .seconds(10), now: script.now, completion: rssi.completion)
        #expect(rssi.error?.code == .adapterFailed)
        let start = Script(start: false)
        start.answers[.leReadBufferSize] = [251]
        let started = Outcome<Void>()
        start.engine.start(now: start.now, timeout: .seconds(5), completion: started.completion)
        #expect(started.error?.code == .adapterFailed)
        #expect(start.engine.state == .poweredOff)
    }

    @Test func h9_aCommandWithoutAnswerFailsAllCallsOnceAndResets() {
        let script = Script()
        script.connectionComplete(1)
        let link = script.engine.linkInfos[0].id
        let read = Outcome<[UInt8]>()
        _ = script.engine.read(
            AttributeID(rawValue: link.rawValue << 16 | 1, handle: 3), on: link, timeout: .seconds(30),
            now: script.now, completion: read.completion)
        script.isSilent = true
        let scan = Outcome<ScanID>()
        script.engine.startScan(ScanParameters(), now: script.now, completion: scan.completion)
        script.tick(after: .milliseconds(1_999))
        #expect(scan.results.isEmpty)
        script.isSilent = false
        script.tick(after: .milliseconds(1))
        #expect(scan.error?.code == .adapterFailed)
        #expect(scan.error?.detail?.contains("LE Set Scan Parameters") == true)
        #expect(read.error?.code == .adapterFailed)
        #expect(script.closed.map(\.code) == [.adapterFailed])
        #expect(script.engine.state == .poweredOn)
        #expect(script.engine.linkInfos.isEmpty)
    }

    @Test func h10_creditsNeverExceedWhatIsInFlight() {
        let script = Script()
        script.answers[.leReadBufferSize] = [27, 0, 2]
        script.engine.shutDown(now: script.now)
        script.engine.start(now: script.now, timeout: .seconds(5)) { _ in }
        script.connectionComplete(1)
        script.event(0x13, [1, 1, 0, 0xFF, 0xFF])
        script.event(0x13, [1, 9, 0, 5, 0])
        script.event(0x13, [9, 1, 0, 1, 0])
        for _ in 0..<6 { script.frame(1, channel: 4, [0x02, 23, 0]) }
        #expect(script.packets.count == 2, "two buffers, two packets")
        script.event(0x13, [1, 1, 0, 0xFF, 0x00])
        #expect(script.packets.count == 4, "two were in flight, so two more")
    }

    @Test func h11_buffersOfTheOtherPoolOrNone() {
        let shared = Script(start: false)
        shared.answers[.leReadBufferSize] = [0, 0, 0]
        shared.answers[.readBufferSize] = [0x36, 1, 64, 10, 0, 8, 0]
        shared.engine.start(now: shared.now, timeout: .seconds(5)) { _ in }
        #expect(shared.engine.state == .poweredOn)
        #expect(shared.engine.controllerInfo?.aclLength == 0x136)
        #expect(shared.engine.controllerInfo?.aclCount == 10)
        let none = Script(start: false)
        none.answers[.leReadBufferSize] = [0, 0, 0]
        none.answers[.readBufferSize] = [0, 0, 0, 0, 0, 0, 0]
        let started = Outcome<Void>()
        none.engine.start(now: none.now, timeout: .seconds(5), completion: started.completion)
        #expect(started.error?.code == .adapterFailed)
    }

    @Test func h12_strangeConnectionCompletes() {
        let script = Script()
        script.connectionComplete(1)
        script.connectionComplete(1, peer: DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000002), .random))
        #expect(script.closed.count == 1, "the old link is closed")
        #expect(script.engine.linkInfos.map(\.address?.address.rawValue) == [0xC0_0000_000002])
        script.connectionComplete(0x0F00)
        script.connectionComplete(0x0FFF)
        script.connectionComplete(2, role: 2)
        #expect(script.engine.linkInfos.count == 1)
        let connect = Outcome<LinkInfo>()
        _ = script.engine.connect(
            PeerID(Script.peer), options: ConnectOptions(), timeout: .seconds(10), now: script.now,
            completion: connect.completion)
        script.connectionComplete(0xFFFF, role: 7, status: 0x3B)
        #expect(connect.error?.code == .connectionFailed)
        #expect(connect.error?.controller == 0x3B)
    }

    @Test func h13_disconnectionOfUnknownLinksAndTwice() {
        let script = Script()
        script.connectionComplete(1)
        script.disconnectionComplete(5)
        script.disconnectionComplete(0xFFFF)
        #expect(script.closed.isEmpty)
        script.disconnectionComplete(1, reason: 0x08)
        script.disconnectionComplete(1, reason: 0x08)
        #expect(script.closed.map(\.controller) == [0x08])
    }

    @Test(arguments: [true, false])
    func h14_theEndOfAnAdvertisementMayComeBeforeOrAfterItsLink(first: Bool) {
        let script = Script()
        script.engine.startAdvertising(
            AdvertisingParameters(content: .fields(name: "x", services: [])), now: script.now
        ) { _ in }
        let terminated: [UInt8] = [0x12, 0, 0, 1, 0, 0]
        if first { script.event(0x3E, terminated) }
        script.connectionComplete(1)
        if !first { script.event(0x3E, terminated) }
        #expect(script.engine.linkInfos.count == 1)
        let ended = script.events.count { if case .advertisingEnded(_, nil) = $0 { true } else { false } }
        #expect(ended == 1)
    }

    @Test func h15_encryptionThatNobodyAskedForChangesNothing() {
        let script = Script()
        script.connectionComplete(1)
        script.event(0x08, [0, 1, 0, 1])
        script.event(0x59, [0, 1, 0, 1, 6])
        #expect(script.engine.linkInfos[0].security == .open)
    }

    @Test func h16_packetsOfUnknownLinksWaitForASecond() {
        let script = Script()
        let notification: [UInt8] = [5, 0, 4, 0, 0x1B, 3, 0, 7, 8]
        script.acl(1, notification)
        script.connectionComplete(1)
        #expect(script.values == [[7, 8]])
        for _ in 0..<100 { script.acl(2, notification) }
        script.tick(after: .seconds(1))
        script.connectionComplete(2, peer: DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000002), .random))
        #expect(script.values.count == 1)
        script.acl(0x0FFF, notification)
        #expect(script.isAlive(1))
    }

    @Test func h17_malformedPacketsDropTheFrameInProgress() {
        let spoilers: [(Script) -> Void] = [
            { $0.acl(1, [], boundary: 1) }, { $0.acl(1, [], boundary: 2) }, { $0.acl(1, [1], boundary: 3) },
        ]
        for spoil in spoilers {
            let script = Script()
            script.connectionComplete(1)
            script.acl(1, [5, 0, 4, 0, 0x1B])
            spoil(script)
            script.acl(1, [3, 0, 7, 8], boundary: 1)
            #expect(script.values.isEmpty)
            #expect(script.isAlive(1))
        }
    }

    @Test func h18_unknownEventsAreIgnored() {
        let script = Script()
        for code in UInt8.min...UInt8.max where ![0x05, 0x08, 0x0E, 0x0F, 0x10, 0x13, 0x30, 0x3E, 0x59].contains(code) {
            script.event(code, [0, 1, 2, 3])
        }
        #expect(script.engine.state == .poweredOn)
        #expect(script.engine.counters.unknownEvents >= 247)
    }

    @Test func h19_aHardwareErrorEndsEverythingOnce() {
        let script = Script()
        script.connectionComplete(1)
        let scan = Outcome<ScanID>()
        script.engine.startScan(ScanParameters(), now: script.now, completion: scan.completion)
        script.engine.startAdvertising(
            AdvertisingParameters(content: .fields(name: "x", services: []), isConnectable: false), now: script.now
        ) { _ in }
        script.event(0x10, [0x42])
        #expect(script.closed.map(\.code) == [.adapterFailed])
        let ends = script.events.map { event -> String in
            switch event {
            case .scanEnded: "scan"
            case .advertisingEnded: "advertisement"
            case .linkClosed: "link"
            case .stateChanged(let state): "\(state)"
            default: ""
            }
        }.filter { !$0.isEmpty }
        #expect(ends == ["unknown", "poweredOn", "resetting", "link", "scan", "advertisement", "poweredOn"])
        script.engine.startScan(ScanParameters(), now: script.now, completion: scan.completion)
        #expect(scan.results.count == 2)
    }

    /// A script whose engine waits for a link to ``Script/peer``.
    private func connecting(_ outcome: Outcome<LinkInfo>, _ configuration: StackConfiguration) -> Script {
        let script = Script(start: true, configuration)
        _ = script.engine.connect(
            PeerID(Script.peer), options: ConnectOptions(), timeout: .seconds(10), now: script.now,
            completion: outcome.completion)
        #expect(script.commands.last?.opcode == .leCreateConnection)
        return script
    }

    @Test func nothingStandsBeforeTheResetWhenAConnectIsPending() {
        let connect = Outcome<LinkInfo>()
        let script = connecting(connect, StackConfiguration(seed: 7))
        let before = script.commands.count
        script.event(0x10, [0x42])
        #expect(connect.error?.code == .adapterFailed)
        #expect(script.commands[before...].first?.opcode == .reset)
        #expect(script.count(.leCreateConnectionCancel) == 0)
        #expect(script.engine.state == .poweredOn)
    }

    @Test func aStopWhileAConnectIsPendingLeavesNothingOutstanding() {
        let connect = Outcome<LinkInfo>()
        let script = connecting(connect, StackConfiguration(seed: 7))
        script.connectionComplete(3, peer: DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000002), .random))
        var states: [AdapterState] = []
        script.engine.onEvent = { [unowned script] event in
            script.events.append(event)
            states.append(script.engine.state)
        }
        script.engine.shutDown(now: script.now)
        #expect(connect.error?.code == .poweredOff)
        #expect(script.closed.count == 1)
        #expect(states.allSatisfy { $0 == .poweredOff })
        let events = script.events.count
        let commands = script.commands.count
        script.tick(after: .seconds(1))
        #expect(script.commands.count == commands)
        let started = Outcome<Void>()
        script.engine.start(now: script.now, timeout: .seconds(5), completion: started.completion)
        #expect(started.value != nil)
        #expect(script.commands[commands...].first?.opcode == .reset)
        script.engine.shutDown(now: script.now)
        let last = script.events.count
        #expect(last > events)
        script.tick(after: .seconds(5))
        #expect(script.events.count == last)
    }

    @Test func aConnectEndsWhenThereIsNoRoomForItsLink() {
        let connect = Outcome<LinkInfo>()
        var configuration = StackConfiguration(seed: 7)
        configuration.maximumLinks = 1
        let script = connecting(connect, configuration)
        script.connectionComplete(1, peer: DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000002), .random))
        script.connectionComplete(2, role: 0)
        #expect(script.count(.disconnect) == 1)
        #expect(connect.error?.code == .connectionFailed)
        #expect(connect.error?.detail == "no room for another link")
    }

    @Test func aCommandCompleteWhereAStatusIsDueIsTaken() {
        let script = Script()
        script.answers[.leCreateConnection] = .some(nil)
        let connect = Outcome<LinkInfo>()
        _ = script.engine.connect(
            PeerID(Script.peer), options: ConnectOptions(), timeout: .seconds(10), now: script.now,
            completion: connect.completion)
        script.event(0x0E, [1, 0x0D, 0x20, 0x01])
        #expect(connect.error?.code == .connectionFailed)
        #expect(connect.error?.controller == 0x01)
    }

    @Test func aControllerThatLacksCommandsStarts() {
        let script = Script(start: false)
        let needed: Set<HCI.Opcode> = [.reset, .leReadBufferSize]
        for opcode in [
            HCI.Opcode.readLocalSupportedCommands, .readLocalVersionInformation, .readBDADDR,
            .leReadLocalSupportedFeatures, .setEventMask, .leSetEventMask,
        ] where !needed.contains(opcode) { script.statuses[opcode] = 0x01 }
        let started = Outcome<Void>()
        script.engine.start(now: script.now, timeout: .seconds(5), completion: started.completion)
        #expect(started.value != nil)
        #expect(script.engine.localAddress?.randomKind == .static)
        let sent = script.commands.last { $0.opcode == .leSetRandomAddress }
        #expect(sent?.parameters.last.map { $0 >> 6 } == 3)
    }

    @Test func aSilentControllerFailsTheStart() {
        let script = Script(start: false)
        script.isSilent = true
        let started = Outcome<Void>()
        script.engine.start(now: script.now, timeout: .seconds(5), completion: started.completion)
        script.tick(after: .seconds(2))
        #expect(started.error?.code == .adapterFailed)
        #expect(started.error?.detail?.contains("Reset") == true)
        #expect(script.engine.state == .poweredOff)
        #expect(script.engine.nextDeadline == .distantFuture)
    }
}
