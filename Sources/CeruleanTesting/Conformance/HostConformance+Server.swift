// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension HostConformance {
    /// What the host under test serves: one value that it keeps, one that is asked for, and one that notifies.
    static let served = ServiceDefinition(
        uuid: 0x180F,
        characteristics: [
            CharacteristicDefinition(
                uuid: 0x2A19, properties: [.read, .write], permissions: .readWrite, value: .stored([50])),
            CharacteristicDefinition(
                uuid: 0x2A1A, properties: [.read, .write], permissions: .readWrite, value: .dynamic),
            CharacteristicDefinition(uuid: 0x2A1B, properties: .notify, permissions: .readable, value: .dynamic),
        ])

    /// The other host as client of the host under test.
    struct Client: Sendable {
        let conformance: HostConformance
        let link: LinkID
        let characteristics: [CharacteristicInfo]
        let events: HostEvents
        let served: PublishedService
        let requests: HostEvents

        func read(_ index: Int) async -> Result<[UInt8], HostError> {
            await conformance.call(conformance.peer) { host, done in
                _ = host.read(
                    characteristics[index].id, on: link, timeout: HostConformance.patience, completion: done)
            }
        }

        func write(_ value: [UInt8], _ index: Int) async -> Result<Void, HostError> {
            await conformance.call(conformance.peer) { host, done in
                _ = host.write(
                    value, to: characteristics[index].id, mode: .withResponse, on: link,
                    timeout: HostConformance.patience, completion: done)
            }
        }

        func subscribe(_ mode: SubscriptionMode, _ index: Int) async -> Result<Void, HostError> {
            await conformance.call(conformance.peer) { host, done in
                _ = host.subscribe(
                    to: characteristics[index].id, mode: mode, on: link, timeout: HostConformance.patience,
                    completion: done)
            }
        }
    }

    private func serve() async throws -> Client {
        let requests = HostEvents()
        let published: Result<[PublishedService], HostError> = await call(subject) { host, done in
            host.addSink(requests)
            host.publish([Self.served], for: requests, completion: done)
        }
        let services = try published.get()
        try expect(services.count == 1 && services[0].characteristics.count == 3, "published \(services)")
        let parameters = AdvertisingParameters(content: .fields(name: nil, services: [0x180F]))
        let started: Result<AdvertisementID, HostError> = await call(subject) {
            $0.startAdvertising(parameters, completion: $1)
        }
        _ = try started.get()
        let events = HostEvents()
        let scan: Result<ScanID, HostError> = await call(peer) { host, done in
            host.addSink(events)
            host.startScan(ScanParameters(services: [0x180F]), completion: done)
        }
        _ = try scan.get()
        let found = await events.next { event in
            if case .advertisement(let advertisement, _) = event { advertisement.peer } else { nil }
        }
        let link: Result<LinkInfo, HostError> = await call(peer) { host, done in
            _ = host.connect(found, options: ConnectOptions(), timeout: Self.patience, completion: done)
        }
        let id = try link.get().id
        let list: Result<[ServiceInfo], HostError> = await call(peer) { host, done in
            _ = host.discoverServices([0x180F], on: id, timeout: Self.patience, completion: done)
        }
        guard let service = try list.get().first else { throw Failure(description: "the served service is not found") }
        let characteristics: Result<[CharacteristicInfo], HostError> = await call(peer) { host, done in
            _ = host.discoverCharacteristics(of: service.id, on: id, timeout: Self.patience, completion: done)
        }
        return Client(
            conformance: self, link: id, characteristics: try characteristics.get(), events: events,
            served: services[0], requests: requests)
    }

    func serves() async throws {
        guard await subject.capabilities.contains(.peripheral) else { return }
        let client = try await serve()
        let kept = try await client.read(0).get()
        try expect(kept == [50], "the kept value is \(kept)")
        try await client.write([51], 0).get()
        let (attribute, written) = await client.requests.next { event in
            if case .valueWritten(_, let attribute, let value) = event { (attribute, value) } else { nil }
        }
        try expect(
            attribute == client.served.characteristics[0].id && written == [51],
            "\(written) was written to \(attribute)")
        let changed = try await client.read(0).get()
        try expect(changed == [51], "the kept value is \(changed) after it was written")

        async let answer = client.read(1)
        let read = await batch(client)
        try expect(
            read.requests.count == 1 && read.requests[0].attribute == client.served.characteristics[1].id,
            "asked \(read)")
        try expect(read.requests[0].kind == .read(offset: 0), "a read is \(read.requests[0].kind)")
        await respond(read, .success(value: [1, 2, 3]))
        let answered = try await answer.get()
        try expect(answered == [1, 2, 3], "the answer came as \(answered)")

        async let refusal = client.write([9], 1)
        let write = await batch(client)
        try expect(write.requests[0].kind == .write(value: [9], offset: 0), "a write is \(write.requests[0].kind)")
        await respond(write, .failure(code: 0x08, index: 0))
        guard case .failure(let error) = await refusal else { throw Failure(description: "a refused write succeeded") }
        try expect(error.attribute == 0x08, "a refused write ended with \(error)")

        try await client.subscribe(.notifications, 2).get()
        let (which, mode) = await client.requests.next { event in
            if case .subscriptionChanged(_, let attribute, let mode) = event { (attribute, mode) } else { nil }
        }
        try expect(
            which == client.served.characteristics[2].id && mode == .notifications, "subscribed to \(which) as \(mode)")
        let sent = await update([7], client)
        try expect(sent, "a value found no room on an idle link")
        let arrived = await value(client)
        try expect(arrived == [7], "\(arrived) arrived")

        let withdrawn: Result<Void, HostError> = await call(subject) {
            $0.unpublish(client.served.id, completion: $1)
        }
        try withdrawn.get()
        let again: Result<Void, HostError> = await call(subject) { $0.unpublish(client.served.id, completion: $1) }
        try expect(code(again) == .notFound, "withdrawing twice ended with \(again)")
    }

    private func batch(_ client: Client) async -> RequestBatch {
        await client.requests.next { event in
            if case .requests(let batch) = event { batch } else { nil }
        }
    }

    private func respond(_ batch: RequestBatch, _ response: RequestResponse) async {
        let _: Result<Void, HostError> = await call(subject) { host, done in
            if let token = batch.token {
                host.respond(to: token, with: response)
                // The second answer does nothing.
                host.respond(to: token, with: .failure(code: 0x0E, index: 0))
            }
            done(.success(()))
        }
    }

    private func update(_ value: [UInt8], _ client: Client) async -> Bool {
        let attribute = client.served.characteristics[2].id
        let result: Result<Bool, HostError> = await call(subject) { host, done in
            done(.success(host.update(value, of: attribute, for: .allSubscribers)))
        }
        if case .success(let sent) = result { return sent }
        return false
    }

    private func value(_ client: Client) async -> [UInt8] {
        await client.events.next { event in
            if case .value(_, _, let value, _) = event { value } else { nil }
        }
    }

    func pushesBack() async throws {
        guard await subject.capabilities.contains(.peripheral) else { return }
        let client = try await serve()
        try await client.subscribe(.notifications, 2).get()
        let attribute = client.served.characteristics[2].id
        let filled: Result<Int, HostError> = await call(subject) { host, done in
            var count = 0
            while count < 100_000, host.update([UInt8(truncatingIfNeeded: count)], of: attribute, for: .allSubscribers)
            {
                count += 1
            }
            done(.success(count))
        }
        let count = try filled.get()
        try expect(count > 0 && count < 100_000, "\(count) values found room at once")
        _ = await client.requests.next { event in
            if case .readyToUpdate = event { true } else { nil }
        }
        let sent = await update([255], client)
        try expect(sent, "there is no room after all")
        for number in 0..<count {
            let arrived = await value(client)
            try expect(arrived == [UInt8(truncatingIfNeeded: number)], "\(arrived) came in place of \(number)")
        }
        let last = await value(client)
        try expect(last == [255], "\(last) came at the end")
    }

    func declines() async throws {
        let found = try await explore()
        let link = found.link.id
        let has = await subject.capabilities
        func check<Value>(_ capability: HostCapabilities, _ text: String, _ result: Result<Value, HostError>) throws {
            let isDeclined = code(result) == .unsupported
            if has.contains(capability) {
                try expect(!isDeclined, "\(text) is claimed and ends with unsupported")
            } else {
                try expect(isDeclined, "\(text) is not claimed and ends with \(result)")
            }
        }
        let parameters: Result<ConnectionParameters, HostError> = await call(subject) { host, done in
            _ = host.requestParameters(ConnectionParameterRequest(), on: link, timeout: Self.patience, completion: done)
        }
        try check(.controlsConnectionParameters, "a change of connection parameters", parameters)
        let control = try found.id(0x2A39)
        let reliable: Result<Void, HostError> = await call(subject) { host, done in
            _ = host.writeReliably([(control, [1])], on: link, timeout: Self.patience, completion: done)
        }
        try check(.reliableWrites, "a reliable write", reliable)
        let security: Result<SecurityLevel, HostError> = await call(subject) { host, done in
            _ = host.secure(link, options: PairingOptions(), timeout: Self.patience, completion: done)
        }
        try check(.controlsPairing, "pairing", security)
        let raw = AdvertisingParameters(content: .raw(data: [2, 1, 6], scanResponse: []))
        let advertisement: Result<AdvertisementID, HostError> = await call(subject) {
            $0.startAdvertising(raw, completion: $1)
        }
        try check(.rawAdvertising, "advertising octets", advertisement)
        try await declinesLinkControl(link, check)
        try await declinesChannels(link, check)
        let address = DeviceAddress(BluetoothAddress(rawValue: 0xC0DE_0000_0001), .random)
        let named = await subject.assumePeer(at: address)
        try expect(
            has.contains(.knowsAddresses) == (named != nil), "a peer at an address is \(String(describing: named))")
        try expect(
            has.contains(.knowsHandles) == (control.handle != nil),
            "the handle is \(String(describing: control.handle))")
        if !has.contains(.choosesIndications) {
            let chosen = await subscribe(try found.id(0x2A37), .indications, link)
            try expect(code(chosen) == .unsupported, "choosing indications ended with \(chosen)")
        }
    }

    private typealias Claim = (HostCapabilities, String, Result<Void, HostError>) throws -> Void

    private func declinesLinkControl(_ link: LinkID, _ check: Claim) async throws {
        let mode: Result<LinkPHY, HostError> = await call(subject) { host, done in
            _ = host.setPHY(
                PHYRequest(transmit: .le1M, receive: .le1M), on: link, timeout: Self.patience, completion: done)
        }
        try check(.controlsPHY, "a change of the radio mode", mode.map { _ in })
        let length: Result<Void, HostError> = await call(subject) { host, done in
            _ = host.setDataLength(251, on: link, timeout: Self.patience, completion: done)
        }
        try check(.controlsDataLength, "a change of the packet length", length)
    }

    private func declinesChannels(_ link: LinkID, _ check: Claim) async throws {
        let events = HostEvents()
        let listener: Result<UInt16, HostError> = await call(subject) { host, done in
            host.addSink(events)
            host.listen(to: nil, options: ChannelOptions(), for: events, completion: done)
        }
        try check(.l2capChannels, "listening for channels", listener.map { _ in })
        let opened: Result<[ChannelInfo], HostError> = await call(subject) { host, done in
            _ = host.openChannels(
                1, to: 0x99, on: link, options: ChannelOptions(), for: events, timeout: Self.patience,
                completion: done)
        }
        try check(.l2capChannels, "opening a channel", opened.map { _ in })
    }
}

extension Host {
    fileprivate func assumePeer(at address: DeviceAddress) -> PeerID? { peer(at: address) }
}
