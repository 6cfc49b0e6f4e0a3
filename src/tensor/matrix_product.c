// matrix_product: panels of 16 columns of `right`, rows of `left` four at a time; see the header.
//
// A panel is copied once into a small block of memory where its numbers follow each other, and is
// then used for every row. Work too small to be worth that is done by the plain loop.
#include "matrix_product.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernel.h"

static KernelTile *choose_kernel(void)
{
#ifdef KERNEL_AVX2
    const char *wanted = getenv("ATTNSCOPE_ISA");
    bool plain = wanted && strcmp(wanted, "plain") == 0;
    if (!plain && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return kernel_tile_avx2;
#endif
    return kernel_tile_plain;
}

// The definition: what every other way of computing the product must equal.
static void plain_product(const Tensor *left, const Tensor *right, const Tensor *bias,
                          const Tensor *out)
{
    for (ptrdiff_t i = 0; i < out->shape[0]; i++)
        for (ptrdiff_t j = 0; j < out->shape[1]; j++) {
            float sum = 0.0f;
            for (ptrdiff_t k = 0; k < left->shape[1]; k++)
                sum = fmaf(*tensor_at2(left, i, k), *tensor_at2(right, k, j), sum);
            *tensor_at2(out, i, j) = bias ? sum + *tensor_at1(bias, j) : sum;
        }
}

// Columns beyond the last one are left as zeros; what is computed for them is not stored.
static void pack_panel(const Tensor *right, ptrdiff_t first, ptrdiff_t columns,
                       float panel[][KERNEL_COLUMNS])
{
    for (ptrdiff_t column = 0; column < columns; column++)
        for (ptrdiff_t k = 0; k < right->shape[0]; k++)
            panel[k][column] = *tensor_at2(right, k, first + column);
}

static void store_tile(float sums[KERNEL_ROWS][KERNEL_COLUMNS], ptrdiff_t row, ptrdiff_t rows,
                       ptrdiff_t column, ptrdiff_t columns, const Tensor *bias, const Tensor *out)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++)
            *tensor_at2(out, row + i, column + j) =
                bias ? sums[i][j] + *tensor_at1(bias, column + j) : sums[i][j];
}

void matrix_product(const Tensor *left, const Tensor *right, const Tensor *bias, const Tensor *out)
{
    ptrdiff_t rows = out->shape[0], columns = out->shape[1], depth = left->shape[1];
    assert(left->shape[0] == rows && right->shape[0] == depth && right->shape[1] == columns);

    float(*panel)[KERNEL_COLUMNS] = NULL;
    if (rows >= KERNEL_ROWS && columns >= KERNEL_COLUMNS / 4)
        panel = calloc((size_t)depth, sizeof *panel);
    if (!panel) {
        plain_product(left, right, bias, out);
        return;
    }

    KernelTile *tile = choose_kernel();
    float sums[KERNEL_ROWS][KERNEL_COLUMNS];
    for (ptrdiff_t column = 0; column < columns; column += KERNEL_COLUMNS) {
        ptrdiff_t wide = columns - column < KERNEL_COLUMNS ? columns - column : KERNEL_COLUMNS;
        pack_panel(right, column, wide, panel);
        for (ptrdiff_t row = 0; row < rows; row += KERNEL_ROWS) {
            ptrdiff_t high = rows - row < KERNEL_ROWS ? rows - row : KERNEL_ROWS;
            const float *first = left->storage.f32 + left->offset + row * left->stride[0];
            tile((int)high, depth, first, left->stride[0], left->stride[1],
                 (const float(*)[KERNEL_COLUMNS])panel, sums);
            store_tile(sums, row, high, column, wide, bias, out);
        }
    }
    free(panel);
}
