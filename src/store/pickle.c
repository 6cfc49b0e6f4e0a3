// pickle: the tensors of what a pickle makes, under names; see pickle.h. The machine is in
// pickle_machine.c.
#include "pickle.h"
#include "pickle_machine.h"

#include <stdlib.h>
#include <string.h>
#include "utf8.h"
#include "store_words.def"

// Dicts and lists within each other, and how many entries are looked at: a dict may hold itself, or
// another one very often. And how many classes and lists of words are kept.
enum {
    DEPTH_MAX = 32,
    ENTRIES_MAX = 1 << 20,
    CLASSES_MAX = 64,
    WORDS_MAX = 64,
    NAME_BYTES_MAX = 500
};

typedef struct Collection {
    Pickled found;
    int room, number_room, class_room;
    int entries; // looked at
    int modules; // which hold the one at hand
    Arena *arena;
    Error *err;
} Collection;

// Room for one more in a list of `count`; NULL when memory is short.
static void *widen(Collection *to, void *list, int count, int *room, size_t size)
{
    if (count < *room)
        return list;
    int more = *room ? 2 * *room : 64;
    void *wider = arena_take(to->arena, (size_t)more, size, to->err);
    if (wider && count > 0)
        memcpy(wider, list, (size_t)count * size);
    *room = more;
    return wider;
}

static bool keep(Collection *to, const PickledTensor *tensor, const char *name)
{
    Pickled *found = &to->found;
    PickledTensor *list =
        widen(to, found->tensors, found->count, &to->room, sizeof *found->tensors);
    if (!list)
        return false;
    found->tensors = list;
    found->tensors[found->count] = *tensor;
    found->tensors[found->count++].name = name;
    return true;
}

static bool keep_number(Collection *to, int64_t number, const char *name)
{
    Pickled *found = &to->found;
    PickledNumber *list =
        widen(to, found->numbers, found->number_count, &to->number_room, sizeof *found->numbers);
    if (!list)
        return false;
    found->numbers = list;
    found->numbers[found->number_count++] = (PickledNumber){name, number};
    return true;
}

// Counts an object, or a class that stands for itself ("torch.float32").
static bool keep_class(Collection *to, const PickleValue *value, bool is_module)
{
    Pickled *found = &to->found;
    int place = 0;
    while (place < found->class_count && found->classes[place].name != value->text)
        place++; // one text is often shared
    if (place == found->class_count)
        for (place = 0; place < found->class_count; place++)
            if (strcmp(found->classes[place].name, value->text) == 0)
                break;
    if (place == CLASSES_MAX)
        return true;
    if (place == found->class_count) {
        PickledClass *list =
            widen(to, found->classes, found->class_count, &to->class_room, sizeof *found->classes);
        if (!list)
            return false;
        found->classes = list;
        found->classes[found->class_count++] = (PickledClass){value->text, 0, is_module};
    }
    found->classes[place].count++;
    return true;
}

// "argparse Namespace" becomes "argparse.Namespace".
static bool name_classes(Collection *to)
{
    for (int i = 0; i < to->found.class_count; i++) {
        char *name = arena_text(to->arena, to->found.classes[i].name, to->err);
        if (!name)
            return false;
        *strrchr(name, ' ') = '.';
        to->found.classes[i].name = name;
    }
    return true;
}

