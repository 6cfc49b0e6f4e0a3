// The run being stepped through: planned, started, replaced, closed. See session_actions.h.
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "session_actions.h"

// --- planned, started, closed

void session_close_run(Session *session)
{
    comparison_close(session);
    explanation_finish(&session->origin.explanation);
    session_forget_exact(session);
    trace_close(&session->run.trace);
}

// Plans a run that can replace the session's.
static bool session_plan_run(const Session *session, const Scenario *scenario, Trace *planned,
                             Error *err)
{
    const LearnerStages *learner = session->learner.functions;
    if (trace_open_variant(planned, scenario, learner ? &learner->variant : NULL, err))
        return true;
    trace_close(planned);
    return false;
}

// Starts a planned run, and forgets what was derived from the last one.
static void session_start_run(Session *session, const Trace *planned)
{
    session->run = (SessionRun){.trace = *planned, .number = session->run.number + 1};
    session->origin = (SessionOrigin){.known = false};
    session->statistics.measured = false;
    session->code.step = -1;
    assert(session->run.trace.step_count > 0);
    session->cursor.tensor = session_main_output(session, 0);
    session_run_to(session, 0);
    session_open_code(session);
}

bool session_restart(Session *session, const Scenario *scenario, Error *err)
{
    Trace planned;
    if (!session_plan_run(session, scenario, &planned, err))
        return false;
    session_close_run(session);
    what_if_finish(&session->what_if);
    session->cursor = (SessionCursor){.step = 0};
    session->look = (SessionLook){.notation = session->lecture ? NUMBER_DECIMALS : NUMBER_PRINTED};
    session->breaks = (SessionBreaks){.last = 0};
    session->help = (SessionHelp){.open = false};
    session->play.on = session->began = session->quit = false;
    session->message = (Error){.text = ""};
    session_start_run(session, &planned);
    picture_follow(session, COMMAND_FIRST);
    return true;
}

// --- breakpoints while the pipeline is replanned

// The tensor's shape only; it may not be computed yet.
static Tensor planned_tensor(const Trace *trace, int tensor)
{
    Tensor planned = {.storage.bytes = NULL};
    planned.rank = trace_shape(trace, tensor, planned.shape);
    return planned;
}

static void session_keep_breaks(const Session *session, KeptBreak kept[SESSION_BREAKS_MAX])
{
    const Trace *trace = &session->run.trace;
    for (int i = 0; i < SESSION_BREAKS_MAX; i++) {
        KeptBreak *keep = &kept[i];
        *keep = (KeptBreak){.point = session->breaks.points[i]};
        const Breakpoint *point = &keep->point;
        if (point->number == 0)
            continue;
        trace_step_name(trace, point->step, keep->step);
        if (point->tensor < 0)
            continue;
        snprintf(keep->tensor, sizeof keep->tensor, "%s", trace->tensors[point->tensor].name);
        Tensor planned = planned_tensor(trace, point->tensor);
        keep->rank = planned.rank;
        if (point->element >= 0)
            tensor_unravel(&planned, point->element, keep->at);
    }
}

// Finds the same element, if it was one, in the tensor of that name. False if there is none.
static bool find_element(const Trace *trace, KeptBreak *keep)
{
    Breakpoint *point = &keep->point;
    point->tensor = trace_find(trace, keep->tensor);
    if (point->tensor < 0)
        return false;
    point->step = trace->tensors[point->tensor].step;
    Tensor planned = planned_tensor(trace, point->tensor);
    for (int axis = 0; point->element >= 0 && axis < planned.rank; axis++)
        if (planned.rank != keep->rank || keep->at[axis] >= planned.shape[axis])
            return false;
    if (point->element >= 0)
        point->element = tensor_ravel(&planned, keep->at);
    return point->step >= 0;
}

// Sets the breakpoints whose step, tensor and element exist in the session's trace. Returns how many do not.
static int session_put_breaks(Session *session, KeptBreak kept[SESSION_BREAKS_MAX])
{
    int lost = 0, count = 0;
    for (int i = 0; i < SESSION_BREAKS_MAX; i++) {
        KeptBreak *keep = &kept[i];
        if (keep->point.number == 0)
            continue;
        bool is_step = keep->tensor[0] == '\0';
        if (is_step)
            keep->point.step = trace_find_step(&session->run.trace, keep->step);
        if (is_step ? keep->point.step >= 0 : find_element(&session->run.trace, keep))
            session->breaks.points[count++] = keep->point;
        else
            lost++;
    }
    return lost;
}

bool session_has_layers(const Session *session)
{
    return session->run.trace.scenario && session->run.trace.scenario->layers > 1;
}

// --- another pipeline replaces the run
//
// The position stays. Steps and tensors may have other numbers in the new pipeline, but mostly the same names.

typedef struct Place {
    int step; // in the new pipeline
    char tensor[64];
    int rank;
    SessionView view;
} Place;

// The step of `now` with the stage and call of a step of `was`; if it is gone, of the nearest one before it.
static int same_step(const Trace *now, const Trace *was, int number)
{
    for (; number >= 0; number--)
        for (int step = 0; step < now->step_count; step++)
            if (now->steps[step].stage == was->steps[number].stage &&
                now->steps[step].call == was->steps[number].call)
                return step;
    return 0;
}

static Place place_now(const Session *session, const Trace *planned)
{
    const TraceTensor *looked = session_tensor(session);
    Place place = {.step = same_step(planned, &session->run.trace, session->cursor.step),
                   .rank = looked->tensor.rank,
                   .view = *session_view(session)};
    snprintf(place.tensor, sizeof place.tensor, "%s", looked->name);
    return place;
}

// Shows the same element, laid out as before, or the nearest one.
static void look_the_same_way(Session *session, int number, const Place *place)
{
    const Tensor *tensor = &session->run.trace.tensors[number].tensor;
    session_look_at(session, number);
    if (!tensor->storage.bytes || tensor->rank != place->rank || !place->view.opened)
        return;
    SessionView *view = &session->cursor.views[number];
    *view = place->view;
    for (int axis = 0; axis < tensor->rank; axis++)
        session_view_move(view, tensor, axis, 0);
}

static void stand_at(Session *session, const Place *place)
{
    int tensors[SESSION_TENSORS_MAX];
    session_run_to(session, place->step);
    int count = session_tensors(session, session->cursor.step, tensors);
    for (int i = 0; i < count; i++)
        if (strcmp(session->run.trace.tensors[tensors[i]].name, place->tensor) == 0)
            look_the_same_way(session, tensors[i], place);
}

bool session_replan(Session *session, const Scenario *scenario, int *breaks_lost, Error *err)
{
    Trace planned;
    KeptBreak breaks[SESSION_BREAKS_MAX];
    if (!session_plan_run(session, scenario, &planned, err))
        return false;
    Place place = place_now(session, &planned);
    int done = session->run.trace.steps_done;
    int reached = same_step(&planned, &session->run.trace, done - 1);
    session_keep_breaks(session, breaks);
    session_close_run(session);
    session->cursor = (SessionCursor){.depth = session->cursor.depth};
    session->breaks = (SessionBreaks){.last = session->breaks.last};
    session_start_run(session, &planned);
    *breaks_lost = session_put_breaks(session, breaks);
    if (done > 0)
        session_run_to(session, reached);
    stand_at(session, &place);
    return true;
}
