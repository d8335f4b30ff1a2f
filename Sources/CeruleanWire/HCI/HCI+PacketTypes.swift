// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// The packet type that an opcode stands for; nil for commands without a description here.
    public static func commandType(of opcode: Opcode) -> (any HCICommandPacket.Type)? {
        PacketTypes.commands[opcode.rawValue]
    }

    /// The packet type that an event code stands for; nil for LE Meta, and for events without a description here.
    public static func eventType(of code: EventCode) -> (any HCIEvent.Type)? { PacketTypes.events[code.rawValue] }

    /// The packet type that a subevent of LE Meta stands for; nil for subevents without a description here.
    public static func eventType(of subevent: LESubevent) -> (any HCILEEvent.Type)? {
        PacketTypes.leEvents[subevent.rawValue]
    }
}

/// Every described packet by its number.
private enum PacketTypes {
    static let commands: [UInt16: any HCICommandPacket.Type] = {
        let all: [any HCICommandPacket.Type] = [
            HCI.HostNumberOfCompletedPackets.self, HCI.Disconnect.self, HCI.ReadRemoteVersionInformation.self,
            HCI.SetEventMask.self, HCI.Reset.self, HCI.ReadTransmitPowerLevel.self,
            HCI.SetControllerToHostFlowControl.self, HCI.HostBufferSize.self, HCI.SetEventMaskPage2.self,
            HCI.ReadLocalVersionInformation.self, HCI.ReadLocalSupportedFeatures.self, HCI.ReadBufferSize.self,
            HCI.ReadBDADDR.self, HCI.ReadRSSI.self, HCI.ReadLocalExtendedFeatures.self, HCI.ReadCountryCode.self,
            HCI.ReadAuthenticatedPayloadTimeout.self, HCI.WriteAuthenticatedPayloadTimeout.self,
            HCI.LESetHostFeature.self, HCI.ReadLocalSupportedCodecs.self, HCI.LESetRandomAddress.self,
            HCI.LESetAdvertisingParameters.self, HCI.LEReadAdvertisingChannelTXPower.self,
            HCI.LESetAdvertisingData.self, HCI.LESetScanResponseData.self, HCI.LESetAdvertisingEnable.self,
            HCI.LESetScanParameters.self, HCI.LESetScanEnable.self, HCI.LEReadFilterAcceptListSize.self,
            HCI.LEClearFilterAcceptList.self, HCI.LEAddDeviceToFilterAcceptList.self,
            HCI.LERemoveDeviceFromFilterAcceptList.self, HCI.LECreateConnection.self,
            HCI.LECreateConnectionCancel.self, HCI.LEConnectionUpdate.self, HCI.LESetHostChannelClassification.self,
            HCI.LEReadChannelMap.self, HCI.LEReadRemoteFeatures.self,
            HCI.LERemoteConnectionParameterRequestReply.self,
            HCI.LERemoteConnectionParameterRequestNegativeReply.self, HCI.LESetEventMask.self,
            HCI.LEReadBufferSize.self, HCI.LEReadBufferSizeV2.self, HCI.LEReadLocalSupportedFeatures.self,
            HCI.LEEncrypt.self, HCI.LERand.self, HCI.LEEnableEncryption.self, HCI.LELongTermKeyRequestReply.self,
            HCI.LELongTermKeyRequestNegativeReply.self, HCI.LEReadSupportedStates.self, HCI.LEReadTransmitPower.self,
            HCI.LESetAdvertisingSetRandomAddress.self, HCI.LESetExtendedAdvertisingParameters.self,
            HCI.LESetExtendedAdvertisingData.self, HCI.LESetExtendedScanResponseData.self,
            HCI.LESetExtendedAdvertisingEnable.self, HCI.LEReadMaximumAdvertisingDataLength.self,
            HCI.LEReadNumberOfSupportedAdvertisingSets.self, HCI.LERemoveAdvertisingSet.self,
            HCI.LEClearAdvertisingSets.self, HCI.LESetExtendedScanParameters.self, HCI.LESetExtendedScanEnable.self,
            HCI.LEExtendedCreateConnection.self, HCI.LESetDataLength.self, HCI.LEReadSuggestedDefaultDataLength.self,
            HCI.LEWriteSuggestedDefaultDataLength.self, HCI.LEReadMaximumDataLength.self, HCI.LEReadPHY.self,
            HCI.LESetDefaultPHY.self, HCI.LESetPHY.self, HCI.LESetPeriodicAdvertisingParameters.self,
            HCI.LESetPeriodicAdvertisingData.self, HCI.LESetPeriodicAdvertisingEnable.self,
            HCI.LEPeriodicAdvertisingCreateSync.self, HCI.LEPeriodicAdvertisingCreateSyncCancel.self,
            HCI.LEPeriodicAdvertisingTerminateSync.self, HCI.LEAddDeviceToPeriodicAdvertiserList.self,
            HCI.LERemoveDeviceFromPeriodicAdvertiserList.self, HCI.LEClearPeriodicAdvertiserList.self,
            HCI.LEReadPeriodicAdvertiserListSize.self, HCI.LESetPeriodicAdvertisingReceiveEnable.self,
            HCI.LEPeriodicAdvertisingSyncTransfer.self, HCI.LEPeriodicAdvertisingSetInfoTransfer.self,
            HCI.LESetPeriodicAdvertisingSyncTransferParameters.self,
            HCI.LESetDefaultPeriodicAdvertisingSyncTransferParameters.self, HCI.LEAddDeviceToResolvingList.self,
            HCI.LERemoveDeviceFromResolvingList.self, HCI.LEClearResolvingList.self,
            HCI.LEReadResolvingListSize.self, HCI.LEReadPeerResolvableAddress.self,
            HCI.LEReadLocalResolvableAddress.self, HCI.LESetAddressResolutionEnable.self,
            HCI.LESetResolvablePrivateAddressTimeout.self, HCI.LESetPrivacyMode.self,
            HCI.LEReadLocalP256PublicKey.self, HCI.LEGenerateDHKey.self, HCI.LEGenerateDHKeyV2.self,
            HCI.ReadLocalSupportedCommands.self,
        ]
        return Dictionary(all.map { ($0.opcode.rawValue, $0) }) { first, _ in first }
    }()

