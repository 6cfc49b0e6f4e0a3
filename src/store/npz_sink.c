// npz_sink: see npz_sink.h. Nothing is ever read back: what libzip asks for is a new archive.
#include "npz_sink.h"
#include "library_text.h"

#include <errno.h>
#include <stdlib.h>
#include "store_words.h"

typedef struct Sink {
    FILE *file;
    zip_uint64_t length; // written so far
    zip_error_t error;
} Sink;

static zip_int64_t fail(Sink *sink, int zip)
{
    zip_error_set(&sink->error, zip, errno);
    return -1;
}

static zip_int64_t write_bytes(Sink *sink, const void *bytes, zip_uint64_t count)
{
    if (fwrite(bytes, 1, count, sink->file) != count)
        return fail(sink, ZIP_ER_WRITE);
    zip_uint64_t end = (zip_uint64_t)ftello(sink->file);
    sink->length = end > sink->length ? end : sink->length;
    return (zip_int64_t)count;
}

// Where libzip wants to write next.
static zip_int64_t seek_to(Sink *sink, void *data, zip_uint64_t bytes)
{
    zip_int64_t to = zip_source_seek_compute_offset((zip_uint64_t)ftello(sink->file), sink->length,
                                                    data, bytes, &sink->error);
    return to < 0 ? -1 : fseeko(sink->file, to, SEEK_SET) == 0 ? 0 : fail(sink, ZIP_ER_SEEK);
}

static zip_int64_t answer(void *state, void *data, zip_uint64_t bytes, zip_source_cmd_t command)
{
    Sink *sink = state;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_WRITE:
        return write_bytes(sink, data, bytes);
    case ZIP_SOURCE_SEEK_WRITE:
        return seek_to(sink, data, bytes);
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
        errno = ENOENT; // in these very words libzip is told that there is no archive yet
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
        zip_source_free(source); // the sink with it
    else if (!archive)
        free(sink);
    zip_error_fini(&error);
    return archive;
}
