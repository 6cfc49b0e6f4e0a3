// disk: see disk.h.
#define _GNU_SOURCE // O_TMPFILE
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

Disk disk;

static void count(void)
{
    if (disk.signal && disk.calls_left-- == 0)
        raise(disk.signal);
}

static int refuse(int cause)
{
    errno = cause;
    return -1;
}

int __wrap_open64(const char *name, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    bool is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = is_nameless || (flags & O_CREAT) ? va_arg(more, mode_t) : 0;
    va_end(more);
    count();
    if (is_nameless && disk.no_nameless)
        return refuse(EOPNOTSUPP);
    if (disk.refusal && (is_nameless || ((flags & O_CREAT) && strstr(name, "/here/"))))
        return refuse(disk.refusal);
    return __real_open64(name, flags, mode);
}

int __wrap_rename(const char *from, const char *to)
{
    count();
    return disk.is_mounted ? refuse(EBUSY) : __real_rename(from, to);
}

int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    count();
    if (disk.no_links)
        return refuse(EPERM);
    return __real_linkat(from_folder, from, to_folder, to, flags);
}

int __wrap_unlink(const char *name)
{
    count();
    return __real_unlink(name);
}

int __wrap_fsync(int file)
{
    count();
    if (disk.is_made)
        close(__real_open64(disk.is_made, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    return __real_fsync(file);
}

int __wrap_fchmod(int file, mode_t mode)
{
    count();
    return __real_fchmod(file, mode);
}

int __wrap_ftruncate64(int file, off_t length)
{
    count();
    return __real_ftruncate64(file, length);
}

int __wrap_posix_fallocate64(int file, off_t from, off_t bytes)
{
    count();
    return disk.is_full ? ENOSPC : __real_posix_fallocate64(file, from, bytes);
}

ssize_t __wrap_write(int file, const void *bytes, size_t length)
{
    count();
    return __real_write(file, bytes, length);
}
