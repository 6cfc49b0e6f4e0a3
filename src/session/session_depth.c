// session_depth: three ways to walk: by stages, by elements of a stage's output, by the terms of an
// element. The whole stage has been computed when its first element is shown; walking replays it in
// the order of its loop, from the stage's own account of each element (trace_origin).
//
// The walk stands on the chosen element of the main output, so that choosing another one, by
// whatever command, is a jump. The cost of a step depends on the number of terms of one element, never
// on the number of elements.
#include "session_actions.h"

#include <string.h>
#include "nearest.h"
#include "session_view.h"
#include "session_words.h"

enum { TERMS_AT_ONCE_MAX = 1000000 };

static const char *const depth_names[DEPTH_COUNT + 1] = {
    [DEPTH_STAGE] = "stage", [DEPTH_ELEMENT] = "element", [DEPTH_TERM] = "term"};

static const Words depth_words[DEPTH_COUNT] = {
    [DEPTH_STAGE] = WORDS("stage", "단계"),
    [DEPTH_ELEMENT] = WORDS("element", "원소"),
    [DEPTH_TERM] = WORDS("term", "항"),
};

// --- elements

static const Tensor *output(const Session *session)
{
    return &session->run.trace.tensors[session_main_output(session, session->cursor.step)].tensor;
}

static SessionView *output_view(Session *session)
{
    return &session->cursor.views[session_main_output(session, session->cursor.step)];
}

ptrdiff_t session_element_count(const Session *session)
{
    return output(session)->storage.bytes ? tensor_count(output(session)) : 0;
}

ptrdiff_t session_element(const Session *session)
{
    int tensor = session_main_output(session, session->cursor.step);
    return tensor_ravel(output(session), session->cursor.views[tensor].at);
}

static bool moves_no_number(const Session *session)
{
    const TraceStep *step = &session->run.trace.steps[session->cursor.step];
    return step->call->writes[step->stage->main_output].is_view;
}

bool session_has_reached(const Session *session, const ptrdiff_t at[])
{
    bool is_output = session->cursor.tensor == session_main_output(session, session->cursor.step);
    return session->cursor.depth == DEPTH_STAGE || !is_output || moves_no_number(session) ||
           tensor_ravel(output(session), at) <= session_element(session);
}

// --- terms

// Looks for one term of an element while counting all of them.
typedef struct TermSearch {
    ptrdiff_t wanted, count;
    TraceTerm found;
} TermSearch;

static void pass_term(void *context, const TraceTerm *term)
{
    TermSearch *search = context;
    if (search->count++ == search->wanted)
        search->found = *term;
}

static TermSearch look_up_term(const Session *session, ptrdiff_t wanted)
{
    TermSearch search = {.wanted = wanted};
    TraceCell cell = {.tensor = session_main_output(session, session->cursor.step)};
    memcpy(cell.at, session->cursor.views[cell.tensor].at, sizeof cell.at);
    if (session_element_count(session) > 0)
        trace_origin(&session->run.trace, cell, pass_term, &search);
    return search;
}

static ptrdiff_t term_number(const Session *session)
{
    const SessionTermPlace *term = &session->cursor.term;
    bool counts = term->step == session->cursor.step && term->element == session_element(session);
    return counts ? term->number : 0;
}

bool session_term(const Session *session, SessionTerm *term)
{
    if (session->cursor.depth != DEPTH_TERM)
        return false;
    ptrdiff_t number = term_number(session);
    TermSearch search = look_up_term(session, number);
    *term = (SessionTerm){number, search.count, search.found};
    return number < search.count;
}

// The inputs show the factors of the term when they are looked at.
static void point_at_sources(Session *session)
{
    SessionTerm now;
    if (!session_term(session, &now))
        return;
    for (int i = 0; i < now.term.source_count; i++) {
        const TraceCell *source = &now.term.sources[i];
        if (source->tensor == session_main_output(session, session->cursor.step))
            continue; // an element that the step has made before: the walk stands on this one
        SessionView *view = &session->cursor.views[source->tensor];
        if (!view->opened)
            session_view_open(view, &session->run.trace.tensors[source->tensor].tensor);
        memcpy(view->at, source->at, sizeof view->at);
    }
}

