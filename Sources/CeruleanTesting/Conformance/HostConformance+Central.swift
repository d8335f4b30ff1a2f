// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Synchronization

extension HostConformance {
    func starts() async throws {
        try await start(subject)
        let events = await listen()
        let stopped: Result<Void, HostError> = await call(subject) { $0.stop(completion: $1) }
        try stopped.get()
        try expect(await subject.state == .poweredOff, "a stopped host is not powered off")
        let told = events.all.contains { if case .stateChanged(.poweredOff) = $0 { true } else { false } }
        try expect(told, "nobody was told that the host is off")
        let scan: Result<ScanID, HostError> = await call(subject) { $0.startScan(ScanParameters(), completion: $1) }
        try expect(code(scan) == .poweredOff, "a scan on a stopped host ended with \(scan)")
        try await start(subject)
        try expect(await subject.state == .poweredOn, "the host did not start again")
    }

    func scans() async throws {
        _ = try await offer(HostEvents())
        let events = await listen()
        let other: Result<ScanID, HostError> = await call(subject) {
            $0.startScan(ScanParameters(services: [0x180F]), completion: $1)
        }
        let unwanted = try other.get()
        let all: Result<ScanID, HostError> = await call(subject) {
            $0.startScan(ScanParameters(services: [0x180D], reportsDuplicates: true), completion: $1)
        }
        let wanted = try all.get()
        for _ in 0..<5 {
            let (advertisement, scans) = await events.next { event in
                if case .advertisement(let advertisement, let scans) = event { (advertisement, scans) } else { nil }
            }
            try expect(scans.contains(wanted), "a report is for nobody")
            try expect(!scans.contains(unwanted), "a device passed a filter for other services")
            try expect(advertisement.fields.services.contains(0x180D), "the services are not told")
            try expect(advertisement.isConnectable, "the device is called not connectable")
        }
        let known = await subject.knownPeers
        try expect(!known.isEmpty, "a device that was heard is not known")
        let subject = subject
        subject.loop.execute {
            subject.assumeIsolated { host in
                host.stopScan(wanted)
                host.stopScan(unwanted)
            }
        }
    }

    func connects() async throws {
        _ = try await offer(HostEvents())
        let events = await listen()
        let peer = try await find(events)
        let link = try await connect(peer)
        try expect(link.peer == peer, "the link is to another peer")
        try expect(link.role == .central, "the link has another role")
        try expect((23...517).contains(link.mtu), "the MTU is \(link.mtu)")
        let opened = events.all.contains { if case .linkOpened(let info) = $0 { info.id == link.id } else { false } }
        try expect(opened, "the connect ended before the link opened")
        let again = try await connect(peer)
        try expect(again.id == link.id, "a second connect made a second link")
        let links = await subject.links
        try expect(links.map(\.id) == [link.id], "the host has the links \(links)")
        try await disconnect(link.id)
        let still = await subject.links
        try expect(still.count == 1, "the first of two users ended the link")
        try await disconnect(link.id)
        let closed = events.all.contains { if case .linkClosed(let info, _) = $0 { info.id == link.id } else { false } }
        try expect(closed, "the disconnect ended before the link closed")
        let none = await subject.links
        try expect(none.isEmpty, "the link is still there")
        let late: Result<[ServiceInfo], HostError> = await call(subject) { host, done in
            _ = host.discoverServices(nil, on: link.id, timeout: Self.patience, completion: done)
        }
        try expect(code(late) == .disconnected, "an operation on a closed link ended with \(late)")
    }

    func givesUp() async throws {
        _ = try await offer(HostEvents())
        let events = await listen()
        let peer = try await find(events)
        // Switched off, it cannot be reached any more.
        let stopped: Result<Void, HostError> = await call(self.peer) { $0.stop(completion: $1) }
        try stopped.get()
        let timedOut: Result<LinkInfo, HostError> = await call(subject) { host, done in
            _ = host.connect(peer, options: ConnectOptions(), timeout: .seconds(3), completion: done)
        }
        try expect(code(timedOut) == .timedOut, "a hopeless connect ended with \(timedOut)")
        let cancelled: Result<LinkInfo, HostError> = await call(subject) { host, done in
            let operation = host.connect(peer, options: ConnectOptions(), timeout: Self.patience, completion: done)
            host.cancel(operation)
            // Once more does nothing.
            host.cancel(operation)
        }
        try expect(code(cancelled) == .cancelled, "a cancelled connect ended with \(cancelled)")
        let links = await subject.links
        try expect(links.isEmpty, "a link came up")
    }

