// progress_exercise: checks and hints; see progress.h.
//
//   passed  scale  <digest> 10      this code passed, with 10 points
//   failed  scale  <digest> 4
//   hint    scale  2
#include "progress_internal.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 1000000 };

// --- reading

// "<digest> <points>"
static bool take_check(ProgressReader *reader, const ProgressFields *fields, bool *known,
                       Error *err)
{
    const char *space = strchr(fields->value, ' ');
    char *rest = NULL;
    long points = space ? strtol(space, &rest, 10) : -1;
    *known = points >= 0 && points <= POINTS_MAX && *rest == '\0';
    if (!*known)
        return true;
    Arena *arena = &reader->progress->arena;
    ProgressCheck *check = arena_take(arena, 1, sizeof *check, err);
    const char *digest =
        arena_format(arena, err, "%.*s", (int)(space - fields->value), fields->value);
    if (!check || !digest)
        return false;
    *check = (ProgressCheck){fields->name, digest, (int)points, strcmp(fields->word, "passed") == 0,
                             NULL};
    *reader->checks = check;
    reader->checks = &check->next;
    return true;
}

static bool take_hint(ProgressReader *reader, const ProgressFields *fields, bool *known, Error *err)
{
    ProgressHint *hint = arena_take(&reader->progress->arena, 1, sizeof *hint, err);
    if (!hint)
        return false;
    *known = true;
    *hint = (ProgressHint){fields->name, atoi(fields->value), NULL};
    *reader->hints = hint;
    reader->hints = &hint->next;
    return true;
}

bool progress_take_exercise(ProgressReader *reader, const ProgressFields *fields, bool *known,
                            Error *err)
{
    *known = false;
    if (strcmp(fields->word, "passed") == 0 || strcmp(fields->word, "failed") == 0)
        return take_check(reader, fields, known, err);
    return strcmp(fields->word, "hint") != 0 || take_hint(reader, fields, known, err);
}

const ProgressCheck *progress_check(const Progress *progress, const char *exercise,
                                    const char *digest)
{
    const ProgressCheck *check = progress->checks;
    while (check && (strcmp(check->exercise, exercise) != 0 || strcmp(check->digest, digest) != 0))
        check = check->next;
    return check;
}

bool progress_has_passed(const Progress *progress, const char *exercise)
{
    const ProgressCheck *check = progress->checks;
    while (check && !(check->passed && strcmp(check->exercise, exercise) == 0))
        check = check->next;
    return check != NULL;
}

int progress_hint(const Progress *progress, const char *exercise)
{
    const ProgressHint *hint = progress->hints;
    while (hint && strcmp(hint->exercise, exercise) != 0)
        hint = hint->next;
    return hint ? hint->level : 0;
}

// --- writing

void progress_write_exercises(const Progress *progress, FILE *out)
{
    for (const ProgressCheck *check = progress->checks; check; check = check->next)
        fprintf(out, "%s\t%s\t%s %d\n", check->passed ? "passed" : "failed", check->exercise,
                check->digest, check->points);
    for (const ProgressHint *hint = progress->hints; hint; hint = hint->next)
        fprintf(out, "hint\t%s\t%d\n", hint->exercise, hint->level);
}
