// SPDX-License-Identifier: Apache-2.0

extension AdvertisingData {
    /// The value of one structure. Core Specification Supplement, Part A, 1.
    ///
    /// Every type of the supplement has a case; an unknown type keeps its octets.
    public enum Element: Hashable, Sendable {
        /// How the device can be discovered.
        case flags(Flags)
        /// Services the device offers.
        case services([BluetoothUUID], width: UUIDWidth, complete: Bool)
        /// Services the device looks for in a central.
        case solicitedServices([BluetoothUUID], width: UUIDWidth)
        /// The name's octets, which may be no valid UTF-8.
        case localName([UInt8], complete: Bool)
        /// Transmit power in dBm.
        case txPower(Int8)
        /// Class of device, 24 bits.
        case classOfDevice(UInt32)
        /// Simple pairing hash, 16 octets; of P-256 when `wide`.
        case simplePairingHash([UInt8], wide: Bool)
        /// Simple pairing randomizer, 16 octets; of P-256 when `wide`.
        case simplePairingRandomizer([UInt8], wide: Bool)
        /// The temporary key, 16 octets.
        case securityManagerTK([UInt8])
        /// Vendor, product and version (BR/EDR's meaning of the same type).
        case deviceID(DeviceID)
        /// What out of band data there is.
        case securityManagerOOBFlags(OOBFlags)
        /// Connection intervals the peripheral prefers.
        case connectionIntervalRange(IntervalRange)
        /// What a service has to say.
        case serviceData(BluetoothUUID, [UInt8], width: UUIDWidth)
        /// Public addresses of the devices that are meant.
        case publicTargetAddresses([BluetoothAddress])
        /// Random addresses of the devices that are meant.
        case randomTargetAddresses([BluetoothAddress])
        /// What the device looks like; names in ``AssignedNumbers``.
        case appearance(UInt16)
        /// Advertising interval in units of 0.625 ms. The long form has 3 or 4 octets.
        case advertisingInterval(UInt32, octets: Int)
        /// The device's own address.
        case leDeviceAddress(DeviceAddress)
        /// Which roles the device can take.
        case leRole(Role)
        /// Secure Connections confirmation value, 16 octets.
        case secureConnectionsConfirm([UInt8])
        /// Secure Connections random value, 16 octets.
        case secureConnectionsRandom([UInt8])
        /// A URI: the number of its scheme and the text behind it.
        case uri(scheme: UInt32, rest: String)
        /// Where the device is.
        case indoorPosition(IndoorPosition)
        /// Other transports by which the device can be reached.
        case transportDiscovery([TransportBlock])
        /// One bit for each LE feature; at most 8 octets are read as a number.
        case leSupportedFeatures([UInt8])
        /// A new channel map.
        case channelMapUpdate(ChannelMapUpdate)
        /// A mesh provisioning packet.
        case provisioning(ProvisioningPacket)
        /// A mesh network PDU.
        case meshMessage([UInt8])
        /// A mesh beacon.
        case meshBeacon(MeshBeacon)
        /// A broadcast isochronous group.
        case bigInfo(BIGInfo)
        /// The code of an encrypted broadcast, 16 octets.
        case broadcastCode([UInt8])
        /// Names a coordinated set to its members, 6 octets.
        case resolvableSetIdentifier([UInt8])
        /// The name's octets of a broadcast, 4 to 32.
        case broadcastName([UInt8])
        /// Data that only holders of the key can read.
        case encrypted(EncryptedData)
        /// How to answer periodic advertising.
        case periodicResponseTiming(ResponseTiming)
        /// An electronic shelf label message, usually inside encrypted data.
        case electronicShelfLabel([UInt8])
        /// What 3D glasses need to know.
        case threeDInformation(ThreeDInformation)
        /// What a company has to say.
        case manufacturerData(company: UInt16, [UInt8])
        /// A type that this version does not know.
        case unknown(ADType, [UInt8])
        /// Octets that do not fit their type, with the reason; offsets count from the start of the octets.
        case malformed(ADType, [UInt8], WireError)
    }
}

extension AdvertisingData.Element {
    /// A name as text.
    public static func name(_ text: String, complete: Bool) -> Self { .localName(Array(text.utf8), complete: complete) }

    /// The services in as many complete lists as there are widths among them, shortest width first.
    public static func serviceLists(_ services: [BluetoothUUID], complete: Bool = true) -> [Self] {
        lists(services).map { .services($0.uuids, width: $0.width, complete: complete) }
    }

