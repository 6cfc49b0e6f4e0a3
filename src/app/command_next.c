// attnscope next: what to do now.
#include "app_exercise.h"

static int run(int argc, char **argv)
{
    Workspace workspace;
    AppOptions options;
    int code;
    if (!app_exercise_open(&workspace, &options, "dir lang", argc, argv, &code))
        return code;
    int number = app_exercise_number(&workspace, &options, &code);
    if (number >= 0) {
        app_exercise_task(&workspace, number, stdout);
        code = APP_DONE;
    }
    workspace_close(&workspace);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_next = {
    .name = "next",
    .arguments = "[NAME] [--dir DIR] [--lang en|ko]",
    .summary = "the task of the next exercise, or of the one named",
    .details = "The next one is the one checked last; when that has passed, the first after it\n"
               "that has not.\n"
               "  --dir DIR      the workspace [the one you are in]\n"
               "  --lang en|ko   the language [the workspace's]\n",
    .run = run,
};
