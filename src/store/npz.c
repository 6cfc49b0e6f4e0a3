// NumPy's .npz: an archive of .npy entries, read and written; see tensor_formats.h.
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>
#include "archive.h"
#include "library_text.h"
#include "store_words.def"
#include "tensor_formats.h"

// --- reading

static const ArchiveFormat npz_format = {
    ".npz", "numpy.savez",
    WORDS("numpy.savez or numpy.savez_compressed", "numpy.savez나 numpy.savez_compressed")};

struct Npz {
    Archive archive;
    const char **names;
    int count;
    zip_uint64_t *entries; // entries[n]: which entry of the archive holds names[n]
    RawKind kind;          // of the tensor that was read last
};

static bool is_tensor(const char *name)
{
    size_t length = strlen(name);
    return length >= 4 && strcmp(name + length - 4, ".npy") == 0;
}

static bool list_names(Npz *npz, size_t total, Arena *arena, Error *err)
{
    npz->names = arena_take(arena, total + 1, sizeof *npz->names, err);
    npz->entries = arena_take(arena, total, sizeof *npz->entries, err);
    if (!npz->names || !npz->entries)
        return false;
    for (size_t entry = 0; entry < total; entry++) {
        const char *name = zip_get_name(npz->archive.zip, entry, 0);
        if (!name || !is_tensor(name))
            continue;
        char *copy = arena_text(arena, name, err);
        if (!copy)
            return false;
        copy[strlen(copy) - 4] = '\0';
        npz->names[npz->count] = copy;
        npz->entries[npz->count++] = entry;
    }
    return true;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool check_duplicates(const Npz *npz, Error *err)
{
    Arena scratch = {0};
    size_t count = (size_t)npz->count;
    const char **sorted = arena_take(&scratch, count, sizeof *sorted, err);
    bool good = sorted != NULL;
    if (good) {
        memcpy(sorted, npz->names, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_texts);
    }
    for (size_t i = 1; good && i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            good = error_set(err, TELL(NPZ_TWICE), npz->archive.path, sorted[i]);
    arena_finish(&scratch);
    return good;
}

static Npz *begin(const char *path, Arena *arena, Error *err)
{
    Npz *npz = arena_take(arena, 1, sizeof *npz, err);
    if (npz)
        npz->archive = (Archive){.format = &npz_format, .path = arena_text(arena, path, err)};
    return npz && npz->archive.path ? npz : NULL;
}

// Lists the tensors of an archive that is open; closes it when that cannot be done.
static Npz *list(Npz *npz, Arena *arena, Error *err)
{
    zip_int64_t total = zip_get_num_entries(npz->archive.zip, 0);
    if (total > INT_MAX - 1)
        error_set(err, TELL(NPZ_MANY), npz->archive.path, (long long)total);
    else if (list_names(npz, (size_t)total, arena, err) && check_duplicates(npz, err))
        return npz;
    npz_close(npz);
    return NULL;
}

Npz *npz_open(const char *path, Arena *arena, Error *err)
{
    Npz *npz = begin(path, arena, err);
    return npz && archive_open(&npz->archive, err) ? list(npz, arena, err) : NULL;
}

Npz *npz_open_bytes(const unsigned char *bytes, size_t length, const char *name, Arena *arena,
                    Error *err)
{
    Npz *npz = begin(name, arena, err);
    return npz && archive_open_bytes(&npz->archive, bytes, length, err) ? list(npz, arena, err)
                                                                        : NULL;
}

const char **npz_names(const Npz *npz, int *count)
{
    *count = npz->count;
    return npz->names;
}

void npz_close(Npz *npz)
{
    if (npz)
        archive_close(&npz->archive);
}

// Inflates the header, holds the promised size against the shape, then inflates the rest.
static bool read_entry(Npz *npz, const ArchiveEntry *entry, Arena *arena, Tensor *out, Error *err)
{
    Arena scratch = {0};
    size_t first = entry->bytes < NPY_HEADER_MAX ? entry->bytes : NPY_HEADER_MAX;
    unsigned char *beginning = arena_take(&scratch, first, 1, err), *bytes = NULL;
    NpyHeader header = {.kind = RAW_OTHER};
    bool good = beginning && archive_entry_read(entry, beginning, first, err) &&
                npy_header(beginning, first, entry->label, &header, err);
    npz->kind = header.kind;
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

bool npz_read(Npz *npz, int number, Arena *arena, Tensor *out, Error *err)
{
    Arena scratch = {0};
    ArchiveEntry entry = {
        .label = arena_format(&scratch, err, "%s: %s.npy", npz->archive.path, npz->names[number])};
    bool good = entry.label &&
                archive_entry_open(&npz->archive, npz->entries[number], &entry, err) &&
                read_entry(npz, &entry, arena, out, err);
    archive_entry_close(&entry);
    arena_finish(&scratch);
    return good;
}

// The bytes of a whole entry that begins with those; NULL where it is too large, or cannot be read.
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

bool npz_words(const Npz *npz, int number, Arena *arena, FileWords *words, Error *err)
{
    Arena scratch = {0};
    Error ignored, no_memory = {.text = ""};
    ArchiveEntry entry = {.label = npz->names[number]};
    NpyWordsHeader header;
    *words = (FileWords){.words = NULL};
    bool is_open = archive_entry_open(&npz->archive, npz->entries[number], &entry, &ignored);
    size_t first = is_open && entry.bytes < NPY_HEADER_MAX ? entry.bytes : NPY_HEADER_MAX;
    unsigned char *beginning = is_open ? arena_take(&scratch, first, 1, &no_memory) : NULL;
    bool good = true;
    if (beginning && archive_entry_read(&entry, beginning, first, &ignored) &&
        npy_words_header(beginning, first, &header)) {
        unsigned char *bytes = read_whole(&entry, beginning, first, &scratch, &no_memory);
        good = !bytes || npy_words(bytes, entry.bytes, arena, words, err);
    }
    words->name = npz->names[number];
    archive_entry_close(&entry);
    arena_finish(&scratch);
    if (good && no_memory.text[0])
        *err = no_memory;
    return good && no_memory.text[0] == '\0';
}

RawKind npz_kind(const Npz *npz)
{
    return npz->kind;
}

// --- writing

// 1 January 1980 0:00, the beginning of a zip archive's time: no clock gets into the bytes.
enum { DOS_TIME = 0, DOS_DATE = 1 << 5 | 1 };

// libzip does not always say that there was no memory.
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

// One line a note.
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
    Arena arena = {0}; // the entries' bytes, which libzip reads only when the archive is closed
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
