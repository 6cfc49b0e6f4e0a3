// chain_place: the lines of a chain, its first slip and where that shows; slips of rotations (RoPE), of norms of q and k, and of
// biases by distance.
#include "chain_formula.h"

#include <math.h>
#include <stdlib.h>

// Another slip with the same numbers here: d_k may equal sqrt(d_model), and dropout may drop nothing.
static ChainSlip other_slip(const ChainAttention *attention, ChainSlip kind)
{
    double kept = 10.0 / attention->times; // of ten weights
    bool is_rate = kind == CHAIN_SLIP_WEIGHTS_TIMES && kept > 4.9 && kept < 9.1 &&
                   fabs(kept - round(kept)) < 1e-3;
    ptrdiff_t all = attention->apart > 0 ? attention->apart : attention->heads;
    bool is_one_number = kind == CHAIN_SLIP_SCALE_D_K && all == attention->width;
    bool is_root = kind == CHAIN_SLIP_SCALE_D_K && all == attention->width * attention->width;
    return is_one_number ? CHAIN_SLIP_SCALE_D_MODEL
           : is_root     ? CHAIN_SLIP_SCALE_HEADS
           : is_rate     ? CHAIN_SLIP_DROPPED
                         : CHAIN_RIGHT;
}

// Where a slip stands in the pipeline. A slip of the output's weight or bias comes late; keys saved as v come early.
static int place_of(const ChainReport *report, ChainSlip kind, int tensor)
{
    const ChainAttention *attention = report->attention;
    bool is_output = tensor >= 0 && tensor == attention->output && tensor != attention->context;
    bool is_value = kind == CHAIN_SLIP_K_FOR_V && tensor >= 0 && tensor != attention->context &&
                    tensor != attention->context_heads && !is_output;
    return is_output && kind <= CHAIN_SLIP_BIAS_TWICE ? CHAIN_SLIP_OUTPUT_TRANSPOSED
           : is_value                                 ? CHAIN_SLIP_OTHER_WEIGHTS
                                                      : (int)kind;
}

void chain_slip(ChainReport *report, ChainSlip kind, int tensor, const char *is, const char *right)
{
    Chain *chain = report->chain;
    tensor = tensor < report->finder->count ? tensor : -1;
    int place = place_of(report, kind, tensor);
    if (kind == CHAIN_RIGHT || (chain->slip != CHAIN_RIGHT && report->place <= place))
        return;
    report->place = place;
    chain->slip = kind;
    chain->or_else = other_slip(report->attention, kind);
    chain->wrong = tensor;
    chain->is = is;
    chain->right = right;
}

void chain_line(ChainReport *report, int tensor, const char *role, const char *formula)
{
    Chain *chain = report->chain;
    if ((tensor >= 0 && report->is_line[tensor]) || chain->line_count == CHAIN_LINES_MAX)
        return;
    if (tensor >= 0)
        report->is_line[tensor] = true;
    if (tensor >= report->finder->count)
        tensor = -1;
    chain->lines[chain->line_count++] = (ChainLine){tensor, role, formula};
}

int chain_first_map(const ChainAttention *attention)
{
    return attention->score_count > 0 ? attention->scores[0].map.tensor : attention->weights.tensor;
}

int chain_mixed_first(const ChainAttention *attention)
{
    return attention->context_heads >= 0 ? attention->context_heads
           : attention->context >= 0     ? attention->context
                                         : attention->output;
}

// --- pairs of attentions

bool chain_is_to_compare(const ChainFinder *finder, const ChainAttention *attention)
{
    bool is_it = false;
    for (int i = 0; i < finder->attention_count; i++) {
        const ChainAttention *other = &finder->attentions[i];
        is_it = is_it || (chain_are_of_one(attention, other) && other->weights.tensor >= 0 &&
                          chain_has_result(other) && other->form == CHAIN_SOFTMAX &&
                          other->axis == CHAIN_KEYS &&
                          chain_scale_slip(other, other->factor) == CHAIN_RIGHT);
    }
    return is_it && attention->weights.tensor >= 0 && !chain_has_result(attention);
}

// Finds scores that the weights use with q and k exchanged.
void chain_check_pairs(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    for (int i = 0; i < finder->attention_count; i++)
        for (int j = 0; j < finder->attention_count; j++) {
            const ChainAttention *a = &finder->attentions[i], *b = &finder->attentions[j];
            if (a->q != a->k && a->q == b->k && a->k == b->q && a->heads == b->heads &&
                a->weights.tensor < 0 && b->weights.tensor >= 0)
                chain_slip(report, CHAIN_SLIP_SCORES_TRANSPOSED, chain_first_map(b), NULL, NULL);
        }
}

// --- norms

