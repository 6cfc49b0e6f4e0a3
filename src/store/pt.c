// PyTorch's .pt: the archive around a pickle, and the tensors in it; see tensor_formats.h, pickle.h, pickle_machine.c.
#include "tensor_formats.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive.h"
#include "input_file.h"
#include "pickle.h"
#include "store_words.def"
#include "utf8.h"

static const ArchiveFormat archive_format = {"PyTorch", "torch.save",
                                             WORDS("torch.save", "torch.save")};

// How many bytes pt_is_old needs.
enum { OLD_BYTES = 32 };

// The position of a storage's numbers in a file before version 1.6.
typedef struct OldStorage {
    const char *key;
    size_t place, count;
} OldStorage;

typedef struct Pt {
    Archive archive;    // file_bytes is valid for both forms
    const char *folder; // of the entries: "model/"
    OldStorage *old;    // by key; NULL: an archive
    size_t old_count;
    int descriptor; // of an old file; -1: an archive
    Pickled pickled;
} Pt;

bool pt_is_old(const unsigned char *bytes, size_t length)
{
    // torch.save before 1.6 started with this number as a pickle; since protocol 4 with a frame of nine bytes before it.
    static const unsigned char magic[] = {0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46,
                                          0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19};
    size_t place = length > 2 && bytes[2] == 0x95 ? 11 : 2;
    return length >= place + sizeof magic && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5 &&
           memcmp(bytes + place, magic, sizeof magic) == 0;
}

// Finds the pickle's entry, and its folder.
static bool find_pickle(Pt *pt, zip_uint64_t *index, Arena *arena, Error *err)
{
    zip_int64_t total = zip_get_num_entries(pt->archive.zip, 0);
    for (zip_int64_t entry = 0; entry < total; entry++) {
        const char *name = zip_get_name(pt->archive.zip, (zip_uint64_t)entry, 0);
        const char *slash = name ? strchr(name, '/') : NULL;
        if (!slash || strcmp(slash, "/data.pkl") != 0)
            continue;
        *index = (zip_uint64_t)entry;
        pt->folder = arena_format(arena, err, "%.*s", (int)(slash + 1 - name), name);
        return pt->folder != NULL;
    }
    const char *first = total > 0 ? zip_get_name(pt->archive.zip, 0, 0) : NULL;
    return error_set(err, TELL(PT_NO_PICKLE), pt->archive.path, first ? first : "");
}

// Reads a whole entry of at most `limit` bytes into the arena. NULL and err on failure.
static unsigned char *read_entry(const Pt *pt, zip_uint64_t index, ArchiveEntry *entry,
                                 size_t limit, Arena *arena, Error *err)
{
    unsigned char *bytes = NULL;
    bool good = archive_entry_open(&pt->archive, index, entry, err);
    if (good && entry->bytes > limit)
        good = error_set(err, TELL(PT_LARGE), entry->label, entry->bytes, limit);
    if (good && !(bytes = arena_take(arena, entry->bytes, 1, err)))
        good = error_prefix(err, "%s: ", entry->label);
    good = good && archive_entry_read(entry, bytes, entry->bytes, err) &&
           archive_entry_ends(entry, err);
    archive_entry_close(entry);
    return good ? bytes : NULL;
}

// Some versions store the byte order.
static bool check_byte_order(const Pt *pt, Arena *scratch, Error *err)
{
    ArchiveEntry entry = {.label = arena_format(scratch, err, "%sbyteorder", pt->folder)};
    zip_int64_t index = entry.label ? zip_name_locate(pt->archive.zip, entry.label, 0) : -1;
    if (!entry.label || index < 0)
        return entry.label != NULL;
    unsigned char *bytes = read_entry(pt, (zip_uint64_t)index, &entry, 16, scratch, err);
    if (!bytes)
        return error_prefix(err, "%s: ", pt->archive.path);
    return (entry.bytes == 6 && memcmp(bytes, "little", 6) == 0) ||
           error_set(err, TELL(PT_BIG_ENDIAN), pt->archive.path);
}

