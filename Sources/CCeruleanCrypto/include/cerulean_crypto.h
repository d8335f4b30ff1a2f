// SPDX-License-Identifier: Apache-2.0
#ifndef CERULEAN_CRYPTO_H
#define CERULEAN_CRYPTO_H

#include <stddef.h>
#include <stdint.h>

/// The cryptography that Bluetooth LE needs, as OpenSSL's libcrypto 3 gives it. All numbers are most significant octet first.
/// Every function returns one of these; outputs are written only with CERULEAN_CRYPTO_OK. All may be called from any thread.
enum {
    /// Done.
    CERULEAN_CRYPTO_OK = 0,
    /// The library lacks the algorithm, was not built in, or failed inside.
    CERULEAN_CRYPTO_UNAVAILABLE = 1,
    /// The public key is no point of the curve, a coordinate is not below the prime, or the private key is out of range.
    CERULEAN_CRYPTO_INVALID_KEY = 2,
};

/// AES-128 of one block.
int cerulean_aes128_encrypt(const uint8_t key[16], const uint8_t block[16], uint8_t out[16]);
/// AES-CMAC (RFC 4493) of `count` octets; `message` may be null when there are none.
int cerulean_aes_cmac(const uint8_t key[16], const uint8_t *message, size_t count, uint8_t out[16]);
/// Octets from the library's generator, seeded by the system.
int cerulean_random(uint8_t *out, size_t count);
/// A fresh key pair on P-256.
int cerulean_p256_generate(uint8_t private_key[32], uint8_t public_x[32], uint8_t public_y[32]);
/// The public half of a private key.
int cerulean_p256_public(const uint8_t private_key[32], uint8_t public_x[32], uint8_t public_y[32]);
/// Full validation: both coordinates below the prime, on the curve, not the point at infinity.
int cerulean_p256_validate(const uint8_t public_x[32], const uint8_t public_y[32]);
/// The x coordinate of the shared point, after full validation of the peer's key.
int cerulean_p256_ecdh(
    const uint8_t private_key[32], const uint8_t peer_x[32], const uint8_t peer_y[32], uint8_t shared_x[32]);
/// 1 if the octets are the same, in time that does not depend on where they differ.
int cerulean_equal(const uint8_t *a, const uint8_t *b, size_t count);

#endif
