// The law of origin, over every stage of every tiny pipeline: what an element says it came from is
// exactly what it depends on, and its last running value is the stored one.
#include "suite.h"
#include "tiny.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Which elements of `input` the elements of `output` claim, as a table of flags.
typedef struct Claims {
    int input;
    const Tensor *shape;
    bool claimed[4096];
    uint32_t last_bits;
    int terms;
} Claims;

static ptrdiff_t place_in_order(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t number = 0;
    for (int axis = 0; axis < tensor->rank; axis++)
        number = number * tensor->shape[axis] + at[axis];
    return number;
}

static void note_claims(void *context, const TraceTerm *term)
{
    Claims *claims = context;
    for (int i = 0; i < term->source_count; i++)
        if (term->sources[i].tensor == claims->input)
            claims->claimed[place_in_order(claims->shape, term->sources[i].at)] = true;
    memcpy(&claims->last_bits, &term->running, sizeof claims->last_bits);
    claims->terms++;
}

static bool same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

// The number at `at` as a float, whatever the dtype.
static float number_at(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t place = tensor_place(tensor, at);
    switch (tensor->dtype) {
    case DTYPE_F32:
        return tensor->storage.f32[place];
    case DTYPE_I64:
        return (float)tensor->storage.i64[place];
    case DTYPE_BOOL:
        return (float)tensor->storage.boolean[place];
    }
    return NAN;
}

// Poisons a float, changes an id to another one, flips a flag.
static void disturb(const Tensor *tensor, const ptrdiff_t at[], ptrdiff_t vocabulary)
{
    ptrdiff_t place = tensor_place(tensor, at);
    if (tensor->dtype == DTYPE_F32)
        tensor->storage.f32[place] = NAN;
    else if (tensor->dtype == DTYPE_I64)
        tensor->storage.i64[place] = (tensor->storage.i64[place] + 1) % vocabulary;
    else
        tensor->storage.boolean[place] = !tensor->storage.boolean[place];
}

// Runs the trace's step again on inputs of which one element is disturbed; tells which outputs
// changed (for floats: became NaN).
static void rerun_step(const Trace *before, int step, int input, const ptrdiff_t at[], int output,
                       bool changed[])
{
    Error err;
    Scenario scenario = *before->scenario;
    Trace after = *before;
    after.scenario = &scenario;
    after.arena = (Arena){0};
    after.steps_done = step;

    const Tensor *original = &before->tensors[input].tensor;
    Tensor copy;
    ck_assert(
        tensor_take(&after.arena, original->dtype, original->rank, original->shape, &copy, &err));
    tensor_copy(original, &copy);
    disturb(&copy, at, scenario.size[SYMBOL_V]);
    after.tensors[input].tensor = copy;
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        if (before->steps[step].writes[slot] >= 0)
            after.tensors[before->steps[step].writes[slot]].tensor.storage.bytes = NULL;
    ck_assert_msg(trace_step(&after, &err), "%s", err.text);

    const Tensor *was = &before->tensors[output].tensor, *is = &after.tensors[output].tensor;
    ptrdiff_t out_at[TENSOR_RANK_MAX] = {0}, number = 0;
    for (bool more = true; more; more = tensor_next(was, out_at), number++) {
        float old = number_at(was, out_at), new = number_at(is, out_at);
        bool poisoned = original->dtype == DTYPE_F32;
        changed[number] = poisoned ? isnan(new) && !isnan(old) : !same_bits(old, new);
    }
    arena_finish(&after.arena);
}

