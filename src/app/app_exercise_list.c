// app_exercise_list: the exercises with state and points, one line each; see app_exercise.h.
#include "app_exercise.h"

#include "lecture_list.h"
#include "utf8.h"

static const ExerciseWord states[WORKSPACE_STATES] = {
    [WORKSPACE_MISSING] = EXERCISE_SAYS_STATE_MISSING,
    [WORKSPACE_NEW] = EXERCISE_SAYS_STATE_NEW,
    [WORKSPACE_BEGUN] = EXERCISE_SAYS_STATE_BEGUN,
    [WORKSPACE_CHANGED] = EXERCISE_SAYS_STATE_CHANGED,
    [WORKSPACE_FAILED] = EXERCISE_SAYS_STATE_FAILED,
    [WORKSPACE_DONE] = EXERCISE_SAYS_STATE_DONE,
};

const char *app_exercise_state(WorkspaceState state, Language language)
{
    return exercise_word(language, states[state]);
}

static int longest_name(const ExerciseList *list)
{
    int longest = 0;
    for (int i = 0; i < list->count; i++) {
        int width = utf8_width(list->exercises[i].name);
        longest = width > longest ? width : longest;
    }
    return longest;
}

static bool print_workspace(const Workspace *workspace, Error *err)
{
    const ExerciseList *list = &workspace->exercises;
    int current = app_exercise_current(workspace), width = longest_name(list);
    int passed = 0, points = 0, most = 0;
    app_exercise_warn(workspace);
    for (int i = 0; i < list->count; i++) {
        const Exercise *exercise = &list->exercises[i];
        WorkspaceFile file;
        if (!workspace_look(workspace, i, &file, err))
            return false;
        bool done = file.state == WORKSPACE_DONE;
        printf("%s %s %2d  %-*s %3d/%-3d  %s\n", i == current ? "\u25b8" : " ",
               done ? "\u2713" : " ", i + 1, width, exercise->name, file.points, exercise->points,
               app_exercise_state(file.state, workspace->language));
        passed += done;
        points += file.points;
        most += exercise->points;
    }
    putchar('\n');
    exercise_say(stdout, workspace->language, EXERCISE_SAYS_PASSED_SO_FAR, passed, list->count,
                 points, most);
    return true;
}

// Where there is no workspace yet: what there would be in it.
static int print_all(Language language)
{
    ExerciseList list;
    Error err = {.text = ""};
    if (!exercise_list_open(&list, language, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int width = longest_name(&list);
    for (int i = 0; i < list.count; i++)
        printf("%2d  %-*s  %s\n", i + 1, width, list.exercises[i].name, list.exercises[i].title);
    putchar('\n');
    exercise_say(stdout, language, EXERCISE_SAYS_NO_WORKSPACE);
    exercise_list_close(&list);
    return APP_DONE;
}

int app_exercise_list(const AppOptions *options)
{
    Workspace workspace;
    Error err = {.text = ""};
    if (!workspace_is_near(options->dir))
        return print_all(language_written());
    bool good = workspace_open(&workspace, options->dir, options->lang, &err) &&
                print_workspace(&workspace, &err);
    workspace_close(&workspace);
    return good ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}
