// attnscope step: a learner's function beside the right one, at the first number that differs.
#include "app_exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "app_words.def"
#include "session.h"

// The scenarios that an exercise is stepped through in: the first that has its stage, and masks as it
// does.
static const char *const scenarios[] = {"causal", "padded-batch-masked", "sentence"};

static bool has_stage(const Trace *trace, const char *stage)
{
    for (int step = 0; step < trace->step_count; step++)
        if (strcmp(trace->steps[step].stage->name, stage) == 0)
            return true;
    return false;
}

static bool suits(const AppTrace *app, const Exercise *exercise)
{
    const StageOptions *options = &app->scenario.options;
    return has_stage(&app->trace, exercise->stage) &&
           (exercise->when != EXERCISE_CAUSAL || options->causal) &&
           (exercise->when != EXERCISE_PADDING || options->mask_padding);
}

static bool open_scenario(AppTrace *app, AppOptions *options, const Exercise *exercise)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        options->request.what = scenarios[i];
        if (!app_open(app, options))
            return false;
        if (suits(app, exercise))
            return true;
        app_close(app);
    }
    app_fail(APP_FAILED, TELL(STEP_NO_STAGE), exercise->name, exercise->name);
    return false;
}

static bool say(Session *session, CommandKind kind, const char *name, Error *err)
{
    Command command = {.kind = kind, .number = 1};
    snprintf(command.name, sizeof command.name, "%s", name);
    return session_apply(session, &command, err);
}

// Both runs up to the stage, and on it the first number that differs.
static bool set_scene(Session *session, const Exercise *exercise, Error *err)
{
    Error same;
    if (!say(session, COMMAND_GOTO, exercise->stage, err) ||
        !say(session, COMMAND_COMPARE, "mine", err))
        return false;
    if (session->comparison.failed)
        error_set(&session->message, "%s", session->comparison.failure.text);
    else if (!say(session, COMMAND_DIFFER_FIRST, "", &same))
        error_set(&session->message, TELL(STEP_SAME), exercise->name);
    return true;
}

// Whose doing it is that there is nothing to see: 3 is this machine's, as in `attnscope check`.
static int refuse(const Error *err)
{
    return app_fail(err->of_machine ? APP_NOT_JUDGED : APP_FAILED, "%s", err->text);
}

static int step(AppTrace *app, AppMine *mine, const Exercise *exercise, const AppOptions *options)
{
    Error err = {.text = ""};
    Session *session = app_session(&err);
    mine->scenario = &app->scenario;
    mine->only = exercise->name;
    if (!session || !session_open(session, &app->scenario, &err))
        return refuse(&err);
    session->mine.open = app_mine_for_comparison;
    session->mine.context = mine;
    bool is_unseen = options->script || options->png;
    bool is_set =
        set_scene(session, exercise, &err) && (!is_unseen || session_could_compute(session, &err));
    int code = is_set ? app_step(session, options) : refuse(&err);
    session_close(session);
    return code;
}

static int step_exercise(Workspace *workspace, AppOptions *options, int number)
{
    bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (!has_terminal && !options->script && !options->png)
        return app_fail(APP_MISUSED, TELL(STEP_TERMINAL));
    static AppTrace app; // too large for a small stack
    const Exercise *exercise = &workspace->exercises.exercises[number];
    AppMine *mine = calloc(1, sizeof *mine);
    int code = APP_FAILED;
    if (!mine)
        return app_fail(APP_FAILED, TELL(STEPPER_NO_MEMORY));
    mine->folder = options->dir;
    mine->language = options->lang;
    if (!exercise->stage)
        app_fail(APP_FAILED, TELL(STEP_NO_STAGE), exercise->name, exercise->name);
    else if (open_scenario(&app, options, exercise)) {
        code = step(&app, mine, exercise, options);
        app_close(&app);
    }
    app_mine_close(mine);
    free(mine);
    return code;
}

static int run(AppOptions *options)
{
    return app_exercise_run(options, NULL, step_exercise);
}

const AppCommand command_step = {
    .name = "step",
    .arguments = "[NAME] [--dir DIR] [--script FILE] [--size 100x30]",
    .summary = WORDS("Run your function next to the right one, from the first number that differs",
                     "내 함수를 맞는 것 옆에, 처음으로 다른 숫자에서"),
    .details = WORDS(
        "  --dir DIR      the workspace [the current one]\n"
        "  --script FILE  run the commands in FILE and print the screens; needs no terminal\n"
        "\n"
        "What explains the first difference stands above your numbers; a single slip in a formula\n"
        "is shown above the right one. ! finds the first difference again, ' the next one, y shows\n"
        "your run, o shows where a number came from.\n"
        "With --script, the exit status is 1 if your function does not build or return, 3 if\n"
        "this machine could not run it.\n",
        "  --dir DIR      작업 폴더 [지금 있는 곳]\n"
        "  --script FILE  파일에 쓴 대로 하고 화면을 출력합니다. 터미널이 없어도 됩니다\n"
        "\n"
        "첫 차이를 설명하는 말이 내 숫자 위에 나옵니다. 수식 하나를 잘못 쓴 것이면 맞는 수식도\n"
        "함께 나옵니다. !는 첫 차이를 다시 찾고, '는 다음 차이로, y는 내 실행을 앞으로, o는\n"
        "숫자가 어디에서 왔는지 보여 줍니다.\n"
        "--script를 쓰면, 내 함수가 컴파일되지 않거나 끝까지 실행되지 않을 때 1, 이 컴퓨터가\n"
        "실행하지 못했을 때 3으로 끝납니다.\n"),
    .options = "dir lang script size png dark",
    .names = APP_NAMES_EXERCISE,
    .run = run,
};
