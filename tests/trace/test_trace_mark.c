// Which numbers are masked, dropped or padding, worked out by hand for small shapes.
#include "trace.h"
#include "scenario_file.h"
#include "suite.h"
#include "tiny.h"
#include "words.h"

#include <math.h>
#include <string.h>

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

// Tokens of two sequences, of which one has padding.
static const TinyShape with_padding = {.batch = 2,
                                       .queries = 4,
                                       .keys = 4,
                                       .heads = 2,
                                       .d_k = 2,
                                       .d_v = 2,
                                       .d_in = 4,
                                       .vocabulary = 9};

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
    static const char *const tensors[] = {"layer1.scores", "layer1.attn_weights"};
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
    TinyShape shape = with_padding;
    shape.d_out = 3;
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
    TinyShape shape = with_padding;
    shape.padding = true;
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
    TinyShape shape = causal;
    shape.queries = shape.keys = 5;
    shape.causal = false;
    shape.dropout = true;
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
    TinyShape shape = with_padding;
    shape.padding = shape.options.add_bias_kv = shape.options.add_zero_attn = true;
    TraceMarks marks = marks_of(shape, "attn_weights");
    const Tensor *weights = &trace.tensors[trace_find(&trace, "attn_weights")].tensor;
    ck_assert_int_eq(weights->shape[3], 6);
    for (ptrdiff_t j = 0; j < 6; j++)
        ck_assert_int_eq(trace_mark_at(&marks, (ptrdiff_t[]){1, 1, 0, j}),
                         j == 3 ? TRACE_MASKED : TRACE_PLAIN);
    close_all();
}

// --- What an element is called, and what its indices stand for, in the words of document 004's sentence
// "Jungkook is very handsome . He is a perfect singer ." and of document 001's padded ids.

static char text[TRACE_CELL_MAX];

static void open_scenario(const char *name)
{
    Error err = {.text = ""};
    ScenarioRequest request = {.what = name};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
    ck_assert_msg(trace_run(&trace, &err), "%s", err.text);
}

static TraceCell cell(const char *name, ptrdiff_t a, ptrdiff_t b, ptrdiff_t c, ptrdiff_t d)
{
    ck_assert_int_ge(trace_find(&trace, name), 0);
    return (TraceCell){trace_find(&trace, name), {a, b, c, d}};
}

TEST(an_element_is_named_by_its_tensor_and_index)
{
    open_scenario("sentence");
    ck_assert_str_eq(trace_cell_name(&trace, cell("attn_weights", 0, 2, 3, 5), text),
                     "attn_weights[0,2,3,5]");
    ck_assert_str_eq(trace_cell_name(&trace, cell("tokens", 7, 0, 0, 0), text), "tokens[7]");
    close_all();
}

TEST(indices_of_a_sentence_stand_for_its_words)
{
    open_scenario("sentence");
    ck_assert_str_eq(trace_cell_words(&trace, cell("attn_weights", 0, 2, 3, 5), text),
                     "head 2, query \"handsome\", key \"He\"");
    ck_assert_str_eq(trace_cell_words(&trace, cell("x", 0, 8, 1, 0), text), "token \"perfect\"");
    ck_assert_str_eq(trace_cell_words(&trace, cell("q_proj.per_head", 1, 2, 0, 0), text), "head 1");
    close_all();
}

TEST(ids_are_words_where_the_scenario_has_words)
{
    open_scenario("sentence");
    ck_assert_str_eq(trace_cell_token(&trace, cell("tokens", 8, 0, 0, 0)), "perfect");
    ck_assert_str_eq(trace_cell_token(&trace, cell("input_ids", 0, 6, 0, 0)), "is");
    ck_assert_ptr_null(trace_cell_token(&trace, cell("x", 0, 6, 0, 0)));
    close_all();
    open_scenario("padded-batch");
    ck_assert_ptr_null(trace_cell_token(&trace, cell("input_ids", 0, 6, 0, 0)));
    close_all();
}

