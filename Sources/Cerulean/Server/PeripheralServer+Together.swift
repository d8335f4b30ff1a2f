// SPDX-License-Identifier: Apache-2.0

import CeruleanHost

extension PeripheralServer {
    /// Keeps new values of several characteristics and sends them to their subscribers; those who can take them get them in one
    /// packet. Otherwise as `update`, one value after the other.
    /// ```swift
    /// try await server.update([(acceleration, x), (rotation, y)])
    /// ```
    ///
    /// - Throws: ``BluetoothError`` with `timedOut`, `cancelled`, or `notFound` when a characteristic is not published.
    public func update(
        _ values: [(characteristic: LocalCharacteristic, value: [UInt8])], timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) {
        let core = core
        let values = values.map { ($0.characteristic, $0.value) }
        let taken: Int = try await awaitOperation(
            on: core.loop, timeout: timeout, describe: { "update of \(values.count) values" },
            start: { completion in
                core.assumeIsolated { completion($0.updateTogether(values)) }
                return nil
            })
        for (characteristic, value) in values.dropFirst(taken) {
            try await update(characteristic, to: value, timeout: timeout)
        }
    }
}

extension ServerCore {
    /// Sends as many values as there is room for, from the first on; none while others wait.
    fileprivate func updateTogether(_ values: [(LocalCharacteristic, [UInt8])]) -> Result<Int, HostError> {
        var updates: [AttributeUpdate] = []
        for (characteristic, value) in values {
            guard !isOver, let id = characteristic.id, attributes[id] != nil else {
                return .failure(HostError(.notFound, detail: "the characteristic is not published"))
            }
            guard value.count <= 512 else {
                return .failure(HostError(.invalidArgument, detail: "a value has at most 512 octets"))
            }
            updates.append(AttributeUpdate(id, value))
        }
        guard self.updates.isEmpty else { return .success(0) }
        let taken = host.assumeIsolated { $0.updateTogether(updates, for: .allSubscribers) }
        for (characteristic, value) in values.prefix(taken) { characteristic.store(value) }
        return .success(taken)
    }
}
