// trace: opens and closes a run of a scenario, and hands its tensors to the stages; see trace.h.
#include "arena.h"
#include "trace_internal.h"
#include "trace_words.def"

bool trace_open(Trace *trace, const Scenario *scenario, Error *err)
{
    return trace_open_variant(trace, scenario, NULL, err);
}

static bool check_room(const Trace *trace, Error *err)
{
    const Scenario *scenario = trace->scenario;
    size_t bytes = trace_bytes(trace), room = room_in_memory();
    char need[ROOM_TEXT_MAX], have[ROOM_TEXT_MAX];
    if (bytes == SIZE_MAX)
        return error_set(err, TELL(TRACE_LARGE), scenario->name);
    if (scenario->spill && !room_in_folder(scenario->spill, &room, err))
        return false;
    room_text(bytes, need);
    room_text(room, have);
    if (bytes > room && scenario->spill)
        return error_set(err, TELL(TRACE_DISK), scenario->name, need, scenario->spill, have);
    if (bytes > room)
        return error_set(err, TELL(TRACE_ROOM), scenario->name, need, have);
    return true;
}

// Of a trace that is closed: whoever still looks at it sees nothing.
static union {
    TraceStep steps[TRACE_STEPS_MAX];
    TraceTensor tensors[TRACE_TENSORS_MAX];
} nothing;

// No function of a learner's is a formula.
static bool check_formulas(const Trace *trace, Error *err)
{
    const Scenario *scenario = trace->scenario;
    return scenario->formula_count == 0 || !trace->variant.run ||
           error_set(err, TELL(FORMULA_FUNCTIONS), scenario->name);
}

bool trace_open_variant(Trace *trace, const Scenario *scenario, const TraceVariant *variant,
                        Error *err)
{
    *trace = (Trace){.scenario = scenario, .kernel = kernel_choose()};
    if (variant)
        trace->variant = *variant;
    if (trace->variant.run)
        trace->kernel = NULL;
    if (!check_formulas(trace, err) || !trace_plan_all(trace, err)) {
        trace_close(trace);
        return false;
    }
    team_init(&trace->team, scenario->threads);
    trace_plan_groups(trace);
    trace_plan_stretches(trace);

    trace->arena.folder = scenario->spill; // of the numbers, not of what is planned
    if (check_room(trace, err))
        return true;
    trace_close(trace);
    return false;
}

void trace_close(Trace *trace)
{
    team_finish(&trace->team);
    arena_finish(&trace->scratch);
    arena_finish(&trace->arena);
    *trace = (Trace){.steps = nothing.steps, .tensors = nothing.tensors};
}
