// Each stage on a case small enough to work out by hand, and what it refuses.
#include "suite.h"
#include "stage.h"
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

// --- The stages that models after 2017 put into attention, each on a case small enough to work out by hand,
// and what they refuse. Whole cases of PyTorch are in test_golden.c.

static Tensor heads_of(float numbers[], ptrdiff_t heads, ptrdiff_t rows, ptrdiff_t columns)
{
    return tensor_over(numbers, DTYPE_F32, 4, (ptrdiff_t[]){1, heads, rows, columns});
}

static void check(const float got[], const float want[], int count)
{
    for (int i = 0; i < count; i++)
        ck_assert_msg(fabsf(got[i] - want[i]) < 1e-6f, "number %d is %.9g, not %.9g", i,
                      (double)got[i], (double)want[i]);
}

// Base 10000 and heads of 4: the first pair turns by 1 for each token, the second by 10000^(-2/4) =
// 0.01. Token 1 holds 1 0 0 2: the pairs (half a head apart) are (1, 0) and (0, 2), so that it becomes
// cos 1, -2 sin 0.01, sin 1, 2 cos 0.01. Token 0 is not turned.
TEST(rotate_turns_pairs_by_the_place_of_the_token)
{
    float q[8] = {5, 6, 7, 8, 1, 0, 0, 2}, out[8];
    StageOptions options = {.rope = 10000.0f};
    StageArgs args = {
        .in = {heads_of(q, 1, 2, 4)}, .out = {heads_of(out, 1, 2, 4)}, .options = &options};
    run_stage("rotate", &args);
    static const float want[] = {5, 6, 7, 8, 0.54030231f, -0.0199997f, 0.84147098f, 1.9999f};
    check(out, want, 8);
}

// The same numbers with neighbours as pairs: (1, 0) by 1, and (0, 2) by 0.01.
TEST(rotate_may_pair_neighbours)
{
    float q[8] = {5, 6, 7, 8, 1, 0, 0, 2}, out[8];
    StageOptions options = {.rope = 10000.0f, .rope_neighbours = true};
    StageArgs args = {
        .in = {heads_of(q, 1, 2, 4)}, .out = {heads_of(out, 1, 2, 4)}, .options = &options};
    run_stage("rotate", &args);
    static const float want[] = {5, 6, 7, 8, 0.54030231f, 0.84147098f, -0.0199997f, 1.9999f};
    check(out, want, 8);
}

// Two tokens, trained with one: with a factor of 1 the base 2500 grows by (2/1)^(4/2) to 10000.
TEST(rotate_lets_the_base_grow_without_a_factor)
{
    float q[8] = {5, 6, 7, 8, 1, 0, 0, 2}, out[8];
    StageOptions options = {.rope = 2500.0f, .rope_dynamic = 1};
    StageArgs args = {
        .in = {heads_of(q, 1, 2, 4)}, .out = {heads_of(out, 1, 2, 4)}, .options = &options};
    run_stage("rotate", &args);
    static const float want[] = {5, 6, 7, 8, 0.54030231f, -0.0199997f, 0.84147098f, 1.9999f};
    check(out, want, 8);
}

TEST(rotate_needs_pairs)
{
    Error err;
    float q[3] = {1, 2, 3}, out[3];
    StageOptions options = {.rope = 10000.0f};
    StageArgs args = {
        .in = {heads_of(q, 1, 1, 3)}, .out = {heads_of(out, 1, 1, 3)}, .options = &options};
    ck_assert(!stage_find("rotate")->shapes(&args, &err));
    ck_assert_str_eq(err.text,
                     "rotate: numbers are turned in pairs, but a head has 3 of them; take "
                     "an even d_k");
}

TEST(repeat_hands_each_head_to_neighbouring_heads_of_queries)
{
    float k[4] = {1, 2, 3, 4}, out[12];
    StageArgs args = {.in = {heads_of(k, 2, 1, 2)}, .out = {heads_of(out, 6, 1, 2)}};
    run_stage("repeat", &args);
    static const float want[] = {1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4};
    check(out, want, 12);
}

// tanh(0.5) = 0.46211716, tanh(2) = 0.96402758
TEST(softcap_bends_large_scores)
{
    float scores[4] = {0, 5, -20, 1e30f}, out[4];
    StageOptions options = {.softcap = 10.0f};
    StageArgs args = {
        .in = {heads_of(scores, 1, 1, 4)}, .out = {heads_of(out, 1, 1, 4)}, .options = &options};
    run_stage("softcap", &args);
    static const float want[] = {0, 4.6211716f, -9.6402758f, 10};
    check(out, want, 4);
}

