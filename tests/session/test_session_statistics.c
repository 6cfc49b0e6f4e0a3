// Statistics of slice and tensor, worked out by hand.

#include "suite.h"
#include "talking.h"

#include <math.h>

static bool is_near(double number, double wanted)
{
    return fabs(number - wanted) < 1e-6;
}

// Numbers in place of document 002's weights.
static void open_numbers(float *numbers, int rank, const ptrdiff_t shape[])
{
    stepping_open_printed(&it);
    say("goto softmax");
    it.session.run.trace.tensors[it.session.cursor.tensor].tensor =
        tensor_over(numbers, DTYPE_F32, rank, shape);
    say("statistics");
    ck_assert(it.session.statistics.measured);
}

TEST(smallest_largest_mean_and_deviation)
{
    // mean 8/4 = 2; squared distances 1 0 0 1, over n - 1 = 3: sqrt(2/3) = 0.8164966
    static float numbers[] = {1.0f, 2.0f, 2.0f, 3.0f};
    open_numbers(numbers, 3, (ptrdiff_t[]){1, 2, 2});
    const Summary *whole = &it.session.statistics.whole;
    ck_assert_int_eq(whole->count, 4);
    ck_assert_int_eq(whole->finite, 4);
    ck_assert_double_eq(whole->smallest, 1.0);
    ck_assert_double_eq(whole->largest, 3.0);
    ck_assert(is_near(whole->mean, 2.0));
    ck_assert(is_near(whole->deviation, 0.8164966));
    stepping_close(&it);
}

TEST(what_is_no_number_is_counted_apart)
{
    // of -1 and 5: mean 2, deviation sqrt((9 + 9) / 1) = 4.2426407
    static float numbers[] = {NAN, -1.0f, INFINITY, 5.0f, -INFINITY, NAN};
    open_numbers(numbers, 3, (ptrdiff_t[]){1, 2, 3});
    const Summary *whole = &it.session.statistics.whole;
    ck_assert_int_eq(whole->count, 6);
    ck_assert_int_eq(whole->nan, 2);
    ck_assert_int_eq(whole->infinite, 2);
    ck_assert_int_eq(whole->finite, 2);
    ck_assert_double_eq(whole->smallest, -1.0);
    ck_assert_double_eq(whole->largest, 5.0);
    ck_assert(is_near(whole->mean, 2.0));
    ck_assert(is_near(whole->deviation, 4.2426407));
    stepping_close(&it);
}

TEST(a_large_mean_does_not_swallow_the_deviation)
{
    // 2^24 and its neighbours 2 apart: sums of squares in double precision would still do, but the
    // deviation is exactly 2
    static float numbers[] = {16777216.0f, 16777218.0f, 16777220.0f};
    open_numbers(numbers, 3, (ptrdiff_t[]){1, 1, 3});
    ck_assert(is_near(it.session.statistics.whole.deviation, 2.0));
    stepping_close(&it);
}

TEST(one_number_has_no_deviation)
{
    static float numbers[] = {7.0f};
    open_numbers(numbers, 3, (ptrdiff_t[]){1, 1, 1});
    ck_assert(isnan(it.session.statistics.whole.deviation));
    ck_assert_double_eq(it.session.statistics.whole.mean, 7.0);
    stepping_close(&it);
}

TEST(the_slice_is_what_rows_and_columns_show)
{
    static float numbers[] = {1.0f, 2.0f, 3.0f, 4.0f, 50.0f, 60.0f, 70.0f, 80.0f};
    open_numbers(numbers, 3, (ptrdiff_t[]){2, 2, 2});
    const SessionStatistics *all = &it.session.statistics;
    say("axis 0");
    ck_assert(is_near(all->slice.mean, 2.5)); // 1 2 3 4
    say("pick 1");
    ck_assert(is_near(all->slice.mean, 65.0)); // 50 60 70 80
    say("rows"); // axis 0 instead of axis 1, which stands at 0: 1 2 50 60
    ck_assert(is_near(all->slice.mean, 28.25));
    ck_assert(is_near(all->whole.mean, 33.75)); // 270 / 8
    stepping_close(&it);
}

TEST(moving_in_the_slice_measures_nothing_again)
{
    static float numbers[] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f};
    open_numbers(numbers, 3, (ptrdiff_t[]){2, 2, 2});
    const SessionStatistics *all = &it.session.statistics;
    numbers[0] = 1000.0f; // whoever looks again sees it
    say("down");
    say("right");
    ck_assert_double_eq(all->slice.largest, 4.0);
    ck_assert_double_eq(all->whole.largest, 8.0);
    say("axis 0");
    say("pick 1"); // another slice of the same tensor
    ck_assert_double_eq(all->slice.largest, 8.0);
    ck_assert_double_eq(all->whole.largest, 8.0);
    say("back");
    say("statistics");
    ck_assert_double_eq(all->whole.largest, 1000.0);
    numbers[0] = 1.0f;
    stepping_close(&it);
}

TEST(rows_of_weights_add_up_to_one)
{
    stepping_open_printed(&it);
    say("goto softmax");
    say("statistics");
    const SessionStatistics *all = &it.session.statistics;
    ck_assert(all->is_weights);
    ck_assert_int_eq(all->rows.rows, 3);
    ck_assert(is_near(all->rows.smallest, 1.0));
    ck_assert(is_near(all->rows.largest, 1.0));
    ck_assert(is_near(all->row, 1.0));
    ck_assert(is_near(all->whole.mean, 1.0 / 3));
    say("goto score");
    ck_assert(!all->is_weights);
    stepping_close(&it);
}

TEST(rows_that_do_not_add_up_are_told)
{
    static float numbers[] = {0.5f, 0.25f, 1.0f, 0.5f, NAN, 0.5f};
    open_numbers(numbers, 3, (ptrdiff_t[]){1, 3, 2});
    const SessionStatistics *all = &it.session.statistics;
    ck_assert_int_eq(all->rows.rows, 3);
    ck_assert_int_eq(all->rows.nan, 1);
    ck_assert_double_eq(all->rows.smallest, 0.75);
    ck_assert_double_eq(all->rows.largest, 1.5);
    ck_assert_double_eq(all->row, 0.75);
    say("down");
    ck_assert_double_eq(all->row, 1.5);
    stepping_close(&it);
}

TEST(masked_scores_are_counted)
{
    TinyShape shape = {.batch = 1,
                       .queries = 3,
                       .keys = 3,
                       .heads = 2,
                       .d_k = 2,
                       .d_v = 2,
                       .d_in = 4,
                       .causal = true};
    stepping_open_tiny(&it, shape, 1);
    say("goto mask");
    say("statistics");
    ck_assert_int_eq(it.session.statistics.slice.masked, 3); // above the diagonal
    ck_assert_int_eq(it.session.statistics.slice.infinite, 3);
    ck_assert_int_eq(it.session.statistics.whole.masked, 6);
    stepping_close(&it);
}

SUITE("session_statistics")
