// Files of named tensors in any format; see tensor_file.h. npy.c, pt.c and safetensors.c have the formats
// (tensor_formats.h).
#include "tensor_file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "error.h"
#include "input_file.h"
#include "json.h"
#include "new_file.h"
#include "shown_name.h"
#include "store_words.def"
#include "tensor_formats.h"
#include "utf8.h"

// --- other files: a table of formats that hold no tensors; their messages are in store_words.def

// How many bytes foreign_check needs.
enum { FOREIGN_BYTES = 512 };

// Returns false and sets err, with what the file is and what to do, if its first `count` bytes show another format.
static bool foreign_check(const char *path, const unsigned char *bytes, size_t count, Error *err);

// True for an extension that foreign_check recognises.
static bool foreign_ending(const char *path);

// Bytes at an offset, an extension, or both.
typedef struct Foreign {
    size_t place;
    const char *bytes;  // "": any
    const char *ending; // "": any
    Words words;
} Foreign;

// Sources: file(1), and the formats' own documentation.
static const Foreign rows[] = {
    {0, "version https://git-lfs", "", WORDS_ROW(FOREIGN_LFS)},
    {0, "GGUF", "", WORDS_ROW(FOREIGN_GGUF)},
    {0, "lmgg", "", WORDS_ROW(FOREIGN_GGUF)},
    {0, "tjgg", "", WORDS_ROW(FOREIGN_GGUF)},
    {0, "\x89HDF\r\n\x1a\n", "", WORDS_ROW(FOREIGN_HDF5)},
    {0, "\x08", ".onnx", WORDS_ROW(FOREIGN_ONNX)},
    {0, "", ".pb", WORDS_ROW(FOREIGN_TENSORFLOW)},
    {0, "", ".meta", WORDS_ROW(FOREIGN_TENSORFLOW)},
    {0, "", ".data-00000-of-00001", WORDS_ROW(FOREIGN_TENSORFLOW)},
    {4, "TFL3", "", WORDS_ROW(FOREIGN_TFLITE)},
    {0, "", ".msgpack", WORDS_ROW(FOREIGN_FLAX)},
    {257, "ustar", "", WORDS_ROW(FOREIGN_TAR)},
    {0, "\x1f\x8b", "", WORDS_ROW(FOREIGN_PACKED)},
    {0, "BZh", "", WORDS_ROW(FOREIGN_PACKED)},
    {0,
     "\xfd"
     "7zXZ",
     "", WORDS_ROW(FOREIGN_PACKED)},
    {0, "\x28\xb5\x2f\xfd", "", WORDS_ROW(FOREIGN_PACKED)},
    {0, "7z\xbc\xaf\x27\x1c", "", WORDS_ROW(FOREIGN_PACKED)},
    {0, "Rar!", "", WORDS_ROW(FOREIGN_PACKED)},
    {0, "\x80\x02", "", WORDS_ROW(FOREIGN_PICKLE)},
    {0, "\x80\x03", "", WORDS_ROW(FOREIGN_PICKLE)},
    {0, "\x80\x04", "", WORDS_ROW(FOREIGN_PICKLE)},
    {0, "\x80\x05", "", WORDS_ROW(FOREIGN_PICKLE)},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), end = strlen(ending);
    return length > end && strcasecmp(path + length - end, ending) == 0;
}

// True for text: binary formats have other bytes among the first hundreds.
static bool is_text(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((bytes[i] < ' ' && !strchr("\t\r\n", bytes[i])) || bytes[i] == 0 || bytes[i] == 0x7f)
            return false;
    size_t whole = count; // the last character may be truncated
    while (count == FOREIGN_BYTES && whole > count - 4 && bytes[whole - 1] >= 0x80)
        whole--;
    return utf8_valid((const char *)bytes, whole);
}

static bool begins_as(const char *text, const char *beginning)
{
    return strncasecmp(text, beginning, strlen(beginning)) == 0;
}

