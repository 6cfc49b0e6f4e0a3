// What an edit touches: kept, computed again and compared; see trace.h.
#include "trace_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const TraceChanged *trace_changed(const TraceChange *change, int number)
{
    static const TraceChanged none;
    return change->tensors ? &change->tensors[number] : &none;
}

// Takes room for what becomes of so many tensors, once. False when memory is short.
static bool trace_change_room(TraceChange *change, int count, Error *err)
{
    if (!change->tensors)
        change->tensors = arena_take(&change->arena, (size_t)count, sizeof *change->tensors, err);
    return change->tensors;
}

// Of tensors that share a storage the first one is copied, the others look at that copy.
static bool keep_before(const Trace *trace, TraceChange *change, int number, Error *err)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    Tensor *before = &change->tensors[number].before;
    *before = *tensor;
    for (int other = 0; other < trace->tensor_count; other++) {
        const Tensor *kept = &change->tensors[other].before;
        if (other != number && kept->storage.bytes &&
            trace->tensors[other].tensor.storage.bytes == tensor->storage.bytes &&
            tensor_span(kept) >= tensor_span(tensor)) {
            before->storage = kept->storage;
            return true;
        }
    }
    size_t count = (size_t)tensor_span(tensor), size = dtype_size(tensor->dtype);
    before->storage.bytes = arena_take(&change->arena, count, size, err);
    if (!before->storage.bytes)
        return false;
    memcpy(before->storage.bytes, tensor->storage.bytes, count * size);
    return true;
}

// The flags of a tensor, none raised unless that has been done.
static bool trace_change_flags(const Trace *trace, TraceChange *change, int number, Tensor *flags,
                               Error *err)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    *flags = trace_changed(change, number)->reached;
    return flags->storage.bytes ||
           tensor_take(&change->arena, DTYPE_BOOL, tensor->rank, tensor->shape, flags, err);
}

// Notes that some element of a tensor is reached, and keeps the numbers that it has now.
static bool trace_change_keep(const Trace *trace, TraceChange *change, int number, Tensor flags,
                              Error *err)
{
    if (!trace_change_room(change, trace->tensor_count, err))
        return false;
    TraceChanged *changed = &change->tensors[number];
    if (!changed->before.storage.bytes && !keep_before(trace, change, number, err))
        return false;
    changed->reached = flags;
    return true;
}

static bool touch_place(const Trace *trace, TraceChange *change, int number, ptrdiff_t place,
                        Error *err)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(tensor) > 0; more; more = tensor_next(tensor, at)) {
        if (tensor_place(tensor, at) != place)
            continue;
        Tensor flags;
        if (!trace_change_flags(trace, change, number, &flags, err) ||
            !trace_change_keep(trace, change, number, flags, err))
            return false;
        flags.storage.boolean[tensor_place(&flags, at)] = true;
    }
    return true;
}

bool trace_touch(const Trace *trace, TraceChange *change, TraceCell cell, Error *err)
{
    const Tensor *touched = &trace->tensors[cell.tensor].tensor;
    assert(trace->tensors[cell.tensor].step < 0);
    ptrdiff_t place = tensor_place(touched, cell.at);
    for (int number = 0; number < trace->tensor_count; number++)
        if (trace->tensors[number].step < 0 &&
            trace->tensors[number].tensor.storage.bytes == touched->storage.bytes &&
            !touch_place(trace, change, number, place, err))
            return false;
    return true;
}

void trace_touch_step(TraceChange *change, int step)
{
    change->touched[step] = true;
}

void trace_restore(Trace *trace, const TraceChange *change)
{
    for (int number = 0; number < trace->tensor_count; number++) {
        const Tensor *before = &trace_changed(change, number)->before;
        if (before->storage.bytes)
            tensor_copy(before, &trace->tensors[number].tensor);
    }
}

bool trace_is_changed(const Trace *trace, const TraceChange *change, TraceCell cell)
{
    const TraceChanged *changed = trace_changed(change, cell.tensor);
    return changed->reached.storage.bytes &&
           changed->reached.storage.boolean[tensor_place(&changed->reached, cell.at)] &&
           !tensor_same_number(&trace->tensors[cell.tensor].tensor, &changed->before, cell.at);
}

