// Float32 numbers side by side: the only place for instructions of one machine.
//
// The plain C part defines each operation for every lane; the others do the same with a machine's
// instructions. So a kernel written with lanes gives the bits of the plain loop. The number of
// lanes depends on the instruction set of the including file; 16 is always a multiple of it.
#ifndef LANES_H
#define LANES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__AVX512F__)

// 16 numbers side by side with AVX-512.

#include <immintrin.h>
#include <math.h>
#include <stddef.h>

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

static inline __mmask16 lanes_first(ptrdiff_t count)
{
    return (__mmask16)(count >= LANES ? 0xffff : (1u << (count > 0 ? count : 0)) - 1);
}

static inline Lanes lanes_load_some(const float *from, ptrdiff_t count, float beyond)
{
    return _mm512_mask_loadu_ps(_mm512_set1_ps(beyond), lanes_first(count), from);
}

static inline void lanes_store_some(float *to, ptrdiff_t count, Lanes a)
{
    _mm512_mask_storeu_ps(to, lanes_first(count), a);
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

static inline Lanes lanes_smaller(Lanes a, Lanes b)
{
    return _mm512_min_ps(a, b);
}

static inline Lanes lanes_nan_if_either(Lanes a, Lanes b, Lanes c)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q), c, _mm512_set1_ps(NAN));
}

static inline Lanes lanes_zero_if_less(Lanes a, Lanes b, Lanes c)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), c, lanes_all(0.0f));
}

static inline Lanes lanes_if_equal(Lanes a, Lanes b, Lanes c, Lanes d)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ), d, c);
}

static inline Lanes lanes_if_flags(const unsigned char *flags, Lanes a, Lanes b)
{
    __m512i wide = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)flags));
    return _mm512_mask_blend_ps(_mm512_test_epi32_mask(wide, wide), b, a);
}

static inline Lanes lanes_greater_of_pairs(Lanes a, Lanes b)
{
    static const int even[] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
    __m512i first = _mm512_loadu_si512(even);
    __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(1));
    return _mm512_max_ps(_mm512_permutex2var_ps(a, first, b), _mm512_permutex2var_ps(a, second, b));
}

static inline Lanes lanes_sum_of_pairs(Lanes a, Lanes b)
{
    static const int even[] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
    __m512i first = _mm512_loadu_si512(even);
    __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(1));
    return _mm512_add_ps(_mm512_permutex2var_ps(a, first, b), _mm512_permutex2var_ps(a, second, b));
}

static inline void lanes_store_whole(int *to, Lanes a)
{
    _mm512_storeu_si512(to, _mm512_cvttps_epi32(a));
}

static inline Lanes lanes_round(Lanes a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline Lanes lanes_times_power_of_two(Lanes a, Lanes n)
{
    __m512i exponent = _mm512_slli_epi32(_mm512_cvtps_epi32(n), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), exponent));
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

// 8 numbers side by side with AVX2 and FMA.

#include <immintrin.h>
#include <stddef.h>

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

static inline __m256i lanes_first(ptrdiff_t count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline Lanes lanes_load_some(const float *from, ptrdiff_t count, float beyond)
{
    __m256i first = lanes_first(count);
    return _mm256_blendv_ps(_mm256_set1_ps(beyond), _mm256_maskload_ps(from, first),
                            _mm256_castsi256_ps(first));
}

static inline void lanes_store_some(float *to, ptrdiff_t count, Lanes a)
{
    _mm256_maskstore_ps(to, lanes_first(count), a);
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

static inline Lanes lanes_smaller(Lanes a, Lanes b)
{
    return _mm256_min_ps(a, b);
}

static inline Lanes lanes_nan_if_either(Lanes a, Lanes b, Lanes c)
{
    return _mm256_or_ps(c, _mm256_cmp_ps(a, b, _CMP_UNORD_Q)); // bits that are all 1 are NaN
}

static inline Lanes lanes_zero_if_less(Lanes a, Lanes b, Lanes c)
{
    return _mm256_andnot_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ), c);
}

