// The AVX-512 instructions that lanes.h uses, each as a loop over its lanes, after Intel's
// descriptions (Intrinsics Guide, "Operation"). With this in the place of the compiler's own header
// the AVX-512 kernel runs, slowly, on machines that do not have them.
#ifndef AVX512_IN_C_H
#define AVX512_IN_C_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct __m512 {
    float at[16];
} __m512;

typedef struct __m512d {
    uint64_t at[8]; // only moved
} __m512d;

typedef struct __m512i {
    int32_t at[16];
} __m512i;

typedef struct __m128i {
    uint8_t at[16];
} __m128i;

typedef uint16_t __mmask16;

enum {
    _CMP_EQ_OQ = 0x00,
    _CMP_LT_OQ = 0x11,
    _CMP_UNORD_Q = 0x03,
    _MM_FROUND_TO_NEAREST_INT = 0,
    _MM_FROUND_NO_EXC = 8
};

#define AVX512_MOVE(name, To, From) \
    static inline To name(From a) \
    { \
        To out; \
        memcpy(&out, &a, sizeof out); \
        return out; \
    }
AVX512_MOVE(_mm512_castps_pd, __m512d, __m512)
AVX512_MOVE(_mm512_castpd_ps, __m512, __m512d)
AVX512_MOVE(_mm512_castsi512_ps, __m512, __m512i)
AVX512_MOVE(_mm512_castps_si512, __m512i, __m512)
#undef AVX512_MOVE

#define AVX512_EACH(name, Vector, expression) \
    static inline Vector name(Vector a, Vector b) \
    { \
        Vector out; \
        for (int i = 0; i < 16; i++) \
            out.at[i] = (expression); \
        return out; \
    }
AVX512_EACH(_mm512_add_ps, __m512, a.at[i] + b.at[i])
AVX512_EACH(_mm512_sub_ps, __m512, a.at[i] - b.at[i])
AVX512_EACH(_mm512_mul_ps, __m512, a.at[i] * b.at[i])
AVX512_EACH(_mm512_div_ps, __m512, a.at[i] / b.at[i])
AVX512_EACH(_mm512_max_ps, __m512, a.at[i] > b.at[i] ? a.at[i] : b.at[i])
AVX512_EACH(_mm512_min_ps, __m512, a.at[i] < b.at[i] ? a.at[i] : b.at[i])
AVX512_EACH(_mm512_add_epi32, __m512i, (int32_t)((uint32_t)a.at[i] + (uint32_t)b.at[i]))
// In each quarter: its first two elements, or its last two, of a and b in turn.
AVX512_EACH(_mm512_unpacklo_ps, __m512, (i % 2 ? b : a).at[i / 4 * 4 + i % 4 / 2])
AVX512_EACH(_mm512_unpackhi_ps, __m512, (i % 2 ? b : a).at[i / 4 * 4 + 2 + i % 4 / 2])
#undef AVX512_EACH

static inline __m512d _mm512_unpacklo_pd(__m512d a, __m512d b)
{
    for (int i = 0; i < 8; i += 2)
        a.at[i + 1] = b.at[i];
    return a;
}

static inline __m512d _mm512_unpackhi_pd(__m512d a, __m512d b)
{
    for (int i = 0; i < 8; i += 2)
        b.at[i] = a.at[i + 1];
    return b;
}

// Two quarters of a, then two of b; which, in two bits each.
static inline __m512 _mm512_shuffle_f32x4(__m512 a, __m512 b, int which)
{
    __m512 out;
    for (int i = 0; i < 16; i++)
        out.at[i] = (i < 8 ? a : b).at[4 * (which >> i / 4 * 2 & 3) + i % 4];
    return out;
}

static inline __m512 _mm512_loadu_ps(const void *from)
{
    __m512 out;
    memcpy(&out, from, sizeof out);
    return out;
}

static inline void _mm512_storeu_ps(void *to, __m512 a)
{
    memcpy(to, &a, sizeof a);
}