// Error pages that servers send in place of a file.
static bool refuse_text(const char *path, const unsigned char *bytes, size_t count, Error *err)
{
    char line[64];
    size_t blank = 0, length = 0;
    bool marked = count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    for (blank = marked ? 3 : 0; blank < count && strchr(" \t\r\n", bytes[blank]); blank++)
        ;
    for (; blank + length < count && length < sizeof line - 1; length++) {
        unsigned char byte = bytes[blank + length];
        if (byte < ' ')
            break;
        line[length] = (char)(byte < 0x7f ? byte : '?');
    }
    line[length] = '\0';
    if (begins_as(line, "<!doctype") || begins_as(line, "<html") || begins_as(line, "<?xml") ||
        begins_as(line, "<head"))
        return error_set(err, TELL(FOREIGN_PAGE), path);
    return error_set(err, TELL(FOREIGN_TEXT), path, line);
}

static bool foreign_check(const char *path, const unsigned char *bytes, size_t count, Error *err)
{
    for (size_t i = 0; i < ROWS; i++) {
        const Foreign *row = &rows[i];
        size_t length = strlen(row->bytes);
        if (row->place + length <= count && memcmp(bytes + row->place, row->bytes, length) == 0 &&
            (!*row->ending || ends_with(path, row->ending)))
            return error_set(err, words_tell(row->words), path);
    }
    return !is_text(bytes, count) || refuse_text(path, bytes, count, err);
}

static bool foreign_ending(const char *path)
{
    static const char *const others[] = {".gguf",  ".ggml",   ".h5",  ".hdf5",
                                         ".keras", ".tflite", ".pkl", ".pickle"};
    for (size_t i = 0; i < ROWS; i++)
        if (*rows[i].ending && ends_with(path, rows[i].ending))
            return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (ends_with(path, others[i]))
            return true;
    return false;
}

// --- shards: one checkpoint in several files, "model-00001-of-00003.safetensors" and so on, maybe with an index
// ("model.safetensors.index.json") that maps tensors to files
//
// Opening reads the index, or without one the names in every shard. A shard is opened when one of its tensors is read;
// only then is a missing one an error.

static TensorFile *open_alone(const char *path, Arena *arena, Error *err);

enum { INDEX_BYTES_MAX = 64 << 20, SHARDS_MAX = 10000, DIGITS = 5 };

static const char index_end[] = ".index.json";

typedef struct Shard {
    const char *name; // "model-00001-of-00003.safetensors"
    const char *path;
    bool is_there;
    TensorFile *file; // NULL until needed
} Shard;

typedef struct Shards {
    const char *path; // of the index, or of the shard that was named
    int folder;       // length of its folder
    Arena *arena;     // lives as long as the file, unlike that of a reader
    Shard *shards;
    int shard_count;
    const char **names;
    int *owners; // owners[n]: the shard of names[n]
    int count;
} Shards;

static bool is_index(const char *path)
{
    size_t length = strlen(path), end = sizeof index_end - 1;
    return length > end && strcmp(path + length - end, index_end) == 0;
}

// The offset of "-00001-" in "model-00001-of-00003.safetensors", and the number of shards; NULL for other names.
static const char *numbered(const char *path, int *total)
{
    const char *name = path_name(path), *of = strstr(name, "-of-");
    if (!of || of - name < DIGITS + 1 || of[-DIGITS - 1] != '-' ||
        strspn(of - DIGITS, "0123456789") != DIGITS || strspn(of + 4, "0123456789") != DIGITS ||
        of[4 + DIGITS] != '.')
        return NULL;
    *total = atoi(of + 4);
    return *total > 0 && *total <= SHARDS_MAX ? of - DIGITS - 1 : NULL;
}

static bool shards_is(const char *path)
{
    int total;
    return is_index(path) || numbered(path, &total);
}

// --- finding shards

static bool add_shard(Shards *shards, const char *name, Arena *arena, Error *err)
{
    Shard *shard = &shards->shards[shards->shard_count];
    *shard =
        (Shard){.name = arena_text(arena, name, err),
                .path = arena_format(arena, err, "%.*s%s", shards->folder, shards->path, name)};
    if (!shard->name || !shard->path)
        return false;
    shard->is_there = access(shard->path, R_OK) == 0;
    shards->shard_count++;
    return true;
}

