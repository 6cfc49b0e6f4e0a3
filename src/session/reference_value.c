// reference_value: see reference_value.h.
#include "reference_value.h"

#include <math.h>
#include <stdio.h>
#include "explanation.h"
#include "nearest.h"
#include "number_text.h"
#include "tensor_print.h"
#include "session_words.h"

static int find(const Trace *trace, const char *name, Error *err)
{
    const char *known[TRACE_TENSORS_MAX + 1] = {NULL};
    int tensor = trace_find(trace, name);
    for (int i = 0; i < trace->tensor_count; i++)
        known[i] = trace->tensors[i].name;
    const char *near = tensor < 0 ? nearest_name(name, known) : NULL;
    if (tensor < 0)
        error_set(err, TELL(REFERENCE_NO_TENSOR), trace->scenario->name, name,
                  near ? TELL(DID_YOU_MEAN) : "", near ? near : "", near ? TELL(MEANT_END) : "");
    return tensor;
}

// The elements that the index leaves over, as a view.
static bool leave_over(const Trace *trace, const Reference *reference, int number, Tensor *out,
                       Error *err)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    char shape[TENSOR_TEXT_MAX];
    bool inside = reference->index_count <= tensor->rank;
    for (int axis = 0; inside && axis < reference->index_count; axis++)
        inside = reference->index[axis] < tensor->shape[axis];
    if (!inside)
        return error_set(err, TELL(REFERENCE_INDEX), reference->tensor,
                         tensor_shape_text(tensor->rank, tensor->shape, shape));
    *out = *tensor;
    for (int axis = reference->index_count - 1; axis >= 0; axis--)
        if (reference->index[axis] != REFERENCE_WHOLE_AXIS)
            *out = tensor_select(out, axis, reference->index[axis]);
    return true;
}

static void put(ReferenceValue *value, double number)
{
    value->numbers[value->count++] = number;
}

static void put_shape(ReferenceValue *value, int rank, const ptrdiff_t numbers[])
{
    char text[TENSOR_TEXT_MAX];
    for (int axis = 0; axis < rank; axis++)
        put(value, (double)numbers[axis]);
    snprintf(value->text, sizeof value->text, "%s", tensor_shape_text(rank, numbers, text));
}

// As a lecture's screen writes them: in the format of the whole tensor, but with decimals.
static const char *element_text(const Tensor *whole, const Tensor *left, const ptrdiff_t at[],
                                char text[NUMBER_TEXT_MAX])
{
    NumberFormat format = tensor_number_format(whole);
    char decimals[NUMBER_FULL_TEXT_MAX];
    format.width = 0;
    if (!format.scientific || left->dtype != DTYPE_F32)
        return tensor_number_text(left, at, format, text);
    snprintf(text, NUMBER_TEXT_MAX, "%s",
             number_decimals_text(left->storage.f32[tensor_place(left, at)], decimals));
    return text;
}

static bool put_elements(ReferenceValue *value, const Tensor *whole, const Tensor *left, Error *err)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    size_t used = 0;
    if (left->rank > 1 || tensor_count(left) > REFERENCE_VALUES_MAX)
        return error_set(err, TELL(ELEMENTS_MANY), tensor_count(left));
    do {
        char number[NUMBER_TEXT_MAX];
        const char *before = left->rank == 0 ? "" : value->count == 0 ? "[" : ", ";
        used += (size_t)snprintf(value->text + used,
                                 used < REFERENCE_TEXT_MAX - 1 ? REFERENCE_TEXT_MAX - used : 0,
                                 "%s%s", before, element_text(whole, left, at, number));
        put(value, tensor_number(left, at));
    } while (used < REFERENCE_TEXT_MAX - NUMBER_TEXT_MAX && tensor_next(left, at));
    if (left->rank > 0)
        snprintf(value->text + used, REFERENCE_TEXT_MAX - used, "]");
    return true;
}

