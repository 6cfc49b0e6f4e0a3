// kernel_picture: the loops over numbers that become a picture: the greatest of a block, and its place on
// a scale. Part of kernel.c, which includes it; kernel.h tells what each function does.
#ifndef KERNEL_PICTURE_H
#define KERNEL_PICTURE_H

#include <math.h>
#include <stdbool.h>
#include "kernel.h"
#include "lanes.h"

static bool any_nan(Lanes a)
{
    float lane[LANES];
    bool any = false;
    lanes_store(lane, a);
    for (int i = 0; i < LANES; i++)
        any = any || isnan(lane[i]);
    return any;
}

// What a stretch of numbers has been found to hold.
typedef struct Found {
    Lanes low, high; // of those above minus infinity; of all
    Lanes nan;       // NaN where there was one
} Found;

// The greatest of each lane, over the rows; of `count` lanes, or all where it is more.
static inline __attribute__((always_inline)) Lanes
down(const ptrdiff_t rows, const float *from, ptrdiff_t from_row, ptrdiff_t count, Found *found)
{
    Lanes most = lanes_all(-INFINITY), endless = lanes_all(INFINITY);
    for (ptrdiff_t row = 0; row < rows; row++, from += from_row) {
        Lanes number = count >= LANES ? lanes_load(from) : lanes_load_some(from, count, -INFINITY);
        Lanes above = lanes_if_equal(number, lanes_all(-INFINITY), endless, number);
        most = lanes_greater(number, most);
        found->low = lanes_smaller(above, found->low);
        found->nan = lanes_nan_if_either(number, number, found->nan);
    }
    found->high = lanes_greater(most, found->high);
    return most;
}

// Inlined with numbers for `rows` and `block`, so that what is between stays in registers.
static inline __attribute__((always_inline)) void
blocks_of(const ptrdiff_t rows, const ptrdiff_t block, ptrdiff_t columns, const float in[],
          ptrdiff_t in_row, float out[], Found *found)
{
    Lanes most[KERNEL_BLOCK_MAX];
    float lane[LANES];
    ptrdiff_t j = 0;
    for (; j + block * LANES <= columns; j += block * LANES, out += LANES) {
        for (ptrdiff_t v = 0; v < block; v++)
            most[v] = down(rows, in + j + v * LANES, in_row, LANES, found);
        for (ptrdiff_t half = block / 2; half > 0; half /= 2)
            for (ptrdiff_t v = 0; v < half; v++)
                most[v] = lanes_greater_of_pairs(most[2 * v], most[2 * v + 1]);
        lanes_store(out, most[0]);
    }
    for (; j < columns; j += block, out++) {
        ptrdiff_t left = columns - j < block ? columns - j : block;
        lanes_store(lane, down(rows, in + j, in_row, left, found));
        *out = lane[0];
        for (ptrdiff_t i = 1; i < left; i++)
            *out = lane[i] > *out ? lane[i] : *out;
    }
}

static bool blocks(ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t block, const float in[],
                   ptrdiff_t in_row, float out[], float *low, float *high)
{
    Found found = {lanes_all(INFINITY), lanes_all(-INFINITY), lanes_all(0.0f)};
    if (block == 1)
        blocks_of(rows, 1, columns, in, in_row, out, &found);
    else if (block == 2)
        blocks_of(rows, 2, columns, in, in_row, out, &found);
    else if (rows == 4)
        blocks_of(4, 4, columns, in, in_row, out, &found);
    else
        blocks_of(rows, 4, columns, in, in_row, out, &found);

    float lows[LANES], highs[LANES];
    lanes_store(lows, found.low);
    lanes_store(highs, found.high);
    for (int lane = 0; lane < LANES; lane++) {
        *low = lows[lane] < *low ? lows[lane] : *low;
        *high = highs[lane] > *high ? highs[lane] : *high;
    }
    return *high < INFINITY && !any_nan(found.nan);
}

static bool levels(ptrdiff_t count, const float in[], float low, float high, float top, int out[])
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
