// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanStack
import CeruleanTransport
import CeruleanWire
import Dispatch
import Synchronization

/// The workloads through the asynchronous API: a host on a thread of its own, the consumer a task on another one.
enum APIWorkloads {
    /// Notifications of 20 octets, 64 per transport read.
    static func notify(_ operations: Int) -> Measurement {
        wait { transport, _, peripheral, characteristic in
            let notifications = try await peripheral.notifications(of: characteristic, capacity: 1 << 16)
            let counter = Counter()
            let start = ThreadLoop.now
            transport.feed(operations, counter: counter)
            let checker = Checker(size: 20)
            var iterator = notifications.makeAsyncIterator()
            while checker.count < operations, let notification = try await iterator.next() {
                checker.check(notification.value.span.bytes)
                if checker.count & 63 == 0 { counter.value.store(checker.count, ordering: .relaxed) }
            }
            return Measurement(
                nanoseconds: ThreadLoop.now.nanoseconds - start.nanoseconds,
                isRight: checker.isRight(operations) && notifications.droppedCount == 0)
        }
    }

    /// One awaited read of 20 octets after another, in a task of the process's pool: two threads wake each other up.
    static func readFromPool(_ operations: Int) -> Measurement {
        wait { _, _, peripheral, characteristic in try await read(operations, peripheral, characteristic) }
    }

    /// One awaited read of 20 octets after another, in a task on the adapter's own thread.
    static func read(_ operations: Int) -> Measurement {
        wait { _, central, peripheral, characteristic in
            try await withTaskExecutorPreference(central.taskExecutor) {
                try await read(operations, peripheral, characteristic)
            }
        }
    }

    private static func read(
        _ operations: Int, _ peripheral: Peripheral, _ characteristic: Characteristic
    ) async throws -> Measurement {
        var wrong = 0
        let expected = [UInt8](repeating: Checker.filling, count: 20)
        let start = ThreadLoop.now
        for _ in 0..<operations where try await peripheral.read(characteristic) != expected { wrong += 1 }
        return Measurement(nanoseconds: ThreadLoop.now.nanoseconds - start.nanoseconds, isRight: wrong == 0)
    }

    /// Connects, then runs `body` in a task while this thread waits for it.
    private static func wait(
        _ body: @escaping @Sendable (BenchTransport, Central, Peripheral, Characteristic) async throws -> Measurement
    ) -> Measurement {
        let done = DispatchSemaphore(value: 0)
        let box = Box()
        Task.detached {
            do {
                let transport = BenchTransport()
                let loop = try ThreadLoop(name: "bench")
                let host = StackHost(transport: transport, loop: loop, configuration: StackConfiguration(seed: 1))
                let central = try await Central(Adapter(name: "bench") { () throws(HostError) -> any Host in host })
                let address = DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000001), .random)
                let peripheral = try await central.connect(to: address)
                let characteristic = try await peripheral.findCharacteristic(0x2A37)
                let measurement = try await body(transport, central, peripheral, characteristic)
                box.value.withLock { $0 = measurement }
            } catch {
                print("failed: \(error)")
            }
            done.signal()
        }
        done.wait()
        return box.value.withLock { $0 }
    }

    private final class Box: Sendable {
        let value = Mutex(Measurement(nanoseconds: 0, isRight: false))
    }
}

/// How far the consumer is.
final class Counter: Sendable {
    let value = Atomic<Int>(0)
}

/// The remote side of the bench as a transport.
///
/// Its state is used on the loop alone, which the host guarantees for `open`, `send` and `close`, and `feed` by a job.
final class BenchTransport: HCITransport, @unchecked Sendable {
    let name = "bench"
    private let remote = Remote()
    private var loop: (any EventLoop)?
    private var receive: (@Sendable (RawSpan) -> Void)?
    private var isDelivering = false
    private var batch: PacketBuffer?
    private var stride = 0

    init() { remote.readValue = [UInt8](repeating: Checker.filling, count: 20) }

    func open(
        on loop: any EventLoop, receive: @escaping @Sendable (RawSpan) -> Void,
        closed: @escaping @Sendable (HostError) -> Void, opened: @escaping @Sendable (HostError?) -> Void
    ) {
        self.loop = loop
        self.receive = receive
        loop.execute { opened(nil) }
    }

    func send(_ packets: RawSpan) {
        remote.receive(packets)
        guard !isDelivering, !remote.outbox.isEmpty else { return }
        isDelivering = true
        loop?.execute { [self] in
            isDelivering = false
            var bytes: [UInt8] = []
            swap(&bytes, &remote.outbox)
            receive?(bytes.span.bytes)
        }
    }

    func close() { receive = nil }

    /// Sends numbered notifications, 64 in each read, as far ahead of the consumer as its queue goes.
    func feed(_ operations: Int, counter: Counter) {
        guard let loop else { return }
        let packet = Remote.packets(
            [0x1B, 3, 0] + [UInt8](repeating: Checker.filling, count: 20), handle: 1, part: 251)
        stride = packet.count
        batch = PacketBuffer([Array(repeating: packet, count: 64).flatMap { $0 }])
        loop.execute { [self] in step(0, operations, counter) }
    }

    private func step(_ sent: Int, _ operations: Int, _ counter: Counter) {
        var sent = sent
        if let batch, sent - counter.value.load(ordering: .relaxed) < 32_768 {
            let count = min(64, operations - sent)
            for index in 0..<count { batch.store(UInt64(sent + index), in: 0, at: index * stride + 12) }
            batch.with(0) { receive?($0.extracting(0..<count * stride)) }
            sent += count
        }
        guard sent < operations else { return }
        let next = sent
        loop?.execute { [self] in step(next, operations, counter) }
    }
}
