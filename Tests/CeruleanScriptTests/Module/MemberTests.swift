// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Every name of the module: those of its reference are there, and the declarations for TypeScript name what is there.
@Suite struct MemberTests {
    private static let setUp = """
        var BLE = require('com.logicallabs.bluetoothle'), T = BLE.types;
        var region = BLE.createBeaconRegion({ UUID: '8D1F2A60-4E1B-4F0B-9C1D-2B7E5A3C9F00', identifier: 'r', major: 0, minor: 0 });
        var objects = {
            BluetoothLE: BLE, BLEPeripheral: T.Peripheral.prototype, BLEService: T.Service.prototype,
            BLECharacteristic: T.Characteristic.prototype, BLEDescriptor: T.Descriptor.prototype, BLECentral: T.Central.prototype,
            BLERequest: T.Request.prototype, BLEBeaconRegion: region, BLEBeacon: new T.Beacon(['', 1, 2, 3, 4, 5]),
            TiBuffer: Ti.createBuffer()
        };
        function names(object) {
            var all = new Set();
            for (var at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
                Object.getOwnPropertyNames(at).forEach(function (name) {
                    if (name[0] !== '_' && name !== 'constructor' && name !== 'toString') { all.add(name); }
                });
            }
            return Array.from(all);
        }
        """

    /// The names of sections 2 to 6 of the reference.
    static let reference = """
        BluetoothLE: initCentralManager releaseCentralManager startScan stopScan connectPeripheral cancelPeripheralConnection \
        retrievePeripherals retrieveConnectedPeripherals killApp initPeripheralManager releasePeripheralManager addService \
        removeService removeAllServices startAdvertising stopAdvertising updateValue respondToRequest \
        setDesiredConnectionLatency createBeaconRegion startRegionMonitoring stopRegionMonitoring startRangingBeacons \
        stopRangingBeacons requestRegionState retrieveMonitoredRegions requestWhenInUseAuthorization \
        requestAlwaysAuthorization isSupported isEnabled enable disable isAdvertising restoredCentralManagerIdentifiers \
        restoredPeripheralManagerIdentifiers wasLocationLaunch locationManagerAuthorizationStatus \
        backgroundDataAuthorizationStatus centralManagerState peripheralManagerState addEventListener removeEventListener fireEvent
        BLEPeripheral: name UUID services RSSI isConnected state address discoverServices discoverIncludedServices \
        discoverCharacteristics discoverDescriptorsForCharacteristic readValueForCharacteristic subscribeToCharacteristic \
        unsubscribeFromCharacteristic writeValueForCharacteristic readValueForDescriptor writeValueForDescriptor readRSSI equals
        BLEService: UUID characteristics peripheral isPrimary includedServices isMutable
        BLECharacteristic: UUID properties value isNotifying subscribedCentrals service descriptors isBroadcasted permissions \
        isMutable equals
        BLEDescriptor: UUID characteristic value
        BLERequest: characteristic central offset
        BLECentral: UUID maximumUpdateValueLength
        BLEBeaconRegion: UUID identifier major minor
        BLEBeacon: UUID major minor RSSI accuracy proximity
        TiBuffer: length append insert copy clone fill clear release toString toBlob byteOrder
        """

