// The course in the terminal: lists lectures and exercises, and starts what the user picks; see app.h.
#include <string.h>
#include "app.h"
#include "app_exercise.h"
#include "app_words.def"
#include "lecture.h"
#include "open_lecture.h"
#include "progress.h"
#include "screen.h"

// --- rows

enum { COURSE_ROWS_MAX = 256 };

typedef struct CourseList {
    CourseRow rows[COURSE_ROWS_MAX];
    int count;
    const Progress *progress;
    Language language;
    Arena arena; // of the rows' texts
} CourseList;

// Appends a row; NULL and err if there is no room.
static CourseRow *course_add(CourseList *course, Error *err)
{
    if (course->count == COURSE_ROWS_MAX) {
        error_set(err, TELL(COURSE_LONG), COURSE_ROWS_MAX);
        return NULL;
    }
    return &course->rows[course->count++];
}

// --- lectures

typedef struct Tally {
    int read, questions, answered;
} Tally;

static Tally count(const Lecture *lecture, const Progress *progress)
{
    Tally tally = {.read = 0};
    for (int i = 0; i < lecture->page_count; i++) {
        const LecturePage *page = &lecture->pages[i];
        PageMark mark = progress_mark(progress, lecture->name, page->name);
        tally.read += mark != PAGE_UNSEEN;
        tally.questions += page->question.kind != QUESTION_NONE;
        tally.answered += page->question.kind != QUESTION_NONE && mark >= PAGE_LATER;
    }
    return tally;
}

// The page where the user stopped, or NULL.
static const LecturePage *stopped_at(const Lecture *lecture, const Progress *progress)
{
    const ProgressLine *last = progress_last(progress, lecture->name);
    int page = last ? lecture_find(lecture, last->page) : -1;
    return page < 0 ? NULL : &lecture->pages[page];
}

static bool list_lecture(CourseList *course, const Lecture *lecture, Error *err)
{
    CourseRow *row = course_add(course, err);
    Tally tally = count(lecture, course->progress);
    const LecturePage *page = stopped_at(lecture, course->progress);
    const ProgressLine *last = progress_last(course->progress, NULL);
    bool read = tally.read == lecture->page_count;
    if (!row)
        return false;
    row->title = arena_text(&course->arena, lecture->title, err);
    row->about = arena_text(&course->arena, lecture->about, err);
    row->state = arena_format(
        &course->arena, err, "%s %2d/%-2d  %s %2d/%-2d",
        open_lecture_word(course->language, WORD_COURSE_READ), tally.read, lecture->page_count,
        open_lecture_word(course->language, WORD_COURSE_ANSWERED), tally.answered, tally.questions);
    row->goes_on = page && !read ? arena_text(&course->arena, page->title, err) : NULL;
    row->done = read && tally.answered == tally.questions;
    row->passed = read;
    row->last = last && strcmp(last->lecture, lecture->name) == 0;
    return row->title && row->about && row->state;
}

// An unfinished own lecture must not hide the others.
static bool list_unreadable(CourseList *course, const LectureEntry *entry, const Error *why,
                            Error *err)
{
    CourseRow *row = course_add(course, err);
    if (!row)
        return false;
    row->title = arena_text(&course->arena, entry->name, err);
    row->about = arena_text(&course->arena, why->text, err);
    row->state = "?";
    row->passed = true;
    return row->title && row->about;
}

static bool lectures_list(CourseList *course, Error *err)
{
    LectureList lectures;
    int first = course->count;
    bool good = lecture_list_open(&lectures, err);
    for (int i = 0; good && i < lectures.count; i++) {
        const LectureEntry *entry = &lectures.entries[i];
        Lecture lecture;
        Error unread = {.text = ""};
        good = lecture_open(&lecture, entry->name, entry->folder, course->language, &unread)
                   ? list_lecture(course, &lecture, err)
                   : list_unreadable(course, entry, &unread, err);
        lecture_finish(&lecture);
    }
    if (good && course->count > first)
        course->rows[first].heading = open_lecture_word(course->language, WORD_COURSE_LECTURES);
    lecture_list_close(&lectures);
    return good;
}

