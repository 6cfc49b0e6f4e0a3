// Stages in double precision, and float32's distance from them in units of the last place. Expected
// numbers come from arithmetic by hand and from PyTorch's float64 runs (tests/golden/README.md).
#define _GNU_SOURCE // memmem
#include "mistake.h"
#include "scenario_file.h"
#include "suite.h"
#include "trace.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

static Tensor doubles(double numbers[], ptrdiff_t rows, ptrdiff_t columns)
{
    return tensor_over(numbers, DTYPE_F32, 4, (ptrdiff_t[]){1, 1, rows, columns});
}

// --- units

TEST(units_are_those_of_the_exact_number)
{
    // From 1 to 2 float32 go by 2^-23, from 1/2 to 1 by 2^-24; the smallest of all is 2^-149.
    ck_assert_double_eq(trace_exact_units(1.0f, 1.0 + ldexp(1.0, -24)), 0.5);
    ck_assert_double_eq(trace_exact_units(1.0f, 1.0 - ldexp(1.0, -25)), 0.5);
    ck_assert_double_eq(trace_exact_units(-3.0f, -3.0), 0.0);
    ck_assert_double_eq(trace_exact_units(0.0f, 0.0), 0.0);
    ck_assert_double_eq(trace_exact_units(0.0f, ldexp(1.0, -149)), 1.0);
    ck_assert_double_eq(trace_exact_units(0.0f, ldexp(1.0, -126)), 8388608.0); // 2^-126 / 2^-149
}

TEST(what_is_not_finite_has_no_units_unless_it_is_so_exactly)
{
    ck_assert_double_eq(trace_exact_units(-INFINITY, -(double)INFINITY), 0.0);
    ck_assert_double_eq(trace_exact_units(NAN, (double)NAN), 0.0);
    ck_assert(isnan(trace_exact_units(INFINITY, 1e39)));
    ck_assert(isnan(trace_exact_units(FLT_MAX, 1e39)));
    ck_assert(isnan(trace_exact_units(NAN, 1.0)));
    ck_assert(isnan(trace_exact_units(INFINITY, -(double)INFINITY)));
}

// --- stages

// As float32, 0.1 is 13421773 / 2^27 and 0.2 is 13421773 / 2^26. Their sum is 40265319 / 2^27, which
// lies in [1/4, 1/2), where float32 go by 2^-25: 10066329.75 of those, a quarter from the nearest.
TEST(a_tenth_and_a_fifth)
{
    Error err;
    double output[] = {(double)0.2f}, x[] = {(double)0.1f}, sum[1];
    ExactOptions options = exact_options(&(StageOptions){.residual = true});
    ptrdiff_t shape[] = {1, 1, 1};
    StageArgs args = {
        .in = {tensor_over(output, DTYPE_F32, 3, shape), tensor_over(x, DTYPE_F32, 3, shape)},
        .out = {tensor_over(sum, DTYPE_F32, 3, shape)},
        .options = (const void *)&options};
    ck_assert(exact_shapes("residual", &args, &err) && exact_run("residual", &args, &err));
    ck_assert_double_eq(sum[0], ldexp(40265319.0, -27));
    ck_assert_double_eq(trace_exact_units(0.1f + 0.2f, sum[0]), 0.25);
}

// 10^8 + 1 - 10^8 is 1. In float32, which go by 8 at 10^8, the 1 is lost: 2^23 units of 1.
TEST(a_sum_that_float32_loses)
{
    Error err;
    double q[] = {1e8, 1.0, -1e8}, k[] = {1.0, 1.0, 1.0}, scores[1];
    ExactOptions options = exact_options(&(StageOptions){.heads = 1});
    StageArgs args = {.in = {doubles(q, 1, 3), doubles(k, 1, 3)},
                      .out = {doubles(scores, 1, 1)},
                      .options = (const void *)&options};
    ck_assert(exact_run("score", &args, &err));
    ck_assert_double_eq(scores[0], 1.0);
    float lost = fmaf(-1e8f, 1.0f, fmaf(1.0f, 1.0f, fmaf(1e8f, 1.0f, 0.0f)));
    ck_assert_double_eq(trace_exact_units(lost, scores[0]), 8388608.0);
}

