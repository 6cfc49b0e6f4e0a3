// The generator's words and draws in lanes, for kernel.c; generator.h and kernel.h say what they give.
#ifndef GENERATOR_LANES_H
#define GENERATOR_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel.h"
#include "lanes.h"

typedef uint32_t Words __attribute__((vector_size(4 * LANES)));
typedef int32_t Wholes __attribute__((vector_size(4 * LANES)));
typedef float Floats __attribute__((vector_size(4 * LANES)));

static inline __attribute__((always_inline)) void twist(const Words *own, const Words *next,
                                                        const Words *partner, Words *out)
{
    Words joined = (*own & 0x80000000u) | (*next & 0x7fffffffu);
    *out = *partner ^ (joined >> 1) ^ (-(joined & 1) & 0x9908b0dfu);
}

static inline __attribute__((always_inline)) void temper(Words *word)
{
    *word ^= *word >> 11;
    *word ^= (*word << 7) & 0x9d2c5680u;
    *word ^= (*word << 15) & 0xefc60000u;
    *word ^= *word >> 18;
}

// --- the words of many generators side by side, for whoever looks for a seed
//
// kernel.h describes the function, generator.c the computation.
//
// A word of the first round mixes three words of the seeded state: its own, the next one, and the one
// 397 further on. So the seeding can stop there, and no state is kept: each seed is one register that
// is stepped and sampled on the way. Several registers are stepped in turn, because a
// multiplication's latency is longer than its issue time.

enum {
    STREAMS = 8, // registers
    STATE_WORDS = 624,
    PARTNER_DISTANCE = 397,
};

_Static_assert((int)KERNEL_SEEDS % (STREAMS * LANES) == 0, "a batch is made of whole registers");
_Static_assert((int)KERNEL_NEAR == STATE_WORDS - PARTNER_DISTANCE,
               "from there on a word's partner is one that was renewed already");

static inline __attribute__((always_inline)) void begin_streams(Words state[], int count,
                                                                uint32_t first)
{
    for (int n = 0; n < count; n++)
        for (int lane = 0; lane < LANES; lane++)
            state[n][lane] = first + (uint32_t)(n * LANES + lane);
}

static inline __attribute__((always_inline)) void seed_on(Words state[STREAMS], int *at, int to)
{
    for (; *at < to; ++*at)
        for (int n = 0; n < STREAMS; n++)
            state[n] = 1812433253u * (state[n] ^ (state[n] >> 30)) + (uint32_t)(*at + 1);
}

// STREAMS * LANES seeds, all words near.
static inline void near_words(uint32_t first, const KernelPlaces *places,
                              uint32_t words[][KERNEL_SEEDS])
{
    Words state[STREAMS], own[KERNEL_PLACES_MAX][STREAMS], next[KERNEL_PLACES_MAX][STREAMS];
    int at = 0;
    begin_streams(state, STREAMS, first);
    for (int i = 0; i < places->count; i++) {
        seed_on(state, &at, places->place[i]);
        __builtin_memcpy(own[i], state, sizeof state);
        seed_on(state, &at, places->place[i] + 1);
        __builtin_memcpy(next[i], state, sizeof state);
    }
    for (int i = 0; i < places->count; i++) {
        seed_on(state, &at, places->place[i] + PARTNER_DISTANCE);
        for (int n = 0; n < STREAMS; n++) {
            Words renewed;
            twist(&own[i][n], &next[i][n], &state[n], &renewed);
            temper(&renewed);
            __builtin_memcpy(&words[i][n * LANES], &renewed, sizeof renewed);
        }
    }
}

static inline void renew(Words state[STATE_WORDS])
{
    for (int i = 0; i < STATE_WORDS; i++)
        twist(&state[i], &state[(i + 1) % STATE_WORDS],
              &state[(i + PARTNER_DISTANCE) % STATE_WORDS], &state[i]);
}

// LANES seeds, any words: whole states, renewed as often as needed.
static inline void far_words(uint32_t first, const KernelPlaces *places,
                             uint32_t words[][KERNEL_SEEDS])
{
    Words state[STATE_WORDS];
    begin_streams(state, 1, first);
    for (uint32_t i = 1; i < STATE_WORDS; i++)
        state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
    int done = 0; // words whose round is over
    for (int i = 0; i < places->count; i++) {
        for (; done <= places->place[i]; done += STATE_WORDS)
            renew(state);
        Words word = state[places->place[i] - (done - STATE_WORDS)];
        temper(&word);
        __builtin_memcpy(words[i], &word, sizeof word);
    }
}

