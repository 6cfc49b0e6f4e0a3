// comparison_distance: how far apart two runs are at each step; see comparison.h.
#include "comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "session.h"
#include "session_actions.h"
#include "session_words.h"

const Tensor *comparison_tensor(const Session *session, int number)
{
    const Comparison *comparison = &session->comparison;
    const TraceTensor *front = &session->run.trace.tensors[number];
    int other = comparison->open ? trace_find(&comparison->trace, front->name) : -1;
    if (other < 0)
        return NULL;
    const Tensor *tensor = &comparison->trace.tensors[other].tensor;
    bool fits = tensor->storage.bytes && front->tensor.storage.bytes &&
                tensor->dtype == front->tensor.dtype && tensor_same_shape(tensor, &front->tensor);
    return fits ? tensor : NULL;
}

// A key of one row: its number in both runs.
typedef struct Ranked {
    float front, other;
} Ranked;

// The larger number first; among equals, the one that is larger in the other run.
static int by_rank(const void *a, const void *b)
{
    const Ranked *one = a, *two = b;
    if (one->front != two->front)
        return one->front > two->front ? -1 : 1;
    return one->other > two->other ? -1 : one->other < two->other;
}

static bool row_is_reordered(Ranked *row, ptrdiff_t length)
{
    for (ptrdiff_t j = 0; j < length; j++)
        if (isnan(row[j].front) || isnan(row[j].other))
            return false;
    qsort(row, (size_t)length, sizeof *row, by_rank);
    for (ptrdiff_t j = 1; j < length; j++)
        if (row[j].other > row[j - 1].other)
            return true;
    return false;
}

static double difference_at(const Tensor *front, const Tensor *other, const ptrdiff_t at[])
{
    if (front->dtype != DTYPE_F32)
        return 1.0;
    double a = (double)front->storage.f32[tensor_place(front, at)];
    double b = (double)other->storage.f32[tensor_place(other, at)];
    return fabs(a - b);
}

static void count_differences(const Tensor *front, const Tensor *other,
                              ComparisonDistance *distance)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    distance->count = tensor_count(front);
    for (bool more = distance->count > 0; more; more = tensor_next(front, at)) {
        if (tensor_same_number(front, other, at))
            continue;
        double difference = difference_at(front, other, at);
        distance->differing++;
        if (!(difference <= distance->largest) && !isnan(distance->largest))
            distance->largest = difference;
    }
}

// False when there is no memory for a row.
static bool count_reordered(const Tensor *front, const Tensor *other, ComparisonDistance *distance)
{
    ptrdiff_t length = front->shape[front->rank - 1];
    Ranked *row = malloc((size_t)length * sizeof *row);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, filled = 0;
    bool good = row || length == 0;
    for (bool more = row && length > 0; more; more = tensor_next(front, at)) {
        row[filled++] = (Ranked){front->storage.f32[tensor_place(front, at)],
                                 other->storage.f32[tensor_place(other, at)]};
        if (filled < length)
            continue;
        distance->rows++;
        distance->reordered += row_is_reordered(row, length);
        filled = 0;
    }
    free(row);
    return good;
}

// Scores and weights: rows are queries, columns keys.
static bool ranks_keys(const Trace *trace, int tensor)
{
    char text[16];
    int rank = trace->tensors[tensor].tensor.rank;
    return trace->tensors[tensor].tensor.dtype == DTYPE_F32 && rank >= 2 &&
           trace_axis(trace, tensor, rank - 1, text) && text[0] == 'L' && text[1] == 'k' &&
           trace_axis(trace, tensor, rank - 2, text) && text[0] == 'L' && text[1] == 'q';
}

static void subtract(const Tensor *front, const Tensor *other, const Tensor *difference)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(front) > 0; more; more = tensor_next(front, at))
        difference->storage.f32[tensor_place(difference, at)] =
            other->storage.f32[tensor_place(other, at)] -
            front->storage.f32[tensor_place(front, at)];
}

// The front's run, with tensors that may be put in another's place.
static bool copy_front(Session *session, Error *err)
{
    Trace *copy = &session->comparison.difference;
    *copy = session->run.trace;
    copy->tensors = arena_take(&session->comparison.difference_arena, (size_t)copy->tensor_count,
                               sizeof *copy->tensors, err);
    if (!copy->tensors)
        return false;
    memcpy(copy->tensors, session->run.trace.tensors,
           (size_t)copy->tensor_count * sizeof *copy->tensors);
    return true;
}

void comparison_subtract(Session *session)
{
    Comparison *comparison = &session->comparison;
    Error unused;
    const Tensor *front = &session_tensor(session)->tensor;
    const Tensor *other = comparison_tensor(session, session->cursor.tensor);
    bool wanted = comparison->show == COMPARISON_DIFFERENCE && other && front->dtype == DTYPE_F32;
    if (comparison->subtracted == (wanted ? session->cursor.tensor : -1))
        return;
    arena_finish(&comparison->difference_arena);
    comparison->subtracted = -1;
    session->run.number++;
    if (!wanted || !copy_front(session, &unused))
        return;
    TraceTensor *tensor = &comparison->difference.tensors[session->cursor.tensor];
    if (!tensor_take(&comparison->difference_arena, DTYPE_F32, front->rank, front->shape,
                     &tensor->tensor, &unused))
        return;
    subtract(front, other, &tensor->tensor);
    tensor->name = "other - this";
    tensor->is_difference = true;
    comparison->subtracted = session->cursor.tensor;
}

const Trace *comparison_window_trace(const Session *session)
{
    const Comparison *comparison = &session->comparison;
    bool differs = comparison->open && comparison->subtracted == session->cursor.tensor;
    return differs ? &comparison->difference : &session->run.trace;
}

void comparison_measure(Session *session)
{
    for (int step = 0; step < session->run.trace.step_count; step++) {
        ComparisonDistance *distance = &session->comparison.distances[step];
        int number = session_main_output(session, step);
        const Tensor *front = &session->run.trace.tensors[number].tensor;
        const Tensor *other = comparison_tensor(session, number);
        *distance = (ComparisonDistance){.known = other != NULL};
        if (!other)
            continue;
        count_differences(front, other, distance);
        if (ranks_keys(&session->run.trace, number) && !count_reordered(front, other, distance)) {
            session->comparison.failed = true;
            error_machine(&session->comparison.failure, TELL(COMPARISON_NO_MEMORY), step + 1);
        }
    }
}
