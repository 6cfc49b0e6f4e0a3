// chain_weights: what is done to scores before softmax, and how weights are made of them.
#include "chain_formula.h"

#include <math.h>
#include <string.h>

// --- softmax

// Softmax of one line with stride `step`; `sink` is one more score that takes a share (-inf: none).
static void softmax_line(const double *scores, const bool *is_hidden, ptrdiff_t step,
                         ptrdiff_t size, double sink, double line[])
{
    double largest = sink, sum = 0.0;
    for (ptrdiff_t n = 0; n < size; n++)
        if (!(is_hidden && is_hidden[n * step]) && scores[n * step] > largest)
            largest = scores[n * step];
    for (ptrdiff_t n = 0; n < size; n++) {
        line[n] = is_hidden && is_hidden[n * step] ? 0.0 : exp(scores[n * step] - largest);
        sum += line[n];
    }
    sum += isinf(sink) ? 0.0 : exp(sink - largest);
    for (ptrdiff_t n = 0; n < size; n++)
        line[n] /= sum;
}

static const double no_sink = -(double)INFINITY;

static void exp_line(const double *scores, const bool *is_hidden, ptrdiff_t size, double line[])
{
    double largest = no_sink;
    for (ptrdiff_t n = 0; n < size; n++)
        largest = is_hidden && is_hidden[n] ? largest : fmax(largest, scores[n]);
    for (ptrdiff_t n = 0; n < size; n++)
        line[n] = is_hidden && is_hidden[n] ? 0.0 : exp(scores[n] - largest);
}

void chain_softmax(ChainFinder *finder, const ChainMap *shape, const ChainAttention *attention,
                   double numbers[])
{
    ChainAxis axis = attention->axis == CHAIN_NO_AXIS ? CHAIN_KEYS : attention->axis;
    ptrdiff_t size, step = chain_step(shape, axis, &size);
    const bool *is_hidden = attention->is_hidden;
    finder->work += 8.0 * (double)shape->count;
    for (ptrdiff_t i = 0; i < shape->count; i++) {
        if (i / step % size != 0)
            continue;
        bool is_after = attention->form == CHAIN_MASKED_AFTER;
        const bool *hides = is_hidden && !is_after ? is_hidden + i : NULL;
        if (attention->form == CHAIN_NOT_DIVIDED)
            exp_line(numbers + i, hides, size, finder->line);
        else
            softmax_line(numbers + i, hides, step, size, no_sink, finder->line);
        if (attention->form == CHAIN_TWICE)
            softmax_line(finder->line, NULL, 1, size, no_sink, finder->line);
        for (ptrdiff_t n = 0; n < size; n++)
            numbers[i + n * step] =
                is_after && is_hidden && is_hidden[i + n * step] ? 0.0 : finder->line[n];
    }
}

// --- the ways to make weights of scores

// A row with every key hidden is NaN, or uniform where a finite number fills it.
static bool is_near_line(const ChainFinder *finder, double is, double made, ptrdiff_t size)
{
    return chain_near(finder, is, made, 1.0) ||
           (isnan(made) && chain_near(finder, is, 1.0 / (double)size, 1.0));
}

// Softmax without a mask, within the rounding of scores that are all 10,000 less.
static bool is_line_of(ChainFinder *finder, const double *is, const double *scores, ptrdiff_t step,
                       ptrdiff_t size)
{
    softmax_line(scores, NULL, step, size, no_sink, finder->line);
    bool fits = true;
    for (ptrdiff_t n = 0; n < size; n++)
        fits = fits && fabs(is[n * step] - finder->line[n]) < 2e-3 * finder->line[n];
    return fits;
}

