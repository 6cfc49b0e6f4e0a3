// Checks and hints that are noted in the file of progress; see progress.h.
#include "progress_internal.h"

#include <string.h>

enum { PASSED_KEPT = 20 };

// Whether an older check is still worth a line next to the new one.
static bool is_kept(const ProgressCheck *old, const ProgressCheck *noted, int *passed)
{
    if (strcmp(old->exercise, noted->exercise) != 0)
        return true;
    if (strcmp(old->digest, noted->digest) == 0 || !old->passed)
        return false;
    return ++*passed <= PASSED_KEPT;
}

static bool put_check(Progress *progress, const void *what, Error *err)
{
    const ProgressCheck *noted = what;
    ProgressCheck *check = arena_take(&progress->arena, 1, sizeof *check, err);
    if (!check)
        return false;
    int passed = 0;
    for (ProgressCheck **at = &progress->checks; *at;)
        if (is_kept(*at, noted, &passed))
            at = &(*at)->next;
        else
            *at = (*at)->next;
    *check = *noted;
    check->next = progress->checks;
    progress->checks = check;
    return true;
}

bool progress_note_check(const char *path, const ProgressCheck *check, Error *err)
{
    return progress_change(path, put_check, check, err);
}

static bool put_hint(Progress *progress, const void *what, Error *err)
{
    const ProgressHint *noted = what;
    ProgressHint *hint = progress->hints;
    while (hint && strcmp(hint->exercise, noted->exercise) != 0)
        hint = hint->next;
    if (!hint) {
        hint = arena_take(&progress->arena, 1, sizeof *hint, err);
        if (!hint)
            return false;
        *hint = (ProgressHint){noted->exercise, 0, progress->hints};
        progress->hints = hint;
    }
    hint->level = noted->level > hint->level ? noted->level : hint->level;
    return true;
}

bool progress_note_hint(const char *path, const char *exercise, int level, Error *err)
{
    ProgressHint noted = {exercise, level, NULL};
    return progress_change(path, put_hint, &noted, err);
}
