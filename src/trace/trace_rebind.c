// trace_rebind: a trace goes on with another scenario, where that is planned alike; where it is not,
// the numbers of two traces are compared. See trace.h.
#include "trace_internal.h"

#include <string.h>

static bool same_tensor(const Trace *a, const Trace *b, int number)
{
    const TraceTensor *in_a = &a->tensors[number], *in_b = &b->tensors[number];
    if (in_a->step != in_b->step || in_a->slot != in_b->slot || strcmp(in_a->name, in_b->name) != 0)
        return false;
    return in_a->step >= 0 || (in_a->tensor.dtype == in_b->tensor.dtype &&
                               tensor_same_shape(&in_a->tensor, &in_b->tensor));
}

// The shape of a mask depends on these.
static bool same_masks(const StageOptions *a, const StageOptions *b)
{
    return a->causal == b->causal && a->mask_padding == b->mask_padding &&
           (a->window > 0) == (b->window > 0);
}

// A call that was made for this trace alone adds gradients up; what it reads tells which.
static bool same_call(const StageCall *a, const StageCall *b)
{
    return a == b || (a->of && b->of && !*a->of && !*b->of);
}

static bool same_formula(const ScenarioFormula *a, const ScenarioFormula *b)
{
    return a && b ? strcmp(a->text, b->text) == 0 : a == b;
}

static bool same_plan(const Trace *a, const Trace *b)
{
    const Scenario *in_a = a->scenario, *in_b = b->scenario;
    if (a->step_count != b->step_count || a->tensor_count != b->tensor_count ||
        memcmp(in_a->size, in_b->size, sizeof in_a->size) != 0 ||
        in_a->has_heads != in_b->has_heads || !same_masks(&in_a->options, &in_b->options))
        return false;
    for (int number = 0; number < a->tensor_count; number++)
        if (!same_tensor(a, b, number))
            return false;
    for (int i = 0; i < a->step_count; i++) {
        const TraceStep *step = &a->steps[i], *other = &b->steps[i];
        if (!same_formula(step->formula, other->formula) || step->stage != other->stage ||
            !same_call(step->call, other->call) ||
            memcmp(step->reads, other->reads, sizeof step->reads) != 0)
            return false;
    }
    return true;
}

bool trace_fits(const Trace *trace, const Scenario *scenario)
{
    Trace other = {.scenario = scenario, .variant = trace->variant};
    Error unplanned;
    bool fits =
        !scenario->backward && trace_plan_all(&other, &unplanned) && same_plan(trace, &other);
    arena_finish(&other.arena);
    return fits;
}

// Raises the flags of the elements of an input in which the two tensors differ.
static bool note_input(const Trace *trace, TraceChange *change, int number, const Tensor *now,
                       Error *err)
{
    const Tensor *was = &trace->tensors[number].tensor;
    Tensor flags = {.storage.bytes = NULL};
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(was) > 0; more; more = tensor_next(was, at)) {
        if (tensor_same_number(was, now, at))
            continue;
        if (!flags.storage.bytes && (!trace_change_flags(trace, change, number, &flags, err) ||
                                     !trace_change_keep(trace, change, number, flags, err)))
            return false;
        flags.storage.boolean[tensor_place(&flags, at)] = true;
    }
    return true;
}

// Everything that looks at the storage of an input looks at the new one: masks may be cut out of it.
static void move_input(Trace *trace, int number, const TraceTensor *now)
{
    TraceTensor *input = &trace->tensors[number];
    void *was = input->tensor.storage.bytes;
    for (int other = 0; other < trace->tensor_count; other++)
        if (trace->tensors[other].step >= 0 && trace->tensors[other].tensor.storage.bytes == was)
            trace->tensors[other].tensor.storage = now->tensor.storage;
    input->tensor = now->tensor;
    input->name = now->name;
    input->from = now->from;
}

bool trace_rebind(Trace *trace, const Scenario *scenario, TraceChange *change, Error *err)
{
    Trace now = {.scenario = scenario, .variant = trace->variant};
    bool good = trace_plan_all(&now, err);
    for (int number = 0; good && number < trace->tensor_count; number++)
        if (trace->tensors[number].step < 0)
            good = note_input(trace, change, number, &now.tensors[number].tensor, err);
    for (int number = 0; good && number < trace->tensor_count; number++)
        if (trace->tensors[number].step < 0)
            move_input(trace, number, &now.tensors[number]);
    for (int step = 0; good && step < trace->step_count; step++)
        trace->steps[step].formula = step < now.step_count ? now.steps[step].formula : NULL;
    arena_finish(&now.arena);
    if (!good)
        return false;
    for (int step = 0; step < trace->step_count; step++)
        if (stage_options_differ(trace->steps[step].stage,
                                 scenario_options(trace->scenario, trace->steps[step].layer),
                                 scenario_options(scenario, trace->steps[step].layer)))
            trace_touch_step(change, step);
    trace->scenario = scenario;
    trace->inputs_stay = false;
    return true;
}

// --- another plan

bool trace_keep_all(const Trace *trace, TraceKept *kept, Error *err)
{
    *kept = (TraceKept){.count = trace->tensor_count};
    Arena *arena = &kept->was.arena;
    kept->next = arena_take(arena, TRACE_TENSORS_MAX, sizeof *kept->next, err);
    if (!kept->next)
        return false;
    for (int number = 0; number < trace->tensor_count; number++) {
        Tensor flags;
        // Names of layers end with the plan that wrote them.
        bool is_named = (kept->names[number] = arena_text(arena, trace->tensors[number].name, err));
        if (is_named && !trace->tensors[number].tensor.storage.bytes)
            continue;
        if (!is_named || !trace_change_flags(trace, &kept->was, number, &flags, err) ||
            !trace_change_keep(trace, &kept->was, number, flags, err)) {
            trace_change_finish(&kept->was);
            return false;
        }
        memset(flags.storage.boolean, 1, (size_t)tensor_count(&flags));
    }
    return true;
}

void trace_compare(const Trace *trace, TraceKept *kept, TraceChange *change)
{
    *change = (TraceChange){.tensors = kept->next, .arena = kept->was.arena};
    for (int number = 0; number < trace->tensor_count; number++) {
        const Tensor *now = &trace->tensors[number].tensor;
        for (int other = 0; other < kept->count; other++) {
            const TraceChanged *was = trace_changed(&kept->was, other);
            if (now->storage.bytes && was->before.storage.bytes &&
                strcmp(kept->names[other], trace->tensors[number].name) == 0 &&
                was->before.dtype == now->dtype && tensor_same_shape(&was->before, now))
                change->tensors[number] = *was;
        }
    }
    trace_change_count(trace, change);
    memset(kept, 0, sizeof *kept);
}
