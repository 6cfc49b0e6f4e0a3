// chain_mix: what weights mix, and the output that is made of it; and attention whose weights are not in the
// dump, or only their mean over the heads.
#include "chain_internal.h"

#include <math.h>
#include <string.h>

enum { PROBES = 12 };

// --- the context

static double mixed_at(const ChainAttention *attention, const ChainMap *shape, const ChainHeads *v,
                       const ptrdiff_t at[4])
{
    double sum = 0.0;
    const double *row =
        attention->mixed + ((at[0] * shape->heads + at[1]) * shape->queries + at[2]) * shape->keys;
    for (ptrdiff_t j = 0; j < shape->keys; j++)
        if (row[j] != 0.0)
            sum += row[j] * chain_head(v, at[0], at[1], j, at[3]);
    return sum;
}

// Whether a tensor is the weights times v: asked at some elements, then at all. Rows that are hidden as a
// whole say nothing, and where most are, nothing is known.
static bool is_mixed(ChainFinder *finder, const ChainAttention *attention, const ChainMap *shape,
                     const ChainHeads *v, const ChainHeads *target, double largest)
{
    ptrdiff_t count = shape->batch * shape->heads * shape->queries * v->width, good = 0;
    for (int pass = 0; pass < 2; pass++)
        for (ptrdiff_t n = 0, steps = pass == 0 && count > PROBES ? PROBES : count; n < steps;
             n++) {
            ptrdiff_t i = pass == 0 ? n * (count - 1) / (steps > 1 ? steps - 1 : 1) : n;
            ptrdiff_t at[4] = {i / v->width / shape->queries / shape->heads,
                               i / v->width / shape->queries % shape->heads,
                               i / v->width % shape->queries, i % v->width};
            double made = mixed_at(attention, shape, v, at);
            finder->work += (double)shape->keys;
            if (isnan(made))
                continue;
            good += pass;
            if (!chain_near(finder, chain_head(target, at[0], at[1], at[2], at[3]), made, largest))
                return false;
        }
    return 2 * good > count;
}

static bool try_context(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                        int target, int v, double largest)
{
    // Of a guess only what is usual is asked.
    bool is_guess = attention->weights.tensor < 0 && attention->score_count == 0;
    ChainSplit ways = is_guess ? CHAIN_IN_RUNS + 1 : CHAIN_SPLITS;
    for (ChainSplit merge = 0; merge < ways; merge++)
        for (ChainSplit split = 0; split < ways; split++) {
            ChainHeads target_heads, v_heads;
            if (!chain_split(finder, target, merge, shape->heads, 0, &target_heads) ||
                target_heads.group != 1 ||
                !chain_split(finder, v, split, shape->heads, target_heads.width, &v_heads) ||
                !is_mixed(finder, attention, shape, &v_heads, &target_heads, largest))
                continue;
            attention->v = v;
            attention->v_split = split;
            attention->merge = merge;
            return true;
        }
    return false;
}

static bool is_target(const ChainFinder *finder, int row, const ChainMap *shape)
{
    const ChainRows *rows = &finder->rows[row];
    return rows->tier == 1 && rows->skipped == 0 && rows->batch == shape->batch &&
           rows->length == shape->queries && !finder->is_told[rows->tensor];
}

// Of two tensors with the same numbers the one with merged heads is what is projected.
static void find_contexts(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                          int tiers)
{
    bool is_headed = false;
    for (int tier = 1; tier <= tiers && attention->v < 0; tier++)
        for (int target = 0; target < finder->row_count; target++) {
            if (!is_target(finder, target, shape) ||
                finder->projection_of[finder->rows[target].tensor] >= 0)
                continue;
            int told = finder->rows[target].tensor;
            const ChainTensor *tensor = &finder->tensors[told];
            double largest = chain_largest(tensor->at, tensor->count);
            for (int v = 0; v < finder->row_count && finder->work < finder->most; v++) {
                const ChainRows *rows = &finder->rows[v];
                bool fits = rows->tier == tier && rows->batch == shape->batch &&
                            rows->length == shape->keys &&
                            rows->tensor != finder->rows[target].tensor;
                finder->work += 10.0;
                if (!fits || !try_context(finder, attention, shape, target, v, largest))
                    continue;
                finder->is_told[told] = true;
                if (attention->context < 0 || is_headed) {
                    attention->context = told;
                    is_headed = finder->rows[target].heads > 0;
                }
                break;
            }
        }
}

// --- the output

// Whether two products that are not in the dump could be of one attention: with weights that lie alike and are
// not the same.
static bool go_together(const ChainFinder *finder, int a, int b)
{
    const ChainRows *one = &finder->rows[a], *other = &finder->rows[b];
    if (one->tensor >= 0 || other->tensor >= 0)
        return true;
    return one->linear != other->linear &&
           finder->linears[one->linear].by_columns == finder->linears[other->linear].by_columns;
}

