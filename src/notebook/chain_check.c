// chain_check: what is wrong with a chain, in the order of the pipeline.
#include "chain_formula.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// --- weights that nothing uses

// Of a joined weight other parts may be left.
static bool covers(const ChainLinear *used, const ChainLinear *linear)
{
    bool are_parts = used->by_columns == linear->by_columns && used->out == linear->out;
    return used->tensor == linear->tensor && (!are_parts || used->first == linear->first);
}

bool chain_is_used(const ChainTeller *teller, const ChainLinear *linear)
{
    const ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    int used[] = {chain_linear_of(finder, attention->q), chain_linear_of(finder, attention->k),
                  chain_linear_of(finder, attention->v), attention->out_linear};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (used[i] >= 0 && covers(&finder->linears[used[i]], linear))
            return true;
    for (int i = 0; i < finder->count; i++) {
        int made = finder->projection_of[i];
        if (made >= 0 && covers(&finder->linears[finder->projections[made].linear], linear))
            return true;
    }
    return false;
}

// A weight of this size that the chain does not use; -1.
static int unused_weight(const ChainTeller *teller, ptrdiff_t in, ptrdiff_t out)
{
    const ChainFinder *finder = teller->finder;
    for (int i = 0; i < finder->linear_count; i++) {
        const ChainLinear *linear = &finder->linears[i];
        if (linear->in == in && (out == 0 || linear->out == out) && linear->out > 1 &&
            !finder->is_told[linear->tensor] && !teller->is_line[linear->tensor] &&
            finder->projection_of[linear->tensor] < 0 && !chain_is_used(teller, linear))
            return linear->tensor;
    }
    return -1;
}

// Rows of the same input that the dump has and the attention does not use.
static bool has_unused_rows(const ChainTeller *teller, int like)
{
    const ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    int source = chain_source_of(finder, like);
    for (int i = 0; i < finder->count; i++) {
        int made = finder->projection_of[i];
        if (made >= 0 && finder->projections[made].source == source &&
            i != chain_made_rows(finder, attention->q) &&
            i != chain_made_rows(finder, attention->k) &&
            i != chain_made_rows(finder, attention->v) &&
            finder->linears[finder->projections[made].linear].out == finder->rows[like].width)
            return true;
    }
    return false;
}

static bool is_spare(const ChainTeller *teller, int row)
{
    const ChainFinder *finder = teller->finder;
    int linear = chain_linear_of(finder, row);
    return linear >= 0 &&
           (has_unused_rows(teller, row) ||
            unused_weight(teller, finder->linears[linear].in, finder->linears[linear].out) >= 0);
}

// --- what is wrong before the scores

static ChainProjection projection_from(const ChainFinder *finder, int row)
{
    int tensor = chain_made_rows(finder, row);
    if (tensor >= 0 && finder->projection_of[tensor] >= 0)
        return finder->projections[finder->projection_of[tensor]];
    return (ChainProjection){.tensor = -1, .linear = -1};
}

static void check_transposed(ChainTeller *teller)
{
    ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    const int rows[] = {attention->q, attention->k, attention->v};
    int columns = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        int linear = chain_linear_of(finder, rows[i]);
        bool is_square = linear >= 0 && finder->linears[linear].in == finder->linears[linear].out &&
                         finder->tensors[finder->linears[linear].tensor].shape[0] ==
                             finder->tensors[finder->linears[linear].tensor].shape[1];
        square += is_square;
        columns += is_square && finder->linears[linear].by_columns;
    }
    if (columns == 0 || columns == square || square < 2)
        return;
    bool wrong =
        columns * 2 <= square; // the rarer way, or, of two, the one that is not nn.Linear's
    for (int i = 0; i < 3; i++) {
        int linear = chain_linear_of(finder, rows[i]);
        if (linear < 0 || finder->linears[linear].by_columns != wrong ||
            finder->linears[linear].in != finder->linears[linear].out)
            continue;
        ChainProjection made = projection_from(finder, rows[i]);
        const char *is = made.tensor >= 0 ? chain_projection_text(finder, &made)
                                          : chain_rows_text(finder, attention, rows[i]);
        finder->linears[linear].by_columns = !wrong;
        chain_slip(teller, CHAIN_SLIP_NOT_TRANSPOSED, made.tensor, is,
                   made.tensor >= 0 ? chain_projection_text(finder, &made)
                                    : chain_rows_text(finder, attention, rows[i]));
        finder->linears[linear].by_columns = wrong;
        return;
    }
}

