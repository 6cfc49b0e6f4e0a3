// Runs mistakes beside right runs: why one cannot show, and which one made given numbers; see mistake.h.
//
// To find a mistake, it is run on the same inputs and compared.
#include "mistake.h"

#include <math.h>
#include <string.h>
#include "relation_words.def"
#include "tensor.h"

// The mistake's stage of this name, in place of the right one; NULL: none.
static const Stage *replacement(const Mistake *mistake, const Stage *stage)
{
    for (const Stage *const *other = mistake->stages; *other; other++)
        if (strcmp((*other)->name, stage->name) == 0)
            return *other;
    return NULL;
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
    while (first < wrong->step_count && !replacement(mistake, wrong->steps[first].stage))
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
            (replacement(mistake, step->stage) && !same_outputs(right, wrong, step)))
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

// The newest tensor of a role before a step, as steps read it; no storage if there is none.
static Tensor newest(const Trace *right, int step, const char *role)
{
    StageArgs args;
    Error ignored;
    for (int i = step - 1; i >= 0; i--) {
        const StageCall *call = right->steps[i].call;
        if (!trace_arguments(right, i, &args, &ignored))
            continue;
        for (int slot = 0; slot < STAGE_WRITES_MAX && call->writes[slot].role; slot++)
            if (strcmp(call->writes[slot].role, role) == 0)
                return args.out[slot];
        for (int slot = 0; slot < STAGE_READS_MAX && call->reads[slot].role; slot++)
            if (strcmp(call->reads[slot].role, role) == 0)
                return args.in[slot];
    }
    return (Tensor){.rank = 0};
}

// A step's inputs and the outputs of a stage.
typedef struct Remade {
    StageArgs args;
    Arena arena; // owns the outputs
} Remade;

// Runs a stage in the place of a step's on the inputs of `made`, if it begins like the outputs of `wanted` (NULL: any).
// What it reads besides comes from the right run. The caller finishes the arena in any case.
static bool remake_step(const Trace *right, int step, const Stage *stage, const StageArgs *wanted,
                        Remade *made, Error *err)
{
    const TraceStep *as = &right->steps[step];
    const StageCall *call = as->call;
    for (int i = 0; i < STAGE_CALLS_MAX; i++)
        if (as->call == &as->stage->calls[i])
            call = &stage->calls[i];
    made->args.stage = stage;
    made->args.call = call;
    made->args.options = scenario_options(right->scenario, as->layer);
    for (int slot = 0; slot < STAGE_READS_MAX && call->reads[slot].role; slot++)
        if (!as->call->reads[slot].role)
            made->args.in[slot] = newest(right, step, call->reads[slot].role);
    return mistake_take_outputs(stage, call, &made->args, &made->arena, err) &&
           (!wanted || mistake_begins(stage, &made->args, &wanted->out[stage->main_output], err)) &&
           stage->run(&made->args, err);
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

// False for a mistake that the shapes refuse or that makes the right numbers. Sets err if the machine
// fails.
static bool step_is_made_by(const Stage *stage, const Trace *right, int step,
                            const StageArgs *given, const StageArgs *expected, Error *err)
{
    Remade wrong = {.args = *given};
    bool main_only = !outputs_agree(stage, given, expected, true);
    bool made = remake_step(right, step, stage, given, &wrong, err) &&
                outputs_agree(stage, given, &wrong.args, main_only) &&
                !outputs_agree(stage, expected, &wrong.args, main_only);
    arena_finish(&wrong.arena);
    return made;
}

int mistake_recognise_step(const Trace *right, int step, const StageArgs *given,
                           const Mistake *found[MISTAKE_FOUND_MAX], Error *err)
{
    const Stage *stage = right->steps[step].stage;
    Remade expected = {.args = *given};
    if (!remake_step(right, step, stage, NULL, &expected, err)) {
        arena_finish(&expected.arena);
        return -1;
    }
    *err = (Error){.text = ""};
    bool all_right = outputs_agree(stage, given, &expected.args, false);
    int count = 0;
    const Mistake *mistake;
    for (int i = 0; !all_right && (mistake = mistake_get(i)) && count < MISTAKE_FOUND_MAX; i++) {
        const Stage *wrong = mistake->together ? NULL : replacement(mistake, stage);
        if (wrong && !err->of_machine &&
            step_is_made_by(wrong, right, step, given, &expected.args, err))
            found[count++] = mistake;
    }
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
