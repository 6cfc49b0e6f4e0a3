// trace_backward: plans the backward pass behind the forward pass.
//
// The steps are walked through from the last to the first. Behind each, the calls of the backward
// stages that name it (stage.h, StageCall) are wired to the very tensors that it read and wrote, and
// to the gradients that the steps before have made. A gradient is named after its tensor: "grad.q"
// is that of "q". A tensor that is read in several places gets one from each, "grad.x.q" and
// "grad.x.k", and behind the second and every further one a step that adds them up; the last sum is
// "grad.x".
#include "trace_internal.h"
#include "trace_program.h"
#include "trace_words.def"

#include <assert.h>
#include <string.h>

// The gradients made so far, by the number of the tensor whose gradient it is.
typedef struct Tape {
    Trace *trace;
    int forward;                           // the step whose way back is being planned
    int gradient[TRACE_TENSORS_MAX];       // -1: none yet
    const char *places[TRACE_TENSORS_MAX]; // where it comes from: "q", "q+k"
} Tape;

static const char prefix[] = "grad.";

static const char *after_prefix(const char *role)
{
    size_t length = sizeof prefix - 1;
    return strncmp(role, prefix, length) == 0 ? role + length : NULL;
}

static int find_slot(const Slot slots[], const int tensors[], const char *role)
{
    for (int i = 0; slots[i].role; i++)
        if (strcmp(slots[i].role, role) == 0)
            return tensors[i];
    return -1;
}

// What plays a role for a forward step: what it wrote, else what it read; -1: nothing.
static int player(const Trace *trace, int forward, const char *role)
{
    const TraceStep *step = &trace->steps[forward];
    int written = find_slot(step->call->writes, step->writes, role);
    return written >= 0 ? written : find_slot(step->call->reads, step->reads, role);
}

// Whose gradient it is: of what the step read, else of what it wrote on the way, else of what a step
// before it wrote (a loss that takes prediction along goes back to the logits); -1: nothing's.
static int target(const Trace *trace, int forward, const char *role)
{
    const TraceStep *step = &trace->steps[forward];
    int read = find_slot(step->call->reads, step->reads, role);
    int written = find_slot(step->call->writes, step->writes, role);
    if (read >= 0 || written >= 0)
        return read >= 0 ? read : written;
    for (int before = forward - 1; before >= 0; before--) {
        step = &trace->steps[before];
        written = find_slot(step->call->writes, step->writes, role);
        if (written >= 0)
            return written;
    }
    return -1;
}

// What another backward step of the same forward step has made: softmax's row sums.
static int made_beside(const Tape *tape, const char *role)
{
    const Trace *trace = tape->trace;
    for (int step = trace->step_count - 1; step > tape->forward; step--) {
        int made = find_slot(trace->steps[step].call->writes, trace->steps[step].writes, role);
        if (made >= 0 && trace->steps[step].layer == trace->steps[tape->forward].layer)
            return made;
    }
    return -1;
}

static int read_tensor(const Tape *tape, const char *role)
{
    const char *of = after_prefix(role);
    int tensor = player(tape->trace, tape->forward, of ? of : role);
    if (tensor >= 0 || of)
        return of && tensor >= 0 ? tape->gradient[tensor] : tensor;
    return made_beside(tape, role);
}

static bool applies(const Tape *tape, const StageCall *call)
{
    const TraceStep *step = &tape->trace->steps[tape->forward];
    const char *label = step->call->label;
    if (strcmp(call->of, step->stage->name) != 0 ||
        (label && (!call->label || strcmp(label, call->label) != 0)))
        return false;
    for (const Slot *slot = call->reads; slot->role; slot++)
        if (!slot->optional && read_tensor(tape, slot->role) < 0)
            return false;
    for (const Slot *slot = call->writes; slot->role; slot++)
        if (after_prefix(slot->role) &&
            target(tape->trace, tape->forward, after_prefix(slot->role)) < 0)
            return false;
    return true;
}

static TraceStep *add_step(const Tape *tape, const Stage *stage, const StageCall *call)
{
    Trace *trace = tape->trace;
    const TraceStep *forward = &trace->steps[tape->forward];
    assert(trace->step_count < trace_step_room(trace));
    TraceStep *step = &trace->steps[trace->step_count++];
    *step = (TraceStep){
        .stage = stage, .call = call, .layer = forward->layer, .in_layer = forward->in_layer};
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        step->reads[slot] = -1;
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        step->writes[slot] = -1;
    return step;
}

static int add_tensor(Trace *trace, int slot, const char *name, const char *axes)
{
    assert(trace->tensor_count < trace_tensor_room(trace));
    TraceStep *step = &trace->steps[trace->step_count - 1];
    int number = trace->tensor_count++;
    trace->tensors[number] = (TraceTensor){.name = name,
                                           .axes = axes,
                                           .step = trace->step_count - 1,
                                           .slot = slot,
                                           .layer = step->layer};
    step->writes[slot] = number;
    return number;
}

static bool name_after(Tape *tape, int gradient, int tensor, const char *place, Error *err)
{
    Trace *trace = tape->trace;
    const char *name = trace->tensors[tensor].name;
    trace->tensors[gradient].name =
        place ? arena_format(&trace->arena, err, "%s%s.%s", prefix, name, place)
              : arena_format(&trace->arena, err, "%s%s", prefix, name);
    return trace->tensors[gradient].name != NULL;
}

