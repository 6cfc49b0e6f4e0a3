// trace_run: runs the steps of a trace, one at a time or as many together as go together.
#include "trace_internal.h"

#include <assert.h>

// Gives every output its memory, unless it is a view or has it from an earlier run.
static bool allocate_outputs(Trace *trace, TraceStep *step, Error *err)
{
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++) {
        Tensor *out = &step->args.out[i], made;
        bool is_view = step->call->writes[i].is_view && !step->formula;
        if (is_view || out->storage.bytes)
            continue;
        const Tensor *earlier = &trace->tensors[step->writes[i]].tensor;
        if (earlier->storage.bytes && tensor_count(earlier) == tensor_count(out))
            made = tensor_over(earlier->storage.bytes, out->dtype, out->rank, out->shape);
        else if (!tensor_take(&trace->arena, out->dtype, out->rank, out->shape, &made, err))
            return error_prefix(err, "%s: %s: ", step->stage->name, step->call->writes[i].tensor);
        *out = made;
    }
    return true;
}

// Lets the steps after this one see its outputs. What people's own functions give back may be
// another view each time, so such steps are not bound.
static void publish(Trace *trace, TraceStep *step)
{
    if (step->is_bound)
        return;
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++) {
        const Tensor *out = &step->args.out[i];
        int hidden = trace_hidden_axis(trace, step->call->writes[i].axes, out->rank - 1);
        trace->tensors[step->writes[i]].tensor = hidden >= 0 ? tensor_squeeze(out, hidden) : *out;
    }
    step->is_bound = !trace->variant.run && !step->formula;
    step->knows_cuts = false;
}

static void unbind(Trace *trace)
{
    for (int step = 0; step < trace->step_count; step++)
        trace->steps[step].is_bound = false;
}

static void withdraw(Trace *trace, const TraceStep *step)
{
    unbind(trace);
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        trace->tensors[step->writes[i]].tensor = (Tensor){.storage.bytes = NULL};
}

static bool begin(Trace *trace, int number, PackWhen when, Error *err)
{
    TraceStep *step = &trace->steps[number];
    const Stage *stage = step->stage;
    step->is_bound = step->is_bound && trace->inputs_stay;
    if (!step->is_bound && (!trace_arguments(trace, number, &step->args, err) ||
                            (stage->shapes && !stage->shapes(&step->args, err)) ||
                            !allocate_outputs(trace, step, err)))
        return false;
    return !trace->kernel || step->formula ||
           ((!stage->prepare || stage->prepare(&step->args, err)) &&
            (!stage->fast || trace_pack(trace, step, when, err)));
}

bool trace_begin(Trace *trace, int number, Error *err)
{
    return begin(trace, number, PACK_NOW, err);
}

static bool note_remarks(Trace *trace, const TraceStep *step, Error *err)
{
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        if (!trace_note_remark(trace, step->writes[i], err)) {
            withdraw(trace, step);
            return false;
        }
    return true;
}

static bool finish(Trace *trace, int count, Error *err)
{
    for (; count > 0; count--, trace->steps_done++)
        if (!note_remarks(trace, &trace->steps[trace->steps_done], err))
            return false;
    return true;
}

// Runs at most `most` steps as one group; a later one that cannot begin is left for another time.
static bool run_group(Trace *trace, int most, Error *err)
{
    int first = trace->steps_done, count = 0;
    trace_pass(trace, -1, 1);
    while (count < most && begin(trace, first + count, PACK_IN_SLICES, err)) {
        publish(trace, &trace->steps[first + count]);
        trace_pass(trace, first + count, 1);
        count++;
    }
    if (count == 0)
        return false;
    trace_run_slices(trace, first, count);
    return finish(trace, count, err);
}

// The stage's own definition, unless the way of this trace has another one.
static bool run_definition(Trace *trace, TraceStep *step, Error *err)
{
    bool done = false;
    if (step->formula)
        return trace_run_formula(trace, step, err);
    if (trace->variant.run &&
        !trace->variant.run(trace->variant.context, step, &step->args, &done, err))
        return false;
    return done || step->stage->run(&step->args, err);
}

static bool run_alone(Trace *trace, Error *err)
{
    TraceStep *step = &trace->steps[trace->steps_done];
    trace_pass(trace, -1, 1);
    if (!trace_begin(trace, trace->steps_done, err) || !run_definition(trace, step, err))
        return false;
    publish(trace, step);
    trace_pass(trace, trace->steps_done, 1);
    return finish(trace, 1, err);
}

// Runs at most `most` steps that are shared out by sequence. What no number flows through is done on the way.
static bool run_stretch(Trace *trace, int most, Error *err)
{
    int first = trace->steps_done, count = 0;
    trace_pass(trace, -1, 1);
    for (; count < most; count++) {
        TraceStep *step = &trace->steps[first + count];
        bool is_early = step->part == STRETCH_VIEW || step->part == STRETCH_EARLY;
        if (!begin(trace, first + count, PACK_IN_STRETCH, err) ||
            (is_early && !step->stage->run(&step->args, err)))
            break;
        publish(trace, step);
        trace_pass(trace, first + count, 1);
    }
    if (count == 0)
        return false;
    trace_run_stretch(trace, first, count);
    return finish(trace, count, err);
}

bool trace_step(Trace *trace, Error *err)
{
    assert(trace->steps_done < trace->step_count);
    bool is_sliced = trace->kernel && trace->steps[trace->steps_done].group > 0;
    return is_sliced ? run_group(trace, 1, err) : run_alone(trace, err);
}

bool trace_run(Trace *trace, Error *err)
{
    while (trace->steps_done < trace->step_count) {
        const TraceStep *step = &trace->steps[trace->steps_done];
        int stretch = trace->kernel ? step->stretch : 0, count = trace->kernel ? step->group : 0;
        if (!(stretch > 0 ? run_stretch(trace, stretch, err)
              : count > 0 ? run_group(trace, count, err)
                          : run_alone(trace, err)))
            return false;
    }
    return true;
}

void trace_rewind(Trace *trace)
{
    if (!trace->inputs_stay)
        unbind(trace); // an edit may have come after
    trace->steps_done = 0;
    trace->inputs_stay = true;
}

void trace_renew(Trace *trace)
{
    trace_rewind(trace);
    trace->numbers_change = true;
}
