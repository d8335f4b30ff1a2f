// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost

extension Peripheral {
    /// The length of value that moves the most data over the present link, such as 244 or 495 octets; 20 when not connected. See
    /// `LinkInfo/bestValueLength`.
    public var bestValueLength: Int { record.link?.bestValueLength ?? 20 }

    /// Follows the link: as it is now, then each change of MTU, parameters, radio mode, packet length and security. Nil stands
    /// for no link. Any number of listeners.
    /// ```swift
    /// for await link in peripheral.linkUpdates() { print(link?.phy?.transmit ?? .le1M, link?.bestValueLength ?? 0) }
    /// ```
    public func linkUpdates() -> Updates<LinkInfo?> { record.linkChanges.listen() }

    /// Asks for other radio modes.
    ///
    /// - Returns: What is in force afterwards; the peer may have decided.
    /// - Throws: ``BluetoothError``, with `unsupported` where controller or engine cannot.
    @discardableResult
    public func setPHY(
        _ request: PHYRequest, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> LinkPHY {
        try await onLink(
            { "changing the radio mode" },
            start: { host, link, completion in
                host.setPHY(request, on: link, timeout: timeout, completion: completion)
            })
    }

    /// Asks for packets of up to `octets` octets, 27 to 251, on the link layer. What comes of it is told by ``linkUpdates()``.
    ///
    /// - Throws: ``BluetoothError``, with `unsupported` where controller or engine cannot.
    public func setDataLength(_ octets: Int, timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        let _: Void = try await onLink(
            { "changing the packet length" },
            start: { host, link, completion in
                host.setDataLength(octets, on: link, timeout: timeout, completion: completion)
            })
    }
}
