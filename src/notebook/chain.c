// chain: reads a dump by its numbers; see chain.h.
#include "chain_formula.h"

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

// --- heads

// Finds `times` such that ours = times * theirs over the first `length` tokens.
static bool is_times(const ChainFinder *finder, const ChainRows *to, const ChainHeads *ours,
                     const ChainHeads *theirs, ptrdiff_t length, double *times)
{
    ptrdiff_t count = to->batch * to->heads * length * to->width;
    double product = 0.0, square = 0.0, largest = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (ptrdiff_t n = 0; n < count; n++) {
            ptrdiff_t e = n % to->width, l = n / to->width % length,
                      h = n / to->width / length % to->heads,
                      b = n / to->width / length / to->heads;
            double is = chain_head(ours, b, h, l, e), was = chain_head(theirs, b, h, l, e);
            if (pass == 1 && !chain_near(finder, is, *times * was, largest))
                return false;
            product += is * was;
            square += was * was;
            largest = fmax(largest, fabs(is));
            if (n + 1 == count && pass == 0)
                *times =
                    fabs(product - square) < 1e-4 * finder->grain * square ? 1.0 : product / square;
        }
    return square > 0.0 && isfinite(*times) && *times != 0.0;
}

// A few numbers, which refuse most rows: the largest of them tells the factor.
static bool could_be_times(ChainFinder *finder, const ChainRows *to, const ChainHeads *ours,
                           int from, const ChainHeads *theirs)
{
    enum { SAMPLE = 12 };
    double is[SAMPLE], was[SAMPLE], largest = finder->tensors[to->tensor].largest;
    int best = 0;
    for (int i = 0; i < SAMPLE; i++) {
        ptrdiff_t n = i * 7919, b = n % to->batch, h = n % to->heads, l = n % to->length,
                  e = n % to->width, place = chain_head_place(theirs, b, h, l) + e * theirs->e;
        is[i] = chain_head(ours, b, h, l, e);
        was[i] = chain_number(finder, from, place) +
                 (theirs->bias ? theirs->bias[place % theirs->row] : 0.0);
        best = fabs(was[i]) > fabs(was[best]) ? i : best;
    }
    bool fits = was[best] != 0.0;
    for (int i = 0; i < SAMPLE && fits; i++)
        fits = fabs(is[i] - is[best] / was[best] * was[i]) <= 1e-2 * finder->grain * largest;
    return fits;
}

static bool is_split(ChainFinder *finder, int row, ChainOrigin *origin)
{
    const ChainRows *to = &finder->rows[row];
    ChainHeads ours, theirs;
    bool is_grouped = finder->rows[origin->from].width != to->heads * to->width;
    finder->work += 20.0;
    if (!chain_split(finder, row, CHAIN_IN_RUNS, to->heads, to->width, &ours) ||
        !chain_split_places(finder, origin->from, origin->split, to->heads, to->width, &theirs) ||
        (theirs.group > 1) != is_grouped ||
        !could_be_times(finder, to, &ours, origin->from, &theirs))
        return false;
    finder->work += 2.0 * (double)finder->tensors[to->tensor].count;
    return chain_split(finder, origin->from, origin->split, to->heads, to->width, &theirs) &&
           is_times(finder, to, &ours, &theirs, to->length, &origin->times);
}

// What is none of the three may become one, rotated or normed: its weight's name tells which.
static const char *heads_role(const ChainFinder *finder, const ChainAttention *attention, int row,
                              int from)
{
    char role = row == attention->q || from == attention->q   ? 'q'
                : row == attention->k || from == attention->k ? 'k'
                : row == attention->v || from == attention->v ? 'v'
                                                              : chain_role(finder, row);
    return role == 'q' ? "q_heads" : role == 'k' ? "k_heads" : "v_heads";
}

static void line_origin(ChainReport *report, int row, const ChainOrigin *origin)
{
    ChainFinder *finder = report->finder;
    const ChainRows *to = &finder->rows[row];
    ChainAttention shape = *report->attention;
    shape.heads = to->heads;
    shape.width = to->width;
    finder->origins[to->tensor] = *origin;
    const char *is = chain_split_text(finder, &shape, row, origin);
    chain_line(report, to->tensor, heads_role(finder, report->attention, row, origin->from), is);
    ChainOrigin right = *origin;
    right.split = CHAIN_IN_RUNS;
    if (origin->split != CHAIN_IN_RUNS)
        chain_slip(report,
                   origin->split == CHAIN_BY_VIEW ? CHAIN_SLIP_BY_VIEW
                   : origin->split == CHAIN_TILED ? CHAIN_SLIP_TILED
                                                  : CHAIN_SLIP_IN_TURN,
                   to->tensor, is, chain_split_text(finder, &shape, row, &right));
}

