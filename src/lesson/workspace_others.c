// workspace_others: files that are clearly an exercise's, under another name than its own; see workspace.h.
#include "workspace.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "exercise_name.h"

static bool has_own(const Workspace *workspace, int number, bool *has, Error *err)
{
    struct stat what;
    Arena arena = {0};
    const char *path = workspace_path(workspace, number, &arena, err);
    *has = path && lstat(path, &what) == 0;
    arena_finish(&arena);
    return path;
}

static bool take(Workspace *workspace, const char *name, int found[EXERCISES_MAX], Error *err)
{
    int number = exercise_name_find(&workspace->exercises, name);
    bool has = false;
    if (number < 0)
        return true;
    if (found[number]++ == 0) {
        if (!has_own(workspace, number, &has, err))
            return false;
        workspace->others[number] = has ? NULL : arena_text(&workspace->arena, name, err);
        return has || workspace->others[number];
    }
    workspace->others[number] = NULL; // which of two is meant is not clear
    return true;
}

bool workspace_find_others(Workspace *workspace, Error *err)
{
    int found[EXERCISES_MAX] = {0};
    struct dirent **entries = NULL;
    const char *folder =
        arena_format(&workspace->arena, err, "%s%s", workspace->folder, workspace->files);
    int count = folder ? scandir(folder, &entries, NULL, alphasort) : 0;
    bool good = folder != NULL;
    if (count < 0) { // one that is closed is as if it were empty
        error_number(err, errno, "%s: %s", folder, error_reason(errno));
        return !err->of_machine;
    }
    for (int i = 0; i < count; i++) {
        good = good && take(workspace, entries[i]->d_name, found, err);
        free(entries[i]);
    }
    free(entries);
    return good;
}

const char *workspace_path(const Workspace *workspace, int number, Arena *arena, Error *err)
{
    const char *other = workspace->others[number];
    return arena_format(arena, err, "%s%s%s%s", workspace->folder, workspace->files,
                        other ? other : workspace->exercises.exercises[number].name,
                        other ? "" : ".c");
}
