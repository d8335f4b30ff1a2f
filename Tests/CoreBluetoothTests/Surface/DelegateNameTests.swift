// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Testing

/// Every method of the delegates, every code of the errors and every initializer of Apple's reference: what does not
/// resolve, or has other labels, does not compile.
@Suite struct DelegateNameTests {
    final class Nobody: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, CBPeripheralManagerDelegate {
        func centralManagerDidUpdateState(_ central: CBCentralManager) {}
        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
    }

    /// All but the first methods of the managers' delegates can be left out.
    @Test func delegatesOfCentralManagersHaveTheirMethods() {
        func names<D: CBCentralManagerDelegate & SendableMetatype>(_: D.Type) -> Int {
            let state: (D) -> (CBCentralManager) -> Void = D.centralManagerDidUpdateState(_:)
            let restore: (D) -> (CBCentralManager, [String: Any]) -> Void = D.centralManager(_:willRestoreState:)
            let discover: (D) -> (CBCentralManager, CBPeripheral, [String: Any], NSNumber) -> Void =
                D.centralManager(_:didDiscover:advertisementData:rssi:)
            let connect: (D) -> (CBCentralManager, CBPeripheral) -> Void = D.centralManager(_:didConnect:)
            let fail: (D) -> (CBCentralManager, CBPeripheral, (any Error)?) -> Void =
                D.centralManager(_:didFailToConnect:error:)
            let short: (D) -> (CBCentralManager, CBPeripheral, (any Error)?) -> Void =
                D.centralManager(_:didDisconnectPeripheral:error:)
            let long: (D) -> (CBCentralManager, CBPeripheral, CFAbsoluteTime, Bool, (any Error)?) -> Void =
                D.centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)
            let event: (D) -> (CBCentralManager, CBConnectionEvent, CBPeripheral) -> Void =
                D.centralManager(_:connectionEventDidOccur:for:)
            let ancs: (D) -> (CBCentralManager, CBPeripheral) -> Void =
                D.centralManager(_:didUpdateANCSAuthorizationFor:)
            let all: [Any] = [state, restore, discover, connect, fail, short, long, event, ancs]
            return all.count
        }
        #expect(names(Nobody.self) == 9)
    }

    @Test func delegatesOfPeripheralsHaveTheirMethods() {
        func names<D: CBPeripheralDelegate & SendableMetatype>(_: D.Type) -> Int {
            typealias Ended<Object> = (D) -> (CBPeripheral, Object, (any Error)?) -> Void
            let name: (D) -> (CBPeripheral) -> Void = D.peripheralDidUpdateName(_:)
            let modified: (D) -> (CBPeripheral, [CBService]) -> Void = D.peripheral(_:didModifyServices:)
            let old: (D) -> (CBPeripheral, (any Error)?) -> Void = D.peripheralDidUpdateRSSI(_:error:)
            let rssi: Ended<NSNumber> = D.peripheral(_:didReadRSSI:error:)
            let services: (D) -> (CBPeripheral, (any Error)?) -> Void = D.peripheral(_:didDiscoverServices:)
            let included: Ended<CBService> = D.peripheral(_:didDiscoverIncludedServicesFor:error:)
            let characteristics: Ended<CBService> = D.peripheral(_:didDiscoverCharacteristicsFor:error:)
            let descriptors: Ended<CBCharacteristic> = D.peripheral(_:didDiscoverDescriptorsFor:error:)
            let value: Ended<CBCharacteristic> = D.peripheral(_:didUpdateValueFor:error:)
            let descriptor: Ended<CBDescriptor> = D.peripheral(_:didUpdateValueFor:error:)
            let write: Ended<CBCharacteristic> = D.peripheral(_:didWriteValueFor:error:)
            let writeDescriptor: Ended<CBDescriptor> = D.peripheral(_:didWriteValueFor:error:)
            let notify: Ended<CBCharacteristic> = D.peripheral(_:didUpdateNotificationStateFor:error:)
            let ready: (D) -> (CBPeripheral) -> Void = D.peripheralIsReady(toSendWriteWithoutResponse:)
            let channel: Ended<CBL2CAPChannel?> = D.peripheral(_:didOpen:error:)
            let all: [Any] = [
                name, modified, old, rssi, services, included, characteristics, descriptors, value, descriptor, write,
                writeDescriptor, notify, ready, channel,
            ]
            return all.count
        }
        #expect(names(Nobody.self) == 15)
    }

    @Test func delegatesOfPeripheralManagersHaveTheirMethods() {
        func names<D: CBPeripheralManagerDelegate & SendableMetatype>(_: D.Type) -> Int {
            typealias M = CBPeripheralManager
            let state: (D) -> (M) -> Void = D.peripheralManagerDidUpdateState(_:)
            let restore: (D) -> (M, [String: Any]) -> Void = D.peripheralManager(_:willRestoreState:)
            let advertise: (D) -> (M, (any Error)?) -> Void = D.peripheralManagerDidStartAdvertising(_:error:)
            let add: (D) -> (M, CBService, (any Error)?) -> Void = D.peripheralManager(_:didAdd:error:)
            let subscribe: (D) -> (M, CBCentral, CBCharacteristic) -> Void =
                D.peripheralManager(_:central:didSubscribeTo:)
            let unsubscribe: (D) -> (M, CBCentral, CBCharacteristic) -> Void =
                D.peripheralManager(_:central:didUnsubscribeFrom:)
            let read: (D) -> (M, CBATTRequest) -> Void = D.peripheralManager(_:didReceiveRead:)
            let write: (D) -> (M, [CBATTRequest]) -> Void = D.peripheralManager(_:didReceiveWrite:)
            let ready: (D) -> (M) -> Void = D.peripheralManagerIsReady(toUpdateSubscribers:)
            let publish: (D) -> (M, CBL2CAPPSM, (any Error)?) -> Void =
                D.peripheralManager(_:didPublishL2CAPChannel:error:)
            let unpublish: (D) -> (M, CBL2CAPPSM, (any Error)?) -> Void =
                D.peripheralManager(_:didUnpublishL2CAPChannel:error:)
            let open: (D) -> (M, CBL2CAPChannel?, (any Error)?) -> Void = D.peripheralManager(_:didOpen:error:)
            let all: [Any] = [
                state, restore, advertise, add, subscribe, unsubscribe, read, write, ready, publish, unpublish, open,
            ]
            return all.count
        }
        #expect(names(Nobody.self) == 12)
    }

    @Test func objectsAreMadeAsOnApplesSystems() throws {
        let uuid = try #require(UUID(uuidString: "0000180D-0000-1000-8000-00805F9B34FB"))
        let uuids = [CBUUID(string: "180D"), CBUUID(data: Data([0x18, 0x0D])), CBUUID(nsuuid: uuid)]
        #expect(Set(uuids).count == 1)
        let service = CBMutableService(type: uuids[0], primary: false)
        #expect(!service.isPrimary)
        #expect(service.peripheral == nil)
        #expect(service.characteristics == nil)
        #expect(service.includedServices == nil)
        let characteristic = CBMutableCharacteristic(
            type: uuids[0], properties: [.read], value: Data([1]), permissions: [.readable])
        #expect(characteristic.permissions == .readable)
        #expect(characteristic.subscribedCentrals == [])
        service.characteristics = [characteristic]
        #expect(characteristic.service === service)
        let descriptor = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Rate")
        #expect(descriptor.value as? String == "Rate")
        characteristic.descriptors = [descriptor]
        #expect(descriptor.characteristic === characteristic)
        let channel = CBL2CAPChannel()
        #expect(channel.psm == 0)
        #expect(uuids[0].copy() as? CBUUID == uuids[0])
        let classes: [NSObject.Type] = [
            CBManager.self, CBPeer.self, CBAttribute.self, CBCentralManager.self, CBPeripheral.self, CBService.self,
            CBMutableService.self, CBCharacteristic.self, CBMutableCharacteristic.self, CBDescriptor.self,
            CBMutableDescriptor.self, CBUUID.self, CBCentral.self, CBATTRequest.self, CBPeripheralManager.self,
            CBL2CAPChannel.self,
        ]
        #expect(classes.filter { $0 is CBManager.Type }.count == 3)
        #expect(classes.filter { $0 is CBPeer.Type }.count == 3)
        #expect(classes.filter { $0 is CBAttribute.Type }.count == 7)
    }

    /// As they are matched: `catch CBError.x`.
    @Test func errorsHaveTheirNames() {
        let codes = [
            CBError.unknown, CBError.invalidParameters, CBError.invalidHandle, CBError.notConnected,
            CBError.outOfSpace, CBError.operationCancelled, CBError.connectionTimeout, CBError.peripheralDisconnected,
            CBError.uuidNotAllowed, CBError.alreadyAdvertising, CBError.connectionFailed,
            CBError.connectionLimitReached, CBError.unknownDevice, CBError.operationNotSupported,
            CBError.peerRemovedPairingInformation, CBError.encryptionTimedOut, CBError.tooManyLEPairedDevices,
            CBError.leGattExceededBackgroundNotificationLimit, CBError.leGattNearBackgroundNotificationLimit,
            CBError.channelSoundingConfigurationFailed, CBError.channelSoundingProcedureFailed,
        ]
        #expect(codes.map(\.rawValue) == Array(0...20))
        let answers = [
            CBATTError.success, CBATTError.invalidHandle, CBATTError.readNotPermitted, CBATTError.writeNotPermitted,
            CBATTError.invalidPdu, CBATTError.insufficientAuthentication, CBATTError.requestNotSupported,
            CBATTError.invalidOffset, CBATTError.insufficientAuthorization, CBATTError.prepareQueueFull,
            CBATTError.attributeNotFound, CBATTError.attributeNotLong, CBATTError.insufficientEncryptionKeySize,
            CBATTError.invalidAttributeValueLength, CBATTError.unlikelyError, CBATTError.insufficientEncryption,
            CBATTError.unsupportedGroupType, CBATTError.insufficientResources,
        ]
        #expect(answers.map(\.rawValue) == Array(0...0x11))
        #expect(CBError.errorDomain == CBErrorDomain)
        #expect(CBATTError.errorDomain == CBATTErrorDomain)
        let error = CBError(.connectionTimeout, userInfo: [NSLocalizedDescriptionKey: "late"])
        #expect(error.errorCode == 6)
        #expect(error.errorUserInfo[NSLocalizedDescriptionKey] as? String == "late")
        #expect(error.localizedDescription == "late")
    }
}

