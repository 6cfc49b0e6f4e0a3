// Plans which stages run, forward and backward, and wires their slots to tensors.
//
// A role names the newest tensor with that role. The plan walks down the pipeline, remembers the newest tensor
// of each role, and binds every slot that it passes.
#include "trace_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "trace_program.h"
#include "trace_words.def"

enum { ROLES_MAX = 128, PLACES_MAX = 96 };

typedef struct Roles {
    const char *role[ROLES_MAX];
    int tensor[ROLES_MAX];
    int count;
    bool parallel; // feed-forward runs beside attention
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

// Queries come from x, unless they have their own input. The residual adds the source of the queries, unless a
// norm has kept its input. Feed-forward reads the output of its norm, or else the output of attention. A
// feed-forward beside attention reads the source of the queries.
static int tensor_for(const Roles *roles, const char *role)
{
    int tensor = role_find(roles, role);
    if (tensor < 0 && strcmp(role, "residual") == 0)
        return tensor_for(roles, "x_query");
    if (tensor < 0 && strcmp(role, "feed") == 0)
        return roles->parallel ? tensor_for(roles, "x_query") : role_find(roles, "output");
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

// A scenario may bring q, k and v, which then need no projection. So the plan leaves out a call that writes a
// given role without reading it.
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

static void bind_reads(Trace *trace, const Roles *roles, const StageCall *call, TraceStep *step)
{
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        step->reads[slot] = -1;
    for (int slot = 0; call->reads[slot].role; slot++)
        step->reads[slot] = tensor_for(roles, call->reads[slot].role);

    // A continued text has no padding. Its tokens are only some of the keys.
    for (int slot = 0; call->reads[slot].role && trace->scenario->options.cached > 0; slot++)
        if (strcmp(call->reads[slot].role, "key_padding_mask") == 0)
            step->reads[slot] = -1;

    // An input has the axes of the first slot that reads it. In self-attention x is one tensor of length L, read by
    // queries and keys.
    bool is_self = !scenario_tensor(trace->scenario, "x_query");
    for (int slot = 0; call->reads[slot].role; slot++) {
        const char *axes = call->reads[slot].axes;
        bool is_x = axes && (strcmp(axes, "B Lq Dq") == 0 || strcmp(axes, "B Lt Din") == 0);
        if (step->reads[slot] >= 0 && !trace->tensors[step->reads[slot]].axes)
            trace->tensors[step->reads[slot]].axes =
                is_x && is_self ? "B L Din" : trace_stored_axes(trace, axes);
    }
}

static int layer_count(const Scenario *scenario)
{
    return scenario->layers > 1 ? scenario->layers : 1;
}

// The memory for steps and tensors.
static int trace_step_room(const Trace *trace)
{
    return TRACE_AROUND_STEPS_MAX + layer_count(trace->scenario) * TRACE_LAYER_STEPS_MAX;
}

static int trace_tensor_room(const Trace *trace)
{
    return TRACE_AROUND_TENSORS_MAX + layer_count(trace->scenario) * TRACE_LAYER_TENSORS_MAX;
}

// The name of a tensor or step that every layer has. Layers after the first add their number, in memory of the
// trace. Returns NULL out of memory.
static const char *trace_name_in_layer(Trace *trace, const char *name, int layer, Error *err)
{
    return layer == 0 ? name : arena_format(&trace->arena, err, SCENARIO_LAYER_NAME, layer, name);
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

// The place of a stage in the pipeline, and the stage's layer.
typedef struct Place {
    const Stage *stage;
    int turn, layer;
    bool in_layer;
} Place;

// The loss of a scenario is the first call that fits.
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
        // The residual of feed-forward adds its input, unless a norm has kept its own.
        if (strcmp(call->reads[0].role, "feed") == 0 && role_find(roles, "feed") < 0)
            role_play(roles, "residual",
                      roles->parallel ? role_find(roles, "output") : step->reads[0]);
        if (!bind_writes(trace, roles, call, step, err))
            return false;
        trace->step_count++;
    }
    return true;
}

// The stage that the trace's variant runs instead. Usually it is the same one.
static const Stage *trace_stand_in(const Trace *trace, const Stage *stage)
{
    for (const Stage *const *other = trace->variant.stages; other && *other; other++)
        if (strcmp((*other)->name, stage->name) == 0)
            return *other;
    return stage;
}

// Lists the places of the forward pass in order. A scenario may put mask before scale. Returns their number.
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

static Place place_at(const StagePlace order[], int number, int layer)
{
    Place place = {
        .stage = order[number].stage, .layer = layer, .in_layer = order[number].in_layer};
    for (int before = 0; before < number; before++)
        place.turn += order[before].stage == order[number].stage;
    return place;
}

// Most of the room stays untouched.
static bool take_room(Trace *trace, Error *err)
{
    trace->steps =
        arena_take_unset(&trace->arena, (size_t)trace_step_room(trace), sizeof *trace->steps, err);
    if (trace->steps)
        trace->tensors = arena_take_unset(&trace->arena, (size_t)trace_tensor_room(trace),
                                          sizeof *trace->tensors, err);
    return trace->steps && trace->tensors;
}

// The scenario's tensors for a layer. Inputs belong to the first layer.
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

// Each layer reads the output of the previous one.
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
        int x = role_find(roles, "x");
        if (layer == 0 && x >= 0 && strcmp(trace->tensors[x].name, "embeddings") == 0)
            trace->tensors[x].name = "x"; // without added positions, embed makes it
    }
    return true;
}

// Checks that a later step reads every step except the last. Otherwise a layer would be useless.
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

// Takes trace->steps and trace->tensors from the trace's arena, and fills them with the forward pass of the
// scenario. Runs no step. Returns false out of memory; the caller frees the arena.
static bool trace_plan(Trace *trace, Error *err)
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

