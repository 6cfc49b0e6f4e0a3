// The exercise commands: init, next, check, hint, reset, solution, debug; and what they share, see app_exercise.h.
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "app_exercise.h"
#include "app_words.def"
#include "compiler_words.h"
#include "input_file.h"
#include "json.h"
#include "judging.h"
#include "lecture.h"
#include "shown_name.h"
#include "utf8.h"
#include "workspace.h"

// --- workspace and exercise

enum { COLUMNS_USUAL = 80, COLUMNS_MOST = 88 };

static void warn(const Error *unknown)
{
    if (*unknown->text)
        exercise_say(stderr, SAY_NOT_READ, unknown->text);
}

// Warns on standard error if the progress file could not be read.
static void warn_of_progress(const Workspace *workspace)
{
    warn(&workspace->not_read);
}

// workspace_current, with a warning for each exercise file that could not be read.
static int current_exercise(const Workspace *workspace)
{
    Error unknown = {.text = ""};
    int number = workspace_current(workspace, &unknown);
    warn(&unknown);
    return number;
}

// Opens the workspace that the options name. Reports an error and returns false on failure.
static bool open_named(Workspace *workspace, const AppOptions *options)
{
    Error err = {.text = ""};
    if (!workspace_open(workspace, options->dir, options->lang, &err))
        return app_refuse("%s", err.text);
    app_language_own(workspace->own_language);
    warn_of_progress(workspace);
    return true;
}

bool app_exercise_seed(const AppOptions *options, long long *seed)
{
    char *rest = NULL;
    *seed = options->seed ? strtoll(options->seed, &rest, 10) : 1;
    if (!options->seed || (rest != options->seed && *rest == '\0' && *seed >= 0))
        return true;
    return app_refuse(TELL(SEED_NUMBER), options->seed);
}

// The exercise named by the first argument, or the current one. Returns -1 after a message: unknown name, or all
// exercises are done (then *code is APP_DONE).
static int find_number(const Workspace *workspace, const AppOptions *options, int *code)
{
    char folder[SHELL_PATH_ROOM];
    Error err = {.text = ""};
    if (options->argument_count > 0) {
        int named = exercise_list_find(&workspace->exercises, options->arguments[0], &err);
        if (named < 0)
            *code = app_fail(APP_MISUSED, "%s", err.text);
        return named;
    }
    int number = current_exercise(workspace);
    if (number < 0) {
        exercise_say(stdout, SAY_ALL_DONE, workspace->exercises.count,
                     app_exercise_folder(workspace, folder));
        *code = APP_DONE;
    }
    return number;
}

int app_exercise_run(const AppCommand *command, AppOptions *options)
{
    Workspace workspace;
    int code, number = -1;
    if (!open_named(&workspace, options))
        return APP_FAILED;
    if (command->needs_name && options->argument_count != 1)
        code = app_fail(APP_MISUSED, TELL(EXERCISE_WHICH), command->name);
    else
        number = find_number(&workspace, options, &code);
    if (number >= 0)
        code = command->act(&workspace, options, number);
    workspace_close(&workspace);
    return code;
}

const char *app_exercise_folder(const Workspace *workspace, char word[SHELL_PATH_ROOM])
{
    return shell_path(*workspace->folder ? workspace->folder : ".", word);
}

int app_exercise_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return COLUMNS_USUAL;
    int room = size.ws_col > 3 ? size.ws_col - 2 : 1; // between the margins
    return room < COLUMNS_MOST ? room : COLUMNS_MOST;
}

void app_exercise_task(const Workspace *workspace, int number, FILE *out)
{
    const Exercise *exercise = &workspace->exercises.exercises[number];
    Arena arena = {0};
    Error err = {.text = ""};
    const char *path = workspace_path(workspace, number, &arena, &err);
    exercise_say(out, SAY_HEAD, number + 1, workspace->exercises.count, exercise->name,
                 exercise->points);
    fprintf(out, "%s\n\n", exercise->title);
    prose_print(exercise->task, "", app_exercise_columns(), out);
    fputc('\n', out);
    exercise_say(out, SAY_WRITE_IT, path ? path : err.text);
    exercise_say(out, SAY_COMMANDS, exercise->name);
    arena_finish(&arena);
}

