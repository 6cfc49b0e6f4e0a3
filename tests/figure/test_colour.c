// Colour maps: published points, even lightness, levels by hand.
#include "display_list.h"
#include "figure.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST(maps_begin_and_end_with_their_published_colours)
{
    static const Colour ends[COLOUR_MAP_COUNT][2] = {
        {0x440154, 0xfde725}, {0x00224e, 0xfee838}, {0x000004, 0xfcfdbf}, {0x053061, 0x67001f}};
    Colour table[COLOUR_LEVELS];
    for (int map = 0; map < COLOUR_MAP_COUNT; map++) {
        colour_table((ColourMap)map, table);
        ck_assert_uint_eq(table[0], ends[map][0]);
        ck_assert_uint_eq(table[COLOUR_LEVELS - 1], ends[map][1]);
    }
}

TEST(one_viridis_in_the_middle_is_the_published_one)
{
    // level 136 of 255 is 8/15 of the way: the ninth of sixteen points
    Colour table[COLOUR_LEVELS];
    colour_table(COLOUR_VIRIDIS, table);
    ck_assert_uint_eq(table[136], 0x1f988b);
}

// With the middle at a fifth, level 51 of 255: there half of the way is done, 7.5 of 15 points, between
// 0x23888e and 0x1f988b. A third of the way there, level 17, is a sixth of all, 2.5 points.
TEST(a_middle_may_stand_elsewhere)
{
    Colour table[COLOUR_LEVELS];
    colour_table_around(COLOUR_VIRIDIS, 0.2, table);
    ck_assert_uint_eq(table[0], 0x440154);
    ck_assert_uint_eq(table[17], 0x443a82);
    ck_assert_uint_eq(table[51], 0x21908d);
    ck_assert_uint_eq(table[COLOUR_LEVELS - 1], 0xfde725);
    colour_table_around(COLOUR_VIRIDIS, 1.0, table);
    ck_assert_uint_eq(table[COLOUR_LEVELS - 1], 0x21908d);
}

TEST(between_two_points_lies_their_mixture)
{
    // from 0x000000 to 0x0a1464, half way: 0x050a32
    ck_assert_uint_eq(colour_mix(0x000000, 0x0a1464, 0.5), 0x050a32);
    ck_assert_uint_eq(colour_blend(0x000000, 0xff8000, 255), 0xff8000);
    ck_assert_uint_eq(colour_blend(0x123456, 0xff8000, 0), 0x123456);
}

// Every channel of every pair, to the nearest of 255 parts.
TEST(blending_rounds_each_channel_by_itself)
{
    int wrong = 0;
    for (unsigned share = 0; share < 256; share++)
        for (unsigned from = 0; from < 256; from++)
            for (unsigned to = 0; to < 256; to += 3) {
                Colour a = from | (255 - from) << 8 | to << 16;
                Colour b = to | from << 8 | (255 - to) << 16;
                Colour blue = (from * (255 - share) + to * share + 127) / 255;
                Colour green = ((255 - from) * (255 - share) + from * share + 127) / 255;
                Colour red = (to * (255 - share) + (255 - to) * share + 127) / 255;
                wrong += colour_blend(a, b, share) != (blue | green << 8 | red << 16);
            }
    ck_assert_int_eq(wrong, 0);
}

TEST(sequential_maps_grow_lighter_with_every_level)
{
    Colour table[COLOUR_LEVELS];
    for (int map = COLOUR_VIRIDIS; map <= COLOUR_MAGMA; map++) {
        colour_table((ColourMap)map, table);
        for (int level = 4; level < COLOUR_LEVELS; level++)
            ck_assert_msg(colour_luminance(table[level]) > colour_luminance(table[level - 4]),
                          "%s at level %d", colour_map_names[map], level);
    }
}

