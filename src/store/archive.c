// Reads and writes zip archives with libzip; see archive.h.
#include "archive.h"

#include <string.h>
#include <dlfcn.h>
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "arena.h"
#include "input_file.h"
#include "store_words.def"
#include "words.h"

// --- reading

// Deflate's best ratio: one bit for a length of 258, one for its distance.
enum { INFLATION_MAX = 1032 };

bool archive_open(Archive *archive, Error *err)
{
    int descriptor = zip_late(err) ? input_file_open(archive->path, &archive->file_bytes, err) : -1;
    if (descriptor < 0)
        return false;
    // Without memory for the directory, libzip reports a damaged archive. An entry takes at least 76 bytes in the file,
    // and some 250 in memory.
    enum { BESIDE = 512 << 10, GROWTH = 4 };
    size_t bytes = archive->file_bytes;
    if (!room_ahead(BESIDE + (bytes < ROOM_AHEAD_MOST ? bytes * GROWTH : ROOM_AHEAD_MOST))) {
        close(descriptor);
        return error_machine(err, TELL(ARCHIVE_MEMORY), archive->path);
    }
    int code = ZIP_ER_NOZIP;
    archive->zip = archive->file_bytes > 0 ? zip_fdopen(descriptor, 0, &code) : NULL;
    if (!archive->zip) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        error_set(err, TELL(ARCHIVE_NOT), archive->path, archive->format->what,
                  archive->file_bytes > 0 ? library_text("libzip", zip_error_strerror(&error))
                                          : TELL(ARCHIVE_EMPTY),
                  archive->format->writer);
        zip_error_fini(&error);
        close(descriptor);
    }
    return archive->zip != NULL;
}

void archive_close(Archive *archive)
{
    if (archive->zip)
        zip_discard(archive->zip);
    archive->zip = NULL;
}

// Checks what the directory says of an entry, before inflating it.
static bool check_entry(const Archive *archive, zip_uint64_t index, ArchiveEntry *entry, Error *err)
{
    const zip_uint64_t needed =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    zip_stat_t about;
    if (zip_stat_index(archive->zip, index, 0, &about) != 0 || (about.valid & needed) != needed)
        return error_set(err, TELL(ARCHIVE_SIZELESS), entry->label);
    if (about.encryption_method != ZIP_EM_NONE)
        return error_set(err, TELL(ARCHIVE_ENCRYPTED), entry->label);
    if (about.comp_method != ZIP_CM_STORE && about.comp_method != ZIP_CM_DEFLATE)
        return error_set(err, TELL(ARCHIVE_METHOD), entry->label, about.comp_method,
                         words_tell(archive->format->writers));
    if (about.comp_size > archive->file_bytes)
        return error_set(err, TELL(ARCHIVE_TAKES), entry->label,
                         (unsigned long long)about.comp_size, archive->file_bytes);
    zip_uint64_t best = about.comp_method == ZIP_CM_STORE ? 1 : INFLATION_MAX;
    if (about.size / best > about.comp_size || about.size > PTRDIFF_MAX)
        return error_set(err, TELL(ARCHIVE_BECOMES), entry->label,
                         (unsigned long long)about.comp_size, (unsigned long long)about.size);
    entry->bytes = (size_t)about.size;
    return true;
}

bool archive_entry_read(const ArchiveEntry *entry, unsigned char *bytes, size_t count, Error *err)
{
    for (size_t done = 0; done < count;) {
        zip_int64_t got = zip_fread(entry->file, bytes + done, count - done);
        if (got < 0)
            return error_set(err, TELL(ARCHIVE_AGAIN), entry->label,
                             library_text("libzip", zip_file_strerror(entry->file)));
        if (got == 0)
            return error_set(err, TELL(ARCHIVE_ENDS), entry->label, count - done);
        done += (size_t)got;
    }
    return true;
}

bool archive_entry_ends(const ArchiveEntry *entry, Error *err)
{
    unsigned char byte;
    zip_int64_t got = zip_fread(entry->file, &byte, 1);
    if (got < 0)
        return error_set(err, TELL(ARCHIVE_AGAIN), entry->label,
                         library_text("libzip", zip_file_strerror(entry->file)));
    return got == 0 || error_set(err, TELL(ARCHIVE_LONGER), entry->label);
}

