// trace_change: keeps what an edit touches, and finds what it changed; see trace.h.
#include "trace_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const TraceChanged *trace_changed(const TraceChange *change, int number)
{
    static const TraceChanged none;
    return change->tensors ? &change->tensors[number] : &none;
}

bool trace_change_room(TraceChange *change, int count, Error *err)
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

bool trace_change_flags(const Trace *trace, TraceChange *change, int number, Tensor *flags,
                        Error *err)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    *flags = trace_changed(change, number)->reached;
    return flags->storage.bytes ||
           tensor_take(&change->arena, DTYPE_BOOL, tensor->rank, tensor->shape, flags, err);
}

bool trace_change_keep(const Trace *trace, TraceChange *change, int number, Tensor flags,
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

void trace_change_count(const Trace *trace, TraceChange *change)
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
