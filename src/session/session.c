// session: the state of the stepper and the one function that changes it; see session.h.
#include "session.h"

#include <assert.h>
#include "session_actions.h"

// --- what panels ask

int session_tensors(const Session *session, int step, int tensors[SESSION_TENSORS_MAX])
{
    const TraceStep *wiring = &session->trace.steps[step];
    int count = 0;
    for (int slot = 0; slot < STAGE_READS_MAX && wiring->call->reads[slot].role; slot++)
        if (wiring->reads[slot] >= 0)
            tensors[count++] = wiring->reads[slot];
    for (int slot = 0; slot < STAGE_WRITES_MAX && wiring->call->writes[slot].role; slot++)
        if (wiring->writes[slot] >= 0)
            tensors[count++] = wiring->writes[slot];
    return count;
}

int session_main_output(const Session *session, int step)
{
    const TraceStep *wiring = &session->trace.steps[step];
    return wiring->writes[wiring->stage->main_output];
}

const TraceTensor *session_tensor(const Session *session)
{
    return &session->trace.tensors[session->tensor];
}

const SessionView *session_view(const Session *session)
{
    return &session->views[session->tensor];
}

bool session_axis_is_picked(const Session *session, int axis)
{
    const SessionView *view = session_view(session);
    return axis != view->row_axis && axis != view->column_axis;
}

bool session_has_values(const Session *session)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    return tensor->storage.bytes && tensor_count(tensor) > 0;
}

// --- commands

static SessionAction *const actions[COMMAND_COUNT] = {
#define COMMAND(name, action, word, argument, keys, label, help) \
    [COMMAND_##name] = session_##action,
#include "commands.def"
#undef COMMAND
};

bool session_apply(Session *session, const Command *command, Error *err)
{
    bool reports = command->kind == COMMAND_ROOM; // a screen's report says nothing to the person
    if (!reports)
        session->message = (Error){0};
    bool good = actions[command->kind](session, command, err);
    if (!good)
        session->message = *err;
    session_explain(session);
    session_measure(session);
    session_open_code(session);
    session->revision++;
    return good;
}

// --- life cycle

bool session_open(Session *session, const Scenario *scenario, Error *err)
{
    *session =
        (Session){.revision = 1, .room_rows = 1, .room_columns = 1, .rate = 1, .code_step = -1};
    if (!trace_open(&session->trace, scenario, err)) {
        trace_close(&session->trace);
        return false;
    }
    assert(session->trace.step_count > 0);
    session->tensor = session_main_output(session, 0);
    session_reach(session, 0);
    session_open_code(session);
    return true;
}

void session_close(Session *session)
{
    explanation_finish(&session->explanation);
    trace_close(&session->trace);
    *session = (Session){0};
}
