// Reads and writes a user's progress; see progress.h. Lines about exercises:
//   passed  scale  <digest> 10      this code passed, with 10 points
//   failed  scale  <digest> 4
//   hint    scale  2
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

// --- lines about checks and hints

// A line: three fields separated by tabs.
typedef struct ProgressFields {
    const char *word, *name, *value; // valid as long as the progress
} ProgressFields;

// The ends of the lists while a file is read.
typedef struct ProgressReader {
    Progress *progress;
    ProgressLine **lines;
    ProgressCheck **checks;
    ProgressHint **hints;
    ProgressOther **others;
} ProgressReader;

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
    for (const ProgressOther *other = out ? progress->others : NULL; other; other = other->next)
        if (other->is_broken) {
            fwrite(other->bytes, 1, other->length, out);
            fputc('\n', out);
        }
    bool added = out && fflush(out) == 0 && !ferror(out) && fsync(fileno(out)) == 0;
    int cause = errno;
    if (out && fclose(out) != 0 && added) {
        cause = errno;
        added = false;
    }
    if (!path || !added)
        return path && error_set(err, TELL(PROGRESS_UNWRITTEN), path, error_reason(cause));
    for (ProgressOther **at = &progress->others; *at;)
        if ((*at)->is_broken)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    return true;
}

// --- the file

static const char version_word[] = "attnscope", version_name[] = "progress";

static const char *const words[PAGE_MARKS] = {
    [PAGE_UNSEEN] = "unseen", [PAGE_SEEN] = "seen",   [PAGE_WRONG] = "wrong",
    [PAGE_LATER] = "later",   [PAGE_RIGHT] = "right",
};

const char *progress_path(Arena *arena, Error *err)
{
    char path[STATE_PATH_MAX];
    return state_file_path("progress", path, err) ? arena_text(arena, path, err) : NULL;
}

// --- reading

static bool take_page(ProgressReader *reader, const ProgressFields *fields, bool *known, Error *err)
{
    PageMark mark = PAGE_SEEN;
    while (mark < PAGE_MARKS && strcmp(words[mark], fields->word) != 0)
        mark++;
    *known = mark < PAGE_MARKS;
    if (!*known)
        return true;
    ProgressLine *line = arena_take(&reader->progress->arena, 1, sizeof *line, err);
    if (!line)
        return false;
    *line = (ProgressLine){.mark = mark, .lecture = fields->name, .page = fields->value};
    *reader->lines = line;
    reader->lines = &line->next;
    return true;
}

// Keeps unknown lines byte for byte.
static bool take_other(ProgressReader *reader, const StateLine *line, bool is_broken, Error *err)
{
    ProgressOther *other = arena_take(&reader->progress->arena, 1, sizeof *other, err);
    if (!other)
        return false;
    *other = (ProgressOther){line->text, line->length, is_broken, NULL};
    *reader->others = other;
    reader->others = &other->next;
    return true;
}

// Splits a line into three fields; false for any other line, which stays whole.
static bool cut_line(const StateLine *line, ProgressFields *fields, Arena *arena, Error *err)
{
    const char *name = strchr(line->text, '\t'), *value = name ? strchr(name + 1, '\t') : NULL;
    if (!line->is_text || !value || strchr(value + 1, '\t'))
        return false;
    char *text = arena_text(arena, line->text, err);
    if (!text)
        return false;
    text[name - line->text] = text[value - line->text] = '\0';
    *fields =
        (ProgressFields){text, text + (name - line->text) + 1, text + (value - line->text) + 1};
    return true;
}

static bool take_line(ProgressReader *reader, const StateLine *line, Error *err)
{
    ProgressFields fields;
    Progress *progress = reader->progress;
    bool known = false, is_line = line->is_text && strchr(line->text, '\t');
    if (!cut_line(line, &fields, &progress->arena, err))
        return take_other(reader, line, !is_line, err);
    if (strcmp(fields.word, version_word) == 0 && strcmp(fields.name, version_name) == 0) {
        progress->version = atoi(fields.value);
        return true;
    }
    bool is_check = strcmp(fields.word, "passed") == 0 || strcmp(fields.word, "failed") == 0;
    bool is_hint = strcmp(fields.word, "hint") == 0;
    if (is_check  ? !take_check(reader, &fields, &known, err)
        : is_hint ? !take_hint(reader, &fields, &known, err)
                  : !take_page(reader, &fields, &known, err))
        return false;
    return known || take_other(reader, line, false, err);
}

