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

// 0.1 is no float32; PyTorch rounds it to the tensor's dtype before it compares, and so do we.
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
    say("largest");
    expect("attn_weights[0, 1, 0]", "largest: match 1 of 1 in attn_weights"); // 0.3804
    say("smallest");
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
    say("smallest");
    expect("attn_weights[0, 0, 1]", "smallest: match 1 of 1 in attn_weights");
    say("largest");
    expect("attn_weights[0, 1, 0]", "largest: match 1 of 1 in attn_weights");
    say("next-nan");
    expect("attn_weights[0, 1, 1]", "nan: match 2 of 2 in attn_weights");
    say("next-nan");
    expect("attn_weights[0, 0, 0]", "nan: match 1 of 2 in attn_weights, continued from the start");
    say("next-infinity");
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
    say("next-masked");
    expect("attn_weights[0, 0, 1]", "masked: match 1 of 3 in attn_weights");
    say("next-masked");
    say("next-masked");
    expect("attn_weights[0, 1, 2]", "masked: match 3 of 3 in attn_weights");
    say("/ = 0"); // a masked weight is exactly 0
    expect("attn_weights[0, 1, 2]", "= 0: match 3 of 3 in attn_weights");
    say("goto score"); // before the mask there is none
    say("next-masked");
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

SUITE("session_search")
