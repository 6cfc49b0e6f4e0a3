// The product of two matrices, fast, with the bits of the plain loop.
//
//   out[i, j] = sum over k of left[i, k] * right[k, j], + bias[j]
//
// The sum starts at +0, k ascends, no term is skipped, one fmaf per term; the bias is added once,
// last. Bits depend neither on the kernel nor on how the work is divided.
#ifndef MATRIX_PRODUCT_H
#define MATRIX_PRODUCT_H

#include "kernel.h"
#include "tensor.h"

// The right matrix packed in the kernel's reading order: panels as wide as the kernel's tile, each
// with all k in sequence. Shape (panels, K, columns of a panel); the last panel is padded with 0.
//
// The shape of the panels of `right` (..., K, J): its axes before the last two stay in front.
// Returns the rank.
int matrix_panels_shape(const Kernel *kernel, const Tensor *right,
                        ptrdiff_t shape[TENSOR_RANK_MAX]);

// The panels of a matrix as views of it, without a copy. False where its columns do not follow each other, or
// where those of the last panel do not fill whole registers: a tile would read beyond them.
bool matrix_panels_in_place(const Kernel *kernel, const Tensor *right, Tensor *panels);

// Fills the contiguous panels of one matrix.
void matrix_pack(const Kernel *kernel, const Tensor *right, const Tensor *panels);

// left (I, K) and bias (J) are float32 views with any strides, bias may be NULL; panels of the right
// matrix, packed for this kernel; out (I, J) overlaps none of the others. `soon` (I, J) will be
// written next and is prefetched meanwhile; may be NULL.
void matrix_product(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                    const Tensor *bias, const Tensor *out, const Tensor *soon);

// The same without a bias, adding to the sums in `out`: a sum over two axes is one product after
// the other.
void matrix_product_onto(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                         const Tensor *out);

// A sum over a stack of matrices too: out[i, j] = sum over b, then k, of left[b, k, i] * right[b, k, j].
// left (B, K, I) float32 with any strides; panels of the B*K rows of `right`, one matrix below the other. If it
// goes on, the sums begin with what is in `out`.
void matrix_product_of_stack(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                             bool goes_on, const Tensor *out);

// The same for matrices with panels of their own, and left (Q, I, K): out[i, j] = sum over q, then k, of
// left[q, i, k] * right[q, k, j].
void matrix_product_summed(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                           const Tensor *out);

// left (I, K) times right (K, J), float32 views with any strides, without prepared panels of `right`: it
// packs a few at a time.
void matrix_product_once(const Kernel *kernel, const Tensor *left, const Tensor *right,
                         const Tensor *out);

// The same as matrix_product for a stack of matrices, left (B, I, K) and out (B, I, J), with one right
// factor. If they follow each other in memory, they are treated as one matrix of B*I rows.
void matrix_products(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                     const Tensor *bias, const Tensor *out);

#endif
