// A file that is written whole or not at all; see new_file.h.
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store_words.def"

// --- the bytes of a file into what stays itself

// The descriptor that a path means by its name (/dev/stdout, /dev/fd/3), whether or not the system has
// such a name; -1: none.
int new_file_copy_number(const char *path);

// What is open here already (/dev/stdout, /dev/fd/3) is shared, with the place in it: what somebody
// writes next comes behind.
bool new_file_copy_into_stream(const char *from, const char *stream);

// Over a file's bytes. It is as it was when there is no room for the new ones. Signals wait.
bool new_file_copy_over(const char *from, const char *file);

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

// --- a new file

static bool begins_with(const char *path, const char *beginning)
{
    return strncmp(path, beginning, strlen(beginning)) == 0;
}

// /dev/stdout may lead to a plain file that others write to as well, or be missing in a /dev that
// somebody made by hand; /dev/shm holds plain files of its own.
bool new_file_is_stream(const char *path)
{
    struct stat status;
    if (new_file_copy_number(path) >= 0)
        return true;
    if ((begins_with(path, "/dev/") && !begins_with(path, "/dev/shm/")) ||
        begins_with(path, "/proc/"))
        return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// The path itself where nothing is there yet.
static const char *follow_links(const char *path, Arena *arena, Error *err)
{
    char *real = realpath(path, NULL);
    const char *target = real ? arena_text(arena, real, err) : path;
    free(real);
    return target;
}

// --- beginning

// A file that the system forgets by itself when this program ends, however it ends. Only where what
// it is to be called by whoever writes it can be opened.
static bool begin_nameless(NewFile *file, const char *folder, mode_t mode)
{
#ifdef O_TMPFILE
    file->nameless = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (file->nameless < 0)
        return false;
    Error unsaid;
    file->temporary = arena_format(file->arena, &unsaid, "/proc/self/fd/%d", file->nameless);
    if (file->temporary && access(file->temporary, R_OK | W_OK) == 0)
        return true;
    close(file->nameless);
    file->nameless = -1;
#else
    (void)file, (void)folder, (void)mode;
#endif
    return false;
}

static bool begin_named(NewFile *file, const char *folder, mode_t mode)
{
    bool made = temporary_file(&file->named, folder, mode);
    file->temporary = file->named.path;
    return made;
}

static bool begin_beside(NewFile *file)
{
    mode_t mode = file->is_there ? 0600 : 0666; // what replaces a private file is never open to all
    if (begin_nameless(file, file->folder, mode) || begin_named(file, file->folder, mode))
        return true;
    bool may_write = file->is_there && S_ISREG(file->old.st_mode) &&
                     (errno == EACCES || errno == EPERM || errno == EROFS);
    int cause = errno;
    if (may_write && access(file->target, W_OK) == 0) {
        file->in_place = true;
        return begin_named(file, temporary_place(), mode);
    }
    errno = cause;
    return false;
}

bool new_file_begin(NewFile *file, const char *path, Arena *arena, Error *err)
{
    *file = (NewFile){.path = path, .target = path, .nameless = -1, .arena = arena};
    file->is_stream = new_file_is_stream(path);
    if (!file->is_stream)
        file->target = follow_links(path, arena, err);
    char *copy = file->target ? arena_text(arena, file->target, err) : NULL;
    if (!copy)
        return false;
    file->folder = file->is_stream ? temporary_place() : dirname(copy);
    file->is_there = !file->is_stream && stat(file->target, &file->old) == 0;
    file->in_place = file->is_there && S_ISREG(file->old.st_mode) && file->old.st_nlink > 1;
    temporary_sweep(file->folder, true);
    bool begun = file->is_stream ? begin_named(file, file->folder, 0600) : begin_beside(file);
    return begun || error_set(err, TELL(FILE_UNWRITTEN), path, error_reason(errno));
}

bool new_file_begin_new(NewFile *file, const char *path, Arena *arena, Error *err)
{
    struct stat about;
    *file = (NewFile){.nameless = -1};
    if (lstat(path, &about) == 0)
        return error_set(err, TELL(FILE_UNWRITTEN), path, error_reason(EEXIST));
    bool begun = new_file_begin(file, path, arena, err);
    file->only_new = true;
    return begun;
}

// --- keeping

static bool sync_path(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool good = fsync(descriptor) == 0;
    int cause = errno;
    close(descriptor);
    errno = cause;
    return good;
}

// Who may read it stays as it was. Another's file in a shared folder becomes this person's, where the
// system lets nobody give files away.
static void take_on_rights(const NewFile *file)
{
    int descriptor = file->nameless >= 0 ? file->nameless : file->named.descriptor;
    const struct stat *old = &file->old;
    if (!file->is_there)
        return;
    bool owned = fchown(descriptor, old->st_uid, old->st_gid) == 0 ||
                 fchown(descriptor, (uid_t)-1, old->st_gid) == 0;
    (void)owned;
    fchmod(descriptor, old->st_mode & 0777);
}

// A second name for the bytes, which no file system gives twice; some give none at all.
static bool take_new_place(NewFile *file)
{
    const char *from = file->nameless >= 0 ? file->temporary : file->named.path;
    if (linkat(AT_FDCWD, from, AT_FDCWD, file->target, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (errno == EEXIST || file->nameless >= 0 || access(file->target, F_OK) == 0 ||
        rename(file->named.path, file->target) != 0)
        return false;
    temporary_forget(&file->named);
    return true;
}

static bool take_place(NewFile *file)
{
    if (file->only_new)
        return take_new_place(file);
    if (!file->is_there && file->nameless >= 0 &&
        linkat(AT_FDCWD, file->temporary, AT_FDCWD, file->target, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (file->nameless >= 0 && !temporary_name(&file->named, file->nameless, file->folder))
        return false;
    if (rename(file->named.path, file->target) != 0)
        return false;
    temporary_forget(&file->named);
    return true;
}

// What is mounted by itself (a file lent to a container) cannot be replaced, but written.
static bool put(NewFile *file)
{
    if (file->in_place)
        return new_file_copy_over(file->temporary, file->target);
    take_on_rights(file);
    if (take_place(file))
        return true;
    return errno == EBUSY && file->is_there && new_file_copy_over(file->temporary, file->target);
}

bool new_file_keep(NewFile *file, Error *err)
{
    bool kept = file->is_stream ? new_file_copy_into_stream(file->temporary, file->path)
                                : sync_path(file->temporary) && put(file);
    if (!kept)
        error_set(err, TELL(FILE_UNWRITTEN), file->path, error_reason(errno));
    // The new name lasts through a power cut only when the folder is on the disk too. Some file
    // systems cannot be asked; the file is whole either way, so that is no error.
    else if (!file->is_stream)
        sync_path(file->folder);
    new_file_drop(file);
    return kept;
}

void new_file_drop(NewFile *file)
{
    if (file->nameless >= 0)
        close(file->nameless);
    file->nameless = -1;
    temporary_drop(&file->named);
}
