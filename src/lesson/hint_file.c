// hint_file: see hint_file.h.
#include "hint_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "input_file.h"
#include "lesson_words.h"
#include "new_file.h"

static const char *path_of(const Workspace *workspace, Arena *arena, Error *err)
{
    return arena_format(arena, err, "%s%s" HINT_FILE_NAME, workspace->folder, workspace->files);
}

static void take_line(HintFile *hints, const ExerciseList *list, const char *line)
{
    char name[64];
    int level = 0;
    if (sscanf(line, "%63s %1d", name, &level) != 2)
        return;
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->exercises[i].name, name) == 0 && level > hints->levels[i])
            hints->levels[i] = level;
}

bool hint_file_read(HintFile *hints, const Workspace *workspace, Error *err)
{
    Arena arena = {0};
    struct stat what;
    *hints = (HintFile){.is_there = false};
    err->of_machine = false;
    const char *path = path_of(workspace, &arena, err);
    if (path && lstat(path, &what) == 0 && S_ISREG(what.st_mode)) {
        char *text = input_file_text(path, HINT_FILE_BYTES_MAX, &arena, err), *rest = NULL;
        hints->is_there = text != NULL;
        for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
             line = strtok_r(NULL, "\n", &rest))
            take_line(hints, &workspace->exercises, line);
    }
    arena_finish(&arena);
    return !err->of_machine;
}

static bool write_all(FILE *out, const HintFile *hints, const Workspace *workspace)
{
    bool good = out && fprintf(out, "%s\n", TELL_IN(workspace->language, HINTS_NOTED)) > 0;
    for (int i = 0; good && i < workspace->exercises.count; i++)
        if (hints->levels[i] > 0)
            good = fprintf(out, "%s %d\n", workspace->exercises.exercises[i].name,
                           hints->levels[i]) > 0;
    return good;
}

bool hint_file_note(const Workspace *workspace, int number, int level, Error *err)
{
    Arena arena = {0};
    HintFile hints;
    NewFile file;
    bool good = hint_file_read(&hints, workspace, err);
    if (!good || hints.levels[number] >= level)
        return good;
    hints.levels[number] = level;
    const char *path = path_of(workspace, &arena, err);
    good = path && new_file_begin(&file, path, &arena, err);
    if (good) {
        FILE *out = fopen(file.temporary, "we");
        good = write_all(out, &hints, workspace);
        if (out && fclose(out) != 0)
            good = false;
        if (good) {
            good = new_file_keep(&file, err);
        } else {
            error_number(err, errno, TELL(CANNOT_WRITE), path, error_reason(errno));
            new_file_drop(&file);
        }
    }
    arena_finish(&arena);
    return good;
}
