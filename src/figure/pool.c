// pool: the largest number of every block; see pool.h.
//
// A strip of rows is first reduced downwards, column by column, then across, which the kernel does in
// lanes. A strip with NaN or infinity in it is done again element by element.
#include "pool.h"

#include <math.h>
#include <stdbool.h>
#include "kernel.h"

const PoolRange pool_nothing = {INFINITY, -INFINITY};

static float larger(float a, float b)
{
    return a > b ? a : b;
}

static float smaller(float a, float b)
{
    return a < b ? a : b;
}

PoolRange pool_join(PoolRange a, PoolRange b)
{
    return (PoolRange){smaller(a.low, b.low), larger(a.high, b.high)};
}

static float at(const Tensor *matrix, ptrdiff_t row, ptrdiff_t column)
{
    return *tensor_at2(matrix, row, column);
}

// The largest of each `block` neighbours: by halves as far as they go. `largest` is used up.
static void reduce_across(const Kernel *kernel, float *largest, ptrdiff_t columns, ptrdiff_t block,
                          float *out)
{
    ptrdiff_t whole = columns / block;
    float beyond = -INFINITY;
    for (ptrdiff_t j = whole * block; j < columns; j++)
        beyond = larger(largest[j], beyond);
    if (whole * block < columns)
        out[whole] = beyond;

    for (; block % 4 == 0; block /= 2)
        kernel->pairs(whole * block / 2, largest, largest);
    if (block == 2)
        kernel->pairs(whole, largest, out);
    else
        for (ptrdiff_t c = 0; c < whole; c++) {
            out[c] = largest[c * block];
            for (ptrdiff_t k = 1; k < block; k++)
                out[c] = larger(largest[c * block + k], out[c]);
        }
}

// One strip, element by element, any numbers, any strides.
static PoolRange any_strip(const Tensor *matrix, ptrdiff_t first, ptrdiff_t last,
                           ptrdiff_t block_columns, float *out)
{
    PoolRange range = pool_nothing;
    for (ptrdiff_t j = 0; j < matrix->shape[1]; j++) {
        float *largest = &out[j / block_columns];
        if (j % block_columns == 0)
            *largest = -INFINITY;
        for (ptrdiff_t i = first; i < last; i++) {
            float number = at(matrix, i, j);
            if (isnan(number) || number > *largest)
                *largest = isnan(*largest) ? *largest : number;
            if (isfinite(number))
                range = pool_join(range, (PoolRange){number, number});
        }
    }
    return range;
}

PoolRange pool_blocks(const Tensor *matrix, ptrdiff_t block_rows, ptrdiff_t block_columns,
                      float *out, float *scratch)
{
    ptrdiff_t rows = matrix->shape[0], columns = matrix->shape[1];
    ptrdiff_t across = pool_count(columns, block_columns);
    bool plain = matrix->stride[1] == 1 || columns == 1;
    float *largest = scratch, *line = out ? out : scratch + columns;
    PoolRange range = pool_nothing;
    const Kernel *kernel = kernel_choose();
    for (ptrdiff_t first = 0; first < rows; first += block_rows, line += out ? across : 0) {
        ptrdiff_t last = first + block_rows < rows ? first + block_rows : rows;
        PoolRange strip = pool_nothing;
        if (!plain || !kernel->extremes(last - first, columns, tensor_at2(matrix, first, 0),
                                        matrix->stride[0], largest, &strip.low, &strip.high))
            strip = any_strip(matrix, first, last, block_columns, line);
        else if (out)
            reduce_across(kernel, largest, columns, block_columns, line);
        range = pool_join(range, strip);
    }
    return range;
}