// Whether "q_proj.bias" is the bias of "q_proj.weight".
static bool is_its_bias(const char *weight, const char *bias)
{
    size_t same = 0, end = strlen("weight");
    while (weight[same] && weight[same] == bias[same])
        same++;
    return strlen(weight) >= end && same + end == strlen(weight) &&
           strcmp(weight + same, "weight") == 0 && strcmp(bias + same, "bias") == 0;
}

static void check_bias(ChainTeller *teller, ChainProjection made)
{
    ChainFinder *finder = teller->finder;
    if (made.tensor < 0 || made.bias < 0 || made.times == 1.0)
        return;
    const ChainBias *bias = &finder->biases[made.bias];
    bool is_zero = chain_largest(chain_bias(finder, made.bias), bias->size) < 1e-6;
    if (is_zero || !is_its_bias(finder->tensors[finder->linears[made.linear].tensor].name,
                                finder->tensors[bias->tensor].name))
        return;
    const char *is = chain_projection_text(finder, &made);
    ChainSlip kind = made.times == 0.0 ? CHAIN_SLIP_BIAS_FORGOTTEN : CHAIN_SLIP_BIAS_TWICE;
    made.times = 1.0;
    chain_slip(teller, kind, made.tensor, is, chain_projection_text(finder, &made));
}

static void check_turned(ChainTeller *teller)
{
    const ChainFinder *finder = teller->finder;
    int source = chain_source_of(finder, teller->attention->q);
    if (source < 0 || !finder->rows[source].is_turned)
        return;
    const ChainRows *x = &finder->rows[source];
    for (int i = 0; i < finder->count; i++) { // a mask of padding knows its batch
        const ChainTensor *one = &finder->tensors[i];
        if (one->is_flags && one->rank == 2 && one->shape[0] == x->batch &&
            one->shape[1] == x->length)
            return;
    }
    if (x->length < x->batch && !finder->ask->is_length_first)
        chain_slip(teller, CHAIN_SLIP_BATCH_FIRST, -1, NULL, NULL);
}

static void check_rows(ChainTeller *teller)
{
    const ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    int q = chain_linear_of(finder, attention->q), k = chain_linear_of(finder, attention->k);
    check_turned(teller);
    check_transposed(teller);
    const int rows[] = {attention->q, attention->k, attention->v};
    for (int i = 0; i < 3; i++)
        check_bias(teller, projection_from(finder, rows[i]));
    if (attention->output >= 0 && finder->projection_of[attention->output] >= 0)
        check_bias(teller, finder->projections[finder->projection_of[attention->output]]);
    if (q >= 0 && q == k &&
        chain_source_of(finder, attention->q) == chain_source_of(finder, attention->k) &&
        is_spare(teller, attention->q))
        chain_slip(teller, CHAIN_SLIP_SAME_Q_K, chain_made_rows(finder, attention->k), NULL, NULL);
}

// --- scores and weights

// The tensor where wrong scores show first.
static int first_map(const ChainAttention *attention)
{
    return attention->score_count > 0 ? attention->scores[0].map.tensor : attention->weights.tensor;
}

static void check_split(ChainTeller *teller)
{
    ChainFinder *finder = teller->finder;
    ChainAttention right = *teller->attention;
    if (right.split == CHAIN_IN_RUNS)
        return;
    ChainPattern *pattern = &teller->pattern;
    bool by_scores = right.score_count > 0;
    const char *is = by_scores ? chain_scores_text(finder, &right, 0, pattern)
                               : chain_weights_text(finder, &right, pattern);
    ChainSlip kind = right.split == CHAIN_BY_VIEW ? CHAIN_SLIP_BY_VIEW : CHAIN_SLIP_IN_TURN;
    right.split = CHAIN_IN_RUNS;
    chain_slip(teller, kind, first_map(&right), is,
               by_scores ? chain_scores_text(finder, &right, 0, pattern)
                         : chain_weights_text(finder, &right, pattern));
}

