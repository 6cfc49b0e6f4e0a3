// workspace_make: making a workspace and mending one; see workspace.h.
#include "workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input_file.h"
#include "new_file.h"
#include "prose.h"
#include "lesson_words.h"
#include "written.h"

enum { FILE_BYTES_MAX = 1 << 20, BACKUPS_MAX = 10000, COMMENT_COLUMNS = 96 };

// A file that a workspace has.
typedef struct MadeFile {
    const char *path;
    const char *text;
} MadeFile;

enum { MADE_FILES_MAX = EXERCISES_MAX + 3 };

typedef struct Making {
    MadeFile files[MADE_FILES_MAX];
    int count;
    WorkspaceTell *tell;
    void *context;
    Arena arena;
    Error *err;
} Making;

// --- files

static bool write_bytes(NewFile *file, const char *text, size_t length, Error *err)
{
    FILE *out = fopen(file->temporary, "we");
    bool written = out && fwrite(text, 1, length, out) == length;
    int cause = errno; // of the first that failed: closing may fail for less
    if (out && fclose(out) != 0 && written) {
        written = false;
        cause = errno;
    }
    if (written)
        return new_file_keep(file, err);
    new_file_drop(file);
    return error_number(err, cause, TELL(CANNOT_WRITE), file->path, error_reason(cause));
}

// Writes a file that must not be there yet; a part of it never stays behind.
static bool write_new(const char *path, const char *text, size_t length, Error *err)
{
    Arena arena = {0};
    NewFile file;
    bool good =
        new_file_begin_new(&file, path, &arena, err) && write_bytes(&file, text, length, err);
    arena_finish(&arena);
    return good;
}

// Copies a file to the next free name: "scale.c.1". That name, or NULL.
static const char *keep_copy(const char *path, Arena *arena, Error *err)
{
    unsigned char *bytes;
    size_t length;
    if (!input_file_all(path, FILE_BYTES_MAX, arena, &bytes, &length, err))
        return NULL;
    for (int number = 1; number < BACKUPS_MAX; number++) {
        const char *name = arena_format(arena, err, "%s.%d", path, number);
        if (!name)
            return NULL;
        if (access(name, F_OK) == 0)
            continue;
        return write_new(name, (const char *)bytes, length, err) ? name : NULL;
    }
    error_set(err, TELL(COPIES_MANY), path, BACKUPS_MAX - 1);
    return NULL;
}

// Replaces a file whose copy is kept: whole, or not at all.
static bool replace(const char *path, const char *text, Arena *arena, Error *err)
{
    NewFile file;
    return new_file_begin(&file, path, arena, err) && write_bytes(&file, text, strlen(text), err);
}

static const char *read_text(const char *path, Arena *arena, Error *err)
{
    unsigned char *bytes;
    size_t length;
    if (!input_file_all(path, FILE_BYTES_MAX, arena, &bytes, &length, err))
        return NULL;
    return arena_format(arena, err, "%.*s", (int)length, (const char *)bytes);
}

// --- what a workspace is made of

// The file of an exercise as it is made.
static const char *stub_of(const Exercise *exercise, Arena *arena, Error *err)
{
    Written comment;
    if (!written_begin(&comment, err))
        return NULL;
    fprintf(comment.out, "// %s\n//\n", exercise->title);
    prose_print(exercise->task, "// ", COMMENT_COLUMNS, comment.out);
    const char *text = NULL;
    if (written_end(&comment, err))
        text =
            arena_format(arena, err, "%s\n%s%s", comment.text, exercise->arguments, exercise->stub);
    written_drop(&comment);
    return text;
}

static bool plan(Making *making, const char *path, const char *text)
{
    if (path && text)
        making->files[making->count++] = (MadeFile){path, text};
    return path && text;
}