static bool could_be_from(const ChainFinder *finder, int row, int from)
{
    const ChainRows *to = &finder->rows[row], *rows = &finder->rows[from];
    bool is_plain = rows->tensor < 0 || finder->tensors[rows->tensor].rank < 4;
    ptrdiff_t width = to->heads * to->width;
    if (rows->heads > 0)
        return rows->heads < to->heads && rows->width == to->width && rows->tier == 1 &&
               rows->e == 1 && rows->skipped == 0 && rows->appended == 0 &&
               rows->batch == to->batch && rows->length == to->length;
    return is_plain && !rows->is_part && rows->tensor != to->tensor && rows->heads == 0 &&
           rows->batch == to->batch && rows->length == to->length && width % rows->width == 0 &&
           rows->width % to->width == 0;
}

// Finds the rows a tensor of heads was split from: dumped rows first, then scaled ones.
static void line_heads(ChainReport *report, int row)
{
    ChainFinder *finder = report->finder;
    bool is_used = row == report->attention->q ||
                   row == chain_text_rows(finder, report->attention->k) ||
                   row == chain_text_rows(finder, report->attention->v);
    for (int is_times = 0; is_times < 2; is_times++)
        for (int tier = 1; tier <= 3; tier++)
            for (int from = 0; from < finder->row_count; from++)
                for (ChainSplit split = 0; split < (is_used ? CHAIN_SPLITS : 1); split++) {
                    ChainOrigin origin = {.from = from, .split = split};
                    if (finder->work > finder->most)
                        return;
                    if (finder->rows[from].tier != tier || !could_be_from(finder, row, from) ||
                        (!is_used && chain_linear_of(finder, from) < 0) ||
                        (finder->rows[from].heads > 0 && split != CHAIN_IN_RUNS) ||
                        !is_split(finder, row, &origin) || (origin.times != 1.0 && !is_times))
                        continue;
                    line_origin(report, row, &origin);
                    return;
                }
    for (int from = 0; from < finder->row_count && is_used; from++) {
        ChainOrigin origin = {.from = from, .split = CHAIN_TILED};
        if (finder->work > finder->most)
            return;
        if (!could_be_from(finder, row, from) || !is_split(finder, row, &origin) ||
            origin.times != 1.0)
            continue;
        line_origin(report, row, &origin);
        return;
    }
}

// The attention's own reading comes first: with H = L there are two.
static void line_used_heads(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const int rows[] = {report->attention->q, report->attention->k, report->attention->v};
    for (int i = 0; i < 3; i++) {
        int row = chain_text_rows(finder, rows[i]), tensor = chain_made_rows(finder, row);
        if (tensor >= 0 && finder->rows[row].heads > 0 && finder->origins[tensor].from < 0 &&
            !report->is_line[tensor] && !finder->is_explained[tensor] &&
            finder->projection_of[tensor] < 0)
            line_heads(report, row);
    }
}

static void line_all_heads(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    line_used_heads(report);
    for (int row = 0; row < finder->row_count; row++) {
        const ChainRows *rows = &finder->rows[row];
        if (rows->tier == 1 && rows->heads > 0 && rows->appended == 0 &&
            finder->origins[rows->tensor].from < 0 && !report->is_line[rows->tensor] &&
            !finder->is_explained[rows->tensor] && finder->projection_of[rows->tensor] < 0)
            line_heads(report, row);
    }
}

// Copies and normalises heads.
static bool take_heads(ChainFinder *finder, const ChainRows *to, const ChainOrigin *origin,
                       ChainHeads *heads)
{
    ChainTurn none = {.is_turned = false}; // copies
    if (!chain_split(finder, origin->from, origin->split, to->heads, to->width, heads))
        return false;
    double *made = chain_turn_heads(finder, &none, to->batch, to->length, to->heads, heads);
    ptrdiff_t count = to->batch * to->heads / heads->group * to->length;
    for (ptrdiff_t n = 0; made && origin->even.norm != CHAIN_NO_NORM && n < count; n++)
        chain_make_even(finder, &origin->even, to->width, made + n * to->width);
    return made != NULL;
}

