// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Testing

@Suite struct ErrorTests {
    @Test func codesHaveTheirNumbers() {
        let codes: [CBError.Code] = [
            .unknown, .invalidParameters, .invalidHandle, .notConnected, .outOfSpace, .operationCancelled,
            .connectionTimeout, .peripheralDisconnected, .uuidNotAllowed, .alreadyAdvertising, .connectionFailed,
            .connectionLimitReached, .unknownDevice, .operationNotSupported, .peerRemovedPairingInformation,
            .encryptionTimedOut, .tooManyLEPairedDevices, .leGattExceededBackgroundNotificationLimit,
            .leGattNearBackgroundNotificationLimit, .channelSoundingConfigurationFailed,
            .channelSoundingProcedureFailed,
        ]
        #expect(codes.map(\.rawValue) == Array(0...20))
        let answers: [CBATTError.Code] = [
            .success, .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPdu, .insufficientAuthentication,
            .requestNotSupported, .invalidOffset, .insufficientAuthorization, .prepareQueueFull, .attributeNotFound,
            .attributeNotLong, .insufficientEncryptionKeySize, .invalidAttributeValueLength, .unlikelyError,
            .insufficientEncryption, .unsupportedGroupType, .insufficientResources,
        ]
        #expect(answers.map(\.rawValue) == Array(0...0x11))
    }

    @Test("Checklist 33: errors are caught by their code")
    func errorsAreCaughtByTheirCode() {
        func fail() throws { throw CBError(.connectionTimeout) }
        do {
            try fail()
            Issue.record("nothing was thrown")
        } catch CBError.connectionTimeout {
        } catch {
            Issue.record("\(error) was not caught")
        }
        let error: any Error = CBATTError(.insufficientEncryption, userInfo: ["key": 1])
        #expect((error as? CBATTError)?.code == .insufficientEncryption)
        #expect((error as? CBATTError)?.userInfo["key"] as? Int == 1)
        #expect((error as NSError).domain == "CBATTErrorDomain")
        #expect((error as NSError).code == 0x0F)
        #expect(CBError(.unknown) == CBError(.unknown))
        #expect(CBError(.connectionTimeout).localizedDescription == "The connection has timed out unexpectedly.")
    }

    /// Foundation's own `code` ends the program for a number without a case.
    @Test(arguments: [0x80, 0xFF, 0xE0, -1, 1000])
    func numbersWithoutACaseDoNotTrap(number: Int) {
        let answer = CBATTError(_nsError: NSError(domain: CBATTErrorDomain, code: number))
        #expect(answer.code.rawValue == ((0...0xFF).contains(number) ? number : 0x0E))
        #expect(answer.errorCode == number)
        #expect((answer as NSError).code == number)
        let error = CBError(_nsError: NSError(domain: CBErrorDomain, code: number))
        #expect(error.code == .unknown)
        #expect(error.errorCode == number)
    }

    /// The numbers of applications and profiles are made as those with a name are.
    @Test func everyOctetIsACode() throws {
        for number in 0...0xFF {
            let code = try #require(CBATTError.Code(rawValue: number))
            #expect(code.rawValue == number)
            #expect(CBATTError(code).errorCode == number)
        }
        #expect(CBATTError.Code(rawValue: 0x100) == nil)
        #expect(CBATTError.Code(rawValue: -1) == nil)
    }
}
