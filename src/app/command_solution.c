// attnscope solution: how it can be written, for those who have passed.
#include "app_exercise.h"

#include "input_file.h"

enum { SOLUTION_BYTES_MAX = 1 << 20 };

static int show(const Workspace *workspace, int number)
{
    const Exercise *exercise = &workspace->exercises.exercises[number];
    Arena arena = {0};
    Error err = {.text = ""};
    unsigned char *bytes;
    size_t length;
    if (!progress_has_passed(&workspace->progress, exercise->name)) {
        fflush(stdout);
        fputs("attnscope: ", stderr);
        exercise_say(stderr, workspace->language, EXERCISE_SAYS_SOLUTION_LATER, exercise->name);
        fputc('\n', stderr);
        return APP_FAILED;
    }
    const char *path = arena_format(&arena, &err, "%s/solution.c", exercise->folder);
    bool good = path && input_file_all(path, SOLUTION_BYTES_MAX, &arena, &bytes, &length, &err);
    if (good)
        fwrite(bytes, 1, length, stdout);
    arena_finish(&arena);
    return good ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}

static int run(int argc, char **argv)
{
    Workspace workspace;
    AppOptions options;
    int code, number = -1;
    if (!app_exercise_open(&workspace, &options, "dir lang", argc, argv, &code))
        return code;
    if (options.argument_count == 1)
        number = app_exercise_number(&workspace, &options, &code);
    else
        code = app_fail(APP_MISUSED, "the solution of which exercise? attnscope solution score");
    if (number >= 0)
        code = show(&workspace, number);
    workspace_close(&workspace);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_solution = {
    .name = "solution",
    .arguments = "NAME [--dir DIR]",
    .summary = "one way to write it, once yours has passed",
    .details = "  --dir DIR      the workspace [the one you are in]\n",
    .run = run,
};
