// chain_check: what is wrong with a chain, in the order of the pipeline.
#include "chain_formula.h"

#include <math.h>
#include <string.h>

// --- what is wrong before the scores

static ChainProjection projection_from(const ChainFinder *finder, int row)
{
    int tensor = chain_made_rows(finder, row);
    if (tensor >= 0 && finder->projection_of[tensor] >= 0)
        return finder->projections[finder->projection_of[tensor]];
    return (ChainProjection){.tensor = -1, .linear = -1};
}

// Finds a tensor made with the same weight and named for this role (0: any); else the rows' own tensor.
static int copy_of(const ChainFinder *finder, int row, char role)
{
    int linear = chain_linear_of(finder, row), made = chain_made_rows(finder, row);
    for (int i = 0; i < finder->count && linear >= 0; i++) {
        int from = finder->origins[i].from;
        int one = finder->projection_of[i] >= 0
                      ? finder->projections[finder->projection_of[i]].linear
                      : chain_linear_of(finder, from);
        bool is_it = one == linear || (made >= 0 && made != i && chain_is_same(finder, made, i));
        if (is_it && (!role || finder->tensors[i].role == role))
            return i;
    }
    return made;
}

static int shows_at(const ChainAttention *attention)
{
    return chain_first_map(attention) >= 0 ? chain_first_map(attention)
                                           : chain_mixed_first(attention);
}

static bool is_square_weight(const ChainFinder *finder, int linear)
{
    if (linear < 0)
        return false;
    const ChainLinear *one = &finder->linears[linear];
    const ptrdiff_t *shape = finder->tensors[one->tensor].shape;
    return one->in == one->out && shape[0] == shape[1];
}

// The weight of these rows is used the other way round; their own tensor shows it, or `else_shows`.
static void slip_transposed(ChainReport *report, int rows, int else_shows)
{
    ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    bool *by_columns = &finder->linears[chain_linear_of(finder, rows)].by_columns;
    int heads = chain_made_rows(finder, rows);
    int row = heads >= 0 && finder->origins[heads].from >= 0 ? finder->origins[heads].from : rows;
    ChainProjection made = projection_from(finder, row);
    const char *is = made.tensor >= 0 ? chain_projection_text(finder, &made)
                                      : chain_rows_text(finder, attention, row);
    *by_columns = !*by_columns;
    int shows = made.tensor >= 0 ? made.tensor : copy_of(finder, rows, '\0');
    chain_slip(report, CHAIN_SLIP_NOT_TRANSPOSED, shows >= 0 ? shows : else_shows, is,
               made.tensor >= 0 ? chain_projection_text(finder, &made)
                                : chain_rows_text(finder, attention, row));
    *by_columns = !*by_columns;
}

static void check_transposed(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const int rows[] = {attention->q, attention->k, attention->v};
    int columns = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        int linear = chain_linear_of(finder, rows[i]);
        bool is_square = is_square_weight(finder, linear);
        square += is_square;
        columns += is_square && finder->linears[linear].by_columns;
    }
    for (int i = 0; i < finder->count; i++) { // and of what belongs to no other
        int linear = finder->projection_of[i] < 0
                         ? -1
                         : finder->projections[finder->projection_of[i]].linear;
        bool is_counted = false;
        for (int n = 0; n < 3; n++)
            is_counted = is_counted || chain_linear_of(finder, rows[n]) == linear;
        if (linear < 0 || is_counted || !is_square_weight(finder, linear))
            continue;
        square++;
        columns += finder->linears[linear].by_columns;
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
        slip_transposed(report, rows[i],
                        i < 2 ? shows_at(attention) : chain_mixed_first(attention));
        return;
    }
}

// Finds an output weight used the other way round than q, k and v. An nn.Linear "weight" and a plain matrix may differ.
static void check_output_transposed(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const int rows[] = {attention->q, attention->k, attention->v};
    if (attention->out_linear < 0 || attention->output < 0)
        return;
    ChainLinear *out = &finder->linears[attention->out_linear];
    const ChainTensor *weight = &finder->tensors[out->tensor];
    int others = 0;
    for (int i = 0; i < 3; i++) {
        int linear = chain_linear_of(finder, rows[i]);
        const ChainLinear *one = linear < 0 ? NULL : &finder->linears[linear];
        bool is_alike = one && text_ends(finder->tensors[one->tensor].name, "weight") ==
                                   text_ends(weight->name, "weight");
        if (is_alike && one->by_columns == out->by_columns)
            return;
        others += is_alike;
    }
    if (others == 0 || weight->shape[0] != weight->shape[1])
        return;
    const char *is = chain_output_text(finder, attention);
    out->by_columns = !out->by_columns;
    chain_slip(report, CHAIN_SLIP_OUTPUT_TRANSPOSED, attention->output, is,
               chain_output_text(finder, attention));
    out->by_columns = !out->by_columns;
}

// --- weights of one for another