static void note_difference(TraceChanged *changed, double now, double before)
{
    double difference = fabs(now - before);
    changed->changed_count++;
    if (!(difference <= changed->largest) && !isnan(changed->largest))
        changed->largest = difference;
}

static void count_element(const Trace *trace, TraceChanged *changed, const TraceChange *change,
                          TraceCell cell)
{
    changed->reached_count +=
        changed->reached.storage.boolean[tensor_place(&changed->reached, cell.at)];
    if (trace_is_changed(trace, change, cell))
        note_difference(changed, tensor_number(&trace->tensors[cell.tensor].tensor, cell.at),
                        tensor_number(&changed->before, cell.at));
}

// Counts along the last axis, from `at` on: a place is worked out once for all of it.
static void count_row(const Tensor *now, TraceChanged *changed, const ptrdiff_t at[])
{
    const Tensor *reached = &changed->reached, *before = &changed->before;
    int last = now->rank - 1;
    ptrdiff_t in_reached = tensor_place(reached, at), in_now = tensor_place(now, at),
              in_before = tensor_place(before, at);
    if (reached->stride[last] == 1 &&
        !memchr(&reached->storage.boolean[in_reached], 1, (size_t)now->shape[last]))
        return;
    for (ptrdiff_t n = 0; n < now->shape[last]; n++) {
        if (!reached->storage.boolean[in_reached + n * reached->stride[last]])
            continue;
        changed->reached_count++;
        float is = now->storage.f32[in_now + n * now->stride[last]],
              was = before->storage.f32[in_before + n * before->stride[last]];
        if (memcmp(&is, &was, sizeof is) != 0 && !(isnan(is) && isnan(was)))
            note_difference(changed, (double)is, (double)was);
    }
}

// Counts what is reached and what is changed.
static void trace_change_count(const Trace *trace, TraceChange *change)
{
    for (int number = 0; change->tensors && number < trace->tensor_count; number++) {
        TraceChanged *changed = &change->tensors[number];
        const Tensor *now = &trace->tensors[number].tensor;
        changed->reached_count = changed->changed_count = 0;
        changed->largest = 0.0;
        if (!changed->reached.storage.bytes)
            continue;
        TraceCell cell = {.tensor = number};
        Tensor walk = changed->reached;
        bool by_rows = now->rank > 0 && now->dtype == DTYPE_F32;
        if (by_rows)
            walk.shape[now->rank - 1] = 1;
        for (bool more = true; more; more = tensor_next(&walk, cell.at))
            if (by_rows)
                count_row(now, changed, cell.at);
            else
                count_element(trace, changed, change, cell);
    }
}

// The element before or after `at` in index order.
static bool neighbour(const Tensor *tensor, bool backwards, ptrdiff_t at[])
{
    if (!backwards)
        return tensor_next(tensor, at);
    ptrdiff_t number = tensor_ravel(tensor, at);
    if (number > 0)
        tensor_unravel(tensor, number - 1, at);
    return number > 0;
}

bool trace_next_changed(const Trace *trace, const TraceChange *change, bool backwards,
                        TraceCell *cell)
{
    TraceCell at = *cell;
    const Tensor *tensor = &trace->tensors[at.tensor].tensor;
    bool inside = neighbour(tensor, backwards, at.at);
    while (at.tensor >= 0 && at.tensor < trace->tensor_count) {
        tensor = &trace->tensors[at.tensor].tensor;
        bool has_any = trace_changed(change, at.tensor)->changed_count > 0;
        for (; inside && has_any; inside = neighbour(tensor, backwards, at.at))
            if (trace_is_changed(trace, change, at)) {
                *cell = at;
                return true;
            }
        at.tensor += backwards ? -1 : 1;
        inside = at.tensor >= 0 && at.tensor < trace->tensor_count &&
                 trace_changed(change, at.tensor)->changed_count > 0;
        if (inside)
            tensor_unravel(&trace->tensors[at.tensor].tensor,
                           backwards ? tensor_count(&trace->tensors[at.tensor].tensor) - 1 : 0,
                           at.at);
    }
    return false;
}

