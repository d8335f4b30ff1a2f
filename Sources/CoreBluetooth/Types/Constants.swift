// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// MARK: Advertisement data

/// The advertised name: a `String`.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// Transmit power in dBm: an `NSNumber`.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// Advertised services: an array of `CBUUID`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// Data of services: a dictionary from `CBUUID` to `Data`.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// Data of a company: `Data` that begins with its number, least significant octet first.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// Services in the overflow area of Apple's devices. Never set on Linux.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// Whether a connection is invited: an `NSNumber`.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
/// Services that the device looks for: an array of `CBUUID`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"

// MARK: Options of central managers

/// Whether the system warns when Bluetooth is off. Ignored on Linux.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The name under which the manager's state is kept: a `String`.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Access to devices that play media. Ignored on Linux.
public let CBCentralManagerOptionDeviceAccessForMedia = "kCBInitOptionDeviceAccessForMedia"
/// Whether every advertisement is reported: an `NSNumber`.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// Devices that look for one of these services: an array of `CBUUID`.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"
/// Tell the user of the connection. Ignored on Linux.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// Tell the user of the disconnection. Ignored on Linux.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"
/// Tell the user of notifications. Ignored on Linux.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// Seconds to wait before connecting: an `NSNumber`.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// Use classic Bluetooth as well. Ignored on Linux.
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"
/// Only with Apple's notification service. Ignored on Linux.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"
/// Connect again by itself after a link was lost: an `NSNumber`.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"
/// Peripherals that were connected or wanted: an array of `CBPeripheral`.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// Services that were being scanned for: an array of `CBUUID`.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// The options of the scan: a dictionary.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"

// MARK: Options of peripheral managers

/// Whether the system warns when Bluetooth is off. Ignored on Linux.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The name under which the manager's state is kept: a `String`.
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Services that were published: an array of `CBMutableService`.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// What was being advertised: a dictionary.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"

// MARK: Descriptors and other attributes

/// Extended properties.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// A text that describes the characteristic.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// Whether the client is subscribed.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// Whether the server broadcasts.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// The format of the value.
public let CBUUIDCharacteristicFormatString = "2904"
/// The formats of a value of several parts.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
/// The range of the value.
public let CBUUIDCharacteristicValidRangeString = "2906"
/// When the characteristic is observed.
public let CBUUIDCharacteristicObservationScheduleString = "2910"
/// A characteristic that tells the number of an L2CAP listener.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"
/// Generic Access.
public let CBUUIDGenericAccessProfileString = "1800"
/// Generic Attribute.
public let CBUUIDGenericAttributeProfileString = "1801"
/// The device's name.
public let CBUUIDDeviceNameString = "2A00"
/// What the device looks like.
public let CBUUIDAppearanceString = "2A01"
/// Whether the device hides its address.
public let CBUUIDPeripheralPrivacyFlagString = "2A02"
/// The address for connecting again.
public let CBUUIDReconnectionAddressString = "2A03"
/// The connection parameters that the device likes.
public let CBUUIDPeripheralPreferredConnectionParametersString = "2A04"
/// Says that services changed.
public let CBUUIDServiceChangedString = "2A05"
