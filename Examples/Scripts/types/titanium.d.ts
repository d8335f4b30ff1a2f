// SPDX-License-Identifier: Apache-2.0
// What scripts find under `cerulean script`: the module com.logicallabs.bluetoothle, and the part of Titanium that is there.

interface TiEvent {
    type: string;
    source: any;
    bubbles: boolean;
    cancelBubble: boolean;
    [key: string]: any;
}

/** The keys of an event that tells of a failure; they are absent on success. */
interface BLEFailure {
    errorCode?: number;
    errorDomain?: string;
    errorDescription?: string;
}

interface TiEmitter {
    addEventListener(name: string, listener: (event: TiEvent & BLEFailure) => void): void;
    removeEventListener(name: string, listener: (event: any) => void): void;
    fireEvent(name: string, values?: object): void;
}

interface TiBuffer extends TiEmitter, Iterable<number> {
    [index: number]: number;
    length: number;
    byteOrder: number;
    append(source: TiBuffer, offset?: number, length?: number): number;
    insert(source: TiBuffer, at: number, offset?: number, length?: number): number;
    copy(source: TiBuffer, at: number, offset?: number, length?: number): number;
    clone(offset?: number, length?: number): TiBuffer;
    slice(start?: number, end?: number): TiBuffer;
    fill(byte: number, offset?: number, length?: number): void;
    clear(): void;
    release(): void;
    toBlob(): { length: number; size: number; mimeType: string; text: string };
    toJSON(): number[];
}

interface BLEPeripheral extends TiEmitter {
    readonly UUID: string;
    readonly identifier: string;
    readonly address: string;
    readonly name: string | undefined;
    readonly services: BLEService[];
    readonly state: number;
    readonly isConnected: boolean;
    readonly RSSI: number | undefined;
    equals(other: any): boolean;
    discoverServices(options?: { UUIDs?: string[]; timeout?: number }): Promise<BLEService[]>;
    discoverIncludedServices(options: { service: BLEService; UUIDs?: string[]; timeout?: number }): Promise<BLEService>;
    discoverCharacteristics(options: { service: BLEService; UUIDs?: string[]; timeout?: number }): Promise<BLEService>;
    discoverDescriptorsForCharacteristic(options: BLECharacteristic | { characteristic: BLECharacteristic; timeout?: number }): Promise<BLECharacteristic>;
    readValueForCharacteristic(options: BLECharacteristic | { characteristic: BLECharacteristic; timeout?: number }): Promise<TiBuffer>;
    subscribeToCharacteristic(options: BLECharacteristic | { characteristic: BLECharacteristic; timeout?: number }): Promise<BLECharacteristic>;
    unsubscribeFromCharacteristic(options: BLECharacteristic | { characteristic: BLECharacteristic; timeout?: number }): Promise<BLECharacteristic>;
    writeValueForCharacteristic(options: { characteristic: BLECharacteristic; data: TiBuffer; type?: number; timeout?: number }): Promise<any>;
    readValueForDescriptor(options: BLEDescriptor | { descriptor: BLEDescriptor; timeout?: number }): Promise<any>;
    writeValueForDescriptor(options: { descriptor: BLEDescriptor; data: TiBuffer; timeout?: number }): Promise<any>;
    readRSSI(options?: { timeout?: number }): Promise<number>;
}

interface BLEService extends TiEmitter {
    readonly UUID: string;
    readonly characteristics: BLECharacteristic[];
    readonly includedServices: BLEService[];
    readonly peripheral: BLEPeripheral | null;
    readonly isPrimary: boolean;
    readonly isMutable: boolean;
    equals(other: any): boolean;
}

interface BLECharacteristic extends TiEmitter {
    readonly UUID: string;
    readonly properties: number;
    readonly permissions: number;
    readonly value: TiBuffer | null;
    readonly isNotifying: boolean;
    readonly isBroadcasted: boolean;
    readonly isMutable: boolean;
    readonly service: BLEService | null;
    readonly descriptors: BLEDescriptor[];
    readonly subscribedCentrals: BLECentral[];
    equals(other: any): boolean;
}

interface BLEDescriptor extends TiEmitter {
    readonly UUID: string;
    readonly characteristic: BLECharacteristic | null;
    readonly value: TiBuffer | string | number | null;
    equals(other: any): boolean;
}

interface BLECentral extends TiEmitter {
    readonly UUID: string;
    readonly identifier: string;
    readonly maximumUpdateValueLength: number;
    equals(other: any): boolean;
}