// Compares rotated heads over the first `length` tokens.
static bool is_turned_so(ChainFinder *finder, int row, ChainOrigin *origin, const ChainHeads *from,
                         ptrdiff_t length)
{
    const ChainRows *to = &finder->rows[row];
    ChainHeads ours, turned = *from;
    finder->work += 10.0 * (double)(to->batch * to->heads * length * to->width);
    return chain_split(finder, row, CHAIN_IN_RUNS, to->heads, to->width, &ours) &&
           (!origin->turn.is_turned ||
            chain_turn_heads(finder, &origin->turn, to->batch, length, to->heads, &turned)) &&
           is_times(finder, to, &ours, &turned, length, &origin->times);
}

// Most rotations leave the first token as it is; then two tokens decide whether to go on.
static bool is_turned_from(ChainFinder *finder, int row, ChainOrigin *origin, ptrdiff_t start)
{
    const ChainRows *to = &finder->rows[row];
    ChainHeads from;
    if (!take_heads(finder, to, origin, &from))
        return false;
    origin->turn.is_turned = false;
    bool is_like_first = start > 0 || is_turned_so(finder, row, origin, &from, 1);
    for (int way = 0; chain_next_turn(to->width, way, &origin->turn); way++) {
        origin->turn.start = start;
        if ((is_like_first || origin->turn.odd >= CHAIN_EXCHANGED) && finder->work < finder->most &&
            is_turned_so(finder, row, origin, &from, to->length > 2 ? 2 : to->length) &&
            is_turned_so(finder, row, origin, &from, to->length) &&
            (origin->turn.odd == CHAIN_NOT_ODD || origin->times == 1.0))
            return true;
    }
    return false;
}

static bool find_turned(ChainReport *report, int row, int from, ChainSplit split)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const ChainRows *q = &finder->rows[attention->q], *k = &finder->rows[attention->k];
    // New tokens come after the cached ones. That goes first: after one of them, a place is l + 1 too.
    ptrdiff_t cached =
        finder->rows[row].length == q->length ? k->length - k->appended - q->length : 0;
    ChainEven even = {.norm = CHAIN_NO_NORM};
    do {
        ChainOrigin origin = {from, split, even, .times = 1.0};
        if ((cached > 0 && is_turned_from(report->finder, row, &origin, cached)) ||
            is_turned_from(report->finder, row, &origin, 0)) {
            line_origin(report, row, &origin);
            return true;
        }
    } while (chain_next_even(finder, finder->rows[row].width, &even));
    return false;
}

// Explains q or k that were split, in the first `ways` ways, then normalised or rotated.
static void line_turned(ChainReport *report, int row, ChainSplit ways)
{
    ChainFinder *finder = report->finder;
    for (ChainSplit split = 0; split < ways; split++)
        for (int from = 0; from < finder->row_count && finder->work < finder->most; from++) {
            const ChainRows *rows = &finder->rows[from];
            bool is_product = rows->tensor < 0 || finder->projection_of[rows->tensor] >= 0;
            if (rows->tier <= 2 && is_product && could_be_from(finder, row, from) &&
                find_turned(report, row, from, split))
                return;
        }
}

// In a cache, the last keys and values are made of the new tokens; or, wrongly, the first ones are.
static void line_cached(ChainReport *report, int row)
{
    ChainFinder *finder = report->finder;
    ptrdiff_t new = finder->rows[report->attention->q].length;
    int tensor = chain_made_rows(finder, row);
    if (tensor < 0 || finder->rows[row].heads == 0 || finder->rows[row].length <= new ||
        finder->row_count + 2 > CHAIN_ROWS_MAX)
        return;
    for (int is_first = 0; is_first < 2 && finder->origins[tensor].from < 0; is_first++) {
        ChainRows part = finder->rows[row];
        part.skipped = is_first ? 0 : part.length - new;
        part.length = new;
        chain_add_rows(finder, part);
        int last = finder->row_count - 1;
        line_heads(report, last);
        if (finder->origins[tensor].from < 0 && !is_first)
            line_turned(report, row, CHAIN_SPLITS); // the whole text may be in the dump
        if (finder->origins[tensor].from < 0)
            line_turned(report, last, CHAIN_IN_RUNS + 1);
        if (finder->origins[tensor].from >= 0 && is_first)
            chain_slip(report, CHAIN_SLIP_CACHED_BEHIND, tensor, NULL, NULL);
    }
}

