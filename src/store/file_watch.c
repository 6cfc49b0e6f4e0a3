// file_watch: see file_watch.h.
#include "file_watch.h"

#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#if defined __linux__
#include <sys/inotify.h>
#endif
#include "input_file.h"

enum {
    FILE_BYTES_MAX = 4 << 20,
    PROBE_MILLISECONDS = 200,
    POLL_MILLISECONDS = 400,
    NOTIFIED_MILLISECONDS = 2000,
    SETTLE_MILLISECONDS = 30, // an editor that writes in two goes is done by then
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

// Takes what came, and tells whether something did.
static bool drain(int descriptor)
{
    char events[4096];
    bool came = false;
    while (descriptor >= 0 && read(descriptor, events, sizeof events) > 0)
        came = true;
    return came;
}

// Writes a file beside the watched one, takes it away, and waits for the news of it.
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
        watch->way = FILE_WATCH_NOTIFIED;
        return;
    }
    close(watch->descriptor);
    watch->descriptor = -1;
}

// --- bytes

// "" where there is no file, or none that can be read.
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
    *watch = (FileWatch){.way = FILE_WATCH_POLLED, .descriptor = -1};
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
    return watch->way == FILE_WATCH_NOTIFIED ? NOTIFIED_MILLISECONDS : POLL_MILLISECONDS;
}

bool file_watch_changed(FileWatch *watch)
{
    char digest[DIGEST_TEXT_MAX];
    bool notified = drain(watch->descriptor);
    look(watch, digest);
    bool differs = digest[0] && strcmp(digest, watch->digest) != 0;
    bool settled = differs && strcmp(digest, watch->pending) == 0;
    // Found by looking, and nobody had told: here nobody will.
    if (differs && !watch->pending[0] && !notified)
        watch->way = FILE_WATCH_POLLED;
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