static bool is_softmax(ChainFinder *finder, const ChainMap *map, const double *scores,
                       const bool *is_hidden, ChainAxis axis, int often)
{
    ptrdiff_t size, step = chain_step(map, axis, &size), whole = 0, good = 0;
    for (ptrdiff_t i = 0; i < map->count; i++) {
        if (i / step % size != 0)
            continue;
        softmax_line(scores + i, is_hidden ? is_hidden + i : NULL, step, size, no_sink,
                     finder->line);
        for (int n = 1; n < often; n++)
            softmax_line(finder->line, NULL, 1, size, no_sink, finder->line);
        finder->work += 8.0 * (double)size;
        bool fits = true;
        for (ptrdiff_t n = 0; n < size && fits; n++)
            fits = is_near_line(finder, map->at[i + n * step], finder->line[n], size);
        bool is_less_exact = !fits && isnan(finder->line[0]) &&
                             is_line_of(finder, map->at + i, scores + i, step, size);
        if (!fits && !is_less_exact)
            return false;
        whole += is_less_exact;
        good += !is_less_exact;
    }
    return good >= whole;
}

// Attention sinks: one more score for each head takes a share; 0 without a tensor.
static bool has_sinks(ChainFinder *finder, const ChainMap *map, const double *scores,
                      const bool *is_hidden, int tensor)
{
    const ChainTensor *sinks = tensor < 0 ? NULL : &finder->tensors[tensor];
    if (sinks && (!sinks->is_number || sinks->count != map->heads || finder->is_explained[tensor]))
        return false;
    for (ptrdiff_t i = 0; i < map->count; i += map->keys) {
        double sink = sinks ? sinks->at[chain_at(map, i).h] : 0.0;
        softmax_line(scores + i, is_hidden ? is_hidden + i : NULL, 1, map->keys, sink,
                     finder->line);
        finder->work += 8.0 * (double)map->keys;
        for (ptrdiff_t n = 0; n < map->keys; n++)
            if (!chain_near(finder, map->at[i + n], finder->line[n], 1.0))
                return false;
    }
    return true;
}

// Ratio of the first large enough weight to the right one; 0.
static double first_times(const ChainFinder *finder, const ChainMap *map, const double *scores,
                          const bool *is_hidden)
{
    for (ptrdiff_t i = 0; i < map->count; i += map->keys) {
        softmax_line(scores + i, is_hidden ? is_hidden + i : NULL, 1, map->keys, no_sink,
                     finder->line);
        for (ptrdiff_t n = 0; n < map->keys; n++)
            if (map->at[i + n] != 0.0 && finder->line[n] > 0.02)
                return map->at[i + n] / finder->line[n];
    }
    return 0.0;
}

// True if every weight is 0 or `times` the right one.
static bool is_thinned(ChainFinder *finder, const ChainMap *map, const double *scores,
                       const bool *is_hidden, double *times, bool *has_zeros)
{
    ptrdiff_t compared = 0, left = 0; // of weights that are not 0
    *times = first_times(finder, map, scores, is_hidden);
    *has_zeros = false;
    for (ptrdiff_t i = 0; i<map->count && * times> 1e-3; i += map->keys) {
        softmax_line(scores + i, is_hidden ? is_hidden + i : NULL, 1, map->keys, no_sink,
                     finder->line);
        finder->work += 8.0 * (double)map->keys;
        for (ptrdiff_t n = 0; n < map->keys; n++) {
            double is = map->at[i + n], right = finder->line[n];
            if (is == 0.0 || !isfinite(right)) {
                *has_zeros = *has_zeros || right > 1e-6;
                left += is != 0.0;
            } else if (!chain_near(finder, is, *times * right, fmax(*times, 1.0))) {
                return false;
            } else {
                compared++;
            }
        }
    }
    return *times > 1e-3 && compared > 3 && compared > left;
}

static bool is_even_row(const ChainFinder *finder, const ChainMap *map, ptrdiff_t first)
{
    bool is_even = map->keys > 1;
    for (ptrdiff_t j = first; j < first + map->keys && is_even; j++)
        is_even = chain_near(finder, map->at[j], 1.0 / (double)map->keys, 0.01);
    return is_even;
}

static const bool *zeros_of(ChainFinder *finder, const ChainMap *map)
{
    bool any = false;
    bool *is_zero = chain_take_flags(finder, map->count);
    for (ptrdiff_t i = 0; is_zero && i < map->count; i++) {
        is_zero[i] = map->at[i] == 0.0 || isnan(map->at[i]);
        any = any || is_zero[i];
    }
    for (ptrdiff_t i = 0; is_zero && any && i < map->count; i++)
        is_zero[i] = is_zero[i] || is_even_row(finder, map, i - i % map->keys);
    return any ? is_zero : NULL;
}

