// attnscope watch: an exercise is checked each time it is saved.
#include "app_watch.h"

static int watch(Workspace *workspace, AppOptions *options, int number)
{
    (void)options;
    return app_watch(workspace, number);
}

static int run(int argc, char **argv)
{
    return app_exercise_run(argc, argv, command_watch.options, NULL, watch);
}

const AppCommand command_watch = {
    .name = "watch",
    .arguments = "[NAME] [--dir DIR] [--lang en|ko]",
    .summary = "checks an exercise each time you save it",
    .details =
        "Without a name, the one to do now. Keys: n goes on to the next exercise, h gives a\n"
        "hint, t shows the task, c checks again with other numbers, q leaves.\n"
        "Notifications of the system are used where they come; elsewhere the file is looked\n"
        "at, so that it works on every file system.\n"
        "  --dir DIR      the workspace [the one you are in]\n"
        "  --lang en|ko   the language [the workspace's]\n",
    .options = "dir lang",
    .names = APP_NAMES_EXERCISE,
    .run = run,
};
