// Whole scenarios against PyTorch: every tensor that golden data and trace both have.
//
// Within 4e-6 of the tensor's largest element (PyTorch adds in another order). Not compared: the
// float64 runs, and what a document printed. Gradients are those of half the sum of squares of the
// output (tests/golden/README.md), which is the loss of scenarios without answers.
#include "scenario_file.h"
#include "suite.h"
#include "tensor_file.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct GoldenCase {
    const char *golden;   // file under tests/golden, without its ending
    const char *scenario; // a shipped scenario, or a file under tests/scenarios
    const char *absent;   // golden names that this trace does not have, each between blanks
    int compared;         // how many tensors must have been compared
    int gradients;        // and how many gradients
    bool forward;         // only the forward pass runs: nobody knows the gradients
} GoldenCase;

// Without a head axis there is nothing to view, transpose or concatenate.
#define NO_HEADS " q_view k_view v_view q_heads k_heads v_heads context_transposed context_concat "

static const GoldenCase golden_cases[] = {
    {"small/s000_small_B1_L10_D24_H12", "s000_small_B1_L10_D24_H12.yaml", "", 25, 25, false},
    {"small/s001_small_as_written_B10_L20_D8_H2", "s001_small_as_written_B10_L20_D8_H2.yaml", "", 9,
     0, false},
    {"small/s001_small_corrected_B10_L20_D8_H2", "s001_small_corrected_B10_L20_D8_H2.yaml", "", 13,
     0, false},
    {"small/s001_small_key_padding_mask_B10_L20_D8_H2",
     "s001_small_key_padding_mask_B10_L20_D8_H2.yaml", "", 15, 0, false},
    {"small/s002_single_head_B1_L3_D4", "scaled-dot-product", NO_HEADS, 11, 11, false},
    {"small/s002_single_head_printed_QKV", "scaled-dot-product-printed", " x" NO_HEADS, 7, 7,
     false},
    {"small/s002_multi_head_as_written_sqrt_embedding_dim", "four-heads", "", 19, 19, false},
    {"small/s002_multi_head_sqrt_head_dim", "four-heads-corrected", "", 19, 19, false},
    {"small/s003_causal_bias0_drop0_B2_L6_D12_8_H2", "causal", "", 25, 23, false},
    {"small/s003_causal_bias0_drop0p1_B2_L6_D12_8_H2", "causal-dropout", " dropout_mask_mkl ", 27,
     24, false},
    {"small/s003_causal_bias1_drop0_B2_L6_D12_8_H2", "s003_causal_bias1_drop0_B2_L6_D12_8_H2.yaml",
     "", 28, 26, false},
    {"small/s004_sentence_self_attention_L11_D12_H3", "sentence",
     " grad.q_proj.weight grad.k_proj.weight grad.v_proj.weight ", 28, 20, false},
    {"small/e_cross_attention_Lq4_Lk7_D12_H3", "cross-attention", "", 26, 26, false},
    {"small/f_L1_B1", "f_L1_B1.yaml", "", 25, 25, false},
    {"small/f_B1_L3", "f_B1_L3.yaml", "", 25, 25, false},
    {"small/f_single_head_H1", "f_single_head_H1.yaml", "", 25, 25, false},
    {"small/f_fully_padded_row_minus_inf", "f_fully_padded_row_minus_inf.yaml", "", 28, 26, false},
    {"small/f_fully_padded_row_minus_1e9", "f_fully_padded_row_minus_1e9.yaml", "", 28, 26, false},
    {"small/f_fully_padded_row_finfo_min", "f_fully_padded_row_finfo_min.yaml", "", 28, 26, false},
    {"small/f_large_scores", "f_large_scores.yaml", "", 25, 25, false},
    {"small/f_overflow_scores_f32", "f_overflow_scores_f32.yaml", "", 18, 0, false},
    {"small/f_identical_tokens_zero_input", "f_identical_tokens_zero_input.yaml", "", 25, 25,
     false},
    {"small/pub_llms_from_scratch_ch03_mha", "pub_llms_from_scratch_ch03_mha.yaml", "", 24, 23,
     false},
    {"small/o_grouped_B2_L7_D16_H4_G2", "o_grouped_B2_L7_D16_H4_G2.yaml", "", 27, 0, true},
    {"small/o_multi_query_B1_L5_D24_H6_G1", "o_multi_query_B1_L5_D24_H6_G1.yaml", "", 27, 0, true},
    {"small/o_alibi_B2_L6_D12_H4", "o_alibi_B2_L6_D12_H4.yaml", "", 23, 0, true},
    {"small/o_gpt2_layers", "o_gpt2_layers.yaml", "", 48, 0, true},
    {"small/o_llama_layers", "o_llama_layers.yaml", "", 26, 0, true},
    {"small/o_bert_layers", "o_bert_layers.yaml", "", 34, 0, true},
    {"small/o_padding_by_id_keep_all_B3_L5_D8_H2", "o_padding_by_id_keep_all_B3_L5_D8_H2.yaml", "",
     19, 0, true},
    {"small/o_padding_by_id_keep_none_B3_L5_D8_H2", "o_padding_by_id_keep_none_B3_L5_D8_H2.yaml",
     "", 19, 0, true},
    {"small/o_layer_norm_B2_L5_D16_H4", "o_layer_norm_B2_L5_D16_H4.yaml", "", 16, 0, true},
    {"small/o_rms_norm_B1_L6_D12_H3", "o_rms_norm_B1_L6_D12_H3.yaml", "", 15, 0, true},
    {"small/o_llama_B1_L7_D12_H4_G2", "o_llama_B1_L7_D12_H4_G2.yaml", "", 7, 0, true},
    {"large/s000_B1_L10_D768_H12", "self-attention", "", 21, 21, false},
    {"large/s001_as_written_B10_L20_D512_H8", "padded-batch", "", 22, 18, false},
    {"large/s001_corrected_B10_L20_D512_H8", "padded-batch-corrected", "", 26, 22, false},
    {"large/s001_key_padding_mask_B10_L20_D512_H8", "padded-batch-masked", "", 29, 23, false},
    {"large/s001_class_B10_L20_D512_H8", "padded-batch-class", "", 26, 22, false},
    {"large/s003_causal_bias0_B16_L128_D512_H8", "causal-large", "", 15, 15, false},
    {"large/s003_causal_bias1_B16_L128_D512_H8", "s003_causal_bias1_B16_L128_D512_H8.yaml", "", 18,
     18, false},
};