const ChainEven *chain_even_of(const ChainFinder *finder, int row)
{
    int tensor = chain_made_rows(finder, row);
    const ChainOrigin *origin = tensor < 0 ? NULL : &finder->origins[tensor];
    return !origin || origin->from < 0 ? NULL
           : origin->even.norm         ? &origin->even
                                       : chain_even_of(finder, origin->from);
}

bool chain_is_even_gain(const ChainTensor *gain)
{
    ptrdiff_t n = 1;
    while (n < gain->count && gain->at[n] == gain->at[0])
        n++;
    return n >= gain->count;
}

static bool is_gain_unused(const ChainFinder *finder, ptrdiff_t width, const ChainEven *other)
{
    bool is_it = false;
    for (int i = 0; i < finder->count; i++)
        is_it = is_it || (chain_is_vector(finder, i, width) && (!other || i != other->gain) &&
                          !chain_is_even_gain(&finder->tensors[i]) &&
                          chain_has_part(finder->tensors[i].name, "norm") &&
                          !dump_is_part(finder->tensors[i].name, DUMP_PART_BIAS));
    return is_it;
}

// q and k are normalised alike, each by its own gain.
static void check_even(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const int rows[] = {attention->q, attention->k};
    const ChainEven *even[2];
    for (int i = 0; i < 2; i++)
        even[i] = attention->even[i].norm ? &attention->even[i] : chain_even_of(finder, rows[i]);
    for (int i = 0; i < 2; i++) {
        int made = chain_made_rows(finder, rows[i]),
            shows = made >= 0 && finder->rows[rows[i]].heads > 0 && even[0] != &attention->even[0]
                        ? made
                        : chain_first_map(attention);
        bool is_known = chain_linear_of(finder, rows[i]) >= 0;
        bool is_shared = // one weight makes both, as k is q normalised
            chain_linear_of(finder, rows[0]) == chain_linear_of(finder, rows[1]);
        if (!even[i] && even[1 - i] && is_known && !is_shared)
            chain_slip(report, CHAIN_SLIP_NORM_MISSING, shows, NULL, NULL);
        if (even[i] && even[i]->gain < 0 && attention->width != attention->model &&
            is_gain_unused(finder, attention->width, even[1 - i]))
            chain_slip(report, CHAIN_SLIP_GAIN_MISSING, shows, NULL, NULL);
        const ChainTensor *gain =
            even[i] && even[i]->gain >= 0 ? &finder->tensors[even[i]->gain] : NULL;
        if (gain && !chain_is_even_gain(gain) && gain->role == "kq"[i] &&
            chain_role(finder, rows[i]) == "qk"[i])
            chain_slip(report, CHAIN_SLIP_GAIN_OTHER, shows, NULL, NULL);
    }
}

// --- rotations

// How dumped heads were rotated; NULL: unknown.
static const ChainTurn *turn_of(const ChainFinder *finder, int row)
{
    int tensor = chain_made_rows(finder, row);
    static const ChainTurn none = {.is_turned = false};
    if (row < 0 || (tensor >= 0 && chain_linear_of(finder, row) < 0))
        return NULL;
    if (tensor < 0 || finder->origins[tensor].from < 0)
        return &none;
    const ChainOrigin *origin = &finder->origins[tensor];
    bool is_repeated = finder->rows[origin->from].heads > 0; // as those heads are
    return is_repeated ? turn_of(finder, origin->from) : &origin->turn;
}

bool chain_is_by_distance(const ChainFinder *finder, const ChainTensor *bias)
{
    ptrdiff_t keys = bias->shape[bias->rank - 1], queries = bias->shape[bias->rank - 2];
    double largest = bias->largest;
    for (int is_signed = 0; is_signed < 2 && keys > 2 && queries > 1; is_signed++) {
        bool fits = largest > 0.0;
        for (ptrdiff_t n = 0; n < bias->count && fits; n++) {
            const double *head = bias->at + n / keys / queries * queries * keys;
            ptrdiff_t i = n / keys % queries, j = n % keys;
            double far = (double)(is_signed ? j : labs((long)(i - j)) - (long)i);
            fits = chain_near(finder, bias->at[n] - bias->at[n - j], (head[1] - head[0]) * far,
                              (double)keys * largest);
        }
        if (fits)
            return true;
    }
    return false;
}

// True if the bias is a positive slope times the distance, or times i - j.
static bool favours_far_keys(const ChainFinder *finder, const ChainTensor *bias)
{
    ptrdiff_t keys = bias->shape[bias->rank - 1], pairs = keys * bias->shape[bias->rank - 2];
    bool is_far = pairs >= 2 * keys && keys >= 2, is_signed = is_far && bias->at[1] < 0.0;
    for (ptrdiff_t n = 0; n < bias->count && is_far; n++) {
        double slope = bias->at[n / pairs * pairs + keys]; // the second query, the first key
        ptrdiff_t far = n / keys % (pairs / keys) - n % keys;
        far = is_signed ? far : labs((long)far);
        is_far = slope > 0.0 &&
                 chain_near(finder, bias->at[n], slope * (double)far, slope * (double)keys);
    }
    return is_far;
}

