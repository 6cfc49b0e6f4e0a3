// print(tensor) in its corners: the texts are what torch 1.13.1 printed. The texts of whole cases are
// in test_tensor_print_golden.c.
#include "number_text.h"

#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_print(const Tensor *tensor, const char *expected)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(out);
    tensor_print(tensor, out);
    fclose(out);
    ck_assert_str_eq(text, expected);
    free(text);
}

static Tensor row(float numbers[], ptrdiff_t length)
{
    return tensor_over(numbers, DTYPE_F32, 1, (ptrdiff_t[]){length});
}

static void expect_row(ptrdiff_t length, float numbers[], const char *expected)
{
    Tensor tensor = row(numbers, length);
    expect_print(&tensor, expected);
}

static void expect_scalar(float number, const char *expected)
{
    Tensor tensor = tensor_over(&number, DTYPE_F32, 0, NULL);
    expect_print(&tensor, expected);
}

TEST(a_single_number_has_no_brackets)
{
    expect_scalar(0.0f, "tensor(0.)");
    expect_scalar(-0.0f, "tensor(-0.)");
    expect_scalar(1.5f, "tensor(1.5000)");
    expect_scalar(3.0f, "tensor(3.)");
    expect_scalar(5e-5f, "tensor(5.0000e-05)");
    expect_scalar(NAN, "tensor(nan)");
    expect_scalar(-NAN, "tensor(nan)");
    expect_scalar(-INFINITY, "tensor(-inf)");
    int64_t whole = -7;
    expect_print(&(Tensor){.storage.i64 = &whole, .dtype = DTYPE_I64}, "tensor(-7)");
    unsigned char flag = 1;
    expect_print(&(Tensor){.storage.boolean = &flag, .dtype = DTYPE_BOOL}, "tensor(True)");
}

TEST(whole_floats_end_in_a_point)
{
    expect_row(3, (float[]){1, -2, 30}, "tensor([ 1., -2., 30.])");
    expect_row(3, (float[]){1, 2, NAN}, "tensor([1., 2., nan])");
    expect_row(4, (float[]){1, -INFINITY, INFINITY, 0}, "tensor([1., -inf, inf, 0.])");
    expect_row(3, (float[]){100, -INFINITY, 0}, "tensor([100., -inf,   0.])");
}

TEST(nan_and_infinities_take_the_width_of_the_others)
{
    expect_row(4, (float[]){0.25f, NAN, -INFINITY, INFINITY},
               "tensor([0.2500,    nan,   -inf,    inf])");
    expect_row(2, (float[]){1e-5f, NAN}, "tensor([1.0000e-05,        nan])");
    expect_row(2, (float[]){NAN, 0}, "tensor([nan, 0.])");
}

TEST(far_apart_large_or_small_numbers_turn_scientific)
{
    // more than a factor of 1000, beyond 1e8, below 1e-4: each at its border (the float 1e-4 lies
    // just below)
    expect_row(2, (float[]){1000.5f, 1}, "tensor([1.0005e+03, 1.0000e+00])");
    expect_row(2, (float[]){1000.5f, 1.001f}, "tensor([1000.5000,    1.0010])");
    expect_row(2, (float[]){1000, 1}, "tensor([1000.,    1.])");
    expect_row(2, (float[]){1001, 1}, "tensor([1.0010e+03, 1.0000e+00])");
    expect_row(1, (float[]){1e8f}, "tensor([100000000.])");
    expect_row(1, (float[]){100000008.0f}, "tensor([1.0000e+08])");
    expect_row(1, (float[]){1e-4f}, "tensor([1.0000e-04])");
    expect_row(1, (float[]){2e-4f}, "tensor([0.0002])");
    expect_row(3, (float[]){0, 1e-3f, 0.9f}, "tensor([0.0000, 0.0010, 0.9000])");
}

TEST(zeros_have_no_say_in_the_width)
{
    // the width is 1, so PyTorch thinks that (80 - 7) / (1 + 2) = 24 of them fit a line
    expect_row(
        26, (float[26]){0},
        "tensor([0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., "
        "0., 0., 0., 0., 0.,\n        0., 0.])");
    expect_row(2, (float[]){-0.0f, 0.5f}, "tensor([-0.0000, 0.5000])");
}

TEST(whole_numbers_and_truth_values_are_aligned)
{
    int64_t ids[] = {1, -20, 300, INT64_MAX, INT64_MIN, 0};
    Tensor small = tensor_over(ids, DTYPE_I64, 1, (ptrdiff_t[]){3});
    Tensor large = tensor_over(ids + 3, DTYPE_I64, 1, (ptrdiff_t[]){2});
    expect_print(&small, "tensor([  1, -20, 300])");
    expect_print(&large, "tensor([ 9223372036854775807, -9223372036854775808])");

    unsigned char flags[] = {1, 1, 0, 1};
    Tensor masks = tensor_over(flags, DTYPE_BOOL, 2, (ptrdiff_t[]){2, 2});
    Tensor first = tensor_narrow(&masks, 0, 0, 1);
    expect_print(&first, "tensor([[True, True]])");
    expect_print(&masks, "tensor([[ True,  True],\n        [False,  True]])");
}