bool trace_uses(const Scenario *scenario, TraceUses *uses, Error *err)
{
    Trace trace = {.scenario = scenario};
    bool planned = trace_plan(&trace, err);
    *uses = (TraceUses){.unread = NULL};
    for (int step = 0; planned && step < trace.step_count; step++)
        uses->options |= trace.steps[step].stage->options;
    for (int i = 0; planned && i < scenario->tensor_count; i++)
        if (*scenario->tensors[i].role &&
            !trace_is_read(&trace, trace_find(&trace, scenario->tensors[i].name)))
            uses->unread = scenario->tensors[i].name;
    arena_finish(&trace.arena);
    return planned;
}

// --- the backward pass
//
// Plans the backward pass after the forward pass.
//
// The plan walks from the last step to the first. For each step, it wires the calls of the backward stages that
// name it (stage.h, StageCall) to the tensors that the step reads and writes, and to the gradients so far. A
// gradient has the name of its tensor: "grad.q" is the gradient of "q". A tensor with several readers gets a
// gradient from each, such as "grad.x.q" and "grad.x.k". After the second and every further one, a step adds
// them up. The last sum is "grad.x".

// The gradients so far, by the number of the tensor to which they belong.
typedef struct Tape {
    Trace *trace;
    int forward;                           // the step whose way back is being planned
    int gradient[TRACE_TENSORS_MAX];       // -1: none yet
    const char *places[TRACE_TENSORS_MAX]; // its origin: "q", "q+k"
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

// The tensor that an earlier step wrote last. -1 if there is none.
static int written_before(const Trace *trace, int forward, const char *role)
{
    int written = -1;
    for (int before = forward - 1; written < 0 && before >= 0; before--)
        written = find_slot(trace->steps[before].call->writes, trace->steps[before].writes, role);
    return written;
}

// The tensor to which a gradient belongs: an input of the step, or else an intermediate output, or else an output
// of an earlier step. (A loss that includes prediction goes back to the logits.) -1 if there is none.
static int target(const Trace *trace, int forward, const char *role)
{
    const TraceStep *step = &trace->steps[forward];
    int read = find_slot(step->call->reads, step->reads, role);
    int written = find_slot(step->call->writes, step->writes, role);
    return read >= 0 ? read : written >= 0 ? written : written_before(trace, forward, role);
}

// The output of another backward step of the same forward step: softmax's row sums.
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

static int read_tensor(const Tape *tape, const Slot *slot)
{
    const char *of = after_prefix(slot->role);
    const char *role = of ? of : slot->role;
    const TraceStep *step = &tape->trace->steps[tape->forward];
    int read = find_slot(step->call->reads, step->reads, role);
    int written = find_slot(step->call->writes, step->writes, role);
    int tensor = written >= 0 && !slot->from_before ? written : read;
    if (tensor >= 0 || of)
        return of && tensor >= 0 ? tape->gradient[tensor] : tensor;
    return slot->from_before ? written_before(tape->trace, tape->forward, slot->role)
                             : made_beside(tape, slot->role);
}

// Whether a backward call is for a step's label: the same one, or for a step without a label one that no other
// call of its stage has ("out" of output_projection).
static bool is_labelled_alike(const TraceStep *step, const StageCall *call)
{
    const char *label = step->call->label;
    if (label)
        return call->label && strcmp(label, call->label) == 0;
    for (const StageCall *other = step->stage->calls; call->label && other->reads[0].role; other++)
        if (other->label && strcmp(other->label, call->label) == 0)
            return false;
    return true;
}

static bool applies(const Tape *tape, const StageCall *call)
{
    const TraceStep *step = &tape->trace->steps[tape->forward];
    if (strcmp(call->of, step->stage->name) != 0 || !is_labelled_alike(step, call))
        return false;
    for (const Slot *slot = call->reads; slot->role; slot++)
        if (!slot->optional && read_tensor(tape, slot) < 0)
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

// A gradient has the axes that its slot declares. Panels draw those of its tensor.
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

// Adds a new gradient of a tensor.
static bool add_gradient(Tape *tape, int tensor, int gradient, const StageCall *call,
                         const Slot *slot, Error *err)
{
    const char *place = slot->place   ? slot->place
                        : call->label ? call->label
                                      : after_prefix(slot->role);
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
        reads[i] = read_tensor(tape, &call->reads[i]);
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
            if (strcmp(call->of, stage->back_from ? stage->back_from : stage->name) == 0)
                return true;
    return false;
}

// A mistake in a stage of the forward pass computes something else, which has another gradient. Mistakes of the
// backward pass have no step yet.
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

// Adds the steps of the backward pass after those of the forward pass. Returns false if a stage runs that is not
// the pipeline's own, because its gradient is unknown.
static bool trace_plan_backward(Trace *trace, Error *err)
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

// --- the whole plan, with formulas in place of the steps' own

static bool plan_formulas(Trace *trace, Error *err)
{
    for (int i = 0; i < trace->scenario->formula_count; i++) {
        const ScenarioFormula *formula = &trace->scenario->formulas[i];
        int step = trace_formula_step(trace, formula->text, err);
        if (step < 0)
            return error_prefix(err, "%s", formula->place);
        const Stage *stage = trace->steps[step].stage;
        const TraceVariant *variant = &trace->variant;
        bool is_learners =
            variant->run && (!variant->takes || variant->takes(variant->context, stage));
        if (is_learners || stage != stage_find(stage->name)) {
            error_set(err, is_learners ? TELL(FORMULA_OF_FUNCTION) : TELL(FORMULA_OF_MISTAKE),
                      stage->name);
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
