// raw_numbers: see raw_numbers.h.
#include "raw_numbers.h"

#include <math.h>
#include <string.h>

enum { NAN_BITS = 0x7fc00000 };

size_t raw_element_bytes(RawKind kind)
{
    static const size_t sizes[] = {
        [RAW_OTHER] = 0, [RAW_F32] = 4, [RAW_I64] = 8, [RAW_BOOL] = 1, [RAW_I32] = 4, [RAW_U8] = 1};
    return sizes[kind];
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

static uint64_t little_endian(const unsigned char *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static void put_little_endian(unsigned char *bytes, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static void read_f32(const unsigned char *bytes, float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)little_endian(bytes + 4 * i, 4);
        memcpy(&numbers[i], &bits, sizeof bits);
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

bool raw_read(RawKind kind, const unsigned char *bytes, int rank, const ptrdiff_t shape[],
              Arena *arena, Tensor *out, Error *err)
{
    Dtype dtype = kind == RAW_F32 ? DTYPE_F32 : kind == RAW_BOOL ? DTYPE_BOOL : DTYPE_I64;
    size_t size;
    char text[TENSOR_TEXT_MAX];
    if (!raw_bytes_of(dtype_size(dtype), rank, shape, &size))
        return error_set(err, "shape %s is larger than any memory",
                         tensor_shape_text(rank, shape, text));
    if (!tensor_take(arena, dtype, rank, shape, out, err))
        return false;
    size_t count = (size_t)tensor_count(out);
    if (dtype == DTYPE_F32)
        read_f32(bytes, out->storage.f32, count);
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

static uint32_t float_bits(float number)
{
    uint32_t bits = NAN_BITS;
    if (!isnan(number))
        memcpy(&bits, &number, sizeof bits);
    return bits;
}

size_t raw_next(RawCursor *cursor, unsigned char *bytes, size_t room)
{
    const Tensor *tensor = cursor->tensor;
    size_t size = dtype_size(tensor->dtype), filled = 0;
    while (cursor->more && filled + size <= room) {
        ptrdiff_t place = tensor_place(tensor, cursor->at);
        uint64_t value = tensor->dtype == DTYPE_F32   ? float_bits(tensor->storage.f32[place])
                         : tensor->dtype == DTYPE_I64 ? (uint64_t)tensor->storage.i64[place]
                                                      : tensor->storage.boolean[place];
        put_little_endian(bytes + filled, value, size);
        filled += size;
        cursor->more = tensor_next(tensor, cursor->at);
    }
    return filled;
}
