// Numbers as the file formats store them: packed, little-endian, the last axis fastest. Bytes are
// put together one by one, so every machine reads and writes the same.
#ifndef RAW_NUMBERS_H
#define RAW_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include "arena.h"
#include "error.h"
#include "tensor.h"

// How a number is stored. int32 and uint8 become int64 in a tensor; float16, bfloat16 and float64
// become float32: the first two exactly, the last rounded to the nearest (halves to even). RAW_OTHER
// is not read.
typedef enum RawKind {
    RAW_OTHER,
    RAW_F32,
    RAW_I64,
    RAW_BOOL,
    RAW_I32,
    RAW_U8,
    RAW_F16,
    RAW_BF16,
    RAW_F64,
} RawKind;

// What becomes of numbers that are stored so, for the screen ("float16, widened to float32"); NULL
// where they stay what they are.
const char *raw_conversion(RawKind kind);

// How many bytes the numbers of a shape take in a file. False when they do not fit into memory's
// addresses, counting an axis of length 0 as 1, so that strides fit as well.
bool raw_bytes_of(size_t element_bytes, int rank, const ptrdiff_t shape[], size_t *bytes);
size_t raw_element_bytes(RawKind kind);

// A tensor's numbers as a file has them: as many bytes as raw_bytes_of says.
typedef struct RawNumbers {
    RawKind kind;
    const unsigned char *bytes;
    int rank;
    const ptrdiff_t *shape;
} RawNumbers;

// A contiguous tensor of them in the arena. False when the shape, at the width the tensor has in
// memory, does not fit.
bool raw_read(const RawNumbers *stored, Arena *arena, Tensor *out, Error *err);

// Goes over a tensor's numbers in index order, whatever its strides.
typedef struct RawCursor {
    const Tensor *tensor;
    ptrdiff_t at[TENSOR_RANK_MAX];
    bool more;
} RawCursor;

RawCursor raw_start(const Tensor *tensor);

// The next numbers as bytes: as many as fit whole into `room` (at least 8). Returns the bytes
// filled, 0 after the last number. Every NaN is 7fc00000, because NaN has no sign here.
size_t raw_next(RawCursor *cursor, unsigned char *bytes, size_t room);

#endif
