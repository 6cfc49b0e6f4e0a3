// grading: see grading.h.
#include "grading.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "compiler_words.h"
#include "exercise_words.h"
#include "utf8.h"

#define GRADING_FORMAT(x) extern const GradingFormat grading_##x;
#include "grading_formats.def"
#undef GRADING_FORMAT

static const GradingFormat *const formats[] = {
#define GRADING_FORMAT(x) &grading_##x,
#include "grading_formats.def"
#undef GRADING_FORMAT
};

const GradingFormat *grading_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!name || strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

// --- in one line

static const char *mistakes_text(const VerdictTest *test, Arena *arena, Error *err)
{
    const char *text = test->mistakes[0];
    for (int i = 1; text && i < VERDICT_MISTAKES_MAX && test->mistakes[i]; i++)
        text = arena_format(arena, err, "%s, %s", text, test->mistakes[i]);
    return text;
}

static const char *failure_text(const Grading *grading, const VerdictTest *test, Arena *arena,
                                Error *err)
{
    MistakeLanguage language = grading->language == LECTURE_KOREAN ? MISTAKE_KO : MISTAKE_EN;
    const char *why = language == MISTAKE_KO ? test->why_korean : test->why;
    const char *mistakes = mistakes_text(test, arena, err);
    const char *text = mistakes ? mistakes : why ? why : test->title[language];
    if (!test->hidden || mistakes || why)
        return text;
    return arena_format(arena, err,
                        exercise_word(grading->language, EXERCISE_SAYS_GRADE_OTHER_NUMBERS), text);
}

static const char *compiler_text(const Grading *grading, const Judging *judging, Arena *arena,
                                 Error *err)
{
    size_t length;
    const char *first = compiler_words_first(judging->plain.said, &length);
    const char *line = arena_format(arena, err, "%.*s", (int)length, first);
    const char *folder = grading->workspace.folder;
    if (line && strncmp(line, folder, strlen(folder)) == 0)
        line += strlen(folder);
    return line && *line
               ? arena_format(arena, err,
                              exercise_word(grading->language, EXERCISE_SAYS_GRADE_NOT_COMPILED),
                              line)
               : judging->why.text;
}

const char *grading_why(const Grading *grading, const Judging *judging, Arena *arena)
{
    Error err;
    const char *text = "";
    const VerdictTest *failure = verdict_first_failure(&judging->verdict);
    if (judging->end == JUDGING_NOT_COMPILED)
        text = compiler_text(grading, judging, arena, &err);
    else if (judging->end == JUDGING_NOT_JUDGED)
        text = arena_format(arena, &err,
                            exercise_word(grading->language, EXERCISE_SAYS_GRADE_NOT_JUDGED),
                            judging_why(judging, grading->language));
    else if (judging->end == JUDGING_DONE && failure)
        text = failure_text(grading, failure, arena, &err);
    return text ? text : "";
}

// --- a submission

// A name from somebody else's archive may hold what steers a terminal, or be no text at all.
static bool can_be_shown(const char *name)
{
    uint32_t character;
    if (!utf8_valid(name, strlen(name)))
        return false;
    for (size_t bytes; (bytes = utf8_next(name, &character)) > 0; name += bytes)
        if (character < ' ' || (character >= 0x7F && character < 0xA0))
            return false;
    return true;
}

static bool is_source(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, ".c") == 0;
}

static bool is_exercise(const Grading *grading, const char *name)
{
    const ExerciseList *list = &grading->workspace.exercises;
    for (int i = 0; i < list->count; i++) {
        size_t length = strlen(list->exercises[i].name);
        if (strncmp(list->exercises[i].name, name, length) == 0 && strcmp(name + length, ".c") == 0)
            return true;
    }
    return false;
}