// Two heads: slopes 2^-4 and 2^-8. Three heads: those of two, and the first of four, 2^-2.
TEST(alibi_prefers_near_keys)
{
    float scores[18] = {0}, out[18];
    StageOptions options = {0};
    StageArgs two = {
        .in = {heads_of(scores, 2, 2, 3)}, .out = {heads_of(out, 2, 2, 3)}, .options = &options};
    run_stage("alibi", &two);
    static const float want[] = {0, -0.0625f,     -0.125f,     -0.0625f,     0, -0.0625f,
                                 0, -0.00390625f, -0.0078125f, -0.00390625f, 0, -0.00390625f};
    check(out, want, 12);
    StageArgs three = {
        .in = {heads_of(scores, 3, 2, 3)}, .out = {heads_of(out, 3, 2, 3)}, .options = &options};
    run_stage("alibi", &three);
    static const float third[] = {0, -0.25f, -0.5f, -0.25f, 0, -0.25f};
    check(out, want, 12);
    check(out + 12, third, 6);
}

static Tensor tokens(float numbers[], ptrdiff_t rows, ptrdiff_t columns)
{
    return tensor_over(numbers, DTYPE_F32, 3, (ptrdiff_t[]){1, rows, columns});
}

// 1 3 5 7: mean 4, distances -3 -1 1 3, their squares 9 1 1 9 of mean 5; with 4 below the root, 3. So
// -1 -1/3 1/3 1, times 3 and plus 10. The second token is 4 times the same number: all distances are 0.
TEST(layer_norm_by_hand)
{
    float x[8] = {1, 3, 5, 7, 2, 2, 2, 2}, weight[4] = {3, 3, 3, 3}, bias[4] = {10, 10, 10, 10};
    float out[8];
    StageOptions options = {.norm_epsilon = 4.0f};
    StageArgs args = {.in = {tokens(x, 2, 4), tensor_over(weight, DTYPE_F32, 1, (ptrdiff_t[]){4}),
                             tensor_over(bias, DTYPE_F32, 1, (ptrdiff_t[]){4})},
                      .out = {tokens(out, 2, 4)},
                      .options = &options};
    run_stage("layer_norm", &args);
    static const float want[] = {7, 9, 11, 13, 10, 10, 10, 10};
    check(out, want, 8);
    ck_assert_ptr_eq(args.out[1].storage.f32, x);
}

// With erf: 1 is let through to Phi(1) = 0.84134475, and -1 to 1 - Phi(1). With tanh, at 1:
// tanh(0.79788456 * 1.044715) = tanh(0.83356194) = 0.68238, so 0.84119.
TEST(gelu_has_two_forms)
{
    float hidden[4] = {0, 1, -1, 10}, out[4];
    StageOptions options = {.gelu_tanh = false};
    StageArgs args = {
        .in = {tokens(hidden, 2, 2)}, .out = {tokens(out, 2, 2)}, .options = &options};
    run_stage("gelu", &args);
    static const float by_erf[] = {0, 0.84134475f, -0.15865525f, 10};
    check(out, by_erf, 4);
    options.gelu_tanh = true;
    run_stage("gelu", &args);
    ck_assert_float_eq_tol(out[1], 0.84119199f, 1e-6f);
    ck_assert_float_eq_tol(out[2], -0.15880801f, 1e-6f);
}

// A gate of 0 is half open and lets 0 through; 1 / (1 + 1/e) = 0.73105858; -2 / (1 + e^2) = -0.23840584;
// a gate of 1000 is open, and one of -1000 closed: -1000 / inf.
TEST(swiglu_by_hand)
{
    float gate[6] = {0, 1, -2, 1000, -1000, 1}, hidden[6] = {5, 1, 10, 3, 3, -4}, out[6];
    StageArgs args = {.in = {tokens(gate, 2, 3), tokens(hidden, 2, 3)}, .out = {tokens(out, 2, 3)}};
    run_stage("swiglu", &args);
    static const float want[] = {0, 0.73105858f, -2.3840584f, 3000, 0, -2.9242343f};
    check(out, want, 6);
}

// With a gate gelu takes no part, in no layer.
TEST(a_gate_takes_the_place_of_gelu)
{
    static Scenario scenario;
    static Trace trace;
    Error err;
    TinyShape shape = tiny_self(1, 1, 2);
    shape.d_in = shape.d_out = 2;
    shape.feed_forward = 3;
    shape.gated = shape.residual = true;
    shape.layers = 2;
    tiny_scenario(&scenario, shape, 1);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    ck_assert_int_ge(trace_find(&trace, "layer1.ff_gated"), 0);
    ck_assert_int_lt(trace_find(&trace, "ff_gelu"), 0);
    ck_assert_int_lt(trace_find(&trace, "layer1.ff_gelu"), 0);
    trace_close(&trace);
    scenario_finish(&scenario);
}

