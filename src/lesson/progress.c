// Reads and writes a user's progress; see progress.h. Its lines:
//   seen    01-idea  first          this page was seen, or its question answered
//   passed  scale    <digest> 10    this code passed, with 10 points
//   failed  scale    <digest> 4
//   hint    scale    2
#include "progress.h"
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lesson_words.def"
#include "state_file.h"

enum { POINTS_MAX = 1000000, PASSED_KEPT = 20 };

static const char version_word[] = "attnscope", version_name[] = "progress";

static const char *const marks[PAGE_MARKS] = {
    [PAGE_UNSEEN] = "unseen", [PAGE_SEEN] = "seen",   [PAGE_WRONG] = "wrong",
    [PAGE_LATER] = "later",   [PAGE_RIGHT] = "right",
};

const char *progress_path(Arena *arena, Error *err)
{
    char path[STATE_PATH_MAX];
    return state_file_path("progress", path, err) ? arena_text(arena, path, err) : NULL;
}

// --- reading

// "<digest> <points>": cuts off the points. Returns false for any other value.
static bool take_points(char *value, int *points)
{
    char *space = strchr(value, ' '), *rest = NULL;
    long number = space ? strtol(space, &rest, 10) : -1;
    if (number < 0 || number > POINTS_MAX || *rest != '\0')
        return false;
    *space = '\0';
    *points = (int)number;
    return true;
}

// Takes the three fields of a line. An unknown word leaves it as it is.
static void take_fields(const char *word, const char *name, char *value, ProgressLine *line)
{
    bool passed = strcmp(word, "passed") == 0;
    if (passed || strcmp(word, "failed") == 0) {
        line->kind = take_points(value, &line->number) ? PROGRESS_CHECK : PROGRESS_OTHER;
        line->passed = passed;
    } else if (strcmp(word, "hint") == 0) {
        line->kind = PROGRESS_HINT;
        line->number = atoi(value);
        value += strlen(value);
    }
    for (int mark = 0; mark < PAGE_MARKS; mark++)
        if (strcmp(marks[mark], word) == 0) {
            line->kind = PROGRESS_PAGE;
            line->number = mark;
        }
    line->name = name;
    line->key = value;
}

// Reads a line; the one with the version is none. NULL and err without memory.
static ProgressLine *take_line(Progress *progress, const StateLine *from, Error *err)
{
    ProgressLine *line = arena_take(&progress->arena, 1, sizeof *line, err);
    char *word = line ? arena_text(&progress->arena, from->text, err) : NULL;
    if (!word)
        return NULL;
    char *name = strchr(word, '\t'), *value = name ? strchr(name + 1, '\t') : NULL;
    *line = (ProgressLine){.kind = PROGRESS_OTHER,
                           .is_broken = !from->is_text || !name,
                           .text = from->text,
                           .length = from->length};
    if (!from->is_text || !value || strchr(value + 1, '\t'))
        return line;
    *name++ = *value++ = '\0';
    if (strcmp(word, version_word) == 0 && strcmp(name, version_name) == 0) {
        progress->version = atoi(value);
        line->kind = PROGRESS_KINDS;
    } else {
        take_fields(word, name, value, line);
    }
    return line;
}

bool progress_read(Progress *progress, const char *path, Error *err)
{
    StateText text;
    *progress = (Progress){.lines = NULL};
    ProgressLine **end = &progress->lines;
    bool good = state_file_read(path, &progress->arena, &text, err);
    for (int i = 0; good && i < text.count; i++) {
        ProgressLine *line = take_line(progress, &text.lines[i], err);
        good = line != NULL;
        if (good && line->kind != PROGRESS_KINDS) {
            *end = line;
            end = &line->next;
        }
    }
    return good;
}

void progress_finish(Progress *progress)
{
    Arena arena = progress->arena;
    *progress = (Progress){.lines = NULL};
    arena_finish(&arena);
}

// --- looking up

// The first line from here on of this kind; `name` and `key`: NULL for any.
static const ProgressLine *find(const ProgressLine *line, ProgressKind kind, const char *name,
                                const char *key)
{
    while (line && (line->kind != kind || (name && strcmp(line->name, name) != 0) ||
                    (key && strcmp(line->key, key) != 0)))
        line = line->next;
    return line;
}

PageMark progress_mark(const Progress *progress, const char *lecture, const char *page)
{
    const ProgressLine *line = find(progress->lines, PROGRESS_PAGE, lecture, page);
    return line ? (PageMark)line->number : PAGE_UNSEEN;
}

const ProgressLine *progress_last(const Progress *progress, ProgressKind kind, const char *name)
{
    return find(progress->lines, kind, name, NULL);
}

const ProgressLine *progress_check(const Progress *progress, const char *exercise,
                                   const char *digest)
{
    return find(progress->lines, PROGRESS_CHECK, exercise, digest);
}

bool progress_has_passed(const Progress *progress, const char *exercise)
{
    const ProgressLine *check = find(progress->lines, PROGRESS_CHECK, exercise, NULL);
    while (check && !check->passed)
        check = find(check->next, PROGRESS_CHECK, exercise, NULL);
    return check != NULL;
}

