// kernel_picture: the loops over numbers that become a picture: the greatest of a block, and its place on
// a scale. Part of kernel.c, which includes it; kernel.h tells what each function does.
#ifndef KERNEL_PICTURE_H
#define KERNEL_PICTURE_H

#include <math.h>
#include <stdbool.h>
#include "lanes.h"

static inline Lanes load(const float *from, ptrdiff_t left, float beyond)
{
    return left >= LANES ? lanes_load(from) : lanes_load_some(from, left, beyond);
}

static inline void store(float *to, ptrdiff_t left, Lanes a)
{
    if (left >= LANES)
        lanes_store(to, a);
    else
        lanes_store_some(to, left, a);
}

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

static inline __attribute__((always_inline)) Lanes find(Lanes numbers, Lanes most, Found *found)
{
    Lanes endless = lanes_all(INFINITY);
    Lanes above = lanes_if_equal(numbers, lanes_all(-INFINITY), endless, numbers);
    found->low = lanes_smaller(above, found->low);
    found->nan = lanes_nan_if_either(numbers, numbers, found->nan);
    return lanes_greater(numbers, most);
}

// Inlined with a number for `rows` where there are four, the usual blocks of a picture.
static inline __attribute__((always_inline)) void columns_of(const ptrdiff_t rows,
                                                             ptrdiff_t columns, const float in[],
                                                             ptrdiff_t in_row, float highest[],
                                                             Found *found)
{
    for (ptrdiff_t j = 0; j < columns; j += LANES) {
        Lanes most = lanes_all(-INFINITY);
        for (ptrdiff_t row = 0; row < rows; row++) {
            const float *from = in + row * in_row + j;
            most = find(load(from, columns - j, -INFINITY), most, found);
            // Somebody who asks for these rows asks for the next ones soon.
            __builtin_prefetch(from + rows * in_row);
        }
        found->high = lanes_greater(most, found->high);
        store(highest + j, columns - j, most);
    }
}

static bool extremes(ptrdiff_t rows, ptrdiff_t columns, const float in[], ptrdiff_t in_row,
                     float highest[], float *low, float *high)
{
    Found found = {lanes_all(INFINITY), lanes_all(-INFINITY), lanes_all(0.0f)};
    if (rows == 4)
        columns_of(4, columns, in, in_row, highest, &found);
    else
        columns_of(rows, columns, in, in_row, highest, &found);

    float lows[LANES], highs[LANES];
    lanes_store(lows, found.low);
    lanes_store(highs, found.high);
    for (int lane = 0; lane < LANES; lane++) {
        *low = lows[lane] < *low ? lows[lane] : *low;
        *high = highs[lane] > *high ? highs[lane] : *high;
    }
    return *high < INFINITY && !any_nan(found.nan);
}

static void pairs(ptrdiff_t count, const float in[], float out[])
{
    ptrdiff_t i = 0;
    for (; i + LANES <= count; i += LANES)
        lanes_store(out + i,
                    lanes_greater_of_pairs(lanes_load(in + 2 * i), lanes_load(in + 2 * i + LANES)));
    for (; i < count; i++)
        out[i] = in[2 * i] > in[2 * i + 1] ? in[2 * i] : in[2 * i + 1];
}

static bool levels(ptrdiff_t count, const float in[], float low, float high, float top, int out[])
{
    Lanes odd = lanes_all(0.0f), extent = lanes_all(high - low);
    for (ptrdiff_t i = 0; i < count; i += LANES) {
        Lanes number = load(in + i, count - i, low);
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