TEST(an_empty_tensor_says_its_shape_and_dtype)
{
    static const struct {
        Dtype dtype;
        int rank;
        ptrdiff_t shape[TENSOR_RANK_MAX];
        const char *text;
    } empty[] = {
        {DTYPE_F32, 1, {0}, "tensor([])"},
        {DTYPE_I64, 1, {0}, "tensor([], dtype=torch.int64)"},
        {DTYPE_F32, 2, {0, 3}, "tensor([], size=(0, 3))"},
        {DTYPE_BOOL, 2, {2, 0}, "tensor([], size=(2, 0), dtype=torch.bool)"},
        // 11 + 67 + 2 columns, as PyTorch counts, are the 80 of a line; one more is too many
        {DTYPE_F32,
         4,
         {0, 100000000000000000, 100000000000000000, 10000000000000000},
         "tensor([], size=(0, 100000000000000000, 100000000000000000, 10000000000000000))"},
        {DTYPE_I64,
         4,
         {0, 100000000000000000, 100000000000000000, 100000000000000000},
         "tensor([],\n"
         "       size=(0, 100000000000000000, 100000000000000000, 100000000000000000),\n"
         "       dtype=torch.int64)"},
    };
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        Tensor tensor = {.dtype = empty[i].dtype, .rank = empty[i].rank};
        memcpy(tensor.shape, empty[i].shape, sizeof tensor.shape);
        expect_print(&tensor, empty[i].text);
    }
}

TEST(a_line_is_filled_to_its_last_column)
{
    // (80 - 8) / (4 + 2) = 12, without a rest
    int64_t ids[13];
    for (int i = 0; i < 13; i++)
        ids[i] = 1000 + i;
    Tensor tensor = tensor_over(ids, DTYPE_I64, 2, (ptrdiff_t[]){1, 13});
    expect_print(
        &tensor,
        "tensor([[1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011,\n"
        "         1012]])");
}

TEST(axes_are_parted_by_as_many_line_breaks_as_follow_inside)
{
    int64_t ids[12];
    for (int i = 0; i < 12; i++)
        ids[i] = i + 1;
    Tensor deep = tensor_over(ids, DTYPE_I64, 5, (ptrdiff_t[]){1, 2, 1, 2, 3});
    expect_print(&deep, "tensor([[[[[ 1,  2,  3],\n"
                        "           [ 4,  5,  6]]],\n"
                        "\n"
                        "\n"
                        "         [[[ 7,  8,  9],\n"
                        "           [10, 11, 12]]]]])");
}

TEST(strides_are_followed)
{
    float numbers[12];
    for (int i = 0; i < 12; i++)
        numbers[i] = (float)i;
    Tensor grid = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){3, 4});
    Tensor turned = tensor_transpose(&grid, 0, 1);
    Tensor part = tensor_narrow(&turned, 1, 1, 2);
    expect_print(&part, "tensor([[ 4.,  8.],\n"
                        "        [ 5.,  9.],\n"
                        "        [ 6., 10.],\n"
                        "        [ 7., 11.]])");
}

TEST(beyond_1000_elements_only_what_is_shown_decides_the_format)
{
    static float ones[1001];
    for (int i = 0; i < 1001; i++)
        ones[i] = 1.0f;
    ones[500] = 0.5f;
    expect_row(1001, ones, "tensor([1., 1., 1.,  ..., 1., 1., 1.])");
    Tensor all = row(ones, 1000), more = row(ones, 1001);
    ck_assert(!tensor_number_format(&all).integers);
    ck_assert_int_eq(tensor_number_format(&all).width, 6); // "1.0000"
    ck_assert(tensor_number_format(&more).integers);
    ck_assert_int_eq(tensor_number_format(&more).width, 2); // "1."
}

TEST(a_short_axis_is_shown_whole_beside_a_long_one)
{
    static int64_t ids[1200];
    for (int i = 0; i < 1200; i++)
        ids[i] = i;
    Tensor wide = tensor_over(ids, DTYPE_I64, 2, (ptrdiff_t[]){2, 600});
    expect_print(&wide, "tensor([[   0,    1,    2,  ...,  597,  598,  599],\n"
                        "        [ 600,  601,  602,  ..., 1197, 1198, 1199]])");
    Tensor tall = tensor_over(ids, DTYPE_I64, 2, (ptrdiff_t[]){600, 2});
    expect_print(&tall, "tensor([[   0,    1],\n"
                        "        [   2,    3],\n"
                        "        [   4,    5],\n"
                        "        ...,\n"
                        "        [1194, 1195],\n"
                        "        [1196, 1197],\n"
                        "        [1198, 1199]])");
}

TEST(a_single_number_is_right_aligned_to_the_common_width)
{
    char text[NUMBER_TEXT_MAX];
    Tensor tensor = row((float[]){-1.5f, 0.25f, INFINITY}, 3);
    NumberFormat format = tensor_number_format(&tensor);
    ck_assert_int_eq(format.width, 7);
    ck_assert_str_eq(tensor_number_text(&tensor, (ptrdiff_t[]){0}, format, text), "-1.5000");
    ck_assert_str_eq(tensor_number_text(&tensor, (ptrdiff_t[]){1}, format, text), " 0.2500");
    ck_assert_str_eq(tensor_number_text(&tensor, (ptrdiff_t[]){2}, format, text), "    inf");
}

SUITE("tensor_print")
