// session_comparison: opens another run, exchanges the two, goes to where they differ.
#include "session_actions.h"

#include <stdio.h>
#include <string.h>
#include "room.h"
#include "session_words.h"

static bool needs_other(const Session *session, Error *err)
{
    return session->comparison.open || error_set(err, TELL(COMPARISON_NONE));
}

static bool open_other(Session *session, const char *what, Error *err)
{
    if (strcmp(what, "off") == 0) {
        if (!needs_other(session, err))
            return false;
        comparison_close(session);
        if (session->look.detail == DETAIL_BESIDE)
            session->look.detail = DETAIL_NONE;
        return true;
    }
    if (!comparison_open(session, what, err))
        return false;
    session->look.detail = DETAIL_BESIDE;
    char size[ROOM_TEXT_MAX];
    session_say(session, TELL(COMPARISON_RUNS), comparison_title(session),
                room_text(trace_bytes(&session->comparison.trace), size));
    return true;
}

static bool show_as(Session *session, const char *name, Error *err)
{
    static const char *const names[COMPARISON_SHOWS] = {"other", "difference", "stages"};
    for (int show = 0; show < COMPARISON_SHOWS; show++)
        if (strcmp(name, names[show]) == 0) {
            session->comparison.show = (ComparisonShow)show;
            session->look.detail = DETAIL_BESIDE;
            return true;
        }
    return error_set(err, TELL(COMPARISON_SHOWN), name);
}

bool session_compare(Session *session, const Command *command, Error *err)
{
    if (command->kind == COMMAND_COMPARE)
        return open_other(session, command->name, err);
    if (!needs_other(session, err))
        return false;
    if (command->kind == COMMAND_COMPARE_REVEAL) {
        comparison_reveal(session);
        return true;
    }
    if (command->kind == COMMAND_COMPARE_AS)
        return show_as(session, command->name, err);
    if (command->kind == COMMAND_COMPARE_NEXT) {
        session->comparison.show =
            (ComparisonShow)((session->comparison.show + 1) % COMPARISON_SHOWS);
        session->look.detail = DETAIL_BESIDE;
        return true;
    }
    comparison_swap(session);
    session_say(session, TELL(COMPARISON_IN_FRONT),
                session->comparison.swapped ? comparison_title(session)
                                            : session->run.trace.scenario->name);
    return true;
}

void session_mark_mistake(Session *session, ptrdiff_t by)
{
    ptrdiff_t last = 0;
    while (mistake_get((int)last + 1))
        last++;
    ptrdiff_t marked = session->look.mistake + by;
    session->look.mistake = (int)(marked < 0 ? 0 : marked > last ? last : marked);
}

bool session_compare_marked(Session *session, Error *err)
{
    char what[SCENARIO_EDIT_MAX];
    const Mistake *marked = mistake_get(session->look.mistake);
    return open_other(session, comparison_of_mistake(marked->name, what), err);
}

bool session_differ(Session *session, const Command *command, Error *err)
{
    TraceCell cell = session_cell(session);
    bool of_all = command->kind == COMMAND_DIFFER_FIRST;
    if (!needs_other(session, err))
        return false;
    while (!comparison_next_difference(session, of_all, &cell)) {
        bool is_done = session->run.trace.steps_done == session->run.trace.step_count;
        if (is_done || session->run.failed)
            return error_set(err, "%s",
                             of_all ? TELL(COMPARISON_ALL_SAME) : TELL(COMPARISON_NO_LATER));
        session_reach(session, session->run.trace.steps_done);
        comparison_follow(session);
    }
    session_show_cell(session, session->run.trace.tensors[cell.tensor].step, cell);
    return true;
}
