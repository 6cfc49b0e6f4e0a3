// chain_drop: dropout after the weights were dumped. Tries for each row which weights are left.
#include "chain_internal.h"

#include <math.h>

enum { KEYS_MOST = 12, WIDTH_MOST = 256, RATES = 8 };

// The context to reach, and its tolerance.
typedef struct Mixed {
    const double *at;
    ptrdiff_t b, h, l, e;
    double off;
} Mixed;

typedef struct Row {
    ptrdiff_t count, width; // of keys that have a weight
    double weight[KEYS_MOST];
    double values[KEYS_MOST][WIDTH_MOST], is[WIDTH_MOST];
} Row;

static bool take_row(const ChainAttention *attention, const ChainMap *shape, const ChainHeads *v,
                     const Mixed *mixed, const ptrdiff_t at[3], Row *row)
{
    const double *weights =
        attention->mixed + ((at[0] * shape->heads + at[1]) * shape->queries + at[2]) * shape->keys;
    row->count = 0;
    row->width = v->width;
    for (ptrdiff_t j = 0; j < shape->keys; j++) {
        if (!(weights[j] > 1e-4))
            continue;
        if (row->count == KEYS_MOST)
            return false;
        row->weight[row->count] = weights[j];
        for (ptrdiff_t e = 0; e < v->width; e++)
            row->values[row->count][e] = chain_head(v, at[0], at[1], j, e);
        row->count++;
    }
    for (ptrdiff_t e = 0; e < v->width; e++)
        row->is[e] =
            mixed->at[at[0] * mixed->b + at[1] * mixed->h + at[2] * mixed->l + e * mixed->e];
    return true;
}

// Finds a subset of the weights, times `scale`, that makes the row. Returns how many are dropped; -1: none does.
static ptrdiff_t taken(ChainFinder *finder, const Row *row, double scale, double off)
{
    double sum[WIDTH_MOST] = {0.0};
    unsigned kept = 0;
    ptrdiff_t left = 0;
    for (unsigned n = 0;; n++) { // one weight comes or goes at a time (Gray code)
        bool fits = true;
        for (ptrdiff_t e = 0; e < row->width && fits; e++)
            fits = fabs(scale * sum[e] - row->is[e]) <= off;
        finder->work += 2.0 * (double)row->width;
        if (fits)
            return row->count - left;
        if (n + 1 == 1u << row->count || finder->work > finder->most)
            return -1;
        int bit = 0;
        while (((n + 1) >> bit & 1u) == 0)
            bit++;
        kept ^= 1u << bit;
        bool comes = kept >> bit & 1u;
        left += comes ? 1 : -1;
        for (ptrdiff_t e = 0; e < row->width; e++)
            sum[e] += (comes ? 1.0 : -1.0) * row->weight[bit] * row->values[bit][e];
    }
}

static bool is_dropped_at(ChainFinder *finder, const ChainAttention *attention,
                          const ChainMap *shape, const ChainHeads *v, const Mixed *mixed,
                          double rate)
{
    static Row row; // too large for a small stack
    ptrdiff_t count = shape->batch * shape->heads * shape->queries, all = 0;
    for (ptrdiff_t n = 0; n < count && finder->work < finder->most; n++) {
        ptrdiff_t at[3] = {n / shape->queries / shape->heads, n / shape->queries % shape->heads,
                           n % shape->queries},
                  lost = -1;
        if (take_row(attention, shape, v, mixed, at, &row))
            lost = taken(finder, &row, 1.0 / (1.0 - rate), mixed->off);
        if (lost < 0)
            return false;
        all += lost;
    }
    return all > 0 && finder->work < finder->most;
}

static bool is_dropped(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                       int value, const Mixed *mixed)
{
    static const double rates[RATES] = {0.1, 0.2, 0.5, 0.3, 0.25, 0.4, 0.15, 0.05};
    ChainHeads v;
    if (!chain_split(finder, value, CHAIN_IN_RUNS, shape->heads, attention->width, &v) ||
        v.width < 2 || v.width > WIDTH_MOST)
        return false;
    for (int i = 0; i < RATES; i++)
        if (is_dropped_at(finder, attention, shape, &v, mixed, rates[i])) {
            attention->v = value;
            attention->v_split = attention->merge = CHAIN_IN_RUNS;
            attention->is_dropped = true;
            return true;
        }
    return false;
}

static bool could_be_value(const ChainFinder *finder, const ChainAttention *attention, int row,
                           const ChainMap *shape)
{
    const ChainRows *rows = &finder->rows[row];
    return rows->tier <= 2 && !rows->is_part && rows->appended == 0 &&
           rows->batch == shape->batch && rows->length == shape->keys && row != attention->q &&
           row != attention->k && chain_are_alike(finder, row, attention->k) &&
           !(rows->tensor >= 0 && finder->is_explained[rows->tensor]) &&
           (rows->heads > 0 ? rows->width : rows->width / shape->heads) == attention->width;
}

static bool find_dropped(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                         const Mixed *mixed)
{
    for (int v = 0; v < finder->row_count; v++)
        if (could_be_value(finder, attention, v, shape) &&
            is_dropped(finder, attention, shape, v, mixed))
            return true;
    return false;
}

