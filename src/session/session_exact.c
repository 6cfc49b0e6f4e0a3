// session_exact: the tensor looked at in float64, while its errors are shown. A step is computed when it
// is looked at, not with every key; after a change all of it is computed again from the inputs on.
#include "session_actions.h"

void session_forget_exact(Session *session)
{
    trace_exact_close(&session->exact.alone);
    trace_exact_close(&session->exact.since);
    session->exact = (SessionExact){.known = false, .tensor = -1, .step = -1};
}

// Runs what is missing up to `step`.
static bool reach(SessionExact *exact, const Trace *trace, int step)
{
    if (!exact->since.trace && !trace_exact_open(&exact->since, trace, &exact->why))
        return false;
    while (exact->since.wide.steps_done <= step)
        if (!trace_exact_step(&exact->since, &exact->why))
            return false;
    if (exact->step == step)
        return true;
    trace_exact_close(&exact->alone);
    exact->step = -1;
    if (!trace_exact_alone(&exact->alone, trace, step, &exact->why))
        return false;
    exact->step = step;
    return true;
}

void session_measure_exact(Session *session)
{
    SessionExact *exact = &session->exact;
    const Trace *trace = &session->run.trace;
    int tensor = session->cursor.tensor, step = session_tensor(session)->step;
    bool is_wanted = session->look.detail == DETAIL_EXACT && session_has_values(session);
    if (!is_wanted || exact->run != session->run.number)
        session_forget_exact(session);
    exact->known = false;
    exact->run = session->run.number;
    if (!is_wanted || step < 0 || !reach(exact, trace, step))
        return;
    exact->known = trace_exact_has(&exact->alone, tensor) && trace_exact_has(&exact->since, tensor);
    if (exact->known && exact->tensor != tensor) {
        exact->error_alone = trace_exact_error(&exact->alone, tensor);
        exact->error_since = trace_exact_error(&exact->since, tensor);
        exact->tensor = tensor;
    }
}