// The axes of a gradient are those that its slot declares; what is drawn are its tensor's own.
static bool add_sum(Tape *tape, int tensor, int more, const char *axes, Error *err)
{
    Trace *trace = tape->trace;
    const Stage *stage = trace_stand_in(trace, stage_find("gradient_sum"));
    StageCall *call = arena_take(&trace->arena, 1, sizeof *call, err);
    if (!call)
        return false;
    *call = stage->calls[0]; // with a label that outlives the scenario
    call->label = arena_format(&trace->arena, err, "%s", trace->tensors[tensor].name);
    call->reads[0].axes = call->reads[1].axes = call->writes[0].axes = axes;
    TraceStep *step = add_step(tape, stage, call);
    step->reads[0] = tape->gradient[tensor];
    step->reads[1] = more;
    int sum = add_tensor(trace, 0, "sum", trace->tensors[more].axes);
    tape->gradient[tensor] = sum;
    return call->label && name_after(tape, sum, tensor, NULL, err);
}

// Takes in a new gradient of a tensor.
static bool add_gradient(Tape *tape, int tensor, int gradient, const StageCall *call,
                         const Slot *slot, Error *err)
{
    const char *place = call->label ? call->label : after_prefix(slot->role);
    int before = tape->gradient[tensor];
    if (before < 0) {
        tape->gradient[tensor] = gradient;
        tape->places[tensor] = place;
        return name_after(tape, gradient, tensor, NULL, err);
    }
    const char *both = arena_format(&tape->trace->arena, err, "%s+%s", tape->places[tensor], place);
    bool named = both && name_after(tape, before, tensor, tape->places[tensor], err) &&
                 name_after(tape, gradient, tensor, place, err);
    tape->places[tensor] = both;
    return named && add_sum(tape, tensor, gradient, slot->axes, err);
}

static bool add_call(Tape *tape, const Stage *stage, const StageCall *call, Error *err)
{
    Trace *trace = tape->trace;
    int reads[STAGE_READS_MAX], targets[STAGE_WRITES_MAX], writes[STAGE_WRITES_MAX];
    for (int i = 0; call->reads[i].role; i++)
        reads[i] = read_tensor(tape, call->reads[i].role);
    TraceStep *step = add_step(tape, stage, call);
    for (int i = 0; call->reads[i].role; i++)
        step->reads[i] = reads[i];
    for (int i = 0; call->writes[i].role; i++) {
        const char *of = after_prefix(call->writes[i].role);
        targets[i] = of ? target(trace, tape->forward, of) : -1;
        const char *axes = targets[i] >= 0 ? trace->tensors[targets[i]].axes
                                           : trace_stored_axes(trace, call->writes[i].axes);
        const char *name = trace_name_in_layer(trace, call->writes[i].tensor, step->layer, err);
        if (!name)
            return false;
        writes[i] = add_tensor(trace, i, name, axes);
    }
    for (int i = 0; call->writes[i].role; i++)
        if (targets[i] >= 0 &&
            !add_gradient(tape, targets[i], writes[i], call, &call->writes[i], err))
            return false;
    return true;
}

static bool has_gradient(const Stage *stage)
{
    const Stage *other;
    for (int number = 0; (other = stage_get(number)) != NULL; number++)
        for (const StageCall *call = other->calls; call->of; call++)
            if (strcmp(call->of, stage->name) == 0)
                return true;
    return false;
}

// Mistakes that are put in for a stage of the forward pass compute something else, whose gradient is
// another one. Those of the backward pass have taken no step yet.
static bool knows_gradients(const Trace *trace, Error *err)
{
    for (int i = 0; i < trace->step_count; i++) {
        const Stage *stage = trace->steps[i].stage;
        if (stage_find(stage->name) != stage)
            return error_set(err, TELL(BACKWARD_MISTAKE), stage->name);
        if (stage->needs && !has_gradient(stage))
            return error_set(err, TELL(BACKWARD_UNKNOWN), stage->name);
    }
    return true;
}

bool trace_plan_backward(Trace *trace, Error *err)
{
    if (!knows_gradients(trace, err))
        return false;
    Tape tape = {.trace = trace};
    for (int i = 0; i < TRACE_TENSORS_MAX; i++)
        tape.gradient[i] = -1;
    for (tape.forward = trace->step_count - 1; tape.forward >= 0; tape.forward--)
        for (int number = 0; stage_get(number); number++) {
            const Stage *stage = trace_stand_in(trace, stage_get(number));
            for (const StageCall *call = stage->calls;
                 stage_is_backward(stage) && call->reads[0].role; call++)
                if (applies(&tape, call) && !add_call(&tape, stage, call, err))
                    return false;
        }
    return true;
}

// --- the whole plan, with formulas in the place of steps' own

static bool plan_formulas(Trace *trace, Error *err)
{
    for (int i = 0; i < trace->scenario->formula_count; i++) {
        const ScenarioFormula *formula = &trace->scenario->formulas[i];
        int step = trace_formula_step(trace, formula->text, err);
        if (step < 0)
            return error_prefix(err, "%s", formula->place);
        const Stage *stage = trace->steps[step].stage;
        if (stage != stage_find(stage->name)) {
            error_set(err, TELL(FORMULA_OF_MISTAKE), stage->name);
            return error_prefix(err, "%s", formula->place);
        }
        trace->steps[step].formula = formula;
    }
    return true;
}

bool trace_plan_all(Trace *trace, Error *err)
{
    return trace_plan(trace, err) &&
           (!trace->scenario->backward || trace_plan_backward(trace, err)) &&
           plan_formulas(trace, err);
}
