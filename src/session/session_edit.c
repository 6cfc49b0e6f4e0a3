// session_edit: changes numbers and options, takes that back, goes from change to change.
#include "session_actions.h"

#include <stdio.h>
#include <string.h>

// A bare value is meant for the chosen element.
static bool edit_words(const Session *session, const char *name, char text[SCENARIO_EDIT_MAX],
                       Error *err)
{
    char cell[TRACE_CELL_MAX];
    const TraceTensor *tensor = session_tensor(session);
    bool is_whole = strchr(name, '=') != NULL;
    if (!is_whole && tensor->step >= 0)
        return error_set(err,
                         "%s is computed: change what it comes from (o and Enter lead there), or "
                         "an option, as in set attention.scale=none",
                         tensor->name);
    int length =
        is_whole
            ? snprintf(text, SCENARIO_EDIT_MAX, "%s", name)
            : snprintf(text, SCENARIO_EDIT_MAX, "%s = %s",
                       trace_cell_name(&session->run.trace, session_cell(session), cell), name);
    return length < SCENARIO_EDIT_MAX ||
           error_set(err, "an edit is at most %d letters long", SCENARIO_EDIT_MAX - 1);
}

// "reaches 96 elements in 7 steps, 90 of them changed"
static void tell_change(Session *session, const char *what)
{
    ptrdiff_t reached = 0, changed = 0;
    int steps = 0, last = -1;
    for (int number = 0; number < session->run.trace.tensor_count; number++) {
        const TraceChanged *tensor = &session->what_if.change.tensors[number];
        int step = session->run.trace.tensors[number].step;
        if (step < 0 || tensor->reached_count == 0)
            continue;
        reached += tensor->reached_count;
        changed += tensor->changed_count;
        steps += step != last;
        last = step;
    }
    int lost = session->what_if.breaks_lost;
    if (session->what_if.replanned && lost > 0)
        session_say(
            session,
            "%s: another pipeline, computed from its first step; %d breakpoint%s gone with the "
            "old one",
            what, lost, lost == 1 ? "" : "s");
    else if (session->what_if.replanned)
        session_say(session,
                    "%s: another pipeline, computed from its first step; %td numbers changed", what,
                    changed);
    else
        session_say(
            session,
            "%s: %td element%s in %d step%s computed again, %td changed (; the next, i all)", what,
            reached, reached == 1 ? "" : "s", steps, steps == 1 ? "" : "s", changed);
}

static bool change(Session *session, const Command *command, Error *err)
{
    char text[SCENARIO_EDIT_MAX];
    const WhatIf *what_if = &session->what_if;
    if (command->kind == COMMAND_SET) {
        if (!edit_words(session, command->name, text, err) || !what_if_do(session, text, err))
            return false;
        tell_change(session, text);
    } else if (command->kind == COMMAND_UNDO) {
        if (!what_if_undo(session, err))
            return false;
        snprintf(text, sizeof text, "undone: %.200s", what_if->edits[what_if->done].text);
        tell_change(session, text);
    } else {
        if (!what_if_redo(session, err))
            return false;
        tell_change(session, what_if->edits[what_if->done - 1].text);
    }
    return true;
}

// The other lane starts anew from the inputs as they are now. A change stays even where that lane
// cannot follow it.
bool session_edit(Session *session, const Command *command, Error *err)
{
    Error lost;
    char name[sizeof session->lane.name];
    bool has_lane = session->lane.open;
    strcpy(name, session->lane.name);
    session->play.on = false;
    if (!change(session, command, err))
        return false;
    if (has_lane && !lane_open(session, name, &lost))
        session_say(session, "the other lane is closed: %s", lost.text);
    return true;
}

// The step that shows a tensor: the one that makes it, else the first that reads it.
static int showing_step(const Trace *trace, int tensor)
{
    if (trace->tensors[tensor].step >= 0)
        return trace->tensors[tensor].step;
    for (int step = 0; step < trace->step_count; step++)
        for (int slot = 0; slot < STAGE_READS_MAX; slot++)
            if (trace->steps[step].reads[slot] == tensor)
                return step;
    return 0;
}

bool session_change(Session *session, const Command *command, Error *err)
{
    TraceCell cell = session_cell(session);
    bool backwards = command->kind == COMMAND_CHANGE_PREVIOUS;
    if (session->what_if.done == 0 && session->what_if.count == 0)
        return error_set(err, "nothing has been changed; e changes the chosen number");
    const TraceChange *change = what_if_change(session);
    if (!change)
        return error_set(err, "the other lane is in front; y brings back the one that was changed");
    if (!trace_next_changed(&session->run.trace, change, backwards, &cell))
        return error_set(err, "no number %s this one was changed", backwards ? "before" : "after");
    session_show_cell(session, showing_step(&session->run.trace, cell.tensor), cell);
    return true;
}

bool session_save_scenario(Session *session, const Command *command, Error *err)
{
    if (session->guide)
        return error_set(err, "a lecture writes no files; attnscope trace does");
    if (!what_if_save(session, command->name, err))
        return false;
    session_say(session, "saved as %s: attnscope trace %s opens it", command->name, command->name);
    return true;
}
