// digest: sha256 by nettle over canonical bytes; see digest.h.
#include "digest.h"

#include <math.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

enum { NAN_BITS = 0x7fc00000 };

static void put_little_endian(unsigned char *bytes, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static size_t element_bytes(const Tensor *tensor, ptrdiff_t place, unsigned char bytes[8])
{
    switch (tensor->dtype) {
    case DTYPE_F32: {
        float number = tensor->storage.f32[place];
        uint32_t bits = NAN_BITS;
        if (!isnan(number))
            memcpy(&bits, &number, sizeof bits);
        put_little_endian(bytes, bits, 4);
        return 4;
    }
    case DTYPE_I64:
        put_little_endian(bytes, (uint64_t)tensor->storage.i64[place], 8);
        return 8;
    case DTYPE_BOOL:
        bytes[0] = tensor->storage.boolean[place];
        return 1;
    }
    return 0;
}

const char *tensor_digest(const Tensor *tensor, char text[DIGEST_TEXT_MAX])
{
    struct sha256_ctx sha;
    sha256_init(&sha);

    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    unsigned char block[4096];
    size_t filled = 0;
    for (bool more = tensor_count(tensor) > 0; more; more = tensor_next(tensor, at)) {
        filled += element_bytes(tensor, tensor_place(tensor, at), block + filled);
        if (filled > sizeof block - 8) {
            sha256_update(&sha, filled, block);
            filled = 0;
        }
    }
    sha256_update(&sha, filled, block);

    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(&sha, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return text;
}
