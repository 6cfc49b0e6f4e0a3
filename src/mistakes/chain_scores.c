// chain_scores: which q and k make the scores of a dump, how they are scaled and masked, and what makes
// weights of them.
//
// Weights tell of scores, too: the logarithms of a softmax are the scores but for a number that is the same
// along its axis. So differences along that axis are compared, and only where weights are not 0.
#include "chain_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 32 };

static ptrdiff_t step_of(const ChainMap *map, ChainAxis axis, ptrdiff_t *size)
{
    *size = axis == CHAIN_KEYS ? map->keys : axis == CHAIN_QUERIES ? map->queries : map->heads;
    return axis == CHAIN_KEYS ? 1 : axis == CHAIN_QUERIES ? map->keys : map->queries * map->keys;
}

void chain_softmax(const ChainMap *shape, const double *scores, const bool *is_hidden,
                   ChainAxis axis, double *out)
{
    ptrdiff_t size, step = step_of(shape, axis, &size);
    for (ptrdiff_t i = 0; i < shape->count; i++) {
        if (i / step % size != 0)
            continue;
        double largest = -(double)INFINITY, sum = 0.0;
        for (ptrdiff_t n = 0, at = i; n < size; n++, at += step)
            if (!(is_hidden && is_hidden[at]) && scores[at] > largest)
                largest = scores[at];
        for (ptrdiff_t n = 0, at = i; n < size; n++, at += step) {
            out[at] = is_hidden && is_hidden[at] ? 0.0 : exp(scores[at] - largest);
            sum += out[at];
        }
        for (ptrdiff_t n = 0, at = i; n < size; n++, at += step)
            out[at] = out[at] / sum;
    }
}

// --- maps

// A map with its axes in the usual order.
static const double *in_order(ChainFinder *finder, const ChainMap *map)
{
    double *made = arena_take(finder->arena, (size_t)map->count, sizeof *made, finder->err);
    for (ptrdiff_t n = 0; made && n < map->count; n++) {
        ptrdiff_t j = n % map->keys, i = n / map->keys % map->queries,
                  h = n / map->keys / map->queries % map->heads,
                  b = n / map->keys / map->queries / map->heads;
        ptrdiff_t at =
            map->order == CHAIN_BHKQ   ? ((b * map->heads + h) * map->keys + j) * map->queries + i
            : map->order == CHAIN_BQHK ? ((b * map->queries + i) * map->heads + h) * map->keys + j
                                       : ((i * map->keys + j) * map->batch + b) * map->heads + h;
        made[n] = map->at[at];
    }
    return made;
}

// Weights (B, Lq, H, Lk) and (Lq, Lk, B, H), as einsum may leave them.
static int read_in_other_orders(ChainFinder *finder, ChainMap map, ChainMap out[])
{
    const ptrdiff_t *n = finder->tensors[map.tensor].shape;
    int count = 0;
    map.order = CHAIN_BQHK;
    map.batch = n[0], map.queries = n[1], map.heads = n[2], map.keys = n[3];
    if (finder->tensors[map.tensor].is_shares)
        out[count++] = map;
    map.order = CHAIN_QKBH;
    map.queries = n[0], map.keys = n[1], map.batch = n[2], map.heads = n[3];
    double sum = 0.0; // over the keys, of the first query
    for (ptrdiff_t j = 0; j < n[1]; j++)
        sum += map.at[j * n[2] * n[3]];
    if (fabs(sum - 1.0) < 1e-4 * finder->grain)
        out[count++] = map;
    for (int i = 0; i < count; i++)
        if (!(out[i].at = in_order(finder, &out[i])))
            return 0;
    return count;
}

// The ways in which a tensor can be (batch, heads, queries, keys); the result is how many.
int chain_readings(ChainFinder *finder, int tensor, ChainMap out[CHAIN_READINGS_MAX])
{
    const ChainTensor *one = &finder->tensors[tensor];
    const ptrdiff_t *n = one->shape;
    int count = 0, last = one->rank - 1;
    if (!one->is_number || one->is_flags || one->rank < 2 || one->rank > 4 || one->count == 0)
        return 0;
    ChainMap map = {.tensor = tensor, .batch = 1, .heads = 1, .at = one->at, .count = one->count};
    map.queries = n[last - 1];
    map.keys = n[last];
    if (one->rank == 4) {
        map.batch = n[0];
        map.heads = n[1];
    } else if (one->rank == 3) {
        map.batch = n[0];
        out[count++] = map;
        map.batch = 1;
        map.heads = n[0];
        for (int i = 0; i < finder->row_count && count < 2; i++) // batch and heads in one
            if (finder->rows[i].batch > 1 && finder->rows[i].batch < n[0] &&
                n[0] % finder->rows[i].batch == 0 && finder->rows[i].length == map.queries) {
                out[count] = map;
                out[count].batch = finder->rows[i].batch;
                out[count].heads = n[0] / finder->rows[i].batch;
                count++;
            }
    }
    out[count++] = map;
    return one->rank == 4 ? count + read_in_other_orders(finder, map, out + count) : count;
}

