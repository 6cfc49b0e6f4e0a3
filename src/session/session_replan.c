// session_replan: another pipeline takes the place of the run, and the person stands where they stood;
// see session_actions.h. Steps and tensors have other numbers in it, but mostly the same names.
#include "session_actions.h"

#include <stdio.h>
#include <string.h>
#include "session_view.h"

typedef struct Place {
    TraceStep step;
    char tensor[64];
    int rank;
    SessionView view;
} Place;

static Place place_now(const Session *session)
{
    const TraceTensor *looked = session_tensor(session);
    Place place = {.step = session->run.trace.steps[session->cursor.step],
                   .rank = looked->tensor.rank,
                   .view = *session_view(session)};
    snprintf(place.tensor, sizeof place.tensor, "%s", looked->name);
    return place;
}

// The step with this stage and label, else the last one that is left.
static int same_step(const Trace *trace, const TraceStep *was)
{
    for (int step = 0; step < trace->step_count; step++)
        if (trace->steps[step].stage == was->stage && trace->steps[step].call == was->call)
            return step;
    return trace->step_count - 1;
}

// The same element, laid out as before, or the nearest one there is.
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
    session_reach(session, same_step(&session->run.trace, &place->step));
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
    Place place = place_now(session);
    int steps = session->run.trace.step_count, done = session->run.trace.steps_done;
    session_keep_breaks(session, breaks);
    session_close_run(session);
    session->cursor = (SessionCursor){.depth = session->cursor.depth};
    session->breaks = (SessionBreaks){.last = session->breaks.last};
    session_start_run(session, &planned);
    *breaks_lost = session_put_breaks(session, breaks);
    if (session->run.trace.step_count == steps && done > 0)
        session_reach(session, done - 1); // the same steps, one by another formula
    stand_at(session, &place);
    return true;
}
