// npz: reading an archive of .npy entries; see npz.h. Writing is in npz_write.c.
#include "npz.h"
#include "input_file.h"
#include "npy.h"
#include "zip_late.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

// Deflate's best case: one bit for a length of 258, one for its distance.
enum { INFLATION_MAX = 1032 };

struct Npz {
    zip_t *archive;
    const char *path; // or what names the bytes
    size_t file_bytes;
    const char **names;
    zip_uint64_t *entries; // entries[n]: which entry of the archive holds names[n]
    RawKind kind;          // of the tensor that was read last
};

// Why these bytes are no archive; finishes `error`.
static void no_archive(const Npz *npz, zip_error_t *error, Error *err)
{
    error_set(err, "%s is not a .npz file (%s); write it with numpy.savez, or fetch it again",
              npz->path, npz->file_bytes > 0 ? zip_error_strerror(error) : "it is empty");
    zip_error_fini(error);
}

static bool open_file(Npz *npz, Error *err)
{
    int descriptor = input_file_open(npz->path, &npz->file_bytes, err);
    if (descriptor < 0)
        return false;
    int code = ZIP_ER_NOZIP;
    npz->archive = npz->file_bytes > 0 ? zip_fdopen(descriptor, 0, &code) : NULL;
    if (!npz->archive) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        no_archive(npz, &error, err);
        close(descriptor);
    }
    return npz->archive != NULL;
}

static bool open_bytes(Npz *npz, const unsigned char *bytes, size_t length, Error *err)
{
    zip_error_t error;
    zip_error_init_with_code(&error, ZIP_ER_NOZIP);
    npz->file_bytes = length;
    zip_source_t *source = length > 0 ? zip_source_buffer_create(bytes, length, 0, &error) : NULL;
    npz->archive = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    if (npz->archive)
        return true;
    no_archive(npz, &error, err);
    if (source)
        zip_source_free(source);
    return false;
}

static bool is_tensor(const char *name)
{
    size_t length = strlen(name);
    return length >= 4 && strcmp(name + length - 4, ".npy") == 0;
}