// Heads that were normalised or rotated beside the attention, which made its own.
static void line_turned_beside(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    for (int row = 0; row < finder->row_count; row++) {
        const ChainRows *rows = &finder->rows[row];
        if (rows->tier == 1 && rows->heads > 0 && rows->e == 1 && rows->appended == 0 &&
            finder->tensors[rows->tensor].rank == 4 && !report->is_line[rows->tensor] &&
            !finder->is_explained[rows->tensor] && finder->origins[rows->tensor].from < 0)
            line_turned(report, row, CHAIN_IN_RUNS + 1);
    }
}

// --- rows, maps, results

static void line_rows(ChainReport *report, int row, const char *role)
{
    ChainFinder *finder = report->finder;
    if (row >= 0 && finder->rows[row].appended > 0) {
        if (finder->rows[row].behind >= 0)
            chain_line(report, finder->rows[row].behind, "", NULL);
        row = chain_text_rows(finder, row);
    }
    int tensor = chain_made_rows(finder, row);
    if (row < 0)
        return;
    if (tensor >= 0 && finder->rows[row].heads > 0 && finder->origins[tensor].from < 0 &&
        finder->projection_of[tensor] < 0)
        line_turned(report, row, CHAIN_SPLITS);
    if (tensor >= 0 && finder->origins[tensor].from >= 0 &&
        chain_made_rows(finder, finder->origins[tensor].from) >= 0)
        line_rows(report, finder->origins[tensor].from, role);
    int source = chain_source_of(finder, row);
    if (source >= 0 && !chain_line_block(report, finder->rows[source].tensor, "x"))
        chain_line(report, finder->rows[source].tensor, "x", NULL);
    if (tensor < 0)
        chain_line(report, -1, role, chain_rows_text(finder, report->attention, row));
    else if (finder->projection_of[tensor] >= 0)
        chain_line(
            report, tensor, role,
            chain_projection_text(finder, &finder->projections[finder->projection_of[tensor]]));
    else
        chain_line(report, tensor, role, NULL);
}

static const char *scores_role(const ChainAttention *attention, const ChainScores *scores)
{
    return scores->kind != CHAIN_PLAIN                                       ? "scores_masked"
           : fabs(scores->factor - 1.0) < factor_off && attention->width > 1 ? "scores"
                                                                             : "scores_scaled";
}

static void line_maps(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    for (int i = 0; i < attention->change_count; i++) {
        const ChainChange *change = &attention->changes[i];
        if (change->tensor >= 0)
            chain_line(report, change->tensor, change->kind == CHAIN_BIASED ? "bias" : "", NULL);
    }
    for (int i = 0; i < attention->score_count; i++) {
        const ChainScores *scores = &attention->scores[i];
        ChainPattern pattern = scores->kind == CHAIN_PLAIN
                                   ? report->pattern
                                   : chain_pattern(finder, &scores->map, scores->is_hidden);
        chain_line(report, scores->map.tensor, scores_role(attention, scores),
                   chain_scores_text(finder, attention, i, &pattern));
    }
    if (attention->weights.tensor >= 0)
        chain_line(report, attention->weights.tensor, "attn_weights",
                   chain_weights_text(finder, attention, &report->pattern));
}

static void line_results(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    for (int row = 0; row < finder->row_count && attention->context >= 0; row++) {
        int tensor = finder->rows[row].tensor;
        bool is_part = finder->rows[row].is_part;
        if (is_part && finder->rows[row].taker == (int)(attention - finder->attentions))
            report->is_line[tensor] = false; // it has a line for each head
        bool is_context = tensor >= 0 && finder->is_explained[tensor] &&
                          finder->rows[row].appended == 0 &&
                          finder->rows[row].length == finder->rows[attention->q].length &&
                          tensor != attention->weights.tensor && tensor != attention->output &&
                          !report->is_line[tensor] && finder->projection_of[tensor] < 0 &&
                          finder->rows[row].tier == 1;
        ChainHeads heads, values;
        ChainSplit merge = finder->rows[row].heads > 0 ? CHAIN_IN_RUNS : attention->merge;
        if (is_context && chain_split(finder, row, merge, attention->heads, 0, &heads) &&
            chain_split(finder, attention->v, attention->v_split, attention->heads, heads.width,
                        &values) &&
            heads.group == 1 &&
            (finder->attention_count == 1 || chain_is_context(finder, attention, row)))
            chain_line(report, tensor,
                       finder->rows[row].heads > 0 ? "context_heads" : "context_concat",
                       chain_context_text(finder, attention, row));
    }
    if (attention->output >= 0)
        chain_line(report, attention->output, "output",
                   finder->projection_of[attention->output] >= 0
                       ? chain_projection_text(
                             finder, &finder->projections[finder->projection_of[attention->output]])
                       : chain_output_text(finder, attention));
}