static bool read_pickle(Pt *pt, Arena *arena, Error *err)
{
    Arena scratch = {0};
    ArchiveEntry entry = {.label = "data.pkl"};
    zip_uint64_t index = 0;
    unsigned char *bytes = NULL;
    bool good = find_pickle(pt, &index, arena, err) && check_byte_order(pt, &scratch, err);
    if (good && (!(bytes = read_entry(pt, index, &entry, PICKLE_BYTES_MAX, &scratch, err)) ||
                 !pickle_tensors(bytes, entry.bytes, arena, &pt->pickled, err)))
        good = error_prefix(err, "%s: ", pt->archive.path);
    arena_finish(&scratch);
    return good;
}

// --- files before version 1.6: a magic number, a protocol, the machine, the pickle, the keys of the storages, each a
// pickle; then each storage: its count and its numbers

// The state of reading such a file.
typedef struct OldReader {
    const unsigned char *bytes;
    size_t length, place;
    Arena *arena;
    Error *err;
} OldReader;

static const PickleValue *next_value(OldReader *reader)
{
    size_t used = 0;
    const PickleValue *value =
        pickle_value(reader->bytes + reader->place, reader->length - reader->place, &used,
                     reader->arena, reader->err);
    reader->place += used;
    return value;
}

static bool is_little_endian(const PickleValue *machine)
{
    const PickleItem *item = machine->kind == PICKLE_DICT ? machine->first : NULL;
    for (; item; item = item->next->next)
        if (item->value->kind == PICKLE_TEXT && strcmp(item->value->text, "little_endian") == 0)
            return item->next->value->number == 1;
    return true;
}

static bool read_old_head(const Pt *pt, OldReader *reader)
{
    const PickleValue *value = next_value(reader);
    if (!value || !(value = next_value(reader)))
        return false;
    if (value->kind != PICKLE_NUMBER || value->number != 1001)
        return error_set(reader->err, TELL(PT_OLD_PROTOCOL));
    if (!(value = next_value(reader)))
        return false;
    return is_little_endian(value) || error_set(reader->err, TELL(PT_BIG_ENDIAN), pt->archive.path);
}

static int compare_keys(const void *left, const void *right)
{
    return strcmp(((const PickledTensor *)left)->key, ((const PickledTensor *)right)->key);
}

static int compare_old(const void *left, const void *right)
{
    return strcmp(((const OldStorage *)left)->key, ((const OldStorage *)right)->key);
}

static bool read_bytes(const Pt *pt, size_t place, unsigned char *bytes, size_t count, Error *err)
{
    if (place > pt->archive.file_bytes || count > pt->archive.file_bytes - place)
        return error_set(err, TELL(PT_OLD_ENDS), pt->archive.file_bytes);
    return input_file_read(pt->descriptor, pt->archive.path, place, bytes, count, err);
}

// Finds the key's storage at `place`, and moves `place` past it.
static bool find_old_storage(const Pt *pt, const char *key, size_t *place, OldStorage *out,
                             Error *err)
{
    const Pickled *pickled = &pt->pickled;
    const PickledTensor wanted = {.key = key};
    const PickledTensor *storage =
        bsearch(&wanted, pickled->storages, pickled->storage_count, sizeof wanted, compare_keys);
    unsigned char bytes[8];
    size_t all;
    if (!storage || storage->element_bytes == 0)
        return error_set(err, TELL(PT_OLD_KEY), key);
    if (!read_bytes(pt, *place, bytes, sizeof bytes, err))
        return false;
    *out = (OldStorage){key, *place + sizeof bytes, (size_t)little_endian(bytes, sizeof bytes)};
    if (__builtin_mul_overflow(out->count, storage->element_bytes, &all) ||
        all > pt->archive.file_bytes - out->place)
        return error_set(err, TELL(PT_OLD_ENDS), pt->archive.file_bytes);
    *place = out->place + all;
    return true;
}

