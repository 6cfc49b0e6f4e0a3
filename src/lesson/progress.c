// progress: see progress.h.
#include "progress_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input_file.h"
#include "new_file.h"

enum { FILE_BYTES_MAX = 4 << 20 };

static const char *const words[PAGE_MARKS] = {
    [PAGE_UNSEEN] = "unseen", [PAGE_SEEN] = "seen",   [PAGE_WRONG] = "wrong",
    [PAGE_LATER] = "later",   [PAGE_RIGHT] = "right",
};

const char *progress_path(Arena *arena, Error *err)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/')
        return arena_format(arena, err, "%s/attnscope/progress", state);
    if (home && *home)
        return arena_format(arena, err, "%s/.local/state/attnscope/progress", home);
    error_set(err, "neither XDG_STATE_HOME nor HOME says where progress is kept");
    return NULL;
}

// --- reading

static PageMark mark_of(const char *word)
{
    for (int mark = PAGE_SEEN; mark < PAGE_MARKS; mark++)
        if (strcmp(words[mark], word) == 0)
            return (PageMark)mark;
    return PAGE_UNSEEN;
}

static bool take_page(Progress *progress, const ProgressFields *fields, Error *err)
{
    PageMark mark = mark_of(fields->word);
    if (mark == PAGE_UNSEEN)
        return true;
    ProgressLine *line = arena_take(&progress->arena, 1, sizeof *line, err);
    if (!line)
        return false;
    *line = (ProgressLine){.mark = mark, .lecture = fields->name, .page = fields->value};
    ProgressLine **end = &progress->lines;
    while (*end)
        end = &(*end)->next;
    *end = line;
    return true;
}

static bool take_line(Progress *progress, char *text, Error *err)
{
    char *name = strchr(text, '\t'), *value = name ? strchr(name + 1, '\t') : NULL;
    if (!value)
        return true;
    *name++ = '\0';
    *value++ = '\0';
    ProgressFields fields = {text, name, value};
    return take_page(progress, &fields, err) && progress_take_exercise(progress, &fields, err);
}

bool progress_read(Progress *progress, const char *path, Error *err)
{
    unsigned char *bytes;
    size_t length;
    *progress = (Progress){.lines = NULL};
    if (access(path, F_OK) != 0)
        return true;
    if (!input_file_all(path, FILE_BYTES_MAX, &progress->arena, &bytes, &length, err))
        return false;
    char *text = arena_format(&progress->arena, err, "%.*s", (int)length, (const char *)bytes);
    bool good = text != NULL;
    for (char *next; good && *text; text = next) {
        size_t line = strcspn(text, "\n");
        next = text + line + (text[line] == '\n');
        text[line] = '\0';
        good = take_line(progress, text, err);
    }
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

bool progress_make_folders(const char *path, Error *err)
{
    char folder[4096];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return error_set(err, "the path of the progress is too long: %.200s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return error_set(err, "%s: %s; progress is not kept", folder, strerror(errno));
        *slash = '/';
    }
    return true;
}

// Whoever holds it is the only one that changes the file; it ends with the process.
static int lock(const char *path, Arena *arena, Error *err)
{
    const char *name = arena_format(arena, err, "%s.lock", path);
    int descriptor = name ? open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    while (descriptor >= 0 && flock(descriptor, LOCK_EX) != 0)
        if (errno != EINTR) {
            close(descriptor);
            descriptor = -1;
        }
    if (name && descriptor < 0)
        error_set(err, "%s: %s; progress is not kept", name, strerror(errno));
    return descriptor;
}

static bool replace(const Progress *progress, const char *path, Arena *arena, Error *err)
{
    NewFile file;
    if (!new_file_begin(&file, path, arena, err))
        return false;
    FILE *out = fopen(file.temporary, "w");
    if (out) {
        for (const ProgressLine *line = progress->lines; line; line = line->next)
            fprintf(out, "%s\t%s\t%s\n", words[line->mark], line->lecture, line->page);
        progress_write_exercises(progress, out);
    }
    bool written = out && !ferror(out);
    if (out && fclose(out) != 0)
        written = false;
    if (written)
        return new_file_keep(&file, err);
    new_file_drop(&file);
    return error_set(err, "%s could not be written; progress is not kept", path);
}

bool progress_change(const char *path, ProgressChange *change, const void *what, Error *err)
{
    Arena arena = {0};
    Progress progress = {.lines = NULL};
    int held = progress_make_folders(path, err) ? lock(path, &arena, err) : -1;
    bool good = held >= 0 && progress_read(&progress, path, err) && change(&progress, what, err) &&
                replace(&progress, path, &arena, err);
    if (held >= 0)
        close(held);
    progress_finish(&progress);
    arena_finish(&arena);
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