// Finds or adds the shard of that name; -1 and err on failure.
static int shard_named(Shards *shards, const char *name, Arena *arena, Error *err)
{
    // Neighbouring tensors are mostly in one shard.
    for (int i = shards->shard_count - 1; i >= 0; i--)
        if (strcmp(shards->shards[i].name, name) == 0)
            return i;
    if (shards->shard_count == SHARDS_MAX) {
        error_set(err, TELL(SHARDS_NOT_JSON), shards->path);
        return -1;
    }
    return add_shard(shards, name, arena, err) ? shards->shard_count - 1 : -1;
}

static bool make_room(Shards *shards, size_t names, Arena *arena, Error *err)
{
    shards->names = arena_take(arena, names + 1, sizeof *shards->names, err);
    shards->owners = arena_take(arena, names + 1, sizeof *shards->owners, err);
    return shards->names && shards->owners;
}

// --- with an index

static bool take_map(Shards *shards, json_t *map, Arena *arena, Error *err)
{
    const char *name;
    json_t *value;
    if (!json_is_object(map))
        return error_set(err, TELL(SHARDS_NOT_JSON), shards->path);
    shards->shards = arena_take(arena, SHARDS_MAX, sizeof *shards->shards, err);
    if (!shards->shards || !make_room(shards, json_object_size(map), arena, err))
        return false;
    json_object_foreach(map, name, value)
    {
        const char *file = json_string_value(value);
        if (!file || !*file || strchr(file, '/'))
            return error_set(err, TELL(SHARDS_NAME), shards->path, name, file ? file : "");
        int owner = shard_named(shards, file, arena, err);
        shards->names[shards->count] = arena_text(arena, name, err);
        if (owner < 0 || !shards->names[shards->count])
            return false;
        shards->owners[shards->count++] = owner;
    }
    return true;
}

static bool read_index(Shards *shards, const char *path, Arena *arena, Error *err)
{
    Arena scratch = {0};
    unsigned char *bytes;
    size_t length;
    json_t *index = NULL;
    bool good = input_file_all(path, INDEX_BYTES_MAX, &scratch, &bytes, &length, err);
    if (good) {
        *err = (Error){.text = ""};
        index = json_whole_read((const char *)bytes, length, JSON_REJECT_DUPLICATES, NULL, err);
        good = index || (!*err->text && error_set(err, TELL(SHARDS_NOT_JSON), path));
        good = good && take_map(shards, json_object_get(index, "weight_map"), arena, err);
    }
    json_decref(index);
    arena_finish(&scratch);
    return good;
}

// --- without one

// Lists all shards that exist, and their names.
static bool list_shards(Shards *shards, const char *mark, int total, Arena *arena, Error *err)
{
    const char *name = path_name(shards->path), *behind = mark + 2 + DIGITS;
    size_t names = 0;
    shards->shards = arena_take(arena, (size_t)total, sizeof *shards->shards, err);
    for (int i = 0; shards->shards && i < total; i++) {
        const char *other =
            arena_format(arena, err, "%.*s-%05d-%s", (int)(mark - name), name, i + 1, behind);
        if (!other || !add_shard(shards, other, arena, err))
            return false;
        Shard *shard = &shards->shards[i];
        if (shard->is_there && !(shard->file = open_alone(shard->path, arena, err)))
            return false;
        names += shard->file ? (size_t)tensor_file_count(shard->file) : 0;
    }
    if (!shards->shards || !make_room(shards, names, arena, err))
        return false;
    for (int i = 0; i < total; i++)
        for (int n = 0; shards->shards[i].file && n < tensor_file_count(shards->shards[i].file);
             n++) {
            shards->names[shards->count] = tensor_file_name(shards->shards[i].file, n);
            shards->owners[shards->count++] = i;
        }
    return true;
}

static void shards_close(void *state)
{
    Shards *shards = state;
    for (int i = 0; i < shards->shard_count; i++)
        tensor_file_close(shards->shards[i].file);
    shards->shard_count = 0;
}

