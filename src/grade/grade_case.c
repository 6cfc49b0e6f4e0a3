// grade_case: the arguments of one step of a drawn scenario, and what is right there.
#include "grade_run.h"

#include <assert.h>
#include <string.h>

Tensor grade_tensor(const GradeCase *drawn, const char *name)
{
    int number = trace_find(&drawn->trace, name);
    assert(number >= 0);
    return drawn->trace.tensors[number].tensor;
}

static int find_step(const Trace *trace, const char *stage, const char *label)
{
    for (int i = 0; i < trace->step_count; i++) {
        const TraceStep *step = &trace->steps[i];
        bool is_call = !label || (step->call->label && strcmp(step->call->label, label) == 0);
        if (strcmp(step->stage->name, stage) == 0 && is_call)
            return i;
    }
    assert(!"the scenario has no such step");
    return -1;
}

// The function gets what its stage gets; its results get room of their own, or are to be views.
static void arrange_as_stage(GradeCase *drawn)
{
    Error err;
    grade_must(trace_arguments(&drawn->trace, drawn->step, &drawn->given, &err), &err);
    drawn->call = drawn->trace.steps[drawn->step].call;
    for (int slot = 0; slot < STAGE_WRITES_MAX && drawn->call->writes[slot].role; slot++) {
        drawn->expected[slot] = drawn->given.out[slot];
        drawn->given.out[slot] = drawn->call->writes[slot].is_view
                                     ? (Tensor){.rank = 0}
                                     : grade_room(drawn, &drawn->expected[slot]);
    }
}

// The same numbers with the last axis outermost in memory, and a gap before each: no stride and no offset is
// what a tensor of this shape has by itself.
static Tensor spread(GradeCase *drawn, const Tensor *tensor)
{
    Error err;
    Tensor room = {.rank = 0};
    int rank = tensor->rank;
    ptrdiff_t turned[TENSOR_RANK_MAX];
    for (int axis = 0; axis < rank; axis++)
        turned[axis] = tensor->shape[rank - 1 - axis];
    turned[rank] = 2; // the first is the gap
    grade_must(tensor_take(&drawn->arena, tensor->dtype, rank + 1, turned, &room, &err), &err);
    room = tensor_select(&room, rank, 1);
    for (int axis = 0; axis < rank / 2; axis++)
        room = tensor_transpose(&room, axis, rank - 1 - axis);
    tensor_copy(tensor, &room);
    return room;
}

// What is right of a view looks at the inputs as they lie now.
static void view_again(GradeCase *drawn)
{
    Error err;
    StageArgs args = drawn->given;
    memcpy(args.out, drawn->expected, sizeof args.out);
    grade_must(drawn->trace.steps[drawn->step].stage->run(&args, &err), &err);
    memcpy(drawn->expected, args.out, sizeof args.out);
}

static void spread_inputs(GradeCase *drawn)
{
    for (int slot = 0; slot < STAGE_READS_MAX && drawn->call->reads[slot].role; slot++) {
        Tensor *in = &drawn->given.in[slot];
        if (in->storage.bytes && in->rank > 0)
            *in = spread(drawn, in);
    }
    if (drawn->call->writes[0].is_view)
        view_again(drawn);
}

// Whatever is said of a tensor names the argument that the learner knows it by.
static void name_arguments(GradeCase *drawn)
{
    const GradeExercise *exercise = drawn->exercise;
    drawn->named = *drawn->call;
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        if (exercise->in[slot])
            drawn->named.reads[slot].role = exercise->in[slot];
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        if (exercise->out[slot])
            drawn->named.writes[slot].tensor = exercise->out[slot];
    drawn->call = &drawn->named;
}

