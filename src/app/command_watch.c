// attnscope watch: checks an exercise at each save. attnscope step: compares a function in the stepper.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "app_exercise.h"
#include "app_words.def"
#include "input_file.h"
#include "judging.h"
#include "keymap.h"
#include "lecture.h"
#include "lines.h"
#include "session.h"
#include "tui.h"
#include "utf8.h"
#include "error.h"

// --- watching an exercise

enum { LOOK_MILLISECONDS = 250 }; // polling interval of the file during a check

static const KeyRow key_rows[] = {
#define EXERCISE_KEY(does, ...) KEY_ROW(EXERCISE, 0, __VA_ARGS__),
#include "keymaps.def"
};

static const Keymap key_map = {key_rows, sizeof key_rows / sizeof *key_rows};

typedef struct Watch {
    Workspace *workspace;
    int number;
    long long seed;
    FileWatch file;
    int hint;    // the level that is shown; 0: none of this exercise was
    Arena arena; // of the exercise
    TextPage page;
    int rows; // visible rows of its text
    Written text;
    Error unwritten; // why the file is missing
    char title[256], status[512];
    bool hangul,
        hangul_said; // Hangul letters are keys: to be explained until the next key; was explained
    JudgingBeside check;
    bool left;
    Error *err;
} Watch;

// --- the screen

static bool is_checking(const Watch *watch)
{
    return watch->check.process > 0;
}

static void say_waiting(Watch *watch)
{
    bool notified = watch->file.mode == FILE_WATCH_NOTIFIED;
    ExerciseWord says = watch->hangul        ? SAY_WATCH_HANGUL
                        : is_checking(watch) ? SAY_WATCH_CHECKING
                        : notified           ? SAY_WATCH_NOTIFIED
                                             : SAY_WATCH_POLLED;
    snprintf(watch->status, sizeof watch->status, exercise_word(says), watch->file.path);
}

static void draw(void *context, Cells *cells)
{
    Watch *watch = context;
    char bar[KEY_BAR_MAX];
    say_waiting(watch);
    watch->page.title = watch->title;
    watch->page.text = watch->text.text ? watch->text.text : watch->unwritten.text;
    watch->page.status = watch->status;
    watch->page.keys = keymap_bar(key_map, 0, cells->columns, bar);
    text_page_draw(&watch->page, cells);
}

// A stream for the result, until end_text; NULL without memory.
static FILE *begin_text(Watch *watch)
{
    written_drop(&watch->text);
    watch->page.skip = 0;
    written_begin(&watch->text, &watch->unwritten);
    return watch->text.out;
}

static void end_text(Watch *watch)
{
    written_end(&watch->text, &watch->unwritten);
}

static void show_task(Watch *watch)
{
    FILE *out = begin_text(watch);
    if (!out)
        return;
    app_exercise_task(watch->workspace, watch->number, out);
    end_text(watch);
}

static void show_hint(Watch *watch)
{
    Error unread;
    FILE *out = begin_text(watch);
    if (!out)
        return;
    int level = watch->hint ? app_exercise_hint_after(watch->hint)
                            : app_exercise_hint_level(watch->workspace, watch->number);
    watch->hint = level;
    fputs(judging_beside_edits(&watch->check, level), out);
    app_exercise_hint(watch->workspace, watch->number, level, out);
    end_text(watch);
    workspace_read_progress(watch->workspace, &unread);
}

// Shows the result when it arrives; until then the screen stays and keys work.
static bool begin_check(Watch *watch)
{
    return judging_beside_begin(&watch->check, watch->workspace, watch->number, watch->seed,
                                watch->err);
}

static void receive_check(Watch *watch)
{
    Error unread;
    JudgingNews news;
    const char *text;
    if (!judging_beside_receive(&watch->check, &news, &text))
        return;
    workspace_read_progress(watch->workspace, &unread);
    if (news == JUDGING_NEWS_NOTHING_WRITTEN) {
        show_task(watch);
        return;
    }
    FILE *out = begin_text(watch);
    if (!out)
        return;
    if (text)
        fputs(text, out);
    else
        exercise_say(out, SAY_CHECK_ENDED);
    if (news == JUDGING_NEWS_PASSED)
        exercise_say(out, SAY_WATCH_PASSED);
    end_text(watch);
}

