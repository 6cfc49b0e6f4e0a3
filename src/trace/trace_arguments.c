// trace_arguments: the tensors that the stage of a step is given, in the axes that its slots declare; see
// trace.h.
#include "trace_internal.h"
#include "trace_words.def"

static bool check_shape(const Trace *trace, int step, const Slot *slot, int number,
                        const Tensor *given, Error *err)
{
    Symbol symbols[TRACE_WORDS_MAX];
    ptrdiff_t want[TRACE_WORDS_MAX];
    int count = trace_symbols(slot->axes, symbols);
    bool fits = given->rank == count;
    for (int axis = 0; axis < count; axis++) {
        want[axis] = trace_axis_length(trace->scenario, symbols[axis]);
        fits = fits && given->shape[axis] == want[axis];
    }
    const TraceTensor *tensor = &trace->tensors[number];
    const TraceTensor *first = &trace->tensors[trace->steps[step].reads[0]];
    char name[64], axes[TENSOR_TEXT_MAX], have[TENSOR_TEXT_MAX], wanted[TENSOR_TEXT_MAX],
        first_shape[TENSOR_TEXT_MAX];
    if (given->dtype != slot->dtype)
        return error_set(err, TELL(SLOT_DTYPE), trace_step_name(trace, step, name), tensor->name,
                         dtype_name(given->dtype), dtype_name(slot->dtype));
    if (fits)
        return true;
    trace_axes_declared(trace->scenario, symbols, count, axes);
    return error_set(err, TELL(SLOT_SHAPE), trace_step_name(trace, step, name), tensor->name,
                     tensor_shape_text(tensor->tensor.rank, tensor->tensor.shape, have), axes,
                     tensor_shape_text(count, want, wanted), first->name,
                     tensor_shape_text(first->tensor.rank, first->tensor.shape, first_shape));
}

static Tensor planned_output(const Trace *trace, const Slot *slot)
{
    Symbol symbols[TRACE_WORDS_MAX];
    ptrdiff_t shape[TRACE_WORDS_MAX];
    int count = trace_symbols(slot->axes, symbols);
    for (int axis = 0; axis < count; axis++)
        shape[axis] = trace_axis_length(trace->scenario, symbols[axis]);
    return tensor_over(NULL, slot->dtype, count, shape);
}

bool trace_arguments(const Trace *trace, int number, StageArgs *args, Error *err)
{
    const TraceStep *step = &trace->steps[number];
    *args = (StageArgs){.options = scenario_options(trace->scenario, step->layer),
                        .kernel = trace->kernel};
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        const Slot *slot = &step->call->reads[i];
        if (step->reads[i] < 0)
            continue;
        Tensor *in = &args->in[i];
        *in = trace->tensors[step->reads[i]].tensor;
        int hidden = trace_hidden_axis(trace, slot->axes, in->rank);
        if (hidden >= 0)
            *in = tensor_unsqueeze(in, hidden);
        if (slot->axes && !slot->broadcasts &&
            !check_shape(trace, number, slot, step->reads[i], in, err))
            return false;
    }
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++) {
        const Slot *slot = &step->call->writes[i];
        const Tensor *stored = &trace->tensors[step->writes[i]].tensor;
        args->out[i] = planned_output(trace, slot);
        if (stored->storage.bytes) {
            int hidden = trace_hidden_axis(trace, slot->axes, stored->rank);
            args->out[i] = hidden >= 0 ? tensor_unsqueeze(stored, hidden) : *stored;
        }
    }
    return true;
}

size_t trace_bytes(const Trace *trace)
{
    size_t bytes = 0;
    for (int step = 0; step < trace->step_count; step++)
        for (const Slot *slot = trace->steps[step].call->writes; slot->role; slot++) {
            if (slot->is_view)
                continue;
            Tensor out = planned_output(trace, slot);
            ptrdiff_t count;
            size_t size;
            if (!tensor_count_of(out.rank, out.shape, &count) ||
                __builtin_mul_overflow((size_t)count, dtype_size(slot->dtype), &size) ||
                __builtin_add_overflow(bytes, size, &bytes))
                return SIZE_MAX;
        }
    return bytes;
}