TEST(options_are_what_was_meant)
{
    StageOptions narrow = {.scale = (float)sqrt(2.0),
                           .scale_name = "sqrt_d_k",
                           .norm_epsilon = 1e-5f,
                           .mask_value = -INFINITY,
                           .dropout_p = 0.1,
                           .heads = 3};
    ExactOptions exact = exact_options(&narrow);
    ck_assert_double_eq(exact.scale, sqrt(2.0));
    ck_assert_double_eq(exact.norm_epsilon, 1e-5);
    ck_assert(isinf(exact.mask_value) && exact.mask_value < 0);
    ck_assert_double_eq(exact.dropout_p, 0.1);
    ck_assert_int_eq(exact.heads, 3);
    narrow.scale_name = NULL; // somebody wrote the digits
    narrow.scale = 2.8284271f;
    ck_assert_double_eq(exact_options(&narrow).scale, 2.828427);
}

// --- whole scenarios

typedef struct Case {
    const char *golden, *scenario;
    int compared;
    bool forward;
} Case;

static const Case cases[] = {
    {"s000_small_B1_L10_D24_H12", "s000_small_B1_L10_D24_H12.yaml", 42, false},
    {"s002_single_head_B1_L3_D4", "scaled-dot-product", 19, false},
    {"s002_multi_head_as_written_sqrt_embedding_dim", "four-heads", 35, false},
    {"s003_causal_bias0_drop0_B2_L6_D12_8_H2", "causal", 41, false},
    {"s003_causal_bias0_drop0p1_B2_L6_D12_8_H2", "causal-dropout", 43, false},
    {"e_cross_attention_Lq4_Lk7_D12_H3", "cross-attention", 43, false},
    {"f_fully_padded_row_minus_inf", "f_fully_padded_row_minus_inf.yaml", 44, false},
    {"f_large_scores", "f_large_scores.yaml", 42, false},
    {"f_overflow_scores_f32", "f_overflow_scores_f32.yaml", 42, false},
};

// The float64 numbers of an entry NAME.npy, in C order; how many there are.
static size_t read_doubles(zip_t *archive, zip_int64_t entry, double **numbers)
{
    zip_stat_t stat;
    ck_assert_int_eq(zip_stat_index(archive, (zip_uint64_t)entry, 0, &stat), 0);
    unsigned char *bytes = malloc(stat.size);
    zip_file_t *file = zip_fopen_index(archive, (zip_uint64_t)entry, 0);
    ck_assert(bytes && file);
    ck_assert_int_eq(zip_fread(file, bytes, stat.size), (zip_int64_t)stat.size);
    zip_fclose(file);
    size_t start = 10u + bytes[8] + 256u * bytes[9]; // .npy, version 1: the header's length
    ck_assert(memmem(bytes, start, "'<f8'", 5) && memmem(bytes, start, "False", 5));
    size_t count = (stat.size - start) / sizeof **numbers;
    *numbers = malloc((count + 1) * sizeof **numbers);
    memcpy(*numbers, bytes + start, count * sizeof **numbers);
    free(bytes);
    return count;
}

static double largest_of(const double numbers[], size_t count)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(numbers[i]) && fabs(numbers[i]) > largest)
            largest = fabs(numbers[i]);
    return largest;
}

static void compare(const TraceExact *exact, int tensor, const double want[], size_t count)
{
    const TraceTensor *ours = &exact->trace->tensors[tensor];
    ck_assert_msg((size_t)tensor_count(&ours->tensor) == count, "%s: %zu numbers", ours->name,
                  count);
    // Keys' bias moves whole rows: its gradient is 0, and what is there is rounding.
    double room =
        1e-12 * (strcmp(ours->name, "grad.k_proj.bias") == 0 ? 1.0 : largest_of(want, count));
    TraceCell cell = {.tensor = tensor};
    for (size_t i = 0; i < count; i++, tensor_next(&ours->tensor, cell.at)) {
        double got = trace_exact_number(exact, cell);
        bool same = isnan(want[i]) ? isnan(got) : want[i] == got || fabs(want[i] - got) <= room;
        ck_assert_msg(same, "%s, number %zu: %.17g, PyTorch has %.17g", ours->name, i, got,
                      want[i]);
    }
}

