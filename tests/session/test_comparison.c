// Two runs: the other one is a run of its own on memory of its own, follows every step and edit, and
// is compared number by number.
#include "comparison.h"

#include <stdio.h>
#include <string.h>
#include "scenario_file.h"
#include "suite.h"
#include "talking.h"

static void expect_none(const char *words, const char *says)
{
    expect_refusal(words, says);
    ck_assert(!it.session.comparison.open);
}

static bool same_numbers(const Tensor *a, const Tensor *b)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    bool same = a->dtype == b->dtype && tensor_same_shape(a, b);
    for (bool more = same; same && more; more = tensor_next(a, at))
        same = tensor_same_number(a, b, at);
    return same;
}

// Every tensor of the other run against a run of its own from the start.
static void expect_run_is_run_of(const ScenarioRequest *request, const char *mistake)
{
    Error err;
    Scenario other;
    Trace trace;
    TraceVariant variant = {.stages = mistake ? mistake_find(mistake)->stages : NULL};
    ck_assert_msg(scenario_open(&other, request, &err), "%s", err.text);
    ck_assert(trace_open_variant(&trace, &other, &variant, &err) && trace_run(&trace, &err));
    for (int number = 0; number < trace.tensor_count; number++)
        ck_assert_msg(same_numbers(&trace.tensors[number].tensor,
                                   &it.session.comparison.trace.tensors[number].tensor),
                      "%s", trace.tensors[number].name);
    trace_close(&trace);
    scenario_finish(&other);
}

static const char *const mistakes[] = {"scale-missing", "softmax-over-queries",
                                       "merge-without-transpose"};

LOOP_TEST(a_run_with_a_mistake_is_a_run_of_that_mistake, sizeof mistakes / sizeof *mistakes)
{
    char words[128];
    open_named("causal");
    snprintf(words, sizeof words, "compare mistake %s", mistakes[_i]);
    say(words);
    say("last");
    expect_run_is_run_of(&(ScenarioRequest){.what = "causal"}, mistakes[_i]);
    close_all();
}

TEST(a_run_with_an_option_is_a_run_of_that_option)
{
    open_named("causal");
    say("compare attention.scale=4");
    say("last");
    expect_run_is_run_of(&(ScenarioRequest){.what = "causal",
                                            .sets = (const char *const[]){"attention.scale=4"},
                                            .set_count = 1},
                         NULL);
    close_all();
}

TEST(a_change_goes_into_both_runs)
{
    open_named("causal");
    say("last");
    say("compare mistake scale-missing");
    say("set attention.mask_value=-5");
    say("undo");
    say("set attention.mask_value=-7");
    ck_assert(it.session.comparison.open);
    expect_run_is_run_of(
        &(ScenarioRequest){.what = "causal",
                           .sets = (const char *const[]){"attention.mask_value=-7"},
                           .set_count = 1},
        "scale-missing");
    close_all();
}

TEST(the_runs_share_no_storage)
{
    open_named("causal");
    say("compare mistake merge-without-transpose");
    say("last");
    for (int a = 0; a < it.session.run.trace.tensor_count; a++)
        for (int b = 0; b < it.session.comparison.trace.tensor_count; b++)
            ck_assert_ptr_ne(it.session.run.trace.tensors[a].tensor.storage.bytes,
                             it.session.comparison.trace.tensors[b].tensor.storage.bytes);
    close_all();
}

// Document 002's printed scores are divided by 2; without that the other run has the scores.
TEST(without_the_scale_the_other_run_is_twice_as_large)
{
    open_named("scaled-dot-product-printed");
    say("compare mistake scale-missing");
    say("goto scale");
    const Tensor *front = &it.session.run.trace.tensors[it.session.cursor.tensor].tensor;
    const Tensor *other = comparison_tensor(&it.session, it.session.cursor.tensor);
    ck_assert_ptr_nonnull(other);
    for (ptrdiff_t i = 0; i < 3; i++)
        for (ptrdiff_t j = 0; j < 3; j++)
            ck_assert(*tensor_at3(other, 0, i, j) == 2.0f * *tensor_at3(front, 0, i, j));
    close_all();
}