interface BLERequest extends TiEmitter {
    readonly UUID: string | undefined;
    readonly characteristic: BLECharacteristic;
    readonly central: BLECentral;
    readonly offset: number;
    value: TiBuffer | null;
    equals(other: any): boolean;
}

interface BLEBeaconRegion extends TiEmitter {
    UUID: string;
    identifier: string;
    major?: number;
    minor?: number;
    notifyOnEntry: boolean;
    notifyOnExit: boolean;
    notifyEntryStateOnDisplay: boolean;
    equals(other: any): boolean;
}

interface BLEBeacon extends TiEmitter {
    UUID: string;
    major: number;
    minor: number;
    RSSI: number;
    accuracy: number;
    proximity: number;
    equals(other: any): boolean;
}

interface BLECharacteristicDescription {
    uuid: string;
    properties: number;
    permissions?: number;
    value?: TiBuffer;
    descriptors?: { uuid: string; value: string | TiBuffer }[];
}

interface BLEServiceDescription {
    uuid: string;
    primary?: boolean;
    characteristics?: BLECharacteristicDescription[];
    includedServices?: BLEService[];
}

interface BluetoothLE extends TiEmitter {
    readonly centralManagerState: number;
    readonly peripheralManagerState: number;
    readonly restoredCentralManagerIdentifiers: string[];
    readonly restoredPeripheralManagerIdentifiers: string[];
    readonly isAdvertising: boolean;
    readonly wasLocationLaunch: boolean;
    readonly locationManagerAuthorizationStatus: number;
    readonly backgroundDataAuthorizationStatus: number;
    /** The classes of the objects that events bring, for instanceof. */
    readonly types: { [name: string]: Function };

    initCentralManager(options?: { restoreIdentifier?: string; showPowerAlert?: boolean; timeout?: number }): Promise<number>;
    releaseCentralManager(): void;
    startScan(options?: { UUIDs?: string[]; allowDuplicates?: boolean; solicitedServiceUUIDs?: string[]; timeout?: number }): Promise<void>;
    stopScan(): Promise<void>;
    connectPeripheral(options: BLEPeripheral | { peripheral: BLEPeripheral; timeout?: number; notifyOnConnection?: boolean; notifyOnDisconnection?: boolean; notifyOnNotification?: boolean }): Promise<BLEPeripheral>;
    cancelPeripheralConnection(options: BLEPeripheral | { peripheral: BLEPeripheral; timeout?: number }): Promise<any>;
    connect(options: BLEPeripheral | { peripheral: BLEPeripheral; timeout?: number }): Promise<BLEPeripheral>;
    disconnect(options: BLEPeripheral | { peripheral: BLEPeripheral; timeout?: number }): Promise<any>;
    retrievePeripherals(options: string[] | { UUIDs: string[] }): Promise<BLEPeripheral[]>;
    retrieveConnectedPeripherals(options?: string[] | { UUIDs: string[] }): Promise<BLEPeripheral[]>;
    killApp(): void;
    isSupported(): boolean;
    isEnabled(): boolean;
    enable(): void;
    disable(): void;

    initPeripheralManager(options?: { restoreIdentifier?: string; showPowerAlert?: boolean; timeout?: number }): Promise<number>;
    releasePeripheralManager(): void;
    addService(options: BLEServiceDescription): BLEService | undefined;
    publishService(options: BLEServiceDescription & { timeout?: number }): Promise<BLEService>;
    removeService(options: BLEService | { service: BLEService }): void;
    removeAllServices(): void;
    startAdvertising(options?: { [key: string]: any; beaconRegion?: BLEBeaconRegion; measuredPower?: number; timeout?: number }): Promise<void>;
    stopAdvertising(): void;
    updateValue(options: { characteristic: BLECharacteristic; data: TiBuffer; centrals?: BLECentral[] }): boolean;
    respondToRequest(options: { request: BLERequest; result?: number }): void;
    setDesiredConnectionLatency(options: { central: BLECentral; latency: number }): void;

    createBeaconRegion(options: { UUID: string; identifier: string; major?: number; minor?: number; notifyOnEntry?: boolean; notifyOnExit?: boolean; notifyEntryStateOnDisplay?: boolean }): BLEBeaconRegion;
    startRegionMonitoring(options: BLEBeaconRegion | { beaconRegion: BLEBeaconRegion }): Promise<void>;
    stopRegionMonitoring(options?: BLEBeaconRegion | { beaconRegion: BLEBeaconRegion }): Promise<void>;
    startRangingBeacons(options: BLEBeaconRegion | { beaconRegion: BLEBeaconRegion }): Promise<void>;
    stopRangingBeacons(options?: BLEBeaconRegion | { beaconRegion: BLEBeaconRegion }): Promise<void>;
    requestRegionState(options: BLEBeaconRegion | { beaconRegion: BLEBeaconRegion; timeout?: number }): Promise<number>;
    retrieveMonitoredRegions(): Promise<BLEBeaconRegion[]>;
    requestWhenInUseAuthorization(): Promise<number>;
    requestAlwaysAuthorization(): Promise<number>;