// Keeps a list or tuple of texts alone; anything else is no list of words.
static bool keep_words(Collection *to, const PickleValue *value, const char *name)
{
    bool is_words = (value->kind == PICKLE_LIST || value->kind == PICKLE_TUPLE) &&
                    value->count > 0 && to->found.words_count < WORDS_MAX;
    for (const PickleItem *item = value->first; is_words && item; item = item->next)
        is_words = item->value->kind == PICKLE_TEXT &&
                   utf8_valid(item->value->text, strlen(item->value->text));
    if (!is_words)
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

// --- what holds others

// "model" and "0" give "model.0"; in lists and tuples the place is the key, and so it is where a key is
// neither a text nor a number.
static const char *join(const Collection *to, const char *name, const PickleValue *key,
                        long long place)
{
    const char *dot = *name ? "." : "";
    bool texted = key && key->kind == PICKLE_TEXT, numbered = key && key->kind == PICKLE_NUMBER;
    if (strlen(name) + (texted ? strlen(key->text) : 0) > NAME_BYTES_MAX) {
        error_set(to->err, TELL(PICKLE_NAME_LONG), NAME_BYTES_MAX);
        return NULL;
    }
    return texted ? arena_format(to->arena, to->err, "%s%s%s", name, dot, key->text)
                  : arena_format(to->arena, to->err, "%s%s%lld", name, dot,
                                 numbered ? (long long)key->number : place);
}

static bool collect(Collection *to, const PickleValue *value, const char *name, int depth);

// The whole numbers among an object's attributes.
static bool collect_state(Collection *to, const PickleValue *state, const char *name)
{
    for (const PickleItem *item = state->first; item; item = item->next->next) {
        const PickleValue *key = item->value, *value = item->next->value;
        if (++to->entries > ENTRIES_MAX)
            return error_set(to->err, TELL(PICKLE_ENTRIES), ENTRIES_MAX);
        if (key->kind != PICKLE_TEXT || value->kind != PICKLE_NUMBER)
            continue;
        const char *full = join(to, name, key, 0);
        if (!full || !keep_number(to, value->number, full))
            return false;
    }
    return true;
}

// One place of a dict, list or tuple.
static bool collect_item(Collection *to, const PickleValue *key, const PickleValue *value,
                         const char *name, long long place, int depth)
{
    if (++to->entries > ENTRIES_MAX)
        return error_set(to->err, TELL(PICKLE_ENTRIES), ENTRIES_MAX);
    bool counts = value->kind == PICKLE_NUMBER && key && key->kind == PICKLE_TEXT;
    if (value->kind < PICKLE_TUPLE && !counts)
        return true;
    const char *full = join(to, name, key, place);
    return full &&
           (counts ? keep_number(to, value->number, full) : collect(to, value, full, depth + 1));
}

static bool collect_items(Collection *to, const PickleValue *value, const char *name, int depth)
{
    long long place = 0;
    bool is_dict = value->kind == PICKLE_DICT || value->filled_as == PICKLE_DICT,
         good = keep_words(to, value, name);
    for (const PickleItem *pair = value->pairs ? value->pairs->first : NULL; good && pair;
         pair = pair->next, place++) {
        const PickleItem *key = pair->value->count == 2 ? pair->value->first : NULL;
        good = !key || collect_item(to, key->value, key->next->value, name, place, depth);
    }
    for (const PickleItem *item = value->first; good && item; item = item->next, place++) {
        const PickleValue *key = is_dict ? item->value : NULL;
        item = key ? item->next : item;
        good = collect_item(to, key, item->value, name, place, depth);
    }
    return good;
}

// The value of a text key of a dict; NULL where there is none.
static const PickleValue *value_of(const PickleValue *dict, const char *key)
{
    const PickleItem *item = dict && dict->kind == PICKLE_DICT ? dict->first : NULL;
    for (; item; item = item->next->next)
        if (item->value->kind == PICKLE_TEXT && strcmp(item->value->text, key) == 0)
            return item->next->value;
    return NULL;
}

// A module's tensors, as its state_dict() names them. TorchScript keeps them as attributes.
static bool collect_object(Collection *to, const PickleValue *object, const char *name, int depth)
{
    static const char *const parts[] = {"_parameters", "_buffers", "_modules"};
    const PickleValue *state = object->state;
    bool is_script = strncmp(object->text, "__torch__", 9) == 0;
    bool is_module = value_of(state, parts[0]) && value_of(state, parts[2]);
    if (is_script && state)
        return collect(to, state, name, depth + 1);
    if (object->filled_as == PICKLE_DICT) // of a class of dicts, as models' outputs are
        return collect_items(to, object, name, depth);
    if ((!is_module || to->modules == 0) && !keep_class(to, object, is_module))
        return false;
    if (!is_module) // numbers of a Namespace
        return !state || state->kind != PICKLE_DICT || collect_state(to, state, name);
    bool good = true;
    to->modules++;
    for (size_t i = 0; good && i < sizeof parts / sizeof *parts; i++) {
        const PickleValue *part = value_of(state, parts[i]);
        good = !part || part->kind != PICKLE_DICT || collect(to, part, name, depth + 1);
    }
    to->modules--;
    return good;
}

static bool collect(Collection *to, const PickleValue *value, const char *name, int depth)
{
    if (value->kind == PICKLE_TENSOR)
        return keep(to, value->tensor, name);
    if (depth == DEPTH_MAX)
        return error_set(to->err, TELL(PICKLE_DEEP), DEPTH_MAX);
    if (value->kind == PICKLE_OBJECT)
        return collect_object(to, value, name, depth);
    if (value->kind == PICKLE_GLOBAL)
        return keep_class(to, value, false);
    return collect_items(to, value, name, depth);
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

const PickleValue *pickle_value(const unsigned char *bytes, size_t length, size_t *used,
                                Arena *arena, Error *err)
{
    PickleMachine machine = {.bytes = bytes, .length = length, .arena = arena, .err = err};
    const PickleValue *value = pickle_run(&machine);
    *used = machine.place;
    return value;
}

static bool keep_storages(const PickleMachine *machine, Pickled *found)
{
    size_t count = machine->storages.count;
    found->storages = arena_take(machine->arena, count, sizeof *found->storages, machine->err);
    for (size_t i = 0; found->storages && i < count; i++)
        found->storages[i] = *machine->storages.at[i]->tensor;
    found->storage_count = count;
    found->bytes = machine->place;
    return found->storages != NULL;
}

bool pickle_tensors(const unsigned char *bytes, size_t length, Arena *arena, Pickled *out,
                    Error *err)
{
    PickleMachine machine = {.bytes = bytes, .length = length, .arena = arena, .err = err};
    Collection all = {.arena = arena, .err = err};
    const PickleValue *value = pickle_run(&machine);
    if (!value || !collect(&all, value, "", 0) || !check_names(&all.found, err) ||
        !name_classes(&all) || !keep_storages(&machine, &all.found))
        return false;
    if (value->kind == PICKLE_OBJECT && all.found.count == 0 && all.found.class_count > 0)
        return error_set(err, TELL(PICKLE_OBJECT_ALONE), all.found.classes[0].name);
    *out = all.found;
    return true;
}

bool pickle_words(const unsigned char *bytes, size_t length, Arena *arena, FileWords *out,
                  Error *err)
{
    Error ignored = {.text = ""};
    PickleMachine machine = {.bytes = bytes, .length = length, .arena = arena, .err = &ignored};
    Collection all = {.arena = arena, .err = err};
    const PickleValue *array = pickle_run(&machine);
    const PickleValue *state = array && array->kind == PICKLE_OBJECT ? array->state : NULL;
    if (ignored.of_machine) {
        *err = ignored;
        return false;
    }
    if (!state || state->kind != PICKLE_TUPLE || !state->last ||
        state->last->value->kind != PICKLE_LIST)
        return true;
    bool good = keep_words(&all, state->last->value, "");
    if (good && all.found.words_count > 0)
        *out = all.found.words[0];
    return good;
}
