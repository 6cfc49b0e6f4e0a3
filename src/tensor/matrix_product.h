// The product of two matrices, fast, with the bits of the plain loop.
#ifndef MATRIX_PRODUCT_H
#define MATRIX_PRODUCT_H

#include "tensor.h"

// out[i, j] = sum over k of left[i, k] * right[k, j], + bias[j]
//
// left (I, K), right (K, J), bias (J) or NULL, out (I, J): float32 views with any strides; out
// overlaps none of the others. The sum starts at +0, k ascends, no term is skipped, one fmaf a
// term; the bias is added once, last. Uses the machine's AVX2 where it has it; ATTNSCOPE_ISA=plain
// in the environment forbids that. Bits do not depend on it.
void matrix_product(const Tensor *left, const Tensor *right, const Tensor *bias, const Tensor *out);

#endif
