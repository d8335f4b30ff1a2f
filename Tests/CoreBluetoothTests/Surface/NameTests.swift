// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import CoreBluetooth.CBATTRequest
import CoreBluetooth.CBAdvertisementData
import CoreBluetooth.CBAttribute
import CoreBluetooth.CBCentral
import CoreBluetooth.CBCentralManager
import CoreBluetooth.CBCentralManagerConstants
import CoreBluetooth.CBCharacteristic
import CoreBluetooth.CBDefines
import CoreBluetooth.CBDescriptor
import CoreBluetooth.CBError
import CoreBluetooth.CBL2CAPChannel
import CoreBluetooth.CBManager
import CoreBluetooth.CBPeer
import CoreBluetooth.CBPeripheral
import CoreBluetooth.CBPeripheralManager
import CoreBluetooth.CBPeripheralManagerConstants
import CoreBluetooth.CBService
import CoreBluetooth.CBUUID
import Testing

/// Every name of Apple's reference, with its shape: what does not resolve, or has another type, does not compile.
@Suite struct NameTests {
    typealias Central = CBCentralManager
    typealias Server = CBPeripheralManager

    @Test func classesHaveTheirMembers() {
        let properties: [AnyKeyPath] = [
            \CBManager.state, \CBPeer.identifier, \CBAttribute.uuid, \Central.delegate, \Central.isScanning,
            \CBPeripheral.delegate, \CBPeripheral.name, \CBPeripheral.state, \CBPeripheral.services,
            \CBPeripheral.canSendWriteWithoutResponse, \CBPeripheral.ancsAuthorized, \CBService.peripheral,
            \CBService.isPrimary, \CBService.includedServices, \CBService.characteristics,
            \CBMutableService.includedServices, \CBMutableService.characteristics, \CBCharacteristic.service,
            \CBCharacteristic.properties, \CBCharacteristic.value, \CBCharacteristic.descriptors,
            \CBCharacteristic.isNotifying, \CBMutableCharacteristic.permissions,
            \CBMutableCharacteristic.subscribedCentrals, \CBMutableCharacteristic.properties,
            \CBMutableCharacteristic.value, \CBMutableCharacteristic.descriptors, \CBDescriptor.characteristic,
            \CBDescriptor.value, \CBUUID.uuidString, \CBUUID.data, \CBCentral.maximumUpdateValueLength,
            \CBATTRequest.central, \CBATTRequest.characteristic, \CBATTRequest.offset, \CBATTRequest.value,
            \Server.delegate, \Server.isAdvertising, \CBL2CAPChannel.peer, \CBL2CAPChannel.inputStream,
            \CBL2CAPChannel.outputStream, \CBL2CAPChannel.psm,
        ]
        #expect(Set(properties).count == properties.count)
        let writable: [AnyKeyPath] = [
            \Central.delegate as ReferenceWritableKeyPath, \CBPeripheral.delegate as ReferenceWritableKeyPath,
            \Server.delegate as ReferenceWritableKeyPath, \CBATTRequest.value as ReferenceWritableKeyPath,
            \CBMutableService.characteristics as ReferenceWritableKeyPath,
            \CBMutableCharacteristic.value as ReferenceWritableKeyPath,
        ]
        #expect(writable.count == 6)
        #expect(CBManager.authorization == .allowedAlways)
    }