// --- the list: a line per exercise with state and points

static const ExerciseWord states[WORKSPACE_STATES] = {
    [WORKSPACE_MISSING] = SAY_STATE_MISSING, [WORKSPACE_NEW] = SAY_STATE_NEW,
    [WORKSPACE_BEGUN] = SAY_STATE_BEGUN,     [WORKSPACE_CHANGED] = SAY_STATE_CHANGED,
    [WORKSPACE_FAILED] = SAY_STATE_FAILED,   [WORKSPACE_DONE] = SAY_STATE_DONE,
};

const char *app_exercise_state(WorkspaceState state)
{
    return exercise_word(states[state]);
}

static int longest_name(const ExerciseList *list)
{
    int longest = 0;
    for (int i = 0; i < list->count; i++) {
        int width = utf8_width(list->exercises[i].name);
        longest = width > longest ? width : longest;
    }
    return longest;
}

static bool print_workspace(const Workspace *workspace, Error *err)
{
    const ExerciseList *list = &workspace->exercises;
    int current = current_exercise(workspace), width = longest_name(list);
    int passed = 0, points = 0, most = 0;
    warn_of_progress(workspace);
    for (int i = 0; i < list->count; i++) {
        const Exercise *exercise = &list->exercises[i];
        WorkspaceFile file;
        if (!workspace_look(workspace, i, &file, err))
            return false;
        bool done = file.state == WORKSPACE_DONE;
        printf("%s %s %2d  %-*s %3d/%-3d  %s\n", i == current ? "\u25b8" : " ",
               done ? "\u2713" : " ", i + 1, width, exercise->name, file.points, exercise->points,
               app_exercise_state(file.state));
        passed += done;
        points += file.points;
        most += exercise->points;
    }
    putchar('\n');
    exercise_say(stdout, SAY_PASSED_SO_FAR, passed, list->count, points, most);
    return true;
}

