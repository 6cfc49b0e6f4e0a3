// kernel_picture: the loops over numbers that become a picture: the greatest of a block, and its
// place on a scale. Part of kernel.c, which includes it; kernel.h tells what each function does.
#ifndef KERNEL_PICTURE_H
#define KERNEL_PICTURE_H

#include <math.h>
#include <stdbool.h>
#include "kernel.h"
#include "lanes.h"

static inline bool any_nan(Lanes a)
{
    float lane[LANES];
    bool any = false;
    lanes_store(lane, a);
    for (int i = 0; i < LANES; i++)
        any = any || isnan(lane[i]);
    return any;
}

// What some rows have been found to hold.
typedef struct Found {
    Lanes low, high;
    Lanes nan; // NaN where there was one
} Found;

// All lanes of `from`, or as many as there are.
static inline __attribute__((always_inline)) Lanes take(const float *from, ptrdiff_t count)
{
    return count >= LANES ? lanes_load(from) : lanes_load_some(from, count, -INFINITY);
}

// The greatest of each lane, over the rows, two at a time. `skips`: minus infinity is not the lowest.
static inline __attribute__((always_inline)) Lanes down(const ptrdiff_t rows, const bool skips,
                                                        const float *from, ptrdiff_t from_row,
                                                        ptrdiff_t count, Found *found)
{
    Lanes most = lanes_all(-INFINITY), under = most, over = lanes_all(INFINITY);
    for (ptrdiff_t row = 0; row < rows; row += 2, from += 2 * from_row) {
        Lanes a = take(from, count), b = row + 1 < rows ? take(from + from_row, count) : a;
        most = lanes_greater(lanes_greater(a, b), most);
        found->nan = lanes_nan_if_either(a, b, found->nan);
        if (skips) {
            a = lanes_if_equal(a, under, over, a);
            b = lanes_if_equal(b, under, over, b);
        }
        found->low = lanes_smaller(lanes_smaller(a, b), found->low);
    }
    return most;
}

// Inlined with numbers for `rows` and `block`, so that what is between stays in registers.
static inline __attribute__((always_inline)) Found blocks_of(const ptrdiff_t rows,
                                                             const ptrdiff_t block,
                                                             const bool skips,
                                                             const KernelRows *matrix, float out[])
{
    const float *in = matrix->numbers;
    ptrdiff_t columns = matrix->columns, in_row = matrix->pitch;
    Found found = {lanes_all(INFINITY), lanes_all(-INFINITY), lanes_all(0.0f)};
    Lanes most[KERNEL_BLOCK_MAX];
    float lane[LANES];
    ptrdiff_t j = 0;
    for (; j + block * LANES <= columns; j += block * LANES, out += LANES) {
        for (ptrdiff_t v = 0; v < block; v++)
            most[v] = down(rows, skips, in + j + v * LANES, in_row, LANES, &found);
        for (ptrdiff_t half = block / 2; half > 0; half /= 2)
            for (ptrdiff_t v = 0; v < half; v++)
                most[v] = lanes_greater_of_pairs(most[2 * v], most[2 * v + 1]);
        found.high = lanes_greater(most[0], found.high);
        lanes_store(out, most[0]);
    }
    for (; j < columns; j += block, out++) {
        ptrdiff_t left = columns - j < block ? columns - j : block;
        most[0] = down(rows, true, in + j, in_row, left, &found);
        found.high = lanes_greater(most[0], found.high);
        lanes_store(lane, most[0]);
        *out = lane[0];
        for (ptrdiff_t i = 1; i < left; i++)
            *out = lane[i] > *out ? lane[i] : *out;
    }
    return found;
}

static inline Found find_blocks(const KernelRows *in, ptrdiff_t block, bool skips, float out[])
{
    if (in->rows == 4 && block == 4 && !skips) // the usual ones, where there are many of them
        return blocks_of(4, 4, false, in, out);
    return block == 1   ? blocks_of(in->rows, 1, skips, in, out)
           : block == 2 ? blocks_of(in->rows, 2, skips, in, out)
                        : blocks_of(in->rows, 4, skips, in, out);
}

// The lowest and the highest of all lanes.
static inline void ends_of(const Found *found, float *low, float *high)
{
    float lows[LANES], highs[LANES];
    lanes_store(lows, found->low);
    lanes_store(highs, found->high);
    *low = INFINITY;
    *high = -INFINITY;
    for (int lane = 0; lane < LANES; lane++) {
        *low = lows[lane] < *low ? lows[lane] : *low;
        *high = highs[lane] > *high ? highs[lane] : *high;
    }
}

static inline bool blocks(const KernelRows *in, ptrdiff_t block, float out[], float *low,
                          float *high)
{
    Found found = find_blocks(in, block, false, out);
    ends_of(&found, low, high);
    if (*low == -INFINITY) { // masked scores have it
        found = find_blocks(in, block, true, out);
        ends_of(&found, low, high);
    }
    return *high < INFINITY && !any_nan(found.nan);
}

static inline bool levels(ptrdiff_t count, const float in[], float low, float high, float top,
                          int out[])
{
    Lanes odd = lanes_all(0.0f), extent = lanes_all(high - low);
    for (ptrdiff_t i = 0; i < count; i += LANES) {
        Lanes number =
            count - i >= LANES ? lanes_load(in + i) : lanes_load_some(in + i, count - i, low);
        Lanes share = lanes_divide(lanes_subtract(number, lanes_all(low)), extent);
        share = lanes_smaller(lanes_greater(share, lanes_all(0.0f)), lanes_all(1.0f));
        share = lanes_add(lanes_multiply(share, lanes_all(top)), lanes_all(0.5f));
        lanes_store_whole(out + i, share);
        Lanes nothing = lanes_subtract(number, number); // NaN of what is not finite
        odd = lanes_nan_if_either(nothing, nothing, odd);
    }
    return !any_nan(odd);
}

#endif
