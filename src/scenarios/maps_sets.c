// maps_sets: which tensors of a file belong together; see maps_file.h.
#include "maps_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "scenarios_words.h"

// How many numbers of a name are looked at, how many sets are read to see what they are, and how many a
// sentence lists.
enum { NUMBERS_MAX = 16, LOOKED_AT_MAX = 64, LISTED_MAX = 12 };

// A name, and the same with "*" in place of the number that counts layers.
typedef struct Named {
    const char *name, *pattern;
} Named;

typedef struct Sets {
    TensorFile *file;
    const char *path;
    Arena *arena;
    Named *named; // by pattern, then by name
    int named_count;
    MapsSet *sets;
    int count;
} Sets;

// --- names in their order

// "layer.2" before "layer.10": digits count as the number they make.
static int compare_texts(const char *left, const char *right)
{
    while (*left && *right) {
        if (isdigit((unsigned char)*left) && isdigit((unsigned char)*right)) {
            left += strspn(left, "0");
            right += strspn(right, "0");
            size_t one = strspn(left, "0123456789"), other = strspn(right, "0123456789");
            int order = one != other ? (one < other ? -1 : 1) : strncmp(left, right, one);
            if (order != 0)
                return order;
            left += one;
            right += other;
        } else if (*left != *right) {
            break;
        } else {
            left++;
            right++;
        }
    }
    return (unsigned char)*left - (unsigned char)*right;
}

static int compare_named(const void *a, const void *b)
{
    const Named *left = a, *right = b;
    int order = compare_texts(left->pattern, right->pattern);
    order = order ? order : strcmp(left->pattern, right->pattern);
    order = order ? order : compare_texts(left->name, right->name);
    return order ? order : strcmp(left->name, right->name);
}

// --- which number of a name counts layers

// The places of its numbers; how many.
static int find_numbers(const char *name, const char *at[NUMBERS_MAX])
{
    int count = 0;
    for (const char *place = name; *place && count < NUMBERS_MAX;) {
        size_t digits = strspn(place, "0123456789");
        if (digits > 0)
            at[count++] = place;
        place += digits ? digits : 1;
    }
    return count;
}

// With "*" in place of its number `which`; of all numbers where that is -1.
static const char *pattern_of(const Sets *sets, const char *name, int which, Error *err)
{
    const char *at[NUMBERS_MAX];
    int numbers = find_numbers(name, at), number = 0;
    char *pattern = arena_take(sets->arena, strlen(name) + 1, 1, err), *to = pattern;
    for (const char *from = name; pattern && *from;) {
        bool is_number = number < numbers && from == at[number];
        if (is_number && (which < 0 || which == number)) {
            *to++ = '*';
            from += strspn(from, "0123456789");
        } else {
            *to++ = *from++;
        }
        number += is_number;
    }
    return pattern;
}

// "layers.2.attn1": 2 stands alone, 1 is part of a word.
static bool stands_alone(const char *name, const char *number)
{
    return number == name || !isalpha((unsigned char)number[-1]);
}

// Of names that are alike up to their numbers, the number that counts layers: the last that differs, one
// that stands alone before others. -1: none differs.
static int layer_number(const Named *first, int count)
{
    const char *at[NUMBERS_MAX], *other[NUMBERS_MAX];
    int numbers = find_numbers(first->name, at), found = -1;
    bool found_alone = false;
    for (int number = 0; number < numbers; number++) {
        bool differs = false, alone = stands_alone(first->name, at[number]);
        for (int i = 1; i < count && !differs; i++) {
            find_numbers(first[i].name, other);
            size_t digits = strspn(at[number], "0123456789");
            differs = strspn(other[number], "0123456789") != digits ||
                      strncmp(at[number], other[number], digits) != 0;
        }
        if (differs && (alone || !found_alone)) {
            found = number;
            found_alone = alone;
        }
    }
    return found;
}

static int count_alike(const Sets *sets, int first)
{
    int last = first + 1;
    while (last < sets->named_count &&
           strcmp(sets->named[last].pattern, sets->named[first].pattern) == 0)
        last++;
    return last - first;
}

static void sort(Sets *sets)
{
    qsort(sets->named, (size_t)sets->named_count, sizeof *sets->named, compare_named);
}

static bool name_patterns(Sets *sets, Error *err)
{
    for (int i = 0; i < sets->named_count; i++)
        if (!(sets->named[i].pattern = pattern_of(sets, sets->named[i].name, -1, err)))
            return false;
    sort(sets);
    for (int first = 0, count; first < sets->named_count; first += count) {
        count = count_alike(sets, first);
        int which = layer_number(sets->named + first, count);
        for (int i = first; i < first + count; i++) {
            Named *named = &sets->named[i];
            named->pattern = which < 0 ? named->name : pattern_of(sets, named->name, which, err);
            if (!named->pattern)
                return false;
        }
    }
    sort(sets);
    return true;
}