    @Test func methodsHaveTheirLabels() {
        _ = Central.supports(_:)
        _ = Central.retrievePeripherals(withIdentifiers:)
        _ = Central.retrieveConnectedPeripherals(withServices:)
        _ = Central.scanForPeripherals(withServices:options:)
        _ = Central.stopScan
        _ = Central.connect(_:options:)
        _ = Central.cancelPeripheralConnection(_:)
        _ = Central.registerForConnectionEvents(options:)
        _ = CBPeripheral.readRSSI
        _ = CBPeripheral.discoverServices(_:)
        _ = CBPeripheral.discoverIncludedServices(_:for:)
        _ = CBPeripheral.discoverCharacteristics(_:for:)
        _ = CBPeripheral.discoverDescriptors(for:)
        let readCharacteristic: (CBPeripheral) -> (CBCharacteristic) -> Void = CBPeripheral.readValue(for:)
        let readDescriptor: (CBPeripheral) -> (CBDescriptor) -> Void = CBPeripheral.readValue(for:)
        _ = (readCharacteristic, readDescriptor)
        _ = CBPeripheral.writeValue(_:for:type:)
        _ = CBPeripheral.writeValue(_:for:)
        _ = CBPeripheral.maximumWriteValueLength(for:)
        _ = CBPeripheral.setNotifyValue(_:for:)
        _ = CBPeripheral.openL2CAPChannel(_:)
        _ = Server.startAdvertising(_:)
        _ = Server.stopAdvertising
        _ = Server.setDesiredConnectionLatency(_:for:)
        _ = Server.add(_:)
        _ = Server.remove(_:)
        _ = Server.removeAllServices
        _ = Server.respond(to:withResult:)
        _ = Server.updateValue(_:for:onSubscribedCentrals:)
        _ = Server.publishL2CAPChannel(withEncryption:)
        _ = Server.unpublishL2CAPChannel(_:)
        let designated: ((any CBCentralManagerDelegate)?, dispatch_queue_t?, [String: Any]?) -> Central =
            Central.init(delegate:queue:options:)
        let short: ((any CBCentralManagerDelegate)?, dispatch_queue_t?) -> Central = Central.init(delegate:queue:)
        let server: ((any CBPeripheralManagerDelegate)?, dispatch_queue_t?, [String: Any]?) -> Server =
            Server.init(delegate:queue:options:)
        let shortServer: ((any CBPeripheralManagerDelegate)?, dispatch_queue_t?) -> Server =
            Server.init(delegate:queue:)
        let bare: (() -> Central, () -> Server, () -> CBUUID) = (Central.init, Server.init, CBUUID.init)
        _ = (designated, short, server, shortServer, bare)
    }

