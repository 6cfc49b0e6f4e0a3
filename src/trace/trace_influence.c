// Finds the elements of a step's outputs that an edit of its inputs reaches; see trace.h.
//
// Each stage says how (stage.h, Influence). It is always right to ask each element for its origins. The named
// axes are much faster, where they give the same answer. A view of a tensor has a view of its flags.
#include "trace_influence.h"

#include <string.h>
#include "describe.h"
#include "trace_program.h"

const TraceChanged *trace_changed(const TraceChange *change, int number)
{
    static const TraceChanged none;
    return change->tensors ? &change->tensors[number] : &none;
}

bool block_take(Arena *arena, const Tensor *tensor, Dtype dtype, Block block, Tensor *made,
                Error *err)
{
    Tensor some = block_part(tensor, block);
    bool shares = false;
    *made = *tensor;
    for (int axis = 0; axis < tensor->rank; axis++)
        shares = shares || (tensor->stride[axis] == 0 && tensor->shape[axis] > 1);
    if (shares) {
        *made = tensor_over(NULL, dtype, tensor->rank, tensor->shape);
        some = block_part(made, block);
    }
    made->dtype = dtype;
    made->offset -= some.offset;
    size_t count = (size_t)(tensor_span(&some) - some.offset);
    made->storage.bytes = arena_take(arena, count, dtype_size(dtype), err);
    return made->storage.bytes;
}

// --- rows of flags

bool flags_row_any(const unsigned char row[], ptrdiff_t count, ptrdiff_t stride)
{
    if (stride == 1)
        return memchr(row, 1, (size_t)count);
    bool any = false;
    for (ptrdiff_t i = 0; i < (stride == 0 && count > 0 ? 1 : count); i++)
        any = any || row[i * stride];
    return any;
}

static void row_raise(const unsigned char from[], ptrdiff_t from_stride, unsigned char to[],
                      ptrdiff_t to_stride, ptrdiff_t count)
{
    if (!flags_row_any(from, count, from_stride))
        return;
    if (to_stride == 0)
        to[0] = true;
    else if (from_stride == 0 && to_stride == 1)
        memset(to, 1, (size_t)count);
    else if (from_stride == 1 && to_stride == 1)
        for (ptrdiff_t i = 0; i < count; i++)
            to[i] |= from[i];
    else
        for (ptrdiff_t i = 0; i < count; i++)
            to[i * to_stride] = to[i * to_stride] || from[i * from_stride];
}

void flags_raise(const Tensor *from, const Tensor *to)
{
    Tensor rows = flags_rows(from);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(from) > 0; more; more = tensor_next(&rows, at))
        row_raise(&from->storage.boolean[tensor_place(from, at)], flags_row_stride(from),
                  &to->storage.boolean[tensor_place(to, at)], flags_row_stride(to),
                  flags_row_length(from));
}

static bool flags_any(const Tensor *flags)
{
    Tensor rows = flags_rows(flags);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(flags) > 0; more; more = tensor_next(&rows, at))
        if (flags_row_any(&flags->storage.boolean[tensor_place(flags, at)], flags_row_length(flags),
                          flags_row_stride(flags)))
            return true;
    return false;
}

// Cuts places without a raised flag off the ends of the block. Count 0 means that no flag is raised.
static Block shrink(const Tensor *flags, Block block)
{
    bool some_first = false, some_last = false;
    while (block.count > 0 && !some_first) {
        Tensor part = block_part(flags, (Block){block.first, 1});
        some_first = flags_any(&part);
        block.first += !some_first;
        block.count -= !some_first;
    }
    while (block.count > 1 && !some_last) {
        Tensor part = block_part(flags, (Block){block.first + block.count - 1, 1});
        some_last = flags_any(&part);
        block.count -= !some_last;
    }
    return block;
}

// --- influence

// The flags of a tensor with the axes that its slot declares.
typedef struct NamedFlags {
    Tensor flags;
    Block block;
    int lead;       // the axis that the block is of; -1: the tensor has none
    int axis_count; // 0: unknown
    Symbol axes[TRACE_WORDS_MAX];
} NamedFlags;

static bool names_axis(const NamedFlags *named, Symbol axis)
{
    return trace_find_symbol(named->axes, named->axis_count, axis) >= 0;
}