static inline Lanes lanes_if_equal(Lanes a, Lanes b, Lanes c, Lanes d)
{
    return _mm256_blendv_ps(d, c, _mm256_cmp_ps(a, b, _CMP_EQ_OQ));
}

static inline Lanes lanes_if_flags(const unsigned char *flags, Lanes a, Lanes b)
{
    __m256i wide = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)flags));
    __m256i none = _mm256_cmpeq_epi32(wide, _mm256_setzero_si256());
    return _mm256_blendv_ps(a, b, _mm256_castsi256_ps(none));
}

static inline Lanes lanes_greater_of_pairs(Lanes a, Lanes b)
{
    __m256 first = _mm256_shuffle_ps(a, b, 0x88), second = _mm256_shuffle_ps(a, b, 0xdd);
    __m256d mixed = _mm256_castps_pd(_mm256_max_ps(first, second)); // a, b, a, b, two of each
    return _mm256_castpd_ps(_mm256_permute4x64_pd(mixed, 0xd8));
}

static inline Lanes lanes_sum_of_pairs(Lanes a, Lanes b)
{
    __m256 first = _mm256_shuffle_ps(a, b, 0x88), second = _mm256_shuffle_ps(a, b, 0xdd);
    __m256d mixed = _mm256_castps_pd(_mm256_add_ps(first, second)); // a, b, a, b, two of each
    return _mm256_castpd_ps(_mm256_permute4x64_pd(mixed, 0xd8));
}

static inline void lanes_store_whole(int *to, Lanes a)
{
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_cvttps_epi32(a));
}

static inline Lanes lanes_round(Lanes a)
{
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline Lanes lanes_times_power_of_two(Lanes a, Lanes n)
{
    __m256i exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), exponent));
}

static inline void lanes_pairs(__m256 a, __m256 b, __m256 out[2])
{
    __m256d x = _mm256_castps_pd(a), y = _mm256_castps_pd(b);
    out[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(x, y));
    out[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(x, y));
}

// As with AVX-512, in halves.
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

// 4 numbers side by side on 64-bit ARM.

#include <arm_neon.h>
#include <math.h>
#include <stddef.h>

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

static inline Lanes lanes_smaller(Lanes a, Lanes b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

static inline Lanes lanes_nan_if_either(Lanes a, Lanes b, Lanes c)
{
    uint32x4_t numbers = vandq_u32(vceqq_f32(a, a), vceqq_f32(b, b));
    return vbslq_f32(numbers, c, vdupq_n_f32(NAN));
}

static inline Lanes lanes_zero_if_less(Lanes a, Lanes b, Lanes c)
{
    return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(c), vcltq_f32(a, b)));
}

static inline Lanes lanes_if_equal(Lanes a, Lanes b, Lanes c, Lanes d)
{
    return vbslq_f32(vceqq_f32(a, b), c, d);
}

static inline Lanes lanes_if_flags(const unsigned char *flags, Lanes a, Lanes b)
{
    uint32x4_t wide = {flags[0], flags[1], flags[2], flags[3]};
    return vbslq_f32(vtstq_u32(wide, wide), a, b);
}

static inline Lanes lanes_greater_of_pairs(Lanes a, Lanes b)
{
    return lanes_greater(vuzp1q_f32(a, b), vuzp2q_f32(a, b));
}

static inline Lanes lanes_sum_of_pairs(Lanes a, Lanes b)
{
    return vaddq_f32(vuzp1q_f32(a, b), vuzp2q_f32(a, b));
}

static inline void lanes_store_whole(int *to, Lanes a)
{
    vst1q_s32(to, vcvtq_s32_f32(a));
}

static inline Lanes lanes_round(Lanes a)
{
    return vrndnq_f32(a);
}

static inline Lanes lanes_times_power_of_two(Lanes a, Lanes n)
{
    int32x4_t exponent = vshlq_n_s32(vcvtq_s32_f32(n), 23);
    return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(a), exponent));
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

// 4 numbers side by side in plain C, for machines without vectors; it also defines what each
// operation does everywhere.

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