// The context as rows of its own, which are not in the dump.
static double *context_rows(ChainFinder *finder, const ChainAttention *attention,
                            const ChainMap *shape, const ChainHeads *v)
{
    ptrdiff_t width = shape->heads * v->width, at[4];
    double *made = arena_take(finder->arena, (size_t)(shape->batch * shape->queries * width),
                              sizeof *made, finder->err);
    for (at[0] = 0; made && at[0] < shape->batch; at[0]++)
        for (at[1] = 0; at[1] < shape->heads; at[1]++)
            for (at[2] = 0; at[2] < shape->queries; at[2]++)
                for (at[3] = 0; at[3] < v->width; at[3]++) {
                    ptrdiff_t flat = (at[1] * shape->queries + at[2]) * v->width + at[3];
                    ptrdiff_t runs = at[2] * width + at[1] * v->width + at[3];
                    ptrdiff_t turn = at[2] * width + at[3] * shape->heads + at[1];
                    made[at[0] * shape->queries * width + (attention->merge == CHAIN_BY_VIEW ? flat
                                                           : attention->merge == CHAIN_IN_TURN
                                                               ? turn
                                                               : runs)] =
                        mixed_at(attention, shape, v, at);
                }
    finder->work += 4.0 * (double)shape->count * (double)v->width;
    return made;
}

// What every row of the output has that the context's product with the weight has not; false where rows
// differ.
static bool offset_of(ChainFinder *finder, const double *context, const ChainLinear *linear,
                      const ChainRows *to, double offset[])
{
    ptrdiff_t rows = to->batch * to->length;
    const ChainTensor *tensor = &finder->tensors[to->tensor];
    double largest = chain_largest(tensor->at, tensor->count);
    ptrdiff_t compared = 0;
    for (ptrdiff_t o = 0; o < linear->out; o++) {
        bool is_first = true;
        for (ptrdiff_t row = 0; row < rows; row++) {
            double sum = 0.0;
            const double *weight = chain_weight(finder, linear, o);
            for (ptrdiff_t c = 0; c < linear->in; c++)
                sum += context[row * linear->in + c] * weight[c * linear->by_in];
            finder->work += (double)linear->in;
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

// The column of v that a column of the context comes from: groups of heads may share one.
static ptrdiff_t shared_column(const ChainAttention *attention, const ChainLinear *v,
                               ptrdiff_t column)
{
    ptrdiff_t width = attention->width, share = attention->heads * width / v->out;
    return share > 1 ? column / width / share * width + column % width : column;
}

// Weights sum to 1, so v's bias goes through them: it is added to what the output's own bias is.
static bool explain_offset(ChainFinder *finder, ChainAttention *attention, const ChainLinear *v,
                           const double offset[], double largest)
{
    const ChainLinear *linear = &finder->linears[attention->out_linear];
    for (int a = -2; a < finder->bias_count; a++)
        for (int b = -2; b < finder->bias_count; b++) {
            int inner = a == -2 ? (v ? v->bias : -1) : a, outer = b == -2 ? linear->bias : b;
            const double *in = chain_bias(finder, inner), *out = chain_bias(finder, outer);
            if ((in && (!v || finder->biases[inner].size != v->out)) ||
                (out && finder->biases[outer].size != linear->out))
                continue;
            bool fits = true;
            for (ptrdiff_t o = 0; fits && o < linear->out; o++) {
                double sum = out ? out[o] : 0.0;
                const double *weight = chain_weight(finder, linear, o);
                for (ptrdiff_t c = 0; in && c < linear->in; c++)
                    sum += in[shared_column(attention, v, c)] * weight[c * linear->by_in];
                fits = chain_near(finder, offset[o], sum, 2.0 * largest);
            }
            if (!fits)
                continue;
            attention->out_bias = outer;
            finder->rows[attention->v].bias = v ? inner : finder->rows[attention->v].bias;
            return true;
        }
    return false;
}

static bool try_output(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                       const double *context, ptrdiff_t width)
{
    const ChainRows *v = &finder->rows[attention->v];
    bool is_usual = attention->v_split == CHAIN_IN_RUNS && attention->merge == CHAIN_IN_RUNS;
    const ChainLinear *v_linear = v->tensor < 0 && is_usual ? &finder->linears[v->linear] : NULL;
    ptrdiff_t made = v_linear ? v_linear->out : 0;
    if (made > 0 && made != width && (attention->heads * attention->width) % made != 0)
        return false;
    ptrdiff_t widest = 1;
    for (int i = 0; i < finder->linear_count; i++)
        widest = finder->linears[i].out > widest ? finder->linears[i].out : widest;
    double *offset = arena_take(finder->arena, (size_t)widest, sizeof *offset, finder->err);
    finder->work += finder->row_count;
    bool is_guess = attention->weights.tensor < 0 && attention->score_count == 0;
    for (int target = 0; offset && target < finder->row_count; target++) {
        const ChainRows *to = &finder->rows[target];
        if (!is_target(finder, target, shape) || to->heads > 0 ||
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
                !explain_offset(finder, attention, v_linear, offset,
                                chain_largest(tensor->at, tensor->count)))
                continue;
            attention->output = to->tensor;
            finder->is_told[to->tensor] = true;
            return true;
        }
    }
    return false;
}

static bool is_output_of(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                         const ChainHeads *v)
{
    Arena tried = {0}, *kept = finder->arena;
    finder->arena = &tried;
    double *context = context_rows(finder, attention, shape, v);
    bool is_it = context && try_output(finder, attention, shape, context, shape->heads * v->width);
    finder->arena = kept;
    arena_finish(&tried);
    return is_it;
}

// The output, where what is projected is not in the dump: every v is tried in the first of all ways to split and
// merge, 1: as it is usual.
static bool find_output(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape,
                        int ways)
{
    for (int v = 0; v < finder->row_count; v++) {
        const ChainRows *rows = &finder->rows[v];
        bool is_usual = rows->tensor >= 0 || rows->bias == finder->linears[rows->linear].bias;
        bool is_odd = ways == 1 && (rows->tier > 2 || !go_together(finder, v, attention->q) ||
                                    !go_together(finder, v, attention->k) ||
                                    rows->source != finder->rows[attention->k].source);
        if (!is_usual || is_odd || rows->batch != shape->batch || rows->length != shape->keys ||
            finder->work > finder->most)
            continue;
        for (int way = 0; way < ways; way++) {
            ChainHeads heads, plain;
            ChainSplit split = way % CHAIN_SPLITS; // groups of heads may share a v as wide as k
            if (!(chain_split(finder, v, split, shape->heads, attention->width, &heads) ||
                  chain_split(finder, v, split, shape->heads, 0, &heads)) ||
                (way > 0 && shape->heads == 1))
                continue;
            plain = heads;
            plain.bias = way > 0 ? heads.bias : NULL;
            attention->v = v;
            attention->v_split = split;
            attention->merge = way / CHAIN_SPLITS;
            if (is_output_of(finder, attention, shape, &plain))
                return true;
        }
    }
    attention->v = attention->out_linear = -1;
    return false;
}

static void find_projected(ChainFinder *finder, ChainAttention *attention)
{
    for (int i = 0; i < finder->count && attention->context >= 0; i++) {
        const ChainProjection *made =
            finder->projection_of[i] < 0 ? NULL : &finder->projections[finder->projection_of[i]];
        if (!made || finder->rows[made->source].tensor != attention->context)
            continue;
        attention->output = i;
        attention->out_linear = made->linear;
        attention->out_bias = made->times > 0.0 ? made->bias : -1;
        finder->is_told[i] = true;
        return;
    }
}

// The output of a context that is in the dump with its heads apart: they are merged in one of the ways.
static void find_merged(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape)
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
        plain.bias = rows->tensor < 0 && is_usual ? NULL : v.bias;
        attention->merge = merge;
        double *context = context_rows(finder, attention, shape, &plain);
        if (context && try_output(finder, attention, shape, context, shape->heads * width))
            return;
    }
    attention->merge = CHAIN_IN_RUNS;
    attention->out_linear = -1;
}

