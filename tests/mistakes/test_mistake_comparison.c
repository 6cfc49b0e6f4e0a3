// Every mistake on every scenario: it runs, differs from the right way wherever it can, and makes
// the very same bits where it says that it cannot.
#include "mistake.h"
#include "scenario_file.h"
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
    if (a->dtype != DTYPE_F32)
        return false;
    memcpy(&x, in_a, size);
    memcpy(&y, in_b, size);
    return (x != x && y != y) || (x == 0.0f && y == 0.0f); // a gradient of 0 may have a sign
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

// Which mistakes are tried on a scenario: another part of them on each.
static int turn;

// Runs the scenario with a mistake. Whether any bit differs; none does where the mistake says so.
static bool shows(const Mistake *mistake, const Trace *right)
{
    Error err = {.text = ""};
    Trace wrong;
    TraceVariant variant = {.stages = mistake->stages};
    ck_assert_msg(trace_open_variant(&wrong, right->scenario, &variant, &err) &&
                      trace_run(&wrong, &err),
                  "%s: %s: %s", mistake->name, right->scenario->name, err.text);
    const Words *why = mistake_cannot_show(mistake, right->scenario);
    bool same = same_run(right, &wrong);
    ck_assert_msg(!why || same, "%s differs in %s, though %s", mistake->name, right->scenario->name,
                  words_tell(*why));
    check_views(&wrong, mistake->name);
    trace_close(&wrong);
    return !same;
}

static void run_right(Trace *right, const Scenario *scenario)
{
    Error err = {.text = ""};
    ck_assert_msg(trace_open(right, scenario, &err) && trace_run(right, &err), "%s", err.text);
}

// A mistake of the forward pass has no gradients, and runs without; one of the backward pass runs with.
static void check_pass(Scenario *scenario, bool backward)
{
    Trace right;
    const Mistake *mistake;
    bool is_wide = scenario->size[SYMBOL_DIN] > 500; // so large a scenario is not tried
    scenario->backward = backward;
    run_right(&right, scenario);
    for (int i = 0; (mistake = mistake_get(i)); i++)
        if (suite_takes(i + turn, 8) && (mistake_is_backward(mistake) == backward || !backward))
            ck_assert_msg(shows(mistake, &right) || is_wide ||
                              mistake_cannot_show(mistake, scenario),
                          "%s shows no difference in %s", mistake->name, scenario->name);
    trace_close(&right);
}

static void check_scenario(Scenario *scenario)
{
    check_pass(scenario, false);
    if (!scenario->options.rms_norm) // it has no gradient
        check_pass(scenario, true);
}

TEST(on_every_scenario_that_is_shipped)
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
        turn = i;
        check_scenario(&scenario);
        scenario_finish(&scenario);
    }
    scenario_list_close(&list);
}

SLICE_TEST(on_every_tiny_pipeline, tiny_shape_count, 1)
{
    bool all_alike =
        tiny_shapes[_i].layer_norm && tiny_shapes[_i].d_in == 1; // no mistake need show
    for (int backward = all_alike; backward < 2; backward++) {
        Scenario scenario;
        TinyShape shape = tiny_shapes[_i];
        shape.backward = backward;
        tiny_scenario(&scenario, shape, (uint64_t)_i + 1);
        turn = _i;
        check_pass(&scenario, backward);
        scenario_finish(&scenario);
    }
}

// Any legal shape, axes of length 1 among them.
static TinyShape drawn_shape(uint64_t *seed)
{
    TinyShape shape = {.batch = 1 + tiny_index(seed, 3), .keys = 1 + tiny_index(seed, 5)};
    shape.queries = tiny_index(seed, 3) ? shape.keys : 1 + tiny_index(seed, 5);
    shape.heads = tiny_index(seed, 4);
    shape.d_k = 1 + tiny_index(seed, 4);
    shape.d_v = tiny_index(seed, 2) ? shape.d_k : 1 + tiny_index(seed, 4);
    shape.d_in = 1 + tiny_index(seed, 5);
    shape.d_out = tiny_index(seed, 5);
    shape.vocabulary = tiny_index(seed, 2) ? 2 + tiny_index(seed, 5) : 0;
    shape.bias = tiny_index(seed, 2);
    shape.per_head = tiny_index(seed, 4) == 0;
    shape.positions = tiny_index(seed, 2);
    shape.causal = tiny_index(seed, 2);
    shape.padding = shape.vocabulary && tiny_index(seed, 2);
    shape.given_mask = tiny_index(seed, 3) == 0;
    shape.mask_first = tiny_index(seed, 2);
    shape.dropout = tiny_index(seed, 3) == 0;
    shape.update = shape.d_out > 0 && tiny_index(seed, 4) == 0;
    if (shape.causal && tiny_index(seed, 2))
        shape.context = 5 + tiny_index(seed, 3);
    return shape;
}

TEST(on_every_legal_shape)
{
    enum { SHAPES = 400, MISTAKES = 64 };
    int tried = 0;
    uint64_t seed = 1;
    int did[MISTAKES] = {0};
    for (int i = 0; i < SHAPES; i++) {
        Scenario scenario;
        Trace right;
        bool backward = i % 2;
        TinyShape shape = drawn_shape(&seed);
        if (!suite_takes(i / 4, 4)) // four in a row: of each kind one
            continue;
        tried++;
        tiny_scenario(&scenario, shape, seed);
        scenario.backward = backward;
        if (i % 4 == 3) // a mask that leaves weight behind it
            scenario.options.mask_value = -2.0f;
        run_right(&right, &scenario);
        for (int number = 0; mistake_get(number); number++) {
            ck_assert_int_lt(number, MISTAKES);
            if (mistake_is_backward(mistake_get(number)) != backward)
                continue;
            did[number] += shows(mistake_get(number), &right);
        }
        trace_close(&right);
        scenario_finish(&scenario);
    }
    for (int number = 0; mistake_get(number); number++)
        ck_assert_msg(did[number] > tried / 100 || tried < 100,
                      "%s shows in %d shapes",                 // fewer are
                      mistake_get(number)->name, did[number]); // tried under a sanitizer
}

// Knows no stage: every one runs its definition, and no kernel takes its place.
static bool run_nothing(void *context, const TraceStep *step, StageArgs *args, bool *done,
                        Error *err)
{
    (void)context, (void)step, (void)args, (void)err;
    *done = false;
    return true;
}

SLICE_TEST(with_kernels_and_without_the_bits_are_the_same, tiny_shape_count, 1)
{
    for (int i = 0; mistake_get(i); i++) {
        Scenario scenario;
        TinyShape shape = tiny_shapes[_i];
        if (!suite_takes(i + _i, 4))
            continue;
        shape.backward = mistake_is_backward(mistake_get(i)); // another one has no gradients
        tiny_scenario(&scenario, shape, (uint64_t)_i + 1);
        Error err = {.text = ""};
        Trace fast, plain;
        TraceVariant variant = {.stages = mistake_get(i)->stages};
        ck_assert(trace_open_variant(&fast, &scenario, &variant, &err) && trace_run(&fast, &err));
        variant.run = run_nothing;
        ck_assert(trace_open_variant(&plain, &scenario, &variant, &err) && trace_run(&plain, &err));
        ck_assert_msg(same_run(&fast, &plain), "%s", mistake_get(i)->name);
        trace_close(&plain);
        trace_close(&fast);
        scenario_finish(&scenario);
    }
}

SUITE("mistake_comparison")
