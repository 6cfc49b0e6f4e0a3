// new_file: see new_file.h.
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_TRIED = 100 };

bool new_file_begin(NewFile *file, const char *path, Arena *arena, Error *err)
{
    *file = (NewFile){.path = path};
    for (int turn = 0; turn < NAMES_TRIED; turn++) {
        file->temporary = arena_format(arena, err, "%s.%ld-%d.new", path, (long)getpid(), turn);
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
    if (snprintf(folder, sizeof folder, "%s", file->path) < (int)sizeof folder)
        sync_bytes(dirname(folder));
}

bool new_file_keep(NewFile *file, Error *err)
{
    if (!sync_bytes(file->temporary) || rename(file->temporary, file->path) != 0) {
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
