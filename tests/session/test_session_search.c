// Searching: in document 002's weights, as the document prints them:
//
//   0.3473 0.3045 0.3481
//   0.3804 0.2514 0.3683
//   0.3705 0.2641 0.3654
//
// and in tiny scenarios with masks, padding, dropout and NaN.
#include "suite.h"
#include "talking.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect(const char *element, const char *text)
{
    ck_assert_str_eq(stepping_chosen(&it), element);
    ck_assert_str_eq(it.session.message.text, text);
}

static void open_weights(void)
{
    stepping_open_printed(&it);
    say("goto softmax");
}

// --- comparisons

TEST(a_search_goes_from_match_to_match_counts_them_and_starts_again)
{
    open_weights();
    say("/ > 0.36");
    expect("attn_weights[0, 1, 0]", "> 0.36: match 1 of 4 in attn_weights");
    say(".");
    expect("attn_weights[0, 1, 2]", "> 0.36: match 2 of 4 in attn_weights");
    say(".");
    say(".");
    expect("attn_weights[0, 2, 2]", "> 0.36: match 4 of 4 in attn_weights");
    say(".");
    expect("attn_weights[0, 1, 0]",
           "> 0.36: match 1 of 4 in attn_weights, continued from the start");
    stepping_close(&it);
}

TEST(a_search_begins_at_the_chosen_element)
{
    open_weights();
    say("@[0, 1, 2]");
    say("/ > 0.36");
    expect("attn_weights[0, 1, 2]", "> 0.36: match 2 of 4 in attn_weights");
    say("@[0, 2, 1]");
    say("/ < 0.25");
    expect("attn_weights[0, 2, 1]", "no number in attn_weights is < 0.25");
    say("/ < 0.26"); // only [0, 1, 1], which lies before
    expect("attn_weights[0, 1, 1]",
           "< 0.26: match 1 of 1 in attn_weights, continued from the start");
    stepping_close(&it);
}

TEST(the_last_search_is_repeated_on_another_tensor)
{
    open_weights();
    say("/ < 0.1");
    say("goto score"); // q[0] k[1] = 0.0090 and q[2] k[1] = -0.0552 among them
    say("first");
    say(".");
    ck_assert_float_lt(stepping_tensor(&it)->storage.f32[session_element(&it.session)], 0.1f);
    ck_assert_str_eq(it.session.message.text, "< 0.1: match 1 of 3 in scores");
    stepping_close(&it);
}

TEST(every_comparison_means_what_it_says)
{
    // 1 2 2 3 as the first four numbers of a weight
    static const char *const words[] = {"/ > 2", "/ >= 2", "/ < 2", "/ <= 2",
                                        "/ = 2", "/ == 2", "/ != 2"};
    static const int counts[] = {1, 3, 1, 3, 2, 2, 2};
    static float numbers[] = {1.0f, 2.0f, 2.0f, 3.0f};
    open_weights();
    it.session.run.trace.tensors[it.session.cursor.tensor].tensor =
        tensor_over(numbers, DTYPE_F32, 3, (ptrdiff_t[]){1, 2, 2});
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "of %d in attn_weights", counts[i]);
        say("@[0, 0, 0]");
        say(words[i]);
        ck_assert_msg(strstr(it.session.message.text, wanted) != NULL, "%s: %s", words[i],
                      it.session.message.text);
    }
    stepping_close(&it);
}

// 0.1 is not a float32; PyTorch rounds it to the tensor's dtype before it compares, and so do we.
TEST(a_number_is_compared_as_float32)
{
    static float numbers[] = {0.1f, 0.2f, 0.3f, 0.4f};
    open_weights();
    it.session.run.trace.tensors[it.session.cursor.tensor].tensor =
        tensor_over(numbers, DTYPE_F32, 3, (ptrdiff_t[]){1, 2, 2});
    say("/ = 0.1");
    expect("attn_weights[0, 0, 0]", "= 0.1: match 1 of 1 in attn_weights");
    say("/ > 0.3");
    expect("attn_weights[0, 1, 1]", "> 0.3: match 1 of 1 in attn_weights");
    stepping_close(&it);
}

TEST(what_cannot_be_looked_for_is_refused)
{
    static const char *const refused[][2] = {
        {"/ > much", "a comparison needs a number, as in > 0.4, not \"much\""},
        {"/ = nan", "NaN cannot be compared with a number; \"nan\" finds it"},
        {"/ banana", "cannot search for \"banana\"; search for a number, a comparison (> 0.4, with "
                     "> < >= <= = !=), nan, infinity, masked, largest or smallest"},
        {".", "no search yet; search with / > 0.4, for example"},
    };
    open_weights();
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ck_assert(!stepping_try(&it, refused[i][0]));
        ck_assert_str_eq(it.err.text, refused[i][1]);
    }
    stepping_close(&it);
}

// --- the largest, the smallest

TEST(the_largest_and_the_smallest_are_the_ones_the_document_prints)
{
    open_weights();
    say("/ largest");
    expect("attn_weights[0, 1, 0]", "largest: match 1 of 1 in attn_weights"); // 0.3804
    say("/ smallest");
    expect("attn_weights[0, 1, 1]", // 0.2514
           "smallest: match 1 of 1 in attn_weights");
    stepping_close(&it);
}

