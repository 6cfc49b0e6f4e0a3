// NumPy's .npy and .npz: tensors and string arrays; see tensor_formats.h.
#include "tensor_formats.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "archive.h"
#include "input_file.h"
#include "pickle.h"
#include "store_words.def"
#include "utf8.h"
#include "words.h"

// --- the header: a Python dict in the restricted form that NumPy writes

enum { PREAMBLE_BYTES = 8, DESCR_MAX = 32, HEADER_MAX = 64 * 1024 };

// What precedes the numbers.
typedef struct NpyHeader {
    RawKind kind;
    bool fortran_order; // first axis fastest
    int rank;
    ptrdiff_t shape[TENSOR_RANK_MAX];
    size_t header_bytes; // offset of the numbers
    size_t data_bytes;   // their size, from the shape
} NpyHeader;

// The rest of the dict, and the error.
typedef struct DictReader {
    const char *at, *end;
    const char *problem; // NULL: a syntax error
} DictReader;

typedef struct DictValues {
    char descr[DESCR_MAX];
    bool has_descr, has_order, has_shape;
} DictValues;

static void skip_blanks(DictReader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\n'))
        reader->at++;
}

static bool take(DictReader *reader, char wanted)
{
    skip_blanks(reader);
    if (reader->at == reader->end || *reader->at != wanted)
        return false;
    reader->at++;
    return true;
}

// A quoted text without escapes, NUL-terminated into `text`.
static bool take_text(DictReader *reader, char text[DESCR_MAX])
{
    char quote = take(reader, '\'') ? '\'' : '"';
    if (quote == '"' && !take(reader, '"'))
        return false;
    size_t length = 0;
    for (; reader->at < reader->end && *reader->at != quote; reader->at++) {
        if (length == DESCR_MAX - 1 || *reader->at < ' ' || *reader->at > '~')
            return false;
        text[length++] = *reader->at;
    }
    text[length] = '\0';
    return take(reader, quote);
}