static void check_scale(ChainTeller *teller)
{
    ChainFinder *finder = teller->finder;
    ChainAttention right = *teller->attention;
    bool has_weights = right.weights.tensor >= 0;
    int at = right.over;
    for (int i = 0; i < right.score_count && !has_weights; i++)
        if (chain_scale_slip(&right, right.scores[i].factor) != CHAIN_SLIP_SCALE_MISSING)
            at = i;
    double factor = has_weights || at < 0 ? right.factor : right.scores[at].factor;
    ChainSlip kind = factor == 0.0 ? CHAIN_RIGHT : chain_scale_slip(&right, factor);
    // q may have been scaled before it was kept; and without weights there is nothing to scale for.
    // A learned bias of the scores (T5) goes without a scale.
    bool is_open = kind == CHAIN_SLIP_SCALE_MISSING &&
                   ((chain_linear_of(finder, right.q) < 0 &&
                     (chain_linear_of(finder, right.k) >= 0 || right.q == right.k)) ||
                    (right.extra.bias >= 0 && right.is_hidden == NULL));
    if (kind == CHAIN_RIGHT || is_open)
        return;
    for (int i = 0; i < right.score_count; i++) // where the number shows first
        if (kind != CHAIN_SLIP_SCALE_MISSING &&
            fabs(right.scores[i].factor - factor) < 1e-3 * factor) {
            at = i;
            break;
        }
    double should = 1.0 / sqrt((double)right.width);
    ChainPattern pattern = teller->pattern;
    if (at >= 0) {
        const char *is = chain_scores_text(finder, &right, at, &pattern);
        right.scores[at].factor = should;
        chain_slip(teller, kind, right.scores[at].map.tensor, is,
                   chain_scores_text(finder, &right, at, &pattern));
    } else if (!has_weights) {
        chain_slip(teller, kind, right.context >= 0 ? right.context : right.output, NULL, NULL);
    } else {
        const char *is = chain_weights_text(finder, &right, &pattern);
        right.factor = should;
        chain_slip(teller, kind, right.weights.tensor, is,
                   chain_weights_text(finder, &right, &pattern));
    }
}

static bool has_part(const char *name, const char *part)
{
    size_t length = strlen(part);
    for (; *name; name++) {
        size_t same = 0;
        while (same < length && tolower((unsigned char)name[same]) == part[same])
            same++;
        if (same == length)
            return true;
    }
    return false;
}

// Whether a mask of flags (B, Lk) hides every key of a sequence where it says 0.
static bool hides_a_sequence(const ChainTensor *mask)
{
    for (ptrdiff_t row = 0; row < mask->count / mask->shape[mask->rank - 1]; row++) {
        bool all = true;
        for (ptrdiff_t j = 0; j < mask->shape[mask->rank - 1]; j++)
            all = all && mask->at[row * mask->shape[mask->rank - 1] + j] == 0.0;
        if (all)
            return true;
    }
    return false;
}

static ChainSlip padding_slip(const ChainTeller *teller, const ChainPattern *pattern)
{
    const ChainFinder *finder = teller->finder;
    const ChainTensor *mask = &finder->tensors[pattern->mask];
    bool is_pads = mask->rank == 2 && pattern->by_keys;
    if (pattern->is_turned && is_pads && (has_part(mask->name, "pad") || hides_a_sequence(mask)))
        return CHAIN_SLIP_PADDING_INVERTED;
    return CHAIN_RIGHT;
}

static bool has_zeros(const ChainTensor *one)
{
    for (ptrdiff_t i = 0; i < one->count; i++)
        if (one->at[i] == 0.0)
            return true;
    return false;
}

// Flags of the dump that mark padding by their name, though no key is hidden.
static bool has_unused_pads(const ChainTeller *teller)
{
    const ChainFinder *finder = teller->finder;
    const ChainMap *map = &teller->attention->weights;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        if (one->is_flags && one->rank == 2 && one->shape[0] == map->batch && map->tensor >= 0 &&
            one->shape[1] == map->keys &&
            (has_part(one->name, "pad") ? chain_largest(one->at, one->count) > 0.0
                                        : has_part(one->name, "attention_mask") && has_zeros(one)))
            return true;
    }
    return false;
}

