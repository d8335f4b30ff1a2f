// SPDX-License-Identifier: Apache-2.0

import CeruleanHost

extension Peripheral {
    /// Reads several characteristics with as few requests as the peer can, each value whole and in the order asked for. One that
    /// cannot be read fails all.
    /// ```swift
    /// let values = try await peripheral.read([temperature, humidity, pressure])
    /// ```
    ///
    /// - Parameters:
    ///   - characteristics: What to read.
    ///   - lengths: How long the values are, where that is known: older peers know only that kind of request.
    ///   - timeout: For all together.
    /// - Throws: ``BluetoothError``, with `refused` or `insufficientSecurity` when the peer says no.
    public func read(
        _ characteristics: [Characteristic], lengths: [Int] = [], timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> [[UInt8]] {
        let attributes = characteristics.map(\.id)
        return try await onLink(
            { "read of \(attributes.count) values" },
            start: { host, link, completion in
                host.readMultiple(attributes, lengths: lengths, on: link, timeout: timeout, completion: completion)
            })
    }
}
