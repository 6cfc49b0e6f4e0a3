// lanes_avx2: 8 numbers side by side with AVX2 and FMA; lanes.h includes it.
#if defined(__AVX2__) && !defined(LANES_AVX2_H)
#define LANES_AVX2_H

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

static inline Lanes lanes_greater_of_pairs(Lanes a, Lanes b)
{
    __m256 first = _mm256_shuffle_ps(a, b, 0x88), second = _mm256_shuffle_ps(a, b, 0xdd);
    __m256d mixed = _mm256_castps_pd(_mm256_max_ps(first, second)); // a, b, a, b, two of each
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

// As in lanes_avx512.h, in halves.
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

#endif
