// exercise_list: see exercise_list.h.
#include "exercise_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "nearest.h"
#include "place.h"
#include "lesson_words.h"

static bool add(ExerciseList *list, const char *name, Language language, Error *err)
{
    const char *folder = arena_format(&list->arena, err, "%s/%s", list->folder, name);
    const char *facts = folder ? arena_format(&list->arena, err, "%s/exercise.yaml", folder) : NULL;
    if (!facts)
        return false;
    if (name[0] == '.' || access(facts, R_OK) != 0)
        return true;
    if (list->count == EXERCISES_MAX)
        return error_set(err, TELL(EXERCISES_MANY), list->folder, EXERCISES_MAX);
    bool good = exercise_open(&list->exercises[list->count], folder, language, err);
    list->count += good;
    return good;
}

static bool look_into(ExerciseList *list, const char *lessons, Language language, Error *err)
{
    list->folder = arena_format(&list->arena, err, "%s/exercises", lessons);
    list->header = arena_format(&list->arena, err, "%s/exercises/header/attnscope.h", lessons);
    DIR *folder = list->folder ? opendir(list->folder) : NULL;
    bool good = list->folder && list->header;
    if (good && !folder && errno != ENOENT && errno != ENOTDIR)
        good = error_number(err, errno, TELL(LIST_CLOSED), list->folder, error_reason(errno));
    for (const struct dirent *entry; folder && good && (entry = readdir(folder)) != NULL;)
        good = add(list, entry->d_name, language, err);
    if (folder)
        closedir(folder);
    return good;
}

static int by_order(const void *left, const void *right)
{
    const Exercise *a = left, *b = right;
    return a->order != b->order ? a->order - b->order : strcmp(a->name, b->name);
}

bool exercise_list_open(ExerciseList *list, Language language, Error *err)
{
    char lessons[PLACE_PATH_MAX];
    bool good = true;
    *list = (ExerciseList){.count = 0};
    for (int i = 0; good && list->count == 0 && place_folder(PLACE_LESSONS, i, lessons); i++)
        good = look_into(list, lessons, language, err);
    if (good && list->count == 0)
        good = place_missing(PLACE_LESSONS, "exercise", err);
    qsort(list->exercises, (size_t)list->count, sizeof *list->exercises, by_order);
    if (!good)
        exercise_list_close(list);
    return good;
}

void exercise_list_close(ExerciseList *list)
{
    for (int i = 0; i < list->count; i++)
        exercise_close(&list->exercises[i]);
    arena_finish(&list->arena);
    list->count = 0;
    list->folder = NULL;
}

// The name as it is written here: without folders, number and ".c", with hyphens.
static void plain_name(const char *name, char plain[64], int *order)
{
    const char *slash = strrchr(name, '/');
    char *rest;
    name = slash ? slash + 1 : name;
    long number = strtol(name, &rest, 10);
    *order = rest > name && number > 0 && number < 10000 ? (int)number : -1;
    snprintf(plain, 64, "%s", rest > name && *rest == '-' ? rest + 1 : rest);
    size_t length = strlen(plain);
    if (length > 2 && strcmp(plain + length - 2, ".c") == 0)
        plain[length - 2] = '\0';
    for (char *at = plain; *at; at++)
        *at = *at == '_' ? '-' : *at;
}

int exercise_list_find(const ExerciseList *list, const char *name, Error *err)
{
    const char *names[EXERCISES_MAX + 1] = {NULL};
    char plain[64];
    int order;
    plain_name(name, plain, &order);
    for (int i = 0; i < list->count; i++) {
        const Exercise *exercise = &list->exercises[i];
        names[i] = exercise->name;
        bool same_order = order < 0 || order == exercise->order;
        if (same_order && (strcmp(plain, exercise->name) == 0 || (!*plain && order > 0)))
            return i;
    }
    const char *near = nearest_word(plain, names);
    if (near)
        error_set(err, TELL(NO_EXERCISE_MEANT), name, near);
    else
        error_set(err, TELL(NO_EXERCISE), name);
    return -1;
}
