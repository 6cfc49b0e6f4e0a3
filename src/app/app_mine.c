// app_mine: see app_exercise.h.
#include "app_exercise.h"

#include <math.h>
#include <string.h>
#include "app_words.def"
#include "compiler_words.h"

// A function that masks in one way is the whole mask only where the scenario masks in no other.
static bool takes_part(const Scenario *scenario, const Exercise *exercise)
{
    const StageOptions *options = &scenario->options;
    ExerciseWhen when = exercise->when;
    bool usual = isinf(options->mask_value) && options->mask_value < 0 && options->window == 0 &&
                 options->causal_shift == 0 && !scenario_tensor(scenario, "mask");
    if (options->kv_heads > 0 && strcmp(exercise->stage, "view") == 0)
        return false; // it is asked to cut into the heads of queries only
    if (options->padding_by_id && strcmp(exercise->stage, "pad") == 0)
        return false; // and here, to tell padding by the lengths
    if (when == EXERCISE_CAUSAL)
        return usual && options->causal && !options->mask_padding;
    return when != EXERCISE_PADDING || (usual && options->mask_padding && !options->causal);
}

static bool open_worker(AppMine *mine, int number, Error *err)
{
    static WorkerProgram program; // its path and what the compiler said are large
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

static bool open_workers(AppMine *mine, Error *err)
{
    for (int i = 0; i < mine->workspace.exercises.count; i++) {
        WorkspaceFile file;
        const Exercise *exercise = &mine->workspace.exercises.exercises[i];
        if (!exercise->stage || !takes_part(mine->scenario, exercise) ||
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

bool app_mine_open(AppMine *mine, const char *folder, Error *err)
{
    app_mine_close(mine);
    mine->is_open = workspace_open(&mine->workspace, folder, mine->language, err);
    if (!mine->is_open || !open_workers(mine, err)) {
        app_mine_close(mine);
        return false;
    }
    mine->mine = (LearnerStages){.folder = mine->workspace.folder,
                                 .stages = mine->names,
                                 .variant = {.run = worker_stage_run, .context = mine->stages}};
    return true;
}

void app_mine_close(AppMine *mine)
{
    for (int i = 0; i < mine->count; i++)
        worker_close(&mine->workers[i]);
    if (mine->is_open)
        workspace_close(&mine->workspace);
    *mine = (AppMine){.scenario = mine->scenario,
                      .folder = mine->folder,
                      .language = mine->language,
                      .only = mine->only};
}

bool app_mine_for_comparison(void *context, const char *folder, const LearnerStages **mine,
                             Error *err)
{
    AppMine *opened = context;
    *mine = &opened->mine;
    return app_mine_open(opened, folder ? folder : opened->folder, err);
}