static bool take_truth(DictReader *reader, bool *value)
{
    *value = take(reader, 'T');
    if (!*value && !take(reader, 'F'))
        return false;
    const char *rest = *value ? "rue" : "alse";
    size_t length = strlen(rest);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, rest, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static bool take_length(DictReader *reader, ptrdiff_t *length)
{
    const char *start = reader->at;
    *length = 0;
    for (; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9'; reader->at++)
        if (__builtin_mul_overflow(*length, 10, length) ||
            __builtin_add_overflow(*length, *reader->at - '0', length)) {
            reader->problem = TELL(NPY_AXIS);
            return false;
        }
    bool found = reader->at > start;
    if (found && reader->at < reader->end && *reader->at == 'L') // Python 2's long integers
        reader->at++;
    return found;
}

static bool take_shape(DictReader *reader, NpyHeader *header)
{
    if (!take(reader, '('))
        return false;
    bool comma = true;
    while (!take(reader, ')')) {
        ptrdiff_t length;
        if (!comma || !take_length(reader, &length))
            return false;
        if (header->rank == TENSOR_RANK_MAX) {
            reader->problem = TELL(NPY_AXES);
            return false;
        }
        header->shape[header->rank++] = length;
        comma = take(reader, ',');
    }
    return header->rank != 1 || comma; // (3) is a number, (3,) a shape
}

static bool take_pair(DictReader *reader, NpyHeader *header, DictValues *values)
{
    char key[DESCR_MAX];
    if (!take_text(reader, key) || !take(reader, ':'))
        return false;
    bool *seen = strcmp(key, "descr") == 0           ? &values->has_descr
                 : strcmp(key, "fortran_order") == 0 ? &values->has_order
                 : strcmp(key, "shape") == 0         ? &values->has_shape
                                                     : NULL;
    if (!seen || *seen)
        return false;
    *seen = true;
    if (seen == &values->has_order)
        return take_truth(reader, &header->fortran_order);
    if (seen == &values->has_shape)
        return take_shape(reader, header);
    if (take(reader, '[')) {
        reader->problem = TELL(NPY_STRUCTURED);
        return false;
    }
    return take_text(reader, values->descr);
}

static bool take_dict(DictReader *reader, NpyHeader *header, DictValues *values)
{
    if (!take(reader, '{'))
        return false;
    bool comma = true;
    while (!take(reader, '}')) {
        if (!comma || !take_pair(reader, header, values))
            return false;
        comma = take(reader, ',');
    }
    skip_blanks(reader);
    return reader->at == reader->end && values->has_descr && values->has_order && values->has_shape;
}

static bool take_kind(const char *descr, const char *name, NpyHeader *header, Error *err)
{
    static const struct {
        const char *descr;
        RawKind kind;
    } known[] = {
        {"<f4", RAW_F32},
        {"<f2", RAW_F16},
        {"<f8", RAW_F64},
        {"<i8", RAW_I64},
        {"|b1", RAW_BOOL},
        {"<i4", RAW_I32},
        {"|u1", RAW_U8},
        // NumPy has no bfloat16 and writes it as two bytes without a type.
        {"|V2", RAW_BF16},
        {"<V2", RAW_BF16},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].descr, descr) == 0)
            header->kind = known[i].kind;
    if (header->kind != RAW_OTHER)
        return true;

    char letter = descr[0] ? descr[1] : '\0';
    if (letter == 'O')
        return error_set(err, TELL(NPY_OBJECTS), name);
    if (descr[0] == '>')
        return error_set(err, TELL(NPY_BIG_ENDIAN), name, descr, descr + 1);
    if (letter == 'f')
        return error_set(err, TELL(NPY_NOT_FLOAT), name, descr);
    if (letter == 'i' || letter == 'u')
        return error_set(err, TELL(NPY_NOT_INT), name, descr);
    return error_set(err, TELL(NPY_NOT_READ), name, descr);
}

