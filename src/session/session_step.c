// session_step: from step to step.
#include "session_actions.h"

#include <stdlib.h>
#include <string.h>
#include "nearest.h"
#include "session_names.h"
#include "session_words.h"

static void step_by(Session *session, ptrdiff_t by)
{
    ptrdiff_t last = session->run.trace.step_count - 1;
    if (by > 0 && session->cursor.step == last && !session->run.failed)
        session_say(session, TELL(STEP_LAST));
    else if (by < 0 && session->cursor.step == 0)
        session_say(session, TELL(STEP_FIRST));
    ptrdiff_t left = by > 0 ? last - session->cursor.step : session->cursor.step;
    ptrdiff_t distance = by > 0 ? by : -by;
    int steps = (int)(distance < left ? distance : left);
    session_reach(session, by > 0 ? session->cursor.step + steps : session->cursor.step - steps);
}

int session_find_step(const Session *session, const char *name, Error *err)
{
    const Trace *trace = &session->run.trace;
    SessionNames names;
    session_names(session, COMMAND_GOTO, &names);
    for (int step = 0; step < trace->step_count; step++)
        if (strcmp(names.known[step], name) == 0 ||
            strcmp(trace->steps[step].stage->name, name) == 0)
            return step;
    char *end;
    long number = strtol(name, &end, 10);
    if (*end == '\0' && number >= 1 && number <= trace->step_count)
        return (int)number - 1;
    const char *nearest = nearest_word(name, names.known);
    error_set(err, TELL(STEP_UNKNOWN), name, trace->step_count, nearest ? nearest : names.known[0]);
    return -1;
}

static bool go_to(Session *session, const char *name, Error *err)
{
    int step = session_find_step(session, name, err);
    if (step >= 0)
        session_reach(session, step);
    return step >= 0;
}

static bool go(Session *session, const Command *command, Error *err)
{
    bool forward = command->kind == COMMAND_NEXT;
    switch (command->kind) {
    case COMMAND_NEXT:
    case COMMAND_PREVIOUS:
        if (forward && session->play.on && session->play.to_sequence)
            return session_play_on(session, command->number, err);
        if (session->cursor.depth != DEPTH_STAGE)
            return session_walk(session, forward, command->number, err);
        step_by(session, forward ? command->number : -command->number);
        return true;
    case COMMAND_FIRST:
        session_reach(session, 0);
        return true;
    case COMMAND_LAST:
        session_reach(session, session->run.trace.step_count - 1);
        return true;
    default:
        return go_to(session, command->name, err);
    }
}

// Playing ends at the last step, at one that cannot be computed, and where somebody takes over.
bool session_step(Session *session, const Command *command, Error *err)
{
    bool good = go(session, command, err);
    if (command->kind != COMMAND_NEXT || session->run.failed || session->message.text[0])
        session->play.on = false;
    return good;
}
