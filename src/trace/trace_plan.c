// trace_plan: decides which stages run, in which order, and wires their slots to tensors.
//
// A role names the newest tensor that plays it: the plan walks down the pipeline, remembers for
// each role which tensor that is by now, and binds every slot as it passes.
#include "trace_internal.h"

#include <assert.h>
#include <string.h>

enum { ROLES_MAX = 64, STAGES_MAX = 32 };

typedef struct Roles {
    const char *role[ROLES_MAX];
    int tensor[ROLES_MAX];
    int count;
} Roles;

static int role_find(const Roles *roles, const char *role)
{
    for (int i = 0; i < roles->count; i++)
        if (strcmp(roles->role[i], role) == 0)
            return roles->tensor[i];
    return -1;
}

static void role_play(Roles *roles, const char *role, int tensor)
{
    int i = 0;
    while (i < roles->count && strcmp(roles->role[i], role) != 0)
        i++;
    assert(i < ROLES_MAX);
    roles->role[i] = role;
    roles->tensor[i] = tensor;
    roles->count += i == roles->count;
}

// Queries come from x itself unless they have an input of their own; what is added to the output is
// what they come from, unless a norm has kept what it read.
static int tensor_for(const Roles *roles, const char *role)
{
    int tensor = role_find(roles, role);
    if (tensor < 0 && strcmp(role, "residual") == 0)
        return tensor_for(roles, "x_query");
    return tensor < 0 && strcmp(role, "x_query") == 0 ? role_find(roles, "x") : tensor;
}

static bool is_wanted(const Scenario *scenario, StageUse use)
{
    switch (use) {
    case STAGE_ALWAYS:
        return true;
    case STAGE_WITH_HEADS:
        return scenario->has_heads;
    case STAGE_WITH_POSITIONS:
        return scenario->with_position;
    case STAGE_WITH_SCALE:
        return scenario->scaled;
    case STAGE_WITH_MASK:
        return scenario->masked;
    case STAGE_WITH_DROPOUT:
        return scenario->with_dropout;
    case STAGE_WITH_BACKWARD: // a loss of its own, where no answers are known
        return scenario->backward && !scenario_tensor(scenario, "targets");
    }
    return false;
}

// q, k and v that a scenario brings along need no projecting: the call that would write a given
// role, without reading it, is left out.
static bool is_given(const Scenario *scenario, const StageCall *call)
{
    if (!scenario_tensor(scenario, call->writes[0].role))
        return false;
    for (const Slot *slot = call->reads; slot->role; slot++)
        if (strcmp(slot->role, call->writes[0].role) == 0)
            return false;
    return true;
}

// The one loss of a scenario is that of the first call that fits.
static bool is_made(const Trace *trace, const Roles *roles, const Stage *stage,
                    const StageCall *call)
{
    int made = role_find(roles, call->writes[stage->main_output].role);
    return made >= 0 && trace->tensors[made].step >= 0 && !call->label &&
           trace->steps[trace->tensors[made].step].stage == stage;
}

static bool has_inputs(const Roles *roles, const StageCall *call)
{
    for (const Slot *slot = call->reads; slot->role; slot++)
        if (!slot->optional && tensor_for(roles, slot->role) < 0)
            return false;
    return true;
}

// In self-attention x is one tensor of length L, though queries and keys both read it.
static const char *input_axes(const Trace *trace, const char *axes)
{
    bool is_x = axes && (strcmp(axes, "B Lq Din") == 0 || strcmp(axes, "B Lk Din") == 0);
    return is_x && !scenario_tensor(trace->scenario, "x_query") ? "B L Din"
                                                                : trace_stored_axes(trace, axes);
}

static void bind_reads(Trace *trace, const Roles *roles, const StageCall *call, TraceStep *step)
{
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        step->reads[slot] = -1;
    for (int slot = 0; call->reads[slot].role; slot++)
        step->reads[slot] = tensor_for(roles, call->reads[slot].role);

    // An input is drawn with the axes of the first slot that reads it.
    for (int slot = 0; call->reads[slot].role; slot++)
        if (step->reads[slot] >= 0 && !trace->tensors[step->reads[slot]].axes)
            trace->tensors[step->reads[slot]].axes = input_axes(trace, call->reads[slot].axes);
}

