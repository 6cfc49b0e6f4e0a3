// Shared by the exercise commands; see app_exercise.h.
#include "app_exercise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "app_words.def"
#include "compiler_words.h"
#include "lecture.h"
#include "shown_name.h"
#include "utf8.h"

// --- workspace and exercise

enum { COLUMNS_USUAL = 80, COLUMNS_MOST = 88 };

static void warn(const Workspace *workspace, const Error *unknown)
{
    if (*unknown->text)
        exercise_say(stderr, workspace->language, EXERCISE_SAYS_NOT_READ, unknown->text);
}

void app_exercise_warn(const Workspace *workspace)
{
    warn(workspace, &workspace->not_read);
}

int app_exercise_current(const Workspace *workspace)
{
    Error unknown = {.text = ""};
    int number = workspace_current(workspace, &unknown);
    warn(workspace, &unknown);
    return number;
}

bool app_exercise_open(Workspace *workspace, const AppOptions *options)
{
    Error err = {.text = ""};
    if (!workspace_open(workspace, options->dir, options->lang, &err))
        return app_refuse("%s", err.text);
    app_language_own(workspace->own_language);
    app_exercise_warn(workspace);
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

int app_exercise_number(const Workspace *workspace, const AppOptions *options, int *code)
{
    char folder[SHELL_PATH_ROOM];
    Error err = {.text = ""};
    if (options->argument_count > 0) {
        int named = exercise_list_find(&workspace->exercises, options->arguments[0], &err);
        if (named < 0)
            *code = app_fail(APP_MISUSED, "%s", err.text);
        return named;
    }
    int number = app_exercise_current(workspace);
    if (number < 0) {
        exercise_say(stdout, workspace->language, EXERCISE_SAYS_ALL_DONE,
                     workspace->exercises.count, app_exercise_folder(workspace, folder));
        *code = APP_DONE;
    }
    return number;
}

int app_exercise_run(const AppCommand *command, AppOptions *options)
{
    Workspace workspace;
    int code, number = -1;
    if (!app_exercise_open(&workspace, options))
        return APP_FAILED;
    if (command->needs_name && options->argument_count != 1)
        code = app_fail(APP_MISUSED, TELL(EXERCISE_WHICH), command->name);
    else
        number = app_exercise_number(&workspace, options, &code);
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
    Language language = workspace->language;
    Arena arena = {0};
    Error err = {.text = ""};
    const char *path = workspace_path(workspace, number, &arena, &err);
    exercise_say(out, language, EXERCISE_SAYS_HEAD, number + 1, workspace->exercises.count,
                 exercise->name, exercise->points);
    fprintf(out, "%s\n\n", exercise->title);
    prose_print(exercise->task, "", app_exercise_columns(), out);
    fputc('\n', out);
    exercise_say(out, language, EXERCISE_SAYS_WRITE_IT, path ? path : err.text);
    exercise_say(out, language, EXERCISE_SAYS_COMMANDS, exercise->name);
    arena_finish(&arena);
}

// --- the list: a line per exercise with state and points

static const ExerciseWord states[WORKSPACE_STATES] = {
    [WORKSPACE_MISSING] = EXERCISE_SAYS_STATE_MISSING,
    [WORKSPACE_NEW] = EXERCISE_SAYS_STATE_NEW,
    [WORKSPACE_BEGUN] = EXERCISE_SAYS_STATE_BEGUN,
    [WORKSPACE_CHANGED] = EXERCISE_SAYS_STATE_CHANGED,
    [WORKSPACE_FAILED] = EXERCISE_SAYS_STATE_FAILED,
    [WORKSPACE_DONE] = EXERCISE_SAYS_STATE_DONE,
};

const char *app_exercise_state(WorkspaceState state, Language language)
{
    return exercise_word(language, states[state]);
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
    int current = app_exercise_current(workspace), width = longest_name(list);
    int passed = 0, points = 0, most = 0;
    app_exercise_warn(workspace);
    for (int i = 0; i < list->count; i++) {
        const Exercise *exercise = &list->exercises[i];
        WorkspaceFile file;
        if (!workspace_look(workspace, i, &file, err))
            return false;
        bool done = file.state == WORKSPACE_DONE;
        printf("%s %s %2d  %-*s %3d/%-3d  %s\n", i == current ? "\u25b8" : " ",
               done ? "\u2713" : " ", i + 1, width, exercise->name, file.points, exercise->points,
               app_exercise_state(file.state, workspace->language));
        passed += done;
        points += file.points;
        most += exercise->points;
    }
    putchar('\n');
    exercise_say(stdout, workspace->language, EXERCISE_SAYS_PASSED_SO_FAR, passed, list->count,
                 points, most);
    return true;
}

// Without a workspace: what one would contain.
static int print_all(Language language)
{
    ExerciseList list;
    Error err = {.text = ""};
    if (!exercise_list_open(&list, language, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int width = longest_name(&list);
    for (int i = 0; i < list.count; i++)
        app_print_lines(stdout, "%2d  %-*s  %s\n", i + 1, width, list.exercises[i].name,
                        list.exercises[i].title);
    putchar('\n');
    exercise_say(stdout, language, EXERCISE_SAYS_NO_WORKSPACE);
    exercise_list_close(&list);
    return APP_DONE;
}

int app_exercise_list(const AppOptions *options)
{
    Workspace workspace;
    Error err = {.text = ""};
    if (!workspace_is_near(options->dir))
        return print_all(language_written());
    bool good = workspace_open(&workspace, options->dir, options->lang, &err) &&
                print_workspace(&workspace, &err);
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
