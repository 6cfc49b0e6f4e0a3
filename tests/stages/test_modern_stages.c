// The stages that models after 2017 put into attention, each on a case small enough to work out by hand,
// and what they refuse. Whole cases of PyTorch are in test_golden.c.
#include "stage.h"
#include "suite.h"
#include "tiny.h"
#include "trace.h"

#include <math.h>
#include <string.h>

static Tensor floats(float numbers[], ptrdiff_t heads, ptrdiff_t rows, ptrdiff_t columns)
{
    return tensor_over(numbers, DTYPE_F32, 4, (ptrdiff_t[]){1, heads, rows, columns});
}

static void run_stage(const char *name, StageArgs *args)
{
    Error err;
    const Stage *stage = stage_find(name);
    ck_assert_ptr_nonnull(stage);
    ck_assert_msg(!stage->shapes || stage->shapes(args, &err), "%s", err.text);
    ck_assert_msg(stage->run(args, &err), "%s", err.text);
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
        .in = {floats(q, 1, 2, 4)}, .out = {floats(out, 1, 2, 4)}, .options = &options};
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
        .in = {floats(q, 1, 2, 4)}, .out = {floats(out, 1, 2, 4)}, .options = &options};
    run_stage("rotate", &args);
    static const float want[] = {5, 6, 7, 8, 0.54030231f, 0.84147098f, -0.0199997f, 1.9999f};
    check(out, want, 8);
}

TEST(rotate_needs_pairs)
{
    Error err;
    float q[3] = {1, 2, 3}, out[3];
    StageOptions options = {.rope = 10000.0f};
    StageArgs args = {
        .in = {floats(q, 1, 1, 3)}, .out = {floats(out, 1, 1, 3)}, .options = &options};
    ck_assert(!stage_find("rotate")->shapes(&args, &err));
    ck_assert_str_eq(err.text,
                     "rotate: numbers are turned in pairs, but a head has 3 of them; take "
                     "an even d_k");
}

TEST(repeat_hands_each_head_to_neighbouring_heads_of_queries)
{
    float k[4] = {1, 2, 3, 4}, out[12];
    StageArgs args = {.in = {floats(k, 2, 1, 2)}, .out = {floats(out, 6, 1, 2)}};
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
        .in = {floats(scores, 1, 1, 4)}, .out = {floats(out, 1, 1, 4)}, .options = &options};
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
        .in = {floats(scores, 2, 2, 3)}, .out = {floats(out, 2, 2, 3)}, .options = &options};
    run_stage("alibi", &two);
    static const float want[] = {0, -0.0625f,     -0.125f,     -0.0625f,     0, -0.0625f,
                                 0, -0.00390625f, -0.0078125f, -0.00390625f, 0, -0.00390625f};
    check(out, want, 12);
    StageArgs three = {
        .in = {floats(scores, 3, 2, 3)}, .out = {floats(out, 3, 2, 3)}, .options = &options};
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
    ck_assert_int_ge(trace_find(&trace, "layer2.ff_gated"), 0);
    ck_assert_int_lt(trace_find(&trace, "ff_gelu"), 0);
    ck_assert_int_lt(trace_find(&trace, "layer2.ff_gelu"), 0);
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
    ck_assert_str_eq(err.text, "learned_position: the model has learned 1 places, but there are 2 "
                               "tokens; give a shorter text");
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
    tiny_scenario(&scenario, tiny_self(1, 2, 3), 1);
    scenario.options.softcap = 2.0f;
    scenario.backward = true;
    ck_assert(!trace_open(&trace, &scenario, &err));
    ck_assert_str_eq(err.text, "softcap: the backward pass does not support this stage yet; remove "
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

SUITE("modern_stages")
