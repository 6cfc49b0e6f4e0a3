// mistake_recognise: which mistake made these numbers; see mistake.h.
//
// A mistake is looked for by making it: on the same inputs, with the same plan, and comparing.
#include "mistake.h"

#include <string.h>
#include "tensor.h"

static bool tensors_agree(const Tensor *given, const Tensor *known)
{
    return tensor_difference(given, known).kind == DIFFERENCE_NONE;
}

// --- one step

// The tensors that exist before a step, by their names, for a plan that differs.
static void share_tensors(const Trace *from, Trace *to)
{
    for (int i = 0; i < to->tensor_count; i++) {
        int number = trace_find(from, to->tensors[i].name);
        if (to->tensors[i].step >= 0 && number >= 0)
            to->tensors[i].tensor = from->tensors[number].tensor;
    }
}

// The step of another plan that stands for `step`; -1 where it has none.
static int same_step(const Trace *right, int step, const Trace *other)
{
    char name[64], other_name[64];
    trace_step_name(right, step, name);
    for (int i = 0; i < other->step_count; i++)
        if (strcmp(trace_step_name(other, i, other_name), name) == 0)
            return i;
    return -1;
}

// Lets `args` have the inputs that somebody's function was given, by their roles.
static void take_inputs(const StageCall *call, StageArgs *args, const StageCall *given_call,
                        const StageArgs *given)
{
    for (int slot = 0; call->reads[slot].role; slot++)
        for (int other = 0; given_call->reads[other].role; other++)
            if (strcmp(call->reads[slot].role, given_call->reads[other].role) == 0)
                args->in[slot] = given->in[other];
}

static bool compute(const Stage *stage, const StageCall *call, StageArgs *args, Arena *arena,
                    Error *err)
{
    if (stage->shapes && !stage->shapes(args, err))
        return false;
    for (int slot = 0; slot < STAGE_WRITES_MAX && call->writes[slot].role; slot++) {
        Tensor *out = &args->out[slot];
        if (!call->writes[slot].is_view && !out->storage.bytes &&
            !tensor_take(arena, out->dtype, out->rank, out->shape, out, err))
            return false;
    }
    return stage->run(args, err);
}

// What came of a step's inputs in another way.
typedef struct Remade {
    bool done; // false: that way's plan has no such step
    StageArgs args;
    Arena arena; // owns the outputs
} Remade;

// What a step makes of the given inputs, its stages replaced as `way` says. The caller finishes the
// arena, whatever the result.
static bool remake_step(const Trace *right, int step, const TraceVariant *variant,
                        const StageArgs *given, Remade *made, Error *err)
{
    Trace other;
    *made = (Remade){.done = false};
    bool good = trace_open_variant(&other, right->scenario, variant, err);
    int number = good ? same_step(right, step, &other) : -1;
    made->done = number >= 0;
    if (made->done) {
        const TraceStep *remade = &other.steps[number];
        share_tensors(right, &other);
        for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
            if (remade->writes[slot] >= 0)
                other.tensors[remade->writes[slot]].tensor = (Tensor){.rank = 0};
        good = trace_arguments(&other, number, &made->args, err);
        if (good) {
            take_inputs(remade->call, &made->args, right->steps[step].call, given);
            good = compute(remade->stage, remade->call, &made->args, &made->arena, err);
        }
    }
    trace_close(&other);
    return good;
}

static bool outputs_agree(const Stage *stage, const StageArgs *given, const StageArgs *known,
                          bool main_only)
{
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++) {
        bool counts = slot == stage->main_output || (!main_only && given->out[slot].storage.bytes);
        if (counts && !tensors_agree(&given->out[slot], &known->out[slot]))
            return false;
    }
    return true;
}

static bool replaces(const Mistake *mistake, const Stage *stage)
{
    for (const Stage *const *other = mistake->stages; *other; other++)
        if (strcmp((*other)->name, stage->name) == 0)
            return true;
    return false;
}

// What a mistake is asked about a step.
typedef struct StepQuestion {
    const Trace *right;
    int step;
    const StageArgs *given, *expected;
    bool main_only;
} StepQuestion;

// A mistake that these shapes refuse has made nothing; nor has one that makes the right numbers. Where the
// machine failed, `err` says so.
static bool step_is_made_by(const Mistake *mistake, const StepQuestion *asked, Error *err)
{
    Remade wrong;
    const Stage *stage = asked->right->steps[asked->step].stage;
    TraceVariant variant = {.stages = mistake->stages};
    bool made = remake_step(asked->right, asked->step, &variant, asked->given, &wrong, err) &&
                wrong.done && outputs_agree(stage, asked->given, &wrong.args, asked->main_only) &&
                !outputs_agree(stage, asked->expected, &wrong.args, asked->main_only);
    arena_finish(&wrong.arena);
    return made;
}

int mistake_recognise_step(const Trace *right, int step, const StageArgs *given,
                           const Mistake *found[MISTAKE_FOUND_MAX], Error *err)
{
    const Stage *stage = right->steps[step].stage;
    Remade expected;
    if (!remake_step(right, step, NULL, given, &expected, err)) {
        arena_finish(&expected.arena);
        return -1;
    }
    *err = (Error){.text = ""};
    bool main_only = !outputs_agree(stage, given, &expected.args, true);
    bool all_right = outputs_agree(stage, given, &expected.args, false);

    StepQuestion asked = {right, step, given, &expected.args, main_only};
    int count = 0;
    const Mistake *mistake;
    for (int i = 0; !all_right && (mistake = mistake_get(i)) && count < MISTAKE_FOUND_MAX; i++)
        if (!mistake->together && replaces(mistake, stage) && !err->of_machine &&
            step_is_made_by(mistake, &asked, err))
            found[count++] = mistake;
    arena_finish(&expected.arena);
    return err->of_machine ? -1 : count;
}

// --- a chain

static bool tensor_is_made_by(const Mistake *mistake, const Trace *right, int tensor,
                              const Tensor *given, Error *err)
{
    Trace wrong;
    TraceVariant variant = {.stages = mistake->stages};
    bool good = trace_open_variant(&wrong, right->scenario, &variant, err);
    bool is_there = false; // a step of the mistake
    for (int i = 0; good && i < wrong.step_count; i++)
        is_there = is_there || replaces(mistake, wrong.steps[i].stage);
    int number = is_there ? trace_find(&wrong, right->tensors[tensor].name) : -1;
    while (good && number >= 0 && wrong.steps_done <= wrong.tensors[number].step)
        good = trace_step(&wrong, err);
    bool made = good && number >= 0 && tensors_agree(given, &wrong.tensors[number].tensor) &&
                !tensors_agree(&right->tensors[tensor].tensor, &wrong.tensors[number].tensor);
    trace_close(&wrong);
    return made;
}

int mistake_recognise_tensor(const Trace *right, int tensor, const Tensor *given,
                             const Mistake *found[MISTAKE_FOUND_MAX], Error *err)
{
    int count = 0;
    *err = (Error){.text = ""};
    bool all_right = tensors_agree(given, &right->tensors[tensor].tensor);
    const Mistake *mistake;
    for (int i = 0; !all_right && (mistake = mistake_get(i)) && count < MISTAKE_FOUND_MAX; i++)
        if (!err->of_machine && tensor_is_made_by(mistake, right, tensor, given, err))
            found[count++] = mistake;
    return err->of_machine ? -1 : count;
}
