// new_file_copy: see new_file_copy.h.
#include "new_file_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int to, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t wrote = write(to, bytes, count);
        if (wrote < 0 && errno != EINTR)
            return false;
        bytes += wrote > 0 ? wrote : 0;
        count -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

static bool copy_bytes(int from, int to)
{
    char bytes[32768];
    ssize_t got;
    while ((got = read(from, bytes, sizeof bytes)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || !write_all(to, bytes, (size_t)got))
            return false;
    }
    return true;
}

static void close_both(int one, int other)
{
    int cause = errno;
    if (one >= 0)
        close(one);
    if (other >= 0)
        close(other);
    errno = cause;
}

int new_file_copy_number(const char *path)
{
    int number = -1;
    if (strcmp(path, "/dev/stdout") == 0)
        number = STDOUT_FILENO;
    else if (strcmp(path, "/dev/stderr") == 0)
        number = STDERR_FILENO;
    else if (sscanf(path, "/dev/fd/%d", &number) != 1)
        sscanf(path, "/proc/self/fd/%d", &number);
    return number;
}

static int open_stream(const char *path)
{
    int number = new_file_copy_number(path);
    return number >= 0 ? dup(number) : open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

bool new_file_copy_into_stream(const char *path, const char *stream)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = from >= 0 ? open_stream(stream) : -1;
    bool copied = to >= 0 && copy_bytes(from, to);
    close_both(from, to);
    return copied;
}

// Taken before a byte changes: a disk that is full leaves the old file whole.
static bool make_room(int to, off_t old, off_t new)
{
    int failure = new > old ? posix_fallocate(to, old, new - old) : 0;
    if (failure == 0)
        return true;
    int shrunk = ftruncate(to, old); // whatever of it was taken
    (void)shrunk;
    errno = failure;
    return false;
}

static bool copy_over(int from, int to)
{
    struct stat old, new;
    return fstat(from, &new) == 0 && fstat(to, &old) == 0 &&
           make_room(to, old.st_size, new.st_size) && copy_bytes(from, to) &&
           ftruncate(to, new.st_size) == 0 && fsync(to) == 0;
}

bool new_file_copy_over(const char *path, const char *file)
{
    sigset_t all, before;
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = from >= 0 ? open(file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool copied = to >= 0 && copy_over(from, to);
    int cause = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = cause;
    close_both(from, to);
    return copied;
}
