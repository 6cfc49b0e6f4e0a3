// grade_chain: an exercise's result when the functions before it are the learner's too.
#include "grade_internal.h"

#include <string.h>
#include "tensor_difference.h"

enum { CHAIN_CASES = 4 };

// A TraceRun whose context is the list of links; a NULL exercise ends it.
//
// A function that fills one of several outputs leaves the others to the stage itself.
static bool run_link(void *context, const Stage *stage, StageArgs *args, bool *done, Error *err)
{
    const GradeLink *links = context;
    *done = false;
    for (const GradeLink *link = links; link->exercise; link++) {
        const GradeExercise *exercise = link->exercise;
        if (!exercise->stage || exercise->arrange || strcmp(exercise->stage, stage->name) != 0)
            continue;
        StageArgs theirs = *args;
        WorkerAnswer answer;
        if (!*done && !stage->run(args, err))
            return false;
        *done = true;
        for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
            if (stage->calls[0].writes[slot].is_view)
                theirs.out[slot] = (Tensor){.rank = 0};
        if (worker_call(link->worker, &stage->calls[0], &theirs, &answer) != WORKER_ANSWERED)
            return error_set(err, "%s: %s", exercise->name, answer.why);
        for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
            if (exercise->output < 0 || exercise->output == slot)
                args->out[slot] = theirs.out[slot];
    }
    return true;
}

// Whether the exercise's tensor comes out right at the end of the learner's chain.
static bool case_is_right(const GradeExercise *exercise, const GradeLink links[], uint64_t seed,
                          Error *err)
{
    GradeCase drawn;
    Trace chained;
    const TraceWay way = {.run = run_link, .context = (void *)links};
    grade_case_open(&drawn, exercise, GRADE_CAUSAL | GRADE_PADDING, NULL, true, seed);
    bool good = trace_open_way(&chained, &drawn.scenario, &way, err) && trace_run(&chained, err);
    if (good) {
        int slot = exercise->output >= 0 ? exercise->output
                                         : drawn.trace.steps[drawn.step].stage->main_output;
        int tensor = drawn.trace.steps[drawn.step].writes[slot];
        good =
            tensor_difference(&chained.tensors[tensor].tensor, &drawn.trace.tensors[tensor].tensor)
                .kind == DIFFERENCE_NONE;
        err->text[0] = '\0';
    }
    trace_close(&chained);
    grade_case_close(&drawn);
    return good;
}

void grade_chain(const GradeExercise *exercise, const GradeLink links[], int count, uint64_t seed,
                 Verdict *verdict)
{
    Error err = {.text = ""};
    if (count == 0 || !exercise->stage || exercise->arrange)
        return;
    int right = 0;
    for (int i = 0; i < CHAIN_CASES && !err.text[0]; i++)
        right += case_is_right(exercise, links, seed + (uint64_t)i, &err);
    verdict->chain_max = verdict->max;
    verdict->chain_points = verdict->max * right / CHAIN_CASES;
    verdict->chain_why = err.text[0] ? arena_text(&verdict->arena, err.text, &err) : NULL;
}
