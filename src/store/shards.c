// shards: see shards.h.
#include "shards.h"
#include "input_file.h"
#include "json_whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "store_words.h"

enum { INDEX_BYTES_MAX = 64 << 20, SHARDS_MAX = 10000, DIGITS = 5 };

static const char index_end[] = ".index.json";

typedef struct Shard {
    const char *name; // "model-00001-of-00003.safetensors"
    const char *path;
    bool is_there;
    TensorFile *file; // NULL until a tensor of it is asked for
} Shard;

struct Shards {
    const char *path; // of the index, or of the shard that was named
    int folder;       // how much of it stands before the last part
    Shard *shards;
    int shard_count;
    const char **names;
    int *owners; // owners[n]: which shard has names[n]
    int count;
};

// --- names

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_index(const char *path)
{
    size_t length = strlen(path), end = sizeof index_end - 1;
    return length > end && strcmp(path + length - end, index_end) == 0;
}

// "model-00001-of-00003.safetensors": where "-00001-" begins, and how many there are; NULL where a name
// is not such.
static const char *numbered(const char *path, int *total)
{
    const char *name = last_part(path), *of = strstr(name, "-of-");
    if (!of || of - name < DIGITS + 1 || of[-DIGITS - 1] != '-' ||
        strspn(of - DIGITS, "0123456789") != DIGITS || strspn(of + 4, "0123456789") != DIGITS ||
        of[4 + DIGITS] != '.')
        return NULL;
    *total = atoi(of + 4);
    return *total > 0 && *total <= SHARDS_MAX ? of - DIGITS - 1 : NULL;
}

bool shards_is(const char *path)
{
    int total;
    return is_index(path) || numbered(path, &total);
}

// --- which shards there are

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

// The shard of that name, which is a new one; -1 with a sentence.
static int shard_named(Shards *shards, const char *name, Arena *arena, Error *err)
{
    // Tensors of one shard mostly follow each other.
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

// Every shard that is there, and the names in it.
static bool list_shards(Shards *shards, const char *mark, int total, Arena *arena, Error *err)
{
    const char *name = last_part(shards->path), *behind = mark + 2 + DIGITS;
    size_t names = 0;
    shards->shards = arena_take(arena, (size_t)total, sizeof *shards->shards, err);
    for (int i = 0; shards->shards && i < total; i++) {
        const char *other =
            arena_format(arena, err, "%.*s-%05d-%s", (int)(mark - name), name, i + 1, behind);
        if (!other || !add_shard(shards, other, arena, err))
            return false;
        Shard *shard = &shards->shards[i];
        if (shard->is_there && !(shard->file = tensor_file_open_alone(shard->path, arena, err)))
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

Shards *shards_open(const char *path, Arena *arena, Error *err)
{
    Shards *shards = arena_take(arena, 1, sizeof *shards, err);
    if (!shards || !(shards->path = arena_text(arena, path, err)))
        return NULL;
    shards->folder = (int)(last_part(path) - path);
    int total = 0;
    const char *mark = is_index(path) ? NULL : numbered(shards->path, &total);
    const char *index = shards->path;
    if (mark) {
        size_t length;
        int descriptor = input_file_open(path, &length, err); // what was named should be there
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
                : list_shards(shards, mark, total, arena, err))
        return shards;
    shards_close(shards);
    return NULL;
}

void shards_close(Shards *shards)
{
    for (int i = 0; i < shards->shard_count; i++)
        tensor_file_close(shards->shards[i].file);
    shards->shard_count = 0;
}

const char **shards_names(const Shards *shards, int *count)
{
    *count = shards->count;
    return shards->names;
}

TensorFile *shards_file(Shards *shards, int number, Arena *arena, Error *err)
{
    Shard *shard = &shards->shards[shards->owners[number]];
    if (!shard->is_there) {
        error_set(err, TELL(SHARDS_MISSING), shard->path, shards->names[number],
                  last_part(shards->path));
        return NULL;
    }
    if (!shard->file)
        shard->file = tensor_file_open_alone(shard->path, arena, err);
    return shard->file;
}

const char *shards_missing(const Shards *shards, Arena *arena, Error *err)
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
