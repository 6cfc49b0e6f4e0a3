// The strided view: what PyTorch's tensor does, checked by hand-worked strides.
#include "tensor.h"
#include "suite.h"

#include <check.h>
#include <math.h>
#include <string.h>

static float numbers[720];

static Tensor counted(int rank, const ptrdiff_t shape[])
{
    for (int i = 0; i < 720; i++)
        numbers[i] = (float)i;
    return tensor_over(numbers, DTYPE_F32, rank, shape);
}

TEST(a_new_tensor_is_contiguous)
{
    // strides of (2, 3, 4): 12 to the next block, 4 to the next row, 1 to the next number
    Tensor t = counted(3, (ptrdiff_t[]){2, 3, 4});
    ck_assert_int_eq(t.stride[0], 12);
    ck_assert_int_eq(t.stride[1], 4);
    ck_assert_int_eq(t.stride[2], 1);
    ck_assert(tensor_is_contiguous(&t));
    ck_assert_int_eq(tensor_place(&t, (ptrdiff_t[]){1, 2, 3}), 12 + 8 + 3);
}

TEST(view_then_transpose_is_the_split_into_heads)
{
    // (1, 3, 8) -> view (1, 3, 4, 2) -> transpose -> (1, 4, 3, 2): head 2 of token 1 starts at 8 + 4
    Error err;
    Tensor t = counted(3, (ptrdiff_t[]){1, 3, 8}), viewed;
    ck_assert(tensor_view(&t, 4, (ptrdiff_t[]){1, 3, 4, 2}, &viewed, &err));
    Tensor heads = tensor_transpose(&viewed, 1, 2);
    ck_assert_int_eq(heads.shape[1], 4);
    ck_assert_int_eq(heads.stride[1], 2);
    ck_assert_int_eq(heads.stride[2], 8);
    ck_assert(!tensor_is_contiguous(&heads));
    ck_assert_float_eq(*tensor_at4(&heads, 0, 2, 1, 0), 12.0f);
}

TEST(merging_transposed_heads_is_refused)
{
    Error err;
    Tensor t = counted(4, (ptrdiff_t[]){2, 3, 6, 4}), merged;
    Tensor back = tensor_transpose(&t, 1, 2);
    ck_assert(!tensor_view(&back, 3, (ptrdiff_t[]){2, 6, 12}, &merged, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "(2, 6, 12)"));
    ck_assert_ptr_nonnull(strstr(err.text, "(2, 6, 3, 4)"));
    ck_assert_ptr_nonnull(strstr(err.text, "contiguous"));
}

TEST(a_view_of_another_count_is_refused)
{
    // 1 x 9 x 10 = 90 is not 1 x 9 x 3 x 3 = 81
    Error err;
    Tensor t = counted(3, (ptrdiff_t[]){1, 9, 10}), viewed;
    ck_assert(!tensor_view(&t, 4, (ptrdiff_t[]){1, 9, 3, 3}, &viewed, &err));
    ck_assert_str_eq(err.text, "view: shape (1, 9, 3, 3) is invalid for a tensor of shape "
                               "(1, 9, 10) (90 elements)");
}

TEST(a_view_of_a_strided_tensor_may_split_and_merge_inside_a_run)
{
    // (4, 6) transposed is (6, 4) with strides (1, 6): the 6 may be split into 2 x 3, the 4 into
    // 2 x 2, but 6 and 4 may not be merged.
    Error err;
    Tensor t = counted(2, (ptrdiff_t[]){4, 6}), viewed;
    Tensor turned = tensor_transpose(&t, 0, 1);
    ck_assert(tensor_view(&turned, 4, (ptrdiff_t[]){2, 3, 2, 2}, &viewed, &err));
    ck_assert_int_eq(viewed.stride[0], 3);
    ck_assert_int_eq(viewed.stride[1], 1);
    ck_assert_int_eq(viewed.stride[2], 12);
    ck_assert_int_eq(viewed.stride[3], 6);
    ck_assert(!tensor_view(&turned, 1, (ptrdiff_t[]){24}, &viewed, &err));
    ck_assert(!tensor_view(&turned, 2, (ptrdiff_t[]){4, 6}, &viewed, &err));
}

TEST(axes_of_length_one_never_stand_in_the_way)
{
    Error err;
    Tensor t = counted(3, (ptrdiff_t[]){3, 1, 4}), viewed;
    Tensor turned = tensor_transpose(&t, 0, 1);
    ck_assert(tensor_is_contiguous(&turned));
    ck_assert(tensor_view(&turned, 2, (ptrdiff_t[]){12, 1}, &viewed, &err));
    ck_assert(tensor_view(&turned, 1, (ptrdiff_t[]){12}, &viewed, &err));
    ck_assert_int_eq(viewed.stride[0], 1);
    Tensor one = counted(2, (ptrdiff_t[]){1, 1});
    ck_assert(tensor_view(&one, 0, NULL, &viewed, &err));
}