TEST(ids_without_words_and_padding_say_what_they_are)
{
    open_scenario("padded-batch"); // the first sequence begins with id 62 and has 16 of 20 tokens
    ck_assert_str_eq(trace_cell_words(&trace, cell("attn_weights", 0, 1, 16, 0), text),
                     "sequence 0, head 1, query pad, key id 62");
    ck_assert_str_eq(trace_cell_words(&trace, cell("embedding.weight", 62, 0, 0, 0), text),
                     "token id 62");
    close_all();
    open_scenario("causal"); // vectors: tokens are only counted
    ck_assert_str_eq(trace_cell_words(&trace, cell("attn_weights", 1, 0, 3, 2), text),
                     "sequence 1, head 0, query 3, key 2");
    close_all();
}

// Norms behind the embedding and behind the last layer stand outside of the layers.
TEST(a_step_knows_its_layer)
{
    static const struct {
        const char *tensor;
        int layer;
    } steps[] = {{"embeddings", -1},    {"embeddings_normed", -1}, {"x_normed", 0},
                 {"attn_weights", 0},   {"ff_normed", 0},          {"layer1.x_normed", 1},
                 {"layer1.ff_gelu", 1}, {"final_normed", -1}};
    Error err;
    TinyShape shape = tiny_self(1, 1, 2);
    shape.vocabulary = 3;
    shape.d_in = shape.d_out = 2;
    shape.learned = shape.bias = shape.layer_norm = shape.residual = shape.final_norm = true;
    shape.feed_forward = 3;
    shape.layers = 2;
    tiny_scenario(&scenario, shape, 1);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        int layers, tensor = trace_find(&trace, steps[i].tensor);
        ck_assert_msg(tensor >= 0, "there is no %s", steps[i].tensor);
        ck_assert_msg(trace_step_layer(&trace, trace.tensors[tensor].step, &layers) ==
                          steps[i].layer,
                      "%s is not said to be of layer %d", steps[i].tensor, steps[i].layer);
        ck_assert_int_eq(layers, 2);
    }
    close_all();
}

// What an axis of a stored tensor counts; what stands for all others, or comes from nowhere known, has
// no symbol.
TEST(every_axis_says_what_it_counts)
{
    Error err;
    char name[16];
    for (int shape = 0; shape < tiny_shape_count; shape++) {
        tiny_scenario(&scenario, tiny_shapes[shape], 1);
        ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
        for (int i = 0; i < trace.tensor_count; i++)
            for (int axis = 0; trace.tensors[i].axes && trace_axis(&trace, i, axis, name); axis++)
                ck_assert_msg(trace_axis_words(&trace, i, axis)[0] ||
                                  name[strspn(name, "0123456789")] == '\0',
                              "shape %d: %s has an axis %s without words", shape,
                              trace.tensors[i].name, name);
        close_all();
    }
    TinyShape feed_forward = tiny_self(1, 1, 2);
    feed_forward.feed_forward = 3;
    tiny_scenario(&scenario, feed_forward, 1);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
    int expanded = trace_find(&trace, "ff_expanded");
    ck_assert_str_eq(trace_axis_words(&trace, expanded, 1), "queries");
    ck_assert_str_eq(trace_axis_words(&trace, expanded, 2), "features inside feed-forward");
    ck_assert_str_eq(trace_axis_words(&trace, expanded, 3), "");
    close_all();
}

// A formula is the same in every language; what is remarked behind it is not.
TEST(a_remark_behind_a_formula_is_told)
{
    char formula[TRACE_FORMULA_MAX];
    int remarks = 0;
    open_scenario("causal");
    language_choose(LANGUAGE_KOREAN);
    for (int step = 0; step < trace.step_count; step++) {
        const char *remark = strstr(trace_formula(&trace, step, formula), "   # ");
        ck_assert_msg(!remark || !strpbrk(remark, "abcdefghijklmnopqrstuvwxyz"), "%s", formula);
        remarks += remark != NULL;
    }
    language_choose(LANGUAGE_ENGLISH);
    ck_assert_int_eq(remarks, 7); // of view and transpose three times each, and of concat
    close_all();
}

SUITE("trace_mark")
