// A strided view of numbers in memory, as in PyTorch.
//
// element [i0, i1, ...] lives at storage[offset + i0 * stride[0] + i1 * stride[1] + ...]
//
// A Tensor is a small value: copying it copies the view, never the numbers. The creator of the
// storage owns it. The outermost axis comes first, as papers and PyTorch write shapes. Offsets and
// strides count elements, not bytes; a stride of 0 repeats an element along its axis.
#ifndef TENSOR_H
#define TENSOR_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arena.h"
#include "error.h"

// --- indices

static inline ptrdiff_t index_min(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

static inline ptrdiff_t index_max(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

// Moves an index into low ... high; into `low` if the range is empty.
static inline ptrdiff_t index_clamp(ptrdiff_t index, ptrdiff_t low, ptrdiff_t high)
{
    return index_max(index_min(index, high), low);
}

// Moves an index by a distance of any size, within 0 ... last.
static inline ptrdiff_t index_move(ptrdiff_t index, ptrdiff_t by, ptrdiff_t last)
{
    return index_max(by > last - index ? last : by < -index ? 0 : index + by, 0);
}

// --- tensors

enum { TENSOR_RANK_MAX = 6 };

typedef enum Dtype { DTYPE_F32, DTYPE_I64, DTYPE_BOOL } Dtype;

typedef struct Tensor {
    union {
        void *bytes;
        float *f32;
        int64_t *i64;
        unsigned char *boolean; // 0 or 1
    } storage;                  // NULL: no tensor
    Dtype dtype;
    int rank; // 0 is a single number
    ptrdiff_t offset;
    ptrdiff_t shape[TENSOR_RANK_MAX];
    ptrdiff_t stride[TENSOR_RANK_MAX];
} Tensor;

// "float32", "int64", "bool"; the size of one element in bytes.
const char *dtype_name(Dtype dtype);
size_t dtype_size(Dtype dtype);

// A contiguous tensor over zeroed memory of the arena, which owns it. Returns false, with the shape
// and the number of bytes in err, if it does not fit.
bool tensor_take(Arena *arena, Dtype dtype, int rank, const ptrdiff_t shape[], Tensor *out,
                 Error *err);

// A contiguous tensor over memory owned by the caller.
Tensor tensor_over(void *storage, Dtype dtype, int rank, const ptrdiff_t shape[]);

// Counts the elements of a shape; false if a length is negative, or if the count does not fit into
// ptrdiff_t.
bool tensor_count_of(int rank, const ptrdiff_t shape[], ptrdiff_t *count);

// The number of elements of a tensor. Asserts that it fits, as it does if there is storage.
ptrdiff_t tensor_count(const Tensor *tensor);

// True if the elements are in storage in index order without gaps (axes of length 1 do not count),
// like PyTorch's Tensor.is_contiguous().
bool tensor_is_contiguous(const Tensor *tensor);

bool tensor_same_shape(const Tensor *a, const Tensor *b);

// The offset of element `at` in storage, in elements. Every index must be inside the shape.
ptrdiff_t tensor_place(const Tensor *tensor, const ptrdiff_t at[]);

// The number of storage elements up to and including the tensor's last; 0 if it is empty. Strides
// must not be negative.
ptrdiff_t tensor_span(const Tensor *tensor);

// The value of element `at`, for any dtype; a flag is 0 or 1. Exact except for integers beyond
// 2^53.
double tensor_number(const Tensor *tensor, const ptrdiff_t at[]);

// True if element `at` of two tensors of the same shape and dtype has the same bits; any two NaN
// are equal.
bool tensor_same_number(const Tensor *a, const Tensor *b, const ptrdiff_t at[]);

// Advances `at` to the next element in index order (last axis fastest); false after the last one.
bool tensor_next(const Tensor *tensor, ptrdiff_t at[]);

// The index of the element with this number in index order.
void tensor_unravel(const Tensor *tensor, ptrdiff_t number, ptrdiff_t at[]);

// The number of element `at` in index order.
ptrdiff_t tensor_ravel(const Tensor *tensor, const ptrdiff_t at[]);

// --- views: new ways to look at the same storage

// The tensor with axes a and b swapped. PyTorch: tensor.transpose(a, b).
Tensor tensor_transpose(const Tensor *tensor, int a, int b);

// The same elements in the same order under another shape. PyTorch: tensor.view(shape), with its
// rule: refused (with both shapes, and the strides if they are the reason) if the counts differ or
// no stride can express the new shape. No -1.
bool tensor_view(const Tensor *tensor, int rank, const ptrdiff_t shape[], Tensor *out, Error *err);

// Inserts an axis of length 1 before axis `axis`; removes axis `axis` of length 1. PyTorch:
// tensor.unsqueeze(axis), tensor.squeeze(axis).
Tensor tensor_unsqueeze(const Tensor *tensor, int axis);
Tensor tensor_squeeze(const Tensor *tensor, int axis);

// Elements start ... start+length-1 of one axis. PyTorch: tensor.narrow(axis, start, length). These three are
// inline, since fast stages call them for a small matrix of each head.
static inline Tensor tensor_narrow(const Tensor *tensor, int axis, ptrdiff_t start,
                                   ptrdiff_t length)
{
    assert(start >= 0 && length >= 0 && start + length <= tensor->shape[axis]);
    Tensor out = *tensor;
    out.offset += start * tensor->stride[axis];
    out.shape[axis] = length;
    return out;
}

// Element `index` of one axis, which is removed. PyTorch: tensor.select(axis, index).
static inline Tensor tensor_select(const Tensor *tensor, int axis, ptrdiff_t index)
{
    assert(index >= 0 && index < tensor->shape[axis]);
    Tensor out;
    out.storage = tensor->storage;
    out.dtype = tensor->dtype;
    out.rank = tensor->rank - 1;
    out.offset = tensor->offset + index * tensor->stride[axis];
    for (int i = 0; i + 1 < TENSOR_RANK_MAX; i++) {
        out.shape[i] = tensor->shape[i + (i >= axis)];
        out.stride[i] = tensor->stride[i + (i >= axis)];
    }
    out.shape[TENSOR_RANK_MAX - 1] = out.stride[TENSOR_RANK_MAX - 1] = 0;
    return out;
}

// tensor[i, j] without the first two axes: from rank 4 a matrix, and from the panels of a stack of
// matrices (matrix_product.h) the panels of one.
static inline Tensor tensor_matrix(const Tensor *tensor, ptrdiff_t i, ptrdiff_t j)
{
    assert(tensor->rank >= 4 && i >= 0 && i < tensor->shape[0] && j >= 0 && j < tensor->shape[1]);
    Tensor rest = tensor_select(tensor, 0, i);
    return tensor_select(&rest, 0, j);
}

// Repeats axes of length 1 (and adds axes in front) until the shape is `shape`: PyTorch's
// broadcasting, tensor.expand(shape). Returns false, with both shapes, if an axis is neither 1 nor
// equal.
bool tensor_expand(const Tensor *tensor, int rank, const ptrdiff_t shape[], Tensor *out,
                   Error *err);

// Copies every element of `from` to the same index of `to` (same shape and dtype).
void tensor_copy(const Tensor *from, const Tensor *to);

// --- words

// "(2, 3, 4)"; rank 1 gives "(5,)" and rank 0 "()", like PyTorch's tuple(tensor.shape). Returns
// `text`.
enum { TENSOR_TEXT_MAX = 160 };
const char *tensor_shape_text(int rank, const ptrdiff_t shape[], char text[TENSOR_TEXT_MAX]);

// --- reading and writing one element in a loop that names its axes

// The element at these indices. The function's name gives the rank and the dtype: float32 (at),
// int64 (id) or bool (flag). Unchecked: the shape was checked before.
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

static inline int64_t *tensor_id1(const Tensor *t, ptrdiff_t i)
{
    return &t->storage.i64[t->offset + i * t->stride[0]];
}

static inline int64_t *tensor_id2(const Tensor *t, ptrdiff_t i, ptrdiff_t j)
{
    return &t->storage.i64[t->offset + i * t->stride[0] + j * t->stride[1]];
}

static inline int64_t *tensor_id3(const Tensor *t, ptrdiff_t i, ptrdiff_t j, ptrdiff_t k)
{
    return &t->storage.i64[t->offset + i * t->stride[0] + j * t->stride[1] + k * t->stride[2]];
}

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

// --- differences between tensors
//
// How a tensor differs from a known right one.
//
// Two floats agree if both are NaN, both are the same infinity, or they differ by at most 1e-6 +
// 1e-5 * the largest magnitude among the two and the known tensor's row. A sum in another order,
// another exp or a product instead of a division agrees; another formula does not. Integers and
// flags agree if they are equal.

typedef enum DifferenceKind {
    DIFFERENCE_NONE,
    DIFFERENCE_SHAPE, // another shape or dtype, or no storage: nothing was compared
    DIFFERENCE_NUMBER,
    DIFFERENCE_NAN,      // NaN instead of a number
    DIFFERENCE_INFINITE, // an infinity instead of a number or of the other infinity
    DIFFERENCE_FINITE,   // a number instead of NaN or an infinity
} DifferenceKind;

typedef struct TensorDifference {
    DifferenceKind kind; // of the first element that differs
    ptrdiff_t count;     // elements that differ
    ptrdiff_t all;       // elements compared
    ptrdiff_t first_at[TENSOR_RANK_MAX];
    // Among the floats that differ by an amount (DIFFERENCE_NUMBER):
    ptrdiff_t worst_at[TENSOR_RANK_MAX]; // the largest difference's index
    double worst;                        // the largest difference
    uint64_t worst_ulp; // the most float steps between two, perhaps not at worst_at
} TensorDifference;

// How `given` differs from `known`, over all elements.
TensorDifference tensor_difference(const Tensor *given, const Tensor *known);

// The same with a tolerance multiplied by a factor: long sums that end near 0 have larger rounding
// errors.
TensorDifference tensor_difference_times(const Tensor *given, const Tensor *known, float times);

// True if element `at` agrees; false also if the tensors cannot be compared.
bool tensor_difference_agrees(const Tensor *given, const Tensor *known, const ptrdiff_t at[]);

// The number of float steps (ulp) between two numbers that are not NaN.
uint64_t tensor_difference_ulp(float a, float b);

#endif
