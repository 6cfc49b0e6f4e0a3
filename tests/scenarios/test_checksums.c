// The large cases whole: sums over every element of every tensor against PyTorch's.
//
// Sums are taken in double over the finite entries, in index order; they may differ by 4e-6 of the
// sum of absolute values (PyTorch adds in another order), the weighted sum by 97 times that, because
// its weights go up to 97. The large causal cases keep 0 where a masked score is -inf.
#include "scenario_file.h"
#include "suite.h"
#include "trace.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct LargeCase {
    const char *golden;   // its key in manifest.json
    const char *scenario; // a shipped scenario, or a file under tests/scenarios
    int compared;         // float tensors that must have been compared
} LargeCase;

static const LargeCase large_cases[] = {
    {"s000_B1_L10_D768_H12", "self-attention", 25},
    {"s001_as_written_B10_L20_D512_H8", "padded-batch", 22},
    {"s001_corrected_B10_L20_D512_H8", "padded-batch-corrected", 26},
    {"s001_key_padding_mask_B10_L20_D512_H8", "padded-batch-masked", 27},
    {"s001_class_B10_L20_D512_H8", "padded-batch-class", 26},
    {"s003_causal_bias0_B16_L128_D512_H8", "causal-large", 15},
    {"s003_causal_bias1_B16_L128_D512_H8", "s003_causal_bias1_B16_L128_D512_H8.yaml", 18},
};

typedef struct Sums {
    double sum, abs_sum, sq_sum, wsum, min, max;
} Sums;

static Sums sums_of(const Tensor *tensor)
{
    Sums sums = {.min = INFINITY, .max = -INFINITY};
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, i = 0;
    for (bool more = true; more; more = tensor_next(tensor, at), i++) {
        double number = (double)tensor->storage.f32[tensor_place(tensor, at)];
        if (!isfinite(number))
            continue;
        sums.sum += number;
        sums.abs_sum += fabs(number);
        sums.sq_sum += number * number;
        sums.wsum += number * (double)(i % 97 + 1);
        sums.min = fmin(sums.min, number);
        sums.max = fmax(sums.max, number);
    }
    return sums;
}

static double stored(const json_t *entry, const char *key)
{
    return json_number_value(json_object_get(entry, key));
}

static void check(const char *name, const char *what, double got, double want, double tolerance)
{
    ck_assert_msg(fabs(got - want) <= tolerance, "%s: %s is %.12g, PyTorch's is %.12g (+- %.3g)",
                  name, what, got, want, tolerance);
}

static void check_sums(const char *name, const json_t *entry, const Tensor *tensor)
{
    Sums sums = sums_of(tensor);
    double abs_sum = stored(entry, "abs_sum"), sq_sum = stored(entry, "sq_sum");
    double largest = fmax(fabs(stored(entry, "min")), fabs(stored(entry, "max")));
    check(name, "the sum", sums.sum, stored(entry, "sum"), 4e-6 * abs_sum);
    check(name, "the sum of absolute values", sums.abs_sum, abs_sum, 4e-6 * abs_sum);
    check(name, "the sum of squares", sums.sq_sum, sq_sum, 2 * 4e-6 * sq_sum);
    check(name, "the weighted sum", sums.wsum, stored(entry, "wsum"), 97 * 4e-6 * abs_sum);
    check(name, "the smallest", sums.min, stored(entry, "min"), 4e-6 * largest);
    check(name, "the largest", sums.max, stored(entry, "max"), 4e-6 * largest);
}

static bool is_compared(const char *key)
{
    return strncmp(key, "f32.", 4) == 0 && strncmp(key, "f32.grad.", 9) != 0 &&
           strcmp(key, "f32.loss") != 0;
}

LOOP_TEST(every_sum_is_pytorchs, sizeof large_cases / sizeof *large_cases)
{
    const LargeCase *large = &large_cases[_i];
    Error err = {.text = ""};
    char path[256];
    bool is_file = strstr(large->scenario, ".yaml") != NULL;
    snprintf(path, sizeof path, "scenarios/%s", large->scenario);
    ScenarioRequest request = {.what = is_file ? test_file(path) : large->scenario};
    Scenario scenario;
    Trace trace;
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);

    json_t *manifest = json_load_file(test_file("golden/manifest.json"), 0, NULL);
    json_t *checksums = json_object_get(json_object_get(manifest, large->golden), "checksums");
    ck_assert(json_object_size(checksums) > 0);
    int compared = 0;
    const char *key;
    json_t *entry;
    json_object_foreach(checksums, key, entry)
    {
        if (!is_compared(key))
            continue;
        int number = trace_find(&trace, key + 4);
        ck_assert_msg(number >= 0, "%s: no tensor %s", large->golden, key);
        check_sums(key, entry, &trace.tensors[number].tensor);
        compared++;
    }
    ck_assert_msg(compared == large->compared, "%s: %d tensors compared, not %d", large->golden,
                  compared, large->compared);
    json_decref(manifest);
    trace_close(&trace);
    scenario_finish(&scenario);
}

SUITE("checksums")
