// grading_files: see grading_files.h.
#include "grading_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "exercise_name.h"
#include "shown_name.h"

static bool ends_as_source(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && strcasecmp(name + length - 2, ".c") == 0;
}

// "scale.c.txt" too.
static int may_be_source(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcasestr(entry->d_name, ".c") != NULL;
}

// Whether a file that is told of is the one of that name in the folder that comes first.
static bool is_file(const Grading *grading, const char *told, const char *name)
{
    const char *files = grading->workspace.files;
    size_t length = told && strchr(told, '/') ? strlen(files) : 0;
    return told && strncmp(told, files, length) == 0 && strcmp(told + length, name) == 0;
}

// Whether it was judged, or passed over with a note of its own.
static bool is_judged(const Grading *grading, const char *name)
{
    int number = exercise_name_find(&grading->workspace.exercises, name);
    for (int i = 0; i < grading->workspace.exercises.count; i++) {
        const WorkspaceOther *other = &grading->workspace.others[i];
        if (is_file(grading, other->name, name) || is_file(grading, other->passed_over, name))
            return true;
    }
    return number >= 0 && !grading->workspace.others[number].name &&
           workspace_is_own(&grading->workspace, number, name);
}

// Whether an exercise before this one, of those that are asked for, has the same file.
static bool was_told(const Grading *grading, int number)
{
    const char *name = grading->workspace.others[number].name;
    for (int i = grading->first; i < number; i++) {
        const char *other = grading->workspace.others[i].name;
        if (grading_asks(grading, i) && other && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

// The exercise that was meant by a name that is none, and has no file; -1: none.
static int meant(const Grading *grading, const char *name)
{
    WorkspaceFile file;
    Error err;
    int number = exercise_name_near(&grading->workspace.exercises, name);
    bool is_missing = number >= 0 && workspace_look(&grading->workspace, number, &file, &err) &&
                      file.state == WORKSPACE_MISSING;
    return is_missing ? number : -1;
}

// A file that may be misnamed, or (`is_near` false) one of no exercise; for a format of all notes it is both.
static void tell_one(Grading *grading, const char *name, bool is_near, int *count)
{
    Arena arena = {0};
    Error err;
    int number = meant(grading, name);
    bool is_other = ends_as_source(name) && (number < 0 || grading->format->has_all_notes);
    if (is_near ? number < 0 : !is_other)
        return;
    char *shown = arena_take(&arena, SHOWN_NAME_GROWTH * strlen(name) + 1, 1, &err);
    const char *what = shown ? shown_name(name, shown) : NULL;
    if (what && is_near)
        what = arena_format(&arena, &err, "%s -> %s.c", shown,
                            grading->workspace.exercises.exercises[number].name);
    bool is_copy = !grading->format->has_all_notes &&
                   exercise_name_find(&grading->workspace.exercises, name) >= 0;
    if (what)
        grading_tell_note_of(grading,
                             is_near   ? EXERCISE_SAYS_GRADE_NEAR
                             : is_copy ? EXERCISE_SAYS_HANDED_BESIDE
                                       : EXERCISE_SAYS_GRADE_NO_EXERCISE,
                             what, (*count)++);
    grading->is_whole = grading->is_whole && what;
    arena_finish(&arena);
}

static void tell_kind(Grading *grading, struct dirent *entries[], int count, bool is_near)
{
    int told = 0;
    for (int i = 0; i < count; i++)
        if (!is_judged(grading, entries[i]->d_name))
            tell_one(grading, entries[i]->d_name, is_near, &told);
    grading_tell_more(grading, told);
}

// Which file stands for an exercise whose own is not there, and why no other does.
static void tell_other(Grading *grading, const WorkspaceOther *other)
{
    Arena arena = {0};
    Error err;
    const char *names[2] = {other->name, other->passed_over ? other->passed_over : ""};
    for (int i = 0; i < 2; i++) {
        char *room = arena_take(&arena, SHOWN_NAME_GROWTH * strlen(names[i]) + 1, 1, &err);
        names[i] = room ? shown_name(names[i], room) : NULL;
    }
    bool is_whole = names[0] && names[1];
    bool is_plain = other->is_own && !other->passed_over; // in a folder of its own
    GradingNote note = {EXERCISE_SAYS_HANDED_NAMED, names[0], {names[1]}};
    if (other->passed_over)
        note.word = other->why;
    if (is_whole && !is_plain && grading->format->note)
        grading->format->note(grading, &note);
    grading->is_whole = grading->is_whole && is_whole;
    arena_finish(&arena);
}

void grading_tell_files(Grading *grading, const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, may_be_source, alphasort);
    if (count < 0 && (errno == ENOMEM || errno == EMFILE || errno == ENFILE))
        grading->is_whole = false;
    for (int i = grading->first; i < grading->end; i++)
        if (grading_asks(grading, i) && grading->workspace.others[i].name && !was_told(grading, i))
            tell_other(grading, &grading->workspace.others[i]);
    tell_kind(grading, entries, count, true);
    tell_kind(grading, entries, count, false);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}