// The order of the parts that a joined weight's name spells ("kqv_proj", "to_kv"), or that models with such a name
// have. "": only its author knows.
static const char *spelled_order(const char *name, int parts)
{
    static const char *const orders[] = {"qkv", "qvk", "kqv", "kvq", "vqk", "vkq",
                                         "qk",  "kq",  "kv",  "vk",  "qv",  "vq"};
    static const char *const known[] = {"c_attn", "in_proj", "query_key_value"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (chain_has_part(name, orders[i])) // longer ones stand first
            return (int)strlen(orders[i]) == parts ? orders[i] : "";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (parts == 3 && chain_has_part(name, known[i]))
            return "qkv";
    return "";
}

// The order of a weight's parts, which the name of what it makes may spell, too ("kqv"): that is its author's own order.
static const char *order_of(const ChainFinder *finder, const ChainTensor *weight, int parts)
{
    const char *order = spelled_order(weight->name, parts);
    for (int i = 0; i < finder->projection_count && strcmp(order, "qkv") == 0; i++) {
        const ChainProjection *made = &finder->projections[i];
        const char *spelled = spelled_order(finder->tensors[made->tensor].name, parts);
        if (&finder->tensors[finder->linears[made->linear].tensor] == weight && *spelled)
            order = spelled;
    }
    return order;
}

// The role of a joined weight's part, as the name spells the order; 0: unknown.
static char part_of(const ChainFinder *finder, int number)
{
    if (number < 0 || finder->linears[number].layout != CHAIN_FLAT)
        return '\0';
    const ChainLinear *linear = &finder->linears[number];
    const ChainTensor *weight = &finder->tensors[linear->tensor];
    if (weight->role)
        return '\0'; // of one of them alone
    ptrdiff_t parts = weight->shape[linear->by_columns] / linear->out;
    const char *order = parts == 2 || parts == 3 ? order_of(finder, weight, (int)parts) : "";
    return *order ? order[linear->first / linear->out] : '\0';
}

// The same for q, k and v together: the parts in use may be fewer than the weight has.
static void find_parts(const ChainReport *report, const int linear[3], char part[3])
{
    const ChainFinder *finder = report->finder;
    for (int i = 0; i < 3; i++) {
        int before = 0, all = 0;
        if ((part[i] = part_of(finder, linear[i])))
            continue;
        for (int j = 0; j < 3 && linear[i] >= 0; j++) {
            if (linear[j] < 0)
                continue;
            const ChainLinear *one = &finder->linears[linear[i]],
                              *other = &finder->linears[linear[j]];
            all += other->tensor == one->tensor && (j == i || linear[j] != linear[i]);
            before +=
                other->tensor == one->tensor && other->first + other->base < one->first + one->base;
        }
        const char *order =
            all < 2 ? ""
                    : spelled_order(finder->tensors[finder->linears[linear[i]].tensor].name, all);
        part[i] = (int)strlen(order) == all && all > 1 ? order[before] : '\0';
    }
}

// Rows that are made with another's weight, but used as they are called; else where q and k show.
static int roles_show(const ChainReport *report, const char role[3])
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const int rows[] = {attention->q, attention->k, attention->v};
    for (int i = 0; i < 3; i++) {
        int made = chain_made_rows(finder, rows[i]);
        int from = chain_made_rows(finder, chain_origin_of(finder, rows[i]));
        made = from >= 0 ? from : made;
        if (made >= 0 && role[i] && role[i] != "qkv"[i] && finder->tensors[made].role == "qkv"[i])
            return made;
    }
    return shows_at(attention);
}

// Compares roles by names and by the order of joined parts, which numbers cannot tell. Places in a list tell nothing.
static void check_roles(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const int rows[] = {attention->q, attention->k, attention->v};
    int linear[3];
    char part[3], role[3];
    for (int i = 0; i < 3; i++)
        linear[i] = chain_linear_of(finder, rows[i]);
    if (attention->k < 0 || finder->rows[attention->k].length < 2)
        return; // one key gets all, whatever q and k are
    if (attention->weights.tensor < 0 && attention->context < 0 && attention->output < 0)
        return; // a product alone may be another step than the scores
    find_parts(report, linear, part);
    for (int i = 0; i < 3; i++) {
        role[i] = part[i] ? part[i] : chain_role(finder, rows[i]);
        for (int j = 0; j < i; j++) // explained elsewhere
            if (rows[i] == rows[j] || (linear[i] >= 0 && linear[i] == linear[j]))
                return;
    }
    bool is_q_k = role[0] == 'k' && role[1] == 'q', is_k_v = role[1] == 'v' && role[2] == 'k';
    bool is_other = false;
    for (int i = 0; i < 3; i++)
        is_other = is_other || (role[i] && role[i] != "qkv"[i]);
    bool is_v = !role[2] || role[2] == 'v';
    if (is_other && !(is_v && chain_is_symmetric(finder, attention)))
        chain_slip(report,
                   is_q_k   ? CHAIN_SLIP_Q_K_SWAPPED
                   : is_k_v ? CHAIN_SLIP_K_V_SWAPPED
                            : CHAIN_SLIP_OTHER_WEIGHTS,
                   roles_show(report, role), NULL, NULL);
}

// The weight's own bias, by its name, stands in the dump, and another's is added.
static void check_own_bias(ChainReport *report, const ChainProjection *made)
{
    const ChainFinder *finder = report->finder;
    const ChainLinear *linear = &finder->linears[made->linear];
    const char *weight = finder->tensors[linear->tensor].name;
    int own = linear->bias;
    if (made->times > 0.0 && own >= 0 && own != made->bias &&
        finder->biases[own].tensor != finder->biases[made->bias].tensor &&
        chain_is_its_bias(weight, finder->tensors[finder->biases[own].tensor].name) &&
        !chain_is_its_bias(weight, finder->tensors[finder->biases[made->bias].tensor].name))
        chain_slip(report, CHAIN_SLIP_BIAS_OTHER, made->tensor, NULL, NULL);
}

