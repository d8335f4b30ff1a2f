// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

extension PeripheralServer {
    /// What is published, in the order of its publication.
    public func services() async -> [LocalService] { await core.publishedServices.map(\.service) }

    /// The published services of a type.
    public func services(_ uuid: BluetoothUUID) async -> [LocalService] {
        await services().filter { $0.uuid == uuid }
    }

    /// The published characteristics of a type, in services of a type or in all.
    public func characteristics(
        _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil
    ) async -> [LocalCharacteristic] {
        await services().filter { service == nil || $0.uuid == service }.flatMap(\.characteristics)
            .filter { $0.uuid == uuid }
    }
}
