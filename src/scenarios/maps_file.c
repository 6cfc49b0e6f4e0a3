// Reads the tensors of a file as one stack of maps; see scenario_maps.h.
#include "scenario_maps.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "scenarios_words.def"

// --- sets of tensors

// Limits: numbers in a name, sets to examine, sets listed in a message.
enum { NUMBERS_MAX = 16, LOOKED_AT_MAX = 64, LISTED_MAX = 12 };

// A set: one tensor, or tensors whose names differ in one number.
typedef struct MapsSet {
    const char *label;  // "encoder_attentions" for encoder_attentions.0, .1 ...
    const char **names; // its tensors, ordered by their numbers
    int count;
    bool is_list;     // one tensor per layer
    const char *note; // what else the file had; or NULL
} MapsSet;

// A name, and its pattern with "*" for the layer's number.
typedef struct Named {
    const char *name, *pattern;
} Named;

typedef struct Sets {
    TensorFile *file;
    const char *path;
    Arena *arena;
    Named *named; // sorted by pattern, then by name
    int named_count;
    MapsSet *sets;
    int count;
} Sets;

// --- sorting names

static int compare_named(const void *a, const void *b)
{
    const Named *left = a, *right = b;
    int order = tensor_file_compare_names(left->pattern, right->pattern);
    order = order ? order : strcmp(left->pattern, right->pattern);
    order = order ? order : tensor_file_compare_names(left->name, right->name);
    return order ? order : strcmp(left->name, right->name);
}

// --- the number that counts layers

// Finds the numbers in a name; returns their count.
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

// Replaces number `which` by "*"; -1: all numbers.
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

