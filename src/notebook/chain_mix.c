// chain_mix: what weights mix, and the output that is made of it.
#include "chain_formula.h"

#include <math.h>
#include <string.h>

enum { PROBES = 12 };

// --- the context

// Rows of values that the weights mix, and the tensor that they may make.
typedef struct Mix {
    const ChainAttention *attention;
    const ChainMap *shape;
    int row;
    ChainHeads v, target; // v.at is NULL until its numbers are computed
    double largest;       // of the target
} Mix;

static double value_at(ChainFinder *finder, const Mix *mix, ptrdiff_t place)
{
    double value = mix->v.at ? mix->v.at[place] : chain_number(finder, mix->row, place);
    return value + (mix->v.bias ? mix->v.bias[place % mix->v.row] : 0.0);
}

// True if number i of weights @ v is the target's, or NaN: a fully hidden row, which is not compared.
static bool fits_at(ChainFinder *finder, const Mix *mix, ptrdiff_t i, ptrdiff_t *compared)
{
    const ChainMap *shape = mix->shape;
    ptrdiff_t e = i % mix->v.width, row = i / mix->v.width, query = row % shape->queries,
              h = row / shape->queries % shape->heads, b = row / shape->queries / shape->heads;
    double sum = 0.0;
    const double *weights = mix->attention->mixed + row * shape->keys;
    for (ptrdiff_t j = 0; j < shape->keys; j++)
        if (weights[j] != 0.0)
            sum += weights[j] *
                   value_at(finder, mix, chain_head_place(&mix->v, b, h, j) + e * mix->v.e);
    finder->work += (double)shape->keys;
    *compared += !isnan(sum);
    return isnan(sum) ||
           chain_near(finder, chain_head(&mix->target, b, h, query, e), sum, mix->largest);
}

// Compares weights @ v with a tensor, at a few elements first. Half of them at least must be numbers.
static bool is_mixed(ChainFinder *finder, Mix *mix)
{
    const ChainMap *shape = mix->shape;
    ptrdiff_t count = shape->batch * shape->heads * shape->queries * mix->v.width, compared = 0;
    for (ptrdiff_t n = 0; n < PROBES; n++)
        if (!fits_at(finder, mix, n * (count - 1) / (PROBES - 1), &compared))
            return false;
    compared = 0;
    mix->v.at = chain_numbers(finder, mix->row);
    for (ptrdiff_t i = 0; mix->v.at && i < count; i++)
        if (!fits_at(finder, mix, i, &compared))
            return false;
    return 2 * compared > count;
}

static bool try_context(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                        int target, int v, double largest)
{
    // A guess is compared in the usual way only.
    bool is_guess =
        attention->weights.tensor < 0 && attention->score_count == 0 && finder->only_v < 0;
    ChainSplit ways = is_guess ? CHAIN_IN_RUNS + 1 : CHAIN_SPLITS;
    for (ChainSplit merge = 0; merge < ways; merge++)
        for (ChainSplit split = 0; split < ways; split++) {
            Mix mix = {.attention = attention, .shape = shape, .row = v, .largest = largest};
            if (!chain_split(finder, target, merge, shape->heads, 0, &mix.target) ||
                mix.target.group != 1 ||
                !chain_split_places(finder, v, split, shape->heads, mix.target.width, &mix.v) ||
                !is_mixed(finder, &mix))
                continue;
            attention->v = v;
            attention->v_split = split;
            if (finder->rows[target].heads == 0) // others are not merged yet
                attention->merge = merge;
            return true;
        }
    return false;
}

static bool is_target(const ChainFinder *finder, int row, const ChainMap *shape)
{
    const ChainRows *rows = &finder->rows[row];
    return rows->tier == 1 && rows->skipped == 0 && rows->appended == 0 &&
           rows->batch == shape->batch && rows->length == shape->queries &&
           (rows->is_part ? rows->taker < 0 : !finder->is_explained[rows->tensor]);
}