static bool is_context_row(const ChainFinder *finder, const ChainAttention *attention, int row,
                           const ChainMap *shape)
{
    const ChainRows *rows = &finder->rows[row];
    ptrdiff_t width = shape->heads * attention->width;
    return rows->tier == 1 && !rows->is_part && rows->skipped == 0 && rows->appended == 0 &&
           rows->batch == shape->batch && rows->length == shape->queries &&
           !finder->is_explained[rows->tensor] && finder->projection_of[rows->tensor] < 0 &&
           (rows->heads > 0 ? rows->heads == shape->heads && rows->width == attention->width
                            : rows->width == width);
}

// --- the output alone

// Solves W c = y in place for every row. False if W is singular.
static bool solve(double *weight, ptrdiff_t size, double *rows, ptrdiff_t count)
{
    for (ptrdiff_t c = 0; c < size; c++) {
        ptrdiff_t best = c;
        for (ptrdiff_t o = c; o < size; o++)
            best = fabs(weight[o * size + c]) > fabs(weight[best * size + c]) ? o : best;
        if (fabs(weight[best * size + c]) < 1e-4)
            return false;
        for (ptrdiff_t n = 0; n < size + count && best != c; n++) {
            double *one = n < size ? &weight[c * size + n] : &rows[(n - size) * size + c],
                   *other = n < size ? &weight[best * size + n] : &rows[(n - size) * size + best],
                   was = *one;
            *one = *other;
            *other = was;
        }
        for (ptrdiff_t o = 0; o < size; o++) {
            double times = o == c ? 0.0 : weight[o * size + c] / weight[c * size + c];
            for (ptrdiff_t n = c; n < size; n++)
                weight[o * size + n] -= times * weight[c * size + n];
            for (ptrdiff_t n = 0; n < count; n++)
                rows[n * size + o] -= times * rows[n * size + c];
        }
    }
    for (ptrdiff_t n = 0; n < size * count; n++)
        rows[n] /= weight[n % size * size + n % size];
    return true;
}

static double *context_of(ChainFinder *finder, const ChainRows *rows, const ChainLinear *linear)
{
    ptrdiff_t size = linear->in, count = rows->batch * rows->length;
    const double *bias = chain_bias(finder, linear->bias), *at = finder->tensors[rows->tensor].at;
    double work = (double)(size * size) * (double)(size + count);
    finder->is_given_up = finder->is_given_up || finder->work + work > finder->most;
    if (finder->work + work > finder->most)
        return NULL;
    finder->work += work;
    double *weight = chain_take(finder, size * size), *made = chain_take(finder, count * size);
    if (!weight || !made)
        return NULL;
    for (ptrdiff_t n = 0; n < size * size; n++)
        weight[n] = chain_weight(finder, linear, n / size)[n % size * linear->by_in];
    for (ptrdiff_t n = 0; n < count * size; n++) {
        ptrdiff_t row = n / size, o = n % size;
        made[n] = at[row / rows->length * rows->b + row % rows->length * rows->l + o] -
                  (bias ? bias[o] : 0.0);
    }
    return solve(weight, size, made, count) ? made : NULL;
}

static bool find_dropped_output(ChainFinder *finder, ChainAttention *attention,
                                const ChainMap *shape, int row)
{
    const ChainRows *rows = &finder->rows[row];
    ptrdiff_t width = attention->width, all = shape->heads * width;
    for (int i = 0; i < finder->linear_count; i++) {
        const ChainLinear *linear = &finder->linears[i];
        const double *made = NULL;
        if (linear->in == all && linear->out == all && linear->tensor != rows->tensor)
            made = context_of(finder, rows, linear);
        if (!made) // what is solved is off by more
            continue;
        Mixed mixed = {.at = made,
                       .b = rows->length * all,
                       .h = width,
                       .l = all,
                       .e = 1,
                       .off = 1e-3 * chain_largest(made, rows->batch * rows->length * all)};
        if (!find_dropped(finder, attention, shape, &mixed))
            continue;
        finder->is_explained[rows->tensor] = true;
        attention->output = rows->tensor;
        attention->out_linear = i;
        attention->out_bias = linear->bias;
        return true;
    }
    return false;
}

bool chain_has_thinned(const ChainFinder *finder, const ChainAttention *attention)
{
    bool has = false;
    for (int i = 0; i < finder->attention_count; i++)
        has = has || (finder->attentions[i].form == CHAIN_DROPPED &&
                      chain_are_of_one(&finder->attentions[i], attention));
    return has;
}

void chain_find_dropped(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape)
{
    if (attention->weights.tensor < 0 || attention->form != CHAIN_SOFTMAX ||
        attention->axis != CHAIN_KEYS || attention->apart > 0 ||
        chain_has_thinned(finder, attention))
        return;
    for (int row = 0; row < finder->row_count; row++) {
        const ChainRows *rows = &finder->rows[row];
        if (!is_context_row(finder, attention, row, shape))
            continue;
        const ChainTensor *tensor = &finder->tensors[rows->tensor];
        Mixed mixed = {.at = tensor->at,
                       .b = rows->b,
                       .h = rows->heads > 0 ? rows->h : attention->width,
                       .l = rows->l,
                       .e = rows->e,
                       .off = finder->grain * 1e-4 * tensor->largest};
        if (!find_dropped(finder, attention, shape, &mixed))
            continue;
        finder->is_explained[rows->tensor] = true;
        attention->context = rows->tensor;
        if (rows->heads > 0)
            attention->context_heads = rows->tensor;
        return;
    }
    for (int row = 0; row < finder->row_count && finder->grain == 1.0; row++)
        if (is_context_row(finder, attention, row, shape) && finder->rows[row].heads == 0 &&
            find_dropped_output(finder, attention, shape, row))
            return;
}
