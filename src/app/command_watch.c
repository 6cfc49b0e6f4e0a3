// attnscope watch: an exercise is checked each time it is saved.
#include "app_watch.h"

#include "lecture_list.h"

static int watch(Workspace *workspace, AppOptions *options, int number)
{
    (void)options;
    return app_watch(workspace, number);
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (argc > 0 && app_options(argc, argv, command_watch.options, &options) &&
        !options.wants_help && options.argument_count == 1 &&
        lecture_list_is_path(options.arguments[0])) {
        int code = app_watch_lecture(options.arguments[0]), written = app_finish_output();
        return code == APP_DONE ? written : code;
    }
    return app_exercise_run(argc, argv, &command_watch, NULL, watch);
}

static const Words keys[] = {
#define EXERCISE_KEY(does, pressed, label, korean_label, help, korean_help) \
    WORDS(pressed "\n" help, pressed "\n" korean_help),
#include "keymaps.def"
};

static const AppList lists[] = {APP_LIST("keys", keys), {.name = NULL}};

const AppCommand command_watch = {
    .name = "watch",
    .arguments = "[NAME | ./LECTURE] [--dir DIR] [--lang en|ko]",
    .summary =
        WORDS("Check an exercise each time you save it", "저장할 때마다 연습문제를 검사합니다"),
    .details = WORDS(
        "Without a name, watches the current exercise. ./LECTURE is your own lecture: each save\n"
        "redraws the changed page or prints its errors. Keys while it watches an exercise:\n"
        "@keys\n"
        "Saves are noticed by system notifications, or by polling the file where there are none.\n"
        "  --dir DIR      the workspace [the current one]\n"
        "  --lang en|ko   the language [the workspace's]\n",
        "이름을 쓰지 않으면 지금 할 연습문제를 봅니다. ./LECTURE는 직접 쓴 강의입니다. 저장할\n"
        "때마다 고친 쪽을 그리거나 틀린 곳을 알려 줍니다. 연습문제에서 누를 수 있는 것:\n"
        "@keys\n"
        "시스템의 알림이 오면 알림을 쓰고, 오지 않으면 파일을 살펴보므로 어느 파일 시스템에서든\n"
        "됩니다.\n"
        "  --dir DIR      작업 폴더 [지금 있는 곳]\n"
        "  --lang en|ko   언어 [작업 폴더의 언어]\n"),
    .lists = lists,
    .options = "dir lang",
    .names = APP_NAMES_EXERCISE,
    .run = run,
};
