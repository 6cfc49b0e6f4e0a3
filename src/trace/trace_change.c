// Keeps, recomputes and compares what an edit touches; see trace.h.
#include "trace_influence.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// --- numbers before the edit

// Allocates the records of all tensors, once. Returns false out of memory.
static bool trace_change_room(TraceChange *change, int count, Error *err)
{
    if (!change->tensors)
        change->tensors = arena_take(&change->arena, (size_t)count, sizeof *change->tensors, err);
    return change->tensors;
}

// Shares the numbers that another tensor of the same storage keeps, if they cover the whole block.
static bool look_at_kept(const Tensor *tensor, const TraceChanged *kept, ptrdiff_t from,
                         ptrdiff_t end, TraceChanged *changed)
{
    if (!kept->before.storage.bytes || kept->copied != tensor->storage.bytes ||
        kept->copied_from > from || kept->copied_end < end)
        return false;
    changed->before = *tensor;
    changed->before.storage = kept->before.storage;
    changed->before.offset -= kept->copied_from;
    changed->copied = kept->copied;
    changed->copied_from = kept->copied_from;
    changed->copied_end = kept->copied_end;
    return true;
}

// Restores the numbers kept earlier in a copy of a storage, which may have changed since.
static void put_kept(TraceChanged *copy, const TraceChanged *kept, size_t size)
{
    ptrdiff_t from = kept->copied_from > copy->copied_from ? kept->copied_from : copy->copied_from;
    ptrdiff_t end = kept->copied_end < copy->copied_end ? kept->copied_end : copy->copied_end;
    if (kept != copy && kept->before.storage.bytes && kept->copied == copy->copied && from < end)
        memcpy((char *)copy->before.storage.bytes + (size_t)(from - copy->copied_from) * size,
               (char *)kept->before.storage.bytes + (size_t)(from - kept->copied_from) * size,
               (size_t)(end - from) * size);
}

// Keeps the numbers that the block had before the edit.
static bool keep_before(const Trace *trace, TraceChange *change, int number, Block block,
                        Error *err)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    TraceChanged *changed = &change->tensors[number];
    Tensor some = block_part(tensor, block);
    ptrdiff_t end = tensor_span(&some), from = end > 0 ? some.offset : 0;
    size_t size = dtype_size(tensor->dtype);
    for (int other = 0; other < trace->tensor_count; other++)
        if (look_at_kept(tensor, &change->tensors[other], from, end, changed))
            return true;
    Tensor before = *tensor;
    before.offset -= from;
    before.storage.bytes = arena_take_unset(&change->arena, (size_t)(end - from), size, err);
    if (!before.storage.bytes)
        return false;
    memcpy(before.storage.bytes, (char *)tensor->storage.bytes + (size_t)from * size,
           (size_t)(end - from) * size);
    changed->before = before;
    changed->copied = tensor->storage.bytes;
    changed->copied_from = from;
    changed->copied_end = end;
    for (int other = 0; other < trace->tensor_count; other++)
        put_kept(changed, &change->tensors[other], size);
    return true;
}

// Marks some element of a block as reached, and keeps the block's numbers.
static bool trace_change_keep(const Trace *trace, TraceChange *change, int number, Block block,
                              const Tensor *flags, Error *err)
{
    if (!trace_change_room(change, trace->tensor_count, err) ||
        !keep_before(trace, change, number, block, err))
        return false;
    TraceChanged *changed = &change->tensors[number];
    changed->reached = *flags;
    changed->first = block.first;
    changed->count = block.count;
    return true;
}

// One flag for all elements.
static bool take_whole(Arena *arena, const Tensor *tensor, Tensor *flags, Error *err)
{
    *flags = *tensor;
    flags->dtype = DTYPE_BOOL;
    flags->offset = 0;
    memset(flags->stride, 0, sizeof flags->stride);
    flags->storage.boolean = arena_take(arena, 1, 1, err);
    if (flags->storage.bytes)
        flags->storage.boolean[0] = true;
    return flags->storage.bytes;
}

