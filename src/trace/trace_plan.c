// trace_plan: decides which stages run, in which order, and wires their slots to tensors.
//
// A role names the newest tensor that plays it: the plan walks down the pipeline, remembers for
// each role which tensor that is by now, and binds every slot as it passes.
#include "trace_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "trace_words.def"

enum { ROLES_MAX = 128, PLACES_MAX = 96 };

typedef struct Roles {
    const char *role[ROLES_MAX];
    int tensor[ROLES_MAX];
    int count;
    bool parallel; // feed-forward stands beside attention
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

static void role_forget(Roles *roles, const char *role)
{
    int i = 0;
    while (i < roles->count && strcmp(roles->role[i], role) != 0)
        i++;
    if (i == roles->count)
        return;
    roles->count--;
    roles->role[i] = roles->role[roles->count];
    roles->tensor[i] = roles->tensor[roles->count];
}

// Queries come from x itself unless they have an input of their own; what is added to the output is
// what they come from, unless a norm has kept what it read. Feed-forward reads what a norm made for
// it, and else the output of attention; beside attention it reads what that reads.
static int tensor_for(const Roles *roles, const char *role)
{
    int tensor = role_find(roles, role);
    if (tensor < 0 && strcmp(role, "residual") == 0)
        return tensor_for(roles, "x_query");
    if (tensor < 0 && strcmp(role, "feed") == 0)
        return role_find(roles, roles->parallel ? "x" : "output");
    return tensor < 0 && strcmp(role, "x_query") == 0 ? role_find(roles, "x") : tensor;
}

bool trace_is_read(const Trace *trace, int tensor)
{
    for (int step = 0; step < trace->step_count; step++)
        for (int slot = 0; slot < STAGE_READS_MAX; slot++)
            if (trace->steps[step].reads[slot] == tensor)
                return true;
    return false;
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
    case STAGE_WITH_ROLLOUT:
        return scenario->size[SYMBOL_LQ] == scenario->size[SYMBOL_LK];
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
    bool is_x = axes && (strcmp(axes, "B Lq Dq") == 0 || strcmp(axes, "B Lt Din") == 0);
    return is_x && !scenario_tensor(trace->scenario, "x_query") ? "B L Din"
                                                                : trace_stored_axes(trace, axes);
}

// What feed-forward reads is what its residual adds, unless a norm has kept what was there before.
static void keep_residual(Roles *roles, const StageCall *call, const TraceStep *step)
{
    if (strcmp(call->reads[0].role, "feed") == 0 && role_find(roles, "feed") < 0)
        role_play(roles, "residual", roles->parallel ? role_find(roles, "output") : step->reads[0]);
}

static void bind_reads(Trace *trace, const Roles *roles, const StageCall *call, TraceStep *step)
{
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        step->reads[slot] = -1;
    for (int slot = 0; call->reads[slot].role; slot++)
        step->reads[slot] = tensor_for(roles, call->reads[slot].role);

    // A text that goes on has no padding, and its tokens are not all keys.
    for (int slot = 0; call->reads[slot].role && trace->scenario->options.cached > 0; slot++)
        if (strcmp(call->reads[slot].role, "key_padding_mask") == 0)
            step->reads[slot] = -1;

    // An input is drawn with the axes of the first slot that reads it.
    for (int slot = 0; call->reads[slot].role; slot++)
        if (step->reads[slot] >= 0 && !trace->tensors[step->reads[slot]].axes)
            trace->tensors[step->reads[slot]].axes = input_axes(trace, call->reads[slot].axes);
}

const char *trace_name_in_layer(Trace *trace, const char *name, int layer, Error *err)
{
    return layer == 0 ? name
                      : arena_format(&trace->arena, err, SCENARIO_LAYER_NAME, layer + 1, name);
}

static bool bind_writes(Trace *trace, Roles *roles, const StageCall *call, TraceStep *step,
                        Error *err)
{
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        step->writes[slot] = -1;
    for (int slot = 0; call->writes[slot].role; slot++) {
        assert(trace->tensor_count < trace_tensor_room(trace));
        int number = trace->tensor_count++;
        trace->tensors[number] = (TraceTensor){
            .name = trace_name_in_layer(trace, call->writes[slot].tensor, step->layer, err),
            .axes = trace_stored_axes(trace, call->writes[slot].axes),
            .step = trace->step_count,
            .slot = slot,
            .layer = step->layer,
        };
        if (!trace->tensors[number].name)
            return false;
        step->writes[slot] = number;
        role_play(roles, call->writes[slot].role, number);
    }
    return true;
}

// Where a stage stands in the pipeline, and in which layer that is.
typedef struct Place {
    const Stage *stage;
    int turn, layer;
    bool in_layer;
} Place;

// The one loss of a scenario is that of the first call that fits.
static bool is_made(const Trace *trace, const Roles *roles, Place place, const StageCall *call)
{
    int made = role_find(roles, call->writes[place.stage->main_output].role);
    if (made < 0 || trace->tensors[made].step < 0 || call->label)
        return false;
    const TraceStep *maker = &trace->steps[trace->tensors[made].step];
    return maker->stage == place.stage && maker->call->turn == place.turn &&
           maker->layer == place.layer;
}

static bool add_calls(Trace *trace, Roles *roles, Place place, Error *err)
{
    const Stage *stage = place.stage;
    if (!is_wanted(trace->scenario, stage->use) ||
        !stage_is_needed(stage, &trace->scenario->options))
        return true;
    for (const StageCall *call = stage->calls; call->reads[0].role; call++) {
        if (call->turn != place.turn || !has_inputs(roles, call) ||
            is_given(trace->scenario, call) || is_made(trace, roles, place, call))
            continue;
        assert(trace->step_count < trace_step_room(trace));
        TraceStep *step = &trace->steps[trace->step_count];
        *step = (TraceStep){
            .stage = stage, .call = call, .layer = place.layer, .in_layer = place.in_layer};
        bind_reads(trace, roles, call, step);
        keep_residual(roles, call, step);
        if (!bind_writes(trace, roles, call, step, err))
            return false;
        trace->step_count++;
    }
    return true;
}

const Stage *trace_stand_in(const Trace *trace, const Stage *stage)
{
    for (const Stage *const *other = trace->variant.stages; other && *other; other++)
        if (strcmp((*other)->name, stage->name) == 0)
            return *other;
    return stage;
}

// The places of the forward pass in their order, except that a scenario may put mask before scale. How
// many there are.
static int ordered_places(const Trace *trace, StagePlace order[PLACES_MAX])
{
    int count = 0, scale = -1, mask = -1;
    for (const StagePlace *at; (at = stage_place(count)) && !stage_is_backward(at->stage);
         count++) {
        assert(count < PLACES_MAX);
        order[count] = (StagePlace){trace_stand_in(trace, at->stage), at->in_layer};
        scale = strcmp(at->stage->name, "scale") == 0 ? count : scale;
        mask = strcmp(at->stage->name, "mask") == 0 ? count : mask;
    }
    if (trace->scenario->mask_before_scale && scale >= 0 && mask > scale) {
        StagePlace late = order[scale];
        order[scale] = order[mask];
        order[mask] = late;
    }
    return count;
}

static int turn_of(const StagePlace order[], int number)
{
    int turn = 0;
    for (int before = 0; before < number; before++)
        turn += order[before].stage == order[number].stage;
    return turn;
}

static Place place_at(const StagePlace order[], int number, int layer)
{
    return (Place){order[number].stage, turn_of(order, number), layer, order[number].in_layer};
}

// Where no positions are added, what embed makes is x itself.
static void name_x(Trace *trace, const Roles *roles)
{
    int x = role_find(roles, "x");
    if (x >= 0 && strcmp(trace->tensors[x].name, "embeddings") == 0)
        trace->tensors[x].name = "x";
}

static int layer_count(const Scenario *scenario)
{
    return scenario->layers > 1 ? scenario->layers : 1;
}

int trace_step_room(const Trace *trace)
{
    return layer_count(trace->scenario) > 1 ? TRACE_STEPS_MAX : TRACE_LAYER_STEPS_MAX;
}

int trace_tensor_room(const Trace *trace)
{
    return layer_count(trace->scenario) > 1 ? TRACE_TENSORS_MAX : TRACE_LAYER_TENSORS_MAX;
}

static bool take_room(Trace *trace, Error *err)
{
    trace->steps =
        arena_take(&trace->arena, (size_t)trace_step_room(trace), sizeof *trace->steps, err);
    if (trace->steps)
        trace->tensors = arena_take(&trace->arena, (size_t)trace_tensor_room(trace),
                                    sizeof *trace->tensors, err);
    return trace->steps && trace->tensors;
}

// What the scenario gives for a layer; inputs come with the first one.
static void give_layer(Trace *trace, Roles *roles, int layer)
{
    for (int i = 0; i < trace->scenario->tensor_count; i++) {
        const ScenarioTensor *given = &trace->scenario->tensors[i];
        if (given->layer != layer)
            continue;
        int number = trace_find(trace, given->name);
        if (number < 0) {
            assert(trace->tensor_count < trace_tensor_room(trace));
            number = trace->tensor_count++;
            trace->tensors[number] = (TraceTensor){.name = given->name,
                                                   .tensor = given->tensor,
                                                   .step = -1,
                                                   .layer = layer,
                                                   .from = given->from};
        }
        if (*given->role)
            role_play(roles, given->role, number);
    }
}

// Each layer goes over what the one before it has made.
static bool plan_layers(Trace *trace, Roles *roles, const StagePlace order[], int first, int end,
                        Error *err)
{
    for (int layer = 0; layer < layer_count(trace->scenario); layer++) {
        if (layer > 0) {
            role_forget(roles, "patch.values");
            role_forget(roles, "patch.heads");
            give_layer(trace, roles, layer);
            role_play(roles, "x", role_find(roles, "output"));
            role_forget(roles, "residual");
            role_forget(roles, "feed");
        }
        for (int i = first; i < end; i++)
            if (!add_calls(trace, roles, place_at(order, i, layer), err))
                return false;
        if (layer == 0)
            name_x(trace, roles);
    }
    return true;
}

// The steps of the layers are there for what they lead to: all but the last are read by a later one.
static bool all_is_read(const Trace *trace, int end, Error *err)
{
    for (int step = 0; step < end - 1; step++) {
        int made = trace->steps[step].writes[trace->steps[step].stage->main_output];
        if (!trace_is_read(trace, made)) {
            char name[64];
            return error_set(err, TELL(PLAN_UNREAD), trace_step_name(trace, step, name),
                             trace->tensors[made].name);
        }
    }
    return true;
}

bool trace_plan(Trace *trace, Error *err)
{
    if (!take_room(trace, err))
        return false;
    Roles roles = {.parallel = trace->scenario->options.parallel};
    StagePlace order[PLACES_MAX];
    int count = ordered_places(trace, order), first = 0, end = count;
    while (first < count && !order[first].in_layer)
        first++;
    while (end > first && !order[end - 1].in_layer)
        end--;
    give_layer(trace, &roles, 0);
    for (int i = 0; i < first; i++)
        if (!add_calls(trace, &roles, place_at(order, i, 0), err))
            return false;
    if (!plan_layers(trace, &roles, order, first, end, err))
        return false;
    int layers_end = trace->step_count;
    for (int i = end; i < count; i++)
        if (!add_calls(trace, &roles, place_at(order, i, 0), err))
            return false;
    return trace->variant.stages || all_is_read(trace, layers_end, err);
}

static bool is_given_in_vain(const Trace *trace, const ScenarioTensor *given)
{
    return *given->role && !trace_is_read(trace, trace_find(trace, given->name));
}

bool trace_uses(const Scenario *scenario, TraceUses *uses, Error *err)
{
    Trace trace = {.scenario = scenario};
    bool planned = trace_plan(&trace, err);
    *uses = (TraceUses){.unread = NULL};
    for (int step = 0; planned && step < trace.step_count; step++)
        uses->options |= trace.steps[step].stage->options;
    for (int i = 0; planned && i < scenario->tensor_count; i++)
        if (is_given_in_vain(&trace, &scenario->tensors[i]))
            uses->unread = scenario->tensors[i].name;
    arena_finish(&trace.arena);
    return planned;
}