static bool take_values(ChainFinder *finder, ChainMap *map)
{
    size_t count = (size_t)map->count;
    map->value = arena_take(finder->arena, count, sizeof *map->value, finder->err);
    map->first = arena_take(finder->arena, count, sizeof *map->first, finder->err);
    return map->value && map->first;
}

// Numbers as they stand; hidden ones are of no use.
static void use_plainly(ChainMap *map, const bool *is_hidden)
{
    for (ptrdiff_t i = 0; i < map->count; i++) {
        bool is_used = isfinite(map->at[i]) && !(is_hidden && is_hidden[i]);
        map->value[i] = map->at[i];
        map->first[i] = is_used ? i : -1;
    }
}

// Logarithms, from the first one of the axis. A row whose weights are all the same tells nothing.
static void use_logarithms(const ChainFinder *finder, ChainMap *map, ChainAxis axis)
{
    double least = finder->grain > 1.0 ? 1e-3 : 1e-30;
    ptrdiff_t size, step = step_of(map, axis, &size);
    for (ptrdiff_t i = 0; i < map->count; i++) {
        if (i / step % size != 0)
            continue;
        ptrdiff_t first = -1;
        bool differs = false;
        for (ptrdiff_t n = 0, at = i; n < size; n++, at += step) {
            bool is_used = map->at[at] > least && isfinite(map->at[at]);
            map->value[at] = is_used ? log(map->at[at]) : 0.0;
            first = is_used && first < 0 ? at : first;
            map->first[at] = is_used ? first : -1;
            differs = differs || !is_used ||
                      fabs(map->at[at] - map->at[i]) > 1e-6 * finder->grain * map->at[i];
        }
        for (ptrdiff_t n = 0, at = i; n < size && !differs; n++, at += step)
            map->first[at] = -1;
    }
}

// --- fitting

typedef struct Sample {
    int count;
    bool is_difference;
    ptrdiff_t at[SAMPLES], first[SAMPLES];
    double value[SAMPLES], largest;
} Sample;

static void take_sample(const ChainMap *map, bool is_difference, Sample *sample)
{
    ptrdiff_t useful = 0, seen = 0;
    for (ptrdiff_t i = 0; i < map->count; i++)
        useful += map->first[i] >= 0 && (map->first[i] != i || !is_difference);
    *sample = (Sample){.is_difference = is_difference};
    for (ptrdiff_t i = 0; i < map->count && useful > 0; i++) {
        if (map->first[i] < 0 || (map->first[i] == i && is_difference))
            continue;
        ptrdiff_t wanted = sample->count * useful / SAMPLES;
        if (seen++ < wanted || sample->count == SAMPLES)
            continue;
        int number = sample->count++;
        sample->at[number] = i;
        sample->first[number] = map->first[i];
        sample->value[number] = map->value[i] - (is_difference ? map->value[map->first[i]] : 0.0);
        if (fabs(sample->value[number]) > sample->largest)
            sample->largest = fabs(sample->value[number]);
    }
}

static double score_at(const ChainMap *map, const ChainHeads *q, const ChainHeads *k, ptrdiff_t at)
{
    double sum = 0.0;
    ptrdiff_t j = at % map->keys, i = at / map->keys % map->queries,
              h = at / map->keys / map->queries % map->heads,
              b = at / map->keys / map->queries / map->heads;
    for (ptrdiff_t e = 0; e < q->width; e++)
        sum += chain_head(q, b, h, i, e) * chain_head(k, b, h, j, e);
    return sum;
}

static double allowed(const ChainFinder *finder, double largest, bool is_difference)
{
    double least = finder->grain > 1.0 ? 3e-5 : is_difference ? 4e-6 : 1e-6;
    return finder->grain * (1e-4 * largest + least);
}

// How many times the scores the sample is; false where it is not.
static bool fits_sample(ChainFinder *finder, const ChainMap *map, const Sample *sample,
                        const ChainHeads *q, const ChainHeads *k)
{
    double score[SAMPLES], product = 0.0, square = 0.0;
    for (int n = 0; n < sample->count; n++) {
        score[n] = score_at(map, q, k, sample->at[n]);
        if (sample->is_difference)
            score[n] -= score_at(map, q, k, sample->first[n]);
        product += score[n] * sample->value[n];
        square += score[n] * score[n];
        // Three numbers refuse most pairs.
        double factor = square > 0.0 ? product / square : 0.0;
        double off = fabs(sample->value[n] - factor * score[n]);
        finder->work += (double)q->width * (sample->is_difference ? 4.0 : 2.0);
        if (n == 3 && off > 0.2 * sample->largest &&
            fabs(sample->value[0] - factor * score[0]) > 0.2 * sample->largest)
            return false;
    }
    double factor = square > 0.0 ? product / square : 0.0;
    for (int n = 0; n < sample->count; n++)
        if (!(fabs(sample->value[n] - factor * score[n]) <=
              allowed(finder, sample->largest, sample->is_difference)))
            return false;
    return sample->count > 0;
}

