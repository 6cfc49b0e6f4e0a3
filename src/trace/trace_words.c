// Names, axes, labels and remarks of a trace, for people; see trace.h.
#include "trace_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "trace_words.def"
#include "words.h"

const char *trace_own_name(const Trace *trace, const char *name)
{
    static const char first[] = "layer0";
    size_t length = sizeof first - 1;
    bool is_first = trace->scenario->layers > 1 && strncmp(name, first, length) == 0 &&
                    (name[length] == '.' || name[length] == ' ');
    return is_first ? name + length + 1 : name;
}

int trace_find(const Trace *trace, const char *name)
{
    name = trace_own_name(trace, name);
    for (int i = 0; i < trace->tensor_count; i++)
        if (strcmp(trace->tensors[i].name, name) == 0)
            return i;
    return -1;
}

const char *trace_step_name(const Trace *trace, int number, char text[64])
{
    const TraceStep *step = &trace->steps[number];
    const char *label = step->call->label;
    int length = step->layer > 0 ? snprintf(text, 64, "layer%d ", step->layer) : 0;
    snprintf(text + length, 64 - (size_t)length, label ? "%s %s" : "%s", step->stage->name, label);
    return text;
}

int trace_find_step(const Trace *trace, const char *name)
{
    char text[64];
    for (int step = 0; step < trace->step_count; step++)
        if (strcmp(trace_step_name(trace, step, text), name) == 0)
            return step;
    return -1;
}

int trace_step_layer(const Trace *trace, int number, int *layers)
{
    const TraceStep *step = &trace->steps[number];
    *layers = trace->scenario->layers;
    return *layers > 1 && step->in_layer ? step->layer : -1;
}

const char *trace_head_name(const Trace *trace, int tensor, ptrdiff_t head, char text[32])
{
    int layers, step = trace->tensors[tensor].step;
    int layer = step < 0 ? -1 : trace_step_layer(trace, step, &layers);
    if (layer < 0)
        snprintf(text, 32, "%td", head);
    else
        snprintf(text, 32, "%d.%td", layer, head);
    return text;
}

const char *trace_settings(const Trace *trace, int number, char text[STAGE_SETTINGS_MAX])
{
    const Stage *stage = trace->steps[number].stage;
    if (!stage->settings)
        return NULL;
    stage->settings(scenario_options(trace->scenario, trace->steps[number].layer), text);
    return *text ? text : NULL;
}

// A tensor with fewer axes than it declares (a mask) has the last ones.
Symbol trace_axis_symbol(const Trace *trace, int number, int axis)
{
    const TraceTensor *tensor = &trace->tensors[number];
    if (!tensor->axes)
        return SYMBOL_COUNT;
    Symbol symbols[TRACE_WORDS_MAX];
    int count = trace_symbols(tensor->axes, symbols);
    int rank = tensor->tensor.storage.bytes ? tensor->tensor.rank : count;
    int place = axis + count - rank;
    if (place < 0 || place >= count)
        return SYMBOL_COUNT;
    Symbol symbol = symbols[place];
    bool stands_for_all = symbol < SYMBOL_COUNT && symbol != SYMBOL_PARTS &&
                          tensor->tensor.storage.bytes &&
                          tensor->tensor.shape[axis] != trace->scenario->size[symbol];
    return stands_for_all ? SYMBOL_COUNT : symbol;
}

static int axes_of(const Trace *trace, int number)
{
    const TraceTensor *tensor = &trace->tensors[number];
    Symbol symbols[TRACE_WORDS_MAX];
    if (tensor->tensor.storage.bytes || !tensor->axes)
        return tensor->tensor.rank;
    return trace_symbols(tensor->axes, symbols);
}