    func discovers() async throws {
        let found = try await explore()
        try expect(found.service.uuid == 0x180D, "the service is \(found.service.uuid)")
        try expect(found.service.isPrimary, "the service is not primary")
        try expect(
            found.characteristics.map(\.uuid) == [0x2A29, 0x2A39, 0x2A37, 0x2A46], "found \(found.characteristics)")
        try expect(
            found.characteristics.map(\.properties)
                == [.read, [.read, .write, .writeWithoutResponse], .notify, .indicate],
            "the properties are \(found.characteristics.map(\.properties))")
        let first = found.characteristics[0].id
        let descriptors: Result<[DescriptorInfo], HostError> = await call(subject) { host, done in
            _ = host.discoverDescriptors(of: first, on: found.link.id, timeout: Self.patience, completion: done)
        }
        let list = try descriptors.get()
        try expect(list.map(\.uuid) == [0x2901], "found the descriptors \(list)")
        let text = try await read(list[0].id, found.link.id).get()
        try expect(text == Array("Maker".utf8), "the descriptor holds \(text)")
        let none: Result<[ServiceInfo], HostError> = await call(subject) { host, done in
            _ = host.discoverServices([0xFEED], on: found.link.id, timeout: Self.patience, completion: done)
        }
        try expect(try none.get().isEmpty, "a service was found that is not there")
        let includes: Result<[ServiceInfo], HostError> = await call(subject) { host, done in
            _ = host.discoverIncludedServices(
                of: found.service.id, on: found.link.id, timeout: Self.patience, completion: done)
        }
        try expect(try includes.get().isEmpty, "an included service was found that is not there")
    }

    func forgets() async throws {
        let found = try await explore()
        let old = try found.id(0x2A29)
        try await disconnect(found.link.id)
        try await advertiseAgain()
        let link = try await connect(found.peer)
        try expect(link.id != found.link.id, "a link's name is used again")
        let result = await read(old, link.id)
        try expect(code(result) == .staleAttribute, "a read of an attribute of an earlier link ended with \(result)")
    }

    /// A connection ends an advertisement of the whole host.
    private func advertiseAgain() async throws {
        let parameters = AdvertisingParameters(content: .fields(name: "Peer", services: [0x180D]))
        let _: Result<AdvertisementID, HostError> = await call(peer) { $0.startAdvertising(parameters, completion: $1) }
    }

    func reads() async throws {
        let found = try await explore()
        let link = found.link.id
        let maker = try await read(try found.id(0x2A29), link).get()
        try expect(maker == Array("Cerulean".utf8), "read \(maker)")
        let control = try found.id(0x2A39)
        for length in [0, 1, 20, 512] {
            let value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            try await write(value, control, .withResponse, link).get()
            let back = try await read(control, link).get()
            try expect(back == value, "\(length) octets came back as \(back.count)")
        }
        let refused = await write([1], try found.id(0x2A29), .withResponse, link)
        guard case .failure(let error) = refused else {
            throw Failure(description: "a write that is not permitted succeeded")
        }
        try expect(error.attribute == 0x03, "a write that is not permitted ended with \(error)")
        let rssi: Result<Int, HostError> = await call(subject) {
            _ = $0.readRSSI(link, timeout: Self.patience, completion: $1)
        }
        let strength = try rssi.get()
        try expect((-127...20).contains(strength), "the signal strength is \(strength)")
    }

