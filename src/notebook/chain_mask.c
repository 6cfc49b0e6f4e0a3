// chain_mask: which keys are hidden, and by what.
#include "chain_formula.h"

static bool hides(ChainPatternKind kind, ptrdiff_t i, ptrdiff_t j)
{
    return kind == CHAIN_HIDES_LATER           ? j > i
           : kind == CHAIN_HIDES_EARLIER       ? j < i
           : kind == CHAIN_HIDES_ALL_BUT_LATER ? j <= i
           : kind == CHAIN_HIDES_ITSELF        ? j >= i
           : kind == CHAIN_HIDES_BUT_FIRST     ? j >= i && j > 0
           : kind == CHAIN_HIDES_LATE          ? j > i + 1
                                               : false;
}

// Cached keys: those before the first query's own.
static ptrdiff_t kept_before(const ChainMap *map)
{
    ptrdiff_t more = map->keys - map->appended - map->queries;
    return more > 0 ? more : 0;
}

// Asks whether a pattern hides number n; false if its mask does not fit. Appended keys are never hidden.
static bool ask_pattern(const ChainFinder *finder, const ChainMap *map, const ChainPattern *pattern,
                        ptrdiff_t n, bool *hidden)
{
    ChainAt at = chain_at(map, n);
    ptrdiff_t place;
    *hidden =
        at.j < map->keys - map->appended && hides(pattern->kind, at.i + kept_before(map), at.j);
    if (pattern->mask < 0 || at.j >= map->keys - map->appended)
        return true;
    const ChainTensor *mask = &finder->tensors[pattern->mask];
    at.j = pattern->by_queries ? at.i : at.j;
    if (!chain_place(mask, map, pattern->by_keys, at, &place))
        return false;
    *hidden = *hidden || (mask->at[place] != 0.0) != pattern->is_turned;
    return true;
}

static bool could_be_mask(const ChainTensor *one)
{
    return (one->is_flags || one->is_fill) && one->rank >= 2 && one->rank <= 4;
}

// True if an earlier mask is the same, as each head of a list may have its own.
static bool is_again(const ChainFinder *finder, int mask)
{
    const ChainTensor *one = &finder->tensors[mask];
    for (int i = 0; i < mask; i++) {
        const ChainTensor *other = &finder->tensors[i];
        bool is_same = other->rank == one->rank && could_be_mask(other);
        for (int axis = 0; axis < one->rank && is_same; axis++)
            is_same = other->shape[axis] == one->shape[axis];
        for (ptrdiff_t n = 0; n < one->count && is_same; n++)
            is_same = other->at[n] == one->at[n];
        if (is_same)
            return true;
    }
    return false;
}

enum { MASK_WAYS = 8 };

bool chain_next_mask(ChainFinder *finder, const ChainMap *map, int way, const bool **is_hidden)
{
    int number = way < 2 ? -1 : (way - 2) / MASK_WAYS, bits = (way - 2) % MASK_WAYS;
    ChainPattern pattern = {.kind = way == 1 || (way > 1 && bits % 2) ? CHAIN_HIDES_LATER
                                                                      : CHAIN_HIDES_NONE,
                            .mask = number,
                            .by_keys = way > 1 && bits / 2 % 2,
                            .is_turned = way > 1 && bits / 4};
    *is_hidden = NULL;
    if (way == 0 || number >= finder->count)
        return way == 0;
    const ChainTensor *mask = number < 0 ? NULL : &finder->tensors[number];
    if (mask && (!could_be_mask(mask) || is_again(finder, number) ||
                 (mask->is_fill && pattern.is_turned) || (pattern.by_keys && mask->rank != 2)))
        return true;
    bool *made = chain_take_flags(finder, map->count);
    bool any = false;
    for (ptrdiff_t n = 0; made && n < map->count; n++) {
        if (!ask_pattern(finder, map, &pattern, n, &made[n]))
            return true;
        any = any || made[n];
    }
    *is_hidden = any ? made : NULL;
    return made != NULL;
}

bool chain_is_triangle(const ChainTensor *one)
{
    ptrdiff_t size = one->rank > 1 ? one->shape[one->rank - 1] : 0;
    if (!one->is_flags || size < 2 || one->shape[one->rank - 2] != size ||
        one->count != size * size)
        return false;
    for (ptrdiff_t n = 0; n < one->count; n++)
        if ((one->at[n] == one->at[0]) != (n % size <= n / size))
            return false;
    return true;
}

const bool *chain_hide(ChainFinder *finder, const ChainMap *map, ChainPatternKind kind)
{
    bool *made = chain_take_flags(finder, map->count);
    for (ptrdiff_t n = 0; made && n < map->count; n++)
        made[n] = hides(kind, chain_at(map, n).i + kept_before(map), n % map->keys);
    return made;
}

// Marks keys that no query of their sequence sees; NULL: none, or all.
static const bool *unseen_keys(ChainFinder *finder, const ChainMap *map, const bool *is_hidden)
{
    ptrdiff_t pairs = map->heads * map->queries, count = map->batch * map->keys, seen = 0;
    bool *is_unseen = chain_take_flags(finder, count);
    for (ptrdiff_t n = 0; is_unseen && n < count; n++) {
        ptrdiff_t first = n / map->keys * pairs * map->keys + n % map->keys;
        is_unseen[n] = true;
        for (ptrdiff_t i = 0; i < pairs; i++)
            is_unseen[n] = is_unseen[n] && is_hidden[first + i * map->keys];
        seen += !is_unseen[n];
    }
    return is_unseen && seen > 0 && seen < count ? is_unseen : NULL;
}

