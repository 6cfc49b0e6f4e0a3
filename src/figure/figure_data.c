// A tensor as sequences, heads, rows and columns; see figure_data.h.
#include "figure_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "figure.h"
#include "figure_internal.h"
#include "figure_words.def"
#include "kernel.h"
#include "number_text.h"
#include "words.h"

// --- blocks
//
// The largest number of every block, one strip of rows at a time. Uses the kernel's lanes if the block is a
// multiple of their width. A strip with NaN or infinity is done again element by element.

const PoolRange pool_nothing = {INFINITY, -INFINITY};

static float larger(float a, float b)
{
    return a > b ? a : b;
}

PoolRange pool_join(PoolRange a, PoolRange b)
{
    return (PoolRange){a.low < b.low ? a.low : b.low, larger(a.high, b.high)};
}

static float at(const Tensor *matrix, ptrdiff_t row, ptrdiff_t column)
{
    return *tensor_at2(matrix, row, column);
}

// The largest of each `block` neighbours. Inlined with a constant `block`, which unrolls the loop.
static inline __attribute__((always_inline)) void
across_of(const ptrdiff_t block, ptrdiff_t columns, const float *largest, float *out)
{
    ptrdiff_t whole = columns / block;
    for (ptrdiff_t c = 0; c < whole; c++, largest += block) {
        float most = largest[0];
        for (ptrdiff_t k = 1; k < block; k++)
            most = larger(largest[k], most);
        out[c] = most;
    }
    if (whole * block < columns)
        out[whole] = largest[0];
    for (ptrdiff_t k = 1; k < columns - whole * block; k++)
        out[whole] = larger(largest[k], out[whole]);
}

// Reduces wide blocks in steps. Overwrites `largest`.
static void reduce_across(float *largest, ptrdiff_t columns, ptrdiff_t block, float *out)
{
    while (block > 3 && block % 3 == 0) {
        across_of(3, columns, largest, largest);
        columns = pool_count(columns, 3);
        block /= 3;
    }
    if (block == 3)
        across_of(3, columns, largest, out);
    else if (block == 5)
        across_of(5, columns, largest, out);
    else if (block == 7)
        across_of(7, columns, largest, out);
    else
        across_of(block, columns, largest, out);
}

// One strip, element by element: any numbers, any strides.
static PoolRange any_strip(const Tensor *matrix, ptrdiff_t first, ptrdiff_t last,
                           ptrdiff_t block_columns, float *out)
{
    PoolRange range = pool_nothing;
    for (ptrdiff_t j = 0; j < matrix->shape[1]; j++) {
        float *largest = &out[j / block_columns];
        if (j % block_columns == 0)
            *largest = -INFINITY;
        for (ptrdiff_t i = first; i < last; i++) {
            float number = at(matrix, i, j);
            if (isnan(number) || number > *largest)
                *largest = isnan(*largest) ? *largest : number;
            if (isfinite(number))
                range = pool_join(range, (PoolRange){number, number});
        }
    }
    return range;
}

// Prefetches the start of the next rows.
static void fetch_soon(const Tensor *matrix, ptrdiff_t first, ptrdiff_t count)
{
    enum { BEGINNING = 128, CACHE_LINE = 16 };
    for (ptrdiff_t row = first; row < first + count && row < matrix->shape[0]; row++)
        for (ptrdiff_t j = 0; j < BEGINNING && j < matrix->shape[1]; j += CACHE_LINE)
            __builtin_prefetch(tensor_at2(matrix, row, j));
}

PoolRange pool_blocks(const Tensor *matrix, ptrdiff_t block_rows, ptrdiff_t block_columns,
                      float *out, float *scratch)
{
    ptrdiff_t rows = matrix->shape[0], columns = matrix->shape[1];
    ptrdiff_t across = pool_count(columns, block_columns), part = KERNEL_BLOCK_MAX;
    while (block_columns % part != 0) // the widest that the kernel supports
        part /= 2;
    bool plain = matrix->stride[1] == 1 || columns == 1, whole = part == block_columns;
    PoolRange range = pool_nothing;
    const Kernel *kernel = kernel_choose();
    for (ptrdiff_t first = 0; first < rows; first += block_rows, out += across) {
        ptrdiff_t last = first + block_rows < rows ? first + block_rows : rows;
        float *parts = whole ? out : scratch;
        KernelRows in = {tensor_at2(matrix, first, 0), last - first, columns, matrix->stride[0]};
        PoolRange strip;
        if (!plain || !kernel->blocks(&in, part, parts, &strip.low, &strip.high)) {
            strip = any_strip(matrix, first, last, block_columns, out);
        } else if (!whole) {
            fetch_soon(matrix, last, block_rows);
            reduce_across(parts, pool_count(columns, part), block_columns / part, out);
        }
        range = pool_join(range, strip);
    }
    return range;
}