static bool are_apart(const ChainTurn *q, const ChainTurn *k)
{
    return q->is_turned != k->is_turned || q->is_in_pairs != k->is_in_pairs || q->base != k->base ||
           q->numbers != k->numbers || q->odd != k->odd;
}

static bool is_turned_name(const char *name)
{
    return chain_has_part(name, "rot") || chain_has_part(name, "rope") ||
           chain_has_part(name, "embed");
}

// Where a rotation of q (0) or k (1) shows: in dumped heads, if they are not as they were split; else in the scores.
static int turn_shows(const ChainReport *report, int which, bool is_turned)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    int row = which ? attention->k : attention->q;
    int heads = chain_made_rows(finder, row), shows = heads;
    for (int i = 0; i < finder->count; i++) { // the dump may have them beside the attention's
        const ChainOrigin *one = &finder->origins[i];
        bool is_it =
            attention->turn[which].is_turned
                ? one->turn.is_turned && !are_apart(&one->turn, &attention->turn[which])
                : !is_turned && !one->turn.is_turned && is_turned_name(finder->tensors[i].name);
        if (is_it && one->from >= 0 &&
            chain_linear_of(finder, one->from) == chain_linear_of(finder, row))
            return i;
    }
    if (heads < 0 || finder->rows[row].heads == 0 || attention->turn[which].is_turned)
        return chain_first_map(attention);
    for (int i = 0; i < finder->count && !is_turned; i++) { // "q_rot", which is not rotated
        bool is_it = finder->tensors[i].rank == finder->tensors[heads].rank &&
                     chain_is_same(finder, i, heads);
        if (is_it && is_turned_name(finder->tensors[i].name))
            return i;
        shows = is_it && shows == heads ? i : shows;
    }
    return !is_turned && attention->turn[!which].is_turned ? chain_first_map(attention) : shows;
}

// Rotated heads beside the attention: scores of q and k that are turned alike do not show it.
static void check_turned_beside(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    for (int i = 0; i < finder->count; i++) {
        const ChainOrigin *origin = &finder->origins[i];
        if (origin->from >= 0 && origin->turn.is_turned && origin->turn.odd == CHAIN_BY_HEAD)
            chain_slip(report, CHAIN_SLIP_TURNED_BY_HEAD, i, NULL, NULL);
    }
}

static void check_turns(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const int rows[] = {attention->q, attention->k};
    const ChainTurn *turns[2], *v = turn_of(finder, attention->v);
    if (v && v->is_turned && attention->v != attention->k && attention->v != attention->q)
        chain_slip(report, CHAIN_SLIP_V_TURNED, chain_made_rows(finder, attention->v), NULL, NULL);
    for (int i = 0; i < 2; i++) {
        turns[i] = attention->turn[i].is_turned ? &attention->turn[i] : turn_of(finder, rows[i]);
        ChainOdd odd = turns[i] ? turns[i]->odd : CHAIN_NOT_ODD;
        if (odd == CHAIN_UNSIGNED || odd == CHAIN_EXCHANGED || odd == CHAIN_BY_HEAD)
            chain_slip(report,
                       odd == CHAIN_BY_HEAD ? CHAIN_SLIP_TURNED_BY_HEAD : CHAIN_SLIP_TURNED_WRONGLY,
                       turn_shows(report, i, true), NULL, NULL);
    }
    const ChainTurn *q = turns[0], *k = turns[1];
    if (!q || !k || !are_apart(q, k))
        return;
    bool is_q = !q->is_turned || q->odd != CHAIN_NOT_ODD; // the odd one
    chain_slip(report, k->is_turned ? CHAIN_SLIP_TURNED_APART : CHAIN_SLIP_K_NOT_TURNED,
               turn_shows(report, !is_q, is_q ? q->is_turned : k->is_turned), NULL, NULL);
}

bool chain_has_other_weights(const ChainFinder *finder, const ChainAttention *attention)
{
    bool has = finder->attention_count > 1 && attention->apart == 0;
    for (int i = 0; i < finder->count; i++)
        has = has || (finder->tensors[i].is_shares && !finder->is_explained[i]);
    return has;
}

// True for slopes that differ between heads, times the distance; or for what is called a bias.
static bool is_bias_of_heads(const ChainFinder *finder, const ChainTensor *one)
{
    ptrdiff_t keys = one->shape[one->rank - 1], pairs = keys * one->shape[one->rank - 2];
    return chain_has_part(one->name, "bias") ||
           (chain_is_by_distance(finder, one) &&
            one->at[1] - one->at[0] != one->at[pairs + 1] - one->at[pairs]);
}

