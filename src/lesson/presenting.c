// presenting: see presenting.h. The file is one line: lecture, page, language, between tabs.
#include "presenting.h"

#include <stdio.h>
#include <string.h>
#include "state_file.h"
#include "lesson_words.h"

const char *presenting_path(Arena *arena, Error *err)
{
    char path[STATE_PATH_MAX];
    return state_file_path("presenting", path, err) ? arena_text(arena, path, err) : NULL;
}

static void write_line(const void *what, FILE *out)
{
    const Presenting *presenting = what;
    fprintf(out, "%s\t%s\t%s\n", presenting->lecture, presenting->page,
            language_name(presenting->language));
}

bool presenting_note(const char *path, const Lecture *lecture, const char *page, Error *err)
{
    Presenting presenting = {.language = lecture->language};
    snprintf(presenting.lecture, sizeof presenting.lecture, "%s", lecture->name);
    snprintf(presenting.page, sizeof presenting.page, "%s", page);
    int lock = state_file_make_folders(path, err) ? state_file_lock(path, err) : -1;
    bool good = lock >= 0 && state_file_write(path, write_line, &presenting, err);
    state_file_unlock(lock);
    return good;
}

// One part of the line, up to the next tab; false when it is empty or too long.
static bool take(const char **text, char part[PRESENTING_NAME_MAX])
{
    size_t length = strcspn(*text, "\t");
    bool fits = length > 0 && length < PRESENTING_NAME_MAX;
    snprintf(part, PRESENTING_NAME_MAX, "%.*s", (int)(fits ? length : 0), *text);
    *text += length + ((*text)[length] == '\t');
    return fits;
}

bool presenting_read(const char *path, Presenting *presenting, Error *err)
{
    Arena arena = {0};
    StateText text = {.count = 0};
    char language[PRESENTING_NAME_MAX];
    *presenting = (Presenting){.language = LANGUAGE_ENGLISH};
    bool good = state_file_read(path, &arena, &text, err);
    if (good && (text.count != 1 || !text.lines[0].is_text))
        good = error_set(err, TELL(NOBODY_PRESENTS));
    const char *rest = good ? text.lines[0].text : "";
    if (good && !(take(&rest, presenting->lecture) && take(&rest, presenting->page) &&
                  take(&rest, language)))
        good = error_set(err, TELL(PRESENTING_UNKNOWN), path);
    if (good && strcmp(language, language_name(LANGUAGE_KOREAN)) == 0)
        presenting->language = LANGUAGE_KOREAN;
    arena_finish(&arena);
    return good;
}
