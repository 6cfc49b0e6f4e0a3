// The exercises, and one of them behind the learner's own functions; see grade_internal.h.
#include <string.h>
#include "grade_internal.h"
#include "tensor.h"

// --- the result when the functions before it are the learner's too

enum { CHAIN_CASES = 4 };

// What a chain can do by itself: padding is masked by no exercise's function.
static const unsigned chain_wishes = GRADE_CAUSAL | GRADE_POSITIONS;

// Each function may round in its own way, and what comes after it makes more of that. Of right ones that add
// in other orders no chain needed more than 26 with any of 70 seeds.
static const float of_a_chain = 100.0f;

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

// Why a case stops, in Korean: it is run once more, with links that say so. NULL: now it does not.
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

// Notes what stopped a case, in both languages.
static void say_why(const GradeExercise *exercise, WorkerStage links[], uint64_t seed,
                    const char *english, Verdict *verdict)
{
    Error ignored;
    for (const WorkerStage *link = links; link->stage; link++)
        if (link->end == WORKER_NOT_JUDGED)
            verdict->chain_points = verdict->chain_max = 0; // nothing was found out
    verdict->chain_why[LANGUAGE_ENGLISH] = arena_text(&verdict->arena, english, &ignored);
    verdict->chain_why[LANGUAGE_KOREAN] = why_in_korean(exercise, links, seed, &verdict->arena);
}

void grade_chain(const GradeExercise *exercise, WorkerStage links[], uint64_t seed,
                 Verdict *verdict)
{
    Error err = {.text = ""};
    int right = 0, asked = 0;
    Language person = language_now();
    language_choose(LANGUAGE_ENGLISH); // the record's first column, whoever reads it
    while (asked < CHAIN_CASES && !err.text[0])
        right += case_is_right(exercise, links, seed + (uint64_t)asked++, &err);
    verdict->chain_max = verdict->max; // what is not right by itself gains nothing in a chain
    verdict->chain_points = verdict->points * right / CHAIN_CASES;
    if (err.text[0])
        say_why(exercise, links, seed + (uint64_t)asked - 1, err.text, verdict);
    language_choose(person);
}

// --- the exercises
//
// the exercises, in the order of lessons/exercises/exercises.txt.
// An exercise that is called as a function of this floor does not compile: therefore all its headers.

#define GRADE(x, version) extern const GradeExercise grade_##x;
#include "grade_exercises.def"
#undef GRADE

static const GradeExercise *const exercises[] = {
#define GRADE(x, version) &grade_##x,
#include "grade_exercises.def"
#undef GRADE
};

static const char *const versions[] = {
#define GRADE(x, version) version,
#include "grade_exercises.def"
#undef GRADE
};

static const GradeExercise *get(int number)
{
    int count = sizeof exercises / sizeof *exercises;
    return number >= 0 && number < count ? exercises[number] : NULL;
}

const GradeExercise *grade_find(const char *name)
{
    for (int i = 0; get(i); i++)
        if (strcmp(get(i)->name, name) == 0)
            return get(i);
    return NULL;
}

const char *grade_version(const GradeExercise *exercise)
{
    for (int i = 0; get(i); i++)
        if (get(i) == exercise)
            return versions[i];
    return NULL;
}
