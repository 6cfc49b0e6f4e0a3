// The law of origin, over every stage of every tiny pipeline, forward and backward: what an element says it came from is
// exactly what it depends on, and its last running value is the stored one.
#include "law.h"
#include "suite.h"
#include "tiny.h"

#include <stdio.h>
#include <string.h>

static void open_tiny(int number, Scenario *scenario, Trace *trace)
{
    Error err;
    TinyShape shape = tiny_shapes[number % tiny_shape_count];
    shape.backward = shape.backward || number >= tiny_shape_count;
    tiny_scenario(scenario, shape, (uint64_t)number + 1);
    ck_assert_msg(trace_open(trace, scenario, &err) && trace_run(trace, &err), "%s", err.text);
}

SLICE_TEST(an_element_depends_on_exactly_what_it_claims, 2 * tiny_shape_count, 1)
{
    Scenario scenario;
    Trace trace;
    open_tiny(_i, &scenario, &trace);
    for (int step = 0; step < trace.step_count; step++)
        law_check_sources(&trace, step);
    trace_close(&trace);
    scenario_finish(&scenario);
}

SLICE_TEST(the_last_running_value_is_the_stored_one, 2 * tiny_shape_count, 1)
{
    Scenario scenario;
    Trace trace;
    open_tiny(_i, &scenario, &trace);
    for (int number = 0; number < trace.tensor_count; number++)
        if (trace.tensors[number].step >= 0)
            law_check_values(&trace, number);
    trace_close(&trace);
    scenario_finish(&scenario);
}

static const char *end_of_axes(const char *axes)
{
    return axes ? axes : "";
}

static bool is_input_width(const char *axis, size_t length)
{
    return (length == 3 && strncmp(axis, "Din", 3) == 0) ||
           (length == 4 && strncmp(axis, "Dout", 4) == 0) ||
           (length == 2 && strncmp(axis, "Dq", 2) == 0);
}

// L, Lq and Lk are one length where queries and keys are the same tokens; widths are compared as
// they are written, except that with a residual what comes out is as wide as what went in, and that
// queries mostly come from what is as wide as what keys come from.
static bool same_axes(const char *written, const char *read)
{
    while (*written && *read) {
        size_t a = strcspn(written, " "), b = strcspn(read, " ");
        bool lengths = *written == 'L' && *read == 'L';
        bool widths = is_input_width(written, a) && is_input_width(read, b);
        if (!lengths && !widths && (a != b || strncmp(written, read, a) != 0))
            return false;
        written += a + strspn(written + a, " ");
        read += b + strspn(read + b, " ");
    }
    return *written == *read;
}

// "B H Lq d_k" is "B Lq Dk", and "B H Lq Lk" is "B Lq Lk".
static const char *without_heads(const char *axes, char text[32])
{
    if (strcmp(axes, "B H blocks Lq") == 0)
        return "B blocks Lq";
    if (strcmp(axes, "B H blocks Lq d_v") == 0)
        return "B blocks Lq Dv";
    if (strncmp(axes, "B H L", 5) != 0 || strlen(axes) < 9)
        return axes;
    bool is_width = axes[7] == 'd';
    snprintf(text, 32, "B %.2s %s%s", axes + 4, is_width ? "D" : "", axes + (is_width ? 9 : 7));
    return text;
}

// What a stage says of keys and values, where they have as many heads as queries: "B G Lk d_k" is
// "B H Lk d_k".
static const char *without_groups(const char *axes, char text[32])
{
    size_t length = 0;
    for (const char *at = axes; *at && length < 30; at++) {
        bool is_group = *at == 'G', is_width = is_group && (at[1] == 'k' || at[1] == 'v');
        text[length++] = !is_group ? *at : is_width ? 'D' : 'H';
    }
    text[length] = '\0';
    return text;
}

SLICE_TEST(what_a_stage_reads_was_written_with_the_same_axes, 2 * tiny_shape_count, 1)
{
    Scenario scenario;
    Trace trace;
    open_tiny(_i, &scenario, &trace);
    for (int step = 0; step < trace.step_count; step++)
        for (int read = 0; read < STAGE_READS_MAX; read++) {
            int number = trace.steps[step].reads[read];
            if (number < 0 || trace.tensors[number].step < 0)
                continue;
            ck_assert_int_lt(trace.tensors[number].step, step);
            char text[32], folded[32];
            const char *wanted = end_of_axes(trace.steps[step].call->reads[read].axes);
            if (!scenario.options.kv_heads)
                wanted = without_groups(wanted, text);
            if (!scenario.has_heads)
                wanted = without_heads(wanted, folded);
            ck_assert_msg(same_axes(trace.tensors[number].axes, wanted),
                          "%s reads %s as \"%s\", but it was written as \"%s\"",
                          trace.steps[step].stage->name, trace.tensors[number].name, wanted,
                          trace.tensors[number].axes);
        }
    trace_close(&trace);
    scenario_finish(&scenario);
}

TEST(every_stage_takes_part_in_some_tiny_pipeline)
{
    for (int stage = 0; stage_get(stage); stage++) {
        bool seen = false;
        for (int number = 0; number < tiny_shape_count; number++) {
            Scenario scenario;
            Trace trace;
            open_tiny(number, &scenario, &trace);
            for (int step = 0; step < trace.step_count; step++)
                seen = seen || trace.steps[step].stage == stage_get(stage);
            trace_close(&trace);
            scenario_finish(&scenario);
        }
        ck_assert_msg(seen, "no tiny pipeline has the stage %s", stage_get(stage)->name);
    }
}

SUITE("origin")
