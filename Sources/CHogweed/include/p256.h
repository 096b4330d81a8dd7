#ifndef MESH_GATEWAY_P256_H
#define MESH_GATEWAY_P256_H

#include <stdbool.h>
#include <stdint.h>

/* The curve P-256 of libhogweed (nettle's half with public keys), loaded with dlopen(3) when a key is used: in the daemon GnuTLS has
   brought it and libgmp already, and no start binds a function more. Functions are found by name and have the types of Debian's
   headers. Numbers are big-endian and always of full length. Any thread may call, once it is loaded. */

enum { MG_P256_NUMBER = 32, MG_P256_POINT = 65, MG_P256_SIGNATURE = 64 };

/* Loads the library. NULL on success, else the text of dlerror(3). One thread. */
const char *mg_p256_load(void);

/* The public key of a private one: 4, x, y. False: the number is 0, or not below the order of the curve. */
bool mg_p256_public_key(const uint8_t *scalar, uint8_t *point);

/* Whether 65 bytes are 4, x, y of a point on the curve. */
bool mg_p256_is_point(const uint8_t *point);

/* ECDH: x of the point that both sides get. False: one of the two is no key. */
bool mg_p256_shared(const uint8_t *scalar, const uint8_t *point, uint8_t *secret);

/* ECDSA over a SHA-256: r, s. False: the number is no key. */
bool mg_p256_sign(const uint8_t *scalar, const uint8_t *digest, uint8_t *signature);

bool mg_p256_verify(const uint8_t *point, const uint8_t *digest, const uint8_t *signature);

#endif
