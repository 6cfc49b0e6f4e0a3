// pool: the largest number of every block; see pool.h.
//
// A strip of rows is first reduced downwards, column by column, then across. Strips of nothing but
// finite numbers, the usual ones, take plain loops over contiguous memory that a compiler turns
// into vector instructions; a strip with NaN or infinity in it is done again element by element.
#include "pool.h"

#include <math.h>
#include <stdbool.h>

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

// Four rows at once, so that each number is read once and the running largest and smallest are
// touched once for four of them. True when there is NaN among them.
static bool four_rows(const float *restrict a, const float *restrict b, const float *restrict c,
                      const float *restrict d, ptrdiff_t columns, float *restrict largest,
                      float *restrict smallest)
{
    int unordered = 0;
    for (ptrdiff_t j = 0; j < columns; j++) {
        unordered |= isunordered(a[j], b[j]) | isunordered(c[j], d[j]);
        float high = larger(larger(a[j], b[j]), larger(c[j], d[j]));
        float low = smaller(smaller(a[j], b[j]), smaller(c[j], d[j]));
        largest[j] = larger(high, largest[j]);
        smallest[j] = smaller(low, smallest[j]);
    }
    return unordered != 0;
}

// The largest of each column of rows first ... last-1; false when the strip holds NaN.
static bool reduce_down(const Tensor *matrix, ptrdiff_t first, ptrdiff_t last, float *largest,
                        float *smallest)
{
    ptrdiff_t columns = matrix->shape[1];
    bool has_nan = false;
    for (ptrdiff_t j = 0; j < columns; j++)
        largest[j] = -INFINITY;
    for (ptrdiff_t i = first; i < last; i += 4) {
        const float *row[4];
        for (int k = 0; k < 4; k++)
            row[k] = tensor_at2(matrix, i + k < last ? i + k : last - 1, 0);
        has_nan |= four_rows(row[0], row[1], row[2], row[3], columns, largest, smallest);
    }
    return !has_nan;
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

static PoolRange range_of(const float *numbers, ptrdiff_t count)
{
    PoolRange range = pool_nothing;
    for (ptrdiff_t i = 0; i < count; i++)
        range = pool_join(range, (PoolRange){numbers[i], numbers[i]});
    return range;
}

PoolRange pool_blocks(const Tensor *matrix, ptrdiff_t block_rows, ptrdiff_t block_columns,
                      float *out, float *scratch)
{
    ptrdiff_t rows = matrix->shape[0], columns = matrix->shape[1];
    ptrdiff_t across = pool_count(columns, block_columns);
    float *largest = scratch, *smallest = scratch + columns;
    PoolRange range = pool_nothing;
    for (ptrdiff_t j = 0; j < columns; j++)
        smallest[j] = INFINITY;

    float *line = out ? out : scratch + 2 * columns;
    for (ptrdiff_t first = 0; first < rows; first += block_rows, line += out ? across : 0) {
        ptrdiff_t last = first + block_rows < rows ? first + block_rows : rows;
        bool plain = matrix->stride[1] == 1 || columns == 1;
        if (plain && reduce_down(matrix, first, last, largest, smallest)) {
            reduce_across(largest, columns, block_columns, line);
            PoolRange highs = range_of(line, across);
            range.high = larger(highs.high, range.high);
        } else {
            range = pool_join(range, any_strip(matrix, first, last, block_columns, line));
        }
    }
    PoolRange lows = range_of(smallest, columns);
    range.low = smaller(lows.low, range.low);
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