static void check_bias(ChainReport *report, ChainProjection made)
{
    ChainFinder *finder = report->finder;
    if (made.tensor < 0 || made.bias < 0)
        return;
    check_own_bias(report, &made);
    if (made.times == 1.0)
        return;
    const ChainBias *bias = &finder->biases[made.bias];
    bool is_zero = chain_largest(chain_bias(finder, made.bias), bias->size) < 1e-6;
    if (is_zero || !chain_is_its_bias(finder->tensors[finder->linears[made.linear].tensor].name,
                                      finder->tensors[bias->tensor].name))
        return;
    bool is_made = finder->projection_of[made.tensor] >= 0;
    const char *is = is_made ? chain_projection_text(finder, &made) : NULL;
    ChainSlip kind = made.times == 0.0 ? CHAIN_SLIP_BIAS_FORGOTTEN : CHAIN_SLIP_BIAS_TWICE;
    made.times = 1.0;
    chain_slip(report, kind, made.tensor, is,
               is_made ? chain_projection_text(finder, &made) : NULL);
}

// Checks the bias of rows that the dump lacks or has only as heads.
static void check_made_bias(ChainReport *report, int row, bool is_known)
{
    ChainFinder *finder = report->finder;
    int tensor = chain_made_rows(finder, row);
    int from = row < 0 ? -1 : tensor < 0 ? row : finder->origins[tensor].from;
    if (from < 0 || finder->rows[from].tensor >= 0 || (tensor < 0 && !is_known))
        return;
    const ChainRows *rows = &finder->rows[from];
    int usual = finder->linears[rows->linear].bias;
    if (rows->bias == usual || usual < 0 ||
        !chain_is_its_bias(finder->tensors[finder->linears[rows->linear].tensor].name,
                           finder->tensors[finder->biases[usual].tensor].name))
        return;
    const ChainBias *bias = &finder->biases[usual];
    if (chain_largest(chain_bias(finder, usual), bias->size) >= 1e-6)
        chain_slip(report, rows->bias < 0 ? CHAIN_SLIP_BIAS_FORGOTTEN : CHAIN_SLIP_BIAS_OTHER,
                   tensor >= 0                   ? tensor
                   : row == report->attention->v ? chain_mixed_first(report->attention)
                                                 : shows_at(report->attention),
                   NULL, NULL);
}

static void check_output_bias(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    if (attention->output < 0 || attention->out_linear < 0)
        return;
    if (finder->projection_of[attention->output] >= 0) {
        check_bias(report, finder->projections[finder->projection_of[attention->output]]);
        return;
    }
    check_bias(report, (ChainProjection){.tensor = attention->output,
                                         .source = attention->v,
                                         .linear = attention->out_linear,
                                         .bias = finder->linears[attention->out_linear].bias,
                                         .times = attention->out_bias >= 0,
                                         .factor = 1.0});
}

static void check_turned(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    int source = chain_source_of(finder, report->attention->q);
    if (source < 0 || !finder->rows[source].is_turned)
        return;
    const ChainRows *x = &finder->rows[source];
    for (int i = 0; i < finder->count; i++) { // a mask knows the length
        const ChainTensor *one = &finder->tensors[i];
        bool is_padding = one->is_flags && one->rank == 2 && one->shape[0] == x->batch &&
                          one->shape[1] == x->length;
        bool is_mask = one->rank == 2 && one->shape[0] == x->length && one->shape[1] == x->length &&
                       chain_has_part(one->name, "mask");
        if (is_padding || is_mask)
            return;
    }
    if (x->length >= x->batch || finder->ask->is_length_first)
        return;
    // nn.MultiheadAttention takes (L, B, D), but texts of one or two tokens are rare.
    report->chain->is_turned = true;
    if (x->length <= 2)
        chain_slip(report, CHAIN_SLIP_BATCH_FIRST, -1, NULL, NULL);
}

// q and k are equal: finds the one named for this role, else the second copy; -1.
static int twice_made(const ChainFinder *finder, const ChainAttention *attention, char role)
{
    int named = copy_of(finder, attention->k, role), made = chain_made_rows(finder, attention->q);
    if (named >= 0 && finder->tensors[named].role == role)
        return named;
    for (int i = 0; i < finder->count && made >= 0; i++)
        if (i != made && chain_is_same(finder, i, made))
            return i;
    return -1;
}

// q, k or v is what the others are made of, and a weight that should make it is not used.
static void check_made(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const int rows[] = {attention->q, attention->k, attention->v};
    for (int i = 0; i < 3; i++) {
        int from = rows[i] < 0 ? -1 : chain_made_rows(finder, chain_origin_of(finder, rows[i]));
        for (int j = 0; j < 3 && from >= 0; j++) {
            int source = chain_made_rows(finder, chain_source_of(finder, rows[j]));
            if (chain_linear_of(finder, rows[i]) >= 0 || source < 0 ||
                (source != from && !chain_is_same(finder, source, from)))
                continue;
            ptrdiff_t in = finder->tensors[source].shape[finder->tensors[source].rank - 1];
            int made = chain_made_rows(finder, rows[i]);
            for (int n = 0; n < finder->count && made == source; n++)
                made = n != source && chain_is_same(finder, n, source) ? n : made;
            int shows = made != source ? made
                        : i < 2        ? shows_at(attention)
                                       : chain_mixed_first(attention);
            int unused = chain_unused_weight(report, in, in);
            if (unused >= 0 && finder->tensors[unused].role != 'o')
                chain_slip(report, CHAIN_SLIP_NOT_MADE, shows, NULL, NULL);
            break;
        }
    }
}

