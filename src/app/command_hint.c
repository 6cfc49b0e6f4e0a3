// attnscope hint: a little more each time, and at last the place in the lecture.
#include "app_exercise.h"

#include <stdlib.h>
#include "hint_file.h"
#include "prose.h"
#include "app_words.h"

enum { LEVEL_LECTURE = EXERCISE_HINTS + 1 };

static void show(const Workspace *workspace, int number, int level, FILE *out)
{
    const Exercise *exercise = &workspace->exercises.exercises[number];
    Language language = workspace->language;
    int columns = app_exercise_columns();
    if (level == LEVEL_LECTURE) {
        exercise_say(out, language, EXERCISE_SAYS_HINT_LECTURE, exercise->name);
        words_print(out, "\n  attnscope walk %s#%s\n\n", exercise->lecture, exercise->page);
        prose_print(exercise->lecture_text, "", columns, out);
    } else {
        exercise_say(out, language, EXERCISE_SAYS_HINT_OF, exercise->name, level, EXERCISE_HINTS);
        fputc('\n', out);
        prose_print(exercise->hints[level - 1], "", columns, out);
    }
    fputc('\n', out);
    exercise_say(out, language,
                 level < LEVEL_LECTURE ? EXERCISE_SAYS_HINT_MORE : EXERCISE_SAYS_HINT_AGAIN,
                 exercise->name);
}

void app_exercise_hint(const Workspace *workspace, int number, int level, FILE *out)
{
    const char *name = workspace->exercises.exercises[number].name;
    Error err = {.text = ""};
    int shown = progress_hint(&workspace->progress, name);
    if (level == 0)
        level = shown < LEVEL_LECTURE ? shown + 1 : LEVEL_LECTURE;
    show(workspace, number, level, out);
    if (workspace->progress_path &&
        !progress_note_hint(workspace->progress_path, name, level, &err))
        exercise_say(out, workspace->language, EXERCISE_SAYS_NOT_NOTED, err.text);
    if (!hint_file_note(workspace, number, level, &err))
        exercise_say(out, workspace->language, EXERCISE_SAYS_NOT_NOTED, err.text);
}

// "1" ... "4"; 0: the next one. -1 after a sentence.
static int wanted_level(const AppOptions *options)
{
    if (options->argument_count < 2)
        return 0;
    char *rest;
    long level = strtol(options->arguments[1], &rest, 10);
    if (*rest == '\0' && level >= 1 && level <= LEVEL_LECTURE)
        return (int)level;
    app_fail(APP_MISUSED, TELL(HINT_NUMBER), options->arguments[1]);
    return -1;
}

static int hint(Workspace *workspace, AppOptions *options, int number)
{
    int level = wanted_level(options);
    if (level < 0)
        return APP_MISUSED;
    app_exercise_hint(workspace, number, level, stdout);
    return APP_DONE;
}

static int run(int argc, char **argv)
{
    return app_exercise_run(argc, argv, &command_hint, NULL, hint);
}

const AppCommand command_hint = {
    .name = "hint",
    .arguments = "[NAME [1|2|3|4]] [--dir DIR] [--lang en|ko]",
    .summary =
        WORDS("Show a hint; each one says a little more", "힌트. 볼 때마다 조금씩 더 알려 줍니다"),
    .details = WORDS(
        "Three hints, each more specific than the last. The fourth names the page of the\n"
        "lecture. attnscope remembers which hints you saw; a number shows one again.\n"
        "exercises/hints.txt lists them for a course that counts hints.\n"
        "  --dir DIR      the workspace [the current one]\n"
        "  --lang en|ko   the language [the workspace's]\n",
        "힌트는 세 개이고 뒤로 갈수록 더 많이 알려 줍니다. 네 번째는 강의의 자리입니다. 어디까지\n"
        "봤는지 기억합니다. 번호를 쓰면 그 힌트를 다시 봅니다. 힌트를 세는 과목을 위해 어떤 "
        "힌트를\n"
        "봤는지 exercises/hints.txt에 적습니다.\n"
        "  --dir DIR      작업 폴더 [지금 있는 곳]\n"
        "  --lang en|ko   언어 [작업 폴더의 언어]\n"),
    .options = "dir lang",
    .words = "1 2 3 4",
    .names = APP_NAMES_EXERCISE,
    .run = run,
};