static bool list_old_storages(Pt *pt, OldReader *reader)
{
    const PickleValue *keys = next_value(reader);
    size_t place = reader->place;
    if (!keys)
        return false;
    pt->old = arena_take(reader->arena, keys->count + 1, sizeof *pt->old, reader->err);
    for (const PickleItem *item = pt->old ? keys->first : NULL; item; item = item->next) {
        if (item->value->kind != PICKLE_TEXT)
            return error_set(reader->err, TELL(PT_OLD_KEY), "");
        if (!find_old_storage(pt, item->value->text, &place, &pt->old[pt->old_count++],
                              reader->err))
            return false;
    }
    if (pt->old)
        qsort(pt->old, pt->old_count, sizeof *pt->old, compare_old);
    return pt->old != NULL;
}

static bool read_old(Pt *pt, Arena *arena, Error *err)
{
    Arena scratch = {0};
    size_t most = PICKLE_BYTES_MAX;
    OldReader reader = {.length = pt->archive.file_bytes < most ? pt->archive.file_bytes : most,
                        .arena = arena,
                        .err = err};
    unsigned char *bytes = arena_take(&scratch, reader.length, 1, err);
    bool good = bytes && read_bytes(pt, 0, bytes, reader.length, err);
    reader.bytes = bytes;
    good = good && read_old_head(pt, &reader) &&
           pickle_tensors(bytes + reader.place, reader.length - reader.place, arena, &pt->pickled,
                          err);
    reader.place += pt->pickled.bytes;
    if (good)
        qsort(pt->pickled.storages, pt->pickled.storage_count, sizeof *pt->pickled.storages,
              compare_keys);
    good = good && list_old_storages(pt, &reader);
    arena_finish(&scratch);
    return good || error_prefix(err, "%s: ", pt->archive.path);
}

// --- opening

static void close_pt(void *state)
{
    Pt *pt = state;
    archive_close(&pt->archive);
    if (pt->descriptor >= 0)
        close(pt->descriptor);
    pt->descriptor = -1;
}

// True for an old file, which is then open.
static bool open_old(Pt *pt, bool *is_old, Error *err)
{
    unsigned char bytes[OLD_BYTES] = {0};
    const char *path = pt->archive.path;
    size_t length;
    pt->descriptor = input_file_open(path, &length, err);
    if (pt->descriptor < 0)
        return false;
    pt->archive.file_bytes = length;
    size_t count = length < sizeof bytes ? length : sizeof bytes;
    bool good = input_file_read(pt->descriptor, path, 0, bytes, count, err);
    *is_old = good && pt_is_old(bytes, count);
    if (!*is_old)
        close_pt(pt);
    return good;
}

static void *open_pt(const char *path, TensorList *list, Arena *arena, Error *err)
{
    bool is_old = false;
    Pt *pt = arena_take(arena, 1, sizeof *pt, err);
    if (!pt)
        return NULL;
    *pt = (Pt){.archive = {.format = &archive_format, .path = arena_text(arena, path, err)},
               .descriptor = -1};
    if (!pt->archive.path || !open_old(pt, &is_old, err) ||
        (!is_old && !archive_open(&pt->archive, err)))
        return NULL;
    bool good = is_old ? read_old(pt, arena, err) : read_pickle(pt, arena, err);
    size_t count = (size_t)pt->pickled.count;
    list->names = good ? arena_take(arena, count + 1, sizeof *list->names, err) : NULL;
    list->count = pt->pickled.count;
    for (size_t i = 0; list->names && i < count; i++)
        list->names[i] = pt->pickled.tensors[i].name;
    if (list->names)
        return pt;
    close_pt(pt);
    return NULL;
}

static bool read_words(void *state, Arena *arena, FileWords **lists, int *count, Error *err)
{
    const Pt *pt = state;
    (void)arena, (void)err;
    *count = pt->pickled.words_count;
    *lists = pt->pickled.words;
    return true;
}

// --- one tensor

// How many elements of its storage a view needs; false if it has fewer.
static bool fits(const PickledTensor *tensor)
{
    ptrdiff_t last = 0, step;
    for (int axis = 0; axis < tensor->rank; axis++) {
        if (tensor->shape[axis] == 0)
            return true;
        if (__builtin_mul_overflow(tensor->shape[axis] - 1, tensor->stride[axis], &step) ||
            __builtin_add_overflow(last, step, &last))
            return false;
    }
    return tensor->offset < tensor->storage_count &&
           (size_t)last < tensor->storage_count - tensor->offset;
}

