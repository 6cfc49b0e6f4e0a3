// Strided views, and differences between tensors; see tensor.h.
#include "tensor.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tensor_words.def"

// --- views

const char *dtype_name(Dtype dtype)
{
    static const char *const names[] = {
        [DTYPE_F32] = "float32", [DTYPE_I64] = "int64", [DTYPE_BOOL] = "bool"};
    return names[dtype];
}

size_t dtype_size(Dtype dtype)
{
    static const size_t sizes[] = {[DTYPE_F32] = 4, [DTYPE_I64] = 8, [DTYPE_BOOL] = 1};
    return sizes[dtype];
}

bool tensor_count_of(int rank, const ptrdiff_t shape[], ptrdiff_t *count)
{
    *count = 1;
    bool empty = false, fits = true;
    for (int axis = 0; axis < rank; axis++) {
        empty = empty || shape[axis] == 0;
        fits = fits && shape[axis] >= 0 && !__builtin_mul_overflow(*count, shape[axis], count);
    }
    if (empty)
        *count = 0;
    return fits || empty;
}

ptrdiff_t tensor_count(const Tensor *tensor)
{
    ptrdiff_t count;
    bool fits = tensor_count_of(tensor->rank, tensor->shape, &count);
    assert(fits);
    return fits ? count : 0;
}

Tensor tensor_over(void *storage, Dtype dtype, int rank, const ptrdiff_t shape[])
{
    assert(rank <= TENSOR_RANK_MAX);
    Tensor tensor = {.storage.bytes = storage, .dtype = dtype, .rank = rank};
    ptrdiff_t step = 1;
    for (int axis = rank - 1; axis >= 0; axis--) {
        tensor.shape[axis] = shape[axis];
        tensor.stride[axis] = step;
        step *= shape[axis] > 1 ? shape[axis] : 1;
    }
    return tensor;
}

bool tensor_take(Arena *arena, Dtype dtype, int rank, const ptrdiff_t shape[], Tensor *out,
                 Error *err)
{
    char text[TENSOR_TEXT_MAX];
    ptrdiff_t count;
    if (!tensor_count_of(rank, shape, &count))
        return error_set(err, TELL(TENSOR_LARGE), dtype_name(dtype),
                         tensor_shape_text(rank, shape, text));
    void *storage = arena_take(arena, (size_t)count, dtype_size(dtype), err);
    if (!storage)
        return error_prefix(err, TELL(TENSOR_OF), dtype_name(dtype),
                            tensor_shape_text(rank, shape, text));
    *out = tensor_over(storage, dtype, rank, shape);
    return true;
}

bool tensor_is_contiguous(const Tensor *tensor)
{
    ptrdiff_t step = 1;
    for (int axis = tensor->rank - 1; axis >= 0; axis--) {
        if (tensor->shape[axis] == 0)
            return true;
        if (tensor->shape[axis] != 1 && tensor->stride[axis] != step)
            return false;
        step *= tensor->shape[axis];
    }
    return true;
}

bool tensor_same_shape(const Tensor *a, const Tensor *b)
{
    return a->rank == b->rank &&
           memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0;
}

ptrdiff_t tensor_place(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t place = tensor->offset;
    for (int axis = 0; axis < tensor->rank; axis++) {
        assert(at[axis] >= 0 && at[axis] < tensor->shape[axis]);
        place += at[axis] * tensor->stride[axis];
    }
    return place;
}

ptrdiff_t tensor_span(const Tensor *tensor)
{
    ptrdiff_t last = tensor->offset;
    for (int axis = 0; axis < tensor->rank; axis++)
        last += (tensor->shape[axis] - 1) * tensor->stride[axis];
    return tensor_count(tensor) > 0 ? last + 1 : 0;
}

double tensor_number(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t place = tensor_place(tensor, at);
    switch (tensor->dtype) {
    case DTYPE_F32:
        return (double)tensor->storage.f32[place];
    case DTYPE_I64:
        return (double)tensor->storage.i64[place];
    case DTYPE_BOOL:
        break;
    }
    return tensor->storage.boolean[place] ? 1.0 : 0.0;
}

// By bits, since == treats 0 and -0 as equal, and NaN as unequal to itself.
bool tensor_same_number(const Tensor *a, const Tensor *b, const ptrdiff_t at[])
{
    ptrdiff_t in_a = tensor_place(a, at), in_b = tensor_place(b, at);
    switch (a->dtype) {
    case DTYPE_F32:
        return memcmp(&a->storage.f32[in_a], &b->storage.f32[in_b], sizeof(float)) == 0 ||
               (a->storage.f32[in_a] != a->storage.f32[in_a] &&
                b->storage.f32[in_b] != b->storage.f32[in_b]);
    case DTYPE_I64:
        return a->storage.i64[in_a] == b->storage.i64[in_b];
    case DTYPE_BOOL:
        return a->storage.boolean[in_a] == b->storage.boolean[in_b];
    }
    return false;
}

