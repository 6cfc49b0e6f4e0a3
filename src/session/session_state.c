// session_state: small questions about a session that all its parts ask; see session.h. It knows no
// other file of this floor.
#include "session_actions.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int session_tensors(const Session *session, int step, int tensors[SESSION_TENSORS_MAX])
{
    const TraceStep *wiring = &session->run.trace.steps[step];
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
    const TraceStep *wiring = &session->run.trace.steps[step];
    return wiring->writes[wiring->stage->main_output];
}

const TraceTensor *session_tensor(const Session *session)
{
    return &session->run.trace.tensors[session->cursor.tensor];
}

const SessionView *session_view(const Session *session)
{
    return &session->cursor.views[session->cursor.tensor];
}

bool session_axis_is_picked(const Session *session, int axis)
{
    const SessionView *view = session_view(session);
    return axis != view->row_axis && axis != view->column_axis;
}

TraceCell session_cell(const Session *session)
{
    TraceCell cell = {.tensor = session->cursor.tensor};
    size_t rank = (size_t)session_tensor(session)->tensor.rank;
    memcpy(cell.at, session_view(session)->at, rank * sizeof *cell.at);
    return cell;
}

bool session_same_cell(TraceCell a, TraceCell b)
{
    return a.tensor == b.tensor && memcmp(a.at, b.at, sizeof a.at) == 0;
}

bool session_has_values(const Session *session)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    return tensor->storage.bytes && tensor_count(tensor) > 0;
}

bool session_step_is_mine(const Session *session, int step)
{
    const LearnerStages *mine =
        session->comparison.swapped ? session->comparison.mine : session->mine.functions;
    for (const char *const *name = mine ? mine->stages : NULL; name && *name; name++)
        if (strcmp(*name, session->run.trace.steps[step].stage->name) == 0)
            return true;
    return false;
}

bool session_could_compute(const Session *session, Error *err)
{
    const Error *failure = session->run.failed          ? &session->run.failure
                           : session->comparison.failed ? &session->comparison.failure
                                                        : NULL;
    return !failure || !failure->of_machine || error_machine(err, "%s", failure->text);
}

void session_say(Session *session, const char *format, ...)
{
    char text[sizeof session->message.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error_set(&session->message, "%s", text);
}