// Candidates for the mask: none, causal, those of the dump.
static const ChainMasks *masks_of(ChainFinder *finder, const ChainMap *map)
{
    ChainMasks *masks = &finder->masks;
    if (masks->count > 0 && masks->tensor == map->tensor && masks->order == map->order &&
        masks->heads == map->heads && masks->batch == map->batch)
        return masks;
    Arena *arena = finder->arena;
    finder->arena = finder->kept;
    *masks = (ChainMasks){
        .tensor = map->tensor, .order = map->order, .heads = map->heads, .batch = map->batch};
    const bool *is_hidden;
    for (int way = 0;
         masks->count < CHAIN_MASKS_MAX && chain_next_mask(finder, map, way, &is_hidden); way++)
        if (way == 0 || is_hidden)
            masks->is_hidden[masks->count++] = is_hidden;
    finder->arena = arena;
    return masks;
}

static bool is_known(ChainFinder *finder, const ChainMap *map, const bool zeros[])
{
    const ChainMasks *masks = masks_of(finder, map);
    for (int i = 1; i < masks->count; i++) {
        bool is_same = true;
        for (ptrdiff_t n = 0; n < map->count && is_same; n++)
            is_same = zeros[n] == masks->is_hidden[i][n];
        if (is_same)
            return true;
    }
    return false;
}

// The smallest mask that explains the zeros; other zeros are underflow.
static const bool *least_mask(ChainFinder *finder, const ChainMap *map, const double *scores,
                              const bool zeros[])
{
    const ChainMasks *masks = masks_of(finder, map);
    for (int i = 0; i < masks->count && !is_known(finder, map, zeros); i++)
        if (is_softmax(finder, map, scores, masks->is_hidden[i], CHAIN_KEYS, 1))
            return masks->is_hidden[i];
    return zeros;
}

// Tells dropout, a mask after softmax, and a factor after softmax apart.
static bool explain_thinned(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                            const double *scores, const bool *zeros)
{
    bool has_zeros;
    const ChainMasks *masks = masks_of(finder, map);
    const bool *taken = zeros ? zeros : zeros_of(finder, map);
    attention->axis = CHAIN_KEYS;
    for (int i = 0; i < (zeros ? masks->count : 1); i++) {
        if (!is_thinned(finder, map, scores, masks->is_hidden[i], &attention->times, &has_zeros))
            continue;
        bool is_mask = has_zeros && fabs(attention->times - 1.0) < factor_off &&
                       (is_known(finder, map, taken) ||
                        chain_pattern(finder, map, taken).kind != CHAIN_HIDES_OTHERS);
        bool is_1 = fabs(attention->times - 1.0) < 3e-5 * finder->grain; // rounded scores
        attention->form = !has_zeros ? (is_1 ? CHAIN_SOFTMAX : CHAIN_TIMES)
                          : is_mask  ? CHAIN_MASKED_AFTER
                                     : CHAIN_DROPPED;
        attention->is_hidden = is_mask ? taken : masks->is_hidden[i];
        return true;
    }
    attention->form = CHAIN_TIMES;
    attention->is_hidden = zeros;
    return zeros && is_thinned(finder, map, scores, zeros, &attention->times, &has_zeros);
}

bool chain_is_divided(const ChainFinder *finder, const ChainTensor *one, const ChainTensor *other,
                      ptrdiff_t keys)
{
    double sum = 0.0;
    if (other->count != one->count || keys < 1)
        return false;
    for (ptrdiff_t n = 0; n < one->count; n++) {
        for (ptrdiff_t j = 0; n % keys == 0 && j < keys; j++)
            sum = (j > 0 ? sum : 0.0) + one->at[n + j];
        if (!chain_near(finder, other->at[n], one->at[n] / sum, 1.0))
            return false;
    }
    return true;
}

// True if another tensor has these numbers divided by the sum of their row: those are the weights.
static bool are_divided(const ChainFinder *finder, const ChainMap *map)
{
    bool are_it = false;
    for (int i = 0; i < finder->count && map->order == CHAIN_BHQK; i++)
        are_it = are_it || (i != map->tensor && finder->tensors[i].is_shares &&
                            chain_width_of(&finder->tensors[i]) == map->keys &&
                            chain_is_divided(finder, &finder->tensors[map->tensor],
                                             &finder->tensors[i], map->keys));
    return are_it;
}