// Hendrycks and Gimpel 2016, section 2; PyTorch's torch.nn.functional.gelu has the same two forms.
TEST(the_formula_of_gelu_is_that_of_the_form_that_runs)
{
    static Scenario scenario;
    static Trace trace;
    char formula[TRACE_FORMULA_MAX];
    Error err;
    for (int by_tanh = 0; by_tanh <= 1; by_tanh++) {
        TinyShape shape = tiny_self(1, 1, 2);
        shape.feed_forward = 3;
        shape.gelu_tanh = by_tanh;
        tiny_scenario(&scenario, shape, 1);
        ck_assert_msg(trace_open(&trace, &scenario, &err), "%s", err.text);
        int gelu = trace.tensors[trace_find(&trace, "ff_gelu")].step;
        ck_assert_str_eq(
            trace_formula(&trace, gelu, formula),
            by_tanh
                ? "ff_gelu[b,l,f] = float32(x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))) / "
                  "2); "
                  "x = hidden[b,l,f]"
                : "ff_gelu[b,l,f] = float32(x * (1 + erf(x / sqrt(2))) / 2); x = hidden[b,l,f]");
        ck_assert_uint_le(strlen(formula), 2 * 76); // what a screen has room for
        ck_assert_str_eq(trace_torch(&trace, gelu, formula),
                         by_tanh ? "x = gelu(x, approximate='tanh')" : "x = gelu(x)");
        trace_close(&trace);
        scenario_finish(&scenario);
    }
}

// Token 0 is 1 2: with the type 10 20 and the place 100 200, 111 222; token 1 is 3 4 of place 300 400.
TEST(learned_places_are_added)
{
    float x[4] = {1, 2, 3, 4}, places[6] = {100, 200, 300, 400, 0, 0}, type[2] = {10, 20}, out[4];
    StageOptions options = {0};
    StageArgs args = {.in = {tokens(x, 2, 2),
                             tensor_over(places, DTYPE_F32, 2, (ptrdiff_t[]){3, 2}),
                             tensor_over(type, DTYPE_F32, 1, (ptrdiff_t[]){2})},
                      .out = {tokens(out, 2, 2)},
                      .options = &options};
    run_stage("learned_position", &args);
    static const float want[] = {111, 222, 313, 424};
    check(out, want, 4);
    Error err;
    args.in[1].shape[0] = 1;
    ck_assert(!stage_find("learned_position")->shapes(&args, &err));
    ck_assert_str_eq(err.text,
                     "learned_position: 2 tokens need as many positions, but the model learned 1; "
                     "give a shorter text");
}

// 3 4: squares 9 and 16 of mean 12.5; with 3.5 below the root, 4.
TEST(rms_norm_by_hand)
{
    float x[2] = {3, 4}, weight[2] = {2, -1}, out[2];
    StageOptions options = {.norm_epsilon = 3.5f};
    StageArgs args = {.in = {tokens(x, 1, 2), tensor_over(weight, DTYPE_F32, 1, (ptrdiff_t[]){2})},
                      .out = {tokens(out, 1, 2)},
                      .options = &options};
    run_stage("rms_norm", &args);
    static const float want[] = {1.5f, -1};
    check(out, want, 2);
}

// Two heads of one token. A head by itself: 3 4 has a mean square of 12.5, with 3.5 below the root 4, and
// 0 5 likewise. Across: (9 + 16 + 0 + 25) / 4, too.
TEST(qk_norm_by_hand)
{
    float q[4] = {3, 4, 0, 5}, weight[4] = {1, 3, -1, 0}, out[4];
    StageOptions options = {.norm_epsilon = 3.5f, .norm_plus_one = true};
    ptrdiff_t heads[] = {1, 2, 1, 2};
    StageArgs args = {.in = {tensor_over(q, DTYPE_F32, 4, heads),
                             tensor_over(weight, DTYPE_F32, 1, (ptrdiff_t[]){2})},
                      .out = {tensor_over(out, DTYPE_F32, 4, heads)},
                      .options = &options};
    run_stage("qk_norm", &args);
    static const float want[] = {1.5f, 4, 0, 5};
    check(out, want, 4);
    options.norm_plus_one = false;
    args.in[0] = tokens(q, 1, 4);
    args.in[1].shape[0] = 4;
    args.out[0] = tokens(out, 1, 4);
    run_stage("qk_norm", &args);
    static const float across[] = {0.75f, 3, 0, 0};
    check(out, across, 4);
}