// One tensor being compared: golden numbers against ours, both widened to double.
typedef struct Comparison {
    const char *name;
    double largest; // of the golden numbers
    bool q_k_v_only;
    bool zero_for_masked; // the golden file holds 0 where a score is -inf
} Comparison;

static double number_at(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t place = tensor_place(tensor, at);
    if (tensor->dtype == DTYPE_F32)
        return (double)tensor->storage.f32[place];
    return tensor->dtype == DTYPE_I64 ? (double)tensor->storage.i64[place]
                                      : (double)tensor->storage.boolean[place];
}

static double largest_of(const Tensor *tensor)
{
    double largest = 0;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(tensor) > 0; more; more = tensor_next(tensor, at)) {
        double number = fabs(number_at(tensor, at));
        largest = isfinite(number) && number > largest ? number : largest;
    }
    return largest;
}

static bool is_close(const Comparison *comparison, double want, double got)
{
    if (comparison->zero_for_masked && isinf(got) && got < 0)
        got = 0;
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : want == got;
    return fabs(want - got) <= 4e-6 * comparison->largest;
}

// Entry `edge` of 6 of an axis of `length`: 0, 1, 2, length-3, length-2, length-1.
static ptrdiff_t edge_index(ptrdiff_t edge, ptrdiff_t length)
{
    return edge < 3 ? edge : length - 6 + edge;
}

static Tensor without_ones(const Tensor *tensor)
{
    Tensor out = *tensor;
    for (int axis = out.rank - 1; axis >= 0; axis--)
        if (out.shape[axis] == 1)
            out = tensor_squeeze(&out, axis);
    return out;
}