// Other projections, and copies.
static void line_copies(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    for (int i = 0; i < finder->projection_count; i++) {
        const ChainProjection *made = &finder->projections[i];
        if (finder->projection_of[made->tensor] == i)
            chain_line(report, made->tensor, "", chain_projection_text(finder, made));
    }
    for (int i = 0; i < finder->count; i++)
        if (finder->transpose_of[i] >= 0 && report->is_line[finder->transpose_of[i]])
            chain_line(report, i, "", chain_transpose_text(finder, i));
    for (int i = 0; i < finder->count; i++)
        for (int j = 0; j < finder->count && !report->is_line[i]; j++)
            if (report->is_line[j] && chain_is_same(finder, i, j)) {
                finder->is_explained[i] = true;
                chain_line(report, i, "",
                           arena_format(finder->arena, finder->err, "%s = %s",
                                        chain_name(finder, finder->tensors[i].name),
                                        chain_name(finder, finder->tensors[j].name)));
            }
}

// --- all of it

static void report_attention(ChainReport *report, const ChainAttention *attention)
{
    ChainFinder *finder = report->finder;
    Chain *chain = report->chain;
    report->attention = attention;
    ChainMap shape = attention->weights.tensor >= 0 ? attention->weights : attention->scores[0].map;
    if (attention->form == CHAIN_AVERAGED ||
        (attention->weights.tensor < 0 && attention->score_count == 0)) {
        shape = attention->weights;
        shape.heads = attention->heads;
        shape.count = shape.batch * shape.heads * shape.queries * shape.keys;
    }
    report->pattern = chain_pattern(finder, &shape, attention->is_hidden);
    line_all_heads(report);
    line_cached(report, attention->k);
    line_cached(report, attention->v);
    line_rows(report, attention->q, "q");
    line_rows(report, attention->k, "k");
    line_rows(report, attention->v, "v");
    line_turned_beside(report);
    line_maps(report);
    line_results(report);
    line_copies(report);
    chain->heads = attention->apart > 0 ? attention->apart : attention->heads;
    chain->width = attention->width;
    chain->has_weights = chain->has_weights || attention->weights.tensor >= 0;
    chain->has_output = chain->has_output || attention->context >= 0 || attention->output >= 0;
    chain_check(report);
}

static bool is_parameter(const ChainReport *report, int tensor)
{
    const ChainFinder *finder = report->finder;
    for (int i = 0; i < finder->linear_count; i++)
        if (finder->linears[i].tensor == tensor && chain_is_used(report, &finder->linears[i]))
            return true;
    return false;
}

// Lists unexplained tensors with a row for each token.
static void find_left(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    Chain *chain = report->chain;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        bool is_weight = false, is_long = false;
        for (int n = 0; n < finder->linear_count && one->rank == 2; n++)
            is_weight = is_weight || finder->linears[n].tensor == i;
        for (int n = 0; n < finder->row_count; n++)
            is_long = is_long || finder->rows[n].tensor == i;
        // A matrix may be weight or rows: as long as the text, it is rows.
        for (int n = 0; n < finder->attention_count && one->rank == 2; n++)
            is_weight = is_weight && one->shape[0] != finder->rows[finder->attentions[n].q].length;
        if (!report->is_line[i] && one->is_number && !one->is_flags && is_long &&
            !(is_weight && one->rank == 2) && !is_parameter(report, i))
            chain->left[chain->left_count++] = i;
    }
}

static void count_same(Chain *chain)
{
    for (int i = 0; i < chain->line_count; i++) {
        const ChainLine *one = &chain->lines[i];
        if (chain->slip != CHAIN_RIGHT && one->dumped >= 0 && one->dumped == chain->wrong)
            break;
        bool is_counted = one->dumped < 0 || !one->formula;
        for (int n = 0; n < i && !is_counted; n++)
            is_counted = chain->lines[n].dumped == one->dumped;
        chain->same += !is_counted;
    }
}

