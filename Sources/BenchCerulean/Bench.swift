// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanTransport
import CeruleanWire
import Glibc

/// What a workload measured.
struct Measurement {
    var nanoseconds: Int64
    /// Count and octets were what was sent, in order.
    var isRight: Bool
}

/// An engine with a remote side in the same thread, ready for a workload.
final class Bench {
    let engine: StackEngine
    let remote = Remote()
    private(set) var links: [LinkInfo] = []
    let now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var spare: [UInt8] = []

    init() {
        engine = StackEngine(configuration: StackConfiguration(seed: 1))
        engine.send = { [remote] in remote.receive($0) }
        engine.start(now: now, timeout: .seconds(5)) { _ in }
        exchange()
        precondition(engine.state == .poweredOn, "the engine did not start")
    }

    /// Hands the engine what the remote side said, until it says nothing more.
    func exchange() {
        while !remote.outbox.isEmpty {
            var bytes: [UInt8] = []
            swap(&bytes, &spare)
            swap(&bytes, &remote.outbox)
            engine.receive(bytes.span.bytes, now: now)
            bytes.removeAll(keepingCapacity: true)
            swap(&bytes, &spare)
        }
    }

    /// Opens links that we make, with an MTU of 517.
    func connect(_ count: Int) {
        for number in 0..<count {
            let address = DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000000 | UInt64(number + 1)), .random)
            _ = engine.connect(
                PeerID(address), options: ConnectOptions(), timeout: .seconds(5), now: now, completion: { _ in })
            exchange()
        }
        links = engine.linkInfos
        precondition(links.count == count && links.allSatisfy { $0.mtu == 517 }, "the links did not open")
    }

    /// Opens links that peers make.
    func accept(_ count: Int) {
        for number in 0..<count {
            remote.open(
                role: 1, addressKind: 1,
                [UInt8(truncatingIfNeeded: number + 1), UInt8(truncatingIfNeeded: (number + 1) >> 8), 0, 0, 0, 0xC0])
        }
        exchange()
        links = engine.linkInfos
        precondition(links.count == count, "the links did not open")
    }

    /// The characteristic of the remote database on each link.
    func characteristics() -> [AttributeID] {
        links.map { link in
            let box = Found()
            _ = engine.discoverServices([0x180D], on: link.id, timeout: .seconds(5), now: now) { result in
                box.service = (try? result.get())?.first?.id
            }
            exchange()
            guard let service = box.service else { preconditionFailure("no service was found") }
            _ = engine.discoverCharacteristics(of: service, on: link.id, timeout: .seconds(5), now: now) { result in
                box.characteristic = (try? result.get())?.first?.id
            }
            exchange()
            guard let characteristic = box.characteristic else { preconditionFailure("no characteristic was found") }
            return characteristic
        }
    }

    /// Filled and read on the one thread of the bench.
    private final class Found: @unchecked Sendable {
        var service: AttributeID?
        var characteristic: AttributeID?
    }
}

/// Nanoseconds that `body` took.
func measure(_ body: () -> Void) -> Int64 {
    let start = ThreadLoop.now
    body()
    return ThreadLoop.now.nanoseconds - start.nanoseconds
}

/// Packets of all links behind each other, to be changed in place and read without a copy.
final class PacketBuffer {
    private let storage: UnsafeMutableRawBufferPointer
    private let stride: Int

    init(_ packets: [[UInt8]]) {
        stride = packets[0].count
        storage = .allocate(byteCount: stride * packets.count, alignment: 16)
        for (index, packet) in packets.enumerated() {
            unsafe UnsafeMutableRawBufferPointer(rebasing: storage[index * stride..<(index + 1) * stride])
                .copyBytes(from: packet)
        }
    }

    deinit { storage.deallocate() }

    /// Writes a number into packet `index`.
    @inline(__always)
    func store(_ number: UInt64, in index: Int, at offset: Int) {
        unsafe storage.storeBytes(of: number, toByteOffset: index * stride + offset, as: UInt64.self)
    }

    /// Hands packet `index` to `body`.
    @inline(__always)
    func with(_ index: Int, _ body: (RawSpan) -> Void) {
        let part = unsafe UnsafeRawBufferPointer(rebasing: storage[index * stride..<(index + 1) * stride])
        unsafe body(RawSpan(_unsafeBytes: part))
    }
}

/// Compares what is delivered with what was sent: a running number, then one octet again and again.
final class Checker {
    static let filling: UInt8 = 0xA5
    @exclusivity(unchecked) var count = 0
    @exclusivity(unchecked) var wrong = 0
    let size: Int
    private let pattern: [UInt8]

    init(size: Int) {
        self.size = size
        pattern = [UInt8](repeating: Self.filling, count: size)
    }

    @inline(__always)
    func check(_ value: RawSpan) {
        defer { count += 1 }
        guard value.byteCount == size,
            unsafe value.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self) == UInt64(count)
        else {
            wrong += 1
            return
        }
        let isEqual = unsafe value.withUnsafeBytes { octets in
            pattern.withUnsafeBytes { unsafe memcmp(octets.baseAddress! + 8, $0.baseAddress!, size - 8) == 0 }
        }
        if !isEqual { wrong += 1 }
    }

    func isRight(_ expected: Int) -> Bool { count == expected && wrong == 0 }
}