// Of two equal contexts, the merged one is projected.
void chain_find_contexts(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                         int tiers)
{
    bool is_headed = false;
    for (int tier = 1; tier <= tiers && attention->v < 0; tier++)
        for (int target = 0; target < finder->row_count; target++) {
            if (!is_target(finder, target, shape) ||
                finder->projection_of[finder->rows[target].tensor] >= 0)
                continue;
            int tensor_number = finder->rows[target].tensor;
            const ChainTensor *tensor = &finder->tensors[tensor_number];
            double largest = tensor->largest;
            bool is_known = finder->only_v >= 0;
            for (int v = is_known ? finder->only_v : 0;
                 v < (is_known ? finder->only_v + 1 : finder->row_count) &&
                 finder->work < finder->most;
                 v++) {
                const ChainRows *rows = &finder->rows[v];
                bool fits = (is_known || rows->tier == tier) && !rows->is_part &&
                            rows->batch == shape->batch && rows->length == shape->keys &&
                            rows->tensor != finder->rows[target].tensor;
                finder->work += 10.0;
                if (!fits || !try_context(finder, attention, shape, target, v, largest))
                    continue;
                finder->is_explained[tensor_number] = true;
                finder->rows[target].taker = (int)(attention - finder->attentions);
                if (finder->rows[target].heads > 0 && attention->context_heads < 0)
                    attention->context_heads = tensor_number;
                if (attention->context < 0 || is_headed || finder->rows[target].is_part) {
                    attention->context = tensor_number;
                    is_headed = finder->rows[target].heads > 0;
                }
                break;
            }
        }
}

// --- the output

static void mix_values(const double weights[], ptrdiff_t keys, const double values[],
                       ptrdiff_t width, double made[])
{
    memset(made, 0, (size_t)width * sizeof *made);
    for (ptrdiff_t j = 0; j < keys; j++)
        if (weights[j] != 0.0)
            chain_add_times(made, weights[j], values + j * width, width);
}

static double *context_rows(ChainFinder *finder, const ChainAttention *attention,
                            const ChainMap *shape, const ChainHeads *v)
{
    ptrdiff_t width = shape->heads * v->width, rows = shape->batch * shape->heads * shape->queries;
    double *made = chain_take(finder, rows * v->width),
           *values = chain_take(finder, shape->keys * v->width),
           *mixed = chain_take(finder, v->width);
    for (ptrdiff_t row = 0; made && values && mixed && row < rows; row++) {
        ptrdiff_t i = row % shape->queries, h = row / shape->queries % shape->heads,
                  b = row / shape->queries / shape->heads;
        if (i == 0)
            chain_take_head(v, b, h, shape->keys, values);
        mix_values(attention->mixed + row * shape->keys, shape->keys, values, v->width, mixed);
        for (ptrdiff_t e = 0; e < v->width; e++) {
            ptrdiff_t flat = (h * shape->queries + i) * v->width + e,
                      runs = i * width + h * v->width + e, turn = i * width + e * shape->heads + h;
            made[b * shape->queries * width + (attention->merge == CHAIN_BY_VIEW   ? flat
                                               : attention->merge == CHAIN_IN_TURN ? turn
                                                                                   : runs)] =
                mixed[e];
        }
    }
    finder->work += 0.5 * (double)shape->count * (double)v->width;
    return made;
}

// Finds the constant row (bias) between the output and context @ W; false if rows differ.
static bool offset_of(ChainFinder *finder, const double *context, const ChainLinear *linear,
                      const ChainRows *to, double offset[])
{
    ptrdiff_t rows = to->batch * to->length;
    const ChainTensor *tensor = &finder->tensors[to->tensor];
    double largest = tensor->largest;
    ptrdiff_t compared = 0;
    for (ptrdiff_t o = 0; o < linear->out; o++) {
        bool is_first = true;
        for (ptrdiff_t row = 0; row < rows; row++) {
            double sum = chain_product(finder, context + row * linear->in, linear, o);
            if (isnan(sum))
                continue;
            double off = tensor->at[row / to->length * to->b + row % to->length * to->l + o] - sum;
            offset[o] = is_first ? off : offset[o];
            is_first = false;
            compared++;
            if (!chain_near(finder, off, offset[o], 2.0 * largest))
                return false;
        }
    }
    return (rows > 1 || linear->out > 2) && 2 * compared > rows * linear->out;
}

static ptrdiff_t shared_column(const ChainAttention *attention, const ChainLinear *v,
                               ptrdiff_t column)
{
    ptrdiff_t width = attention->width, share = attention->heads * width / v->out;
    return share > 1 ? column / width / share * width + column % width : column;
}

// What v's bias adds to a column of the output, on its way through the last layer.
static double passed_bias(const ChainFinder *finder, const ChainAttention *attention,
                          const ChainLinear *v, const double bias[], ptrdiff_t o)
{
    double sum = 0.0;
    const ChainLinear *linear = &finder->linears[attention->out_linear];
    const double *weight = chain_weight(finder, linear, o);
    for (ptrdiff_t c = 0; bias && c < linear->in; c++)
        sum += bias[shared_column(attention, v, c)] * weight[c * linear->by_in];
    return sum;
}

