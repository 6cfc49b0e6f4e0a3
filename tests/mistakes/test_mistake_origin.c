// The law of origin, over every mistake in every tiny pipeline: a wrong number, too, tells truly what
// it was made of.
#include "law.h"
#include "mistake.h"
#include "suite.h"
#include "tiny.h"

static bool is_replaced(const Trace *trace, int step)
{
    return trace->steps[step].stage != stage_find(trace->steps[step].stage->name);
}

static void open_mistaken(int number, const Mistake *mistake, Scenario *scenario, Trace *trace)
{
    Error err = {.text = ""};
    TraceVariant variant = {.stages = mistake->stages};
    TinyShape shape = tiny_shapes[number];
    shape.backward = mistake_is_backward(mistake); // another one has no gradients
    tiny_scenario(scenario, shape, (uint64_t)number + 1);
    ck_assert_msg(trace_open_variant(trace, scenario, &variant, &err) && trace_run(trace, &err),
                  "%s: %s", mistake->name, err.text);
}

static void check_written(const Trace *trace, int step)
{
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        if (trace->steps[step].writes[slot] >= 0)
            law_check_values(trace, trace->steps[step].writes[slot]);
}

// An element of a stage that a mistake replaces depends on exactly what it claims, and the last running value is the
// stored one. test_origin.c has the stages that are as they were.
SLICE_TEST(a_wrong_number_tells_what_it_is_made_of, tiny_shape_count, 1)
{
    for (int i = 0; mistake_get(i); i++) {
        Scenario scenario;
        Trace trace;
        open_mistaken(_i, mistake_get(i), &scenario, &trace);
        for (int step = 0; step < trace.step_count; step++)
            if (is_replaced(&trace, step)) {
                law_check_sources(&trace, step);
                check_written(&trace, step);
            }
        trace_close(&trace);
        scenario_finish(&scenario);
    }
}

TEST(every_mistake_takes_part_in_some_tiny_pipeline)
{
    for (int i = 0; mistake_get(i); i++) {
        bool shown = false;
        for (int number = 0; number < tiny_shape_count; number++) {
            Scenario scenario;
            TinyShape shape = tiny_shapes[number];
            shape.backward = mistake_is_backward(mistake_get(i));
            tiny_scenario(&scenario, shape, 1);
            shown = shown || !mistake_cannot_show(mistake_get(i), &scenario);
            scenario_finish(&scenario);
        }
        ck_assert_msg(shown, "no tiny pipeline shows %s", mistake_get(i)->name);
    }
}

SUITE("mistake_origin")
