// SPDX-License-Identifier: Apache-2.0

/// Whether a manager's adapter can be used. The order of the numbers means something: below `poweredOn` nothing is
/// connected, below `poweredOff` all peripherals have to be found again.
public enum CBManagerState: Int, Sendable {
    /// Not known yet.
    case unknown = 0
    /// It is being reset.
    case resetting = 1
    /// There is no Bluetooth Low Energy.
    case unsupported = 2
    /// The process may not use it.
    case unauthorized = 3
    /// It is switched off.
    case poweredOff = 4
    /// Ready.
    case poweredOn = 5
}

/// Whether the process may use Bluetooth.
public enum CBManagerAuthorization: Int, Sendable {
    /// Nobody was asked yet.
    case notDetermined = 0
    /// The user cannot allow it.
    case restricted = 1
    /// Forbidden.
    case denied = 2
    /// Allowed.
    case allowedAlways = 3
}

/// The state of a central manager, under its old name.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBCentralManagerState: Int, Sendable {
    /// Not known yet.
    case unknown = 0
    /// It is being reset.
    case resetting = 1
    /// There is no Bluetooth Low Energy.
    case unsupported = 2
    /// The process may not use it.
    case unauthorized = 3
    /// It is switched off.
    case poweredOff = 4
    /// Ready.
    case poweredOn = 5
}

/// The state of a peripheral manager, under its old name.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBPeripheralManagerState: Int, Sendable {
    /// Not known yet.
    case unknown = 0
    /// It is being reset.
    case resetting = 1
    /// There is no Bluetooth Low Energy.
    case unsupported = 2
    /// The process may not use it.
    case unauthorized = 3
    /// It is switched off.
    case poweredOff = 4
    /// Ready.
    case poweredOn = 5
}

/// Whether the process may share data in the background, under its old name.
@available(*, deprecated, renamed: "CBManagerAuthorization")
public enum CBPeripheralManagerAuthorizationStatus: Int, Sendable {
    /// Nobody was asked yet.
    case notDetermined = 0
    /// The user cannot allow it.
    case restricted = 1
    /// Forbidden.
    case denied = 2
    /// Allowed.
    case authorized = 3
}

/// How fast a link to a central should be.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
    /// Quick answers.
    case low = 0
    /// In between.
    case medium = 1
    /// Little power.
    case high = 2
}

/// Whether a peripheral is connected.
public enum CBPeripheralState: Int, Sendable {
    /// Not connected.
    case disconnected = 0
    /// A connection is wanted.
    case connecting = 1
    /// Connected.
    case connected = 2
    /// The connection is being ended.
    case disconnecting = 3
}

/// Whether the peer answers a write.
public enum CBCharacteristicWriteType: Int, Sendable {
    /// It does.
    case withResponse = 0
    /// It does not, and errors stay unknown.
    case withoutResponse = 1
}

/// What a peer did that ``CBCentralManager/registerForConnectionEvents(options:)`` asked for.
public enum CBConnectionEvent: Int, Sendable {
    /// It left the system.
    case peerDisconnected = 0
    /// It connected to the system.
    case peerConnected = 1
}

/// The number of an L2CAP channel's listener.
public typealias CBL2CAPPSM = UInt16