// Marks a whole tensor as reached.
static bool keep_whole(const Trace *trace, TraceChange *change, int number, Error *err)
{
    Tensor flags;
    const Tensor *tensor = &trace->tensors[number].tensor;
    if (!take_whole(&change->arena, tensor, &flags, err) ||
        !trace_change_keep(trace, change, number, block_whole(tensor), &flags, err))
        return false;
    change->tensors[number].is_whole = true;
    return true;
}

// --- what is touched

// Enlarges the block if needed; numbers outside it are still the old ones.
static bool widen(const Trace *trace, TraceChange *change, int number, Block block, Error *err)
{
    TraceChanged was = *trace_changed(change, number);
    const Tensor *tensor = &trace->tensors[number].tensor;
    Tensor flags;
    if (block_is_reached(&was) && block_is_inside(block, block_of(&was)))
        return true;
    if (block_is_reached(&was))
        block = block_join(block, block_of(&was));
    if (!block_take(&change->arena, tensor, DTYPE_BOOL, block, &flags, err) ||
        !trace_change_room(change, trace->tensor_count, err))
        return false;
    change->tensors[number] = (TraceChanged){.is_whole = false};
    if (!trace_change_keep(trace, change, number, block, &flags, err))
        return false;
    if (block_is_reached(&was)) {
        Tensor old = block_part(&was.reached, block_of(&was));
        Tensor now = block_part(&flags, block_of(&was));
        flags_raise(&old, &now);
        old = block_part(&was.before, block_of(&was));
        now = block_part(&change->tensors[number].before, block_of(&was));
        tensor_copy(&old, &now);
    }
    return true;
}

static bool touch_at(const Trace *trace, TraceChange *change, int number, const ptrdiff_t at[],
                     Error *err)
{
    Block block = {trace->tensors[number].tensor.rank > 0 ? at[0] : 0, 1};
    if (!widen(trace, change, number, block, err))
        return false;
    const Tensor *flags = &change->tensors[number].reached;
    flags->storage.boolean[tensor_place(flags, at)] = true;
    return true;
}

static bool touch_place(const Trace *trace, TraceChange *change, int number, ptrdiff_t place,
                        Error *err)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(tensor) > 0; more; more = tensor_next(tensor, at))
        if (tensor_place(tensor, at) == place && !touch_at(trace, change, number, at, err))
            return false;
    return true;
}

// Packs numbers again that have changed, or have changed back.
static void forget_panels(Trace *trace, const void *storage)
{
    for (int number = 0; number < trace->tensor_count; number++)
        if (trace->tensors[number].tensor.storage.bytes == storage)
            trace->tensors[number].packed = 0;
}

bool trace_touch(Trace *trace, TraceChange *change, TraceCell cell, Error *err)
{
    const Tensor *touched = &trace->tensors[cell.tensor].tensor;
    assert(trace->tensors[cell.tensor].step < 0);
    ptrdiff_t place = tensor_place(touched, cell.at);
    forget_panels(trace, touched->storage.bytes);
    if (!touch_at(trace, change, cell.tensor, cell.at, err))
        return false;
    for (int number = 0; number < trace->tensor_count; number++)
        if (number != cell.tensor && trace->tensors[number].step < 0 &&
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
        const TraceChanged *changed = trace_changed(change, number);
        if (!block_is_reached(changed))
            continue;
        Tensor before = block_part(&changed->before, block_of(changed));
        Tensor now = block_part(&trace->tensors[number].tensor, block_of(changed));
        tensor_copy(&before, &now);
        forget_panels(trace, now.storage.bytes);
    }
}

// --- what is changed

static bool is_flagged(const TraceChanged *changed, const ptrdiff_t at[])
{
    ptrdiff_t first = changed->reached.rank > 0 ? at[0] : 0;
    return block_is_reached(changed) && first >= changed->first &&
           first < changed->first + changed->count &&
           changed->reached.storage.boolean[tensor_place(&changed->reached, at)];
}

bool trace_is_reached(const TraceChange *change, TraceCell cell)
{
    return is_flagged(trace_changed(change, cell.tensor), cell.at);
}