static bool take_weights(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape)
{
    if (attention->mixed)
        return true;
    double *made = arena_take(finder->arena, (size_t)shape->count, sizeof *made, finder->err);
    for (ptrdiff_t i = 0; made && i < shape->count; i++)
        made[i] =
            attention->changed ? attention->changed[i] : attention->factor * attention->products[i];
    if (made)
        chain_softmax(shape, made, attention->is_hidden, made);
    attention->mixed = made;
    return made != NULL;
}

// Whether the scores themselves are mixed: there is no softmax.
static void mix_scores(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape)
{
    const double *weights = attention->mixed;
    if (attention->weights.tensor >= 0)
        return;
    for (int i = attention->score_count - 1; i >= 0 && attention->context < 0; i--) {
        attention->mixed = attention->scores[i].map.at;
        find_contexts(finder, attention, shape, 3);
        if (attention->context < 0)
            continue;
        attention->form = CHAIN_NO_SOFTMAX;
        attention->over = i;
        find_projected(finder, attention);
        return;
    }
    attention->mixed = weights;
}

static void mix(ChainFinder *finder, ChainAttention *attention, const ChainMap *shape)
{
    find_contexts(finder, attention, shape, 3);
    find_projected(finder, attention);
    find_merged(finder, attention, shape);
    if (attention->context < 0)
        find_output(finder, attention, shape, CHAIN_SPLITS * CHAIN_SPLITS);
}