bool tensor_next(const Tensor *tensor, ptrdiff_t at[])
{
    for (int axis = tensor->rank - 1; axis >= 0; axis--) {
        if (++at[axis] < tensor->shape[axis])
            return true;
        at[axis] = 0;
    }
    return false;
}

void tensor_unravel(const Tensor *tensor, ptrdiff_t number, ptrdiff_t at[])
{
    for (int axis = tensor->rank - 1; axis >= 0; axis--) {
        at[axis] = number % tensor->shape[axis];
        number /= tensor->shape[axis];
    }
}

ptrdiff_t tensor_ravel(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t number = 0;
    for (int axis = 0; axis < tensor->rank; axis++)
        number = number * tensor->shape[axis] + at[axis];
    return number;
}

Tensor tensor_transpose(const Tensor *tensor, int a, int b)
{
    assert(a < tensor->rank && b < tensor->rank);
    Tensor out = *tensor;
    out.shape[a] = tensor->shape[b];
    out.stride[a] = tensor->stride[b];
    out.shape[b] = tensor->shape[a];
    out.stride[b] = tensor->stride[a];
    return out;
}

// Splits or merges axes without moving numbers. Old axes adjacent in storage form one run; a new
// axis may split a run or merge inside it, but never join two runs.
static bool view_strides(const Tensor *tensor, int rank, const ptrdiff_t shape[],
                         ptrdiff_t stride[])
{
    int axis = rank - 1;
    ptrdiff_t run = 1, step = 0;
    for (int old = tensor->rank - 1; old >= 0; old--) {
        if (run == 1)
            step = tensor->stride[old];
        run *= tensor->shape[old];
        bool run_goes_on =
            old > 0 && (tensor->shape[old - 1] == 1 || tensor->stride[old - 1] == run * step);
        if (run_goes_on)
            continue;
        ptrdiff_t filled = 1;
        for (; axis >= 0 && (filled < run || shape[axis] == 1); axis--) {
            stride[axis] = filled * step;
            filled *= shape[axis];
        }
        if (filled != run)
            return false;
        run = 1;
    }
    return axis == -1;
}

bool tensor_view(const Tensor *tensor, int rank, const ptrdiff_t shape[], Tensor *out, Error *err)
{
    char from[TENSOR_TEXT_MAX], to[TENSOR_TEXT_MAX], strides[TENSOR_TEXT_MAX];
    ptrdiff_t count;
    if (!tensor_count_of(rank, shape, &count) || count != tensor_count(tensor))
        return error_set(err, TELL(VIEW_COUNT), tensor_shape_text(rank, shape, to),
                         tensor_shape_text(tensor->rank, tensor->shape, from),
                         tensor_count(tensor));

    Tensor view = tensor_over(tensor->storage.bytes, tensor->dtype, rank, shape);
    view.offset = tensor->offset;
    if (count > 0 && !view_strides(tensor, rank, shape, view.stride))
        return error_set(err, TELL(VIEW_STRIDES), tensor_shape_text(rank, shape, to),
                         tensor_shape_text(tensor->rank, tensor->shape, from),
                         tensor_shape_text(tensor->rank, tensor->stride, strides));
    *out = view;
    return true;
}

Tensor tensor_unsqueeze(const Tensor *tensor, int axis)
{
    assert(tensor->rank < TENSOR_RANK_MAX && axis <= tensor->rank);
    Tensor out = *tensor;
    out.rank++;
    for (int i = tensor->rank; i > axis; i--) {
        out.shape[i] = tensor->shape[i - 1];
        out.stride[i] = tensor->stride[i - 1];
    }
    out.shape[axis] = 1;
    out.stride[axis] = axis < tensor->rank ? tensor->shape[axis] * tensor->stride[axis] : 1;
    return out;
}

Tensor tensor_squeeze(const Tensor *tensor, int axis)
{
    assert(tensor->shape[axis] == 1);
    Tensor out = *tensor;
    out.rank--;
    for (int i = axis; i < out.rank; i++) {
        out.shape[i] = tensor->shape[i + 1];
        out.stride[i] = tensor->stride[i + 1];
    }
    return out;
}