static bool is_not_divided(ChainFinder *finder, const ChainMap *map, const double *scores,
                           const bool *is_hidden, bool is_plain)
{
    double off = 0.0, largest = chain_largest(map->at, map->count);
    for (ptrdiff_t i = 0; i < map->count; i++) {
        ptrdiff_t first = i - i % map->keys;
        if (i == first)
            off = is_plain ? 0.0 : -(double)INFINITY;
        for (ptrdiff_t n = first; i == first && !is_plain && n < first + map->keys; n++)
            off = is_hidden && is_hidden[n] ? off : fmax(off, scores[n]);
        double made = is_hidden && is_hidden[i] ? 0.0 : exp(scores[i] - off);
        finder->work += 8.0;
        if (!chain_near(finder, map->at[i], made, fmax(largest, 1.0)))
            return false;
    }
    return largest > 0.0;
}

static bool explain_sinks(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                          const double *scores, const bool *zeros)
{
    for (int tensor = -1; tensor < finder->count; tensor++)
        if (has_sinks(finder, map, scores, zeros, tensor)) {
            attention->form = CHAIN_WITH_SINKS;
            attention->sinks = tensor;
            return true;
        }
    return false;
}

// Tries the known ways to make weights of scores.
static bool is_made_of(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                       const double *scores, const bool *zeros)
{
    attention->is_hidden = zeros;
    attention->form = CHAIN_SOFTMAX;
    if (zeros && is_softmax(finder, map, scores, zeros, CHAIN_KEYS, 1)) {
        attention->axis = CHAIN_KEYS;
        attention->is_hidden = least_mask(finder, map, scores, zeros);
        return true;
    }
    for (attention->axis = CHAIN_KEYS; attention->axis <= CHAIN_SEQUENCES; attention->axis++)
        if (is_softmax(finder, map, scores, zeros, attention->axis, 1))
            return true;
    attention->axis = CHAIN_KEYS;
    if (explain_sinks(finder, attention, map, scores, zeros) ||
        explain_thinned(finder, attention, map, scores, zeros))
        return true;
    attention->form = CHAIN_NOT_DIVIDED;
    if (!are_divided(finder, map) && (is_not_divided(finder, map, scores, zeros, false) ||
                                      is_not_divided(finder, map, scores, zeros, true)))
        return true;
    attention->form = CHAIN_TWICE;
    if (is_softmax(finder, map, scores, zeros, CHAIN_KEYS, 2))
        return true;
    // A second softmax leaves no zeros to show the mask.
    const ChainMasks *masks = masks_of(finder, map);
    for (int i = 0; i < masks->count; i++)
        for (attention->axis = CHAIN_KEYS; attention->axis <= CHAIN_SEQUENCES; attention->axis++) {
            attention->is_hidden = masks->is_hidden[i];
            for (int often = attention->axis == CHAIN_KEYS ? 2 : 1; often > 0; often--) {
                attention->form = often == 2 ? CHAIN_TWICE : CHAIN_SOFTMAX;
                if (is_softmax(finder, map, scores, masks->is_hidden[i], attention->axis, often))
                    return true;
            }
        }
    return false;
}

static void keep_weights(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                         int over)
{
    bool has_mask = over >= 0 && attention->scores[over].kind == CHAIN_MASKED;
    attention->weights = *map;
    attention->over = over;
    attention->mixed = map->at;
    if (has_mask && attention->form != CHAIN_MASKED_AFTER)
        attention->is_hidden = attention->scores[over].is_hidden;
    finder->is_explained[map->tensor] = true;
}

// --- scores of the dump that are changed

static bool are_scores(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                       const double *scores, const bool *is_hidden)
{
    ptrdiff_t count = 0;
    double largest = 0.0;
    (void)attention;
    for (ptrdiff_t i = 0; i < map->count; i++)
        if (!(is_hidden && is_hidden[i]))
            largest = fmax(largest, fabs(map->at[i]));
    for (ptrdiff_t i = 0; i < map->count; i++) {
        if (is_hidden && is_hidden[i])
            continue;
        if (!chain_near(finder, map->at[i], scores[i], largest))
            return false;
        count++;
    }
    return count > 2 * map->heads;
}