static void chain_mix(ChainFinder *finder, ChainAttention *attention)
{
    ChainMap shape = attention->weights.tensor >= 0 ? attention->weights : attention->scores[0].map;
    shape.heads = attention->heads;
    shape.count = shape.batch * shape.heads * shape.queries * shape.keys;
    if (attention->weights.tensor < 0 && attention->score_count > 0) {
        const ChainScores *last = &attention->scores[attention->score_count - 1];
        for (int i = 0; i < attention->score_count; i++)
            if (attention->scores[i].kind != CHAIN_PLAIN)
                last = &attention->scores[i];
        attention->factor =
            last->kind == CHAIN_PLAIN ? 1.0 / sqrt((double)attention->width) : last->factor;
        attention->is_hidden = last->kind == CHAIN_MASKED ? last->is_hidden : NULL;
    }
    // Without weights and masked scores every mask is tried.
    bool is_open = attention->weights.tensor < 0 && !attention->is_hidden && !attention->mixed;
    for (int way = 0; way == 0 || (is_open && attention->context < 0 && attention->output < 0 &&
                                   chain_next_mask(finder, &shape, way, &attention->is_hidden));
         way++) {
        if (way > 0 && !attention->is_hidden)
            continue;
        attention->mixed = is_open ? NULL : attention->mixed;
        if (!take_weights(finder, attention, &shape))
            return;
        mix(finder, attention, &shape);
    }
    if (attention->context < 0 && attention->output < 0) {
        attention->is_hidden = is_open ? NULL : attention->is_hidden;
        attention->mixed = is_open ? NULL : attention->mixed;
        if (take_weights(finder, attention, &shape))
            mix_scores(finder, attention, &shape);
    }
}

// Weights (B, H, Lk, Lq): what was taken for q and k changes places.
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
    bool told[DUMP_TENSORS_MAX];
    memcpy(told, finder->is_told, sizeof told);
    bool could_be_turned = attention->axis == CHAIN_QUERIES && attention->form == CHAIN_SOFTMAX &&
                           attention->weights.tensor >= 0 && attention->score_count == 0 &&
                           attention->q_heads.group == 1 && attention->k_heads.group == 1 &&
                           attention->q != attention->k;
    chain_mix(finder, attention);
    bool is_mixed = attention->context >= 0 || attention->output >= 0;
    if (!could_be_turned || is_mixed || !turn_weights(finder, &plain, &turned))
        return;
    memcpy(finder->is_told, told, sizeof told);
    chain_mix(finder, &turned);
    if (turned.context >= 0 || turned.output >= 0 ||
        (chain_role(finder, attention->q) == 'k' && chain_role(finder, attention->k) == 'q'))
        *attention = turned;
    else
        chain_mix(finder, attention);
}

// --- weights that are not in the dump as they are

// Rows that are known to be made with weights.
static bool is_usual_row(const ChainFinder *finder, int row, const ChainMap *shape, bool is_query)
{
    const ChainRows *rows = &finder->rows[row];
    bool is_product = rows->tensor < 0 || finder->projection_of[rows->tensor] >= 0 ||
                      (rows->heads > 0 && rows->e == 1 &&
                       (finder->tensors[rows->tensor].rank == 4 || rows->heads == shape->heads));
    bool is_map = rows->tensor >= 0 &&
                  (finder->tensors[rows->tensor].is_shares || rows->tensor == shape->tensor);
    return rows->tier <= 2 && is_product && !is_map && rows->batch == shape->batch &&
           rows->length == (is_query ? shape->queries : shape->keys) &&
           (rows->tensor < 0 || chain_largest(finder->tensors[rows->tensor].at,
                                              finder->tensors[rows->tensor].count) < chain_fill);
}

double *chain_turn_heads(ChainFinder *finder, const ChainTurn *turn, ptrdiff_t batch,
                         ptrdiff_t length, ptrdiff_t heads, ChainHeads *of)
{
    ptrdiff_t own = heads / of->group, half = turn->numbers / 2;
    double *made = arena_take(finder->arena, (size_t)(batch * own * length * of->width),
                              sizeof *made, finder->err),
           *angles = arena_take(finder->arena, (size_t)(2 * half * length + 1), sizeof *angles,
                                finder->err),
           *to = made;
    for (ptrdiff_t n = 0; angles && n < half * length; n++) {
        double angle = (double)(n / half) * pow(turn->base, -(double)(n % half) / (double)half);
        angles[2 * n] = cos(angle);
        angles[2 * n + 1] = sin(angle);
    }
    for (ptrdiff_t n = 0; made && angles && n < batch * own * length; n++, to += of->width) {
        ptrdiff_t b = n / length / own, h = n / length % own * of->group, l = n % length;
        for (ptrdiff_t e = 0; e < of->width; e++)
            to[e] = chain_head(of, b, h, l, e);
        for (ptrdiff_t e = 0; e < half; e++) {
            const double *angle = &angles[2 * (l * half + e)];
            double *x = &to[turn->is_in_pairs ? 2 * e : e],
                   *y = &to[turn->is_in_pairs ? 2 * e + 1 : e + half], was = *x;
            *x = was * angle[0] - *y * angle[1];
            *y = *y * angle[0] + was * angle[1];
        }
    }
    finder->work += 3.0 * (double)(batch * own * length * of->width);
    *of = (ChainHeads){.at = made,
                       .b = own * length * of->width,
                       .h = length * of->width,
                       .l = of->width,
                       .e = 1,
                       .width = of->width,
                       .row = 1,
                       .group = of->group};
    return made;
}