static void check_input(const Trace *trace, int step, int input, int output)
{
    static bool changed[4096];
    static Claims claims;
    const Tensor *in = &trace->tensors[input].tensor, *out = &trace->tensors[output].tensor;
    ptrdiff_t in_at[TENSOR_RANK_MAX] = {0}, in_number = 0;
    for (bool more = true; more; more = tensor_next(in, in_at), in_number++) {
        rerun_step(trace, step, input, in_at, output, changed);
        ptrdiff_t out_number = 0;
        TraceCell cell = {.tensor = output};
        for (bool rest = true; rest; rest = tensor_next(out, cell.at), out_number++) {
            claims = (Claims){.input = input, .shape = in};
            trace_origin(trace, cell, note_claims, &claims);
            // A row that is NaN already cannot become it.
            bool settled = out->dtype == DTYPE_F32 && isnan(number_at(out, cell.at));
            ck_assert_msg(settled || claims.claimed[in_number] == changed[out_number],
                          "step %d: element %td of %s %s element %td of %s, but %s", step,
                          out_number, trace->tensors[output].name,
                          claims.claimed[in_number] ? "claims" : "does not claim", in_number,
                          trace->tensors[input].name,
                          changed[out_number] ? "changes with it" : "does not change with it");
        }
    }
}

static void open_tiny(int number, Scenario *scenario, Trace *trace)
{
    Error err;
    tiny_scenario(scenario, tiny_shapes[number], (uint64_t)number + 1);
    ck_assert_msg(trace_open(trace, scenario, &err) && trace_run(trace, &err), "%s", err.text);
}

START_TEST(an_element_depends_on_exactly_what_it_claims)
{
    Scenario scenario;
    Trace trace;
    open_tiny(_i, &scenario, &trace);
    for (int step = 0; step < trace.step_count; step++)
        for (int read = 0; read < STAGE_READS_MAX; read++) {
            int input = trace.steps[step].reads[read];
            // lengths decide which rule of pad holds; changing one would move every later token
            if (input < 0 || strcmp(trace.tensors[input].name, "lengths") == 0)
                continue;
            for (int write = 0; write < STAGE_WRITES_MAX; write++)
                if (trace.steps[step].writes[write] >= 0)
                    check_input(&trace, step, input, trace.steps[step].writes[write]);
        }
    trace_close(&trace);
    scenario_finish(&scenario);
}
END_TEST

START_TEST(the_last_running_value_is_the_stored_one)
{
    static Claims claims;
    Scenario scenario;
    Trace trace;
    open_tiny(_i, &scenario, &trace);
    for (int number = 0; number < trace.tensor_count; number++) {
        const Tensor *tensor = &trace.tensors[number].tensor;
        if (trace.tensors[number].step < 0)
            continue;
        TraceCell cell = {.tensor = number};
        for (bool more = true; more; more = tensor_next(tensor, cell.at)) {
            claims = (Claims){.input = -1};
            trace_origin(&trace, cell, note_claims, &claims);
            float last;
            memcpy(&last, &claims.last_bits, sizeof last);
            ck_assert_int_gt(claims.terms, 0);
            ck_assert_msg(same_bits(last, number_at(tensor, cell.at)), "%s: %a is stored, %a told",
                          trace.tensors[number].name, (double)number_at(tensor, cell.at),
                          (double)last);
        }
    }
    trace_close(&trace);
    scenario_finish(&scenario);
}
END_TEST

static const char *end_of_axes(const char *axes)
{
    return axes ? axes : "";
}

// L, Lq and Lk are one length where queries and keys are the same tokens; widths are compared as
// they are written.
static bool same_axes(const char *written, const char *read)
{
    while (*written && *read) {
        size_t a = strcspn(written, " "), b = strcspn(read, " ");
        bool lengths = *written == 'L' && *read == 'L';
        if (!lengths && (a != b || strncmp(written, read, a) != 0))
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
            const char *wanted = end_of_axes(trace.steps[step].call->reads[read].axes);
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
    tcase_add_loop_test(cases, an_element_depends_on_exactly_what_it_claims, 0, tiny_shape_count);
    tcase_add_loop_test(cases, the_last_running_value_is_the_stored_one, 0, tiny_shape_count);
    tcase_add_loop_test(cases, what_a_stage_reads_was_written_with_the_same_axes, 0,
                        tiny_shape_count);
    tcase_add_test(cases, every_stage_takes_part_in_some_tiny_pipeline);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