PoolRange pool_range(const Tensor *matrix, float *scratch)
{
    enum { AT_ONCE = 4 };
    PoolRange range = pool_nothing;
    for (ptrdiff_t row = 0; row < matrix->shape[0]; row += AT_ONCE) {
        ptrdiff_t left = matrix->shape[0] - row;
        Tensor some = tensor_narrow(matrix, 0, row, left < AT_ONCE ? left : AT_ONCE);
        range =
            pool_join(range, pool_blocks(&some, AT_ONCE, matrix->shape[1], scratch, scratch + 1));
    }
    return range;
}

// --- marks

typedef struct MarkRow {
    DisplayMark drawn;
    const char *character;
    Words word, drawn_word;
} MarkRow;

static const MarkRow mark_rows[MATRIX_MARKS] = {
#define MARK(NAME, drawn, character, word, drawn_word) \
    [MATRIX_##NAME] = {DISPLAY_##drawn, character, word, drawn_word},
#include "matrix_marks.def"
#undef MARK
};

MatrixMark matrix_mark(MatrixMark flag, float number)
{
    if (isnan(number))
        return MATRIX_NAN;
    if (isinf(number) && flag != MATRIX_MASKED)
        return number > 0.0f ? MATRIX_INFINITY : MATRIX_MINUS_INFINITY;
    return flag;
}

bool matrix_has_number(MatrixMark mark, float number)
{
    bool is_taken_away = mark == MATRIX_MASKED || mark == MATRIX_DROPPED;
    return isfinite(number) && !(is_taken_away && number == 0.0f);
}

const char *matrix_mark_character(MatrixMark mark)
{
    return mark_rows[mark].character;
}

const char *matrix_mark_word(MatrixMark mark)
{
    return words_tell(mark_rows[mark].word);
}

DisplayMark matrix_mark_drawn(MatrixMark mark)
{
    return mark_rows[mark].drawn;
}

const char *matrix_drawn_word(DisplayMark drawn)
{
    int mark = 0;
    while (mark + 1 < MATRIX_MARKS && mark_rows[mark].drawn != drawn)
        mark++;
    return words_tell(mark_rows[mark].drawn_word);
}

// --- blocks

void matrix_add(MatrixBlock *block, float number, MatrixMark flag)
{
    bool has_nan = isnan(number) || isnan(block->number);
    bool shows = has_nan           ? isnan(number)
                 : block->farthest ? fabsf(number) > fabsf(block->number)
                                   : number > block->number;
    if (!block->has_cell || shows)
        block->number = number;
    if (!block->has_cell || flag < block->flag)
        block->flag = flag;
    block->has_cell = true;
}

// --- ranges

PoolRange matrix_widen(PoolRange range, float number)
{
    return isfinite(number) ? pool_join(range, (PoolRange){number, number}) : range;
}

PoolRange matrix_around_zero(PoolRange range)
{
    if (range.low > range.high)
        return range;
    float end = fmaxf(fabsf(range.low), fabsf(range.high));
    return (PoolRange){-end, end};
}

float matrix_round_end(float end)
{
    static const double round[] = {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0};
    if (end >= 0.5f && end <= 1.0f)
        return 1.0f;
    if (!(end > 0.0f) || isinf(end))
        return end;
    double ten = pow(10.0, floor(log10((double)end)));
    int i = 0;
    while (i < 9 && round[i] * ten < (double)end * (1.0 - 1e-6))
        i++;
    return (float)(round[i] * ten);
}

// --- heads picked to be shown together

static bool can_be(ptrdiff_t head)
{
    return head >= 0 && head < FIGURE_HEADS_MAX;
}

bool figure_heads_any(const FigureHeads *heads)
{
    uint64_t any = 0;
    for (int word = 0; word < FIGURE_HEADS_WORDS; word++)
        any |= heads->bits[word];
    return any != 0;
}

bool figure_heads_has(const FigureHeads *heads, ptrdiff_t head)
{
    return can_be(head) && (heads->bits[head / 64] >> head % 64 & 1) != 0;
}

void figure_heads_put(FigureHeads *heads, ptrdiff_t head, bool in)
{
    uint64_t bit = (uint64_t)1 << head % 64;
    if (!can_be(head))
        return;
    heads->bits[head / 64] = in ? heads->bits[head / 64] | bit : heads->bits[head / 64] & ~bit;
}

bool figure_heads_read(FigureHeads *heads, const char *words, Error *err)
{
    FigureHeads read = {.bits = {0}};
    const char *at = words;
    char *end;
    if (strcmp(words, "all") == 0) {
        *heads = read;
        return true;
    }
    for (bool more = true; more; at = end + 1) {
        long head = strtol(at, &end, 10), last = head;
        bool well = end != at;
        if (well && *end == '-') {
            at = end + 1;
            last = strtol(at, &end, 10);
            well = end != at && last >= head;
        }
        if (!well || !can_be(head) || !can_be(last) || (*end != ',' && *end != '\0'))
            return error_set(err, TELL(HEADS_FORM), words);
        for (; head <= last; head++)
            figure_heads_put(&read, head, true);
        more = *end == ',';
    }
    *heads = read;
    return true;
}

ptrdiff_t figure_heads_count(const FigureHeads *heads, ptrdiff_t count)
{
    ptrdiff_t picked = 0;
    for (ptrdiff_t head = 0; head < count; head++)
        picked += figure_heads_has(heads, head);
    return picked;
}

const char *figure_heads_text(const FigureHeads *heads, ptrdiff_t count, char text[64])
{
    enum { MANY = 8 };
    ptrdiff_t picked = figure_heads_count(heads, count);
    bool most = picked > MANY && picked < count && 2 * picked > count;
    size_t used = (size_t)snprintf(text, 64, "%s", most ? TELL(HEADS_BUT) : "");
    const char *comma = "";
    for (ptrdiff_t head = 0; head < count && used < 64 - 16; head++)
        if (figure_heads_has(heads, head) != most) {
            used += (size_t)snprintf(text + used, 64 - used, "%s%td", comma, head);
            comma = ", ";
            picked -= !most;
        }
    bool cut = most ? used >= 64 - 16 : picked > 0;
    snprintf(text + used, 64 - used, "%s", cut ? " ..." : "");
    return text;
}

// --- the data

static bool is_axis(const FigureData *data, int axis, const char *name)
{
    char word[16];
    const char *own = trace_axis(data->trace, data->tensor, axis, word);
    return strcmp(own ? own : "", name) == 0;
}

// True if the tensor is the attention maps of another program.
static bool is_given(const Trace *trace, int number)
{
    const char *maps = trace->scenario->maps;
    return maps && strcmp(maps, trace->tensors[number].name) == 0;
}

// The slot of the step that writes a tensor; NULL for inputs.
static const Slot *slot_of(const Trace *trace, int number)
{
    const TraceTensor *tensor = &trace->tensors[number];
    return tensor->step < 0 ? NULL : &trace->steps[tensor->step].call->writes[tensor->slot];
}

static bool is_there(const Trace *trace, int number)
{
    return number >= 0 && trace->tensors[number].tensor.storage.bytes != NULL;
}

// Expands the tensor to [sequences, heads, rows, columns]. A broadcast axis, as of a mask, is not counted.
static void spread(FigureData *data)
{
    const Tensor *tensor = &data->trace->tensors[data->tensor].tensor;
    int rank = tensor->rank, maps = rank - 3;
    data->values = *tensor;
    data->hidden_axes = 4 - rank;
    data->batch_is_layers = rank >= 3 && is_axis(data, 0, "layers");
    data->has_batch = rank == 4 || (rank == 3 && (is_axis(data, 0, "B") || data->batch_is_layers));
    bool has_maps = rank == 4 || (rank == 3 && !data->has_batch);
    data->has_heads = has_maps && !is_axis(data, maps, "1");
    if (rank == 3 && data->has_batch)
        data->values = tensor_unsqueeze(&data->values, 1);
    while (data->values.rank < 4)
        data->values = tensor_unsqueeze(&data->values, 0);
}

// Names the maps. Before heads are moved to the front, and after they are moved back, a map belongs to a
// token.
static void name_maps(FigureData *data)
{
    static const struct {
        const char *axis;
        Words one, many;
    } names[] = {
        {"H", WORDS("head", "헤드"), WORDS("heads", "헤드")},
        {"G", WORDS("head", "헤드"), WORDS("heads", "헤드")}, // of keys and values
        {"Q", WORDS("question", "질문"), WORDS("questions", "질문")},
        {"Lq", WORDS("query", "쿼리"), WORDS("queries", "쿼리")},
        {"Lk", WORDS("key", "키"), WORDS("keys", "키")},
        {"Lt", WORDS("key", "키"), WORDS("keys", "키")}, // of the text, before keys are appended
        {"Ln", WORDS("key", "키"), WORDS("keys", "키")},
        {"Lp", WORDS("key", "키"), WORDS("keys", "키")},
        {"", WORDS("map", "맵"), WORDS("maps", "맵")},
    };
    int kind = 0;
    while (data->has_heads && names[kind].axis[0] != '\0' &&
           !is_axis(data, 1 - data->hidden_axes, names[kind].axis))
        kind++;
    data->map = words_tell(names[kind].one);
    data->maps = words_tell(names[kind].many);
    data->map_key = names[kind].one.in[LANGUAGE_ENGLISH];
    data->maps_are_heads = kind <= 1;
}

// Finds the mask and padding of scores and weights. Scores before the mask are complete: nothing is hidden
// yet.
static void find_marks(FigureData *data)
{
    const Trace *trace = data->trace;
    int mask = trace_find(trace, "attn_mask"), padding = trace_find(trace, "key_padding_mask");
    Error err;
    if (is_there(trace, mask) && mask != data->tensor &&
        !trace_is_before_mask(trace, data->tensor)) {
        Tensor small = trace->tensors[mask].tensor;
        if (small.rank == 3 && !data->has_heads)
            small = tensor_unsqueeze(&small, 1);
        if (!tensor_expand(&small, 4, data->values.shape, &data->masked, &err))
            data->masked.storage.bytes = NULL;
        if (data->masked.storage.bytes)
            data->hidden = trace_hidden(trace, data->tensor, &data->values);
    }
    Tensor added = trace_forbidding(trace, data->tensor);
    if (added.rank == 3 && !data->has_heads)
        added = tensor_unsqueeze(&added, 1);
    if (added.storage.bytes &&
        !tensor_expand(&added, 4, data->values.shape, &data->forbidding, &err))
        data->forbidding.storage.bytes = NULL;
    data->keys = data->values.shape[3] - trace->scenario->options.add_bias_kv -
                 trace->scenario->options.add_zero_attn;
    if (is_there(trace, padding) && trace->tensors[padding].tensor.rank == 2 &&
        trace->tensors[padding].tensor.shape[1] == data->keys)
        data->padding = trace->tensors[padding].tensor;
    data->rows_are_tokens = scenario_tensor(trace->scenario, "x_query") == NULL &&
                            trace_find(trace, "query_ids") < 0 &&
                            data->values.shape[2] == data->keys;
}

// The words of rows, if they decide which rows are pale.
static void find_ids(FigureData *data)
{
    const Trace *trace = data->trace;
    int ids = trace_find(trace, "input_ids");
    bool is_of_heads = data->rows_are_tokens && data->has_heads && data->maps_are_heads &&
                       data->values.shape[1] == trace->scenario->size[SYMBOL_H];
    if (trace->scenario->asked && is_of_heads && is_there(trace, ids))
        data->ids = trace->tensors[ids].tensor;
}

// Finds the softmax of the tensor's layer.
static void find_softmax(FigureData *data)
{
    int layer = data->trace->tensors[data->tensor].layer;
    data->scores_before = data->weights_after = -1;
    if (data->trace->tensors[data->tensor].is_difference)
        return;
    for (int i = 0; i < data->trace->step_count; i++) {
        const TraceStep *step = &data->trace->steps[i];
        bool is_read = is_there(data->trace, step->reads[0]);
        const Slot *read = is_read ? slot_of(data->trace, step->reads[0]) : NULL;
        // It turns other numbers into shares; stages after it do not.
        if (step->layer != layer || !step->call->writes[0].sums_to_one || !read ||
            read->sums_to_one)
            continue;
        data->scores_before = step->reads[0];
        data->weights_after = is_there(data->trace, step->writes[0]) ? step->writes[0] : -1;
    }
}

bool figure_data(const Trace *trace, const FigureRequest *request, FigureData *data, Error *err)
{
    const TraceTensor *tensor = &trace->tensors[request->tensor];
    *data = (FigureData){.trace = trace, .tensor = request->tensor};
    if (!is_there(trace, request->tensor))
        return error_set(err, TELL(FIGURE_NOT_YET), tensor->name,
                         tensor->step >= 0 ? trace->steps[tensor->step].stage->name : "it");
    if (tensor->tensor.rank > 4)
        return error_set(err, TELL(FIGURE_AXES), tensor->name, tensor->tensor.rank);
    if (tensor_count(&tensor->tensor) == 0)
        return error_set(err, TELL(FIGURE_EMPTY), tensor->name);
    spread(data);
    name_maps(data);
    ptrdiff_t batches = data->values.shape[0];
    if (request->batch < 0 || request->batch >= batches)
        return error_set(err,
                         data->batch_is_layers ? TELL(FIGURE_LAYERS)
                         : batches == 1        ? TELL(FIGURE_ONE_SEQUENCE)
                                               : TELL(FIGURE_SEQUENCES),
                         tensor->name, batches, request->batch);
    if (request->head < 0 || request->head >= data->values.shape[1])
        return error_set(err, TELL(FIGURE_NO_MAP), tensor->name, data->values.shape[1],
                         data->values.shape[1] == 1 ? data->map : data->maps, data->map,
                         request->head);

    const Slot *slot = slot_of(trace, data->tensor);
    data->is_attention = tensor->tensor.rank >= 2 && is_axis(data, tensor->tensor.rank - 1, "Lk") &&
                         (slot || is_given(trace, data->tensor));
    data->is_weights = data->is_attention && !tensor->is_difference && (!slot || slot->sums_to_one);
    if (data->is_attention) {
        find_marks(data);
        find_ids(data);
    }
    find_softmax(data);
    bool is_given = data->is_weights && trace->scenario->maps;
    data->is_distribution = is_given || (data->is_weights && data->weights_after == data->tensor);
    data->is_given = is_given || (data->is_distribution && trace->scenario->formula_count > 0);
    return true;
}

static ptrdiff_t place_of(const Tensor *tensor, ptrdiff_t batch, FigureCell cell)
{
    const ptrdiff_t *stride = tensor->stride;
    return tensor->offset + batch * stride[0] + cell.head * stride[1] + cell.row * stride[2] +
           cell.column * stride[3];
}

float figure_number(const FigureData *data, ptrdiff_t batch, FigureCell cell)
{
    const Tensor *values = &data->values;
    if (cell.head >= 0) {
        ptrdiff_t place = place_of(values, batch, cell);
        return values->dtype == DTYPE_F32   ? values->storage.f32[place]
               : values->dtype == DTYPE_I64 ? (float)values->storage.i64[place]
                                            : (float)values->storage.boolean[place];
    }
    float sum = 0.0f;
    for (cell.head = 0; cell.head < values->shape[1]; cell.head++)
        sum += figure_number(data, batch, cell);
    return sum / (float)values->shape[1];
}

const float *figure_numbers_from(const FigureData *data, ptrdiff_t batch, FigureCell cell,
                                 ptrdiff_t *step)
{
    *step = data->values.stride[3];
    return cell.head >= 0 && data->values.dtype == DTYPE_F32
               ? data->values.storage.f32 + place_of(&data->values, batch, cell)
               : NULL;
}

const char *figure_number_in_full(const FigureData *data, ptrdiff_t batch, FigureCell cell,
                                  char text[64])
{
    if (cell.head >= 0 && data->values.dtype == DTYPE_I64)
        snprintf(text, 64, "%" PRId64,
                 data->values.storage.i64[place_of(&data->values, batch, cell)]);
    else
        number_full_text(figure_number(data, batch, cell), text);
    return isnan(figure_number(data, batch, cell)) ? "NaN" : text;
}

bool figure_has_masked(const FigureData *data)
{
    return data->masked.storage.bytes || data->forbidding.storage.bytes;
}

bool figure_is_masked(const FigureData *data, ptrdiff_t batch, FigureCell cell)
{
    ptrdiff_t head = cell.head < 0 ? 0 : cell.head, at[4] = {batch, head, cell.row, cell.column};
    ptrdiff_t last =
        cell.head < 0 ? data->values.shape[1] - 1 : cell.head;    // the mean needs all heads
    while (at[1] <= last && trace_forbids(&data->forbidding, at)) // a mask of numbers
        at[1]++;
    if (at[1] > last)
        return true;
    at[1] = head;
    if (!data->masked.storage.bytes ||
        !data->masked.storage.boolean[tensor_place(&data->masked, at)])
        return false;
    while (at[1] <= last && trace_hides(&data->hidden, at))
        at[1]++;
    return at[1] > last;
}

ptrdiff_t figure_visible_keys(const FigureData *data, ptrdiff_t batch, ptrdiff_t head,
                              ptrdiff_t row)
{
    ptrdiff_t keys = data->values.shape[3], hidden = 0, at[4] = {batch, head, row, 0};
    const Tensor *masked = &data->masked, *added = &data->forbidding;
    const unsigned char *flags =
        masked->storage.bytes ? masked->storage.boolean + tensor_place(masked, at) : NULL;
    const float *numbers =
        added->storage.bytes ? added->storage.f32 + tensor_place(added, at) : NULL;
    for (ptrdiff_t key = 0; key < keys && (flags || numbers); key++)
        hidden += (flags && flags[key * masked->stride[3]]) ||
                  (numbers && numbers[key * added->stride[3]] == -INFINITY);
    return keys - hidden;
}

bool figure_has_shares(const FigureData *data)
{
    return data->is_weights && figure_has_masked(data);
}

bool figure_shares_differ(const FigureData *data, ptrdiff_t batch)
{
    bool differ = false;
    for (ptrdiff_t row = 1; figure_has_shares(data) && row < data->values.shape[2]; row++)
        differ = differ || figure_visible_keys(data, batch, 0, row) !=
                               figure_visible_keys(data, batch, 0, row - 1);
    return differ;
}

bool figure_row_is_padding(const FigureData *data, ptrdiff_t batch, ptrdiff_t row)
{
    return data->padding.storage.bytes && data->rows_are_tokens &&
           *tensor_flag2(&data->padding, batch, row);
}

bool figure_row_is_asked(const FigureData *data, ptrdiff_t batch, ptrdiff_t head, ptrdiff_t row)
{
    if (!data->ids.storage.bytes)
        return true;
    const Scenario *scenario = data->trace->scenario;
    int64_t id = *tensor_id2(&data->ids, batch, row);
    bool asked = head >= 0 && scenario_is_asked(scenario, head, row, id);
    for (ptrdiff_t any = 0; head < 0 && any < data->values.shape[1]; any++)
        asked = asked || scenario_is_asked(scenario, any, row, id);
    return asked;
}

bool figure_has_pale_rows(const FigureData *data, ptrdiff_t batch, ptrdiff_t head)
{
    bool pale = false;
    for (ptrdiff_t row = 0; data->ids.storage.bytes && row < data->values.shape[2]; row++)
        pale = pale || !figure_row_is_asked(data, batch, head, row);
    return pale;
}

bool figure_is_padded(const FigureData *data, ptrdiff_t batch, FigureCell cell)
{
    bool is_token =
        data->padding.storage.bytes && cell.column < data->keys; // appended keys are never padding
    return (is_token && *tensor_flag2(&data->padding, batch, cell.column)) ||
           figure_row_is_padding(data, batch, cell.row);
}

MatrixMark figure_flag(const FigureData *data, ptrdiff_t batch, FigureCell cell)
{
    return figure_is_masked(data, batch, cell)   ? MATRIX_MASKED
           : figure_is_padded(data, batch, cell) ? MATRIX_PADDED
                                                 : MATRIX_PLAIN;
}

bool figure_is_computed(const FigureData *data, const FigureRequest *request, FigureCell cell)
{
    const ptrdiff_t *shape = data->values.shape;
    ptrdiff_t head = cell.head < 0 ? shape[1] - 1 : cell.head;
    ptrdiff_t number =
        ((request->batch * shape[1] + head) * shape[2] + cell.row) * shape[3] + cell.column;
    return request->computed < 0 || number < request->computed;
}

// --- words

static const char *label(const FigureData *data, const ptrdiff_t at[4], int axis, char text[64])
{
    ptrdiff_t own[TENSOR_RANK_MAX] = {0};
    int rank = data->trace->tensors[data->tensor].tensor.rank;
    for (int i = 0; i < rank; i++)
        own[i] = at[i + 4 - rank];
    if (rank == 3 && data->has_batch)
        own[0] = at[0];
    if (axis < data->hidden_axes) {
        snprintf(text, 64, "0");
        return text;
    }
    return trace_label(data->trace, data->tensor, axis - data->hidden_axes, own, text);
}

const char *figure_row_label(const FigureData *data, ptrdiff_t batch, ptrdiff_t row, char text[64])
{
    return label(data, (ptrdiff_t[]){batch, 0, row, 0}, 2, text);
}

const char *figure_column_label(const FigureData *data, ptrdiff_t batch, ptrdiff_t column,
                                char text[64])
{
    return label(data, (ptrdiff_t[]){batch, 0, 0, column}, 3, text);
}

const char *figure_head_number(const FigureData *data, ptrdiff_t head, char text[32])
{
    if (data->maps_are_heads)
        return trace_head_name(data->trace, data->tensor, head, text);
    snprintf(text, 32, "%td", head);
    return text;
}

const char *figure_map_name(const FigureData *data, ptrdiff_t batch, ptrdiff_t head, char text[160])
{
    char word[64], number[32];
    if (head < 0) {
        snprintf(text, 160, TELL(MEAN_OF), data->values.shape[1],
                 data->values.shape[1] == 1 ? data->map : data->maps);
    } else if (!data->has_heads) {
        snprintf(text, 160, "%s", data->trace->tensors[data->tensor].name);
    } else {
        figure_head_number(data, head, number);
        label(data, (ptrdiff_t[]){batch, head, 0, 0}, 1, word);
        bool says_more = !data->maps_are_heads && strcmp(word, number) != 0;
        snprintf(text, 160, "%s %s%s%s", data->map, number, says_more ? "  " : "",
                 says_more ? word : "");
    }
    return text;
}

const char *figure_axis_words(const FigureData *data, int axis)
{
    int own = axis - data->hidden_axes; // a broadcast axis has nothing to count
    return own < 0 || is_axis(data, own, "1") ? ""
                                              : trace_axis_words(data->trace, data->tensor, own);
}

FigureRow figure_row(const FigureData *data, ptrdiff_t batch, FigureCell cell)
{
    float own = figure_number(data, batch, cell);
    FigureRow row = {.rank = isnan(own) ? 0 : 1};
    for (cell.column = 0; cell.column < data->values.shape[3]; cell.column++) {
        double number = figure_number(data, batch, cell);
        row.sum += number;
        row.entropy -= number > 0.0 ? number * log2(number) : number * 0.0;
        row.rank += !isnan(own) && number > own;
    }
    return row;
}

// --- ranges of colours

PoolRange figure_signed_range(const FigurePen *pen, PoolRange range)
{
    return pen->request->map == COLOUR_DIVERGING ? matrix_around_zero(range) : range;
}

float figure_round_end(const FigurePen *pen, float end)
{
    return pen->data.is_weights ? matrix_round_end(end) : end;
}

PoolRange figure_round_range(const FigurePen *pen, PoolRange range)
{
    if (!pen->data.is_weights || range.low > range.high)
        return range;
    float low = range.low < 0.0f ? -matrix_round_end(-range.low) : 0.0f;
    return (PoolRange){low, matrix_round_end(range.high)};
}

// True if all heads share a scale. If nothing is masked, EVEN is the same as ALL.
bool figure_scale_is_of_all(const FigurePen *pen)
{
    return pen->request->scale == FIGURE_SCALE_ALL || pen->request->scale == FIGURE_SCALE_EVEN;
}

PoolRange figure_range(const FigurePen *pen, const FigureMap *map)
{
    const PoolRange *ranges = pen->cache->ranges.memory;
    PoolRange range = pen->request->scale == FIGURE_SCALE_UNIT ? (PoolRange){0.0f, 1.0f}
                      : figure_scale_is_of_all(pen)            ? pen->cache->all
                                                               : ranges[map - pen->figure->maps];
    if (pen->request->ends && figure_scale_is_of_all(pen))
        range = pool_join(range, *pen->request->ends);
    if (figure_scale_is_of_all(pen))
        range = figure_round_range(pen, range);
    return figure_signed_range(pen, range);
}

PoolRange figure_rows_range(const FigurePen *pen, ptrdiff_t head, ptrdiff_t row, ptrdiff_t rows)
{
    PoolRange range = pool_nothing;
    FigureCell cell = {head, row, 0};
    ptrdiff_t columns = pen->data.values.shape[3], batch = pen->request->batch, step;
    if (rows > pen->data.values.shape[2] - row)
        rows = pen->data.values.shape[2] - row;
    for (; cell.row < row + rows; cell.row++) {
        const float *numbers = figure_numbers_from(&pen->data, batch, cell, &step);
        for (ptrdiff_t column = 0; numbers && column < columns; column++)
            range = matrix_widen(range, numbers[column * step]);
        for (cell.column = 0; !numbers && cell.column < columns; cell.column++)
            range = matrix_widen(range, figure_number(&pen->data, batch, cell));
        cell.column = 0;
    }
    return figure_signed_range(pen, range);
}

bool figure_scale_is_even(const FigurePen *pen)
{
    return pen->request->scale == FIGURE_SCALE_EVEN && figure_has_shares(&pen->data);
}

// --- a cell in words

// "key 3 (is)", or "key 3" if the label is the number.
static void name_place(char text[128], const char *axis, ptrdiff_t at, const char *label)
{
    char number[32];
    snprintf(number, sizeof number, "%td", at);
    if (strcmp(label, number) == 0)
        snprintf(text, 128, "%s %s", axis, number);
    else
        snprintf(text, 128, TELL(CELL_PLACE), axis, number, label);
}

const char *figure_cell_name(const FigureData *data, ptrdiff_t batch, FigureCell cell,
                             char text[FIGURE_CELL_NAME_MAX])
{
    char label[64], row[128], column[128];
    bool attention = data->is_attention;
    name_place(row, attention ? TELL(READ_QUERY) : TELL(READ_ROW), cell.row,
               figure_row_label(data, batch, cell.row, label));
    name_place(column, attention ? TELL(READ_KEY) : TELL(READ_COLUMN), cell.column,
               figure_column_label(data, batch, cell.column, label));
    snprintf(text, FIGURE_CELL_NAME_MAX, "%s, %s", row, column);
    return text;
}

// --- the cell with the most to show

// Searches a row. Only numbers above `most` need a closer look.
static bool search_row(const FigureData *data, const FigureRequest *request, FigureCell *best,
                       float *most)
{
    FigureCell cell = *best;
    ptrdiff_t step;
    const float *numbers = figure_numbers_from(data, request->batch, cell, &step);
    bool found = false;
    for (; cell.column < data->values.shape[3]; cell.column++) {
        float number =
            numbers ? numbers[cell.column * step] : figure_number(data, request->batch, cell);
        if (!(number > *most) || !figure_is_computed(data, request, cell) ||
            figure_is_masked(data, request->batch, cell) ||
            figure_is_padded(data, request->batch, cell) ||
            !figure_row_is_asked(data, request->batch, cell.head, cell.row))
            continue;
        *best = cell;
        *most = number;
        found = true;
    }
    return found;
}

bool figure_largest(const FigureData *data, const FigureRequest *request, ptrdiff_t head,
                    FigureCell *cell, float *most)
{
    bool shares = request->scale == FIGURE_SCALE_EVEN && figure_has_shares(data), found = false;
    ptrdiff_t of = head > 0 ? head : 0; // whose mask counts
    for (ptrdiff_t row = 0; row < data->values.shape[2]; row++) {
        if (figure_row_is_padding(data, request->batch, row))
            continue;
        FigureCell best = {.head = head, .row = row};
        float even = shares ? (float)figure_visible_keys(data, request->batch, of, row) : 1.0f;
        float least = *most / even;
        if (!search_row(data, request, &best, &least))
            continue;
        *cell = best;
        *most = least * even;
        found = true;
    }
    return found;
}
