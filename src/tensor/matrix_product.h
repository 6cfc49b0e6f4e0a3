// The product of two matrices, fast, with the bits of the plain loop.
//
//   out[i, j] = sum over k of left[i, k] * right[k, j], + bias[j]
//
// The sum starts at +0, k ascends, no term is skipped, one fmaf a term; the bias is added once,
// last. Bits depend neither on the kernel nor on how the work is cut.
#ifndef MATRIX_PRODUCT_H
#define MATRIX_PRODUCT_H

#include "kernel.h"
#include "tensor.h"

// The right matrix again, in the order in which a kernel reads it: panels of as many columns as the
// kernel's tile has, and in each panel all k after each other. Shape (panels, K, columns of a
// panel); what a last panel has too many is filled with 0.
//
// The shape of the panels of `right` (..., K, J): its axes before the last two stay in front. The
// result is the rank.
int matrix_panels_shape(const Kernel *kernel, const Tensor *right,
                        ptrdiff_t shape[TENSOR_RANK_MAX]);

// Fills the panels of one matrix; they are contiguous.
void matrix_pack(const Kernel *kernel, const Tensor *right, const Tensor *panels);

// left (I, K) and bias (J) float32 views with any strides, bias NULL where there is none; panels of
// the right matrix, packed for this kernel; out (I, J) overlaps none of the others. `soon` (I, J) is
// what somebody is about to write, which is called into the cache meanwhile; NULL: nothing.
void matrix_product(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                    const Tensor *bias, const Tensor *out, const Tensor *soon);

// The same without a bias, going on with the sums that are in `out`: a sum over two axes is one
// product after the other.
void matrix_product_onto(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                         const Tensor *out);

// A sum over a stack of matrices too: out[i, j] = sum over b, then k, of left[b, k, i] * right[b, k, j].
// left (B, K, I) float32 with any strides; panels of the B*K rows of `right`, one matrix below the other.
void matrix_product_of_stack(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                             const Tensor *out);

// left (I, K) times right (K, J), float32 views with any strides, where nobody has panels of `right`: they
// are made a few at a time.
void matrix_product_once(const Kernel *kernel, const Tensor *left, const Tensor *right,
                         const Tensor *out);

// The same as matrix_product for a stack of matrices, left (B, I, K) and out (B, I, J), with one right factor. Where
// they follow each other in memory they are one matrix of B*I rows.
void matrix_products(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                     const Tensor *bias, const Tensor *out);

#endif
