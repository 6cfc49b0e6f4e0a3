// Each stage on a case small enough to work out by hand, and what it refuses.
#include "suite.h"
#include "tiny.h"
#include "trace.h"

#include <math.h>
#include <string.h>

static Tensor floats(float numbers[], int rank, const ptrdiff_t shape[])
{
    return tensor_over(numbers, DTYPE_F32, rank, shape);
}

static void run_stage(const char *name, StageArgs *args)
{
    Error err;
    const Stage *stage = stage_find(name);
    ck_assert_ptr_nonnull(stage);
    ck_assert_msg(!stage->shapes || stage->shapes(args, &err), "%s", err.text);
    ck_assert_msg(stage->run(args, &err), "%s", err.text);
}

typedef struct SoftmaxCase {
    const char *says;
    float scores[4];
    float weights[4]; // worked out by hand
} SoftmaxCase;

static const SoftmaxCase softmax_cases[] = {
    {"equal scores share evenly", {7, 7, 7, 7}, {.25f, .25f, .25f, .25f}},
    // e^0 : e^(ln 3) = 1 : 3, twice: sum 8
    {"a gap of ln 3 makes three times the weight",
     {0, 1.0986123f, 0, 1.0986123f},
     {.125f, .375f, .125f, .375f}},
    {"large scores do not overflow", {1000, 1000, -1000, -1000}, {.5f, .5f, 0, 0}},
    {"a masked key gets exactly 0", {3, -INFINITY, 3, -INFINITY}, {.5f, 0, .5f, 0}},
    {"one key left takes it all", {-INFINITY, -INFINITY, -4, -INFINITY}, {0, 0, 1, 0}},
    {"all keys masked: NaN", {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, {NAN, NAN, NAN, NAN}},
    {"an infinite score: NaN", {INFINITY, 0, 0, 0}, {NAN, NAN, NAN, NAN}},
    {"NaN spreads over its row", {0, NAN, 0, 0}, {NAN, NAN, NAN, NAN}},
};

LOOP_TEST(softmax_by_hand, sizeof softmax_cases / sizeof *softmax_cases)
{
    SoftmaxCase at = softmax_cases[_i];
    float got[4];
    StageArgs args = {.in = {floats(at.scores, 4, (ptrdiff_t[]){1, 1, 1, 4})},
                      .out = {floats(got, 4, (ptrdiff_t[]){1, 1, 1, 4})}};
    run_stage("softmax", &args);
    for (int j = 0; j < 4; j++) {
        if (isnan(at.weights[j]))
            ck_assert_msg(isnan(got[j]), "%s: key %d is %g", at.says, j, (double)got[j]);
        else
            ck_assert_msg(fabsf(got[j] - at.weights[j]) < 1e-7f, "%s: key %d is %.9g", at.says, j,
                          (double)got[j]);
    }
    if (strcmp(at.says, "a masked key gets exactly 0") == 0)
        ck_assert_float_eq(got[1], 0.0f);
}

TEST(softmax_adds_every_element_once)
{
    // 17 scores: lane 0 holds elements 0 and 16, the others one each; every e is e^0 = 1, so the
    // sum is 17 and each weight 1/17, the nearest float to it.
    float scores[17] = {0}, got[17];
    StageArgs args = {.in = {floats(scores, 4, (ptrdiff_t[]){1, 1, 1, 17})},
                      .out = {floats(got, 4, (ptrdiff_t[]){1, 1, 1, 17})}};
    run_stage("softmax", &args);
    for (int j = 0; j < 17; j++)
        ck_assert_float_eq(got[j], 1.0f / 17.0f);
}

// 1, and sixteen times e = e^-17 = 4.14e-8, where floats above 1 are u = 2^-23 = 1.19e-7 apart. One
// after the other, each e would be lost (less than u/2) and the sum be 1. In lanes: lane 0 stays 1,
// and meets 1, 2, 4 and 8 e: 1 + e = 1; + 2e (0.69 u) = 1 + u; + 4e (1.39 u) = 1 + 2u; + 8e (2.78 u)
// = 1 + 5u. The sum without rounding, 1 + 5.55 u, would be 1 + 6u. And 1 / (1 + 5u) is 1 - 5u.
TEST(softmax_adds_in_sixteen_lanes)
{
    float scores[17] = {0}, got[17];
    for (int j = 1; j < 17; j++)
        scores[j] = -17.0f;
    StageArgs args = {.in = {floats(scores, 4, (ptrdiff_t[]){1, 1, 1, 17})},
                      .out = {floats(got, 4, (ptrdiff_t[]){1, 1, 1, 17})}};
    run_stage("softmax", &args);
    ck_assert_msg(got[0] == 1.0f - 5.0f * 0x1p-23f, "%.9g", (double)got[0]);
}

TEST(pad_fills_short_sequences)
{
    int64_t tokens[] = {5, 6, 7, 8}, lengths[] = {3, 1}, ids[6];
    unsigned char padding[6];
    StageOptions options = {.pad_id = 9};
    StageArgs args = {.in = {tensor_over(tokens, DTYPE_I64, 1, (ptrdiff_t[]){4}),
                             tensor_over(lengths, DTYPE_I64, 1, (ptrdiff_t[]){2})},
                      .out = {tensor_over(ids, DTYPE_I64, 2, (ptrdiff_t[]){2, 3}),
                              tensor_over(padding, DTYPE_BOOL, 2, (ptrdiff_t[]){2, 3})},
                      .options = &options};
    run_stage("pad", &args);
    static const int64_t want[] = {5, 6, 7, 8, 9, 9};
    static const unsigned char want_padding[] = {0, 0, 0, 0, 1, 1};
    ck_assert_mem_eq(ids, want, sizeof want);
    ck_assert_mem_eq(padding, want_padding, sizeof want_padding);
}

TEST(embed_refuses_an_id_outside_the_vocabulary)
{
    Error err;
    int64_t ids[] = {0, 100};
    float table[100] = {0}, out[2];
    StageArgs args = {.in = {tensor_over(ids, DTYPE_I64, 2, (ptrdiff_t[]){1, 2}),
                             floats(table, 2, (ptrdiff_t[]){100, 1})},
                      .out = {floats(out, 3, (ptrdiff_t[]){1, 2, 1})}};
    ck_assert(!stage_find("embed")->run(&args, &err));
    ck_assert_str_eq(err.text,
                     "embed: input_ids[0, 1] is 100, outside the vocabulary of 100 (0 ... 99)");
    ids[1] = -1;
    ck_assert(!stage_find("embed")->run(&args, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "is -1, outside"));
}

TEST(position_starts_with_zeros_and_ones)
{
    // l = 0: sin 0 = 0, cos 0 = 1; l = 1: sin 1, cos 1, sin 0.01, cos 0.01 (10000^(2/4) = 100)
    float embeddings[8] = {0}, encoding[8], x[8];
    StageArgs args = {
        .options = &(StageOptions){.cached = 0},
        .in = {floats(embeddings, 3, (ptrdiff_t[]){1, 2, 4})},
        .out = {floats(encoding, 3, (ptrdiff_t[]){1, 2, 4}), floats(x, 3, (ptrdiff_t[]){1, 2, 4})}};
    run_stage("position", &args);
    static const float want[] = {0, 1, 0, 1, 0.84147098f, 0.54030231f, 0.00999983f, 0.99995000f};
    for (int i = 0; i < 8; i++)
        ck_assert_float_eq_tol(x[i], want[i], 1e-7f);
}

TEST(concat_lays_heads_side_by_side)
{
    // (1, 2 heads, 2 tokens, 2): head 0 = 0 1 / 2 3, head 1 = 4 5 / 6 7
    float heads[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[8];
    StageArgs args = {.in = {floats(heads, 4, (ptrdiff_t[]){1, 2, 2, 2})},
                      .out = {floats(NULL, 4, (ptrdiff_t[]){1, 2, 2, 2}),
                              floats(out, 3, (ptrdiff_t[]){1, 2, 4})}};
    run_stage("concat", &args);
    static const float want[] = {0, 1, 4, 5, 2, 3, 6, 7};
    for (int i = 0; i < 8; i++)
        ck_assert_float_eq(out[i], want[i]);
    ck_assert_ptr_eq(args.out[0].storage.f32, heads);
}

TEST(scale_divides)
{
    // 1/3 of a float: dividing by 3 and multiplying by the float nearest 1/3 differ for 5 / 3
    float scores[1] = {5.0f}, out[1];
    StageOptions options = {.scale = 3.0f};
    StageArgs args = {.in = {floats(scores, 4, (ptrdiff_t[]){1, 1, 1, 1})},
                      .out = {floats(out, 4, (ptrdiff_t[]){1, 1, 1, 1})},
                      .options = &options};
    run_stage("scale", &args);
    ck_assert_float_eq(out[0], 0x1.aaaaaap+0f);
}

static void expect_refusal(TinyShape shape, void (*spoil)(Scenario *), const char *sentence)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    tiny_scenario(&scenario, shape, 1);
    spoil(&scenario);
    ck_assert(!trace_open(&trace, &scenario, &err) || !trace_run(&trace, &err));
    ck_assert_str_eq(err.text, sentence);
    trace_close(&trace);
    scenario_finish(&scenario);
}

static void reshape(Scenario *scenario, const char *role, ptrdiff_t rows, ptrdiff_t columns)
{
    for (int i = 0; i < scenario->tensor_count; i++)
        if (strcmp(scenario->tensors[i].role, role) == 0) {
            Tensor *tensor = &scenario->tensors[i].tensor;
            *tensor =
                tensor_over(tensor->storage.bytes, tensor->dtype, 2, (ptrdiff_t[]){rows, columns});
        }
}

static void spoil_out_proj(Scenario *scenario)
{
    reshape(scenario, "out_proj.weight", 2, 3);
}

static void spoil_k_proj(Scenario *scenario)
{
    reshape(scenario, "k_proj.weight", 5, 4);
}

static void spoil_mask(Scenario *scenario)
{
    reshape(scenario, "mask", 1, 2);
}

static void spoil_buffer(Scenario *scenario)
{
    reshape(scenario, "causal_mask_buffer", 3, 3);
}

TEST(shapes_that_do_not_fit_are_refused_with_both_shapes)
{
    expect_refusal(tiny_shapes[0], spoil_out_proj,
                   "output_projection: out_proj.weight has shape (2, 3), but (d_out, H*d_v) = "
                   "(4, 4) is needed: it meets context_concat of shape (2, 3, 4)");
    expect_refusal(tiny_shapes[0], spoil_k_proj,
                   "project k: k_proj.weight has shape (5, 4), but (H*d_k, d_in) = (4, 5) is "
                   "needed: it meets x of shape (2, 3, 5)");
    expect_refusal(tiny_shapes[6], spoil_mask,
                   "mask: a mask of shape (1, 2) does not broadcast to the scores (2, 1, 3, 3): "
                   "counted from the last axis, every length must be equal or 1 (for one flag per "
                   "key use (B, 1, 1, Lk))");
    expect_refusal(tiny_shapes[4], spoil_buffer,
                   "mask: the causal mask of shape (3, 3) is shorter than the scores (2, 2, 4, 4): "
                   "context_length must be at least the number of tokens");
}

static void spoil_batch(Scenario *scenario)
{
    scenario->size[SYMBOL_LQ] = scenario->size[SYMBOL_LK] = (ptrdiff_t)1 << 22;
}

TEST(a_trace_larger_than_memory_is_refused_with_its_bytes)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    tiny_scenario(&scenario, tiny_shapes[0], 1);
    spoil_batch(&scenario);
    ck_assert(!trace_open(&trace, &scenario, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "all its tensors need "));
    ck_assert_ptr_nonnull(strstr(err.text, ", but this machine has "));
    scenario.spill = "/";
    ck_assert(!trace_open(&trace, &scenario, &err));
    ck_assert_ptr_nonnull(strstr(err.text, ", but the disk of / has "));
    scenario.spill = "/nowhere/at/all";
    ck_assert(!trace_open(&trace, &scenario, &err));
    ck_assert_str_eq(err.text, "/nowhere/at/all: No such file or directory");
    scenario_finish(&scenario);
}

TEST(a_row_with_every_key_masked_is_explained)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    tiny_scenario(&scenario, tiny_shapes[7], 1);
    // lengths 3 and 2: take the second sequence's tokens away
    Tensor lengths = scenario_tensor(&scenario, "lengths")->tensor;
    lengths.storage.i64[1] = 0;
    for (int i = 0; i < scenario.tensor_count; i++)
        if (strcmp(scenario.tensors[i].role, "tokens") == 0)
            scenario.tensors[i].tensor.shape[0] = scenario.size[SYMBOL_N] = 3;
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    int weights = trace_find(&trace, "attn_weights");
    ck_assert_str_eq(trace_remark(&trace, weights),
                     "attn_weights[1, 0, :] is NaN: every key of this row is masked, its scores "
                     "are all -inf, and softmax divides 0 by 0 (3 such rows)");
    trace_close(&trace);
    scenario_finish(&scenario);
}

SUITE("stages")