static double fitted(const ChainMap *map, const double *scores, ptrdiff_t i, bool is_difference)
{
    return scores[i] - (is_difference ? scores[map->first[i]] : 0.0);
}

// The same of all numbers.
static bool fits_all(const ChainFinder *finder, const ChainMap *map, const double *scores,
                     bool is_difference, double *factor)
{
    double product = 0.0, square = 0.0, largest = 0.0;
    for (ptrdiff_t i = 0; i < map->count; i++) {
        if (map->first[i] < 0)
            continue;
        double score = fitted(map, scores, i, is_difference),
               value = fitted(map, map->value, i, is_difference);
        product += score * value;
        square += score * score;
        largest = fabs(value) > largest ? fabs(value) : largest;
    }
    *factor = square > 0.0 ? product / square : 0.0;
    for (ptrdiff_t i = 0; i < map->count; i++)
        if (map->first[i] >= 0 && !(fabs(fitted(map, map->value, i, is_difference) -
                                         *factor * fitted(map, scores, i, is_difference)) <=
                                    allowed(finder, largest, is_difference)))
            return false;
    return square > 0.0;
}

// --- pairs

static double *all_scores(ChainFinder *finder, const ChainMap *map, const ChainHeads *q,
                          const ChainHeads *k)
{
    double *scores = arena_take(finder->arena, (size_t)map->count, sizeof *scores, finder->err);
    for (ptrdiff_t i = 0; scores && i < map->count; i++)
        scores[i] = score_at(map, q, k, i);
    finder->work += (double)map->count * (double)q->width;
    return scores;
}

static bool is_row_of(const ChainFinder *finder, int row, const ChainMap *map, bool is_query,
                      int tier)
{
    const ChainRows *rows = &finder->rows[row];
    bool is_shares = rows->tensor >= 0 && finder->tensors[rows->tensor].is_shares;
    bool is_map = rows->tensor >= 0 && finder->is_told[rows->tensor];
    return !is_shares && !is_map && rows->skipped == 0 && rows->tier <= tier &&
           rows->batch == map->batch && rows->tensor != map->tensor &&
           rows->length == (is_query ? map->queries : map->keys) &&
           (finder->ask->heads == 0 || rows->heads == 0 || map->heads % rows->heads == 0);
}

// Whether q and k are one tensor, read in two ways.
bool chain_are_one(const ChainFinder *finder, int q, int k)
{
    return q != k && finder->rows[q].tensor >= 0 &&
           finder->rows[q].tensor == finder->rows[k].tensor;
}

// Two numbers fit many pairs: then the factor has to be a usual one, and no tensor is q and k alike. A
// factor below 0 is none.
static bool is_chance(const ChainFinder *finder, const ChainAttention *made, const Sample *sample)
{
    bool is_usual = chain_near(finder, made->factor * sqrt((double)made->width), 1.0, 10.0) ||
                    chain_near(finder, made->factor, 1.0, 10.0);
    return made->factor <= 0.0 || (made->q == made->k && sample->is_difference && !is_usual) ||
           (sample->count < 3 && !is_usual);
}

static bool try_pair(ChainFinder *finder, const ChainMap *map, const Sample *sample, int q, int k,
                     ChainAttention *made)
{
    ChainSplit split = made->split;
    if (chain_are_one(finder, q, k) ||
        !chain_split(finder, q, split, map->heads, 0, &made->q_heads) || made->q_heads.group != 1 ||
        !chain_split(finder, k, split, map->heads, made->q_heads.width, &made->k_heads) ||
        !fits_sample(finder, map, sample, &made->q_heads, &made->k_heads))
        return false;
    made->products = all_scores(finder, map, &made->q_heads, &made->k_heads);
    made->q = q;
    made->k = k;
    made->heads = map->heads;
    made->width = made->q_heads.width;
    return made->products &&
           fits_all(finder, map, made->products, sample->is_difference, &made->factor) &&
           !is_chance(finder, made, sample);
}

