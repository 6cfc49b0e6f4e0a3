// trace_recompute: computes again what an edit reaches, as the definition does, bit for bit.
//
// Rows that are reached whole go through the kernel; single elements of a row are told by their
// origin, whose last running value is the element.
#include "trace_internal.h"

#include <string.h>

static bool flags_all(const Tensor *flags)
{
    return memchr(flags->storage.boolean, 0, (size_t)tensor_count(flags)) == NULL;
}

static bool flags_any(const Tensor *flags)
{
    return memchr(flags->storage.boolean, 1, (size_t)tensor_count(flags)) != NULL;
}

// A formula may read any tensor that was made before.
static bool any_is_reached_before(const Trace *trace, const TraceChange *change, int number)
{
    for (int tensor = 0; tensor < trace->tensor_count; tensor++)
        if (trace->tensors[tensor].step < number &&
            trace_changed(change, tensor)->reached.storage.bytes)
            return true;
    return false;
}

// Whether a step's options are touched, or an input of it is reached.
static bool is_near(const Trace *trace, const TraceChange *change, int number)
{
    const TraceStep *step = &trace->steps[number];
    bool near = change->touched[number];
    if (step->formula)
        return near || any_is_reached_before(trace, change, number);
    for (int i = 0; i < STAGE_READS_MAX; i++)
        near = near || (step->reads[i] >= 0 &&
                        trace_changed(change, step->reads[i])->reached.storage.bytes);
    return near;
}

// What of an output the change reaches; `reached` stays without storage where nothing is.
static bool find_reached(const Trace *trace, TraceChange *change, int number, Error *err)
{
    Tensor flags;
    if (!trace_change_flags(trace, change, number, &flags, err))
        return false;
    int step = trace->tensors[number].step;
    if (change->touched[step] || trace->steps[step].formula)
        memset(flags.storage.boolean, 1, (size_t)tensor_count(&flags));
    else if (!trace_influence(trace, change, number, &flags, err))
        return false;
    return !flags_any(&flags) || trace_change_keep(trace, change, number, flags, err);
}

static void keep_last(void *context, const TraceTerm *term)
{
    *(float *)context = term->running;
}

static void recompute_elements(const Trace *trace, TraceCell cell, const unsigned char *row,
                               ptrdiff_t width)
{
    const Tensor *tensor = &trace->tensors[cell.tensor].tensor;
    for (ptrdiff_t column = 0; column < width; column++) {
        if (!row[column])
            continue;
        cell.at[tensor->rank - 1] = column;
        float value = 0.0f;
        trace_origin(trace, cell, keep_last, &value);
        tensor->storage.f32[tensor_place(tensor, cell.at)] = value;
    }
}

// Where a row of the stored tensor lies in the arguments, which may have one more axis.
static void run_row(const Trace *trace, int step, TraceCell cell)
{
    const TraceTensor *tensor = &trace->tensors[cell.tensor];
    const Slot *write = &trace->steps[step].call->writes[tensor->slot];
    int hidden = trace_hidden_axis(trace, write->axes, tensor->tensor.rank);
    ptrdiff_t start[TENSOR_RANK_MAX] = {0}, length[TENSOR_RANK_MAX];
    for (int axis = 0; axis < TENSOR_RANK_MAX; axis++)
        length[axis] = 1;
    for (int axis = 0; axis < tensor->tensor.rank - 1; axis++)
        start[axis + (hidden >= 0 && axis >= hidden)] = cell.at[axis];
    trace_run_rows(trace, step, start, length);
}

static void recompute_rows(const Trace *trace, const TraceChange *change, int step)
{
    const TraceStep *plan = &trace->steps[step];
    TraceCell cell = {.tensor = plan->writes[plan->stage->main_output]};
    const Tensor *flags = &trace_changed(change, cell.tensor)->reached;
    ptrdiff_t width = flags->shape[flags->rank - 1], rows = tensor_count(flags) / width;
    for (ptrdiff_t number = 0; number < rows; number++) {
        const unsigned char *row = &flags->storage.boolean[number * width];
        tensor_unravel(flags, number * width, cell.at);
        if (!memchr(row, 0, (size_t)width))
            run_row(trace, step, cell);
        else if (memchr(row, 1, (size_t)width))
            recompute_elements(trace, cell, row, width);
    }
}

// Only a stage with a kernel has rows of its own; the others are small, and run whole.
static bool has_rows(const Trace *trace, const TraceStep *step)
{
    const Slot *write = &step->call->writes[step->stage->main_output];
    return trace->kernel && step->stage->fast && !step->formula && write->dtype == DTYPE_F32 &&
           write->axes;
}

static bool find_all_reached(const Trace *trace, TraceChange *change, int number, bool *any,
                             Error *err)
{
    const TraceStep *step = &trace->steps[number];
    *any = false;
    for (int slot = 0; slot < STAGE_WRITES_MAX && step->writes[slot] >= 0; slot++) {
        if (!find_reached(trace, change, step->writes[slot], err))
            return false;
        *any = *any || trace_changed(change, step->writes[slot])->reached.storage.bytes;
    }
    return true;
}

static bool recompute_step(Trace *trace, TraceChange *change, int number, Error *err)
{
    const TraceStep *step = &trace->steps[number];
    bool any;
    if (!find_all_reached(trace, change, number, &any, err))
        return false;
    int main_output = step->writes[step->stage->main_output];
    const Tensor *flags = &trace_changed(change, main_output)->reached;
    if (!any || (step->call->writes[step->stage->main_output].is_view && !step->formula))
        return true;
    if (!has_rows(trace, step) || !flags->storage.bytes || flags_all(flags)) {
        trace->steps_done = number;
        return trace_step(trace, err);
    }
    if (!trace_begin(trace, number, err))
        return false;
    recompute_rows(trace, change, number);
    return trace_note_remark(trace, main_output, err);
}

bool trace_recompute(Trace *trace, TraceChange *change, Error *err)
{
    // A step that fails withdraws its outputs. The list may be too large for a small stack.
    Tensor *kept = arena_take(&change->arena, (size_t)trace->tensor_count, sizeof *kept, err);
    for (int number = 0; kept && number < trace->tensor_count; number++)
        kept[number] = trace->tensors[number].tensor;
    int done = trace->steps_done;
    trace->inputs_stay = false;
    bool is_done = kept;
    for (int step = 0; is_done && step < done; step++)
        is_done = !is_near(trace, change, step) || recompute_step(trace, change, step, err);
    trace->steps_done = done;
    if (is_done) {
        trace_change_count(trace, change);
        return true;
    }
    for (int number = 0; kept && number < trace->tensor_count; number++)
        trace->tensors[number].tensor = kept[number];
    trace_restore(trace, change);
    return false;
}
