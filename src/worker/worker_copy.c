// worker_copy: see worker_copy.h.
#include "worker_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input_file.h"
#include "worker_words.h"

enum { DEPTH_MAX = 6, ENTRIES_MAX = 4096, COPY_BYTES_MAX = 2 << 20 };

// Whether a canonical path lies in a canonical folder.
static bool lies_in(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || strcmp(folder, "/") == 0);
}

// Why what a link leads to cannot be one of the submission's.
static const char *link_refusal(const WorkerCopy *copy, const char *path)
{
    struct stat about;
    char whole[PATH_MAX];
    if (!realpath(path, whole) || stat(whole, &about) != 0)
        return TELL(COPY_LINK_NOWHERE);
    if (!lies_in(copy->root, whole))
        return TELL(COPY_LINK_OUT);
    return S_ISDIR(about.st_mode) ? TELL(COPY_LINK_FOLDER) : NULL;
}

// Why the file of this path, in a folder of the submission, cannot be one of it; NULL: it can.
// `is_folder` is set for one that is to be looked into.
static const char *refusal_of(const WorkerCopy *copy, const char *path, bool *is_folder)
{
    struct stat about;
    *is_folder = false;
    if (lstat(path, &about) != 0)
        return TELL(COPY_UNREADABLE);
    const char *refusal = S_ISLNK(about.st_mode) ? link_refusal(copy, path) : NULL;
    if (refusal)
        return refusal;
    if (stat(path, &about) != 0)
        return TELL(COPY_UNREADABLE);
    *is_folder = S_ISDIR(about.st_mode);
    if (!*is_folder && !S_ISREG(about.st_mode))
        return TELL(COPY_NO_TEXT);
    return !*is_folder && about.st_size > COPY_FILE_BYTES_MAX ? TELL(COPY_LARGE) : NULL;
}

static bool add(WorkerCopy *copy, const char *path, const char *refusal, Error *err)
{
    const char *kept = arena_text(&copy->arena, path, err);
    if (kept && copy->count < COPY_FILES_MAX)
        copy->files[copy->count++] = (CopyFile){.path = kept, .refusal = refusal};
    return kept != NULL;
}

