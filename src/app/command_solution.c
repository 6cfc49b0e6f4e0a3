// attnscope solution: how it can be written, for those who have passed.
#include "app_exercise.h"

#include "input_file.h"
#include "app_words.h"

enum { SOLUTION_BYTES_MAX = 1 << 20 };

static int show(Workspace *workspace, AppOptions *options, int number)
{
    (void)options;
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
    return app_exercise_run(argc, argv, &command_solution, TELL(SOLUTION_WHICH), show);
}

const AppCommand command_solution = {
    .name = "solution",
    .arguments = "NAME [--dir DIR]",
    .summary = WORDS("Show a solution, once yours has passed", "푼 다음에 보는 풀이 하나"),
    .details = WORDS("  --dir DIR      the workspace [the current one]\n",
                     "  --dir DIR      작업 폴더 [지금 있는 곳]\n"),
    .options = "dir lang",
    .names = APP_NAMES_EXERCISE,
    .run = run,
};