// --- sets

// "attentions.*" is called "attentions", "layers.*.attn" by all of it.
static const char *label_of(const Sets *sets, const char *pattern, Error *err)
{
    size_t length = strlen(pattern);
    bool ends_so = length > 2 && pattern[length - 1] == '*' && strchr("._/-", pattern[length - 2]);
    return ends_so ? arena_format(sets->arena, err, "%.*s", (int)(length - 2), pattern) : pattern;
}

// "attentions.3": torch.save names the places of a list so.
static bool is_of_list(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == '\0';
}

static bool make_set(Sets *sets, int first, int count, Error *err)
{
    MapsSet *set = &sets->sets[sets->count++];
    *set = (MapsSet){.count = count, .label = label_of(sets, sets->named[first].pattern, err)};
    set->is_list = count > 1 || is_of_list(sets->named[first].name);
    set->names = arena_take(sets->arena, (size_t)count, sizeof *set->names, err);
    for (int i = 0; set->names && i < count; i++)
        set->names[i] = sets->named[first + i].name;
    return set->names && set->label;
}

static bool find_sets(Sets *sets, Error *err)
{
    sets->named_count = tensor_file_count(sets->file);
    size_t count = (size_t)sets->named_count;
    sets->named = arena_take(sets->arena, count, sizeof *sets->named, err);
    sets->sets = arena_take(sets->arena, count, sizeof *sets->sets, err);
    if (!sets->named || !sets->sets)
        return false;
    for (int i = 0; i < sets->named_count; i++)
        sets->named[i].name = tensor_file_name(sets->file, i);
    if (!name_patterns(sets, err))
        return false;
    for (int first = 0, alike; first < sets->named_count; first += alike) {
        alike = count_alike(sets, first);
        if (!make_set(sets, first, alike, err))
            return false;
    }
    return true;
}

// --- what a set can be

bool maps_are_shares(const Tensor *tensor)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, keys = tensor->shape[tensor->rank - 1];
    Tensor rows = *tensor;
    bool any = false;
    rows.shape[rows.rank - 1] = 1;
    for (bool more = true; more; more = tensor_next(&rows, at)) {
        double sum = 0.0;
        const float *row = tensor->storage.f32 + tensor_place(&rows, at);
        for (ptrdiff_t key = 0; key < keys; key++)
            sum += (double)row[key * tensor->stride[tensor->rank - 1]];
        bool is_empty = sum == 0.0 || isnan(sum);
        if (!is_empty && !scenario_sums_to_one(sum))
            return false;
        any = any || !is_empty;
    }
    return any;
}

typedef enum Likeness { NO_MAPS, CAN_BE_MAPS, ARE_SHARES } Likeness;

// Reads the first tensor of a set and gives its memory back. `shape` is for the list.
static Likeness look_at(const Sets *sets, const MapsSet *set, char shape[TENSOR_TEXT_MAX])
{
    Arena scratch = {0};
    Error ignored;
    Tensor tensor;
    Likeness likeness = NO_MAPS;
    shape[0] = '\0';
    if (tensor_file_read(sets->file, set->names[0], &scratch, &tensor, &ignored)) {
        tensor_shape_text(tensor.rank, tensor.shape, shape);
        bool can_be = tensor.dtype == DTYPE_F32 && tensor.rank >= 2 && tensor.rank <= 5 &&
                      tensor_count(&tensor) > 0;
        likeness = !can_be ? NO_MAPS : maps_are_shares(&tensor) ? ARE_SHARES : CAN_BE_MAPS;
    }
    arena_finish(&scratch);
    return likeness;
}

// "encoder_attentions (6 of (1, 4, 8, 8)), cross (1, 4, 5, 8)": the sets of at least this likeness.
static const char *list_sets(const Sets *sets, const Likeness likeness[], Likeness least,
                             const MapsSet *but, Error *err)
{
    const char *text = "";
    int listed = 0, left = 0;
    for (int i = 0; text && i < sets->count; i++) {
        const MapsSet *set = &sets->sets[i];
        char shape[TENSOR_TEXT_MAX] = "";
        if (set == but || (i < LOOKED_AT_MAX && likeness[i] < least))
            continue;
        if (listed++ >= LISTED_MAX) {
            left++;
            continue;
        }
        look_at(sets, set, shape);
        const char *comma = *text ? ", " : "";
        text = set->count > 1
                   ? arena_format(sets->arena, err, TELL(MAPS_SET_OF), text, comma, set->label,
                                  set->count, shape)
                   : arena_format(sets->arena, err, "%s%s%s %s", text, comma, set->label, shape);
    }
    if (text && left > 0)
        text = arena_format(sets->arena, err, TELL(MAPS_MORE_SETS), text, left);
    return text;
}