void trace_change_finish(TraceChange *change)
{
    arena_finish(&change->arena);
    *change = (TraceChange){.tensors = NULL};
}

// --- influence
//
// Which elements of a step's outputs an edit reaches, from those of its inputs.
//
// A stage says how (stage.h, Influence). Asking each element for its origin is always right; where the
// named axes say the same, they are much faster.

// An edit mostly concerns one sequence of a batch, and only that is looked at.
typedef struct Sequences {
    ptrdiff_t first,
        count; // count 0: all, since something that is read or written has no axis of them
} Sequences;

static Tensor some_of(const Tensor *flags, Sequences some)
{
    return some.count > 0 ? tensor_narrow(flags, 0, some.first, some.count) : *flags;
}

// Whether the first axis of a stored tensor is that of sequences. A mask of fewer axes than its slot may begin
// with that of queries.
static bool begins_with_sequences(const Trace *trace, const char *axes, const Tensor *stored)
{
    Symbol symbols[TRACE_WORDS_MAX];
    int hidden = axes ? trace_hidden_axis(trace, axes, stored->rank) >= 0 : 0;
    return trace_is_batched(axes) && trace_symbols(axes, symbols) == stored->rank + hidden;
}

static Sequences find_sequences(const Trace *trace, const TraceChange *change, int number)
{
    const TraceTensor *tensor = &trace->tensors[number];
    const TraceStep *step = &trace->steps[tensor->step];
    ptrdiff_t batch = tensor->tensor.shape[0], first = batch, last = -1;
    if (!begins_with_sequences(trace, step->call->writes[tensor->slot].axes, &tensor->tensor))
        return (Sequences){0};
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        const Tensor *flags =
            step->reads[i] < 0 ? NULL : &trace_changed(change, step->reads[i])->reached;
        if (!flags || !flags->storage.bytes)
            continue;
        if (!begins_with_sequences(trace, step->call->reads[i].axes, flags) ||
            flags->shape[0] != batch)
            return (Sequences){0};
        ptrdiff_t each = tensor_count(flags) / batch;
        for (ptrdiff_t b = 0; b < batch; b++)
            if (memchr(&flags->storage.boolean[b * each], 1, (size_t)each)) {
                first = b < first ? b : first;
                last = b > last ? b : last;
            }
    }
    return last < first ? (Sequences){0} : (Sequences){first, last - first + 1};
}

// Stored flags with the axes that the slot declares.
static Tensor declared_flags(const Trace *trace, const Slot *slot, const Tensor *stored)
{
    int hidden = stored->storage.bytes ? trace_hidden_axis(trace, slot->axes, stored->rank) : -1;
    return hidden >= 0 ? tensor_unsqueeze(stored, hidden) : *stored;
}

// Whether a reached element is among an element's sources. Those that the step has computed itself come
// before it, and are asked for already.
typedef struct Asking {
    Tensor reads[STAGE_READS_MAX], writes[STAGE_WRITES_MAX]; // which of their elements are reached
    bool reached;
} Asking;

static void ask(void *context, const Term *term)
{
    Asking *asking = context;
    for (int i = 0; i < term->source_count && !asking->reached; i++) {
        const Source *source = &term->sources[i];
        const Tensor *reached = source->slot < SOURCE_OWN
                                    ? &asking->reads[source->slot]
                                    : &asking->writes[source->slot - SOURCE_OWN];
        asking->reached =
            reached->storage.bytes && reached->storage.boolean[tensor_place(reached, source->at)];
    }
}

