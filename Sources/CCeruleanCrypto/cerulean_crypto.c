// SPDX-License-Identifier: Apache-2.0
#include "cerulean_crypto.h"

#if defined(__linux__) || __has_include(<openssl/evp.h>)

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <string.h>

// Fetching an algorithm takes locks and text comparisons: it is done once.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static EVP_CIPHER *aes_ecb;
static EVP_MAC *cmac;

static void fetch(void) {
    aes_ecb = EVP_CIPHER_fetch(NULL, "AES-128-ECB", NULL);
    cmac = EVP_MAC_fetch(NULL, "CMAC", NULL);
}

int cerulean_aes128_encrypt(const uint8_t key[16], const uint8_t block[16], uint8_t out[16]) {
    int result = CERULEAN_CRYPTO_UNAVAILABLE;
    int count = 0;
    uint8_t sealed[16];
    pthread_once(&once, fetch);
    if (!aes_ecb) return result;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context && EVP_EncryptInit_ex2(context, aes_ecb, key, NULL, NULL) == 1 &&
        EVP_CIPHER_CTX_set_padding(context, 0) == 1 && EVP_EncryptUpdate(context, sealed, &count, block, 16) == 1 &&
        count == 16) {
        memcpy(out, sealed, 16);
        result = CERULEAN_CRYPTO_OK;
    }
    OPENSSL_cleanse(sealed, sizeof sealed);
    EVP_CIPHER_CTX_free(context);
    return result;
}

int cerulean_aes_cmac(const uint8_t key[16], const uint8_t *message, size_t count, uint8_t out[16]) {
    int result = CERULEAN_CRYPTO_UNAVAILABLE;
    size_t length = 0;
    uint8_t tag[16];
    char cipher[] = "AES-128-CBC";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0), OSSL_PARAM_construct_end()};
    pthread_once(&once, fetch);
    if (!cmac) return result;
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(cmac);
    if (context && EVP_MAC_init(context, key, 16, parameters) == 1 &&
        (count == 0 || EVP_MAC_update(context, message, count) == 1) &&
        EVP_MAC_final(context, tag, &length, sizeof tag) == 1 && length == 16) {
        memcpy(out, tag, 16);
        result = CERULEAN_CRYPTO_OK;
    }
    OPENSSL_cleanse(tag, sizeof tag);
    EVP_MAC_CTX_free(context);
    return result;
}

int cerulean_random(uint8_t *out, size_t count) {
    if (count > INT_MAX) return CERULEAN_CRYPTO_UNAVAILABLE;
    return RAND_priv_bytes(out, (int)count) == 1 ? CERULEAN_CRYPTO_OK : CERULEAN_CRYPTO_UNAVAILABLE;
}

// The uncompressed form of a point: 04, x, y.
static void join(uint8_t point[65], const uint8_t x[32], const uint8_t y[32]) {
    point[0] = 0x04;
    memcpy(point + 1, x, 32);
    memcpy(point + 33, y, 32);
}

static EVP_PKEY *key_from(OSSL_PARAM *parameters, int selection) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (!context || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, selection, parameters) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

// A public key after full validation; null when it is none.
static EVP_PKEY *public_key(const uint8_t x[32], const uint8_t y[32]) {
    uint8_t point[65];
    char group[] = "P-256";
    join(point, x, y);
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
                               OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point),
                               OSSL_PARAM_construct_end()};
    EVP_PKEY *key = key_from(parameters, EVP_PKEY_PUBLIC_KEY);
    if (!key) return NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (!context || EVP_PKEY_public_check(context) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

int cerulean_p256_public(const uint8_t private_key[32], uint8_t public_x[32], uint8_t public_y[32]) {
    int result = CERULEAN_CRYPTO_UNAVAILABLE;
    uint8_t encoded[65];
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    BIGNUM *scalar = BN_secure_new();
    EC_POINT *point = group ? EC_POINT_new(group) : NULL;
    if (group && scalar && point && BN_bin2bn(private_key, 32, scalar)) {
        BN_set_flags(scalar, BN_FLG_CONSTTIME);
        if (BN_is_zero(scalar) || BN_cmp(scalar, EC_GROUP_get0_order(group)) >= 0) {
            result = CERULEAN_CRYPTO_INVALID_KEY;
        } else if (EC_POINT_mul(group, point, scalar, NULL, NULL, NULL) == 1 &&
                   EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, encoded, sizeof encoded, NULL) ==
                       sizeof encoded) {
            memcpy(public_x, encoded + 1, 32);
            memcpy(public_y, encoded + 33, 32);
            result = CERULEAN_CRYPTO_OK;
        }
    }
    EC_POINT_free(point);
    BN_clear_free(scalar);
    EC_GROUP_free(group);
    return result;
}