// Weights sum to 1, so v's bias passes through and adds to the output's. Most pairs fail in the first column.
static bool explain_offset(ChainFinder *finder, ChainAttention *attention, const ChainLinear *v,
                           const double offset[], double largest)
{
    const ChainLinear *linear = &finder->linears[attention->out_linear];
    finder->work += (double)finder->bias_count * finder->bias_count;
    for (int a = -2; a < finder->bias_count; a++) {
        int inner = a == -2 ? (v ? v->bias : -1) : a;
        const double *in = chain_bias(finder, inner);
        if (in && (!v || !chain_could_be_its(finder, inner, v)))
            continue;
        double first = passed_bias(finder, attention, v, in, 0);
        for (int b = -2; b < finder->bias_count; b++) {
            int outer = b == -2 ? linear->bias : b;
            const double *out = chain_bias(finder, outer);
            if (out && !chain_could_be_its(finder, outer, linear))
                continue;
            bool fits = chain_near(finder, offset[0], first + (out ? out[0] : 0.0), 2.0 * largest);
            for (ptrdiff_t o = 1; fits && o < linear->out; o++) {
                double sum = passed_bias(finder, attention, v, in, o) + (out ? out[o] : 0.0);
                fits = chain_near(finder, offset[o], sum, 2.0 * largest);
            }
            if (!fits)
                continue;
            attention->out_bias = outer;
            finder->rows[attention->v].bias = v ? inner : finder->rows[attention->v].bias;
            return true;
        }
    }
    return false;
}

// Only such weights leave v's bias as it is.
static bool has_shares(const ChainAttention *attention)
{
    return attention->axis <= CHAIN_KEYS && attention->form != CHAIN_NOT_DIVIDED &&
           attention->form != CHAIN_MASKED_AFTER;
}

static bool try_output(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                       const double *context, ptrdiff_t width)
{
    const ChainRows *v = &finder->rows[attention->v];
    bool is_usual = attention->v_split == CHAIN_IN_RUNS && attention->merge == CHAIN_IN_RUNS;
    // The contexts of heads that are apart were made with their biases.
    bool is_product = v->tensor < 0 && v->appended == 0 && is_usual && attention->apart == 0 &&
                      has_shares(attention);
    const ChainLinear *v_linear = is_product ? &finder->linears[v->linear] : NULL;
    ptrdiff_t made = v_linear ? v_linear->out : 0;
    if (made > 0 && made != width && (attention->heads * attention->width) % made != 0)
        return false;
    ptrdiff_t widest = 1;
    for (int i = 0; i < finder->linear_count; i++)
        widest = finder->linears[i].out > widest ? finder->linears[i].out : widest;
    double *offset = chain_take(finder, widest);
    finder->work += finder->row_count;
    bool is_guess = attention->weights.tensor < 0 && attention->score_count == 0;
    for (int target = 0; offset && target < finder->row_count; target++) {
        const ChainRows *to = &finder->rows[target];
        if (!is_target(finder, target, shape) || to->heads > 0 || to->is_part ||
            finder->projection_of[to->tensor] >= 0)
            continue;
        for (int i = 0; i < finder->linear_count; i++) {
            const ChainLinear *linear = &finder->linears[i];
            if (linear->in != width || linear->out != to->width || linear->tensor == to->tensor ||
                (is_guess && v->tensor < 0 &&
                 (v->linear == i || linear->by_columns != finder->linears[v->linear].by_columns)))
                continue;
            finder->work += 50.0;
            attention->out_linear = i;
            const ChainTensor *tensor = &finder->tensors[to->tensor];
            if (!offset_of(finder, context, linear, to, offset) ||
                !explain_offset(finder, attention, v_linear, offset, tensor->largest))
                continue;
            attention->output = to->tensor;
            finder->is_explained[to->tensor] = true;
            return true;
        }
    }
    return false;
}

static bool is_output_of(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                         const ChainHeads *v)
{
    Arena *kept = finder->arena;
    finder->arena = &finder->tried[1];
    double *context = context_rows(finder, attention, shape, v);
    bool is_it = context && try_output(finder, attention, shape, context, shape->heads * v->width);
    finder->arena = kept;
    arena_empty(&finder->tried[1]);
    return is_it;
}

static bool could_be_mixed(const ChainFinder *finder, const ChainAttention *attention,
                           const ChainMap *shape, int v, int ways)
{
    const ChainRows *rows = &finder->rows[v];
    bool is_usual = rows->tensor >= 0 || rows->bias == finder->linears[rows->linear].bias;
    bool is_odd = ways == 1 && finder->only_v < 0 &&
                  (rows->tier > 2 || !chain_go_together(finder, v, attention->q) ||
                   !chain_go_together(finder, v, attention->k) ||
                   rows->source != finder->rows[attention->k].source);
    return (finder->only_v < 0 || v == finder->only_v) && is_usual && !is_odd && !rows->is_part &&
           rows->batch == shape->batch && rows->length == shape->keys;
}