static bool refuse_several(const Sets *sets, const Likeness likeness[], Likeness least, Error *err)
{
    const char *list = list_sets(sets, likeness, least, NULL, err);
    return list && error_set(err, TELL(MAPS_SEVERAL), sets->path, sets->path, list);
}

// --- choosing

// Where several can be maps, one alone has rows that sum to 1, and the others have not.
static bool choose_only(const Sets *sets, MapsSet *chosen, Error *err)
{
    Likeness likeness[LOOKED_AT_MAX];
    char shape[TENSOR_TEXT_MAX];
    int looked_at = sets->count < LOOKED_AT_MAX ? sets->count : LOOKED_AT_MAX;
    int alike[ARE_SHARES + 1] = {0}, best[ARE_SHARES + 1] = {0};
    for (int i = 0; i < looked_at; i++) {
        likeness[i] = look_at(sets, &sets->sets[i], shape);
        best[likeness[i]] = i;
        alike[likeness[i]]++;
    }
    Likeness most = alike[ARE_SHARES] ? ARE_SHARES : alike[CAN_BE_MAPS] ? CAN_BE_MAPS : NO_MAPS;
    if (alike[most] > 1 || looked_at < sets->count)
        return refuse_several(sets, likeness, most, err);
    *chosen = sets->sets[best[most]];
    if (most == ARE_SHARES && alike[CAN_BE_MAPS] > 0) {
        const char *others = list_sets(sets, likeness, CAN_BE_MAPS, &sets->sets[best[most]], err);
        chosen->note = others ? arena_format(sets->arena, err, TELL(MAPS_ONLY_SHARES), sets->path,
                                             chosen->label, others)
                              : NULL;
        return chosen->note != NULL;
    }
    return true;
}

// Whether a set is called so, or its name begins so: "decoder" of "decoder.layers.*.attn".
static bool begins_with(const MapsSet *set, const char *pattern, const char *name)
{
    size_t length = strlen(name);
    return strcmp(set->label, name) == 0 || strcmp(pattern, name) == 0 ||
           (strncmp(pattern, name, length) == 0 && strchr("._/-*", pattern[length]));
}

static bool choose_tensor(const Sets *sets, const char *name, MapsSet *chosen, Error *err)
{
    for (int i = 0; i < sets->count; i++)
        for (int k = 0; k < sets->sets[i].count; k++)
            if (strcmp(sets->sets[i].names[k], name) == 0)
                chosen->is_list = sets->sets[i].is_list;
    chosen->names = arena_take(sets->arena, 1, sizeof *chosen->names, err);
    if (!chosen->names)
        return false;
    chosen->names[0] = name;
    chosen->label = name;
    chosen->count = 1;
    return true;
}

static bool choose_named(Sets *sets, const char *name, MapsSet *chosen, Error *err)
{
    int found = 0, first = 0;
    for (int i = 0; i < sets->named_count; i++)
        if (strcmp(sets->named[i].name, name) == 0)
            return choose_tensor(sets, sets->named[i].name, chosen, err);
    MapsSet *kept = arena_take(sets->arena, (size_t)sets->count, sizeof *kept, err);
    if (!kept)
        return false;
    for (int i = 0; i < sets->count; first += sets->sets[i++].count)
        if (begins_with(&sets->sets[i], sets->named[first].pattern, name))
            kept[found++] = sets->sets[i];
    Likeness any[LOOKED_AT_MAX] = {NO_MAPS};
    if (found == 0 && sets->count > 1) {
        const char *list = list_sets(sets, any, NO_MAPS, NULL, err);
        return list && error_set(err, TELL(MAPS_NO_SET), sets->path, name, list);
    }
    if (found == 0) // refused, with the nearest name
        return choose_tensor(sets, name, chosen, err);
    *chosen = kept[0];
    sets->sets = kept;
    sets->count = found;
    return found == 1 || refuse_several(sets, any, NO_MAPS, err);
}

bool maps_sets_choose(TensorFile *file, const char *path, const char *only, Arena *arena,
                      MapsSet *set, Error *err)
{
    Sets sets = {.file = file, .path = path, .arena = arena};
    *set = (MapsSet){.label = ""};
    if (tensor_file_count(file) == 0)
        return error_set(err, TELL(MAPS_NONE), path);
    if (!find_sets(&sets, err))
        return false;
    if (only)
        return choose_named(&sets, only, set, err);
    if (sets.count > 1)
        return choose_only(&sets, set, err);
    *set = sets.sets[0];
    return true;
}
