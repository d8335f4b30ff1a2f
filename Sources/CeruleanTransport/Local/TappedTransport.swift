// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire
import Synchronization

/// Sees every HCI packet that goes over a transport, on its loop: whole H4 packets with their type octet.
public typealias HCITap = @Sendable (_ isReceived: Bool, _ packet: [UInt8]) -> Void

/// A transport that shows what it carries, for captures.
///
/// ```swift
/// let transport = TappedTransport(StreamTransport.tcp(host: "127.0.0.1", port: 6402)) { isReceived, packet in … }
/// ```
/// What is no H4 stream any more is carried but not shown.
public final class TappedTransport: HCITransport {
    private struct State: Sendable {
        var sent = H4Framer()
        var received = H4Framer()
    }

    private let base: any HCITransport
    private let tap: HCITap
    private let state = Mutex(State())

    /// Shows what `base` carries to `tap`.
    public init(_ base: any HCITransport, tap: @escaping HCITap) {
        self.base = base
        self.tap = tap
    }

    /// The name of the transport below.
    public var name: String { base.name }

    /// Connects; see the protocol for the order of the callbacks.
    public func open(
        on loop: any EventLoop, receive: @escaping @Sendable (RawSpan) -> Void,
        closed: @escaping @Sendable (HostError) -> Void, opened: @escaping @Sendable (HostError?) -> Void
    ) {
        state.withLock { $0 = State() }
        base.open(
            on: loop,
            receive: { [self] bytes in
                show(bytes.array, isReceived: true)
                receive(bytes)
            }, closed: closed, opened: opened)
    }

    /// Sends whole packets.
    public func send(_ packets: RawSpan) {
        show(packets.array, isReceived: false)
        base.send(packets)
    }

    /// Closes without a callback.
    public func close() { base.close() }

    private func show(_ bytes: [UInt8], isReceived: Bool) {
        let packets = state.withLock { state -> [[UInt8]] in
            var packets: [[UInt8]] = []
            let span = bytes.span.bytes
            // A stream that lost its frame throws; the host notices by itself.
            if isReceived {
                try? state.received.feed(span) { type, body in packets.append([type.rawValue] + body.array) }
            } else {
                try? state.sent.feed(span) { type, body in packets.append([type.rawValue] + body.array) }
            }
            return packets
        }
        for packet in packets { tap(isReceived, packet) }
    }
}
