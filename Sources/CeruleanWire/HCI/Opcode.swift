// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// The number of a command: a group of 6 bits (OGF) and a command of 10 bits (OCF). Core 5.4, Vol 4, Part E, 5.4.1.
    public struct Opcode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The 16 bits.
        public let rawValue: UInt16

        /// Wraps 16 bits.
        @inlinable
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Puts a group (6 bits) and a command (10 bits) together; surplus bits are cut off.
        @inlinable
        public init(group: UInt8, command: UInt16) {
            self.init(rawValue: UInt16(group) << 10 | command & 0x03FF)
        }

        /// The group (OGF): 1 link control, 3 baseband, 4 informational, 5 status, 8 LE, 63 vendor.
        @inlinable public var group: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 10) }

        /// The command within its group (OCF).
        @inlinable public var command: UInt16 { rawValue & 0x03FF }

        /// No command: in Command Complete and Command Status it only tells credits (0x0000).
        public static let none = Self(rawValue: 0)
        /// Disconnect (0x0406).
        public static let disconnect = Self(rawValue: 0x0406)
        /// Read Remote Version Information (0x041D).
        public static let readRemoteVersionInformation = Self(rawValue: 0x041D)
        /// Set Event Mask (0x0C01).
        public static let setEventMask = Self(rawValue: 0x0C01)
        /// Reset (0x0C03).
        public static let reset = Self(rawValue: 0x0C03)
        /// Read Local Name (0x0C14).
        public static let readLocalName = Self(rawValue: 0x0C14)
        /// Read Class Of Device (0x0C23).
        public static let readClassOfDevice = Self(rawValue: 0x0C23)
        /// Read Transmit Power Level (0x0C2D).
        public static let readTransmitPowerLevel = Self(rawValue: 0x0C2D)
        /// Set Controller To Host Flow Control (0x0C31).
        public static let setControllerToHostFlowControl = Self(rawValue: 0x0C31)
        /// Host Buffer Size (0x0C33).
        public static let hostBufferSize = Self(rawValue: 0x0C33)
        /// Host Number Of Completed Packets (0x0C35).
        public static let hostNumberOfCompletedPackets = Self(rawValue: 0x0C35)
        /// Set Event Mask Page 2 (0x0C63).
        public static let setEventMaskPage2 = Self(rawValue: 0x0C63)
        /// Write LE Host Support (0x0C6D).
        public static let writeLEHostSupport = Self(rawValue: 0x0C6D)
        /// Read Authenticated Payload Timeout (0x0C7B).
        public static let readAuthenticatedPayloadTimeout = Self(rawValue: 0x0C7B)
        /// Write Authenticated Payload Timeout (0x0C7C).
        public static let writeAuthenticatedPayloadTimeout = Self(rawValue: 0x0C7C)
        /// Read Local Version Information (0x1001).
        public static let readLocalVersionInformation = Self(rawValue: 0x1001)
        /// Read Local Supported Commands (0x1002).
        public static let readLocalSupportedCommands = Self(rawValue: 0x1002)
        /// Read Local Supported Features (0x1003).
        public static let readLocalSupportedFeatures = Self(rawValue: 0x1003)
        /// Read Local Extended Features (0x1004).
        public static let readLocalExtendedFeatures = Self(rawValue: 0x1004)
        /// Read Buffer Size (0x1005).
        public static let readBufferSize = Self(rawValue: 0x1005)
        /// Read Country Code (0x1007).
        public static let readCountryCode = Self(rawValue: 0x1007)
        /// Read BD_ADDR (0x1009).
        public static let readBDADDR = Self(rawValue: 0x1009)
        /// Read Local Supported Codecs [v1] (0x100B).
        public static let readLocalSupportedCodecs = Self(rawValue: 0x100B)
        /// Read RSSI (0x1405).
        public static let readRSSI = Self(rawValue: 0x1405)
        /// LE Set Event Mask (0x2001).
        public static let leSetEventMask = Self(rawValue: 0x2001)
        /// LE Read Buffer Size [v1] (0x2002).
        public static let leReadBufferSize = Self(rawValue: 0x2002)
        /// LE Read Local Supported Features (0x2003).
        public static let leReadLocalSupportedFeatures = Self(rawValue: 0x2003)
        /// LE Set Random Address (0x2005).
        public static let leSetRandomAddress = Self(rawValue: 0x2005)
        /// LE Set Advertising Parameters (0x2006).
        public static let leSetAdvertisingParameters = Self(rawValue: 0x2006)
        /// LE Read Advertising Physical Channel Tx Power (0x2007).
        public static let leReadAdvertisingChannelTXPower = Self(rawValue: 0x2007)
        /// LE Set Advertising Data (0x2008).
        public static let leSetAdvertisingData = Self(rawValue: 0x2008)
        /// LE Set Scan Response Data (0x2009).
        public static let leSetScanResponseData = Self(rawValue: 0x2009)
        /// LE Set Advertising Enable (0x200A).
        public static let leSetAdvertisingEnable = Self(rawValue: 0x200A)
        /// LE Set Scan Parameters (0x200B).
        public static let leSetScanParameters = Self(rawValue: 0x200B)
        /// LE Set Scan Enable (0x200C).
        public static let leSetScanEnable = Self(rawValue: 0x200C)
        /// LE Create Connection (0x200D).
        public static let leCreateConnection = Self(rawValue: 0x200D)
        /// LE Create Connection Cancel (0x200E).
        public static let leCreateConnectionCancel = Self(rawValue: 0x200E)
        /// LE Read Filter Accept List Size (0x200F).
        public static let leReadFilterAcceptListSize = Self(rawValue: 0x200F)
        /// LE Clear Filter Accept List (0x2010).
        public static let leClearFilterAcceptList = Self(rawValue: 0x2010)
        /// LE Add Device To Filter Accept List (0x2011).
        public static let leAddDeviceToFilterAcceptList = Self(rawValue: 0x2011)
        /// LE Remove Device From Filter Accept List (0x2012).
        public static let leRemoveDeviceFromFilterAcceptList = Self(rawValue: 0x2012)
        /// LE Connection Update (0x2013).
        public static let leConnectionUpdate = Self(rawValue: 0x2013)
        /// LE Set Host Channel Classification (0x2014).
        public static let leSetHostChannelClassification = Self(rawValue: 0x2014)
        /// LE Read Channel Map (0x2015).
        public static let leReadChannelMap = Self(rawValue: 0x2015)
        /// LE Read Remote Features (0x2016).
        public static let leReadRemoteFeatures = Self(rawValue: 0x2016)
        /// LE Encrypt (0x2017).
        public static let leEncrypt = Self(rawValue: 0x2017)
        /// LE Rand (0x2018).
        public static let leRand = Self(rawValue: 0x2018)
        /// LE Enable Encryption (0x2019).
        public static let leEnableEncryption = Self(rawValue: 0x2019)
        /// LE Long Term Key Request Reply (0x201A).
        public static let leLongTermKeyRequestReply = Self(rawValue: 0x201A)
        /// LE Long Term Key Request Negative Reply (0x201B).
        public static let leLongTermKeyRequestNegativeReply = Self(rawValue: 0x201B)
        /// LE Read Supported States (0x201C).
        public static let leReadSupportedStates = Self(rawValue: 0x201C)
        /// LE Remote Connection Parameter Request Reply (0x2020).
        public static let leRemoteConnectionParameterRequestReply = Self(rawValue: 0x2020)
        /// LE Remote Connection Parameter Request Negative Reply (0x2021).
        public static let leRemoteConnectionParameterRequestNegativeReply = Self(rawValue: 0x2021)
        /// LE Set Data Length (0x2022).
        public static let leSetDataLength = Self(rawValue: 0x2022)
        /// LE Read Suggested Default Data Length (0x2023).
        public static let leReadSuggestedDefaultDataLength = Self(rawValue: 0x2023)
        /// LE Write Suggested Default Data Length (0x2024).
        public static let leWriteSuggestedDefaultDataLength = Self(rawValue: 0x2024)
        /// LE Read Local P-256 Public Key (0x2025).
        public static let leReadLocalP256PublicKey = Self(rawValue: 0x2025)
        /// LE Generate DHKey [v1] (0x2026).
        public static let leGenerateDHKey = Self(rawValue: 0x2026)
        /// LE Add Device To Resolving List (0x2027).
        public static let leAddDeviceToResolvingList = Self(rawValue: 0x2027)
        /// LE Remove Device From Resolving List (0x2028).
        public static let leRemoveDeviceFromResolvingList = Self(rawValue: 0x2028)
        /// LE Clear Resolving List (0x2029).
        public static let leClearResolvingList = Self(rawValue: 0x2029)
        /// LE Read Resolving List Size (0x202A).
        public static let leReadResolvingListSize = Self(rawValue: 0x202A)
        /// LE Read Peer Resolvable Address (0x202B).
        public static let leReadPeerResolvableAddress = Self(rawValue: 0x202B)
        /// LE Read Local Resolvable Address (0x202C).
        public static let leReadLocalResolvableAddress = Self(rawValue: 0x202C)
        /// LE Set Address Resolution Enable (0x202D).
        public static let leSetAddressResolutionEnable = Self(rawValue: 0x202D)
        /// LE Set Resolvable Private Address Timeout (0x202E).
        public static let leSetResolvablePrivateAddressTimeout = Self(rawValue: 0x202E)
        /// LE Read Maximum Data Length (0x202F).
        public static let leReadMaximumDataLength = Self(rawValue: 0x202F)
        /// LE Read PHY (0x2030).
        public static let leReadPHY = Self(rawValue: 0x2030)
        /// LE Set Default PHY (0x2031).
        public static let leSetDefaultPHY = Self(rawValue: 0x2031)
        /// LE Set PHY (0x2032).
        public static let leSetPHY = Self(rawValue: 0x2032)
        /// LE Set Advertising Set Random Address (0x2035).
        public static let leSetAdvertisingSetRandomAddress = Self(rawValue: 0x2035)
        /// LE Set Extended Advertising Parameters [v1] (0x2036).
        public static let leSetExtendedAdvertisingParameters = Self(rawValue: 0x2036)
        /// LE Set Extended Advertising Data (0x2037).
        public static let leSetExtendedAdvertisingData = Self(rawValue: 0x2037)
        /// LE Set Extended Scan Response Data (0x2038).
        public static let leSetExtendedScanResponseData = Self(rawValue: 0x2038)
        /// LE Set Extended Advertising Enable (0x2039).
        public static let leSetExtendedAdvertisingEnable = Self(rawValue: 0x2039)
        /// LE Read Maximum Advertising Data Length (0x203A).
        public static let leReadMaximumAdvertisingDataLength = Self(rawValue: 0x203A)
        /// LE Read Number of Supported Advertising Sets (0x203B).
        public static let leReadNumberOfSupportedAdvertisingSets = Self(rawValue: 0x203B)
        /// LE Remove Advertising Set (0x203C).
        public static let leRemoveAdvertisingSet = Self(rawValue: 0x203C)
        /// LE Clear Advertising Sets (0x203D).
        public static let leClearAdvertisingSets = Self(rawValue: 0x203D)
        /// LE Set Periodic Advertising Parameters [v1] (0x203E).
        public static let leSetPeriodicAdvertisingParameters = Self(rawValue: 0x203E)
        /// LE Set Periodic Advertising Data (0x203F).
        public static let leSetPeriodicAdvertisingData = Self(rawValue: 0x203F)
        /// LE Set Periodic Advertising Enable (0x2040).
        public static let leSetPeriodicAdvertisingEnable = Self(rawValue: 0x2040)
        /// LE Set Extended Scan Parameters (0x2041).
        public static let leSetExtendedScanParameters = Self(rawValue: 0x2041)
        /// LE Set Extended Scan Enable (0x2042).
        public static let leSetExtendedScanEnable = Self(rawValue: 0x2042)
        /// LE Extended Create Connection [v1] (0x2043).
        public static let leExtendedCreateConnection = Self(rawValue: 0x2043)
        /// LE Periodic Advertising Create Sync (0x2044).
        public static let lePeriodicAdvertisingCreateSync = Self(rawValue: 0x2044)
        /// LE Periodic Advertising Create Sync Cancel (0x2045).
        public static let lePeriodicAdvertisingCreateSyncCancel = Self(rawValue: 0x2045)
        /// LE Periodic Advertising Terminate Sync (0x2046).
        public static let lePeriodicAdvertisingTerminateSync = Self(rawValue: 0x2046)
        /// LE Add Device To Periodic Advertiser List (0x2047).
        public static let leAddDeviceToPeriodicAdvertiserList = Self(rawValue: 0x2047)
        /// LE Remove Device From Periodic Advertiser List (0x2048).
        public static let leRemoveDeviceFromPeriodicAdvertiserList = Self(rawValue: 0x2048)
        /// LE Clear Periodic Advertiser List (0x2049).
        public static let leClearPeriodicAdvertiserList = Self(rawValue: 0x2049)
        /// LE Read Periodic Advertiser List Size (0x204A).
        public static let leReadPeriodicAdvertiserListSize = Self(rawValue: 0x204A)
        /// LE Read Transmit Power (0x204B).
        public static let leReadTransmitPower = Self(rawValue: 0x204B)
        /// LE Set Privacy Mode (0x204E).
        public static let leSetPrivacyMode = Self(rawValue: 0x204E)
        /// LE Set Periodic Advertising Receive Enable (0x2059).
        public static let leSetPeriodicAdvertisingReceiveEnable = Self(rawValue: 0x2059)
        /// LE Periodic Advertising Sync Transfer (0x205A).
        public static let lePeriodicAdvertisingSyncTransfer = Self(rawValue: 0x205A)
        /// LE Periodic Advertising Set Info Transfer (0x205B).
        public static let lePeriodicAdvertisingSetInfoTransfer = Self(rawValue: 0x205B)
        /// LE Set Periodic Advertising Sync Transfer Parameters (0x205C).
        public static let leSetPeriodicAdvertisingSyncTransferParameters = Self(rawValue: 0x205C)
        /// LE Set Default Periodic Advertising Sync Transfer Parameters (0x205D).
        public static let leSetDefaultPeriodicAdvertisingSyncTransferParameters = Self(rawValue: 0x205D)
        /// LE Generate DHKey [v2] (0x205E).
        public static let leGenerateDHKeyV2 = Self(rawValue: 0x205E)
        /// LE Read Buffer Size [v2] (0x2060).
        public static let leReadBufferSizeV2 = Self(rawValue: 0x2060)
        /// LE Set Host Feature [v1] (0x2074).
        public static let leSetHostFeature = Self(rawValue: 0x2074)

        /// The specification's name, or the number as `0x1234`.
        public var description: String {
            if let name = Self.names[self] { return name }
            let digits = String(rawValue, radix: 16, uppercase: true)
            return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
        }

        private static let names: [Self: String] = [
            .disconnect: "Disconnect",
            .readRemoteVersionInformation: "Read Remote Version Information",
            .setEventMask: "Set Event Mask",
            .reset: "Reset",
            .readLocalName: "Read Local Name",
            .readClassOfDevice: "Read Class Of Device",
            .readTransmitPowerLevel: "Read Transmit Power Level",
            .setControllerToHostFlowControl: "Set Controller To Host Flow Control",
            .hostBufferSize: "Host Buffer Size",
            .hostNumberOfCompletedPackets: "Host Number Of Completed Packets",
            .setEventMaskPage2: "Set Event Mask Page 2",
            .writeLEHostSupport: "Write LE Host Support",
            .readLocalVersionInformation: "Read Local Version Information",
            .readLocalSupportedCommands: "Read Local Supported Commands",
            .readLocalSupportedFeatures: "Read Local Supported Features",
            .readBufferSize: "Read Buffer Size",
            .readBDADDR: "Read BD_ADDR",
            .readRSSI: "Read RSSI",
            .leSetEventMask: "LE Set Event Mask",
            .leReadBufferSize: "LE Read Buffer Size [v1]",
            .leReadLocalSupportedFeatures: "LE Read Local Supported Features",
            .leSetRandomAddress: "LE Set Random Address",
            .leSetAdvertisingParameters: "LE Set Advertising Parameters",
            .leReadAdvertisingChannelTXPower: "LE Read Advertising Physical Channel Tx Power",
            .leSetAdvertisingData: "LE Set Advertising Data",
            .leSetScanResponseData: "LE Set Scan Response Data",
            .leSetAdvertisingEnable: "LE Set Advertising Enable",
            .leSetScanParameters: "LE Set Scan Parameters",
            .leSetScanEnable: "LE Set Scan Enable",
            .leCreateConnection: "LE Create Connection",
            .leCreateConnectionCancel: "LE Create Connection Cancel",
            .leReadFilterAcceptListSize: "LE Read Filter Accept List Size",
            .leClearFilterAcceptList: "LE Clear Filter Accept List",
            .leAddDeviceToFilterAcceptList: "LE Add Device To Filter Accept List",
            .leRemoveDeviceFromFilterAcceptList: "LE Remove Device From Filter Accept List",
            .leConnectionUpdate: "LE Connection Update",
            .leSetHostChannelClassification: "LE Set Host Channel Classification",
            .leReadChannelMap: "LE Read Channel Map",
            .leReadRemoteFeatures: "LE Read Remote Features",
            .leEncrypt: "LE Encrypt",
            .leRand: "LE Rand",
            .leEnableEncryption: "LE Enable Encryption",
            .leLongTermKeyRequestReply: "LE Long Term Key Request Reply",
            .leLongTermKeyRequestNegativeReply: "LE Long Term Key Request Negative Reply",
            .leReadSupportedStates: "LE Read Supported States",
            .leRemoteConnectionParameterRequestReply: "LE Remote Connection Parameter Request Reply",
            .leRemoteConnectionParameterRequestNegativeReply: "LE Remote Connection Parameter Request Negative Reply",
            .leSetDataLength: "LE Set Data Length",
            .leReadSuggestedDefaultDataLength: "LE Read Suggested Default Data Length",
            .leWriteSuggestedDefaultDataLength: "LE Write Suggested Default Data Length",
            .leReadLocalP256PublicKey: "LE Read Local P-256 Public Key",
            .leGenerateDHKey: "LE Generate DHKey [v1]",
            .leAddDeviceToResolvingList: "LE Add Device To Resolving List",
            .leRemoveDeviceFromResolvingList: "LE Remove Device From Resolving List",
            .leClearResolvingList: "LE Clear Resolving List",
            .leReadResolvingListSize: "LE Read Resolving List Size",
            .leReadPeerResolvableAddress: "LE Read Peer Resolvable Address",
            .leReadLocalResolvableAddress: "LE Read Local Resolvable Address",
            .leSetAddressResolutionEnable: "LE Set Address Resolution Enable",
            .leSetResolvablePrivateAddressTimeout: "LE Set Resolvable Private Address Timeout",
            .leReadMaximumDataLength: "LE Read Maximum Data Length",
            .leReadPHY: "LE Read PHY",
            .leSetDefaultPHY: "LE Set Default PHY",
            .leSetPHY: "LE Set PHY",
            .leSetAdvertisingSetRandomAddress: "LE Set Advertising Set Random Address",
            .leSetExtendedAdvertisingParameters: "LE Set Extended Advertising Parameters [v1]",
            .leSetExtendedAdvertisingData: "LE Set Extended Advertising Data",
            .leSetExtendedScanResponseData: "LE Set Extended Scan Response Data",
            .leSetExtendedAdvertisingEnable: "LE Set Extended Advertising Enable",
            .leReadMaximumAdvertisingDataLength: "LE Read Maximum Advertising Data Length",
            .leReadNumberOfSupportedAdvertisingSets: "LE Read Number of Supported Advertising Sets",
            .leRemoveAdvertisingSet: "LE Remove Advertising Set",
            .leClearAdvertisingSets: "LE Clear Advertising Sets",
            .leSetExtendedScanParameters: "LE Set Extended Scan Parameters",
            .leSetExtendedScanEnable: "LE Set Extended Scan Enable",
            .leExtendedCreateConnection: "LE Extended Create Connection [v1]",
            .leReadTransmitPower: "LE Read Transmit Power",
            .leSetPrivacyMode: "LE Set Privacy Mode",
            .leReadBufferSizeV2: "LE Read Buffer Size [v2]",
            .readAuthenticatedPayloadTimeout: "Read Authenticated Payload Timeout",
            .writeAuthenticatedPayloadTimeout: "Write Authenticated Payload Timeout",
            .readLocalExtendedFeatures: "Read Local Extended Features",
            .readCountryCode: "Read Country Code",
            .readLocalSupportedCodecs: "Read Local Supported Codecs [v1]",
            .leSetPeriodicAdvertisingParameters: "LE Set Periodic Advertising Parameters [v1]",
            .leSetPeriodicAdvertisingData: "LE Set Periodic Advertising Data",
            .leSetPeriodicAdvertisingEnable: "LE Set Periodic Advertising Enable",
            .lePeriodicAdvertisingCreateSync: "LE Periodic Advertising Create Sync",
            .lePeriodicAdvertisingCreateSyncCancel: "LE Periodic Advertising Create Sync Cancel",
            .lePeriodicAdvertisingTerminateSync: "LE Periodic Advertising Terminate Sync",
            .leAddDeviceToPeriodicAdvertiserList: "LE Add Device To Periodic Advertiser List",
            .leRemoveDeviceFromPeriodicAdvertiserList: "LE Remove Device From Periodic Advertiser List",
            .leClearPeriodicAdvertiserList: "LE Clear Periodic Advertiser List",
            .leReadPeriodicAdvertiserListSize: "LE Read Periodic Advertiser List Size",
            .leSetPeriodicAdvertisingReceiveEnable: "LE Set Periodic Advertising Receive Enable",
            .lePeriodicAdvertisingSyncTransfer: "LE Periodic Advertising Sync Transfer",
            .lePeriodicAdvertisingSetInfoTransfer: "LE Periodic Advertising Set Info Transfer",
            .leSetPeriodicAdvertisingSyncTransferParameters: "LE Set Periodic Advertising Sync Transfer Parameters",
            .leSetDefaultPeriodicAdvertisingSyncTransferParameters:
                "LE Set Default Periodic Advertising Sync Transfer Parameters",
            .leGenerateDHKeyV2: "LE Generate DHKey [v2]",
            .leSetHostFeature: "LE Set Host Feature [v1]",
        ]
    }
}
