// chain_weights: what is done to scores before softmax, and how weights are made of them.
#include "chain_internal.h"

#include <math.h>

// --- softmax

// What one line of scores becomes, `step` apart; `sink` is one more score that gets a share (-inf: none).
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

// exp of a line of scores, less their largest, that nothing divides.
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

// A row that is hidden as a whole is NaN, or all the same where its keys are filled with one number.
static bool is_near_line(const ChainFinder *finder, double is, double made, ptrdiff_t size)
{
    return chain_near(finder, is, made, 1.0) ||
           (isnan(made) && chain_near(finder, is, 1.0 / (double)size, 1.0));
}

// Whether a map is softmax of scores, `often` times; given up at the first line that is not.
static bool is_softmax(ChainFinder *finder, const ChainMap *map, const double *scores,
                       const bool *is_hidden, ChainAxis axis, int often)
{
    ptrdiff_t size, step = chain_step(map, axis, &size);
    for (ptrdiff_t i = 0; i < map->count; i++) {
        if (i / step % size != 0)
            continue;
        softmax_line(scores + i, is_hidden ? is_hidden + i : NULL, step, size, no_sink,
                     finder->line);
        for (int n = 1; n < often; n++)
            softmax_line(finder->line, NULL, 1, size, no_sink, finder->line);
        finder->work += 8.0 * (double)size;
        for (ptrdiff_t n = 0; n < size; n++)
            if (!is_near_line(finder, map->at[i + n * step], finder->line[n], size))
                return false;
    }
    return true;
}

// The same with one more score for each head, which gets a share and no key (attention sinks); 0 without a tensor.
static bool has_sinks(ChainFinder *finder, const ChainMap *map, const double *scores,
                      const bool *is_hidden, int tensor)
{
    const ChainTensor *sinks = tensor < 0 ? NULL : &finder->tensors[tensor];
    if (sinks && (!sinks->is_number || sinks->count != map->heads || finder->is_told[tensor]))
        return false;
    for (ptrdiff_t i = 0; i < map->count; i += map->keys) {
        double sink = sinks ? sinks->at[i / map->keys / map->queries % map->heads] : 0.0;
        softmax_line(scores + i, is_hidden ? is_hidden + i : NULL, 1, map->keys, sink,
                     finder->line);
        finder->work += 8.0 * (double)map->keys;
        for (ptrdiff_t n = 0; n < map->keys; n++)
            if (!chain_near(finder, map->at[i + n], finder->line[n], 1.0))
                return false;
    }
    return true;
}

// How many times the right weight the first one is that is large enough to tell; 0.
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

// Whether every weight is 0 or `times` the right one, and some are 0 that should not be.
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

// Whether all weights of a row are the same.
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
    bool *is_zero = arena_take(finder->arena, (size_t)map->count, sizeof *is_zero, finder->err);
    for (ptrdiff_t i = 0; is_zero && i < map->count; i++) {
        is_zero[i] = map->at[i] == 0.0 || isnan(map->at[i]);
        any = any || is_zero[i];
    }
    for (ptrdiff_t i = 0; is_zero && any && i < map->count; i++)
        is_zero[i] = is_zero[i] || is_even_row(finder, map, i - i % map->keys);
    return any ? is_zero : NULL;
}

// The masks that may hide keys of a map: none, later keys, those of the dump.
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

// What a mask hides of the weights that are 0: others are too small for the notebook's numbers.
static const bool *least_mask(ChainFinder *finder, const ChainMap *map, const double *scores,
                              const bool zeros[])
{
    const ChainMasks *masks = masks_of(finder, map);
    for (int i = 0; i < masks->count && !is_known(finder, map, zeros); i++)
        if (is_softmax(finder, map, scores, masks->is_hidden[i], CHAIN_KEYS, 1))
            return masks->is_hidden[i];
    return zeros;
}