// Tries v's heads as wide as k's, or as wide as they are; groups of heads may share one.
static bool is_output_in(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                         int v, int way)
{
    ChainHeads heads, plain;
    ChainSplit split = way % CHAIN_SPLITS;
    if (!(chain_split(finder, v, split, shape->heads, attention->width, &heads) ||
          chain_split(finder, v, split, shape->heads, 0, &heads)) ||
        (way > 0 && shape->heads == 1))
        return false;
    plain = heads;
    plain.bias = way > 0 || !has_shares(attention) ? heads.bias : NULL;
    attention->v = v;
    attention->v_split = split;
    attention->merge = way / CHAIN_SPLITS;
    return is_output_of(finder, attention, shape, &plain);
}

// Finds the output without a dumped context: tries every v in the first `ways` ways to split and merge. Those that are made
// as the keys are tried first, in the usual way.
bool chain_find_output(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                       int ways)
{
    for (int pass = 0; pass < 2; pass++)
        for (int v = 0; v < finder->row_count && finder->work < finder->most; v++) {
            bool is_alike = chain_are_alike(finder, v, attention->k) &&
                            (finder->rows[v].heads == finder->rows[attention->k].heads);
            if (!could_be_mixed(finder, attention, shape, v, ways) || (pass == 0 && !is_alike))
                continue;
            for (int way = pass == 1 && is_alike; way < (pass == 0 ? 1 : ways); way++)
                if (is_output_in(finder, attention, shape, v, way))
                    return true;
        }
    attention->v = attention->out_linear = -1;
    attention->v_split = attention->merge = CHAIN_IN_RUNS;
    return false;
}

void chain_find_projected(ChainFinder *finder, ChainAttention *attention)
{
    for (int i = 0; i < finder->count && attention->context >= 0; i++) {
        const ChainProjection *made =
            finder->projection_of[i] < 0 ? NULL : &finder->projections[finder->projection_of[i]];
        if (!made || finder->rows[made->source].tensor != attention->context)
            continue;
        attention->output = i;
        attention->out_linear = made->linear;
        attention->out_bias = made->times > 0.0 ? made->bias : -1;
        finder->is_explained[i] = true;
        return;
    }
}

// The dumped context has its heads apart: tries the ways to merge them.
void chain_find_merged(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape)
{
    ChainHeads v;
    if (attention->context < 0 || attention->v < 0 || attention->output >= 0 ||
        attention->merge != CHAIN_IN_RUNS)
        return;
    const ChainRows *rows = &finder->rows[attention->v];
    ptrdiff_t width =
        finder->tensors[attention->context].count / shape->batch / shape->heads / shape->queries;
    if (!chain_split(finder, attention->v, attention->v_split, shape->heads, width, &v))
        return;
    for (ChainSplit merge = 0; merge < (shape->heads > 1 ? CHAIN_SPLITS : 1); merge++) {
        ChainHeads plain = v;
        bool is_usual = attention->v_split == CHAIN_IN_RUNS && merge == CHAIN_IN_RUNS;
        plain.bias = rows->tensor < 0 && is_usual && has_shares(attention) ? NULL : v.bias;
        attention->merge = merge;
        double *context = context_rows(finder, attention, shape, &plain);
        if (context && try_output(finder, attention, shape, context, shape->heads * width))
            return;
    }
    attention->merge = CHAIN_IN_RUNS;
    attention->out_linear = -1;
}

bool chain_take_weights(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape)
{
    if (attention->mixed)
        return true;
    double *made = chain_take(finder, shape->count);
    for (ptrdiff_t i = 0; made && i < shape->count; i++)
        made[i] =
            attention->changed ? attention->changed[i] : attention->factor * attention->products[i];
    bool is_zeroed = attention->form == CHAIN_ZEROED && attention->is_hidden;
    ChainAttention all = *attention;
    for (ptrdiff_t i = 0; made && is_zeroed && i < shape->count; i++)
        made[i] = attention->is_hidden[i] ? 0.0 : made[i];
    all.is_hidden = is_zeroed ? NULL : attention->is_hidden;
    if (made)
        chain_softmax(finder, shape, &all, made);
    const ChainScores *last = attention->scores + attention->score_count - 1;
    bool is_filled =
        attention->score_count > 0 && last->kind == CHAIN_MASKED && isfinite(last->fill);
    for (ptrdiff_t i = 0; made && is_filled && i < shape->count; i++)
        made[i] = isnan(made[i]) ? 1.0 / (double)shape->keys : made[i];
    attention->mixed = made;
    return made != NULL;
}