// The bytes before the dict: \x93NUMPY, the version, the dict's length in 2 or 4 bytes.
static bool take_preamble(const unsigned char *bytes, size_t length, const char *name,
                          size_t *dict_start, size_t *dict_bytes, Error *err)
{
    if (length < PREAMBLE_BYTES || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return error_set(err, TELL(NPY_NOT), name);
    if (bytes[6] < 1 || bytes[6] > 3)
        return error_set(err, TELL(NPY_VERSION), name, bytes[6]);
    size_t length_bytes = bytes[6] == 1 ? 2 : 4;
    *dict_start = PREAMBLE_BYTES + length_bytes;
    size_t there = length - PREAMBLE_BYTES;
    *dict_bytes =
        (size_t)little_endian(bytes + PREAMBLE_BYTES, there < length_bytes ? there : length_bytes);
    if (*dict_start + *dict_bytes > HEADER_MAX)
        return error_set(err, TELL(NPY_HEADER_LARGE), name, *dict_start + *dict_bytes, HEADER_MAX);
    if (*dict_start + *dict_bytes > length)
        return error_set(err, TELL(NPY_HEADER_ENDS), name, length, *dict_start + *dict_bytes);
    return true;
}

static bool read_dict(const unsigned char *bytes, size_t length, const char *name,
                      NpyHeader *header, DictValues *values, Error *err)
{
    size_t dict_start = 0, dict_bytes = 0;
    if (!take_preamble(bytes, length, name, &dict_start, &dict_bytes, err))
        return false;
    const char *dict = (const char *)bytes + dict_start;
    DictReader reader = {.at = dict, .end = dict + dict_bytes};
    *header = (NpyHeader){.header_bytes = dict_start + dict_bytes};
    if (take_dict(&reader, header, values))
        return true;
    if (reader.problem)
        return error_set(err, "%s: %s", name, reader.problem);
    return error_set(err, TELL(NPY_HEADER_UNREAD), name, reader.at - (const char *)bytes);
}

// Parses a header; `name` is for messages ("weights.npz: x.npy").
static bool npy_header(const unsigned char *bytes, size_t length, const char *name,
                       NpyHeader *header, Error *err)
{
    DictValues values = {0};
    if (!read_dict(bytes, length, name, header, &values, err) ||
        !take_kind(values.descr, name, header, err))
        return false;
    char text[TENSOR_TEXT_MAX];
    return raw_bytes_of(raw_element_bytes(header->kind), header->rank, header->shape,
                        &header->data_bytes) ||
           error_set(err, TELL(NPY_LARGE), name,
                     tensor_shape_text(header->rank, header->shape, text), values.descr);
}

// --- strings

// An array of strings: "<U7" (UTF-32), "|S7" (bytes), "|O" (Python objects, as a pickle).
enum { NPY_WORDS_MAX = 1 << 20, NPY_WORD_MAX = 1 << 12 };

typedef struct NpyWordsHeader {
    char letter; // U, S or O
    bool is_big_endian;
    int rank; // 1 or 2
    ptrdiff_t rows, columns;
    size_t item_bytes, header_bytes, data_bytes; // 0 for objects
} NpyWordsHeader;

// Parses "<U7", ">U7", "|S12" or "|O"; false for other types.
static bool take_word_kind(const char *descr, NpyWordsHeader *words)
{
    words->letter = descr[0] ? descr[1] : '\0';
    words->is_big_endian = descr[0] == '>';
    if (words->letter == 'O')
        return descr[2] == '\0';
    size_t unit = words->letter == 'U' ? 4 : words->letter == 'S' ? 1 : 0, width = 0;
    const char *digit = unit ? descr + 2 : "";
    for (; *digit >= '0' && *digit <= '9' && width < NPY_WORD_MAX; digit++)
        width = width * 10 + (size_t)(*digit - '0');
    words->item_bytes = width * unit;
    return unit != 0 && digit > descr + 2 && *digit == '\0' && width < NPY_WORD_MAX;
}

// Returns false without a message if the array has no strings.
static bool npy_words_header(const unsigned char *bytes, size_t length, NpyWordsHeader *words)
{
    DictValues values = {0};
    NpyHeader header;
    Error ignored;
    ptrdiff_t count;
    if (!read_dict(bytes, length, "", &header, &values, &ignored) ||
        !take_word_kind(values.descr, words) || header.rank < 1 || header.rank > 2 ||
        header.fortran_order || !tensor_count_of(header.rank, header.shape, &count) ||
        count > NPY_WORDS_MAX)
        return false;
    words->rank = header.rank;
    words->rows = header.rank == 2 ? header.shape[0] : 1;
    words->columns = header.shape[header.rank - 1];
    words->header_bytes = header.header_bytes;
    words->data_bytes = (size_t)count * words->item_bytes;
    return count > 0;
}

// --- a tensor

// Fortran order: reads a C-order tensor of the reversed shape and reverses its axes.
static void reverse_axes(int rank, ptrdiff_t values[])
{
    for (int axis = 0; axis < rank / 2; axis++) {
        ptrdiff_t kept = values[axis];
        values[axis] = values[rank - 1 - axis];
        values[rank - 1 - axis] = kept;
    }
}

bool npy_read(const unsigned char *bytes, size_t length, const char *name, Arena *arena,
              Tensor *out, Error *err)
{
    NpyHeader header;
    if (!npy_header(bytes, length, name, &header, err))
        return false;
    size_t data_bytes = length - header.header_bytes;
    if (data_bytes != header.data_bytes) {
        char text[TENSOR_TEXT_MAX];
        return error_set(err, TELL(NPY_SHORT), name,
                         tensor_shape_text(header.rank, header.shape, text), header.data_bytes,
                         data_bytes);
    }
    if (header.fortran_order)
        reverse_axes(header.rank, header.shape);
    RawNumbers stored = {header.kind, bytes + header.header_bytes, header.rank, header.shape};
    if (!raw_read(&stored, arena, out, err))
        return error_prefix(err, "%s: ", name);
    if (header.fortran_order) {
        reverse_axes(out->rank, out->shape);
        reverse_axes(out->rank, out->stride);
    }
    return true;
}

static void *open_npy(const char *path, TensorList *list, Arena *arena, Error *err)
{
    list->names = arena_take(arena, 2, sizeof *list->names, err);
    if (!list->names)
        return NULL;
    list->names[0] = "";
    list->count = 1;
    return arena_text(arena, path, err);
}

static bool read_npy(void *state, int number, RawKind *kind, Arena *arena, Tensor *out, Error *err)
{
    const char *path = state;
    Arena scratch = {0};
    NpyHeader header;
    unsigned char *bytes;
    size_t length;
    (void)number;
    bool good = input_file_all(path, PTRDIFF_MAX, &scratch, &bytes, &length, err) &&
                npy_header(bytes, length, path, &header, err);
    if (good) {
        *kind = header.kind;
        good = npy_read(bytes, length, path, arena, out, err);
    }
    arena_finish(&scratch);
    return good;
}

const TensorFormat npy_format = {.open = open_npy, .read = read_npy};

bool npy_write(const Tensor *tensor, Arena *arena, unsigned char **bytes, size_t *length,
               Error *err)
{
    static const char *const descrs[] = {
        [DTYPE_F32] = "<f4", [DTYPE_I64] = "<i8", [DTYPE_BOOL] = "|b1"};
    enum { VERSION_1_BYTES = 10, ALIGNMENT = 64 };
    char shape[TENSOR_TEXT_MAX], dict[TENSOR_TEXT_MAX + 2 * ALIGNMENT];
    size_t used = (size_t)snprintf(
        dict, sizeof dict - ALIGNMENT, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
        descrs[tensor->dtype], tensor_shape_text(tensor->rank, tensor->shape, shape));
    do
        dict[used++] = ' ';
    while ((VERSION_1_BYTES + used) % ALIGNMENT != 0);
    dict[used - 1] = '\n';

    size_t data_bytes = (size_t)tensor_count(tensor) * dtype_size(tensor->dtype);
    *length = VERSION_1_BYTES + used + data_bytes;
    *bytes = arena_take(arena, *length, 1, err);
    if (!*bytes)
        return false;
    memcpy(*bytes, "\x93NUMPY\x01\x00", 8);
    (*bytes)[8] = (unsigned char)(used & 0xFF);
    (*bytes)[9] = (unsigned char)(used >> 8);
    memcpy(*bytes + VERSION_1_BYTES, dict, used);
    RawCursor cursor = raw_start(tensor);
    raw_next(&cursor, *bytes + VERSION_1_BYTES + used, data_bytes);
    return true;
}

// --- string arrays

enum { CHARACTER_LAST = 0x10ffff };

// --- one string

static uint32_t unit_at(const unsigned char *bytes, bool is_big_endian)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++)
        unit |= (uint32_t)bytes[i] << (is_big_endian ? 24 - 8 * i : 8 * i);
    return unit;
}

