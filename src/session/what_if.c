// what_if: edits, undo and redo; see what_if.h.
#include "what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session_actions.h"
#include "session_words.h"

// --- a scenario of its own

static bool take_scenario(Session *session, Error *err)
{
    WhatIf *what_if = &session->what_if;
    if (what_if->scenario)
        return true;
    Scenario *own = what_if_scenario_new(err);
    bool good = own && scenario_copy(own, session->run.trace.scenario, err) &&
                trace_rebind(&session->run.trace, own, &what_if->change, err);
    trace_change_finish(&what_if->change); // a copy changes nothing
    if (good)
        what_if->scenario = own;
    else
        what_if_scenario_close(own);
    return good;
}

// What the screen worked out from the old numbers is worked out again.
static void forget_conclusions(Session *session)
{
    session->origin.known = false;
    session->statistics.measured = false;
    session->run.number++;
}

// --- elements

static bool put_element(Session *session, const char *text, char before[SCENARIO_EDIT_MAX],
                        Error *err)
{
    WhatIf *what_if = &session->what_if;
    ScenarioEdit edit;
    if (!scenario_edit_read(session->run.trace.scenario, text, &edit, err) ||
        !take_scenario(session, err))
        return false;
    const char *name = what_if->scenario->tensors[edit.tensor].name;
    TraceCell cell = {.tensor = trace_find(&session->run.trace, name)};
    memcpy(cell.at, edit.at, sizeof edit.at);
    ScenarioEdit was = scenario_edit_now(what_if->scenario, edit.tensor, edit.at);
    if (before)
        scenario_edit_text(what_if->scenario, &was, before);

    trace_change_finish(&what_if->change);
    what_if->replanned = false;
    if (!trace_touch(&session->run.trace, &what_if->change, cell, err))
        return false;
    scenario_edit_put(what_if->scenario, &edit);
    bool good = trace_recompute(&session->run.trace, &what_if->change, err);
    if (!good)
        trace_change_finish(&what_if->change);
    forget_conclusions(session);
    return good;
}

// --- options

// The new scenario fits the trace: what differs is computed again. One of the two is closed.
static bool recompute_with(Session *session, Scenario *next, Error *err)
{
    WhatIf *what_if = &session->what_if;
    Scenario *last = what_if->scenario;
    trace_change_finish(&what_if->change);
    bool good = trace_rebind(&session->run.trace, next, &what_if->change, err) &&
                trace_recompute(&session->run.trace, &what_if->change, err);
    if (!good) {
        Error unused;
        session->run.trace.scenario = next; // the refused one, wherever that came to light
        trace_change_finish(&what_if->change);
        trace_rebind(&session->run.trace, last, &what_if->change, &unused);
        trace_change_finish(&what_if->change);
    }
    what_if->scenario = good ? next : last;
    what_if_scenario_close(good ? last : next);
    return good;
}

// A pipeline that refuses what has been computed so far makes no sense.
static bool try_scenario(const Session *session, const Scenario *next, Error *err)
{
    Trace trial;
    bool good = trace_open(&trial, next, err);
    if (good && !trace_run(&trial, err))
        good = trial.steps_done >= session->run.trace.steps_done;
    trace_close(&trial);
    return good;
}

// The new scenario has another pipeline: it is run from the start, as far as the old one had come.
static bool restart_with(Session *session, Scenario *next, Error *err)
{
    TraceKept kept;
    WhatIf *what_if = &session->what_if;
    Scenario *last = what_if->scenario;
    if (!try_scenario(session, next, err) || !trace_keep_all(&session->run.trace, &kept, err)) {
        what_if_scenario_close(next);
        return false;
    }
    trace_change_finish(&what_if->change);
    bool good = session_replan(session, next, &what_if->breaks_lost, err);
    if (good)
        trace_compare(&session->run.trace, &kept, &what_if->change);
    else
        trace_change_finish(&kept.was);
    what_if->scenario = good ? next : last;
    what_if_scenario_close(good ? last : next);
    return good;
}

// Closes the scenario where it is not taken.
static bool open_next(Session *session, size_t done, Scenario *next, Error *err)
{
    bool good =
        next &&
        what_if_open(&session->what_if, session->run.trace.scenario, done, NULL, next, err) &&
        take_scenario(session, err);
    if (!good)
        what_if_scenario_close(next);
    return good;
}