static bool explain_changed_scores(ChainFinder *finder, ChainAttention *attention,
                                   ChainScores *made, const bool *is_hidden)
{
    const double root = sqrt((double)attention->width);
    double factors[CHAIN_MAPS_MAX + 3] = {1.0 / root, 1.0, 1.0 / (double)attention->width};
    int count = 3;
    if (finder->is_quick)
        return false;
    for (int i = 0; i < attention->score_count; i++)
        factors[count++] = attention->scores[i].factor;
    if (attention->changed)
        factors[0] = attention->changed_factor;
    for (int i = 0; i < (attention->changed ? 1 : count); i++) {
        bool is_known = attention->changed &&
                        are_scores(finder, attention, &made->map, attention->changed, is_hidden);
        const ChainWanted wanted = {factors[i], are_scores, is_hidden, false};
        if (!is_known && !chain_find_change(finder, attention, &made->map, &wanted))
            continue;
        made->kind = is_hidden ? CHAIN_MASKED : CHAIN_PLAIN;
        made->is_hidden = is_hidden;
        made->factor = factors[i];
        made->changes = attention->change_count;
        return true;
    }
    return false;
}

// --- scores of the dump

static bool is_added(const ChainFinder *finder, const ChainMap *map, const double *scores,
                     double factor, double *added, bool is_hidden[])
{
    ptrdiff_t plain = 0, other = 0;
    double largest = chain_largest(map->at, map->count), seen = 0.0; // of scores that nothing hides
    *added = 0.0;
    for (ptrdiff_t i = 0; i < map->count; i++)
        seen = fabs(map->at[i]) < chain_fill ? fmax(seen, fabs(map->at[i])) : seen;
    for (ptrdiff_t i = 0; i < map->count; i++) {
        double off = map->at[i] - factor * scores[i];
        is_hidden[i] = chain_near(finder, off, 0.0, seen);
        plain += is_hidden[i];
        if (is_hidden[i])
            continue;
        other++;
        *added = other == 1 ? off : *added;
        if (!chain_near(finder, off, *added, largest))
            return false;
    }
    return plain > 0 && other > 1;
}

static bool explain_added(ChainFinder *finder, ChainAttention *attention, ChainScores *made)
{
    double factors[CHAIN_MAPS_MAX + 1] = {1.0 / sqrt((double)attention->width)}, added;
    int count = 1;
    bool *is_hidden = chain_take_flags(finder, made->map.count);
    for (int i = attention->score_count - 1; i >= 0; i--)
        factors[count++] = attention->scores[i].factor;
    for (int i = 0; is_hidden && i < count; i++)
        if (is_added(finder, &made->map, attention->products, factors[i], &added, is_hidden)) {
            made->kind = CHAIN_ADDED;
            made->fill = added;
            made->factor = factors[i];
            made->is_hidden = is_hidden;
            return true;
        }
    return false;
}

bool chain_explain_scores(ChainFinder *finder, ChainAttention *attention, const ChainMap *map)
{
    ChainScores *made = &attention->scores[attention->score_count];
    if (attention->score_count == CHAIN_MAPS_MAX)
        return false;
    bool good = chain_fit_scores(finder, map, attention->products, made) ||
                explain_added(finder, attention, made) ||
                explain_changed_scores(finder, attention, made, made->is_hidden);
    attention->score_count += good;
    finder->is_explained[map->tensor] = finder->is_explained[map->tensor] || good;
    return good;
}

static bool is_of(const ChainMap *map, const ChainAttention *attention)
{
    const ChainMap *first =
        attention->score_count > 0 ? &attention->scores[0].map : &attention->weights;
    return map->batch == first->batch && map->heads == first->heads &&
           map->queries == first->queries && map->keys == first->keys;
}