static void stand_on_term(Session *session, ptrdiff_t number)
{
    session->cursor.term =
        (SessionTermPlace){session->cursor.step, session_element(session), number};
    point_at_sources(session);
}

// --- walking

// To the first element of the next step, or the last one of the step before; false at the ends.
static bool cross(Session *session, bool forward)
{
    int last = session->run.trace.step_count - 1;
    if (forward ? session->cursor.step == last || session->run.failed : session->cursor.step == 0)
        return false;
    session_reach(session, session->cursor.step + (forward ? 1 : -1));
    ptrdiff_t count = session_element_count(session);
    if (count > 0)
        tensor_unravel(output(session), forward ? 0 : count - 1, output_view(session)->at);
    return true;
}

// The walk goes on where it stood in the output, whatever is looked at.
static void look_at_output(Session *session)
{
    SessionView before = *output_view(session);
    session_look_at(session, session_main_output(session, session->cursor.step));
    if (before.opened)
        *output_view(session) = before;
}

// False, and on the last element in that direction, when there are fewer. Steps without elements are
// passed over; starting in one, leaving it takes one step.
static bool walk_elements(Session *session, bool forward, ptrdiff_t distance)
{
    ptrdiff_t count = session_element_count(session), at = session_element(session);
    ptrdiff_t left = count == 0 ? 0 : forward ? count - 1 - at : at;
    look_at_output(session);
    while (distance > left && cross(session, forward)) {
        distance -= left + 1;
        left = session_element_count(session) - 1;
    }
    ptrdiff_t walked = distance < left ? distance : left;
    if (walked > 0) {
        at = session_element(session);
        tensor_unravel(output(session), forward ? at + walked : at - walked,
                       output_view(session)->at);
    }
    return distance <= left || session->run.failed;
}

static bool walk_terms(Session *session, bool forward, ptrdiff_t distance)
{
    for (;;) {
        ptrdiff_t at = term_number(session), count = look_up_term(session, at).count;
        ptrdiff_t left = count == 0 ? 0 : forward ? count - 1 - at : at;
        ptrdiff_t walked = distance < left ? distance : left;
        if (walked > 0)
            stand_on_term(session, forward ? at + walked : at - walked);
        if (distance <= left || (forward && session->run.failed))
            return true;
        distance -= left + 1;
        if (!walk_elements(session, forward, 1))
            return false;
        count = look_up_term(session, 0).count;
        stand_on_term(session, forward || count == 0 ? 0 : count - 1);
    }
}

bool session_walk(Session *session, bool forward, ptrdiff_t distance, Error *err)
{
    bool by_terms = session->cursor.depth == DEPTH_TERM;
    if (by_terms && distance > TERMS_AT_ONCE_MAX)
        return error_set(err, TELL(DEPTH_TERMS), TERMS_AT_ONCE_MAX, distance);
    bool arrived = by_terms ? walk_terms(session, forward, distance)
                            : walk_elements(session, forward, distance);
    if (!arrived)
        session_say(session, TELL(DEPTH_END), forward ? TELL(DEPTH_LAST) : TELL(DEPTH_FIRST),
                    words_tell(depth_words[session->cursor.depth]),
                    forward ? TELL(DEPTH_LAST) : TELL(DEPTH_FIRST));
    return true;
}

// --- the depth itself

static void change(Session *session, SessionDepth depth)
{
    session->cursor.depth = depth;
    session_look_at(session, session_main_output(session, session->cursor.step));
    if (depth == DEPTH_TERM)
        stand_on_term(session, 0);
}

const char *session_depth_name(SessionDepth depth)
{
    return depth_names[depth];
}

bool session_depth(Session *session, const Command *command, Error *err)
{
    if (command->kind == COMMAND_DEPTH_NEXT) {
        change(session, (SessionDepth)((session->cursor.depth + 1) % DEPTH_COUNT));
        return true;
    }
    for (int depth = 0; depth < DEPTH_COUNT; depth++)
        if (strcmp(command->name, depth_names[depth]) == 0) {
            change(session, (SessionDepth)depth);
            return true;
        }
    const char *nearest = nearest_word(command->name, depth_names);
    return error_set(err, TELL(DEPTH_UNKNOWN), command->name, nearest ? TELL(DID_YOU_MEAN) : "",
                     nearest ? nearest : "", nearest ? TELL(MEANT_END) : "");
}