// Weights of which some are 0 or all are multiplied: zeros are what the mask hides, and others what dropout or a mask
// after softmax takes.
static bool tell_thinned(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                         const double *scores, const bool *zeros)
{
    bool has_zeros;
    const ChainMasks *masks = masks_of(finder, map);
    const bool *taken = zeros ? zeros : zeros_of(finder, map);
    attention->axis = CHAIN_KEYS;
    for (int i = 0; i < (zeros ? masks->count : 1); i++) {
        if (!is_thinned(finder, map, scores, masks->is_hidden[i], &attention->times, &has_zeros))
            continue;
        bool is_mask =
            has_zeros && fabs(attention->times - 1.0) < factor_off && is_known(finder, map, taken);
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

// exp of the scores, less their largest or not, that is not divided by its sum.
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

static bool tell_sinks(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
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

// Whether a map is weights made of scores in one of the ways that are known.
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
    for (attention->axis = CHAIN_KEYS; attention->axis <= CHAIN_HEADS; attention->axis++)
        if (is_softmax(finder, map, scores, zeros, attention->axis, 1))
            return true;
    attention->axis = CHAIN_KEYS;
    if (tell_sinks(finder, attention, map, scores, zeros) ||
        tell_thinned(finder, attention, map, scores, zeros))
        return true;
    attention->form = CHAIN_NOT_DIVIDED;
    if (is_not_divided(finder, map, scores, zeros, false) ||
        is_not_divided(finder, map, scores, zeros, true))
        return true;
    attention->form = CHAIN_TWICE;
    if (is_softmax(finder, map, scores, zeros, CHAIN_KEYS, 2))
        return true;
    // A second softmax leaves no zeros, nor does one over queries that are all hidden.
    const ChainMasks *masks = masks_of(finder, map);
    for (int i = 0; i < masks->count; i++)
        for (attention->axis = CHAIN_KEYS; attention->axis <= CHAIN_HEADS; attention->axis++) {
            bool is_twice = attention->axis == CHAIN_KEYS;
            attention->is_hidden = masks->is_hidden[i];
            attention->form = is_twice ? CHAIN_TWICE : CHAIN_SOFTMAX;
            if (is_softmax(finder, map, scores, masks->is_hidden[i], attention->axis,
                           is_twice ? 2 : 1))
                return true;
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
    finder->is_told[map->tensor] = true;
}

// --- changes of the scores

const ChainChange *chain_change_of(const ChainAttention *attention, ChainChangeKind kind)
{
    for (int i = 0; i < attention->change_count; i++)
        if (attention->changes[i].kind == kind)
            return &attention->changes[i];
    return NULL;
}

static double distance_of(const ChainMap *map, ptrdiff_t at, bool is_signed)
{
    ptrdiff_t far = at % map->keys - at / map->keys % map->queries;
    return is_signed || far < 0 ? (double)far : (double)-far;
}

// What scores the first sequence's numbers show, but for a number that is the same in a row: logarithms of weights.
static double shown(const ChainMap *map, ptrdiff_t at, bool is_weights)
{
    double least = is_weights ? 1e-12 : -chain_fill;
    return !(map->at[at] > least) ? (double)NAN : is_weights ? log(map->at[at]) : map->at[at];
}

// The slope of each head that a map shows beside the scores.
static const double *find_slopes(ChainFinder *finder, const ChainMap *map, const double *scores,
                                 bool is_signed)
{
    double *slopes = arena_take(finder->arena, (size_t)map->heads, sizeof *slopes, finder->err);
    ptrdiff_t pairs = map->queries * map->keys;
    bool any = false, is_weights = chain_could_be_weights(map);
    for (ptrdiff_t h = 0; slopes && h < map->heads; h++) {
        double far = 0.0;
        for (ptrdiff_t n = 0; n < pairs; n++) {
            ptrdiff_t at = h * pairs + n, first = at - at % map->keys;
            double apart = distance_of(map, at, is_signed) - distance_of(map, first, is_signed);
            double rise = shown(map, at, is_weights) - shown(map, first, is_weights);
            if (fabs(apart) <= fabs(far) || isnan(rise))
                continue;
            far = apart;
            slopes[h] = (rise - scores[at] + scores[first]) / apart;
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

// Talking heads: each head's scores become a sum of all heads', by a matrix of the dump.
static bool talk(ChainFinder *finder, const ChainMap *map, int tensor, bool is_turned,
                 double numbers[])
{
    const ChainTensor *matrix = &finder->tensors[tensor];
    ptrdiff_t heads = map->heads, pairs = map->queries * map->keys;
    double *mixed = finder->line;
    if (!matrix->is_number || matrix->is_flags || heads < 2 || matrix->count != heads * heads ||
        matrix->rank < 2 || matrix->shape[0] != heads || matrix->shape[1] != heads ||
        finder->is_told[tensor] || tensor == map->tensor)
        return false;
    for (ptrdiff_t i = 0; i < map->count; i++) {
        if (i / pairs % heads != 0)
            continue;
        for (ptrdiff_t h = 0; h < heads; h++) {
            mixed[h] = 0.0;
            for (ptrdiff_t g = 0; g < heads; g++)
                mixed[h] +=
                    matrix->at[is_turned ? g * heads + h : h * heads + g] * numbers[i + g * pairs];
        }
        for (ptrdiff_t h = 0; h < heads; h++)
            numbers[i + h * pairs] = mixed[h];
    }
    finder->work += (double)map->count * (double)heads;
    return true;
}

// Relative positions (Shaw): a vector for each distance, those that are far away alike, beside the key.
static bool add_relative(ChainFinder *finder, const ChainAttention *attention, const ChainMap *map,
                         int tensor, double factor, double scores[])
{
    const ChainTensor *table = &finder->tensors[tensor];
    ptrdiff_t far = table->rank == 2 ? (table->shape[0] - 1) / 2 : 0, width = attention->width;
    if (!table->is_number || table->rank != 2 || table->shape[1] != width || width < 2 ||
        table->shape[0] != 2 * far + 1 || far < 1 || finder->is_told[tensor])
        return false;
    for (ptrdiff_t n = 0; n < map->count; n++) {
        ptrdiff_t j = n % map->keys, i = n / map->keys % map->queries,
                  h = n / map->keys / map->queries % map->heads,
                  b = n / map->keys / map->queries / map->heads;
        ptrdiff_t apart = j - i - (map->keys - map->queries);
        apart = apart < -far ? -far : apart > far ? far : apart;
        for (ptrdiff_t e = 0; e < width; e++)
            scores[n] += factor * chain_head(&attention->q_heads, b, h, i, e) *
                         table->at[(apart + far) * width + e];
    }
    finder->work += (double)map->count * (double)width;
    return true;
}

enum { CAPS = 8, PLAIN_WAYS = CAPS + 4, TENSOR_WAYS = 4 };

static int count_ways(const ChainFinder *finder)
{
    return PLAIN_WAYS + TENSOR_WAYS * finder->count;
}

static bool change_by_tensor(ChainFinder *finder, const ChainAttention *attention,
                             const ChainMap *map, ChainChange *change, int way, double scores[])
{
    change->tensor = way / TENSOR_WAYS;
    change->kind = way % TENSOR_WAYS == 0   ? CHAIN_BIASED
                   : way % TENSOR_WAYS == 1 ? CHAIN_RELATIVE
                                            : CHAIN_TALKS;
    change->is_turned = way % TENSOR_WAYS == 3;
    return change->kind == CHAIN_BIASED ? is_biased(finder, map, change->tensor, scores)
           : change->kind == CHAIN_RELATIVE
               ? add_relative(finder, attention, map, change->tensor, change->factor, scores)
               : talk(finder, map, change->tensor, change->is_turned, scores);
}

// The ways to change scaled scores, one after the other, tensors of the dump first; false where one is none.
static bool change_scores(ChainFinder *finder, const ChainAttention *attention, const ChainMap *map,
                          int way, ChainChange *change, double scores[])
{
    static const double caps[CAPS] = {50.0, 30.0, 20.0, 10.0, 5.0, 2.0, 1.0, 100.0};
    *change = (ChainChange){.tensor = -1, .factor = change->factor};
    if (way < TENSOR_WAYS * finder->count)
        return change_by_tensor(finder, attention, map, change, way, scores);
    way -= TENSOR_WAYS * finder->count;
    finder->work += 2.0 * (double)map->count;
    if (way < CAPS) {
        change->kind = CHAIN_CAPPED;
        change->cap = caps[way];
        for (ptrdiff_t i = 0; i < map->count; i++)
            scores[i] = caps[way] * tanh(scores[i] / caps[way]);
        return true;
    }
    if (way < CAPS + 2) {
        change->kind = CHAIN_SLOPED;
        change->is_signed = way == CAPS;
        change->slopes = find_slopes(finder, map, scores, change->is_signed);
        for (ptrdiff_t i = 0; change->slopes && i < map->count; i++)
            scores[i] += change->slopes[i / map->keys / map->queries % map->heads] *
                         distance_of(map, i, change->is_signed);
        return change->slopes != NULL;
    }
    change->kind = CHAIN_ADDS_ONE; // to earlier keys, or to later ones
    change->is_turned = way % 2 != 0;
    ptrdiff_t keys = map->keys - map->appended;
    for (ptrdiff_t i = 0; i < map->count; i++)
        scores[i] += i % map->keys < keys &&
                     (i % map->keys > i / map->keys % map->queries) == change->is_turned;
    return map->queries == keys;
}

// Scores as far as they are known: times a factor, or changed.
static double *known_scores(ChainFinder *finder, const ChainAttention *attention, ptrdiff_t count,
                            double factor)
{
    double *made = arena_take(finder->arena, (size_t)count, sizeof *made, finder->err);
    for (ptrdiff_t i = 0; made && i < count; i++)
        made[i] = attention->changed ? attention->changed[i] : factor * attention->products[i];
    return made;
}

// A change that makes of some scores what is looked for.
typedef bool Fits(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                  const double *scores, const void *data);

static void copy(const double from[], ptrdiff_t count, double to[])
{
    for (ptrdiff_t i = 0; i < count; i++)
        to[i] = from[i];
}

static void keep_change(ChainAttention *attention, const ChainChange *change, const double *scores,
                        double factor)
{
    attention->changes[attention->change_count++] = *change;
    attention->changed = scores;
    attention->changed_factor = factor;
}

// Changes the known scores once, or twice, until they fit.
static bool find_change(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                        double factor, Fits *fits, const void *data)
{
    ptrdiff_t count = map->count;
    double *known = known_scores(finder, attention, count, factor),
           *once = arena_take(finder->arena, (size_t)count, sizeof *once, finder->err),
           *twice = arena_take(finder->arena, (size_t)count, sizeof *twice, finder->err);
    ChainChange first = {.factor = factor}, second = first;
    for (int often = 1; twice && once && known && often <= 2; often++)
        for (int way = 0; way < count_ways(finder); way++) {
            if (attention->change_count + often > CHAIN_CHANGES_MAX || finder->work > finder->most)
                return false;
            copy(known, count, once);
            if (!change_scores(finder, attention, map, way, &first, once))
                continue;
            if (often == 1 && fits(finder, attention, map, once, data)) {
                keep_change(attention, &first, once, factor);
                return true;
            }
            for (int next = 0; often == 2 && next < count_ways(finder); next++) {
                copy(once, count, twice);
                if (next == way || first.kind == CHAIN_ADDS_ONE ||
                    !change_scores(finder, attention, map, next, &second, twice) ||
                    second.kind == first.kind || second.kind == CHAIN_ADDS_ONE ||
                    !fits(finder, attention, map, twice, data))
                    continue;
                keep_change(attention, &first, once, factor);
                keep_change(attention, &second, twice, factor);
                return true;
            }
        }
    return false;
}

// --- scores of the dump that are changed

// Whether numbers are scores, but where they are hidden.
static bool are_scores(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                       const double *scores, const void *data)
{
    const bool *is_hidden = data;
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

static bool tell_changed_scores(ChainFinder *finder, ChainAttention *attention, ChainScores *made,
                                const bool *is_hidden)
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
        if (!is_known &&
            !find_change(finder, attention, &made->map, factors[i], are_scores, is_hidden))
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
bool chain_tell_scores(ChainFinder *finder, ChainAttention *attention, const ChainMap *map)
{
    ChainScores *made = &attention->scores[attention->score_count];
    if (attention->score_count == CHAIN_MAPS_MAX)
        return false;
    bool good = chain_fit_scores(finder, map, attention->products, made) ||
                tell_added(finder, attention, made) ||
                tell_changed_scores(finder, attention, made, made->is_hidden);
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

void chain_tell_all_scores(ChainFinder *finder, ChainAttention *attention)
{
    ChainMap maps[CHAIN_READINGS_MAX];
    for (int tensor = 0; tensor < finder->count; tensor++) {
        bool is_weights = finder->tensors[tensor].is_shares; // perhaps of another head
        int count = is_weights ? 0 : chain_readings(finder, tensor, maps);
        for (int i = 0; i < count && !finder->is_told[tensor]; i++)
            if (is_of(&maps[i], attention) && finder->projection_of[tensor] < 0)
                chain_tell_scores(finder, attention, &maps[i]);
    }
}

// --- weights

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

// Weights that are made of scores which are not in the dump: how they are scaled, the weights tell.
static bool tell_weights_alone(ChainFinder *finder, ChainAttention *attention, const ChainMap *map)
{
    double factors[3] = {1.0 / sqrt((double)attention->width), 1.0};
    bool has = chain_fit_logarithms(finder, map, attention->products, &factors[2]);
    if (attention->changed)
        factors[0] = attention->changed_factor;
    const bool *zeros = zeros_of(finder, map);
    for (int i = 0; i < (attention->changed ? 1 : 2 + has); i++) {
        double *scores = known_scores(finder, attention, map->count, factors[i]);
        attention->factor = factors[i];
        for (int hides = 1; scores && hides >= 0; hides--)
            if (is_made_of(finder, attention, map, scores, hides ? zeros : NULL)) {
                keep_weights(finder, attention, map, -1);
                return true;
            }
    }
    return false;
}

// Later keys with the score 0, or far below all others for softmax over heads, where all heads are so.
static bool is_filled(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                      const double *scores)
{
    const ChainMasks *masks = masks_of(finder, map);
    double *filled = arena_take(finder->arena, (size_t)map->count, sizeof *filled, finder->err);
    for (int by_heads = 0; filled && masks->count > 1 && by_heads < 2; by_heads++) {
        for (ptrdiff_t i = 0; i < map->count; i++)
            filled[i] = !masks->is_hidden[1][i] ? scores[i] : by_heads ? -1e30 : 0.0;
        attention->axis = by_heads ? CHAIN_HEADS : CHAIN_KEYS;
        attention->form = by_heads ? CHAIN_SOFTMAX : CHAIN_ZEROED;
        if (is_softmax(finder, map, filled, NULL, attention->axis, 1)) {
            keep_weights(finder, attention, map, -1);
            attention->is_hidden = masks->is_hidden[1];
            return true;
        }
    }
    return false;
}

// Whether changed scores make the weights; not where what is added makes them alone: then it is scores itself.
static bool make_weights(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                         const double *scores, const void *data)
{
    const bool *zeros = data;
    return is_made_of(finder, attention, map, scores, zeros);
}

static bool is_bias_alone(ChainFinder *finder, const ChainAttention *attention, const ChainMap *map)
{
    const ChainChange *bias = chain_change_of(attention, CHAIN_BIASED);
    double *alone = arena_take(finder->arena, (size_t)map->count, sizeof *alone, finder->err);
    return bias && alone && is_biased(finder, map, bias->tensor, alone) &&
           is_softmax(finder, map, alone, zeros_of(finder, map), CHAIN_KEYS, 1);
}

bool chain_tell_weights(ChainFinder *finder, ChainAttention *attention, const ChainMap *map)
{
    double width = (double)attention->width, heads = (double)attention->heads;
    double factors[] = {1.0 / sqrt(width), 1.0,        1.0 / width, 1.0 / sqrt(width * heads),
                        1.0 / sqrt(heads), sqrt(width)};
    const bool *zeros = zeros_of(finder, map);
    bool is_turned = attention->turn.is_turned || attention->norm,
         is_changed = attention->changed != NULL;
    int before = attention->change_count;
    if (is_changed)
        factors[0] = attention->changed_factor;
    for (int i = 0; i < (is_changed ? 1 : 6) && finder->work < finder->most; i++) {
        double *scores = known_scores(finder, attention, map->count, factors[i]);
        if (!scores)
            return false;
        attention->factor = factors[i];
        bool found = is_made_of(finder, attention, map, scores, zeros) ||
                     (i < 2 && !is_turned && !finder->is_quick &&
                      find_change(finder, attention, map, factors[i], make_weights, zeros));
        if (found && attention->change_count > before && is_bias_alone(finder, attention, map)) {
            attention->change_count = before;
            attention->changed = NULL;
            found = false;
        }
        if (found)
            keep_weights(finder, attention, map, -1);
        if (found || (!is_turned && is_filled(finder, attention, map, scores)))
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
        attention->is_hidden = zeros_of(finder, map);
        keep_weights(finder, attention, map, n);
        return true;
    }
    return false;
}

// --- all maps of an attention

// Weights of which a matrix of the dump makes what is mixed (talking heads), in the dump or not.
static bool tell_talking(ChainFinder *finder, ChainAttention *attention, const ChainMap *map)
{
    ptrdiff_t count = map->count;
    double factor =
        attention->changed ? attention->changed_factor : 1.0 / sqrt((double)attention->width);
    double *made = arena_take(finder->arena, (size_t)count, sizeof *made, finder->err),
           *weights = known_scores(finder, attention, count, factor);
    bool has_weights = attention->weights.tensor >= 0;
    if (!made || !weights || map->tensor == attention->weights.tensor || map->heads < 2)
        return false;
    if (has_weights)
        copy(attention->weights.at, count, weights);
    else
        chain_softmax(finder, map, &(ChainAttention){.is_hidden = zeros_of(finder, map)}, weights);
    for (int way = 0; way < 2 * finder->count; way++) {
        copy(weights, count, made);
        if (!talk(finder, map, way / 2, way % 2 != 0, made) ||
            !are_scores(finder, attention, map, made, NULL))
            continue;
        attention->talk =
            (ChainChange){.kind = CHAIN_TALKS, .tensor = way / 2, .is_turned = way % 2 != 0};
        attention->talked = map->tensor;
        finder->is_told[map->tensor] = finder->is_told[way / 2] = true;
        if (!has_weights) {
            attention->form = CHAIN_TALKED;
            attention->axis = CHAIN_KEYS;
            attention->factor = factor;
            attention->is_hidden = zeros_of(finder, map);
            keep_weights(finder, attention, map, -1);
        }
        attention->mixed = map->at;
        return true;
    }
    return false;
}

typedef bool Tell(ChainFinder *finder, ChainAttention *attention, const ChainMap *map);

static void tell_all(ChainFinder *finder, ChainAttention *attention, const ChainMap *first,
                     bool is_weights, Tell *tell)
{
    ChainMap maps[CHAIN_READINGS_MAX];
    for (int tensor = 0; tensor < finder->count; tensor++) {
        int count = chain_readings(finder, tensor, maps);
        for (int i = 0; i < count && !finder->is_told[tensor]; i++)
            if (maps[i].count == first->count && maps[i].heads == first->heads &&
                (!is_weights || chain_could_be_weights(&maps[i])) &&
                finder->projection_of[tensor] < 0 && tell(finder, attention, &maps[i]))
                return;
    }
}

void chain_tell_maps(ChainFinder *finder, ChainAttention *attention, const ChainMap *first)
{
    static Tell *const tell[] = {tell_weights_by_scores, tell_weights_alone, chain_tell_weights,
                                 tell_without_exp};
    attention->weights = *first; // for its shape
    chain_tell_all_scores(finder, attention);
    attention->weights.tensor = -1;
    for (int pass = 0; pass < 4 && attention->weights.tensor < 0; pass++)
        tell_all(finder, attention, first, pass < 3, tell[pass]);
    if (attention->weights.tensor < 0) { // nothing of what was tried stays
        attention->form = CHAIN_SOFTMAX;
        attention->axis = CHAIN_NO_AXIS;
        attention->is_hidden = NULL;
    }
    tell_all(finder, attention, first, false, tell_talking);
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
                if (!chain_find_pair(finder, &maps[i], made))
                    continue;
                chain_tell_maps(finder, made, &maps[i]);
                finder->attention_count += finder->is_told[tensor];
            }
        }
}
