// Every mistake on every scenario: it runs, differs from the right way wherever it can, and makes
// the very same bits where it says that it cannot.
#include "mistake.h"
#include "scenario_file.h"
#include "scenario_list.h"
#include "suite.h"
#include "tiny.h"

#include <string.h>

static bool same_element(const Tensor *a, const Tensor *b, const ptrdiff_t at[])
{
    size_t size = dtype_size(a->dtype);
    const char *in_a = a->storage.bytes, *in_b = b->storage.bytes;
    in_a += (size_t)tensor_place(a, at) * size;
    in_b += (size_t)tensor_place(b, at) * size;
    if (memcmp(in_a, in_b, size) == 0)
        return true;
    float x, y;
    return a->dtype == DTYPE_F32 && memcpy(&x, in_a, size) && memcpy(&y, in_b, size) && x != x &&
           y != y;
}

static bool same_tensor(const Tensor *a, const Tensor *b)
{
    if (a->dtype != b->dtype || !tensor_same_shape(a, b))
        return false;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(a) > 0; more; more = tensor_next(a, at))
        if (!same_element(a, b, at))
            return false;
    return true;
}

static bool same_run(const Trace *a, const Trace *b)
{
    if (a->tensor_count != b->tensor_count)
        return false;
    for (int i = 0; i < a->tensor_count; i++)
        if (strcmp(a->tensors[i].name, b->tensors[i].name) != 0 ||
            !same_tensor(&a->tensors[i].tensor, &b->tensors[i].tensor))
            return false;
    return true;
}

// Views of the right way that the mistake has under the same name are views still.
static void check_views(const Trace *wrong, const char *name)
{
    for (int step = 0; step < wrong->step_count; step++)
        for (int slot = 0; wrong->steps[step].call->writes[slot].role; slot++) {
            const Tensor *out = &wrong->tensors[wrong->steps[step].writes[slot]].tensor;
            const Tensor *in = &wrong->tensors[wrong->steps[step].reads[0]].tensor;
            bool is_view = wrong->steps[step].call->writes[slot].is_view;
            ck_assert_msg(!is_view || out->storage.bytes == in->storage.bytes,
                          "%s: %s is no view any more", name, wrong->steps[step].stage->name);
        }
}

static void check_mistake(const Mistake *mistake, const Trace *right)
{
    Error err = {.text = ""};
    Trace wrong;
    TraceWay way = {.stages = mistake->stages};
    ck_assert_msg(trace_open_way(&wrong, right->scenario, &way, &err) && trace_run(&wrong, &err),
                  "%s: %s: %s", mistake->name, right->scenario->name, err.text);
    const char *why = mistake->cannot_show(right->scenario);
    bool same = same_run(right, &wrong);
    ck_assert_msg(why || !same, "%s shows no difference in %s", mistake->name,
                  right->scenario->name);
    ck_assert_msg(!why || same, "%s differs in %s, though %s", mistake->name, right->scenario->name,
                  why);
    check_views(&wrong, mistake->name);
    trace_close(&wrong);
}

static void check_scenario(const Scenario *scenario)
{
    Error err = {.text = ""};
    Trace right;
    ck_assert_msg(trace_open(&right, scenario, &err) && trace_run(&right, &err), "%s", err.text);
    for (int i = 0; mistake_get(i); i++)
        check_mistake(mistake_get(i), &right);
    trace_close(&right);
}

START_TEST(on_every_scenario_that_is_shipped)
{
    Error err = {.text = ""};
    ScenarioList list;
    ck_assert_msg(scenario_list_open(&list, &err), "%s", err.text);
    ck_assert_int_gt(list.count, 10);
    for (int i = 0; i < list.count; i++) {
        // Without kernels 16 x 128 tokens take a second for each mistake; `causal` is the same, small.
        if (strcmp(list.entries[i].name, "causal-large") == 0)
            continue;
        Scenario scenario;
        ScenarioRequest request = {.what = list.entries[i].path};
        ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
        check_scenario(&scenario);
        scenario_finish(&scenario);
    }
    scenario_list_close(&list);
}
END_TEST

START_TEST(on_every_tiny_pipeline)
{
    Scenario scenario;
    tiny_scenario(&scenario, tiny_shapes[_i], (uint64_t)_i + 1);
    check_scenario(&scenario);
    scenario_finish(&scenario);
}
END_TEST

// Knows no stage: every one runs its definition, and no kernel takes its place.
static bool run_nothing(void *context, const Stage *stage, StageArgs *args, bool *done, Error *err)
{
    (void)context, (void)stage, (void)args, (void)err;
    *done = false;
    return true;
}

START_TEST(with_kernels_and_without_the_bits_are_the_same)
{
    Scenario scenario;
    tiny_scenario(&scenario, tiny_shapes[_i], (uint64_t)_i + 1);
    for (int i = 0; mistake_get(i); i++) {
        Error err = {.text = ""};
        Trace fast, plain;
        TraceWay way = {.stages = mistake_get(i)->stages};
        ck_assert(trace_open_way(&fast, &scenario, &way, &err) && trace_run(&fast, &err));
        way.run = run_nothing;
        ck_assert(trace_open_way(&plain, &scenario, &way, &err) && trace_run(&plain, &err));
        ck_assert_msg(same_run(&fast, &plain), "%s", mistake_get(i)->name);
        trace_close(&plain);
        trace_close(&fast);
    }
    scenario_finish(&scenario);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mistake_lanes");
    TCase *cases = tcase_create("differ or say why not");
    tcase_add_test(cases, on_every_scenario_that_is_shipped);
    tcase_add_loop_test(cases, on_every_tiny_pipeline, 0, tiny_shape_count);
    tcase_add_loop_test(cases, with_kernels_and_without_the_bits_are_the_same, 0, tiny_shape_count);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
