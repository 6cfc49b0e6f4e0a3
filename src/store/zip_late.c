// zip_late: stands in for libzip's functions and hands each call on; see archive.h.
//
// One line a function that archive.c, npz.c, npz.c and pt.c use. Where the system does not load libraries by
// these names (ZIP_IS_LINKED), libzip is linked as usual and this file does nothing.
#include "archive.h"

#ifdef ZIP_IS_LINKED

bool zip_late(Error *err)
{
    (void)err;
    return true;
}

#else

#include <assert.h>
#include <dlfcn.h>
#include <string.h>
#include <zip.h>
#include "library_text.h"
#include "store_words.def"

// The library, loaded once for the life of the program.
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
HAND_ON(zip_source_t *, zip_source_buffer_create,
        (const void *from, zip_uint64_t bytes, int frees, zip_error_t *err),
        (from, bytes, frees, err))
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
