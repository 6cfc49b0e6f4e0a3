// grading_files: see grading_files.h.
#include "grading_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "shown_name.h"

static bool is_folder(const char *path)
{
    struct stat what;
    return stat(path, &what) == 0 && S_ISDIR(what.st_mode);
}

static bool is_link(const char *path)
{
    struct stat what;
    return lstat(path, &what) == 0 && S_ISLNK(what.st_mode);
}

// A link may lead to a neighbour's files, or to ours.
static ExerciseWord refusal_of(const char *path, const char *exercises)
{
    if (is_link(path))
        return EXERCISE_SAYS_HANDED_LINK;
    if (access(path, R_OK | X_OK) != 0)
        return EXERCISE_SAYS_HANDED_CLOSED;
    if (is_link(exercises))
        return EXERCISE_SAYS_HANDED_EXERCISES_LINK;
    bool is_closed = is_folder(exercises) && access(exercises, R_OK | X_OK) != 0;
    return is_closed ? EXERCISE_SAYS_HANDED_CLOSED : EXERCISE_SAYS_COUNT;
}

// False with a sentence when there is no memory.
static bool take(Submission *submission, const char *path, const char *name, Arena *arena,
                 Error *err)
{
    const char *exercises = arena_format(arena, err, "%s/exercises", path);
    char *shown = arena_take(arena, SHOWN_NAME_GROWTH * strlen(name) + 1, 1, err);
    if (!exercises || !shown)
        return false;
    *submission = (Submission){
        .path = path, .name = shown_name(name, shown), .refusal = refusal_of(path, exercises)};
    return true;
}

Submission *submissions_find(const char *folder, int *count, Arena *arena, Error *err)
{
    struct dirent **entries;
    char *whole = realpath(folder, NULL);
    const char *root = whole ? arena_text(arena, whole, err) : NULL;
    int all = scandir(folder, &entries, NULL, alphasort);
    *count = 0;
    free(whole);
    if (all < 0 || !root) {
        error_set(err, "%s: %s", folder, strerror(errno));
        return NULL;
    }
    Submission *found = arena_take(arena, (size_t)all + 1, sizeof *found, err);
    bool good = found != NULL;
    for (int i = 0; i < all; i++) {
        const char *name = entries[i]->d_name;
        const char *path = good ? arena_format(arena, err, "%s/%s", root, name) : NULL;
        good = path != NULL;
        if (good && name[0] != '.' && is_folder(path))
            good = take(&found[(*count)++], path, name, arena, err);
        free(entries[i]);
    }
    free(entries);
    if (good && *count == 0)
        good = error_set(err, "%s has no folder in it: one for each submission is meant, unpacked",
                         folder);
    return good ? found : NULL;
}

static int is_source(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 2 && strcmp(entry->d_name + length - 2, ".c") == 0;
}

void submission_sources(const char *folder, void (*tell)(void *context, const char *name),
                        void *context)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_source, alphasort);
    for (int i = 0; i < count; i++) {
        char shown[SHOWN_NAME_GROWTH * sizeof entries[i]->d_name + 1];
        tell(context, shown_name(entries[i]->d_name, shown));
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}