static void check_rows(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    int q = chain_linear_of(finder, attention->q), k = chain_linear_of(finder, attention->k);
    check_turned(report);
    check_transposed(report);
    check_output_transposed(report);
    check_roles(report);
    const int rows[] = {attention->q, attention->k, attention->v};
    for (int i = 0; i < 3; i++)
        check_bias(report, projection_from(finder, rows[i]));
    check_made(report);
    check_output_bias(report);
    for (int i = 0; i < finder->count; i++)
        if (finder->projection_of[i] >= 0)
            check_bias(report, finder->projections[finder->projection_of[i]]);
    check_made_bias(report, attention->q, true);
    check_made_bias(report, attention->k, attention->score_count > 0);
    check_made_bias(report, attention->v, true);
    int unused =
        q < 0 ? -1 : chain_unused_weight(report, finder->linears[q].in, finder->linears[q].out);
    bool is_for_k = unused >= 0 && finder->tensors[unused].role == 'k';
    bool is_tied = unused >= 0 && unused != finder->linears[q].tensor && // no part of it
                   chain_is_same(finder, unused, finder->linears[q].tensor);
    if (q < 0 || q != k || is_tied ||
        !(is_for_k || chain_is_of_text(finder, attention->q, attention->k)) ||
        !chain_is_spare(report, attention->q))
        return;
    bool is_weight_of_k = finder->tensors[finder->linears[q].tensor].role == 'k';
    int shows = twice_made(finder, attention, is_weight_of_k ? 'q' : 'k');
    chain_slip(report, is_weight_of_k ? CHAIN_SLIP_OTHER_WEIGHTS : CHAIN_SLIP_SAME_Q_K,
               shows >= 0 ? shows : shows_at(attention), NULL, NULL);
}

// --- scores and weights

static void check_split(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    ChainAttention right = *report->attention;
    if (right.split == CHAIN_IN_RUNS)
        return;
    const char *is = chain_first_map_text(finder, &right, &report->pattern);
    ChainSlip kind = right.split == CHAIN_BY_VIEW ? CHAIN_SLIP_BY_VIEW : CHAIN_SLIP_IN_TURN;
    right.split = CHAIN_IN_RUNS;
    chain_slip(report, kind, shows_at(&right), is,
               chain_first_map_text(finder, &right, &report->pattern));
}

// The factor applied to rows before the scores.
static double times_before(const ChainFinder *finder, int row)
{
    int tensor = chain_made_rows(finder, row);
    if (tensor < 0)
        return 1.0;
    const ChainOrigin *origin = &finder->origins[tensor];
    int made = finder->projection_of[tensor];
    if (origin->from >= 0)
        return origin->times *
               (origin->even.norm == CHAIN_NO_NORM ? times_before(finder, origin->from) : 1.0);
    return made < 0 ? 1.0 : finder->projections[made].factor;
}

// True for cosine attention: every head vector has length 1.
static bool is_of_length_1(const ChainFinder *finder, const ChainTensor *one)
{
    ptrdiff_t width = one->rank > 0 ? one->shape[one->rank - 1] : 0;
    double square = 0.0;
    for (ptrdiff_t i = 0; width > 1 && i < one->count; i++) {
        square = (i % width == 0 ? 0.0 : square) + one->at[i] * one->at[i];
        if (i % width == width - 1 && !(fabs(square - 1.0) < 1e-4 * finder->grain))
            return false;
    }
    return width > 1;
}

static ChainSlip scale_slip(const ChainAttention *attention, double before, double factor)
{
    double root = sqrt((double)attention->width);
    bool is_twice = attention->width > 1 && fabs(before * root - 1.0) < factor_off &&
                    fabs(factor * root - 1.0) < factor_off;
    return is_twice ? CHAIN_SLIP_SCALE_TWICE : chain_scale_slip(attention, before * factor);
}

// q and k of length 1, or normalised without a gain, go with any scale, as it is learned. With a gain they need none.
static bool is_scale_open(const ChainReport *report, ChainSlip kind)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const int rows[] = {attention->q, attention->k};
    bool is_open = false;
    for (int i = 0; i < 2; i++) {
        const ChainEven *even =
            attention->even[i].norm ? &attention->even[i] : chain_even_of(finder, rows[i]);
        int tensor = chain_made_rows(finder, rows[i]);
        is_open = is_open || (even && (even->gain < 0 || kind == CHAIN_SLIP_SCALE_MISSING)) ||
                  (tensor >= 0 && is_of_length_1(finder, &finder->tensors[tensor]));
    }
    const ChainChange *bias = chain_change_of(attention, CHAIN_BIASED);
    // q may have been scaled before the dump; a learned bias (T5) has no scale.
    return is_open ||
           (kind == CHAIN_SLIP_SCALE_MISSING &&
            ((chain_linear_of(finder, attention->q) < 0 &&
              (chain_linear_of(finder, attention->k) >= 0 || attention->q == attention->k ||
               chain_should_be_made(report, attention->q))) ||
             (bias && !finder->tensors[bias->tensor].is_fill &&
              !chain_is_by_distance(finder, &finder->tensors[bias->tensor]))));
}

// The scores where a wrong scale shows first, or that are called scaled and are not; else `at`.
static int scale_shows(const ChainFinder *finder, const ChainAttention *attention, ChainSlip kind,
                       double factor, int at)
{
    const ChainScores *scores = attention->scores;
    for (int i = 0; i < attention->score_count; i++)
        if (kind == CHAIN_SLIP_SCALE_MISSING
                ? scores[i].kind == CHAIN_PLAIN &&
                      chain_has_part(finder->tensors[scores[i].map.tensor].name, "scale")
                : fabs(scores[i].factor - factor) < factor_off * factor)
            return i;
    return at;
}