// If the other tensor has heads, splits a width that heads share into heads and their width: "B Lq Dv" becomes
// "B Lq H d_v".
static void unfold(const Trace *trace, NamedFlags *named, const NamedFlags *other)
{
    static const Symbol folded[][2] = {{SYMBOL_DK, SYMBOL_D_K}, {SYMBOL_DV, SYMBOL_D_V}};
    Tensor *flags = &named->flags;
    for (size_t i = 0; i < sizeof folded / sizeof *folded; i++) {
        ptrdiff_t heads = trace_axis_length(trace->scenario, SYMBOL_H);
        ptrdiff_t width = trace_axis_length(trace->scenario, folded[i][1]);
        int axis = trace_find_symbol(named->axes, named->axis_count, folded[i][0]);
        if (axis < 0 || axis == named->lead || !names_axis(other, SYMBOL_H) ||
            names_axis(other, folded[i][0]) || flags->rank == TENSOR_RANK_MAX ||
            flags->shape[axis] != heads * width)
            continue;
        *flags = tensor_unsqueeze(flags, axis);
        flags->shape[axis] = heads;
        flags->shape[axis + 1] = width;
        flags->stride[axis] = width * flags->stride[axis + 1];
        memmove(&named->axes[axis + 1], &named->axes[axis],
                (size_t)(named->axis_count++ - axis) * sizeof *named->axes);
        named->axes[axis] = SYMBOL_H;
        named->axes[axis + 1] = folded[i][1];
        return;
    }
}

// A mask may have only the last axes of its slot.
static NamedFlags named_flags(const Trace *trace, const Slot *slot, const Tensor *stored,
                              Block block)
{
    NamedFlags named = {.flags = *stored, .block = block, .lead = stored->rank > 0 ? 0 : -1};
    Symbol symbols[TRACE_WORDS_MAX];
    int count = slot->axes ? trace_symbols(slot->axes, symbols) : 0;
    int hidden = slot->axes ? trace_hidden_axis(trace, slot->axes, stored->rank) : -1;
    if (hidden >= 0) {
        named.flags = tensor_unsqueeze(stored, hidden);
        named.lead += hidden == 0;
    }
    if (count < named.flags.rank)
        return named;
    named.axis_count = named.flags.rank;
    memcpy(named.axes, &symbols[count - named.axis_count],
           (size_t)named.axis_count * sizeof *named.axes);
    return named;
}

static NamedFlags read_flags(const Trace *trace, const TraceChange *change, const TraceStep *step,
                             int read)
{
    const TraceChanged *changed = trace_changed(change, step->reads[read]);
    return named_flags(trace, &step->call->reads[read], &changed->reached, block_of(changed));
}

bool step_reads_reached(const TraceChange *change, const TraceStep *step, int read)
{
    return step->reads[read] >= 0 && block_is_reached(trace_changed(change, step->reads[read]));
}

// True if the first axis of a stored tensor counts sequences. A mask with fewer axes than its slot may begin
// with queries.
static bool begins_with_sequences(const Trace *trace, const char *axes, const Tensor *stored)
{
    Symbol symbols[TRACE_WORDS_MAX];
    int hidden = axes ? trace_hidden_axis(trace, axes, stored->rank) >= 0 : 0;
    return trace_is_batched(axes) && trace_symbols(axes, symbols) == stored->rank + hidden;
}

// The sequences of an output that an edit may reach. They are those of the inputs, if all inputs have sequences.
static Block find_block(const Trace *trace, const TraceChange *change, int number)
{
    const TraceTensor *made = &trace->tensors[number];
    const TraceStep *step = &trace->steps[made->step];
    Block block = {0, 0}, whole = block_whole(&made->tensor);
    if (!begins_with_sequences(trace, step->call->writes[made->slot].axes, &made->tensor))
        return whole;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        if (!step_reads_reached(change, step, i))
            continue;
        const TraceChanged *read = trace_changed(change, step->reads[i]);
        if (!begins_with_sequences(trace, step->call->reads[i].axes, &read->reached) ||
            read->reached.shape[0] != whole.count)
            return whole;
        block = block.count > 0 ? block_join(block, block_of(read)) : block_of(read);
    }
    return block.count > 0 ? block : whole;
}

// --- by origins

// True if an element has a reached element among its sources. Sources that the step computes itself come
// before the element, so their answer is known.
typedef struct Asking {
    NamedFlags reads[STAGE_READS_MAX], writes[STAGE_WRITES_MAX];
    bool reached;
} Asking;