// Which number counts layers, in names equal up to their numbers: the last that differs, preferring separate parts. -1:
// none differs.
static int layer_number(const Named *first, int count)
{
    const char *at[NUMBERS_MAX], *other[NUMBERS_MAX];
    int numbers = find_numbers(first->name, at), found = -1;
    bool found_alone = false;
    for (int number = 0; number < numbers; number++) {
        bool differs = false; // in "layers.2.attn1", 2 is a separate part, 1 is not
        bool alone = at[number] == first->name || !isalpha((unsigned char)at[number][-1]);
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

// The label is "attentions" for "attentions.*", but all of "layers.*.attn". torch.save names list elements
// "attentions.3".
static bool make_set(Sets *sets, int first, int count, Error *err)
{
    MapsSet *set = &sets->sets[sets->count++];
    const char *pattern = sets->named[first].pattern, *dot = strrchr(sets->named[first].name, '.');
    size_t length = strlen(pattern);
    bool ends_so = length > 2 && pattern[length - 1] == '*' && strchr("._/-", pattern[length - 2]);
    *set = (MapsSet){.count = count, .label = pattern};
    if (ends_so)
        set->label = arena_format(sets->arena, err, "%.*s", (int)(length - 2), pattern);
    set->is_list = count > 1 || (dot && dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == '\0');
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

// --- examining sets

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

// Reads a set's first tensor and frees it again. `shape` is for messages.
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

// Lists sets of at least this likeness: "encoder_attentions (6 of (1, 4, 8, 8)), cross (1, 4, 5, 8)".
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

// --- choosing a set

// If several sets can be maps, prefers the only one whose rows sum to 1.
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
    size_t length = strlen(name); // "decoder" for "decoder.layers.*.attn"
    for (int i = 0; i < sets->count; first += sets->sets[i++].count) {
        const char *pattern = sets->named[first].pattern;
        if (strcmp(sets->sets[i].label, name) == 0 || strcmp(pattern, name) == 0 ||
            (strncmp(pattern, name, length) == 0 && strchr("._/-*", pattern[length])))
            kept[found++] = sets->sets[i];
    }
    Likeness any[LOOKED_AT_MAX] = {NO_MAPS};
    if (found == 0 && sets->count > 1) {
        const char *list = list_sets(sets, any, NO_MAPS, NULL, err);
        return list && error_set(err, TELL(MAPS_NO_SET), sets->path, name, list);
    }
    if (found == 0) // reports the nearest name
        return choose_tensor(sets, name, chosen, err);
    *chosen = kept[0];
    sets->sets = kept;
    sets->count = found;
    return found == 1 || refuse_several(sets, any, NO_MAPS, err);
}

// The set named `only`; if NULL, the only one that can be maps. Otherwise sets err, with the list.
static bool maps_sets_choose(TensorFile *file, const char *path, const char *only, Arena *arena,
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

// --- stacking

enum { MAPS_RANK = 4, AXES_TEXT_MAX = 64 };

typedef enum Axis { AXIS_LAYERS, AXIS_BATCH, AXIS_HEADS, AXIS_QUERIES, AXIS_KEYS, AXES } Axis;

static const char *const axis_names[AXES] = {"layers", "B", "H", "Q", "K"};

// The index of each axis; -1: missing.
typedef struct Axes {
    int rank;
    int place[AXES];
} Axes;

typedef struct MapsFile {
    const MapsRequest *request;
    const char *path;
    TensorFile *file;
    MapsSet set;
    Axes axes;
    MapsRead *out;
    Arena *arena;
} MapsFile;

// --- axes

static const char *axes_text(const Axes *axes, char text[AXES_TEXT_MAX])
{
    size_t used = 0;
    text[0] = '\0';
    for (int place = 0; place < axes->rank; place++)
        for (int axis = 0; axis < AXES; axis++)
            if (axes->place[axis] == place)
                used += (size_t)snprintf(text + used, AXES_TEXT_MAX - used, "%s%s",
                                         place ? "," : "", axis_names[axis]);
    return text;
}

// The last `rank` axes of layers,B,H,Q,K without `but`.
static Axes usual_axes(int rank, Axis but)
{
    Axes axes = {.rank = rank};
    int place = rank - 1;
    for (int axis = AXES - 1; axis >= 0; axis--)
        axes.place[axis] = (Axis)axis == but || place < 0 ? -1 : place--;
    return axes;
}

// The default axes for a tensor of this rank.
static Axes assumed_axes(const MapsFile *maps, int rank)
{
    bool has_batch = maps->request->has_batch;
    if (rank == 3)
        return usual_axes(rank, has_batch ? AXIS_HEADS : AXIS_BATCH);
    if (rank == 4)
        return usual_axes(rank, has_batch || maps->set.is_list ? AXIS_LAYERS : AXIS_BATCH);
    return usual_axes(rank, AXES);
}

static int find_axis(const char *name, size_t length)
{
    static const char *const names[AXES][4] = {{"layers", "layer", "N"},
                                               {"B", "batch"},
                                               {"H", "heads", "head"},
                                               {"Q", "queries", "query", "Lq"},
                                               {"K", "keys", "key", "Lk"}};
    for (int axis = 0; axis < AXES; axis++)
        for (int i = 0; i < 4 && names[axis][i]; i++)
            if (strlen(names[axis][i]) == length && strncasecmp(names[axis][i], name, length) == 0)
                return axis;
    return -1;
}

// "layers,B,H,Q,K"
static bool parse_axes(const char *text, Axes *axes, Error *err)
{
    static const char between[] = ", ";
    *axes = (Axes){.place = {-1, -1, -1, -1, -1}};
    for (const char *at = text + strspn(text, between); *at; at += strspn(at, between)) {
        size_t length = strcspn(at, between);
        int axis = find_axis(at, length);
        if (axis < 0 || axes->place[axis] >= 0)
            return error_set(err, TELL(MAPS_AXES_FORM), text);
        axes->place[axis] = axes->rank++;
        at += length;
    }
    return (axes->place[AXIS_QUERIES] >= 0 && axes->place[AXIS_KEYS] >= 0) ||
           error_set(err, TELL(MAPS_AXES_FORM), text);
}

static const char *name_of(const MapsFile *maps, int number)
{
    return maps->set.names[number][0] ? maps->set.names[number] : maps->path;
}

static bool settle_axes(MapsFile *maps, const Tensor *tensor, Error *err)
{
    char shape[TENSOR_TEXT_MAX];
    const char *asked = maps->request->axes;
    tensor_shape_text(tensor->rank, tensor->shape, shape);
    int most = maps->set.count > 1 ? MAPS_RANK : MAPS_RANK + 1;
    if (!asked && (tensor->rank < 2 || tensor->rank > most))
        return error_set(err, TELL(MAPS_SHAPE), maps->path, name_of(maps, 0), shape, maps->path);
    if (!asked) {
        maps->axes = assumed_axes(maps, tensor->rank);
        return true;
    }
    if (!parse_axes(asked, &maps->axes, err))
        return false;
    if (maps->axes.rank != tensor->rank)
        return error_set(err, TELL(MAPS_AXES_RANK), asked, maps->axes.rank, maps->path,
                         name_of(maps, 0), shape, tensor->rank);
    return maps->set.count == 1 || maps->axes.place[AXIS_LAYERS] < 0 ||
           error_set(err, TELL(MAPS_AXES_LAYERS), asked, maps->path, maps->set.count);
}

static bool settle_batch(const MapsFile *maps, const Tensor *tensor, Error *err)
{
    char text[AXES_TEXT_MAX], shape[TENSOR_TEXT_MAX];
    int axis = maps->axes.place[AXIS_BATCH];
    ptrdiff_t count = axis < 0 ? 1 : tensor->shape[axis], batch = maps->request->batch;
    if (maps->request->has_batch && (batch < 0 || batch >= count))
        return error_set(err, TELL(MAPS_NO_BATCH), batch, maps->path, name_of(maps, 0),
                         tensor_shape_text(tensor->rank, tensor->shape, shape),
                         axes_text(&maps->axes, text), count);
    maps->out->batch = maps->request->has_batch ? batch : 0;
    return true;
}

// A view as (layers, H, Lq, Lk).
static Tensor spread(const MapsFile *maps, const Tensor *tensor)
{
    static const Axis order[MAPS_RANK] = {AXIS_LAYERS, AXIS_HEADS, AXIS_QUERIES, AXIS_KEYS};
    Tensor view = *tensor;
    int batch = maps->axes.place[AXIS_BATCH];
    view.rank = MAPS_RANK;
    if (batch >= 0)
        view.offset += maps->out->batch * tensor->stride[batch];
    for (int axis = 0; axis < MAPS_RANK; axis++) {
        int place = maps->axes.place[order[axis]];
        view.shape[axis] = place < 0 ? 1 : tensor->shape[place];
        view.stride[axis] = place < 0 ? 0 : tensor->stride[place];
    }
    return view;
}

// Notes assumptions about axes, if another choice would show other maps.
static bool note_axes(const MapsFile *maps, const Tensor *tensor, Error *err)
{
    char text[AXES_TEXT_MAX], other[AXES_TEXT_MAX], shape[TENSOR_TEXT_MAX];
    int batch = maps->axes.place[AXIS_BATCH];
    bool is_sure = maps->request->axes || maps->request->has_batch || tensor->shape[0] == 1 ||
                   tensor->rank < 3 || batch >= 0;
    if (!is_sure) {
        Axes batched = usual_axes(tensor->rank, tensor->rank == 3 ? AXIS_HEADS : AXIS_LAYERS);
        maps->out->note =
            arena_format(maps->arena, err, TELL(MAPS_ASSUMED), maps->path, name_of(maps, 0),
                         tensor_shape_text(tensor->rank, tensor->shape, shape),
                         axes_text(&maps->axes, text), axes_text(&batched, other));
        return maps->out->note != NULL;
    }
    if (batch < 0 || maps->request->has_batch || tensor->shape[batch] == 1)
        return true;
    maps->out->note =
        arena_format(maps->arena, err, TELL(MAPS_SEQUENCE), maps->path, tensor->shape[batch]);
    return maps->out->note != NULL;
}

// --- tensors

static bool read_one(MapsFile *maps, int number, Tensor *out, Error *err)
{
    char text[TENSOR_TEXT_MAX];
    Tensor tensor;
    if (!tensor_file_read(maps->file, maps->set.names[number], maps->arena, &tensor, err))
        return false;
    tensor_shape_text(tensor.rank, tensor.shape, text);
    if (number == 0 && !settle_axes(maps, &tensor, err))
        return false;
    if (tensor.rank != maps->axes.rank)
        return error_set(err, TELL(MAPS_SHAPE), maps->path, name_of(maps, number), text,
                         maps->path);
    if (tensor.dtype != DTYPE_F32)
        return error_set(err, tensor.dtype == DTYPE_BOOL ? TELL(MAPS_FLAGS) : TELL(MAPS_WHOLE),
                         maps->path, name_of(maps, number));
    if (tensor_count(&tensor) == 0)
        return error_set(err, TELL(MAPS_EMPTY), maps->path, name_of(maps, number), text);
    if (!settle_batch(maps, &tensor, err))
        return false;
    *out = spread(maps, &tensor);
    return number > 0 || note_axes(maps, &tensor, err);
}

static bool put_layer(const MapsFile *maps, int number, const Tensor *one, Error *err)
{
    char first[TENSOR_TEXT_MAX], other[TENSOR_TEXT_MAX];
    Tensor *all = &maps->out->maps;
    ptrdiff_t shape[MAPS_RANK] = {maps->set.count, one->shape[1], one->shape[2], one->shape[3]};
    if (number == 0 && !tensor_take(maps->arena, DTYPE_F32, MAPS_RANK, shape, all, err))
        return false;
    if (memcmp(all->shape + 1, shape + 1, sizeof shape - sizeof *shape) != 0)
        return error_set(err, TELL(MAPS_UNLIKE), maps->path, maps->set.names[0],
                         tensor_shape_text(MAPS_RANK - 1, all->shape + 1, first),
                         maps->set.names[number],
                         tensor_shape_text(MAPS_RANK - 1, one->shape + 1, other));
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(one, at)) {
        ptrdiff_t to[TENSOR_RANK_MAX] = {number, at[1], at[2], at[3]};
        all->storage.f32[tensor_place(all, to)] = one->storage.f32[tensor_place(one, at)];
    }
    return true;
}

static bool read_all(MapsFile *maps, Error *err)
{
    Tensor one;
    if (maps->set.count == 1)
        return read_one(maps, 0, &maps->out->maps, err);
    for (int number = 0; number < maps->set.count; number++)
        if (!read_one(maps, number, &one, err) || !put_layer(maps, number, &one, err))
            return false;
    return true;
}

// "maps.npz, arr_0 ... arr_11 (float16, widened to float32)"
static const char *source_text(const MapsFile *maps, Error *err)
{
    const char *conversion = tensor_file_conversion(maps->file);
    int count = maps->set.count;
    const char *first = maps->set.names[0], *last = count > 1 ? maps->set.names[count - 1] : "";
    return arena_format(maps->arena, err, "%s%s%s%s%s%s%s%s", path_name(maps->path),
                        *first ? ", " : "", first, *last ? " ... " : "", last,
                        conversion ? " (" : "", conversion ? conversion : "",
                        conversion ? ")" : "");
}

static bool read_set(MapsFile *maps, const char *only, Error *err)
{
    MapsRead *out = maps->out;
    if (!maps_sets_choose(maps->file, maps->path, only, maps->arena, &maps->set, err) ||
        !read_all(maps, err) || !(out->from = source_text(maps, err)))
        return false;
    const char *others = maps->set.note;
    // Copied: a set's names may belong to the file, which is closed.
    if (!(out->label = arena_text(maps->arena, maps->set.label, err)))
        return false;
    if (others)
        out->note =
            out->note ? arena_format(maps->arena, err, "%s. %s", others, out->note) : others;
    return (!others || out->note) &&
           tensor_file_words(maps->file, maps->arena, &out->words, &out->words_count, err);
}

// Splits "PATH#NAME" at the first '#' after which the path is a file of maps; names may contain '#'.
static const char *find_mark(const char *what, Arena *arena, Error *err)
{
    const char *last = strrchr(what, '#');
    if (!last || access(what, F_OK) == 0)
        return NULL;
    for (const char *mark = strchr(what, '#'); mark; mark = strchr(mark + 1, '#')) {
        const char *path = arena_format(arena, err, "%.*s", (int)(mark - what), what);
        if (path && access(path, F_OK) == 0)
            return mark;
    }
    return last;
}

bool maps_file_read(const MapsRequest *request, Arena *arena, MapsRead *out, Error *err)
{
    const char *what = request->file, *mark = find_mark(what, arena, err);
    const char *path =
        arena_format(arena, err, "%.*s", (int)(mark ? mark - what : (ptrdiff_t)strlen(what)), what);
    MapsFile maps = {.request = request, .path = path, .out = out, .arena = arena};
    *out = (MapsRead){.note = NULL};
    if (!path || !(maps.file = tensor_file_open(path, arena, err)))
        return false;
    bool good = read_set(&maps, mark ? mark + 1 : NULL, err);
    tensor_file_close(maps.file);
    return good;
}
