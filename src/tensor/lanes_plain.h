// lanes_plain: 4 numbers side by side in plain C, for machines that have nothing of the kind, and
// the definition of what each operation does everywhere; lanes.h includes it.
#ifndef LANES_PLAIN_H
#define LANES_PLAIN_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 4 };
typedef struct Lanes {
    float lane[LANES];
} Lanes;

static inline Lanes lanes_load(const float *from)
{
    Lanes a;
    memcpy(a.lane, from, sizeof a.lane);
    return a;
}

static inline void lanes_store(float *to, Lanes a)
{
    memcpy(to, a.lane, sizeof a.lane);
}

#include "lanes_some.h"

static inline Lanes lanes_all(float number)
{
    Lanes a;
    for (int i = 0; i < LANES; i++)
        a.lane[i] = number;
    return a;
}

// a + b
static inline Lanes lanes_add(Lanes a, Lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] += b.lane[i];
    return a;
}

// a - b
static inline Lanes lanes_subtract(Lanes a, Lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] -= b.lane[i];
    return a;
}

// a * b
static inline Lanes lanes_multiply(Lanes a, Lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] *= b.lane[i];
    return a;
}

// a / b
static inline Lanes lanes_divide(Lanes a, Lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] /= b.lane[i];
    return a;
}

// fmaf(a, b, c)
static inline Lanes lanes_fma(Lanes a, Lanes b, Lanes c)
{
    for (int i = 0; i < LANES; i++)
        c.lane[i] = fmaf(a.lane[i], b.lane[i], c.lane[i]);
    return c;
}

// a > b ? a : b; so b where either is NaN
static inline Lanes lanes_greater(Lanes a, Lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
    return a;
}

// a < b ? a : b; so b where either is NaN
static inline Lanes lanes_smaller(Lanes a, Lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
    return a;
}

// c, or NaN where a or b is NaN
static inline Lanes lanes_nan_if_either(Lanes a, Lanes b, Lanes c)
{
    for (int i = 0; i < LANES; i++)
        c.lane[i] = isunordered(a.lane[i], b.lane[i]) ? NAN : c.lane[i];
    return c;
}

// a < b ? 0 : c; so c where a is NaN
static inline Lanes lanes_zero_if_less(Lanes a, Lanes b, Lanes c)
{
    for (int i = 0; i < LANES; i++)
        c.lane[i] = a.lane[i] < b.lane[i] ? 0.0f : c.lane[i];
    return c;
}

// a == b ? c : d; so d where either is NaN
static inline Lanes lanes_if_equal(Lanes a, Lanes b, Lanes c, Lanes d)
{
    for (int i = 0; i < LANES; i++)
        d.lane[i] = a.lane[i] == b.lane[i] ? c.lane[i] : d.lane[i];
    return d;
}

// The greater of each two neighbours, those of a first; the second one where either is NaN
static inline Lanes lanes_greater_of_pairs(Lanes a, Lanes b)
{
    Lanes c;
    for (int i = 0; i < LANES; i++) {
        const float *pair = (2 * i < LANES ? a.lane : b.lane) + 2 * i % LANES;
        c.lane[i] = pair[0] > pair[1] ? pair[0] : pair[1];
    }
    return c;
}

// (int)a, for numbers that an int can hold
static inline void lanes_store_whole(int *to, Lanes a)
{
    for (int i = 0; i < LANES; i++)
        to[i] = (int)a.lane[i];
}

// rintf(a)
static inline Lanes lanes_round(Lanes a)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] = rintf(a.lane[i]);
    return a;
}

// a * 2^n for a whole n, where neither a nor the product is zero, denormal or infinite: n is added to
// the exponent of a; NaN where a and n are NaN
static inline Lanes lanes_times_power_of_two(Lanes a, Lanes n)
{
    for (int i = 0; i < LANES; i++) {
        uint32_t bits;
        memcpy(&bits, &a.lane[i], sizeof bits);
        bits += n.lane[i] == n.lane[i] ? (uint32_t)(int32_t)n.lane[i] << 23 : 0;
        memcpy(&a.lane[i], &bits, sizeof bits);
    }
    return a;
}

// As many rows as lanes: row i's lane j for row j's lane i
static inline void lanes_transpose(Lanes block[LANES])
{
    for (int i = 0; i < LANES; i++)
        for (int j = 0; j < i; j++) {
            float number = block[i].lane[j];
            block[i].lane[j] = block[j].lane[i];
            block[j].lane[i] = number;
        }
}

#endif