static ChainSlip mask_slip(const ChainTeller *teller, const ChainPattern *pattern)
{
    bool is_causal = teller->finder->ask->is_causal;
    switch (pattern->kind) {
    case CHAIN_HIDES_NONE:
        if (pattern->mask >= 0)
            return padding_slip(teller, pattern);
        return is_causal                 ? CHAIN_SLIP_MASK_MISSING
               : has_unused_pads(teller) ? CHAIN_SLIP_PADS_NOT_MASKED
                                         : CHAIN_RIGHT;
    case CHAIN_HIDES_LATER:
        return CHAIN_RIGHT;
    case CHAIN_HIDES_EARLIER:
        return CHAIN_SLIP_MASK_PAST;
    case CHAIN_HIDES_ALL_BUT_LATER:
        return CHAIN_SLIP_MASK_INVERTED;
    case CHAIN_HIDES_ITSELF:
    case CHAIN_HIDES_BUT_FIRST:
        return CHAIN_SLIP_MASK_DIAGONAL;
    case CHAIN_HIDES_LATE:
        return CHAIN_SLIP_MASK_OFF_BY_ONE;
    default:
        return is_causal ? CHAIN_SLIP_MASK_OTHER : CHAIN_RIGHT;
    }
}

static void check_mask(ChainTeller *teller)
{
    ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    int masked = -1;
    for (int i = 0; i < attention->score_count; i++)
        if (attention->scores[i].kind != CHAIN_PLAIN)
            masked = i;
    bool is_added = masked >= 0 && attention->scores[masked].kind == CHAIN_ADDED;
    int shows = masked >= 0                      ? attention->scores[masked].map.tensor
                : attention->weights.tensor >= 0 ? attention->weights.tensor
                                                 : first_map(attention);
    ChainPattern pattern = teller->pattern, causal = {CHAIN_HIDES_LATER, -1, false, false};
    const char *is = masked < 0 && attention->weights.tensor >= 0
                         ? chain_weights_text(finder, attention, &pattern)
                         : NULL,
               *right = NULL;
    if (masked >= 0) {
        pattern = chain_pattern(finder, &attention->scores[masked].map,
                                attention->scores[masked].is_hidden);
        is = chain_scores_text(finder, attention, masked, &pattern);
        right = chain_scores_text(finder, attention, masked, &causal);
    }
    if (is_added) {
        chain_slip(teller, CHAIN_SLIP_MASK_ADDED, shows, is, NULL);
        return;
    }
    if (attention->form == CHAIN_MASKED_AFTER && attention->weights.tensor >= 0)
        return; // it hides, though too late
    if (masked >= 0 && attention->scores[masked].fill == 0.0)
        chain_slip(teller, CHAIN_SLIP_MASK_ZERO, shows, is, NULL);
    if (attention->weights.tensor < 0 && masked < 0)
        return;
    chain_slip(teller, mask_slip(teller, &pattern), shows, is,
               finder->ask->is_causal ? right : NULL);
}

// A head's slope below 0 draws keys that come later, not those that are near (ALiBi).
static void check_position(ChainTeller *teller)
{
    const ChainAttention *attention = teller->attention;
    const double *slopes = attention->extra.slopes;
    bool is_turned = slopes != NULL;
    for (ptrdiff_t h = 0; is_turned && h < attention->heads; h++)
        is_turned = slopes[h] < 0.0;
    if (is_turned)
        chain_slip(teller, CHAIN_SLIP_SLOPES_TURNED, attention->weights.tensor, NULL, NULL);
    if (attention->turn.is_q_alone)
        chain_slip(teller, CHAIN_SLIP_K_NOT_TURNED, attention->weights.tensor, NULL, NULL);
}