static bool turn_both(ChainFinder *finder, ChainAttention *made, const ChainMap *shape)
{
    const ChainTurn *turn = &made->turn;
    return !turn->is_turned ||
           (chain_turn_heads(finder, turn, shape->batch, shape->queries, shape->heads,
                             &made->q_heads) &&
            (turn->is_q_alone || chain_turn_heads(finder, turn, shape->batch, shape->keys,
                                                  shape->heads, &made->k_heads)));
}

bool chain_is_vector(const ChainFinder *finder, int tensor, ptrdiff_t size)
{
    const ChainTensor *one = &finder->tensors[tensor];
    return one->is_number && one->rank == 1 && one->count == size;
}

// A head's numbers made even: divided by their root mean square, or by their deviation from their mean.
void chain_make_even(const ChainFinder *finder, ChainNorm norm, int gain_of, int shift_of,
                     ptrdiff_t width, double numbers[])
{
    const double *gain = gain_of < 0 ? NULL : finder->tensors[gain_of].at,
                 *shift = shift_of < 0 ? NULL : finder->tensors[shift_of].at;
    double mean = 0.0, square = 0.0;
    for (ptrdiff_t e = 0; e < width && norm == CHAIN_BY_DEVIATION; e++)
        mean += numbers[e] / (double)width;
    for (ptrdiff_t e = 0; e < width; e++)
        square += (numbers[e] - mean) * (numbers[e] - mean) / (double)width;
    for (ptrdiff_t e = 0; e < width && square > 0.0; e++)
        numbers[e] =
            (numbers[e] - mean) / sqrt(square) * (gain ? gain[e] : 1.0) + (shift ? shift[e] : 0.0);
}

static bool make_even(ChainFinder *finder, ChainAttention *made, const ChainMap *shape, int which)
{
    ChainHeads *heads = which ? &made->k_heads : &made->q_heads;
    ptrdiff_t length = which ? shape->keys : shape->queries;
    ptrdiff_t count = shape->batch * shape->heads / heads->group * length;
    ChainTurn none = {.is_turned = false}; // copies
    double *numbers = chain_turn_heads(finder, &none, shape->batch, length, shape->heads, heads);
    for (ptrdiff_t n = 0; numbers && n < count; n++)
        chain_make_even(finder, made->norm, made->gain[which], -1, heads->width,
                        numbers + n * heads->width);
    return numbers != NULL;
}

static bool begin_guess(ChainFinder *finder, ChainAttention *made, const ChainMap *shape, int q,
                        int k)
{
    if (chain_are_one(finder, q, k) ||
        !chain_split(finder, q, CHAIN_IN_RUNS, shape->heads, 0, &made->q_heads) ||
        made->q_heads.group != 1 ||
        !chain_split(finder, k, CHAIN_IN_RUNS, shape->heads, made->q_heads.width, &made->k_heads) ||
        made->turn.numbers > made->q_heads.width ||
        (made->norm &&
         (!make_even(finder, made, shape, 0) || !make_even(finder, made, shape, 1))) ||
        !turn_both(finder, made, shape))
        return false;
    made->q = q;
    made->k = k;
    made->heads = shape->heads;
    made->width = made->q_heads.width;
    made->factor = 1.0 / sqrt((double)made->width);
    return true;
}

static bool multiply_guess(ChainFinder *finder, ChainAttention *made, const ChainMap *shape)
{
    made->products =
        arena_take(finder->arena, (size_t)shape->count, sizeof *made->products, finder->err);
    if (!made->products)
        return false;
    for (ptrdiff_t i = 0; i < shape->count; i++) {
        ptrdiff_t j = i % shape->keys, l = i / shape->keys % shape->queries,
                  h = i / shape->keys / shape->queries % shape->heads,
                  b = i / shape->keys / shape->queries / shape->heads;
        for (ptrdiff_t e = 0; e < made->width; e++)
            made->products[i] +=
                chain_head(&made->q_heads, b, h, l, e) * chain_head(&made->k_heads, b, h, j, e);
    }
    finder->work += (double)shape->count * (double)made->width;
    return true;
}

static bool is_mean(const ChainFinder *finder, const ChainMap *mean, const ChainMap *shape,
                    const double *weights)
{
    ptrdiff_t pairs = shape->queries * shape->keys;
    for (ptrdiff_t i = 0; i < mean->count; i++) {
        double sum = 0.0;
        for (ptrdiff_t h = 0; h < shape->heads; h++)
            sum += weights[(i / pairs * shape->heads + h) * pairs + i % pairs];
        if (!chain_near(finder, mean->at[i], sum / (double)shape->heads, 1.0))
            return false;
    }
    return true;
}

