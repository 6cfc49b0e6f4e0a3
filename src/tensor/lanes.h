// Eight float32 numbers side by side: the only place for instructions of one machine.
//
// Every operation does to each lane what the scalar operation of the same name does to one number,
// so a kernel written with lanes gives the bits of the plain loop.
#ifndef LANES_H
#define LANES_H

#include <math.h>

enum { LANES = 8 };

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

typedef __m256 Lanes;

static inline Lanes lanes_load(const float *from)
{
    return _mm256_loadu_ps(from);
}

static inline void lanes_store(float *to, Lanes a)
{
    _mm256_storeu_ps(to, a);
}

static inline Lanes lanes_all(float number)
{
    return _mm256_set1_ps(number);
}

static inline Lanes lanes_fma(Lanes a, Lanes b, Lanes c)
{
    return _mm256_fmadd_ps(a, b, c);
}

#else

typedef struct Lanes {
    float lane[LANES];
} Lanes;

static inline Lanes lanes_load(const float *from)
{
    Lanes out;
    for (int i = 0; i < LANES; i++)
        out.lane[i] = from[i];
    return out;
}

static inline void lanes_store(float *to, Lanes a)
{
    for (int i = 0; i < LANES; i++)
        to[i] = a.lane[i];
}

static inline Lanes lanes_all(float number)
{
    Lanes out;
    for (int i = 0; i < LANES; i++)
        out.lane[i] = number;
    return out;
}

static inline Lanes lanes_fma(Lanes a, Lanes b, Lanes c)
{
    for (int i = 0; i < LANES; i++)
        c.lane[i] = fmaf(a.lane[i], b.lane[i], c.lane[i]);
    return c;
}

#endif

#endif
