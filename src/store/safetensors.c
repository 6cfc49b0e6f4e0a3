// Reads and writes Hugging Face's .safetensors; see tensor_formats.h.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input_file.h"
#include "json.h"
#include "store_words.def"
#include "tensor_formats.h"
#include "words.h"

// --- reading

enum { LENGTH_BYTES = 8, HEADER_MAX = 16 * 1024 * 1024, WORD_LISTS_MAX = 32 };

// A dtype: the size of an element, and how it is read.
typedef struct Stored {
    const char *name;
    size_t element_bytes;
    RawKind kind;
} Stored;

typedef struct Item {
    const char *name;
    const char *dtype;
    const Stored *stored; // NULL: unknown dtype
    const json_t *shape;  // a list of non-negative integers
    size_t begin, end;    // offsets after the header
} Item;

typedef struct Safetensors {
    const char *path;
    int descriptor;
    size_t length;
    json_t *header; // owns the texts and shapes of the items
    size_t data_start, data_bytes;
    Item *items;
    int count;
} Safetensors;

static const Stored *stored_named(const char *name)
{
    static const Stored known[] = {
        {"F32", 4, RAW_F32},   {"I64", 8, RAW_I64},  {"BOOL", 1, RAW_BOOL}, {"I32", 4, RAW_I32},
        {"U8", 1, RAW_U8},     {"F64", 8, RAW_F64},  {"F16", 2, RAW_F16},   {"BF16", 2, RAW_BF16},
        {"I16", 2, RAW_OTHER}, {"I8", 1, RAW_OTHER}, {"U16", 2, RAW_OTHER}, {"U32", 4, RAW_OTHER},
        {"U64", 8, RAW_OTHER},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

// --- opening

// Parses the first eight bytes, the header's length.
static bool read_length(const Safetensors *file, size_t *header_bytes, Error *err)
{
    unsigned char bytes[LENGTH_BYTES];
    if (file->length < LENGTH_BYTES)
        return error_set(err, TELL(SAFE_SMALL), file->path, file->length);
    if (!input_file_read(file->descriptor, file->path, 0, bytes, LENGTH_BYTES, err))
        return false;
    unsigned long long said = little_endian(bytes, LENGTH_BYTES);
    if (said > HEADER_MAX)
        return error_set(err, TELL(SAFE_HEADER_LARGE), file->path, said, HEADER_MAX);
    if (said > file->length - LENGTH_BYTES)
        return error_set(err, TELL(SAFE_HEADER_SHORT), file->path, said,
                         file->length - LENGTH_BYTES);
    *header_bytes = (size_t)said;
    return true;
}

static bool read_header(Safetensors *file, Arena *scratch, Error *err)
{
    size_t bytes = 0;
    if (!read_length(file, &bytes, err))
        return false;
    file->data_start = LENGTH_BYTES + bytes;
    file->data_bytes = file->length - file->data_start;

    unsigned char *text = arena_take(scratch, bytes, 1, err);
    if (!text || !input_file_read(file->descriptor, file->path, LENGTH_BYTES, text, bytes, err))
        return false;
    json_error_t json;
    file->header = json_whole_read((const char *)text, bytes, JSON_REJECT_DUPLICATES, &json, err);
    if (!file->header && *err->text)
        return error_prefix(err, "%s: ", file->path);
    if (!file->header)
        return error_set(err, TELL(SAFE_NOT_JSON), file->path, library_text("jansson", json.text),
                         LENGTH_BYTES + json.position);
    return json_is_object(file->header) || error_set(err, TELL(SAFE_NOT_OBJECT), file->path);
}

// Sets err: "the description of 'name' is wrong", for anything no library writes.
static bool bad_item(const Safetensors *file, const Item *item, const char *what, Error *err)
{
    return error_set(err, TELL(SAFE_HARM), file->path, item->name, what);
}

static bool is_size(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

// The size of a shape, as raw_bytes_of, at any rank.
static bool shape_bytes(const json_t *shape, size_t element_bytes, size_t *bytes)
{
    *bytes = element_bytes;
    bool fits = true;
    for (size_t axis = 0; axis < json_array_size(shape); axis++) {
        ptrdiff_t length = (ptrdiff_t)json_integer_value(json_array_get(shape, axis));
        fits = fits && raw_bytes_of(*bytes, 1, &length, bytes);
    }
    return fits;
}

static bool take_item(const Safetensors *file, const char *name, const json_t *value, Item *item,
                      Error *err)
{
    const json_t *dtype = json_object_get(value, "dtype");
    const json_t *offsets = json_object_get(value, "data_offsets");
    const json_t *begin = json_array_get(offsets, 0), *end = json_array_get(offsets, 1);
    *item = (Item){.name = name, .shape = json_object_get(value, "shape")};
    bool good = json_is_string(dtype) && json_is_array(item->shape) &&
                json_array_size(offsets) == 2 && is_size(begin) && is_size(end);
    for (size_t axis = 0; good && axis < json_array_size(item->shape); axis++)
        good = is_size(json_array_get(item->shape, axis));
    if (!good)
        return bad_item(file, item, TELL(SAFE_MALFORMED), err);
    item->dtype = json_string_value(dtype);
    item->stored = stored_named(item->dtype);
    item->begin = (size_t)json_integer_value(begin);
    item->end = (size_t)json_integer_value(end);
    if (item->begin > item->end || item->end > file->data_bytes)
        return error_set(err, TELL(SAFE_OUTSIDE), file->path, name, item->begin, item->end,
                         file->data_bytes);
    size_t bytes;
    if (item->stored && !shape_bytes(item->shape, item->stored->element_bytes, &bytes))
        return bad_item(file, item, TELL(SAFE_SHAPE_LARGE), err);
    if (item->stored && bytes != item->end - item->begin)
        return error_set(err, TELL(SAFE_BYTES), file->path, name, item->end - item->begin,
                         item->dtype, bytes);
    return true;
}

static bool take_items(Safetensors *file, TensorList *list, Arena *arena, Error *err)
{
    size_t total = json_object_size(file->header);
    file->items = arena_take(arena, total, sizeof *file->items, err);
    list->names = arena_take(arena, total + 1, sizeof *list->names, err);
    if (!file->items || !list->names)
        return false;
    const char *name;
    json_t *value;
    json_object_foreach(file->header, name, value)
    {
        if (strcmp(name, "__metadata__") == 0)
            continue;
        if (!take_item(file, name, value, &file->items[file->count], err))
            return false;
        list->names[file->count++] = name;
    }
    list->count = file->count;
    return true;
}

static int compare_places(const void *left, const void *right)
{
    const Item *a = *(const Item *const *)left, *b = *(const Item *const *)right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

// Checks that the tensors cover the bytes after the header exactly once.
static bool check_places(const Safetensors *file, Error *err)
{
    Arena scratch = {0};
    size_t count = (size_t)file->count, covered = 0;
    const Item **sorted = arena_take(&scratch, count, sizeof *sorted, err);
    bool good = sorted != NULL;
    for (size_t i = 0; good && i < count; i++)
        sorted[i] = &file->items[i];
    if (good)
        qsort(sorted, count, sizeof *sorted, compare_places);
    for (size_t i = 0; good && i < count; i++) {
        if (sorted[i]->begin < covered)
            good = bad_item(file, sorted[i], TELL(SAFE_OVERLAP), err);
        else if (sorted[i]->begin > covered)
            good = bad_item(file, sorted[i], TELL(SAFE_UNOWNED), err);
        covered = sorted[i]->end;
    }
    if (good && covered != file->data_bytes)
        good = error_set(err, TELL(SAFE_END_UNOWNED), file->path, file->data_bytes - covered);
    arena_finish(&scratch);
    return good;
}

static void close_file(void *state)
{
    Safetensors *file = state;
    close(file->descriptor);
    json_decref(file->header);
}

static void *open_file(const char *path, TensorList *list, Arena *arena, Error *err)
{
    Arena scratch = {0};
    Safetensors *file = arena_take(arena, 1, sizeof *file, err);
    if (!file || !(file->path = arena_text(arena, path, err)) ||
        (file->descriptor = input_file_open(path, &file->length, err)) < 0)
        return NULL;
    bool good = read_header(file, &scratch, err) && take_items(file, list, arena, err) &&
                check_places(file, err);
    arena_finish(&scratch);
    if (good)
        return file;
    close_file(file);
    return NULL;
}

// --- one tensor

static bool shape_of(const void *state, int number, int *rank, ptrdiff_t shape[TENSOR_RANK_MAX])
{
    const json_t *sizes = ((const Safetensors *)state)->items[number].shape;
    size_t axes = json_array_size(sizes);
    if (axes > TENSOR_RANK_MAX)
        return false;
    *rank = (int)axes;
    for (size_t axis = 0; axis < axes; axis++)
        shape[axis] = (ptrdiff_t)json_integer_value(json_array_get(sizes, axis));
    return true;
}

static bool read_tensor(void *state, int number, RawKind *kind, Arena *arena, Tensor *out,
                        Error *err)
{
    const Safetensors *file = state;
    const Item *item = &file->items[number];
    ptrdiff_t shape[TENSOR_RANK_MAX];
    int rank;
    if (!item->stored)
        return error_set(err, TELL(SAFE_DTYPE), file->path, item->name, item->dtype);
    *kind = item->stored->kind;
    if (*kind == RAW_OTHER)
        return error_set(err, TELL(SAFE_NOT_READ), file->path, item->name, item->dtype,
                         TELL(SAFE_AS_INT64));
    if (!shape_of(file, number, &rank, shape))
        return error_set(err, TELL(SAFE_AXES), file->path, item->name, json_array_size(item->shape),
                         TENSOR_RANK_MAX);

    Arena scratch = {0};
    size_t count = item->end - item->begin;
    unsigned char *bytes = arena_take(&scratch, count, 1, err);
    bool good = bytes && input_file_read(file->descriptor, file->path,
                                         file->data_start + item->begin, bytes, count, err);
    RawNumbers stored = {*kind, bytes, rank, shape};
    if (good && !raw_read(&stored, arena, out, err))
        good = error_prefix(err, "%s: %s: ", file->path, item->name);
    arena_finish(&scratch);
    return good;
}

// --- strings in the metadata

// Adds a list of strings; skips other lists. `number` -1: the only one.
static bool add_list(const json_t *list, const char *name, int number, FileWords *to, Arena *arena,
                     Error *err)
{
    size_t count = json_array_size(list);
    const char **words = arena_take(arena, count + 1, sizeof *words, err);
    const char *called =
        number < 0 ? arena_text(arena, name, err) : arena_format(arena, err, "%s.%d", name, number);
    if (!words || !called)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        words[i] = word ? arena_text(arena, word, err) : NULL;
        if (word && !words[i])
            return false;
        if (!word)
            return true;
    }
    if (count > 0)
        *to = (FileWords){called, words, 1, (ptrdiff_t)count};
    return true;
}

// Words separated by blanks.
static bool add_text(const char *text, const char *name, FileWords *to, Arena *arena, Error *err)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (const char *at = text + strspn(text, " \n\t"); good && *at; at += strspn(at, " \n\t")) {
        size_t length = strcspn(at, " \n\t");
        good = json_array_append_new(list, json_stringn(at, length)) == 0;
        at += length;
    }
    if (!good)
        error_set(err, TELL(SAFE_WORDS_MEMORY), name);
    good = good && add_list(list, name, -1, to, arena, err);
    json_decref(list);
    return good;
}

static bool add_words(const char *name, const char *text, FileWords to[WORD_LISTS_MAX],
                      Arena *arena, Error *err)
{
    if (*text == '{') // other JSON
        return true;
    if (*text != '[')
        return add_text(text, name, &to[0], arena, err);
    Error none = {.text = ""};
    json_t *list = json_whole_read(text, strlen(text), 0, NULL, &none);
    bool good = list || !none.of_machine, is_deep = json_is_array(json_array_get(list, 0));
    if (!good)
        *err = none;
    for (int i = 0; good && is_deep && i < WORD_LISTS_MAX && i < (int)json_array_size(list); i++)
        good = add_list(json_array_get(list, (size_t)i), name, i, &to[i], arena, err);
    if (good && list && !is_deep)
        good = add_list(list, name, -1, &to[0], arena, err);
    json_decref(list);
    return good;
}

static bool read_words(void *state, Arena *arena, FileWords **lists, int *count, Error *err)
{
    const Safetensors *file = state;
    json_t *metadata = json_object_get(file->header, "__metadata__"), *value;
    const char *name;
    *lists =
        arena_take(arena, json_object_size(metadata) * WORD_LISTS_MAX + 1, sizeof **lists, err);
    if (!*lists)
        return false;
    json_object_foreach(metadata, name, value)
    {
        FileWords found[WORD_LISTS_MAX] = {{.words = NULL}};
        if (json_is_string(value) && !add_words(name, json_string_value(value), found, arena, err))
            return false;
        for (int i = 0; i < WORD_LISTS_MAX; i++)
            if (found[i].words)
                (*lists)[(*count)++] = found[i];
    }
    return true;
}

const TensorFormat safetensors_format = {
    .open = open_file,
    .close = close_file,
    .read = read_tensor,
    .shape = shape_of,
    .words = read_words,
};

// --- writing

enum { HEADER_ALIGNMENT = 8, BLOCK_BYTES = 32 * 1024 };

// Widest elements first, as the format's library does, so that all are aligned.
static int compare_canonical(const void *left, const void *right)
{
    const NamedTensor *a = *(const NamedTensor *const *)left;
    const NamedTensor *b = *(const NamedTensor *const *)right;
    size_t wide_a = dtype_size(a->tensor.dtype), wide_b = dtype_size(b->tensor.dtype);
    if (wide_a != wide_b)
        return wide_a > wide_b ? -1 : 1;
    return strcmp(a->name, b->name);
}

// A tensor's part of the header; its numbers are at [begin, end).
static json_t *describe(const Tensor *tensor, size_t begin, size_t end)
{
    static const char *const dtypes[] = {
        [DTYPE_F32] = "F32", [DTYPE_I64] = "I64", [DTYPE_BOOL] = "BOOL"};
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtypes[tensor->dtype], "shape",
                     json_sizes(tensor->rank, tensor->shape), "data_offsets", (json_int_t)begin,
                     (json_int_t)end);
}

static bool put_notes(json_t *header, const FileNote notes[], Error *err)
{
    json_t *all = notes->name ? json_object() : NULL;
    bool good = true;
    for (; good && notes->name; notes++)
        if (json_object_set_new(all, notes->name, json_string(notes->text)))
            good = json_whole(err) && error_set(err, TELL(SAFE_NOTE), notes->name);
    if (all)
        json_object_set_new(header, "__metadata__", all);
    return good;
}

// The header as JSON, for the caller to free; NULL and err on failure.
static char *header_text(const NamedTensor *const sorted[], int count, const FileNote notes[],
                         Error *err)
{
    json_whole_begin();
    json_t *header = json_object();
    size_t begin = 0;
    bool good = put_notes(header, notes, err);
    for (int i = 0; good && i < count; i++) {
        const NamedTensor *named = sorted[i];
        size_t end = begin + (size_t)tensor_count(&named->tensor) * dtype_size(named->tensor.dtype);
        bool is_taken = strcmp(named->name, "__metadata__") == 0;
        if (is_taken || json_object_get(header, named->name))
            good = error_set(err, TELL(SAFE_NAME), named->name,
                             is_taken ? "a tensor" : TELL(SAFE_TWO));
        else if (json_object_set_new(header, named->name, describe(&named->tensor, begin, end)))
            good = json_whole(err) && error_set(err, TELL(SAFE_NAME_UTF8), named->name);
        begin = end;
    }
    char *text = good && json_whole(err) ? json_dumps(header, JSON_COMPACT) : NULL;
    json_decref(header);
    if (!json_whole(err)) { // dumping allocates too
        free(text);
        return NULL;
    }
    return text;
}

static bool write_header(FILE *stream, const char *text)
{
    size_t length = strlen(text);
    size_t padded = (length + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT;
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)((uint64_t)padded >> (8 * i));
    return fwrite(bytes, 1, sizeof bytes, stream) == sizeof bytes &&
           fprintf(stream, "%s%*s", text, (int)(padded - length), "") >= 0;
}

static bool write_numbers(FILE *stream, const Tensor *tensor)
{
    unsigned char block[BLOCK_BYTES];
    RawCursor cursor = raw_start(tensor);
    for (size_t filled; (filled = raw_next(&cursor, block, sizeof block)) > 0;)
        if (fwrite(block, 1, filled, stream) != filled)
            return false;
    return true;
}

static bool write_all(const char *path, const NamedTensor *const sorted[], int count,
                      const char *header, Error *err)
{
    FILE *stream = fopen(path, "wb");
    bool good = stream && write_header(stream, header);
    for (int i = 0; good && i < count; i++)
        good = write_numbers(stream, &sorted[i]->tensor);
    good = good && fflush(stream) == 0;
    if (!good)
        error_set(err, "%s", error_reason(errno));
    if (stream && fclose(stream) != 0 && good)
        good = error_set(err, "%s", error_reason(errno));
    return good;
}

bool safetensors_write(const char *path, const NamedTensor tensors[], int count,
                       const FileNote notes[], Error *err)
{
    Arena scratch = {0};
    const NamedTensor **sorted = arena_take(&scratch, (size_t)count, sizeof *sorted, err);
    char *header = NULL;
    bool good = sorted != NULL;
    for (int i = 0; good && i < count; i++)
        sorted[i] = &tensors[i];
    if (good) {
        qsort(sorted, (size_t)count, sizeof *sorted, compare_canonical);
        header = header_text(sorted, count, notes, err);
    }
    good = header && write_all(path, sorted, count, header, err);
    free(header);
    arena_finish(&scratch);
    return good;
}