// No softmax: the scores themselves mix the values.
static void mix_scores(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape)
{
    const double *weights = attention->mixed;
    double *scaled = chain_take(finder, shape->count);
    if (attention->weights.tensor >= 0 || !scaled || attention->changed)
        return;
    for (ptrdiff_t n = 0; n < shape->count; n++)
        scaled[n] = attention->products[n] / sqrt((double)attention->width);
    for (int i = attention->score_count - 1; i >= -1 && attention->context < 0; i--) {
        attention->mixed = i < 0 ? scaled : attention->scores[i].map.at;
        chain_find_contexts(finder, attention, shape, 3);
        if (attention->context < 0)
            continue;
        attention->form = CHAIN_NO_SOFTMAX;
        attention->over = i;
        chain_find_projected(finder, attention);
        return;
    }
    attention->mixed = weights;
}

static void mix(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape)
{
    chain_find_contexts(finder, attention, shape, 3);
    chain_find_projected(finder, attention);
    chain_find_merged(finder, attention, shape);
    if (attention->context < 0)
        chain_find_output(finder, attention, shape, CHAIN_SPLITS * CHAIN_SPLITS);
}

// True if these weights mix a context; with `ways` to split and merge, also if they make an output.
static bool mixes_so(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                     int ways)
{
    Arena tried = {0}, *kept = finder->arena;
    finder->arena = &tried;
    attention->mixed = NULL;
    if (chain_take_weights(finder, attention, shape)) {
        chain_find_contexts(finder, attention, shape, 2);
        if (attention->context < 0 && ways > 0)
            chain_find_output(finder, attention, shape, ways);
    }
    finder->arena = kept;
    arena_finish(&tried);
    attention->mixed = NULL;
    if ((attention->context < 0 && attention->output < 0) ||
        !chain_take_weights(finder, attention, shape))
        return false;
    chain_find_projected(finder, attention);
    chain_find_merged(finder, attention, shape);
    return true;
}

// Tries other scales, axes and forms; the context alone decides, or with a known v also the output. Without scores only one
// of these is wrong at a time.
static void mix_in_other_ways(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape)
{
    const ChainAttention before = *attention;
    double width = (double)attention->width, heads = (double)attention->heads,
           last = attention->score_count > 0 ? attention->scores[attention->score_count - 1].factor
                                             : 1.0;
    int source = chain_source_of(finder, attention->q);
    double model = source < 0 ? width * heads : (double)finder->rows[source].width;
    const double factors[] = {1.0 / sqrt(width),
                              last,
                              1.0,
                              1.0 / width,
                              1.0 / sqrt(width * heads),
                              1.0 / sqrt(heads),
                              sqrt(width),
                              1.0 / sqrt(model)};
    static const struct {
        ChainForm form;
        ChainAxis axis;
    } ways[] = {{CHAIN_SOFTMAX, CHAIN_KEYS},     {CHAIN_SOFTMAX, CHAIN_QUERIES},
                {CHAIN_SOFTMAX, CHAIN_HEADS},    {CHAIN_TWICE, CHAIN_KEYS},
                {CHAIN_ZEROED, CHAIN_KEYS},      {CHAIN_NOT_DIVIDED, CHAIN_KEYS},
                {CHAIN_MASKED_AFTER, CHAIN_KEYS}};
    enum { WAYS = sizeof ways / sizeof *ways, FACTORS = sizeof factors / sizeof *factors };
    const bool *is_hidden = NULL;
    for (int number = 0; number < WAYS * (attention->changed ? 1 : FACTORS); number++)
        for (int mask = 0; chain_next_mask(finder, shape, mask, &is_hidden); mask++) {
            ChainForm form = ways[number % WAYS].form;
            bool needs_mask = form == CHAIN_ZEROED || form == CHAIN_MASKED_AFTER;
            bool is_double = finder->only_v >= 0 && number % WAYS > 0 && number / WAYS > 0;
            if (is_double || (mask > 0 ? !is_hidden : needs_mask))
                continue;
            *attention = before;
            attention->factor = attention->changed ? before.factor : factors[number / WAYS];
            attention->form = form;
            attention->axis = ways[number % WAYS].axis;
            attention->is_hidden = is_hidden;
            if (finder->work < finder->most &&
                mixes_so(finder, attention, shape, finder->only_v >= 0))
                return;
        }
    *attention = before;
}

bool chain_copies_values(const double *weights, const ChainMap *shape)
{
    for (ptrdiff_t i = 0; i < shape->count; i += shape->keys)
        if (!(chain_largest(weights + i, shape->keys) > 0.995))
            return false;
    return shape->keys > 1;
}

static bool mixes_under_masks(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                              int ways)
{
    bool found = false;
    for (int way = 0; !found && chain_next_mask(finder, shape, way, &attention->is_hidden); way++) {
        if (way > 0 && !attention->is_hidden)
            continue;
        attention->mixed = NULL;
        if (finder->work > finder->most || !chain_take_weights(finder, attention, shape))
            return false;
        found = !chain_copies_values(attention->mixed, shape) &&
                mixes_so(finder, attention, shape, ways);
    }
    return found;
}

