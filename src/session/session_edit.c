// session_edit: changes numbers and options, takes that back, goes from change to change.
#include "session_actions.h"

#include <stdio.h>
#include <string.h>
#include "scenario_file.h"
#include "shell_word.h"
#include "trace_program.h"
#include "session_words.h"

// A bare value is meant for the chosen element.
static bool edit_words(const Session *session, const char *name, char text[SCENARIO_EDIT_MAX],
                       Error *err)
{
    char cell[TRACE_CELL_MAX];
    const TraceTensor *tensor = session_tensor(session);
    bool is_whole = strchr(name, '=') != NULL;
    if (!is_whole && tensor->step >= 0)
        return error_set(err, TELL(EDIT_COMPUTED), tensor->name);
    int length =
        is_whole
            ? snprintf(text, SCENARIO_EDIT_MAX, "%s", name)
            : snprintf(text, SCENARIO_EDIT_MAX, "%s = %s",
                       trace_cell_name(&session->run.trace, session_cell(session), cell), name);
    return length < SCENARIO_EDIT_MAX || error_set(err, TELL(EDIT_LONG), SCENARIO_EDIT_MAX - 1);
}

// "reaches 96 elements in 7 steps, 90 of them changed"
static void tell_change(Session *session, const char *what, bool is_formula)
{
    ptrdiff_t reached = 0, changed = 0;
    int steps = 0, last = -1;
    for (int number = 0; number < session->run.trace.tensor_count; number++) {
        const TraceChanged *tensor = trace_changed(&session->what_if.change, number);
        int step = session->run.trace.tensors[number].step;
        if (step < 0 || tensor->reached_count == 0)
            continue;
        reached += tensor->reached_count;
        changed += tensor->changed_count;
        steps += step != last;
        last = step;
    }
    int lost = session->what_if.breaks_lost;
    if (session->what_if.replanned && is_formula)
        session_say(session, TELL(EDIT_FORMULA), what, changed);
    else if (session->what_if.replanned && lost > 0)
        session_say(session, lost == 1 ? TELL(EDIT_BREAKPOINT) : TELL(EDIT_BREAKPOINTS), what,
                    lost);
    else if (session->what_if.replanned)
        session_say(session, TELL(EDIT_REPLANNED), what, changed);
    else
        session_say(session, TELL(EDIT_RECOMPUTED), what, reached, reached == 1 ? "" : TELL(PLURAL),
                    steps, steps == 1 ? "" : TELL(PLURAL), changed);
}

// Refused before anything is computed, where that can be told.
static bool put_formula(Session *session, const char *text, Error *err)
{
    char set[SCENARIO_FORMULA_SET_MAX];
    return trace_formula_check(&session->run.trace, text, err) &&
           scenario_formula_set(text, set, err) && what_if_do(session, set, err);
}

static bool change(Session *session, const Command *command, Error *err)
{
    char text[SCENARIO_EDIT_MAX];
    const WhatIf *what_if = &session->what_if;
    if (command->kind == COMMAND_SET) {
        if (!edit_words(session, command->name, text, err) || !what_if_do(session, text, err))
            return false;
        tell_change(session, text, false);
    } else if (command->kind == COMMAND_FORMULA) {
        if (!put_formula(session, command->name, err))
            return false;
        tell_change(session, command->name, true);
    } else if (command->kind == COMMAND_UNDO) {
        if (!what_if_undo(session, err))
            return false;
        const char *undone = what_if->edits[what_if->done].text;
        snprintf(text, sizeof text, TELL(EDIT_UNDONE), undone);
        tell_change(session, text, scenario_set_is_formula(undone));
    } else {
        if (!what_if_redo(session, err))
            return false;
        const char *redone = what_if->edits[what_if->done - 1].text;
        tell_change(session, redone, scenario_set_is_formula(redone));
    }
    return true;
}

// The other run starts anew from the inputs as they are now. A change stays even where that run
// cannot follow it.
bool session_edit(Session *session, const Command *command, Error *err)
{
    Error lost;
    char name[sizeof session->comparison.name];
    bool has_other = session->comparison.open;
    strcpy(name, session->comparison.name);
    session->play.on = false;
    if (!change(session, command, err))
        return false;
    if (has_other && !comparison_open(session, name, &lost))
        session_say(session, TELL(EDIT_COMPARISON_CLOSED), lost.text);
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
        return error_set(err, TELL(EDIT_NONE));
    const TraceChange *change = what_if_change(session);
    if (!change)
        return error_set(err, TELL(EDIT_OTHER_COMPARISON));
    if (!trace_next_changed(&session->run.trace, change, backwards, &cell))
        return error_set(err, TELL(EDIT_NO_OTHER),
                         backwards ? TELL(EDIT_BEFORE) : TELL(EDIT_AFTER));
    session_show_cell(session, showing_step(&session->run.trace, cell.tensor), cell);
    return true;
}

bool session_save_scenario(Session *session, const Command *command, Error *err)
{
    if (session->lecture)
        return error_set(err, TELL(LECTURE_WRITES_NONE));
    if (!what_if_save(session, command->name, err))
        return false;
    char word[SHELL_PATH_ROOM];
    session_say(session, TELL(EDIT_SAVED), command->name, shell_path(command->name, word));
    return true;
}
