// The stream of random words, and every draw from it; see generator.h.
//
// All randomness of a notebook is one stream of 32-bit words, fixed by the seed. A draw takes the
// next words and turns them into numbers; the count of words is part of the contract, because all
// later draws depend on it.
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

// A float has 24 significant bits, so a number in [0, 1) uses 24 bits of a word.
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
    if (from != -0.5f * width) {
        for (size_t i = 0; i < count; i++)
            out[i] = fmaf(uniform_f32(generator), width, from);
        return;
    }
    // Near 0 the sum has at most 48 significant bits: a double holds it, so it is rounded once, as
    // in fmaf.
    for (size_t done = 0, taken; done < count; done += taken) {
        const uint32_t *words;
        taken = take_words(generator, count - done, &words);
        for (size_t i = 0; i < taken; i++) {
            int32_t digits = (int32_t)(tempered(words[i]) & 0xffffff);
            out[done + i] = (float)((double)digits * 0x1p-24 * (double)width + (double)from);
        }
    }
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

enum { BLOCK = 16, HALF = BLOCK / 2 };

static const double two_pi = 6.283185307179586;

// log(x) for 0 < x <= 1, normal. x = (1 + m) 2^e with 1 + m between sqrt(1/2) and sqrt(2); log(1 + m)
// is a polynomial, and e log 2 is added in two parts so that no digit of the sum is lost.
static float logarithm(float x)
{
    static const float coefficients[] = {7.0376836292E-2f,  -1.1514610310E-1f, 1.1676998740E-1f,
                                         -1.2420140846E-1f, 1.4249322787E-1f,  -1.6668057665E-1f,
                                         2.0000714765E-1f,  -2.4999993993E-1f, 3.3333331174E-1f};
    const float log2_high = 0.693359375f, log2_low = -2.12194440e-4f;

    int exponent;
    float mantissa = frexpf(x, &exponent); // exact: takes the float apart
    float m = mantissa - 1.0f;
    if (mantissa < 0.707106781186547524f) {
        exponent--;
        m += mantissa;
    }
    float e = (float)exponent;

    float square = m * m;
    float y = coefficients[0];
    for (size_t i = 1; i < sizeof coefficients / sizeof *coefficients; i++)
        y = fmaf(y, m, coefficients[i]);
    y = y * m;
    y = fmaf(y, square, e * log2_low);
    y = fmaf(-square, 0.5f, y);
    return fmaf(e, log2_high, m + y);
}

// sin(t) and cos(t) for 0 <= t < 2 pi. t = j pi/4 + x with j even and |x| <= pi/4; pi/4 is
// subtracted in three parts, each with few enough digits that j times it is exact. The quarter turn
// j decides which of the two polynomials is the sine, and the signs.
static void sine_and_cosine(float t, float *sine, float *cosine)
{
    const float four_over_pi = 1.27323954473516f;
    int j = ((int)(t * four_over_pi) + 1) & ~1;
    float q = (float)j;
    float x = fmaf(q, -0.78515625f, t);
    x = fmaf(q, -2.4187564849853515625e-4f, x);
    x = fmaf(q, -3.77489497744594108e-8f, x);
    float z = x * x;

    float even = fmaf(2.443315711809948E-5f, z, -1.388731625493765E-3f); // cos x
    even = fmaf(even, z, 4.166664568298827E-2f);
    even = even * z;
    even = fmaf(even, z, -(z * 0.5f)) + 1.0f;

    float odd = fmaf(-1.9515295891E-4f, z, 8.3321608736E-3f); // sin x
    odd = fmaf(odd, z, -1.6666654611E-1f);
    odd = odd * z;
    odd = fmaf(odd, x, x);

    bool quarter_turned = j & 2;
    *sine = quarter_turned ? even : odd;
    *cosine = quarter_turned ? odd : even;
    if (j & 4)
        *sine = -*sine;
    if (!((j - 2) & 4))
        *cosine = -*cosine;
}

// Sixteen uniform numbers become sixteen normal ones, in place.
static void block_f32(float block[BLOCK], float mean, float std)
{
    for (int i = 0; i < HALF; i++) {
        float radius = sqrtf(-2.0f * logarithm(1.0f - block[i]));
        float sine, cosine;
        sine_and_cosine((float)two_pi * block[i + HALF], &sine, &cosine);
        block[i] = fmaf(radius * cosine, std, mean);
        block[i + HALF] = fmaf(radius * sine, std, mean);
    }
}

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
    if (count < BLOCK) {
        for (size_t i = 0; i < count; i++)
            out[i] = (float)(one_normal(generator) * std + mean);
        return;
    }
    generator_rand(generator, out, count);
    for (size_t i = 0; i + BLOCK <= count; i += BLOCK)
        block_f32(out + i, (float)mean, (float)std);
    // A remainder shorter than a block: the last 16 numbers are drawn again, some for the second
    // time.
    if (count % BLOCK != 0) {
        generator_rand(generator, out + count - BLOCK, BLOCK);
        block_f32(out + count - BLOCK, (float)mean, (float)std);
    }
}

void generator_randn(Generator *generator, float out[], size_t count)
{
    generator_normal(generator, 0.0, 1.0, out, count);
}