// Where the flag is not 0, a; else b
static inline Lanes lanes_if_flags(const unsigned char *flags, Lanes a, Lanes b)
{
    for (int i = 0; i < LANES; i++)
        b.lane[i] = flags[i] ? a.lane[i] : b.lane[i];
    return b;
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

// The sum of each two neighbours, those of a first
static inline Lanes lanes_sum_of_pairs(Lanes a, Lanes b)
{
    Lanes c;
    for (int i = 0; i < LANES; i++) {
        const float *pair = (2 * i < LANES ? a.lane : b.lane) + 2 * i % LANES;
        c.lane[i] = pair[0] + pair[1];
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

// a * 2^n for a whole n, if neither a nor the product is zero, denormal or infinite: adds n to the
// exponent of a; NaN if a and n are NaN
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

#if !defined(__AVX512F__) && !(defined(__AVX2__) && defined(__FMA__))
// Fewer numbers than lanes, for instruction sets without masked loads.

#include <stddef.h>

// from[0 ... count - 1], at most all lanes; `beyond` in the remaining lanes
static inline Lanes lanes_load_some(const float *from, ptrdiff_t count, float beyond)
{
    float lane[LANES];
    for (int i = 0; i < LANES; i++)
        lane[i] = i < count ? from[i] : beyond;
    return lanes_load(lane);
}

// to[0 ... count - 1], at most all lanes
static inline void lanes_store_some(float *to, ptrdiff_t count, Lanes a)
{
    float lane[LANES];
    lanes_store(lane, a);
    for (int i = 0; i < LANES && i < count; i++)
        to[i] = lane[i];
}

#endif

// --- what is made of these

static inline bool lanes_any_nan(Lanes a)
{
    float lane[LANES];
    bool any = false;
    lanes_store(lane, a);
    for (int i = 0; i < LANES; i++)
        any = any || isnan(lane[i]);
    return any;
}

// All lanes, or the first `count`; those beyond are 0.
static inline Lanes lanes_load_up_to(const float *from, ptrdiff_t count)
{
    return count < LANES ? lanes_load_some(from, count, 0.0f) : lanes_load(from);
}

static inline void lanes_store_up_to(float *to, ptrdiff_t count, Lanes a)
{
    if (count < LANES)
        lanes_store_some(to, count, a);
    else
        lanes_store(to, a);
}

// Registers whose exponentials are computed side by side: an exponential is a chain of operations that wait for each
// other, and a core looks ahead over a few of these only. In plain C the lanes are such chains already.
#if defined(KERNEL_PLAIN)
enum { EXPONENTIALS = 1 };
#else
enum { EXPONENTIALS = 4 };
#endif

// exponential.c's e^x of `count` registers, operation for operation, for the x of a softmax: not above 0, or NaN.
// `count` is a constant.
static inline __attribute__((always_inline)) void exponentials_in_lanes(const int count, Lanes x[])
{
    static const float rising[] = {8.36866256e-3f, 4.16682549e-2f, 1.66665211e-1f,
                                   4.99999940e-1f, 1.0f,           1.0f};
    const Lanes smallest = lanes_all(-87.3365402f);
    Lanes n[EXPONENTIALS], r[EXPONENTIALS], p[EXPONENTIALS];
#define EACH _Pragma("GCC unroll 4") for (int i = 0; i < count; i++)
    // Values below are computed as `smallest` and replaced at the end; NaN stays NaN.
    EACH r[i] = lanes_greater(smallest, x[i]);
    EACH n[i] = lanes_round(lanes_multiply(r[i], lanes_all(1.44269504f)));
    EACH r[i] = lanes_fma(n[i], lanes_all(-6.93147182e-1f), r[i]);
    EACH r[i] = lanes_fma(n[i], lanes_all(1.90465430e-9f), r[i]);

    EACH p[i] = lanes_all(1.38214673e-3f);
#pragma GCC unroll 6
    for (int term = 0; term < 6; term++)
        EACH p[i] = lanes_fma(p[i], r[i], lanes_all(rising[term]));
    EACH x[i] = lanes_zero_if_less(x[i], smallest, lanes_times_power_of_two(p[i], n[i]));
#undef EACH
}

#endif
