// grade_chain: an exercise's result when the functions before it are the learner's too.
#include "grade_internal.h"

#include "tensor_difference.h"

enum { CHAIN_CASES = 4 };

// What a chain can do by itself: padding is masked by no exercise's function.
static const unsigned chain_wishes = GRADE_CAUSAL | GRADE_POSITIONS;

bool grade_is_a_stage(const GradeExercise *exercise)
{
    return exercise->stage && !exercise->arrange;
}

// Whether the exercise's tensor comes out right at the end of the learner's chain.
static bool case_is_right(const GradeExercise *exercise, WorkerStage links[], uint64_t seed,
                          Error *err)
{
    GradeCase drawn;
    Trace chained;
    const TraceWay way = {.run = worker_stage_run, .context = links};
    grade_case_open(&drawn, exercise, chain_wishes, NULL, true, seed);
    const TraceStep *step = &drawn.trace.steps[drawn.step];
    int tensor = step->writes[exercise->output >= 0 ? exercise->output : step->stage->main_output];
    bool good = trace_open_way(&chained, &drawn.scenario, &way, err);
    while (good && chained.steps_done <= drawn.step)
        good = trace_step(&chained, err);
    bool right = good && tensor_difference(&chained.tensors[tensor].tensor,
                                           &drawn.trace.tensors[tensor].tensor)
                                 .kind == DIFFERENCE_NONE;
    trace_close(&chained);
    grade_case_close(&drawn);
    return right;
}

void grade_chain(const GradeExercise *exercise, WorkerStage links[], uint64_t seed,
                 Verdict *verdict)
{
    Error err = {.text = ""}, ignored;
    int right = 0;
    for (int i = 0; i < CHAIN_CASES && !err.text[0]; i++)
        right += case_is_right(exercise, links, seed + (uint64_t)i, &err);
    verdict->chain_max = verdict->max;
    verdict->chain_points = verdict->max * right / CHAIN_CASES;
    verdict->chain_why = err.text[0] ? arena_text(&verdict->arena, err.text, &ignored) : NULL;
}
