// The stream of random words, and every draw from it; see generator.h.
//
// All randomness of a notebook is one stream of 32-bit words, fixed by the seed. A draw takes the
// next words and turns them into numbers; the count of words is part of the contract, because all
// later draws depend on it.
#include "generator.h"

#include <assert.h>
#include <math.h>
#include "kernel.h"

enum {
    STATE_WORDS = sizeof((Generator){0}).state / sizeof(uint32_t),
    PARTNER_DISTANCE = 397, // how far ahead the word lies that each one is mixed with
};

void generator_seed(Generator *generator, uint64_t seed)
{
    *generator = (Generator){.used = STATE_WORDS};
    uint32_t *state = generator->state;
    state[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < STATE_WORDS; i++)
        state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
}

// The twist. The 624 words form a ring; each becomes the word 397 further on, mixed with a joint word
// (its own top bit, the other 31 of its neighbour) shifted right by one, xor a constant if a one was
// shifted out.
static inline uint32_t twisted(uint32_t own, uint32_t neighbour, uint32_t partner)
{
    uint32_t joined = (own & 0x80000000u) | (neighbour & 0x7fffffffu);
    return partner ^ (joined >> 1) ^ (0x9908b0dfu & (0u - (joined & 1)));
}

// In pieces without the ring's wrap, so that compilers can vectorise them.
static void renew_state(Generator *generator)
{
    uint32_t *state = generator->state;
    enum { WRAPS = STATE_WORDS - PARTNER_DISTANCE };
    for (int i = 0; i < WRAPS; i++)
        state[i] = twisted(state[i], state[i + 1], state[i + PARTNER_DISTANCE]);
    for (int i = WRAPS; i < STATE_WORDS - 1; i++)
        state[i] = twisted(state[i], state[i + 1], state[i - WRAPS]);
    state[STATE_WORDS - 1] = twisted(state[STATE_WORDS - 1], state[0], state[PARTNER_DISTANCE - 1]);
    generator->used = 0;
}

// Tempering: the state words' bits are not evenly distributed by themselves.
static inline uint32_t tempered(uint32_t word)
{
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    return word ^ word >> 18;
}

uint32_t generator_word(Generator *generator)
{
    if (generator->used == STATE_WORDS)
        renew_state(generator);
    return tempered(generator->state[generator->used++]);
}

// The unused words of the state, at most `most`; returns the count.
static size_t take_words(Generator *generator, size_t most, const uint32_t **words)
{
    if (generator->used == STATE_WORDS)
        renew_state(generator);
    size_t left = (size_t)(STATE_WORDS - generator->used), count = most < left ? most : left;
    *words = generator->state + generator->used;
    generator->used += (int)count;
    return count;
}

static uint64_t two_words(Generator *generator)
{
    uint64_t high = generator_word(generator);
    return high << 32 | generator_word(generator);
}

static double uniform_f64(Generator *generator)
{
    return (double)(two_words(generator) & 0x1fffffffffffff) * 0x1p-53;
}

// The next `count` uniform numbers times `width`, plus `low`.
static void draw_uniform(Generator *generator, float low, float width, float out[], size_t count)
{
    const Kernel *kernel = kernel_choose();
    for (size_t done = 0, taken; done < count; done += taken) {
        const uint32_t *words;
        taken = take_words(generator, count - done, &words);
        kernel->uniform((ptrdiff_t)taken, words, low, width, out + done);
    }
}

void generator_rand(Generator *generator, float out[], size_t count)
{
    draw_uniform(generator, 0.0f, 1.0f, out, count);
}

void generator_rand_f64(Generator *generator, double out[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = uniform_f64(generator);
}

void generator_uniform(Generator *generator, double low, double high, float out[], size_t count)
{
    draw_uniform(generator, (float)low, (float)high - (float)low, out, count);
}

void generator_linear(Generator *generator, size_t in_features, size_t out_features, float weight[],
                      float bias[])
{
    // Kaiming's bound with a leaky slope of sqrt(5), which is 1 / sqrt(in_features) in disguise;
    // computed in PyTorch's own steps because the bound's last digit changes the weights. Division
    // and square root are exact to the last digit everywhere, so double is safe here.
    double slope = sqrt(5.0);
    double gain = sqrt(2.0 / (1.0 + slope * slope));
    double weight_bound = sqrt(3.0) * (gain / sqrt((double)in_features));
    generator_uniform(generator, -weight_bound, weight_bound, weight, out_features * in_features);

    double bias_bound = in_features > 0 ? 1.0 / sqrt((double)in_features) : 0.0;
    if (bias)
        generator_uniform(generator, -bias_bound, bias_bound, bias, out_features);
}

void generator_randint(Generator *generator, int64_t low, int64_t high, int64_t out[], size_t count)
{
    assert(low < high);
    uint64_t range = (uint64_t)high - (uint64_t)low;
    bool wide = range > UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = wide ? two_words(generator) : generator_word(generator);
        out[i] = (int64_t)((uint64_t)low + bits % range);
    }
}

double generator_exponential(Generator *generator)
{
    return (double)(float)-log(1.0 - uniform_f64(generator));
}

void generator_bernoulli(Generator *generator, double p, unsigned char out[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = uniform_f64(generator) < p;
}

// --- normal draws
//
// generator_normal: the normal draws of generator.h, by the method of Box and Muller (1958).
//
// Two uniform numbers become a point of the plane: the first its distance from the origin,
// r = sqrt(-2 log u), the second its angle t = 2 pi u'. Its coordinates r cos t and r sin t are two
// independent normal numbers.
//
// PyTorch does this in two ways, which use different words of the stream:
//   fewer than 16 numbers   one pair at a time, in double precision; an unused second number of a
//   pair waits in the generator
//   16 numbers and more     blocks of 16, eight cosines and then eight sines. In float32 log, sin
//                           and cos are Cephes' polynomials, fused step by fused step, so the bits
//                           do not depend on a libm
// Double precision uses the libm of the machine (log, sin, cos): its last digit may differ between
// systems, which is visible in the _f64 draws; rounding to float32 removes it.

static const double two_pi = 6.283185307179586;

static double one_normal(Generator *generator)
{
    if (generator->has_cached_normal) {
        generator->has_cached_normal = false;
        return generator->cached_normal;
    }
    double uniform[2];
    generator_rand_f64(generator, uniform, 2);
    double radius = sqrt(-2.0 * log(1.0 - uniform[1]));
    double angle = two_pi * uniform[0];
    generator->cached_normal = radius * sin(angle);
    generator->has_cached_normal = true;
    return radius * cos(angle);
}

void generator_normal(Generator *generator, double mean, double std, float out[], size_t count)
{
    enum { BLOCK = KERNEL_NORMALS };
    if (count < BLOCK) {
        for (size_t i = 0; i < count; i++)
            out[i] = (float)(one_normal(generator) * std + mean);
        return;
    }
    const Kernel *kernel = kernel_choose();
    generator_rand(generator, out, count);
    kernel->normal((ptrdiff_t)(count / BLOCK), (float)mean, (float)std, out);
    // A remainder shorter than a block: the last 16 numbers are drawn again, some for the second
    // time.
    if (count % BLOCK != 0) {
        generator_rand(generator, out + count - BLOCK, BLOCK);
        kernel->normal(1, (float)mean, (float)std, out + count - BLOCK);
    }
}

void generator_randn(Generator *generator, float out[], size_t count)
{
    generator_normal(generator, 0.0, 1.0, out, count);
}
