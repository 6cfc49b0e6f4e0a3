// lanes_avx512: 16 numbers side by side with AVX-512; lanes.h includes it.
#if defined(__AVX512F__) && !defined(LANES_AVX512_H)
#define LANES_AVX512_H

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

static inline Lanes lanes_greater_of_pairs(Lanes a, Lanes b)
{
    static const int even[] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
    __m512i first = _mm512_loadu_si512(even);
    __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(1));
    return _mm512_max_ps(_mm512_permutex2var_ps(a, first, b), _mm512_permutex2var_ps(a, second, b));
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

#endif