static void ask(void *context, const Term *term)
{
    Asking *asking = context;
    for (int i = 0; i < term->source_count && !asking->reached; i++) {
        const Source *source = &term->sources[i];
        const NamedFlags *named = source->slot < SOURCE_OWN
                                      ? &asking->reads[source->slot]
                                      : &asking->writes[source->slot - SOURCE_OWN];
        ptrdiff_t first = named->lead >= 0 ? source->at[named->lead] : 0;
        asking->reached = named->flags.storage.bytes && first >= named->block.first &&
                          first < named->block.first + named->block.count &&
                          named->flags.storage.boolean[tensor_place(&named->flags, source->at)];
    }
}

// The next element of a row to check. With `among`, it is a flagged one.
static ptrdiff_t next_asked(const unsigned char row[], ptrdiff_t i, ptrdiff_t length,
                            ptrdiff_t stride, bool among)
{
    if (among && stride == 1 && i < length) {
        const unsigned char *next = memchr(row + i, 1, (size_t)(length - i));
        return next ? next - row : length;
    }
    while (among && i < length && !row[i * stride])
        i++;
    return i;
}

// What a step's terms may read, as far as the edit has reached it.
static Asking begin_asking(const Trace *trace, const TraceChange *change, int number,
                           const NamedFlags *out)
{
    const TraceTensor *tensor = &trace->tensors[number];
    const TraceStep *step = &trace->steps[tensor->step];
    Asking asking = {.reached = false};
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++)
        if (step_reads_reached(change, step, i))
            asking.reads[i] = read_flags(trace, change, step, i);
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++) {
        const TraceChanged *own = trace_changed(change, step->writes[i]);
        if (i == tensor->slot)
            asking.writes[i] = *out;
        else if (block_is_reached(own))
            asking.writes[i] =
                named_flags(trace, &step->call->writes[i], &own->reached, block_of(own));
    }
    return asking;
}

// With `among`, checks only elements that have a flag.
static bool reach_as_declared(const Trace *trace, const TraceChange *change, int number,
                              const NamedFlags *out, bool among, Error *err)
{
    const TraceTensor *tensor = &trace->tensors[number];
    const TraceStep *step = &trace->steps[tensor->step];
    Asking asking = begin_asking(trace, change, number, out);
    StageArgs args;
    if (!trace_arguments(trace, tensor->step, &args, err))
        return false;
    TraceProgram *own = trace_keep_formula(trace, tensor->step, &args, err);
    if (!own && !step->stage->origin)
        return false;
    Terms terms = {&args, tensor->slot, ask, &asking, 0.0f};
    Tensor some = out->lead >= 0
                      ? tensor_narrow(&out->flags, out->lead, out->block.first, out->block.count)
                      : out->flags;
    Tensor rows = flags_rows(&some);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, length = flags_row_length(&some),
              stride = flags_row_stride(&some);
    for (bool more = tensor_count(&some) > 0; more; more = tensor_next(&rows, at)) {
        unsigned char *row = &some.storage.boolean[tensor_place(&some, at)];
        ptrdiff_t whole[TENSOR_RANK_MAX];
        memcpy(whole, at, sizeof whole);
        if (out->lead >= 0)
            whole[out->lead] += out->block.first;
        for (ptrdiff_t i = next_asked(row, 0, length, stride, among); i < length;
             i = next_asked(row, i + 1, length, stride, among)) {
            if (some.rank > 0)
                whole[some.rank - 1] = i + (out->lead == some.rank - 1 ? out->block.first : 0);
            asking.reached = false;
            trace_stage_terms(step->stage, own, &terms, whole);
            row[i * stride] = asking.reached;
        }
    }
    return true;
}

// --- by axes

// A flag for each place on the axes that two tensors share, in the shape of one of them.
typedef struct Shared {
    int count;
    Symbol axes[TRACE_WORDS_MAX];
    ptrdiff_t first[TRACE_WORDS_MAX], length[TRACE_WORDS_MAX], stride[TRACE_WORDS_MAX];
    ptrdiff_t places;
    unsigned char *flags;
} Shared;

// The places of an axis that have flags.
static Block axis_block(const NamedFlags *named, int axis)
{
    return axis == named->lead ? named->block : (Block){0, named->flags.shape[axis]};
}