int cerulean_p256_generate(uint8_t private_key[32], uint8_t public_x[32], uint8_t public_y[32]) {
    int result = CERULEAN_CRYPTO_UNAVAILABLE;
    uint8_t secret[32];
    BIGNUM *scalar = NULL;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    if (key && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &scalar) == 1 &&
        BN_bn2binpad(scalar, secret, 32) == 32) {
        result = cerulean_p256_public(secret, public_x, public_y);
        if (result == CERULEAN_CRYPTO_OK) memcpy(private_key, secret, 32);
    }
    OPENSSL_cleanse(secret, sizeof secret);
    BN_clear_free(scalar);
    EVP_PKEY_free(key);
    return result;
}

int cerulean_p256_validate(const uint8_t public_x[32], const uint8_t public_y[32]) {
    EVP_PKEY *key = public_key(public_x, public_y);
    if (!key) return CERULEAN_CRYPTO_INVALID_KEY;
    EVP_PKEY_free(key);
    return CERULEAN_CRYPTO_OK;
}

int cerulean_p256_ecdh(
    const uint8_t private_key[32], const uint8_t peer_x[32], const uint8_t peer_y[32], uint8_t shared_x[32]) {
    uint8_t x[32], y[32], point[65], secret[32];
    uint8_t native[32];
    char group[] = "P-256";
    size_t count = sizeof secret;
    int result = cerulean_p256_public(private_key, x, y);
    if (result != CERULEAN_CRYPTO_OK) return result;
    EVP_PKEY *peer = public_key(peer_x, peer_y);
    if (!peer) return CERULEAN_CRYPTO_INVALID_KEY;
    join(point, x, y);
    BIGNUM *scalar = BN_secure_new();
    result = CERULEAN_CRYPTO_UNAVAILABLE;
    if (scalar && BN_bin2bn(private_key, 32, scalar) && BN_bn2nativepad(scalar, native, 32) == 32) {
        OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
                                   OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point),
                                   OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, sizeof native),
                                   OSSL_PARAM_construct_end()};
        EVP_PKEY *own = key_from(parameters, EVP_PKEY_KEYPAIR);
        EVP_PKEY_CTX *context = own ? EVP_PKEY_CTX_new_from_pkey(NULL, own, NULL) : NULL;
        if (context && EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, peer) == 1 &&
            EVP_PKEY_derive(context, secret, &count) == 1 && count == 32) {
            memcpy(shared_x, secret, 32);
            result = CERULEAN_CRYPTO_OK;
        }
        EVP_PKEY_CTX_free(context);
        EVP_PKEY_free(own);
    }
    OPENSSL_cleanse(secret, sizeof secret);
    OPENSSL_cleanse(native, sizeof native);
    BN_clear_free(scalar);
    EVP_PKEY_free(peer);
    return result;
}

int cerulean_equal(const uint8_t *a, const uint8_t *b, size_t count) { return CRYPTO_memcmp(a, b, count) == 0; }

#else

// No libcrypto on this platform: everything is refused, nothing is skipped.
int cerulean_aes128_encrypt(const uint8_t key[16], const uint8_t block[16], uint8_t out[16]) {
    return CERULEAN_CRYPTO_UNAVAILABLE;
}
int cerulean_aes_cmac(const uint8_t key[16], const uint8_t *message, size_t count, uint8_t out[16]) {
    return CERULEAN_CRYPTO_UNAVAILABLE;
}
int cerulean_random(uint8_t *out, size_t count) { return CERULEAN_CRYPTO_UNAVAILABLE; }
int cerulean_p256_generate(uint8_t private_key[32], uint8_t public_x[32], uint8_t public_y[32]) {
    return CERULEAN_CRYPTO_UNAVAILABLE;
}
int cerulean_p256_public(const uint8_t private_key[32], uint8_t public_x[32], uint8_t public_y[32]) {
    return CERULEAN_CRYPTO_UNAVAILABLE;
}
int cerulean_p256_validate(const uint8_t public_x[32], const uint8_t public_y[32]) {
    return CERULEAN_CRYPTO_UNAVAILABLE;
}
int cerulean_p256_ecdh(
    const uint8_t private_key[32], const uint8_t peer_x[32], const uint8_t peer_y[32], uint8_t shared_x[32]) {
    return CERULEAN_CRYPTO_UNAVAILABLE;
}
int cerulean_equal(const uint8_t *a, const uint8_t *b, size_t count) { return 0; }

#endif