bool trace_is_changed(const Trace *trace, const TraceChange *change, TraceCell cell)
{
    const TraceChanged *changed = trace_changed(change, cell.tensor);
    return is_flagged(changed, cell.at) &&
           !tensor_same_number(&trace->tensors[cell.tensor].tensor, &changed->before, cell.at);
}

static void note_difference(TraceChanged *changed, double now, double before)
{
    double difference = fabs(now - before);
    changed->changed_count++;
    if (!(difference <= changed->largest) && !isnan(changed->largest))
        changed->largest = difference;
}

// Counts the differing numbers, and finds the largest difference as float32 bits, which sort like numbers, NaN last.
// Without conditions, the compiler vectorises the loop.
static int32_t compare_row(const float now[], const float before[], ptrdiff_t count,
                           int32_t *differ)
{
    int32_t largest = 0, different = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        int32_t is, was, bits;
        float difference = now[i] - before[i];
        memcpy(&is, &now[i], sizeof is);
        memcpy(&was, &before[i], sizeof was);
        memcpy(&bits, &difference, sizeof bits);
        int32_t differs = -(is != was); // all bits, or none
        bits &= differs & INT32_MAX;
        largest = bits > largest ? bits : largest;
        different -= differs;
    }
    *differ = different;
    return largest;
}

// Compares a contiguous row. Unreached numbers have their old bits, so flags do not matter.
static void count_row(TraceChanged *changed, const float now[], const float before[],
                      ptrdiff_t count)
{
    enum { BITS_OF_INFINITY = 0x7f800000, PIECE = 1 << 20 };
    for (; count > 0; now += PIECE, before += PIECE, count -= PIECE) {
        int32_t differ, bits = compare_row(now, before, count < PIECE ? count : PIECE, &differ);
        float largest;
        memcpy(&largest, &bits, sizeof largest);
        // Compare the difference of two floats, rounded up, with the largest so far.
        bool is_smaller =
            bits < BITS_OF_INFINITY && (double)nextafterf(largest, INFINITY) <= changed->largest;
        if (is_smaller)
            changed->changed_count += differ;
        for (ptrdiff_t i = 0; !is_smaller && differ > 0 && i < (count < PIECE ? count : PIECE); i++)
            if (memcmp(&now[i], &before[i], sizeof *now) != 0 &&
                !(isnan(now[i]) && isnan(before[i])))
                note_difference(changed, (double)now[i], (double)before[i]);
    }
}

static ptrdiff_t count_flags(const unsigned char row[], ptrdiff_t count, ptrdiff_t stride)
{
    ptrdiff_t raised = 0;
    if (stride == 1) // the compiler makes vectors of this loop
        for (ptrdiff_t i = 0; i < count; i++)
            raised += row[i];
    else
        for (ptrdiff_t i = 0; i < count; i++)
            raised += row[i * stride];
    return raised;
}

// Compares a row from its first reached number on; unreached ones have their old bits.
static void count_reached(TraceChanged *changed, const unsigned char row[], ptrdiff_t stride,
                          const float now[], const float before[], ptrdiff_t count)
{
    ptrdiff_t first = 0;
    if (!flags_row_any(row, count, stride))
        return;
    if (stride == 1)
        first = (const unsigned char *)memchr(row, 1, (size_t)count) - row;
    changed->reached_count += count_flags(row + first * stride, count - first, stride);
    count_row(changed, now + first, before + first, count - first);
}

static void count_rows(TraceChanged *changed, const Tensor *now)
{
    Tensor some = block_part(now, block_of(changed)), rows = flags_rows(&some);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(&some) > 0; more; more = tensor_next(&rows, at)) {
        at[0] += changed->first;
        count_reached(changed,
                      &changed->reached.storage.boolean[tensor_place(&changed->reached, at)],
                      flags_row_stride(&changed->reached), &now->storage.f32[tensor_place(now, at)],
                      &changed->before.storage.f32[tensor_place(&changed->before, at)],
                      flags_row_length(&some));
        at[0] -= changed->first;
    }
}

