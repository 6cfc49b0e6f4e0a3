// kernel_words: the words of many generators side by side, for whoever looks for a seed. Part of
// kernel.c, which includes it; kernel.h tells what the function does, generator.c what is computed.
//
// A word of the first round is mixed from three words of the seeded state: its own, the next one, and
// the one 397 further on. So the seeding need not run further than there, and no state is kept: each
// seed is one register that is stepped, and looked at on the way. Several registers are stepped in
// turn, because a multiplication takes longer than the machine needs to begin the next one.
#ifndef KERNEL_WORDS_H
#define KERNEL_WORDS_H

#include <stdint.h>
#include "kernel.h"
#include "lanes.h"

enum {
    STREAMS = 8, // registers
    STATE_WORDS = 624,
    PARTNER_DISTANCE = 397,
};

typedef uint32_t Words __attribute__((vector_size(4 * LANES)));

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

static inline __attribute__((always_inline)) void twist(const Words *own, const Words *next,
                                                        const Words *partner, Words *out)
{
    Words joined = (*own & 0x80000000u) | (*next & 0x7fffffffu);
    *out = *partner ^ (joined >> 1) ^ (-(joined & 1) & 0x9908b0dfu);
}

static inline __attribute__((always_inline)) void temper(const Words *state, uint32_t out[LANES])
{
    Words word = *state;
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    word ^= word >> 18;
    __builtin_memcpy(out, &word, sizeof word);
}

// STREAMS * LANES seeds, all places near.
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
            temper(&renewed, &words[i][n * LANES]);
        }
    }
}

static inline void renew(Words state[STATE_WORDS])
{
    for (int i = 0; i < STATE_WORDS; i++)
        twist(&state[i], &state[(i + 1) % STATE_WORDS],
              &state[(i + PARTNER_DISTANCE) % STATE_WORDS], &state[i]);
}

// LANES seeds, any places: whole states, renewed as often as it takes.
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
        temper(&state[places->place[i] - (done - STATE_WORDS)], words[i]);
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

#endif
