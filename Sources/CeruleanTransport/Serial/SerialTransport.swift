// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import Glibc
import Synchronization

/// H4 over a serial port: `serial:PATH[@BAUD]`. Core 5.4, Vol 4, Part A.
///
/// Eight data bits, no parity, one stop bit, flow control by RTS and CTS, as the specification wants. The port belongs to this
/// process alone while it is open. A port that is pulled out closes the transport; once it is there again it can be opened again.
/// ```swift
/// let transport = SerialTransport(path: "/dev/ttyACM0", baud: 1_000_000)
/// ```
public final class SerialTransport: HCITransport {
    private struct State {
        var stream: DescriptorStream?
        /// Tells the callbacks of an earlier opening apart.
        var opening: UInt64 = 0
    }

    /// The speed of a port whose speed is not given.
    public static let defaultBaud = 115_200
    /// The speeds that the system has.
    public static var bauds: [Int] { SerialPort.speeds.map(\.baud) }

    /// What a person would call it, as an adapter string.
    public let name: String
    /// The port's device file.
    public let path: String
    /// Bits each second.
    public let baud: Int
    private let state = Mutex(State())

    /// A port that is not open.
    ///
    /// - Parameters:
    ///   - path: the port's device file.
    ///   - baud: one of ``bauds``; others are refused when it is opened.
    public init(path: String, baud: Int = defaultBaud) {
        self.path = path
        self.baud = baud
        name = "serial:\(path)@\(baud)"
    }

    deinit { state.withLock { $0.stream }?.close() }

    /// Opens the port; see the protocol for the order of the callbacks.
    public func open(
        on loop: any EventLoop, receive: @escaping @Sendable (RawSpan) -> Void,
        closed: @escaping @Sendable (HostError) -> Void, opened: @escaping @Sendable (HostError?) -> Void
    ) {
        let current = state.withLock { state in
            state.opening &+= 1
            return state.opening
        }
        guard let threadLoop = loop as? ThreadLoop else {
            let error = HostError(
                .unsupported, "opening \(name)", detail: "serial ports need a loop with a thread of its own")
            return loop.execute { opened(error) }
        }
        threadLoop.execute { [self] in
            guard isCurrent(current) else { return }
            switch SerialPort.open(path, baud: baud, name: name) {
            case .failure(let error): opened(error)
            case .success(let descriptor):
                let stream = DescriptorStream(
                    descriptor, name: name, loop: threadLoop, isConnecting: false, receive: receive,
                    ended: { [self] error in
                        guard isCurrent(current) else { return }
                        state.withLock { $0.stream = nil }
                        closed(HostError(.adapterFailed, name, system: error.system, detail: "the port is gone"))
                    })
                let old = state.withLock { state in
                    defer { state.stream = stream }
                    return state.stream
                }
                old?.close()
                opened(nil)
            }
        }
    }

    /// Sends whole H4 packets, in order.
    public func send(_ packets: RawSpan) { state.withLock { $0.stream }?.send(packets) }

    /// Closes without a callback. Harmless when closed already.
    public func close() {
        let stream = state.withLock { state in
            state.opening &+= 1
            defer { state.stream = nil }
            return state.stream
        }
        stream?.close()
    }

    private func isCurrent(_ opening: UInt64) -> Bool { state.withLock { $0.opening == opening } }
}
