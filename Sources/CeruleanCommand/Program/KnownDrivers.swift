// SPDX-License-Identifier: Apache-2.0

import CeruleanBITalino
import CeruleanBlueST
import CeruleanSensing

/// The drivers that the program knows.
enum KnownDrivers {
    /// All of them.
    static let all = DriverRegistry([BITalinoDriver(), BlueSTDriver()])
}
