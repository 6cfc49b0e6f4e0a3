// chain_change: what is done to scaled scores before softmax: capped, biased.
#include "chain_internal.h"

#include <math.h>
#include <string.h>

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

// The score behind a number, up to a constant for each row: weights give logarithms.
static double shown(const ChainMap *map, ptrdiff_t at, bool is_weights)
{
    double least = is_weights ? 1e-12 : -chain_fill;
    return !(map->at[at] > least) ? (double)NAN : is_weights ? log(map->at[at]) : map->at[at];
}

// Finds each head's slope.
static const double *find_slopes(ChainFinder *finder, const ChainMap *map, const double *scores,
                                 bool is_signed)
{
    double *slopes = chain_take(finder, map->heads);
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

bool chain_is_biased(ChainFinder *finder, const ChainMap *map, int tensor, double scores[])
{
    const ChainTensor *bias = &finder->tensors[tensor];
    bool any = false;
    if (!bias->is_number || bias->is_flags || bias->rank < 2 || bias->rank > 4 ||
        finder->is_explained[tensor] || finder->projection_of[tensor] >= 0 ||
        tensor == map->tensor || (map->tensor >= 0 && chain_is_same(finder, tensor, map->tensor)))
        return false;
    for (ptrdiff_t i = 0; i < map->count; i++) {
        ptrdiff_t place;
        if (!chain_place(bias, map, false, chain_at(map, i), &place))
            return false;
        scores[i] += bias->at[place];
        any = any || bias->at[place] != 0.0;
    }
    return any;
}

// Relative positions (Shaw): adds q times a vector for the distance, which is clipped.
static bool add_relative(ChainFinder *finder, const ChainAttention *attention, const ChainMap *map,
                         int tensor, double factor, double scores[])
{
    const ChainTensor *table = &finder->tensors[tensor];
    ptrdiff_t far = table->rank == 2 ? (table->shape[0] - 1) / 2 : 0, width = attention->width;
    if (!table->is_number || table->rank != 2 || table->shape[1] != width || width < 2 ||
        table->shape[0] != 2 * far + 1 || far < 1 || finder->is_explained[tensor])
        return false;
    for (ptrdiff_t n = 0; n < map->count; n++) {
        ChainAt at = chain_at(map, n);
        ptrdiff_t apart = at.j - at.i - (map->keys - map->queries);
        apart = apart < -far ? -far : apart > far ? far : apart;
        for (ptrdiff_t e = 0; e < width; e++)
            scores[n] += factor * chain_head(&attention->q_heads, at.b, at.h, at.i, e) *
                         table->at[(apart + far) * width + e];
    }
    finder->work += (double)map->count * (double)width;
    return true;
}

enum { CAPS = 8, PLAIN_WAYS = CAPS + 2, TENSOR_WAYS = 2 };

static int count_ways(const ChainFinder *finder)
{
    return PLAIN_WAYS + TENSOR_WAYS * finder->count;
}

// The way-th change: tensors of the dump first, then caps and slopes.
static ChainChange change_of_way(const ChainFinder *finder, int way, double factor)
{
    static const double caps[CAPS] = {50.0, 30.0, 20.0, 10.0, 5.0, 2.0, 1.0, 100.0};
    int plain = way - TENSOR_WAYS * finder->count;
    if (plain >= 0)
        return plain < CAPS
                   ? (ChainChange){.kind = CHAIN_CAPPED, .cap = caps[plain], .tensor = -1}
                   : (ChainChange){.kind = CHAIN_SLOPED, .is_signed = plain == CAPS, .tensor = -1};
    return (ChainChange){.kind = way % TENSOR_WAYS == 0 ? CHAIN_BIASED : CHAIN_RELATIVE,
                         .factor = factor,
                         .tensor = way / TENSOR_WAYS};
}

static double capped(double score, double cap)
{
    return cap * tanh(score / cap);
}

// False if it cannot be.
static bool change_scores(ChainFinder *finder, const ChainAttention *attention, const ChainMap *map,
                          ChainChange *change, double scores[])
{
    finder->work += 2.0 * (double)map->count;
    switch (change->kind) {
    case CHAIN_BIASED:
        return chain_is_biased(finder, map, change->tensor, scores);
    case CHAIN_RELATIVE:
        return add_relative(finder, attention, map, change->tensor, change->factor, scores);
    case CHAIN_CAPPED:
        for (ptrdiff_t i = 0; i < map->count; i++)
            scores[i] = capped(scores[i], change->cap);
        return true;
    default:
        change->slopes = find_slopes(finder, map, scores, change->is_signed);
        for (ptrdiff_t i = 0; change->slopes && i < map->count; i++)
            scores[i] +=
                change->slopes[chain_at(map, i).h] * distance_of(map, i, change->is_signed);
        return change->slopes != NULL;
    }
}

enum { FEW = 16 };

// The first scores refuse most changes at once; slopes and relative positions are not tried so.
static bool is_refused(ChainFinder *finder, const ChainMap *map, const ChainWanted *wanted,
                       const ChainChange changes[], const double known[])
{
    ptrdiff_t place;
    if (wanted->is_weights)
        return false;
    for (ptrdiff_t n = 0; n < map->count && n < FEW; n++) {
        double score = known[n];
        for (int i = 0; i < 2 && changes[i].kind != CHAIN_UNCHANGED; i++) {
            if (changes[i].kind == CHAIN_CAPPED)
                score = capped(score, changes[i].cap);
            else if (changes[i].kind == CHAIN_BIASED &&
                     chain_place(&finder->tensors[changes[i].tensor], map, false, chain_at(map, n),
                                 &place))
                score += finder->tensors[changes[i].tensor].at[place];
            else
                return changes[i].kind == CHAIN_BIASED;
        }
        finder->work += 10.0;
        if (!(wanted->is_hidden && wanted->is_hidden[n]) &&
            !chain_near(finder, map->at[n], score, finder->tensors[map->tensor].largest))
            return true;
    }
    return false;
}

// The changed scores, or products times a factor.
double *chain_known_scores(ChainFinder *finder, const ChainAttention *attention, ptrdiff_t count,
                           double factor)
{
    double *made = chain_take(finder, count);
    for (ptrdiff_t i = 0; made && i < count; i++)
        made[i] = attention->changed ? attention->changed[i] : factor * attention->products[i];
    return made;
}

static void keep_change(ChainAttention *attention, const ChainChange *change, const double *scores,
                        double factor)
{
    attention->changes[attention->change_count++] = *change;
    attention->changed = scores;
    attention->changed_factor = factor;
}

bool chain_find_change(ChainFinder *finder, ChainAttention *attention, const ChainMap *map,
                       const ChainWanted *wanted)
{
    size_t bytes = (size_t)map->count * sizeof(double);
    double *known = chain_known_scores(finder, attention, map->count, wanted->factor),
           *once = chain_take(finder, map->count), *twice = chain_take(finder, map->count);
    int ways = twice && once && known ? count_ways(finder) : 0;
    for (int often = 1; often <= finder->changes_most; often++)
        for (int way = 0; way < ways; way++) {
            ChainChange made[2] = {change_of_way(finder, way, wanted->factor), {0}};
            if (attention->change_count + often > CHAIN_CHANGES_MAX || finder->work > finder->most)
                return false;
            if (often == 1 && is_refused(finder, map, wanted, made, known))
                continue;
            memcpy(once, known, bytes);
            if (!change_scores(finder, attention, map, &made[0], once))
                continue;
            if (often == 1 && wanted->fits(finder, attention, map, once, wanted->is_hidden)) {
                keep_change(attention, &made[0], once, wanted->factor);
                return true;
            }
            for (int next = 0; often == 2 && next < ways; next++) {
                made[1] = change_of_way(finder, next, wanted->factor);
                if (next == way || made[1].kind == made[0].kind ||
                    is_refused(finder, map, wanted, made, known))
                    continue;
                memcpy(twice, once, bytes);
                if (!change_scores(finder, attention, map, &made[1], twice) ||
                    !wanted->fits(finder, attention, map, twice, wanted->is_hidden))
                    continue;
                keep_change(attention, &made[0], once, wanted->factor);
                keep_change(attention, &made[1], twice, wanted->factor);
                return true;
            }
        }
    return false;
}
