// Shrinking a matrix to blocks, each shown by its largest number, and the range of its numbers: one
// pass over memory for both.
#ifndef POOL_H
#define POOL_H

#include "tensor.h"

// Lowest and highest finite number; low > high when there is none.
typedef struct PoolRange {
    float low, high;
} PoolRange;

extern const PoolRange pool_nothing;

PoolRange pool_join(PoolRange a, PoolRange b);

// `matrix` is float32 [rows, columns]. out[r, c], row by row, is the largest number of the block of
// block_rows x block_columns that begins at [r * block_rows, c * block_columns] (smaller at the
// right and lower edge), or NaN when the block holds NaN; as torch.max. Returns the range of the
// matrix. `scratch` has room for `columns` numbers.
PoolRange pool_blocks(const Tensor *matrix, ptrdiff_t block_rows, ptrdiff_t block_columns,
                      float *out, float *scratch);

// The range alone; `scratch` has room for one number more than there are columns.
PoolRange pool_range(const Tensor *matrix, float *scratch);

// How many blocks of `block` elements cover `count`.
static inline ptrdiff_t pool_count(ptrdiff_t count, ptrdiff_t block)
{
    return (count + block - 1) / block;
}

#endif
