// attnscope.h: all that an exercise needs. One kind of value, Tensor, and functions that find one
// element of it.
//
// A Tensor does not hold its numbers. It says where they lie and how to find them:
//
//   element [i, j] lies at storage[offset + i * stride[0] + j * stride[1]]
//
// So the same numbers can be looked at in two ways, without moving one of them. Your function never
// makes storage: it is given tensors and fills the one that is meant for its result.
#ifndef ATTNSCOPE_H
#define ATTNSCOPE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TENSOR_RANK_MAX = 6 };

// What an element is: a float, an int64_t, or a flag (0 or 1).
typedef enum Dtype { DTYPE_F32, DTYPE_I64, DTYPE_BOOL } Dtype;

typedef struct Tensor {
    union {
        void *bytes;
        float *f32;
        int64_t *i64;
        unsigned char *boolean;
    } storage; // where the numbers lie
    Dtype dtype;
    int rank;                          // how many axes
    ptrdiff_t offset;                  // where element [0, 0, ...] lies in storage
    ptrdiff_t shape[TENSOR_RANK_MAX];  // how long each axis is
    ptrdiff_t stride[TENSOR_RANK_MAX]; // how far the next element of each axis is, in elements
} Tensor;

// The place of one float, to read it or to write it:
//
//   float x = *tensor_at2(q, i, d);
//   *tensor_at2(scores, i, j) = x;
//
// The number at the end says how many axes the tensor has.
static inline float *tensor_at1(const Tensor *t, ptrdiff_t i)
{
    return &t->storage.f32[t->offset + i * t->stride[0]];
}

static inline float *tensor_at2(const Tensor *t, ptrdiff_t i, ptrdiff_t j)
{
    return &t->storage.f32[t->offset + i * t->stride[0] + j * t->stride[1]];
}

static inline float *tensor_at3(const Tensor *t, ptrdiff_t i, ptrdiff_t j, ptrdiff_t k)
{
    return &t->storage.f32[t->offset + i * t->stride[0] + j * t->stride[1] + k * t->stride[2]];
}

static inline float *tensor_at4(const Tensor *t, ptrdiff_t i, ptrdiff_t j, ptrdiff_t k, ptrdiff_t l)
{
    return &t->storage.f32[t->offset + i * t->stride[0] + j * t->stride[1] + k * t->stride[2] +
                           l * t->stride[3]];
}

// The same for token ids and lengths (int64_t) ...
static inline int64_t *tensor_id1(const Tensor *t, ptrdiff_t i)
{
    return &t->storage.i64[t->offset + i * t->stride[0]];
}

static inline int64_t *tensor_id2(const Tensor *t, ptrdiff_t i, ptrdiff_t j)
{
    return &t->storage.i64[t->offset + i * t->stride[0] + j * t->stride[1]];
}

// ... and for flags: a mask holds 1 where a key must not be looked at.
static inline unsigned char *tensor_flag2(const Tensor *t, ptrdiff_t i, ptrdiff_t j)
{
    return &t->storage.boolean[t->offset + i * t->stride[0] + j * t->stride[1]];
}

static inline unsigned char *tensor_flag4(const Tensor *t, ptrdiff_t i, ptrdiff_t j, ptrdiff_t k,
                                          ptrdiff_t l)
{
    return &t->storage.boolean[t->offset + i * t->stride[0] + j * t->stride[1] + k * t->stride[2] +
                               l * t->stride[3]];
}

#endif