static bool check_tensor(const PickledTensor *tensor, Error *err)
{
    ptrdiff_t count;
    if (tensor->is_quantized || tensor->type[0] == 'Q')
        return error_set(err, TELL(PT_QUANTIZED));
    if (strncmp(tensor->type, "_rebuild_sparse", 15) == 0)
        return error_set(err, TELL(PT_SPARSE));
    if (tensor->kind == RAW_OTHER)
        return error_set(err, TELL(PT_NOT_READ), tensor->type);
    if (tensor->rank < 0)
        return error_set(err, TELL(PT_AXES), TENSOR_RANK_MAX);
    if (!tensor_count_of(tensor->rank, tensor->shape, &count))
        return error_set(err, TELL(PT_SHAPE_LARGE));
    if (count > 0 && (size_t)count > tensor->storage_count)
        return error_set(err, TELL(PT_REPEATS), count, tensor->storage_count);
    return fits(tensor) || error_set(err, TELL(PT_BEYOND), tensor->storage_count);
}

// Reads a storage's bytes from an archive; `wanted` is their expected number.
static unsigned char *read_new_storage(const Pt *pt, const PickledTensor *tensor, size_t wanted,
                                       Arena *scratch, Error *err)
{
    ArchiveEntry entry = {.label =
                              arena_format(scratch, err, "%sdata/%s", pt->folder, tensor->key)};
    if (!entry.label)
        return NULL;
    zip_int64_t index = zip_name_locate(pt->archive.zip, entry.label, 0);
    if (index < 0) {
        error_set(err, TELL(PT_MISSING), entry.label);
        return NULL;
    }
    unsigned char *bytes = read_entry(pt, (zip_uint64_t)index, &entry, wanted, scratch, err);
    if (!bytes || entry.bytes == wanted)
        return bytes;
    error_set(err, TELL(PT_BYTES), entry.label, entry.bytes, tensor->storage_count, wanted);
    return NULL;
}

static unsigned char *read_old_storage(const Pt *pt, const PickledTensor *tensor, size_t wanted,
                                       Arena *scratch, Error *err)
{
    const OldStorage key = {.key = tensor->key};
    const OldStorage *found = bsearch(&key, pt->old, pt->old_count, sizeof key, compare_old);
    if (!found || found->count != tensor->storage_count) {
        error_set(err, TELL(PT_OLD_KEY), tensor->key);
        return NULL;
    }
    unsigned char *bytes = arena_take(scratch, wanted, 1, err);
    return bytes && read_bytes(pt, found->place, bytes, wanted, err) ? bytes : NULL;
}

// The whole storage as a tensor of one axis.
static bool read_storage(const Pt *pt, const PickledTensor *tensor, Arena *arena, Tensor *out,
                         Error *err)
{
    Arena scratch = {0};
    ptrdiff_t shape[] = {(ptrdiff_t)tensor->storage_count};
    size_t wanted;
    if (!raw_bytes_of(raw_element_bytes(tensor->kind), 1, shape, &wanted))
        return error_set(err, TELL(PT_STORAGE_LARGE));
    unsigned char *bytes = pt->old ? read_old_storage(pt, tensor, wanted, &scratch, err)
                                   : read_new_storage(pt, tensor, wanted, &scratch, err);
    bool good = bytes && raw_read(&(RawNumbers){tensor->kind, bytes, 1, shape}, arena, out, err);
    arena_finish(&scratch);
    return good;
}

static bool read_tensor(void *state, int number, RawKind *kind, Arena *arena, Tensor *out,
                        Error *err)
{
    const Pt *pt = state;
    const PickledTensor *tensor = &pt->pickled.tensors[number];
    *kind = tensor->kind;
    if (!check_tensor(tensor, err) || !read_storage(pt, tensor, arena, out, err))
        return error_prefix(err, "%s: %s: ", pt->archive.path, tensor->name);
    out->rank = tensor->rank;
    out->offset = (ptrdiff_t)tensor->offset;
    memcpy(out->shape, tensor->shape, sizeof out->shape);
    memcpy(out->stride, tensor->stride, sizeof out->stride);
    return true;
}