// --- choosing an exercise

static bool turn_to(Watch *watch, int number)
{
    file_watch_close(&watch->file);
    arena_finish(&watch->arena);
    watch->number = number;
    watch->hint = 0;
    const Exercise *exercise = &watch->workspace->exercises.exercises[number];
    const char *path = workspace_path(watch->workspace, number, &watch->arena, watch->err);
    if (!path || !file_watch_open(&watch->file, path, true, &watch->arena, watch->err))
        return false;
    snprintf(watch->title, sizeof watch->title, "%d/%d  %s  %s", number + 1,
             watch->workspace->exercises.count, exercise->name, exercise->title);
    show_task(watch); // until the check has ended
    return begin_check(watch);
}

static bool go_on(Watch *watch)
{
    char folder[SHELL_PATH_ROOM];
    Error unknown = {.text = ""};
    int next = workspace_next(watch->workspace, watch->number, &unknown);
    if (next >= 0 && !*unknown.text)
        return turn_to(watch, next);
    FILE *out = begin_text(watch);
    if (out) {
        if (*unknown.text)
            exercise_say(out, SAY_NOT_READ, unknown.text);
        else
            exercise_say(out, SAY_ALL_DONE, watch->workspace->exercises.count,
                         app_exercise_folder(watch->workspace, folder));
        end_text(watch);
    }
    return true;
}

// --- keys

// Returns false if the key's action failed.
static bool press(Watch *watch, const char *key)
{
    enum {
#define EXERCISE_KEY(does, ...) PRESSED_##does,
#include "keymaps.def"
    };
    watch->hangul = hangul_key(key) != NULL && !watch->hangul_said;
    watch->hangul_said |= watch->hangul;
    switch (keymap_find(key_map, PLACE_EXERCISE, 0, key)) {
    case PRESSED_go_on:
        return go_on(watch);
    case PRESSED_hint:
        show_hint(watch);
        return true;
    case PRESSED_task:
        show_task(watch);
        return true;
    case PRESSED_check:
        watch->seed++;
        return begin_check(watch);
    case PRESSED_leave:
        watch->left = true;
        return true;
    case PRESSED_up:
        watch->page.skip--;
        return true;
    case PRESSED_down:
        watch->page.skip++;
        return true;
    case PRESSED_page_up:
        watch->page.skip -= watch->rows;
        return true;
    case PRESSED_page_down:
        watch->page.skip += watch->rows;
        return true;
    default:
        return true;
    }
}

// --- the view

static bool begin(void *context, const Cells *cells, Error *err)
{
    Watch *watch = context;
    (void)cells, (void)err;                                     // uses watch->err
    workspace_remember(watch->workspace, &(Error){.text = ""}); // only helps the next start
    return turn_to(watch, watch->number);
}

static bool handle_event(void *context, const TerminalEvent *event, const Cells *cells, Error *err)
{
    Watch *watch = context;
    (void)err;
    watch->rows = text_page_rows(cells);
    if (event->kind == TERMINAL_KEY)
        return press(watch, event->key);
    if (is_checking(watch) && event->kind == TERMINAL_BESIDE)
        receive_check(watch);
    else if (file_watch_changed(&watch->file))
        return begin_check(watch);
    return true;
}

static LoopWants wants(void *context)
{
    Watch *watch = context;
    if (is_checking(watch))
        return (LoopWants){.beside = watch->check.output, .milliseconds = LOOK_MILLISECONDS};
    return (LoopWants){.beside = watch->file.descriptor,
                       .milliseconds = file_watch_milliseconds(&watch->file)};
}

