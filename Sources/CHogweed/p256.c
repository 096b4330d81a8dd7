#include "p256.h"

#include <dlfcn.h>
#include <nettle/bignum.h>
#include <nettle/dsa.h>
#include <nettle/ecc-curve.h>
#include <nettle/ecc.h>
#include <nettle/ecdsa.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The headers rename what they declare: a macro on the right is a symbol of the library. */
#define FUNCTIONS(F)                                                                                                   \
    F(get_curve, nettle_get_secp_256r1)                                                                                \
    F(point_init, nettle_ecc_point_init)                                                                               \
    F(point_clear, nettle_ecc_point_clear)                                                                             \
    F(point_set, nettle_ecc_point_set)                                                                                 \
    F(point_get, nettle_ecc_point_get)                                                                                 \
    F(point_mul, nettle_ecc_point_mul)                                                                                 \
    F(point_mul_g, nettle_ecc_point_mul_g)                                                                             \
    F(scalar_init, nettle_ecc_scalar_init)                                                                             \
    F(scalar_clear, nettle_ecc_scalar_clear)                                                                           \
    F(scalar_set, nettle_ecc_scalar_set)                                                                               \
    F(sign, nettle_ecdsa_sign)                                                                                         \
    F(verify, nettle_ecdsa_verify)                                                                                     \
    F(signature_init, nettle_dsa_signature_init)                                                                       \
    F(signature_clear, nettle_dsa_signature_clear)                                                                     \
    F(number_init, __gmpz_init)                                                                                        \
    F(number_clear, __gmpz_clear)                                                                                      \
    F(number_import, __gmpz_import)                                                                                    \
    F(number_export, __gmpz_export)                                                                                    \
    F(number_bits, __gmpz_sizeinbase)

#define MEMBER(name, symbol) __typeof__(symbol) *name;
static struct { FUNCTIONS(MEMBER) } library;

const char *mg_p256_load(void) {
    void *handle = dlopen("libhogweed.so.6", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    const char *why = NULL;
    /* libgmp's are found as well: it is a dependency of this library. */
#define FIND(name, symbol)                                                                                             \
    if (!why && !(library.name = (__typeof__(library.name))dlsym(handle, #symbol))) why = dlerror();
    FUNCTIONS(FIND)
    return why;
}

/* Numbers */

static void read_number(mpz_t number, const uint8_t *bytes) {
    library.number_import(number, MG_P256_NUMBER, 1, 1, 1, 0, bytes);
}

/* mpz_export leaves out leading zeros. False: the number has more bytes than there is room for. */
static bool write_number(uint8_t *bytes, const mpz_t number) {
    size_t count = (library.number_bits(number, 2) + 7) / 8;
    if (count > MG_P256_NUMBER) return false;
    memset(bytes, 0, MG_P256_NUMBER);
    library.number_export(bytes + MG_P256_NUMBER - count, NULL, 1, 1, 1, 0, number);
    return true;
}

/* Keys; a true answer is to be cleared */

static bool read_scalar(struct ecc_scalar *scalar, const uint8_t *bytes) {
    mpz_t number;
    library.number_init(number);
    read_number(number, bytes);
    library.scalar_init(scalar, library.get_curve());
    bool is_key = library.scalar_set(scalar, number);
    library.number_clear(number);
    if (!is_key) library.scalar_clear(scalar);
    return is_key;
}

static bool read_point(struct ecc_point *point, const uint8_t *bytes) {
    if (bytes[0] != 4) return false;
    mpz_t x, y;
    library.number_init(x);
    library.number_init(y);
    read_number(x, bytes + 1);
    read_number(y, bytes + 1 + MG_P256_NUMBER);
    library.point_init(point, library.get_curve());
    bool is_key = library.point_set(point, x, y);
    library.number_clear(x);
    library.number_clear(y);
    if (!is_key) library.point_clear(point);
    return is_key;
}

/* `y` may be NULL. */
static bool write_point(const struct ecc_point *point, uint8_t *x_bytes, uint8_t *y_bytes) {
    mpz_t x, y;
    library.number_init(x);
    library.number_init(y);
    library.point_get(point, x, y);
    bool is_written = write_number(x_bytes, x) && (!y_bytes || write_number(y_bytes, y));
    library.number_clear(x);
    library.number_clear(y);
    return is_written;
}

/* What is done with them */

bool mg_p256_public_key(const uint8_t *scalar_bytes, uint8_t *point_bytes) {
    struct ecc_scalar scalar;
    if (!read_scalar(&scalar, scalar_bytes)) return false;
    struct ecc_point point;
    library.point_init(&point, library.get_curve());
    library.point_mul_g(&point, &scalar);
    point_bytes[0] = 4;
    bool is_written = write_point(&point, point_bytes + 1, point_bytes + 1 + MG_P256_NUMBER);
    library.point_clear(&point);
    library.scalar_clear(&scalar);
    return is_written;
}

bool mg_p256_is_point(const uint8_t *bytes) {
    struct ecc_point point;
    if (!read_point(&point, bytes)) return false;
    library.point_clear(&point);
    return true;
}

bool mg_p256_shared(const uint8_t *scalar_bytes, const uint8_t *point_bytes, uint8_t *secret) {
    struct ecc_scalar scalar;
    if (!read_scalar(&scalar, scalar_bytes)) return false;
    struct ecc_point point;
    bool is_written = false;
    if (read_point(&point, point_bytes)) {
        /* The curve's order is prime: no point on it times a key is the point at infinity, which has no x. */
        library.point_mul(&point, &scalar, &point);
        is_written = write_point(&point, secret, NULL);
        library.point_clear(&point);
    }
    library.scalar_clear(&scalar);
    return is_written;
}

/* A nettle_random_func. It cannot fail, and getentropy(3) gives 256 bytes at once. */
static void draw(void *context, size_t count, uint8_t *bytes) {
    (void)context;
    while (count) {
        size_t part = count < 256 ? count : 256;
        if (getentropy(bytes, part)) abort();
        bytes += part;
        count -= part;
    }
}

bool mg_p256_sign(const uint8_t *scalar_bytes, const uint8_t *digest, uint8_t *bytes) {
    struct ecc_scalar scalar;
    if (!read_scalar(&scalar, scalar_bytes)) return false;
    struct dsa_signature signature;
    library.signature_init(&signature);
    library.sign(&scalar, NULL, draw, MG_P256_NUMBER, digest, &signature);
    bool is_written = write_number(bytes, signature.r) && write_number(bytes + MG_P256_NUMBER, signature.s);
    library.signature_clear(&signature);
    library.scalar_clear(&scalar);
    return is_written;
}

bool mg_p256_verify(const uint8_t *point_bytes, const uint8_t *digest, const uint8_t *bytes) {
    struct ecc_point point;
    if (!read_point(&point, point_bytes)) return false;
    struct dsa_signature signature;
    library.signature_init(&signature);
    read_number(signature.r, bytes);
    read_number(signature.s, bytes + MG_P256_NUMBER);
    bool is_good = library.verify(&point, MG_P256_NUMBER, digest, &signature);
    library.signature_clear(&signature);
    library.point_clear(&point);
    return is_good;
}