bool progress_read(Progress *progress, const char *path, Error *err)
{
    StateText text;
    *progress = (Progress){.lines = NULL};
    ProgressReader reader = {progress, &progress->lines, &progress->checks, &progress->hints,
                             &progress->others};
    bool good = state_file_read(path, &progress->arena, &text, err);
    for (int i = 0; good && i < text.count; i++)
        good = take_line(&reader, &text.lines[i], err);
    return good;
}

void progress_finish(Progress *progress)
{
    Arena arena = progress->arena;
    *progress = (Progress){.lines = NULL};
    arena_finish(&arena);
}

static bool is_page(const ProgressLine *line, const char *lecture, const char *page)
{
    return strcmp(line->lecture, lecture) == 0 && strcmp(line->page, page) == 0;
}

PageMark progress_mark(const Progress *progress, const char *lecture, const char *page)
{
    for (const ProgressLine *line = progress->lines; line; line = line->next)
        if (is_page(line, lecture, page))
            return line->mark;
    return PAGE_UNSEEN;
}

const ProgressLine *progress_last(const Progress *progress, const char *lecture)
{
    const ProgressLine *line = progress->lines;
    while (line && lecture && strcmp(line->lecture, lecture) != 0)
        line = line->next;
    return line;
}

// --- writing

static bool write_all(const void *what, FILE *out, Error *err)
{
    (void)err;
    const Progress *progress = what;
    int version = progress->version > PROGRESS_VERSION ? progress->version : PROGRESS_VERSION;
    fprintf(out, "%s\t%s\t%d\n", version_word, version_name, version);
    for (const ProgressLine *line = progress->lines; line; line = line->next)
        fprintf(out, "%s\t%s\t%s\n", words[line->mark], line->lecture, line->page);
    for (const ProgressCheck *check = progress->checks; check; check = check->next)
        fprintf(out, "%s\t%s\t%s %d\n", check->passed ? "passed" : "failed", check->exercise,
                check->digest, check->points);
    for (const ProgressHint *hint = progress->hints; hint; hint = hint->next)
        fprintf(out, "hint\t%s\t%d\n", hint->exercise, hint->level);
    for (const ProgressOther *other = progress->others; other; other = other->next) {
        fwrite(other->bytes, 1, other->length, out);
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

bool progress_set_aside(const char *path, Error *err)
{
    return progress_change(path, set_aside, path, err);
}

static bool put_page(Progress *progress, const void *what, Error *err)
{
    const ProgressLine *noted = what;
    PageMark before = progress_mark(progress, noted->lecture, noted->page);
    ProgressLine *line = arena_take(&progress->arena, 1, sizeof *line, err);
    if (!line)
        return false;
    for (ProgressLine **at = &progress->lines; *at;)
        if (is_page(*at, noted->lecture, noted->page))
            *at = (*at)->next;
        else
            at = &(*at)->next;
    *line = *noted;
    line->mark = before > noted->mark ? before : noted->mark;
    line->next = progress->lines;
    progress->lines = line;
    return true;
}

bool progress_note(const char *path, const char *lecture, const char *page, PageMark mark,
                   Error *err)
{
    ProgressLine noted = {mark, lecture, page, NULL};
    return progress_change(path, put_page, &noted, err);
}

// --- recording checks and hints

enum { PASSED_KEPT = 20 };

static bool put_check(Progress *progress, const void *what, Error *err)
{
    const ProgressCheck *noted = what;
    ProgressCheck *check = arena_take(&progress->arena, 1, sizeof *check, err);
    if (!check)
        return false;
    int passed = 0;
    for (ProgressCheck **at = &progress->checks; *at;) {
        const ProgressCheck *old = *at; // may be useful next to the new one
        bool is_other = strcmp(old->exercise, noted->exercise) != 0;
        bool is_same = strcmp(old->digest, noted->digest) == 0;
        if (is_other || (!is_same && old->passed && ++passed <= PASSED_KEPT))
            at = &(*at)->next;
        else
            *at = (*at)->next;
    }
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