// Pairs of the dump's own rows first, then of products as they are usual, then of all others.
static bool find_pair(ChainFinder *finder, const ChainMap *map, bool is_difference,
                      ChainAttention *made)
{
    Sample sample;
    double most = finder->work + chain_work_of_one;
    take_sample(map, is_difference, &sample);
    if (sample.count == 0 || sample.largest == 0.0)
        return false;
    for (int tier = finder->first_tier; tier <= finder->last_tier; tier++)
        for (ChainSplit split = 0; split < CHAIN_SPLITS; split++)
            for (int q = 0; q < finder->row_count; q++) {
                bool is_query = is_row_of(finder, q, map, true, tier);
                for (int k = 0; is_query && k < finder->row_count; k++) {
                    made->split = split;
                    finder->work += 10.0;
                    if (finder->work > most || finder->work > finder->most ||
                        finder->err->of_machine)
                        return false;
                    if (is_row_of(finder, k, map, false, tier) &&
                        (finder->rows[q].tier == tier || finder->rows[k].tier == tier) &&
                        try_pair(finder, map, &sample, q, k, made))
                        return true;
                }
            }
    return false;
}

// --- scores of the dump

// Where keys are hidden: infinities and numbers far below every score, or one number that stands in several
// places, the lowest or 0.
static const bool *hidden_in(ChainFinder *finder, const ChainMap *map, double *fill)
{
    ptrdiff_t count = map->count, low = 0, lowest = 0, zero = 0;
    double least = (double)INFINITY;
    bool *is_hidden = arena_take(finder->arena, (size_t)count, sizeof *is_hidden, finder->err);
    for (ptrdiff_t i = 0; i < count; i++) {
        low += map->at[i] < -chain_fill;
        zero += map->at[i] == 0.0;
        least = map->at[i] < least ? map->at[i] : least;
    }
    for (ptrdiff_t i = 0; i < count; i++)
        lowest += map->at[i] == least;
    if (!is_hidden || (low == 0 && zero == 0 && lowest < 2))
        return NULL;
    *fill = low > 0 || zero == 0 ? least : 0.0;
    for (ptrdiff_t i = 0; i < count; i++)
        is_hidden[i] = low > 0 ? map->at[i] < -chain_fill : map->at[i] == *fill;
    return is_hidden;
}

// Whether a map is the scores but for one number that is added in some places.
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

static bool tell_added(ChainFinder *finder, ChainAttention *attention, ChainScores *made)
{
    double factors[CHAIN_MAPS_MAX + 1] = {1.0 / sqrt((double)attention->width)};
    int count = 1;
    bool *is_hidden =
        arena_take(finder->arena, (size_t)made->map.count, sizeof *is_hidden, finder->err);
    for (int i = attention->score_count - 1; i >= 0; i--)
        factors[count++] = attention->scores[i].factor;
    for (int i = 0; is_hidden && i < count; i++)
        if (is_added(finder, &made->map, attention->products, factors[i], &made->fill, is_hidden)) {
            made->kind = CHAIN_ADDED;
            made->factor = factors[i];
            made->is_hidden = is_hidden;
            return true;
        }
    return false;
}

// What a map is beside q k^T, if it is scores.
static bool tell_scores(ChainFinder *finder, ChainAttention *attention, const ChainMap *map)
{
    ChainScores *made = &attention->scores[attention->score_count];
    if (attention->score_count == CHAIN_MAPS_MAX)
        return false;
    *made = (ChainScores){.map = *map, .kind = CHAIN_PLAIN};
    if (!take_values(finder, &made->map))
        return false;
    use_plainly(&made->map, NULL);
    bool all = chain_largest(map->at, map->count) > 0.0;
    for (ptrdiff_t i = 0; i < map->count; i++)
        all = all && made->map.first[i] >= 0;
    bool good = all && fits_all(finder, &made->map, attention->products, false, &made->factor);
    if (!good && (made->is_hidden = hidden_in(finder, map, &made->fill))) {
        made->kind = CHAIN_MASKED;
        use_plainly(&made->map, made->is_hidden);
        good = fits_all(finder, &made->map, attention->products, false, &made->factor);
    }
    good = good || tell_added(finder, attention, made);
    attention->score_count += good;
    finder->is_told[map->tensor] = finder->is_told[map->tensor] || good;
    return good;
}

static bool is_of(const ChainMap *map, const ChainAttention *attention)
{
    const ChainMap *first =
        attention->score_count > 0 ? &attention->scores[0].map : &attention->weights;
    return map->batch == first->batch && map->heads == first->heads &&
           map->queries == first->queries && map->keys == first->keys;
}

// --- weights

static bool is_same(const ChainFinder *finder, const ChainMap *map, const double *numbers)
{
    for (ptrdiff_t i = 0; i < map->count; i++)
        if (!chain_near(finder, map->at[i], numbers[i], 1.0))
            return false;
    return true;
}

