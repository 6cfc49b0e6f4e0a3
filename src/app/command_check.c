// attnscope check: what one has written is compiled, run on fresh numbers, and judged.
#include "app_exercise.h"

#include <string.h>
#include "judging.h"
#include "app_words.h"

static void say_next(Workspace *workspace)
{
    char folder[SHELL_PATH_ROOM];
    Error unknown = {.text = ""};
    int next = -1;
    if (!workspace->progress_path || workspace_read_progress(workspace, &unknown))
        next = workspace_current(workspace, &unknown);
    if (*unknown.text)
        exercise_say(stdout, workspace->language, EXERCISE_SAYS_NOT_READ, unknown.text);
    else if (next < 0)
        exercise_say(stdout, workspace->language, EXERCISE_SAYS_ALL_DONE,
                     workspace->exercises.count, app_exercise_folder(workspace, folder));
    else
        exercise_say(stdout, workspace->language, EXERCISE_SAYS_NEXT_IS,
                     workspace->exercises.exercises[next].name);
}

// What has become of all that was asked.
typedef struct Outcome {
    bool passed;     // all of it
    bool not_judged; // some of it
    json_t *list;    // for programs; NULL: text
    bool is_whole;   // the list has everything
} Outcome;

static void check_one(Workspace *workspace, int number, long long seed, Outcome *outcome)
{
    static Judging judging; // 50 KB
    judging_run(&judging, workspace, number, seed, NULL);
    outcome->passed = outcome->passed && judging_passed(&judging);
    outcome->not_judged = outcome->not_judged || judging.end == JUDGING_NOT_JUDGED;
    if (!outcome->list)
        judging_print(&judging, workspace, number, stdout);
    else if (json_array_append_new(
                 outcome->list, judging_json(&judging, &workspace->exercises.exercises[number])) !=
             0)
        outcome->is_whole = false;
    judging_finish(&judging);
}

static void check_all(Workspace *workspace, long long seed, Outcome *outcome)
{
    for (int i = 0; i < workspace->exercises.count; i++) {
        if (!outcome->list && i > 0)
            putchar('\n');
        check_one(workspace, i, seed, outcome);
        fflush(stdout);
    }
}

static int print_list(const Outcome *outcome, bool all)
{
    if (!outcome->is_whole)
        return app_fail(APP_FAILED, TELL(NO_MEMORY_RESULTS));
    json_dumpf(all ? outcome->list : json_array_get(outcome->list, 0), stdout, JSON_INDENT(2));
    putchar('\n');
    return APP_DONE;
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
    Outcome outcome = {.passed = true, .is_whole = true};
    if (options->json && !(outcome.list = json_array()))
        return app_fail(APP_FAILED, TELL(NO_MEMORY_RESULTS));
    if (all)
        check_all(workspace, seed, &outcome);
    else
        check_one(workspace, number, seed, &outcome);
    if (outcome.list)
        code = print_list(&outcome, all);
    else if (outcome.passed)
        say_next(workspace);
    json_decref(outcome.list);
    return code != APP_DONE     ? code
           : outcome.not_judged ? APP_NOT_JUDGED
           : outcome.passed     ? APP_DONE
                                : APP_FAILED;
}

static int run(int argc, char **argv)
{
    Workspace workspace;
    AppOptions options;
    int code;
    if (!app_exercise_open(&workspace, &options, &command_check, argc, argv, &code))
        return code;
    code = check(&workspace, &options);
    workspace_close(&workspace);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_check = {
    .name = "check",
    .arguments = "[NAME|all] [--seed N] [--json] [--dir DIR] [--lang en|ko]",
    .is_first = true,
    .summary = WORDS("Check an exercise: what differs, and which mistake causes it",
                     "연습문제를 검사합니다: 무엇이 다르고 어떤 실수인지"),
    .details = WORDS(
        "Without a name, checks the current exercise. Exit status: 0 if everything passed, 1 if\n"
        "something failed, 3 if this machine could not check something. Status 3 leaves your\n"
        "progress unchanged.\n"
        "  --seed N       use other random inputs [1]; a failure prints its seed\n"
        "  --json         JSON output\n"
        "  --dir DIR      the workspace [the current one]\n"
        "  --lang en|ko   the language [the workspace's]\n",
        "이름을 쓰지 않으면 지금 할 연습문제를 검사합니다. 물은 것이 모두 맞으면 0, 맞지 않은\n"
        "것이 있으면 1, 이 컴퓨터에서 판정하지 못한 것이 있으면 3으로 끝납니다. 3일 때는\n"
        "아무것도 기록하지 않습니다.\n"
        "  --seed N       다른 숫자로 [1]. 틀리면 어느 시드에서 다시 볼 수 있는지 알려 줍니다\n"
        "  --json         프로그램이 읽을 형식\n"
        "  --dir DIR      작업 폴더 [지금 있는 곳]\n"
        "  --lang en|ko   언어 [작업 폴더의 언어]\n"),
    .options = "dir lang json seed",
    .words = "all",
    .names = APP_NAMES_EXERCISE,
    .run = run,
};