static int lectures_start(int number, const AppOptions *options)
{
    LectureList lectures;
    Error err = {.text = ""};
    if (!lecture_list_open(&lectures, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int code = app_walk_lecture(&lectures.entries[number], options);
    lecture_list_close(&lectures);
    return code;
}

// --- exercises

// The workspace around the current folder, or the last one used. Returns false if there is none.
static bool open_workspace(Workspace *workspace, const char *language)
{
    Arena arena = {0};
    Error err;
    const char *folder = workspace_is_near(NULL) ? NULL : workspace_remembered(&arena);
    bool opened =
        (folder || workspace_is_near(NULL)) && workspace_open(workspace, folder, language, &err);
    arena_finish(&arena);
    return opened;
}

static bool list_exercise(CourseList *course, const Exercise *exercise, const WorkspaceFile *file,
                          Error *err)
{
    char points[64];
    CourseRow *row = course_add(course, err);
    if (!row)
        return false;
    snprintf(points, sizeof points, exercise_word(course->language, EXERCISE_SAYS_POINTS),
             file->points, exercise->points);
    row->title = arena_format(&course->arena, err, "%2d  %s", exercise->order, exercise->name);
    row->about = arena_text(&course->arena, exercise->title, err);
    row->state = arena_format(&course->arena, err, "%s  %s",
                              app_exercise_state(file->state, course->language), points);
    row->done = row->passed = file->state == WORKSPACE_DONE;
    return row->title && row->about && row->state;
}

static bool list_all(CourseList *course, const ExerciseList *exercises_list,
                     const Workspace *workspace, Error *err)
{
    bool good = true;
    for (int i = 0; good && i < exercises_list->count; i++) {
        WorkspaceFile file = {.state = WORKSPACE_NEW};
        Error unread;
        if (workspace)
            workspace_look(workspace, i, &file, &unread);
        good = list_exercise(course, &exercises_list->exercises[i], &file, err);
        if (good && i == 0)
            course->rows[course->count - 1].heading =
                exercise_word(course->language, EXERCISE_SAYS_COURSE);
    }
    return good;
}

// If exercises cannot be read, there are no rows; attnscope list exercises says why.
static bool exercises_list(CourseList *course, Error *err)
{
    Workspace workspace;
    ExerciseList exercises;
    Error unread;
    const char *language = language_name(course->language);
    bool good = true;
    if (open_workspace(&workspace, language)) {
        good = list_all(course, &workspace.exercises, &workspace, err);
        workspace_close(&workspace);
    } else if (exercise_list_open(&exercises, course->language, &unread)) {
        good = list_all(course, &exercises, NULL, err);
        exercise_list_close(&exercises);
    }
    return good;
}

static int exercises_start(int number, const AppOptions *options)
{
    Workspace workspace;
    if (!open_workspace(&workspace, options->lang))
        return app_fail(APP_FAILED, TELL(COURSE_EXERCISES));
    int code = app_watch(&workspace, number);
    workspace_close(&workspace);
    return code;
}

// --- the course

// Where to go on: the last row used, or if that is done the next that is not.
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

// Shows the course until a row is picked. *number is the row; the first exercise is row *lectures.
static bool choose(Language language, bool *chosen, int *number, int *lectures, Error *err)
{
    Progress progress = {.lines = NULL};
    Error unread;
    Arena arena = {0};
    CourseList *course = arena_take(&arena, 1, sizeof *course, err);
    const char *path = progress_path(&arena, &unread);
    bool good = course != NULL;
    if (path)
        progress_read(&progress, path, &unread);
    if (good) {
        course->progress = &progress;
        course->language = language;
        good = lectures_list(course, err);
        *lectures = course->count;
        good = good && exercises_list(course, err);
    }
    if (good) {
        Course shown = {.rows = course->rows,
                        .count = course->count,
                        .chosen = row_to_choose(course),
                        .language = language};
        good = course_run(&shown, chosen, err);
        *number = shown.chosen;
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
    int code = APP_DONE, number, lectures;
    bool chosen = true;
    while (chosen && code == APP_DONE) { // each return shows where to go on
        if (!choose(language_written(), &chosen, &number, &lectures, &err))
            code = app_fail(APP_FAILED, "%s", err.text);
        else if (chosen)
            code = number < lectures ? lectures_start(number, options)
                                     : exercises_start(number - lectures, options);
    }
    return code;
}