void chain_explain_all_scores(ChainFinder *finder, ChainAttention *attention)
{
    ChainMap maps[CHAIN_READINGS_MAX];
    for (int tensor = 0; tensor < finder->count; tensor++) {
        bool is_weights = finder->tensors[tensor].is_shares; // perhaps of another head
        int count = is_weights ? 0 : chain_readings(finder, tensor, maps);
        for (int i = 0; i < count && !finder->is_explained[tensor]; i++)
            if (is_of(&maps[i], attention) && finder->projection_of[tensor] < 0)
                chain_explain_scores(finder, attention, &maps[i]);
    }
}

// --- weights

// Tries dumped scores as softmax's input, the last ones first.
static bool explain_weights_by_scores(ChainFinder *finder, ChainAttention *attention,
                                      const ChainMap *map)
{
    for (int kind = CHAIN_ADDED; kind >= CHAIN_PLAIN; kind--)
        for (int i = attention->score_count - 1; i >= 0; i--) {
            const ChainScores *scores = &attention->scores[i];
            if ((int)scores->kind != kind ||
                !is_made_of(finder, attention, map, scores->map.at, NULL))
                continue;
            attention->factor = scores->factor;
            keep_weights(finder, attention, map, i);
            return true;
        }
    return false;
}

// The scores are not in the dump: the weights tell their scale.
static bool explain_weights_alone(ChainFinder *finder, ChainAttention *attention,
                                  const ChainMap *map)
{
    double factors[3] = {1.0 / sqrt((double)attention->width), 1.0};
    bool has = chain_fit_logarithms(finder, map, attention->products, &factors[2]);
    if (attention->changed)
        factors[0] = attention->changed_factor;
    const bool *zeros = zeros_of(finder, map);
    for (int i = 0; i < (attention->changed ? 1 : 2 + has); i++) {
        double *scores = chain_known_scores(finder, attention, map->count, factors[i]);
        attention->factor = factors[i];
        for (int hides = 1; scores && hides >= 0; hides--)
            if (is_made_of(finder, attention, map, scores, hides ? zeros : NULL)) {
                keep_weights(finder, attention, map, -1);
                return true;
            }
    }
    return false;
}

// Softmax over heads with a causal mask: hidden keys are equal in all heads.
static bool is_even_over_heads(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                               const double *scores)
{
    const ChainMasks *masks = masks_of(finder, map);
    double *filled = chain_take(finder, map->count);
    if (!filled || masks->count < 2)
        return false;
    for (ptrdiff_t i = 0; i < map->count; i++)
        filled[i] = masks->is_hidden[1][i] ? -1e30 : scores[i];
    if (!is_softmax(finder, map, filled, NULL, CHAIN_HEADS, 1))
        return false;
    attention->axis = CHAIN_HEADS;
    attention->form = CHAIN_SOFTMAX;
    keep_weights(finder, attention, map, -1);
    attention->is_hidden = masks->is_hidden[1];
    return true;
}

// --- keys that should be hidden and are not

// Marks the keys of a row whose score is 0 (or 1 more) instead of their own, as few as possible. False if neither fits.
static bool read_row(ChainFinder *finder, const ChainMap *map, const double *scores,
                     ptrdiff_t first, ChainForm form, bool is_hidden[])
{
    const double *weights = map->at + first, *own = scores + first;
    double least = finder->grain * (1e-4 * chain_largest(own, map->keys) + 1e-5);
    bool *tried = chain_take_flags(finder, map->keys);
    ptrdiff_t most = -1;
    for (ptrdiff_t t = -1; tried && t < map->keys; t++) { // key t has its score; -1: none has
        ptrdiff_t plain = 0, fits = 0;
        double off = (t < 0 ? 0.0 : own[t]) - log(weights[t < 0 ? 0 : t]);
        for (ptrdiff_t j = 0; j < map->keys; j++) {
            double is = log(weights[j]) + off, other = form == CHAIN_ZEROED ? 0.0 : own[j] + 1.0;
            tried[j] = t < 0 || !(fabs(is - own[j]) <= least);
            plain += !tried[j];
            fits += !tried[j] || fabs(is - other) <= least;
        }
        if (fits < map->keys || plain <= most)
            continue;
        most = plain;
        memcpy(is_hidden, tried, (size_t)map->keys * sizeof *tried);
    }
    finder->work += 4.0 * (double)(map->keys * map->keys);
    return most >= 0;
}

