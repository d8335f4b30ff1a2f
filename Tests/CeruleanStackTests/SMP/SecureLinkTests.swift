// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire
import Testing

/// Two whole engines on the air: pairing, encryption, and what they mean for attributes.
@Suite struct SecureLinkTests {
    static let service = ServiceDefinition(
        uuid: 0xFFF0,
        characteristics: [
            CharacteristicDefinition(
                uuid: 0xFFF1, properties: [.read, .notify],
                permissions: AttributePermissions(read: .encrypted, write: nil), value: .stored([0x55])),
            CharacteristicDefinition(
                uuid: 0xFFF2, properties: .read,
                permissions: AttributePermissions(read: .authenticated, write: nil), value: .stored([0x66])),
        ])

    /// Says yes to everything that needs only that.
    private func agree(_ rig: Rig, _ node: Rig.Node, _ policy: PairingPolicy, asked: Sink) {
        node.engine.setPairing(policy, asking: asked)
        asked.react = { [unowned node, unowned rig] event in
            guard case .pairing(let link, .question(let question)) = event else { return }
            switch question {
            case .confirmJustWorks, .compareNumbers, .replaceBond:
                node.engine.answerPairing(.accept, on: link, now: rig.now)
            default: break
            }
        }
    }

    private func secure(
        _ rig: Rig, _ node: Rig.Node, _ link: LinkID, _ options: PairingOptions = PairingOptions()
    ) -> Result<SecurityLevel, HostError> {
        rig.result {
            _ = node.engine.secure(link, options: options, timeout: .seconds(30), now: rig.now, completion: $0)
        }
    }

    private func attribute(_ rig: Rig, _ node: Rig.Node, _ link: LinkID, _ type: BluetoothUUID) throws -> AttributeID {
        let services: [ServiceInfo] = try rig.wait {
            _ = node.engine.discoverServices([0xFFF0], on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        let found: [CharacteristicInfo] = try rig.wait {
            _ = node.engine.discoverCharacteristics(
                of: services[0].id, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        return try #require(found.first { $0.uuid == type }).id
    }

    private func read(_ rig: Rig, _ node: Rig.Node, _ link: LinkID, _ id: AttributeID) -> Result<[UInt8], HostError> {
        rig.result { _ = node.engine.read(id, on: link, timeout: .seconds(10), now: rig.now, completion: $0) }
    }

    private func connect(_ rig: Rig, _ central: Rig.Node, _ peripheral: Rig.Node) throws -> LinkID {
        _ = try rig.wait {
            peripheral.engine.startAdvertising(
                AdvertisingParameters(content: .fields(name: "peripheral", services: [])), now: rig.now, completion: $0)
        }
        let address = try #require(peripheral.engine.localAddress)
        let info: LinkInfo = try rig.wait {
            _ = central.engine.connect(
                PeerID(address), options: ConnectOptions(), timeout: .seconds(10), now: rig.now, completion: $0)
        }
        return info.id
    }

    private func disconnect(_ rig: Rig, _ node: Rig.Node, _ link: LinkID) throws {
        try rig.wait { node.engine.disconnect(link, force: true, now: rig.now, completion: $0) }
        rig.run(for: .seconds(1))
    }

    @Test func pairsAndReadsWhatNeedsEncryption() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected(services: [Self.service])
        let asked = Sink()
        agree(rig, peripheral, PairingPolicy(acceptsPairing: true), asked: asked)
        let id = try attribute(rig, central, link, 0xFFF1)
        #expect(read(rig, central, link, id).failure?.attribute == 0x05)
        #expect(try secure(rig, central, link).get() == .encrypted)
        #expect(try read(rig, central, link, id).get() == [0x55])
        #expect(central.links.first?.security == .encrypted)
        #expect(peripheral.links.first?.security == .encrypted)
        #expect(central.engine.bonds.count == 1 && peripheral.engine.bonds.count == 1)
        // The peer's database is no reason to pair with more protection than anybody can give.
        let strong = try attribute(rig, central, link, 0xFFF2)
        #expect(read(rig, central, link, strong).failure?.code == .insufficientSecurity)

        // Connected anew, encryption comes by itself, before anything is read.
        try disconnect(rig, central, link)
        let again = try connect(rig, central, peripheral)
        let same = try attribute(rig, central, again, 0xFFF1)
        #expect(try read(rig, central, again, same).get() == [0x55])
        #expect(peripheral.links.first?.security == .encrypted)
        #expect(asked.events.count { if case .pairing(_, .question) = $0 { true } else { false } } == 1)
    }

    @Test func raisesSecurityWhenThePeerAsksForItAndRepeatsTheRead() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected(services: [Self.service])
        let asked = [Sink(), Sink()]
        agree(rig, central, PairingPolicy(ioCapability: .displayYesNo), asked: asked[0])
        agree(rig, peripheral, PairingPolicy(ioCapability: .displayYesNo, acceptsPairing: true), asked: asked[1])
        let id = try attribute(rig, central, link, 0xFFF2)
        #expect(try read(rig, central, link, id).get() == [0x66])
        #expect(central.links.first?.security == .secureConnections)
        let digits = asked.map { sink in
            sink.events.compactMap {
                if case .pairing(_, .question(.compareNumbers(let digits))) = $0 { digits } else { nil }
            }
        }
        #expect(digits[0].count == 1 && digits[0] == digits[1])
    }

    @Test func raisingCanBeSwitchedOff() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected(services: [Self.service])
        agree(rig, peripheral, PairingPolicy(acceptsPairing: true), asked: Sink())
        let id = try attribute(rig, central, link, 0xFFF1)
        // Nobody was named who could be asked, so nothing is paired.
        #expect(read(rig, central, link, id).failure?.code == .insufficientSecurity)
        #expect(central.engine.bonds.isEmpty)
    }

    @Test func s18_aHostRefusesPairingThatNobodyAllowed() throws {
        let rig = Rig()
        let (central, link, _, _) = try rig.connected(services: [Self.service])
        let error = secure(rig, central, link).failure
        #expect(error?.code == .refused)
        #expect(error?.detail?.contains("pairing not supported") == true)
    }

    @Test func r1_aPeerThatLostItsKeyIsReportedAndNotPairedAgain() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected(services: [Self.service])
        let asked = Sink()
        agree(rig, peripheral, PairingPolicy(acceptsPairing: true), asked: asked)
        _ = try secure(rig, central, link).get()
        try disconnect(rig, central, link)
        let peer = try #require(peripheral.engine.bonds.first?.peer)
        #expect(peripheral.engine.unpair(peer, now: rig.now))
        central.events = []
        #expect(throws: HostError.self) { try connect(rig, central, peripheral) }
        rig.run(for: .seconds(3))
        let failures = central.events.compactMap { event -> HostError? in
            if case .pairing(_, .failed(let error)) = event { error } else { nil }
        }
        #expect(failures.map(\.controller) == [0x06])
        let reasons = central.events.compactMap { event -> HostError? in
            if case .linkClosed(_, let reason) = event { reason } else { nil }
        }
        #expect(reasons.map(\.code) == [.insufficientSecurity])
        #expect(reasons.map(\.controller) == [0x06])
        #expect(central.links.isEmpty)
        #expect(peripheral.engine.bonds.isEmpty)
    }

