// Opens, reads and watches users' files; see input_file.h.
#include "input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store_words.def"
#include "utf8.h"
#if defined __linux__
#include <sys/inotify.h>
#endif

// --- opening and reading

int input_file_open(const char *path, size_t *length, Error *err)
{
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
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

// --- UTF-16

// The UTF-16 unit at an offset; 0 past the end.
static uint32_t unit_at(const unsigned char *bytes, size_t length, size_t at, bool is_big)
{
    if (at + 1 >= length)
        return 0;
    return is_big ? (uint32_t)bytes[at] << 8 | bytes[at + 1]
                  : (uint32_t)bytes[at + 1] << 8 | bytes[at];
}

// An unpaired surrogate becomes U+FFFD.
static size_t narrow(const unsigned char *bytes, size_t length, bool is_big, unsigned char *out)
{
    size_t used = 0;
    for (size_t at = 2; at + 1 < length; at += 2) {
        uint32_t unit = unit_at(bytes, length, at, is_big);
        uint32_t next = unit_at(bytes, length, at + 2, is_big);
        bool is_pair = unit >> 10 == 0x36 && next >> 10 == 0x37, is_half = unit >> 11 == 0x1B;
        at += is_pair ? 2 : 0;
        used += character_put(is_pair   ? 0x10000 + ((unit & 0x3FF) << 10 | (next & 0x3FF))
                              : is_half ? 0xFFFD
                                        : unit,
                              (char *)out + used);
    }
    return used;
}

bool input_file_source(const char *path, size_t limit, Arena *arena, unsigned char **bytes,
                       size_t *length, Error *err)
{
    enum { GROWTH = 2 }; // two bytes become at most three
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

// --- watching

enum {
    FILE_BYTES_MAX = 4 << 20,
    PROBE_MILLISECONDS = 200,
    POLL_MILLISECONDS = 400,
    NOTIFIED_MILLISECONDS = 2000,
    SETTLE_MILLISECONDS = 30, // enough for an editor that writes twice
};

// --- notifications

#if defined __linux__

static int notify_open(const char *folder)
{
    int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (descriptor >= 0 &&
        inotify_add_watch(descriptor, folder, IN_CLOSE_WRITE | IN_MOVED_TO | IN_MODIFY) < 0) {
        close(descriptor);
        descriptor = -1;
    }
    return descriptor;
}

#else

static int notify_open(const char *folder)
{
    (void)folder;
    return -1;
}

#endif

// Reads the notifications; returns true if there were any.
static bool drain(int descriptor)
{
    char events[4096];
    bool came = false;
    while (descriptor >= 0 && read(descriptor, events, sizeof events) > 0)
        came = true;
    return came;
}

// Writes a file next to the watched one, removes it, and waits for the notification.
static bool probe(int descriptor, const char *folder, Arena *arena)
{
    Error err;
    const char *path = arena_format(arena, &err, "%s/.attnscope-probe-%ld", folder, (long)getpid());
    int file = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (file < 0)
        return false;
    bool wrote = write(file, "?", 1) == 1;
    close(file);
    unlink(path);
    struct pollfd waits = {.fd = descriptor, .events = POLLIN};
    return wrote && poll(&waits, 1, PROBE_MILLISECONDS) == 1 && drain(descriptor);
}

static void start_notifications(FileWatch *watch, Arena *arena)
{
    Error err;
    char *copy = arena_text(arena, watch->path, &err);
    const char *folder = copy ? dirname(copy) : NULL;
    watch->descriptor = folder ? notify_open(folder) : -1;
    if (watch->descriptor < 0)
        return;
    if (probe(watch->descriptor, folder, arena)) {
        drain(watch->descriptor);
        watch->mode = FILE_WATCH_NOTIFIED;
        return;
    }
    close(watch->descriptor);
    watch->descriptor = -1;
}

// --- the file's bytes

// "" if there is no readable file.
static void look(const FileWatch *watch, char digest[DIGEST_TEXT_MAX])
{
    Arena arena = {0};
    Error err;
    unsigned char *bytes;
    size_t length;
    digest[0] = '\0';
    if (input_file_all(watch->path, FILE_BYTES_MAX, &arena, &bytes, &length, &err))
        bytes_digest(bytes, length, digest);
    arena_finish(&arena);
}

bool file_watch_open(FileWatch *watch, const char *path, bool may_notify, Arena *arena, Error *err)
{
    *watch = (FileWatch){.mode = FILE_WATCH_POLLED, .descriptor = -1};
    watch->path = arena_text(arena, path, err);
    if (!watch->path)
        return false;
    if (may_notify)
        start_notifications(watch, arena);
    look(watch, watch->digest);
    return true;
}

int file_watch_milliseconds(const FileWatch *watch)
{
    if (watch->pending[0])
        return SETTLE_MILLISECONDS;
    return watch->mode == FILE_WATCH_NOTIFIED ? NOTIFIED_MILLISECONDS : POLL_MILLISECONDS;
}

bool file_watch_changed(FileWatch *watch)
{
    char digest[DIGEST_TEXT_MAX];
    bool notified = drain(watch->descriptor);
    look(watch, digest);
    bool differs = digest[0] && strcmp(digest, watch->digest) != 0;
    bool settled = differs && strcmp(digest, watch->pending) == 0;
    // Found by polling without a notification: there are none here.
    if (differs && !watch->pending[0] && !notified)
        watch->mode = FILE_WATCH_POLLED;
    strcpy(watch->pending, differs && !settled ? digest : "");
    if (settled)
        strcpy(watch->digest, digest);
    return settled;
}

void file_watch_close(FileWatch *watch)
{
    if (watch->descriptor >= 0)
        close(watch->descriptor);
    watch->descriptor = -1;
}