// 1 more for all keys of a row does not show there: the other rows decide.
static bool has_pattern(ChainFinder *finder, const ChainMap *map, ChainForm form, bool is_hidden[])
{
    bool *others = chain_take_flags(finder, map->count);
    for (int pass = 0; others && pass < 2; pass++) {
        for (ptrdiff_t n = 0; n < map->count; n++)
            others[n] = !is_hidden[n];
        if (chain_pattern(finder, map, is_hidden).kind != CHAIN_HIDES_OTHERS ||
            chain_pattern(finder, map, others).kind != CHAIN_HIDES_OTHERS || form == CHAIN_ZEROED)
            return true;
        for (ptrdiff_t n = 0; n < map->count; n += map->keys) {
            bool any = false;
            for (ptrdiff_t j = n; j < n + map->keys; j++)
                any = any || is_hidden[j];
            for (ptrdiff_t j = n; j < n + map->keys; j++)
                is_hidden[j] = is_hidden[j] || !any;
        }
    }
    return false;
}

static bool explain_not_hidden(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                               const double *scores)
{
    static const ChainForm forms[] = {CHAIN_ZEROED, CHAIN_ONE_ADDED};
    bool *is_hidden = chain_take_flags(finder, map->count);
    for (int i = 0; is_hidden && i < 2; i++) {
        bool good = true, any = false;
        for (ptrdiff_t n = 0; good && n < map->count; n += map->keys)
            good = read_row(finder, map, scores, n, forms[i], is_hidden + n);
        for (ptrdiff_t n = 0; good && n < map->count; n++)
            any = any || is_hidden[n];
        if (!good || !any || !has_pattern(finder, map, forms[i], is_hidden))
            continue;
        attention->axis = CHAIN_KEYS;
        attention->form = forms[i];
        keep_weights(finder, attention, map, -1);
        attention->is_hidden = is_hidden;
        return true;
    }
    return false;
}

static bool is_bias_alone(ChainFinder *finder, const ChainAttention *attention, const ChainMap *map)
{
    const ChainChange *bias = chain_change_of(attention, CHAIN_BIASED);
    double *alone = chain_take(finder, map->count);
    return bias && alone && chain_is_biased(finder, map, bias->tensor, alone) &&
           is_softmax(finder, map, alone, zeros_of(finder, map), CHAIN_KEYS, 1);
}

bool chain_explain_weights(ChainFinder *finder, ChainAttention *attention, const ChainMap *map)
{
    double width = (double)attention->width, heads = (double)attention->heads;
    double factors[] = {1.0 / sqrt(width), 1.0,        1.0 / width, 1.0 / sqrt(width * heads),
                        1.0 / sqrt(heads), sqrt(width)};
    const bool *zeros = zeros_of(finder, map);
    bool is_turned = attention->turn[0].is_turned || attention->turn[1].is_turned ||
                     attention->even[0].norm,
         is_changed = attention->changed != NULL;
    int before = attention->change_count, most = finder->changes_most;
    if (is_changed)
        factors[0] = attention->changed_factor;
    for (int i = 0; i < (is_changed ? 1 : 6) && finder->work < finder->most; i++) {
        double *scores = chain_known_scores(finder, attention, map->count, factors[i]);
        if (!scores)
            return false;
        attention->factor = factors[i];
        bool found = is_made_of(finder, attention, map, scores, zeros);
        const ChainWanted wanted = {factors[i], is_made_of, zeros, true};
        finder->changes_most = i < 2 ? most : 1; // other scales are rare
        found = found || (!is_turned && !finder->is_quick &&
                          chain_find_change(finder, attention, map, &wanted));
        finder->changes_most = most;
        if (found && attention->change_count > before && is_bias_alone(finder, attention, map)) {
            attention->change_count = before;
            attention->changed = NULL;
            found = false;
        }
        if (found)
            keep_weights(finder, attention, map, -1);
        if (found || (!is_turned && (is_even_over_heads(finder, attention, map, scores) ||
                                     explain_not_hidden(finder, attention, map, scores))))
            return true;
    }
    return false;
}