TEST(residual_adds_equal_widths)
{
    Error err;
    float output[2] = {1, 2}, x[2] = {10, 20}, out[2];
    StageArgs args = {.in = {tokens(output, 1, 2), tokens(x, 1, 2)}, .out = {tokens(out, 1, 2)}};
    run_stage("residual", &args);
    static const float want[] = {11, 22};
    check(out, want, 2);
    args.in[1] = tokens(x, 2, 1);
    ck_assert(!stage_find("residual")->shapes(&args, &err));
    ck_assert_str_eq(err.text,
                     "residual: the output has 2 numbers a token and the input 1: they are "
                     "added up only where both are equal; make d_out and d_in the same");
}

// A window of 2 lets a query see itself and what lies next to it.
TEST(a_window_masks_what_lies_far)
{
    Error err;
    Scenario scenario;
    Trace trace;
    TinyShape shape = tiny_self(1, 2, 4);
    shape.window = 2;
    tiny_scenario(&scenario, shape, 1);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    const Tensor *mask = &trace.tensors[trace_find(&trace, "attn_mask")].tensor;
    ck_assert_int_eq(mask->rank, 2);
    static const unsigned char want[4][4] = {
        {0, 0, 1, 1}, {0, 0, 0, 1}, {1, 0, 0, 0}, {1, 1, 0, 0}};
    for (ptrdiff_t i = 0; i < 4; i++)
        for (ptrdiff_t j = 0; j < 4; j++)
            ck_assert_int_eq(*tensor_flag2(mask, i, j), want[i][j]);
    trace_close(&trace);
    scenario_finish(&scenario);
}

TEST(no_gradient_is_made_up)
{
    Error err;
    Scenario scenario;
    Trace trace;
    TinyShape shape = tiny_self(1, 2, 3);
    shape.options.relative_key = true;
    tiny_scenario(&scenario, shape, 1);
    scenario.backward = true;
    ck_assert(!trace_open(&trace, &scenario, &err));
    ck_assert_str_eq(err.text,
                     "relative_key: the backward pass does not support this stage yet; remove "
                     "backward, or the option that adds the stage");
    scenario_finish(&scenario);
}

// Every row of options.def has a field of its own: what is set in it is there, and a difference.
TEST(an_option_is_a_field)
{
    const StageOption *option;
    int set = 0;
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++) {
        StageOptions options = {.window = 0}, none = {.window = 0};
        if (!option->section)
            continue;
        stage_option_set(option, &options, 2.0);
        ck_assert(stage_option_is_on(option, &options));
        ck_assert(stage_option_differs(option, &options, &none));
        ck_assert(!stage_option_is_on(option, &none));
        set += (options.window == 2) + (options.softcap == 2.0f) + options.alibi;
    }
    ck_assert_int_eq(set, 3);
}

// --- T5's relative bias (relative_position.c): which row of the weight each distance has, worked out by hand.

// Row r of the weight is r for one head, and 100 + r for the other: what is added names the row.
static void check_rows(StageOptions options, ptrdiff_t queries, ptrdiff_t keys, const int want[])
{
    float weight[2 * 32], scores[2 * 300] = {0}, out[2 * 300];
    ck_assert_int_le(queries * keys, 300);
    for (int i = 0; i < 2 * options.relative_buckets; i++)
        weight[i] = (float)(i / 2 + 100 * (i % 2));
    StageArgs args = {
        .in = {heads_of(scores, 2, queries, keys),
               tensor_over(weight, DTYPE_F32, 2, (ptrdiff_t[]){options.relative_buckets, 2})},
        .out = {heads_of(out, 2, queries, keys)},
        .options = &options};
    run_stage("relative_bias", &args);
    for (int i = 0; i < queries * keys; i++) {
        ck_assert_msg(out[i] == (float)want[i], "number %d has row %g, not %d", i, (double)out[i],
                      want[i]);
        ck_assert_float_eq(out[queries * keys + i], (float)(100 + want[i]));
    }
}

