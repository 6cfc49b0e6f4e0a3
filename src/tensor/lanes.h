// Float32 numbers side by side: the only place for instructions of one machine.
//
// Every operation does to each lane what the scalar operation named beside it does to one number,
// so a kernel written with lanes gives the bits of the plain loop. How many lanes there are depends
// on the instruction set that the including file is compiled for; 16 is always a multiple of it.
#ifndef LANES_H
#define LANES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)

#include <immintrin.h>

enum { LANES = 16 };
typedef __m512 Lanes;

static inline Lanes lanes_load(const float *from)
{
    return _mm512_loadu_ps(from);
}

static inline void lanes_store(float *to, Lanes a)
{
    _mm512_storeu_ps(to, a);
}

static inline Lanes lanes_all(float number)
{
    return _mm512_set1_ps(number);
}

static inline Lanes lanes_add(Lanes a, Lanes b)
{
    return _mm512_add_ps(a, b);
}

static inline Lanes lanes_subtract(Lanes a, Lanes b)
{
    return _mm512_sub_ps(a, b);
}

static inline Lanes lanes_multiply(Lanes a, Lanes b)
{
    return _mm512_mul_ps(a, b);
}

static inline Lanes lanes_divide(Lanes a, Lanes b)
{
    return _mm512_div_ps(a, b);
}

static inline Lanes lanes_fma(Lanes a, Lanes b, Lanes c)
{
    return _mm512_fmadd_ps(a, b, c);
}

static inline Lanes lanes_greater(Lanes a, Lanes b)
{
    return _mm512_max_ps(a, b);
}

static inline Lanes lanes_if_less(Lanes a, Lanes b, Lanes yes, Lanes no)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
}

