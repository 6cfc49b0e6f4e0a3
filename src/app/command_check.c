// attnscope check: what one has written is compiled, run on fresh numbers, and judged.
#include "app_exercise.h"

#include <string.h>
#include "judging.h"

static void say_next(Workspace *workspace)
{
    Error err;
    workspace_read_progress(workspace, &err);
    int next = workspace_current(workspace);
    if (next < 0)
        exercise_say(stdout, workspace->language, EXERCISE_SAYS_ALL_DONE,
                     workspace->exercises.count, app_exercise_folder(workspace));
    else
        exercise_say(stdout, workspace->language, EXERCISE_SAYS_NEXT_IS,
                     workspace->exercises.exercises[next].name);
}

static bool check_one(Workspace *workspace, int number, long long seed, json_t *list)
{
    static Judging judging; // 50 KB
    judging_run(&judging, workspace, number, seed, NULL);
    bool passed = judging_passed(&judging);
    if (list)
        json_array_append_new(list,
                              judging_json(&judging, &workspace->exercises.exercises[number]));
    else
        judging_print(&judging, workspace, number, stdout);
    judging_finish(&judging);
    return passed;
}

static bool check_all(Workspace *workspace, long long seed, json_t *list)
{
    bool passed = true;
    for (int i = 0; i < workspace->exercises.count; i++) {
        if (!list && i > 0)
            putchar('\n');
        passed = check_one(workspace, i, seed, list) && passed;
        fflush(stdout);
    }
    return passed;
}

static int check(Workspace *workspace, const AppOptions *options)
{
    long long seed;
    int code = APP_DONE, number = -1;
    bool all = options->argument_count == 1 && strcmp(options->arguments[0], "all") == 0;
    if (!app_exercise_seed(options, &seed))
        return APP_MISUSED;
    if (!all && (number = app_exercise_number(workspace, options, &code)) < 0)
        return code;
    json_t *list = options->json ? json_array() : NULL;
    bool passed = all ? check_all(workspace, seed, list) : check_one(workspace, number, seed, list);
    if (list) {
        json_dumpf(all ? list : json_array_get(list, 0), stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(list);
    } else if (passed) {
        say_next(workspace);
    }
    return passed ? APP_DONE : APP_FAILED;
}

static int run(int argc, char **argv)
{
    Workspace workspace;
    AppOptions options;
    int code;
    if (!app_exercise_open(&workspace, &options, "dir lang json seed", argc, argv, &code))
        return code;
    code = check(&workspace, &options);
    workspace_close(&workspace);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_check = {
    .name = "check",
    .arguments = "[NAME|all] [--seed N] [--json] [--dir DIR] [--lang en|ko]",
    .summary = "checks an exercise: what differs, and which mistake does that",
    .details = "Without a name, the one to do now. It ends with 0 when all that was asked has\n"
               "passed, with 1 when something has not.\n"
               "  --seed N       other numbers [1]; a failure says which seed shows it again\n"
               "  --json         for programs\n"
               "  --dir DIR      the workspace [the one you are in]\n"
               "  --lang en|ko   the language [the workspace's]\n",
    .run = run,
};