static void *shards_open(const char *path, TensorList *list, Arena *arena, Error *err)
{
    Shards *shards = arena_take(arena, 1, sizeof *shards, err);
    if (!shards || !(shards->path = arena_text(arena, path, err)))
        return NULL;
    shards->folder = (int)(path_name(path) - path);
    shards->arena = arena;
    int total = 0;
    const char *mark = is_index(path) ? NULL : numbered(shards->path, &total);
    const char *index = shards->path;
    if (mark) {
        size_t length;
        int descriptor =
            input_file_open(path, &length, err); // the file that was named should exist
        if (descriptor < 0)
            return NULL;
        close(descriptor);
        index = arena_format(arena, err, "%.*s%s%s", (int)(mark - shards->path), shards->path,
                             mark + 2 + DIGITS + 3 + DIGITS, index_end);
    }
    if (!index)
        return NULL;
    bool indexed = !mark || access(index, R_OK) == 0;
    if (indexed ? read_index(shards, index, arena, err)
                : list_shards(shards, mark, total, arena, err)) {
        *list = (TensorList){shards->names, shards->count};
        return shards;
    }
    shards_close(shards);
    return NULL;
}

static TensorFile *shards_file(Shards *shards, int number, Error *err)
{
    Shard *shard = &shards->shards[shards->owners[number]];
    if (!shard->is_there) {
        error_set(err, TELL(SHARDS_MISSING), shard->path, shards->names[number],
                  path_name(shards->path));
        return NULL;
    }
    if (!shard->file)
        shard->file = open_alone(shard->path, shards->arena, err);
    return shard->file;
}

static const char *shards_missing(const Shards *shards, Arena *arena, Error *err)
{
    enum { SHOWN_MAX = 4 };
    const char *text = "";
    int missing = 0;
    for (int i = 0; text && i < shards->shard_count; i++)
        if (!shards->shards[i].is_there && ++missing <= SHOWN_MAX)
            text = arena_format(arena, err, "%s%s%s", text, missing > 1 ? ", " : "",
                                shards->shards[i].name);
    if (!text || missing == 0)
        return text;
    return arena_format(arena, err, TELL(SHARDS_NOT_HERE), missing, shards->shard_count,
                        missing > SHOWN_MAX ? arena_format(arena, err, "%s ...", text) : text);
}

struct TensorFile {
    const char *path;
    const TensorFormat *format;
    void *state;
    TensorList list;
    RawKind kind; // of the last tensor
};

// A tensor of a shard, by the same name.
static bool read_shard(void *state, int number, RawKind *kind, Arena *arena, Tensor *out,
                       Error *err)
{
    Shards *shards = state;
    TensorFile *shard = shards_file(shards, number, err);
    if (!shard || !tensor_file_read(shard, shards->names[number], arena, out, err))
        return false;
    *kind = shard->kind;
    return true;
}

static const TensorFormat shards_format = {
    .open = shards_open, .close = shards_close, .read = read_shard};

// The formats by extension.
static const struct {
    const char *ending;
    const TensorFormat *format;
} formats[] = {
    {".npz", &npz_format}, {".safetensors", &safetensors_format},
    {".npy", &npy_format}, {".pt", &pt_format},
    {".pth", &pt_format},  {".bin", &pt_format},
    {".ckpt", &pt_format}, {".pth.tar", &pt_format},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const TensorFormat *format_of(const char *path)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (ends_with(path, formats[i].ending))
            return formats[i].format;
    return NULL;
}

// The format of an archive by its first entry, which numpy names x.npy and PyTorch NAME/data.pkl; or NULL.
static const TensorFormat *format_packed(const unsigned char *bytes, size_t length)
{
    enum { NAME_LENGTH = 26, NAME = 30 };
    char name[FOREIGN_BYTES];
    if (length < NAME || memcmp(bytes, "PK\3\4", 4) != 0)
        return NULL;
    size_t count = (size_t)little_endian(bytes + NAME_LENGTH, 2);
    snprintf(name, sizeof name, "%.*s", (int)(count < length - NAME ? count : length - NAME),
             (const char *)bytes + NAME);
    return ends_with(name, ".npy") ? &npz_format : ends_with(name, "/data.pkl") ? &pt_format : NULL;
}

