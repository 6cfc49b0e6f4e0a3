// attnscope next: what to do now.
#include "app_exercise.h"

static int tell(Workspace *workspace, AppOptions *options, int number)
{
    (void)options;
    app_exercise_task(workspace, number, stdout);
    return APP_DONE;
}

static int run(int argc, char **argv)
{
    return app_exercise_run(argc, argv, command_next.options, NULL, tell);
}

const AppCommand command_next = {
    .name = "next",
    .arguments = "[NAME] [--dir DIR] [--lang en|ko]",
    .summary = "the task of the next exercise, or of the one named",
    .details = "The next one is the one checked last; when that has passed, the first after it\n"
               "that has not.\n"
               "  --dir DIR      the workspace [the one you are in]\n"
               "  --lang en|ko   the language [the workspace's]\n",
    .options = "dir lang",
    .names = APP_NAMES_EXERCISE,
    .run = run,
};