TEST(the_diverging_map_is_lightest_in_the_middle)
{
    Colour table[COLOUR_LEVELS];
    colour_table(COLOUR_DIVERGING, table);
    for (int level = 4; level < COLOUR_LEVELS; level++) {
        double before = colour_luminance(table[level - 4]), now = colour_luminance(table[level]);
        if (level <= 127)
            ck_assert_double_gt(now, before);
        else if (level >= 132)
            ck_assert_double_lt(now, before);
    }
}

TEST(the_diverging_map_of_dark_pages_is_darkest_in_the_middle)
{
    Colour table[COLOUR_LEVELS];
    ck_assert_int_eq(colour_map_on(COLOUR_DIVERGING, false), COLOUR_DIVERGING);
    ck_assert_int_eq(colour_map_on(COLOUR_MAGMA, true), COLOUR_MAGMA);
    colour_table(colour_map_on(COLOUR_DIVERGING, true), table);
    for (int level = 4; level < COLOUR_LEVELS; level++) {
        double before = colour_luminance(table[level - 4]), now = colour_luminance(table[level]);
        if (level <= 127)
            ck_assert_double_lt(now, before);
        else if (level >= 132)
            ck_assert_double_gt(now, before);
    }
    ck_assert_uint_gt(table[0] & 0xff, table[0] >> 16); // blue below 0, red above
    ck_assert_uint_gt(table[255] >> 16, table[255] & 0xff);
}

TEST(black_and_white_have_the_luminance_of_the_standard)
{
    ck_assert_double_eq_tol(colour_luminance(0x000000), 0.0, 1e-12);
    ck_assert_double_eq_tol(colour_luminance(0xffffff), 1.0, 1e-12);
    ck_assert_double_eq_tol(colour_luminance(0xff0000), 0.2126, 1e-12);
}

TEST(a_number_has_the_nearest_level_and_stays_on_the_scale)
{
    ck_assert_int_eq(colour_level(0.0f, 0.0f, 1.0f), 0);
    ck_assert_int_eq(colour_level(1.0f, 0.0f, 1.0f), 255);
    ck_assert_int_eq(colour_level(0.4f, 0.0f, 1.0f), 102); // 0.4 * 255 = 102
    ck_assert_int_eq(colour_level(-3.0f, 0.0f, 1.0f), 0);
    ck_assert_int_eq(colour_level(7.0f, 0.0f, 1.0f), 255);
    ck_assert_int_eq(colour_level(-1.0f, -2.0f, 2.0f), 64); // 0.25 * 255 = 63.75
    ck_assert_int_eq(colour_level(5.0f, 5.0f, 5.0f), 128);  // a scale without extent
}

// --- What a cell and a block of cells of a matrix show, by hand: the one rule of terminal, pictures and
// comparisons.

TEST(nan_comes_before_a_mask_and_a_mask_before_infinity)
{
    ck_assert_int_eq(matrix_mark(MATRIX_PLAIN, 0.5f), MATRIX_PLAIN);
    ck_assert_int_eq(matrix_mark(MATRIX_PADDED, 0.5f), MATRIX_PADDED);
    ck_assert_int_eq(matrix_mark(MATRIX_MASKED, 0.0f), MATRIX_MASKED);
    ck_assert_int_eq(matrix_mark(MATRIX_MASKED, -INFINITY), MATRIX_MASKED);
    ck_assert_int_eq(matrix_mark(MATRIX_MASKED, INFINITY), MATRIX_MASKED);
    ck_assert_int_eq(matrix_mark(MATRIX_MASKED, NAN), MATRIX_NAN);
    ck_assert_int_eq(matrix_mark(MATRIX_PLAIN, INFINITY), MATRIX_INFINITY);
    ck_assert_int_eq(matrix_mark(MATRIX_PADDED, -INFINITY), MATRIX_MINUS_INFINITY);
}

