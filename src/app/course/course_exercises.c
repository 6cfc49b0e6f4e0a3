// course_exercises: the exercises as a part of the course; see course_part.h.
#include "app_watch.h"
#include "course_part.h"
#include "app_words.h"

// The workspace that the person is in, or the one where they were last. False where there is none.
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

static const char *state_text(CourseList *course, const Exercise *exercise,
                              const WorkspaceFile *file, Error *err)
{
    Language language = course->language;
    const char *points =
        arena_format(&course->arena, err, exercise_word(language, EXERCISE_SAYS_POINTS),
                     file->points, exercise->points);
    return points ? arena_format(&course->arena, err, "%s  %s",
                                 app_exercise_state(file->state, language), points)
                  : NULL;
}

static bool tell(CourseList *course, const Exercise *exercise, const WorkspaceFile *file,
                 Error *err)
{
    CourseRow *row = course_add(course, err);
    if (!row)
        return false;
    row->title = arena_format(&course->arena, err, "%2d  %s", exercise->order, exercise->name);
    row->about = arena_text(&course->arena, exercise->title, err);
    row->state = state_text(course, exercise, file, err);
    row->done = row->passed = file->state == WORKSPACE_DONE;
    return row->title && row->about && row->state;
}

static bool tell_all(CourseList *course, const ExerciseList *list, const Workspace *workspace,
                     Error *err)
{
    bool good = true;
    for (int i = 0; good && i < list->count; i++) {
        WorkspaceFile file = {.state = WORKSPACE_NEW};
        Error unread;
        if (workspace)
            workspace_look(workspace, i, &file, &unread);
        good = tell(course, &list->exercises[i], &file, err);
        if (good && i == 0)
            course->rows[course->count - 1].heading =
                exercise_word(course->language, EXERCISE_SAYS_COURSE);
    }
    return good;
}

// Where the exercises cannot be read, there are none here; attnscope list exercises says why.
static bool list(CourseList *course, Error *err)
{
    Workspace workspace;
    ExerciseList exercises;
    Error unread;
    const char *language = language_name(course->language);
    bool good = true;
    if (open_workspace(&workspace, language)) {
        good = tell_all(course, &workspace.exercises, &workspace, err);
        workspace_close(&workspace);
    } else if (exercise_list_open(&exercises, course->language, &unread)) {
        good = tell_all(course, &exercises, NULL, err);
        exercise_list_close(&exercises);
    }
    return good;
}

static int start(int number, const AppOptions *options)
{
    Workspace workspace;
    if (!open_workspace(&workspace, options->lang))
        return app_fail(APP_FAILED, TELL(COURSE_EXERCISES));
    int code = app_watch(&workspace, number);
    workspace_close(&workspace);
    return code;
}

const CoursePart course_exercises = {.list = list, .start = start};