// exp was forgotten: scores divided by their sum.
static bool explain_without_exp(ChainFinder *finder, ChainAttention *attention, const ChainMap *map)
{
    double *made = chain_take(finder, map->count);
    for (int n = attention->score_count - 1; made && n >= 0; n--) {
        const double *scores = attention->scores[n].map.at;
        for (ptrdiff_t i = 0; i < map->count; i++) {
            double sum = 0.0;
            for (ptrdiff_t j = 0; j < map->keys; j++)
                sum += scores[i - i % map->keys + j];
            made[i] = scores[i] / sum;
        }
        bool is_it = true; // a sum near 0 magnifies how its terms are rounded
        for (ptrdiff_t i = 0; i < map->count; i++)
            is_it = is_it && fabs(map->at[i] - made[i]) <= 1e-3 * fabs(made[i]) + 1e-6;
        if (!is_it)
            continue;
        attention->form = CHAIN_NO_EXP;
        attention->axis = CHAIN_KEYS;
        attention->factor = attention->scores[n].factor;
        attention->is_hidden = zeros_of(finder, map);
        keep_weights(finder, attention, map, n);
        return true;
    }
    return false;
}

// --- all maps of an attention

typedef bool Tell(ChainFinder *finder, ChainAttention *attention, const ChainMap *map);

static bool has_negatives(const ChainMap *map)
{
    ptrdiff_t n = 0;
    while (n < map->count && !(map->at[n] < 0.0))
        n++;
    return n < map->count;
}

static void explain_all(ChainFinder *finder, ChainAttention *attention, const ChainMap *first,
                        bool is_weights, Tell *tell)
{
    ChainMap maps[CHAIN_READINGS_MAX];
    for (int tensor = 0; tensor < finder->count; tensor++) {
        int count = chain_readings(finder, tensor, maps);
        for (int i = 0; i < count && !finder->is_explained[tensor]; i++)
            if (maps[i].count == first->count && maps[i].heads == first->heads &&
                (!is_weights || !has_negatives(&maps[i])) && finder->projection_of[tensor] < 0 &&
                tell(finder, attention, &maps[i]))
                return;
    }
}

void chain_explain_maps(ChainFinder *finder, ChainAttention *attention, const ChainMap *first)
{
    static Tell *const tell[] = {explain_weights_by_scores, explain_weights_alone,
                                 chain_explain_weights, explain_without_exp};
    attention->weights = *first; // for its shape
    chain_explain_all_scores(finder, attention);
    attention->weights.tensor = -1;
    for (int pass = 0; pass < 4 && attention->weights.tensor < 0; pass++)
        explain_all(finder, attention, first, pass < 3, tell[pass]);
    if (attention->weights.tensor < 0) { // nothing of what was tried stays
        attention->form = CHAIN_SOFTMAX;
        attention->axis = CHAIN_NO_AXIS;
        attention->is_hidden = NULL;
    }
}

static bool is_copy(const ChainFinder *finder, const ChainMap *map)
{
    for (int i = 0; i < finder->attention_count; i++)
        if (finder->attentions[i].weights.tensor >= 0 &&
            finder->tensors[finder->attentions[i].weights.tensor].rank ==
                finder->tensors[map->tensor].rank &&
            chain_is_same(finder, finder->attentions[i].weights.tensor, map->tensor))
            return true;
    return false;
}

void chain_attend(ChainFinder *finder)
{
    ChainMap maps[CHAIN_READINGS_MAX];
    for (int want = 0; want < 2; want++)
        for (int tensor = 0; tensor < finder->count; tensor++) {
            int count = chain_readings(finder, tensor, maps);
            for (int i = 0; i < count; i++) {
                ChainAttention *made = &finder->attentions[finder->attention_count];
                if (finder->is_explained[tensor] || finder->projection_of[tensor] >= 0 ||
                    finder->attention_count == CHAIN_ATTENTIONS_MAX ||
                    chain_could_be_weights(&maps[i]) != (want == 1) || is_copy(finder, &maps[i]))
                    continue;
                chain_clear(made);
                if (!chain_find_pair(finder, &maps[i], made))
                    continue;
                chain_explain_maps(finder, made, &maps[i]);
                finder->attention_count += finder->is_explained[tensor];
            }
        }
}
