// SPDX-License-Identifier: Apache-2.0

import CeruleanBITalino
import CeruleanBlueST
import CeruleanRedBear
import CeruleanSensing
import CeruleanSensorTag

/// The drivers that the program knows.
enum KnownDrivers {
    /// What the file of `--catalog` tells of firmware.
    @TaskLocal static var catalog: FirmwareCatalog?

    /// All of them.
    static var all: DriverRegistry {
        catalog.map { registry(BlueSTDriver(catalog: $0)) } ?? usual
    }

    private static let usual = registry(BlueSTDriver())

    private static func registry(_ bluest: BlueSTDriver) -> DriverRegistry {
        DriverRegistry([
            BITalinoDriver(), bluest, RedBearDriver(), SensorTagDriver(), ProfileDriver.heartRate,
            ProfileDriver.standard,
        ])
    }

    /// Reads the file of `--catalog`, if there is one.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/badData``.
    static func catalog(of invocation: Invocation) throws(CommandError) -> FirmwareCatalog? {
        guard let path = invocation.value("catalog") else { return nil }
        let bytes = try TextFile.bytes(path, limit: 64 << 20)
        do {
            return try FirmwareCatalog(json: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw .badData("\(path): no firmware catalogue as ST publishes it")
        }
    }
}

extension OptionSpecification {
    /// A file that tells firmware of BlueST boards by number.
    static let catalog = value(
        "catalog", "FILE", "BlueST: names firmware, option bytes, more features and payloads; ST's catalogue as JSON")
}
