// progress: see progress.h.
#include "progress_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static PageMark mark_of(const char *word)
{
    for (int mark = PAGE_SEEN; mark < PAGE_MARKS; mark++)
        if (strcmp(words[mark], word) == 0)
            return (PageMark)mark;
    return PAGE_UNSEEN;
}

static bool take_page(ProgressReader *reader, const ProgressFields *fields, bool *known, Error *err)
{
    PageMark mark = mark_of(fields->word);
    *known = mark != PAGE_UNSEEN;
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

// What nobody here understands stays in the file, byte for byte.
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

// Three texts between tabs; false for any other line, which stays whole.
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

static bool take_version(Progress *progress, const ProgressFields *fields)
{
    bool is_version =
        strcmp(fields->word, version_word) == 0 && strcmp(fields->name, version_name) == 0;
    if (is_version)
        progress->version = atoi(fields->value);
    return is_version;
}

static bool take_line(ProgressReader *reader, const StateLine *line, Error *err)
{
    ProgressFields fields;
    Progress *progress = reader->progress;
    bool known = false, is_line = line->is_text && strchr(line->text, '\t');
    if (!cut_line(line, &fields, &progress->arena, err))
        return take_other(reader, line, !is_line, err);
    if (take_version(progress, &fields))
        return true;
    if (!take_page(reader, &fields, &known, err) ||
        (!known && !progress_take_exercise(reader, &fields, &known, err)))
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

static void write_all(const void *what, FILE *out)
{
    const Progress *progress = what;
    int version = progress->version > PROGRESS_VERSION ? progress->version : PROGRESS_VERSION;
    fprintf(out, "%s\t%s\t%d\n", version_word, version_name, version);
    for (const ProgressLine *line = progress->lines; line; line = line->next)
        fprintf(out, "%s\t%s\t%s\n", words[line->mark], line->lecture, line->page);
    progress_write_exercises(progress, out);
    for (const ProgressOther *other = progress->others; other; other = other->next) {
        fwrite(other->bytes, 1, other->length, out);
        fputc('\n', out);
    }
}

bool progress_change(const char *path, ProgressChange *change, const void *what, Error *err)
{
    Progress progress = {.lines = NULL};
    int lock = state_file_lock(path, err);
    bool good = lock >= 0 && progress_read(&progress, path, err) && change(&progress, what, err) &&
                state_file_write(path, write_all, &progress, err);
    state_file_unlock(lock);
    progress_finish(&progress);
    return good;
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