// UTF-32, ended by a 0 or the item's end.
static const char *read_unicode(const NpyWordsHeader *header, const unsigned char *item,
                                Arena *arena, Error *err)
{
    size_t units = header->item_bytes / 4, used = 0;
    char *word = arena_take(arena, header->item_bytes + 1, 1, err);
    for (size_t i = 0; word && i < units; i++) {
        uint32_t unit = unit_at(item + 4 * i, header->is_big_endian);
        if (unit == 0)
            break;
        bool is_half = unit >= 0xd800 && unit <= 0xdfff;
        used += character_put(unit > CHARACTER_LAST || is_half ? 0xfffd : unit, word + used);
    }
    return word;
}

static const char *read_bytes(const NpyWordsHeader *header, const unsigned char *item, Arena *arena,
                              Error *err)
{
    size_t length = strnlen((const char *)item, header->item_bytes);
    char *word = arena_take(arena, length + 1, 1, err);
    if (word)
        memcpy(word, item, length);
    return word;
}

// --- all strings

static bool read_items(const NpyWordsHeader *header, const unsigned char *items, Arena *arena,
                       FileWords *words, Error *err)
{
    size_t count = (size_t)(header->rows * header->columns);
    const char **list = arena_take(arena, count, sizeof *list, err);
    bool is_text = true;
    for (size_t i = 0; list && i < count; i++) {
        const unsigned char *item = items + i * header->item_bytes;
        list[i] = header->letter == 'U' ? read_unicode(header, item, arena, err)
                                        : read_bytes(header, item, arena, err);
        if (!list[i])
            return false;
        is_text = is_text && utf8_valid(list[i], strlen(list[i]));
    }
    if (list && is_text)
        *words = (FileWords){.words = list, .rows = header->rows, .columns = header->columns};
    return list != NULL;
}