TEST(nan_is_neither_largest_nor_smallest_and_is_found_by_its_name)
{
    static float numbers[] = {NAN, -5.0f, INFINITY, NAN};
    open_weights();
    it.session.run.trace.tensors[it.session.cursor.tensor].tensor =
        tensor_over(numbers, DTYPE_F32, 3, (ptrdiff_t[]){1, 2, 2});
    say("/ smallest");
    expect("attn_weights[0, 0, 1]", "smallest: match 1 of 1 in attn_weights");
    say("/ largest");
    expect("attn_weights[0, 1, 0]", "largest: match 1 of 1 in attn_weights");
    say("/ nan");
    expect("attn_weights[0, 1, 1]", "nan: match 2 of 2 in attn_weights");
    say(".");
    expect("attn_weights[0, 0, 0]", "nan: match 1 of 2 in attn_weights, continued from the start");
    say("/ infinity");
    expect("attn_weights[0, 1, 0]", "infinity: match 1 of 1 in attn_weights");
    say("/ = inf");
    expect("attn_weights[0, 1, 0]", "= inf: match 1 of 1 in attn_weights");
    stepping_close(&it);
}

// --- masks and NaN of a trace

TEST(masked_scores_and_weights_are_found)
{
    // 3 tokens, causal: of 9 scores the 3 above the diagonal are masked
    TinyShape shape = {
        .batch = 1, .queries = 3, .keys = 3, .d_k = 2, .d_v = 2, .d_in = 2, .causal = true};
    stepping_open_tiny(&it, shape, 1);
    say("goto softmax");
    say("/ masked");
    expect("attn_weights[0, 0, 1]", "masked: match 1 of 3 in attn_weights");
    say(".");
    say(".");
    expect("attn_weights[0, 1, 2]", "masked: match 3 of 3 in attn_weights");
    say("/ = 0"); // a masked weight is exactly 0
    expect("attn_weights[0, 1, 2]", "= 0: match 3 of 3 in attn_weights");
    say("goto score"); // before the mask there is none
    say("/ masked");
    ck_assert_str_eq(it.session.message.text, "no number in scores is masked");
    stepping_close(&it);
}

TEST(a_number_is_found_as_it_is_written)
{
    // Document 002 prints 0.3473 0.3045 0.3481 in its first row; what is stored has more digits.
    stepping_open_printed(&it);
    say("goto softmax");
    say("/ = 0.3045");
    expect("attn_weights[0, 0, 1]", "= 0.3045: match 1 of 1 in attn_weights");
    say("/ = 0.3044");
    ck_assert_str_eq(it.session.message.text, "no number in attn_weights is = 0.3044");
    say("/ 0.3045"); // a number alone is meant so
    expect("attn_weights[0, 0, 1]", "= 0.3045: match 1 of 1 in attn_weights");
    say("/ = 3.481e-1");
    expect("attn_weights[0, 0, 2]", "= 0.3481: match 1 of 1 in attn_weights");
    stepping_close(&it);
}

TEST(the_first_nan_of_all_is_where_it_arose)
{
    TinyShape shape = {.batch = 1, .queries = 2, .keys = 2, .d_k = 2, .d_v = 2, .d_in = 2};
    stepping_open_tiny(&it, shape, 1);
    say("first-nan");
    expect("q[0, 0, 0]", "no tensor of this run has a NaN"); // and nobody has moved
    float *weight = it.scenario.tensors[1].tensor.storage.f32;
    ck_assert_str_eq(it.scenario.tensors[1].name, "q_proj.weight");
    weight[3] = INFINITY; // q[.., 1] is infinite, and inf - inf in scores or softmax is NaN
    stepping_open_again(&it);
    say("first-nan");
    ck_assert_ptr_nonnull(strstr(it.session.message.text, "the first NaN of the run: 1 of "));
    ck_assert(isnan(stepping_tensor(&it)->storage.f32[session_element(&it.session)]));
    ck_assert_int_eq(session_tensor(&it.session)->step, it.session.cursor.step);
    for (int tensor = 0; tensor < it.session.run.trace.tensor_count; tensor++) {
        const TraceTensor *before = &it.session.run.trace.tensors[tensor];
        for (ptrdiff_t i = 0;
             before->step < it.session.cursor.step && i < tensor_count(&before->tensor); i++)
            ck_assert(!isnan(before->tensor.storage.f32[i]));
    }
    weight[3] = NAN; // an input: shown where it is read
    stepping_open_again(&it);
    say("first-nan");
    expect("q_proj.weight[1, 1]", "the first NaN of the run: 1 of 1 in q_proj.weight");
    ck_assert_str_eq(stepping_step(&it), "project q");
    stepping_close(&it);
}

// --- Statistics of slice and tensor, worked out by hand.

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
    TinyShape shape = tiny_self(1, 2, 3);
    shape.causal = true;
    stepping_open_tiny(&it, shape, 1);
    say("goto mask");
    say("statistics");
    ck_assert_int_eq(it.session.statistics.slice.masked, 3); // above the diagonal
    ck_assert_int_eq(it.session.statistics.slice.infinite, 3);
    ck_assert_int_eq(it.session.statistics.whole.masked, 6);
    stepping_close(&it);
}

SUITE("session_search")