void grade_case_open(GradeCase *drawn, const GradeExercise *exercise, unsigned wishes,
                     const char *label, const GradeSizes *sizes, uint64_t seed)
{
    Error err;
    *drawn = (GradeCase){.exercise = exercise, .step = -1, .wishes = wishes, .label = label};
    grade_scenario(&drawn->scenario, wishes, sizes, seed);
    grade_must(trace_open(&drawn->trace, &drawn->scenario, &err) && trace_run(&drawn->trace, &err),
               &err);
    if (exercise->stage)
        drawn->step = find_step(&drawn->trace, exercise->stage, label);
    drawn->given.options = &drawn->scenario.options;
    (exercise->arrange ? exercise->arrange : arrange_as_stage)(drawn);
    if (sizes->is_strided || wishes & GRADE_STRIDED)
        spread_inputs(drawn);
    name_arguments(drawn);
}

void grade_case_close(GradeCase *drawn)
{
    trace_close(&drawn->trace);
    scenario_finish(&drawn->scenario);
    Arena arena = drawn->arena;
    *drawn = (GradeCase){.step = -1};
    arena_finish(&arena);
}

void grade_case_keep(GradeCase *drawn, const StageArgs *before, Tensor kept[STAGE_WRITES_MAX])
{
    for (int i = 0; i < STAGE_WRITES_MAX; i++) {
        kept[i] = drawn->given.out[i];
        if (!before->out[i].storage.bytes)
            continue;
        kept[i] = grade_room(drawn, &drawn->given.out[i]);
        tensor_copy(&drawn->given.out[i], &kept[i]);
    }
}

bool grade_case_same(const GradeCase *drawn, const Tensor kept[STAGE_WRITES_MAX])
{
    for (int i = 0; i < STAGE_WRITES_MAX && drawn->call->writes[i].role; i++) {
        const Tensor *out = &drawn->given.out[i];
        if (out->storage.bytes && kept[i].storage.bytes &&
            grade_difference(drawn, &kept[i], out).kind != DIFFERENCE_NONE)
            return false;
    }
    return true;
}

bool grade_case_is_far(const GradeCase *drawn, const Tensor kept[STAGE_WRITES_MAX])
{
    static const float tenth = 1e4f; // of what is allowed of one size, 1e-5
    for (int i = 0; i < STAGE_WRITES_MAX && drawn->call->writes[i].role; i++) {
        const Tensor *out = &drawn->given.out[i];
        if (out->storage.bytes && kept[i].storage.bytes &&
            tensor_difference_times(&kept[i], out, tenth).kind > DIFFERENCE_SHAPE)
            return true;
    }
    return false;
}

// The stage's own arguments, with the function's results in the place of the right ones.
static int recognise_step(const GradeCase *drawn, const GradeExercise *exercise,
                          const Mistake *found[MISTAKE_FOUND_MAX], Error *err)
{
    StageArgs args;
    if (!trace_arguments(&drawn->trace, drawn->step, &args, err))
        return 0;
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++) {
        bool is_one = exercise->output < 0 ? drawn->call->writes[slot].role != NULL
                                           : slot == exercise->output;
        if (is_one)
            args.out[slot] = drawn->given.out[exercise->arrange ? 0 : slot];
    }
    return mistake_recognise_step(&drawn->trace, drawn->step, &args, found, err);
}

int grade_case_mistakes(const GradeCase *drawn, const GradeExercise *exercise,
                        const char *names[VERDICT_MISTAKES_MAX])
{
    const Mistake *found[MISTAKE_FOUND_MAX];
    Error err = {.text = ""};
    const char *last = exercise->tensor ? exercise->tensor : "output";
    int count = drawn->step >= 0
                    ? recognise_step(drawn, exercise, found, &err)
                    : mistake_recognise_tensor(&drawn->trace, trace_find(&drawn->trace, last),
                                               &drawn->given.out[0], found, &err);
    grade_must(!err.of_machine, &err);
    count = count < VERDICT_MISTAKES_MAX ? count : VERDICT_MISTAKES_MAX;
    for (int i = 0; i < count; i++)
        names[i] = found[i]->name;
    return count < 0 ? 0 : count;
}