static bool read_objects(const NpyWordsHeader *header, const unsigned char *bytes, size_t length,
                         Arena *arena, FileWords *words, Error *err)
{
    FileWords found = {.words = NULL};
    if (length > PICKLE_BYTES_MAX)
        return true;
    if (!pickle_words(bytes, length, arena, &found, err))
        return false;
    if (found.words && found.columns == header->rows * header->columns)
        *words =
            (FileWords){.words = found.words, .rows = header->rows, .columns = header->columns};
    return true;
}

// Reads the strings of a file into the arena. words->words is NULL if there are none; returns false only without memory.
static bool npy_words(const unsigned char *bytes, size_t length, Arena *arena, FileWords *words,
                      Error *err)
{
    NpyWordsHeader header;
    *words = (FileWords){.words = NULL};
    if (!npy_words_header(bytes, length, &header))
        return true;
    if (header.letter == 'O')
        return read_objects(&header, bytes + header.header_bytes, length - header.header_bytes,
                            arena, words, err);
    if (length - header.header_bytes != header.data_bytes)
        return true;
    return read_items(&header, bytes + header.header_bytes, arena, words, err);
}

// --- reading .npz

static const ArchiveFormat archive_format = {
    ".npz", "numpy.savez",
    WORDS("numpy.savez or numpy.savez_compressed", "numpy.savez나 numpy.savez_compressed")};

typedef struct Npz {
    Archive archive;
    TensorList list;
    zip_uint64_t *entries; // entries[n]: the archive's entry of names[n]
} Npz;

static bool list_names(Npz *npz, size_t total, Arena *arena, Error *err)
{
    npz->list.names = arena_take(arena, total + 1, sizeof *npz->list.names, err);
    npz->entries = arena_take(arena, total, sizeof *npz->entries, err);
    if (!npz->list.names || !npz->entries)
        return false;
    for (size_t entry = 0; entry < total; entry++) {
        const char *name = zip_get_name(npz->archive.zip, entry, 0);
        if (!name || !text_ends(name, ".npy"))
            continue;
        char *copy = arena_text(arena, name, err);
        if (!copy)
            return false;
        copy[strlen(copy) - 4] = '\0';
        npz->list.names[npz->list.count] = copy;
        npz->entries[npz->list.count++] = entry;
    }
    return true;
}

static void close_npz(void *state)
{
    archive_close(&((Npz *)state)->archive);
}