    @Test func enumsHaveTheirNumbers() {
        #expect(
            [CBManagerState.unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn].map(\.rawValue)
                == Array(0...5))
        #expect(
            [CBManagerAuthorization.notDetermined, .restricted, .denied, .allowedAlways].map(\.rawValue) == Array(0...3)
        )
        #expect(
            [CBPeripheralState.disconnected, .connecting, .connected, .disconnecting].map(\.rawValue) == Array(0...3))
        #expect([CBCharacteristicWriteType.withResponse, .withoutResponse].map(\.rawValue) == [0, 1])
        #expect([CBConnectionEvent.peerDisconnected, .peerConnected].map(\.rawValue) == [0, 1])
        #expect([CBPeripheralManagerConnectionLatency.low, .medium, .high].map(\.rawValue) == [0, 1, 2])
        let properties: [CBCharacteristicProperties] = [
            .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .authenticatedSignedWrites,
            .extendedProperties, .notifyEncryptionRequired, .indicateEncryptionRequired,
        ]
        #expect(properties.map(\.rawValue) == [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200])
        let permissions: [CBAttributePermissions] = [
            .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
        ]
        #expect(permissions.map(\.rawValue) == [1, 2, 4, 8])
        #expect(CBCentralManager.Feature.extendedScanAndConnect.rawValue == 1)
        #expect(CBCentralManager.Feature.channelSounding.rawValue == 1 << 10)
        let options: [CBConnectionEventMatchingOption: Any] = [.serviceUUIDs: [CBUUID](), .peripheralUUIDs: [UUID]()]
        #expect(options.count == 2)
        let psm: CBL2CAPPSM = 0x80
        #expect(type(of: psm) == UInt16.self)
    }

    @Test func constantsHaveTheirTexts() {
        let texts = [
            CBAdvertisementDataLocalNameKey: "kCBAdvDataLocalName",
            CBAdvertisementDataTxPowerLevelKey: "kCBAdvDataTxPowerLevel",
            CBAdvertisementDataServiceUUIDsKey: "kCBAdvDataServiceUUIDs",
            CBAdvertisementDataServiceDataKey: "kCBAdvDataServiceData",
            CBAdvertisementDataManufacturerDataKey: "kCBAdvDataManufacturerData",
            CBAdvertisementDataOverflowServiceUUIDsKey: "kCBAdvDataHashedServiceUUIDs",
            CBAdvertisementDataIsConnectable: "kCBAdvDataIsConnectable",
            CBAdvertisementDataSolicitedServiceUUIDsKey: "kCBAdvDataSolicitedServiceUUIDs",
            CBCentralManagerOptionShowPowerAlertKey: "kCBInitOptionShowPowerAlert",
            CBCentralManagerOptionRestoreIdentifierKey: "kCBInitOptionRestoreIdentifier",
            CBCentralManagerOptionDeviceAccessForMedia: "kCBInitOptionDeviceAccessForMedia",
            CBCentralManagerScanOptionAllowDuplicatesKey: "kCBScanOptionAllowDuplicates",
            CBCentralManagerScanOptionSolicitedServiceUUIDsKey: "kCBScanOptionSolicitedServiceUUIDs",
            CBConnectPeripheralOptionNotifyOnConnectionKey: "kCBConnectOptionNotifyOnConnection",
            CBConnectPeripheralOptionNotifyOnDisconnectionKey: "kCBConnectOptionNotifyOnDisconnection",
            CBConnectPeripheralOptionNotifyOnNotificationKey: "kCBConnectOptionNotifyOnNotification",
            CBConnectPeripheralOptionStartDelayKey: "kCBConnectOptionStartDelay",
            CBCentralManagerRestoredStatePeripheralsKey: "kCBRestoredPeripherals",
            CBCentralManagerRestoredStateScanServicesKey: "kCBRestoredScanServices",
            CBCentralManagerRestoredStateScanOptionsKey: "kCBRestoredScanOptions",
            CBUUIDCharacteristicExtendedPropertiesString: "2900",
            CBUUIDCharacteristicUserDescriptionString: "2901",
            CBUUIDClientCharacteristicConfigurationString: "2902",
            CBUUIDServerCharacteristicConfigurationString: "2903",
            CBUUIDCharacteristicFormatString: "2904",
            CBUUIDCharacteristicAggregateFormatString: "2905",
            CBUUIDCharacteristicValidRangeString: "2906",
            CBUUIDCharacteristicObservationScheduleString: "2910",
            CBUUIDL2CAPPSMCharacteristicString: "ABDD3056-28FA-441D-A470-55A75A52553A",
            CBUUIDGenericAccessProfileString: "1800", CBUUIDGenericAttributeProfileString: "1801",
            CBUUIDDeviceNameString: "2A00", CBUUIDAppearanceString: "2A01", CBUUIDPeripheralPrivacyFlagString: "2A02",
            CBUUIDReconnectionAddressString: "2A03", CBUUIDPeripheralPreferredConnectionParametersString: "2A04",
            CBUUIDServiceChangedString: "2A05", CBErrorDomain: "CBErrorDomain", CBATTErrorDomain: "CBATTErrorDomain",
        ]
        for (constant, text) in texts { #expect(constant == text) }
        // Their texts are not known for certain.
        let others = [
            CBConnectPeripheralOptionEnableTransportBridgingKey, CBConnectPeripheralOptionRequiresANCS,
            CBConnectPeripheralOptionEnableAutoReconnect, CBPeripheralManagerOptionShowPowerAlertKey,
            CBPeripheralManagerOptionRestoreIdentifierKey, CBPeripheralManagerRestoredStateServicesKey,
            CBPeripheralManagerRestoredStateAdvertisementDataKey,
        ]
        #expect(Set(others).count == others.count)
    }

    @Test func foundationAndDispatchComeAlong() {
        let queue: dispatch_queue_t = DispatchQueue(label: "names")
        let now: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
        #expect(queue.label == "names")
        #expect(now > 700_000_000)
        #expect(NSEC_PER_SEC == 1_000_000_000)
    }
}