TEST(the_first_difference_is_found_and_then_every_other_one)
{
    open_named("causal");
    say("compare mistake softmax-over-queries");
    say("differ-first");
    ck_assert_str_eq(session_tensor(&it.session)->name, "attn_weights");
    ck_assert_int_eq(
        tensor_ravel(&session_tensor(&it.session)->tensor, session_view(&it.session)->at), 0);
    int found = 1;
    while (try_words("differ-next"))
        found++;
    int expected = 0;
    for (int number = 0; number < it.session.run.trace.tensor_count; number++) {
        const Tensor *other = comparison_tensor(&it.session, number);
        const Tensor *front = &it.session.run.trace.tensors[number].tensor;
        ptrdiff_t at[TENSOR_RANK_MAX] = {0};
        for (bool more = other != NULL; more; more = tensor_next(front, at))
            expected += !tensor_same_number(front, other, at);
    }
    ck_assert_int_eq(found, expected);
    close_all();
}

TEST(either_run_can_be_in_front)
{
    open_named("causal");
    say("compare mistake softmax-over-queries");
    say("goto softmax");
    say("@[1, 1, 5, 5]");
    void *right = session_tensor(&it.session)->tensor.storage.bytes;
    say("compare-swap");
    ck_assert_str_eq(session_tensor(&it.session)->name, "attn_weights");
    ck_assert_ptr_ne(session_tensor(&it.session)->tensor.storage.bytes, right);
    ck_assert_int_eq(session_view(&it.session)->at[3], 5);
    ck_assert_ptr_eq(comparison_tensor(&it.session, it.session.cursor.tensor)->storage.bytes,
                     right);
    say("origin"); // of the mistaken element
    ck_assert(it.session.origin.explanation.exact);
    say("last");
    say("compare off");
    ck_assert_int_eq(it.session.run.trace.steps_done, it.session.run.trace.step_count);
    say("goto softmax");
    ck_assert_ptr_eq(session_tensor(&it.session)->tensor.storage.bytes, right);
    close_all();
}

// What an edit moved belongs to the first run: its tensors may be others than those in front.
TEST(changes_are_not_looked_for_in_the_other_run)
{
    const Tensor *before;
    open_named("causal");
    say("last");
    say("set x[0, 0, 0] = 2");
    say("change-next");
    say("compare attention.mask=none"); // a pipeline with a step less
    say("compare-swap");
    say("last");
    ck_assert(!try_words("change-next"));
    ck_assert_ptr_nonnull(strstr(it.err.text, "the other run is in front"));
    expect_refusal("prompt-formula", "the other run is in front");
    expect_refusal("prompt-set", "the other run is in front");
    ck_assert(!it.session.prompt.open);
    for (int number = 0; number < it.session.run.trace.tensor_count; number++)
        ck_assert(!what_if_before(&it.session, (TraceCell){.tensor = number}, &before));
    say("compare-swap");
    say("change-next");
    close_all();
}

// Two rows of weights, the keys of the second in another order in the other run.
TEST(ranks_that_move_are_counted)
{
    open_named("scaled-dot-product-printed");
    say("compare attention.scale=2");
    say("goto softmax");
    Tensor *front = &it.session.run.trace.tensors[it.session.cursor.tensor].tensor;
    float here[] = {0.1f, 0.2f, 0.7f, 0.5f, 0.3f, 0.2f, 0.3f, 0.3f, 0.4f};
    float beside[] = {0.2f, 0.3f, 0.5f, 0.3f, 0.5f, 0.2f, 0.3f, 0.3f, 0.4f};
    Tensor other = *comparison_tensor(&it.session, it.session.cursor.tensor);
    memcpy(front->storage.f32, here, sizeof here);
    memcpy(other.storage.f32, beside, sizeof beside);
    say("compare-as stages");
    const ComparisonDistance *distance = &it.session.comparison.distances[it.session.cursor.step];
    ck_assert_int_eq(distance->rows, 3);
    ck_assert_int_eq(distance->reordered, 1);
    ck_assert_int_eq(distance->differing, 5);
    ck_assert(distance->largest == (double)0.7f - (double)0.5f);
    close_all();
}

TEST(what_cannot_be_compared_is_refused_in_words)
{
    open_named("scaled-dot-product-printed");
    expect_none("compare mistake merge-without-transpose", "does not show here");
    expect_none("compare mistake unheard-of", "attnscope list mistakes");
    expect_none("compare formula attn_weights[b,h,i,j] = unheard_of", "'unheard_of'");
    expect_none("compare padded-batch", "shape");
    expect_none("compare attention.scale=sqrt_dk", "sqrt_d_k");
    expect_none("compare no-such-scenario", "no-such-scenario");
    expect_none("compare 003", "document 003 has 3 scenarios"); // and is not a third mistake
    expect_none("compare text", "unknown scenario 'text'");     // without its rest
    expect_none("compare off", "there is no other run");
    expect_none("compare-swap", "there is no other run");
    close_all();
}

SUITE("beside")