// True if all queries of a text lack its first key and see its last one: it is padded on the left, or the mask is inverted.
static bool hides_first(const ChainAttention *attention)
{
    const ChainMap *map = &attention->weights;
    ptrdiff_t heads = attention->form == CHAIN_AVERAGED ? attention->heads : map->heads,
              rows = heads * map->queries;
    bool any = false;
    for (ptrdiff_t b = 0; b < map->batch && attention->is_hidden && map->tensor >= 0; b++) {
        bool is_it = map->keys > 1;
        for (ptrdiff_t row = 0; row < rows; row++) {
            const bool *is_hidden = attention->is_hidden + (b * rows + row) * map->keys;
            is_it = is_it && is_hidden[0] && !is_hidden[map->keys - 1];
        }
        any = any || is_it;
    }
    return any;
}

// What the numbers cannot tell: whether keys should be hidden, where pads stand, and which of two unnamed weights is q's.
static void find_not_compared(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    Chain *chain = report->chain;
    chain->hides_nothing = !finder->ask->is_causal;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        chain->hides_nothing = chain->hides_nothing && !one->is_flags && !one->is_fill;
    }
    bool has_mask = false, is_used = finder->ask->is_causal;
    for (int i = 0; i < finder->count; i++)
        has_mask = has_mask || chain_is_triangle(&finder->tensors[i]);
    for (int i = 0; i < finder->attention_count; i++) {
        const ChainAttention *one = &finder->attentions[i];
        int q = chain_linear_of(finder, one->q), k = chain_linear_of(finder, one->k);
        is_used = is_used || one->is_hidden || finder->rows[one->q].length < 2 ||
                  !chain_is_of_text(finder, one->q, one->k);
        chain->hides_nothing = chain->hides_nothing && !one->is_hidden;
        chain->hides_first = chain->hides_first || hides_first(one);
        chain->is_nameless =
            chain->is_nameless ||
            (q >= 0 && k >= 0 && !chain_role(finder, one->q) && !chain_role(finder, one->k) &&
             finder->linears[q].tensor != finder->linears[k].tensor);
    }
    chain->has_unused_mask = has_mask && !is_used;
}

// Gives the next kind of search its own budget.
static void allow(ChainFinder *finder)
{
    finder->is_given_up =
        finder->is_given_up || (finder->most > 0.0 && finder->work > finder->most);
    finder->most = finder->work + chain_most_work(finder);
}

// True if the dump has a norm's gain, as wide as an input.
static bool has_gains(const ChainFinder *finder)
{
    for (int i = 0; i < finder->count; i++)
        for (int n = 0; n < finder->row_count; n++)
            if (finder->rows[n].heads == 0 && chain_is_gain(finder, i, finder->rows[n].width))
                return true;
    return false;
}

// The same, of what earlier searches have left.
static void allow_search(ChainFinder *finder)
{
    allow(finder);
    double all = chain_work_of_all * chain_share(finder);
    finder->most = fmin(finder->most, fmax(finder->work, all));
}

// Usual ways first, rarer ones after.
static void find_weights(ChainFinder *finder)
{
    finder->first_tier = 1;
    finder->last_tier = 2;
    chain_attend(finder);
    if (finder->attention_count == 0) {
        allow_search(finder);
        chain_guess_named(finder);
    }
    double before = finder->work;
    bool is_read_again = !finder->is_normed && has_gains(finder); // with norms, which take as long
    for (int stage = 0; stage < 4 && finder->attention_count == 0; stage++) {
        allow_search(finder);
        if (is_read_again)
            finder->most = fmin(finder->most, before + 1.5 * chain_most_work(finder));
        chain_guess(finder, stage);
    }
    if (finder->attention_count == 0) {
        allow_search(finder);
        finder->first_tier = finder->last_tier = 3;
        chain_attend(finder);
    }
}

// True if the weights may lack an axis of sequences that another tensor has.
static bool could_be_one_text(const ChainFinder *finder)
{
    bool could_be = false;
    for (int i = 0; i < finder->count; i++)
        could_be = could_be || (finder->tensors[i].is_shares && finder->tensors[i].rank < 4);
    return could_be && finder->has_batch;
}

static bool is_whole(const Chain *chain, const ChainAsk *ask)
{
    return chain->heads > 0 && (ask->heads == 0 || chain->heads == ask->heads) &&
           chain->gap == CHAIN_NO_GAP;
}

