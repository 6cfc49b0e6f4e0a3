// npz_write: tensors as an archive of .npy entries; see npz.h.
#include "npz.h"
#include "library_text.h"
#include "npy.h"
#include "npz_sink.h"
#include "zip_late.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>
#include "store_words.h"

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