// Notes all files below a folder ("exercises/", ""), but for hidden ones and too many.
static bool look_into(WorkerCopy *copy, const char *below, int depth, int *entries, Error *err)
{
    const char *path = arena_format(&copy->arena, err, "%s/%s", copy->root, below);
    DIR *folder = path ? opendir(path) : NULL;
    bool good = path != NULL;
    if (path && !folder) {
        error_number(err, errno, TELL(CANNOT_OPEN), path, error_reason(errno));
        return !err->of_machine; // one that is closed to whoever checks is as if it were not there
    }
    for (struct dirent *entry; good && folder && (entry = readdir(folder)) != NULL;) {
        bool is_folder;
        if (entry->d_name[0] == '.' || ++*entries > ENTRIES_MAX)
            continue;
        const char *name = arena_format(&copy->arena, err, "%s%s", below, entry->d_name);
        path = name ? arena_format(&copy->arena, err, "%s/%s", copy->root, name) : NULL;
        good = path != NULL;
        const char *refusal = good ? refusal_of(copy, path, &is_folder) : NULL;
        if (good && is_folder) {
            name = arena_format(&copy->arena, err, "%s/", name);
            good = name && (depth == DEPTH_MAX || look_into(copy, name, depth + 1, entries, err));
        } else if (good && strcmp(name, copy->files[0].path) != 0) {
            good = add(copy, name, refusal, err);
        }
    }
    if (folder)
        closedir(folder);
    return good;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Makes a file one that belongs. One that cannot be read is refused from now on; `err` says whether this
// machine could not.
static bool take(WorkerCopy *copy, CopyFile *file, Error *err)
{
    const char *path = arena_format(&copy->arena, err, "%s/%s", copy->root, file->path);
    file->belongs = path && input_file_source(path, COPY_FILE_BYTES_MAX, &copy->arena, &file->bytes,
                                              &file->length, err);
    if (!file->belongs)
        file->refusal = TELL(COPY_UNREADABLE);
    return file->belongs;
}

// Takes what is named in the text of this file. False when this machine could not read it.
static bool search(WorkerCopy *copy, CopyFile *file, Error *err)
{
    file->was_searched = true;
    for (int i = 0; i < copy->count; i++) {
        CopyFile *named = &copy->files[i];
        const char *name = name_of(named->path);
        if (named->belongs || named->refusal || copy->bytes >= COPY_BYTES_MAX ||
            !memmem(file->bytes, file->length, name, strlen(name)))
            continue;
        if (take(copy, named, err))
            copy->bytes += named->length;
        else if (err->of_machine)
            return false;
    }
    return true;
}

// Takes what is named in what was taken, until nothing more is.
static bool take_named(WorkerCopy *copy, Error *err)
{
    for (int i = 0; i < copy->count; i++)
        if (copy->files[i].belongs && !copy->files[i].was_searched) {
            if (!search(copy, &copy->files[i], err))
                return false;
            i = -1; // from the beginning: it may have named what was passed over
        }
    return true;
}

// Splits the source's path into the submission's folder, canonical and as it is shown, and the rest.
static bool place_source(WorkerCopy *copy, const WorkerBuild *build, Error *err)
{
    const char *name = name_of(build->source);
    size_t length = (size_t)(name - build->source);
    if (build->root && strncmp(build->source, build->root, strlen(build->root)) == 0)
        length = strlen(build->root);
    while (build->source[length] == '/')
        length++;
    copy->shown = arena_format(&copy->arena, err, "%.*s", (int)length, build->source);
    if (!copy->shown)
        return false;
    char root[PATH_MAX];
    if (!realpath(length > 0 ? copy->shown : ".", root))
        return error_number(err, errno, TELL(CANNOT_OPEN), copy->shown, error_reason(errno));
    copy->root = arena_text(&copy->arena, root, err);
    return copy->root && add(copy, build->source + length, NULL, err);
}

static bool leads_out(const WorkerCopy *copy, const char *path)
{
    char whole[PATH_MAX];
    return !realpath(path, whole) || !lies_in(copy->root, whole);
}

bool worker_copy_open(WorkerCopy *copy, const WorkerBuild *build, Error *err)
{
    bool is_folder = false;
    int entries = 0;
    copy->count = 0;
    copy->bytes = 0;
    copy->arena = (Arena){0};
    if (!place_source(copy, build, err))
        return false;
    const char *path = arena_format(&copy->arena, err, "%s/%s", copy->root, copy->files[0].path);
    if (!path)
        return false;
    const char *refusal = refusal_of(copy, path, &is_folder);
    if (!refusal && leads_out(copy, path))
        refusal = TELL(COPY_BEHIND_LINK);
    if (refusal || is_folder)
        return error_set(err, TELL(COPY_REFUSED), copy->shown, copy->files[0].path,
                         refusal ? refusal : TELL(COPY_FOLDER));
    if (!take(copy, &copy->files[0], err))
        return false;
    if (input_file_is_wide(copy->files[0].bytes, copy->files[0].length))
        return error_set(err, TELL(COPY_REFUSED), copy->shown, copy->files[0].path,
                         TELL(COPY_WIDE));
    return look_into(copy, "", 0, &entries, err) && take_named(copy, err);
}

void worker_copy_close(WorkerCopy *copy)
{
    arena_finish(&copy->arena);
    copy->count = 0;
}

// --- looking things up

const CopyFile *worker_copy_find(const WorkerCopy *copy, const char *path)
{
    for (int i = 0; i < copy->count; i++)
        if (strcmp(copy->files[i].path, path) == 0)
            return &copy->files[i];
    return NULL;
}

const CopyFile *worker_copy_refused(const WorkerCopy *copy, const char *path)
{
    for (int i = 0; i < copy->count; i++) {
        const CopyFile *file = &copy->files[i];
        size_t length = strlen(file->path);
        if (file->refusal && strncmp(path, file->path, length) == 0 &&
            (path[length] == '\0' || path[length] == '/'))
            return file;
    }
    return NULL;
}

// --- writing

// Makes the folders that lead to a file: "FOLDER/exercises/" for "FOLDER/exercises/scale.c".
static void make_folders(char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static bool write_file(const char *path, const CopyFile *file, Error *err)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t done = 0;
    for (ssize_t wrote = 0; descriptor >= 0 && wrote >= 0 && done < file->length;
         done += (size_t)wrote)
        if ((wrote = write(descriptor, file->bytes + done, file->length - done)) < 0)
            break;
    bool good = descriptor >= 0 && done == file->length;
    if (!good)
        error_set(err, TELL(CANNOT_WRITE), path, error_reason(errno));
    if (descriptor >= 0 && close(descriptor) != 0)
        good = error_set(err, TELL(CANNOT_WRITE), path, error_reason(errno));
    return good;
}

bool worker_copy_write(const WorkerCopy *copy, const char *folder, Error *err)
{
    Arena arena = {0};
    bool good = true;
    for (int i = 0; good && i < copy->count; i++) {
        if (!copy->files[i].belongs)
            continue;
        char *path = arena_format(&arena, err, "%s/%s", folder, copy->files[i].path);
        good = path != NULL;
        if (good)
            make_folders(path, strlen(folder) + 1);
        good = good && write_file(path, &copy->files[i], err);
    }
    arena_finish(&arena);
    return good;
}