// `golden` holds all of `ours`, or its edges.
static void compare_tensors(const Comparison *comparison, const Tensor *golden_given,
                            const Tensor *ours_given)
{
    Tensor golden = without_ones(golden_given), ours = without_ones(ours_given);
    ck_assert_msg(golden.rank == ours.rank, "%s: ranks %d and %d", comparison->name, golden.rank,
                  ours.rank);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(&golden, at)) {
        ptrdiff_t our_at[TENSOR_RANK_MAX];
        for (int axis = 0; axis < golden.rank; axis++) {
            bool is_edge = golden.shape[axis] != ours.shape[axis];
            ck_assert_msg(!is_edge || (golden.shape[axis] == 6 && ours.shape[axis] > 6),
                          "%s: axis %d has %td, not %td", comparison->name, axis, ours.shape[axis],
                          golden.shape[axis]);
            our_at[axis] = is_edge ? edge_index(at[axis], ours.shape[axis]) : at[axis];
        }
        double want = number_at(&golden, at), got = number_at(&ours, our_at);
        ck_assert_msg(is_close(comparison, want, got),
                      "%s, element %td %td %td %td: %.9g, PyTorch has %.9g (largest %.9g)",
                      comparison->name, at[0], at[1], at[2], at[3], got, want, comparison->largest);
    }
}

// "f32.attn_weights.rows[6,0]": the block [6,0] of attn_weights.
static bool take_rows(const char *suffix, Tensor *tensor)
{
    const char *digits = strstr(suffix, ".rows[");
    if (!digits)
        return false;
    char *rest = (char *)(uintptr_t)digits + strlen(".rows");
    do {
        long index = strtol(rest + 1, &rest, 10);
        *tensor = tensor_select(tensor, 0, index);
    } while (*rest == ',');
    return true;
}

static bool is_compared(const char *name)
{
    static const char *const left_out[] = {"f64.", "f32.loss", "f32.printed."};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strncmp(name, left_out[i], strlen(left_out[i])) == 0)
            return false;
    return true;
}

static bool is_gradient(const char *name)
{
    return strncmp(name, "grad.", 5) == 0;
}

static bool is_absent(const GoldenCase *golden, const char *name)
{
    char word[128], whole[128];
    snprintf(word, sizeof word, " %s ", is_gradient(name) ? name + 5 : name);
    snprintf(whole, sizeof whole, " %s ", name);
    return strstr(golden->absent, word) != NULL || strstr(golden->absent, whole) != NULL;
}

// The largest element of the whole tensor: of the edges when that is all there is.
static void compare_one(const GoldenCase *golden, const Trace *trace, const char *stored_name,
                        const Tensor *stored)
{
    char name[128];
    snprintf(name, sizeof name, "%s",
             strncmp(stored_name, "f32.", 4) == 0 ? stored_name + 4 : stored_name);
    char *edge = strstr(name, ".edge"), *rows = strstr(name, ".rows[");
    if (edge)
        *edge = '\0';
    if (rows)
        *rows = '\0';
    int number = trace_find(trace, name);
    ck_assert_msg(number >= 0, "%s: the trace has no %s", golden->golden, name);

    Comparison comparison = {
        .name = stored_name,
        .largest = largest_of(stored),
        .zero_for_masked =
            strncmp(golden->golden, "large/s003", 10) == 0 && strcmp(name, "scores_scaled") == 0,
    };
    Tensor ours = trace->tensors[number].tensor;
    // A bias of all keys moves whole rows of scores, which changes no weight: its gradient is 0, and
    // what is there is what rounding left of adding up all rows of grad.k.
    if (strcmp(name, "grad.k_proj.bias") == 0)
        comparison.largest = 4 * largest_of(&trace->tensors[trace_find(trace, "grad.k")].tensor);
    take_rows(stored_name, &ours);
    compare_tensors(&comparison, stored, &ours);
}

static void open_case(const GoldenCase *golden, Scenario *scenario, Trace *trace)
{
    Error err = {.text = ""};
    char path[1024];
    bool is_file = strstr(golden->scenario, ".yaml") != NULL;
    snprintf(path, sizeof path, "scenarios/%s", golden->scenario);
    const char *const sets[] = {"backward=true"};
    ScenarioRequest request = {.what = is_file ? test_file(path) : golden->scenario,
                               .sets = sets,
                               .set_count = !golden->forward};
    ck_assert_msg(scenario_open(scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(trace, scenario, &err) && trace_run(trace, &err), "%s: %s",
                  golden->golden, err.text);
}

// In float32 the scores of the overflow case are infinite: only what comes before them is compared.
static bool is_beyond_overflow(const GoldenCase *golden, const char *name)
{
    static const char *const before[] = {"f32.x", "f32.q", "f32.k", "f32.v"};
    if (!strstr(golden->golden, "f_overflow"))
        return false;
    if (strncmp(name, "f32.grad.", 9) == 0)
        return true;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strcmp(name, before[i]) == 0 || strstr(name, "_proj.") || strstr(name, "_view") ||
            (strstr(name, "_heads") && !strstr(name, "context")))
            return false;
    return true;
}