static bool mixes_under_wrong_mask(ChainFinder *finder, ChainAttention *attention,
                                   const ChainMap *shape)
{
    for (ChainPatternKind kind = CHAIN_HIDES_EARLIER; kind < CHAIN_HIDES_OTHERS; kind++) {
        attention->is_hidden = chain_hide(finder, shape, kind);
        if (attention->is_hidden && mixes_so(finder, attention, shape, 1))
            return true;
    }
    return false;
}

bool chain_mix_named(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                     bool is_odd)
{
    attention->weights = *shape;
    attention->axis = CHAIN_KEYS;
    if (is_odd && attention->split == CHAIN_IN_RUNS) {
        mix_in_other_ways(finder, attention, shape);
        if (attention->context >= 0 || attention->output >= 0 ||
            mixes_under_wrong_mask(finder, attention, shape))
            return true;
    }
    return mixes_under_masks(finder, attention, shape, is_odd ? CHAIN_SPLITS * CHAIN_SPLITS : 1);
}

static void mix_turned(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape)
{
    const double *weights = attention->mixed;
    ptrdiff_t size = shape->keys;
    double *turned = chain_take(finder, shape->count);
    if (attention->weights.tensor < 0 || !weights || !turned || shape->queries != size)
        return;
    for (ptrdiff_t n = 0; n < shape->count; n++)
        turned[n] = weights[n / (size * size) * size * size + n % size * size + n / size % size];
    attention->mixed = turned;
    mix(finder, attention, shape);
    attention->is_mixed_turned = attention->context >= 0 || attention->output >= 0;
    attention->mixed = attention->is_mixed_turned ? turned : weights;
}

static ChainMap shape_of(const ChainAttention *attention)
{
    bool has_scores = attention->weights.tensor < 0 && attention->score_count > 0;
    ChainMap shape = has_scores ? attention->scores[0].map : attention->weights;
    shape.heads = attention->heads;
    shape.count = shape.batch * shape.heads * shape.queries * shape.keys;
    return shape;
}

static void chain_mix(ChainFinder *finder, ChainAttention *attention)
{
    ChainMap shape = shape_of(attention);
    if (attention->weights.tensor < 0 && attention->score_count > 0) {
        const ChainScores *last = &attention->scores[attention->score_count - 1];
        for (int i = 0; i < attention->score_count; i++)
            if (attention->scores[i].kind != CHAIN_PLAIN)
                last = &attention->scores[i];
        attention->factor =
            last->kind == CHAIN_PLAIN ? 1.0 / sqrt((double)attention->width) : last->factor;
        attention->is_hidden = last->kind == CHAIN_MASKED ? last->is_hidden : NULL;
    }
    // Without weights or masked scores, tries every mask, then every way to make weights.
    bool is_open = attention->weights.tensor < 0 && !attention->is_hidden && !attention->mixed;
    for (int way = 0; way == 0 || (is_open && attention->context < 0 && attention->output < 0 &&
                                   chain_next_mask(finder, &shape, way, &attention->is_hidden));
         way++) {
        if (way > 0 && !attention->is_hidden)
            continue;
        attention->mixed = is_open ? NULL : attention->mixed;
        if (!chain_take_weights(finder, attention, &shape))
            return;
        mix(finder, attention, &shape);
    }
    if (is_open && attention->context < 0 && attention->output < 0)
        mix_in_other_ways(finder, attention, &shape);
    if (!is_open && attention->context < 0 && attention->output < 0) {
        chain_find_dropped(finder, attention, &shape);
        chain_find_projected(finder, attention);
    }
    if (attention->context < 0 && attention->output < 0) {
        attention->is_hidden = is_open ? NULL : attention->is_hidden;
        attention->mixed = is_open ? NULL : attention->mixed;
        if (chain_take_weights(finder, attention, &shape))
            mix_scores(finder, attention, &shape);
    }
}