static void tell_strays(Grading *grading, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (is_source(entries[i]->d_name) && can_be_shown(entries[i]->d_name) &&
            !is_exercise(grading, entries[i]->d_name))
            grading->format->stray(grading, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static void check_all(Grading *grading)
{
    static Judging all[EXERCISES_MAX]; // 50 KB each
    for (int again = 0; again < 2; again++)
        for (int i = grading->first; i < grading->end; i++)
            if (!again || all[i].end == JUDGING_NOT_JUDGED)
                judging_run(&all[i], &grading->workspace, i, grading->seed, NULL);
    for (int i = grading->first; i < grading->end; i++) {
        bool judged = all[i].end != JUDGING_NOT_JUDGED;
        grading->points += all[i].end == JUDGING_DONE ? all[i].verdict.points : 0;
        grading->max += judged ? grading->workspace.exercises.exercises[i].points : 0;
        grading->not_judged += !judged;
        grading->all_not_judged += !judged;
        grading->format->exercise(grading, &all[i], i);
        judging_finish(&all[i]);
    }
}

static bool choose(Grading *grading, Error *err)
{
    int number =
        grading->only ? exercise_list_find(&grading->workspace.exercises, grading->only, err) : 0;
    grading->first = number;
    grading->end = grading->only ? number + 1 : grading->workspace.exercises.count;
    return number >= 0;
}

static bool check_submission(Grading *grading, const char *folder, Error *err)
{
    if (!workspace_open_submission(&grading->workspace, folder, grading->language, err))
        return false;
    bool good = choose(grading, err);
    if (good) {
        Arena arena = {0};
        const char *files = arena_format(&arena, err, "%s/%s", folder, grading->workspace.files);
        grading->points = grading->max = grading->not_judged = 0;
        grading->format->submission(grading);
        check_all(grading);
        if (files)
            tell_strays(grading, files);
        grading->format->submission_end(grading);
        arena_finish(&arena);
    }
    workspace_close(&grading->workspace);
    return good;
}

// --- all of them

static bool is_folder(const char *path)
{
    struct stat what;
    return stat(path, &what) == 0 && S_ISDIR(what.st_mode);
}

// The names of the folders in it, sorted; `count` of them, in the arena.
static const char **find_submissions(const char *folder, int *count, Arena *arena, Error *err)
{
    struct dirent **entries;
    int all = scandir(folder, &entries, NULL, alphasort);
    if (all < 0) {
        error_set(err, "%s: %s", folder, strerror(errno));
        return NULL;
    }
    const char **names = arena_take(arena, (size_t)all + 1, sizeof *names, err);
    for (int i = 0; i < all; i++) {
        const char *name = entries[i]->d_name;
        const char *path = arena_format(arena, err, "%s/%s", folder, name);
        if (names && name[0] != '.' && path && is_folder(path))
            names[(*count)++] = arena_text(arena, name, err);
        free(entries[i]);
    }
    free(entries);
    for (int i = 0; names && i < *count; i++)
        if (!can_be_shown(names[i])) {
            error_set(err, "%s: the name of folder %d is no plain text: rename it", folder, i + 1);
            return NULL;
        }
    if (names && *count == 0) {
        error_set(err, "%s has no folder in it: one for each submission is meant, unpacked",
                  folder);
        return NULL;
    }
    return names;
}

// The columns and the exercises are known before the first row is.
static bool measure(Grading *grading, const char *const names[], int count, Error *err)
{
    grading->name_width = 0;
    for (int i = 0; i < count; i++) {
        int width = utf8_width(names[i]);
        grading->name_width = width > grading->name_width ? width : grading->name_width;
    }
    bool good =
        workspace_open_submission(&grading->workspace, grading->folder, grading->language, err) &&
        choose(grading, err);
    workspace_close(&grading->workspace);
    return good;
}

bool grading_run(Grading *grading, Error *err)
{
    Arena arena = {0};
    int count = 0;
    const char **names = find_submissions(grading->folder, &count, &arena, err);
    bool good = names && measure(grading, names, count, err);
    grading->is_whole = true;
    if (good)
        grading->format->begin(grading);
    for (int i = 0; good && i < count; i++) {
        const char *path = arena_format(&arena, err, "%s/%s", grading->folder, names[i]);
        grading->name = names[i];
        good = path && check_submission(grading, path, err);
        fflush(grading->out);
    }
    if (good)
        grading->format->end(grading);
    if (good && !grading->is_whole)
        good = error_set(err, "there is no memory for all of the results");
    arena_finish(&arena);
    return good;
}