static inline void words(uint32_t first, const KernelPlaces *places, uint32_t out[][KERNEL_SEEDS])
{
    bool near = places->count == 0 || places->place[places->count - 1] < KERNEL_NEAR;
    int step = near ? STREAMS * LANES : LANES;
    for (int seed = 0; seed < KERNEL_SEEDS; seed += step)
        (near ? near_words : far_words)(first + (uint32_t)seed, places,
                                        (uint32_t(*)[KERNEL_SEEDS]) & out[0][seed]);
}

// --- draws
//
// Wide vectors go by their address: without their instruction set a compiler would pass them in memory, and warns.

static inline __attribute__((always_inline)) void to_lanes(const void *wide, Lanes *a)
{
    __builtin_memcpy(a, wide, sizeof *a);
}

static inline __attribute__((always_inline)) void from_wholes(const Wholes *wholes, Lanes *a)
{
    Floats floats = __builtin_convertvector(*wholes, Floats);
    to_lanes(&floats, a);
}

// A float has 24 significant bits, so a number in [0, 1) uses 24 bits of a word.
static inline __attribute__((always_inline)) void uniform_lanes(Words *word, float low, float width,
                                                                Lanes *number)
{
    temper(word);
    Wholes digits = (Wholes)(*word & 0xffffff);
    from_wholes(&digits, number);
    *number = lanes_multiply(*number, lanes_all(0x1p-24f));
    *number = lanes_fma(*number, lanes_all(width), lanes_all(low));
}

static inline void uniform(ptrdiff_t count, const uint32_t state[], float low, float width,
                           float out[])
{
    Words word = {0};
    Lanes number;
    ptrdiff_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        __builtin_memcpy(&word, state + i, sizeof word);
        uniform_lanes(&word, low, width, &number);
        lanes_store(out + i, number);
    }
    __builtin_memcpy(&word, state + i, (size_t)(count - i) * sizeof *state);
    uniform_lanes(&word, low, width, &number);
    lanes_store_some(out + i, count - i, number);
}

// log(x) for 0 < x <= 1, normal. x = (1 + m) 2^e with 1 + m between sqrt(1/2) and sqrt(2); log(1 + m)
// is a polynomial, and e log 2 is added in two parts so that no digit of the sum is lost.
static inline __attribute__((always_inline)) void logarithms(Lanes *x)
{
    static const float coefficients[] = {-1.1514610310E-1f, 1.1676998740E-1f,  -1.2420140846E-1f,
                                         1.4249322787E-1f,  -1.6668057665E-1f, 2.0000714765E-1f,
                                         -2.4999993993E-1f, 3.3333331174E-1f};
    const int32_t half_bits = 0x3f000000, root_bits = 0x3f3504f3; // of 1/2 and sqrt(1/2)
    Wholes bits;
    Lanes e, m, added;
    __builtin_memcpy(&bits, x, sizeof bits);
    Wholes exponent = (bits >> 23) - 126, mantissa = (bits & 0x7fffff) | half_bits;
    Wholes is_low = mantissa < root_bits; // positive floats sort like their bits
    Wholes low = mantissa & is_low;
    exponent += is_low;
    from_wholes(&exponent, &e);
    to_lanes(&mantissa, &m);
    to_lanes(&low, &added);
    m = lanes_add(lanes_subtract(m, lanes_all(1.0f)), added);

    Lanes square = lanes_multiply(m, m), y = lanes_all(7.0376836292E-2f);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        y = lanes_fma(y, m, lanes_all(coefficients[i]));
    y = lanes_multiply(y, m);
    y = lanes_fma(y, square, lanes_multiply(e, lanes_all(-2.12194440e-4f)));
    y = lanes_fma(square, lanes_all(-0.5f), y);
    *x = lanes_fma(e, lanes_all(0.693359375f), lanes_add(m, y));
}

