// attnscope reset: an exercise as it was made; what was there is kept.
#include "app_exercise.h"
#include "app_words.h"

typedef struct Told {
    const Workspace *workspace;
    const char *path;
} Told;

static void tell(void *context, WorkspaceWork work, const char *path)
{
    const Told *told = context;
    Language language = told->workspace->language;
    if (work == WORKSPACE_KEPT)
        exercise_say(stdout, language, EXERCISE_SAYS_RESET, told->path, path);
    else
        exercise_say(stdout, language, EXERCISE_SAYS_RESET_MADE, path);
}

static int reset(Workspace *workspace, AppOptions *options, int number)
{
    (void)options;
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
    return app_exercise_run(argc, argv, &command_reset, TELL(RESET_WHICH), reset);
}

const AppCommand command_reset = {
    .name = "reset",
    .arguments = "NAME [--dir DIR]",
    .summary = WORDS("Start an exercise over; your version is kept",
                     "연습문제를 처음부터 다시. 쓴 것은 옆에 남습니다"),
    .details =
        WORDS("Copies exercises/NAME.c to NAME.c.1, NAME.c.2 ..., the first that is free.\n"
              "  --dir DIR      the workspace [the current one]\n",
              "exercises/NAME.c에 있던 것은 NAME.c.1, NAME.c.2 ... 가운데 비어 있는 다음 이름으로\n"
              "복사됩니다.\n"
              "  --dir DIR      작업 폴더 [지금 있는 곳]\n"),
    .options = "dir lang",
    .names = APP_NAMES_EXERCISE,
    .run = run,
};
