// Numbers as bytes (tensor_formats.h), their sha256, and base64 (digest.h). Uses nettle.
#include <math.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include "digest.h"
#include "store_words.def"
#include "tensor_formats.h"

// --- sha256

static const char *finish(struct sha256_ctx *sha, char text[DIGEST_TEXT_MAX])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(sha, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return text;
}

const char *bytes_digest(const void *bytes, size_t length, char text[DIGEST_TEXT_MAX])
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    sha256_update(&sha, length, bytes);
    return finish(&sha, text);
}

const char *tensor_digest(const Tensor *tensor, char text[DIGEST_TEXT_MAX])
{
    struct sha256_ctx sha;
    sha256_init(&sha);

    RawCursor cursor = raw_start(tensor);
    unsigned char block[4096];
    for (size_t filled; (filled = raw_next(&cursor, block, sizeof block)) > 0;)
        sha256_update(&sha, filled, block);
    return finish(&sha, text);
}

// --- base64

const char *base64_text(const void *bytes, size_t length, Arena *arena, Error *err)
{
    char *text = arena_take(arena, BASE64_ENCODE_RAW_LENGTH(length) + 1, 1, err);
    if (text)
        base64_encode_raw(text, length, bytes);
    return text;
}

unsigned char *base64_bytes(const char *text, size_t *length, Arena *arena, Error *err)
{
    struct base64_decode_ctx context;
    size_t room = strlen(text);
    *err = (Error){.text = ""};
    unsigned char *bytes = arena_take(arena, BASE64_DECODE_LENGTH(room), 1, err);
    if (!bytes)
        return NULL;
    base64_decode_init(&context);
    return base64_decode_update(&context, length, bytes, room, text) &&
                   base64_decode_final(&context)
               ? bytes
               : NULL;
}

// --- numbers as bytes

enum { NAN_BITS = 0x7fc00000 };

size_t raw_element_bytes(RawKind kind)
{
    static const size_t sizes[] = {
        [RAW_OTHER] = 0, [RAW_F32] = 4, [RAW_I64] = 8,  [RAW_BOOL] = 1, [RAW_I32] = 4,
        [RAW_U8] = 1,    [RAW_F16] = 2, [RAW_BF16] = 2, [RAW_F64] = 8};
    return sizes[kind];
}

const char *raw_conversion(RawKind kind)
{
    const char *const words[] = {
        [RAW_F16] = TELL(RAW_HALF),
        [RAW_BF16] = TELL(RAW_BRAIN),
        [RAW_F64] = TELL(RAW_DOUBLE),
    };
    return words[kind];
}

bool raw_bytes_of(size_t element_bytes, int rank, const ptrdiff_t shape[], size_t *bytes)
{
    ptrdiff_t product = (ptrdiff_t)element_bytes;
    bool empty = false, fits = true;
    for (int axis = 0; axis < rank; axis++) {
        empty = empty || shape[axis] == 0;
        fits = fits && shape[axis] >= 0 &&
               !__builtin_mul_overflow(product, shape[axis] ? shape[axis] : 1, &product);
    }
    *bytes = empty ? 0 : (size_t)product;
    return fits;
}

uint64_t little_endian(const unsigned char *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

// little_endian for 4 bytes, which compilers turn into one load.
static inline uint32_t little_endian_4(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static float float_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// float16: 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits. float32 represents each exactly.
static float widen_f16(uint32_t half)
{
    uint32_t sign = half >> 15 << 31, exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
    if (exponent == 0x1f)
        return float_of(fraction ? NAN_BITS : sign | 0x7f800000);
    if (exponent == 0) { // zero and subnormals: multiples of 2^-24
        float size = (float)fraction * 0x1p-24f;
        return sign ? -size : size;
    }
    return float_of(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

// C rounds a double to the nearest float, ties to even, and to infinity beyond the largest. bfloat16 is the upper half
// of a float32.
static void read_floats(RawKind kind, const unsigned char *bytes, float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kind == RAW_F32) {
            numbers[i] = float_of(little_endian_4(bytes + 4 * i));
            continue;
        }
        if (kind == RAW_F16) {
            numbers[i] = widen_f16((uint32_t)little_endian(bytes + 2 * i, 2));
            continue;
        }
        double number = (double)float_of((uint32_t)little_endian(bytes + 2 * i, 2) << 16);
        uint64_t bits = kind == RAW_F64 ? little_endian(bytes + 8 * i, 8) : 0;
        if (kind == RAW_F64)
            memcpy(&number, &bits, sizeof number);
        numbers[i] = isnan(number) ? float_of(NAN_BITS) : (float)number;
    }
}

static void read_i64(RawKind kind, const unsigned char *bytes, int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (kind == RAW_I64)
            numbers[i] = (int64_t)little_endian(bytes + 8 * i, 8);
        else if (kind == RAW_I32)
            numbers[i] = (int32_t)little_endian(bytes + 4 * i, 4);
        else
            numbers[i] = bytes[i];
}

bool raw_read(const RawNumbers *stored, Arena *arena, Tensor *out, Error *err)
{
    RawKind kind = stored->kind;
    const unsigned char *bytes = stored->bytes;
    bool is_int = kind == RAW_I64 || kind == RAW_I32 || kind == RAW_U8;
    Dtype dtype = is_int ? DTYPE_I64 : kind == RAW_BOOL ? DTYPE_BOOL : DTYPE_F32;
    size_t size;
    char text[TENSOR_TEXT_MAX];
    if (!raw_bytes_of(dtype_size(dtype), stored->rank, stored->shape, &size))
        return error_set(err, TELL(RAW_LARGE),
                         tensor_shape_text(stored->rank, stored->shape, text));
    if (!tensor_take(arena, dtype, stored->rank, stored->shape, out, err))
        return false;
    size_t count = (size_t)tensor_count(out);
    if (dtype == DTYPE_F32)
        read_floats(kind, bytes, out->storage.f32, count);
    else if (dtype == DTYPE_I64)
        read_i64(kind, bytes, out->storage.i64, count);
    else
        for (size_t i = 0; i < count; i++)
            out->storage.boolean[i] = bytes[i] != 0;
    return true;
}

RawCursor raw_start(const Tensor *tensor)
{
    return (RawCursor){.tensor = tensor, .more = tensor_count(tensor) > 0};
}

size_t raw_next(RawCursor *cursor, unsigned char *bytes, size_t room)
{
    const Tensor *tensor = cursor->tensor;
    size_t size = dtype_size(tensor->dtype), filled = 0;
    while (cursor->more && filled + size <= room) {
        ptrdiff_t place = tensor_place(tensor, cursor->at);
        uint32_t bits = NAN_BITS;
        if (tensor->dtype == DTYPE_F32 && !isnan(tensor->storage.f32[place]))
            memcpy(&bits, &tensor->storage.f32[place], sizeof bits);
        uint64_t value = tensor->dtype == DTYPE_F32   ? bits
                         : tensor->dtype == DTYPE_I64 ? (uint64_t)tensor->storage.i64[place]
                                                      : tensor->storage.boolean[place];
        for (size_t i = 0; i < size; i++)
            bytes[filled++] = (unsigned char)(value >> (8 * i));
        cursor->more = tensor_next(tensor, cursor->at);
    }
    return filled;
}
