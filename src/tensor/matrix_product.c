// matrix_product: cuts the output into tiles and hands each to the kernel; see the header.
//
//   for each stretch of k that fits the nearest cache
//       for each panel (columns of the output)
//           for each few rows
//               the kernel's tile
//
// A stretch goes on with the sums that the one before it has stored: storing a float and loading it
// again changes no bit.
#include "matrix_product.h"

#include <assert.h>
#include <string.h>

enum { STRETCH = 768 }; // of k: at most 6 rows of it and a panel of it are in use at a time

int matrix_panels_shape(const Kernel *kernel, const Tensor *right, ptrdiff_t shape[TENSOR_RANK_MAX])
{
    int outer = right->rank - 2;
    assert(outer >= 0 && outer + 3 <= TENSOR_RANK_MAX);
    memcpy(shape, right->shape, (size_t)outer * sizeof *shape);
    shape[outer] = (right->shape[outer + 1] + kernel->columns - 1) / kernel->columns;
    shape[outer + 1] = right->shape[outer];
    shape[outer + 2] = kernel->columns;
    return outer + 3;
}

void matrix_pack(const Tensor *right, const Tensor *panels)
{
    ptrdiff_t depth = panels->shape[1], columns = panels->shape[2];
    float *to = tensor_at3(panels, 0, 0, 0);
    for (ptrdiff_t first = 0; first < panels->shape[0] * columns; first += columns) {
        ptrdiff_t left = right->shape[1] - first, wide = left < columns ? left : columns;
        for (ptrdiff_t k = 0; k < depth; k++, to += columns) {
            const float *from = tensor_at2(right, k, first);
            for (ptrdiff_t column = 0; column < wide; column++)
                to[column] = from[column * right->stride[1]];
            for (ptrdiff_t column = wide; column < columns; column++)
                to[column] = 0.0f;
        }
    }
}

// The output's tile at [row, column], rows x wide, goes through a block of memory of the kernel's
// full width, because it is narrower than that or because its columns do not follow each other.
static void tile_at_the_edge(const Kernel *kernel, KernelTile tile, ptrdiff_t wide,
                             ptrdiff_t out_column)
{
    float block[KERNEL_ROWS_MAX * KERNEL_COLUMNS_MAX] = {0};
    float *out = tile.sums;
    ptrdiff_t out_row = tile.sums_row;
    if (tile.goes_on)
        for (ptrdiff_t i = 0; i < tile.rows; i++)
            for (ptrdiff_t j = 0; j < wide; j++)
                block[i * kernel->columns + j] = out[i * out_row + j * out_column];

    tile.sums = block;
    tile.sums_row = kernel->columns;
    kernel->tile(&tile);
    for (ptrdiff_t i = 0; i < tile.rows; i++)
        for (ptrdiff_t j = 0; j < wide; j++)
            out[i * out_row + j * out_column] = block[i * kernel->columns + j];
}

// One panel's columns of the output, for one stretch of k: all rows, in tiles whose heights differ
// by one at most, the higher ones first.
static void product_of_panel(const Kernel *kernel, KernelTile tile, const Tensor *out,
                             ptrdiff_t wide)
{
    ptrdiff_t rows = out->shape[0], tiles = (rows + kernel->rows - 1) / kernel->rows;
    ptrdiff_t height = tiles > 0 ? rows / tiles : 0, higher = rows - tiles * height;
    bool fits = wide == kernel->columns && out->stride[1] == 1;
    for (ptrdiff_t number = 0; number < tiles; number++) {
        tile.rows = number < higher ? height + 1 : height;
        if (fits)
            kernel->tile(&tile);
        else
            tile_at_the_edge(kernel, tile, wide, out->stride[1]);
        tile.left += tile.rows * tile.left_row;
        tile.sums += tile.rows * tile.sums_row;
    }
}

static void product_of_stretch(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                               const Tensor *bias, const Tensor *out, ptrdiff_t k, ptrdiff_t depth)
{
    ptrdiff_t columns = kernel->columns;
    bool is_last = k + depth == left->shape[1];
    for (ptrdiff_t panel = 0; panel < panels->shape[0]; panel++) {
        ptrdiff_t first = panel * columns, rest = out->shape[1] - first;
        ptrdiff_t wide = rest < columns ? rest : columns;
        float panel_bias[KERNEL_COLUMNS_MAX] = {0};
        for (ptrdiff_t j = 0; bias && j < wide; j++)
            panel_bias[j] = *tensor_at1(bias, first + j);
        KernelTile tile = {
            .depth = depth,
            .left = tensor_at2(left, 0, k),
            .left_row = left->stride[0],
            .left_k = left->stride[1],
            .panel = tensor_at3(panels, panel, k, 0),
            .bias = bias && is_last ? panel_bias : NULL,
            .sums = tensor_at2(out, 0, first),
            .sums_row = out->stride[0],
            .goes_on = k > 0,
        };
        product_of_panel(kernel, tile, out, wide);
    }
}

void matrix_product(const Kernel *kernel, const Tensor *left, const Tensor *panels,
                    const Tensor *bias, const Tensor *out)
{
    ptrdiff_t depth = left->shape[1], stretches = (depth + STRETCH - 1) / STRETCH;
    assert(left->shape[0] == out->shape[0] && panels->shape[1] == depth);
    assert(panels->shape[2] == kernel->columns);
    if (stretches == 0) // no terms: the tile stores its empty sums
        product_of_stretch(kernel, left, panels, bias, out, 0, 0);
    for (ptrdiff_t number = 0; number < stretches; number++) {
        ptrdiff_t k = number * depth / stretches;
        product_of_stretch(kernel, left, panels, bias, out, k,
                           (number + 1) * depth / stretches - k);
    }
}