int app_watch(Workspace *workspace, int number)
{
    static Watch watch; // 60 KB, with compiler output
    static const LoopView view = {.context = &watch,
                                  .over = &watch.left,
                                  .begin = begin,
                                  .draw = draw,
                                  .handle = handle_event,
                                  .wants = wants};
    Error err = {.text = ""};
    watch = (Watch){.workspace = workspace, .number = number, .seed = 1, .err = &err};
    watch.file.descriptor = -1;
    LoopEnd end = loop_run(&view, &err);
    if (end == LOOP_UNOPENED)
        return app_fail(APP_FAILED, TELL(WATCH_ONCE), err.text);
    file_watch_close(&watch.file);
    judging_beside_end(&watch.check);
    arena_finish(&watch.arena);
    written_drop(&watch.text);
    return end == LOOP_OVER ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}

// --- the command

static int watch(Workspace *workspace, AppOptions *options, int number)
{
    (void)options;
    return app_watch(workspace, number);
}

static int run(AppOptions *options)
{
    if (options->argument_count == 1 && lecture_list_is_path(options->arguments[0]))
        return app_watch_lecture(options->arguments[0]);
    return app_exercise_run(&command_watch, options);
}

static const Words key_help[] = {
#define EXERCISE_KEY(does, pressed, label, korean_label, help, korean_help) \
    WORDS(pressed "\n" help, pressed "\n" korean_help),
#include "keymaps.def"
};

static const AppList lists[] = {APP_LIST("keys", key_help), {.name = NULL}};

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
    .act = watch,
};

// --- step: a learner's function next to the right one, at the first number that differs

// The scenarios for an exercise: the first with its stage is used, if the function fits its options. `set`: a
// field that is changed there; NULL: none.
static const struct {
    const char *name, *set;
} scenarios[] = {
    {"causal", NULL},    {"padded-batch-masked", NULL},           {"sentence", NULL},
    {"induction", NULL}, {"small-llama", "attention.rope=10000"},
};

static bool has_stage(const Trace *trace, const char *stage)
{
    for (int step = 0; step < trace->step_count; step++)
        if (strcmp(trace->steps[step].stage->name, stage) == 0)
            return true;
    return false;
}

static bool open_scenario(AppTrace *app, AppOptions *options, const Exercise *exercise)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        options->request.what = scenarios[i].name;
        options->sets[0] = scenarios[i].set;
        options->request.set_count = scenarios[i].set ? 1 : 0;
        if (!app_open(app, options))
            return false;
        if (has_stage(&app->trace, exercise->stage) &&
            app_exercise_takes_part(&app->scenario, exercise))
            return true;
        app_close(app);
    }
    return app_refuse(TELL(STEP_NO_STAGE), exercise->name, exercise->name);
}

// Runs both up to the stage, and selects the first number that differs.
static bool set_scene(Session *session, const Exercise *exercise, Error *err)
{
    Error same;
    if (!session_do(session, COMMAND_GOTO, exercise->stage, err) ||
        !session_do(session, COMMAND_COMPARE, "mine", err))
        return false;
    if (session->comparison.failed)
        error_set(&session->message, "%s", session->comparison.failure.text);
    else if (!session_do(session, COMMAND_DIFFER_FIRST, "", &same))
        error_set(&session->message, TELL(STEP_SAME), exercise->name);
    return true;
}

// Whose fault it is if there is nothing to show: 3 is the machine's, as in `attnscope check`.
static int refuse(const Error *err)
{
    return app_fail(err->of_machine ? APP_NOT_JUDGED : APP_FAILED, "%s", err->text);
}

static int step(AppTrace *app, AppLearner *mine, const Exercise *exercise,
                const AppOptions *options)
{
    Error err = {.text = ""};
    Session *session = app_session(&err);
    mine->scenario = &app->scenario;
    mine->only = exercise->name;
    if (!session || !session_open(session, &app->scenario, &err))
        return refuse(&err);
    session->learner.open = app_learner_for_comparison;
    session->learner.context = mine;
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
    static AppTrace app; // too large for the stack
    const Exercise *exercise = &workspace->exercises.exercises[number];
    AppLearner *mine = calloc(1, sizeof *mine);
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
    app_learner_close(mine);
    free(mine);
    return code;
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
        "The cause of the first difference is shown above your numbers; a single slip in a\n"
        "formula is shown above the right formula. ! finds the first difference again, ' the\n"
        "next one, y shows your run, o shows where a number came from.\n"
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
    .act = step_exercise,
};