// A weight of 0 behind a mask says nothing; one of 0.25, which a mistake has left there, does.
TEST(a_number_is_shown_where_it_says_more_than_its_mark)
{
    ck_assert(matrix_has_number(MATRIX_PLAIN, 0.0f));
    ck_assert(matrix_has_number(MATRIX_PADDED, 0.0f));
    ck_assert(!matrix_has_number(MATRIX_MASKED, 0.0f));
    ck_assert(!matrix_has_number(MATRIX_DROPPED, 0.0f));
    ck_assert(matrix_has_number(MATRIX_MASKED, 0.25f));
    ck_assert(!matrix_has_number(MATRIX_MASKED, -INFINITY));
    ck_assert(!matrix_has_number(MATRIX_NAN, NAN));
}

static MatrixBlock block_of(const float numbers[], const MatrixMark flags[], int count,
                            bool farthest)
{
    MatrixBlock block = {.farthest = farthest};
    for (int i = 0; i < count; i++)
        matrix_add(&block, numbers[i], flags[i]);
    return block;
}

TEST(a_block_shows_its_largest_number_its_least_flag_and_any_nan)
{
    const float numbers[] = {-3.0f, 0.5f, -4.0f};
    const MatrixMark plain[] = {MATRIX_PLAIN, MATRIX_PLAIN, MATRIX_PLAIN};
    const MatrixMark masked[] = {MATRIX_MASKED, MATRIX_MASKED, MATRIX_MASKED};
    const MatrixMark one_plain[] = {MATRIX_MASKED, MATRIX_PLAIN, MATRIX_MASKED};
    const MatrixMark mixed[] = {MATRIX_MASKED, MATRIX_PADDED, MATRIX_MASKED};
    ck_assert(block_of(numbers, plain, 3, false).number == 0.5f);
    ck_assert(block_of(numbers, plain, 3, true).number == -4.0f);
    ck_assert_int_eq(block_of(numbers, masked, 3, false).flag, MATRIX_MASKED);
    ck_assert_int_eq(block_of(numbers, one_plain, 3, false).flag, MATRIX_PLAIN);
    ck_assert_int_eq(block_of(numbers, mixed, 3, false).flag, MATRIX_PADDED);
    for (int at = 0; at < 3; at++) {
        float with_nan[] = {1.0f, 2.0f, INFINITY};
        with_nan[at] = NAN;
        ck_assert(isnan(block_of(with_nan, plain, 3, false).number));
        ck_assert(isnan(block_of(with_nan, plain, 3, true).number));
    }
    ck_assert(!(MatrixBlock){.number = 0.0f}.has_cell);
}

TEST(a_range_takes_finite_numbers_and_may_lie_around_zero)
{
    PoolRange range = pool_nothing;
    ck_assert(matrix_around_zero(range).low > matrix_around_zero(range).high);
    range = matrix_widen(matrix_widen(range, NAN), -INFINITY);
    ck_assert(range.low > range.high);
    range = matrix_widen(matrix_widen(range, -2.0f), 1.0f);
    ck_assert(range.low == -2.0f && range.high == 1.0f);
    range = matrix_around_zero(range);
    ck_assert(range.low == -2.0f && range.high == 2.0f);
}

// Each pattern of a picture has its word, and each mark of the terminal a character that no other has.
TEST(every_mark_can_be_told_from_the_others)
{
    for (int drawn = DISPLAY_MASKED; drawn < DISPLAY_MARK_COUNT; drawn++)
        ck_assert_str_ne(matrix_drawn_word((DisplayMark)drawn), "");
    for (int mark = MATRIX_PLAIN + 1; mark < MATRIX_MARKS; mark++) {
        ck_assert_str_ne(matrix_mark_word((MatrixMark)mark), "");
        for (int other = 0; other < mark; other++)
            ck_assert_str_ne(matrix_mark_character((MatrixMark)mark),
                             matrix_mark_character((MatrixMark)other));
    }
    ck_assert_str_eq(matrix_drawn_word(DISPLAY_MINUS_INFINITY), "-infinity");
    ck_assert_int_eq(matrix_mark_drawn(MATRIX_MASKED), DISPLAY_MASKED);
}

// --- Pooling against the plain definition, and by hand where numbers are not finite.

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

SUITE("colour")
