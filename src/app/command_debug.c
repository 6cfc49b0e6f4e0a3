// attnscope debug: the call that fails, under gdb.
#include "app_exercise.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "judging.h"

// "causal-mask" is the function causal_mask.
static void function_name(const char *exercise, char name[64])
{
    snprintf(name, 64, "%s", exercise);
    for (char *at = name; *at; at++)
        *at = *at == '-' ? '_' : *at;
}

// Runs gdb until the person leaves it. What it says by its exit status, 127: there is none.
static int run_gdb(const char *function, const char *program, const char *case_path,
                   Language language)
{
    const char *came_back = exercise_word(language, EXERCISE_SAYS_DEBUG_CAME_BACK),
               *said_no = exercise_word(language, EXERCISE_SAYS_DEBUG_SAID_NO);
    char stop[96];
    int status = 0;
    snprintf(stop, sizeof stop, "break %s", function);
    fflush(stdout);
    pid_t gdb = fork();
    if (gdb == 0) {
        unsetenv("DEBUGINFOD_URLS"); // it would ask before it begins
        execlp("gdb", "gdb", "-q", "-ex", "set breakpoint pending on", "-ex", stop, "-ex", "run",
               "--args", program, case_path, came_back, said_no, (char *)NULL);
        _exit(127);
    }
    // Ctrl-C belongs to gdb.
    void (*before)(int) = signal(SIGINT, SIG_IGN);
    while (gdb > 0 && waitpid(gdb, &status, 0) < 0 && errno == EINTR)
        continue;
    signal(SIGINT, before);
    return gdb > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

// Builds without optimising and hands over to gdb.
static int debug_case(const Workspace *workspace, int number, const char *case_path)
{
    static WorkerProgram program; // with what the compiler said: 24 KB
    const char *exercise = workspace->exercises.exercises[number].name;
    char function[64];
    Error err = {.text = ""};
    if (!judging_build(workspace, number, JUDGING_DEBUGGED, &program, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    function_name(exercise, function);
    exercise_say(stdout, workspace->language, EXERCISE_SAYS_DEBUG_BEGINS, function);
    if (run_gdb(function, program.path, case_path, workspace->language) != 127)
        return APP_DONE;
    exercise_say(stdout, workspace->language, EXERCISE_SAYS_DEBUG_NO_GDB, exercise);
    return APP_FAILED;
}

static int debug_in(const Workspace *workspace, int number, const char *case_path)
{
    static Judging judging;
    const char *exercise = workspace->exercises.exercises[number].name;
    judging_run(&judging, workspace, number, 1, case_path);
    bool passed = judging_passed(&judging), judged = judging.end == JUDGING_DONE;
    bool is_ours = judging.end == JUDGING_NOT_JUDGED;
    if (!passed)
        judging_print(&judging, workspace, number, stdout);
    judging_finish(&judging);
    if (judged && !passed && access(case_path, R_OK) == 0)
        return debug_case(workspace, number, case_path);
    if (judged)
        exercise_say(stdout, workspace->language,
                     passed ? EXERCISE_SAYS_DEBUG_PASSES : EXERCISE_SAYS_DEBUG_NO_CASE, exercise);
    return passed ? APP_DONE : is_ours ? APP_NOT_JUDGED : APP_FAILED;
}

static int debug(Workspace *workspace, AppOptions *options, int number)
{
    (void)options;
    Arena arena = {0};
    Error err = {.text = ""};
    Temporary folder;
    if (!judging_folder(&folder, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    const char *case_path = arena_format(&arena, &err, "%s/case", folder.path);
    int code =
        case_path ? debug_in(workspace, number, case_path) : app_fail(APP_FAILED, "%s", err.text);
    temporary_drop(&folder);
    arena_finish(&arena);
    return code;
}

static int run(AppOptions *options)
{
    return app_exercise_run(options, NULL, debug);
}

const AppCommand command_debug = {
    .name = "debug",
    .arguments = "[NAME] [--dir DIR] [--lang en|ko]",
    .summary = WORDS("Open the failing case in gdb", "틀리는 경우를 gdb에서 엽니다"),
    .details = WORDS(
        "Checks the exercise, then opens the first failing call in gdb, stopped at the start of\n"
        "your function.\n"
        "  --dir DIR      the workspace [the current one]\n"
        "  --lang en|ko   the language [the workspace's]\n",
        "연습문제를 검사하고, 처음으로 틀린 호출을 gdb에서 엽니다. 함수가 시작하는 곳에서\n"
        "멈춥니다.\n"
        "  --dir DIR      작업 폴더 [지금 있는 곳]\n"
        "  --lang en|ko   언어 [작업 폴더의 언어]\n"),
    .options = "dir lang",
    .names = APP_NAMES_EXERCISE,
    .run = run,
};
