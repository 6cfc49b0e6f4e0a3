// lanes_neon: 4 numbers side by side on 64-bit ARM; lanes.h includes it.
#if defined(__aarch64__) && !defined(LANES_NEON_H)
#define LANES_NEON_H

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

#include "lanes_some.h"

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

static inline Lanes lanes_greater_of_pairs(Lanes a, Lanes b)
{
    return lanes_greater(vuzp1q_f32(a, b), vuzp2q_f32(a, b));
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

#endif