bool archive_entry_open(const Archive *archive, zip_uint64_t index, ArchiveEntry *entry, Error *err)
{
    if (!check_entry(archive, index, entry, err))
        return false;
    entry->file = zip_fopen_index(archive->zip, index, 0);
    return entry->file || error_set(err, TELL(ARCHIVE_AGAIN), entry->label,
                                    library_text("libzip", zip_strerror(archive->zip)));
}

void archive_entry_close(ArchiveEntry *entry)
{
    if (entry->file)
        zip_fclose(entry->file);
    entry->file = NULL;
}

// --- writing; nothing is ever read back, because libzip creates a new archive

typedef struct Sink {
    FILE *file;
    zip_uint64_t length; // bytes written so far
    zip_error_t error;
} Sink;

static zip_int64_t fail(Sink *sink, int zip)
{
    zip_error_set(&sink->error, zip, errno);
    return -1;
}

static zip_int64_t answer(void *state, void *data, zip_uint64_t bytes, zip_source_cmd_t command)
{
    Sink *sink = state;
    zip_int64_t to;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_WRITE:
        if (fwrite(data, 1, bytes, sink->file) != bytes)
            return fail(sink, ZIP_ER_WRITE);
        to = ftello(sink->file);
        sink->length = (zip_uint64_t)to > sink->length ? (zip_uint64_t)to : sink->length;
        return (zip_int64_t)bytes;
    case ZIP_SOURCE_SEEK_WRITE:
        to = zip_source_seek_compute_offset((zip_uint64_t)ftello(sink->file), sink->length, data,
                                            bytes, &sink->error);
        return to < 0 ? -1 : fseeko(sink->file, to, SEEK_SET) == 0 ? 0 : fail(sink, ZIP_ER_SEEK);
    case ZIP_SOURCE_TELL_WRITE:
        return ftello(sink->file);
    case ZIP_SOURCE_COMMIT_WRITE:
        return fflush(sink->file) == 0 ? 0 : fail(sink, ZIP_ER_WRITE);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&sink->error, data, bytes);
    case ZIP_SOURCE_FREE:
        free(sink);
        return 0;
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_CLOSE:
        return 0;
    case ZIP_SOURCE_STAT:
        errno = ENOENT; // tells libzip that there is no archive yet
        return fail(sink, ZIP_ER_READ);
    default:
        errno = ENOTSUP;
        return fail(sink, ZIP_ER_OPNOTSUPP);
    }
}

zip_t *npz_sink_open(FILE *file, Error *err)
{
    zip_error_t error;
    zip_error_init(&error);
    Sink *sink = calloc(1, sizeof *sink);
    zip_source_t *source = NULL;
    zip_t *archive = NULL;
    if (sink) {
        sink->file = file;
        zip_error_init(&sink->error);
        source = zip_source_function_create(answer, sink, &error);
    }
    if (source)
        archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (!archive)
        error_set(err, "%s",
                  sink ? library_text("libzip", zip_error_strerror(&error)) : TELL(SINK_NO_MEMORY));
    if (!archive && source)
        zip_source_free(source); // frees the sink too
    else if (!archive)
        free(sink);
    zip_error_fini(&error);
    return archive;
}

// --- loading libzip late
//
// Wrappers for the functions of libzip that archive.c, npy.c and pt.c use. Where libraries cannot be loaded by name
// (ZIP_IS_LINKED), libzip is linked as usual.

#ifdef ZIP_IS_LINKED

bool zip_late(Error *err)
{
    (void)err;
    return true;
}

#else

// The library, loaded once.
static void *library(void)
{
    static void *loaded;
    static const char *const names[] = {"libzip.so.5", "libzip.so.4", "libzip.so"};
    for (size_t i = 0; !loaded && i < sizeof names / sizeof *names; i++)
        loaded = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    return loaded;
}

bool zip_late(Error *err)
{
    return library() || error_set(err, TELL(ZIP_LATE), library_text("시스템", dlerror()));
}

static void *find(const char *name)
{
    void *function = library() ? dlsym(library(), name) : NULL;
    assert(function);
    return function;
}

