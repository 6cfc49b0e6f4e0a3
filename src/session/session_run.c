// session_run: the run that is stepped through, planned, started and given back; see session_actions.h.
#include "session_actions.h"

#include <assert.h>
#include "picture_parts.h"

void session_close_run(Session *session)
{
    comparison_close(session);
    explanation_finish(&session->origin.explanation);
    session_forget_exact(session);
    trace_close(&session->run.trace);
}

bool session_plan_run(const Session *session, const Scenario *scenario, Trace *planned, Error *err)
{
    const LearnerStages *mine = session->mine.functions;
    if (trace_open_way(planned, scenario, mine ? &mine->way : NULL, err))
        return true;
    trace_close(planned);
    return false;
}

// What was worked out from the numbers of the last run goes with it.
void session_start_run(Session *session, const Trace *planned)
{
    session->run = (SessionRun){.trace = *planned, .number = session->run.number + 1};
    session->origin = (SessionOrigin){.known = false};
    session->statistics.measured = false;
    session->code.step = -1;
    assert(session->run.trace.step_count > 0);
    session->cursor.tensor = session_main_output(session, 0);
    session_reach(session, 0);
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
