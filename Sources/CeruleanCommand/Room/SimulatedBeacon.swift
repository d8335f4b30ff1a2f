// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// A device that only advertises.
struct SimulatedBeacon: SimulatedDevice {
    var kind: String { "beacon" }
    var name: String
    /// What it advertises, at most 31 octets.
    var data: [UInt8]

    func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        let parameters = AdvertisingParameters(
            content: .raw(data: data, scanResponse: []), isConnectable: false, isScannable: false)
        try await advertise(parameters, of: [], on: server) {
            ready()
            while true { try await server.host.loop.sleep(for: .seconds(3600)) }
        }
    }

    /// An iBeacon, as its layout was published: company 004C, type 02, length 15 hexadecimal.
    static func iBeacon(
        _ uuid: BluetoothUUID, major: UInt16, minor: UInt16, measuredPower: Int8
    ) throws(WireError) -> Self {
        let numbers = [major, minor].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let content = [0x02, 0x15] + uuid.littleEndian128.reversed() + numbers + [UInt8(bitPattern: measuredPower)]
        let data = try AdvertisingData([.flags(.generalDiscoverable), .manufacturerData(company: 0x004C, content)])
        return Self(name: "iBeacon", data: try data.encoded())
    }

    /// An Eddystone-URL beacon: frame type 10 hexadecimal, power at 0 m, scheme 03 (`https://`), then the text.
    static func eddystone(host: String, power: Int8) throws(WireError) -> Self {
        let content = [0x10, UInt8(bitPattern: power), 0x03] + Array(host.utf8)
        let data = try AdvertisingData([
            .flags([.generalDiscoverable, .brEDRNotSupported]), .services([0xFEAA], width: .two, complete: true),
            .serviceData(0xFEAA, content),
        ])
        return Self(name: "Eddystone", data: try data.encoded())
    }
}
