// pool: the largest number of every block; see pool.h.
//
// Strip by strip of rows, in lanes where blocks are a multiple of those that the kernel knows. A strip
// with NaN or infinity in it is done again element by element.
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

// The largest of each `block` neighbours. Inlined with a number for `block`, which unrolls the loop.
static inline __attribute__((always_inline)) void
across_of(const ptrdiff_t block, ptrdiff_t columns, const float *largest, float *out)
{
    ptrdiff_t whole = columns / block;
    for (ptrdiff_t c = 0; c < whole; c++, largest += block) {
        float most = largest[0];
        for (ptrdiff_t k = 1; k < block; k++)
            most = larger(largest[k], most);
        out[c] = most;
    }
    if (whole * block < columns)
        out[whole] = largest[0];
    for (ptrdiff_t k = 1; k < columns - whole * block; k++)
        out[whole] = larger(largest[k], out[whole]);
}

// Wide blocks as blocks of blocks. `largest` is used up.
static void reduce_across(float *largest, ptrdiff_t columns, ptrdiff_t block, float *out)
{
    while (block > 3 && block % 3 == 0) {
        across_of(3, columns, largest, largest);
        columns = pool_count(columns, 3);
        block /= 3;
    }
    if (block == 3)
        across_of(3, columns, largest, out);
    else if (block == 5)
        across_of(5, columns, largest, out);
    else if (block == 7)
        across_of(7, columns, largest, out);
    else
        across_of(block, columns, largest, out);
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

// Calls the beginnings of some rows into the cache, to arrive while there is other work.
static void fetch_soon(const Tensor *matrix, ptrdiff_t first, ptrdiff_t count)
{
    enum { BEGINNING = 128, CACHE_LINE = 16 };
    for (ptrdiff_t row = first; row < first + count && row < matrix->shape[0]; row++)
        for (ptrdiff_t j = 0; j < BEGINNING && j < matrix->shape[1]; j += CACHE_LINE)
            __builtin_prefetch(tensor_at2(matrix, row, j));
}

// The widest block that the kernel knows and that divides `block`.
static ptrdiff_t part_of(ptrdiff_t block)
{
    ptrdiff_t part = KERNEL_BLOCK_MAX;
    while (block % part != 0)
        part /= 2;
    return part;
}

PoolRange pool_blocks(const Tensor *matrix, ptrdiff_t block_rows, ptrdiff_t block_columns,
                      float *out, float *scratch)
{
    ptrdiff_t rows = matrix->shape[0], columns = matrix->shape[1];
    ptrdiff_t across = pool_count(columns, block_columns), part = part_of(block_columns);
    bool plain = matrix->stride[1] == 1 || columns == 1, whole = part == block_columns;
    PoolRange range = pool_nothing;
    const Kernel *kernel = kernel_choose();
    for (ptrdiff_t first = 0; first < rows; first += block_rows, out += across) {
        ptrdiff_t last = first + block_rows < rows ? first + block_rows : rows;
        float *parts = whole ? out : scratch;
        KernelRows in = {tensor_at2(matrix, first, 0), last - first, columns, matrix->stride[0]};
        PoolRange strip;
        if (!plain || !kernel->blocks(&in, part, parts, &strip.low, &strip.high)) {
            strip = any_strip(matrix, first, last, block_columns, out);
        } else if (!whole) {
            fetch_soon(matrix, last, block_rows);
            reduce_across(parts, pool_count(columns, part), block_columns / part, out);
        }
        range = pool_join(range, strip);
    }
    return range;
}

PoolRange pool_range(const Tensor *matrix, float *scratch)
{
    enum { AT_ONCE = 4 };
    PoolRange range = pool_nothing;
    for (ptrdiff_t row = 0; row < matrix->shape[0]; row += AT_ONCE) {
        ptrdiff_t left = matrix->shape[0] - row;
        Tensor some = tensor_narrow(matrix, 0, row, left < AT_ONCE ? left : AT_ONCE);
        range =
            pool_join(range, pool_blocks(&some, AT_ONCE, matrix->shape[1], scratch, scratch + 1));
    }
    return range;
}