int trace_shape(const Trace *trace, int number, ptrdiff_t shape[TENSOR_RANK_MAX])
{
    const TraceTensor *tensor = &trace->tensors[number];
    Symbol symbols[TRACE_WORDS_MAX];
    int rank = axes_of(trace, number);
    bool planned = !tensor->tensor.storage.bytes && trace_symbols(tensor->axes, symbols) == rank;
    for (int axis = 0; axis < rank; axis++)
        shape[axis] = !planned                        ? tensor->tensor.shape[axis]
                      : symbols[axis] == SYMBOL_COUNT ? 1
                                                      : trace->scenario->size[symbols[axis]];
    return rank;
}

const char *trace_axis(const Trace *trace, int number, int axis, char text[16])
{
    if (axis < 0 || axis >= axes_of(trace, number))
        return NULL;
    Symbol symbol = trace_axis_symbol(trace, number, axis);
    if (symbol < SYMBOL_COUNT)
        snprintf(text, 16, "%s", scenario_axis_name(trace->scenario, symbol_names[symbol]));
    else
        snprintf(text, 16, "%td", trace->tensors[number].tensor.shape[axis]);
    return text;
}

const char *trace_axis_words(const Trace *trace, int number, int axis)
{
    static const struct {
        const char *name;
        Words words;
    } axes[] = {
#define AXIS(name, english, korean) {name, WORDS(english, korean)},
#include "axes.def"
#undef AXIS
    };
    char name[16];
    bool is_there = trace_axis(trace, number, axis, name) != NULL;
    for (size_t i = 0; is_there && i < sizeof axes / sizeof *axes; i++)
        if (strcmp(axes[i].name, name) == 0)
            return words_tell(axes[i].words);
    return "";
}

const char *trace_axes_text(const Trace *trace, int number, char text[TRACE_AXES_TEXT_MAX])
{
    char word[16];
    int count = axes_of(trace, number);
    snprintf(text, TRACE_AXES_TEXT_MAX, "(");
    for (int axis = 0; axis < count; axis++)
        text_add(text, TRACE_AXES_TEXT_MAX, "%s%s", axis ? ", " : "",
                 trace_axis(trace, number, axis, word));
    return text_add(text, TRACE_AXES_TEXT_MAX, count == 1 ? ",)" : ")");
}

// Copies as many whole characters of a word as fit.
static void copy_word(const char *word, char text[64])
{
    size_t length = strlen(word);
    if (length > 63)
        for (length = 63; length > 0 && ((unsigned char)word[length] & 0xc0) == 0x80;)
            length--;
    memcpy(text, word, length);
    text[length] = '\0';
}

// The word, or the id, of token l of sequence b in a tensor of ids.
static const char *id_label(const Trace *trace, int ids, ptrdiff_t b, ptrdiff_t l, char text[64])
{
    int64_t id = *tensor_id2(&trace->tensors[ids].tensor, b, l);
    bool has_word = trace->scenario->vocabulary && id >= 0 && id < trace->scenario->size[SYMBOL_V];
    if (has_word)
        copy_word(trace->scenario->vocabulary[id], text);
    else
        snprintf(text, 64, "%lld", (long long)id);
    return text;
}

static bool has_numbers(const Trace *trace, int tensor)
{
    return tensor >= 0 && trace->tensors[tensor].tensor.storage.bytes;
}

// The name of a key appended to the text's; NULL for a key of the text.
static const char *appended_label(const Trace *trace, Symbol symbol, ptrdiff_t l)
{
    const Scenario *scenario = trace->scenario;
    ptrdiff_t behind = l - scenario_text_keys(scenario);
    if ((symbol != SYMBOL_LK && symbol != SYMBOL_LB) || behind < 0)
        return NULL;
    return behind == 0 && scenario->options.add_bias_kv ? "bias_k" : "zeros";
}

// The label of a token in input_ids, counted from the first computed one; "pad" for padding.
static const char *token_label(const Trace *trace, ptrdiff_t b, ptrdiff_t l, char text[64])
{
    int ids = trace_find(trace, "input_ids"), padding = trace_find(trace, "key_padding_mask");
    bool has_ids = has_numbers(trace, ids);
    if (has_ids && padding >= 0 && *tensor_flag2(&trace->tensors[padding].tensor, b, l))
        snprintf(text, 64, "pad");
    else if (!has_ids)
        snprintf(text, 64, "%td", l);
    else
        id_label(trace, ids, b, l, text);
    return text;
}