// Whether every weight is 0 or `times` the right one, and some are 0 that should not be.
static bool is_thinned(const ChainFinder *finder, const ChainMap *map, const double *right,
                       double *times, bool *has_zeros)
{
    double sum = 0.0, square = 0.0;
    *has_zeros = false;
    for (ptrdiff_t i = 0; i < map->count; i++) {
        if (map->at[i] == 0.0 || !isfinite(right[i])) {
            *has_zeros = *has_zeros || right[i] > 1e-6;
            continue;
        }
        sum += map->at[i] * right[i];
        square += right[i] * right[i];
    }
    *times = square > 0.0 ? sum / square : 0.0;
    for (ptrdiff_t i = 0; i < map->count; i++)
        if (map->at[i] != 0.0 && isfinite(right[i]) &&
            !chain_near(finder, map->at[i], *times * right[i], 1.0))
            return false;
    return *times > 1e-3;
}

static ChainForm thinned_form(double times, bool has_zeros)
{
    return !has_zeros ? CHAIN_TIMES : fabs(times - 1.0) > 1e-3 ? CHAIN_DROPPED : CHAIN_MASKED_AFTER;
}

// A row that is hidden as a whole is NaN, or all the same where its keys are filled with one number.
static void take_hidden_rows(const ChainMap *map, const bool *is_hidden, double made[])
{
    for (ptrdiff_t i = 0, first = 0; is_hidden && i < map->count; i++) {
        first = i % map->keys == 0 ? i : first;
        if (!is_hidden[i])
            first = -1;
        bool is_end = i % map->keys == map->keys - 1 && first >= 0;
        for (ptrdiff_t j = first; is_end && j <= i; j++)
            made[j] = isnan(map->at[j]) ? map->at[j] : 1.0 / (double)map->keys;
    }
}

// Whether all weights of a row are the same.
static bool is_even_row(const ChainFinder *finder, const ChainMap *map, ptrdiff_t first)
{
    bool is_even = map->keys > 1;
    for (ptrdiff_t j = first; j < first + map->keys && is_even; j++)
        is_even = chain_near(finder, map->at[j], 1.0 / (double)map->keys, 0.01);
    return is_even;
}

// Whether a map is weights made of scores in one of the ways that are known.
static bool is_made_of(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                       const double *scores, const bool *is_hidden)
{
    double *made = arena_take(finder->arena, (size_t)map->count, sizeof *made, finder->err);
    if (!made)
        return false;
    for (ChainAxis axis = CHAIN_KEYS; axis <= CHAIN_HEADS; axis++) {
        chain_softmax(map, scores, is_hidden, axis, made);
        if (axis == CHAIN_KEYS)
            take_hidden_rows(map, is_hidden, made);
        attention->axis = axis;
        attention->form = CHAIN_SOFTMAX;
        if (is_same(finder, map, made))
            return true;
    }
    attention->axis = CHAIN_KEYS;
    chain_softmax(map, scores, is_hidden, CHAIN_KEYS, made);
    bool has_zeros;
    if (is_thinned(finder, map, made, &attention->times, &has_zeros)) {
        attention->form = thinned_form(attention->times, has_zeros);
        return true;
    }
    double *twice = arena_take(finder->arena, (size_t)map->count, sizeof *made, finder->err);
    if (!twice)
        return false;
    chain_softmax(map, made, NULL, CHAIN_KEYS, twice);
    attention->form = CHAIN_TWICE;
    return is_same(finder, map, twice);
}

static const bool *zeros_of(ChainFinder *finder, const ChainMap *map)
{
    bool any = false;
    bool *is_zero = arena_take(finder->arena, (size_t)map->count, sizeof *is_zero, finder->err);
    for (ptrdiff_t i = 0; is_zero && i < map->count; i++) {
        is_zero[i] = map->at[i] == 0.0 || isnan(map->at[i]);
        any = any || is_zero[i];
    }
    for (ptrdiff_t i = 0; is_zero && any && i < map->count; i++)
        is_zero[i] = is_zero[i] || is_even_row(finder, map, i - i % map->keys);
    return any ? is_zero : NULL;
}

bool chain_could_be_weights(const ChainMap *map)
{
    double most = 0.0;
    for (ptrdiff_t i = 0; i < map->count; i++) {
        if (map->at[i] < 0.0)
            return false;
        most = map->at[i] > most ? map->at[i] : most;
    }
    return most > 0.0 && most < 50.0;
}

static void keep_weights(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                         int over)
{
    attention->weights = *map;
    attention->over = over;
    attention->mixed = map->at;
    attention->is_hidden = over >= 0 && attention->scores[over].kind == CHAIN_MASKED &&
                                   attention->form != CHAIN_MASKED_AFTER
                               ? attention->scores[over].is_hidden
                               : zeros_of(finder, map);
    finder->is_told[map->tensor] = true;
}

