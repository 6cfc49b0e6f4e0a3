// Runs mistakes beside right runs: why one cannot show, and which one made given numbers; see mistake.h.
//
// To find a mistake, it is run on the same inputs and compared.
#include "mistake.h"

#include <math.h>
#include <string.h>
#include "relation_words.def"
#include "tensor.h"

// True if a stage of the mistake has this name; a right one has the same.
static bool replaces(const Mistake *mistake, const Stage *stage)
{
    for (const Stage *const *other = mistake->stages; *other; other++)
        if (strcmp((*other)->name, stage->name) == 0)
            return true;
    return false;
}

// Takes the outputs of a step from the right run. Returns false if that has no such tensors.
static bool take_outputs(const Trace *right, Trace *wrong, const TraceStep *step)
{
    for (int slot = 0; slot < STAGE_WRITES_MAX && step->call->writes[slot].role; slot++) {
        TraceTensor *made = &wrong->tensors[step->writes[slot]];
        int number = trace_find(right, made->name);
        if (number < 0 || !right->tensors[number].tensor.storage.bytes)
            return false;
        made->tensor = right->tensors[number].tensor;
    }
    return true;
}

int mistake_open_beside(const Mistake *mistake, const Trace *right, Trace *wrong, Error *err)
{
    int first = 0;
    TraceVariant variant = {.stages = mistake->stages};
    if (!trace_open_variant(wrong, right->scenario, &variant, err))
        return -1;
    while (first < wrong->step_count && !replaces(mistake, wrong->steps[first].stage))
        first++;
    if (first == wrong->step_count) {
        trace_close(wrong);
        return -1;
    }
    while (wrong->steps_done < first &&
           take_outputs(right, wrong, &wrong->steps[wrong->steps_done]))
        wrong->steps_done++;
    return first;
}

// --- where it cannot show

static const Words no_backward = WORDS_ROW(NO_BACKWARD), no_step = WORDS_ROW(NO_STEP),
                   same_numbers = WORDS_ROW(SAME_NUMBERS);

// Bound on the products of a run: about a millisecond.
static const double products_most = 2e5;

static double products(const Scenario *scenario)
{
    double size[SYMBOL_COUNT];
    for (int i = 0; i < SYMBOL_COUNT; i++)
        size[i] = scenario->size[i] > 1 ? (double)scenario->size[i] : 1.0;
    double of_tokens = size[SYMBOL_B] * (size[SYMBOL_LQ] + size[SYMBOL_LK]);
    return of_tokens * size[SYMBOL_DIN] * (size[SYMBOL_DK] + size[SYMBOL_DV]) +
           size[SYMBOL_B] * size[SYMBOL_H] * size[SYMBOL_LQ] * size[SYMBOL_LK] *
               (size[SYMBOL_D_K] + size[SYMBOL_D_V]);
}

// A gradient of 0 may have either sign.
static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_numbers_of(const Tensor *a, const Tensor *b)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    if (a->dtype != b->dtype || !tensor_same_shape(a, b))
        return false;
    for (bool more = tensor_count(a) > 0; more; more = tensor_next(a, at))
        if (!is_same(tensor_number(a, at), tensor_number(b, at)))
            return false;
    return true;
}

// True if the right run has the same numbers under the names of a step's outputs.
static bool same_outputs(const Trace *right, const Trace *wrong, const TraceStep *step)
{
    for (int slot = 0; step->call->writes[slot].role; slot++) {
        const TraceTensor *made = &wrong->tensors[step->writes[slot]];
        int number = trace_find(right, made->name);
        if (number < 0 || !same_numbers_of(&made->tensor, &right->tensors[number].tensor))
            return false;
    }
    return true;
}

// Stops at the first number that differs.
static const Words *compare_runs(const Mistake *mistake, const Trace *right, Trace *wrong)
{
    Error err;
    while (wrong->steps_done < wrong->step_count) {
        const TraceStep *step = &wrong->steps[wrong->steps_done];
        if (!trace_step(wrong, &err) ||
            (replaces(mistake, step->stage) && !same_outputs(right, wrong, step)))
            return NULL;
    }
    return &same_numbers;
}

