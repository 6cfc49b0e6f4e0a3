// chain: reads a dump by its numbers; see chain.h.
#include "chain_formula.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// --- slips

typedef struct SlipRow {
    const char *mistake;
    Words title, mend;
} SlipRow;

static const SlipRow slips[CHAIN_SLIPS] = {
#define SLIP(NAME, mistake, title, title_ko, mend, mend_ko) \
    [CHAIN_SLIP_##NAME] = {mistake, WORDS(title, title_ko), WORDS(mend, mend_ko)},
#include "chain_slips.def"
#undef SLIP
};

const Mistake *chain_mistake(ChainSlip slip)
{
    return slips[slip].mistake ? mistake_find(slips[slip].mistake) : NULL;
}

const char *chain_title(ChainSlip slip)
{
    return words_tell(slips[slip].title);
}

const char *chain_mend(ChainSlip slip)
{
    return words_tell(slips[slip].mend);
}

typedef struct Teller {
    ChainFinder *finder;
    Chain *chain;
    const ChainAttention *attention;
    ChainPattern pattern; // of what the weights hide
    bool is_line[DUMP_TENSORS_MAX];
} Teller;

// The first slip in the order of the pipeline counts.
static void slip(Teller *teller, ChainSlip kind, int tensor, const char *is, const char *right)
{
    Chain *chain = teller->chain;
    if (kind == CHAIN_RIGHT || (chain->slip != CHAIN_RIGHT && chain->slip <= kind))
        return;
    chain->slip = kind;
    chain->wrong = tensor;
    chain->is = is;
    chain->right = right;
}

// --- lines

static void line(Teller *teller, int tensor, const char *role, const char *formula)
{
    Chain *chain = teller->chain;
    if ((tensor >= 0 && teller->is_line[tensor]) || chain->line_count == CHAIN_LINES_MAX)
        return;
    if (tensor >= 0)
        teller->is_line[tensor] = true;
    chain->lines[chain->line_count++] = (ChainLine){tensor, role, formula};
}

static int made_rows(const ChainFinder *finder, int row)
{
    return row < 0 ? -1 : finder->rows[row].tensor;
}

// The weight that rows are made with; -1: none is known.
static int linear_of(const ChainFinder *finder, int row)
{
    int tensor = made_rows(finder, row);
    if (tensor >= 0 && finder->split_from[tensor] >= 0)
        return linear_of(finder, finder->split_from[tensor]);
    if (row < 0 || tensor < 0)
        return row < 0 ? -1 : finder->rows[row].linear;
    int made = finder->projection_of[tensor];
    return made < 0 ? -1 : finder->projections[made].linear;
}

static int source_of(const ChainFinder *finder, int row)
{
    int tensor = made_rows(finder, row);
    if (tensor >= 0 && finder->split_from[tensor] >= 0)
        return source_of(finder, finder->split_from[tensor]);
    if (row < 0 || tensor < 0)
        return row < 0 ? -1 : finder->inputs[finder->rows[row].source];
    int made = finder->projection_of[tensor];
    return made < 0 ? -1 : finder->projections[made].source;
}

// Whether a tensor with an axis of heads has the numbers of rows that are split so.
static bool is_split(ChainFinder *finder, int row, int from, ChainSplit split)
{
    const ChainRows *to = &finder->rows[row];
    ChainHeads ours, theirs;
    if (!chain_split(finder, row, CHAIN_IN_RUNS, to->heads, to->width, &ours) ||
        !chain_split(finder, from, split, to->heads, to->width, &theirs) || theirs.group != 1)
        return false;
    double largest = chain_largest(ours.at, finder->tensors[to->tensor].count);
    for (ptrdiff_t b = 0; b < to->batch; b++)
        for (ptrdiff_t h = 0; h < to->heads; h++)
            for (ptrdiff_t l = 0; l < to->length; l++)
                for (ptrdiff_t e = 0; e < to->width; e++)
                    if (!chain_near(chain_head(&ours, b, h, l, e), chain_head(&theirs, b, h, l, e),
                                    largest))
                        return false;
    return true;
}

static const char *heads_role(const ChainAttention *attention, int row, int from)
{
    return row == attention->q || from == attention->q   ? "q_heads"
           : row == attention->k || from == attention->k ? "k_heads"
                                                         : "v_heads";
}

// Tells of a tensor with an axis of heads which rows it was split from, those of the dump first.
static void line_heads(Teller *teller, int row)
{
    ChainFinder *finder = teller->finder;
    const ChainRows *to = &finder->rows[row];
    for (int tier = 1; tier <= 3; tier++)
        for (int from = 0; from < finder->row_count; from++) {
            const ChainRows *rows = &finder->rows[from];
            bool is_plain = rows->tensor < 0 || finder->tensors[rows->tensor].rank < 4;
            if (rows->tier != tier || !is_plain || rows->heads > 0 || rows->batch != to->batch ||
                rows->length != to->length || rows->width != to->heads * to->width)
                continue;
            for (ChainSplit split = 0; split < CHAIN_SPLITS; split++) {
                if (!is_split(finder, row, from, split))
                    continue;
                ChainAttention shape = *teller->attention;
                shape.heads = to->heads;
                shape.width = to->width;
                finder->split_from[to->tensor] = from;
                line(teller, to->tensor, heads_role(teller->attention, row, from),
                     chain_split_text(finder, &shape, row, from, split));
                if (split != CHAIN_IN_RUNS)
                    slip(teller, split == CHAIN_BY_VIEW ? CHAIN_SLIP_BY_VIEW : CHAIN_SLIP_IN_TURN,
                         to->tensor, chain_split_text(finder, &shape, row, from, split),
                         chain_split_text(finder, &shape, row, from, CHAIN_IN_RUNS));
                return;
            }
        }
}

static void line_all_heads(Teller *teller)
{
    const ChainFinder *finder = teller->finder;
    for (int row = 0; row < finder->row_count; row++) {
        const ChainRows *rows = &finder->rows[row];
        if (rows->tier == 1 && rows->heads > 0 && finder->tensors[rows->tensor].rank == 4 &&
            finder->split_from[rows->tensor] < 0 && !teller->is_line[rows->tensor] &&
            !finder->is_told[rows->tensor])
            line_heads(teller, row);
    }
}

static void line_rows(Teller *teller, int row, const char *role)
{
    ChainFinder *finder = teller->finder;
    int tensor = made_rows(finder, row), source = source_of(finder, row);
    if (row < 0)
        return;
    if (source >= 0)
        line(teller, finder->rows[source].tensor, "x", NULL);
    if (tensor < 0)
        line(teller, -1, role, chain_rows_text(finder, teller->attention, row));
    else if (finder->projection_of[tensor] >= 0)
        line(teller, tensor, role,
             chain_projection_text(finder, &finder->projections[finder->projection_of[tensor]]));
    else
        line(teller, tensor, role, NULL);
}

static const char *scores_role(const ChainAttention *attention, const ChainScores *scores)
{
    return scores->kind != CHAIN_PLAIN                                 ? "scores_masked"
           : fabs(scores->factor - 1.0) < 2e-3 && attention->width > 1 ? "scores"
                                                                       : "scores_scaled";
}

static void line_maps(Teller *teller)
{
    ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    for (int i = 0; i < attention->score_count; i++) {
        const ChainScores *scores = &attention->scores[i];
        ChainPattern pattern = scores->kind == CHAIN_PLAIN
                                   ? teller->pattern
                                   : chain_pattern(finder, &scores->map, scores->is_hidden);
        line(teller, scores->map.tensor, scores_role(attention, scores),
             chain_scores_text(finder, attention, i, &pattern));
    }
    if (attention->weights.tensor >= 0)
        line(teller, attention->weights.tensor, "attn_weights",
             chain_weights_text(finder, attention, &teller->pattern));
}

static bool is_same_tensor(const ChainFinder *finder, int a, int b)
{
    const ChainTensor *one = &finder->tensors[a], *other = &finder->tensors[b];
    if (one->count != other->count || !one->is_number || !other->is_number || one->rank < 2)
        return false;
    double largest = chain_largest(one->at, one->count);
    for (ptrdiff_t i = 0; i < one->count; i++)
        if (!chain_near(one->at[i], other->at[i], largest))
            return false;
    return true;
}

static void line_results(Teller *teller)
{
    ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    for (int row = 0; row < finder->row_count && attention->context >= 0; row++) {
        int tensor = finder->rows[row].tensor;
        bool is_context = tensor >= 0 && finder->is_told[tensor] &&
                          finder->rows[row].length == finder->rows[attention->q].length &&
                          tensor != attention->weights.tensor && !teller->is_line[tensor] &&
                          finder->projection_of[tensor] < 0 && finder->rows[row].tier == 1;
        ChainHeads heads, values;
        if (is_context && chain_split(finder, row, attention->merge, attention->heads, 0, &heads) &&
            chain_split(finder, attention->v, attention->v_split, attention->heads, heads.width,
                        &values) &&
            heads.group == 1)
            line(teller, tensor,
                 finder->tensors[tensor].rank == 4 ? "context_heads" : "context_concat",
                 chain_context_text(finder, attention, row));
    }
    if (attention->output >= 0)
        line(teller, attention->output, "output",
             finder->projection_of[attention->output] >= 0
                 ? chain_projection_text(
                       finder, &finder->projections[finder->projection_of[attention->output]])
                 : chain_output_text(finder, attention));
    for (int i = 0; i < finder->count; i++)
        for (int j = 0; j < finder->count && !teller->is_line[i]; j++)
            if (teller->is_line[j] && is_same_tensor(finder, i, j)) {
                finder->is_told[i] = true;
                line(teller, i, "",
                     arena_format(finder->arena, finder->err, "%s = %s",
                                  chain_name(finder, finder->tensors[i].name),
                                  chain_name(finder, finder->tensors[j].name)));
            }
}

// --- weights that nothing uses

// Of a joined weight other parts may be left.
static bool covers(const ChainLinear *used, const ChainLinear *linear)
{
    bool are_parts = used->by_columns == linear->by_columns && used->out == linear->out;
    return used->tensor == linear->tensor && (!are_parts || used->first == linear->first);
}

static bool is_linear_used(const Teller *teller, const ChainLinear *linear)
{
    const ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    int used[] = {linear_of(finder, attention->q), linear_of(finder, attention->k),
                  linear_of(finder, attention->v), attention->out_linear};
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
static int unused_weight(const Teller *teller, ptrdiff_t in, ptrdiff_t out)
{
    const ChainFinder *finder = teller->finder;
    for (int i = 0; i < finder->linear_count; i++) {
        const ChainLinear *linear = &finder->linears[i];
        if (linear->in == in && (out == 0 || linear->out == out) && linear->out > 1 &&
            !finder->is_told[linear->tensor] && !teller->is_line[linear->tensor] &&
            finder->projection_of[linear->tensor] < 0 && !is_linear_used(teller, linear))
            return linear->tensor;
    }
    return -1;
}

// Rows of the same input that the dump has and the attention does not use.
static bool has_unused_rows(const Teller *teller, int like)
{
    const ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    int source = source_of(finder, like);
    for (int i = 0; i < finder->count; i++) {
        int made = finder->projection_of[i];
        if (made >= 0 && finder->projections[made].source == source &&
            i != made_rows(finder, attention->q) && i != made_rows(finder, attention->k) &&
            i != made_rows(finder, attention->v) &&
            finder->linears[finder->projections[made].linear].out == finder->rows[like].width)
            return true;
    }
    return false;
}

static bool is_spare(const Teller *teller, int row)
{
    const ChainFinder *finder = teller->finder;
    int linear = linear_of(finder, row);
    return linear >= 0 &&
           (has_unused_rows(teller, row) ||
            unused_weight(teller, finder->linears[linear].in, finder->linears[linear].out) >= 0);
}

// --- what is wrong before the scores

static ChainProjection projection_from(const ChainFinder *finder, int row)
{
    int tensor = made_rows(finder, row);
    if (tensor >= 0 && finder->projection_of[tensor] >= 0)
        return finder->projections[finder->projection_of[tensor]];
    return (ChainProjection){.tensor = -1, .linear = -1};
}

static void check_transposed(Teller *teller)
{
    ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    const int rows[] = {attention->q, attention->k, attention->v};
    int columns = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        int linear = linear_of(finder, rows[i]);
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
        int linear = linear_of(finder, rows[i]);
        if (linear < 0 || finder->linears[linear].by_columns != wrong ||
            finder->linears[linear].in != finder->linears[linear].out)
            continue;
        ChainProjection made = projection_from(finder, rows[i]);
        const char *is = made.tensor >= 0 ? chain_projection_text(finder, &made)
                                          : chain_rows_text(finder, attention, rows[i]);
        finder->linears[linear].by_columns = !wrong;
        slip(teller, CHAIN_SLIP_NOT_TRANSPOSED, made.tensor, is,
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

static void check_bias(Teller *teller, ChainProjection made)
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
    slip(teller, kind, made.tensor, is, chain_projection_text(finder, &made));
}

static void check_turned(Teller *teller)
{
    const ChainFinder *finder = teller->finder;
    int source = source_of(finder, teller->attention->q);
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
        slip(teller, CHAIN_SLIP_BATCH_FIRST, -1, NULL, NULL);
}

static void check_rows(Teller *teller)
{
    const ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    int q = linear_of(finder, attention->q), k = linear_of(finder, attention->k);
    check_turned(teller);
    check_transposed(teller);
    const int rows[] = {attention->q, attention->k, attention->v};
    for (int i = 0; i < 3; i++)
        check_bias(teller, projection_from(finder, rows[i]));
    if (attention->output >= 0 && finder->projection_of[attention->output] >= 0)
        check_bias(teller, finder->projections[finder->projection_of[attention->output]]);
    if (q >= 0 && q == k && source_of(finder, attention->q) == source_of(finder, attention->k) &&
        is_spare(teller, attention->q))
        slip(teller, CHAIN_SLIP_SAME_Q_K, made_rows(finder, attention->k), NULL, NULL);
}

// --- scores and weights

// The tensor where wrong scores show first.
static int first_map(const ChainAttention *attention)
{
    return attention->score_count > 0 ? attention->scores[0].map.tensor : attention->weights.tensor;
}

static void check_split(Teller *teller)
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
    slip(teller, kind, first_map(&right), is,
         by_scores ? chain_scores_text(finder, &right, 0, pattern)
                   : chain_weights_text(finder, &right, pattern));
}

static void check_scale(Teller *teller)
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
                   ((linear_of(finder, right.q) < 0 &&
                     (linear_of(finder, right.k) >= 0 || right.q == right.k)) ||
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
        slip(teller, kind, right.scores[at].map.tensor, is,
             chain_scores_text(finder, &right, at, &pattern));
    } else if (!has_weights) {
        slip(teller, kind, right.context >= 0 ? right.context : right.output, NULL, NULL);
    } else {
        const char *is = chain_weights_text(finder, &right, &pattern);
        right.factor = should;
        slip(teller, kind, right.weights.tensor, is, chain_weights_text(finder, &right, &pattern));
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

static ChainSlip padding_slip(const Teller *teller, const ChainPattern *pattern)
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
static bool has_unused_pads(const Teller *teller)
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

static ChainSlip mask_slip(const Teller *teller, const ChainPattern *pattern)
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

static void check_mask(Teller *teller)
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
        slip(teller, CHAIN_SLIP_MASK_ADDED, shows, is, NULL);
        return;
    }
    if (attention->form == CHAIN_MASKED_AFTER && attention->weights.tensor >= 0)
        return; // it hides, though too late
    if (masked >= 0 && attention->scores[masked].fill == 0.0)
        slip(teller, CHAIN_SLIP_MASK_ZERO, shows, is, NULL);
    if (attention->weights.tensor < 0 && masked < 0)
        return;
    slip(teller, mask_slip(teller, &pattern), shows, is, finder->ask->is_causal ? right : NULL);
}

// A head's slope below 0 draws keys that come later, not those that are near (ALiBi).
static void check_position(Teller *teller)
{
    const ChainAttention *attention = teller->attention;
    const double *slopes = attention->extra.slopes;
    bool is_turned = slopes != NULL;
    for (ptrdiff_t h = 0; is_turned && h < attention->heads; h++)
        is_turned = slopes[h] < 0.0;
    if (is_turned)
        slip(teller, CHAIN_SLIP_SLOPES_TURNED, attention->weights.tensor, NULL, NULL);
    if (attention->turn.is_q_alone)
        slip(teller, CHAIN_SLIP_K_NOT_TURNED, attention->weights.tensor, NULL, NULL);
}

static void check_weights(Teller *teller)
{
    ChainFinder *finder = teller->finder;
    ChainAttention right = *teller->attention;
    if (right.form == CHAIN_NO_SOFTMAX)
        slip(teller, CHAIN_SLIP_NO_SOFTMAX, right.context, NULL, NULL);
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
    slip(teller, kind, right.weights.tensor, is,
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
static int unprojected(const Teller *teller)
{
    const ChainFinder *finder = teller->finder;
    int context = teller->attention->context, last = -1;
    if (context < 0 || teller->attention->output >= 0)
        return -1;
    for (int i = 0; i < finder->count; i++)
        if (i != context && finder->tensors[i].rank == finder->tensors[context].rank &&
            is_same_tensor(finder, i, context))
            last = i;
    return last >= 0 ? last : is_output_name(finder->tensors[context].name) ? context : -1;
}

static void check_results(Teller *teller)
{
    ChainFinder *finder = teller->finder;
    const ChainAttention *attention = teller->attention;
    int v = linear_of(finder, attention->v), k = linear_of(finder, attention->k),
        q = linear_of(finder, attention->q), context = attention->context;
    if (attention->v < 0)
        return;
    int shows = context >= 0 ? context : attention->output;
    bool is_k = attention->v == attention->k || (v >= 0 && v == k);
    bool is_q = attention->v == attention->q || (v >= 0 && v == q);
    if ((is_k || is_q) && is_spare(teller, attention->v))
        slip(teller, is_k ? CHAIN_SLIP_K_FOR_V : CHAIN_SLIP_Q_FOR_V, shows, NULL, NULL);
    if (attention->v_split != CHAIN_IN_RUNS && attention->split == CHAIN_IN_RUNS)
        slip(teller, attention->v_split == CHAIN_BY_VIEW ? CHAIN_SLIP_BY_VIEW : CHAIN_SLIP_IN_TURN,
             shows, NULL, NULL);
    if (attention->merge != CHAIN_IN_RUNS)
        slip(teller,
             attention->merge == CHAIN_BY_VIEW ? CHAIN_SLIP_MERGED_BY_VIEW
                                               : CHAIN_SLIP_MERGED_IN_TURN,
             shows, NULL, NULL);
    int bare = unprojected(teller);
    int unused = bare < 0 ? -1 : unused_weight(teller, attention->heads * attention->width, 0);
    if (unused >= 0) {
        slip(teller, CHAIN_SLIP_NO_OUTPUT, bare, NULL, NULL);
        teller->chain->unused_weight = unused;
    }
}

// --- all of it

static void tell_attention(Teller *teller, const ChainAttention *attention)
{
    ChainFinder *finder = teller->finder;
    Chain *chain = teller->chain;
    teller->attention = attention;
    ChainMap shape = attention->weights.tensor >= 0 ? attention->weights : attention->scores[0].map;
    if (attention->form == CHAIN_AVERAGED ||
        (attention->weights.tensor < 0 && attention->score_count == 0)) {
        shape = attention->weights;
        shape.heads = attention->heads;
        shape.count = shape.batch * shape.heads * shape.queries * shape.keys;
    }
    teller->pattern = chain_pattern(finder, &shape, attention->is_hidden);
    line_all_heads(teller);
    line_rows(teller, attention->q, "q");
    line_rows(teller, attention->k, "k");
    line_rows(teller, attention->v, "v");
    line_maps(teller);
    line_results(teller);
    chain->heads = attention->heads;
    chain->width = attention->width;
    chain->has_weights = chain->has_weights || attention->weights.tensor >= 0;
    chain->has_output = chain->has_output || attention->context >= 0 || attention->output >= 0;
    check_rows(teller);
    check_split(teller);
    check_position(teller);
    check_scale(teller);
    check_mask(teller);
    check_weights(teller);
    check_results(teller);
}

// Scores of the dump that go on with their axes exchanged, q and k.
static void check_pairs(Teller *teller)
{
    const ChainFinder *finder = teller->finder;
    for (int i = 0; i < finder->attention_count; i++)
        for (int j = 0; j < finder->attention_count; j++) {
            const ChainAttention *a = &finder->attentions[i], *b = &finder->attentions[j];
            if (a->q != a->k && a->q == b->k && a->k == b->q && a->heads == b->heads &&
                a->weights.tensor < 0 && b->weights.tensor >= 0)
                slip(teller, CHAIN_SLIP_SCORES_TRANSPOSED, first_map(b), NULL, NULL);
        }
}

static bool is_parameter(const Teller *teller, int tensor)
{
    const ChainFinder *finder = teller->finder;
    for (int i = 0; i < finder->linear_count; i++)
        if (finder->linears[i].tensor == tensor && is_linear_used(teller, &finder->linears[i]))
            return true;
    return false;
}

// What belongs to no formula, though it has a place for each token, as the context has.
static void find_left(Teller *teller)
{
    ChainFinder *finder = teller->finder;
    Chain *chain = teller->chain;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        bool is_weight = false, is_long = false;
        for (int n = 0; n < finder->linear_count && one->rank == 2; n++)
            is_weight = is_weight || finder->linears[n].tensor == i;
        for (int n = 0; n < finder->row_count; n++)
            is_long = is_long || finder->rows[n].tensor == i;
        // Of two axes alike weights and rows may be: what is as long as the text is a row.
        for (int n = 0; n < finder->attention_count && one->rank == 2; n++)
            is_weight = is_weight && one->shape[0] != finder->rows[finder->attentions[n].q].length;
        if (!teller->is_line[i] && one->is_number && !one->is_flags && is_long &&
            !(is_weight && one->rank == 2) && !is_parameter(teller, i))
            chain->left[chain->left_count++] = i;
    }
}

static void count_same(Chain *chain)
{
    for (int i = 0; i < chain->line_count; i++) {
        const ChainLine *one = &chain->lines[i];
        if (chain->slip != CHAIN_RIGHT && one->dumped >= 0 && one->dumped == chain->wrong)
            break;
        chain->same += one->dumped >= 0 && one->formula;
    }
}

// Lets another kind of search work as long as the one before.
static void allow(ChainFinder *finder)
{
    finder->is_given_up =
        finder->is_given_up || (finder->most > 0.0 && finder->work > finder->most);
    finder->most = finder->work + chain_work_most;
}

// What is usual first; what is as soon tried, in other ways, then; all that could be at last.
static void find_weights(ChainFinder *finder)
{
    finder->first_tier = 1;
    finder->last_tier = 2;
    chain_attend(finder);
    void (*const others[])(ChainFinder *) = {chain_guess_mean, chain_guess_weights};
    for (int i = 0; i < 2 && finder->attention_count == 0; i++) {
        allow(finder);
        others[i](finder);
    }
    if (finder->attention_count == 0) {
        allow(finder);
        finder->first_tier = finder->last_tier = 3;
        chain_attend(finder);
    }
}

bool chain_find(const Dump *dump, const ChainAsk *ask, Chain *chain, Arena *arena, Error *err)
{
    *chain = (Chain){.wrong = -1, .unused_weight = -1};
    ChainFinder *finder = arena_take(arena, 1, sizeof *finder, err);
    Teller *teller = arena_take(arena, 1, sizeof *teller, err);
    if (!finder || !teller)
        return false;
    finder->ask = ask;
    finder->arena = arena;
    finder->err = err;
    if (!chain_read(finder, dump))
        return false;
    allow(finder);
    chain_project(finder);
    chain_derive(finder);
    find_weights(finder);
    allow(finder);
    for (int i = 0; i < finder->attention_count; i++)
        chain_mix(finder, &finder->attentions[i]);
    if (finder->attention_count == 0) {
        finder->most += chain_work_most; // so little is known that there is much to try
        chain_guess_output(finder);
    }
    *teller = (Teller){.finder = finder, .chain = chain};
    for (int i = 0; i < finder->attention_count; i++)
        tell_attention(teller, &finder->attentions[i]);
    check_pairs(teller);
    find_left(teller);
    count_same(chain);
    allow(finder);
    chain->is_large = finder->is_given_up;
    return !err->of_machine;
}