// The label of a key; keys of a cache come first.
static const char *key_label(const Trace *trace, Symbol symbol, ptrdiff_t b, ptrdiff_t l,
                             char text[64])
{
    ptrdiff_t cached = trace->scenario->options.cached;
    int past = trace_find(trace, "past_ids");
    bool is_past =
        symbol == SYMBOL_LP || ((symbol == SYMBOL_LK || symbol == SYMBOL_LB) && l < cached);
    if (is_past && past >= 0)
        return id_label(trace, past, b, l, text);
    if (is_past)
        snprintf(text, 64, "%td", l);
    else
        token_label(trace, b, symbol == SYMBOL_LK || symbol == SYMBOL_LB ? l - cached : l, text);
    return text;
}

bool trace_counts_tokens(const Trace *trace, Symbol symbol)
{
    bool own_queries = scenario_tensor(trace->scenario, "x_query") != NULL;
    const ptrdiff_t *size = trace->scenario->size;
    own_queries = own_queries ||
                  size[SYMBOL_LQ] + trace->scenario->options.cached !=
                      scenario_text_keys(trace->scenario) || // maps of another model
                  trace_find(trace, "query_ids") >= 0;
    bool counts_keys =
        symbol == SYMBOL_LK || symbol == SYMBOL_LT || symbol == SYMBOL_LB || symbol == SYMBOL_LP;
    return symbol == SYMBOL_L || counts_keys || (symbol == SYMBOL_LQ && !own_queries);
}

const char *trace_part_name(const Scenario *scenario, ptrdiff_t number, char text[64])
{
    const StreamPart part = scenario_part(scenario, number);
    const char *const forms[] = {
        [PART_EMBEDDING] = TELL(PART_EMBEDDING),
        [PART_HEAD] = TELL(PART_HEAD),
        [PART_BIAS] = TELL(PART_BIAS),
        [PART_FEED_FORWARD] = TELL(PART_FEED_FORWARD),
        [PART_BIAS_OF_NORM] = TELL(PART_BIAS_OF_NORM),
        [PART_BIAS_OF_NORM_2] = TELL(PART_BIAS_OF_NORM_2),
        [PART_BIAS_OF_LAST_NORM] = TELL(PART_BIAS_OF_LAST_NORM),
    };
    snprintf(text, 64, forms[part.kind], part.layer, part.head);
    return text;
}

const char *trace_label(const Trace *trace, int number, int axis, const ptrdiff_t at_all[],
                        char text[64])
{
    char head[32];
    Symbol symbol = trace_axis_symbol(trace, number, axis);
    ptrdiff_t at = at_all[axis], b = 0;
    for (int other = 0; other < trace->tensors[number].tensor.rank; other++)
        if (trace_axis_symbol(trace, number, other) == SYMBOL_B)
            b = at_all[other];

    int query_ids = symbol == SYMBOL_LQ ? trace_find(trace, "query_ids") : -1;
    if (has_numbers(trace, query_ids)) // maps of another model
        return id_label(trace, query_ids, b, at, text);
    const char *appended = appended_label(trace, symbol, at);
    if (appended)
        copy_word(appended, text);
    else if (trace_counts_tokens(trace, symbol))
        key_label(trace, symbol, b, at, text);
    else if (symbol == SYMBOL_H || symbol == SYMBOL_G)
        snprintf(text, 64, TELL(LABEL_HEAD), trace_head_name(trace, number, at, head));
    else if (symbol == SYMBOL_PARTS)
        trace_part_name(trace->scenario, at, text);
    else if (symbol == SYMBOL_V && trace->scenario->vocabulary)
        snprintf(text, 64, "%s", trace->scenario->vocabulary[at]);
    else if (symbol == SYMBOL_Q && trace->scenario->questions)
        snprintf(text, 64, "%s", trace->scenario->questions[at]);
    else
        snprintf(text, 64, "%td", at);
    return text;
}

