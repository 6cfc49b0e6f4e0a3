// session_reach: a step is computed when somebody arrives there; see session_actions.h.
#include "session_actions.h"

static void show(Session *session, int step)
{
    session->cursor.step = step;
    session_look_at(session, session_main_output(session, step));
}

void session_reach(Session *session, int step)
{
    Trace *trace = &session->run.trace;
    session->run.failed = false;
    if (step == trace->step_count - 1) // all of them: that is faster than one by one
        session->run.failed = !trace_run(trace, &session->run.failure);
    while (trace->steps_done <= step && !session->run.failed)
        session->run.failed = !trace_step(trace, &session->run.failure);
    show(session, session->run.failed ? trace->steps_done : step);
}