static bool put_options(Session *session, size_t done, Error *err)
{
    Scenario *next = what_if_scenario_new(err);
    if (!open_next(session, done, next, err))
        return false;
    bool fits = trace_fits(&session->run.trace, next);
    forget_conclusions(session);
    session->what_if.replanned = !fits;
    return fits ? recompute_with(session, next, err) : restart_with(session, next, err);
}

// --- edits

// An element has an index before its '='; an option has none.
static bool names_an_element(const char *text)
{
    const char *bracket = strchr(text, '['), *equals = strchr(text, '=');
    return bracket && equals && bracket < equals;
}

static bool make_room(WhatIf *what_if, Error *err)
{
    if (what_if->done < what_if->room)
        return true;
    size_t room = what_if->room ? 2 * what_if->room : 16;
    Edit *edits = realloc(what_if->edits, room * sizeof *edits);
    if (!edits)
        return error_set(err, TELL(EDIT_NO_MEMORY), room);
    what_if->edits = edits;
    what_if->room = room;
    return true;
}

static bool may_change(const Session *session, Error *err)
{
    return !session->comparison.swapped || error_set(err, TELL(EDIT_IN_FRONT));
}

// "x = 3" names an input or a weight, but none of its numbers; a sentence says how.
static bool names_a_tensor(const Session *session, const char *text, Error *err)
{
    char name[SCENARIO_EDIT_MAX], cell[TRACE_CELL_MAX];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " ="), text);
    int tensor = trace_find(&session->run.trace, name);
    if (tensor < 0)
        return false;
    error_set(err, TELL(EDIT_WHICH), name,
              trace_cell_name(&session->run.trace, (TraceCell){.tensor = tensor}, cell));
    return true;
}

bool what_if_do(Session *session, const char *text, Error *err)
{
    if (!may_change(session, err))
        return false;
    WhatIf *what_if = &session->what_if;
    Edit edit = {.is_option = !names_an_element(text)};
    if (edit.is_option && names_a_tensor(session, text, err))
        return false;
    if (strlen(text) >= sizeof edit.text)
        return error_set(err, TELL(EDIT_TOO_LONG), sizeof edit.text - 1);
    strcpy(edit.text, text);
    if (!make_room(what_if, err))
        return false;
    Edit undone = what_if->edits[what_if->done];
    if (!edit.is_option && !put_element(session, text, edit.before, err))
        return false;
    what_if->edits[what_if->done] = edit;
    if (edit.is_option && !put_options(session, what_if->done + 1, err)) {
        what_if->edits[what_if->done] = undone;
        return false;
    }
    what_if->count = ++what_if->done;
    return true;
}

bool what_if_undo(Session *session, Error *err)
{
    WhatIf *what_if = &session->what_if;
    if (!may_change(session, err))
        return false;
    if (what_if->done == 0)
        return error_set(err, TELL(EDIT_NOTHING));
    const Edit *edit = &what_if->edits[what_if->done - 1];
    bool good = edit->is_option ? put_options(session, what_if->done - 1, err)
                                : put_element(session, edit->before, NULL, err);
    what_if->done -= good;
    return good;
}

bool what_if_redo(Session *session, Error *err)
{
    WhatIf *what_if = &session->what_if;
    if (!may_change(session, err))
        return false;
    if (what_if->done == what_if->count)
        return error_set(err, TELL(EDIT_NOTHING_UNDONE));
    const Edit *edit = &what_if->edits[what_if->done];
    bool good = edit->is_option ? put_options(session, what_if->done + 1, err)
                                : put_element(session, edit->text, NULL, err);
    what_if->done += good;
    return good;
}

const TraceChange *what_if_change(const Session *session)
{
    return session->comparison.swapped ? NULL : &session->what_if.change;
}

bool what_if_before(const Session *session, TraceCell cell, const Tensor **before)
{
    const TraceChange *change = what_if_change(session);
    if (!change || !trace_is_changed(&session->run.trace, change, cell))
        return false;
    *before = &trace_changed(change, cell.tensor)->before;
    return true;
}
