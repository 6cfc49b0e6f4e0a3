// attnscope reset: an exercise as it was made; what was there is kept.
#include "app_exercise.h"

typedef struct Told {
    const Workspace *workspace;
    const char *path;
} Told;

static void tell(void *context, WorkspaceWork work, const char *path)
{
    const Told *told = context;
    LectureLanguage language = told->workspace->language;
    if (work == WORKSPACE_KEPT)
        exercise_say(stdout, language, EXERCISE_SAYS_RESET, told->path, path);
    else
        exercise_say(stdout, language, EXERCISE_SAYS_RESET_MADE, path);
}

static int reset(const Workspace *workspace, int number)
{
    Arena arena = {0};
    Error err = {.text = ""};
    WorkspaceFile file;
    Told told = {workspace, workspace_path(workspace, number, &arena, &err)};
    bool good = told.path && workspace_look(workspace, number, &file, &err);
    if (good && file.state == WORKSPACE_NEW)
        exercise_say(stdout, workspace->language, EXERCISE_SAYS_RESET_NOTHING, told.path);
    else
        good = good && workspace_reset(workspace, number, tell, &told, &err);
    arena_finish(&arena);
    return good ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}

static int run(int argc, char **argv)
{
    Workspace workspace;
    AppOptions options;
    int code;
    if (!app_exercise_open(&workspace, &options, "dir lang", argc, argv, &code))
        return code;
    int number = -1;
    if (options.argument_count == 1)
        number = app_exercise_number(&workspace, &options, &code);
    else
        code = app_fail(APP_MISUSED, "reset which exercise? Name it: attnscope reset score");
    if (number >= 0)
        code = reset(&workspace, number);
    workspace_close(&workspace);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_reset = {
    .name = "reset",
    .arguments = "NAME [--dir DIR]",
    .summary = "begins an exercise anew; what you wrote is kept beside it",
    .details = "What was in exercises/NAME.c is copied to the next free of NAME.c.1, NAME.c.2 ...\n"
               "  --dir DIR      the workspace [the one you are in]\n",
    .run = run,
};
