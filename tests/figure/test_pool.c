// Pooling against the plain definition, and by hand where numbers are not finite.
#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include "suite.h"

static float number_of(ptrdiff_t i, ptrdiff_t j)
{
    return (float)((i * 7919 + j * 104729) % 1009) - 500.0f;
}

static float largest_of(const Tensor *matrix, ptrdiff_t row, ptrdiff_t column, ptrdiff_t down,
                        ptrdiff_t across)
{
    float largest = -INFINITY;
    for (ptrdiff_t i = row; i < row + down && i < matrix->shape[0]; i++)
        for (ptrdiff_t j = column; j < column + across && j < matrix->shape[1]; j++)
            if (*tensor_at2(matrix, i, j) > largest)
                largest = *tensor_at2(matrix, i, j);
    return largest;
}

static void check_pool(ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t down, ptrdiff_t across,
                       bool turned)
{
    float *numbers = malloc((size_t)(rows * columns) * sizeof *numbers);
    float *out = malloc((size_t)(rows * columns) * sizeof *out);
    float *scratch = malloc((size_t)(4 * (rows + columns)) * sizeof *scratch);
    ck_assert(numbers && out && scratch);
    Tensor matrix = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){rows, columns});
    float low = INFINITY, high = -INFINITY;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++) {
            float number = *tensor_at2(&matrix, i, j) = number_of(i, j);
            low = number < low ? number : low;
            high = number > high ? number : high;
        }
    if (turned)
        matrix = tensor_transpose(&matrix, 0, 1);
    PoolRange range = pool_blocks(&matrix, down, across, out, scratch);
    ck_assert_float_eq(range.low, low);
    ck_assert_float_eq(range.high, high);
    ptrdiff_t wide = pool_count(matrix.shape[1], across);
    for (ptrdiff_t r = 0; r < pool_count(matrix.shape[0], down); r++)
        for (ptrdiff_t c = 0; c < wide; c++)
            ck_assert_float_eq(out[r * wide + c],
                               largest_of(&matrix, r * down, c * across, down, across));
    range = pool_range(&matrix, scratch);
    ck_assert_float_eq(range.low, low);
    ck_assert_float_eq(range.high, high);
    free(numbers);
    free(out);
    free(scratch);
}

TEST(every_block_shows_its_largest_number)
{
    static const ptrdiff_t shapes[][4] = {
        {1, 1, 1, 1},     {5, 7, 1, 1},    {5, 7, 2, 3},    {64, 64, 4, 4},   {65, 67, 4, 4},
        {33, 50, 5, 6},   {9, 40, 8, 8},   {40, 9, 16, 16}, {3, 2, 64, 64},   {21, 68, 5, 5},
        {31, 95, 15, 15}, {30, 100, 6, 9}, {8, 71, 3, 7},   {22, 90, 11, 11}, {14, 77, 14, 21}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_pool(shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], false);
        check_pool(shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], true);
    }
}

TEST(nan_in_a_block_shows_wherever_it_lies_and_nowhere_else)
{
    float numbers[16] = {0}, out[4], scratch[16];
    for (int place = 0; place < 16; place++) {
        for (int i = 0; i < 16; i++)
            numbers[i] = i == place ? NAN : (float)i;
        Tensor matrix = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){4, 4});
        PoolRange range = pool_blocks(&matrix, 2, 2, out, scratch);
        for (int block = 0; block < 4; block++)
            ck_assert_int_eq(isnan(out[block]) != 0, block == place / 8 * 2 + place % 4 / 2);
        ck_assert_float_eq(range.low, place == 0 ? 1.0f : 0.0f);
        ck_assert_float_eq(range.high, place == 15 ? 14.0f : 15.0f);
    }
}

TEST(infinities_are_shown_and_are_no_end_of_the_scale)
{
    float numbers[] = {-INFINITY, 1.0f, -INFINITY, -INFINITY, //
                       2.0f,      3.0f, -INFINITY, -INFINITY, //
                       5.0f,      4.0f, 6.0f,      INFINITY,  //
                       5.0f,      4.0f, 6.0f,      -7.0f};
    float out[4], scratch[16];
    Tensor matrix = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){4, 4});
    PoolRange range = pool_blocks(&matrix, 2, 2, out, scratch);
    ck_assert_float_eq(out[0], 3.0f);
    ck_assert(isinf(out[1]) && out[1] < 0.0f);
    ck_assert_float_eq(out[2], 5.0f);
    ck_assert(isinf(out[3]) && out[3] > 0.0f);
    ck_assert_float_eq(range.low, -7.0f);
    ck_assert_float_eq(range.high, 6.0f);
}

TEST(without_a_finite_number_there_is_no_range)
{
    float numbers[] = {NAN, INFINITY, -INFINITY, NAN}, out[4], scratch[8];
    Tensor matrix = tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){2, 2});
    PoolRange range = pool_blocks(&matrix, 1, 1, out, scratch);
    ck_assert(range.low > range.high);
    ck_assert(isnan(out[0]) && isinf(out[1]) && isinf(out[2]) && isnan(out[3]));
}

SUITE("pool")