// The format that the file's beginning shows, or NULL.
static const TensorFormat *format_begun(const unsigned char *bytes, size_t length)
{
    enum { HEADER_MAX = 16 << 20 };
    if (pt_is_old(bytes, length) || (length >= 4 && memcmp(bytes, "PK\3\4", 4) == 0))
        return &pt_format;
    if (length >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        return &npy_format;
    uint64_t header = length > 8 ? little_endian(bytes, 8) : 0;
    return header >= 2 && header <= HEADER_MAX && bytes[8] == '{' ? &safetensors_format : NULL;
}

// Reads the first bytes, at most FOREIGN_BYTES. Returns their number, and sets the file's length.
static bool read_beginning(const char *path, unsigned char *bytes, size_t *count, size_t *length,
                           Error *err)
{
    int descriptor = input_file_open(path, length, err);
    if (descriptor < 0)
        return false;
    *count = *length < FOREIGN_BYTES ? *length : FOREIGN_BYTES;
    bool good = input_file_read(descriptor, path, 0, bytes, *count, err);
    close(descriptor);
    return good;
}

// Chooses the format by content, and by extension if the content is unknown, as of an archive with other entries.
static const TensorFormat *choose_format(const char *path, Error *err)
{
    unsigned char bytes[FOREIGN_BYTES];
    size_t count = 0, length = 0;
    if (!read_beginning(path, bytes, &count, &length, err))
        return NULL;
    if (length == 0) {
        error_set(err, TELL(TENSOR_EMPTY), path);
        return NULL;
    }
    const TensorFormat *ended = format_of(path), *packed = format_packed(bytes, count);
    const TensorFormat *begun = packed ? packed : format_begun(bytes, count);
    bool of_numpy =
        !packed && begun == &pt_format && (ended == &npz_format || ended == &npy_format);
    if (begun && !of_numpy)
        return begun;
    if (!of_numpy && !foreign_check(path, bytes, count, err))
        return NULL;
    if (!ended)
        error_set(err, TELL(TENSOR_ENDING), path);
    return ended;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool check_names(const TensorFile *file, Error *err)
{
    Arena scratch = {0};
    size_t count = (size_t)file->list.count;
    const char **sorted = arena_take(&scratch, count, sizeof *sorted, err);
    bool good = sorted != NULL;
    if (good && count > 0) {
        memcpy(sorted, file->list.names, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_names);
    }
    for (size_t i = 1; good && i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            good = error_set(err, TELL(TENSOR_TWICE), file->path, sorted[i]);
    arena_finish(&scratch);
    return good;
}

static TensorFile *open_as(const TensorFormat *format, const char *path, Arena *arena, Error *err)
{
    TensorFile *file = format ? arena_take(arena, 1, sizeof *file, err) : NULL;
    if (!file || !(file->path = arena_text(arena, path, err)))
        return NULL;
    file->format = format;
    file->state = format->open(path, &file->list, arena, err);
    if (file->state && check_names(file, err))
        return file;
    tensor_file_close(file);
    return NULL;
}

static TensorFile *open_alone(const char *path, Arena *arena, Error *err)
{
    return open_as(choose_format(path, err), path, arena, err);
}

// "consolidated.00.pth" of several has slices of tensors.
static bool check_slices(const char *path, Arena *arena, Error *err)
{
    const char *name = path_name(path);
    if (strncmp(name, "consolidated.", 13) != 0 || !ends_with(name, ".pth"))
        return true;
    const char *second =
        arena_format(arena, err, "%.*sconsolidated.01.pth", (int)(name - path), path);
    return second && (access(second, F_OK) != 0 || error_set(err, TELL(SHARDS_SLICE), path));
}

TensorFile *tensor_file_open(const char *path, Arena *arena, Error *err)
{
    if (shards_is(path))
        return open_as(&shards_format, path, arena, err);
    return check_slices(path, arena, err) ? open_alone(path, arena, err) : NULL;
}

// --- recognising paths

// Files that trainers keep next to the weights.
static bool is_beside(const char *name)
{
    static const char *const names[] = {"training_args.bin", "optimizer.pt",  "optimizer.bin",
                                        "scheduler.pt",      "rng_state.pth", "scaler.pt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

// The only tensor file in a folder, or one of its shards; NULL if there are none or several.
static const char *only_file(const char *folder, Arena *arena, Error *err)
{
    DIR *entries = opendir(folder);
    const char *found = NULL;
    bool several = false;
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        const char *name = entry->d_name;
        if (name[0] == '.' || is_beside(name) || (!format_of(name) && !shards_is(name)))
            continue;
        several = several || (found && !(shards_is(found) && shards_is(name)));
        found = arena_text(arena, name, err);
    }
    if (entries)
        closedir(entries);
    return several ? NULL : found;
}

const char *tensor_file_in(const char *path, Arena *arena, Error *err)
{
    static const char *const names[] = {"model.safetensors",
                                        "model.safetensors.index.json",
                                        "pytorch_model.bin",
                                        "pytorch_model.bin.index.json",
                                        "consolidated.00.pth",
                                        "model.pt",
                                        "model.pth",
                                        "model.npz",
                                        "ckpt.pt"};
    struct stat entry;
    if (stat(path, &entry) != 0 || !S_ISDIR(entry.st_mode))
        return path;
    size_t length = strlen(path);
    const char *slash = length > 0 && path[length - 1] == '/' ? "" : "/";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *whole = arena_format(arena, err, "%s%s%s", path, slash, names[i]);
        if (!whole)
            return NULL;
        if (access(whole, R_OK) == 0)
            return whole;
    }
    const char *only = only_file(path, arena, err);
    if (only)
        return arena_format(arena, err, "%s%s%s", path, slash, only);
    error_set(err, TELL(TENSOR_FOLDER), path);
    return NULL;
}

bool tensor_file_is(const char *path)
{
    if (format_of(path) || shards_is(path) || foreign_ending(path))
        return true;
    Arena scratch = {0};
    Error quiet;
    unsigned char bytes[FOREIGN_BYTES];
    size_t count = 0, length;
    const char *file = tensor_file_in(path, &scratch, &quiet);
    bool found = file && (file != path || (read_beginning(path, bytes, &count, &length, &quiet) &&
                                           format_begun(bytes, count)));
    arena_finish(&scratch);
    return found;
}

void tensor_file_close(TensorFile *file)
{
    if (file && file->state && file->format->close)
        file->format->close(file->state);
}

int tensor_file_count(const TensorFile *file)
{
    return file->list.count;
}

const char *tensor_file_name(const TensorFile *file, int number)
{
    return file->list.names[number];
}

static bool missing(const TensorFile *file, const char *name, Error *err)
{
    if (file->list.names[0] && *file->list.names[0] == '\0')
        return error_set(err, TELL(TENSOR_NAMELESS), file->path, name);
    const char *near = nearest_name(name, file->list.names);
    if (near)
        return error_set(err, TELL(TENSOR_MEANT), file->path, name, near);
    if (file->list.count == 0)
        return error_set(err, TELL(TENSOR_NONE), file->path, name);
    return error_set(err, TELL(TENSOR_NOT), file->path, name, file->list.count,
                     file->list.names[0]);
}

bool tensor_file_same_name(const char *name, const char *stored)
{
    static const char *const ends[][2] = {{"LayerNorm.weight", "LayerNorm.gamma"},
                                          {"LayerNorm.bias", "LayerNorm.beta"}};
    size_t length = strlen(name), stored_length = strlen(stored);
    for (int i = 0; i < 2; i++) {
        size_t end = strlen(ends[i][0]), old = strlen(ends[i][1]);
        if (length >= end && stored_length >= old && length - end == stored_length - old &&
            strcmp(name + length - end, ends[i][0]) == 0 &&
            strcmp(stored + stored_length - old, ends[i][1]) == 0 &&
            strncmp(name, stored, length - end) == 0)
            return true;
    }
    return strcmp(name, stored) == 0;
}

int tensor_file_compare_names(const char *left, const char *right)
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

// The index of a name; -1 and err if there is none.
static int number_of(const TensorFile *file, const char *name, Error *err)
{
    for (int number = 0; number < file->list.count; number++)
        if (strcmp(file->list.names[number], name) == 0)
            return number;
    for (int number = 0; number < file->list.count; number++)
        if (tensor_file_same_name(name, file->list.names[number]))
            return number;
    missing(file, name, err);
    return -1;
}

bool tensor_file_read(TensorFile *file, const char *name, Arena *arena, Tensor *out, Error *err)
{
    int number = number_of(file, name, err);
    return number >= 0 && file->format->read(file->state, number, &file->kind, arena, out, err);
}

bool tensor_file_shape(TensorFile *file, const char *name, Arena *arena, int *rank,
                       ptrdiff_t shape[TENSOR_RANK_MAX], Error *err)
{
    int number = number_of(file, name, err);
    if (number < 0)
        return false;
    if (file->format->shape && file->format->shape(file->state, number, rank, shape))
        return true;
    if (file->format == &shards_format) {
        TensorFile *shard = shards_file(file->state, number, err);
        return shard && tensor_file_shape(shard, name, arena, rank, shape, err);
    }
    Arena scratch = {0};
    Tensor tensor;
    bool good = file->format->read(file->state, number, &file->kind, &scratch, &tensor, err);
    if (good) {
        *rank = tensor.rank;
        memcpy(shape, tensor.shape, sizeof tensor.shape);
    }
    arena_finish(&scratch);
    return good;
}

// --- remarks

bool tensor_file_number(const TensorFile *file, const char *name, int64_t *number)
{
    return file->format == &pt_format && pt_number(file->state, name, number);
}

bool tensor_file_notes(const TensorFile *file, Arena *arena, const char *notes[4], Error *err)
{
    int count = 0;
    for (int modules = 1; file->format == &pt_format && modules >= 0; modules--) {
        const char *classes = pt_beside(file->state, modules, arena, err);
        if (classes && *classes)
            notes[count++] = arena_format(
                arena, err, modules ? TELL(TENSOR_MODULES) : TELL(TENSOR_BESIDE), classes);
        if (!classes || (count > 0 && !notes[count - 1]))
            return false;
    }
    const char *shards =
        file->format == &shards_format ? shards_missing(file->state, arena, err) : "";
    if (shards && *shards)
        notes[count++] = shards;
    notes[count] = NULL;
    return shards != NULL;
}

const char *tensor_file_conversion(const TensorFile *file)
{
    return raw_conversion(file->kind);
}

bool tensor_file_words(TensorFile *file, Arena *arena, FileWords **lists, int *count, Error *err)
{
    *lists = NULL;
    *count = 0;
    return !file->format->words || file->format->words(file->state, arena, lists, count, err);
}

static bool check_ending(const char *path, Error *err)
{
    return ends_with(path, ".npz") || ends_with(path, ".safetensors") ||
           error_set(err, TELL(TENSOR_WRITE_ENDING), path);
}

bool tensor_file_try(const char *path, Error *err)
{
    if (!check_ending(path, err))
        return false;
    Arena scratch = {0};
    NewFile file;
    bool good = new_file_begin(&file, path, &scratch, err);
    if (good)
        new_file_drop(&file);
    arena_finish(&scratch);
    return good;
}

bool tensor_file_write(const char *path, const NamedTensor tensors[], int count, Error *err)
{
    return tensor_file_write_noted(path, tensors, count, &(FileNote){.name = NULL}, err);
}

bool tensor_file_write_noted(const char *path, const NamedTensor tensors[], int count,
                             const FileNote notes[], Error *err)
{
    if (!check_ending(path, err))
        return false;
    if (count == 0)
        return error_set(err, TELL(TENSOR_NOTHING), path);
    Arena scratch = {0};
    NewFile file;
    bool good = new_file_begin(&file, path, &scratch, err);
    if (good) {
        good = ends_with(path, ".npz")
                   ? npz_write(file.temporary, tensors, count, notes, err)
                   : safetensors_write(file.temporary, tensors, count, notes, err);
        if (good) {
            good = new_file_keep(&file, err);
        } else {
            new_file_drop(&file);
            error_prefix(err, TELL(TENSOR_UNWRITTEN), path);
        }
    }
    arena_finish(&scratch);
    return good;
}