static inline Lanes lanes_round(Lanes a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline Lanes lanes_power_of_two(Lanes n)
{
    __m512i exponent = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
    return _mm512_castsi512_ps(_mm512_slli_epi32(exponent, 23));
}

static inline void lanes_pairs(__m512 a, __m512 b, __m512 out[2])
{
    __m512d x = _mm512_castps_pd(a), y = _mm512_castps_pd(b);
    out[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(x, y));
    out[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(x, y));
}

// In quarters of 4: rows interleaved, then pairs of them, so that four[4 g + j] has element j of rows
// 4 g ... 4 g + 3 in each quarter; then quarters are gathered.
static inline void lanes_transpose(Lanes block[LANES])
{
    Lanes four[LANES];
    for (int g = 0; g < LANES; g += 4) {
        lanes_pairs(_mm512_unpacklo_ps(block[g], block[g + 1]),
                    _mm512_unpacklo_ps(block[g + 2], block[g + 3]), &four[g]);
        lanes_pairs(_mm512_unpackhi_ps(block[g], block[g + 1]),
                    _mm512_unpackhi_ps(block[g + 2], block[g + 3]), &four[g + 2]);
    }
    for (int j = 0; j < 4; j++) {
        __m512 even = _mm512_shuffle_f32x4(four[j], four[4 + j], 0x88);
        __m512 odd = _mm512_shuffle_f32x4(four[j], four[4 + j], 0xdd);
        __m512 next_even = _mm512_shuffle_f32x4(four[8 + j], four[12 + j], 0x88);
        __m512 next_odd = _mm512_shuffle_f32x4(four[8 + j], four[12 + j], 0xdd);
        block[j] = _mm512_shuffle_f32x4(even, next_even, 0x88);
        block[4 + j] = _mm512_shuffle_f32x4(odd, next_odd, 0x88);
        block[8 + j] = _mm512_shuffle_f32x4(even, next_even, 0xdd);
        block[12 + j] = _mm512_shuffle_f32x4(odd, next_odd, 0xdd);
    }
}

#elif defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

enum { LANES = 8 };
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

static inline Lanes lanes_add(Lanes a, Lanes b)
{
    return _mm256_add_ps(a, b);
}

static inline Lanes lanes_subtract(Lanes a, Lanes b)
{
    return _mm256_sub_ps(a, b);
}

static inline Lanes lanes_multiply(Lanes a, Lanes b)
{
    return _mm256_mul_ps(a, b);
}

static inline Lanes lanes_divide(Lanes a, Lanes b)
{
    return _mm256_div_ps(a, b);
}

static inline Lanes lanes_fma(Lanes a, Lanes b, Lanes c)
{
    return _mm256_fmadd_ps(a, b, c);
}

static inline Lanes lanes_greater(Lanes a, Lanes b)
{
    return _mm256_max_ps(a, b);
}

static inline Lanes lanes_if_less(Lanes a, Lanes b, Lanes yes, Lanes no)
{
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

static inline Lanes lanes_round(Lanes a)
{
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline Lanes lanes_power_of_two(Lanes n)
{
    __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
}

static inline void lanes_pairs(__m256 a, __m256 b, __m256 out[2])
{
    __m256d x = _mm256_castps_pd(a), y = _mm256_castps_pd(b);
    out[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(x, y));
    out[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(x, y));
}

// The same in halves.
static inline void lanes_transpose(Lanes block[LANES])
{
    Lanes four[LANES];
    for (int g = 0; g < LANES; g += 4) {
        lanes_pairs(_mm256_unpacklo_ps(block[g], block[g + 1]),
                    _mm256_unpacklo_ps(block[g + 2], block[g + 3]), &four[g]);
        lanes_pairs(_mm256_unpackhi_ps(block[g], block[g + 1]),
                    _mm256_unpackhi_ps(block[g + 2], block[g + 3]), &four[g + 2]);
    }
    for (int j = 0; j < 4; j++) {
        block[j] = _mm256_permute2f128_ps(four[j], four[4 + j], 0x20);
        block[4 + j] = _mm256_permute2f128_ps(four[j], four[4 + j], 0x31);
    }
}

#elif defined(__aarch64__) && !defined(KERNEL_PLAIN)

#include <arm_neon.h>

enum { LANES = 4 };
typedef float32x4_t Lanes;

static inline Lanes lanes_load(const float *from)
{
    return vld1q_f32(from);
}

static inline void lanes_store(float *to, Lanes a)
{
    vst1q_f32(to, a);
}

static inline Lanes lanes_all(float number)
{
    return vdupq_n_f32(number);
}

static inline Lanes lanes_add(Lanes a, Lanes b)
{
    return vaddq_f32(a, b);
}

static inline Lanes lanes_subtract(Lanes a, Lanes b)
{
    return vsubq_f32(a, b);
}

static inline Lanes lanes_multiply(Lanes a, Lanes b)
{
    return vmulq_f32(a, b);
}

static inline Lanes lanes_divide(Lanes a, Lanes b)
{
    return vdivq_f32(a, b);
}

static inline Lanes lanes_fma(Lanes a, Lanes b, Lanes c)
{
    return vfmaq_f32(c, a, b);
}

static inline Lanes lanes_greater(Lanes a, Lanes b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

static inline Lanes lanes_if_less(Lanes a, Lanes b, Lanes yes, Lanes no)
{
    return vbslq_f32(vcltq_f32(a, b), yes, no);
}

static inline Lanes lanes_round(Lanes a)
{
    return vrndnq_f32(a);
}

static inline Lanes lanes_power_of_two(Lanes n)
{
    int32x4_t exponent = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));
    return vreinterpretq_f32_s32(vshlq_n_s32(exponent, 23));
}

static inline void lanes_pairs(Lanes a, Lanes b, Lanes out[2])
{
    float64x2_t x = vreinterpretq_f64_f32(a), y = vreinterpretq_f64_f32(b);
    out[0] = vreinterpretq_f32_f64(vzip1q_f64(x, y));
    out[1] = vreinterpretq_f32_f64(vzip2q_f64(x, y));
}

// Rows interleaved, then pairs of them.
static inline void lanes_transpose(Lanes block[LANES])
{
    Lanes next_low = vzip1q_f32(block[2], block[3]), next_high = vzip2q_f32(block[2], block[3]);
    Lanes high = vzip2q_f32(block[0], block[1]);
    lanes_pairs(vzip1q_f32(block[0], block[1]), next_low, &block[0]);
    lanes_pairs(high, next_high, &block[2]);
}

#else

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

// a < b ? yes : no
static inline Lanes lanes_if_less(Lanes a, Lanes b, Lanes yes, Lanes no)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] = a.lane[i] < b.lane[i] ? yes.lane[i] : no.lane[i];
    return a;
}

// rintf(a)
static inline Lanes lanes_round(Lanes a)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] = rintf(a.lane[i]);
    return a;
}

// 2^n for a whole n from -126 to 127
static inline Lanes lanes_power_of_two(Lanes n)
{
    for (int i = 0; i < LANES; i++) {
        uint32_t bits = (uint32_t)((int32_t)n.lane[i] + 127) << 23;
        memcpy(&n.lane[i], &bits, sizeof bits);
    }
    return n;
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

#endif