static void share_axes(const NamedFlags *in, const NamedFlags *out, bool whole_rows, Shared *shared)
{
    *shared = (Shared){.places = 1};
    for (int axis = out->axis_count - 1; axis >= 0; axis--) {
        int other = trace_find_symbol(in->axes, in->axis_count, out->axes[axis]);
        if ((whole_rows && axis == out->axis_count - 1) || other < 0 ||
            in->flags.shape[other] != out->flags.shape[axis])
            continue;
        Block block = axis_block(out, axis);
        int i = shared->count++;
        shared->axes[i] = out->axes[axis];
        shared->first[i] = block.first;
        shared->length[i] = block.count;
        shared->stride[i] = shared->places;
        shared->places *= block.count;
    }
}

// The flags of a tensor that lie at shared places, and those places in the same shape.
static void meet(const NamedFlags *named, const Shared *shared, Tensor *own, Tensor *places)
{
    *own = named->flags;
    *places = named->flags;
    places->storage.boolean = shared->flags;
    places->offset = 0;
    for (int axis = 0; axis < named->axis_count; axis++) {
        int at = trace_find_symbol(shared->axes, shared->count, named->axes[axis]);
        Block block = axis_block(named, axis);
        ptrdiff_t first = block.first, end = block.first + block.count;
        if (at >= 0) {
            ptrdiff_t last = shared->first[at] + shared->length[at];
            first = first > shared->first[at] ? first : shared->first[at];
            end = end < last ? end : last;
        }
        *own = tensor_narrow(own, axis, first, end > first ? end - first : 0);
        places->shape[axis] = own->shape[axis];
        places->stride[axis] = at >= 0 ? shared->stride[at] : 0;
        places->offset += at >= 0 ? (first - shared->first[at]) * shared->stride[at] : 0;
    }
}

// Reaches every element of `out` that has a reached element of `in` at the same place on the axes
// that both name. With `whole_rows`, also reaches the rows of `out` in which such elements lie.
static bool reach_by_axes(const NamedFlags *in, const NamedFlags *out, bool whole_rows,
                          Arena *scratch, Error *err)
{
    Shared shared;
    Tensor flags, places;
    share_axes(in, out, whole_rows, &shared);
    shared.flags = arena_take(scratch, (size_t)shared.places, 1, err);
    if (!shared.flags)
        return false;
    meet(in, &shared, &flags, &places);
    flags_raise(&flags, &places);
    meet(out, &shared, &flags, &places);
    flags_raise(&places, &flags);
    return true;
}

// Axes do not help if heads are folded into another width, or if the slot declares no axes.
static bool axes_decide(const Trace *trace, const TraceChange *change, const TraceStep *step,
                        const NamedFlags *made)
{
    bool tell = step->stage->influence != INFLUENCE_BY_ORIGIN && made->axis_count > 0;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        if (!step_reads_reached(change, step, i))
            continue;
        NamedFlags in = read_flags(trace, change, step, i), out = *made;
        unfold(trace, &out, &in);
        tell = tell && in.axis_count > 0 &&
               (!names_axis(&in, SYMBOL_H) || names_axis(&out, SYMBOL_H) ||
                step->stage->influence == INFLUENCE_AMONG_AXES);
    }
    return tell;
}

static void lower_flags(const unsigned char hidden[], ptrdiff_t hidden_stride, unsigned char row[],
                        ptrdiff_t stride, ptrdiff_t count)
{
    if (hidden_stride == 1 && stride == 1) // the compiler makes vectors of this loop
        for (ptrdiff_t i = 0; i < count; i++)
            row[i] = row[i] & (hidden[i] ^ 1);
    else
        for (ptrdiff_t i = 0; i < count; i++)
            row[i * stride] = row[i * stride] & (hidden[i * hidden_stride] ^ 1);
}

