// storage: see storage.h.
#include "storage.h"

#include <stdio.h>
#include <string.h>

int storage_owner(const Trace *trace, int tensor)
{
    for (int other = 0; other < tensor; other++)
        if (trace->tensors[other].tensor.storage.bytes ==
            trace->tensors[tensor].tensor.storage.bytes)
            return other;
    return tensor;
}

ptrdiff_t storage_count(const Tensor *tensor)
{
    ptrdiff_t last = tensor->offset;
    if (tensor_count(tensor) == 0)
        return 0;
    for (int axis = 0; axis < tensor->rank; axis++)
        last += (tensor->shape[axis] - 1) * tensor->stride[axis];
    return last + 1;
}

// Of the unused axes along which places differ, the one with the largest stride; -1: none is left.
static int widest_axis(const Tensor *tensor, const bool used[])
{
    int widest = -1;
    for (int axis = 0; axis < tensor->rank; axis++) {
        bool moves = tensor->shape[axis] > 1 && tensor->stride[axis] > 0;
        if (moves && !used[axis] && (widest < 0 || tensor->stride[axis] > tensor->stride[widest]))
            widest = axis;
    }
    return widest;
}

bool storage_index(const Tensor *tensor, ptrdiff_t place, ptrdiff_t at[])
{
    bool used[TENSOR_RANK_MAX] = {false};
    ptrdiff_t rest = place - tensor->offset;
    for (int axis = 0; axis < tensor->rank; axis++)
        at[axis] = 0;
    for (int axis; rest >= 0 && (axis = widest_axis(tensor, used)) >= 0;) {
        used[axis] = true;
        at[axis] = rest / tensor->stride[axis];
        if (at[axis] >= tensor->shape[axis])
            return false;
        rest -= at[axis] * tensor->stride[axis];
    }
    return rest == 0 && tensor_count(tensor) > 0;
}

// --- whose number

static void note_axis(const Trace *trace, const Tensor *tensor, const char *symbol, int axis,
                      StorageAxes *axes)
{
    bool side_by_side = strcmp(symbol, "Dk") == 0 || strcmp(symbol, "Dv") == 0;
    if (strcmp(symbol, "B") == 0)
        axes->sequence = axis;
    if (symbol[0] == 'L' && axes->token < 0)
        axes->token = axis;
    if (strcmp(symbol, "H") == 0 || (side_by_side && trace->scenario->has_heads))
        axes->head = axis;
    if (axes->head == axis && side_by_side)
        axes->head_width = tensor->shape[axis] / trace->scenario->size[SYMBOL_H];
}

// A tensor that declares more axes than it has (a mask) has the last ones.
StorageAxes storage_axes(const Trace *trace, int number)
{
    const TraceTensor *owner = &trace->tensors[number];
    const char *symbols[TENSOR_RANK_MAX];
    char copy[TRACE_AXES_TEXT_MAX], *rest = NULL;
    int count = 0;
    StorageAxes axes = {-1, -1, -1, 1};
    snprintf(copy, sizeof copy, "%s", owner->axes ? owner->axes : "");
    for (char *symbol = strtok_r(copy, " ", &rest); symbol && count < TENSOR_RANK_MAX;
         symbol = strtok_r(NULL, " ", &rest))
        symbols[count++] = symbol;
    for (int i = 0; i < count; i++) {
        int axis = i + owner->tensor.rank - count;
        if (axis >= 0)
            note_axis(trace, &owner->tensor, symbols[i], axis, &axes);
    }
    return axes;
}

StorageMark storage_mark(const Trace *trace, int owner, ptrdiff_t place)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    StorageAxes axes = storage_axes(trace, owner);
    if (!storage_index(&trace->tensors[owner].tensor, place, at))
        return (StorageMark){-1, -1, -1};
    return (StorageMark){
        .sequence = axes.sequence < 0 ? -1 : at[axes.sequence],
        .token = axes.token < 0 ? -1 : at[axes.token],
        .head = axes.head < 0 ? -1 : at[axes.head] / axes.head_width,
    };
}

ptrdiff_t storage_run(const Trace *trace, int owner)
{
    const Tensor *tensor = &trace->tensors[owner].tensor;
    StorageAxes axes = storage_axes(trace, owner);
    int marked[] = {axes.sequence, axes.token, axes.head};
    ptrdiff_t run = PTRDIFF_MAX;
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++) {
        if (marked[i] < 0)
            continue;
        ptrdiff_t width = marked[i] == axes.head ? axes.head_width : 1;
        ptrdiff_t one = width * tensor->stride[marked[i]];
        run = one < run ? one : run;
    }
    if (run == PTRDIFF_MAX)
        run = tensor->rank >= 2 ? tensor->stride[tensor->rank - 2] : 1;
    return run > 0 ? run : 1;
}

const char *storage_address(const Tensor *tensor, const ptrdiff_t at[],
                            char text[STORAGE_ADDRESS_MAX])
{
    size_t used = (size_t)snprintf(text, STORAGE_ADDRESS_MAX, "%td", tensor->offset);
    for (int axis = 0; axis < tensor->rank; axis++)
        used += (size_t)snprintf(text + used, STORAGE_ADDRESS_MAX - used, " + %td*%td", at[axis],
                                 tensor->stride[axis]);
    snprintf(text + used, STORAGE_ADDRESS_MAX - used, " = %td", tensor_place(tensor, at));
    return text;
}