// Keys that the mean of the weights gives nothing, for every head.
static const bool *hidden_by_mean(ChainFinder *finder, const ChainMap *mean, const ChainMap *shape)
{
    bool any = false;
    ptrdiff_t pairs = shape->queries * shape->keys;
    bool *made = arena_take(finder->arena, (size_t)shape->count, sizeof *made, finder->err);
    for (ptrdiff_t i = 0; made && i < shape->count; i++) {
        made[i] = mean->at[i / pairs / shape->heads * pairs + i % pairs] == 0.0;
        any = any || made[i];
    }
    return any ? made : NULL;
}

static bool try_mean(ChainFinder *finder, ChainAttention *made, const ChainMap *mean,
                     ChainMap *shape)
{
    made->is_hidden = hidden_by_mean(finder, mean, shape);
    double factors[] = {made->factor, 1.0, 1.0 / (double)made->width,
                        1.0 / sqrt((double)(made->width * shape->heads))};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        made->factor = factors[i];
        made->mixed = NULL;
        if (!take_weights(finder, made, shape) || !is_mean(finder, mean, shape, made->mixed))
            continue;
        made->weights = *mean;
        made->form = CHAIN_AVERAGED;
        made->axis = CHAIN_KEYS;
        made->over = -1;
        finder->is_told[mean->tensor] = true;
        return true;
    }
    made->mixed = NULL;
    return false;
}

// How many heads there may be: as the person says; else every divisor of the width.
static bool may_be_heads(const ChainFinder *finder, ptrdiff_t heads, ptrdiff_t width)
{
    return finder->ask->heads > 0 ? heads == finder->ask->heads : width % heads == 0;
}

// Weights that tell nothing alone, as where there is one key, are known by the output.
static void find_weights(ChainFinder *finder, ChainAttention *made, ChainMap shape)
{
    made->weights = shape;
    made->weights.tensor = -1;
    made->axis = CHAIN_KEYS;
    for (int i = 0; i < finder->count && made->weights.tensor < 0; i++) {
        const ChainTensor *tensor = &finder->tensors[i];
        bool fits = !finder->is_told[i] && tensor->is_number && tensor->rank == 4 &&
                    tensor->shape[0] == shape.batch && tensor->shape[1] == shape.heads &&
                    tensor->shape[2] == shape.queries && tensor->shape[3] == shape.keys;
        for (ptrdiff_t n = 0; fits && n < shape.count; n++)
            fits = chain_near(finder, tensor->at[n], made->mixed[n], 1.0);
        if (fits) {
            made->weights.tensor = i;
            made->weights.at = tensor->at;
            finder->is_told[i] = true;
        }
    }
}

// The context at first, for that is soon compared; then the output; then both with other scales.
static bool guess_mask_and_scale(ChainFinder *finder, ChainAttention *made, const ChainMap *shape,
                                 int pass)
{
    double root = made->factor;
    const double factors[] = {root, 1.0, root * root};
    for (int i = pass < 2 ? 0 : 1; i < (pass < 2 ? 1 : 3); i++)
        for (int way = finder->ask->is_causal && shape->queries == shape->keys;
             chain_next_mask(finder, shape, way, &made->is_hidden); way++) {
            if (way > 0 && !made->is_hidden)
                continue;
            made->factor = factors[i];
            made->mixed = NULL;
            if (finder->work > finder->most || !take_weights(finder, made, shape))
                return false;
            if (pass != 1)
                find_contexts(finder, made, shape, 2);
            if (made->context < 0 && (pass == 0 || !find_output(finder, made, shape, 1)))
                continue;
            find_projected(finder, made);
            find_merged(finder, made, shape);
            find_weights(finder, made, *shape);
            return true;
        }
    return false;
}

// What is looked at: the mean of the weights, or, where `mean` is NULL, the output alone.
typedef struct Guess {
    const ChainMap *mean;
    ChainMap shape;
    int q, k, pass;
} Guess;

static bool is_guessed(ChainFinder *finder, void *data)
{
    Guess *guess = data;
    ChainAttention *made = &finder->attentions[finder->attention_count];
    chain_clear(made);
    return begin_guess(finder, made, &guess->shape, guess->q, guess->k) &&
           multiply_guess(finder, made, &guess->shape) &&
           (guess->mean ? try_mean(finder, made, guess->mean, &guess->shape)
                        : guess_mask_and_scale(finder, made, &guess->shape, guess->pass));
}

// Most guesses are wrong: their numbers go at once. What is right is made again, to stay.
static bool guess_and_keep(ChainFinder *finder, bool (*is_right)(ChainFinder *, void *), void *data)
{
    Arena tried = {0}, *kept = finder->arena;
    bool told[DUMP_TENSORS_MAX];
    memcpy(told, finder->is_told, sizeof told);
    finder->arena = &tried;
    bool is_it = is_right(finder, data);
    finder->arena = kept;
    arena_finish(&tried);
    memcpy(finder->is_told, told, sizeof told);
    return is_it && is_right(finder, data);
}

