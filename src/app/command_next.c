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
    return app_exercise_run(argc, argv, &command_next, NULL, tell);
}

const AppCommand command_next = {
    .name = "next",
    .arguments = "[NAME] [--dir DIR] [--lang en|ko]",
    .summary = WORDS("Show the task of the next exercise, or of the one you name",
                     "다음 연습문제나 이름을 쓴 연습문제의 과제"),
    .details = WORDS(
        "The next exercise is the one you checked last. If it passed, it is the first one after\n"
        "it that has not passed.\n"
        "  --dir DIR      the workspace [the current one]\n"
        "  --lang en|ko   the language [the workspace's]\n",
        "다음 연습문제는 마지막으로 검사한 것입니다. 통과했으면 그 뒤에서 아직 통과하지\n"
        "않은 첫 연습문제입니다.\n"
        "  --dir DIR      작업 폴더 [지금 있는 곳]\n"
        "  --lang en|ko   언어 [작업 폴더의 언어]\n"),
    .options = "dir lang",
    .names = APP_NAMES_EXERCISE,
    .run = run,
};
