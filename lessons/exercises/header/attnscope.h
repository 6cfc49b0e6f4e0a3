// attnscope.h: everything an exercise needs. One type, Tensor, and functions that find one element
// of it.
//
// A Tensor does not contain its numbers. It says where they are and how to find them:
//
//   element [i, j] is storage[offset + i * stride[0] + j * stride[1]]
//
// So two tensors can show the same numbers in different ways, and no number moves. Your function
// never allocates a tensor: it gets all its tensors, and fills the one for the result.
#ifndef ATTNSCOPE_H
#define ATTNSCOPE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TENSOR_RANK_MAX = 6 };

// The type of the elements: float, int64_t, or a flag (0 or 1).
typedef enum Dtype { DTYPE_F32, DTYPE_I64, DTYPE_BOOL } Dtype;

typedef struct Tensor {
    union {
        void *bytes;
        float *f32;
        int64_t *i64;
        unsigned char *boolean;
    } storage; // where the numbers are
    Dtype dtype;
    int rank;                          // number of axes
    ptrdiff_t offset;                  // index of element [0, 0, ...] in storage
    ptrdiff_t shape[TENSOR_RANK_MAX];  // length of each axis
    ptrdiff_t stride[TENSOR_RANK_MAX]; // distance to the next element along each axis, in elements
} Tensor;

// A pointer to one float, to read or write it:
//
//   float x = *tensor_at2(q, i, d);
//   *tensor_at2(scores, i, j) = x;
//
// The number at the end of the name is the number of axes.
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

// ... and for flags: a mask holds 1 for a key that no query may look at.
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