// Lowers the flags of elements that the main output hides, as their origins would. This works if the edit reaches
// only the first input, and the step's first output says which elements are hidden. Otherwise returns false.
static bool hide(const Trace *trace, const TraceChange *change, int number, const NamedFlags *made)
{
    const TraceStep *step = &trace->steps[trace->tensors[number].step];
    const Tensor *hides = &trace->tensors[step->writes[0]].tensor;
    Tensor hidden, flags;
    Error unlike;
    for (int i = 1; i < STAGE_READS_MAX && step->call->reads[i].role; i++)
        if (step_reads_reached(change, step, i))
            return false;
    if (hides->dtype != DTYPE_BOOL || made->flags.rank != trace->tensors[number].tensor.rank ||
        !tensor_expand(hides, made->flags.rank, made->flags.shape, &hidden, &unlike))
        return false;
    hidden = block_part(&hidden, made->block);
    flags = block_part(&made->flags, made->block);
    Tensor rows = flags_rows(&flags);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(&flags) > 0; more; more = tensor_next(&rows, at)) {
        unsigned char *row = &flags.storage.boolean[tensor_place(&flags, at)];
        lower_flags(&hidden.storage.boolean[tensor_place(&hidden, at)], flags_row_stride(&hidden),
                    row, flags_row_stride(&flags), flags_row_length(&flags));
    }
    return true;
}

// Raises the flags of an output's reached elements. Its step must have run with the new inputs, or run next.
static bool trace_influence(const Trace *trace, const TraceChange *change, int number,
                            const NamedFlags *made, Error *err)
{
    const TraceTensor *tensor = &trace->tensors[number];
    const TraceStep *step = &trace->steps[tensor->step];
    Influence influence = step->stage->influence;
    bool is_among = influence == INFLUENCE_AMONG_AXES;
    if ((tensor->slot != step->stage->main_output && !is_among) ||
        !axes_decide(trace, change, step, made))
        return reach_as_declared(trace, change, number, made, false, err);
    Arena scratch = {0};
    bool fits = true;
    for (int i = 0; fits && i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        if (!step_reads_reached(change, step, i))
            continue;
        NamedFlags in = read_flags(trace, change, step, i), out = *made, seen = in;
        unfold(trace, &in, &out);
        unfold(trace, &out, &seen);
        fits = reach_by_axes(&in, &out, influence == INFLUENCE_BY_ROW, &scratch, err);
    }
    arena_finish(&scratch);
    if (fits && is_among && tensor->slot == step->stage->main_output &&
        hide(trace, change, number, made))
        return true;
    return fits && (!is_among || reach_as_declared(trace, change, number, made, true, err));
}

// True if the elements at one index of the first axis are contiguous in storage.
static bool has_rows_apart(const Tensor *tensor)
{
    bool apart = tensor->rank > 0 && tensor->stride[0] > 0;
    for (int axis = 1; axis < tensor->rank; axis++)
        apart = apart && tensor->stride[axis] * tensor->shape[axis] <= tensor->stride[0];
    return apart;
}

// A view of a reached tensor has a view of its flags, if both walk through storage alike along the first axis.
static bool view_flags(const Trace *trace, const TraceChange *change, int number, Tensor *flags,
                       Block *block)
{
    const TraceTensor *made = &trace->tensors[number];
    const TraceStep *step = &trace->steps[made->step];
    const Tensor *view = &made->tensor;
    int reads = 0, read = -1;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++)
        if (step_reads_reached(change, step, i)) {
            read = step->reads[i];
            reads++;
        }
    if (!step->call->writes[made->slot].is_view || reads != 1 || !has_rows_apart(view))
        return false;
    const TraceChanged *changed = trace_changed(change, read);
    const Tensor *in = &trace->tensors[read].tensor;
    if (in->storage.bytes != view->storage.bytes || in->shape[0] != view->shape[0] ||
        in->stride[0] != view->stride[0] || !has_rows_apart(in) ||
        memcmp(changed->reached.stride, in->stride, (size_t)in->rank * sizeof *in->stride) != 0)
        return false;
    *block = block_of(changed);
    *flags = *view;
    flags->dtype = DTYPE_BOOL;
    flags->storage = changed->reached.storage;
    flags->offset += changed->reached.offset - in->offset;
    return true;
}

bool influence_find(const Trace *trace, TraceChange *change, int number, Tensor *flags,
                    Block *block, Error *err)
{
    const TraceTensor *made = &trace->tensors[number];
    const TraceStep *step = &trace->steps[made->step];
    if (!view_flags(trace, change, number, flags, block)) {
        *block = find_block(trace, change, number);
        if (!block_take(&change->arena, &made->tensor, DTYPE_BOOL, *block, flags, err))
            return false;
        NamedFlags named = named_flags(trace, &step->call->writes[made->slot], flags, *block);
        if (!trace_influence(trace, change, number, &named, err))
            return false;
    }
    *block = shrink(flags, *block);
    return true;
}