#define HAND_ON(Result, name, parameters, arguments) \
    Result name parameters \
    { \
        Result(*function) parameters; \
        void *found = find(#name); \
        memcpy(&function, &found, sizeof function); \
        return function arguments; \
    }
#define HAND_ON_SILENT(name, parameters, arguments) \
    void name parameters \
    { \
        void(*function) parameters; \
        void *found = find(#name); \
        memcpy(&function, &found, sizeof function); \
        function arguments; \
    }

HAND_ON(zip_t *, zip_fdopen, (int file, int flags, int *err), (file, flags, err))
HAND_ON(zip_t *, zip_open_from_source, (zip_source_t * source, int flags, zip_error_t *err),
        (source, flags, err))
HAND_ON(zip_source_t *, zip_source_function_create,
        (zip_source_callback call, void *state, zip_error_t *error), (call, state, error))
HAND_ON(int, zip_close, (zip_t * zip), (zip))
HAND_ON_SILENT(zip_discard, (zip_t * zip), (zip))
HAND_ON(const char *, zip_strerror, (zip_t * zip), (zip))
HAND_ON(zip_int64_t, zip_get_num_entries, (zip_t * zip, zip_flags_t flags), (zip, flags))
HAND_ON(zip_int64_t, zip_name_locate, (zip_t * zip, const char *name, zip_flags_t flags),
        (zip, name, flags))
HAND_ON(const char *, zip_get_name, (zip_t * zip, zip_uint64_t entry, zip_flags_t flags),
        (zip, entry, flags))
HAND_ON(int, zip_stat_index, (zip_t * zip, zip_uint64_t entry, zip_flags_t flags, zip_stat_t *out),
        (zip, entry, flags, out))

HAND_ON(zip_file_t *, zip_fopen_index, (zip_t * zip, zip_uint64_t entry, zip_flags_t flags),
        (zip, entry, flags))
HAND_ON(zip_int64_t, zip_fread, (zip_file_t * file, void *to, zip_uint64_t bytes),
        (file, to, bytes))
HAND_ON(int, zip_fclose, (zip_file_t * file), (file))
HAND_ON(const char *, zip_file_strerror, (zip_file_t * file), (file))

HAND_ON(zip_source_t *, zip_source_buffer,
        (zip_t * zip, const void *from, zip_uint64_t bytes, int frees), (zip, from, bytes, frees))
HAND_ON_SILENT(zip_source_free, (zip_source_t * source), (source))
HAND_ON(zip_int64_t, zip_file_add,
        (zip_t * zip, const char *name, zip_source_t *source, zip_flags_t flags),
        (zip, name, source, flags))
HAND_ON(int, zip_set_archive_comment, (zip_t * zip, const char *text, zip_uint16_t length),
        (zip, text, length))
HAND_ON(int, zip_set_file_compression,
        (zip_t * zip, zip_uint64_t entry, zip_int32_t method, zip_uint32_t flags),
        (zip, entry, method, flags))
HAND_ON(int, zip_file_set_dostime,
        (zip_t * zip, zip_uint64_t entry, zip_uint16_t time, zip_uint16_t date, zip_flags_t flags),
        (zip, entry, time, date, flags))

HAND_ON_SILENT(zip_error_init, (zip_error_t * error), (error))
HAND_ON_SILENT(zip_error_set, (zip_error_t * error, int zip, int system), (error, zip, system))
HAND_ON(zip_int64_t, zip_error_to_data, (const zip_error_t *error, void *data, zip_uint64_t room),
        (error, data, room))
HAND_ON(zip_int64_t, zip_source_seek_compute_offset,
        (zip_uint64_t at, zip_uint64_t length, void *data, zip_uint64_t bytes, zip_error_t *error),
        (at, length, data, bytes, error))
HAND_ON(zip_error_t *, zip_get_error, (zip_t * zip), (zip))
HAND_ON(int, zip_error_code_zip, (const zip_error_t *error), (error))
HAND_ON_SILENT(zip_error_init_with_code, (zip_error_t * error, int code), (error, code))
HAND_ON(const char *, zip_error_strerror, (zip_error_t * error), (error))
HAND_ON_SILENT(zip_error_fini, (zip_error_t * error), (error))

#endif