static bool shape_of(const void *state, int number, int *rank, ptrdiff_t shape[TENSOR_RANK_MAX])
{
    const PickledTensor *tensor = &((const Pt *)state)->pickled.tensors[number];
    Error ignored; // read_tensor sets it again
    *rank = tensor->rank;
    memcpy(shape, tensor->shape, sizeof tensor->shape);
    return check_tensor(tensor, &ignored);
}

const TensorFormat pt_format = {
    .open = open_pt,
    .close = close_pt,
    .read = read_tensor,
    .shape = shape_of,
    .words = read_words,
};

bool pt_number(const void *state, const char *name, int64_t *number)
{
    const Pt *pt = state;
    for (int i = 0; i < pt->pickled.number_count; i++)
        if (strcmp(pt->pickled.numbers[i].name, name) == 0) {
            *number = pt->pickled.numbers[i].number;
            return true;
        }
    return false;
}

const char *pt_beside(const void *state, bool modules, Arena *arena, Error *err)
{
    const Pt *pt = state;
    enum { SHOWN_MAX = 12 };
    const char *text = "";
    int shown = 0;
    for (int i = 0; text && i < pt->pickled.class_count; i++) {
        const PickledClass *class = &pt->pickled.classes[i];
        if (class->is_module != modules || ++shown > SHOWN_MAX)
            continue;
        const char *comma = shown > 1 ? ", " : "";
        text = class->count > 1
                   ? arena_format(arena, err, "%s%s%s (%d)", text, comma, class->name, class->count)
                   : arena_format(arena, err, "%s%s%s", text, comma, class->name);
    }
    return text && shown > SHOWN_MAX ? arena_format(arena, err, "%s, ...", text) : text;
}

// --- naming the tensors in a pickle

// Limits: nesting, and entries visited, because a dict may contain itself; classes and string lists kept.
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
    int entries; // visited
    int modules; // enclosing modules
    Arena *arena;
    Error *err;
} Collection;

// Makes room for one more element; NULL without memory.
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

// Counts an object, or a class used as a value ("torch.float32").
static bool keep_class(Collection *to, const PickleValue *value, bool is_module)
{
    Pickled *found = &to->found;
    int place = 0;
    while (place < found->class_count && found->classes[place].name != value->text)
        place++; // texts are often shared
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

// Turns "argparse Namespace" into "argparse.Namespace".
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

// Keeps a list or tuple if it has only strings.
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

// --- containers

// Joins "model" and "0" to "model.0". The key is the index in lists and tuples, and for keys that are neither strings nor
// numbers.
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

// The integers among an object's attributes.
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

// An entry of a dict, list or tuple.
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

// The value of a string key, or NULL.
static const PickleValue *value_of(const PickleValue *dict, const char *key)
{
    const PickleItem *item = dict && dict->kind == PICKLE_DICT ? dict->first : NULL;
    for (; item; item = item->next->next)
        if (item->value->kind == PICKLE_TEXT && strcmp(item->value->text, key) == 0)
            return item->next->value;
    return NULL;
}

// A module's tensors, named as in its state_dict(). TorchScript stores them as attributes.
static bool collect_object(Collection *to, const PickleValue *object, const char *name, int depth)
{
    static const char *const parts[] = {"_parameters", "_buffers", "_modules"};
    const PickleValue *state = object->state;
    bool is_script = strncmp(object->text, "__torch__", 9) == 0;
    bool is_module = value_of(state, parts[0]) && value_of(state, parts[2]);
    if (is_script && state)
        return collect(to, state, name, depth + 1);
    if (object->filled_as == PICKLE_DICT) // a subclass of dict, like models' outputs
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
    if (!value || !collect(&all, value, "", 0) || !name_classes(&all) ||
        !keep_storages(&machine, &all.found))
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
