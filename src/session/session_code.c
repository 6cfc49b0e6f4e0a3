// session_code: which part of a stage's code is visible beside the values; see stage_code.h.
#include "session_actions.h"

#include "mistake_code.h"

const StageCode *session_code(const Session *session)
{
    const Stage *stage = session->run.trace.steps[session->cursor.step].stage;
    const StageCode *wrong = mistake_code(stage);
    return wrong ? wrong : stage_code(stage->name);
}

static int function_of(const StageCode *code, const char *name)
{
    return name ? stage_code_function(code, name) : -1;
}

// A mistake may be too short to have a function of its own for the loop, or any.
ptrdiff_t session_code_definition(const Session *session)
{
    const StageCode *code = session_code(session);
    const TraceStep *step = &session->run.trace.steps[session->cursor.step];
    const char *const names[] = {step->call->loop, step->stage->loop, step->stage->name};
    int line = -1;
    for (size_t i = 0; line < 0 && i < sizeof names / sizeof *names; i++)
        line = function_of(code, names[i]);
    return line < 0 ? 0 : line;
}

ptrdiff_t session_code_of_term(const Session *session)
{
    SessionTerm now;
    int step = session->cursor.step;
    const Stage *stage = session->run.trace.steps[step].stage;
    bool is_right = !session_step_is_mine(session, step) && !mistake_code(stage) &&
                    !session->run.trace.steps[step].formula;
    if (!is_right || !session_term(session, &now) || !stage->terms[now.term.kind])
        return -1;
    return stage_code_line(session_code(session), stage->terms[now.term.kind],
                           (int)session_code_definition(session));
}

void session_open_code(Session *session)
{
    if (session->code.step == session->cursor.step)
        return;
    session->code =
        (SessionCode){.step = session->cursor.step, .line = session_code_definition(session)};
}

bool session_code_is_led(const Session *session, const SessionRoom *room)
{
    return room->code_from <= 0 || (session->code.led_from == room->code_from &&
                                    session->code.led_to == session_code_of_term(session));
}

void session_lead_code(Session *session, const SessionRoom *room)
{
    ptrdiff_t from = room->code_from, count = session_code(session)->count;
    if (session_code_is_led(session, room))
        return;
    session->code.led_from = from;
    session->code.led_to = session_code_of_term(session);
    session->code.line = from < count ? from - 1 : count - 1;
}

void session_scroll_code(Session *session, ptrdiff_t by)
{
    ptrdiff_t last = session_code(session)->count - 1, line = session->code.line;
    session->code.line = by > last - line ? last : by < -line ? 0 : line + by;
}
