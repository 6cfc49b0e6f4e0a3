// Tests of comparing tensors: what may pass, what may not, and what is said about the rest.
#include "tensor.h"

#include <check.h>
#include <math.h>
#include "suite.h"

static Tensor row(float *numbers, ptrdiff_t length)
{
    return tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){1, length});
}

static TensorDifference compare(float *given, float *known, ptrdiff_t length)
{
    Tensor a = row(given, length), b = row(known, length);
    return tensor_difference(&a, &b);
}

TEST(the_same_numbers_agree_nan_and_infinities_included)
{
    float a[] = {1.0f, -INFINITY, NAN, 0.0f}, b[] = {1.0f, -INFINITY, -NAN, -0.0f};
    TensorDifference difference = compare(a, b, 4);
    ck_assert_int_eq(difference.kind, DIFFERENCE_NONE);
    ck_assert_int_eq(difference.count, 0);
    ck_assert_int_eq(difference.all, 4);
}

// 0.1 + 0.2 + 0.3 one way and the other are one ULP apart.
TEST(another_order_of_a_sum_agrees)
{
    volatile float x = 0.1f, y = 0.2f, z = 0.3f;
    float a[] = {(x + y) + z}, b[] = {x + (y + z)};
    ck_assert_int_eq(compare(a, b, 1).count, 0);
}

// 3 * 1e-5 is more than 1e-6 + 1e-5 * 1, and less than that with a number of 4 in the row.
TEST(a_row_is_measured_by_its_largest_number)
{
    float a[] = {1.00003f, 0.5f}, b[] = {1.0f, 0.5f};
    ck_assert_int_eq(compare(a, b, 2).count, 1);
    a[1] = b[1] = 4.0f;
    ck_assert_int_eq(compare(a, b, 2).count, 0);
    a[1] = b[1] = -INFINITY;
    ck_assert_int_eq(compare(a, b, 2).count, 1);
}

TEST(the_first_the_worst_and_the_kind_are_told)
{
    float known[] = {1, 2, 3, 4, -INFINITY, NAN}, given[] = {1, 2.5f, 3, 8, 0, 1};
    TensorDifference difference = compare(given, known, 6);
    ck_assert_int_eq(difference.kind, DIFFERENCE_NUMBER);
    ck_assert_int_eq(difference.count, 4);
    ck_assert_int_eq(difference.first_at[1], 1);
    ck_assert_int_eq(difference.worst_at[1], 3);
    ck_assert_double_eq(difference.worst, 4.0);
    ck_assert_uint_eq(difference.worst_ulp, 1 << 23); // 4 to 8: one binade
    ck_assert_int_eq(compare((float[]){NAN}, (float[]){1}, 1).kind, DIFFERENCE_NAN);
    ck_assert_int_eq(compare((float[]){INFINITY}, (float[]){1}, 1).kind, DIFFERENCE_INFINITE);
    ck_assert_int_eq(compare((float[]){INFINITY}, (float[]){-INFINITY}, 1).kind,
                     DIFFERENCE_INFINITE);
    ck_assert_int_eq(compare((float[]){0}, (float[]){-INFINITY}, 1).kind, DIFFERENCE_FINITE);
}

TEST(ulps_are_counted_across_zero)
{
    ck_assert_uint_eq(tensor_difference_ulp(1.0f, nextafterf(1.0f, 2.0f)), 1);
    ck_assert_uint_eq(tensor_difference_ulp(0.0f, -0.0f), 0);
    ck_assert_uint_eq(tensor_difference_ulp(0x1p-149f, -0x1p-149f), 2);
}

TEST(other_shapes_are_not_compared)
{
    float numbers[6] = {0};
    Tensor a = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){2, 3});
    Tensor b = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){3, 2}), none = {.rank = 0};
    ck_assert_int_eq(tensor_difference(&a, &b).kind, DIFFERENCE_SHAPE);
    ck_assert_int_eq(tensor_difference(&none, &b).kind, DIFFERENCE_SHAPE);
}

TEST(ids_and_flags_must_be_equal)
{
    int64_t a[] = {5, 6}, b[] = {5, 7};
    unsigned char c[] = {1, 0xFD}, d[] = {1, 1};
    Tensor ids = tensor_over(a, DTYPE_I64, 1, (ptrdiff_t[]){2});
    Tensor known_ids = tensor_over(b, DTYPE_I64, 1, (ptrdiff_t[]){2});
    Tensor flags = tensor_over(c, DTYPE_BOOL, 1, (ptrdiff_t[]){2});
    Tensor known_flags = tensor_over(d, DTYPE_BOOL, 1, (ptrdiff_t[]){2});
    ck_assert_int_eq(tensor_difference(&ids, &known_ids).count, 1);
    ck_assert_int_eq(tensor_difference(&flags, &known_flags).first_at[0], 1);
    ck_assert(tensor_difference_agrees(&ids, &known_ids, (ptrdiff_t[]){0}));
    ck_assert(!tensor_difference_agrees(&ids, &known_ids, (ptrdiff_t[]){1}));
}

SUITE("tensor_difference")