TEST(expand_repeats_with_stride_zero)
{
    Error err;
    Tensor t = counted(3, (ptrdiff_t[]){2, 1, 4}), wide;
    ck_assert(tensor_expand(&t, 4, (ptrdiff_t[]){5, 2, 3, 4}, &wide, &err));
    ck_assert_int_eq(wide.stride[0], 0);
    ck_assert_int_eq(wide.stride[1], 4);
    ck_assert_int_eq(wide.stride[2], 0);
    ck_assert_float_eq(*tensor_at4(&wide, 4, 1, 2, 3), 7.0f);
    ck_assert(!tensor_expand(&t, 3, (ptrdiff_t[]){2, 3, 5}, &wide, &err));
    ck_assert_str_eq(err.text, "shape (2, 1, 4) cannot be broadcast to (2, 3, 5)");
}

TEST(narrow_squeeze_and_unsqueeze_move_no_numbers)
{
    Tensor t = counted(2, (ptrdiff_t[]){8, 8});
    Tensor corner = tensor_narrow(&t, 0, 2, 6);
    corner = tensor_narrow(&corner, 1, 1, 6);
    ck_assert_float_eq(*tensor_at2(&corner, 0, 0), 17.0f);
    Tensor deep = tensor_unsqueeze(&corner, 1);
    ck_assert_int_eq(deep.rank, 3);
    ck_assert_float_eq(*tensor_at3(&deep, 5, 0, 5), 62.0f);
    Tensor flat = tensor_squeeze(&deep, 1);
    ck_assert(tensor_same_shape(&flat, &corner));
    // (2, 3, 4, 5): matrix [1, 2] starts at 60 + 2 * 20
    Tensor block = counted(4, (ptrdiff_t[]){2, 3, 4, 5}), matrix = tensor_matrix(&block, 1, 2);
    ck_assert_int_eq(matrix.rank, 2);
    ck_assert_float_eq(*tensor_at2(&matrix, 3, 4), 119.0f);
}

TEST(copy_follows_both_strides)
{
    float target[24] = {0};
    Tensor t = counted(2, (ptrdiff_t[]){4, 6});
    Tensor turned = tensor_transpose(&t, 0, 1);
    Tensor out = tensor_over(target, DTYPE_F32, 2, (ptrdiff_t[]){6, 4});
    tensor_copy(&turned, &out);
    ck_assert_float_eq(target[0], 0.0f);
    ck_assert_float_eq(target[1], 6.0f);
    ck_assert_float_eq(target[4], 1.0f);
    ck_assert_float_eq(target[23], 23.0f);
}

TEST(a_number_is_read_through_the_strides_whatever_its_dtype)
{
    float floats[] = {1.5f, 2.5f, -3.25f, 4.5f};
    int64_t ids[] = {7, -8, 1234567890123, 9};
    unsigned char flags[] = {0, 0, 1, 0};
    void *const storages[] = {floats, ids, flags};
    const double wanted[] = {-3.25, 1234567890123.0, 1.0}; // element [0, 1] of the transpose
    for (int dtype = DTYPE_F32; dtype <= DTYPE_BOOL; dtype++) {
        Tensor square = tensor_over(storages[dtype], (Dtype)dtype, 2, (ptrdiff_t[]){2, 2});
        Tensor turned = tensor_transpose(&square, 0, 1);
        ck_assert_double_eq(tensor_number(&turned, (ptrdiff_t[]){0, 1}), wanted[dtype]);
    }
}

TEST(a_tensor_larger_than_memory_is_refused_with_its_size)
{
    Error err = {0};
    Arena arena = {0};
    Tensor t;
    ptrdiff_t huge = PTRDIFF_MAX / 4;
    ck_assert(!tensor_take(&arena, DTYPE_F32, 3, (ptrdiff_t[]){huge, 8, 8}, &t, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "larger than any memory"));
    ck_assert(!tensor_take(&arena, DTYPE_F32, 2, (ptrdiff_t[]){1 << 30, 1 << 20}, &t, &err));
    // 2^30 x 2^20 x 4 bytes = 2^52 bytes
    ck_assert_ptr_nonnull(strstr(err.text, "4503599627370496 bytes"));
    arena_finish(&arena);
}

TEST(shapes_are_written_as_python_writes_tuples)
{
    char text[TENSOR_TEXT_MAX];
    ck_assert_str_eq(tensor_shape_text(0, NULL, text), "()");
    ck_assert_str_eq(tensor_shape_text(1, (ptrdiff_t[]){5}, text), "(5,)");
    ck_assert_str_eq(tensor_shape_text(3, (ptrdiff_t[]){1, 3, 4}, text), "(1, 3, 4)");
}

// --- Tests of comparing tensors: what may pass, what may not, and what is said about the rest.

static Tensor row(float *of, ptrdiff_t length)
{
    return tensor_over(of, DTYPE_F32, 2, (ptrdiff_t[]){1, length});
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
    float zeros[6] = {0};
    Tensor a = tensor_over(zeros, DTYPE_F32, 2, (ptrdiff_t[]){2, 3});
    Tensor b = tensor_over(zeros, DTYPE_F32, 2, (ptrdiff_t[]){3, 2}), none = {.rank = 0};
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

SUITE("tensor")