static bool put_zeros(ReferenceValue *value, const Tensor *left, Error *err)
{
    size_t used = 0;
    if (left->rank != 1 || left->shape[0] > REFERENCE_VALUES_MAX)
        return error_set(err, TELL(ZEROS_AXIS));
    for (ptrdiff_t i = 0; i < left->shape[0]; i++)
        if (tensor_number(left, &i) == 0) {
            used += (size_t)snprintf(value->text + used, REFERENCE_TEXT_MAX - used,
                                     value->count ? ", %td" : "%td", i);
            put(value, (double)i);
        }
    return true;
}

static bool put_summary(ReferenceValue *value, ReferenceKind kind, const Tensor *left, Error *err)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double sum = 0, largest = -INFINITY;
    ptrdiff_t number = 0, where = 0, tied = 0;
    if (kind == REFERENCE_ARGMAX && left->rank != 1)
        return error_set(err, TELL(ARGMAX_AXIS));
    do {
        double one = tensor_number(left, at);
        sum += one;
        tied = one > largest ? 0 : one == largest && tied == 0 ? number : tied;
        where = one > largest ? number : where;
        largest = one > largest ? one : largest;
        number++;
    } while (tensor_next(left, at));
    put(value, kind == REFERENCE_SUM ? sum : kind == REFERENCE_MAX ? largest : (double)where);
    value->tied = kind == REFERENCE_ARGMAX ? (int)tied : 0;
    bool whole = kind == REFERENCE_ARGMAX || left->dtype != DTYPE_F32;
    snprintf(value->text, sizeof value->text, whole ? "%.0f" : "%.4f",
             number_unsigned_nan(value->numbers[0]));
    return true;
}

static bool put_of_tensor(const Trace *trace, const Reference *reference, ReferenceValue *value,
                          Error *err)
{
    int number = find(trace, reference->tensor, err);
    Tensor left;
    if (number < 0 || !leave_over(trace, reference, number, &left, err))
        return false;
    const Tensor *tensor = &trace->tensors[number].tensor;
    if (tensor_count(&left) == 0)
        return error_set(err, TELL(NO_ELEMENTS), reference->tensor);
    switch (reference->kind) {
    case REFERENCE_SHAPE:
        put_shape(value, tensor->rank, tensor->shape);
        return true;
    case REFERENCE_STRIDE:
        put_shape(value, tensor->rank, tensor->stride);
        return true;
    case REFERENCE_OFFSET:
    case REFERENCE_PLACE:
        put(value, (double)(reference->kind == REFERENCE_PLACE ? left.offset : tensor->offset));
        snprintf(value->text, sizeof value->text, "%.0f", value->numbers[0]);
        return true;
    case REFERENCE_ZEROS:
        return put_zeros(value, &left, err);
    case REFERENCE_ELEMENTS:
        return put_elements(value, tensor, &left, err);
    default:
        return put_summary(value, reference->kind, &left, err);
    }
}

bool reference_value(const Trace *trace, const Reference *reference, ReferenceValue *value,
                     Error *err)
{
    char text[NUMBER_FULL_TEXT_MAX];
    *value = (ReferenceValue){.count = 0};
    if (reference->kind == REFERENCE_NUMBERS) {
        for (int i = 0; i < reference->number_count; i++)
            put(value, reference->numbers[i]);
        snprintf(value->text, sizeof value->text, "%g", value->numbers[0]);
        return true;
    }
    if (reference->kind != REFERENCE_SCALE)
        return put_of_tensor(trace, reference, value, err);
    if (!trace->scenario->scaled)
        return error_set(err, TELL(DIVIDES_NOTHING), trace->scenario->name);
    put(value, (double)trace->scenario->options.scale);
    snprintf(value->text, sizeof value->text, "%s",
             number_full_text(trace->scenario->options.scale, text));
    return true;
}

bool reference_values_equal(const ReferenceValue *a, const ReferenceValue *b)
{
    bool equal = a->count == b->count;
    for (int i = 0; equal && i < a->count; i++)
        equal = fabs(a->numbers[i] - b->numbers[i]) <= 1e-5;
    return equal;
}
