// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost

extension Peripheral {
    /// The host below: its loop is the clock of drivers.
    public var host: any Host { central.core.host }
}
