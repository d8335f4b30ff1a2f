// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import CeruleanWire

/// What a controller said of itself at start-up.
public struct ControllerInfo: Hashable, Sendable {
    /// Version of its HCI.
    public var version: HCI.Version
    /// Its maker; Assigned Numbers, 7.1.
    public var company: UInt16
    /// The revision of its HCI as its maker counts: often part of the version of its firmware.
    public var hciRevision: UInt16
    /// The revision of its link layer as its maker counts.
    public var linkRevision: UInt16
    /// Its public address, if it has one.
    public var publicAddress: BluetoothAddress?
    /// Its LE features.
    public var features: HCI.LEFeatures
    /// Octets of the longest ACL packet that it takes.
    public var aclLength: Int
    /// ACL packets that it can hold.
    public var aclCount: Int
}

extension StackEngine {
    /// What is known of the controller; nil while there is none.
    public var controllerInfo: ControllerInfo? {
        guard aclTotal > 0 else { return nil }
        let identification = startup.identification
        return ControllerInfo(
            version: startup.version, company: identification.company, hciRevision: identification.hciSubversion,
            linkRevision: identification.lmpSubversion, publicAddress: startup.publicAddress,
            features: startup.features, aclLength: aclLength, aclCount: aclTotal)
    }

    /// What hosts can do only with some controllers.
    var controllerCapabilities: HostCapabilities {
        var all: HostCapabilities = []
        let features = startup.features
        if startup.isExtended { all.insert(.extendedAdvertising) }
        if startup.isExtended, features.contains(.periodicAdvertising) { all.insert(.periodicAdvertising) }
        if !features.isDisjoint(with: [.le2M, .leCoded]) { all.insert(.controlsPHY) }
        if features.contains(.dataLengthExtension) { all.insert(.controlsDataLength) }
        return all
    }
}