// A learned temperature: one number of the dump, or its logarithm.
static bool has_temperature(const ChainFinder *finder, double factor, double root)
{
    bool has = false;
    for (int i = 0; i < finder->count; i++) {
        const ChainTensor *one = &finder->tensors[i];
        double number = one->is_number && one->count == 1 ? one->at[0] : 0.0;
        const double scales[] = {number, 1.0 / number, number / root, 1.0 / (number * root),
                                 exp(number)};
        for (int n = 0; n < 5 && number != 0.0; n++)
            has = has || fabs(factor - scales[n]) < factor_off * fabs(factor);
    }
    return has;
}

static void check_scale(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    ChainAttention right = *report->attention;
    bool has_weights = right.weights.tensor >= 0;
    int at = right.over;
    for (int i = 0; i < right.score_count && !has_weights; i++)
        if (chain_scale_slip(&right, right.scores[i].factor) != CHAIN_SLIP_SCALE_MISSING)
            at = i;
    double factor = has_weights || at < 0 ? right.factor : right.scores[at].factor;
    double before = times_before(finder, right.q) * times_before(finder, right.k);
    ChainSlip kind = factor == 0.0 ? CHAIN_RIGHT : scale_slip(&right, before, factor);
    // Without weights nothing needs a scale.
    bool is_asked = has_weights || at >= 0 || right.context >= 0 || right.output >= 0;
    if (kind == CHAIN_RIGHT || !is_asked || is_scale_open(report, kind) ||
        chain_is_to_compare(finder, report->attention) || right.form == CHAIN_NO_EXP ||
        (kind == CHAIN_SLIP_SCALE_OTHER &&
         has_temperature(finder, factor, sqrt((double)right.width))))
        return;
    at = scale_shows(finder, &right, kind, factor, at);
    double should = 1.0 / sqrt((double)right.width) / before;
    ChainPattern pattern = report->pattern;
    if (at >= 0) {
        const char *is = chain_scores_text(finder, &right, at, &pattern);
        right.scores[at].factor = should;
        chain_slip(report, kind, right.scores[at].map.tensor, is,
                   chain_scores_text(finder, &right, at, &pattern));
    } else if (!has_weights) {
        chain_slip(report, kind, right.context >= 0 ? right.context : right.output, NULL, NULL);
    } else {
        const char *is = chain_weights_text(finder, &right, &pattern);
        right.factor = should;
        chain_slip(report, kind, right.weights.tensor, is,
                   chain_weights_text(finder, &right, &pattern));
    }
}

// (B, 1, Lk) or (B, 1, 1, Lk): one number for each key.
static bool is_for_keys(const ChainTensor *mask)
{
    return mask->rank > 2 && mask->shape[1] == 1 && mask->shape[mask->rank - 2] == 1;
}

static bool hides_a_sequence(const ChainTensor *mask, double flag)
{
    for (ptrdiff_t row = 0; row < mask->count / mask->shape[mask->rank - 1]; row++) {
        bool all = true;
        for (ptrdiff_t j = 0; j < mask->shape[mask->rank - 1]; j++)
            all = all && mask->at[row * mask->shape[mask->rank - 1] + j] == flag;
        if (all)
            return true;
    }
    return false;
}

// True if every sequence is seen up to a token, and one of them whole or hidden behind it. So pads are hidden, whatever
// the mask is called.
static bool hides_ends_alone(const ChainTensor *mask, double flag)
{
    ptrdiff_t keys = mask->shape[mask->rank - 1];
    for (ptrdiff_t n = 0; n < mask->count; n++)
        if (mask->at[n] != flag && n % keys > 0 && mask->at[n - 1] == flag)
            return false;
    return !hides_a_sequence(mask, flag);
}

// By these names, 1 means that a token is read.
static bool says_what_is_read(const char *name)
{
    return chain_has_part(name, "src_mask") || chain_has_part(name, "trg_mask") ||
           chain_has_part(name, "attention_mask") || chain_has_part(name, "valid") ||
           chain_has_part(name, "keep");
}

static bool hides_keys_alone(const ChainReport *report, const ChainPattern *pattern)
{
    const ChainTensor *mask = &report->finder->tensors[pattern->mask];
    return mask->rank == 2 ? pattern->by_keys || mask->shape[0] == 1 : is_for_keys(mask);
}

static ChainSlip padding_slip(const ChainReport *report, const ChainPattern *pattern)
{
    const ChainFinder *finder = report->finder;
    const ChainTensor *mask = &finder->tensors[pattern->mask];
    double hides = pattern->is_turned ? 0.0 : 1.0;
    bool is_pads = hides_keys_alone(report, pattern) && (pattern->is_turned || mask->is_flags);
    bool is_said = pattern->is_turned ? chain_has_part(mask->name, "pad")
                                      : mask->heads == 0 && says_what_is_read(mask->name);
    if (is_pads && ((pattern->is_turned && mask->heads > 0) || hides_a_sequence(mask, hides) ||
                    (is_said && !hides_ends_alone(mask, hides))))
        return CHAIN_SLIP_PADDING_INVERTED;
    return CHAIN_RIGHT;
}

static bool has_both(const ChainTensor *one)
{
    bool has[2] = {false};
    for (ptrdiff_t i = 0; i < one->count; i++)
        has[one->at[i] != 0.0] = true;
    return has[0] && has[1];
}

