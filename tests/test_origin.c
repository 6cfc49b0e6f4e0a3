// The law of origin, over every stage of every tiny pipeline, forward and backward: what an element says it came from is
// exactly what it depends on, and its last running value is the stored one.
#include "law.h"
#include "suite.h"
#include "tiny.h"

#include <string.h>

static void open_tiny(int number, Scenario *scenario, Trace *trace)
{
    Error err;
    TinyShape shape = tiny_shapes[number % tiny_shape_count];
    shape.backward = shape.backward || number >= tiny_shape_count;
    tiny_scenario(scenario, shape, (uint64_t)number + 1);
    ck_assert_msg(trace_open(trace, scenario, &err) && trace_run(trace, &err), "%s", err.text);
}

START_TEST(an_element_depends_on_exactly_what_it_claims)
{
    Scenario scenario;
    Trace trace;
    open_tiny(_i, &scenario, &trace);
    for (int step = 0; step < trace.step_count; step++)
        law_check_sources(&trace, step);
    trace_close(&trace);
    scenario_finish(&scenario);
}
END_TEST

START_TEST(the_last_running_value_is_the_stored_one)
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
END_TEST

static const char *end_of_axes(const char *axes)
{
    return axes ? axes : "";
}

// L, Lq and Lk are one length where queries and keys are the same tokens; widths are compared as
// they are written, except that with a residual what comes out is as wide as what went in.
static bool same_axes(const char *written, const char *read)
{
    while (*written && *read) {
        size_t a = strcspn(written, " "), b = strcspn(read, " ");
        bool lengths = *written == 'L' && *read == 'L';
        bool widths = (strncmp(written, "Din", a) == 0 && strncmp(read, "Dout", b) == 0) ||
                      (strncmp(written, "Dout", a) == 0 && strncmp(read, "Din", b) == 0);
        if (!lengths && !widths && (a != b || strncmp(written, read, a) != 0))
            return false;
        written += a + strspn(written + a, " ");
        read += b + strspn(read + b, " ");
    }
    return *written == *read;
}

static const char *without_heads(const char *axes)
{
    if (strcmp(axes, "B H Lq d_k") == 0)
        return "B Lq Dk";
    if (strcmp(axes, "B H Lk d_k") == 0)
        return "B Lk Dk";
    if (strcmp(axes, "B H Lk d_v") == 0)
        return "B Lk Dv";
    if (strcmp(axes, "B H Lq d_v") == 0)
        return "B Lq Dv";
    return strcmp(axes, "B H Lq Lk") == 0 ? "B Lq Lk" : axes;
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

START_TEST(what_a_stage_reads_was_written_with_the_same_axes)
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
            char text[32];
            const char *wanted = end_of_axes(trace.steps[step].call->reads[read].axes);
            if (!scenario.options.kv_heads)
                wanted = without_groups(wanted, text);
            if (!scenario.has_heads)
                wanted = without_heads(wanted);
            ck_assert_msg(same_axes(trace.tensors[number].axes, wanted),
                          "%s reads %s as \"%s\", but it was written as \"%s\"",
                          trace.steps[step].stage->name, trace.tensors[number].name, wanted,
                          trace.tensors[number].axes);
        }
    trace_close(&trace);
    scenario_finish(&scenario);
}
END_TEST

START_TEST(every_stage_takes_part_in_some_tiny_pipeline)
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
END_TEST

int main(void)
{
    Suite *suite = suite_create("origin");
    TCase *cases = tcase_create("law");
    suite_add_slice(cases, an_element_depends_on_exactly_what_it_claims, 2 * tiny_shape_count, 1);
    suite_add_slice(cases, the_last_running_value_is_the_stored_one, 2 * tiny_shape_count, 1);
    suite_add_slice(cases, what_a_stage_reads_was_written_with_the_same_axes, 2 * tiny_shape_count,
                    1);
    tcase_add_test(cases, every_stage_takes_part_in_some_tiny_pipeline);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
