// history_file: see history_file.h.
#include "history_file.h"

#include <stdlib.h>
#include <string.h>

static const char version_mark[] = "\thistory\t";

// The version in a line that tells it; 0: it is another line.
static int version_in(const StateLine *line)
{
    size_t mark = strlen(version_mark);
    return strncmp(line->text, version_mark, mark) == 0 ? atoi(line->text + mark) : 0;
}

static bool is_newer(const StateLine *line)
{
    return line->is_text && line->text[0] == '\t' && version_in(line) == 0;
}

static bool can_be_typed(const StateLine *line)
{
    return line->is_text && line->length < LINE_EDIT_ROOM && !strchr(line->text, '\t');
}

static bool is_among(char *const lines[], int count, const char *text)
{
    for (int i = 0; i < count; i++)
        if (strcmp(lines[i], text) == 0)
            return true;
    return false;
}

// The newest lines, each once. From the end, and no further than there is room for: a file may be
// long.
static void take_typed(const StateText *text, History *history)
{
    char *newest[HISTORY_MAX];
    int count = 0;
    for (int i = text->count - 1; i >= 0 && count < HISTORY_MAX; i--)
        if (can_be_typed(&text->lines[i]) && !is_among(newest, count, text->lines[i].text))
            newest[count++] = text->lines[i].text;
    *history = (History){.count = 0};
    while (count > 0)
        history_add(history, newest[--count]);
}

void history_file_read(const char *path, History *history)
{
    Arena arena = {0};
    StateText text;
    Error unread;
    *history = (History){.count = 0};
    if (state_file_read(path, &arena, &text, &unread))
        take_typed(&text, history);
    arena_finish(&arena);
}

bool history_file_look(const char *path, HistoryState *state, Error *err)
{
    Arena arena = {0};
    StateText text;
    *state = (HistoryState){.version = 0};
    bool good = state_file_read(path, &arena, &text, err);
    for (int i = 0; good && i < text.count; i++) {
        const StateLine *line = &text.lines[i];
        if (version_in(line) > 0)
            state->version = version_in(line);
        else if (can_be_typed(line))
            state->typed++;
        else if (is_newer(line))
            state->others++;
        else
            state->not_typed++;
    }
    arena_finish(&arena);
    return good;
}

// --- writing

typedef struct Change {
    StateText text; // as it was read
    History history;
} Change;

// What newer versions wrote comes first, then what was typed.
static void write_all(const void *what, FILE *out)
{
    const Change *change = what;
    const StateText *text = &change->text;
    int version = HISTORY_VERSION;
    for (int i = 0; i < text->count; i++)
        version = version_in(&text->lines[i]) > version ? version_in(&text->lines[i]) : version;
    fprintf(out, "%s%d\n", version_mark, version);
    for (int i = 0; i < text->count; i++)
        if (is_newer(&text->lines[i]))
            fprintf(out, "%s\n", text->lines[i].text);
    for (int i = 0; i < change->history.count; i++)
        fprintf(out, "%s\n", change->history.lines[i]);
}

bool history_file_add(const char *path, const char *line, Error *err)
{
    Arena arena = {0};
    int lock = state_file_lock(path, err);
    Change *change = lock >= 0 ? arena_take(&arena, 1, sizeof *change, err) : NULL;
    bool good = change && state_file_read(path, &arena, &change->text, err);
    if (good) {
        take_typed(&change->text, &change->history);
        history_add(&change->history, line);
        good = state_file_write(path, write_all, change, err);
    }
    state_file_unlock(lock);
    arena_finish(&arena);
    return good;
}
