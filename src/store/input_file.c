// input_file: open, fstat and pread with errors in sentences; see input_file.h.
#include "input_file.h"

#include <errno.h>
#include <fcntl.h>
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

char *input_file_text(const char *path, size_t limit, Arena *arena, Error *err)
{
    unsigned char *bytes;
    size_t length;
    if (!input_file_all(path, limit, arena, &bytes, &length, err))
        return NULL;
    char *text = arena_take(arena, length + 1, 1, err);
    for (size_t i = 0; text && i < length; i++)
        text[i] = bytes[i] ? (char)bytes[i] : ' ';
    return text;
}