    static let events: [UInt8: any HCIEvent.Type] = {
        let all: [any HCIEvent.Type] = [
            HCI.NumberOfCompletedPackets.self, HCI.DisconnectionComplete.self, HCI.EncryptionChange.self,
            HCI.EncryptionChangeV2.self, HCI.ReadRemoteVersionInformationComplete.self, HCI.CommandComplete.self,
            HCI.CommandStatus.self, HCI.HardwareError.self, HCI.EncryptionKeyRefreshComplete.self,
            HCI.DataBufferOverflow.self, HCI.AuthenticatedPayloadTimeoutExpired.self,
        ]
        return Dictionary(all.map { ($0.code.rawValue, $0) }) { first, _ in first }
    }()

    static let leEvents: [UInt8: any HCILEEvent.Type] = {
        let all: [any HCILEEvent.Type] = [
            HCI.LEAdvertisingReport.self, HCI.LEExtendedAdvertisingReport.self, HCI.LEDirectedAdvertisingReport.self,
            HCI.LEConnectionComplete.self, HCI.LEEnhancedConnectionComplete.self,
            HCI.LEConnectionUpdateComplete.self, HCI.LEReadRemoteFeaturesComplete.self,
            HCI.LELongTermKeyRequest.self, HCI.LERemoteConnectionParameterRequest.self, HCI.LEDataLengthChange.self,
            HCI.LEPHYUpdateComplete.self, HCI.LEAdvertisingSetTerminated.self, HCI.LEChannelSelectionAlgorithm.self,
            HCI.LEPeriodicAdvertisingSyncEstablished.self, HCI.LEPeriodicAdvertisingReport.self,
            HCI.LEPeriodicAdvertisingSyncLost.self, HCI.LEPeriodicAdvertisingSyncTransferReceived.self,
            HCI.LEScanTimeout.self, HCI.LEScanRequestReceived.self, HCI.LEReadLocalP256PublicKeyComplete.self,
            HCI.LEGenerateDHKeyComplete.self,
        ]
        return Dictionary(all.map { ($0.subevent.rawValue, $0) }) { first, _ in first }
    }()
}