    /// Constants and their values.
    static let constants: [(String, String)] = [
        ("CENTRAL_MANAGER_STATE_", "UNKNOWN=0 RESETTING=1 UNSUPPORTED=2 UNAUTHORIZED=3 POWERED_OFF=4 POWERED_ON=5"),
        ("PERIPHERAL_MANAGER_STATE_", "UNKNOWN=0 RESETTING=1 UNSUPPORTED=2 UNAUTHORIZED=3 POWERED_OFF=4 POWERED_ON=5"),
        ("PERIPHERAL_STATE_", "DISCONNECTED=0 CONNECTING=1 CONNECTED=2 DISCONNECTING=3"),
        (
            "CHAR_PROP_",
            """
            BROADCAST=1 READ=2 WRITE_WITHOUT_RESPONSE=4 WRITE=8 NOTIFY=16 INDICATE=32 AUTHENTICATED_SIGNED_WRITES=64 \
            EXTENDED_PROPERTIES=128 NOTIFY_ENCRYPTION_REQUIRED=256 INDICATE_ENCRYPTION_REQUIRED=512
            """
        ),
        ("CHAR_PERM_", "NONE=0 READABLE=1 WRITEABLE=2 READ_ENCRYPTION_REQUIRED=4 WRITE_ENCRYPTION_REQUIRED=8"),
        ("CHARACTERISTIC_TYPE_", "WRITE_WITH_RESPONSE=0 WRITE_WITHOUT_RESPONSE=1"),
        (
            "ATT_",
            """
            SUCCESS=0 INVALID_HANDLE=1 READ_NOT_PERMITTED=2 WRITE_NOT_PERMITTED_ERROR=3 INVALID_PDU=4 \
            INSUFFICIENT_AUTHENTICATION=5 REQUEST_NOT_SUPPORTED_ERROR=6 INVALID_OFFSET=7 INSUFFICIENT_AUTHORIZATION=8 \
            PREPARE_QUEUE_FULL=9 ATTRIBUTE_NOT_FOUND=10 ATTRIBUTE_NOT_LONG=11 INSUFFICIENT_ENCRYPTION_KEY_SIZE=12 \
            INVALID_ATTRIBUTE_VALUE_LENGTH=13 UNLIKELY_ERROR=14 INSUFFICIENT_ENCRYPTION=15 UNSUPPORTED_GROUP_TYPE=16 \
            INSUFFICIENT_RESOURCES=17
            """
        ),
        (
            "ADVERT_DATA_KEY_",
            """
            LOCAL_NAME=kCBAdvDataLocalName SERVICE_UUIDS=kCBAdvDataServiceUUIDs MANUFACTURER_DATA=kCBAdvDataManufacturerData \
            SERVICE_DATA=kCBAdvDataServiceData OVERFLOW_SERVICE_UUIDS=kCBAdvDataHashedServiceUUIDs \
            TX_POWER_LEVEL=kCBAdvDataTxPowerLevel IS_CONNECTABLE=kCBAdvDataIsConnectable \
            SOLICITED_SERVICE_UUIDS=kCBAdvDataSolicitedServiceUUIDs
            """
        ),
        ("REGION_STATE_", "UNKNOWN=0 INSIDE=1 OUTSIDE=2"),
        ("BEACON_PROXIMITY_", "UNKNOWN=0 IMMEDIATE=1 NEAR=2 FAR=3"),
        (
            "LOCATION_MANAGER_AUTHORIZATION_STATUS_",
            "NOT_DETERMINED=0 RESTRICTED=1 DENIED=2 AUTHORIZED=3 AUTHORIZED_ALWAYS=3 AUTHORIZED_WHEN_IN_USE=4"
        ),
        ("BACKGROUND_DATA_AUTHORIZATION_STATUS_", "NOT_DETERMINED=0 RESTRICTED=1 DENIED=2 AUTHORIZED=3"),
        ("PERIPHERAL_MANAGER_CONNECTION_LATENCY_", "LOW=0 MEDIUM=1 HIGH=2"),
    ]

    @Test func everyNameOfTheReferenceIsThere() async throws {
        var wanted: [String] = []
        for line in Self.reference.split(separator: "\n") {
            let parts = line.split(separator: ":")
            for name in parts[1].split(separator: " ") { wanted.append("\(parts[0]) \(name)") }
        }
        let list = wanted.map { "'\($0)'" }.joined(separator: ", ")
        let lines = try await ScriptStage.lines(
            Self.setUp + """

                [\(list)].forEach(function (entry) {
                    var parts = entry.split(' ');
                    if (!(parts[1] in objects[parts[0]])) { console.log('missing ' + entry); }
                });
                console.log('looked at ' + [\(list)].length);
                """)
        #expect(lines == ["looked at \(wanted.count)"])
    }

    @Test func everyConstantHasItsValue() async throws {
        let wanted = Self.constants.flatMap { family in
            family.1.split(separator: " ").map { pair -> (String, String) in
                let parts = pair.split(separator: "=")
                return (family.0 + parts[0], String(parts[1]))
            }
        }
        let names = wanted.map { "'\($0.0)'" }.joined(separator: ", ")
        let lines = try await ScriptStage.lines(
            Self.setUp + "\n[\(names)].forEach(function (name) { console.log(String(BLE[name])); });")
        #expect(lines.count == wanted.count)
        for (line, entry) in zip(lines, wanted) { #expect(line == entry.1, "\(entry.0)") }
    }

    @Test func theDeclarationsNameWhatIsThere() async throws {
        let text = try String(contentsOfFile: ScriptStage.examples + "/types/titanium.d.ts", encoding: .utf8)
        var declared: [String: Set<String>] = [:]
        var current: String?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("interface ") {
                current = line.dropFirst(10).split(whereSeparator: { !$0.isLetter }).first.map(String.init)
            } else if line.hasPrefix("}") {
                current = nil
            } else if let current, line.hasPrefix("    "), !line.hasPrefix("     ") {
                let plain = line.dropFirst(4).replacing("readonly ", with: "")
                let name = plain.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                if !name.isEmpty { declared[current, default: []].insert(String(name)) }
            }
        }
        let emitter = try #require(declared["TiEmitter"])
        let lines = try await ScriptStage.lines(
            Self.setUp + "\nfor (var key in objects) { console.log(key + ' ' + names(objects[key]).join(' ')); }")
        #expect(lines.count == 10)
        for line in lines {
            let parts = line.split(separator: " ").map(String.init)
            var wanted = try #require(declared[parts[0]]).union(emitter)
            // It is a property of each request, not of their class.
            if parts[0] == "BLERequest" { wanted.remove("value") }
            let there = Set(parts.dropFirst())
            #expect(wanted.subtracting(there).isEmpty, "\(parts[0]) declares what is not there")
            #expect(there.subtracting(wanted).isEmpty, "\(parts[0]) has what is not declared")
        }
    }
}
