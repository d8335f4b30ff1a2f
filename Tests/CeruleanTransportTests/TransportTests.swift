// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanTransport
import CeruleanWire
import Glibc
import Synchronization
import Testing

/// Opens a transport and collects what it receives.
final class Receiver: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var wanted = 0
        var waiter: CheckedContinuation<[UInt8], Never>?
        var error: HostError?
        var closeWaiter: CheckedContinuation<HostError, Never>?
    }

    private let state = Mutex(State())

    func open(_ transport: any HCITransport, on loop: ThreadLoop) async -> HostError? {
        await withCheckedContinuation { continuation in
            transport.open(
                on: loop, receive: { [self] in add($0) }, closed: { [self] in close($0) },
                opened: { continuation.resume(returning: $0) })
        }
    }

    func next(_ count: Int) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.wanted = count
                state.waiter = continuation
            }
            check()
        }
    }

    func closed() async -> HostError {
        await withCheckedContinuation { continuation in
            let error = state.withLock { state in
                if state.error == nil { state.closeWaiter = continuation }
                return state.error
            }
            if let error { continuation.resume(returning: error) }
        }
    }

    private func add(_ span: RawSpan) {
        let bytes = span.array
        state.withLock { $0.bytes += bytes }
        check()
    }

    private func close(_ error: HostError) {
        let waiter = state.withLock { state in
            state.error = error
            defer { state.closeWaiter = nil }
            return state.closeWaiter
        }
        waiter?.resume(returning: error)
    }

    private func check() {
        let found = state.withLock { state -> (CheckedContinuation<[UInt8], Never>, [UInt8])? in
            guard let waiter = state.waiter, state.bytes.count >= state.wanted else { return nil }
            state.waiter = nil
            defer { state.bytes.removeFirst(state.wanted) }
            return (waiter, Array(state.bytes.prefix(state.wanted)))
        }
        if let (waiter, bytes) = found { waiter.resume(returning: bytes) }
    }
}

@Suite struct TransportTests {
    private func send(_ bytes: [UInt8], _ transport: any HCITransport, _ loop: ThreadLoop) {
        loop.execute { transport.send(bytes.span.bytes) }
    }

    @Test func aPairDeliversInOrderByAJob() async throws {
        let loop = try ThreadLoop()
        let (host, controller) = LocalTransport.pair(name: "virtual")
        let a = Receiver()
        let b = Receiver()
        #expect(await a.open(host, on: loop) == nil)
        #expect(await b.open(controller, on: loop) == nil)
        for number in UInt8(0)..<200 { send([number], host, loop) }
        #expect(await b.next(200) == Array(0..<200))
        send([9], controller, loop)
        #expect(await a.next(1) == [9])
        loop.execute { host.close() }
        #expect(await b.closed().code == .adapterFailed)
        loop.shutdown()
    }

    @Test func tcpCarriesOctetsBothWaysAndTellsTheEnd() async throws {
        let loop = try ThreadLoop()
        let accepted = Mutex<StreamTransport?>(nil)
        let far = Receiver()
        let near = Receiver()
        let server = try HCIServer(port: 0, on: loop) { transport in
            accepted.withLock { $0 = transport }
            transport.open(
                on: loop, receive: { bytes in transport.send(bytes) }, closed: { _ in }, opened: { _ in })
        }
        #expect(server.port > 0)
        let client = StreamTransport.tcp(host: "localhost", port: server.port)
        #expect(client.name == "tcp:localhost:\(server.port)")
        #expect(await near.open(client, on: loop) == nil)
        let sent = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        send(sent, client, loop)
        #expect(await near.next(200_000) == sent)
        loop.execute { accepted.withLock { $0 }?.close() }
        #expect(await near.closed().code == .adapterFailed)
        server.close()
        loop.shutdown()
        _ = far
    }

