// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension PeripheralServer {
    /// Advertises a beacon frame: nobody can connect, nothing can be asked for.
    ///
    /// - Throws: ``BluetoothError`` with `invalidArgument` for values that the format cannot hold, `unsupported` where the
    ///   engine cannot send raw advertisements.
    @discardableResult
    public func advertise(
        _ beacon: some AdvertisableBeacon, interval: Duration = .milliseconds(100), timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> RunningAdvertisement {
        let data: [UInt8]
        do {
            data = try beacon.advertisement()
        } catch {
            throw BluetoothError(.invalidArgument, "advertising \(beacon.kind)", detail: error.description)
        }
        return try await advertise(
            AdvertisingParameters(
                content: .raw(data: data, scanResponse: []), isConnectable: false, isScannable: false,
                interval: interval), timeout: timeout)
    }
}
