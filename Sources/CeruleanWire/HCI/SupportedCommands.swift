// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Reads which commands the controller knows. Core 5.4, Vol 4, Part E, 7.4.2.
    public struct ReadLocalSupportedCommands: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readLocalSupportedCommands

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The commands.
            public var commands = SupportedCommands()

            /// No command.
            public init() {}

            /// These commands.
            public init(commands: SupportedCommands) { self.commands = commands }

            /// Shows every field in wire order.
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.bytes("supported commands", &commands.octets, count: SupportedCommands.size)
            }
        }

        /// The command; it has no parameters.
        public init() {}

        /// Shows every field in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// The set of commands that a controller knows. Core 5.4, Vol 4, Part E, 6.27.
    public struct SupportedCommands: Hashable, Sendable {
        /// Octets of the set on the wire.
        public static let size = 64

        /// The bits as they are sent, always 64 octets.
        public internal(set) var octets = [UInt8](repeating: 0, count: size)

        /// The empty set.
        public init() {}

        /// A set of these commands; those without a known bit are left out.
        public init(_ opcodes: some Sequence<Opcode>) {
            for opcode in opcodes { insert(opcode) }
        }

        /// True when the set holds `opcode`; false also for a command without a known bit.
        public func contains(_ opcode: Opcode) -> Bool {
            guard let bit = Self.bits[opcode], bit / 8 < octets.count else { return false }
            return octets[bit / 8] >> UInt8(bit % 8) & 1 == 1
        }

        /// Adds `opcode`; does nothing when its bit is not known.
        public mutating func insert(_ opcode: Opcode) {
            guard let bit = Self.bits[opcode], bit / 8 < octets.count else { return }
            octets[bit / 8] |= 1 << UInt8(bit % 8)
        }

        /// Octet times eight plus bit.
        static let bits: [Opcode: Int] = [
            .disconnect: 0 * 8 + 5, .readRemoteVersionInformation: 2 * 8 + 7, .setEventMask: 5 * 8 + 6,
            .reset: 5 * 8 + 7,
            .readLocalName: 7 * 8 + 1, .readClassOfDevice: 9 * 8 + 0, .readTransmitPowerLevel: 10 * 8 + 2,
            .setControllerToHostFlowControl: 10 * 8 + 5, .hostBufferSize: 10 * 8 + 6,
            .hostNumberOfCompletedPackets: 10 * 8 + 7, .readLocalVersionInformation: 14 * 8 + 3,
            .readLocalSupportedCommands: 14 * 8 + 4, .readLocalSupportedFeatures: 14 * 8 + 5,
            .readBufferSize: 14 * 8 + 7, .readBDADDR: 15 * 8 + 1,
            .readRSSI: 15 * 8 + 5, .setEventMaskPage2: 22 * 8 + 2, .writeLEHostSupport: 24 * 8 + 6,
            .leSetEventMask: 25 * 8 + 0, .leReadBufferSize: 25 * 8 + 1, .leReadLocalSupportedFeatures: 25 * 8 + 2,
            .leSetRandomAddress: 25 * 8 + 4, .leSetAdvertisingParameters: 25 * 8 + 5,
            .leReadAdvertisingChannelTXPower: 25 * 8 + 6, .leSetAdvertisingData: 25 * 8 + 7,
            .leSetScanResponseData: 26 * 8 + 0, .leSetAdvertisingEnable: 26 * 8 + 1, .leSetScanParameters: 26 * 8 + 2,
            .leSetScanEnable: 26 * 8 + 3, .leCreateConnection: 26 * 8 + 4, .leCreateConnectionCancel: 26 * 8 + 5,
            .leReadFilterAcceptListSize: 26 * 8 + 6, .leClearFilterAcceptList: 26 * 8 + 7,
            .leAddDeviceToFilterAcceptList: 27 * 8 + 0, .leRemoveDeviceFromFilterAcceptList: 27 * 8 + 1,
            .leConnectionUpdate: 27 * 8 + 2, .leSetHostChannelClassification: 27 * 8 + 3, .leReadChannelMap: 27 * 8 + 4,
            .leReadRemoteFeatures: 27 * 8 + 5, .leEncrypt: 27 * 8 + 6, .leRand: 27 * 8 + 7,
            .leEnableEncryption: 28 * 8 + 0, .leLongTermKeyRequestReply: 28 * 8 + 1,
            .leLongTermKeyRequestNegativeReply: 28 * 8 + 2, .leReadSupportedStates: 28 * 8 + 3,
            .leRemoteConnectionParameterRequestReply: 33 * 8 + 4,
            .leRemoteConnectionParameterRequestNegativeReply: 33 * 8 + 5, .leSetDataLength: 33 * 8 + 6,
            .leReadSuggestedDefaultDataLength: 33 * 8 + 7, .leWriteSuggestedDefaultDataLength: 34 * 8 + 0,
            .leReadLocalP256PublicKey: 34 * 8 + 1, .leGenerateDHKey: 34 * 8 + 2,
            .leAddDeviceToResolvingList: 34 * 8 + 3,
            .leRemoveDeviceFromResolvingList: 34 * 8 + 4, .leClearResolvingList: 34 * 8 + 5,
            .leReadResolvingListSize: 34 * 8 + 6, .leReadPeerResolvableAddress: 34 * 8 + 7,
            .leReadLocalResolvableAddress: 35 * 8 + 0, .leSetAddressResolutionEnable: 35 * 8 + 1,
            .leSetResolvablePrivateAddressTimeout: 35 * 8 + 2, .leReadMaximumDataLength: 35 * 8 + 3,
            .leReadPHY: 35 * 8 + 4, .leSetDefaultPHY: 35 * 8 + 5, .leSetPHY: 35 * 8 + 6,
            .leSetAdvertisingSetRandomAddress: 36 * 8 + 1, .leSetExtendedAdvertisingParameters: 36 * 8 + 2,
            .leSetExtendedAdvertisingData: 36 * 8 + 3, .leSetExtendedScanResponseData: 36 * 8 + 4,
            .leSetExtendedAdvertisingEnable: 36 * 8 + 5, .leReadMaximumAdvertisingDataLength: 36 * 8 + 6,
            .leReadNumberOfSupportedAdvertisingSets: 36 * 8 + 7, .leRemoveAdvertisingSet: 37 * 8 + 0,
            .leClearAdvertisingSets: 37 * 8 + 1, .leSetExtendedScanParameters: 37 * 8 + 5,
            .leSetExtendedScanEnable: 37 * 8 + 6, .leExtendedCreateConnection: 37 * 8 + 7,
            .leReadTransmitPower: 38 * 8 + 7, .leSetPrivacyMode: 39 * 8 + 2, .leReadBufferSizeV2: 41 * 8 + 5,
            .leSetPeriodicAdvertisingParameters: 37 * 8 + 2,
            .leSetPeriodicAdvertisingData: 37 * 8 + 3,
            .leSetPeriodicAdvertisingEnable: 37 * 8 + 4,
            .lePeriodicAdvertisingCreateSync: 38 * 8 + 0,
            .lePeriodicAdvertisingCreateSyncCancel: 38 * 8 + 1,
            .lePeriodicAdvertisingTerminateSync: 38 * 8 + 2,
            .leAddDeviceToPeriodicAdvertiserList: 38 * 8 + 3,
            .leRemoveDeviceFromPeriodicAdvertiserList: 38 * 8 + 4,
            .leClearPeriodicAdvertiserList: 38 * 8 + 5,
            .leReadPeriodicAdvertiserListSize: 38 * 8 + 6,
            .leSetPeriodicAdvertisingReceiveEnable: 40 * 8 + 5,
            .lePeriodicAdvertisingSyncTransfer: 40 * 8 + 6,
            .lePeriodicAdvertisingSetInfoTransfer: 40 * 8 + 7,
            .leSetPeriodicAdvertisingSyncTransferParameters: 41 * 8 + 0,
            .leSetDefaultPeriodicAdvertisingSyncTransferParameters: 41 * 8 + 1,
            .leGenerateDHKeyV2: 41 * 8 + 2,
            .leSetHostFeature: 44 * 8 + 1,
            .readAuthenticatedPayloadTimeout: 32 * 8 + 4,
            .writeAuthenticatedPayloadTimeout: 32 * 8 + 5,
            .readLocalExtendedFeatures: 14 * 8 + 6,
            .readCountryCode: 15 * 8 + 0,
            .readLocalSupportedCodecs: 29 * 8 + 5,
        ]
    }
}