static inline __m512i _mm512_loadu_si512(const void *from)
{
    __m512i out;
    memcpy(&out, from, sizeof out);
    return out;
}

static inline void _mm512_storeu_si512(void *to, __m512i a)
{
    memcpy(to, &a, sizeof a);
}

// Each index names one of the 32 elements of a and b.
static inline __m512 _mm512_permutex2var_ps(__m512 a, __m512i index, __m512 b)
{
    __m512 out;
    for (int i = 0; i < 16; i++)
        out.at[i] = (index.at[i] & 16 ? b : a).at[index.at[i] & 15];
    return out;
}

static inline __m512 _mm512_set1_ps(float number)
{
    __m512 out;
    for (int i = 0; i < 16; i++)
        out.at[i] = number;
    return out;
}

static inline __m512i _mm512_set1_epi32(int32_t number)
{
    __m512i out;
    for (int i = 0; i < 16; i++)
        out.at[i] = number;
    return out;
}

static inline __m512 _mm512_fmadd_ps(__m512 a, __m512 b, __m512 c)
{
    for (int i = 0; i < 16; i++)
        c.at[i] = fmaf(a.at[i], b.at[i], c.at[i]);
    return c;
}

static inline __mmask16 _mm512_cmp_ps_mask(__m512 a, __m512 b, int how)
{
    unsigned mask = 0;
    for (int i = 0; i < 16; i++)
        mask |= (unsigned)(how == _CMP_LT_OQ   ? a.at[i] < b.at[i]
                           : how == _CMP_EQ_OQ ? a.at[i] == b.at[i]
                                               : isunordered(a.at[i], b.at[i]))
                << i;
    return (__mmask16)mask;
}

static inline __m128i _mm_loadu_si128(const __m128i *from)
{
    __m128i out;
    memcpy(&out, from, sizeof out);
    return out;
}

static inline __m512i _mm512_cvtepu8_epi32(__m128i a)
{
    __m512i out;
    for (int i = 0; i < 16; i++)
        out.at[i] = a.at[i];
    return out;
}

static inline __mmask16 _mm512_test_epi32_mask(__m512i a, __m512i b)
{
    uint16_t mask = 0;
    for (int i = 0; i < 16; i++)
        mask = (uint16_t)(mask | ((a.at[i] & b.at[i]) != 0) << i);
    return mask;
}

static inline __m512 _mm512_mask_blend_ps(__mmask16 mask, __m512 no, __m512 yes)
{
    for (int i = 0; i < 16; i++)
        no.at[i] = mask >> i & 1 ? yes.at[i] : no.at[i];
    return no;
}

static inline __m512 _mm512_mask_loadu_ps(__m512 other, __mmask16 mask, const float *from)
{
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1)
            other.at[i] = from[i];
    return other;
}

static inline void _mm512_mask_storeu_ps(float *to, __mmask16 mask, __m512 a)
{
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1)
            to[i] = a.at[i];
}

static inline __m512 _mm512_roundscale_ps(__m512 a, int how)
{
    for (int i = 0; i < 16; i++)
        a.at[i] = how == (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC) ? rintf(a.at[i]) : NAN;
    return a;
}

// What does not fit, and NaN, becomes the smallest integer.
static inline __m512i _mm512_cvtps_epi32(__m512 a)
{
    __m512i out;
    for (int i = 0; i < 16; i++)
        out.at[i] = fabsf(a.at[i]) < 0x1p31f ? (int32_t)rintf(a.at[i]) : INT32_MIN;
    return out;
}

static inline __m512i _mm512_cvttps_epi32(__m512 a)
{
    __m512i out;
    for (int i = 0; i < 16; i++)
        out.at[i] = fabsf(a.at[i]) < 0x1p31f ? (int32_t)a.at[i] : INT32_MIN;
    return out;
}

static inline __m512i _mm512_slli_epi32(__m512i a, unsigned bits)
{
    for (int i = 0; i < 16; i++)
        a.at[i] = (int32_t)((uint32_t)a.at[i] << bits);
    return a;
}

#endif