// sin(t) and cos(t) for 0 <= t < 2 pi. t = j pi/4 + x with j even and |x| <= pi/4; pi/4 is
// subtracted in three parts, each with few enough digits that j times it is exact. The quarter turn
// j decides which of the two polynomials is the sine, and the signs.
static inline __attribute__((always_inline)) void sines_and_cosines(const Lanes *t, Floats *sines,
                                                                    Floats *cosines)
{
    Lanes eighths = lanes_multiply(*t, lanes_all(1.27323954473516f)), q;
    Floats floats;
    __builtin_memcpy(&floats, &eighths, sizeof floats);
    Wholes j = (__builtin_convertvector(floats, Wholes) + 1) & ~1;
    from_wholes(&j, &q);
    Lanes x = lanes_fma(q, lanes_all(-0.78515625f), *t);
    x = lanes_fma(q, lanes_all(-2.4187564849853515625e-4f), x);
    x = lanes_fma(q, lanes_all(-3.77489497744594108e-8f), x);
    Lanes z = lanes_multiply(x, x);

    Lanes even = lanes_fma(lanes_all(2.443315711809948E-5f), z, lanes_all(-1.388731625493765E-3f));
    even = lanes_multiply(lanes_fma(even, z, lanes_all(4.166664568298827E-2f)), z); // cos x
    even = lanes_fma(even, z, lanes_multiply(z, lanes_all(-0.5f)));
    even = lanes_add(even, lanes_all(1.0f));

    Lanes odd = lanes_fma(lanes_all(-1.9515295891E-4f), z, lanes_all(8.3321608736E-3f)); // sin x
    odd = lanes_multiply(lanes_fma(odd, z, lanes_all(-1.6666654611E-1f)), z);
    odd = lanes_fma(odd, x, x);

    Words of_even, of_odd, is_turned = (Words)((j & 2) != 0);
    Words sine_sign = (Words)(j & 4) << 29, cosine_sign = (Words)(~(j - 2) & 4) << 29;
    __builtin_memcpy(&of_even, &even, sizeof of_even);
    __builtin_memcpy(&of_odd, &odd, sizeof of_odd);
    *sines = (Floats)(((of_even & is_turned) | (of_odd & ~is_turned)) ^ sine_sign);
    *cosines = (Floats)(((of_odd & is_turned) | (of_even & ~is_turned)) ^ cosine_sign);
}

enum { NORMAL_HALF = KERNEL_NORMALS / 2, NORMAL_PAIRS = 16 }; // that are computed in one turn

// The radii and angles of some pairs, between 0 and 1, become normal numbers.
static inline void normal_pairs(float mean, float std, float radius[NORMAL_PAIRS],
                                float angle[NORMAL_PAIRS])
{
    for (int i = 0; i < NORMAL_PAIRS; i += LANES) {
        Lanes log = lanes_subtract(lanes_all(1.0f), lanes_load(radius + i));
        logarithms(&log);
        lanes_store(radius + i, lanes_multiply(log, lanes_all(-2.0f)));
    }
    for (int i = 0; i < NORMAL_PAIRS; i++)
        radius[i] = sqrtf(radius[i]);
    for (int i = 0; i < NORMAL_PAIRS; i += LANES) {
        Floats sines, cosines;
        Lanes length = lanes_load(radius + i), sine, cosine;
        Lanes t = lanes_multiply(lanes_load(angle + i), lanes_all(6.283185307179586f));
        sines_and_cosines(&t, &sines, &cosines);
        to_lanes(&sines, &sine);
        to_lanes(&cosines, &cosine);
        cosine = lanes_fma(lanes_multiply(length, cosine), lanes_all(std), lanes_all(mean));
        sine = lanes_fma(lanes_multiply(length, sine), lanes_all(std), lanes_all(mean));
        lanes_store(radius + i, cosine);
        lanes_store(angle + i, sine);
    }
}

static inline void normal(ptrdiff_t blocks, float mean, float std, float numbers[])
{
    enum { TOGETHER = NORMAL_PAIRS / NORMAL_HALF, BYTES = NORMAL_HALF * sizeof(float) };
    float radius[NORMAL_PAIRS] = {0}, angle[NORMAL_PAIRS] = {0};
    for (ptrdiff_t done = 0, some; done < blocks; done += some, numbers += some * KERNEL_NORMALS) {
        some = blocks - done < TOGETHER ? blocks - done : TOGETHER;
        for (ptrdiff_t b = 0; b < some; b++) {
            __builtin_memcpy(radius + b * NORMAL_HALF, numbers + b * KERNEL_NORMALS, BYTES);
            __builtin_memcpy(angle + b * NORMAL_HALF, numbers + b * KERNEL_NORMALS + NORMAL_HALF,
                             BYTES);
        }
        normal_pairs(mean, std, radius, angle);
        for (ptrdiff_t b = 0; b < some; b++) {
            __builtin_memcpy(numbers + b * KERNEL_NORMALS, radius + b * NORMAL_HALF, BYTES);
            __builtin_memcpy(numbers + b * KERNEL_NORMALS + NORMAL_HALF, angle + b * NORMAL_HALF,
                             BYTES);
        }
    }
}

#endif