// --- elements

const char *trace_cell_name(const Trace *trace, TraceCell cell, char text[TRACE_CELL_MAX])
{
    const TraceTensor *tensor = &trace->tensors[cell.tensor];
    snprintf(text, TRACE_CELL_MAX, "%.60s[", tensor->name);
    for (int axis = 0; axis < tensor->tensor.rank; axis++)
        text_add(text, TRACE_CELL_MAX, axis ? ",%td" : "%td", cell.at[axis]);
    return text_add(text, TRACE_CELL_MAX, "]");
}

// "query \"very\"", "key pad", "token id 62"; "" for an axis without words.
static const char *axis_words(const Trace *trace, TraceCell cell, int axis, char text[96])
{
    static const Words kinds[SYMBOL_COUNT] = {
        [SYMBOL_B] = WORDS("sequence", "문장"), [SYMBOL_L] = WORDS("token", "토큰"),
        [SYMBOL_LQ] = WORDS("query", "쿼리"),   [SYMBOL_LK] = WORDS("key", "키"),
        [SYMBOL_V] = WORDS("token", "토큰"),    [SYMBOL_H] = WORDS("head", "헤드"),
        [SYMBOL_Q] = WORDS("question", "질문"), [SYMBOL_G] = WORDS("head", "헤드"),
        [SYMBOL_LT] = WORDS("key", "키"),       [SYMBOL_LB] = WORDS("key", "키"),
        [SYMBOL_LAYERS] = WORDS("layer", "층"), [SYMBOL_BLOCKS] = WORDS("block", "블록"),
        [SYMBOL_LP] = WORDS("key", "키"),       [SYMBOL_PARTS] = WORDS("part", "부분"),
    };
    char label[64];
    Symbol symbol = trace_axis_symbol(trace, cell.tensor, axis);
    const char *kind = symbol < SYMBOL_COUNT ? words_tell(kinds[symbol]) : NULL;
    text[0] = '\0';
    if (!kind || trace->tensors[cell.tensor].tensor.shape[axis] == 1)
        return text;
    trace_label(trace, cell.tensor, axis, cell.at, label);
    bool is_head = symbol == SYMBOL_H || symbol == SYMBOL_G;
    bool is_token = symbol != SYMBOL_B && symbol != SYMBOL_LAYERS && symbol != SYMBOL_Q &&
                    symbol != SYMBOL_BLOCKS && symbol != SYMBOL_PARTS && !is_head;
    bool has_ids = symbol == SYMBOL_V || trace_find(trace, "input_ids") >= 0 ||
                   (symbol == SYMBOL_LQ && trace_find(trace, "query_ids") >= 0);
    bool is_plain = strcmp(label, "pad") == 0 || appended_label(trace, symbol, cell.at[axis]);
    const char *form = !is_token || !has_ids || is_plain ? "%s %s"
                       : trace->scenario->vocabulary     ? "%s \"%s\""
                                                         : "%s id %s";
    if (is_head || symbol == SYMBOL_PARTS)
        snprintf(text, 96, "%s", label);
    else
        snprintf(text, 96, form, kind, label);
    return text;
}

const char *trace_cell_words(const Trace *trace, TraceCell cell, char text[TRACE_CELL_MAX])
{
    return trace_axes_words(trace, cell, 0, text);
}

const char *trace_axes_words(const Trace *trace, TraceCell cell, int first,
                             char text[TRACE_CELL_MAX])
{
    char words[96];
    text[0] = '\0';
    for (int axis = first; axis < trace->tensors[cell.tensor].tensor.rank; axis++)
        if (axis_words(trace, cell, axis, words)[0] &&
            strlen(text) + strlen(words) + 2 < TRACE_CELL_MAX)
            text_add(text, TRACE_CELL_MAX, "%s%s", text[0] ? ", " : "", words);
    return text;
}