static bool reach_as_told(const Trace *trace, const TraceChange *change, int number,
                          const Tensor *reached, Sequences some, Error *err)
{
    const TraceTensor *tensor = &trace->tensors[number];
    const TraceStep *step = &trace->steps[tensor->step];
    Asking asking = {.reached = false};
    StageArgs args;
    if (!trace_arguments(trace, tensor->step, &args, err))
        return false;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++)
        if (step->reads[i] >= 0)
            asking.reads[i] = declared_flags(trace, &step->call->reads[i],
                                             &trace_changed(change, step->reads[i])->reached);
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        asking.writes[i] = declared_flags(
            trace, &step->call->writes[i],
            i == tensor->slot ? reached : &trace_changed(change, step->writes[i])->reached);
    Tensor flags = some_of(&asking.writes[tensor->slot], some);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(&flags, at)) {
        ptrdiff_t whole[TENSOR_RANK_MAX];
        memcpy(whole, at, sizeof whole);
        whole[0] += some.first;
        asking.reached = false;
        stage_origin(step->stage, &args, tensor->slot, whole, ask, &asking);
        if (asking.reached)
            flags.storage.boolean[tensor_place(&flags, at)] = true;
    }
    return true;
}

// One flag for each place on the axes that both tensors name, seen in the shape of one of them.
static Tensor shared_flags(unsigned char *flags, const Tensor *shaped, const Symbol own[],
                           const Symbol shared[], const ptrdiff_t stride[], int shared_count)
{
    Tensor view = *shaped;
    view.storage.boolean = flags;
    view.offset = 0;
    for (int axis = 0; axis < shaped->rank; axis++) {
        int at = trace_find_symbol(shared, shared_count, own[axis]);
        view.stride[axis] = at >= 0 ? stride[at] : 0;
    }
    return view;
}

static void raise_flags(const Tensor *from, const Tensor *to)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(from, at))
        if (from->storage.boolean[tensor_place(from, at)])
            to->storage.boolean[tensor_place(to, at)] = true;
}

// The flags of a tensor, and the names of its axes.
typedef struct NamedFlags {
    Tensor flags;
    const char *axes;
} NamedFlags;

// Reaches every element of `out` that has a reached element of `in` at the same place on the axes
// that both name; `whole_rows`: and the rows of `out` that such elements lie in.
static bool reach_by_axes(const NamedFlags *in, const NamedFlags *out, bool whole_rows,
                          Arena *scratch, Error *err)
{
    Symbol in_symbols[TRACE_WORDS_MAX], out_symbols[TRACE_WORDS_MAX], shared[TRACE_WORDS_MAX];
    ptrdiff_t stride[TRACE_WORDS_MAX], flags_count = 1;
    int in_count = trace_symbols(in->axes, in_symbols);
    int out_count = trace_symbols(out->axes, out_symbols), shared_count = 0;
    for (int axis = out_count - 1; axis >= 0; axis--) {
        bool is_row = whole_rows && axis == out_count - 1;
        if (is_row || trace_find_symbol(in_symbols, in_count, out_symbols[axis]) < 0)
            continue;
        shared[shared_count] = out_symbols[axis];
        stride[shared_count++] = flags_count;
        flags_count *= out->flags.shape[axis];
    }
    unsigned char *flags = arena_take(scratch, (size_t)flags_count, 1, err);
    if (!flags)
        return false;
    Tensor in_flags = shared_flags(flags, &in->flags, in_symbols, shared, stride, shared_count);
    Tensor out_flags = shared_flags(flags, &out->flags, out_symbols, shared, stride, shared_count);
    raise_flags(&in->flags, &in_flags);
    raise_flags(&out_flags, &out->flags);
    return true;
}

static NamedFlags named_flags(const Trace *trace, const Slot *slot, const Tensor *stored)
{
    return (NamedFlags){declared_flags(trace, slot, stored), slot->axes};
}

// Axes say nothing where heads are folded into a width on one side only, or are not declared.
static bool axes_tell(const TraceStep *step, const Slot *write)
{
    Symbol symbols[TRACE_WORDS_MAX];
    int count = trace_symbols(write->axes, symbols);
    bool out_has_heads = trace_find_symbol(symbols, count, SYMBOL_H) >= 0;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        const Slot *read = &step->call->reads[i];
        if (step->reads[i] < 0)
            continue;
        count = read->axes ? trace_symbols(read->axes, symbols) : 0;
        if (count == 0 || (trace_find_symbol(symbols, count, SYMBOL_H) >= 0 && !out_has_heads))
            return false;
    }
    return step->stage->influence != INFLUENCE_BY_ORIGIN;
}