static void open_exact(const Case *it, Scenario *scenario, Trace *trace, TraceExact *exact)
{
    Error err = {.text = ""};
    char path[1024];
    snprintf(path, sizeof path, "scenarios/%s", it->scenario);
    const char *const sets[] = {"backward=true"};
    ScenarioRequest request = {.what =
                                   strstr(it->scenario, ".yaml") ? test_file(path) : it->scenario,
                               .sets = sets,
                               .set_count = !it->forward};
    ck_assert_msg(scenario_open(scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(trace, scenario, &err) && trace_run(trace, &err), "%s", err.text);
    ck_assert_msg(trace_exact_open(exact, trace, &err), "%s", err.text);
    while (exact->wide.steps_done < trace->step_count)
        ck_assert_msg(trace_exact_step(exact, &err), "%s", err.text);
}

LOOP_TEST(every_tensor_is_that_of_pytorch_in_float64, (int)(sizeof cases / sizeof *cases))
{
    const Case *it = &cases[_i];
    Scenario scenario;
    Trace trace;
    TraceExact exact;
    open_exact(it, &scenario, &trace, &exact);
    char path[1024], name[128];
    snprintf(path, sizeof path, "golden/small/%s.npz", it->golden);
    zip_t *archive = zip_open(test_file(path), ZIP_RDONLY, NULL);
    ck_assert_ptr_nonnull(archive);
    int compared = 0;
    for (zip_int64_t entry = 0; entry < zip_get_num_entries(archive, 0); entry++) {
        snprintf(name, sizeof name, "%s", zip_get_name(archive, (zip_uint64_t)entry, 0));
        name[strlen(name) - strlen(".npy")] = '\0';
        int tensor = strncmp(name, "f64.", 4) == 0 ? trace_find(&trace, name + 4) : -1;
        if (tensor < 0 || !trace_exact_has(&exact, tensor))
            continue;
        double *numbers;
        size_t count = read_doubles(archive, entry, &numbers);
        compare(&exact, tensor, numbers, count);
        free(numbers);
        compared++;
    }
    ck_assert_msg(compared == it->compared, "%s: %d tensors were compared, not %d", it->golden,
                  compared, it->compared);
    zip_discard(archive);
    trace_exact_close(&exact);
    trace_close(&trace);
    scenario_finish(&scenario);
}

static ExactError error_alone(const Trace *trace, const char *name)
{
    Error err = {.text = ""};
    TraceExact alone;
    int tensor = trace_find(trace, name);
    ck_assert_msg(trace_exact_alone(&alone, trace, trace->tensors[tensor].step, &err), "%s",
                  err.text);
    ExactError error = trace_exact_error(&alone, tensor);
    trace_exact_close(&alone);
    return error;
}

TEST(one_step_alone_and_all_of_them)
{
    Scenario scenario;
    Trace trace;
    TraceExact exact;
    open_exact(&(Case){.scenario = "causal"}, &scenario, &trace, &exact);
    // q is made of inputs, which are exact: what it rounds is all there is.
    ExactError one = error_alone(&trace, "q"),
               all = trace_exact_error(&exact, trace_find(&trace, "q"));
    ck_assert_int_eq(one.count, 2 * 6 * 8);
    ck_assert(one.largest > 0.5 && one.largest == all.largest && one.nearest == all.nearest);
    // A view copies nothing, so it adds nothing and hands everything on.
    ck_assert_double_eq(error_alone(&trace, "q_view").largest, 0.0);
    ck_assert(trace_exact_error(&exact, trace_find(&trace, "q_view")).largest == all.largest);
    // What scores add to it is less than what has come together.
    one = error_alone(&trace, "scores");
    all = trace_exact_error(&exact, trace_find(&trace, "scores"));
    ck_assert(one.overflow == 0 && all.mean > one.mean && all.nearest < one.nearest);
    trace_exact_close(&exact);
    trace_close(&trace);
    scenario_finish(&scenario);
}

TEST(a_mistake_has_no_exact_numbers)
{
    Error err = {.text = ""};
    Scenario scenario;
    Trace trace;
    TraceExact alone;
    TraceVariant variant = {.stages = mistake_find("scale-missing")->stages};
    ck_assert(scenario_open(&scenario, &(ScenarioRequest){.what = "causal"}, &err));
    ck_assert(trace_open_variant(&trace, &scenario, &variant, &err) && trace_run(&trace, &err));
    int step = trace.tensors[trace_find(&trace, "scores_scaled")].step;
    ck_assert(!trace_exact_alone(&alone, &trace, step, &err));
    ck_assert_msg(strstr(err.text, "scale is replaced here"), "%s", err.text);
    ck_assert(!trace_exact_has(&alone, 0));
    trace_close(&trace);
    scenario_finish(&scenario);
}

SUITE("exact")