const char *trace_cell_token(const Trace *trace, TraceCell cell)
{
    static const char *const of_ids[] = {"input_ids", "tokens", "targets", "past_ids", "next"};
    const TraceTensor *tensor = &trace->tensors[cell.tensor];
    bool holds_ids = false;
    for (size_t i = 0; i < sizeof of_ids / sizeof *of_ids; i++)
        holds_ids = holds_ids || strcmp(tensor->name, of_ids[i]) == 0;
    if (!holds_ids || !tensor->tensor.storage.bytes || !trace->scenario->vocabulary)
        return NULL;
    int64_t id = tensor->tensor.storage.i64[tensor_place(&tensor->tensor, cell.at)];
    return id >= 0 && id < trace->scenario->size[SYMBOL_V] ? trace->scenario->vocabulary[id] : NULL;
}

// --- remarks

static bool is_nan(float number)
{
    return isnan(number);
}

static bool row_is_all(const Tensor *tensor, ptrdiff_t at[], bool (*is)(float))
{
    for (at[tensor->rank - 1] = 0; at[tensor->rank - 1] < tensor->shape[tensor->rank - 1];
         at[tensor->rank - 1]++)
        if (!is(tensor->storage.f32[tensor_place(tensor, at)]))
            return false;
    return true;
}

static bool is_minus_infinity(float number)
{
    return isinf(number) && number < 0.0f;
}

// Counts the rows of only NaN; `first` is the index of the first one, without the last axis.
static ptrdiff_t nan_rows(const Tensor *weights, ptrdiff_t first[])
{
    int row_axis = weights->rank - 2;
    Tensor blocks = tensor_select(weights, weights->rank - 1, 0);
    ptrdiff_t rows = blocks.shape[row_axis], at[TENSOR_RANK_MAX] = {0}, count = 0;
    blocks.shape[row_axis] = 1;
    for (bool more = tensor_count(weights) > 0; more; more = tensor_next(&blocks, at)) {
        const float *row_start = &weights->storage.f32[tensor_place(&blocks, at)];
        for (ptrdiff_t row = 0; row < rows; row++) {
            ptrdiff_t place[TENSOR_RANK_MAX];
            if (!isnan(row_start[row * weights->stride[row_axis]]))
                continue; // fast, as nearly all rows start with a number
            memcpy(place, at, sizeof place);
            place[row_axis] = row;
            if (row_is_all(weights, place, is_nan) && count++ == 0) {
                memcpy(first, at, sizeof place);
                first[row_axis] = row;
            }
        }
    }
    return count;
}

bool trace_note_remark(Trace *trace, int number, const Tensor *fresh, Error *err)
{
    TraceTensor *weights = &trace->tensors[number];
    if (strcmp(weights->name, "attn_weights") != 0)
        return true;
    ptrdiff_t first[TENSOR_RANK_MAX];
    if (!weights->remark && nan_rows(fresh, first) == 0)
        return true;
    ptrdiff_t count = nan_rows(&weights->tensor, first);
    weights->remark = NULL;
    if (count == 0)
        return true;

    const TraceTensor *scores = &trace->tensors[trace->steps[weights->step].reads[0]];
    ptrdiff_t row[TENSOR_RANK_MAX];
    memcpy(row, first, sizeof row);
    bool masked = row_is_all(&scores->tensor, row, is_minus_infinity);
    char text[96] = "[";
    for (int axis = 0; axis < weights->tensor.rank - 1; axis++)
        text_add(text, sizeof text, "%td, ", first[axis]);
    text_add(text, sizeof text, ":]");
    char *remark =
        arena_format(&trace->arena, err,
                     masked       ? count == 1 ? TELL(REMARK_MASKED_ROW) : TELL(REMARK_MASKED_ROWS)
                           : count == 1 ? TELL(REMARK_INFINITE_ROW)
                                  : TELL(REMARK_INFINITE_ROWS),
                     text, count);
    if (remark)
        josa_settle(remark);
    weights->remark = remark;
    return weights->remark != NULL;
}

const char *trace_remark(const Trace *trace, int number)
{
    return trace->tensors[number].remark;
}