static void *open_npz(const char *path, TensorList *list, Arena *arena, Error *err)
{
    Npz *npz = arena_take(arena, 1, sizeof *npz, err);
    if (!npz)
        return NULL;
    npz->archive = (Archive){.format = &archive_format, .path = arena_text(arena, path, err)};
    if (!npz->archive.path || !archive_open(&npz->archive, err))
        return NULL;
    zip_int64_t total = zip_get_num_entries(npz->archive.zip, 0);
    bool good = total < INT_MAX ? list_names(npz, (size_t)total, arena, err)
                                : error_set(err, TELL(NPZ_MANY), path, (long long)total);
    if (!good)
        close_npz(npz);
    *list = npz->list;
    return good ? npz : NULL;
}

// Inflates the header, checks the size against the shape, then inflates the rest.
static bool read_entry(const ArchiveEntry *entry, RawKind *kind, Arena *arena, Tensor *out,
                       Error *err)
{
    Arena scratch = {0};
    size_t first = entry->bytes < HEADER_MAX ? entry->bytes : HEADER_MAX;
    unsigned char *beginning = arena_take(&scratch, first, 1, err), *bytes = NULL;
    NpyHeader header = {.kind = RAW_OTHER};
    bool good = beginning && archive_entry_read(entry, beginning, first, err) &&
                npy_header(beginning, first, entry->label, &header, err);
    *kind = header.kind;
    if (good && entry->bytes - header.header_bytes != header.data_bytes) {
        char shape[TENSOR_TEXT_MAX];
        good = error_set(err, TELL(NPZ_SHORT), entry->label,
                         tensor_shape_text(header.rank, header.shape, shape), header.data_bytes,
                         entry->bytes - header.header_bytes);
    }
    if (good && !(bytes = arena_take(&scratch, entry->bytes, 1, err)))
        good = error_prefix(err, "%s: ", entry->label);
    if (good) {
        memcpy(bytes, beginning, first);
        good = archive_entry_read(entry, bytes + first, entry->bytes - first, err) &&
               archive_entry_ends(entry, err) &&
               npy_read(bytes, entry->bytes, entry->label, arena, out, err);
    }
    arena_finish(&scratch);
    return good;
}

static bool read_npz(void *state, int number, RawKind *kind, Arena *arena, Tensor *out, Error *err)
{
    const Npz *npz = state;
    Arena scratch = {0};
    ArchiveEntry entry = {.label = arena_format(&scratch, err, "%s: %s.npy", npz->archive.path,
                                                npz->list.names[number])};
    bool good = entry.label &&
                archive_entry_open(&npz->archive, npz->entries[number], &entry, err) &&
                read_entry(&entry, kind, arena, out, err);
    archive_entry_close(&entry);
    arena_finish(&scratch);
    return good;
}

// Reads a whole entry that starts with these bytes; NULL if it is too large or unreadable.
static unsigned char *read_whole(const ArchiveEntry *entry, const unsigned char *beginning,
                                 size_t first, Arena *scratch, Error *err)
{
    enum { BYTES_MAX = 16 << 20 };
    Error ignored;
    unsigned char *bytes =
        entry->bytes <= BYTES_MAX ? arena_take(scratch, entry->bytes, 1, err) : NULL;
    if (!bytes)
        return NULL;
    memcpy(bytes, beginning, first);
    return archive_entry_read(entry, bytes + first, entry->bytes - first, &ignored) ? bytes : NULL;
}

// The strings of one entry; words->words is NULL if there are none or they are unreadable.
static bool entry_words(const Npz *npz, int number, Arena *arena, FileWords *words, Error *err)
{
    Arena scratch = {0};
    Error ignored, no_memory = {.text = ""};
    ArchiveEntry entry = {.label = npz->list.names[number]};
    NpyWordsHeader header;
    *words = (FileWords){.words = NULL};
    bool is_open = archive_entry_open(&npz->archive, npz->entries[number], &entry, &ignored);
    size_t first = is_open && entry.bytes < HEADER_MAX ? entry.bytes : HEADER_MAX;
    unsigned char *beginning = is_open ? arena_take(&scratch, first, 1, &no_memory) : NULL;
    bool good = true;
    if (beginning && archive_entry_read(&entry, beginning, first, &ignored) &&
        npy_words_header(beginning, first, &header)) {
        unsigned char *bytes = read_whole(&entry, beginning, first, &scratch, &no_memory);
        good = !bytes || npy_words(bytes, entry.bytes, arena, words, err);
    }
    words->name = npz->list.names[number];
    archive_entry_close(&entry);
    arena_finish(&scratch);
    if (good && no_memory.text[0])
        *err = no_memory;
    return good && no_memory.text[0] == '\0';
}