static bool list_names(Npz *npz, size_t total, Arena *arena, int *count, Error *err)
{
    npz->names = arena_take(arena, total + 1, sizeof *npz->names, err);
    npz->entries = arena_take(arena, total, sizeof *npz->entries, err);
    if (!npz->names || !npz->entries)
        return false;
    *count = 0;
    for (size_t entry = 0; entry < total; entry++) {
        const char *name = zip_get_name(npz->archive, entry, 0);
        if (!name || !is_tensor(name))
            continue;
        char *copy = arena_text(arena, name, err);
        if (!copy)
            return false;
        copy[strlen(copy) - 4] = '\0';
        npz->names[*count] = copy;
        npz->entries[(*count)++] = entry;
    }
    return true;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool check_duplicates(const Npz *npz, size_t count, Error *err)
{
    Arena scratch = {0};
    const char **sorted = arena_take(&scratch, count, sizeof *sorted, err);
    bool good = sorted != NULL;
    if (good) {
        memcpy(sorted, npz->names, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_texts);
    }
    for (size_t i = 1; good && i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            good = error_set(err, "%s has two entries named '%s.npy'; save it again", npz->path,
                             sorted[i]);
    arena_finish(&scratch);
    return good;
}

static Npz *begin(const char *path, Arena *arena, Error *err)
{
    Npz *npz = zip_late(err) ? arena_take(arena, 1, sizeof *npz, err) : NULL;
    return npz && (npz->path = arena_text(arena, path, err)) ? npz : NULL;
}

// Lists the tensors of an archive that is open; closes it when that cannot be done.
static Npz *list(Npz *npz, Arena *arena, const char ***names, int *count, Error *err)
{
    zip_int64_t total = zip_get_num_entries(npz->archive, 0);
    if (total > INT_MAX - 1)
        error_set(err, "%s has %lld entries, which is more than can be listed", npz->path,
                  (long long)total);
    else if (list_names(npz, (size_t)total, arena, count, err) &&
             check_duplicates(npz, (size_t)*count, err)) {
        *names = npz->names;
        return npz;
    }
    npz_close(npz);
    return NULL;
}

Npz *npz_open(const char *path, Arena *arena, const char ***names, int *count, Error *err)
{
    Npz *npz = begin(path, arena, err);
    return npz && open_file(npz, err) ? list(npz, arena, names, count, err) : NULL;
}

Npz *npz_open_bytes(const unsigned char *bytes, size_t length, const char *name, Arena *arena,
                    const char ***names, int *count, Error *err)
{
    Npz *npz = begin(name, arena, err);
    return npz && open_bytes(npz, bytes, length, err) ? list(npz, arena, names, count, err) : NULL;
}

void npz_close(Npz *npz)
{
    if (npz && npz->archive)
        zip_discard(npz->archive);
    if (npz)
        npz->archive = NULL;
}

// An entry that is being read.
typedef struct Entry {
    zip_file_t *file;
    size_t bytes; // inflated
    const char *label;
    RawKind kind; // known when it has been read
} Entry;

// What the archive's directory says of an entry, before a byte of it is inflated.
static bool check_entry(const Npz *npz, zip_uint64_t index, Entry *entry, Error *err)
{
    const zip_uint64_t needed =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    zip_stat_t about;
    if (zip_stat_index(npz->archive, index, 0, &about) != 0 || (about.valid & needed) != needed)
        return error_set(err, "%s: the archive does not say how large it is", entry->label);
    if (about.encryption_method != ZIP_EM_NONE)
        return error_set(err, "%s is encrypted; save the file without a password", entry->label);
    if (about.comp_method != ZIP_CM_STORE && about.comp_method != ZIP_CM_DEFLATE)
        return error_set(err,
                         "%s: compression method %d is not read; write the file with "
                         "numpy.savez or numpy.savez_compressed",
                         entry->label, about.comp_method);
    if (about.comp_size > npz->file_bytes)
        return error_set(err,
                         "%s: it says it takes %llu bytes of a file of %zu; fetch or save "
                         "the file again",
                         entry->label, (unsigned long long)about.comp_size, npz->file_bytes);
    zip_uint64_t best = about.comp_method == ZIP_CM_STORE ? 1 : INFLATION_MAX;
    if (about.size / best > about.comp_size || about.size > PTRDIFF_MAX)
        return error_set(err,
                         "%s: it says that %llu bytes become %llu, which no compression can "
                         "do; the file is damaged or made to do harm",
                         entry->label, (unsigned long long)about.comp_size,
                         (unsigned long long)about.size);
    entry->bytes = (size_t)about.size;
    return true;
}

static bool read_bytes(const Entry *entry, unsigned char *bytes, size_t count, Error *err)
{
    for (size_t done = 0; done < count;) {
        zip_int64_t got = zip_fread(entry->file, bytes + done, count - done);
        if (got < 0)
            return error_set(err, "%s: %s; fetch or save the file again", entry->label,
                             zip_file_strerror(entry->file));
        if (got == 0)
            return error_set(err,
                             "%s ends %zu bytes before the end that the archive promises; "
                             "fetch or save the file again",
                             entry->label, count - done);
        done += (size_t)got;
    }
    return true;
}

// The entry ends exactly here; libzip compares the checksum when it sees the end.
static bool check_end(const Entry *entry, Error *err)
{
    unsigned char byte;
    zip_int64_t got = zip_fread(entry->file, &byte, 1);
    if (got < 0)
        return error_set(err, "%s: %s; fetch or save the file again", entry->label,
                         zip_file_strerror(entry->file));
    return got == 0 || error_set(err,
                                 "%s is longer than the archive says; the file is damaged "
                                 "or made to do harm",
                                 entry->label);
}

// Inflates the header, holds the promised size against the shape, then inflates the rest.
static bool read_entry(Entry *entry, Arena *scratch, Arena *arena, Tensor *out, Error *err)
{
    size_t first = entry->bytes < NPY_HEADER_MAX ? entry->bytes : NPY_HEADER_MAX;
    unsigned char *beginning = arena_take(scratch, first, 1, err);
    NpyHeader header;
    if (!beginning || !read_bytes(entry, beginning, first, err) ||
        !npy_header(beginning, first, entry->label, &header, err))
        return false;
    if (entry->bytes - header.header_bytes != header.data_bytes) {
        char shape[TENSOR_TEXT_MAX];
        return error_set(err,
                         "%s: shape %s needs %zu bytes of numbers, but %zu follow the "
                         "header; fetch or save the file again",
                         entry->label, tensor_shape_text(header.rank, header.shape, shape),
                         header.data_bytes, entry->bytes - header.header_bytes);
    }
    unsigned char *bytes = arena_take(scratch, entry->bytes, 1, err);
    if (!bytes)
        return error_prefix(err, "%s: ", entry->label);
    entry->kind = header.kind;
    memcpy(bytes, beginning, first);
    return read_bytes(entry, bytes + first, entry->bytes - first, err) && check_end(entry, err) &&
           npy_read(bytes, entry->bytes, entry->label, arena, out, err);
}

bool npz_read(Npz *npz, int number, Arena *arena, Tensor *out, Error *err)
{
    zip_uint64_t index = npz->entries[number];
    Arena scratch = {0};
    Entry entry = {.label =
                       arena_format(&scratch, err, "%s: %s.npy", npz->path, npz->names[number])};
    bool good = entry.label && check_entry(npz, index, &entry, err);
    if (good && !(entry.file = zip_fopen_index(npz->archive, index, 0)))
        good = error_set(err, "%s: %s; fetch or save the file again", entry.label,
                         zip_strerror(npz->archive));
    good = good && read_entry(&entry, &scratch, arena, out, err);
    if (entry.file)
        zip_fclose(entry.file);
    npz->kind = entry.kind;
    arena_finish(&scratch);
    return good;
}

RawKind npz_kind(const Npz *npz)
{
    return npz->kind;
}