    func writesWithoutResponse() async throws {
        let found = try await explore()
        let control = try found.id(0x2A39)
        for number in UInt8(0)..<100 { try await write([number], control, .withoutResponse, found.link.id).get() }
        for number in UInt8(0)..<100 {
            let value = await found.theirs.next { event in
                if case .valueWritten(_, _, let value) = event { value } else { nil }
            }
            try expect(value == [number], "\(value) came in place of \(number)")
        }
        let long = await write([UInt8](repeating: 0, count: 600), control, .withoutResponse, found.link.id)
        try expect(code(long) == .invalidArgument, "a long write without response ended with \(long)")
    }

    func subscribes() async throws {
        let found = try await explore()
        for (uuid, index, mode) in [
            (BluetoothUUID(0x2A37 as UInt16), 2, SubscriptionMode.notifications), (0x2A46, 3, .indications),
        ] {
            let attribute = try found.id(uuid)
            let offered = found.offered.characteristics[index].id
            try await subscribe(attribute, mode, found.link.id).get()
            for number in UInt8(0)..<10 { try await update([number], offered) }
            for number in UInt8(0)..<10 {
                let (which, value, how) = await found.events.next { event in
                    if case .value(_, let attribute, let value, let mode) = event {
                        (attribute, value, mode)
                    } else {
                        nil
                    }
                }
                try expect(which == attribute, "a value of another attribute came")
                try expect(value == [number], "\(value) came in place of \(number)")
                try expect(how == mode, "it came as \(how)")
            }
            try await subscribe(attribute, .off, found.link.id).get()
            let count = found.events.all.count
            try await update([99], offered)
            _ = await read(try found.id(0x2A29), found.link.id)
            let late = found.events.all.dropFirst(count).contains {
                if case .value(_, _, let value, _) = $0 { value == [99] } else { false }
            }
            try expect(!late, "a value came after unsubscribing")
        }
    }

    private func update(_ value: [UInt8], _ attribute: AttributeID) async throws {
        let sent: Result<Bool, HostError> = await call(peer) { host, done in
            done(.success(host.update(value, of: attribute, for: .allSubscribers)))
        }
        try expect(try sent.get(), "the peer could not send")
    }

    func endsPending() async throws {
        let found = try await explore()
        let link = found.link.id
        let control = try found.id(0x2A39)
        let (subject, peer) = (subject, peer)
        let box = Ends()
        subject.loop.execute {
            subject.assumeIsolated { host in
                for _ in 0..<5 {
                    _ = host.read(control, on: link, timeout: Self.patience) { box.note($0) }
                }
            }
        }
        // The other side leaves at once.
        peer.loop.execute {
            peer.assumeIsolated { host in
                for link in host.links { host.disconnect(link.id, force: true) { _ in } }
            }
        }
        let reason = await found.events.next { event in
            if case .linkClosed(_, let reason) = event { reason } else { nil }
        }
        let codes = box.codes
        try expect(codes.count == 5, "\(codes.count) of 5 operations had ended when the link closed")
        let failures = codes.compactMap(\.self)
        try expect(
            Set(failures).isSubset(of: [reason.code]), "they ended with \(failures), the link with \(reason.code)")
    }

    /// How operations ended, in order.
    private final class Ends: Sendable {
        private let list = Mutex<[HostError.Code?]>([])

        var codes: [HostError.Code?] { list.withLock { $0 } }

        func note<Value>(_ result: Result<Value, HostError>) {
            let code: HostError.Code? = if case .failure(let error) = result { error.code } else { nil }
            list.withLock { $0.append(code) }
        }
    }

    func tellsAllSinks() async throws {
        _ = try await offer(HostEvents())
        let first = await listen()
        let second = await listen()
        let third = HostEvents()
        let _: Result<Void, HostError> = await call(subject) { host, done in
            host.addSink(third)
            host.removeSink(third)
            done(.success(()))
        }
        let peer = try await find(first)
        let link = try await connect(peer)
        try await disconnect(link.id)
        func count(_ events: HostEvents) -> Int {
            events.all.reduce(0) { sum, event in
                switch event {
                case .linkOpened, .linkClosed: sum + 1
                default: sum
                }
            }
        }
        try expect(count(first) == 2, "a sink was told \(count(first)) events of links")
        try expect(count(second) == 2, "the other sink was told \(count(second))")
        try expect(third.all.isEmpty, "a sink that was removed is told of events")
    }
}