typedef struct Counting {
    const Trace *trace;
    TraceChange *change;
} Counting;

static void count_tensor(void *context, ptrdiff_t number)
{
    const Counting *counting = context;
    TraceChanged *changed = &counting->change->tensors[number];
    const Tensor *now = &counting->trace->tensors[number].tensor;
    changed->reached_count = changed->changed_count = 0;
    changed->largest = 0.0;
    if (!block_is_reached(changed))
        return;
    if (now->rank > 0 && now->dtype == DTYPE_F32 && flags_row_stride(now) == 1 &&
        flags_row_stride(&changed->before) == 1) {
        count_rows(changed, now);
        return;
    }
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(now) > 0; more; more = tensor_next(now, at)) {
        if (!is_flagged(changed, at))
            continue;
        changed->reached_count++;
        if (!tensor_same_number(now, &changed->before, at))
            note_difference(changed, tensor_number(now, at), tensor_number(&changed->before, at));
    }
}

// Counts reached and changed elements: a tensor a thread, if they are worth waking it.
static void trace_change_count(Trace *trace, TraceChange *change)
{
    enum { FEW = 64 * 1024 };
    Team alone = {.threads = 1};
    ptrdiff_t reached = 0;
    for (int number = 0; change->tensors && number < trace->tensor_count; number++)
        if (block_is_reached(&change->tensors[number])) {
            Tensor some =
                block_part(&trace->tensors[number].tensor, block_of(&change->tensors[number]));
            reached += tensor_count(&some);
        }
    if (change->tensors)
        team_run(reached > FEW ? &trace->team : &alone, trace->tensor_count, count_tensor,
                 &(Counting){trace, change});
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

void trace_change_empty(TraceChange *change)
{
    Arena arena = change->arena;
    arena_empty(&arena);
    *change = (TraceChange){.arena = arena};
}

void trace_change_finish(TraceChange *change)
{
    arena_finish(&change->arena);
    *change = (TraceChange){.tensors = NULL};
}

// --- recomputing
//
// Computes again what an edit reaches, with the bits of the definition: the kernel computes all rows between the
// first and the last that are reached, along each axis. A row that is not gets its old bits.

// True if a step's options or formula are touched, or an input is reached. A formula may read any earlier tensor.
static bool is_near(const Trace *trace, const TraceChange *change, int number)
{
    const TraceStep *step = &trace->steps[number];
    bool near = change->touched[number];
    for (int i = 0; step->formula && i < trace->tensor_count && !near; i++)
        near = trace->tensors[i].step < number && block_is_reached(trace_changed(change, i));
    for (int i = 0; !step->formula && i < STAGE_READS_MAX && !near; i++)
        near = step_reads_reached(change, step, i);
    return near;
}

// Marks what the change reaches of an output; after an edited formula, all of it.
static bool find_reached(const Trace *trace, TraceChange *change, int number, Error *err)
{
    const TraceTensor *made = &trace->tensors[number];
    const TraceStep *step = &trace->steps[made->step];
    Tensor flags;
    Block block;
    if (change->touched[made->step] || step->formula || change->has_formula)
        return keep_whole(trace, change, number, err);
    if (!influence_find(trace, change, number, &flags, &block, err))
        return false;
    return block.count == 0 || trace_change_keep(trace, change, number, block, &flags, err);
}

static bool find_all_reached(const Trace *trace, TraceChange *change, int number, bool *any,
                             Error *err)
{
    const TraceStep *step = &trace->steps[number];
    *any = false;
    for (int slot = 0; slot < STAGE_WRITES_MAX && step->writes[slot] >= 0; slot++) {
        if (!find_reached(trace, change, step->writes[slot], err))
            return false;
        *any = *any || block_is_reached(trace_changed(change, step->writes[slot]));
    }
    return true;
}

// Only stages with a kernel run by rows; the others are small and run whole.
static bool has_rows(const Trace *trace, const TraceStep *step)
{
    const Slot *write = &step->call->writes[step->stage->main_output];
    return trace->kernel && step->stage->fast && !step->formula && write->dtype == DTYPE_F32 &&
           write->axes;
}

// The smallest box with every reached row, by its first places and lengths on all axes but the last. Returns
// which part of all rows it has.
static double find_box(const TraceChanged *changed, ptrdiff_t first[TENSOR_RANK_MAX],
                       ptrdiff_t length[TENSOR_RANK_MAX])
{
    Tensor some = block_part(&changed->reached, block_of(changed)), rows = flags_rows(&some);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, last[TENSOR_RANK_MAX];
    double part = 1.0;
    for (int axis = 0; axis < some.rank; axis++) {
        first[axis] = some.shape[axis];
        last[axis] = -1;
    }
    for (bool more = tensor_count(&some) > 0; more; more = tensor_next(&rows, at))
        if (flags_row_any(&some.storage.boolean[tensor_place(&some, at)], flags_row_length(&some),
                          flags_row_stride(&some)))
            for (int axis = 0; axis < some.rank - 1; axis++) {
                first[axis] = at[axis] < first[axis] ? at[axis] : first[axis];
                last[axis] = at[axis] > last[axis] ? at[axis] : last[axis];
            }
    for (int axis = 0; axis < some.rank - 1; axis++) {
        length[axis] = last[axis] - first[axis] + 1;
        part *= (double)length[axis] / (double)changed->reached.shape[axis];
    }
    if (some.rank > 0)
        first[0] += changed->first;
    return part;
}

enum { MOST_OF_ROWS = 2 }; // as the divisor: from half of them on the whole step runs

// Maps rows of the stored tensor to those of the arguments, which may have one more axis.
static bool run_box(Trace *trace, int number, const ptrdiff_t first[], const ptrdiff_t length[],
                    Error *err)
{
    const TraceStep *step = &trace->steps[number];
    int main_output = step->writes[step->stage->main_output];
    const Tensor *tensor = &trace->tensors[main_output].tensor;
    int hidden =
        trace_hidden_axis(trace, step->call->writes[step->stage->main_output].axes, tensor->rank);
    ptrdiff_t start[TENSOR_RANK_MAX] = {0}, rows[TENSOR_RANK_MAX];
    for (int axis = 0; axis < TENSOR_RANK_MAX; axis++)
        rows[axis] = 1;
    for (int axis = 0; axis < tensor->rank - 1; axis++) {
        int there = axis + (hidden >= 0 && axis >= hidden);
        start[there] = first[axis];
        rows[there] = length[axis];
    }
    Tensor fresh = *tensor;
    for (int axis = 0; axis < tensor->rank - 1; axis++)
        fresh = tensor_narrow(&fresh, axis, first[axis], length[axis]);
    return trace_run_box(trace, number, start, rows, err) &&
           trace_note_remark(trace, main_output, &fresh, err);
}

static bool recompute_step(Trace *trace, TraceChange *change, int number, Error *err)
{
    const TraceStep *step = &trace->steps[number];
    ptrdiff_t first[TENSOR_RANK_MAX], length[TENSOR_RANK_MAX];
    bool any, is_view = step->call->writes[step->stage->main_output].is_view && !step->formula;
    if (!find_all_reached(trace, change, number, &any, err))
        return false;
    const TraceChanged *changed = trace_changed(change, step->writes[step->stage->main_output]);
    if (!any || (is_view && !change->has_formula))
        return true;
    if (has_rows(trace, step) && block_is_reached(changed) && !changed->is_whole &&
        find_box(changed, first, length) * MOST_OF_ROWS < 1.0)
        return run_box(trace, number, first, length, err);
    trace->steps_done = number;
    return trace_step(trace, err);
}

bool trace_recompute(Trace *trace, TraceChange *change, Error *err)
{
    // A step that fails withdraws its outputs. The list may be too large for a small stack.
    Tensor *kept = arena_take(&change->arena, (size_t)trace->tensor_count, sizeof *kept, err);
    for (int number = 0; kept && number < trace->tensor_count; number++)
        kept[number] = trace->tensors[number].tensor;
    int done = trace->steps_done;
    trace->inputs_stay = false;
    trace->is_recomputed = true;
    bool is_done = kept;
    for (int step = 0; is_done && step < done; step++)
        is_done = !is_near(trace, change, step) || recompute_step(trace, change, step, err);
    trace->steps_done = done;
    trace->is_recomputed = false;
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

static bool same_plan(const Trace *a, const Trace *b)
{
    const Scenario *in_a = a->scenario, *in_b = b->scenario;
    if (a->step_count != b->step_count || a->tensor_count != b->tensor_count ||
        memcmp(in_a->size, in_b->size, sizeof in_a->size) != 0 ||
        in_a->has_heads != in_b->has_heads || in_a->options.causal != in_b->options.causal ||
        in_a->options.mask_padding != in_b->options.mask_padding ||
        (in_a->options.window > 0) != (in_b->options.window > 0)) // masks have other shapes
        return false;
    for (int number = 0; number < a->tensor_count; number++)
        if (!same_tensor(a, b, number))
            return false;
    for (int i = 0; i < a->step_count; i++) {
        const TraceStep *step = &a->steps[i], *other = &b->steps[i];
        const char *of = step->call->of, *of_other = other->call->of;
        bool sums = of && of_other && !*of && !*of_other; // calls made for one trace alone
        if (step->stage != other->stage || (step->call != other->call && !sums) ||
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

static bool same_numbers(const Tensor *a, const Tensor *b)
{
    if (a->storage.bytes == b->storage.bytes && a->offset == b->offset &&
        memcmp(a->stride, b->stride, sizeof a->stride) == 0)
        return true;
    size_t bytes = (size_t)tensor_count(a) * dtype_size(a->dtype);
    return tensor_is_contiguous(a) && tensor_is_contiguous(b) &&
           memcmp((char *)a->storage.bytes + (size_t)a->offset * dtype_size(a->dtype),
                  (char *)b->storage.bytes + (size_t)b->offset * dtype_size(b->dtype), bytes) == 0;
}

// Flags the elements of an input that differ between the two tensors.
static bool note_input(Trace *trace, TraceChange *change, int number, const Tensor *now, Error *err)
{
    const Tensor *was = &trace->tensors[number].tensor;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    if (same_numbers(was, now))
        return true;
    for (bool more = tensor_count(was) > 0; more; more = tensor_next(was, at)) {
        if (tensor_same_number(was, now, at))
            continue;
        if ((!block_is_reached(trace_changed(change, number)) &&
             !widen(trace, change, number, block_whole(was), err)) ||
            !touch_at(trace, change, number, at, err))
            return false;
    }
    if (block_is_reached(trace_changed(change, number)))
        forget_panels(trace, was->storage.bytes);
    return true;
}

// Redirects every tensor over an input's storage to the new one; masks may be views of it.
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

// Steps with another formula run with all that follows, in groups of their own.
static void take_formulas(Trace *trace, const Trace *now, TraceChange *change)
{
    for (int number = 0; number < trace->step_count; number++) {
        TraceStep *step = &trace->steps[number];
        const ScenarioFormula *formula =
            number < now->step_count ? now->steps[number].formula : NULL;
        if (formula && step->formula ? strcmp(formula->text, step->formula->text) != 0
                                     : formula != step->formula) {
            trace_touch_step(change, number);
            change->has_formula = true;
        }
        step->formula = formula;
    }
    if (!change->has_formula)
        return;
    trace_plan_groups(trace);
    trace_plan_stretches(trace);
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
    if (good)
        take_formulas(trace, &now, change);
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
        // Names of layers end with the plan that wrote them.
        bool is_named = (kept->names[number] = arena_text(arena, trace->tensors[number].name, err));
        if (is_named && !trace->tensors[number].tensor.storage.bytes)
            continue;
        if (!is_named || !keep_whole(trace, &kept->was, number, err)) {
            trace_change_finish(&kept->was);
            return false;
        }
    }
    return true;
}

void trace_compare(Trace *trace, TraceKept *kept, TraceChange *change)
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
