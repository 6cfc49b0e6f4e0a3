// attnscope init: a workspace, in which somebody writes the stages themselves.
#include "app_exercise.h"

#include <string.h>
#include "lecture_list.h"
#include "app_words.h"

typedef struct Made {
    Language language;
    int files;
} Made;

static void tell(void *context, WorkspaceWork work, const char *path)
{
    Made *made = context;
    made->files += work == WORKSPACE_WROTE;
    if (work == WORKSPACE_KEPT)
        exercise_say(stdout, made->language, EXERCISE_SAYS_HEADER_RENEWED, path);
}

static int make(const char *folder, Language language)
{
    Error err = {.text = ""};
    Made made = {.language = language};
    if (!workspace_make(folder, language, tell, &made, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    if (made.files > 0)
        exercise_say(stdout, language, EXERCISE_SAYS_MADE, folder, made.files);
    else
        exercise_say(stdout, language, EXERCISE_SAYS_MADE_NOTHING, folder);
    app_language_own(language);
    Workspace workspace;
    if (!workspace_open(&workspace, folder, NULL, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    app_exercise_warn(&workspace);
    if (!workspace_remember(&workspace, &err))
        app_fail(APP_DONE, TELL(INIT_FORGOTTEN), err.text);
    char word[SHELL_PATH_ROOM];
    int number = app_exercise_current(&workspace);
    if (number >= 0)
        exercise_say(stdout, language, EXERCISE_SAYS_BEGIN, shell_path(folder, word),
                     workspace.exercises.exercises[number].name);
    workspace_close(&workspace);
    return APP_DONE;
}

// A lecture of one's own: see lessons/README.md.
static int begin_lecture(const char *folder)
{
    Error err = {.text = ""};
    char word[SHELL_PATH_ROOM];
    if (!lecture_begin(folder, language_written(), &err))
        return app_fail(APP_FAILED, "%s", err.text);
    shell_path(folder, word);
    bool is_path = strchr(word, '/') != NULL;
    words_print(stdout, TELL(INIT_LECTURE), folder, is_path ? "" : "./", word, is_path ? "" : "./",
                word, is_path ? "" : "./", word);
    return app_finish_output();
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command_init.options, &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(&command_init, stdout);
        return app_finish_output();
    }
    if (options.argument_count == 2 && strcmp(options.arguments[0], "lecture") == 0)
        return begin_lecture(options.arguments[1]);
    if (options.argument_count != 1)
        return app_fail(APP_MISUSED, TELL(INIT_WHICH));
    int code = make(options.arguments[0], language_written());
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_init = {
    .name = "init",
    .arguments = "DIR | lecture DIR [--lang en|ko]",
    .is_first = true,
    .summary = WORDS("Create a folder where you write the stages yourself",
                     "단계를 직접 쓸 폴더를 만듭니다"),
    .details = WORDS(
        "  DIR            a new folder, or an existing workspace to complete; existing files\n"
        "                 are never overwritten\n"
        "  --lang en|ko   the language of tasks and hints [the locale's]\n"
        "\n"
        "Inside it, use attnscope watch, list exercises, next, check and hint.\n"
        "init lecture DIR starts your own lecture: a few pages and a scenario. attnscope watch\n"
        "./DIR redraws it after each save.\n",
        "  DIR            새 폴더. 예전에 만든 작업 폴더라면 빠진 것만 넣습니다.\n"
        "                 그 안의 것은 덮어쓰지 않습니다\n"
        "  --lang en|ko   과제와 힌트의 언어 [로캘의 언어]\n"
        "\n"
        "그 안에서: attnscope watch, list exercises, next, check, hint.\n"
        "init lecture DIR은 직접 쓸 강의를 시작합니다. 한 단계씩 자라는 쪽과 그 옆의\n"
        "시나리오가 들어 있습니다. attnscope watch ./DIR은 저장할 때마다 다시 그립니다.\n"),
    .options = "lang",
    .names = APP_NAMES_FOLDER,
    .run = run,
};
