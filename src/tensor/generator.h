// PyTorch's random generator on the CPU (mt19937), bit for bit.
//
// A notebook's torch.manual_seed(s) followed by the same draws gives the notebook's numbers. This
// reproduces torch 1.13's x86 build with fused multiply-adds (AVX2 and later), as in every PyPI
// wheel of those years. Source: torch 1.13.1, measured; Matsumoto and Nishimura 1998 for the
// generator, Box and Muller 1958 for the normal, Moshier's Cephes for log, sin, cos.
#ifndef GENERATOR_H
#define GENERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Generator {
    uint32_t state[624];
    int used;               // words of the state already given out
    bool has_cached_normal; // a scalar normal draw makes two; the second waits here
    double cached_normal;
} Generator;

// torch.manual_seed(seed): uses the low 32 bits; drops the cached normal.
void generator_seed(Generator *generator, uint64_t seed);

// The next word of the stream; every draw below uses these.
uint32_t generator_word(Generator *generator);

// torch.rand(count): uniform in [0, 1).
void generator_rand(Generator *generator, float out[], size_t count);
void generator_rand_f64(Generator *generator, double out[], size_t count);

// torch.randn(count), and Tensor.normal_(mean, std): fewer than 16 numbers one at a time in double
// precision, 16 or more in blocks of 16 in single precision. nn.Embedding's weight is a randn of
// rows * columns.
void generator_randn(Generator *generator, float out[], size_t count);
void generator_normal(Generator *generator, double mean, double std, float out[], size_t count);

// Tensor.uniform_(low, high).
void generator_uniform(Generator *generator, double low, double high, float out[], size_t count);

// nn.Linear(in_features, out_features): weight (out, in), then bias (out). `bias` may be NULL
// (bias=False: nothing is drawn for it).
void generator_linear(Generator *generator, size_t in_features, size_t out_features, float weight[],
                      float bias[]);

// torch.randint(low, high, (count,)): whole numbers from low to high - 1; low < high.
void generator_randint(Generator *generator, int64_t low, int64_t high, int64_t out[],
                       size_t count);

// One number of Tensor.exponential_(1), a float32; torch.multinomial divides probabilities by such numbers.
double generator_exponential(Generator *generator);

// Tensor.bernoulli_(p): 1 with probability p, one double uniform each, in C order.
void generator_bernoulli(Generator *generator, double p, unsigned char out[], size_t count);

#endif
