// What an element is called, and what its indices stand for, in the words of document 004's sentence
// "Jungkook is very handsome . He is a perfect singer ." and of document 001's padded ids.
#include <string.h>
#include "scenario_file.h"
#include "suite.h"
#include "tiny.h"
#include "trace.h"
#include "words.h"

static Scenario scenario;
static Trace trace;
static char text[TRACE_CELL_MAX];

static void open_scenario(const char *name)
{
    Error err = {.text = ""};
    ScenarioRequest request = {.what = name};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
    ck_assert_msg(trace_run(&trace, &err), "%s", err.text);
}

static void close_scenario(void)
{
    trace_close(&trace);
    scenario_finish(&scenario);
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
    close_scenario();
}

TEST(indices_of_a_sentence_stand_for_its_words)
{
    open_scenario("sentence");
    ck_assert_str_eq(trace_cell_words(&trace, cell("attn_weights", 0, 2, 3, 5), text),
                     "head 2, query \"handsome\", key \"He\"");
    ck_assert_str_eq(trace_cell_words(&trace, cell("x", 0, 8, 1, 0), text), "token \"perfect\"");
    ck_assert_str_eq(trace_cell_words(&trace, cell("q_proj.per_head", 1, 2, 0, 0), text), "head 1");
    close_scenario();
}

TEST(ids_are_words_where_the_scenario_has_words)
{
    open_scenario("sentence");
    ck_assert_str_eq(trace_cell_token(&trace, cell("tokens", 8, 0, 0, 0)), "perfect");
    ck_assert_str_eq(trace_cell_token(&trace, cell("input_ids", 0, 6, 0, 0)), "is");
    ck_assert_ptr_null(trace_cell_token(&trace, cell("x", 0, 6, 0, 0)));
    close_scenario();
    open_scenario("padded-batch");
    ck_assert_ptr_null(trace_cell_token(&trace, cell("input_ids", 0, 6, 0, 0)));
    close_scenario();
}

TEST(ids_without_words_and_padding_say_what_they_are)
{
    open_scenario("padded-batch"); // the first sequence begins with id 62 and has 16 of 20 tokens
    ck_assert_str_eq(trace_cell_words(&trace, cell("attn_weights", 0, 1, 16, 0), text),
                     "sequence 0, head 1, query pad, key id 62");
    ck_assert_str_eq(trace_cell_words(&trace, cell("embedding.weight", 62, 0, 0, 0), text),
                     "token id 62");
    close_scenario();
    open_scenario("causal"); // vectors: tokens are only counted
    ck_assert_str_eq(trace_cell_words(&trace, cell("attn_weights", 1, 0, 3, 2), text),
                     "sequence 1, head 0, query 3, key 2");
    close_scenario();
}

// Norms behind the embedding and behind the last layer stand outside of the layers.
TEST(a_step_knows_its_layer)
{
    static const struct {
        const char *tensor;
        int layer;
    } steps[] = {{"embeddings", 0},     {"embeddings_normed", 0}, {"x_normed", 1},
                 {"attn_weights", 1},   {"ff_normed", 1},         {"layer2.x_normed", 2},
                 {"layer2.ff_gelu", 2}, {"final_normed", 0}};
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
    close_scenario();
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
        close_scenario();
    }
    TinyShape feed_forward = tiny_self(1, 1, 2);
    feed_forward.feed_forward = 3;
    tiny_scenario(&scenario, feed_forward, 1);
    ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
    int expanded = trace_find(&trace, "ff_expanded");
    ck_assert_str_eq(trace_axis_words(&trace, expanded, 1), "queries");
    ck_assert_str_eq(trace_axis_words(&trace, expanded, 2), "features inside feed-forward");
    ck_assert_str_eq(trace_axis_words(&trace, expanded, 3), "");
    close_scenario();
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
    close_scenario();
}

SUITE("trace_words")
