// new_file: see new_file.h.
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 100 };

static bool begins_with(const char *path, const char *beginning)
{
    return strncmp(path, beginning, strlen(beginning)) == 0;
}

// /dev/stdout may lead to a plain file that others write to as well; /dev/shm holds plain files of
// its own.
bool new_file_is_stream(const char *path)
{
    struct stat status;
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

static const char *folder_of_temporaries(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && folder[0] == '/' ? folder : "/tmp";
}

bool new_file_begin(NewFile *file, const char *path, Arena *arena, Error *err)
{
    *file = (NewFile){.path = path, .target = path};
    const char *beside = arena_format(arena, err, "%s/attnscope", folder_of_temporaries());
    if (!new_file_is_stream(path))
        beside = file->target = follow_links(path, arena, err);
    if (!beside)
        return false;
    for (int turn = 0; turn < NAMES_TRIED; turn++) {
        file->temporary = arena_format(arena, err, "%s.%ld-%d.new", beside, (long)getpid(), turn);
        if (!file->temporary)
            return false;
        int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            close(descriptor);
            return true;
        }
        if (errno != EEXIST)
            break;
    }
    return error_set(err, "cannot write %s: %s", path, strerror(errno));
}

static bool sync_bytes(const char *path)
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

// The new name lasts through a power cut only when the folder is on the disk too. Some file systems
// cannot be asked; the file is whole either way, so that is no error.
static void sync_folder(NewFile *file)
{
    char folder[4096];
    if (snprintf(folder, sizeof folder, "%s", file->target) < (int)sizeof folder)
        sync_bytes(dirname(folder));
}

static bool copy_bytes(FILE *from, FILE *to)
{
    char bytes[4096];
    size_t count;
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, count, to) != count)
            return false;
    return !ferror(from) && fflush(to) == 0;
}

// What is open here already is shared, with the place in it: what somebody writes next comes behind.
static int open_stream(const char *path)
{
    int number = -1;
    if (strcmp(path, "/dev/stdout") == 0)
        number = STDOUT_FILENO;
    else if (strcmp(path, "/dev/stderr") == 0)
        number = STDERR_FILENO;
    else if (sscanf(path, "/dev/fd/%d", &number) != 1)
        sscanf(path, "/proc/self/fd/%d", &number);
    return number >= 0 ? dup(number) : open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

static bool keep_in_stream(NewFile *file, Error *err)
{
    int descriptor = open_stream(file->path);
    FILE *from = fopen(file->temporary, "rbe");
    FILE *to = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    bool copied = from && to && copy_bytes(from, to);
    int cause = errno;
    if (from)
        fclose(from);
    if (to)
        fclose(to);
    else if (descriptor >= 0)
        close(descriptor);
    new_file_drop(file);
    return copied || error_set(err, "cannot write %s: %s", file->path, strerror(cause));
}

bool new_file_keep(NewFile *file, Error *err)
{
    if (new_file_is_stream(file->path))
        return keep_in_stream(file, err);
    if (!sync_bytes(file->temporary) || rename(file->temporary, file->target) != 0) {
        error_set(err, "cannot write %s: %s", file->path, strerror(errno));
        new_file_drop(file);
        return false;
    }
    sync_folder(file);
    return true;
}

void new_file_drop(NewFile *file)
{
    unlink(file->temporary);
}