static void bind_writes(Trace *trace, Roles *roles, const StageCall *call, TraceStep *step)
{
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        step->writes[slot] = -1;
    for (int slot = 0; call->writes[slot].role; slot++) {
        assert(trace->tensor_count < TRACE_TENSORS_MAX);
        int number = trace->tensor_count++;
        trace->tensors[number] = (TraceTensor){
            .name = call->writes[slot].tensor,
            .axes = trace_stored_axes(trace, call->writes[slot].axes),
            .step = trace->step_count,
            .slot = slot,
        };
        step->writes[slot] = number;
        role_play(roles, call->writes[slot].role, number);
    }
}

static void add_calls(Trace *trace, Roles *roles, const Stage *stage)
{
    if (!is_wanted(trace->scenario, stage->use) ||
        !stage_is_needed(stage, &trace->scenario->options))
        return;
    for (const StageCall *call = stage->calls; call->reads[0].role; call++) {
        if (!has_inputs(roles, call) || is_given(trace->scenario, call) ||
            is_made(trace, roles, stage, call))
            continue;
        assert(trace->step_count < TRACE_STEPS_MAX);
        TraceStep *step = &trace->steps[trace->step_count];
        *step = (TraceStep){.stage = stage, .call = call};
        bind_reads(trace, roles, call, step);
        bind_writes(trace, roles, call, step);
        trace->step_count++;
    }
}

const Stage *trace_stand_in(const Trace *trace, const Stage *stage)
{
    for (const Stage *const *other = trace->way.stages; other && *other; other++)
        if (strcmp((*other)->name, stage->name) == 0)
            return *other;
    return stage;
}

// The pipeline in its own order, except that a scenario may put mask before scale.
static int ordered_stages(const Trace *trace, const Stage *order[STAGES_MAX])
{
    int count = 0, scale = -1, mask = -1;
    for (const Stage *stage; (stage = stage_get(count)) && !stage_is_backward(stage); count++) {
        assert(count < STAGES_MAX);
        order[count] = trace_stand_in(trace, stage);
        scale = strcmp(stage->name, "scale") == 0 ? count : scale;
        mask = strcmp(stage->name, "mask") == 0 ? count : mask;
    }
    if (trace->scenario->mask_before_scale && scale >= 0 && mask > scale) {
        const Stage *late = order[scale];
        order[scale] = order[mask];
        order[mask] = late;
    }
    return count;
}

// Where no positions are added, what embed makes is x itself.
static void name_x(Trace *trace, const Roles *roles)
{
    int x = role_find(roles, "x");
    if (x >= 0 && strcmp(trace->tensors[x].name, "embeddings") == 0)
        trace->tensors[x].name = "x";
}

static bool take_room(Trace *trace, Error *err)
{
    trace->steps = arena_take(&trace->arena, TRACE_STEPS_MAX, sizeof *trace->steps, err);
    if (trace->steps)
        trace->tensors = arena_take(&trace->arena, TRACE_TENSORS_MAX, sizeof *trace->tensors, err);
    return trace->steps && trace->tensors;
}

bool trace_plan(Trace *trace, Error *err)
{
    if (!take_room(trace, err))
        return false;
    Roles roles = {.count = 0};
    const Scenario *scenario = trace->scenario;
    for (int i = 0; i < scenario->tensor_count; i++) {
        const ScenarioTensor *given = &scenario->tensors[i];
        int number = trace_find(trace, given->name);
        if (number < 0) {
            assert(trace->tensor_count < TRACE_TENSORS_MAX);
            number = trace->tensor_count++;
            trace->tensors[number] = (TraceTensor){
                .name = given->name, .tensor = given->tensor, .step = -1, .from = given->from};
        }
        if (*given->role)
            role_play(&roles, given->role, number);
    }

    const Stage *order[STAGES_MAX];
    int stages = ordered_stages(trace, order);
    for (int i = 0; i < stages; i++)
        add_calls(trace, &roles, order[i]);
    name_x(trace, &roles);
    return !scenario->backward || trace_plan_backward(trace, err);
}