// Weights that are made of scores in the dump: those that stand last go first.
static bool tell_weights_by_scores(ChainFinder *finder, ChainAttention *attention,
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

static double *times_scores(ChainFinder *finder, const ChainAttention *attention, ptrdiff_t count,
                            double factor)
{
    double *made = arena_take(finder->arena, (size_t)count, sizeof *made, finder->err);
    for (ptrdiff_t i = 0; made && i < count; i++)
        made[i] = factor * attention->products[i];
    return made;
}

// Weights that are made of scores which are not in the dump: how they are scaled, the weights tell.
static bool tell_weights_alone(ChainFinder *finder, ChainAttention *attention, const ChainMap *map)
{
    ChainMap logarithms = *map;
    double factors[3] = {1.0 / sqrt((double)attention->width), 1.0};
    if (!take_values(finder, &logarithms))
        return false;
    use_logarithms(finder, &logarithms, CHAIN_KEYS);
    bool has = fits_all(finder, &logarithms, attention->products, true, &factors[2]);
    for (int i = 0; i < 2 + has; i++) {
        double *scores = times_scores(finder, attention, map->count, factors[i]);
        attention->factor = factors[i];
        for (int hides = 1; scores && hides >= 0; hides--)
            if (is_made_of(finder, attention, map, scores, hides ? zeros_of(finder, map) : NULL)) {
                keep_weights(finder, attention, map, -1);
                return true;
            }
    }
    return false;
}

// --- weights made in rarer ways

static bool *later_keys(ChainFinder *finder, const ChainMap *map)
{
    bool *later = arena_take(finder->arena, (size_t)map->count, sizeof *later, finder->err);
    for (ptrdiff_t i = 0; later && i < map->count; i++)
        later[i] = i % map->keys > i / map->keys % map->queries;
    return later;
}

// Later keys with the score 0, or far below all others for softmax over heads, where all heads are so.
static bool is_filled(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                      const double *scores)
{
    const bool *later = later_keys(finder, map);
    double *filled = arena_take(finder->arena, (size_t)map->count, sizeof *filled, finder->err),
           *made = arena_take(finder->arena, (size_t)map->count, sizeof *made, finder->err);
    for (int by_heads = 0; later && filled && made && by_heads < 2; by_heads++) {
        for (ptrdiff_t i = 0; i < map->count; i++)
            filled[i] = !later[i] ? scores[i] : by_heads ? -1e30 : 0.0;
        attention->axis = by_heads ? CHAIN_HEADS : CHAIN_KEYS;
        attention->form = by_heads ? CHAIN_SOFTMAX : CHAIN_ZEROED;
        chain_softmax(map, filled, NULL, attention->axis, made);
        if (is_same(finder, map, made)) {
            keep_weights(finder, attention, map, -1);
            attention->is_hidden = later;
            return true;
        }
    }
    return false;
}

static double distance_of(const ChainMap *map, ptrdiff_t at, bool is_signed)
{
    ptrdiff_t far = at % map->keys - at / map->keys % map->queries;
    return is_signed || far < 0 ? (double)far : (double)-far;
}

// The slope of each head that the first sequence's weights show beside the scores.
static double *find_slopes(ChainFinder *finder, const ChainMap *map, const double *scores,
                           bool is_signed)
{
    double *slopes = arena_take(finder->arena, (size_t)map->heads, sizeof *slopes, finder->err);
    ptrdiff_t pairs = map->queries * map->keys;
    bool any = false;
    for (ptrdiff_t h = 0; slopes && h < map->heads; h++) {
        double far = 0.0;
        for (ptrdiff_t n = 0; n < pairs; n++) {
            ptrdiff_t at = h * pairs + n, first = at - at % map->keys;
            double apart = distance_of(map, at, is_signed) - distance_of(map, first, is_signed);
            if (fabs(apart) <= fabs(far) || !(map->at[at] > 1e-12) || !(map->at[first] > 1e-12))
                continue;
            far = apart;
            slopes[h] = (log(map->at[at] / map->at[first]) - scores[at] + scores[first]) / apart;
        }
        any = any || fabs(slopes[h]) > 1e-4;
    }
    return any ? slopes : NULL;
}

static bool is_biased(ChainFinder *finder, const ChainMap *map, int tensor, double scores[])
{
    const ChainTensor *bias = &finder->tensors[tensor];
    bool any = false;
    if (!bias->is_number || bias->is_flags || bias->rank < 2 || bias->rank > 4 ||
        finder->is_told[tensor] || finder->projection_of[tensor] >= 0 || tensor == map->tensor)
        return false;
    for (ptrdiff_t i = 0; i < map->count; i++) {
        ptrdiff_t place, at[4] = {i / map->keys / map->queries / map->heads,
                                  i / map->keys / map->queries % map->heads,
                                  i / map->keys % map->queries, i % map->keys};
        if (!chain_place(bias, map, false, at, &place))
            return false;
        scores[i] += bias->at[place];
        any = any || bias->at[place] != 0.0;
    }
    return any;
}

// The ways to change scaled scores, one after the other, tensors of the dump first; false where one is none.
static bool change(ChainFinder *finder, ChainAttention *attention, const ChainMap *map, int way,
                   double scores[])
{
    static const double caps[] = {50.0, 30.0, 20.0, 10.0, 5.0, 2.0, 1.0, 100.0};
    enum { CAPS = sizeof caps / sizeof *caps };
    attention->extra = (ChainExtra){.bias = -1};
    way = way < finder->count              ? way + CAPS + 2
          : way < finder->count + CAPS + 2 ? way - finder->count
                                           : way;
    if (way < CAPS) {
        attention->extra.cap = caps[way];
        for (ptrdiff_t i = 0; i < map->count; i++)
            scores[i] = caps[way] * tanh(scores[i] / caps[way]);
        return true;
    }
    if (way >= CAPS + 2 + finder->count) { // 1 is added to earlier keys, or to later ones
        attention->extra.adds = way % 2 == 0 ? CHAIN_ADDS_TO_SEEN : CHAIN_ADDS_TO_LATER;
        for (ptrdiff_t i = 0; i < map->count; i++)
            scores[i] += (i % map->keys > i / map->keys % map->queries) == (way % 2 != 0);
        return map->queries == map->keys;
    }
    if (way < CAPS + 2) {
        bool is_signed = way == CAPS;
        const double *slopes = find_slopes(finder, map, scores, is_signed);
        attention->extra.slopes = slopes;
        attention->extra.is_signed = is_signed;
        for (ptrdiff_t i = 0; slopes && i < map->count; i++)
            scores[i] +=
                slopes[i / map->keys / map->queries % map->heads] * distance_of(map, i, is_signed);
        return slopes != NULL;
    }
    attention->extra.bias = way - CAPS - 2;
    return is_biased(finder, map, attention->extra.bias, scores);
}

// Whether what is added makes the weights without the scores: then it is scores itself.
static bool is_bias_alone(ChainFinder *finder, const ChainAttention *attention, const ChainMap *map,
                          const bool *zeros, double made[])
{
    int bias = attention->extra.bias;
    double *alone = arena_take(finder->arena, (size_t)map->count, sizeof *alone, finder->err);
    if (bias < 0 || !alone || !is_biased(finder, map, bias, alone))
        return false;
    chain_softmax(map, alone, zeros, CHAIN_KEYS, made);
    return is_same(finder, map, made);
}

static bool tell_changed(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                         double factor)
{
    const bool *zeros = zeros_of(finder, map);
    double *scores = times_scores(finder, attention, map->count, factor),
           *made = arena_take(finder->arena, (size_t)map->count, sizeof *made, finder->err);
    for (int way = 0; scores && made && way < 12 + finder->count; way++) {
        for (ptrdiff_t i = 0; i < map->count; i++)
            scores[i] = factor * attention->products[i];
        attention->form = CHAIN_SOFTMAX;
        attention->axis = CHAIN_KEYS;
        finder->work += 4.0 * (double)map->count;
        if (!change(finder, attention, map, way, scores) ||
            is_bias_alone(finder, attention, map, zeros, made))
            continue;
        chain_softmax(map, scores, zeros, CHAIN_KEYS, made);
        if (is_same(finder, map, made)) {
            keep_weights(finder, attention, map, -1);
            return true;
        }
    }
    attention->extra = (ChainExtra){.bias = -1};
    return false;
}

bool chain_tell_weights(ChainFinder *finder, ChainAttention *attention, const ChainMap *map)
{
    double width = (double)attention->width, heads = (double)attention->heads;
    const double factors[] = {1.0 / sqrt(width), 1.0,        1.0 / width, 1.0 / sqrt(width * heads),
                              1.0 / sqrt(heads), sqrt(width)};
    const bool *zeros = zeros_of(finder, map);
    bool is_turned = attention->turn.is_turned;
    for (int i = 0; i < (is_turned ? 1 : 6) && finder->work < finder->most; i++) {
        double *scores = times_scores(finder, attention, map->count, factors[i]);
        if (!scores)
            return false;
        attention->factor = factors[i];
        finder->work += 100.0 * (double)map->count;
        bool found = is_made_of(finder, attention, map, scores, zeros);
        if (found)
            keep_weights(finder, attention, map, -1);
        if (found || (!is_turned && is_filled(finder, attention, map, scores)) ||
            (i < 2 && !is_turned && tell_changed(finder, attention, map, factors[i])))
            return true;
    }
    return false;
}

// Scores by their sum: exp was forgotten.
static bool tell_without_exp(ChainFinder *finder, ChainAttention *attention, const ChainMap *map)
{
    double *made = arena_take(finder->arena, (size_t)map->count, sizeof *made, finder->err);
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
        keep_weights(finder, attention, map, n);
        return true;
    }
    return false;
}