// Reads weights as (B, H, Lk, Lq): q and k change places.
static bool turn_weights(ChainFinder *finder, const ChainAttention *attention, ChainAttention *made)
{
    size_t count = (size_t)attention->weights.count;
    double *at = arena_take(finder->arena, count, sizeof *at, finder->err),
           *products = arena_take(finder->arena, count, sizeof *products, finder->err);
    bool *is_hidden = arena_take(finder->arena, count, sizeof *is_hidden, finder->err);
    if (!at || !products || !is_hidden)
        return false;
    *made = *attention;
    ChainMap *map = &made->weights;
    map->order = CHAIN_BHKQ;
    map->queries = attention->weights.keys;
    map->keys = attention->weights.queries;
    for (ptrdiff_t n = 0; n < map->count; n++) {
        ptrdiff_t j = n % map->keys, i = n / map->keys % map->queries,
                  from = (n / map->keys / map->queries * map->keys + j) * map->queries + i;
        at[n] = attention->weights.at[from];
        products[n] = attention->products[from];
        is_hidden[n] = attention->is_hidden && attention->is_hidden[from];
    }
    map->at = made->mixed = at;
    made->products = products;
    made->is_hidden = attention->is_hidden ? is_hidden : NULL;
    made->q = attention->k;
    made->k = attention->q;
    made->q_heads = attention->k_heads;
    made->k_heads = attention->q_heads;
    made->axis = CHAIN_KEYS;
    return true;
}

void chain_mix_or_turn(ChainFinder *finder, ChainAttention *attention)
{
    ChainAttention turned, plain = *attention;
    if (plain.context >= 0 || plain.output >= 0)
        return; // by names
    bool was_explained[CHAIN_TENSORS_MAX];
    memcpy(was_explained, finder->is_explained, sizeof was_explained);
    bool could_be_turned = attention->axis == CHAIN_QUERIES && attention->form == CHAIN_SOFTMAX &&
                           attention->weights.tensor >= 0 && attention->score_count == 0 &&
                           attention->q_heads.group == 1 && attention->k_heads.group == 1 &&
                           attention->q != attention->k;
    chain_mix(finder, attention);
    bool is_mixed = attention->context >= 0 || attention->output >= 0;
    if (could_be_turned && !is_mixed && turn_weights(finder, &plain, &turned)) {
        memcpy(finder->is_explained, was_explained, sizeof was_explained);
        chain_mix(finder, &turned);
        if (turned.context >= 0 || turned.output >= 0 ||
            (chain_role(finder, attention->q) == 'k' && chain_role(finder, attention->k) == 'q'))
            *attention = turned;
        else
            chain_mix(finder, attention);
    }
    ChainMap shape = shape_of(attention);
    if (attention->context < 0 && attention->output < 0)
        mix_turned(finder, attention, &shape);
}

// --- heads that are attentions of their own

bool chain_is_context(ChainFinder *finder, const ChainAttention *attention, int row)
{
    ChainMap shape = shape_of(attention);
    Mix mix = {.attention = attention,
               .shape = &shape,
               .row = attention->v,
               .largest = finder->tensors[finder->rows[row].tensor].largest};
    ChainSplit merge = finder->rows[row].heads > 0 ? CHAIN_IN_RUNS : attention->merge;
    return attention->mixed && attention->v >= 0 &&
           chain_split(finder, row, merge, shape.heads, 0, &mix.target) && mix.target.group == 1 &&
           chain_split(finder, attention->v, attention->v_split, shape.heads, mix.target.width,
                       &mix.v) &&
           is_mixed(finder, &mix);
}

bool chain_is_of_text(const ChainFinder *finder, int row, int other)
{
    int one = chain_source_of(finder, row), two = chain_source_of(finder, other);
    return one < 0 || two < 0 || finder->rows[one].tensor == finder->rows[two].tensor;
}

// True for a list of heads: attentions of one head, alike, on the same texts.
static bool are_heads_apart(const ChainFinder *finder)
{
    const ChainAttention *first = &finder->attentions[0];
    for (int i = 0; i < finder->attention_count; i++) {
        const ChainAttention *one = &finder->attentions[i];
        int map = one->weights.tensor >= 0 ? one->weights.tensor
                  : one->score_count > 0   ? one->scores[0].map.tensor
                                           : -1;
        map = map < 0 ? one->context : map;
        if (map < 0 || finder->tensors[map].rank > 3 || // with an axis of heads
            one->heads != 1 || one->width != first->width ||
            finder->rows[one->q].batch != finder->rows[first->q].batch ||
            finder->rows[one->q].length != finder->rows[first->q].length ||
            finder->rows[one->k].length != finder->rows[first->k].length ||
            !chain_is_of_text(finder, one->q, first->q) ||
            !chain_is_of_text(finder, one->k, first->k))
            return false;
    }
    return finder->attention_count > 1;
}

void chain_part_contexts(ChainFinder *finder)
{
    int heads = finder->attention_count, count = finder->row_count;
    if (!are_heads_apart(finder))
        return;
    const ChainAttention *first = &finder->attentions[0];
    for (int i = 0; i < heads; i++)
        finder->attentions[i].apart = heads;
    for (int row = 0; row < count; row++) {
        ChainRows rows = finder->rows[row];
        const ChainRows *q = &finder->rows[first->q];
        if (rows.tier != 1 || rows.heads > 0 || rows.appended > 0 || rows.batch != q->batch ||
            rows.length != q->length || rows.width != heads * first->width ||
            finder->projection_of[rows.tensor] >= 0 || finder->is_explained[rows.tensor])
            continue;
        rows.width = first->width;
        rows.is_part = true;
        rows.taker = -1;
        for (int i = 0; i < heads; i++) {
            rows.first = i * first->width;
            chain_add_rows(finder, rows);
        }
    }
}