    /// The solicited services in as many lists as there are widths among them, shortest width first.
    public static func solicitationLists(_ services: [BluetoothUUID]) -> [Self] {
        lists(services).map { .solicitedServices($0.uuids, width: $0.width) }
    }

    /// Service data with the shortest form of the UUID.
    public static func serviceData(_ service: BluetoothUUID, _ data: [UInt8]) -> Self {
        .serviceData(service, data, width: .init(of: service))
    }

    private static func lists(
        _ services: [BluetoothUUID]
    ) -> [(width: AdvertisingData.UUIDWidth, uuids: [BluetoothUUID])] {
        AdvertisingData.UUIDWidth.allCases.compactMap { width in
            let uuids = services.filter { AdvertisingData.UUIDWidth(of: $0) == width }
            return uuids.isEmpty ? nil : (width, uuids)
        }
    }

    /// The type under which the value is sent.
    public var type: ADType {
        switch self {
        case .flags: .flags
        case .services(_, .two, let complete): complete ? .completeServices16 : .incompleteServices16
        case .services(_, .four, let complete): complete ? .completeServices32 : .incompleteServices32
        case .services(_, .sixteen, let complete): complete ? .completeServices128 : .incompleteServices128
        case .solicitedServices(_, .two): .solicitation16
        case .solicitedServices(_, .four): .solicitation32
        case .solicitedServices(_, .sixteen): .solicitation128
        case .localName(_, let complete): complete ? .completeLocalName : .shortenedLocalName
        case .txPower: .txPowerLevel
        case .classOfDevice: .classOfDevice
        case .simplePairingHash(_, let wide): wide ? .simplePairingHash256 : .simplePairingHash192
        case .simplePairingRandomizer(_, let wide): wide ? .simplePairingRandomizer256 : .simplePairingRandomizer192
        case .securityManagerTK, .deviceID: .securityManagerTK
        case .securityManagerOOBFlags: .securityManagerOOBFlags
        case .connectionIntervalRange: .connectionIntervalRange
        case .serviceData(_, _, .two): .serviceData16
        case .serviceData(_, _, .four): .serviceData32
        case .serviceData(_, _, .sixteen): .serviceData128
        case .publicTargetAddresses: .publicTargetAddress
        case .randomTargetAddresses: .randomTargetAddress
        case .appearance: .appearance
        case .advertisingInterval(_, let octets): octets == 2 ? .advertisingInterval : .advertisingIntervalLong
        case .leDeviceAddress: .leDeviceAddress
        case .leRole: .leRole
        case .secureConnectionsConfirm: .secureConnectionsConfirm
        case .secureConnectionsRandom: .secureConnectionsRandom
        case .uri: .uri
        case .indoorPosition: .indoorPositioning
        case .transportDiscovery: .transportDiscovery
        case .leSupportedFeatures: .leSupportedFeatures
        case .channelMapUpdate: .channelMapUpdate
        case .provisioning: .pbADV
        case .meshMessage: .meshMessage
        case .meshBeacon: .meshBeacon
        case .bigInfo: .bigInfo
        case .broadcastCode: .broadcastCode
        case .resolvableSetIdentifier: .resolvableSetIdentifier
        case .broadcastName: .broadcastName
        case .encrypted: .encryptedData
        case .periodicResponseTiming: .periodicResponseTiming
        case .electronicShelfLabel: .electronicShelfLabel
        case .threeDInformation: .threeDInformation
        case .manufacturerData: .manufacturerData
        case .unknown(let type, _), .malformed(let type, _, _): type
        }
    }

    /// Type and octets, ready to be sent.
    ///
    /// - Throws: ``WireError`` when the value does not fit its type or is longer than 254 octets.
    public func structure() throws(WireError) -> AdvertisingData.Structure {
        let data = try encodedData()
        guard data.count <= 254 else { throw WireError(offset: 0, reason: .tooLong) }
        return .init(type: type, data: data)
    }

    /// The URI in full, if the number of its scheme is known: 1 none, 0x16 `http:`, 0x17 `https:`.
    ///
    /// Assigned Numbers, 2.7.
    public var uriText: String? {
        guard case .uri(let scheme, let rest) = self else { return nil }
        switch scheme {
        case 0x01: return rest
        case 0x16: return "http:" + rest
        case 0x17: return "https:" + rest
        default: return nil
        }
    }
}