// Finds a padding mask, by its name, that nothing uses. Beside a causal mask, one of another text does not count.
static bool has_unused_pads(const ChainReport *report, bool is_causal)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const ChainRows *k = &finder->rows[attention->k];
    for (int i = 0; i < finder->count && !chain_has_other_weights(finder, attention); i++) {
        const ChainTensor *one = &finder->tensors[i];
        bool is_added = one->is_fill && is_for_keys(one) && has_both(one);
        bool fits = (one->is_flags || is_added) && (one->rank == 2 || is_for_keys(one)) &&
                    one->shape[0] == k->batch &&
                    one->shape[one->rank - 1] == k->length - k->appended;
        bool is_square = one->rank == 2 && one->shape[0] == one->shape[1];
        bool is_of_other =
            is_causal && (chain_has_part(one->name, "src") || chain_has_part(one->name, "enc") ||
                          chain_has_part(one->name, "mem"));
        if (fits && has_both(one) && !is_of_other &&
            (is_added || one->heads > 0 || chain_has_part(one->name, "pad") ||
             says_what_is_read(one->name) || (chain_has_part(one->name, "mask") && !is_square)))
            return true;
    }
    return false;
}

// True if a causal mask makes sense: the text looks at itself, perhaps with cached keys, and has two queries at least.
static bool is_of_one_text(const ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    int q = chain_source_of(finder, report->attention->q),
        k = chain_source_of(finder, report->attention->k);
    const ChainRows *keys = &finder->rows[report->attention->k];
    ptrdiff_t queries = finder->rows[report->attention->q].length;
    bool is_cached = q >= 0 && q == k;
    return queries > 1 && (queries == keys->length - keys->appended || is_cached) &&
           (q < 0 || k < 0 || finder->rows[q].tensor == finder->rows[k].tensor ||
            chain_is_same(finder, finder->rows[q].tensor, finder->rows[k].tensor));
}

// Shared q and k (Reformer): a token sees itself only where it sees nothing else.
static bool shares_q_and_k(const ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    int q = chain_linear_of(finder, report->attention->q);
    return q >= 0 && q == chain_linear_of(finder, report->attention->k) &&
           !chain_is_spare(report, report->attention->q);
}

static ChainSlip mask_slip(const ChainReport *report, const ChainPattern *pattern)
{
    bool is_causal = report->finder->ask->is_causal && is_of_one_text(report);
    const ChainTensor *mask = pattern->mask < 0 ? NULL : &report->finder->tensors[pattern->mask];
    bool is_of_queries = mask && mask->rank == 4 && mask->shape[3] == 1 && mask->shape[2] > 1;
    if (mask && (pattern->by_queries || is_of_queries) && has_both(mask))
        return CHAIN_SLIP_MASK_QUERY_AXIS;
    if (pattern->has_whole) // a text has some token
        return CHAIN_SLIP_PADDING_INVERTED;
    if (pattern->shows_later_alone && is_of_one_text(report) &&
        (pattern->kind == CHAIN_HIDES_OTHERS || pattern->mask >= 0))
        return CHAIN_SLIP_MASK_INVERTED;
    switch (pattern->kind) {
    case CHAIN_HIDES_NONE:
        if (pattern->mask >= 0) {
            ChainSlip slip = padding_slip(report, pattern);
            return slip != CHAIN_RIGHT || !is_causal || !pattern->shows_later ? slip
                   : hides_keys_alone(report, pattern) ? CHAIN_SLIP_MASK_MISSING
                                                       : CHAIN_SLIP_MASK_OTHER;
        }
        return is_causal                        ? CHAIN_SLIP_MASK_MISSING
               : pattern->has_pads              ? CHAIN_RIGHT
               : has_unused_pads(report, false) ? CHAIN_SLIP_PADS_NOT_MASKED
                                                : CHAIN_RIGHT;
    case CHAIN_HIDES_LATER:
        return pattern->mask >= 0              ? padding_slip(report, pattern)
               : pattern->has_pads             ? CHAIN_RIGHT
               : has_unused_pads(report, true) ? CHAIN_SLIP_PADS_NOT_MASKED
                                               : CHAIN_RIGHT;
    case CHAIN_HIDES_EARLIER:
        return CHAIN_SLIP_MASK_PAST;
    case CHAIN_HIDES_ALL_BUT_LATER:
        return CHAIN_SLIP_MASK_INVERTED;
    case CHAIN_HIDES_ITSELF:
    case CHAIN_HIDES_BUT_FIRST:
        return shares_q_and_k(report) ? CHAIN_RIGHT : CHAIN_SLIP_MASK_DIAGONAL;
    case CHAIN_HIDES_LATE:
        return CHAIN_SLIP_MASK_OFF_BY_ONE;
    default:
        return is_causal && pattern->shows_later ? CHAIN_SLIP_MASK_OTHER : CHAIN_RIGHT;
    }
}

// Whether hidden scores are a small number below 0, as -1e-9.
static bool is_filled_low(const ChainScores *scores)
{
    ptrdiff_t n = 0;
    while (n < scores->map.count && !scores->is_hidden[n])
        n++;
    return n < scores->map.count && scores->fill > -50.0 && scores->fill < 0.0 &&
           scores->map.at[n] == scores->fill;
}

// Where a mask shows: in the scores that have one, that are called so, or in the weights.
static int mask_shows(const ChainReport *report, int masked)
{
    const ChainAttention *attention = report->attention;
    for (int i = 0; i < attention->score_count && masked < 0; i++)
        if (chain_has_part(report->finder->tensors[attention->scores[i].map.tensor].name, "mask"))
            masked = i;
    return masked >= 0                      ? attention->scores[masked].map.tensor
           : attention->weights.tensor >= 0 ? attention->weights.tensor
                                            : chain_first_map(attention);
}