int progress_hint(const Progress *progress, const char *exercise)
{
    const ProgressLine *hint = find(progress->lines, PROGRESS_HINT, exercise, NULL);
    return hint ? hint->number : 0;
}

// --- writing

static bool write_all(const void *what, FILE *out, Error *err)
{
    (void)err;
    const Progress *progress = what;
    int version = progress->version > PROGRESS_VERSION ? progress->version : PROGRESS_VERSION;
    fprintf(out, "%s\t%s\t%d\n", version_word, version_name, version);
    for (ProgressKind kind = 0; kind < PROGRESS_KINDS; kind++)
        for (const ProgressLine *line = progress->lines; line; line = line->next)
            if (line->kind == kind) {
                fwrite(line->text, 1, line->length, out);
                fputc('\n', out);
            }
    return true;
}

// Changes a progress in memory.
typedef bool ProgressChange(Progress *progress, const void *what, Error *err);

// Reads the file, applies `change` and replaces it, under the lock.
static bool progress_change(const char *path, ProgressChange *change, const void *what, Error *err)
{
    Progress progress = {.lines = NULL};
    int lock = state_file_lock(path, err);
    bool good = lock >= 0 && progress_read(&progress, path, err) && change(&progress, what, err) &&
                new_file_write(path, write_all, &progress, err);
    state_file_unlock(lock);
    progress_finish(&progress);
    return good;
}

// --- recording

// True if the new line replaces the old one: of the same page, code or exercise. Of other code only the newest
// that passed stays.
static bool is_replaced(const ProgressLine *old, const ProgressLine *noted, int *passed)
{
    if (old->kind != noted->kind || strcmp(old->name, noted->name) != 0)
        return false;
    if (strcmp(old->key, noted->key) == 0)
        return true;
    return noted->kind == PROGRESS_CHECK && (!old->passed || ++*passed > PASSED_KEPT);
}

static const char *text_of(const ProgressLine *line, Arena *arena, Error *err)
{
    if (line->kind == PROGRESS_CHECK)
        return arena_format(arena, err, "%s\t%s\t%s %d", line->passed ? "passed" : "failed",
                            line->name, line->key, line->number);
    if (line->kind == PROGRESS_HINT)
        return arena_format(arena, err, "hint\t%s\t%d", line->name, line->number);
    return arena_format(arena, err, "%s\t%s\t%s", marks[line->number], line->name, line->key);
}

// Puts a line first. A page's mark and an exercise's hint never decrease.
static bool put_line(Progress *progress, const void *what, Error *err)
{
    const ProgressLine *noted = what;
    ProgressLine *line = arena_take(&progress->arena, 1, sizeof *line, err);
    int passed = 0;
    if (!line)
        return false;
    *line = *noted;
    for (ProgressLine **at = &progress->lines; *at;)
        if (is_replaced(*at, noted, &passed)) {
            if (noted->kind != PROGRESS_CHECK && (*at)->number > line->number)
                line->number = (*at)->number;
            *at = (*at)->next;
        } else {
            at = &(*at)->next;
        }
    line->next = progress->lines;
    progress->lines = line;
    line->text = text_of(line, &progress->arena, err);
    line->length = line->text ? strlen(line->text) : 0;
    return line->text != NULL;
}

bool progress_note(const char *path, const char *lecture, const char *page, PageMark mark,
                   Error *err)
{
    const ProgressLine noted = {
        .kind = PROGRESS_PAGE, .name = lecture, .key = page, .number = (int)mark};
    return progress_change(path, put_line, &noted, err);
}

bool progress_note_check(const char *path, const ProgressLine *check, Error *err)
{
    ProgressLine noted = *check;
    noted.kind = PROGRESS_CHECK;
    return progress_change(path, put_line, &noted, err);
}

bool progress_note_hint(const char *path, const char *exercise, int level, Error *err)
{
    const ProgressLine noted = {
        .kind = PROGRESS_HINT, .name = exercise, .key = "", .number = level};
    return progress_change(path, put_line, &noted, err);
}

// --- setting broken lines aside

// Opens a file for appending only.
static FILE *open_to_add(const char *path)
{
    struct stat about;
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
    FILE *out = NULL;
    if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode))
        out = fdopen(file, "a");
    else
        errno = file >= 0 ? EINVAL : errno;
    if (!out && file >= 0)
        close(file);
    return out;
}

// Written to disk there before they are removed here.
static bool set_aside(Progress *progress, const void *what, Error *err)
{
    const char *path = arena_format(&progress->arena, err, "%s.broken", (const char *)what);
    FILE *out = path ? open_to_add(path) : NULL;
    for (ProgressLine **at = &progress->lines; out && *at;)
        if ((*at)->is_broken) {
            fwrite((*at)->text, 1, (*at)->length, out);
            fputc('\n', out);
            *at = (*at)->next;
        } else {
            at = &(*at)->next;
        }
    bool added = out && fflush(out) == 0 && !ferror(out) && fsync(fileno(out)) == 0;
    int cause = errno;
    if (out && fclose(out) != 0 && added) {
        cause = errno;
        added = false;
    }
    return added || (path && error_unwritten(err, cause, path));
}

bool progress_set_aside(const char *path, Error *err)
{
    return progress_change(path, set_aside, path, err);
}