// Flags which elements of an output the change reaches; its step must have run with the new inputs
// or be about to. `reached` is false everywhere before.
static bool trace_influence(const Trace *trace, const TraceChange *change, int number,
                            const Tensor *reached, Error *err)
{
    const TraceTensor *tensor = &trace->tensors[number];
    const TraceStep *step = &trace->steps[tensor->step];
    const Slot *write = &step->call->writes[tensor->slot];
    Sequences some = find_sequences(trace, change, number);
    if (tensor->slot != step->stage->main_output || !axes_tell(step, write))
        return reach_as_told(trace, change, number, reached, some, err);
    Arena scratch = {0};
    Tensor some_reached = some_of(reached, some);
    NamedFlags out = named_flags(trace, write, &some_reached);
    bool fits = true;
    for (int i = 0; fits && i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        if (step->reads[i] < 0 || !trace_changed(change, step->reads[i])->reached.storage.bytes)
            continue;
        const Slot *read = &step->call->reads[i];
        Tensor flags = some_of(&trace_changed(change, step->reads[i])->reached, some);
        NamedFlags in = named_flags(trace, read, &flags);
        fits = reach_by_axes(&in, &out, step->stage->influence == INFLUENCE_BY_ROW, &scratch, err);
    }
    arena_finish(&scratch);
    return fits;
}

// --- recomputing
//
// Computes again what an edit reaches, as the definition does, bit for bit.
//
// Rows that are reached whole go through the kernel; single elements of a row are told by their
// origin, whose last running value is the element.

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

// --- another scenario
//
// A trace goes on with another scenario that has the same plan; otherwise the numbers of two traces are
// compared.

static bool same_tensor(const Trace *a, const Trace *b, int number)
{
    const TraceTensor *in_a = &a->tensors[number], *in_b = &b->tensors[number];
    if (in_a->step != in_b->step || in_a->slot != in_b->slot || strcmp(in_a->name, in_b->name) != 0)
        return false;
    return in_a->step >= 0 || (in_a->tensor.dtype == in_b->tensor.dtype &&
                               tensor_same_shape(&in_a->tensor, &in_b->tensor));
}

// The shape of a mask depends on these.
static bool same_masks(const StageOptions *a, const StageOptions *b)
{
    return a->causal == b->causal && a->mask_padding == b->mask_padding &&
           (a->window > 0) == (b->window > 0);
}

// A call that was made for this trace alone adds gradients up; what it reads tells which.
static bool same_call(const StageCall *a, const StageCall *b)
{
    return a == b || (a->of && b->of && !*a->of && !*b->of);
}

static bool same_formula(const ScenarioFormula *a, const ScenarioFormula *b)
{
    return a && b ? strcmp(a->text, b->text) == 0 : a == b;
}

static bool same_plan(const Trace *a, const Trace *b)
{
    const Scenario *in_a = a->scenario, *in_b = b->scenario;
    if (a->step_count != b->step_count || a->tensor_count != b->tensor_count ||
        memcmp(in_a->size, in_b->size, sizeof in_a->size) != 0 ||
        in_a->has_heads != in_b->has_heads || !same_masks(&in_a->options, &in_b->options))
        return false;
    for (int number = 0; number < a->tensor_count; number++)
        if (!same_tensor(a, b, number))
            return false;
    for (int i = 0; i < a->step_count; i++) {
        const TraceStep *step = &a->steps[i], *other = &b->steps[i];
        if (!same_formula(step->formula, other->formula) || step->stage != other->stage ||
            !same_call(step->call, other->call) ||
            memcmp(step->reads, other->reads, sizeof step->reads) != 0)
            return false;
    }
    return true;
}

bool trace_fits(const Trace *trace, const Scenario *scenario)
{
    Trace other = {.scenario = scenario, .variant = trace->variant};
    Error unplanned;
    bool fits =
        !scenario->backward && trace_plan_all(&other, &unplanned) && same_plan(trace, &other);
    arena_finish(&other.arena);
    return fits;
}