static void check_mask(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    int masked = -1;
    for (int i = 0; i < attention->score_count; i++)
        if (attention->scores[i].kind != CHAIN_PLAIN)
            masked = i;
    bool is_added = masked >= 0 && attention->scores[masked].kind == CHAIN_ADDED &&
                    fabs(attention->scores[masked].fill) < 50.0; // more hides a key
    int shows = mask_shows(report, masked);
    ChainPattern pattern = report->pattern, causal = {.kind = CHAIN_HIDES_LATER, .mask = -1};
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
    if (is_added || attention->form == CHAIN_ONE_ADDED) {
        chain_slip(report, CHAIN_SLIP_MASK_ADDED, shows, is, NULL);
        return;
    }
    if (attention->form == CHAIN_MASKED_AFTER && attention->weights.tensor >= 0)
        return; // it hides, though too late
    if (attention->axis == CHAIN_HEADS && masked < 0 && pattern.kind == CHAIN_HIDES_NONE)
        return; // what is added to a score in all heads does not show
    if (masked >= 0 && attention->scores[masked].fill == 0.0)
        chain_slip(report, CHAIN_SLIP_MASK_ZERO, shows, is, NULL);
    else if (masked >= 0 && pattern.kind != CHAIN_HIDES_OTHERS && !pattern.has_pads &&
             is_filled_low(&attention->scores[masked]))
        chain_slip(report, CHAIN_SLIP_MASK_SMALL, shows, is, NULL);
    bool is_mixed = attention->weights.tensor < 0 && masked < 0; // what is mixed shows it
    if (is_mixed && attention->context < 0 && attention->output < 0)
        return;
    ChainSlip kind = mask_slip(report, &pattern);
    bool is_high = kind == CHAIN_SLIP_MASK_INVERTED && masked >= 0 &&
                   attention->scores[masked].fill > 0.0; // where it is low in a right mask
    chain_slip(report, is_high ? CHAIN_SLIP_MASK_HIGH : kind,
               is_mixed ? chain_mixed_first(attention) : shows, is,
               finder->ask->is_causal && !is_high ? right : NULL);
}

// Weights that are called dropped, beside the whole ones, or that have a result as these have: dropout is meant to be on.
static ChainSlip dropped_slip(const ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    int tensor = attention->weights.tensor;
    bool is_meant = false;
    for (int i = 0; i < finder->attention_count && tensor >= 0; i++)
        is_meant = is_meant || (chain_are_of_one(&finder->attentions[i], attention) &&
                                finder->attentions[i].weights.tensor >= 0 &&
                                finder->attentions[i].form == CHAIN_SOFTMAX &&
                                (chain_has_part(finder->tensors[tensor].name, "drop") ||
                                 chain_has_result(&finder->attentions[i])));
    if (is_meant && attention->times > 1.0 + factor_off)
        report->chain->dropped = tensor;
    return !is_meant                             ? CHAIN_SLIP_DROPPED
           : attention->times > 1.0 + factor_off ? CHAIN_RIGHT
                                                 : CHAIN_SLIP_DROPPED_ALONE;
}

static void check_weights(ChainReport *report)
{
    ChainFinder *finder = report->finder;
    ChainAttention right = *report->attention;
    ChainSlip kind = right.form == CHAIN_NO_SOFTMAX                        ? CHAIN_SLIP_NO_SOFTMAX
                     : right.form == CHAIN_TWICE || right.is_mean_of_twice ? CHAIN_SLIP_TWICE
                     : right.form == CHAIN_ZEROED && !report->pattern.by_queries
                         ? CHAIN_SLIP_MASK_ZERO
                     : right.form == CHAIN_NO_EXP       ? CHAIN_SLIP_NO_EXP
                     : right.form == CHAIN_NOT_DIVIDED  ? CHAIN_SLIP_NOT_DIVIDED
                     : right.form == CHAIN_MASKED_AFTER ? CHAIN_SLIP_MASKED_AFTER
                     : right.form == CHAIN_DROPPED      ? dropped_slip(report)
                     : right.form == CHAIN_TIMES        ? CHAIN_SLIP_WEIGHTS_TIMES
                     : right.axis == CHAIN_QUERIES      ? CHAIN_SLIP_OVER_QUERIES
                     : right.axis == CHAIN_HEADS        ? CHAIN_SLIP_OVER_HEADS
                     : right.axis == CHAIN_SEQUENCES    ? CHAIN_SLIP_OVER_SEQUENCES
                                                        : CHAIN_RIGHT;
    if (right.weights.tensor < 0) { // what they mix shows it
        if (chain_mixed_first(&right) >= 0)
            chain_slip(report, kind, chain_mixed_first(&right), NULL, NULL);
        return;
    }
    if (right.form != CHAIN_DROPPED && chain_is_to_compare(finder, report->attention))
        return;
    const char *is = chain_weights_text(finder, &right, &report->pattern);
    right.is_mean_of_twice = false;
    if (right.form != CHAIN_AVERAGED)
        right.form = CHAIN_SOFTMAX;
    right.axis = CHAIN_KEYS;
    chain_slip(report, kind, right.weights.tensor, is,
               chain_weights_text(finder, &right, &report->pattern));
}

// --- the context and the output

// Finds a second copy of the context, which should be the output. One tensor alone may lack its output in the dump, and
// the heads of a list must share it.
static int unprojected(const ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    int context = report->attention->context, found = context;
    if (context < 0 || report->attention->output >= 0)
        return -1;
    for (int i = 0; i < report->attention->apart; i++)
        if (finder->attentions[i].context != context)
            return -1;
    for (int i = 0; i < finder->count; i++)
        if (i != context && finder->tensors[i].rank == finder->tensors[context].rank &&
            chain_is_same(finder, i, context) &&
            (found == context || chain_is_output_name(finder->tensors[i].name)))
            found = i;
    if (chain_is_output_name(finder->tensors[context].name) &&
        !chain_is_output_name(finder->tensors[found].name))
        return found == context ? -1 : context;
    return found == context || chain_is_context_name(finder->tensors[found].name) ? -1 : found;
}