// Without a workspace: what one would contain.
static int print_all(void)
{
    ExerciseList list;
    Error err = {.text = ""};
    if (!exercise_list_open(&list, language_written(), &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int width = longest_name(&list);
    for (int i = 0; i < list.count; i++)
        app_print_lines(stdout, "%2d  %-*s  %s\n", i + 1, width, list.exercises[i].name,
                        list.exercises[i].title);
    putchar('\n');
    exercise_say(stdout, SAY_NO_WORKSPACE);
    exercise_list_close(&list);
    return APP_DONE;
}

int app_exercise_list(const AppOptions *options)
{
    Workspace workspace;
    Error err = {.text = ""};
    if (!workspace_is_near(options->dir))
        return print_all();
    bool good = workspace_open(&workspace, options->dir, options->lang, &err);
    if (good)
        app_language_own(workspace.own_language);
    good = good && print_workspace(&workspace, &err);
    workspace_close(&workspace);
    return app_result(good, &err);
}

// --- learners' functions in place of stages

// The exercise turns halves of a head, by angles of base 10000, from the first token on.
static bool has_rope_of_exercise(const StageOptions *options)
{
    bool is_plain = options->rope_factor == 0.0f || options->rope_factor == 1.0f;
    return options->rope == 10000.0f && !options->rope_neighbours && options->rope_width == 0 &&
           is_plain && options->rope_yarn == 0.0f && options->rope_dynamic == 0 &&
           options->cached == 0;
}

// A function for one kind of mask replaces the whole mask only if the scenario masks in no other way.
bool app_exercise_takes_part(const Scenario *scenario, const Exercise *exercise)
{
    const StageOptions *options = &scenario->options;
    ExerciseWhen when = exercise->when;
    bool usual = isinf(options->mask_value) && options->mask_value < 0 && options->window == 0 &&
                 options->causal_shift == 0 && !scenario_tensor(scenario, "mask");
    if (options->kv_heads > 0 && strcmp(exercise->stage, "view") == 0)
        return false; // the function splits only the queries into heads
    if (options->padding_by_id && strcmp(exercise->stage, "pad") == 0)
        return false; // the function finds padding by the lengths
    if (strcmp(exercise->stage, "rotate") == 0)
        return has_rope_of_exercise(options);
    if (when == EXERCISE_CAUSAL)
        return usual && options->causal && !options->mask_padding;
    return when != EXERCISE_PADDING || (usual && options->mask_padding && !options->causal);
}

static bool open_worker(AppLearner *mine, int number, Error *err)
{
    static WorkerProgram program; // large, with its path and compiler output
    size_t length;
    const Exercise *exercise = &mine->workspace.exercises.exercises[number];
    const char *source = workspace_path(&mine->workspace, number, &mine->workspace.arena, err);
    WorkerBuild build = {.source = source,
                         .root = mine->workspace.folder,
                         .header = mine->workspace.exercises.header,
                         .exercise = exercise->name,
                         .optimisation = 1};
    if (!source)
        return false;
    if (!worker_build(&build, &program, err)) {
        Error why = *err;
        if (program.end == WORKER_BUILD_FAILED)
            return error_machine(err, "%s", why.text);
        const char *first = compiler_words_first(program.said, &length);
        return *first
                   ? error_set(err, TELL(MINE_UNBUILT), source, (int)length, first, exercise->name)
                   : false;
    }
    Worker *worker = &mine->workers[mine->count];
    if (!worker_open(worker, program.path, err))
        return false;
    mine->stages[mine->count] = (WorkerStage){.stage = exercise->stage,
                                              .output = exercise->output,
                                              .worker = worker,
                                              .language = mine->workspace.language};
    mine->names[mine->count++] = exercise->stage;
    return true;
}

static bool open_workers(AppLearner *mine, Error *err)
{
    for (int i = 0; i < mine->workspace.exercises.count; i++) {
        WorkspaceFile file;
        const Exercise *exercise = &mine->workspace.exercises.exercises[i];
        if (!exercise->stage || !app_exercise_takes_part(mine->scenario, exercise) ||
            (mine->only && strcmp(mine->only, exercise->name) != 0))
            continue;
        if (!workspace_look(&mine->workspace, i, &file, err))
            return false;
        bool is_written = file.state != WORKSPACE_MISSING && file.state != WORKSPACE_NEW;
        if (is_written && !open_worker(mine, i, err))
            return false;
    }
    return mine->count > 0 ||
           error_set(err, TELL(MINE_NONE), mine->workspace.folder, mine->scenario->name);
}

bool app_learner_open(AppLearner *mine, const char *folder, Error *err)
{
    app_learner_close(mine);
    mine->is_open = workspace_open(&mine->workspace, folder, mine->language, err);
    if (!mine->is_open || !open_workers(mine, err)) {
        app_learner_close(mine);
        return false;
    }
    mine->mine = (LearnerStages){
        .folder = mine->workspace.folder,
        .stages = mine->names,
        .variant = {.run = worker_stage_run, .takes = worker_stage_takes, .context = mine->stages}};
    return true;
}

void app_learner_close(AppLearner *mine)
{
    for (int i = 0; i < mine->count; i++)
        worker_close(&mine->workers[i]);
    if (mine->is_open)
        workspace_close(&mine->workspace);
    *mine = (AppLearner){.scenario = mine->scenario,
                         .folder = mine->folder,
                         .language = mine->language,
                         .only = mine->only};
}

bool app_learner_for_comparison(void *context, const char *folder, const LearnerStages **mine,
                                Error *err)
{
    AppLearner *opened = context;
    *mine = &opened->mine;
    return app_learner_open(opened, folder ? folder : opened->folder, err);
}

// --- init: creates a workspace

static void init_print(void *context, WorkspaceWork work, const char *path)
{
    int *files = context;
    *files += work == WORKSPACE_WROTE;
    if (work == WORKSPACE_KEPT)
        exercise_say(stdout, SAY_HEADER_RENEWED, path);
}

static int make(const char *folder)
{
    Error err = {.text = ""};
    Language language = language_written();
    int files = 0;
    if (!workspace_make(folder, language, init_print, &files, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    if (files > 0)
        exercise_say(stdout, SAY_MADE, folder, files);
    else
        exercise_say(stdout, SAY_MADE_NOTHING, folder);
    app_language_own(language);
    Workspace workspace;
    if (!workspace_open(&workspace, folder, NULL, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    warn_of_progress(&workspace);
    if (!workspace_remember(&workspace, &err))
        app_fail(APP_DONE, TELL(INIT_FORGOTTEN), err.text);
    char word[SHELL_PATH_ROOM];
    int number = current_exercise(&workspace);
    if (number >= 0)
        exercise_say(stdout, SAY_BEGIN, shell_path(folder, word),
                     workspace.exercises.exercises[number].name);
    workspace_close(&workspace);
    return APP_DONE;
}

// Creates an own lecture; see lessons/README.md.
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
    return APP_DONE;
}

static int init_run(AppOptions *options)
{
    if (options->argument_count == 2 && strcmp(options->arguments[0], "lecture") == 0)
        return begin_lecture(options->arguments[1]);
    if (options->argument_count != 1)
        return app_fail(APP_MISUSED, TELL(INIT_WHICH));
    return make(options->arguments[0]);
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
    .run = init_run,
};

// --- next: shows the current task

static int next_print(Workspace *workspace, AppOptions *options, int number)
{
    (void)options;
    app_exercise_task(workspace, number, stdout);
    return APP_DONE;
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
    .act = next_print,
};

// --- check: compiles, runs on new numbers, and judges

static void say_next(Workspace *workspace)
{
    char folder[SHELL_PATH_ROOM];
    Error unknown = {.text = ""};
    int next = -1;
    if (!workspace->progress_path || workspace_read_progress(workspace, &unknown))
        next = workspace_current(workspace, &unknown);
    if (*unknown.text)
        exercise_say(stdout, SAY_NOT_READ, unknown.text);
    else if (next < 0)
        exercise_say(stdout, SAY_ALL_DONE, workspace->exercises.count,
                     app_exercise_folder(workspace, folder));
    else
        exercise_say(stdout, SAY_NEXT_IS, workspace->exercises.exercises[next].name);
}

// The results of all exercises checked.
typedef struct Outcome {
    bool passed;     // all of them
    bool not_judged; // at least one
    json_t *list;    // JSON output; NULL: text
    bool is_whole;   // the list is complete
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
    Error err;
    if (!outcome->is_whole)
        return app_fail(APP_FAILED, TELL(NO_MEMORY_RESULTS));
    json_whole_begin();
    return app_result(json_whole_print(all ? outcome->list : json_array_get(outcome->list, 0),
                                       JSON_INDENT(2), stdout, &err),
                      &err);
}

static int check(Workspace *workspace, const AppOptions *options)
{
    long long seed;
    int code = APP_DONE, number = -1;
    bool all = options->argument_count == 1 && strcmp(options->arguments[0], "all") == 0;
    if (!app_exercise_seed(options, &seed))
        return APP_MISUSED;
    if (!all && (number = find_number(workspace, options, &code)) < 0)
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

static int check_run(AppOptions *options)
{
    Workspace workspace;
    if (!open_named(&workspace, options))
        return APP_FAILED;
    int code = check(&workspace, options);
    workspace_close(&workspace);
    return code;
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
    .run = check_run,
};

// --- hint: a little more each time, at last the page of the lecture

enum { LEVEL_LECTURE = EXERCISE_HINTS + 1 };

static void hint_show(const Workspace *workspace, int number, int level, FILE *out)
{
    const Exercise *exercise = &workspace->exercises.exercises[number];
    int columns = app_exercise_columns();
    if (level == LEVEL_LECTURE) {
        exercise_say(out, SAY_HINT_LECTURE, exercise->name);
        words_print(out, "\n  attnscope walk %s#%s\n\n", exercise->lecture, exercise->page);
        prose_print(exercise->lecture_text, "", columns, out);
    } else {
        exercise_say(out, SAY_HINT_OF, exercise->name, level, EXERCISE_HINTS);
        fputc('\n', out);
        prose_print(exercise->hints[level - 1], "", columns, out);
    }
    fputc('\n', out);
    exercise_say(out, level < LEVEL_LECTURE ? SAY_HINT_MORE : SAY_HINT_AGAIN, exercise->name);
}

int app_exercise_hint_level(const Workspace *workspace, int number)
{
    int shown = progress_hint(&workspace->progress, workspace->exercises.exercises[number].name);
    return shown < LEVEL_LECTURE ? shown + 1 : LEVEL_LECTURE;
}

int app_exercise_hint_after(int level)
{
    return level % LEVEL_LECTURE + 1;
}

void app_exercise_hint(const Workspace *workspace, int number, int level, FILE *out)
{
    const char *name = workspace->exercises.exercises[number].name;
    Error err = {.text = ""};
    hint_show(workspace, number, level, out);
    if (workspace->progress_path &&
        !progress_note_hint(workspace->progress_path, name, level, &err))
        exercise_say(out, SAY_NOT_NOTED, err.text);
    if (!hint_file_note(workspace, number, level, &err))
        exercise_say(out, SAY_NOT_NOTED, err.text);
}

// Parses "1" to "4"; default: the next level. Reports an error and returns -1.
static int wanted_level(const Workspace *workspace, const AppOptions *options, int number)
{
    if (options->argument_count < 2)
        return app_exercise_hint_level(workspace, number);
    char *rest;
    long level = strtol(options->arguments[1], &rest, 10);
    if (*rest == '\0' && level >= 1 && level <= LEVEL_LECTURE)
        return (int)level;
    app_fail(APP_MISUSED, TELL(HINT_NUMBER), options->arguments[1]);
    return -1;
}

static int hint(Workspace *workspace, AppOptions *options, int number)
{
    int level = wanted_level(workspace, options, number);
    if (level < 0)
        return APP_MISUSED;
    static Judging judging; // 50 KB
        // Asking for a hint is not a check: nothing is recorded.
    const char *kept = workspace->progress_path;
    workspace->progress_path = NULL;
    judging_run(&judging, workspace, number, 1, NULL);
    workspace->progress_path = kept;
    if (judging.end == JUDGING_NOT_JUDGED)
        judging_print(&judging, workspace, number, stderr);
    judging_print_edits(&judging, level, stdout);
    app_exercise_hint(workspace, number, level, stdout);
    judging_finish(&judging);
    return APP_DONE;
}

const AppCommand command_hint = {
    .name = "hint",
    .arguments = "[NAME [1|2|3|4]] [--dir DIR] [--lang en|ko]",
    .summary =
        WORDS("Show a hint; each one says a little more", "힌트. 볼 때마다 조금씩 더 알려 줍니다"),
    .details = WORDS(
        "Three hints, each more specific than the last. The fourth names the page of the\n"
        "lecture. If your function computes another formula, they also name the step, then the\n"
        "difference, then its place. attnscope remembers which hints you saw; a number shows\n"
        "one again.\n"
        "exercises/hints.txt lists them for a course that counts hints.\n"
        "  --dir DIR      the workspace [the current one]\n"
        "  --lang en|ko   the language [the workspace's]\n",
        "힌트는 세 개이고 뒤로 갈수록 더 많이 알려 줍니다. 네 번째는 강의의 자리입니다. 내\n"
        "함수가 다른 수식을 계산하면 그 단계, 다른 점, 자리도 차례로 알려 줍니다. 어디까지\n"
        "봤는지 기억합니다. 번호를 쓰면 그 힌트를 다시 봅니다. 힌트를 세는 과목을 위해 어떤 "
        "힌트를\n"
        "봤는지 exercises/hints.txt에 적습니다.\n"
        "  --dir DIR      작업 폴더 [지금 있는 곳]\n"
        "  --lang en|ko   언어 [작업 폴더의 언어]\n"),
    .options = "dir lang",
    .words = "1 2 3 4",
    .names = APP_NAMES_EXERCISE,
    .act = hint,
};

// --- reset: restores the stub, keeps the old file

static void reset_print(void *context, WorkspaceWork work, const char *path)
{
    const char *const *restored = context;
    if (work == WORKSPACE_KEPT)
        exercise_say(stdout, SAY_RESET, *restored, path);
    else
        exercise_say(stdout, SAY_RESET_MADE, path);
}

static int reset(Workspace *workspace, AppOptions *options, int number)
{
    (void)options;
    Arena arena = {0};
    Error err = {.text = ""};
    WorkspaceFile file;
    const char *own = workspace_path(workspace, number, &arena, &err);
    bool good = own && workspace_look(workspace, number, &file, &err);
    if (good && file.state == WORKSPACE_NEW)
        exercise_say(stdout, SAY_RESET_NOTHING, own);
    else
        good = good && workspace_reset(workspace, number, reset_print, &own, &err);
    arena_finish(&arena);
    return app_result(good, &err);
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
    .act = reset,
    .needs_name = true,
};

// --- solution: for exercises that have passed

enum { SOLUTION_BYTES_MAX = 1 << 20 };

static int solution_show(Workspace *workspace, AppOptions *options, int number)
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
        exercise_say(stderr, SAY_SOLUTION_LATER, exercise->name);
        fputc('\n', stderr);
        return APP_FAILED;
    }
    const char *path = arena_format(&arena, &err, "%s/solution.c", exercise->folder);
    bool good = path && input_file_all(path, SOLUTION_BYTES_MAX, &arena, &bytes, &length, &err);
    if (good)
        fwrite(bytes, 1, length, stdout);
    arena_finish(&arena);
    return app_result(good, &err);
}

const AppCommand command_solution = {
    .name = "solution",
    .arguments = "NAME [--dir DIR]",
    .summary = WORDS("Show a solution, once yours has passed", "푼 다음에 보는 풀이 하나"),
    .details = WORDS("  --dir DIR      the workspace [the current one]\n",
                     "  --dir DIR      작업 폴더 [지금 있는 곳]\n"),
    .options = "dir lang",
    .names = APP_NAMES_EXERCISE,
    .act = solution_show,
    .needs_name = true,
};

// --- attnscope debug: the call that fails, under gdb

// Turns "causal-mask" into the function's name, causal_mask.
static void function_name(const char *exercise, char name[64])
{
    snprintf(name, 64, "%s", exercise);
    for (char *at = name; *at; at++)
        *at = *at == '-' ? '_' : *at;
}

// Runs gdb until the user quits. Returns its exit status; 127: not installed.
static int run_gdb(const char *function, const char *program, const char *case_path)
{
    const char *came_back = exercise_word(SAY_DEBUG_CAME_BACK),
               *said_no = exercise_word(SAY_DEBUG_SAID_NO);
    char stop[96];
    int status = 0;
    snprintf(stop, sizeof stop, "break %s", function);
    fflush(stdout);
    pid_t gdb = fork();
    if (gdb == 0) {
        unsetenv("DEBUGINFOD_URLS"); // gdb would ask about it first
        execlp("gdb", "gdb", "-q", "-ex", "set breakpoint pending on", "-ex", stop, "-ex", "run",
               "--args", program, case_path, came_back, said_no, (char *)NULL);
        _exit(127);
    }
    // gdb handles Ctrl-C.
    void (*before)(int) = signal(SIGINT, SIG_IGN);
    while (gdb > 0 && waitpid(gdb, &status, 0) < 0 && errno == EINTR)
        continue;
    signal(SIGINT, before);
    return gdb > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

// Builds without optimisation and starts gdb.
static int debug_case(const Workspace *workspace, int number, const char *case_path)
{
    static WorkerProgram program; // 24 KB, with compiler output
    const char *exercise = workspace->exercises.exercises[number].name;
    char function[64];
    Error err = {.text = ""};
    if (!judging_build(workspace, number, JUDGING_DEBUGGED, &program, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    function_name(exercise, function);
    exercise_say(stdout, SAY_DEBUG_BEGINS, function);
    if (run_gdb(function, program.path, case_path) != 127)
        return APP_DONE;
    exercise_say(stdout, SAY_DEBUG_NO_GDB, exercise);
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
        exercise_say(stdout, passed ? SAY_DEBUG_PASSES : SAY_DEBUG_NO_CASE, exercise);
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
    .act = debug,
};
