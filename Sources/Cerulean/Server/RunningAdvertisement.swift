// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost

/// An advertisement of a ``PeripheralServer``. It goes on when this value is dropped.
public struct RunningAdvertisement: Sendable {
    let server: PeripheralServer
    let number: UInt64

    /// Ends it for good. Harmless when it has ended.
    public func stop() async { await server.core.stopAdvertising(number) }

    /// Changes what it sends, now and whenever it begins again.
    ///
    /// - Throws: ``BluetoothError`` with `notFound` when it has ended, `invalidArgument`, `timedOut` or `cancelled`.
    public func update(
        _ content: AdvertisingParameters.Content, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        try await update(.content(content), timeout: timeout)
    }

    /// Changes its periodic data, now and whenever it begins again.
    ///
    /// - Throws: ``BluetoothError`` with `notFound` when it has ended, `invalidArgument`, `wrongState` when it has none,
    ///   `timedOut` or `cancelled`.
    public func update(periodicData: [UInt8], timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        try await update(.periodicData(periodicData), timeout: timeout)
    }

    private func update(_ update: AdvertisingUpdate, timeout: Duration) async throws(BluetoothError) {
        let (core, number) = (server.core, number)
        let _: Void = try await awaitOperation(
            on: core.loop, timeout: timeout, describe: { "changing an advertisement" },
            start: { completion in
                core.assumeIsolated { $0.updateAdvertising(number, update, completion) }
                return nil
            })
    }
}

extension ServerCore {
    fileprivate func updateAdvertising(
        _ number: UInt64, _ update: AdvertisingUpdate, _ completion: @escaping HostCompletion<Void>
    ) {
        guard let advertisement = advertisements.first(where: { $0.number == number }) else {
            return completion(.failure(HostError(.notFound, detail: "the advertisement has ended")))
        }
        guard let id = advertisement.id else {
            // It waits to begin again.
            advertisement.parameters.apply(update)
            return completion(.success(()))
        }
        host.assumeIsolated { host in
            host.updateAdvertising(id, with: update) { [self] result in
                if case .success = result {
                    assumeIsolated { core in
                        core.advertisements.first { $0.number == number }?.parameters.apply(update)
                    }
                }
                completion(result)
            }
        }
    }
}

extension AdvertisingParameters {
    fileprivate mutating func apply(_ update: AdvertisingUpdate) {
        switch update {
        case .content(let new): content = new
        case .periodicData(let data): extended?.periodic?.data = data
        }
    }
}