// A bias by position in the dump that nothing uses, though the weights are known.
static void check_unused_bias(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    ptrdiff_t queries = finder->rows[attention->q].length, keys = finder->rows[attention->k].length;
    int shows = attention->weights.tensor;
    for (int i = attention->score_count - 1; i >= 0; i--) {
        int scores = attention->scores[i].map.tensor;
        if (attention->scores[i].kind != CHAIN_PLAIN ||
            chain_has_part(finder->tensors[scores].name, "bias") ||
            chain_has_part(finder->tensors[scores].name, "alibi"))
            shows = scores;
    }
    for (int i = 0; i < finder->count && attention->weights.tensor >= 0; i++) {
        const ChainTensor *one = &finder->tensors[i];
        ptrdiff_t heads = one->rank > 2 ? one->shape[one->rank - 3] : 0;
        if (one->is_number && !one->is_flags && !one->is_fill && one->rank > 2 &&
            heads == attention->heads && heads > 1 && one->shape[one->rank - 2] == queries &&
            one->shape[one->rank - 1] == keys && !finder->is_explained[i] &&
            attention->change_count == 0 && is_bias_of_heads(finder, one) &&
            !chain_has_other_weights(finder, attention))
            chain_slip(report, CHAIN_SLIP_BIAS_UNUSED, shows, NULL, NULL);
    }
}

// ALiBi's slopes are 2^(-8 (h + 1) / heads); true if they stand from the last head to the first, or are multiplied by a
// number. Over sqrt(d_k) they may be meant (Falcon), and other slopes, too.
static bool are_slopes_off(const ChainAttention *attention, const double slopes[])
{
    ptrdiff_t heads = attention->heads;
    double first = slopes[0] * pow(2.0, 8.0 / (double)heads);
    bool is_turned = heads > 1,
         is_times = heads > 1 && (heads & (heads - 1)) == 0 && fabs(first - 1.0) > factor_off &&
                    fabs(first * sqrt((double)attention->width) - 1.0) > factor_off;
    for (ptrdiff_t h = 0; h < heads; h++) {
        double last = pow(2.0, 8.0 * (double)h / (double)heads - 8.0),
               usual = pow(2.0, -8.0 * (double)(h + 1) / (double)heads);
        is_turned = is_turned && fabs(slopes[h] / last - 1.0) < factor_off;
        is_times = is_times && first > 0.0 && fabs(slopes[h] / usual / first - 1.0) < factor_off;
    }
    return is_turned || is_times;
}

// The slope of each head of a bias by distance: what its last query gives to the second key more than to the first.
static const double *slopes_of(ChainFinder *finder, const ChainTensor *bias, ptrdiff_t heads)
{
    if (bias->rank < 3 || bias->shape[bias->rank - 3] != heads ||
        !chain_is_by_distance(finder, bias))
        return NULL;
    double *slopes = chain_take(finder, heads);
    ptrdiff_t keys = bias->shape[bias->rank - 1], pairs = keys * bias->shape[bias->rank - 2];
    for (ptrdiff_t h = 0; slopes && h < heads; h++)
        slopes[h] = bias->at[(h + 1) * pairs - keys + 1] - bias->at[(h + 1) * pairs - keys];
    return slopes;
}

void chain_check_position(ChainReport *report)
{
    const ChainAttention *attention = report->attention;
    const ChainChange *sloped = chain_change_of(attention, CHAIN_SLOPED),
                      *bias = chain_change_of(attention, CHAIN_BIASED);
    const double *slopes = sloped ? sloped->slopes : NULL;
    bool is_turned = slopes != NULL;
    for (ptrdiff_t h = 0; is_turned && h < attention->heads; h++)
        is_turned = slopes[h] < 0.0;
    int shows =
        attention->weights.tensor >= 0 ? attention->weights.tensor : chain_first_map(attention);
    for (int i = attention->score_count - 1; i >= 0; i--)
        shows = attention->scores[i].changes > 0 ? attention->scores[i].map.tensor : shows;
    if (is_turned ||
        (bias && favours_far_keys(report->finder, &report->finder->tensors[bias->tensor])))
        chain_slip(report, CHAIN_SLIP_SLOPES_TURNED, shows, NULL, NULL);
    if (!slopes && bias)
        slopes =
            slopes_of(report->finder, &report->finder->tensors[bias->tensor], attention->heads);
    if (slopes && are_slopes_off(attention, slopes))
        chain_slip(report, CHAIN_SLIP_SLOPES_OTHER, shows, NULL, NULL);
    check_unused_bias(report);
    check_turns(report);
    check_turned_beside(report);
    check_even(report);
}
