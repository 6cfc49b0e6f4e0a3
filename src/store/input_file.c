// input_file: open, fstat and pread with errors in sentences; see input_file.h.
#include "input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store_words.h"

int input_file_open(const char *path, size_t *length, Error *err)
{
    // Without O_NONBLOCK a named pipe would wait here for a writer that never comes.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        error_number(err, errno, TELL(FILE_UNOPENED), path, error_reason(errno));
    } else if (S_ISDIR(about.st_mode)) {
        error_set(err, TELL(FILE_IS_FOLDER), path);
    } else if (!S_ISREG(about.st_mode)) {
        error_set(err, TELL(FILE_NOT_PLAIN), path);
    } else {
        *length = (size_t)about.st_size;
        return descriptor;
    }
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

bool input_file_read(int descriptor, const char *path, size_t offset, unsigned char *bytes,
                     size_t count, Error *err)
{
    for (size_t done = 0; done < count;) {
        ssize_t got = pread(descriptor, bytes + done, count - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_number(err, errno, TELL(FILE_UNREAD), path, error_reason(errno));
        if (got == 0)
            return error_set(err, TELL(FILE_ENDS), path, offset + done, count - done);
        done += (size_t)got;
    }
    return true;
}

bool input_file_all(const char *path, size_t limit, Arena *arena, unsigned char **bytes,
                    size_t *length, Error *err)
{
    int descriptor = input_file_open(path, length, err);
    if (descriptor < 0)
        return false;
    bool good = *length <= limit;
    if (!good)
        error_set(err, TELL(FILE_LARGE), path, *length, limit);
    good = good && (*bytes = arena_take(arena, *length, 1, err)) &&
           input_file_read(descriptor, path, 0, *bytes, *length, err);
    close(descriptor);
    return good;
}

// --- text in UTF-16

// The unit of UTF-16 at a place; 0 behind the end.
static uint32_t unit_at(const unsigned char *bytes, size_t length, size_t at, bool is_big)
{
    if (at + 1 >= length)
        return 0;
    return is_big ? (uint32_t)bytes[at] << 8 | bytes[at + 1]
                  : (uint32_t)bytes[at + 1] << 8 | bytes[at];
}

static size_t put(uint32_t character, unsigned char *out)
{
    if (character < 0x80) {
        out[0] = (unsigned char)character;
        return 1;
    }
    size_t more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    out[0] = (unsigned char)(first[more] | character >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        out[i] = (unsigned char)(0x80 | (character >> 6 * (more - i) & 0x3F));
    return more + 1;
}

// Half of a pair of surrogates becomes U+FFFD.
static size_t narrow(const unsigned char *bytes, size_t length, bool is_big, unsigned char *out)
{
    size_t used = 0;
    for (size_t at = 2; at + 1 < length; at += 2) {
        uint32_t unit = unit_at(bytes, length, at, is_big);
        uint32_t next = unit_at(bytes, length, at + 2, is_big);
        bool is_pair = unit >> 10 == 0x36 && next >> 10 == 0x37, is_half = unit >> 11 == 0x1B;
        at += is_pair ? 2 : 0;
        used += put(is_pair   ? 0x10000 + ((unit & 0x3FF) << 10 | (next & 0x3FF))
                    : is_half ? 0xFFFD
                              : unit,
                    out + used);
    }
    return used;
}

bool input_file_source(const char *path, size_t limit, Arena *arena, unsigned char **bytes,
                       size_t *length, Error *err)
{
    enum { GROWTH = 2 }; // two bytes become three at most
    if (!input_file_all(path, limit, arena, bytes, length, err))
        return false;
    const unsigned char *from = *bytes;
    bool is_little = *length >= 2 && from[0] == 0xFF && from[1] == 0xFE;
    bool is_big = *length >= 2 && from[0] == 0xFE && from[1] == 0xFF;
    bool is_longer = is_little && *length >= 4 && from[2] == 0 && from[3] == 0; // UTF-32
    if ((!is_little && !is_big) || is_longer)
        return true;
    *bytes = arena_take(arena, GROWTH * *length, 1, err);
    if (*bytes)
        *length = narrow(from, *length, is_big, *bytes);
    return *bytes;
}

bool input_file_is_wide(const unsigned char *bytes, size_t length)
{
    enum { LOOKED_AT = 4096, LEAST = 8 };
    size_t nothing = 0, looked = length < LOOKED_AT ? length : LOOKED_AT;
    for (size_t i = 0; i < looked; i++)
        nothing += bytes[i] == 0;
    return looked >= LEAST && nothing > looked / 3;
}

char *input_file_text(const char *path, size_t limit, Arena *arena, Error *err)
{
    unsigned char *bytes;
    size_t length;
    if (!input_file_source(path, limit, arena, &bytes, &length, err))
        return NULL;
    char *text = arena_take(arena, length + 1, 1, err);
    for (size_t i = 0; text && i < length; i++)
        text[i] = bytes[i] ? (char)bytes[i] : ' ';
    return text;
}