// Finds v of a head: rows made like its keys, by the n-th weight that no q and no k uses.
static int values_of(const ChainFinder *finder, int head)
{
    const ChainAttention *one = &finder->attentions[head];
    int like = chain_linear_of(finder, one->k), before = 0;
    for (int i = 0; like >= 0 && i < finder->linear_count; i++) {
        const ChainLinear *linear = &finder->linears[i], *key = &finder->linears[like];
        bool is_free = linear->in == key->in && linear->out == key->out &&
                       linear->by_columns == key->by_columns;
        for (int n = 0; n < finder->attention_count && is_free; n++)
            is_free = chain_linear_of(finder, finder->attentions[n].q) != i &&
                      chain_linear_of(finder, finder->attentions[n].k) != i;
        if (!is_free || before++ < head)
            continue;
        for (int row = 0; row < finder->row_count; row++)
            if (chain_linear_of(finder, row) == i && !finder->rows[row].is_part &&
                chain_source_of(finder, row) == chain_source_of(finder, one->k) &&
                finder->rows[row].tier <= 2 &&
                finder->rows[row].length == finder->rows[one->k].length)
                return row;
        return -1;
    }
    return -1;
}

// The contexts of all heads side by side, or `is_stacked` on a last axis that is flattened.
static double *joined_contexts(ChainFinder *finder, bool is_stacked)
{
    ChainAttention *first = &finder->attentions[0];
    int heads = finder->attention_count;
    const ChainRows *q = &finder->rows[first->q];
    ptrdiff_t width = first->width, rows = q->batch * q->length;
    double *joined = chain_take(finder, rows * heads * width);
    for (int h = 0; joined && h < heads; h++) {
        ChainAttention *one = &finder->attentions[h];
        ChainMap shape = shape_of(one);
        ChainHeads v;
        one->v = one->v < 0 ? values_of(finder, h) : one->v;
        if (one->v < 0 || !one->mixed || !chain_split(finder, one->v, CHAIN_IN_RUNS, 1, width, &v))
            return NULL;
        const double *made = context_rows(finder, one, &shape, &v);
        for (ptrdiff_t n = 0; made && n < rows * width; n++)
            joined[n / width * heads * width +
                   (is_stacked ? n % width * heads + h : h * width + n % width)] = made[n];
    }
    return joined;
}

// The tensor of rows this wide with these numbers; -1.
static int tensor_of(ChainFinder *finder, const ChainAttention *like, const double numbers[],
                     ptrdiff_t width)
{
    ptrdiff_t count = finder->rows[like->q].batch * finder->rows[like->q].length * width;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        bool is_it = one->is_number && one->count == count && chain_width_of(one) == width &&
                     !finder->is_explained[i] && finder->projection_of[i] < 0;
        for (ptrdiff_t n = 0; n < count && is_it; n++)
            is_it = chain_near(finder, one->at[n], numbers[n], one->largest);
        finder->is_explained[i] = finder->is_explained[i] || is_it;
        if (is_it)
            return i;
    }
    return -1;
}

void chain_find_output_of_parts(ChainFinder *finder)
{
    ChainAttention *first = &finder->attentions[0];
    int heads = finder->attention_count, values[CHAIN_ATTENTIONS_MAX];
    for (int h = 0; h < heads; h++) {
        values[h] = finder->attentions[h].v;
        if (finder->attentions[h].apart == 0 || finder->attentions[h].output >= 0)
            return;
    }
    bool found = false;
    for (int is_stacked = 0; is_stacked < 2 && heads > 1 && !found; is_stacked++) {
        ChainMap shape = shape_of(first);
        const double *joined = joined_contexts(finder, is_stacked);
        if (joined && is_stacked)
            first->stacked = tensor_of(finder, first, joined, heads * first->width);
        found = joined && try_output(finder, first, &shape, joined, heads * first->width);
        first->is_stacked = found && is_stacked;
    }
    for (int h = 0; h < heads; h++) {
        ChainAttention *one = &finder->attentions[h];
        one->is_stacked = first->is_stacked;
        one->output = found ? first->output : -1;
        one->out_linear = found ? first->out_linear : -1;
        one->out_bias = found ? first->out_bias : -1;
        one->v = found ? one->v : values[h];
    }
}
