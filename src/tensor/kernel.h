// What is compiled once for each instruction set; chosen at run time by matrix_product.c.
#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>

enum { KERNEL_ROWS = 4, KERNEL_COLUMNS = 16 };

// One tile of a matrix product:
//   out[row][column] = sum over k of left[row * row_stride + k * k_stride] * panel[k][column]
// k ascends from +0, one fused multiply-add a term. `rows` is 1 to KERNEL_ROWS.
typedef void KernelTile(int rows, ptrdiff_t depth, const float *left, ptrdiff_t row_stride,
                        ptrdiff_t k_stride, const float panel[][KERNEL_COLUMNS],
                        float out[KERNEL_ROWS][KERNEL_COLUMNS]);

KernelTile kernel_tile_plain;
KernelTile kernel_tile_avx2;

#endif
