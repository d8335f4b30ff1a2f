// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire
import Testing

/// Extended advertising over two stacks and the simulated air, and what a controller is told.
@Suite struct ExtendedAdvertisingTests {
    private func start(_ rig: Rig, _ node: Rig.Node, _ parameters: AdvertisingParameters) throws -> AdvertisementID {
        try rig.wait { node.engine.startAdvertising(parameters, now: rig.now, completion: $0) }
    }

    private func scan(_ rig: Rig, _ node: Rig.Node, _ parameters: ScanParameters = ScanParameters()) throws {
        _ = try rig.wait { node.engine.startScan(parameters, now: rig.now, completion: $0) }
    }

    private func found(_ node: Rig.Node) -> [Advertisement] {
        node.events.compactMap { if case .advertisement(let found, _) = $0 { found } else { nil } }
    }

    private static func raw(_ count: Int) -> AdvertisingParameters.Content {
        .raw(data: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }, scanResponse: [])
    }

    private static let broadcast = AdvertisingParameters(
        content: raw(200), isConnectable: false, isScannable: false, extended: ExtendedAdvertising())

    @Test(arguments: [0, 31, 229, 251, 252, 503, 1_000, 1_650])
    func dataOfAnyLengthArriveWhole(count: Int) throws {
        let rig = Rig()
        let (sender, receiver) = (try rig.started(), try rig.started())
        var parameters = Self.broadcast
        parameters.content = Self.raw(count)
        _ = try start(rig, sender, parameters)
        try scan(rig, receiver)
        rig.run(for: .seconds(1))
        let heard = try #require(found(receiver).first)
        #expect(heard.raw == (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        #expect(heard.extended?.isTruncated == false)
        #expect(!heard.isConnectable)
    }

    @Test func severalSetsRunSideBySide() throws {
        let rig = Rig()
        let (sender, receiver) = (try rig.started(), try rig.started())
        let legacy = try start(
            rig, sender, AdvertisingParameters(content: .raw(data: [2, 1, 6], scanResponse: [2, 9, 0x41])))
        var all: [AdvertisementID] = [legacy]
        for number in UInt8(0)..<15 {
            all.append(
                try start(
                    rig, sender,
                    AdvertisingParameters(
                        content: .raw(data: [2, 0xFF, number], scanResponse: []), isConnectable: false,
                        isScannable: false, extended: ExtendedAdvertising(setID: number))))
        }
        let tooMany = rig.result {
            sender.engine.startAdvertising(Self.broadcast, now: rig.now, completion: $0)
        }
        #expect(throws: HostError.self) { try tooMany.get() }
        try scan(rig, receiver)
        rig.run(for: .seconds(1))
        let heard = found(receiver)
        #expect(Set(heard.compactMap(\.extended?.setID)) == Set(0..<15))
        #expect(heard.contains { $0.extended == nil && $0.scanResponse == [2, 9, 0x41] })
        #expect(Set(heard.map(\.peer)).count == 1)
        // Room again, and the others go on.
        sender.engine.stopAdvertising(all[3], now: rig.now)
        _ = try start(rig, sender, Self.broadcast)
        receiver.events = []
        try scan(rig, receiver)
        rig.run(for: .seconds(1))
        #expect(Set(found(receiver).map { $0.raw?.last }).count >= 15)
    }

    @Test func aConnectableExtendedAdvertisementIsConnectedTo() throws {
        let rig = Rig()
        let (peripheral, central) = (try rig.started(), try rig.started())
        let id = try start(
            rig, peripheral,
            AdvertisingParameters(
                content: Self.raw(100), extended: ExtendedAdvertising(secondaryPHY: .le2M)))
        let legacy = try start(
            rig, peripheral,
            AdvertisingParameters(content: .raw(data: [2, 1, 6], scanResponse: []), isConnectable: false))
        try scan(rig, central)
        rig.run(for: .seconds(1))
        let peer = try #require(found(central).first { $0.isConnectable }).peer
        let link = try rig.wait {
            _ = central.engine.connect(
                peer, options: ConnectOptions(), timeout: .seconds(10), now: rig.now, completion: $0)
        }
        rig.run(for: .seconds(1))
        let ended = peripheral.events.compactMap {
            if case .advertisingEnded(let id, let reason) = $0 { (id, reason) } else { nil }
        }
        #expect(ended.map(\.0) == [id], "the other one goes on")
        #expect(ended.first?.1 == nil)
        // The link begins in the mode of the data.
        #expect(central.links.first { $0.id == link.id }?.phy == LinkPHY(transmit: .le2M, receive: .le2M))
        peripheral.engine.stopAdvertising(legacy, now: rig.now)
    }

    @Test func scannableOnesAnswerWithTheirData() throws {
        let rig = Rig()
        let (sender, receiver) = (try rig.started(), try rig.started())
        let response = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        _ = try start(
            rig, sender,
            AdvertisingParameters(
                content: .raw(data: [], scanResponse: response), isConnectable: false,
                extended: ExtendedAdvertising()))
        try scan(rig, receiver)
        rig.run(for: .seconds(1))
        #expect(found(receiver).last?.scanResponse == response)
    }

    @Test func onLECodedOnlyThoseHearItWhoListenThere() throws {
        let rig = Rig()
        let (sender, near, far) = (try rig.started(), try rig.started(), try rig.started())
        var parameters = Self.broadcast
        parameters.extended = ExtendedAdvertising(primaryPHY: .leCoded, secondaryPHY: .leCoded)
        _ = try start(rig, sender, parameters)
        try scan(rig, near)
        try scan(rig, far, ScanParameters(phys: .leCoded))
        rig.run(for: .seconds(1))
        #expect(found(near).isEmpty)
        #expect(found(far).first?.extended?.primaryPHY == .leCoded)
    }

    @Test func anonymousOnesHaveNoAddressOnTheAir() throws {
        let rig = Rig()
        let (sender, receiver) = (try rig.started(), try rig.started())
        var parameters = Self.broadcast
        parameters.extended = ExtendedAdvertising(isAnonymous: true, includesTXPower: true)
        _ = try start(rig, sender, parameters)
        try scan(rig, receiver)
        rig.run(for: .seconds(1))
        let heard = try #require(found(receiver).first)
        #expect(heard.address == nil)
        #expect(heard.extended?.txPower == 0)
        #expect(heard.raw?.count == 200)
    }

    @Test func aChangeOfDataIsHeard() throws {
        let rig = Rig()
        let (sender, receiver) = (try rig.started(), try rig.started())
        let id = try start(rig, sender, Self.broadcast)
        try scan(rig, receiver)
        rig.run(for: .seconds(1))
        for count in [10, 900, 3] {
            try rig.wait {
                sender.engine.updateAdvertising(
                    id, with: .content(Self.raw(count)), now: rig.now, completion: $0)
            }
            rig.run(for: .seconds(1))
            #expect(found(receiver).last?.raw?.count == count)
        }
        let wrong = rig.result {
            sender.engine.updateAdvertising(
                id, with: .content(.raw(data: [], scanResponse: [1])), now: rig.now, completion: $0)
        }
        #expect(throws: HostError.self) { try wrong.get() }
        sender.engine.stopAdvertising(id, now: rig.now)
        let late = rig.result {
            sender.engine.updateAdvertising(id, with: .content(Self.raw(1)), now: rig.now, completion: $0)
        }
        #expect(throws: HostError.self) { try late.get() }
    }

    @Test(arguments: [true, false])
    func anAdvertisementEndsWithItsTime(isExtended: Bool) throws {
        let rig = Rig()
        let sender = try rig.started { if !isExtended { $0.features = .legacyVirtual } }
        let id = try start(
            rig, sender, AdvertisingParameters(content: .raw(data: [2, 1, 6], scanResponse: []), duration: .seconds(3)))
        rig.run(for: .milliseconds(2_900))
        #expect(!sender.events.contains { if case .advertisingEnded = $0 { true } else { false } })
        rig.run(for: .milliseconds(300))
        let ended = sender.events.compactMap {
            if case .advertisingEnded(let id, let reason) = $0 { (id, reason?.code) } else { nil }
        }
        #expect(ended.map(\.0) == [id])
        #expect(ended.first?.1 == .timedOut)
        _ = try start(rig, sender, AdvertisingParameters(content: .raw(data: [], scanResponse: [])))
    }

    @Test func oldControllersSendLegacyPacketsAsFarAsTheyCan() throws {
        let rig = Rig()
        let old = try rig.started { $0.features = .legacyVirtual }
        let receiver = try rig.started()
        let id = try start(
            rig, old,
            AdvertisingParameters(
                content: .raw(data: [2, 1, 6], scanResponse: []), isConnectable: false, isScannable: false,
                extended: ExtendedAdvertising()))
        try scan(rig, receiver)
        rig.run(for: .seconds(1))
        #expect(found(receiver).first?.raw == [2, 1, 6])
        #expect(found(receiver).first?.extended == nil)
        old.engine.stopAdvertising(id, now: rig.now)
        let refused: [ExtendedAdvertising] = [
            ExtendedAdvertising(isAnonymous: true), ExtendedAdvertising(primaryPHY: .leCoded),
            ExtendedAdvertising(periodic: PeriodicAdvertising(data: [])), ExtendedAdvertising(allowsLegacy: false),
        ]
        for extended in refused {
            var parameters = Self.broadcast
            parameters.content = Self.raw(5)
            parameters.extended = extended
            let outcome = Outcome<AdvertisementID>()
            old.engine.startAdvertising(parameters, now: rig.now, completion: outcome.completion)
            #expect(outcome.error?.code == .unsupported)
        }
        let long = Outcome<AdvertisementID>()
        old.engine.startAdvertising(Self.broadcast, now: rig.now, completion: long.completion)
        #expect(long.error?.code == .unsupported)
    }

    @Test func whatExtendedPacketsCannotBeIsRefused() {
        let script = Script.extended(length: 500, features: [.extendedAdvertising])
        func code(
            _ content: AdvertisingParameters.Content, connectable: Bool = false, _ extended: ExtendedAdvertising
        ) -> HostError.Code? {
            let outcome = Outcome<AdvertisementID>()
            script.engine.startAdvertising(
                AdvertisingParameters(content: content, isConnectable: connectable, extended: extended),
                now: script.now, completion: outcome.completion)
            return outcome.error?.code
        }
        let plain = ExtendedAdvertising()
        #expect(code(Self.raw(501), plain) == .invalidArgument)
        #expect(code(.raw(data: [1], scanResponse: [1]), plain) == .invalidArgument)
        #expect(code(.raw(data: [], scanResponse: [1]), connectable: true, plain) == .invalidArgument)
        #expect(code(Self.raw(1), connectable: true, ExtendedAdvertising(isAnonymous: true)) == .invalidArgument)
        #expect(code(Self.raw(1), ExtendedAdvertising(primaryPHY: .le2M)) == .invalidArgument)
        #expect(code(Self.raw(1), ExtendedAdvertising(secondaryPHY: .le2M)) == .unsupported)
        #expect(code(Self.raw(1), ExtendedAdvertising(setID: 16)) == .invalidArgument)
        #expect(code(Self.raw(1), ExtendedAdvertising(periodic: PeriodicAdvertising(data: []))) == .unsupported)
        #expect(script.count(.leSetExtendedAdvertisingParameters) == 0)
    }

    @Test func longDataGoInPartsAndAFailureCleansUp() {
        let script = Script.extended()
        let outcome = Outcome<AdvertisementID>()
        script.engine.startAdvertising(
            AdvertisingParameters(
                content: Self.raw(600), isConnectable: false, isScannable: false, extended: ExtendedAdvertising()),
            now: script.now, completion: outcome.completion)
        let parts = script.commands.filter { $0.opcode == .leSetExtendedAdvertisingData }.map(\.parameters)
        // Operation: first, intermediate, last.
        #expect(parts.map { $0[1] } == [1, 0, 2])
        #expect(parts.map { $0[3] } == [251, 251, 98])
        #expect(outcome.value != nil)
        script.statuses[.leSetExtendedAdvertisingEnable] = 0x0C
        let failing = Outcome<AdvertisementID>()
        script.engine.startAdvertising(Self.broadcast, now: script.now, completion: failing.completion)
        #expect(failing.error?.controller == 0x0C)
        #expect(script.commands.last?.opcode == .leRemoveAdvertisingSet)
    }

    @Test(arguments: [true, false])
    func h14_theEndOfASetMayComeBeforeOrBehindItsLink(isFirst: Bool) throws {
        let script = Script.extended()
        let outcome = Outcome<AdvertisementID>()
        script.engine.startAdvertising(
            AdvertisingParameters(content: .fields(name: "x", services: [])), now: script.now,
            completion: outcome.completion)
        _ = try #require(outcome.value)
        let handle = try #require(script.commands.last { $0.opcode == .leSetExtendedAdvertisingParameters })
            .parameters[0]
        let terminated: [UInt8] = [0x12, 0, handle, 0x40, 0, 0]
        if isFirst { script.event(0x3E, terminated) }
        script.connectionComplete(0x40)
        if !isFirst { script.event(0x3E, terminated) }
        #expect(script.opened == 1)
        #expect(script.engine.linkInfos.count == 1)
        let ended = script.events.count { if case .advertisingEnded(_, nil) = $0 { true } else { false } }
        #expect(ended == 1)
        // Once more, and for a set that there is not: nothing.
        script.event(0x3E, terminated)
        script.event(0x3E, [0x12, 0, 0xEF, 0x40, 0, 0])
        #expect(script.events.count { if case .advertisingEnded = $0 { true } else { false } } == 1)
        let again = Outcome<AdvertisementID>()
        script.engine.startAdvertising(
            AdvertisingParameters(content: .fields(name: "x", services: [])), now: script.now,
            completion: again.completion)
        #expect(again.value != nil)
    }

    @Test func privateAddressesOfAllSetsChangeTogether() throws {
        let rig = Rig()
        let sender = try rig.started(rotation: .seconds(60))
        let receiver = try rig.started()
        _ = try start(rig, sender, Self.broadcast)
        _ = try start(rig, sender, AdvertisingParameters(content: .raw(data: [2, 1, 6], scanResponse: [])))
        try scan(rig, receiver)
        rig.run(for: .seconds(10))
        let first = Set(found(receiver).compactMap(\.address))
        #expect(first.count == 1)
        #expect(first.first?.randomKind == .resolvablePrivate)
        receiver.events = []
        rig.run(for: .seconds(120))
        let later = found(receiver)
        #expect(later.allSatisfy { !first.contains($0.address ?? Script.peer) })
        for address in Set(later.compactMap(\.address)) {
            let kinds = Set(later.filter { $0.address == address }.map { $0.extended == nil })
            #expect(kinds == [true, false], "both sets use it")
        }
    }

    @Test func aControllerThatTellsTooMuchCanBeToldLegacyCommands() {
        var configuration = StackConfiguration(seed: 7)
        configuration.usesExtendedAdvertising = false
        let script = Script.extended(configuration)
        script.engine.startScan(ScanParameters(), now: script.now) { _ in }
        #expect(script.count(.leSetScanEnable) == 1)
        #expect(script.count(.leSetExtendedScanEnable) == 0)
    }
}
