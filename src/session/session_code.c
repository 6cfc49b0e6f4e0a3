// session_code: which part of a stage's code is visible beside the values; see stage_code.h.
#include "session_actions.h"

#include <stdio.h>
#include "mistake_code.h"

const StageCode *session_code(const Session *session)
{
    const Stage *stage = session->run.trace.steps[session->cursor.step].stage;
    const StageCode *wrong = mistake_code(stage);
    return wrong ? wrong : stage_code(stage->name);
}

// Layers with a matrix for each head have a loop of their own.
static bool has_per_head_matrices(const Session *session)
{
    const TraceStep *step = &session->run.trace.steps[session->cursor.step];
    for (int slot = 1; slot < STAGE_READS_MAX; slot++)
        if (step->reads[slot] >= 0 &&
            session->run.trace.tensors[step->reads[slot]].tensor.rank == 3)
            return true;
    return false;
}

// The loop is that of the stage's own function, or of one that does it for a row or for each head. A
// mistake may be too short to have one.
ptrdiff_t session_code_definition(const Session *session)
{
    const char *const endings[] = {has_per_head_matrices(session) ? "_per_head" : "_row", "_row",
                                   ""};
    const StageCode *code = session_code(session);
    const char *stage = session->run.trace.steps[session->cursor.step].stage->name;
    int line = -1;
    for (size_t i = 0; line < 0 && i < sizeof endings / sizeof *endings; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", stage, endings[i]);
        line = stage_code_function(code, name);
    }
    return line < 0 ? 0 : line;
}

void session_open_code(Session *session)
{
    if (session->code.step == session->cursor.step)
        return;
    session->code.step = session->cursor.step;
    session->code.line = session_code_definition(session);
}

void session_scroll_code(Session *session, ptrdiff_t by)
{
    ptrdiff_t last = session_code(session)->count - 1, line = session->code.line;
    session->code.line = by > last - line ? last : by < -line ? 0 : line + by;
}
