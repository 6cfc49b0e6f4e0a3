// exponential: e^x for float32 from +, fmaf and integers only.
//
//   x = n ln 2 + r,  n whole, |r| <= ln 2 / 2
//   e^x = 2^n e^r,   e^r by a polynomial of degree 6
//
// ln 2 is taken away in two parts, the first with so few digits that n times it is exact
// (Cody and Waite 1980). The coefficients are those of the Taylor series, the higher ones nudged to
// spread the error over the interval (Cephes expf, Moshier).
#include "exponential.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

float exponential(float x)
{
    const float log2_e = 1.44269504088896341f;
    const float ln2_high = 0.693359375f;
    const float ln2_low = -2.12194440e-4f;
    const float smallest = -87.3365478515625f; // below it 2^n would not be a normal float
    const float largest = 88.72283935546875f;  // e^largest is the last finite result

    if (!(x >= smallest)) // NaN comes here too
        return x < smallest ? 0.0f : x;
    if (x > largest)
        return INFINITY;

    float n = rintf(x * log2_e);
    float r = fmaf(n, -ln2_high, x);
    r = fmaf(n, -ln2_low, r);

    float p = 1.9875691500e-4f;
    p = fmaf(p, r, 1.3981999507e-3f);
    p = fmaf(p, r, 8.3334519073e-3f);
    p = fmaf(p, r, 4.1665795894e-2f);
    p = fmaf(p, r, 1.6666665459e-1f);
    p = fmaf(p, r, 5.0000001201e-1f);
    p = fmaf(p, r * r, r) + 1.0f;

    // 2^n in two factors: n reaches 128 where one would overflow.
    int32_t whole = (int32_t)n, half = whole / 2;
    uint32_t first_bits = (uint32_t)(half + 127) << 23, second_bits = (uint32_t)(whole - half + 127)
                                                                      << 23;
    float first, second;
    memcpy(&first, &first_bits, sizeof first);
    memcpy(&second, &second_bits, sizeof second);
    return p * first * second;
}