    @Test func aClosedPortIsNoAdapterAndSaysWhatToDo() async throws {
        let loop = try ThreadLoop()
        let server = try HCIServer(port: 0, on: loop) { _ in }
        let port = server.port
        server.close()
        let error = await Receiver().open(StreamTransport.tcp(host: "127.0.0.1", port: port), on: loop)
        #expect(error?.code == .noAdapter)
        #expect(error?.system == ECONNREFUSED)
        #expect(error?.operation == "opening tcp:127.0.0.1:\(port)")
        #expect(error?.detail?.contains("cerulean controller --listen") == true)
        loop.shutdown()
    }

    @Test func aNameWithoutAddressIsNoAdapter() async throws {
        let loop = try ThreadLoop()
        let error = await Receiver().open(StreamTransport.tcp(host: "no-such-host.invalid", port: 1), on: loop)
        #expect(error?.code == .noAdapter)
        loop.shutdown()
    }

    @Test func aUnixSocketCarriesOctets() async throws {
        let loop = try ThreadLoop()
        let path = "/tmp/cerulean-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).sock"
        let server = try HCIServer(path: path, on: loop) { transport in
            transport.open(on: loop, receive: { transport.send($0) }, closed: { _ in }, opened: { _ in })
        }
        let near = Receiver()
        let client = StreamTransport.unix(path: path)
        #expect(await near.open(client, on: loop) == nil)
        send([1, 3, 0x0C, 0], client, loop)
        #expect(await near.next(4) == [1, 3, 0x0C, 0])
        server.close()
        let error = await Receiver().open(StreamTransport.unix(path: path), on: loop)
        #expect(error?.code == .noAdapter)
        loop.shutdown()
    }

    @Test func aFileThatIsNoSocketStays() throws {
        let loop = try ThreadLoop()
        let path = "/tmp/cerulean-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).txt"
        let file = open(path, O_CREAT | O_WRONLY | O_EXCL, 0o600)
        try #require(file >= 0)
        close(file)
        let error = #expect(throws: HostError.self) { try HCIServer(path: path, on: loop) { _ in } }
        #expect(error?.code == .adapterBusy)
        #expect(access(path, F_OK) == 0)
        unlink(path)
        loop.shutdown()
    }

    @Test func connectionsAboveTheLimitAreClosedUntilOneEnds() async throws {
        let loop = try ThreadLoop()
        let server = try HCIServer(port: 0, on: loop) { transport in
            transport.open(on: loop, receive: { transport.send($0) }, closed: { _ in }, opened: { _ in })
        }
        func connect() async -> (StreamTransport, Receiver) {
            let client = StreamTransport.tcp(host: "127.0.0.1", port: server.port)
            let receiver = Receiver()
            #expect(await receiver.open(client, on: loop) == nil)
            return (client, receiver)
        }
        var clients: [(StreamTransport, Receiver)] = []
        for number in 0..<HCIServer.maximumConnections {
            clients.append(await connect())
            send([UInt8(number)], clients[number].0, loop)
            #expect(await clients[number].1.next(1) == [UInt8(number)])
        }
        let refused = await connect()
        #expect(await refused.1.closed().code == .adapterFailed)
        server.close()
        loop.execute { [clients] in for (client, _) in clients { client.close() } }
        loop.shutdown()
    }

    @Test func aPortInUseSaysSo() throws {
        let loop = try ThreadLoop()
        let first = try HCIServer(port: 0, on: loop) { _ in }
        let error = #expect(throws: HostError.self) { try HCIServer(port: first.port, on: loop) { _ in } }
        #expect(error?.code == .adapterBusy)
        first.close()
        loop.shutdown()
    }

    @Test func aUserChannelThatCannotBeOpenedSaysWhy() async throws {
        let loop = try ThreadLoop()
        let error = await Receiver().open(UserChannelTransport(index: 4_000), on: loop)
        let codes: [HostError.Code] = [.noAdapter, .unauthorized]
        #expect(codes.contains(error?.code ?? .badData))
        #expect(error?.operation == "opening hci:4000")
        #expect(error?.detail?.contains(";") == true, "the text says what to do: \(error?.detail ?? "")")
        loop.shutdown()
    }
}
