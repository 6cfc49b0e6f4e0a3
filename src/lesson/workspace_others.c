// workspace_others: files that are clearly an exercise's, under another name than its own; see workspace.h.
#include "workspace.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "exercise_name.h"
#include "input_file.h"

// A file that may be an exercise's.
typedef struct Candidate {
    const char *name;
    bool is_stub; // as it was handed out
    long version; // as its name says it
    long long changed;
} Candidate;

static bool look_at(const Workspace *workspace, int number, const char *name, Candidate *found,
                    bool *is_there, Error *err)
{
    struct stat what;
    Arena arena = {0};
    const char *path =
        arena_format(&arena, err, "%s%s%s", workspace->folder, workspace->files, name);
    *is_there = path && lstat(path, &what) == 0;
    if (*is_there)
        *found = (Candidate){.name = name,
                             .is_stub = S_ISREG(what.st_mode) &&
                                        workspace_is_stub(workspace, number, path),
                             .version = exercise_name_version(name),
                             .changed = (long long)what.st_mtime};
    arena_finish(&arena);
    return path;
}

// Whether `other` is meant rather than `one`, which stands before it by name; `why` for whoever loses.
static bool is_meant(const Candidate *one, const Candidate *other, ExerciseWord *why)
{
    *why = EXERCISE_SAYS_HANDED_NOT_STUB;
    if (one->is_stub != other->is_stub)
        return one->is_stub;
    *why = EXERCISE_SAYS_HANDED_VERSION;
    if (one->version != other->version)
        return other->version > one->version;
    *why = EXERCISE_SAYS_HANDED_CHANGED_LAST;
    if (one->changed != other->changed)
        return other->changed > one->changed;
    *why = EXERCISE_SAYS_HANDED_FIRST;
    return false;
}

// Takes one more file that is clearly this exercise's. That of the exercise's own name comes first: only
// where it is the stub another one may be meant.
static bool take(Workspace *workspace, const char *name, Candidate best[EXERCISES_MAX], Error *err)
{
    int number = exercise_name_find(&workspace->exercises, name);
    WorkspaceOther *other = number < 0 ? NULL : &workspace->others[number];
    Candidate now = {.name = NULL}, *known = &best[number < 0 ? 0 : number];
    bool is_there = false;
    if (number < 0 || (known->name && workspace_is_own(workspace, number, name)))
        return true;
    const char *kept = arena_text(&workspace->arena, name, err);
    if (!kept || !look_at(workspace, number, kept, &now, &is_there, err))
        return false;
    if (!is_there)
        return true;
    if (!known->name) {
        *known = now;
    } else if (workspace_is_own(workspace, number, known->name) &&
               (!known->is_stub || now.is_stub)) {
        return true;
    } else if (is_meant(known, &now, &other->why)) {
        other->passed_over = known->name;
        *known = now;
    } else {
        other->passed_over = now.name;
    }
    bool is_own = workspace_is_own(workspace, number, known->name);
    other->name = is_own ? NULL : known->name;
    return true;
}

bool workspace_file_defines(const char *path, const ExerciseList *list, bool defined[EXERCISES_MAX])
{
    Arena arena = {0};
    Error err;
    const char *dot = strrchr(path, '.');
    bool is_source = dot && strcasecmp(dot, ".c") == 0, any = false;
    const char *text = is_source ? input_file_text(path, WORKSPACE_BYTES_MAX, &arena, &err) : NULL;
    for (int i = 0; i < list->count; i++) {
        defined[i] = text && exercise_name_defines(text, list->exercises[i].name);
        any = any || defined[i];
    }
    arena_finish(&arena);
    return any;
}

// Of files that are called otherwise the first that defines the function.
static bool take_defining(Workspace *workspace, const char *name, Error *err)
{
    bool defined[EXERCISES_MAX];
    const char *path =
        arena_format(&workspace->arena, err, "%s%s%s", workspace->folder, workspace->files, name);
    const char *kept = path ? arena_text(&workspace->arena, name, err) : NULL;
    if (!kept || !workspace_file_defines(path, &workspace->exercises, defined))
        return kept;
    for (int i = 0; i < workspace->exercises.count; i++)
        if (defined[i] && !workspace->others[i].name)
            workspace->others[i].name = kept;
    return true;
}

static bool is_any_named(const Workspace *workspace, const Candidate best[EXERCISES_MAX])
{
    bool is_any = false;
    for (int i = 0; i < workspace->exercises.count; i++)
        is_any = is_any || best[i].name;
    return is_any;
}

// The file of an exercise's own name is known before any other is looked at.
static bool take_own(Workspace *workspace, Candidate best[EXERCISES_MAX], Error *err)
{
    for (int i = 0; i < workspace->exercises.count; i++) {
        bool is_there = false;
        const char *name =
            arena_format(&workspace->arena, err, "%s.c", workspace->exercises.exercises[i].name);
        if (!name || !look_at(workspace, i, name, &best[i], &is_there, err))
            return false;
    }
    return true;
}

bool workspace_is_own(const Workspace *workspace, int number, const char *name)
{
    const char *own = workspace->exercises.exercises[number].name;
    size_t length = strlen(own);
    return strncmp(name, own, length) == 0 && strcmp(name + length, ".c") == 0;
}

bool workspace_find_others(Workspace *workspace, Error *err)
{
    Candidate best[EXERCISES_MAX] = {{.name = NULL}};
    struct dirent **entries = NULL;
    const char *folder =
        arena_format(&workspace->arena, err, "%s%s", workspace->folder, workspace->files);
    int count = folder ? scandir(folder, &entries, NULL, alphasort) : 0;
    bool good = folder && take_own(workspace, best, err);
    if (count < 0) { // one that is closed is as if it were empty
        error_number(err, errno, "%s: %s", folder, error_reason(errno));
        return !err->of_machine;
    }
    for (int i = 0; i < count; i++) // what macOS and editors hide is nobody's work: ._scale.c
        good =
            good && (*entries[i]->d_name == '.' || take(workspace, entries[i]->d_name, best, err));
    int texts = is_any_named(workspace, best) ? 0 : count;
    for (int i = 0; i < texts && i < WORKSPACE_TEXTS_MAX; i++)
        good = good &&
               (*entries[i]->d_name == '.' || take_defining(workspace, entries[i]->d_name, err));
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return good;
}

const char *workspace_path(const Workspace *workspace, int number, Arena *arena, Error *err)
{
    const char *other = workspace->others[number].name;
    return arena_format(arena, err, "%s%s%s%s", workspace->folder, workspace->files,
                        other ? other : workspace->exercises.exercises[number].name,
                        other ? "" : ".c");
}
