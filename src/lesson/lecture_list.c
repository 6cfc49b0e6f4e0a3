// Which lectures there are, and which page a presenter shows; see lecture_list.h and presenting.h.
#include "lecture_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lesson_words.h"
#include "nearest.h"
#include "place.h"
#include "presenting.h"
#include "state_file.h"

// --- lectures

static bool add(LectureList *list, const char *lessons, const char *name, Error *err)
{
    const char *folder = arena_format(&list->arena, err, "%s/%s", lessons, name);
    const char *file = folder ? arena_format(&list->arena, err, "%s/lecture.md", folder) : NULL;
    if (!file)
        return false;
    if (name[0] == '.' || access(file, R_OK) != 0 || list->count == LECTURE_ENTRIES_MAX)
        return true;
    LectureEntry *entry = &list->entries[list->count++];
    *entry = (LectureEntry){arena_text(&list->arena, name, err), folder};
    return entry->name != NULL;
}

static bool look_into(LectureList *list, const char *lessons, Error *err)
{
    DIR *folder = opendir(lessons);
    bool good = true;
    if (!folder && errno != ENOENT && errno != ENOTDIR)
        good = error_number(err, errno, TELL(LIST_CLOSED), lessons, error_reason(errno));
    for (const struct dirent *entry; folder && good && (entry = readdir(folder)) != NULL;)
        good = add(list, lessons, entry->d_name, err);
    if (folder)
        closedir(folder);
    return good;
}

static int by_name(const void *left, const void *right)
{
    const LectureEntry *a = left, *b = right;
    return strcmp(a->name, b->name);
}

bool lecture_list_open(LectureList *list, Error *err)
{
    char lessons[PLACE_PATH_MAX];
    bool good = true;
    *list = (LectureList){.count = 0};
    for (int i = 0; good && list->count == 0 && place_folder(PLACE_LESSONS, i, lessons); i++)
        good = look_into(list, lessons, err);
    if (good && list->count == 0)
        good = place_missing(PLACE_LESSONS, "lecture", err);
    qsort(list->entries, (size_t)list->count, sizeof *list->entries, by_name);
    if (!good)
        lecture_list_close(list);
    return good;
}

void lecture_list_close(LectureList *list)
{
    Arena arena = list->arena;
    *list = (LectureList){.count = 0};
    arena_finish(&arena);
}

static bool means(const char *entry, const char *name)
{
    const char *hyphen = strchr(entry, '-');
    size_t before = hyphen ? (size_t)(hyphen - entry) : strlen(entry);
    return strcmp(entry, name) == 0 || (hyphen && strcmp(hyphen + 1, name) == 0) ||
           (strlen(name) == before && strncmp(entry, name, before) == 0);
}

int lecture_list_find(const LectureList *list, const char *name, Error *err)
{
    const char *names[LECTURE_ENTRIES_MAX + 1] = {NULL};
    for (int i = 0; i < list->count; i++) {
        names[i] = list->entries[i].name;
        if (means(names[i], name))
            return i;
    }
    const char *near = nearest_word(name, names);
    error_set(err, TELL(NO_LECTURE_MEANT), name, near ? near : names[0]);
    return -1;
}

bool lecture_open(Lecture *lecture, const char *name, const char *folder, Language language,
                  Error *err)
{
    Arena arena = {0};
    const char *plain = arena_format(&arena, err, "%s/lecture.md", folder);
    const char *path = language == LANGUAGE_ENGLISH ? plain
                                                    : arena_format(&arena, err, "%s/lecture.%s.md",
                                                                   folder, language_name(language));
    if (path && plain && access(path, R_OK) != 0)
        path = plain;
    bool good = path && plain && lecture_read(lecture, name, path, err);
    arena_finish(&arena);
    return good;
}

// --- the page that is presented
//
// A file of one line: lecture, page, language, between tabs.

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