static bool npz_words(void *state, Arena *arena, FileWords **lists, int *count, Error *err)
{
    const Npz *npz = state;
    *lists = arena_take(arena, (size_t)npz->list.count + 1, sizeof **lists, err);
    for (int number = 0; *lists && number < npz->list.count; number++) {
        if (!entry_words(npz, number, arena, &(*lists)[*count], err))
            return false;
        *count += (*lists)[*count].words != NULL;
    }
    return *lists != NULL;
}

const TensorFormat npz_format = {
    .open = open_npz, .close = close_npz, .read = read_npz, .words = npz_words};

// --- writing .npz

// 1 January 1980 0:00, a zip archive's earliest date: output does not depend on the clock.
enum { DOS_TIME = 0, DOS_DATE = 1 << 5 | 1 };

// libzip does not always report a lack of memory.
static const char *why(zip_t *archive)
{
    int code = zip_error_code_zip(zip_get_error(archive));
    return code == ZIP_ER_OK || code == ZIP_ER_MEMORY
               ? TELL(NPZ_NO_MEMORY)
               : library_text("libzip", zip_strerror(archive));
}

static bool add_entry(zip_t *archive, const NamedTensor *named, Arena *arena, Error *err)
{
    unsigned char *bytes;
    size_t length;
    const char *entry = arena_format(arena, err, "%s.npy", named->name);
    if (!entry || !npy_write(&named->tensor, arena, &bytes, &length, err))
        return false;
    zip_source_t *source = zip_source_buffer(archive, bytes, length, 0);
    zip_int64_t index = source ? zip_file_add(archive, entry, source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) {
        error_set(err, "%s: %s", entry, why(archive));
        if (source)
            zip_source_free(source);
        return false;
    }
    if (zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive, (zip_uint64_t)index, DOS_TIME, DOS_DATE, 0) != 0)
        return error_set(err, "%s: %s", entry, why(archive));
    return true;
}

// One note per line.
static bool put_notes(zip_t *archive, const FileNote notes[], Arena *arena, Error *err)
{
    const char *all = "";
    for (; notes->name; notes++)
        if (!(all = arena_format(arena, err, "%s%s: %s\n", all, notes->name, notes->text)))
            return false;
    size_t length = strlen(all);
    return length == 0 ||
           (length <= UINT16_MAX &&
            zip_set_archive_comment(archive, all, (zip_uint16_t)length) == 0) ||
           error_set(err, TELL(NPZ_NOTES), why(archive));
}

bool npz_write(const char *path, const NamedTensor tensors[], int count, const FileNote notes[],
               Error *err)
{
    Arena arena = {0}; // libzip reads the entries' bytes when the archive is closed
    FILE *file = zip_late(err) ? fopen(path, "wb") : NULL;
    if (!file)
        return zip_late(err) && error_set(err, "%s", error_reason(errno));
    zip_t *archive = npz_sink_open(file, err);
    bool good = archive != NULL;
    for (int i = 0; good && i < count; i++)
        good = add_entry(archive, &tensors[i], &arena, err);
    good = good && put_notes(archive, notes, &arena, err);
    if (good && zip_close(archive) != 0)
        good = error_set(err, "%s", why(archive));
    else if (good)
        archive = NULL;
    if (archive)
        zip_discard(archive);
    if (fclose(file) != 0 && good)
        good = error_set(err, "%s", error_reason(errno));
    arena_finish(&arena);
    return good;
}