bool tensor_expand(const Tensor *tensor, int rank, const ptrdiff_t shape[], Tensor *out, Error *err)
{
    Tensor wide = {
        .storage = tensor->storage, .dtype = tensor->dtype, .rank = rank, .offset = tensor->offset};
    bool fits = tensor->rank <= rank;
    for (int axis = 0; axis < rank; axis++) {
        int from = axis - (rank - tensor->rank);
        bool has = fits && from >= 0;
        wide.shape[axis] = shape[axis];
        if (has && tensor->shape[from] == shape[axis])
            wide.stride[axis] = tensor->stride[from];
        else if (has && tensor->shape[from] != 1)
            fits = false;
    }
    if (!fits) {
        char have[TENSOR_TEXT_MAX], want[TENSOR_TEXT_MAX];
        return error_set(err, TELL(NOT_BROADCAST),
                         tensor_shape_text(tensor->rank, tensor->shape, have),
                         tensor_shape_text(rank, shape, want));
    }
    *out = wide;
    return true;
}

// Copies whole rows where both lie dense.
void tensor_copy(const Tensor *from, const Tensor *to)
{
    assert(tensor_same_shape(from, to) && from->dtype == to->dtype);
    size_t size = dtype_size(from->dtype);
    const unsigned char *source = from->storage.bytes;
    unsigned char *target = to->storage.bytes;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    int last = from->rank - 1;
    bool by_row = last >= 0 && from->stride[last] == 1 && to->stride[last] == 1;
    ptrdiff_t length = by_row ? from->shape[last] : 1;
    for (bool more = tensor_count(from) > 0; more; more = tensor_next(from, at)) {
        memcpy(target + (size_t)tensor_place(to, at) * size,
               source + (size_t)tensor_place(from, at) * size, (size_t)length * size);
        if (by_row)
            at[last] = length - 1;
    }
}

const char *tensor_shape_text(int rank, const ptrdiff_t shape[], char text[TENSOR_TEXT_MAX])
{
    int used = snprintf(text, TENSOR_TEXT_MAX, "(");
    for (int axis = 0; axis < rank; axis++)
        used += snprintf(text + used, (size_t)(TENSOR_TEXT_MAX - used), "%s%td", axis ? ", " : "",
                         shape[axis]);
    snprintf(text + used, (size_t)(TENSOR_TEXT_MAX - used), rank == 1 ? ",)" : ")");
    return text;
}

// --- differences

static const float absolute = 1e-6f, relative = 1e-5f;

// The largest finite magnitude in the row of `at`.
static float row_scale(const Tensor *known, const ptrdiff_t at[])
{
    float scale = 0.0f;
    int last = known->rank - 1;
    if (last < 0)
        return scale;
    ptrdiff_t row[TENSOR_RANK_MAX] = {0};
    memcpy(row, at, (size_t)known->rank * sizeof *at);
    row[last] = 0;
    const float *number = &known->storage.f32[tensor_place(known, row)];
    for (ptrdiff_t i = 0; i < known->shape[last]; i++) {
        float size = fabsf(number[i * known->stride[last]]);
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

// Of the elements at these places in their storages.
static DifferenceKind kind_at(const Tensor *given, ptrdiff_t a, const Tensor *known, ptrdiff_t b,
                              float scale, float times)
{
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

// True if two rows of floats lie dense and have the same bits.
static bool same_row(const Tensor *given, const Tensor *known, const ptrdiff_t at[])
{
    int last = known->rank - 1;
    return given->stride[last] == 1 && known->stride[last] == 1 &&
           memcmp(&given->storage.f32[tensor_place(given, at)],
                  &known->storage.f32[tensor_place(known, at)],
                  (size_t)known->shape[last] * sizeof(float)) == 0;
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
    int last = known->rank - 1;
    ptrdiff_t a = 0, b = 0;
    difference.all = tensor_count(known);
    for (bool more = difference.all > 0; more; more = tensor_next(known, at)) {
        bool is_first = last < 0 || at[last] == 0;
        bool begins = known->dtype == DTYPE_F32 && last >= 0 && is_first;
        if (begins && same_row(given, known, at)) {
            at[last] = known->shape[last] - 1;
            continue;
        }
        if (begins)
            scale = row_scale(known, at);
        a = is_first ? tensor_place(given, at) : a + given->stride[last];
        b = is_first ? tensor_place(known, at) : b + known->stride[last];
        DifferenceKind kind = kind_at(given, a, known, b, scale, times);
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
    return kind_at(given, tensor_place(given, at), known, tensor_place(known, at), scale, 1.0f) ==
           DIFFERENCE_NONE;
}
