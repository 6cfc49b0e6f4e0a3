// Which numbers are masked, dropped or padding, worked out by hand for small shapes.
#include "trace.h"

#include "suite.h"
#include "tiny.h"

#include <math.h>

static Scenario scenario;
static Trace trace;

static TraceMarks marks_of(TinyShape shape, const char *tensor)
{
    Error err;
    tiny_scenario(&scenario, shape, 3);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    int number = trace_find(&trace, tensor);
    ck_assert_int_ge(number, 0);
    return trace_marks(&trace, number);
}

static void close_all(void)
{
    trace_close(&trace);
    scenario_finish(&scenario);
}

static const TinyShape causal = {
    .batch = 1, .queries = 3, .keys = 3, .heads = 2, .d_k = 2, .d_v = 2, .d_in = 4, .causal = true};

TEST(causal_scores_are_masked_above_the_diagonal_from_the_mask_on)
{
    static const char *const tensors[] = {"scores", "scores_masked", "attn_weights"};
    for (int tensor = 0; tensor < 3; tensor++) {
        TraceMarks marks = marks_of(causal, tensors[tensor]);
        for (ptrdiff_t i = 0; i < 3; i++)
            for (ptrdiff_t j = 0; j < 3; j++)
                ck_assert_int_eq(trace_mark_at(&marks, (ptrdiff_t[]){0, 1, i, j}),
                                 tensor > 0 && j > i ? TRACE_MASKED : TRACE_PLAIN);
        close_all();
    }
}

// The second layer has a mask of its own, before which its scores are all there.
TEST(scores_of_a_second_layer_are_not_masked_before_its_own_mask)
{
    TinyShape shape = causal;
    shape.d_out = shape.d_in;
    shape.vocabulary = 9;
    shape.residual = true;
    shape.layers = 2;
    static const char *const tensors[] = {"layer2.scores", "layer2.attn_weights"};
    for (int tensor = 0; tensor < 2; tensor++) {
        TraceMarks marks = marks_of(shape, tensors[tensor]);
        ck_assert_int_eq(trace_mark_at(&marks, (ptrdiff_t[]){0, 1, 0, 1}),
                         tensor > 0 ? TRACE_MASKED : TRACE_PLAIN);
        close_all();
    }
}

TEST(the_mask_itself_and_the_context_are_not_masked)
{
    TraceMarks marks = marks_of(causal, "attn_mask");
    ck_assert_int_eq(trace_mark_at(&marks, (ptrdiff_t[]){0, 2}), TRACE_PLAIN);
    close_all();
    marks = marks_of(causal, "context_heads");
    ck_assert_int_eq(trace_mark_at(&marks, (ptrdiff_t[]){0, 1, 0, 1}), TRACE_PLAIN);
    close_all();
}

TEST(rows_and_columns_of_padding_tokens_are_padding)
{
    TinyShape shape = {.batch = 2,
                       .queries = 4,
                       .keys = 4,
                       .heads = 2,
                       .d_k = 2,
                       .d_v = 2,
                       .d_in = 4,
                       .vocabulary = 9,
                       .d_out = 3};
    TraceMarks marks = marks_of(shape, "attn_weights");
    const Tensor *padding = &trace.tensors[trace_find(&trace, "key_padding_mask")].tensor;
    int padded = 0;
    for (ptrdiff_t b = 0; b < 2; b++)
        for (ptrdiff_t i = 0; i < 4; i++)
            for (ptrdiff_t j = 0; j < 4; j++) {
                bool expected = *tensor_flag2(padding, b, i) || *tensor_flag2(padding, b, j);
                ck_assert_int_eq(trace_mark_at(&marks, (ptrdiff_t[]){b, 1, i, j}),
                                 expected ? TRACE_PADDED : TRACE_PLAIN);
                padded += expected;
            }
    ck_assert_int_gt(padded, 0);
    TraceMarks output = trace_marks(&trace, trace_find(&trace, "output"));
    for (ptrdiff_t l = 0; l < 4; l++)
        ck_assert_int_eq(trace_mark_at(&output, (ptrdiff_t[]){1, l, 2}),
                         *tensor_flag2(padding, 1, l) ? TRACE_PADDED : TRACE_PLAIN);
    TraceMarks weight = trace_marks(&trace, trace_find(&trace, "q_proj.weight"));
    ck_assert_int_eq(trace_mark_at(&weight, (ptrdiff_t[]){3, 3}), TRACE_PLAIN);
    close_all();
}