static void check_times(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    int made = attention->output < 0 ? -1 : finder->projection_of[attention->output];
    double off_most = attention->is_coarse ? factor_off_of_halves : factor_off;
    if (attention->v != attention->q && attention->v != attention->k &&
        fabs(times_before(finder, attention->v) - 1.0) > off_most)
        chain_slip(report, CHAIN_SLIP_TIMES, chain_made_rows(finder, attention->v), NULL, NULL);
    if (made >= 0 && fabs(finder->projections[made].factor - 1.0) > off_most)
        chain_slip(report, CHAIN_SLIP_TIMES, attention->output, NULL, NULL);
}

// True if the dump has a tensor named v, shaped like k, that nothing explains.
static bool has_values_beside(const ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    int keys = chain_made_rows(finder, report->attention->k);
    for (int i = 0; i < finder->count && keys >= 0; i++) {
        const ChainTensor *one = &finder->tensors[i], *other = &finder->tensors[keys];
        if (i != keys && one->rank == other->rank && one->count == other->count &&
            one->role == 'v' && other->role == 'k' &&
            chain_linear_of(finder, report->attention->k) < 0)
            return true;
    }
    return false;
}

// The output is made with the weight of q, k or v, and one of its size is not used.
static void check_out_weight(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    const int rows[] = {attention->q, attention->k, attention->v};
    const ChainLinear *out =
        attention->out_linear < 0 ? NULL : &finder->linears[attention->out_linear];
    for (int i = 0; i < 3 && out; i++)
        if (chain_linear_of(finder, rows[i]) == attention->out_linear &&
            chain_unused_weight(report, out->in, out->out) >= 0)
            chain_slip(report, CHAIN_SLIP_OTHER_WEIGHTS, attention->output, NULL, NULL);
}

// Keys or queries are mixed in place of values.
static void check_values(ChainReport *report)
{
    const ChainFinder *finder = report->finder;
    const ChainAttention *attention = report->attention;
    int v = chain_linear_of(finder, attention->v), k = chain_linear_of(finder, attention->k),
        q = chain_linear_of(finder, attention->q);
    bool is_k = attention->v == attention->k || (v >= 0 && v == k);
    bool is_q = attention->v == attention->q || (v >= 0 && v == q);
    int copy = copy_of(finder, attention->v, 'v');
    if ((is_k || is_q) &&
        (chain_is_spare(report, attention->v) || (is_q && chain_is_spare(report, attention->k)) ||
         has_values_beside(report)))
        chain_slip(report, is_k ? CHAIN_SLIP_K_FOR_V : CHAIN_SLIP_Q_FOR_V,
                   copy >= 0 && finder->tensors[copy].role == 'v' ? copy
                                                                  : chain_mixed_first(attention),
                   NULL, NULL);
}

// The output is not projected, and a weight that should do it is not used.
static void check_no_output(ChainReport *report)
{
    const ChainAttention *attention = report->attention;
    int bare = unprojected(report);
    ptrdiff_t width =
        (attention->apart > 0 ? attention->apart : attention->heads) * attention->width;
    int unused = bare < 0 ? -1 : chain_unused_weight(report, width, attention->model);
    if (bare >= 0 && unused < 0)
        unused = chain_unused_weight(report, width, width);
    if (unused >= 0) {
        chain_slip(report, CHAIN_SLIP_NO_OUTPUT, bare, NULL, NULL);
        report->chain->unused_weight = unused;
    }
}

static void check_results(ChainReport *report)
{
    const ChainAttention *attention = report->attention;
    int context = attention->context, mixes = chain_mixed_first(attention);
    if (attention->v < 0)
        return;
    int shows = context >= 0 ? context : attention->output;
    check_values(report);
    if (attention->is_mixed_turned)
        chain_slip(report, CHAIN_SLIP_WEIGHTS_TRANSPOSED, mixes, NULL, NULL);
    if (attention->is_dropped)
        chain_slip(report, CHAIN_SLIP_DROPPED, mixes, NULL, NULL);
    if (attention->v_split != CHAIN_IN_RUNS && attention->split == CHAIN_IN_RUNS)
        chain_slip(report,
                   attention->v_split == CHAIN_BY_VIEW ? CHAIN_SLIP_BY_VIEW : CHAIN_SLIP_IN_TURN,
                   mixes, NULL, NULL);
    bool is_apart = attention->is_stacked || // not merged yet
                    (context >= 0 && context == attention->context_heads);
    if (attention->merge != CHAIN_IN_RUNS || attention->is_stacked)
        chain_slip(report,
                   attention->merge == CHAIN_BY_VIEW ? CHAIN_SLIP_MERGED_BY_VIEW
                                                     : CHAIN_SLIP_MERGED_IN_TURN,
                   is_apart && attention->output >= 0 ? attention->output : shows, NULL, NULL);
    if (attention->stacked >= 0)
        chain_slip(report, CHAIN_SLIP_MERGED_IN_TURN, attention->stacked, NULL, NULL);
    check_times(report);
    check_out_weight(report);
    check_no_output(report);
}

void chain_check(ChainReport *report)
{
    check_rows(report);
    check_split(report);
    chain_check_position(report);
    check_scale(report);
    check_mask(report);
    check_weights(report);
    check_results(report);
}