static bool guess(ChainFinder *finder, const ChainMap *mean, ChainMap shape, int q, int k, int pass)
{
    const ChainRows *rows = &finder->rows[q];
    ptrdiff_t width = rows->heads > 0 ? rows->heads * rows->width : rows->width;
    for (shape.heads = rows->heads > 0 ? rows->heads : 1;
         shape.heads <= (rows->heads > 0 ? rows->heads : width); shape.heads++) {
        shape.count = shape.batch * shape.heads * shape.queries * shape.keys;
        Guess one = {mean, shape, q, k, pass};
        if (may_be_heads(finder, shape.heads, width) && !(mean && shape.heads == 1) &&
            finder->work < finder->most && guess_and_keep(finder, is_guessed, &one))
            return true;
    }
    return false;
}

static bool guess_pairs(ChainFinder *finder, const ChainMap *mean, ChainMap shape, int pass)
{
    for (int q = 0; q < finder->row_count; q++)
        for (int k = 0; is_usual_row(finder, q, &shape, true) && k < finder->row_count; k++)
            if (k != q && is_usual_row(finder, k, &shape, false) && go_together(finder, q, k) &&
                guess(finder, mean, shape, q, k, pass))
                return true;
    return false;
}

// From the output alone, with as many tokens as these rows have, and as many keys as other rows.
static void guess_output(ChainFinder *finder, int row, int keys, int pass)
{
    const ChainRows *x = &finder->rows[row], *other = &finder->rows[keys];
    ChainMap shape = {.tensor = -1, .batch = x->batch, .queries = x->length, .keys = other->length};
    if (finder->work < finder->most && finder->attention_count == 0 && other->batch == x->batch)
        finder->attention_count += guess_pairs(finder, NULL, shape, pass);
}

enum { BASES = 6, PARTS = 3, WAYS = BASES * PARTS * 4 };

bool chain_next_turn(ptrdiff_t width, int way, ChainTurn *turn)
{
    static const double bases[BASES] = {10000.0, 500000.0, 1000000.0, 1000.0, 500.0, 100.0};
    *turn = (ChainTurn){.is_turned = way > 0};
    if (way == 0)
        return true;
    int number = way - 1;
    ptrdiff_t part = width >> (number / 4 % PARTS);
    turn->is_in_pairs = number % 2;
    turn->is_q_alone = number / 2 % 2;
    turn->base = bases[number / 4 / PARTS % BASES];
    turn->numbers = part - part % 2;
    return number < WAYS;
}

typedef struct MapGuess {
    const ChainMap *map;
    ChainTurn turn;
    ChainNorm norm;
    int gain[2], q, k;
    const ChainSamples *samples;
} MapGuess;

static bool is_guessed_map(ChainFinder *finder, void *data)
{
    const MapGuess *guess = data;
    ChainAttention *made = &finder->attentions[finder->attention_count];
    chain_clear(made);
    made->turn = guess->turn;
    made->norm = guess->norm;
    memcpy(made->gain, guess->gain, sizeof made->gain);
    bool is_plain = !guess->norm && !guess->turn.is_turned;
    return begin_guess(finder, made, guess->map, guess->q, guess->k) &&
           (is_plain || chain_fits_a_sample(finder, guess->map, guess->samples, &made->q_heads,
                                            &made->k_heads)) &&
           multiply_guess(finder, made, guess->map) &&
           (chain_could_be_weights(guess->map) ? chain_tell_weights(finder, made, guess->map)
                                               : chain_tell_scores(finder, made, guess->map));
}

static bool guess_with(ChainFinder *finder, MapGuess *guess)
{
    const ChainMap *map = guess->map;
    if (finder->work > finder->most || !guess_and_keep(finder, is_guessed_map, guess))
        return false;
    ChainAttention *made = &finder->attentions[finder->attention_count++];
    finder->is_quick = false;
    if (chain_could_be_weights(map))
        chain_tell_all_scores(finder, made);
    else
        chain_tell_maps(finder, made, map);
    return true;
}

// A gain of a norm is any vector as long as a head is wide: the numbers tell whether it is one.
static bool is_gain(const ChainFinder *finder, int tensor, ptrdiff_t width)
{
    return tensor < 0 || chain_is_vector(finder, tensor, width);
}

static bool guess_even(ChainFinder *finder, MapGuess *guess, ptrdiff_t width)
{
    for (guess->norm = CHAIN_BY_ROOT_MEAN_SQUARE; guess->norm <= CHAIN_BY_DEVIATION; guess->norm++)
        for (guess->gain[0] = -1; guess->gain[0] < finder->count; guess->gain[0]++)
            for (guess->gain[1] = -1; guess->gain[1] < finder->count; guess->gain[1]++)
                if (is_gain(finder, guess->gain[0], width) &&
                    is_gain(finder, guess->gain[1], width) &&
                    (guess->gain[0] < 0) == (guess->gain[1] < 0) && guess_with(finder, guess))
                    return true;
    return false;
}