TEST(where_padding_is_masked_its_keys_are_masked_and_its_queries_padding)
{
    TinyShape shape = {.batch = 2,
                       .queries = 4,
                       .keys = 4,
                       .heads = 2,
                       .d_k = 2,
                       .d_v = 2,
                       .d_in = 4,
                       .vocabulary = 9,
                       .padding = true};
    TraceMarks marks = marks_of(shape, "attn_weights");
    const Tensor *padding = &trace.tensors[trace_find(&trace, "key_padding_mask")].tensor;
    for (ptrdiff_t b = 0; b < 2; b++)
        for (ptrdiff_t i = 0; i < 4; i++)
            for (ptrdiff_t j = 0; j < 4; j++)
                ck_assert_int_eq(trace_mark_at(&marks, (ptrdiff_t[]){b, 0, i, j}),
                                 *tensor_flag2(padding, b, j)   ? TRACE_MASKED
                                 : *tensor_flag2(padding, b, i) ? TRACE_PADDED
                                                                : TRACE_PLAIN);
    close_all();
}

TEST(dropped_weights_are_those_the_dropout_mask_does_not_keep)
{
    TinyShape shape = {.batch = 1,
                       .queries = 5,
                       .keys = 5,
                       .heads = 2,
                       .d_k = 2,
                       .d_v = 2,
                       .d_in = 4,
                       .dropout = true};
    TraceMarks marks = marks_of(shape, "attn_weights_dropped");
    const Tensor *kept = &trace.tensors[trace_find(&trace, "dropout_mask")].tensor;
    int dropped = 0;
    for (ptrdiff_t i = 0; i < 5; i++)
        for (ptrdiff_t j = 0; j < 5; j++) {
            bool keep = *tensor_flag4(kept, 0, 1, i, j);
            ck_assert_int_eq(trace_mark_at(&marks, (ptrdiff_t[]){0, 1, i, j}),
                             keep ? TRACE_PLAIN : TRACE_DROPPED);
            dropped += !keep;
        }
    ck_assert_int_gt(dropped, 0);
    close_all();
}

// A mask of numbers forbids the one key where it has -inf, from the step on that adds it.
TEST(minus_infinity_of_a_mask_of_numbers_masks)
{
    static const char *const tensors[] = {"scores_scaled", "scores_added", "attn_weights"};
    TinyShape shape = causal;
    shape.causal = false;
    shape.added_mask = true;
    for (int tensor = 0; tensor < 3; tensor++) {
        Error err;
        tiny_scenario(&scenario, shape, 3);
        *tensor_at2(&scenario_tensor(&scenario, "added_mask")->tensor, 0, 1) = -INFINITY;
        ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s",
                      err.text);
        TraceMarks marks = trace_marks(&trace, trace_find(&trace, tensors[tensor]));
        for (ptrdiff_t i = 0; i < 3; i++)
            for (ptrdiff_t j = 0; j < 3; j++)
                ck_assert_int_eq(trace_mark_at(&marks, (ptrdiff_t[]){0, 1, i, j}),
                                 tensor > 0 && i == 0 && j == 1 ? TRACE_MASKED : TRACE_PLAIN);
        close_all();
    }
}

// Two keys behind the four of the text: the second sequence has three tokens.
TEST(appended_keys_are_neither_masked_nor_padding)
{
    TinyShape shape = {.batch = 2,
                       .queries = 4,
                       .keys = 4,
                       .heads = 2,
                       .d_k = 2,
                       .d_v = 2,
                       .d_in = 4,
                       .vocabulary = 9,
                       .padding = true,
                       .options = {.add_bias_kv = true, .add_zero_attn = true}};
    TraceMarks marks = marks_of(shape, "attn_weights");
    const Tensor *weights = &trace.tensors[trace_find(&trace, "attn_weights")].tensor;
    ck_assert_int_eq(weights->shape[3], 6);
    for (ptrdiff_t j = 0; j < 6; j++)
        ck_assert_int_eq(trace_mark_at(&marks, (ptrdiff_t[]){1, 1, 0, j}),
                         j == 3 ? TRACE_MASKED : TRACE_PLAIN);
    close_all();
}

SUITE("trace_mark")
