// The list of exercises, and the test of a chain of the learner's functions; see grade_internal.h.
#include <string.h>
#include "grade_exercises.h"
#include "grade_internal.h"
#include "tensor.h"

// --- the chain: the functions before it are the learner's too

enum { CHAIN_CASES = 4 };

// What a chain supports: no exercise masks padding.
static const unsigned chain_wishes = GRADE_CAUSAL | GRADE_POSITIONS;

// Each function may round differently, and later ones amplify that. Right functions with other orders of summation
// needed at most 26 over 70 seeds.
static const float of_a_chain = 100.0f;

bool grade_is_a_stage(const GradeExercise *exercise)
{
    return exercise->stage && !exercise->arrange;
}

// True if the exercise's tensor is right at the end of the learner's chain.
static bool case_is_right(const GradeExercise *exercise, WorkerStage links[], uint64_t seed,
                          Error *err)
{
    GradeCase drawn;
    Trace chained;
    const TraceVariant variant = {.run = worker_stage_run, .context = links};
    bool is_backward = stage_is_backward(stage_find(exercise->stage));
    unsigned wishes = chain_wishes | (is_backward ? GRADE_BACKWARD | GRADE_BIAS : GRADE_PLAIN);
    grade_case_open(&drawn, exercise, wishes, NULL, &grade_hidden, seed);
    const TraceStep *step = &drawn.trace.steps[drawn.step];
    int tensor = step->writes[exercise->output >= 0 ? exercise->output : step->stage->main_output];
    bool good = trace_open_variant(&chained, &drawn.scenario, &variant, err);
    while (good && chained.steps_done <= drawn.step)
        good = trace_step(&chained, err);
    bool right = good && tensor_difference_times(&chained.tensors[tensor].tensor,
                                                 &drawn.trace.tensors[tensor].tensor, of_a_chain)
                                 .kind == DIFFERENCE_NONE;
    trace_close(&chained);
    grade_case_close(&drawn);
    return right;
}

// Runs the case again with Korean messages. NULL: this time it did not fail.
static const char *why_in_korean(const GradeExercise *exercise, WorkerStage links[], uint64_t seed,
                                 Arena *arena)
{
    Error err = {.text = ""}, ignored;
    for (WorkerStage *link = links; link->stage; link++)
        link->language = LANGUAGE_KOREAN;
    language_choose(LANGUAGE_KOREAN);
    case_is_right(exercise, links, seed, &err);
    language_choose(LANGUAGE_ENGLISH);
    for (WorkerStage *link = links; link->stage; link++)
        link->language = LANGUAGE_ENGLISH;
    return err.text[0] ? arena_text(arena, err.text, &ignored) : NULL;
}

// Records why a case failed, in both languages.
static void say_why(const GradeExercise *exercise, WorkerStage links[], uint64_t seed,
                    const char *english, Verdict *verdict)
{
    Error ignored;
    for (const WorkerStage *link = links; link->stage; link++)
        if (link->end == WORKER_NOT_JUDGED)
            verdict->chain_points = verdict->chain_max = 0; // nothing was tested
    verdict->chain_why[LANGUAGE_ENGLISH] = arena_text(&verdict->arena, english, &ignored);
    verdict->chain_why[LANGUAGE_KOREAN] = why_in_korean(exercise, links, seed, &verdict->arena);
}

void grade_chain(const GradeExercise *exercise, WorkerStage links[], uint64_t seed,
                 Verdict *verdict)
{
    Error err = {.text = ""};
    int right = 0, asked = 0;
    Language person = language_now();
    language_choose(LANGUAGE_ENGLISH); // records begin with English
    while (asked < CHAIN_CASES && !err.text[0])
        right += case_is_right(exercise, links, seed + (uint64_t)asked++, &err);
    verdict->chain_max = verdict->max; // a wrong function gains nothing in a chain
    verdict->chain_points = verdict->points * right / CHAIN_CASES;
    if (err.text[0])
        say_why(exercise, links, seed + (uint64_t)asked - 1, err.text, verdict);
    language_choose(person);
}

// --- the exercises, in the order of lessons/exercises/exercises.txt
//
// All of the folder's headers are included above: an exercise named like one of its functions must not compile.

#define GRADE(x, version) extern const GradeExercise grade_##x;
GRADE_EXERCISES
#undef GRADE

static const struct {
    const GradeExercise *exercise;
    const char *version;
} exercises[] = {
#define GRADE(x, version) {&grade_##x, version},
    GRADE_EXERCISES
#undef GRADE
};

enum { EXERCISE_COUNT = sizeof exercises / sizeof *exercises };

const GradeExercise *grade_find(const char *name)
{
    for (int i = 0; i < EXERCISE_COUNT; i++)
        if (strcmp(exercises[i].exercise->name, name) == 0)
            return exercises[i].exercise;
    return NULL;
}

const char *grade_version(const GradeExercise *exercise)
{
    for (int i = 0; i < EXERCISE_COUNT; i++)
        if (exercises[i].exercise == exercise)
            return exercises[i].version;
    return NULL;
}