LOOP_TEST(every_tensor_is_pytorchs, (int)(sizeof golden_cases / sizeof *golden_cases))
{
    const GoldenCase *golden = &golden_cases[_i];
    Error err = {.text = ""};
    Arena arena = {0};
    Scenario scenario;
    Trace trace;
    open_case(golden, &scenario, &trace);

    char path[1024];
    snprintf(path, sizeof path, "golden/%s.npz", golden->golden);
    TensorFile *file = tensor_file_open(test_file(path), &arena, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    int compared = 0, gradients = 0;
    for (int i = 0; i < tensor_file_count(file); i++) {
        const char *stored_name = tensor_file_name(file, i);
        const char *name = strncmp(stored_name, "f32.", 4) == 0 ? stored_name + 4 : stored_name;
        if (!is_compared(stored_name) || is_absent(golden, name) ||
            is_beyond_overflow(golden, stored_name))
            continue;
        Tensor stored;
        ck_assert_msg(tensor_file_read(file, stored_name, &arena, &stored, &err), "%s", err.text);
        compare_one(golden, &trace, stored_name, &stored);
        *(is_gradient(name) ? &gradients : &compared) += 1;
    }
    ck_assert_msg(gradients == golden->gradients, "%s: %d gradients were compared, not %d",
                  golden->golden, gradients, golden->gradients);
    ck_assert_msg(compared == golden->compared, "%s: %d tensors were compared, not %d",
                  golden->golden, compared, golden->compared);
    tensor_file_close(file);
    trace_close(&trace);
    scenario_finish(&scenario);
    arena_finish(&arena);
}

static void read_all(TensorFile *file, const char *const names[], Tensor to[], Arena *arena)
{
    Error err;
    for (int i = 0; names[i]; i++)
        ck_assert_msg(tensor_file_read(file, names[i], arena, &to[i], &err), "%s", err.text);
}

// What is behind the last layer of GPT-2: of what PyTorch has made there, by layer norm's formula (Ba et al.
// 2016) in float64, with ln_f of the file.
TEST(the_norm_behind_the_last_layer_is_that_of_the_file)
{
    static const GoldenCase golden = {"small/o_gpt2_layers", "o_gpt2_layers.yaml", "", 0, 0, true};
    static const char *const made[] = {"f32.layer2.ff_output", NULL};
    static const char *const learned[] = {"ln_f.weight", "ln_f.bias", NULL};
    Error err = {.text = ""};
    Arena arena = {0};
    Scenario scenario;
    Trace trace;
    Tensor x, norm[2];
    open_case(&golden, &scenario, &trace);
    TensorFile *file = tensor_file_open(test_file("golden/small/o_gpt2_layers.npz"), &arena, &err);
    TensorFile *model = tensor_file_open(test_file("golden/models/gpt2/model.npz"), &arena, &err);
    ck_assert_msg(file && model, "%s", err.text);
    read_all(file, made, &x, &arena);
    read_all(model, learned, norm, &arena);
    const Tensor *ours = &trace.tensors[trace_find(&trace, "final_normed")].tensor;
    for (ptrdiff_t l = 0; l < 6; l++) {
        double mean = 0, variance = 0;
        for (ptrdiff_t d = 0; d < 16; d++)
            mean += (double)*tensor_at3(&x, 0, l, d) / 16;
        for (ptrdiff_t d = 0; d < 16; d++)
            variance += pow((double)*tensor_at3(&x, 0, l, d) - mean, 2) / 16;
        for (ptrdiff_t d = 0; d < 16; d++) {
            double want = ((double)*tensor_at3(&x, 0, l, d) - mean) / sqrt(variance + 1e-5) *
                              (double)*tensor_at1(&norm[0], d) +
                          (double)*tensor_at1(&norm[1], d);
            ck_assert_double_eq_tol((double)*tensor_at3(ours, 0, l, d), want, 2e-5);
        }
    }
    tensor_file_close(file);
    tensor_file_close(model);
    trace_close(&trace);
    scenario_finish(&scenario);
    arena_finish(&arena);
}

SUITE("golden")
