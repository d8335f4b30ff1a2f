// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire
import Glibc
import Synchronization

/// The Linux HCI user channel: a radio of this machine for one process alone.
///
/// It needs the right CAP_NET_ADMIN, an adapter that is switched off (`bluetoothctl power off`), and a kernel with
/// Bluetooth. While it is open the kernel and BlueZ do not use the adapter; closing gives it back.
public final class UserChannelTransport: HCITransport {
    private struct State {
        var stream: DescriptorStream?
        var opening: UInt64 = 0
    }

    /// What a person would call it, as an adapter string.
    public let name: String
    /// The adapter's number: 0 for `hci0`.
    public let index: UInt16
    private let state = Mutex(State())

    /// The adapter `hciINDEX`.
    public init(index: UInt16) {
        self.index = index
        name = "hci:\(index)"
    }

    deinit { state.withLock { $0.stream }?.close() }

    /// Connects; see the protocol for the order of the callbacks.
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
                .unsupported, "opening \(name)", detail: "sockets need a loop with a thread of its own")
            return loop.execute { opened(error) }
        }
        threadLoop.execute { [self] in
            guard state.withLock({ $0.opening == current }) else { return }
            switch Self.openSocket(index) {
            case .failure(let error): opened(error)
            case .success(let descriptor):
                let stream = DescriptorStream(
                    descriptor, name: name, loop: threadLoop, isConnecting: false, receive: receive,
                    ended: { [self] error in
                        guard state.withLock({ $0.opening == current }) else { return }
                        state.withLock { $0.stream = nil }
                        closed(error)
                    }, isPacketwise: true)
                state.withLock { $0.stream = stream }
                opened(nil)
            }
        }
    }

    /// The kernel takes one packet with each write.
    public func send(_ packets: RawSpan) {
        guard let stream = state.withLock({ $0.stream }) else { return }
        var position = 0
        while position < packets.byteCount {
            let type = H4.PacketType(rawValue: packets[position])
            guard let size = type.bodySize(of: packets, at: position + 1), position + 1 + size <= packets.byteCount
            else {
                return
            }
            stream.send(packets.extracting(position..<position + 1 + size))
            position += 1 + size
        }
    }

    /// Closes without a callback. Harmless when closed already.
    public func close() {
        let stream = state.withLock { state in
            state.opening &+= 1
            defer { state.stream = nil }
            return state.stream
        }
        stream?.close()
    }

    // MARK: -

    /// The lowest number of an adapter that can be opened now; throws why the best candidate cannot.
    public static func firstAvailable() throws(HostError) -> UInt16 {
        var reason: HostError?
        for index in UInt16(0)..<16 {
            switch openSocket(index) {
            case .success(let descriptor):
                Glibc.close(descriptor)
                return index
            case .failure(let error):
                if reason == nil || (reason?.code == .noAdapter && error.code != .noAdapter) { reason = error }
                // Without Bluetooth in the kernel, or without the right, no other number fares better.
                if error.system == EAFNOSUPPORT || error.system == EPERM { throw error }
            }
        }
        throw reason ?? HostError(.noAdapter, "opening hci", detail: "there is no Bluetooth adapter")
    }

    /// The address of the kernel's Bluetooth sockets.
    private struct Address: BitwiseCopyable {
        var family: UInt16
        var device: UInt16
        var channel: UInt16
    }

    private static let bluetooth: Int32 = 31
    private static let hciProtocol: Int32 = 1
    private static let userChannel: UInt16 = 1

    private static func openSocket(_ index: UInt16) -> Result<Int32, HostError> {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(bluetooth, type, hciProtocol)
        guard descriptor >= 0 else { return .failure(error(index, errno)) }
        var address = Address(family: UInt16(bluetooth), device: index, channel: userChannel)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard result == 0 else {
            let number = errno
            Glibc.close(descriptor)
            return .failure(error(index, number))
        }
        return .success(descriptor)
    }

    private static func error(_ index: UInt16, _ number: Int32) -> HostError {
        let hint: String? =
            switch number {
            case EBUSY:
                "hci\(index) is in use; switch it off first: bluetoothctl power off (or btmgmt -i \(index) power off)"
            case EPERM, EACCES: "run as root, or give the program the right: setcap cap_net_admin+ep PROGRAM"
            case ENODEV: "there is no hci\(index); see what there is: ls /sys/class/bluetooth"
            case EAFNOSUPPORT, EPROTONOSUPPORT: "this kernel has no Bluetooth; load it: modprobe bluetooth"
            case EINVAL: "this kernel has no HCI user channel (Linux 3.13 or later has)"
            case ERFKILL: "the radio is blocked: rfkill unblock bluetooth"
            default: nil
            }
        return SystemError.opening("hci:\(index)", number, hint: hint)
    }
}
