// statistics: see statistics.h.
#include "statistics.h"

#include <math.h>
#include <string.h>

// Mean and squared distances from it in one pass, without the loss of sums of squares.
// Source: Welford 1962.
static void take_in(Summary *summary, double value, double *squares)
{
    summary->nan += isnan(value);
    summary->infinite += isinf(value) != 0;
    if (!isfinite(value))
        return;
    summary->finite++;
    bool first = summary->finite == 1;
    summary->smallest = first || value < summary->smallest ? value : summary->smallest;
    summary->largest = first || value > summary->largest ? value : summary->largest;
    double before = value - summary->mean;
    summary->mean += before / (double)summary->finite;
    *squares += before * (value - summary->mean);
}

Summary statistics_of(const Tensor *part, const ptrdiff_t base[], const TraceMarks *marks)
{
    Summary summary = {.count = tensor_count(part)};
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, whole[TENSOR_RANK_MAX] = {0};
    double squares = 0.0;
    for (bool more = summary.count > 0; more; more = tensor_next(part, at)) {
        for (int axis = 0; axis < part->rank; axis++)
            whole[axis] = base[axis] + at[axis];
        summary.masked += trace_mark_at(marks, whole) == TRACE_MASKED;
        take_in(&summary, tensor_number(part, at), &squares);
    }
    summary.deviation =
        summary.finite > 1 ? sqrt(squares / (double)(summary.finite - 1)) : (double)NAN;
    return summary;
}

double statistics_row_sum(const Tensor *weights, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = weights->rank - 1;
    double sum = 0.0;
    memcpy(place, at, sizeof place);
    for (place[last] = 0; place[last] < weights->shape[last]; place[last]++)
        sum += (double)weights->storage.f32[tensor_place(weights, place)];
    return sum;
}

RowSums statistics_row_sums(const Tensor *weights)
{
    RowSums sums = {0};
    Tensor rows = tensor_narrow(weights, weights->rank - 1, 0, 1);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(weights) > 0; more; more = tensor_next(&rows, at)) {
        double sum = statistics_row_sum(weights, at);
        sums.rows++;
        sums.nan += isnan(sum);
        bool first = sums.rows == sums.nan + 1;
        if (isnan(sum))
            continue;
        sums.smallest = first || sum < sums.smallest ? sum : sums.smallest;
        sums.largest = first || sum > sums.largest ? sum : sums.largest;
    }
    return sums;
}