static void check_weights(ChainTeller *teller)
{
    ChainFinder *finder = teller->finder;
    ChainAttention right = *teller->attention;
    if (right.form == CHAIN_NO_SOFTMAX)
        chain_slip(teller, CHAIN_SLIP_NO_SOFTMAX, right.context, NULL, NULL);
    if (right.weights.tensor < 0)
        return;
    ChainSlip kind = right.form == CHAIN_TWICE          ? CHAIN_SLIP_TWICE
                     : right.form == CHAIN_ZEROED       ? CHAIN_SLIP_MASK_ZERO
                     : right.form == CHAIN_NO_EXP       ? CHAIN_SLIP_NO_EXP
                     : right.form == CHAIN_MASKED_AFTER ? CHAIN_SLIP_MASKED_AFTER
                     : right.form == CHAIN_DROPPED      ? CHAIN_SLIP_DROPPED
                     : right.form == CHAIN_TIMES        ? CHAIN_SLIP_WEIGHTS_TIMES
                     : right.axis == CHAIN_QUERIES      ? CHAIN_SLIP_OVER_QUERIES
                     : right.axis == CHAIN_HEADS        ? CHAIN_SLIP_OVER_HEADS
                                                        : CHAIN_RIGHT;
    const char *is = chain_weights_text(finder, &right, &teller->pattern);
    if (right.form != CHAIN_AVERAGED)
        right.form = CHAIN_SOFTMAX;
    right.axis = CHAIN_KEYS;
    chain_slip(teller, kind, right.weights.tensor, is,
               chain_weights_text(finder, &right, &teller->pattern));
}

// --- the context and the output

static bool is_output_name(const char *name)
{
    const char *last = strrchr(name, '.');
    last = last ? last + 1 : name;
    return strncmp(last, "out", 3) == 0 || strcmp(last, "y") == 0 || strcmp(last, "result") == 0;
}

// The tensor that is the context once more, or alone has an output's name.
static int unprojected(const ChainTeller *teller)
{
    const ChainFinder *finder = teller->finder;
    int context = teller->attention->context, last = -1;
    if (context < 0 || teller->attention->output >= 0)
        return -1;
    for (int i = 0; i < finder->count; i++)
        if (i != context && finder->tensors[i].rank == finder->tensors[context].rank &&
            chain_is_same(finder, i, context))
            last = i;
    return last >= 0 ? last : is_output_name(finder->tensors[context].name) ? context : -1;
}

static void check_results(ChainTeller *teller)
{
    ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    int v = chain_linear_of(finder, attention->v), k = chain_linear_of(finder, attention->k),
        q = chain_linear_of(finder, attention->q), context = attention->context;
    if (attention->v < 0)
        return;
    int shows = context >= 0 ? context : attention->output;
    bool is_k = attention->v == attention->k || (v >= 0 && v == k);
    bool is_q = attention->v == attention->q || (v >= 0 && v == q);
    if ((is_k || is_q) && is_spare(teller, attention->v))
        chain_slip(teller, is_k ? CHAIN_SLIP_K_FOR_V : CHAIN_SLIP_Q_FOR_V, shows, NULL, NULL);
    if (attention->v_split != CHAIN_IN_RUNS && attention->split == CHAIN_IN_RUNS)
        chain_slip(teller,
                   attention->v_split == CHAIN_BY_VIEW ? CHAIN_SLIP_BY_VIEW : CHAIN_SLIP_IN_TURN,
                   shows, NULL, NULL);
    if (attention->merge != CHAIN_IN_RUNS)
        chain_slip(teller,
                   attention->merge == CHAIN_BY_VIEW ? CHAIN_SLIP_MERGED_BY_VIEW
                                                     : CHAIN_SLIP_MERGED_IN_TURN,
                   shows, NULL, NULL);
    int bare = unprojected(teller);
    int unused = bare < 0 ? -1 : unused_weight(teller, attention->heads * attention->width, 0);
    if (unused >= 0) {
        chain_slip(teller, CHAIN_SLIP_NO_OUTPUT, bare, NULL, NULL);
        teller->chain->unused_weight = unused;
    }
}

void chain_check(ChainTeller *teller)
{
    check_rows(teller);
    check_split(teller);
    check_position(teller);
    check_scale(teller);
    check_mask(teller);
    check_weights(teller);
    check_results(teller);
}

// Scores of the dump that go on with their axes exchanged, q and k.
void chain_check_pairs(ChainTeller *teller)
{
    const ChainFinder *finder = teller->finder;
    for (int i = 0; i < finder->attention_count; i++)
        for (int j = 0; j < finder->attention_count; j++) {
            const ChainAttention *a = &finder->attentions[i], *b = &finder->attentions[j];
            if (a->q != a->k && a->q == b->k && a->k == b->q && a->heads == b->heads &&
                a->weights.tensor < 0 && b->weights.tensor >= 0)
                chain_slip(teller, CHAIN_SLIP_SCORES_TRANSPOSED, first_map(b), NULL, NULL);
        }
}