// --- an attention

void chain_tell_all_scores(ChainFinder *finder, ChainAttention *attention)
{
    ChainMap maps[CHAIN_READINGS_MAX];
    for (int tensor = 0; tensor < finder->count; tensor++) {
        int count = chain_readings(finder, tensor, maps);
        for (int i = 0; i < count && !finder->is_told[tensor]; i++)
            if (is_of(&maps[i], attention) && finder->projection_of[tensor] < 0)
                tell_scores(finder, attention, &maps[i]);
    }
}

static void tell_maps(ChainFinder *finder, ChainAttention *attention, const ChainMap *first)
{
    static bool (*const tell[])(ChainFinder *, ChainAttention *, const ChainMap *) = {
        tell_weights_by_scores, tell_weights_alone, chain_tell_weights, tell_without_exp};
    ChainMap maps[CHAIN_READINGS_MAX];
    attention->weights = *first; // for its shape
    chain_tell_all_scores(finder, attention);
    attention->weights.tensor = -1;
    for (int pass = 0; pass < 4; pass++)
        for (int tensor = 0; tensor < finder->count && attention->weights.tensor < 0; tensor++) {
            int count = chain_readings(finder, tensor, maps);
            for (int i = 0; i < count && !finder->is_told[tensor]; i++)
                if (maps[i].count == first->count && maps[i].heads == first->heads &&
                    (pass == 3 || chain_could_be_weights(&maps[i])) &&
                    attention->weights.tensor < 0 && finder->projection_of[tensor] < 0 &&
                    tell[pass](finder, attention, &maps[i]))
                    break;
        }
}