static bool guess_pairs_of_map(ChainFinder *finder, const ChainMap *map, int way, bool is_even)
{
    const ChainSamples *samples = chain_take_samples(finder, map);
    for (int q = 0; q < finder->row_count; q++)
        for (int k = 0; is_usual_row(finder, q, map, true) && k < finder->row_count; k++) {
            ptrdiff_t width = finder->rows[q].heads > 0 ? finder->rows[q].width
                                                        : finder->rows[q].width / map->heads;
            MapGuess one = {.map = map, .gain = {-1, -1}, .q = q, .k = k, .samples = samples};
            if (!samples || k == q || !is_usual_row(finder, k, map, false) ||
                !go_together(finder, q, k) || !chain_next_turn(width, way, &one.turn) ||
                (way > 0 && one.turn.numbers == 0))
                continue;
            if (is_even ? guess_even(finder, &one, width) : guess_with(finder, &one))
                return true;
        }
    return false;
}

// Whether weights have two numbers at least that a wrong guess would not give: not 0, and not all the same
// in their row.
static bool say_something(const ChainMap *map)
{
    int count = 0;
    for (ptrdiff_t i = 0; i < map->count; i++) {
        ptrdiff_t first = i - i % map->keys;
        while (first < i && !(map->at[first] > 1e-12))
            first++;
        count += first < i && map->at[i] > 1e-12 &&
                 fabs(map->at[i] - map->at[first]) > 1e-5 * map->at[first];
    }
    return count >= 2;
}

static bool guess_maps(ChainFinder *finder, int way, bool is_even)
{
    ChainMap maps[CHAIN_READINGS_MAX];
    for (int tensor = 0; tensor < finder->count; tensor++) {
        int count = chain_readings(finder, tensor, maps);
        for (int i = 0; i < count; i++)
            if (!finder->is_told[tensor] && finder->projection_of[tensor] < 0 &&
                finder->attention_count < CHAIN_ATTENTIONS_MAX &&
                (!chain_could_be_weights(&maps[i]) || say_something(&maps[i])) &&
                guess_pairs_of_map(finder, &maps[i], way, is_even))
                return true;
    }
    return false;
}

void chain_guess_maps(ChainFinder *finder)
{
    finder->is_quick = true;
    for (int way = 0; way <= WAYS; way++)
        if (guess_maps(finder, way, false))
            break;
    finder->is_quick = false;
}

void chain_guess_changed_maps(ChainFinder *finder)
{
    guess_maps(finder, 0, false);
}

void chain_guess_even_maps(ChainFinder *finder)
{
    finder->is_quick = true;
    for (int way = 0; way <= WAYS; way++)
        if (guess_maps(finder, way, true))
            break;
    finder->is_quick = false;
}

void chain_guess_mean(ChainFinder *finder)
{
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *tensor = &finder->tensors[i];
        if (finder->is_told[i] || !tensor->is_number || tensor->is_flags || tensor->rank != 3)
            continue;
        ChainMap mean = {.tensor = i,
                         .batch = tensor->shape[0],
                         .heads = 1,
                         .queries = tensor->shape[1],
                         .keys = tensor->shape[2],
                         .count = tensor->count,
                         .at = tensor->at};
        double sum = 0.0;
        for (ptrdiff_t n = 0; n < mean.count; n++)
            sum += mean.at[n] >= 0.0 ? mean.at[n] : (double)NAN;
        if (!chain_near(finder, sum, (double)(mean.batch * mean.queries), sum) ||
            !guess_pairs(finder, &mean, mean, 0))
            continue;
        finder->attention_count++;
        return;
    }
}

static bool is_first_of_its_size(const ChainFinder *finder, int input)
{
    const ChainRows *rows = &finder->rows[finder->inputs[input]];
    for (int i = 0; i < input; i++)
        if (finder->rows[finder->inputs[i]].batch == rows->batch &&
            finder->rows[finder->inputs[i]].length == rows->length)
            return false;
    return true;
}

void chain_guess_output(ChainFinder *finder)
{
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < finder->input_count && finder->attention_count == 0; i++)
            if (is_first_of_its_size(finder, i))
                guess_output(finder, finder->inputs[i], finder->inputs[i], pass);
        for (int i = 0; i < finder->input_count; i++) // of two texts
            for (int n = 0; n < finder->input_count; n++)
                if (is_first_of_its_size(finder, i) && is_first_of_its_size(finder, n) &&
                    finder->rows[finder->inputs[i]].length !=
                        finder->rows[finder->inputs[n]].length)
                    guess_output(finder, finder->inputs[i], finder->inputs[n], pass);
        for (int row = 0; row < finder->row_count && finder->attention_count == 0; row++)
            if (finder->rows[row].tier == 1 && finder->rows[row].heads > 0 &&
                finder->rows[row].e == 1)
                guess_output(finder, row, row, pass);
    }
}