// Raffel et al. 2020, section 2.1, and the formula that its code makes of it. Eight rows, from a distance
// of 16 on all alike. Causal: distances 0 to 3 have rows 0 to 3, and longer ones, since log(16/4) = 2 log 2,
// 4 + 4 log2(d/4)/2 cut: 4 for d = 4 and 5 (log2(5/4) = 0.32), 5 for 6 and 7 (log2(6/4) = 0.58: 1.17), 6 for
// 8 to 11 (2.0; log2(11/4) = 1.46: 2.92), 7 from 12 (log2 3 = 1.58: 3.17) on. Keys after the query: row 0.
TEST(relative_bias_counts_near_keys_one_by_one)
{
    static const int want[] = {7, 7, 7, 7, 7, 7, 6, 6, 6, 6, 5, 5, 4, 4, 3, 2, 1, 0, 0, 0};
    int rows[17 * 20];
    StageOptions options = {.relative_buckets = 8, .relative_distance = 16, .causal = true};
    for (int i = 0; i < 15; i++) // a query at i sees what the one at 17 sees 17 - i places on
        for (int j = 0; j < 20; j++)
            rows[i * 20 + j] = j > i ? 0 : want[17 - i + j];
    check_rows(options, 15, 20, rows);
}

// Both ways: four rows each, 0 to 3 behind and 4 to 7 ahead. Distances 0 and 1 have rows 0 and 1; longer
// ones 2 + 2 log(d/2)/log(16/2) cut: 2 for 2 to 5 (log2(5/2) = 1.32 of 3: 0.88), 3 from 6 (1.58 of 3: 1.06) on.
TEST(relative_bias_tells_ahead_from_behind)
{
    static const int want[] = {0, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
                               1, 0, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    static const int back[] = {3, 3, 3, 2, 2, 2, 2, 1, 0, 5};
    StageOptions options = {.relative_buckets = 8, .relative_distance = 16};
    check_rows(options, 2, 20, want);
    int rows[9 * 10];
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 10; j++)
            rows[i * 10 + j] = j > i ? want[j - i] : back[8 - i + j];
    check_rows(options, 9, 10, rows);
}

// T5's own sizes, 32 and 128. Both ways distances below 8 have a row each; then 8 + 8 log(d/8)/log 16 cut:
// 16 is 2 of 8 steps on (row 10), 32 4 (12), 64 6 (14), 128 and more the last (15); ahead 16 more.
TEST(relative_bias_has_the_steps_of_t5)
{
    static const int rows[][2] = {{7, 7},    {8, 8},    {11, 8},  {12, 9},  {15, 9},
                                  {16, 10},  {31, 11},  {32, 12}, {63, 13}, {64, 14},
                                  {127, 15}, {128, 15}, {299, 15}};
    int want[300];
    float out[300];
    float scores[300] = {0}, weight[32];
    StageOptions options = {.relative_buckets = 32, .relative_distance = 128};
    for (int i = 0; i < 32; i++)
        weight[i] = (float)i;
    StageArgs args = {.in = {heads_of(scores, 1, 1, 300),
                             tensor_over(weight, DTYPE_F32, 2, (ptrdiff_t[]){32, 1})},
                      .out = {heads_of(out, 1, 1, 300)},
                      .options = &options};
    run_stage("relative_bias", &args);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        want[i] = 16 + rows[i][1];
        ck_assert_msg(out[rows[i][0]] == (float)want[i], "distance %d has row %g, not %d",
                      rows[i][0], (double)out[rows[i][0]], want[i]);
    }
}

TEST(relative_bias_needs_room_for_its_steps)
{
    Error err;
    StageOptions options = {.relative_buckets = 32, .relative_distance = 16, .causal = true};
    StageArgs args = {.options = &options};
    ck_assert(!stage_find("relative_bias")->shapes(&args, &err));
    ck_assert_str_eq(
        err.text, "relative_bias: relative_distance is 16, but the first 16 distances have a row "
                  "each; take a larger one, or fewer relative_buckets");
}

// torch.relu(x).backward(...) of PyTorch 1.13: 0 where x is not above 0, and the whole gradient where it is NaN.
TEST(the_gradient_of_relu_is_that_of_pytorch_at_0_and_nan)
{
    float hidden[] = {NAN, 0.0f, -0.0f, 1.0f, -1.0f}, grad[] = {2, 3, 4, 5, 6};
    static const float want[] = {2, 0, 0, 5, 0};
    float made[5];
    const ptrdiff_t shape[] = {1, 1, 5};
    StageArgs args = {.in = {floats(hidden, 3, shape), floats(grad, 3, shape)},
                      .out = {floats(made, 3, shape)}};
    run_stage("relu_backward", &args);
    for (int i = 0; i < 5; i++)
        ck_assert_float_eq(made[i], want[i]);
}

SUITE("stages")
