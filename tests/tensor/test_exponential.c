// Our exp: its error against double precision, its limits, and the fingerprint of its bits.
#include "kernel.h"

#include "digest.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float float_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint32_t bits_of(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

// 88.72283172607421875 is the last float below ln((2 - 2^-24) 2^127) = 88.7228390...,
// -87.33654022216796875 the last above ln(2^-126) = -87.3365447...
static const uint32_t largest_bits = 0x42b17217, smallest_bits = 0xc2aeac4f;

// The distance to e^x in units of the last place that a float32 near e^x has.
static double error_in_ulp(float x)
{
    double exact = exp(x);
    int exponent;
    frexp(exact, &exponent);
    return fabs(exponential(x) - exact) / ldexp(1.0, exponent - 24);
}

static double worst_error(uint32_t first_bits, uint32_t last_bits)
{
    double worst = 0.0;
    for (uint32_t bits = first_bits; bits <= last_bits; bits += 97)
        worst = fmax(worst, error_in_ulp(float_of(bits)));
    return worst;
}

TEST(the_error_is_below_nine_tenths_of_a_unit_in_the_last_place)
{
    // From 2^-26 on, below which e^x is 1 for a float. The largest error over all floats, not only
    // every 97th, is 0.8913.
    const uint32_t tiny = 0x32800000, sign = 0x80000000;
    double positive = worst_error(tiny, largest_bits);
    double negative = worst_error(tiny | sign, smallest_bits);
    ck_assert_double_lt(positive, 0.892);
    ck_assert_double_lt(negative, 0.892);
    ck_assert_double_gt(negative, 0.8); // it was measured at all
}

TEST(tiny_numbers_give_one)
{
    int others = 0;
    for (uint32_t bits = 0; bits < bits_of(0x1p-26f); bits += 99991) {
        float tiny = float_of(bits);
        others += exponential(tiny) != 1.0f || exponential(-tiny) != 1.0f;
    }
    ck_assert_int_eq(others, 0);
}

TEST(special_numbers_are_exact)
{
    ck_assert_uint_eq(bits_of(exponential(0.0f)), bits_of(1.0f));
    ck_assert_uint_eq(bits_of(exponential(-0.0f)), bits_of(1.0f));
    ck_assert_uint_eq(bits_of(exponential(-INFINITY)), 0);
    ck_assert_uint_eq(bits_of(exponential(INFINITY)), bits_of(INFINITY));
    ck_assert(isnan(exponential(NAN)));
    ck_assert(isnan(exponential(-NAN)));
    ck_assert_uint_eq(bits_of(exponential(3.4e38f)), bits_of(INFINITY));
    ck_assert_uint_eq(bits_of(exponential(-3.4e38f)), 0);
}

TEST(results_end_at_the_largest_float_and_at_the_smallest_normal_one)
{
    float largest = float_of(largest_bits), smallest = float_of(smallest_bits);
    ck_assert(isfinite(exponential(largest)));
    ck_assert(isinf(exponential(float_of(largest_bits + 1))));
    ck_assert(isinf((float)exp((double)float_of(largest_bits + 1))));
    ck_assert(isnormal(exponential(smallest)));
    ck_assert_uint_eq(bits_of(exponential(float_of(smallest_bits + 1))), 0);
    ck_assert_double_lt(exp((double)float_of(smallest_bits + 1)), 0x1p-126);
}

TEST(near_the_limits_a_larger_number_never_has_a_smaller_exp)
{
    int falls = 0;
    for (uint32_t bits = largest_bits - 200000; bits < largest_bits + 1000; bits++)
        falls += !(exponential(float_of(bits + 1)) >= exponential(float_of(bits)));
    // among negative numbers, more bits are a smaller number
    for (uint32_t bits = smallest_bits - 200000; bits < smallest_bits + 1000; bits++)
        falls += !(exponential(float_of(bits)) >= exponential(float_of(bits + 1)));
    ck_assert_int_eq(falls, 0);
}

TEST(every_build_gives_the_same_bits)
{
    // The sha256 of the results for every 40961st of all bit patterns. Found from the formula in
    // rational arithmetic (Python's fractions, each step rounded to 24 digits), without a compiler's
    // float or fmaf.
    enum { STEP = 40961, COUNT = 104856 };
    float *results = malloc(COUNT * sizeof *results);
    ck_assert_ptr_nonnull(results);
    for (uint32_t i = 0; i < COUNT; i++)
        results[i] = exponential(float_of(i * STEP));
    Tensor tensor = tensor_over(results, DTYPE_F32, 1, (ptrdiff_t[]){COUNT});
    char text[DIGEST_TEXT_MAX];
    ck_assert_str_eq(tensor_digest(&tensor, text),
                     "b2821e9549b62b9b99b3cd4db4e72d5cf523f35f640fb3864594b2aaa9fadc7b");
    free(results);
}

SUITE("exponential")
