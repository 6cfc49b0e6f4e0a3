// app_course: the course in the terminal, from part to part and back; see app.h.
#include "course_part.h"

#define COURSE_PART(name) extern const CoursePart course_##name;
#include "course_parts.def"
#undef COURSE_PART

static const CoursePart *const parts[] = {
#define COURSE_PART(name) &course_##name,
#include "course_parts.def"
#undef COURSE_PART
};

enum { PARTS = sizeof parts / sizeof *parts };

// Where to go on: the row where somebody was last; when that is behind them, the next that is not.
static int row_to_choose(const CourseList *course)
{
    int last = 0;
    for (int i = 0; i < course->count; i++)
        last = course->rows[i].last ? i : last;
    for (int i = last; i < course->count; i++)
        if (!course->rows[i].passed)
            return i;
    return last;
}

// Lists all parts; first[i] is the row where part i begins, first[PARTS] where the last one ends.
static bool list(CourseList *course, int first[PARTS + 1], Error *err)
{
    bool good = true;
    for (int i = 0; good && i < PARTS; i++) {
        first[i] = course->count;
        good = parts[i]->list(course, err);
    }
    first[PARTS] = course->count;
    return good;
}

// Shows the course as it is now until a row is chosen; *start is then what it belongs to.
static bool choose(Language language, bool *chosen, int *number, int *part, Error *err)
{
    Progress progress = {.lines = NULL};
    Error unread;
    Arena arena = {0};
    int first[PARTS + 1];
    CourseList *course = arena_take(&arena, 1, sizeof *course, err);
    const char *path = progress_path(&arena, &unread);
    if (path)
        progress_read(&progress, path, &unread);
    bool good = course != NULL;
    if (good) {
        course->progress = &progress;
        course->language = language;
        good = list(course, first, err);
    }
    if (good) {
        Course shown = {
            .rows = course->rows, .count = course->count, .chosen = *number, .language = language};
        shown.chosen = *number < 0 ? row_to_choose(course) : *number;
        good = course_run(&shown, chosen, err);
        *number = shown.chosen;
        for (*part = 0; *part + 1 < PARTS && *number >= first[*part + 1];)
            ++*part;
        *number -= *chosen ? first[*part] : 0;
    }
    if (course)
        arena_finish(&course->arena);
    progress_finish(&progress);
    arena_finish(&arena);
    return good;
}

int app_course(const AppOptions *options)
{
    Error err = {.text = ""};
    int code = APP_DONE, number = -1, part = 0;
    bool chosen = true;
    while (chosen && code == APP_DONE) {
        if (!choose(language_written(), &chosen, &number, &part, &err))
            code = app_fail(APP_FAILED, "%s", err.text);
        else if (chosen)
            code = parts[part]->start(number, options);
        number = -1; // whoever comes back is shown where to go on
    }
    return code;
}
