// tensor_difference: see tensor_difference.h.
#include "tensor_difference.h"

#include <math.h>
#include <string.h>

static const float absolute = 1e-6f, relative = 1e-5f;

// The size of the largest finite number of the row that `at` lies in.
static float row_scale(const Tensor *known, const ptrdiff_t at[])
{
    float scale = 0.0f;
    int last = known->rank - 1;
    if (last < 0)
        return scale;
    ptrdiff_t row[TENSOR_RANK_MAX] = {0};
    memcpy(row, at, (size_t)known->rank * sizeof *at);
    for (row[last] = 0; row[last] < known->shape[last]; row[last]++) {
        float size = fabsf(known->storage.f32[tensor_place(known, row)]);
        scale = isfinite(size) && size > scale ? size : scale;
    }
    return scale;
}

static DifferenceKind float_kind(float given, float known, float scale, float times)
{
    if (isnan(given) || isnan(known))
        return isnan(given) && isnan(known) ? DIFFERENCE_NONE
               : isnan(given)               ? DIFFERENCE_NAN
                                            : DIFFERENCE_FINITE;
    if (isinf(given) || isinf(known))
        return given == known ? DIFFERENCE_NONE
               : isinf(given) ? DIFFERENCE_INFINITE
                              : DIFFERENCE_FINITE;
    float size = fmaxf(fmaxf(fabsf(given), fabsf(known)), scale);
    bool agrees = fabsf(given - known) <= times * (absolute + relative * size);
    return agrees ? DIFFERENCE_NONE : DIFFERENCE_NUMBER;
}

static DifferenceKind kind_at(const Tensor *given, const Tensor *known, const ptrdiff_t at[],
                              float scale, float times)
{
    ptrdiff_t a = tensor_place(given, at), b = tensor_place(known, at);
    bool equal = true;
    switch (known->dtype) {
    case DTYPE_F32:
        return float_kind(given->storage.f32[a], known->storage.f32[b], scale, times);
    case DTYPE_I64:
        equal = given->storage.i64[a] == known->storage.i64[b];
        break;
    case DTYPE_BOOL:
        equal = given->storage.boolean[a] == known->storage.boolean[b];
        break;
    }
    return equal ? DIFFERENCE_NONE : DIFFERENCE_NUMBER;
}

uint64_t tensor_difference_ulp(float a, float b)
{
    int32_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    int64_t place[2];
    for (int i = 0; i < 2; i++)
        place[i] = bits[i] < 0 ? (int64_t)INT32_MIN - bits[i] : bits[i];
    return (uint64_t)(place[0] > place[1] ? place[0] - place[1] : place[1] - place[0]);
}

static void note_worst(TensorDifference *difference, const Tensor *given, const Tensor *known,
                       const ptrdiff_t at[])
{
    if (known->dtype != DTYPE_F32)
        return;
    float a = given->storage.f32[tensor_place(given, at)];
    float b = known->storage.f32[tensor_place(known, at)];
    double apart = fabs((double)a - (double)b);
    uint64_t ulp = tensor_difference_ulp(a, b);
    if (apart > difference->worst) {
        difference->worst = apart;
        memcpy(difference->worst_at, at, (size_t)known->rank * sizeof *at);
    }
    difference->worst_ulp = ulp > difference->worst_ulp ? ulp : difference->worst_ulp;
}

static bool comparable(const Tensor *given, const Tensor *known)
{
    return given->storage.bytes && known->storage.bytes && given->dtype == known->dtype &&
           tensor_same_shape(given, known);
}

TensorDifference tensor_difference_times(const Tensor *given, const Tensor *known, float times)
{
    TensorDifference difference = {.kind = DIFFERENCE_NONE};
    if (!comparable(given, known)) {
        difference.kind = DIFFERENCE_SHAPE;
        return difference;
    }
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    float scale = 0.0f;
    difference.all = tensor_count(known);
    for (bool more = difference.all > 0; more; more = tensor_next(known, at)) {
        if (known->dtype == DTYPE_F32 && (known->rank == 0 || at[known->rank - 1] == 0))
            scale = row_scale(known, at);
        DifferenceKind kind = kind_at(given, known, at, scale, times);
        if (kind == DIFFERENCE_NONE)
            continue;
        if (difference.count++ == 0) {
            difference.kind = kind;
            memcpy(difference.first_at, at, (size_t)known->rank * sizeof *at);
        }
        if (kind == DIFFERENCE_NUMBER)
            note_worst(&difference, given, known, at);
    }
    return difference;
}

TensorDifference tensor_difference(const Tensor *given, const Tensor *known)
{
    return tensor_difference_times(given, known, 1.0f);
}

bool tensor_difference_agrees(const Tensor *given, const Tensor *known, const ptrdiff_t at[])
{
    if (!comparable(given, known))
        return false;
    float scale = known->dtype == DTYPE_F32 ? row_scale(known, at) : 0.0f;
    return kind_at(given, known, at, scale, 1.0f) == DIFFERENCE_NONE;
}