    @Test func r3_subscriptionsOfABondedClientHoldAgainOnceEncrypted() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected(services: [Self.service])
        agree(rig, peripheral, PairingPolicy(acceptsPairing: true), asked: Sink())
        _ = try secure(rig, central, link).get()
        let id = try attribute(rig, central, link, 0xFFF1)
        try rig.wait {
            _ = central.engine.subscribe(
                to: id, mode: .notifications, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        try disconnect(rig, central, link)
        peripheral.events = []
        central.events = []
        _ = try connect(rig, central, peripheral)
        rig.run(for: .seconds(2))
        let value = try #require(peripheral.published.first?.characteristics.first?.id)
        #expect(peripheral.engine.update([1, 2], of: value, for: .allSubscribers, now: rig.now))
        rig.run(for: .seconds(1))
        #expect(central.values == [[1, 2]])
        #expect(
            peripheral.events.contains {
                if case .subscriptionChanged(_, value, .notifications) = $0 { true } else { false }
            })
    }

    @Test func a10_subscriptionsOfOthersEndWithTheLink() throws {
        let rig = Rig()
        let service = ServiceDefinition(
            uuid: 0xFFF0,
            characteristics: [
                CharacteristicDefinition(
                    uuid: 0xFFF1, properties: [.read, .notify], permissions: .readable, value: .stored([0x55]))
            ])
        let (central, link, peripheral, _) = try rig.connected(services: [service])
        let id = try attribute(rig, central, link, 0xFFF1)
        try rig.wait {
            _ = central.engine.subscribe(
                to: id, mode: .notifications, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        try disconnect(rig, central, link)
        central.events = []
        _ = try connect(rig, central, peripheral)
        let value = try #require(peripheral.published.first?.characteristics.first?.id)
        _ = peripheral.engine.update([1, 2], of: value, for: .allSubscribers, now: rig.now)
        rig.run(for: .seconds(1))
        #expect(central.values.isEmpty)
    }

    @Test func aPeripheralAsksItsCentralToPair() throws {
        let rig = Rig()
        let (central, _, peripheral, peripheralLink) = try rig.connected()
        agree(rig, central, PairingPolicy(acceptsPairing: true), asked: Sink())
        #expect(try secure(rig, peripheral, peripheralLink).get() == .encrypted)
        #expect(central.engine.bonds.count == 1 && peripheral.engine.bonds.count == 1)
    }

    @Test func typesThePasskeyThatThePeerShows() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected()
        let (typist, display) = (Sink(), Sink())
        central.engine.setPairing(PairingPolicy(ioCapability: .keyboardOnly), asking: typist)
        peripheral.engine.setPairing(PairingPolicy(ioCapability: .displayOnly, acceptsPairing: true), asking: display)
        var level: Result<SecurityLevel, HostError>?
        nonisolated(unsafe) let box = Box()
        _ = central.engine.secure(
            link, options: PairingOptions(level: .authenticated), timeout: .seconds(30), now: rig.now
        ) { box.level = $0 }
        rig.run(for: .seconds(2))
        let shown = display.events.compactMap {
            if case .pairing(_, .question(.showPasskey(let digits))) = $0 { digits } else { nil }
        }
        let digits = try #require(shown.first)
        central.engine.answerPairing(.passkey(digits), on: link, now: rig.now)
        rig.run(for: .seconds(5))
        level = box.level
        #expect(try level?.get() == .secureConnections)
    }

    private final class Box { var level: Result<SecurityLevel, HostError>? }

    @Test func pairingEndsWithTheLink() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected()
        peripheral.engine.setPairing(
            PairingPolicy(ioCapability: .displayOnly, acceptsPairing: true), asking: Sink())
        central.engine.setPairing(PairingPolicy(ioCapability: .keyboardOnly), asking: Sink())
        nonisolated(unsafe) let box = Box()
        _ = central.engine.secure(link, options: PairingOptions(), timeout: .seconds(30), now: rig.now) {
            box.level = $0
        }
        rig.run(for: .seconds(1))
        #expect(box.level == nil)
        try disconnect(rig, central, link)
        #expect(box.level?.failure?.code == .disconnected)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