static bool plan_all(Making *making, const char *folder, const ExerciseList *list,
                     Language language)
{
    Arena *arena = &making->arena;
    Error *err = making->err;
    const char *ending = language == LANGUAGE_KOREAN ? ".ko" : "", *comma = *ending ? "ko" : "en";
    const char *readme = arena_format(arena, err, "%s/workspace%s.md", list->folder, ending);
    // The mark first: what a full disk leaves unfinished, the next init finishes.
    bool good = plan(making, arena_format(arena, err, "%s/.attnscope", folder),
                     arena_format(arena, err,
                                  "# This folder was made by attnscope init.\n"
                                  "version: %d\nlanguage: %s\n",
                                  WORKSPACE_VERSION, comma)) &&
                plan(making, arena_format(arena, err, "%s/exercises/attnscope.h", folder),
                     read_text(list->header, arena, err)) &&
                plan(making, arena_format(arena, err, "%s/README.md", folder),
                     readme ? read_text(readme, arena, err) : NULL);
    for (int i = 0; good && i < list->count; i++)
        good = plan(making,
                    arena_format(arena, err, "%s/exercises/%s.c", folder, list->exercises[i].name),
                    stub_of(&list->exercises[i], arena, err));
    return good;
}

// --- making

static bool make_folder(const char *path, Error *err)
{
    struct stat about;
    if (mkdir(path, 0777) == 0)
        return true;
    if (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return true;
    return error_set(err, TELL(FOLDER_UNMADE), path,
                     errno == EEXIST ? TELL(FOLDER_IS_FILE) : error_reason(errno));
}

// In a folder that is no workspace, every file that is there is somebody else's.
static bool nothing_in_the_way(const Making *making)
{
    if (access(making->files[0].path, F_OK) == 0)
        return true;
    for (int i = 0; i < making->count; i++)
        if (access(making->files[i].path, F_OK) == 0)
            return error_set(making->err, TELL(FILE_IN_THE_WAY), making->files[i].path);
    return true;
}

static bool write_missing(const Making *making)
{
    for (int i = 0; i < making->count; i++) {
        const MadeFile *file = &making->files[i];
        if (access(file->path, F_OK) == 0)
            continue;
        if (!write_new(file->path, file->text, strlen(file->text), making->err))
            return false;
        making->tell(making->context, WORKSPACE_WROTE, file->path);
    }
    return true;
}

static bool renew(Making *making, const MadeFile *file)
{
    const char *now = read_text(file->path, &making->arena, making->err);
    if (!now)
        return false;
    if (strcmp(now, file->text) == 0)
        return true;
    const char *copy = keep_copy(file->path, &making->arena, making->err);
    if (!copy || !replace(file->path, file->text, &making->arena, making->err))
        return false;
    making->tell(making->context, WORKSPACE_KEPT, copy);
    return true;
}

static bool make_folders(Making *making, const char *folder)
{
    const char *exercises = arena_format(&making->arena, making->err, "%s/exercises", folder);
    return exercises && make_folder(folder, making->err) && make_folder(exercises, making->err);
}

bool workspace_make(const char *folder, Language language, WorkspaceTell *tell, void *context,
                    Error *err)
{
    Making making = {.tell = tell, .context = context, .err = err};
    ExerciseList list;
    if (!exercise_list_open(&list, language, err))
        return false;
    bool good = plan_all(&making, folder, &list, language) && nothing_in_the_way(&making) &&
                make_folders(&making, folder) && write_missing(&making) &&
                renew(&making, &making.files[1]);
    exercise_list_close(&list);
    arena_finish(&making.arena);
    return good;
}

// --- mending

bool workspace_reset(const Workspace *workspace, int number, WorkspaceTell *tell, void *context,
                     Error *err)
{
    Arena arena = {0};
    const char *path = workspace_path(workspace, number, &arena, err);
    const char *stub = stub_of(&workspace->exercises.exercises[number], &arena, err);
    bool good = path && stub, missing = good && access(path, F_OK) != 0;
    const char *copy = good && !missing ? keep_copy(path, &arena, err) : NULL;
    if (missing)
        good = write_new(path, stub, strlen(stub), err);
    else
        good = copy && replace(path, stub, &arena, err);
    if (good)
        tell(context, missing ? WORKSPACE_WROTE : WORKSPACE_KEPT, missing ? path : copy);
    arena_finish(&arena);
    return good;
}

bool workspace_header_differs(const Workspace *workspace)
{
    Arena arena = {0};
    Error err;
    const char *own =
        arena_format(&arena, &err, "%s%sattnscope.h", workspace->folder, workspace->files);
    const char *a = own ? read_text(own, &arena, &err) : NULL;
    const char *b = read_text(workspace->exercises.header, &arena, &err);
    bool differs = a && b && strcmp(a, b) != 0;
    arena_finish(&arena);
    return differs;
}
