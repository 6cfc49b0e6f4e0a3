// lecture_list: see lecture_list.h.
#include "lecture_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "nearest.h"
#include "place.h"
#include "lesson_words.h"

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
