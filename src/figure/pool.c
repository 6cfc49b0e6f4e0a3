// pool: the largest number of every block; see pool.h.
//
// A strip of rows is first reduced downwards, column by column, which the kernel does in lanes, then
// across. A strip with NaN in it is done again element by element.
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

// The largest of each `block` neighbours.
static void reduce_across(const float *largest, ptrdiff_t columns, ptrdiff_t block, float *out)
{
    ptrdiff_t whole = columns / block;
    if (block == 4) {
        for (ptrdiff_t c = 0; c < whole; c++)
            out[c] = larger(larger(largest[4 * c], largest[4 * c + 1]),
                            larger(largest[4 * c + 2], largest[4 * c + 3]));
    } else {
        for (ptrdiff_t c = 0; c < whole; c++) {
            out[c] = largest[c * block];
            for (ptrdiff_t k = 1; k < block; k++)
                out[c] = larger(largest[c * block + k], out[c]);
        }
    }
    for (ptrdiff_t j = whole * block; j < columns; j++)
        out[whole] = j == whole * block ? largest[j] : larger(largest[j], out[whole]);
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

// The range of all strips but those done element by element.
static PoolRange range_of(const float *smallest, ptrdiff_t columns, const float *highest,
                          ptrdiff_t blocks)
{
    PoolRange range = pool_nothing;
    for (ptrdiff_t j = 0; j < columns; j++)
        range.low = smaller(smallest[j], range.low);
    for (ptrdiff_t c = 0; c < blocks; c++)
        range.high = larger(highest[c], range.high);
    return range;
}

PoolRange pool_blocks(const Tensor *matrix, ptrdiff_t block_rows, ptrdiff_t block_columns,
                      float *out, float *scratch)
{
    ptrdiff_t rows = matrix->shape[0], columns = matrix->shape[1];
    ptrdiff_t across = pool_count(columns, block_columns);
    float *largest = scratch, *smallest = scratch + columns, *highest = scratch + 2 * columns;
    PoolRange range = pool_nothing;
    const Kernel *kernel = kernel_choose();
    for (ptrdiff_t j = 0; j < columns; j++)
        smallest[j] = INFINITY;

    for (ptrdiff_t c = 0; c < across; c++)
        highest[c] = -INFINITY;

    float *line = out ? out : scratch + 3 * columns;
    for (ptrdiff_t first = 0; first < rows; first += block_rows, line += out ? across : 0) {
        ptrdiff_t last = first + block_rows < rows ? first + block_rows : rows;
        bool plain = matrix->stride[1] == 1 || columns == 1;
        if (plain && kernel->extremes(last - first, columns, tensor_at2(matrix, first, 0),
                                      matrix->stride[0], largest, smallest)) {
            reduce_across(largest, columns, block_columns, line);
            for (ptrdiff_t c = 0; c < across; c++)
                highest[c] = larger(line[c], highest[c]);
        } else {
            range = pool_join(range, any_strip(matrix, first, last, block_columns, line));
        }
    }
    range = pool_join(range, range_of(smallest, columns, highest, across));
    if (isfinite(range.low) && isfinite(range.high))
        return range;

    // Infinities are shown but are no end of a scale.
    range = pool_nothing;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++)
            if (isfinite(at(matrix, i, j)))
                range = pool_join(range, (PoolRange){at(matrix, i, j), at(matrix, i, j)});
    return range;
}
