// SPDX-License-Identifier: Apache-2.0

import CCeruleanCrypto
import CeruleanWire

extension CommandTable {
    /// Commands for encryption and keys.
    static let securityCommands: [Entry] = [
        complete(HCI.LEEncrypt.self) { (_, command) throws(Refusal) in
            guard let key = Value128(littleEndian: command.key), let block = Value128(littleEndian: command.plaintext)
            else { throw Refusal(.invalidParameters) }
            var result = [UInt8](repeating: 0, count: 16)
            guard unsafe cerulean_aes128_encrypt(key.bigEndian, block.bigEndian, &result) == 0,
                let ciphertext = Value128(bigEndian: result)
            else { throw Refusal(.hardwareFailure) }
            return .init(ciphertext: ciphertext.littleEndian)
        },
        status(HCI.LEEnableEncryption.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            guard end.role == .central, !end.isEncrypting, !end.disconnectRequested else {
                throw Refusal(.commandDisallowed)
            }
            end.link.startEncryption(
                end, diversifier: command.diversifier, random: command.random, key: command.key)
        },
        complete(HCI.LELongTermKeyRequestReply.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            guard end.awaitsKey else { throw Refusal(.commandDisallowed) }
            end.link.gotKey(command.key, end)
            return .init(handle: command.handle)
        },
        complete(HCI.LELongTermKeyRequestNegativeReply.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            guard end.awaitsKey else { throw Refusal(.commandDisallowed) }
            end.link.gotKey(nil, end)
            return .init(handle: command.handle)
        },
        status(HCI.LEReadLocalP256PublicKey.self) { (controller, _) throws(Refusal) in
            let random = (0..<4).map { _ in controller.air.random.next() }
            let secret = Value256(
                high: UInt128(random[0]) << 64 | UInt128(random[1]), low: UInt128(random[2]) << 64 | UInt128(random[3]))
            var x = [UInt8](repeating: 0, count: 32)
            var y = x
            guard unsafe cerulean_p256_public(secret.bigEndian, &x, &y) == 0, let x = Value256(bigEndian: x),
                let y = Value256(bigEndian: y)
            else { throw Refusal(.hardwareFailure) }
            controller.privateKey = secret
            controller.afterAnswer.append { [unowned controller] in
                controller.emit(HCI.LEReadLocalP256PublicKeyComplete(status: .success, x: x, y: y))
            }
        },
        status(HCI.LEGenerateDHKey.self) { (controller, command) throws(Refusal) in
            // A public key must have been read first. Core 5.4, Vol 4, Part E, 7.8.37.
            guard let secret = controller.privateKey else { throw Refusal(.commandDisallowed) }
            controller.generateKey(secret, command.x, command.y)
        },
        status(HCI.LEGenerateDHKeyV2.self) { (controller, command) throws(Refusal) in
            switch command.keyType {
            case 0:
                guard let secret = controller.privateKey else { throw Refusal(.commandDisallowed) }
                controller.generateKey(secret, command.x, command.y)
            case 1: controller.generateKey(debugKey, command.x, command.y)
            default: throw Refusal(.invalidParameters)
            }
        },
    ].map { $0.requiring(.encryption) }

    /// The private key that everybody knows. Core 5.4, Vol 3, Part H, 2.3.5.6.1.
    private static let debugKey = Value256(
        high: 0x3F49_F6D4_A3C5_5F38_74C9_B3E3_D210_3F50, low: 0x4AFF_607B_EB40_B799_5899_B8A6_CD3C_1ABD)
}

extension VirtualController {
    /// Computes the Diffie-Hellman key; the result follows the answer to the command.
    fileprivate func generateKey(_ secret: Value256, _ x: Value256, _ y: Value256) {
        var result = [UInt8](repeating: 0xFF, count: 32)
        let status = unsafe cerulean_p256_ecdh(secret.bigEndian, x.bigEndian, y.bigEndian, &result)
        let isValid = status == 0
        let key = Value256(bigEndian: result) ?? .zero
        afterAnswer.append { [unowned self] in
            emit(HCI.LEGenerateDHKeyComplete(status: isValid ? .success : .invalidParameters, key: key))
        }
    }
}