// The map as scores, as masked scores and as weights along each axis, until a pair makes it.
static bool find_attention(ChainFinder *finder, const ChainMap *map, ChainAttention *made)
{
    ChainMap values = *map;
    double fill;
    if (!take_values(finder, &values))
        return false;
    if (!chain_could_be_weights(map)) {
        const bool *is_hidden = hidden_in(finder, map, &fill);
        use_plainly(&values, NULL);
        bool found = find_pair(finder, &values, false, made);
        if (found || !is_hidden)
            return found;
        use_plainly(&values, is_hidden);
        return find_pair(finder, &values, false, made);
    }
    for (ChainAxis axis = CHAIN_KEYS; axis <= CHAIN_HEADS; axis++) {
        use_logarithms(finder, &values, axis);
        if (find_pair(finder, &values, true, made))
            return true;
    }
    return false;
}

static bool is_transpose(const ChainTensor *one, const ChainTensor *of)
{
    ptrdiff_t queries = of->shape[of->rank - 2], keys = of->shape[of->rank - 1];
    if (one->rank != of->rank || one->count != of->count || one->shape[one->rank - 1] != queries ||
        one->shape[one->rank - 2] != keys)
        return false;
    for (ptrdiff_t n = 0; n < of->count; n++) {
        ptrdiff_t j = n % keys, i = n / keys % queries, before = n / keys / queries;
        if (one->at[(before * keys + j) * queries + i] != of->at[n])
            return false;
    }
    return true;
}

void chain_mark_transposes(ChainFinder *finder)
{
    for (int i = 0; i < finder->count; i++)
        for (int j = 0; j < finder->count; j++) {
            const ChainTensor *one = &finder->tensors[i], *of = &finder->tensors[j];
            if (i == j || !one->is_number || one->is_shares || !of->is_shares || of->rank < 3 ||
                !is_transpose(one, of))
                continue;
            finder->transpose_of[i] = j;
            finder->is_told[i] = true;
        }
}

void chain_clear(ChainAttention *attention)
{
    *attention = (ChainAttention){.q = -1,
                                  .k = -1,
                                  .v = -1,
                                  .weights = {.tensor = -1},
                                  .over = -1,
                                  .context = -1,
                                  .output = -1,
                                  .out_linear = -1,
                                  .out_bias = -1,
                                  .extra = {.bias = -1}};
}

// Scores first: they say more than weights.
void chain_attend(ChainFinder *finder)
{
    ChainMap maps[CHAIN_READINGS_MAX];
    for (int want = 0; want < 2; want++)
        for (int tensor = 0; tensor < finder->count; tensor++) {
            int count = chain_readings(finder, tensor, maps);
            for (int i = 0; i < count; i++) {
                ChainAttention *made = &finder->attentions[finder->attention_count];
                if (finder->is_told[tensor] || finder->projection_of[tensor] >= 0 ||
                    finder->attention_count == CHAIN_ATTENTIONS_MAX ||
                    chain_could_be_weights(&maps[i]) != (want == 1))
                    continue;
                chain_clear(made);
                if (!find_attention(finder, &maps[i], made))
                    continue;
                tell_maps(finder, made, &maps[i]);
                finder->attention_count += finder->is_told[tensor];
            }
        }
}
