// generator: the stream of random words, and every draw but the normal one; see generator.h.
//
// All randomness of a notebook is one stream of 32-bit words, fixed by the seed. A draw takes the
// next words and turns them into numbers; which draw takes how many words is part of the contract,
// because everything drawn later depends on it. The normal draws are in generator_normal.c.
#include "generator.h"

#include <assert.h>
#include <math.h>

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
// (its own top bit, the other 31 of its neighbour) that is shifted right by one, with a constant
// mixed in where a one fell out.
static void renew_state(Generator *generator)
{
    uint32_t *state = generator->state;
    for (int i = 0; i < STATE_WORDS; i++) {
        uint32_t neighbour = state[(i + 1) % STATE_WORDS];
        uint32_t joined = (state[i] & 0x80000000u) | (neighbour & 0x7fffffffu);
        uint32_t shifted = (joined >> 1) ^ (joined & 1 ? 0x9908b0dfu : 0);
        state[i] = state[(i + PARTNER_DISTANCE) % STATE_WORDS] ^ shifted;
    }
    generator->used = 0;
}

uint32_t generator_word(Generator *generator)
{
    if (generator->used == STATE_WORDS)
        renew_state(generator);
    uint32_t word = generator->state[generator->used++];
    // Tempering: single bits of the state words lie less evenly than numbers should.
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    word ^= word >> 18;
    return word;
}

static uint64_t two_words(Generator *generator)
{
    uint64_t high = generator_word(generator);
    return high << 32 | generator_word(generator);
}

// A float holds 24 binary digits, so 24 bits of a word are all that a number in [0, 1) can use.
static float uniform_f32(Generator *generator)
{
    return (float)(generator_word(generator) & 0xffffff) * 0x1p-24f;
}

static double uniform_f64(Generator *generator)
{
    return (double)(two_words(generator) & 0x1fffffffffffff) * 0x1p-53;
}

void generator_rand(Generator *generator, float out[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = uniform_f32(generator);
}

void generator_rand_f64(Generator *generator, double out[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = uniform_f64(generator);
}

void generator_uniform(Generator *generator, double low, double high, float out[], size_t count)
{
    float from = (float)low, width = (float)high - from;
    for (size_t i = 0; i < count; i++)
        out[i] = fmaf(uniform_f32(generator), width, from);
}

void generator_linear(Generator *generator, size_t in_features, size_t out_features, float weight[],
                      float bias[])
{
    // Kaiming's bound with a leaky slope of sqrt(5), which is 1 / sqrt(in_features) in disguise;
    // worked out in PyTorch's own steps because the last digit of the bound moves the weights.
    // Division and square root are exact to the last digit everywhere, so double is safe here.
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

void generator_bernoulli(Generator *generator, double p, unsigned char out[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = uniform_f64(generator) < p;
}