    readonly CENTRAL_MANAGER_STATE_UNKNOWN: number;
    readonly CENTRAL_MANAGER_STATE_RESETTING: number;
    readonly CENTRAL_MANAGER_STATE_UNSUPPORTED: number;
    readonly CENTRAL_MANAGER_STATE_UNAUTHORIZED: number;
    readonly CENTRAL_MANAGER_STATE_POWERED_OFF: number;
    readonly CENTRAL_MANAGER_STATE_POWERED_ON: number;
    readonly PERIPHERAL_MANAGER_STATE_UNKNOWN: number;
    readonly PERIPHERAL_MANAGER_STATE_RESETTING: number;
    readonly PERIPHERAL_MANAGER_STATE_UNSUPPORTED: number;
    readonly PERIPHERAL_MANAGER_STATE_UNAUTHORIZED: number;
    readonly PERIPHERAL_MANAGER_STATE_POWERED_OFF: number;
    readonly PERIPHERAL_MANAGER_STATE_POWERED_ON: number;
    readonly PERIPHERAL_STATE_DISCONNECTED: number;
    readonly PERIPHERAL_STATE_CONNECTING: number;
    readonly PERIPHERAL_STATE_CONNECTED: number;
    readonly PERIPHERAL_STATE_DISCONNECTING: number;
    readonly CHAR_PROP_BROADCAST: number;
    readonly CHAR_PROP_READ: number;
    readonly CHAR_PROP_WRITE_WITHOUT_RESPONSE: number;
    readonly CHAR_PROP_WRITE: number;
    readonly CHAR_PROP_NOTIFY: number;
    readonly CHAR_PROP_INDICATE: number;
    readonly CHAR_PROP_AUTHENTICATED_SIGNED_WRITES: number;
    readonly CHAR_PROP_EXTENDED_PROPERTIES: number;
    readonly CHAR_PROP_NOTIFY_ENCRYPTION_REQUIRED: number;
    readonly CHAR_PROP_INDICATE_ENCRYPTION_REQUIRED: number;
    readonly CHAR_PERM_NONE: number;
    readonly CHAR_PERM_READABLE: number;
    readonly CHAR_PERM_WRITEABLE: number;
    readonly CHAR_PERM_READ_ENCRYPTION_REQUIRED: number;
    readonly CHAR_PERM_WRITE_ENCRYPTION_REQUIRED: number;
    readonly CHARACTERISTIC_TYPE_WRITE_WITH_RESPONSE: number;
    readonly CHARACTERISTIC_TYPE_WRITE_WITHOUT_RESPONSE: number;
    readonly ATT_SUCCESS: number;
    readonly ATT_INVALID_HANDLE: number;
    readonly ATT_INVALID_HANDLE_ERROR: number;
    readonly ATT_READ_NOT_PERMITTED: number;
    readonly ATT_READ_NOT_PERMITTED_ERROR: number;
    readonly ATT_WRITE_NOT_PERMITTED: number;
    readonly ATT_WRITE_NOT_PERMITTED_ERROR: number;
    readonly ATT_INVALID_PDU: number;
    readonly ATT_INVALID_PDU_ERROR: number;
    readonly ATT_INSUFFICIENT_AUTHENTICATION: number;
    readonly ATT_INSUFFICIENT_AUTHENTICATION_ERROR: number;
    readonly ATT_REQUEST_NOT_SUPPORTED: number;
    readonly ATT_REQUEST_NOT_SUPPORTED_ERROR: number;
    readonly ATT_INVALID_OFFSET: number;
    readonly ATT_INVALID_OFFSET_ERROR: number;
    readonly ATT_INSUFFICIENT_AUTHORIZATION: number;
    readonly ATT_INSUFFICIENT_AUTHORIZATION_ERROR: number;
    readonly ATT_PREPARE_QUEUE_FULL: number;
    readonly ATT_PREPARE_QUEUE_FULL_ERROR: number;
    readonly ATT_ATTRIBUTE_NOT_FOUND: number;
    readonly ATT_ATTRIBUTE_NOT_FOUND_ERROR: number;
    readonly ATT_ATTRIBUTE_NOT_LONG: number;
    readonly ATT_ATTRIBUTE_NOT_LONG_ERROR: number;
    readonly ATT_INSUFFICIENT_ENCRYPTION_KEY_SIZE: number;
    readonly ATT_INSUFFICIENT_ENCRYPTION_KEY_SIZE_ERROR: number;
    readonly ATT_INVALID_ATTRIBUTE_VALUE_LENGTH: number;
    readonly ATT_INVALID_ATTRIBUTE_VALUE_LENGTH_ERROR: number;
    readonly ATT_UNLIKELY: number;
    readonly ATT_UNLIKELY_ERROR: number;
    readonly ATT_INSUFFICIENT_ENCRYPTION: number;
    readonly ATT_INSUFFICIENT_ENCRYPTION_ERROR: number;
    readonly ATT_UNSUPPORTED_GROUP_TYPE: number;
    readonly ATT_UNSUPPORTED_GROUP_TYPE_ERROR: number;
    readonly ATT_INSUFFICIENT_RESOURCES: number;
    readonly ATT_INSUFFICIENT_RESOURCES_ERROR: number;
    readonly ADVERT_DATA_KEY_LOCAL_NAME: string;
    readonly ADVERT_DATA_KEY_SERVICE_UUIDS: string;
    readonly ADVERT_DATA_KEY_MANUFACTURER_DATA: string;
    readonly ADVERT_DATA_KEY_SERVICE_DATA: string;
    readonly ADVERT_DATA_KEY_OVERFLOW_SERVICE_UUIDS: string;
    readonly ADVERT_DATA_KEY_TX_POWER_LEVEL: string;
    readonly ADVERT_DATA_KEY_IS_CONNECTABLE: string;
    readonly ADVERT_DATA_KEY_SOLICITED_SERVICE_UUIDS: string;
    readonly REGION_STATE_UNKNOWN: number;
    readonly REGION_STATE_INSIDE: number;
    readonly REGION_STATE_OUTSIDE: number;
    readonly BEACON_PROXIMITY_UNKNOWN: number;
    readonly BEACON_PROXIMITY_IMMEDIATE: number;
    readonly BEACON_PROXIMITY_NEAR: number;
    readonly BEACON_PROXIMITY_FAR: number;
    readonly LOCATION_MANAGER_AUTHORIZATION_STATUS_NOT_DETERMINED: number;
    readonly LOCATION_MANAGER_AUTHORIZATION_STATUS_RESTRICTED: number;
    readonly LOCATION_MANAGER_AUTHORIZATION_STATUS_DENIED: number;
    readonly LOCATION_MANAGER_AUTHORIZATION_STATUS_AUTHORIZED: number;
    readonly LOCATION_MANAGER_AUTHORIZATION_STATUS_AUTHORIZED_ALWAYS: number;
    readonly LOCATION_MANAGER_AUTHORIZATION_STATUS_AUTHORIZED_WHEN_IN_USE: number;
    readonly BACKGROUND_DATA_AUTHORIZATION_STATUS_NOT_DETERMINED: number;
    readonly BACKGROUND_DATA_AUTHORIZATION_STATUS_RESTRICTED: number;
    readonly BACKGROUND_DATA_AUTHORIZATION_STATUS_DENIED: number;
    readonly BACKGROUND_DATA_AUTHORIZATION_STATUS_AUTHORIZED: number;
    readonly PERIPHERAL_MANAGER_CONNECTION_LATENCY_LOW: number;
    readonly PERIPHERAL_MANAGER_CONNECTION_LATENCY_MEDIUM: number;
    readonly PERIPHERAL_MANAGER_CONNECTION_LATENCY_HIGH: number;
    readonly STATE_OFF: number;
    readonly STATE_TURNING_ON: number;
    readonly STATE_ON: number;
    readonly STATE_TURNING_OFF: number;
}

interface Titanium {
    API: { [level: string]: (...values: any[]) => void };
    App: TiEmitter & { Properties: any; iOS: any; [key: string]: any };
    Platform: TiEmitter & {
        osname: string; version: string; username: string; model: string; id: string;
        displayCaps: { platformWidth: number; platformHeight: number };
        cerulean: { version: string; os: string; arguments: string[]; exit(code?: number): void; collectGarbage(): void };
        [key: string]: any;
    };
    Codec: any;
    UI: any;
    createBuffer(options?: { length?: number; value?: string | number; type?: string; byteOrder?: number }): TiBuffer;
    include(...names: string[]): void;
}

declare const Ti: Titanium;
declare const Titanium: Titanium;
declare function require(name: 'com.logicallabs.bluetoothle'): BluetoothLE;
declare function require(name: string): any;
declare function alert(message: any): void;
declare function L(key: string, hint?: string): string;