// How a dump is read; as it stands first.
typedef struct Reading {
    bool is_of_one_text, is_normed;
    double work; // that was done before
} Reading;

static bool find_chain(const Dump *dump, const ChainAsk *ask, Reading reading, Chain *chain,
                       Arena *arena, Error *err);

// Reads the dump in another way, and keeps that if it explains more.
static bool read_again(const Dump *dump, const ChainAsk *ask, Reading reading, Chain *chain,
                       Arena *arena, Error *err)
{
    Chain *other = arena_take(arena, 1, sizeof *other, err);
    if (!other || !find_chain(dump, ask, reading, other, arena, err))
        return false;
    // The factor of a norm that is not in the dump could be taken for a scale.
    bool is_unsure = reading.is_normed && other->slip == CHAIN_SLIP_SCALE_OTHER;
    if (!is_unsure && (is_whole(other, ask) || other->same > chain->same))
        *chain = *other;
    return true;
}

static void report_all(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    Chain *chain = report->chain;
    chain_find_blocks(report);
    allow(finder);
    for (int i = 0; i < finder->attention_count; i++) {
        ChainAttention *one = &finder->attentions[i];
        int source = chain_source_of(finder, one->q);
        one->is_coarse = finder->grain > 1.0;
        one->model = source < 0 ? 0 : finder->rows[source].width;
        report_attention(report, one);
    }
    chain_check_pairs(report);
    chain_check_blocks(report);
    for (int i = 0; i < finder->attention_count; i++) {
        report->attention = &finder->attentions[i];
        chain_find_gaps(report);
    }
    find_not_compared(report);
    find_left(report);
    chain_check_left(report);
    if (finder->attention_count == 0 && finder->grain > 1.0)
        chain->gap = CHAIN_GAP_HALF;
    count_same(chain);
}

static void finish_tried(void *tried)
{
    Arena *arenas = tried;
    arena_finish(&arenas[0]);
    arena_finish(&arenas[1]);
}

static bool find_chain(const Dump *dump, const ChainAsk *ask, Reading reading, Chain *chain,
                       Arena *arena, Error *err)
{
    *chain = (Chain){
        .wrong = -1, .unused_weight = -1, .open = -1, .alone = -1, .normed = -1, .dropped = -1};
    ChainFinder *finder = arena_take(arena, 1, sizeof *finder, err);
    ChainReport *report = arena_take(arena, 1, sizeof *report, err);
    if (!finder || !report || !arena_release(arena, finish_tried, finder->tried, err))
        return false;
    finder->ask = ask;
    finder->arena = finder->kept = arena;
    finder->err = err;
    finder->changes_most = 2;
    finder->is_of_one_text = reading.is_of_one_text;
    finder->is_normed = reading.is_normed;
    finder->work = reading.work;
    finder->only_v = -1;
    if (!chain_read(finder, dump))
        return false;
    chain_mark_transposes(finder);
    allow(finder);
    chain_project(finder);
    chain_derive(finder);
    find_weights(finder);
    Reading again = {true, reading.is_normed, 0.0}, normed = {reading.is_of_one_text, true, 0.0};
    again.work = finder->work;
    if (could_be_one_text(finder) && finder->attention_count == 0)
        return find_chain(dump, ask, again, chain, arena, err);
    allow(finder);
    chain_part_contexts(finder);
    for (int i = 0; i < finder->attention_count; i++)
        chain_mix_or_turn(finder, &finder->attentions[i]);
    chain_find_output_of_parts(finder);
    if (finder->attention_count == 0) {
        allow_search(finder);
        chain_guess_output(finder);
    }
    allow(finder);
    *report = (ChainReport){.finder = finder, .chain = chain};
    report_all(report);
    allow(finder);
    chain->is_large = finder->is_given_up;
    again.work = normed.work = finder->work;
    bool could_be_normed = chain->slip == CHAIN_RIGHT && !reading.is_normed && has_gains(finder);
    if (could_be_one_text(finder) && !is_whole(chain, ask))
        return read_again(dump, ask, again, chain, arena, err);
    if (could_be_normed && !is_whole(chain, ask))
        return read_again(dump, ask, normed, chain, arena, err);
    return !err->of_machine;
}

bool chain_find(const Dump *dump, const ChainAsk *ask, Chain *chain, Arena *arena, Error *err)
{
    return find_chain(dump, ask, (Reading){0}, chain, arena, err);
}
