// What a cell and a block of cells of a matrix show, by hand: the one rule of terminal, pictures and
// comparisons.
#include "figure.h"

#include <math.h>
#include <string.h>
#include "suite.h"

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

SUITE("matrix")