// Raises the flags of the elements of an input in which the two tensors differ.
static bool note_input(const Trace *trace, TraceChange *change, int number, const Tensor *now,
                       Error *err)
{
    const Tensor *was = &trace->tensors[number].tensor;
    Tensor flags = {.storage.bytes = NULL};
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(was) > 0; more; more = tensor_next(was, at)) {
        if (tensor_same_number(was, now, at))
            continue;
        if (!flags.storage.bytes && (!trace_change_flags(trace, change, number, &flags, err) ||
                                     !trace_change_keep(trace, change, number, flags, err)))
            return false;
        flags.storage.boolean[tensor_place(&flags, at)] = true;
    }
    return true;
}

// Everything that looks at the storage of an input looks at the new one: masks may be cut out of it.
static void move_input(Trace *trace, int number, const TraceTensor *now)
{
    TraceTensor *input = &trace->tensors[number];
    void *was = input->tensor.storage.bytes;
    for (int other = 0; other < trace->tensor_count; other++)
        if (trace->tensors[other].step >= 0 && trace->tensors[other].tensor.storage.bytes == was)
            trace->tensors[other].tensor.storage = now->tensor.storage;
    input->tensor = now->tensor;
    input->name = now->name;
    input->from = now->from;
}

bool trace_rebind(Trace *trace, const Scenario *scenario, TraceChange *change, Error *err)
{
    Trace now = {.scenario = scenario, .variant = trace->variant};
    bool good = trace_plan_all(&now, err);
    for (int number = 0; good && number < trace->tensor_count; number++)
        if (trace->tensors[number].step < 0)
            good = note_input(trace, change, number, &now.tensors[number].tensor, err);
    for (int number = 0; good && number < trace->tensor_count; number++)
        if (trace->tensors[number].step < 0)
            move_input(trace, number, &now.tensors[number]);
    for (int step = 0; good && step < trace->step_count; step++)
        trace->steps[step].formula = step < now.step_count ? now.steps[step].formula : NULL;
    arena_finish(&now.arena);
    if (!good)
        return false;
    for (int step = 0; step < trace->step_count; step++)
        if (stage_options_differ(trace->steps[step].stage,
                                 scenario_options(trace->scenario, trace->steps[step].layer),
                                 scenario_options(scenario, trace->steps[step].layer)))
            trace_touch_step(change, step);
    trace->scenario = scenario;
    trace->inputs_stay = false;
    return true;
}

// --- another plan

bool trace_keep_all(const Trace *trace, TraceKept *kept, Error *err)
{
    *kept = (TraceKept){.count = trace->tensor_count};
    Arena *arena = &kept->was.arena;
    kept->next = arena_take(arena, TRACE_TENSORS_MAX, sizeof *kept->next, err);
    if (!kept->next)
        return false;
    for (int number = 0; number < trace->tensor_count; number++) {
        Tensor flags;
        // Names of layers end with the plan that wrote them.
        bool is_named = (kept->names[number] = arena_text(arena, trace->tensors[number].name, err));
        if (is_named && !trace->tensors[number].tensor.storage.bytes)
            continue;
        if (!is_named || !trace_change_flags(trace, &kept->was, number, &flags, err) ||
            !trace_change_keep(trace, &kept->was, number, flags, err)) {
            trace_change_finish(&kept->was);
            return false;
        }
        memset(flags.storage.boolean, 1, (size_t)tensor_count(&flags));
    }
    return true;
}

void trace_compare(const Trace *trace, TraceKept *kept, TraceChange *change)
{
    *change = (TraceChange){.tensors = kept->next, .arena = kept->was.arena};
    for (int number = 0; number < trace->tensor_count; number++) {
        const Tensor *now = &trace->tensors[number].tensor;
        for (int other = 0; other < kept->count; other++) {
            const TraceChanged *was = trace_changed(&kept->was, other);
            if (now->storage.bytes && was->before.storage.bytes &&
                strcmp(kept->names[other], trace->tensors[number].name) == 0 &&
                was->before.dtype == now->dtype && tensor_same_shape(&was->before, now))
                change->tensors[number] = *was;
        }
    }
    trace_change_count(trace, change);
    memset(kept, 0, sizeof *kept);
}