const Words *mistake_cannot_show_beside(const Mistake *mistake, const Trace *right)
{
    Trace wrong;
    Error err = {.text = ""};
    if (mistake_is_backward(mistake) && !right->scenario->backward)
        return &no_backward;
    int first = mistake_open_beside(mistake, right, &wrong, &err);
    if (first < 0)
        return *err.text ? NULL : &no_step;
    bool has_ended = right->steps_done == right->step_count;
    const Words *why = has_ended ? compare_runs(mistake, right, &wrong) : NULL;
    trace_close(&wrong);
    return why;
}

const Words *mistake_cannot_show(const Mistake *mistake, const Scenario *scenario)
{
    Trace right;
    Error err;
    if (!trace_open(&right, scenario, &err))
        return NULL;
    bool is_known = products(scenario) > products_most || trace_run(&right, &err);
    const Words *why = is_known ? mistake_cannot_show_beside(mistake, &right) : NULL;
    trace_close(&right);
    return why;
}

// --- which made these numbers

static bool tensors_agree(const Tensor *given, const Tensor *known)
{
    return tensor_difference(given, known).kind == DIFFERENCE_NONE;
}

// --- one step

// Copies tensors by name to another plan.
static void share_tensors(const Trace *from, Trace *to)
{
    for (int i = 0; i < to->tensor_count; i++) {
        int number = trace_find(from, to->tensors[i].name);
        if (to->tensors[i].step >= 0 && number >= 0)
            to->tensors[i].tensor = from->tensors[number].tensor;
    }
}

// The step of another plan with the same name; -1: none.
static int same_step(const Trace *right, int step, const Trace *other)
{
    char name[64];
    return trace_find_step(other, trace_step_name(right, step, name));
}

// Copies the inputs of somebody's function by their roles.
static void take_inputs(const StageCall *call, StageArgs *args, const StageCall *given_call,
                        const StageArgs *given)
{
    for (int slot = 0; call->reads[slot].role; slot++)
        for (int other = 0; given_call->reads[other].role; other++)
            if (strcmp(call->reads[slot].role, given_call->reads[other].role) == 0)
                args->in[slot] = given->in[other];
}

bool mistake_take_outputs(const Stage *stage, const StageCall *call, StageArgs *args, Arena *arena,
                          Error *err)
{
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        args->out[slot].storage.bytes = NULL;
    bool good = !stage->shapes || stage->shapes(args, err);
    for (int slot = 0; good && slot < STAGE_WRITES_MAX && call->writes[slot].role; slot++) {
        Tensor *out = &args->out[slot];
        if (!call->writes[slot].is_view && !out->storage.bytes)
            good = tensor_take(arena, out->dtype, out->rank, out->shape, out, err);
    }
    return good;
}

// `given`: the wanted main output; NULL: any.
static bool compute(const Stage *stage, const StageCall *call, StageArgs *args, const Tensor *given,
                    Arena *arena, Error *err)
{
    return mistake_take_outputs(stage, call, args, arena, err) &&
           (!given || mistake_begins(stage, args, given, err)) && stage->run(args, err);
}

// The outputs of a step with other stages.
typedef struct Remade {
    bool done; // false: the other plan has no such step
    StageArgs args;
    Arena arena; // owns the outputs
} Remade;

// Runs a step with the stages of a variant on given inputs. The caller finishes the arena in any
// case.
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
            good = compute(remade->stage, remade->call, &made->args,
                           variant ? &given->out[remade->stage->main_output] : NULL, &made->arena,
                           err);
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

typedef struct StepQuestion {
    const Trace *right;
    int step;
    const StageArgs *given, *expected;
    bool main_only;
} StepQuestion;

// False for a mistake that the shapes refuse or that makes the right numbers. Sets err if the machine
// fails.
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
    int first = mistake_open_beside(mistake, right, &wrong, err);
    if (first < 0)
        return false;
    int number = trace_find(&wrong, right->tensors[tensor].name);
    int last = number >= 0 ? wrong.tensors[number].step : -1;
    bool good = first <= last;
    while (good && wrong.steps_done <= last)
        good = trace_step(&wrong, err);
    bool made = good && tensors_agree(given, &wrong.tensors[number].tensor) &&
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
