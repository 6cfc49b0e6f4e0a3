// pickle: the tensors of what a pickle makes, under names; see pickle.h. The machine is in
// pickle_machine.c.
#include "pickle.h"
#include "pickle_machine.h"

#include <stdlib.h>
#include <string.h>
#include "utf8.h"
#include "store_words.h"

// Dicts and lists within each other, and how many entries are looked at: a dict may hold itself, or
// another one very often.
// And how many lists of words are kept.
enum { DEPTH_MAX = 32, ENTRIES_MAX = 1 << 20, WORDS_MAX = 64 };

typedef struct Collection {
    Pickled found;
    int room;
    int entries; // looked at
    Arena *arena;
    Error *err;
} Collection;

static bool keep(Collection *to, const PickledTensor *tensor, const char *name)
{
    Pickled *found = &to->found;
    if (found->count == to->room) {
        int room = to->room ? 2 * to->room : 64;
        PickledTensor *wider = arena_take(to->arena, (size_t)room, sizeof *wider, to->err);
        if (!wider)
            return false;
        if (found->count > 0)
            memcpy(wider, found->tensors, (size_t)found->count * sizeof *wider);
        found->tensors = wider;
        to->room = room;
    }
    found->tensors[found->count] = *tensor;
    found->tensors[found->count++].name = name;
    return true;
}

// Keeps a list or tuple of texts alone; anything else is no list of words.
static bool keep_words(Collection *to, const PickleValue *value, const char *name)
{
    bool is_words = value->kind != PICKLE_DICT && value->count > 0;
    for (const PickleItem *item = value->first; is_words && item; item = item->next)
        is_words = item->value->kind == PICKLE_TEXT &&
                   utf8_valid(item->value->text, strlen(item->value->text));
    if (!is_words || to->found.words_count == WORDS_MAX)
        return true;
    if (!to->found.words)
        to->found.words = arena_take(to->arena, WORDS_MAX, sizeof *to->found.words, to->err);
    const char **list = arena_take(to->arena, value->count, sizeof *list, to->err);
    if (!to->found.words || !list)
        return false;
    ptrdiff_t count = 0;
    for (const PickleItem *item = value->first; item; item = item->next)
        list[count++] = item->value->text;
    to->found.words[to->found.words_count++] =
        (FileWords){.name = name, .words = list, .rows = 1, .columns = count};
    return true;
}

// "model" and "0" give "model.0"; in lists and tuples the place is the key.
static const char *join(const Collection *to, const char *name, const PickleValue *key,
                        long long place)
{
    const char *dot = *name ? "." : "";
    if (key && key->kind == PICKLE_TEXT)
        return arena_format(to->arena, to->err, "%s%s%s", name, dot, key->text);
    return arena_format(to->arena, to->err, "%s%s%lld", name, dot,
                        key ? (long long)key->number : place);
}

static bool holds_others(const PickleValue *value)
{
    return value->kind == PICKLE_DICT || value->kind == PICKLE_LIST || value->kind == PICKLE_TUPLE;
}

static bool collect(Collection *to, const PickleValue *value, const char *name, int depth)
{
    if (value->kind == PICKLE_TENSOR)
        return keep(to, value->tensor, name);
    if (depth == DEPTH_MAX)
        return error_set(to->err, TELL(PICKLE_DEEP), DEPTH_MAX);
    if (!keep_words(to, value, name))
        return false;
    long long place = 0;
    for (const PickleItem *item = value->first; item; item = item->next, place++) {
        const PickleValue *key = value->kind == PICKLE_DICT ? item->value : NULL;
        item = key ? item->next : item;
        if (++to->entries > ENTRIES_MAX)
            return error_set(to->err, TELL(PICKLE_ENTRIES), ENTRIES_MAX);
        if (item->value->kind != PICKLE_TENSOR && !holds_others(item->value))
            continue;
        const char *full = join(to, name, key, place);
        if (!full || !collect(to, item->value, full, depth + 1))
            return false;
    }
    return true;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool check_names(const Pickled *found, Error *err)
{
    Arena scratch = {0};
    size_t count = (size_t)found->count;
    const char **sorted = arena_take(&scratch, count, sizeof *sorted, err);
    bool good = sorted != NULL;
    for (size_t i = 0; good && i < count; i++)
        sorted[i] = found->tensors[i].name;
    if (good)
        qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; good && i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            good = error_set(err, TELL(PICKLE_TWICE), sorted[i]);
    arena_finish(&scratch);
    return good;
}

bool pickle_tensors(const unsigned char *bytes, size_t length, Arena *arena, Pickled *out,
                    Error *err)
{
    PickleMachine machine = {.bytes = bytes, .length = length, .arena = arena, .err = err};
    Collection all = {.arena = arena, .err = err};
    const PickleValue *value = pickle_run(&machine);
    if (!value || !collect(&all, value, "", 0) || !check_names(&all.found, err))
        return false;
    *out = all.found;
    return true;
}
