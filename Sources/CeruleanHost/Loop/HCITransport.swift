// SPDX-License-Identifier: Apache-2.0

/// Carries H4 bytes (Core 5.4, Vol 4, Part A) between a host and a controller.
///
/// All methods are called on the loop, and all callbacks come on it.
public protocol HCITransport: AnyObject, Sendable {
    /// What a person would call it, as an adapter string: `tcp:127.0.0.1:6402`, `hci:0`.
    var name: String { get }

    /// Connects. `opened` is called once, never inside this call; then `receive` for received bytes, cut anywhere, and
    /// `closed` at most once, after which nothing more is received. `closed` does not follow ``close()``.
    ///
    /// A transport can be opened again after it closed: that is a fresh stream.
    func open(
        on loop: any EventLoop,
        receive: @escaping @Sendable (RawSpan) -> Void,
        closed: @escaping @Sendable (HostError) -> Void,
        opened: @escaping @Sendable (HostError?) -> Void)

    /// Sends one or more whole H4 packets, in order. Never blocks: what cannot be written at once is queued, and a queue
    /// beyond 1 MiB closes the transport with an error (a controller that stopped reading).
    func send(_ packets: RawSpan)

    /// Closes without a callback. Harmless when closed already.
    func close()
}
