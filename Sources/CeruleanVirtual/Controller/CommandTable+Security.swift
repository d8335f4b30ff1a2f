// SPDX-License-Identifier: Apache-2.0

import CCeruleanCrypto
import CeruleanWire

extension CommandTable {
    /// Commands for encryption and keys.
    static let securityCommands: [HCI.Opcode: Handler] = Dictionary(uniqueKeysWithValues: [
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
            var result = [UInt8](repeating: 0xFF, count: 32)
            let own = secret.bigEndian
            let status = unsafe cerulean_p256_ecdh(own, command.x.bigEndian, command.y.bigEndian, &result)
            let isValid = status == 0
            let key = Value256(bigEndian: result) ?? .zero
            controller.afterAnswer.append { [unowned controller] in
                controller.emit(
                    HCI.LEGenerateDHKeyComplete(status: isValid ? .success : .invalidParameters, key: key))
            }
        },
    ])
}