// Unseen keys are pads, and are skipped.
static bool is_pattern(const ChainFinder *finder, const ChainMap *map, const bool *is_hidden,
                       const ChainPattern *pattern, const bool *is_unseen)
{
    bool any = false, hidden;
    for (ptrdiff_t n = 0; n < map->count; n++) {
        if (is_unseen && is_unseen[chain_at(map, n).b * map->keys + n % map->keys])
            continue;
        if (!ask_pattern(finder, map, pattern, n, &hidden) || hidden != is_hidden[n])
            return false;
        any = any || hidden;
    }
    return any || is_unseen;
}

static bool find_pattern(const ChainFinder *finder, const ChainMap *map, const bool *is_hidden,
                         ChainPattern *pattern)
{
    for (int mask = -1; mask < finder->count; mask++) {
        const ChainTensor *tensor = mask < 0 ? NULL : &finder->tensors[mask];
        if (tensor && !could_be_mask(tensor))
            continue;
        for (int way = 0; way < (mask < 0 ? 1 : 8); way++)
            for (ChainPatternKind kind = 0; kind < CHAIN_HIDES_OTHERS; kind++) {
                *pattern = (ChainPattern){.kind = kind,
                                          .mask = mask,
                                          .by_keys = way % 2 == 1,
                                          .is_turned = way / 2 % 2 == 0,
                                          .by_queries = way > 3};
                bool is_row = tensor && tensor->shape[tensor->rank - 1] == map->queries &&
                              (tensor->rank == 2 || tensor->shape[tensor->rank - 2] == 1);
                if ((pattern->by_queries && !(is_row && map->queries == map->keys)) ||
                    (pattern->by_keys && tensor && tensor->rank != 2) ||
                    (tensor && tensor->is_fill && pattern->is_turned) ||
                    (kind == CHAIN_HIDES_NONE && mask < 0))
                    continue;
                if (is_pattern(finder, map, is_hidden, pattern, NULL))
                    return true;
            }
    }
    return false;
}

// Finds whether queries see later keys, and whether they see only those: a mask of the diagonal alone, as of shared q and
// k, hides no earlier key.
static void look_ahead(const ChainMap *map, const bool *is_hidden, ChainPattern *pattern)
{
    bool hides_later = false, hides_earlier = false, hides_first = true, differs = false;
    for (ptrdiff_t n = 0; n < map->count; n++) {
        ptrdiff_t j = n % map->keys, i = chain_at(map, n).i;
        bool is_later = j > i + kept_before(map) && j < map->keys - map->appended;
        hides_later = hides_later || (is_later && is_hidden[n]);
        hides_earlier = hides_earlier || (j < i + kept_before(map) && is_hidden[n]);
        pattern->shows_later = pattern->shows_later || (is_later && !is_hidden[n]);
        hides_first = hides_first && (i > 0 || j > 0 || is_hidden[n]);
        differs = differs || is_hidden[n] != is_hidden[n - i * map->keys];
    }
    pattern->shows_later_alone =
        pattern->shows_later && !hides_later && hides_earlier && hides_first && differs;
}

static bool hides_whole_sequence(const ChainMap *map, const bool *is_hidden)
{
    ptrdiff_t size = map->count / map->batch, whole = 0;
    for (ptrdiff_t b = 0; b < map->batch; b++) {
        ptrdiff_t hidden = 0;
        const bool *own = is_hidden + b * size;
        for (ptrdiff_t n = 0; n < size; n++) {
            hidden += own[n];
            if (own[n] != own[n % map->keys])
                return false;
        }
        whole += hidden == size;
    }
    return whole > 0 && whole < map->batch;
}

ChainPattern chain_pattern(ChainFinder *finder, const ChainMap *map, const bool *is_hidden)
{
    ChainPattern pattern = {.mask = -1};
    bool any = false;
    for (ptrdiff_t i = 0; is_hidden && i < map->count; i++)
        any = any || is_hidden[i];
    if (!any)
        return pattern;
    if (find_pattern(finder, map, is_hidden, &pattern)) {
        look_ahead(map, is_hidden, &pattern);
        return pattern;
    }
    bool has_whole = hides_whole_sequence(map, is_hidden);
    const bool *is_unseen = unseen_keys(finder, map, is_hidden);
    for (int kind = 0; is_unseen && kind < CHAIN_HIDES_OTHERS; kind++) {
        pattern = (ChainPattern){
            .kind = (ChainPatternKind)kind, .mask = -1, .has_pads = true, .has_whole = has_whole};
        if (is_pattern(finder, map, is_hidden, &pattern, is_unseen))
            return pattern;
    }
    pattern = (ChainPattern){.kind = CHAIN_HIDES_OTHERS, .mask = -1, .has_whole = has_whole};
    look_ahead(map, is_hidden, &pattern);
    return pattern;
}