/// Names that Apple has given up and that code still uses.
@available(*, deprecated)
private func deprecatedNumbers(_ peripheral: CBPeripheral?, _ characteristic: CBCharacteristic?) -> [Int] {
    let rssi: NSNumber?? = peripheral?.rssi
    let isBroadcasted: Bool? = characteristic?.isBroadcasted
    let authorization: (CBManager) -> CBManagerAuthorization = { $0.authorization }
    let status: CBPeripheralManagerAuthorizationStatus = CBPeripheralManager.authorizationStatus()
    _ = (rssi, isBroadcasted, authorization, status)
    let central: [CBCentralManagerState] = [
        .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn,
    ]
    let server: [CBPeripheralManagerState] = [
        .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn,
    ]
    let statuses: [CBPeripheralManagerAuthorizationStatus] = [.notDetermined, .restricted, .denied, .authorized]
    return central.map(\.rawValue) + server.map(\.rawValue) + statuses.map(\.rawValue)
        + [CBError.Code.unkownDevice.rawValue]
}

@Suite struct DeprecatedNameTests {
    @available(*, deprecated)
    @Test func deprecatedNamesHaveTheirNumbers() {
        #expect(deprecatedNumbers(nil, nil) == Array(0...5) + Array(0...5) + Array(0...3) + [12])
    }
}
