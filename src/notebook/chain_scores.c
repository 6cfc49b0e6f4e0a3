// chain_scores: which q and k make the scores of a dump, and how they are scaled and masked.
//
// Weights tell of scores, too: the logarithms of a softmax are the scores but for a number that is the same
// along its axis. So differences along that axis are compared, and only where weights are not 0.
#include "chain_internal.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 32 };

ptrdiff_t chain_step(const ChainMap *map, ChainAxis axis, ptrdiff_t *size)
{
    const ptrdiff_t sizes[] = {map->keys, map->keys, map->queries, map->heads, map->batch};
    ptrdiff_t step = 1;
    for (ChainAxis before = CHAIN_KEYS; before < axis; before++)
        step *= sizes[before];
    *size = sizes[axis];
    return step;
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

// --- maps

static const double *in_order(ChainFinder *finder, const ChainMap *map)
{
    double *made = chain_take(finder, map->count);
    for (ptrdiff_t n = 0; made && n < map->count; n++) {
        ChainAt at = chain_at(map, n);
        made[n] =
            map->at[map->order == CHAIN_BQHK
                        ? ((at.b * map->queries + at.i) * map->heads + at.h) * map->keys + at.j
                        : ((at.i * map->keys + at.j) * map->batch + at.b) * map->heads + at.h];
    }
    return made;
}

// (B, Lq, H, Lk) and (Lq, Lk, B, H), as einsum may leave them.
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

static bool is_of_headed_weights(const ChainFinder *finder, ptrdiff_t heads)
{
    bool is_it = false;
    for (int i = 0; i < finder->linear_count; i++)
        is_it = is_it || (finder->linears[i].layout == CHAIN_HEADS_APART &&
                          finder->tensors[finder->linears[i].tensor].shape[0] == heads);
    return is_it;
}

// Lists the ways to read a tensor as (batch, heads, queries, keys). Returns the count.
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
    map.appended = chain_appended(finder, map.keys);
    if (one->rank == 4) {
        map.batch = n[0];
        map.heads = n[1];
    } else if (one->rank == 3) {
        bool is_headed =
            !finder->has_batch && (finder->ask->heads == n[0] || finder->projection_count > 0 ||
                                   is_of_headed_weights(finder, n[0]));
        map.batch = n[0];
        if (!is_headed)
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

static void use_plainly(ChainMap *map, const bool *is_hidden)
{
    for (ptrdiff_t i = 0; i < map->count; i++) {
        bool is_used = isfinite(map->at[i]) && !(is_hidden && is_hidden[i]);
        map->value[i] = map->at[i];
        map->first[i] = is_used ? i : -1;
    }
}

// Logarithms relative to the first of the line. A uniform row tells nothing.
static void use_logarithms(const ChainFinder *finder, ChainMap *map, ChainAxis axis)
{
    double least = finder->grain > 1.0 ? 1e-3 : 1e-30;
    ptrdiff_t size, step = chain_step(map, axis, &size);
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

// Heads of rows. Of a product that the dump lacks, numbers are made token by token, as they are asked for.
typedef struct Side {
    int row; // -1: the heads have their numbers
    const ChainHeads *heads;
} Side;

static double number_of(const ChainHeads *heads, const double numbers[], ptrdiff_t at, ptrdiff_t e)
{
    ptrdiff_t place = at + e * heads->e;
    return numbers[place] + (heads->bias ? heads->bias[place % heads->row] : 0.0);
}

static const double *numbers_at(ChainFinder *finder, const Side *side, ptrdiff_t place)
{
    const ChainHeads *heads = side->heads;
    return side->row < 0 ? heads->at
                         : chain_numbers_at(finder, side->row, place, heads->e, heads->width);
}

static double score_at(ChainFinder *finder, const ChainMap *map, const Side *q, const Side *k,
                       ptrdiff_t at)
{
    double sum = 0.0;
    ChainAt it = chain_at(map, at);
    ptrdiff_t from = chain_head_place(q->heads, it.b, it.h, it.i),
              to = chain_head_place(k->heads, it.b, it.h, it.j);
    const double *of_q = numbers_at(finder, q, from), *of_k = numbers_at(finder, k, to);
    for (ptrdiff_t e = 0; e < q->heads->width && of_q && of_k; e++)
        sum += number_of(q->heads, of_q, from, e) * number_of(k->heads, of_k, to, e);
    return of_q && of_k ? sum : (double)NAN;
}

static double allowed(const ChainFinder *finder, double largest, bool is_difference)
{
    double least = finder->grain > 1.0 ? 3e-5 : is_difference ? 4e-6 : 1e-6;
    return finder->grain * (1e-4 * largest + least);
}

static bool are_times(const Sample *sample, const double score[], int count, double off)
{
    double product = 0.0, square = 0.0;
    for (int n = 0; n < count; n++) {
        product += score[n] * sample->value[n];
        square += score[n] * score[n];
    }
    double factor = square > 0.0 ? product / square : 0.0;
    for (int n = 0; n < count; n++)
        if (!(fabs(sample->value[n] - factor * score[n]) <= off))
            return false;
    return count > 0;
}

// True if sample = factor * scores. Two numbers refuse most pairs; a factor fitted to few may be off four times as far.
static bool fits_sample(ChainFinder *finder, const ChainMap *map, const Sample *sample,
                        const Side *q, const Side *k)
{
    double score[SAMPLES], off = allowed(finder, sample->largest, sample->is_difference);
    for (int n = 0; n < sample->count; n++) {
        score[n] = score_at(finder, map, q, k, sample->at[n]);
        if (sample->is_difference)
            score[n] -= score_at(finder, map, q, k, sample->first[n]);
        finder->work += (double)q->heads->width * (sample->is_difference ? 4.0 : 2.0);
        if ((n == 1 || n == 3) && !are_times(sample, score, n + 1, 4.0 * off))
            return false;
    }
    return are_times(sample, score, sample->count, off);
}

static double fitted(const ChainMap *map, const double *scores, ptrdiff_t i, bool is_difference)
{
    return scores[i] - (is_difference ? scores[map->first[i]] : 0.0);
}

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
    return square > 0.0 && largest > 0.0;
}

bool chain_fit_logarithms(ChainFinder *finder, const ChainMap *map, const double *scores,
                          double *factor)
{
    ChainMap logarithms = *map;
    if (!take_values(finder, &logarithms))
        return false;
    use_logarithms(finder, &logarithms, CHAIN_KEYS);
    return fits_all(finder, &logarithms, scores, true, factor);
}

// --- pairs

double *chain_multiply(ChainFinder *finder, const ChainMap *map, const ChainHeads *q,
                       const ChainHeads *k)
{
    ptrdiff_t width = q->width;
    double *scores = chain_take(finder, map->count),
           *queries = chain_take(finder, map->queries * width),
           *keys = chain_take(finder, map->keys * width);
    for (ptrdiff_t n = 0; scores && queries && keys && n < map->count; n++) {
        ChainAt at = chain_at(map, n);
        if (at.i == 0 && at.j == 0) {
            chain_take_head(q, at.b, at.h, map->queries, queries);
            chain_take_head(k, at.b, at.h, map->keys, keys);
        }
        scores[n] = chain_dot(queries + at.i * width, keys + at.j * width, width);
    }
    finder->work += 0.5 * (double)map->count * (double)width;
    return scores;
}

bool chain_is_symmetric(const ChainFinder *finder, const ChainAttention *attention)
{
    const ChainMap *map = &attention->weights;
    const double *products = attention->products;
    ptrdiff_t keys = map->keys;
    double largest = 0.0;
    for (ptrdiff_t n = 0; products && n < map->count; n++)
        largest = fmax(largest, fabs(products[n]));
    bool is_it = products && keys > 0 && keys == map->queries;
    for (ptrdiff_t n = 0; is_it && n < map->count; n++) {
        ChainAt at = chain_at(map, n);
        ptrdiff_t across = n + (at.j - at.i) * keys + at.i - at.j;
        is_it = chain_near(finder, products[n], products[across], largest);
    }
    return is_it;
}

static bool is_row_of(const ChainFinder *finder, int row, const ChainMap *map, bool is_query,
                      int tier)
{
    const ChainRows *rows = &finder->rows[row];
    bool is_shares = rows->tensor >= 0 && finder->tensors[rows->tensor].is_shares;
    bool is_map = rows->tensor >= 0 && finder->is_explained[rows->tensor];
    return !is_shares && !is_map && rows->skipped == 0 && rows->tier <= tier &&
           rows->batch == map->batch && rows->tensor != map->tensor &&
           rows->length == (is_query ? map->queries : map->keys) &&
           (finder->ask->heads == 0 || rows->heads == 0 || map->heads % rows->heads == 0);
}

bool chain_are_one(const ChainFinder *finder, int q, int k)
{
    return q != k && finder->rows[q].tensor >= 0 &&
           finder->rows[q].tensor == finder->rows[k].tensor;
}

// Two numbers fit many pairs by chance: then only a usual factor counts, and q is not k.
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
    Side queries = {q, &made->q_heads}, keys = {k, &made->k_heads};
    if (chain_are_one(finder, q, k) ||
        !chain_split_places(finder, q, split, map->heads, 0, &made->q_heads) ||
        made->q_heads.group != 1 ||
        !chain_split_places(finder, k, split, map->heads, made->q_heads.width, &made->k_heads) ||
        !fits_sample(finder, map, sample, &queries, &keys))
        return false;
    made->q_heads.at = chain_numbers(finder, q);
    made->k_heads.at = chain_numbers(finder, k);
    if (!made->q_heads.at || !made->k_heads.at)
        return false;
    made->products = chain_multiply(finder, map, &made->q_heads, &made->k_heads);
    made->q = q;
    made->k = k;
    made->heads = map->heads;
    made->width = made->q_heads.width;
    return made->products &&
           fits_all(finder, map, made->products, sample->is_difference, &made->factor) &&
           !is_chance(finder, made, sample);
}

static bool find_pair_of(ChainFinder *finder, const ChainMap *map, const Sample *sample, int tier,
                         bool are_alike, ChainAttention *made)
{
    double most = finder->work + chain_work_of_one;
    int keys[CHAIN_ROWS_MAX], count = 0;
    for (int k = 0; k < finder->row_count; k++)
        if (is_row_of(finder, k, map, false, tier))
            keys[count++] = k;
    for (ChainSplit split = 0; split < CHAIN_SPLITS; split++)
        for (int q = 0; q < finder->row_count; q++)
            for (int i = is_row_of(finder, q, map, true, tier) ? 0 : count; i < count; i++) {
                int k = keys[i];
                made->split = split;
                finder->work += 1.0;
                if (finder->work > finder->most)
                    return false;
                if ((finder->rows[q].tier != tier && finder->rows[k].tier != tier) ||
                    chain_are_alike(finder, q, k) != are_alike)
                    continue;
                finder->work += 30.0;
                if (finder->work > most || finder->err->of_machine)
                    return false;
                if (try_pair(finder, map, sample, q, k, made))
                    return true;
            }
    return false;
}

// Dumped rows first, then usual products, then all others.
static bool find_pair(ChainFinder *finder, const ChainMap *map, bool is_difference,
                      ChainAttention *made)
{
    Sample sample;
    take_sample(map, is_difference, &sample);
    if (sample.count == 0 || sample.largest == 0.0)
        return false;
    for (int tier = finder->first_tier; tier <= finder->last_tier; tier++)
        for (int others = 0; others < (tier > 1 ? 2 : 1); others++)
            if (find_pair_of(finder, map, &sample, tier, !others, made))
                return true;
    return false;
}

// --- scores of the dump

// Hidden keys: infinities and very low numbers, or one number that repeats, the lowest or 0.
static const bool *hidden_in(ChainFinder *finder, const ChainMap *map, double *fill)
{
    ptrdiff_t count = map->count, low = 0, lowest = 0, zero = 0;
    double least = (double)INFINITY;
    bool *is_hidden = chain_take_flags(finder, count);
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

enum { SAMPLE_WAYS = 4 };

struct ChainSamples {
    int count;
    Sample samples[SAMPLE_WAYS];
};

const ChainSamples *chain_take_samples(ChainFinder *finder, const ChainMap *map)
{
    ChainMap values = *map;
    ChainSamples *made = arena_take(finder->arena, 1, sizeof *made, finder->err);
    if (!made || !take_values(finder, &values))
        return NULL;
    if (!chain_could_be_weights(map)) {
        double fill;
        use_plainly(&values, hidden_in(finder, map, &fill));
        take_sample(&values, false, &made->samples[made->count++]);
        return made;
    }
    for (ChainAxis axis = CHAIN_KEYS; axis <= (map->batch > 1 ? CHAIN_SEQUENCES : CHAIN_HEADS);
         axis++) {
        use_logarithms(finder, &values, axis);
        take_sample(&values, true, &made->samples[made->count++]);
    }
    return made;
}

bool chain_fits_a_sample(ChainFinder *finder, const ChainMap *map, const ChainSamples *samples,
                         const ChainHeads *q, const ChainHeads *k)
{
    Side queries = {-1, q}, keys = {-1, k};
    for (int i = 0; i < samples->count; i++)
        if (fits_sample(finder, map, &samples->samples[i], &queries, &keys))
            return true;
    return false;
}

// The numbers of one head and token, made as the side says, in `numbers`.
static bool make_side(ChainFinder *finder, const ChainSide *side, const ptrdiff_t at[3],
                      double numbers[])
{
    const ChainHeads *heads = side->heads;
    ptrdiff_t own = heads->tiles > 0 ? at[1] % heads->tiles : at[1] / heads->group;
    for (ptrdiff_t e = 0; e < heads->width; e++)
        numbers[e] = chain_head(heads, at[0], at[1], at[2], e);
    if (side->even->norm != CHAIN_NO_NORM)
        chain_make_even(finder, side->even, heads->width, numbers);
    finder->work += 5.0 * (double)heads->width;
    return !side->turn.is_turned || chain_turn_head(finder, &side->turn, own, at[2], numbers);
}

static double made_score_at(ChainFinder *finder, const ChainMap *map, const ChainSide sides[2],
                            ptrdiff_t n)
{
    ChainAt at = chain_at(map, n);
    ptrdiff_t width = sides[0].heads->width;
    double *q = finder->line, *k = finder->line + width; // which is longer than two heads
    bool is_made = make_side(finder, &sides[0], (ptrdiff_t[]){at.b, at.h, at.i}, q) &&
                   make_side(finder, &sides[1], (ptrdiff_t[]){at.b, at.h, at.j}, k);
    return is_made ? chain_dot(q, k, width) : (double)NAN;
}

bool chain_fits_few(ChainFinder *finder, const ChainMap *map, const ChainSamples *samples,
                    const ChainSide sides[2])
{
    enum { FEW = 4 };
    for (int i = 0; i < samples->count; i++) {
        const Sample *sample = &samples->samples[i];
        int count = sample->count < FEW ? sample->count : FEW;
        double score[FEW], off = allowed(finder, sample->largest, sample->is_difference);
        bool fits = count > 0;
        for (int n = 0; n < count && fits; n++) {
            score[n] = made_score_at(finder, map, sides, sample->at[n]);
            if (sample->is_difference)
                score[n] -= made_score_at(finder, map, sides, sample->first[n]);
            fits = n % 2 == 0 || are_times(sample, score, n + 1, 4.0 * off);
        }
        if (fits)
            return true;
    }
    return false;
}

bool chain_fit_scores(ChainFinder *finder, const ChainMap *map, const double *scores,
                      ChainScores *made)
{
    *made = (ChainScores){.map = *map, .kind = CHAIN_PLAIN};
    if (!take_values(finder, &made->map))
        return false;
    use_plainly(&made->map, NULL);
    bool all = chain_largest(map->at, map->count) > 0.0;
    for (ptrdiff_t i = 0; i < map->count; i++)
        all = all && made->map.first[i] >= 0;
    if (all && fits_all(finder, &made->map, scores, false, &made->factor))
        return true;
    made->is_hidden = hidden_in(finder, map, &made->fill);
    made->kind = made->is_hidden ? CHAIN_MASKED : CHAIN_PLAIN;
    use_plainly(&made->map, made->is_hidden);
    return made->is_hidden && fits_all(finder, &made->map, scores, false, &made->factor);
}

// --- an attention

// Reads the map as scores, as masked scores, then as weights along each axis.
bool chain_find_pair(ChainFinder *finder, const ChainMap *map, ChainAttention *made)
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
    for (ChainAxis axis = CHAIN_KEYS; axis <= (map->batch > 1 ? CHAIN_SEQUENCES : CHAIN_HEADS);
         axis++) {
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
            finder->is_explained[i] = true;
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
                                  .context_heads = -1,
                                  .output = -1,
                                  .out_linear = -1,
                                  .out_bias = -1,
                                  .even = {{.gain = -1, .shift = -1}, {.gain = -1, .shift = -1}},
                                  .stacked = -1,
                                  .sinks = -1};
}
