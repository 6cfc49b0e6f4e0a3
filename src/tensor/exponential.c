// exponential: e^x for float32 from *, +, fmaf, rintf and integers only.
//
//   x = n ln 2 + r,  n whole, |r| <= ln 2 / 2
//   e^x = 2^n e^r,   e^r by a polynomial of degree 6
//
// ln 2 is subtracted in two parts (Cody and Waite 1980), the float nearest to it and the rest: the
// first step is exact, because fmaf rounds only the difference, which is short. The coefficients
// are those of the Taylor series, 1/n!, adjusted slightly so that the error is spread evenly over
// the interval (Remez) instead of growing towards its ends: at most 3.2e-9 of the result.
#include "kernel.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// 2^n, for n from -126 to 127, is just an exponent field.
static float power_of_two(int32_t n)
{
    uint32_t bits = (uint32_t)(n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

float exponential(float x)
{
    const float log2_e = 1.44269504f;
    const float ln2_high = 6.93147182e-1f, ln2_low = -1.90465430e-9f;
    const float smallest = -87.3365402f; // the last x whose result is a normal float
    const float largest = 88.7228317f;   // the last x whose result is finite

    if (!(x >= smallest)) // NaN comes here too
        return x < smallest ? 0.0f : x;
    if (x > largest)
        return INFINITY;

    float n = rintf(x * log2_e);
    float r = fmaf(n, -ln2_high, x);
    r = fmaf(n, -ln2_low, r);

    float p = 1.38214673e-3f;       // 1/720
    p = fmaf(p, r, 8.36866256e-3f); // 1/120
    p = fmaf(p, r, 4.16682549e-2f); // 1/24
    p = fmaf(p, r, 1.66665211e-1f); // 1/6
    p = fmaf(p, r, 4.99999940e-1f); // 1/2
    p = fmaf(p, r, 1.0f);
    p = fmaf(p, r, 1.0f);

    // In two factors: n reaches 128, where 2^n alone would overflow.
    int32_t whole = (int32_t)n, half = whole / 2;
    return p * power_of_two(half) * power_of_two(whole - half);
}
